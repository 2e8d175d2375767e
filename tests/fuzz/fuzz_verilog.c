/* SPDX-License-Identifier: MIT */
/* No text makes the reader of Verilog design files crash, what it says has a place in the text, and
 * nothing of an accepted file can leave the names and strings of the C++ that it becomes, nor those
 * of the top module of a design whose ports speak a bus. */
#include "design/verilog/verilog_build.h"
#include "design/verilog/verilog_file.h"
#include "fuzz.h"

/* Strings are names, so quotes come in pairs around them. */
static void check_source(const base_text *source) {
    for (const char *quote = source->data; (quote = strchr(quote, '"')) != NULL; quote++) {
        quote++;
        quote += strspn(quote, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
        require(*quote == '"');
    }
}

static void add_signal(duv_signals *signals, const char *name, bool is_input, uint32_t bits) {
    duv_signal *signal = &signals->all[signals->count++];
    *signal = (duv_signal){.is_input = is_input, .bits = bits};
    (void)snprintf(signal->name, sizeof signal->name, "%s", name);
}

/* A design of one port that has what the file names: clock, reset, inputs, and the whole bus. */
static void invent_signals(const duv_verilog_file *file, duv_signals *signals) {
    const duv_adapter *a = &file->adapter;
    signals->count = 0;
    add_signal(signals, file->clock.text, true, 1);
    add_signal(signals, file->reset.text, true, 1);
    for (uint32_t i = 0; i < file->input_count; i++)
        add_signal(signals, file->inputs[i].name.text, true, 8);
    for (const duv_bus_signal *s = duv_bus_signals(a->bus); s->names != NULL; s++) {
        char name[2 * DUV_NAME];
        (void)snprintf(name, sizeof name, "%s%.*s", a->prefix.text, (int)strcspn(s->names, " "),
                       s->names);
        for (uint32_t i = 0; i < a->renamed_count; i++)
            if (strncmp(a->renamed[i].signal.text, s->names, strcspn(s->names, " ")) == 0)
                (void)snprintf(name, sizeof name, "%s", a->renamed[i].name.text);
        for (char *number = name; (number = strchr(number, '#')) != NULL;)
            *number = '0';
        add_signal(signals, name, s->to_memory,
                   s->breadth > 0                 ? (uint32_t)s->breadth
                   : s->breadth == DUV_BUS_STROBE ? 4
                                                  : 32);
    }
}

static void check_top(duv_verilog_file *file) {
    static duv_signals signals;
    base_text source = {0};
    col_problem problem = {0};
    invent_signals(file, &signals);
    const col_status status = duv_adapter_top(file, &signals, &source, &problem);
    require(status != COL_BAD_INPUT || (problem.line > 0 && problem.column > 0));
    if (status == COL_OK) {
        check_source(&source);
        require(strpbrk(source.data, "`$#\\/") == strchr(source.data, '#'));
    }
    base_text_free(&source);
}

/* A module for all names of the corpus, and an enumeration. */
static const char xml[] =
    "<file id=\"d\" filename=\"a.sv\"/><cell submodname=\"cache\" hier=\"t.cache\"/>"
    "<module loc=\"d,3,8\" name=\"cache\" origName=\"cache\"><var loc=\"d,4,1\" name=\"states\" "
    "origName=\"states\" dtype_id=\"1\" vartype=\"state_t\"/></module><typetable>"
    "<basicdtype id=\"1\" left=\"1\" right=\"0\"/><enumdtype id=\"5\" name=\"p::state_t\">"
    "<enumitem name=\"I\"><const name=\"2&apos;h0\"/></enumitem><enumitem name=\"S\">"
    "<const name=\"2&apos;h1\"/></enumitem></enumdtype></typetable>";

/* Whatever the XML is, it is refused or taken. */
static void resolve_points(const duv_verilog_file *file, const char *text) {
    col_problem problem = {0};
    const col_status status = duv_points_resolve(file, text, &problem);
    require(status != COL_BAD_INPUT || (problem.line > 0 && problem.column > 0));
}

static void resolve_in(const uint8_t *data, size_t size) {
    static const char design[] = "kind: verilog\nsources: [a.sv]\ntop: t\nclock: c\nreset: r\n"
                                 "ports: {}\ncoverage: {lines: '*', toggles: '*'}\n"
                                 "fsm: [{module: cache, signal: states}]\n";
    static duv_verilog_file file;
    char *text = calloc(1, size + 1);
    if (text == NULL)
        return;
    memcpy(text, data, size);
    if (duv_verilog_file_parse(&file, design, sizeof design - 1, "x.yaml", NULL) == COL_OK)
        resolve_points(&file, text);
    duv_verilog_file_free(&file);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static duv_verilog_file file;
    base_text source = {0};
    col_problem problem = {0};
    const col_status status =
        duv_verilog_file_parse(&file, (const char *)data, size, "fuzz.yaml", &problem);
    require_place(status, &problem, size);
    if (status == COL_OK && file.points != NULL)
        resolve_points(&file, xml);
    if (status == COL_OK) {
        duv_verilog_wrap(&file, "", &source);
        check_source(&source);
        if (file.adapter.bus != DUV_NATIVE)
            check_top(&file);
    }
    base_text_free(&source);
    duv_verilog_file_free(&file);
    if (size > 0)
        resolve_in(data, size);
    return 0;
}
