/* SPDX-License-Identifier: MIT */
/*
 * Design files: good ones give the wiring they say, bad ones (tests/data/design-bad) the error that
 * their first line expects. `protocol: toy` is a protocol made here; others are opened as designs.
 */
#include "base/file.h"
#include "design/command/command_file.h"
#include "design/design_kind.h"
#include "protocol/simulate/design_show.h"
#include "runs.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A protocol of three machines, for its wiring alone. */

#define NUMBER(text)                                                                               \
    { .name = (text), .kind = SL_MEMBER_NUMBER, .parameter = 1 }
#define CACHE(text)                                                                                \
    { .name = (text), .kind = SL_MEMBER_CACHE, .parameter = 1 }

static const sl_member l1_members[] = {
    {.name = "sequencer", .kind = SL_MEMBER_SEQUENCER, .parameter = 1},
    CACHE("Icache"),
    CACHE("Dcache"),
    {.name = "l2_select_num_bits", .kind = SL_MEMBER_NUMBER, .parameter = 1, .bits_of = "L2Cache"},
    {.name = "N_tokens", .kind = SL_MEMBER_NUMBER, .parameter = 1, .above_cores = 1},
    NUMBER("latency"),
    NUMBER("prefetch"),
    {.name = "depth",
     .kind = SL_MEMBER_NUMBER,
     .parameter = 1,
     .has_least = 1,
     .least = -2,
     .has_most = 1,
     .most = 8},
    {.name = "counter", .kind = SL_MEMBER_NUMBER}, /* a variable, not a parameter */
    {.name = "mandatoryQueue", .kind = SL_MEMBER_BUFFER, .network = -1, .in_port = 1},
    {.name = "requestOut", .kind = SL_MEMBER_BUFFER, .to_network = 1, .out_port = 1},
};
static const sl_member l2_members[] = {CACHE("cache"), NUMBER("latency")};
static const sl_member directory_members[] = {
    {.name = "directory", .kind = SL_MEMBER_TABLE, .parameter = 1}};

static const char *const toy_states[] = {"I", "M"};
static const char *const toy_events[] = {"Load", "Drop", "Wait"};
static const char *const toy_actions[] = {"fetch", "pop"};
static const uint16_t toy_list[] = {0, 1};
static const sl_cell toy_cells[] = {
    {.flags = SL_DEFINED, .next = 1, .action_count = 2},
    {0},
    {.flags = SL_DEFINED | SL_STALL},
    {.flags = SL_DEFINED, .next = 1, .first_action = 1, .action_count = 1},
    {.flags = SL_DEFINED, .next = 0},
    {.flags = SL_DEFINED | SL_NEXT_BY_FUNCTION},
};

#define MACHINE(text, list)                                                                        \
    {                                                                                              \
        .name = (text), .members = (list), .member_count = sizeof(list) / sizeof(list)[0],         \
        .state_count = 2, .event_count = 3, .action_count = 2, .states = toy_states,               \
        .events = toy_events, .actions = toy_actions, .cells = toy_cells, .action_list = toy_list  \
    }
static const sl_machine l1 = MACHINE("L1Cache", l1_members);
static const sl_machine l2 = MACHINE("L2Cache", l2_members);
static const sl_machine directory = MACHINE("Directory", directory_members);
static const sl_machine *const machines[] = {&l1, &l2, &directory};
static const sl_protocol toy = {
    .abi = SL_ABI, .name = "toy", .machines = machines, .machine_count = 3};

static col_status apply_toy(const char *text, size_t length, const char *path, uint32_t cores,
                            sim_wiring *wiring, col_problem *problem) {
    static sim_design_file file;
    sim_roles *roles = NULL;
    col_status status = sim_design_file_parse(&file, text, length, path, problem);
    if (status == COL_OK)
        status = sim_roles_make(&roles, &file, &toy, problem);
    const sl_protocol *protocol = roles == NULL ? &toy : &roles->protocol;
    if (status == COL_OK)
        status = sim_wiring_infer(wiring, protocol, cores, problem);
    if (status == COL_OK)
        status = sim_design_file_apply(&file, protocol, wiring, problem);
    sim_vary *vary = NULL;
    if (status == COL_OK)
        status = sim_vary_open(&vary, &file, protocol, wiring, NULL, 0, problem);
    sim_vary_free(vary);
    free(roles);
    return status;
}

static sim_wiring read_toy(const char *text, uint32_t cores) {
    static sim_wiring wiring;
    col_problem problem = {0};
    if (apply_toy(text, strlen(text), "toy.yaml", cores, &wiring, &problem) != COL_OK)
        fail_msg("%u:%u: %s", problem.line, problem.column, problem.message);
    return wiring;
}

static int64_t parameter(const sim_machine_wiring *machine, const char *name) {
    for (uint32_t i = 0; i < machine->parameter_count; i++)
        if (strcmp(machine->parameters[i].name, name) == 0)
            return machine->parameters[i].value;
    return -1;
}

/* ---- Good files. */

TEST(missing_wiring_is_inferred) {
    sim_wiring inferred;
    col_problem problem;
    assert_int_equal(sim_wiring_infer(&inferred, &toy, 4, &problem), COL_OK);
    const sim_wiring w = read_toy("protocol: toy\n", 4);
    assert_int_equal(w.cores, 4);
    assert_int_equal(w.network_latency, inferred.network_latency);
    assert_int_equal(sim_wiring_skew(&w), inferred.jitter);
    assert_int_equal(w.memory_latency, inferred.memory_latency);
    assert_int_equal(w.machines[0].count, 4);
    assert_true(w.machines[0].is_private);
    assert_int_equal(w.machines[1].count, 1);
    assert_int_equal(w.machines[1].caches[0].bytes, inferred.machines[1].caches[0].bytes);
    assert_int_equal(parameter(&w.machines[0], "l2_select_num_bits"), 0);
}

TEST(every_setting_of_a_design_file_takes_effect) {
    const sim_wiring w =
        read_toy("protocol: toy\ntbes: 17\n"
                 "core: {mode: weak, atomics: single, width: 2, window: 33, loads: 17, stores: 5,\n"
                 "       outstanding: 3, jitter: 0, skew: 90, without: [fifo, atomic]}\n"
                 "transitions_per_cycle: 9\ndeadlock_cycles: 2000\nmonitors: true\n"
                 "network: {topology: mesh, latency: 5, jitter: 0, ordered: [0, 3]}\n"
                 "memory: {latency: 77}\n"
                 "machines:\n"
                 "  L1Cache:\n"
                 "    count: cores\n"
                 "    caches:\n"
                 "      Icache: {size: 512B, ways: 2, replacement: plru}\n"
                 "      Dcache: {size: 3KiB, ways: 3, replacement: random}\n"
                 "    parameters: {latency: -4, prefetch: true, N_tokens: cores + 1}\n"
                 "    buffers: {requestOut: 6}\n"
                 "  Directory: {count: 3}\n",
                 8);
    const sim_core_settings core = {.mode = SIM_WEAK,
                                    .width = 2,
                                    .window = 33,
                                    .loads = 17,
                                    .stores = 5,
                                    .outstanding = 3,
                                    .skew = 90,
                                    .without = 1U << SIM_FIFO | 1U << SIM_ATOMIC,
                                    .atomics = SIM_SINGLE};
    assert_memory_equal(&w.core, &core, sizeof core);
    assert_int_equal(sim_wiring_skew(&w), 90);
    assert_int_equal(w.tbes, 17);
    assert_int_equal(w.transitions_per_cycle, 9);
    assert_int_equal(w.deadlock_cycles, 2000);
    assert_true(w.monitors);
    assert_int_equal(w.topology, SIM_MESH);
    assert_int_equal(w.network_latency, 5);
    assert_int_equal(w.jitter, 0);
    assert_int_equal(w.ordered, 9);
    assert_int_equal(w.memory_latency, 77);
    const sim_machine_wiring *m = &w.machines[0];
    assert_int_equal(m->caches[0].bytes, 512);
    assert_int_equal(m->caches[0].ways, 2);
    assert_int_equal(m->caches[0].replacement, SL_TREE_PLRU);
    assert_int_equal(m->caches[1].bytes, 3072);
    assert_int_equal(m->caches[1].replacement, SL_RANDOM);
    assert_int_equal(parameter(m, "latency"), -4);
    assert_int_equal(parameter(m, "prefetch"), 1);
    assert_int_equal(parameter(m, "N_tokens"), 9);
    assert_int_equal(m->buffer_count, 1);
    assert_int_equal(m->buffers[0].value, 6);
    assert_int_equal(w.machines[2].count, 3);
    assert_int_equal(w.machines[2].index_skip, 0);
}

/* Banks: the selecting bits reach every machine, and the banks' caches skip them. */
TEST(banks_follow_the_count) {
    for (uint32_t bits = 0; bits <= 5; bits++) {
        char text[128];
        (void)snprintf(text, sizeof text, "protocol: toy\nmachines: {L2Cache: {count: %u}}\n",
                       1U << bits);
        const sim_wiring w = read_toy(text, 2);
        assert_int_equal(w.machines[1].count, 1U << bits);
        assert_int_equal(w.machines[1].index_skip, bits);
        assert_int_equal(w.machines[0].index_skip, 0);
        assert_int_equal(parameter(&w.machines[0], "l2_select_num_bits"), bits);
    }
    const sim_wiring w = read_toy("protocol: toy\nmachines: {L2Cache: {count: cores}}\n", 16);
    assert_int_equal(w.machines[1].count, 16);
    assert_int_equal(parameter(&w.machines[0], "l2_select_num_bits"), 4);
}

TEST(optional_names_may_be_missing) {
    const sim_wiring w = read_toy("protocol: toy\nmachines:\n"
                                  "  L3Cache?: {count: 4}\n"
                                  "  L1Cache?:\n"
                                  "    caches: {Ucache?: {ways: 3}, Dcache?: {size: 1KiB}}\n"
                                  "    parameters: {speed?: 3, latency?: 6}\n"
                                  "    buffers: {queue?: 3}\n",
                                  2);
    assert_int_equal(w.machines[0].caches[1].bytes, 1024);
    assert_int_equal(w.machines[0].cache_count, 2);
    assert_int_equal(parameter(&w.machines[0], "latency"), 6);
    assert_int_equal(parameter(&w.machines[0], "speed"), -1);
    assert_int_equal(w.machines[0].buffer_count, 0);
}

TEST(a_count_of_none_leaves_a_machine_out) {
    const sim_wiring w = read_toy("protocol: toy\nmachines: {L2Cache: {count: 0}}\n", 2);
    assert_int_equal(w.machines[1].count, 0);
}

/* ---- Bad files. */

static col_status read_design(const char *path, const base_text *text, col_problem *problem) {
    static sim_design design;
    static sim_wiring wiring;
    const bool is_toy =
        strstr(text->data, "\nprotocol: toy") != NULL || strstr(text->data, "\nprotocol:") == NULL;
    return is_toy ? apply_toy(text->data, text->length, path, 8, &wiring, problem)
                  : sim_design_open(&design, path, 0, NULL, problem);
}

TEST(bad_files_are_refused_with_their_place) {
    assert_int_equal(unsetenv("COLLIDER_TEST_NOT_SET"), 0);
    expect_refusals(TEST_DATA "/design-bad", 30, true, read_design);
}

/* What no text file can hold. */
TEST(a_nul_in_a_word_is_refused) {
    sim_wiring *wiring = malloc(sizeof *wiring);
    col_problem problem;
    static const char text[] = "protocol: \"to\\0y\"\n";
    assert_int_equal(apply_toy(text, sizeof text - 1, "nul.yaml", 2, wiring, &problem),
                     COL_BAD_INPUT);
    static const char key[] = "protocol: toy\n\"ma\\0chines\": {}\n";
    assert_int_equal(apply_toy(key, sizeof key - 1, "nul.yaml", 2, wiring, &problem),
                     COL_BAD_INPUT);
    assert_int_equal(problem.line, 2);
    free(wiring);
}

/* ---- Names. */

TEST(every_built_in_protocol_is_a_design) {
    static sim_design opened, *const design = &opened;
    base_library list;
    col_problem problem;
    assert_int_equal(sim_design_list_make(&list, &problem), COL_OK);
    for (const sl_protocol *const *p = sim_built_in; *p != NULL; p++) {
        assert_non_null(base_library_find(&list, (*p)->name));
        assert_int_equal(sim_design_open(design, (*p)->name, 0, NULL, &problem), COL_OK);
        assert_ptr_equal(design->protocol, *p);
        assert_int_equal(design->wiring.cores, 8);
        sim_design_close(design);
    }
    for (size_t i = 1; i < list.count; i++)
        assert_true(strcmp(list.entries[i - 1].name, list.entries[i].name) < 0);
    base_library_free(&list);
}

TEST(unknown_names_are_answered_with_the_known_ones) {
    static sim_design opened, *const design = &opened;
    col_problem problem;
    assert_int_equal(sim_design_open(design, "no-such", 0, NULL, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "there is no design 'no-such'"));
    for (const sl_protocol *const *p = sim_built_in; *p != NULL; p++)
        assert_non_null(strstr(problem.message, (*p)->name));
}

/* Commands and Verilog have no protocol: tests/design has them. */
static bool is_elsewhere(const char *path) {
    return duv_is_command_file(path) || duv_is_verilog(path);
}

/* The designs that are shipped can be read, whether or not their protocols are here. */
TEST(shipped_files_are_well_formed) {
    sim_design_file *file = malloc(sizeof *file);
    base_library list;
    col_problem problem = {0};
    uint32_t files = 0;
    assert_int_equal(sim_design_list_make(&list, &problem), COL_OK);
    for (size_t i = 0; i < list.count; i++) {
        base_text text = {0};
        if (list.entries[i].path[0] == '\0' || is_elsewhere(list.entries[i].path))
            continue;
        assert_int_equal(base_file_read(list.entries[i].path, &text, &problem), COL_OK);
        if (sim_design_file_parse(file, text.data, text.length, list.entries[i].path, &problem) !=
            COL_OK)
            fail_msg("%s:%u:%u: %s", problem.file, problem.line, problem.column, problem.message);
        assert_string_equal(file->name, list.entries[i].name);
        assert_true(file->description[0] != '\0');
        base_text_free(&text);
        files++;
    }
    assert_true(files >= 6);
    base_library_free(&list);
    free(file);
}

/* ---- Showing. */

static void assert_shows(sim_show *show, const char *const *parts) {
    static sim_design opened, *const design = &opened;
    base_text text = {0};
    col_problem problem;
    memset(design, 0, sizeof *design);
    (void)snprintf(design->name, sizeof design->name, "toy");
    (void)snprintf(design->description, sizeof design->description, "a <toy> & \"more\" | less");
    design->protocol = &toy;
    assert_int_equal(sim_wiring_infer(&design->wiring, &toy, 4, &problem), COL_OK);
    show(design, 1, &text);
    assert_false(text.failed);
    for (; *parts != NULL; parts++)
        if (strstr(text.data, *parts) == NULL)
            fail_msg("'%s' is not in\n%s", *parts, text.data);
    assert_null(strstr(text.data, "Directory"));
    base_text_free(&text);
}

TEST(a_design_is_shown_in_all_formats) {
    static const char *const text[] = {
        "machine L2Cache: 2 states, 3 events, 5 transitions (1 stall)",
        "  controllers: 1, shared\n  cache cache: 2MiB, 8 ways, lru\n",
        "  I\n    Load -> M  fetch pop\n    Wait stall\n",
        "  M\n    Load -> M  pop\n    Drop -> I\n    Wait -> *\n", NULL};
    static const char *const markdown[] = {"a \\<toy\\> & \"more\" \\| less",
                                           "| state | Load | Drop | Wait |\n",
                                           "| **I** | → `M`<br>fetch pop | | stall |\n",
                                           "| **M** | → `M`<br>pop | → `I` | → `*` |\n", NULL};
    static const char *const html[] = {"a &lt;toy&gt; &amp; &quot;more&quot;",
                                       "<td><b>M</b><small>fetch\npop</small></td><td></td>"
                                       "<td class=\"stall\">stall</td>",
                                       "</html>\n", NULL};
    static const char *const dot[] = {"\"L2Cache.I\" -> \"L2Cache.M\" [label=\"Load\"];",
                                      "\"L2Cache.M\" -> \"L2Cache.*\" [label=\"Wait\"];", "}\n}\n",
                                      NULL};
    assert_shows(sim_show_text, text);
    assert_shows(sim_show_markdown, markdown);
    assert_shows(sim_show_html, html);
    assert_shows(sim_show_dot, dot);
}
