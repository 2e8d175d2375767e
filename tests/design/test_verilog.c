/* SPDX-License-Identifier: MIT */
/* ctest: long unsanitized */
/*
 * Memory systems in Verilog, built by Verilator and run: tests/data/verilog/flat.sv is sequentially
 * consistent unless its input error_select says otherwise. Every fault of a design file or of the
 * RTL is one sentence. Skipped where there is no Verilator.
 */
#include "watch.h"

#include "base/file.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char flat[] = TEST_DATA "/verilog/flat.yaml";
static const char faulty[] = TEST_DATA "/verilog/faults.yaml";

/* ---- A good one. */

static void cover_points_are_points_of_instances(void **state) {
    (void)state;
    trial t;
    uint64_t hits[21] = {0};
    trial_start(&t, duv_open(flat, 0, NULL, false), NULL);
    const col_duv_description *d = t.watch.description;
    assert_string_equal(d->name, "flat");
    assert_int_equal(d->cores, 3);
    assert_int_equal(d->model, COL_SC);
    assert_int_equal(d->shows, COL_SHOWS_EVENTS);
    assert_int_equal(d->window, 8192);
    assert_int_equal(d->machine_count, 1); /* whatever their parameters are */
    assert_string_equal(d->machines[0].name, "agent");
    assert_int_equal(d->machines[0].controllers, 3);
    assert_true(d->machines[0].is_private);
    assert_int_equal(d->point_count, 7);
    assert_string_equal(d->points[0].state, "Idle");
    assert_string_equal(d->points[0].event, "Request");
    assert_string_equal(d->sources[0].file, "flat.sv");
    trial_make_small(&t, 300, 10, 1);
    assert_int_equal(trial_run(&t, 7).end, COL_RUN_COMPLETE);
    col_duv_collect(t.duv, hits);
    for (uint32_t core = 0; core < 3; core++) {
        const uint64_t *own = hits + (size_t)7 * core;
        const uint32_t length = t.program.thread_start[core + 1] - t.program.thread_start[core];
        assert_in_range(own[0], 1, length);              /* a request for each operation, */
        assert_true(own[1] + own[2] + own[3] <= own[0]); /* which performs, unless it is */
        assert_int_equal(own[4], 0);                     /* a fence, once, */
        assert_int_equal(own[5], own[0]);                /* and is answered, */
        assert_true(own[6] > 0);                         /* if that is taken */
    }
    trial_end(&t);
}

typedef struct job {
    uint64_t hash, cycles;
} job;

static void *run_some(void *context) {
    job *j = context;
    trial t;
    trial_start(&t, duv_open(flat, 0, NULL, false), NULL);
    for (uint64_t seed = 0; seed < 40; seed++) {
        trial_make_small(&t, 200, 10, seed);
        j->cycles += trial_run(&t, seed).cycles;
        j->hash = j->hash * 31 + t.watch.hash;
    }
    trial_end(&t);
    return NULL;
}

static void several_at_once_do_what_each_does_alone(void **state) {
    (void)state;
    job alone = {0}, jobs[3] = {{0}};
    pthread_t threads[3];
    (void)run_some(&alone);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_some, &jobs[i]), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(jobs[i].hash, alone.hash);
        assert_int_equal(jobs[i].cycles, alone.cycles);
    }
}

/* ---- Errors in the design. */

static void make_program(trial *t, uint64_t seed) {
    trial_make_small(t, 200, 5, seed);
}

static uint32_t count_violations(const char *design, const char *options, col_model model) {
    trial t;
    trial_start(&t, duv_open(design, 0, options, false), NULL);
    const uint32_t violations = trial_violations(&t, model, 100, make_program);
    trial_end(&t);
    return violations;
}

static void the_checker_tells_good_from_bad(void **state) {
    (void)state;
    assert_int_equal(count_violations(flat, NULL, COL_SC), 0);
    assert_true(count_violations(flat, "error_select=1", COL_SC) > 0);
    assert_true(count_violations(flat, "error_select=2", COL_SC) > 0);
}

static const struct {
    const char *options;
    col_run_end end;
    const char *message;
} ends[] = {
    {"error_select=3,patience=500", COL_RUN_DEADLOCK,
     "nothing was answered for 500 cycles: port 2 waits for operation"},
    {"error_select=4", COL_RUN_PROTOCOL_ERROR, "answered a request that was not under way"},
    {"error_select=5", COL_RUN_INVARIANT,
     "flat.sv:72: Assertion failed in TOP.flat.nobody_is_alone"},
    {"error_select=6", COL_RUN_INVARIANT, "the memory is tired"},
    {"limit=50", COL_RUN_TIMED_OUT, "the program has not ended after 50 cycles"},
};

static void what_goes_wrong_ends_an_instance_with_a_sentence(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        trial t;
        trial_start(&t, duv_open(flat, 0, ends[i].options, false), NULL);
        trial_make_small(&t, 300, 5, 1);
        uint64_t seed = 1; /* stalls come in bursts: not every instance has what an error needs */
        col_run first = trial_run(&t, seed);
        while (first.end == COL_RUN_COMPLETE && seed < 20)
            first = trial_run(&t, ++seed);
        const col_run again = trial_run(&t, seed);
        if (first.end != ends[i].end || strstr(first.message, ends[i].message) == NULL)
            fail_msg("%s: %s: %s", ends[i].options, col_run_ends[first.end], first.message);
        assert_int_equal(again.cycles, first.cycles);
        assert_string_equal(again.message, first.message);
        trial_end(&t);
    }
}

/* ---- What harnesses get wrong. */

/* Cover points that are hit in reset alone would make coverage full before anything has run. */
static void cover_points_count_from_the_end_of_reset(void **state) {
    (void)state;
    trial t;
    uint64_t hits[2] = {0};
    trial_start(&t, duv_open(faulty, 0, NULL, false), NULL);
    const col_duv_description *d = t.watch.description;
    assert_int_equal(col_duv_functional_count(d), 2);
    assert_string_equal(d->points[0].state, "Reset");
    assert_string_equal(d->points[1].state, "Any");
    trial_make_small(&t, 100, 5, 1);
    const col_run run = trial_run(&t, 1);
    assert_int_equal(run.end, COL_RUN_COMPLETE);
    col_duv_collect(t.duv, hits);
    assert_int_equal(hits[0], 0);
    assert_in_range(hits[1], 1, run.cycles);
    trial_end(&t);
}

/* Most stores of its buffers never commit by themselves; sequential consistency it does not keep.
 */
static void merged_stores_are_judged(void **state) {
    (void)state;
    assert_int_equal(count_violations(faulty, NULL, COL_TSO), 0);
    assert_true(count_violations(faulty, NULL, COL_SC) > 0);
}

/* What no reset sets is random, so that a design that depends on it fails with about half of the
 * seeds, and with the same ones again. */
static void what_no_reset_sets_is_random(void **state) {
    (void)state;
    const uint32_t violations = count_violations(faulty, "error_select=1", COL_TSO);
    assert_in_range(violations, 20, 80);
    assert_int_equal(count_violations(faulty, "error_select=1", COL_TSO), violations);
}

/* The status of a command of the shell, in our folder. */
static int run_command(const char *command) {
    char whole[1024];
    (void)snprintf(whole, sizeof whole, "cd %s && %s", cache_folder, command);
    const int status = system(whole); /* NOLINT(cert-env33-c) */
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_design_is_shown(void **state) {
    (void)state;
    assert_int_equal(
        run_command(COLLIDER_COMMAND " design show " TEST_DATA "/verilog/flat.yaml >said"), 0);
    assert_int_equal(
        run_command("grep -qx '  3 ports, 64 data bits, memory model sc, shows events' "
                    "said && grep -qx '  agent          3 instances,    7 points, 7 of "
                    "them transitions, one instance for each port' said"),
        0);
    assert_int_equal(run_command(COLLIDER_COMMAND " design show " TEST_DATA "/verilog/flat.yaml "
                                                  "--format html >said 2>&1"),
                     2);
    assert_int_equal(run_command("grep -q 'flat.yaml is a Verilog design$' said"), 0);
    assert_int_equal(run_command(COLLIDER_COMMAND " design show " TEST_DATA "/verilog/flat.yaml "
                                                  "--json - | grep -q '\"points\": 7'"),
                     0);
}

static void a_failure_is_replayed_and_shrunk(void **state) {
    (void)state;
    assert_int_equal(run_command(COLLIDER_COMMAND " run " TEST_DATA "/verilog/flat.yaml "
                                                  "--options error_select=2 --tests 500 --quiet "
                                                  "--out out >said 2>&1"),
                     1);
    assert_int_equal(run_command(COLLIDER_COMMAND
                                 " coverage show out --format ucis --quiet >said && "
                                 "test $(grep -c '<coverpointBin ' said) = 7"),
                     0);
    assert_int_equal(run_command(COLLIDER_COMMAND " coverage show out --format html --quiet >said"),
                     0);
    assert_int_equal(run_command(COLLIDER_COMMAND " replay out/failure-* --quiet >said 2>&1"), 2);
    assert_int_equal(run_command("grep -q 'is native code; add --allow-code' said"), 0);
    assert_int_equal(run_command(COLLIDER_COMMAND " replay out/failure-* --quiet --allow-code "
                                                  ">said 2>&1; grep -q ', as recorded$' said"),
                     0);
    (void)run_command(COLLIDER_COMMAND " shrink out/failure-* --time 10s --quiet --allow-code "
                                       ">said 2>&1");
    /* A swap that writes nothing, and what notices. */
    assert_int_equal(run_command("test $(grep -Ec '^  (load|store|swap|add|await) ' "
                                 "out/failure-*/shrunk/program.txt) -le 4"),
                     0);
}

/* ---- Faults of the design file and the RTL. */

static const struct {
    const char *name, *from, *to; /* an edit */
    const char *file;             /* that is wrong */
    uint32_t line;
    const char *message;
} faults[] = {
    {"flat.yaml", "[flat.sv]", "[other.sv]", "flat.yaml", 4, "there is no file "},
    {"flat.yaml", "top: flat", "top: round", "flat.yaml", 5,
     "Verilator says: Specified --top-module 'round' was not found in design."},
    {"flat.yaml", "block: 16", "parameters: {DOORS: 3}", "flat.yaml", 10, "DOORS"},
    {"flat.yaml", "clock: clk", "clock: clock", "flat.yaml", 6,
     "the module flat has no input 'clock'; did you mean 'clk'?"},
    {"flat.yaml", "core: sc", "signals: {response_tag: label}", "flat.yaml", 8,
     "the module flat has no output 'label'; it has request_ready, "},
    {"flat.yaml", "core: sc", "count: 4", "flat.yaml", 8,
     "the signal request_valid of flat has 3 bits, but 4 ports of 1 bit need 4"},
    {"flat.yaml", "core: sc", "data-bits: 32", "flat.yaml", 8,
     "the signal request_data of flat has 192 bits, but 3 ports of 32 bits need 96"},
    {"flat.yaml", "core: sc", "invalidate: true", "flat.yaml", 8,
     "the module flat has no output 'invalidate_valid'"},
    {"flat.yaml", "error_select: 0", "error_select: 16", "flat.yaml", 14,
     "the input error_select has 4 bits, which 16 does not fit"},
    {"flat.sv", "assign commit_tag     = tag;", "assign commit_tag = ;", "flat.sv", 108,
     "syntax error, unexpected ';'"},
};

static void faults_have_a_place_and_a_sentence(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        col_duv *duv = NULL;
        col_problem problem = {0};
        const char *design = write_edited("flat.yaml", "kind", "kind");
        (void)write_edited("flat.sv", "module", "module");
        (void)write_edited(faults[i].name, faults[i].from, faults[i].to);
        assert_int_equal(col_duv_open(&duv, design, NULL, &problem), COL_BAD_INPUT);
        if (problem.line != faults[i].line || strstr(problem.file, faults[i].file) == NULL ||
            strstr(problem.message, faults[i].message) == NULL)
            fail_msg("%s: %s:%u: %s", faults[i].to, problem.file, problem.line, problem.message);
    }
}

/* Lists of files are named twice in a command of Verilator: with as many of them, and as many
 * folders, as a design file may have, it would be longer than it may be. */
static void no_word_for_verilator_is_dropped(void **state) {
    (void)state;
    enum { MOST = 256 };
    char path[256];
    col_duv *duv = NULL;
    col_problem problem = {0};
    base_text sources = {0};
    base_text_print(&sources, "[flat.sv");
    for (int i = 1; i < MOST; i++)
        base_text_print(&sources, ", none.f");
    base_text_print(&sources, "]\ninclude: [.");
    for (int i = 1; i < MOST; i++)
        base_text_print(&sources, ", .");
    base_text_print(&sources, "]");
    (void)snprintf(path, sizeof path, "%s/none.f", cache_folder);
    assert_int_equal(base_file_write(path, "", 0, NULL), COL_OK);
    (void)write_edited("flat.sv", "module", "module");
    const char *design = write_edited("flat.yaml", "[flat.sv]", sources.data);
    base_text_free(&sources);
    assert_int_equal(col_duv_open(&duv, design, NULL, &problem), COL_BAD_INPUT);
    if (strstr(problem.message, "words that a command of Verilator may have") == NULL)
        fail_msg("%s:%u: %s", problem.file, problem.line, problem.message);
}

static void options_that_there_are_not_are_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {"eror_select=1", "error_select", "error_select=x",
                                        "error_select=16", "stalls=100"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const col_duv_settings settings = {.options = wrong[i]};
        duv_refuses(flat, &settings,
                    "is not an option of this design; they are numbers: error_select (4 bits), "
                    "slow (3 bits)");
    }
}

/* An edited source is translated again. */
static void an_edited_source_is_another_design(void **state) {
    (void)state;
    col_duv *duv = NULL;
    col_problem problem = {0};
    const char *design = write_edited("flat.yaml", "kind", "kind");
    (void)write_edited("flat.sv", "parameter int PORTS = 3", "parameter int PORTS = 2");
    if (col_duv_open(&duv, design, NULL, &problem) == COL_OK)
        fail_msg("three bits of slow are two now");
    (void)write_edited("flat.yaml", "random 0:7 50%", "random 0:3 50%");
    if (col_duv_open(&duv, design, NULL, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_int_equal(col_duv_describe(duv)->cores, 2);
    col_duv_close(duv);
}

/* The header of an FST file has the last time in bytes 17 to 24. */
static uint64_t last_time(const char *path) {
    unsigned char header[25];
    uint64_t last = 0;
    FILE *waves = fopen(path, "rb");
    assert_non_null(waves);
    assert_int_equal(fread(header, 1, sizeof header, waves), sizeof header);
    (void)fclose(waves);
    for (int i = 17; i < 25; i++)
        last = last << 8 | header[i];
    return last;
}

static void waves_go_from_reset_to_the_end(void **state) {
    (void)state;
    char path[256];
    (void)snprintf(path, sizeof path, "%s/waves.fst", cache_folder);
    const col_duv_settings settings = {.waves = path};
    col_duv *duv = NULL;
    col_problem problem = {0};
    trial t;
    if (col_duv_open(&duv, flat, &settings, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    trial_start(&t, duv, NULL);
    trial_make_small(&t, 100, 5, 1);
    const col_run run = trial_run(&t, 1);
    assert_int_equal(run.end, COL_RUN_COMPLETE);
    assert_int_equal(last_time(path), 2 * (8 + run.cycles) - 1);
    trial_end(&t);
}

/* The failure's folder has its waveforms, up to the cycle in which it was seen, with a marker where
 * each operation of the violation performed. */
static void waves_of_a_failure_have_markers(void **state) {
    (void)state;
    unsigned long long first = 0, marker = 0, last = 0;
    assert_int_equal(run_command(COLLIDER_COMMAND " run " TEST_DATA "/verilog/flat.yaml --waves "
                                                  "--options error_select=2 --tests 500 --quiet "
                                                  "--out marked >said 2>&1"),
                     1);
    assert_int_equal(
        run_command("mv marked/failure-* marked/f && cd marked/f && grep -qx "
                    "'Waveform: waves.fst (gtkwave waves.fst waves.gtkw)' failure.txt && "
                    "sed -n 's/^\\*[-.0-9]* //p' waves.gtkw >numbers && "
                    /* The last two lines of the block's story are the two lost updates. */
                    "grep -E '^ +[0-9]+  core' failure.txt | tail -2 | awk '{print $1}' >cycles"),
        0);
    char path[256];
    (void)snprintf(path, sizeof path, "%s/marked/f/numbers", cache_folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%llu %llu %llu", &last, &first, &marker), 3);
    (void)fclose(file);
    unsigned long long cycles[2] = {0};
    (void)snprintf(path, sizeof path, "%s/marked/f/cycles", cache_folder);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%llu %llu", &cycles[0], &cycles[1]), 2);
    (void)fclose(file);
    assert_int_equal(first, 2 * (8 + cycles[0]));
    assert_int_equal(marker, 2 * (8 + cycles[1]));
    assert_int_equal(last, marker);
    (void)snprintf(path, sizeof path, "%s/marked/f/waves.fst", cache_folder);
    assert_int_equal(last_time(path), last + 1);
    assert_int_equal(run_command("grep -qx '\\[markername\\] A[0-2]:swap .*' marked/f/waves.gtkw"),
                     0);
    assert_int_equal(run_command(COLLIDER_COMMAND
                                 " replay marked/f --allow-code --waves again.fst "
                                 "--quiet >said; cmp marked/f/waves.gtkw "
                                 "again.gtkw >said || [ $(diff marked/f/waves.gtkw "
                                 "again.gtkw | grep -c '^>') = 1 ]"),
                     0);
}

static void without_verilator_there_is_one_sentence(void **state) {
    (void)state;
    col_duv *duv = NULL;
    col_problem problem = {0};
    const char *usual = getenv("PATH");
    char *path = strdup(usual == NULL ? "" : usual);
    assert_non_null(path);
    assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
    assert_int_equal(col_duv_open(&duv, flat, NULL, &problem), COL_FAILURE);
    assert_non_null(strstr(problem.message, "install the package verilator"));
    assert_int_equal(setenv("PATH", path, 1), 0);
    assert_int_equal(setenv("CXX", "/nowhere/c++", 1), 0);
    assert_int_equal(col_duv_open(&duv, flat, NULL, &problem), COL_FAILURE);
    assert_non_null(strstr(problem.message, "install the package g++, or name one in CXX"));
    assert_int_equal(unsetenv("CXX"), 0);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cover_points_are_points_of_instances),
        cmocka_unit_test(several_at_once_do_what_each_does_alone),
        cmocka_unit_test(the_checker_tells_good_from_bad),
        cmocka_unit_test(cover_points_count_from_the_end_of_reset),
        cmocka_unit_test(merged_stores_are_judged),
        cmocka_unit_test(what_no_reset_sets_is_random),
        cmocka_unit_test(what_goes_wrong_ends_an_instance_with_a_sentence),
        cmocka_unit_test(a_design_is_shown),
        cmocka_unit_test(a_failure_is_replayed_and_shrunk),
        cmocka_unit_test(no_word_for_verilator_is_dropped),
        cmocka_unit_test(options_that_there_are_not_are_refused),
        cmocka_unit_test(faults_have_a_place_and_a_sentence),
        cmocka_unit_test(an_edited_source_is_another_design),
        cmocka_unit_test(waves_go_from_reset_to_the_end),
        cmocka_unit_test(waves_of_a_failure_have_markers),
        cmocka_unit_test(without_verilator_there_is_one_sentence),
    };
    if (!has_verilator()) {
        print_message("skipped: there is no Verilator (package verilator)\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, begin_cache, end_cache);
}
