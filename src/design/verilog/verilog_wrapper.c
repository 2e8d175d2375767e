/* SPDX-License-Identifier: MIT */
/* The C++ between a model and us: see verilog_build.h. */
#include "design/verilog/verilog_build.h"

#include "base/names.h"
#include "base/text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* ---- The signals of the top module. */

/* "    VL_IN8(&request_valid,3,0);", or with VL_OUT, and another number, or W and the words; of an
 * array "    VL_IN8((&request_valid)[4],3,0);". */
static bool read_signal(const char *line, duv_signal *signal) {
    char kind[16];
    unsigned high = 0, low = 0, elements = 0;
    if (sscanf(line, " VL_%15[A-Z0-9](&%127[A-Za-z0-9_],%u,%u", kind, signal->name, &high, &low) !=
            4 &&
        sscanf(line, " VL_%15[A-Z0-9]((&%127[A-Za-z0-9_])[%u],%u,%u", kind, signal->name, &elements,
               &high, &low) != 5)
        return false;
    const uint32_t bits = high < low || high - low >= 1 << 20 ? 0 : high - low + 1;
    signal->is_input = strncmp(kind, "IN", 2) == 0 && strncmp(kind, "INOUT", 5) != 0;
    signal->elements = elements;
    signal->element_bits = bits;
    signal->bits = elements != 0 ? 0 : bits;
    return signal->is_input || strncmp(kind, "OUT", 3) == 0;
}

void duv_signals_read(duv_signals *signals, const char *header) {
    signals->count = 0;
    for (const char *line = header; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (signals->count < DUV_MOST_SIGNALS && read_signal(line, &signals->all[signals->count]))
            signals->count++;
    }
}

/* Verilator writes the second of two underscores in a row as __05F. */
static void spell(const char *name, char spelled[2 * DUV_NAME]) {
    size_t length = 0;
    for (const char *c = name; *c != '\0' && length < (size_t)2 * DUV_NAME - 8; c++) {
        const bool is_second = c > name && c[0] == '_' && c[-1] == '_';
        length += (size_t)sprintf(spelled + length, is_second ? "__05F" : "%c", *c);
    }
}

void duv_signals_describe(duv_signals *signals, const xml_node *root, const xml_node *top) {
    signals->count = 0;
    for (const xml_node *n = top->child; n != NULL; n = n->next) {
        duv_signal *signal = &signals->all[signals->count];
        const xml_node *type = xml_type_of(root, n);
        char name[DUV_NAME];
        *signal = (duv_signal){.is_input = xml_says(n, "dir", "input")};
        if (signals->count == DUV_MOST_SIGNALS || !xml_is(n, "var") ||
            (!signal->is_input && !xml_says(n, "dir", "output")) ||
            !xml_get(n, "name", name, sizeof name) || strlen(name) > DUV_NAME / 2)
            continue;
        char spelled[2 * DUV_NAME];
        spell(name, spelled);
        (void)snprintf(signal->name, sizeof signal->name, "%.127s", spelled);
        signal->elements = xml_elements(root, type, &type);
        signal->element_bits = xml_bits(root, type);
        signal->bits = signal->elements != 0 ? 0 : signal->element_bits;
        signals->count++;
    }
}

const duv_signal *duv_signals_find(const duv_signals *signals, const char *name) {
    char spelled[2 * DUV_NAME];
    spell(name, spelled);
    for (uint32_t i = 0; i < signals->count; i++)
        if (strcmp(signals->all[i].name, spelled) == 0)
            return &signals->all[i];
    return NULL;
}

/* ---- Are they those of the file? */

col_status duv_signals_refuse(const duv_verilog_file *f, const duv_signals *signals,
                              const char *name, bool is_input, base_place place,
                              col_problem *problem) {
    const char *const what = is_input ? "input" : "output";
    char names[DUV_MOST_SIGNALS][DUV_NAME];
    base_list list = {""};
    base_nearest nearest = {.text = name};
    if (duv_signals_find(signals, name) != NULL)
        return DUV_REFUSE_AT(f, place, problem, "the signal %s of %s is an %s, not an %s", name,
                             f->top.text, is_input ? "output" : "input", what);
    for (uint32_t i = 0; i < signals->count; i++) {
        duv_signal_name(&signals->all[i], names[i]);
        if (signals->all[i].is_input != is_input)
            continue;
        base_list_add(&list, names[i]);
        base_nearest_try(&nearest, names[i]);
    }
    if (nearest.word != NULL)
        return DUV_REFUSE_AT(f, place, problem, "the module %s has no %s '%s'; did you mean '%s'?",
                             f->top.text, what, name, nearest.word);
    return DUV_REFUSE_AT(f, place, problem, "the module %s has no %s '%s'; it has %.300s",
                         f->top.text, what, name, base_list_text(&list));
}

static base_place place_of(const duv_named *named, base_place otherwise) {
    return named->place.line != 0 ? named->place : otherwise;
}

col_status duv_signals_take(const duv_verilog_file *f, const duv_signals *signals,
                            const duv_named *named, bool is_input, uint32_t *bits,
                            col_problem *problem) {
    const base_place place = place_of(named, duv_is_chip(f) ? f->chip.place : f->ports);
    const duv_signal *signal = duv_signals_find(signals, named->text);
    if (signal == NULL || signal->is_input != is_input)
        return duv_signals_refuse(f, signals, named->text, is_input, place, problem);
    if (signal->bits == 0)
        return DUV_REFUSE_AT(f, place, problem,
                             "the signal %s of %s is an array; ports are packed, element p of "
                             "each signal for port p",
                             named->text, f->top.text);
    *bits = signal->bits;
    return COL_OK;
}

static col_status check_width(duv_verilog_file *f, uint32_t s, uint32_t bits,
                              col_problem *problem) {
    const base_place place = place_of(&f->signals[s], f->ports);
    const uint64_t count = f->count != 0 ? f->count : bits; /* of request_valid, the first */
    uint64_t *const widths[] = {&f->address_bits, &f->data_bits, &f->tag_bits};
    f->count = count;
    if (count > 0 && duv_port_bits(f, s) == 0 && bits % count == 0)
        *widths[duv_port_signals[s].bits - DUV_ADDRESS] = bits / count;
    const unsigned long long wanted = duv_port_bits(f, s), needed = wanted * count;
    if (bits == needed)
        return COL_OK;
    return DUV_REFUSE_AT(f, place, problem,
                         "the signal %s of %s has %u bit%s, but %llu port%s of %llu bit%s need "
                         "%llu; see count and the widths of the ports",
                         f->signals[s].text, f->top.text, bits, base_plural(bits),
                         (unsigned long long)count, base_plural(count), wanted, base_plural(wanted),
                         needed);
}

static col_status connect_port(duv_verilog_file *f, const duv_signals *signals, uint32_t s,
                               col_problem *problem) {
    uint32_t bits = 0;
    BASE_TRY(
        duv_signals_take(f, signals, &f->signals[s], duv_port_signals[s].is_input, &bits, problem));
    return check_width(f, s, bits, problem);
}

static col_status connect_ports(duv_verilog_file *f, const duv_signals *signals,
                                col_problem *problem) {
    if (!f->says_invalidate)
        f->agents.tells_losses =
            duv_signals_find(signals, f->signals[DUV_INVALIDATE_VALID].text) != NULL;
    if (!f->says_commit)
        f->agents.tells_commits =
            duv_signals_find(signals, f->signals[DUV_COMMIT_VALID].text) != NULL;
    for (uint32_t s = 0; s < DUV_PORT_SIGNALS; s++)
        if (duv_port_has(f, s))
            DUV_NOTE(f, problem, connect_port(f, signals, s, problem));
    return COL_OK;
}

static col_status connect_input(const duv_verilog_file *f, const duv_signals *signals,
                                duv_input *input, col_problem *problem) {
    BASE_TRY(duv_signals_take(f, signals, &input->name, true, &input->bits, problem));
    const uint64_t most = input->is_random ? input->high : input->low;
    if (input->bits > 64 || (input->bits < 64 && most >> input->bits != 0))
        return DUV_REFUSE_AT(f, input->name.place, problem,
                             "the input %s has %u bit%s, which %llu does not fit", input->name.text,
                             input->bits, base_plural(input->bits), (unsigned long long)most);
    return COL_OK;
}

/* What must hold of the widths, whoever said them. */
static col_status check_port(const duv_verilog_file *f, col_problem *problem) {
    const char *what = NULL;
    if (f->count > 64)
        what = "there are at most 64 ports";
    else if (f->data_bits != 32 && f->data_bits != 64)
        what = "the data of a port has 32 or 64 bits";
    else if (f->address_bits < 8 || f->address_bits > 64)
        what = "the addresses of a port have 8 to 64 bits";
    else if (f->tag_bits == 0 || f->tag_bits > 32)
        what = "the tags of a port have 1 to 32 bits";
    else if (f->agents.is_current && !f->agents.tells_commits)
        what = "whether loads return current values is known only if ports have commit signals";
    else if (f->agents.merges && !f->agents.tells_commits)
        what = "that ports merge stores matters only if they have commit signals";
    return what == NULL ? COL_OK : DUV_REFUSE_AT(f, f->ports, problem, "%s", what);
}

col_status duv_verilog_connect_inputs(duv_verilog_file *f, const duv_signals *signals,
                                      col_problem *problem) {
    const duv_named *const pins[] = {&f->clock, &f->reset};
    uint32_t bits = 0;
    for (int i = 0; i < 2; i++)
        if (pins[i]->text[0] != '\0')
            DUV_NOTE(f, problem, duv_signals_take(f, signals, pins[i], true, &bits, problem));
    for (uint32_t i = 0; i < f->input_count; i++)
        DUV_NOTE(f, problem, connect_input(f, signals, &f->inputs[i], problem));
    return COL_OK;
}

col_status duv_verilog_connect(duv_verilog_file *f, const duv_signals *signals,
                               col_problem *problem) {
    BASE_TRY(duv_verilog_connect_inputs(f, signals, problem));
    if (duv_is_chip(f))
        return duv_chip_connect(f, signals, problem);
    if (f->ports.line == 0)
        return COL_OK; /* which was noted */
    BASE_TRY(connect_ports(f, signals, problem));
    if (f->notes != NULL && f->notes->errors > 0)
        return COL_OK;
    DUV_NOTE(f, problem, check_port(f, problem));
    f->agents.ports = (uint32_t)f->count;
    if (f->tag_bits < 8 && f->agents.window > UINT32_C(1) << f->tag_bits)
        f->agents.window = UINT32_C(1) << f->tag_bits;
    const uint64_t reach = f->address_bits == 64 ? 0 : UINT64_C(1) << f->address_bits;
    f->reach = reach != 0 || f->agents.base != 0 ? reach - f->agents.base : 0;
    return COL_OK;
}

/* ---- The source. */

void duv_print_accessor(base_text *t, const char *word, const char *name) {
    char spelled[2 * DUV_NAME];
    if (name == NULL) {
        base_text_print(t, "    static auto &%s(model &) { return collider::absent; }\n", word);
        return;
    }
    spell(name, spelled);
    base_text_print(t, "    static auto &%s(model &m) { return m.%s; }\n", word, spelled);
}

static void print_inputs(base_text *t, const duv_verilog_file *f) {
    char spelled[2 * DUV_NAME];
    base_text_add(t, "    static void drive(model &m, uint32_t input, uint64_t value) {\n"
                     "        switch (input) {\n");
    for (uint32_t i = 0; i < f->input_count; i++) {
        spell(f->inputs[i].name.text, spelled);
        base_text_print(t, "        case %u: collider::put(m.%s, 0, %u, value); break;\n", i,
                        spelled, f->inputs[i].bits);
    }
    base_text_add(t, "        }\n    }\n};\n\nconst collider::input inputs[] = {\n");
    for (uint32_t i = 0; i < f->input_count; i++)
        base_text_print(t, "    {\"%s\", %u, %d, %lluu, %lluu, %u},\n", f->inputs[i].name.text,
                        f->inputs[i].bits, f->inputs[i].is_random,
                        (unsigned long long)f->inputs[i].low, (unsigned long long)f->inputs[i].high,
                        f->inputs[i].percent);
    base_text_add(t, "    {nullptr, 0, false, 0, 0, 0}};\n");
}

static void print_settings(base_text *t, const duv_verilog_file *f) {
    const col_agent_settings *a = &f->agents;
    const uint32_t atomics = 1U << COL_SWAP | 1U << COL_ADD;
    base_text_add(t, "const char *const private_modules[] = {");
    for (uint32_t i = 0; i < f->private_modules.count; i++)
        base_text_print(t, "\"%s\", ", f->private_modules.texts[i]);
    base_text_add(t, "nullptr};\n");
    base_text_print(t, "collider::settings design::settings = {\n    \"%s\", COL_SC, {},\n",
                    f->name);
    base_text_print(
        t, "    {%u, col_agent_core(%u), %u, %lluu, 0, %d, %d, %d, %d, %u, %u, 0, %d, %d},\n",
        a->ports, (unsigned)a->core, a->window, (unsigned long long)a->base, a->tells_losses,
        a->tells_commits, a->takes_fences, a->takes_flushes, a->stalls, a->skew, a->is_current,
        a->merges);
    base_text_print(
        t, "    %llu, %llu, %llu, %lluu, 0, %u, %d, %llu, private_modules, inputs, %u, %s, %d};\n",
        (unsigned long long)f->address_bits, (unsigned long long)f->data_bits,
        (unsigned long long)f->tag_bits, (unsigned long long)f->reach,
        f->takes_atomics ? 0 : atomics, f->reset_is_low, (unsigned long long)f->reset_cycles,
        f->input_count, f->points == NULL ? "nullptr" : "&observed", f->starts_random);
}

/* What duv_verilog_configure says, for a model that is compiled once. */
static void print_configure(base_text *t, const duv_verilog_file *f) {
    base_text_print(
        t,
        "extern \"C\" COL_API void collider_configure(const char *platform, const col_geometry "
        "*geometry,\n    const uint64_t *numbers) {\n"
        "    collider::settings &s = design::settings;\n"
        "    static std::string text;\n    text = platform;\n"
        "    s.geometry = *geometry;\n    s.agents.block = UINT32_C(1) << geometry->block_bits;\n"
        "    s.model = col_model(numbers[0]);\n    s.limit = numbers[1];\n"
        "    s.agents.patience = numbers[2];\n"
        "    if (numbers[3] != 0)\n        s.memory = numbers[3];\n%s}\n",
        duv_is_chip(f) ? "    design::chip.platform = text.c_str();\n"
                         "    design::chip.rounds = static_cast<uint32_t>(numbers[4]);\n"
                       : "");
}

typedef void configure(const char *platform, const col_geometry *geometry, const uint64_t *numbers);

bool duv_verilog_configure(const duv_verilog_file *f, void *code) {
    const uint64_t numbers[] = {f->model, f->limit, f->agents.patience, f->memory, f->chip.rounds};
    const char *platform = f->chip.platform_text.data;
    configure *set = NULL;
    *(void **)&set = dlsym(code, "collider_configure");
    if (set != NULL)
        set(platform == NULL ? "" : platform, &f->geometry, numbers);
    return set != NULL;
}

/* For gtkwave.c. */
static void print_waves(base_text *t, const duv_verilog_file *f) {
    base_text_print(t,
                    "extern \"C\" COL_API const char collider_waves[] =\n"
                    "    \"clock %s reset %s cycles %llu ports %llu\\n\"\n",
                    f->clock.text, f->reset.text, (unsigned long long)f->reset_cycles,
                    (unsigned long long)(duv_is_chip(f) ? f->chip.harts : f->count));
    if (duv_is_chip(f))
        duv_chip_print_waves(f, t);
    for (uint32_t s = 0; s < DUV_PORT_SIGNALS && !duv_is_chip(f); s++)
        if (duv_port_has(f, s))
            base_text_print(t, "    \"port %s %llu\\n\"\n", f->signals[s].text,
                            (unsigned long long)duv_port_bits(f, s));
    for (uint32_t i = 0; i < f->input_count; i++)
        base_text_print(t, "    \"input %s %u\\n\"\n", f->inputs[i].name.text, f->inputs[i].bits);
    base_text_add(t, "    \"\";\n");
}

void duv_verilog_wrap(const duv_verilog_file *f, const char *state, base_text *source) {
    base_text_add(source,
                  "#include \"Vdesign__Syms.h\"\n#include \"verilator.hpp\"\n\nnamespace {\n"
                  "struct design {\n    using model = Vdesign;\n"
                  "    static collider::settings settings;\n");
    duv_print_accessor(source, "clock", f->clock.text);
    duv_print_accessor(source, "reset", f->reset.text);
    for (uint32_t s = 0; s < DUV_PORT_SIGNALS && !duv_is_chip(f); s++)
        duv_print_accessor(source, duv_port_signals[s].word,
                           duv_port_has(f, s) ? f->signals[s].text : NULL);
    if (duv_is_chip(f))
        duv_chip_wrap_taps(f, source);
    base_text_add(source, state);
    print_inputs(source, f);
    if (f->points != NULL)
        duv_points_print(f->points, source);
    print_settings(source, f);
    if (duv_is_chip(f))
        duv_chip_wrap_buses(f, source);
    else
        base_text_add(source, "}\nCOLLIDER_DESIGN(design)\n");
    print_configure(source, f);
    if (f->traces)
        print_waves(source, f);
}
