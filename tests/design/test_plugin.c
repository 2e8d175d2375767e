/* SPDX-License-Identifier: MIT */
/* Designs as plug-ins: the example is a good one, and what is not good is refused with a reason. */
#include "watch.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef REDUCED
enum { TESTS = 20 };
#else
enum { TESTS = 200 };
#endif

/* ---- The example. */

static const char *const cache_states[] = {"I", "S", "M"};
static const char *const cache_events[] = {"Load", "Store", "Bus_Read", "Bus_Write", "Replace"};
static const char *const buffer_states[] = {"Empty", "Full"};
static const char *const buffer_events[] = {"Load", "Store", "Drain"};
static const names toy_names[] = {{cache_states, cache_events}, {buffer_states, buffer_events}};

TEST(the_toy_counts_its_points) {
    trial t;
    uint64_t last = 0;
    trial_start(&t, duv_open(toy_path(), 3, NULL, false), toy_names);
    assert_string_equal(t.watch.description->name, "toy");
    assert_int_equal(t.watch.description->point_count, 15);
    assert_int_equal(col_duv_functional_count(t.watch.description), 45);
    trial_make(&t, 2000, 40, 1);
    for (uint64_t seed = 0; seed < 5; seed++) {
        const col_run run = trial_run(&t, seed);
        assert_int_equal(run.end, COL_RUN_COMPLETE);
        assert_int_equal(run.operations, 2000);
        for (uint32_t p = 0; p < 45; p++)
            if (t.watch.hits[p] == 0)
                fail_msg("functional point %u is not reached", p);
        watch_compare_hits(&t.watch, t.duv);
        assert_true(t.watch.hash != last);
        last = t.watch.hash;
        (void)trial_run(&t, seed);
        assert_int_equal(t.watch.hash, last);
        watch_compare_hits(&t.watch, t.duv);
    }
    trial_end(&t);
}

static void make_program(trial *t, uint64_t seed) {
    trial_make(t, 1000, seed % 2 == 0 ? 3 : 32, seed);
}

/* How many of the instances the checker does not allow. */
static uint32_t count_violations(const char *options, uint32_t tests) {
    trial t;
    trial_start(&t, duv_open(toy_path(), 4, options, false), NULL);
    const uint32_t violations = trial_violations(&t, COL_TSO, tests, make_program);
    trial_end(&t);
    return violations;
}

TEST(the_toy_keeps_its_model_unless_told) {
    assert_int_equal(count_violations(NULL, TESTS), 0);
    assert_true(count_violations("bug=stale", TESTS) > TESTS / 5);
}

static void load_again(trial *t, uint64_t seed) {
    (void)seed;
    trial_load(t);
}

/* The store buffer makes a difference: under SC the toy is wrong. */
TEST(the_toy_is_not_sequentially_consistent) {
    trial t;
    const uint32_t lengths[] = {2, 2};
    trial_start(&t, duv_open(toy_path(), 2, NULL, false), NULL);
    col_program *program = &t.program;
    assert_int_equal(col_program_shape(program, 2, lengths, 2, NULL), COL_OK);
    program->addresses[0] = 0x1000;
    program->addresses[1] = 0x2040;
    for (uint32_t i = 0; i < 2; i++) {
        program->operations[program->thread_start[i]] =
            (col_operation){.kind = COL_STORE, .location = i, .value = i + 1};
        program->operations[program->thread_start[i] + 1] =
            (col_operation){.kind = COL_LOAD, .location = 1 - i};
    }
    assert_int_equal(col_program_check(program, NULL), COL_OK);
    const uint32_t relaxed = trial_violations(&t, COL_SC, 200, load_again);
    assert_true(relaxed > 0 && relaxed < 200);
    trial_end(&t);
}

/* ---- What is no plug-in. */

static void refuses_file(const char *path, const char *options, const char *sentence) {
    duv_refuses(path, &(col_duv_settings){.options = options}, sentence);
}

TEST(files_that_are_not_plugins_are_refused) {
    char folder[] = "/tmp/duv-XXXXXX", path[64], library[4096];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/text.so", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs("not a shared object\n", file);
    assert_int_equal(fclose(file), 0);
    refuses_file(path, NULL, "cannot load the plug-in");
    assert_int_equal(unlink(path), 0);
    refuses_file(path, NULL, "text.so");
    assert_int_equal(rmdir(folder), 0);
    refuses_file("c.so", NULL, "./c.so"); /* a file, not the system's library */
    (void)snprintf(library, sizeof library, "%.*s/libcollider.so",
                   (int)(strrchr(toy_path(), '/') - toy_path()), toy_path());
    refuses_file(library, NULL, "does not define col_duv_plugin");
    refuses_file(toy_path(), "bug=none", "bug=stale, bug=crash or bug=hang");
}

/* ---- What is no good interface: the same through a structure as through a file. */

static col_duv_machine machines[2];
static col_duv_point points[3];
static col_duv_description description;
static uint32_t closed;

static col_status open_fake(void **state, const col_duv_settings *settings, col_problem *problem) {
    (void)settings;
    (void)problem;
    *state = NULL;
    return COL_OK;
}

static void close_fake(void *state) {
    (void)state;
    closed++;
}

static const col_duv_description *describe_fake(void *state) {
    (void)state;
    return &description;
}

static col_status load_fake(void *state, const col_program *program, col_problem *problem) {
    (void)state;
    (void)program;
    (void)problem;
    return COL_OK;
}

static col_status run_fake(void *state, uint64_t seed, const col_observer *observer,
                           const volatile int *stop, col_run *run, col_problem *problem) {
    (void)state;
    (void)observer;
    (void)stop;
    (void)problem;
    run->end = (col_run_end)seed;
    memset(run->message, 'x', sizeof run->message);
    return COL_OK;
}

static void collect_fake(void *state, uint64_t *hits) {
    (void)state;
    hits[0]++;
}

static col_duv_interface fake(void) {
    machines[0] = (col_duv_machine){"A", 2, true, 0, 1};
    machines[1] = (col_duv_machine){"B", 1, false, 1, 2};
    for (uint32_t i = 0; i < 3; i++)
        points[i] = (col_duv_point){.state = "S", .event = i == 2 ? "" : "E"};
    description = (col_duv_description){.name = "fake",
                                        .cores = 2,
                                        .model = COL_SC,
                                        .geometry = {.block_bits = 6},
                                        .machine_count = 2,
                                        .point_count = 3,
                                        .machines = machines,
                                        .points = points};
    return (col_duv_interface){.version = COL_DUV_VERSION,
                               .name = "fake",
                               .open = open_fake,
                               .close = close_fake,
                               .describe = describe_fake,
                               .load = load_fake,
                               .run = run_fake,
                               .collect = collect_fake};
}

static void refuses(const col_duv_interface *interface, const char *sentence) {
    col_duv *duv;
    col_problem problem = {.message = ""};
    assert_int_equal(col_duv_open_interface(&duv, interface, NULL, &problem), COL_BAD_INPUT);
    assert_null(duv);
    if (strstr(problem.message, sentence) == NULL)
        fail_msg("%s", problem.message);
}

TEST(incomplete_interfaces_are_refused) {
    col_duv_interface i = fake();
    i.version = 99;
    refuses(&i, "fake is made for version 99 of the design interface, this is version 6");
    i = fake();
    i.collect = NULL;
    refuses(&i, "not complete");
    i = fake();
    i.describe = NULL;
    refuses(&i, "not complete");
}

TEST(descriptions_that_make_no_sense_are_refused) {
    col_duv_interface i = fake();
    description.cores = 0;
    refuses(&i, "0 cores");
    i = fake();
    description.model = COL_MODEL_COUNT;
    refuses(&i, "memory model 6");
    i = fake();
    description.name = NULL;
    refuses(&i, "name");
    i = fake();
    machines[1].name = "two words";
    refuses(&i, "the name of the design's machine 1 is not a word");
    i = fake();
    machines[1].first_point = 0;
    refuses(&i, "machine B must begin at 1");
    i = fake();
    machines[1].point_count = 3;
    refuses(&i, "machine B must begin at 1");
    i = fake();
    machines[1].point_count = 1;
    refuses(&i, "of the design's 3 points 1 belong to no machine");
    i = fake();
    machines[0].controllers = 3;
    refuses(&i, "A is private to a core, but 2 cores have 3 controllers");
    i = fake();
    points[2].state = "";
    refuses(&i, "point 2 is not a word");
    i = fake();
    machines[1].controllers = 1U << 30;
    refuses(&i, "functional points");
    i = fake();
    description.geometry.level_count = 100;
    refuses(&i, "levels");
    closed = 0;
    i = fake();
    description.points = NULL;
    refuses(&i, "no points");
    assert_int_equal(closed, 1);
}

TEST(calls_are_passed_on_unchanged) {
    col_duv_interface i = fake();
    col_duv *duv;
    col_program program = COL_PROGRAM_EMPTY;
    col_run run;
    col_problem problem;
    uint64_t hits[4] = {5, 0, 0, 0};
    closed = 0;
    assert_int_equal(col_duv_open_interface(&duv, &i, NULL, &problem), COL_OK);
    assert_ptr_equal(col_duv_describe(duv), &description);
    assert_int_equal(col_duv_functional_count(&description), 4);
    assert_int_equal(col_duv_load(duv, &program, &problem), COL_OK);
    assert_int_equal(col_duv_run(duv, COL_RUN_DEADLOCK, NULL, NULL, &run, &problem), COL_OK);
    assert_int_equal(run.end, COL_RUN_DEADLOCK);
    assert_int_equal(strlen(run.message), sizeof run.message - 1);
    assert_int_equal(col_duv_run(duv, 77, NULL, NULL, &run, &problem), COL_FAILURE);
    col_duv_collect(duv, hits);
    assert_int_equal(hits[0], 6);
    col_duv_close(duv);
    assert_int_equal(closed, 1);
    col_duv_close(NULL);
}
