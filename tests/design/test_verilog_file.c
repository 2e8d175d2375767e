/* SPDX-License-Identifier: MIT */
/* Design files of kind verilog: what they say is read, and what is wrong (tests/data/verilog-bad)
 * is refused with its place, in particular what would become C++ or an option of a tool. */
#include "design/design_kind.h"
#include "design/verilog/verilog_build.h"

#include "texts.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static duv_verilog_file *parse(const char *text) {
    duv_verilog_file *file = calloc(1, sizeof *file);
    col_problem problem = {0};
    assert_non_null(file);
    if (duv_verilog_file_parse(file, text, strlen(text), "x.yaml", &problem) != COL_OK)
        fail_msg("%u:%u: %s", problem.line, problem.column, problem.message);
    return file;
}

static void discard(duv_verilog_file *file) {
    duv_verilog_file_free(file);
    free(file);
}

static uint32_t wrong;

/* "# expect 3:28: message", where the message may be the beginning of it. */
static void check_refusal(const char *name, const base_text *content) {
    duv_verilog_file *file = calloc(1, sizeof *file);
    char path[1024], told[1024];
    col_problem problem = {0};
    assert_non_null(file);
    (void)snprintf(path, sizeof path, "%s/verilog-bad/%s", TEST_DATA, name);
    const col_status status = duv_verilog_file_read(file, path, &problem);
    discard(file);
    (void)snprintf(told, sizeof told, "# expect %u:%u: %s", problem.line, problem.column,
                   problem.message);
    if (status == COL_BAD_INPUT && strncmp(told, content->data, strcspn(content->data, "\n")) == 0)
        return;
    print_error("%s: %s\n", name, status == COL_OK ? "accepted" : told);
    wrong++;
}

TEST(bad_files_are_refused_with_their_place) {
    assert_true(for_each_text("verilog-bad", ".yaml", check_refusal) >= 42);
    assert_int_equal(wrong, 0);
}

TEST(a_design_file_is_of_the_kind_that_it_says) {
    assert_true(duv_file_has_kind(TEST_DATA "/verilog/flat.yaml", "verilog"));
    assert_false(duv_file_has_kind(TEST_DATA "/verilog/flat.yaml", "command"));
    assert_false(duv_file_has_kind(TEST_DATA "/verilog/flat.sv", "verilog"));
    assert_false(duv_file_has_kind(TEST_DATA "/verilog/nothing.yaml", "verilog"));
}

static const char text[] = "kind: verilog\nsources: [a.sv, 'b/*.sv', c.f]\ninclude: inc\ntop: t\n"
                           "parameters: {N: 4Ki, M: 8'hff, S: word}\nclock: c__k\nreset: r\n"
                           "ports: {count: 2, base: 0x80000000}\n"
                           "inputs: {e: 3, s: random 1:6 25%}\nblock: 32\n"
                           "caches: {L1: {sets: 8, ways: 4}}\nmodel: tso\n";
static const char options[] = "verilator: {options: [--unroll-count 256, -Wno-WIDTH, -O1,\n"
                              "  --timescale 1ns/1ps]}\n";

TEST(a_file_says_what_it_says) {
    duv_verilog_file *file = parse(text);
    assert_int_equal(file->sources.count, 3);
    assert_string_equal(file->sources.texts[1], "b/*.sv");
    assert_string_equal(file->includes.texts[0], "inc");
    assert_string_equal(file->parameters[0].value, "4096");
    assert_string_equal(file->parameters[1].value, "8'hff");
    assert_string_equal(file->parameters[2].value, "\"word\"");
    assert_int_equal(file->agents.base, 0x80000000);
    assert_int_equal(file->agents.block, 32);
    assert_int_equal(file->geometry.levels[0].index_low, 5);
    assert_int_equal(file->geometry.levels[0].index_bits, 3);
    assert_true(file->inputs[1].is_random);
    assert_int_equal(file->inputs[1].low, 1);
    assert_int_equal(file->inputs[1].high, 6);
    assert_int_equal(file->inputs[1].percent, 25);
    assert_int_equal(file->model, COL_TSO);
    assert_string_equal(file->name, "t");
    discard(file);
    base_text more = {0};
    base_text_print(&more, "%s%s", text, options);
    file = parse(more.data);
    assert_int_equal(file->options.count, 6);
    assert_string_equal(file->options.texts[0], "--unroll-count");
    assert_string_equal(file->options.texts[5], "1ns/1ps");
    discard(file);
    base_text_free(&more);
}

TEST(a_file_promises_what_its_cores_keep) {
    static const struct {
        const char *ports;
        col_model model;
    } cases[] = {{"{}", COL_SC},
                 {"{core: tso}", COL_TSO},
                 {"{core: weak}", COL_RVWMO},
                 {"{core: weak}\nmodel: wmo", COL_WMO},
                 {"{core: sc}\nmodel: armv8", COL_ARMV8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char lines[256];
        (void)snprintf(lines, sizeof lines,
                       "kind: verilog\nsources: [a.sv]\ntop: t\nclock: c\nreset: r\nports: %s\n",
                       cases[i].ports);
        duv_verilog_file *file = parse(lines);
        assert_int_equal(file->model, cases[i].model);
        discard(file);
    }
}

static const char header[] =
    "    VL_IN8(&c___05Fk,0,0);\n    VL_IN8(&r,0,0);\n    VL_IN8(&e,3,0);\n    VL_IN8(&s,2,0);\n"
    "    VL_IN8(&request_valid,1,0);\n    VL_OUT8(&request_ready,1,0);\n"
    "    VL_IN8(&request_operation,7,0);\n    VL_IN8(&request_width,3,0);\n"
    "    VL_IN64(&request_address,63,0);\n    VL_INW(&request_data,127,0,4);\n"
    "    VL_IN16(&request_tag,11,0);\n    VL_OUT8(&response_valid,1,0);\n"
    "    VL_IN8(&response_ready,1,0);\n    VL_OUT16(&response_tag,11,0);\n"
    "    VL_OUTW(&response_data,127,0,4);\n    VL_OUT8((&odd)[4],1,0);\n";

TEST(widths_follow_from_the_signals) {
    duv_verilog_file *file = parse(text);
    duv_signals *signals = calloc(1, sizeof *signals);
    base_text source = {0};
    col_problem problem = {0};
    assert_non_null(signals);
    duv_signals_read(signals, header);
    assert_int_equal(signals->count, 16);
    assert_int_equal(signals->all[15].bits, 0); /* an array */
    assert_int_equal(signals->all[15].elements, 4);
    assert_int_equal(signals->all[15].element_bits, 2);
    if (duv_verilog_connect(file, signals, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_int_equal(file->address_bits, 32);
    assert_int_equal(file->data_bits, 64);
    assert_int_equal(file->tag_bits, 6);
    assert_false(file->agents.tells_losses);
    assert_false(file->agents.tells_commits);
    assert_int_equal(file->reach, 0x80000000); /* from the base to the last address */
    duv_verilog_wrap(file, "", &source);
    assert_non_null(strstr(source.data, "return m.c___05Fk; }"));
    assert_non_null(strstr(source.data, "commit_valid(model &) { return collider::absent; }"));
    base_text_free(&source);
    discard(file);
    free(signals);
}

/* The C++ and the key of a design, as far as they follow from its file. */
static void make(const char *more, base_text *source) {
    base_text lines = {0};
    duv_signals *signals = calloc(1, sizeof *signals);
    col_problem problem = {0};
    assert_non_null(signals);
    base_text_print(&lines, "%s%s", text, more);
    char *memory = strstr(lines.data, "block: 32\ncaches");
    assert_non_null(memory);
    memmove(memory, strstr(memory, "model"), strlen(strstr(memory, "model")) + 1);
    if (strstr(more, "model") != NULL)
        memmove(strstr(memory, "model"), strchr(strstr(memory, "model"), '\n') + 1,
                strlen(strchr(strstr(memory, "model"), '\n')));
    duv_verilog_file *file = parse(lines.data);
    duv_signals_read(signals, header);
    if (duv_verilog_connect(file, signals, &problem) != COL_OK)
        fail_msg("%s: %s", more, problem.message);
    duv_verilog_wrap(file, "", source);
    base_text_add(source, file->spelled.data);
    discard(file);
    free(signals);
    base_text_free(&lines);
}

TEST(only_what_a_model_is_made_of_is_compiled) {
    static const struct {
        const char *more;
        bool is_compiled;
    } cases[] = {{"", false},
                 {"# a comment\n", false},
                 {"description: words\n", false},
                 {"limit: 77\n", false},
                 {"patience: 77\n", false},
                 {"memory: 4Ki\n", false},
                 {"block: 128\n", false},
                 {"caches: {L1: {sets: 2, ways: 1}, L2: {sets: 16, ways: 8}}\n", false},
                 {"model: wmo\n", false},
                 {"defines: {A: 1}\n", true},
                 {"coverage: none\n", true},
                 {"private: [m]\n", true}};
    base_text first = {0};
    make("", &first);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        base_text other = {0};
        make(cases[i].more, &other);
        if ((strcmp(first.data, other.data) != 0) != cases[i].is_compiled)
            fail_msg("%s is %scompiled again", cases[i].more, cases[i].is_compiled ? "not " : "");
        base_text_free(&other);
    }
    base_text_free(&first);
}

/* ---- Points that the RTL does not write down. */

static const char asked[] =
    "kind: verilog\nsources: [a.sv]\ntop: t\nclock: c\nreset: r\nports: {}\n"
    "coverage: {points: none, lines: ['c*'], toggles: p}\n"
    "fsm:\n  - {module: cache, signal: states, states: p::state_t,\n"
    "     transitions: {I: [S, M], S: M}}\n"
    "  - {module: cache, signal: next}\n";

/* As Verilator writes it, in short: a module with two sets of parameters in a generate block, an
 * enumeration of the package and one of the same name in the module. */
static const char xml[] =
    "<verilator_xml>\n<files>\n<file id=\"d\" filename=\"/a &amp; b/top.sv\"/>\n</files>\n"
    "<cells>\n<cell name=\"t\" submodname=\"t\" hier=\"t\">\n"
    "<cell name=\"l1\" submodname=\"cache__W1\" hier=\"t.l1\"/>\n"
    "<cell name=\"l1\" submodname=\"cache__W2\" hier=\"t.l1\"/>\n</cell>\n</cells>\n<netlist>\n"
    "<module loc=\"d,3,8,3,9\" name=\"t\" origName=\"t\">\n"
    "<var loc=\"d,4,1,4,2\" name=\"states\" dtype_id=\"1\" origName=\"states\"/>\n</module>\n"
    "<module loc=\"d,20,8,20,9\" name=\"cache__W1\" origName=\"cache\">\n"
    "<var loc=\"d,22,1,22,2\" name=\"states\" dtype_id=\"9\" vartype=\"\" origName=\"states\"/>\n"
    "<var loc=\"d,23,1,23,2\" name=\"next\" dtype_id=\"1\" vartype=\"state_t\" "
    "origName=\"next\"/>\n"
    "</module>\n<module loc=\"d,20,8,20,9\" name=\"cache__W2\" origName=\"cache\"/>\n"
    "<package loc=\"d,40,8,40,9\" name=\"p\" origName=\"p\"/>\n<typetable>\n"
    "<basicdtype id=\"1\" name=\"logic\" left=\"1\" right=\"0\"/>\n"
    "<enumdtype id=\"5\" name=\"p::state_t\" sub_dtype_id=\"1\">\n"
    "<enumitem name=\"I\"><const name=\"2&apos;h0\"/></enumitem>\n"
    "<enumitem name=\"S\"><const name=\"2&apos;h1\"/></enumitem>\n"
    "<enumitem name=\"M\"><const name=\"2&apos;h3\"/></enumitem>\n</enumdtype>\n"
    "<enumdtype id=\"6\" name=\"cache.state_t\" sub_dtype_id=\"1\">\n"
    "<enumitem name=\"Only\"><const name=\"2&apos;h2\"/></enumitem>\n</enumdtype>\n"
    "<unpackarraydtype id=\"9\" sub_dtype_id=\"1\"/>\n</typetable>\n</netlist>\n</verilator_xml>\n";

TEST(points_are_found_in_the_xml) {
    duv_verilog_file *file = parse(asked);
    col_problem problem = {0};
    base_text source = {0};
    if (duv_points_resolve(file, xml, &problem) != COL_OK)
        fail_msg("%u:%u: %s", problem.line, problem.column, problem.message);
    const duv_state_signal *first = &file->points->signals[0], *second = first + 1;
    assert_false(file->covers);
    assert_int_equal(first->state_count, 3);
    assert_string_equal(first->states[2].name, "M");
    assert_int_equal(first->states[2].value, 3);
    assert_int_equal(first->states[0].next, 6);
    assert_int_equal(first->states[2].next, 0);
    assert_int_equal(first->instances, 2);
    assert_string_equal(first->paths.data, "\"t.l1\", ");
    assert_string_equal(first->file, "top.sv");
    assert_int_equal(first->line, 22);
    assert_int_equal(second->state_count, 1); /* the module's own enumeration, not the package's */
    assert_string_equal(second->states[0].name, "Only");
    assert_string_equal(file->points->lines.modules.data, "\"cache\", ");
    assert_string_equal(file->points->configuration.data,
                        "`verilator_config\npublic_flat_rd -module \"cache\" -var \"states\"\n"
                        "public_flat_rd -module \"cache\" -var \"next\"\n"
                        "coverage_off -file \"/a & b/top.sv\" -lines 3-19\n");
    duv_points_print(file->points, &source);
    assert_non_null(
        strstr(source.data, "{\"cache\", \"states\", \"top.sv\", 22, states0, 3, paths0, 2, 1},"));
    base_text_free(&source);
    discard(file);
}
