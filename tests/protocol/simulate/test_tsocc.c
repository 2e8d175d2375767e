/* SPDX-License-Identifier: MIT */
/*
 * TSO-CC gives the core stale words on purpose, so the judge is TSO alone: litmus tests against the
 * oracle, and random programs under the runtime checker, with timestamps so short that cores begin
 * a new epoch all the time. Each rule that keeps the order of loads is needed: without it, TSO is
 * broken.
 */
#include "edits.h"
#include "instances.h"
#include "litmus.h"
#include "protocol/explore/search.h"
#include "runs.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>
#include <string.h>

#ifdef REDUCED
enum { RUNS = 8, PROGRAMS = 1, BROKEN_PROGRAMS = 0 };
#else
enum { RUNS = 200, PROGRAMS = 4, BROKEN_PROGRAMS = 100 };
#endif

/* ---- Systems. */

typedef struct shape {
    uint32_t cores;
    uint32_t last_timestamp, group_size, most_hits, decay;
    uint32_t private_bytes, shared_bytes;
    uint32_t jitter, core_jitter;
} shape;

static sim_system *make(const shape *s, sim_mode mode) {
    const sl_protocol *protocol = sim_built_in_find("tsocc");
    sim_wiring wiring;
    sim_system *system = NULL;
    col_problem problem;
    assert_non_null(protocol);
    assert_int_equal(sim_wiring_infer(&wiring, protocol, s->cores, &problem), COL_OK);
    for (uint32_t m = 0; m < protocol->machine_count; m++) {
        sim_machine_wiring *w = &wiring.machines[m];
        sim_wiring_parameter(w, "last_timestamp", s->last_timestamp);
        sim_wiring_parameter(w, "epochs", 1024);
        sim_wiring_parameter(w, "group_size", s->group_size);
        sim_wiring_parameter(w, "most_hits", s->most_hits);
        sim_wiring_parameter(w, "decay", s->decay);
        for (uint32_t i = 0; i < w->cache_count; i++) {
            w->caches[i].bytes = w->is_private ? s->private_bytes : s->shared_bytes;
            w->caches[i].ways = 2;
        }
    }
    wiring.monitors = true; /* one writer, and stores that replace the last word */
    wiring.jitter = s->jitter;
    wiring.core.mode = mode;
    wiring.core.jitter = s->core_jitter;
    wiring.deadlock_cycles = 50000;
    if (sim_system_new(&system, protocol, &wiring, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return system;
}

/* ---- Litmus tests. */

/* How many runs show what the test asks for; none shows what TSO forbids. */
static uint32_t judge(variants *all, const litmus *test) {
    uint32_t found = 0;
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        outcome seen;
        variants_run(all, &test->program, seed, &seen);
        found += litmus_holds(test, &seen);
        if (!mode_allows(SIM_TSO, &test->program, &seen))
            fail_msg("%s, seed %u: a forbidden outcome", test->name, (uint32_t)seed);
    }
    return found;
}

TEST(litmus_tests_do_what_tso_allows) {
    static const shape shapes[VARIANTS] = {
        {MOST_CORES, 0, 1, 16, 0, 4096, 65536, 4, 4}, /* no timestamps */
        {MOST_CORES, 3, 1, 16, 1, 4096, 65536, 40, 300},
        {MOST_CORES, 3, 2, 4, 1, 4096, 65536, 0, 100},
        {MOST_CORES, 7, 4, 1, 2, 128, 256, 12, 24},
    };
    variants all;
    glob_t paths;
    col_problem problem;
    litmus test = {.program = COL_PROGRAM_EMPTY};
    uint32_t allowed = 0, shown = 0;
    for (uint32_t i = 0; i < VARIANTS; i++)
        all.systems[i] = make(&shapes[i], SIM_TSO);
    assert_int_equal(litmus_list(&paths, &problem), COL_OK);
    for (size_t i = 0; i < paths.gl_pathc; i++) {
        assert_int_equal(litmus_read(paths.gl_pathv[i], &test, &problem), COL_OK);
        const uint32_t found = judge(&all, &test);
        allowed += test.verdicts[ORACLE_TSO];
        shown += found > 0 && test.verdicts[ORACLE_TSO];
        if (strcmp(test.name, "SB") == 0) /* the relaxation that TSO is about */
            assert_true(found > 0);
    }
    print_message("%u of %u relaxed outcomes that TSO allows were seen\n", shown, allowed);
#ifndef REDUCED
    assert_true(shown * 2 > allowed);
#endif
    litmus_free(&test);
    globfree(&paths);
    variants_free(&all);
}

/* ---- Random programs under the runtime checker. */

static void make_short(uint32_t cores, uint64_t seed, col_program *program) {
    static const char *const mixes[] = {"load=0.5,store=0.45,swap=0.02,fence=0.02,flush=0.01",
                                        "load=0.7,store=0.3", "load=0.5,store=0.3,add=0.2"};
    col_generation settings;
    col_problem problem;
    col_generation_default(&settings);
    settings.threads = cores;
    settings.operations = 128 * cores;
    settings.locations = 3 + (uint32_t)(seed % 5) * 3;
    assert_int_equal(col_instruction_mix_parse(mixes[seed % 3], &settings.instructions, &problem),
                     COL_OK);
    generate(&settings, seed, program);
    for (uint32_t l = 0; l < program->location_count; l++) /* some share blocks */
        program->addresses[l] =
            UINT64_C(0x40) * (seed % 2 == 0 ? l : l / 2) + UINT64_C(8) * (l % 8);
}

/* Does a run of the program keep TSO? */
static bool is_kept(sim_system *system, const col_program *program, uint64_t seed) {
    col_checker *checker;
    sim_result result;
    col_problem problem;
    assert_int_equal(col_checker_new(&checker, COL_TSO, &problem), COL_OK);
    assert_int_equal(col_checker_load(checker, program, &problem), COL_OK);
    const col_observer observer = col_checker_observer(checker);
    assert_int_equal(
        sim_system_run(system, program, seed, seed % 2 == 1, &observer, &result, &problem), COL_OK);
    if (system->failure.happened)
        fail_msg("%s", system->failure.text);
    const bool kept = col_checker_finish(checker, true);
    col_checker_free(checker);
    return kept;
}

TEST(tiny_timestamps_keep_tso) {
    static const uint32_t lasts[] = {0, 3, 7, 15}, groups[] = {1, 2, 4}, hits[] = {1, 2, 4, 16};
    for (uint32_t i = 0; i < 4 * 3 * 4; i++) {
        const bool is_small = i % 2 == 1;
        const shape s = {.cores = 2U << i % 5,
                         .last_timestamp = lasts[i % 4],
                         .group_size = groups[i / 4 % 3],
                         .most_hits = hits[i / 12],
                         .decay = i % 3,
                         .private_bytes = is_small ? 128 : 4096,
                         .shared_bytes = is_small ? 512 : 65536,
                         .jitter = i % 3 == 0 ? 4 : 30,
                         .core_jitter = i % 3 == 0 ? 4 : 30};
        sim_system *system = make(&s, SIM_TSO);
        col_program program = COL_PROGRAM_EMPTY;
        for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
            make_short(s.cores, seed, &program);
            if (!is_kept(system, &program, seed))
                fail_msg("%u cores, timestamps to %u, groups of %u, %u hits, decay %u, seed %u",
                         s.cores, s.last_timestamp, s.group_size, s.most_hits, s.decay,
                         (uint32_t)seed);
        }
        col_program_free(&program);
        sim_system_free(system);
    }
}

/* ---- What each rule is for. */

/* The core is told of copies that are dropped, and of read-only ones that are invalidated; and of
 * data that were asked for before something new was seen, which speculative loads must not take. */
static const edit rules[] = {
    {"tsocc", "L1Cache", "S", "Self_Invalidate", NULL, "tellCore"},
    {"tsocc", "L1Cache", "IS_I", "Data_Shared", NULL, "tellCore"},
    {"tsocc", "L1Cache", "R", "Inv", NULL, "tellCore"},
};

TEST(without_a_rule_tso_is_broken) {
    if (BROKEN_PROGRAMS == 0)
        skip(); /* this many programs take too long here */
    static const shape small = {4, 7, 2, 16, 1, 256, 65536, 30, 30};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        sim_system *system = make(&small, SIM_TSO);
        col_program program = COL_PROGRAM_EMPTY;
        bool kept = true;
        edit_apply(system, &rules[i]);
        for (uint64_t seed = 0; kept && seed != BROKEN_PROGRAMS; seed++) {
            make_short(small.cores, seed, &program);
            kept = is_kept(system, &program, seed);
        }
        if (kept)
            fail_msg("%s at %s: nothing is broken", rules[i].state, rules[i].event);
        col_program_free(&program);
        sim_system_free(system);
    }
}

/* ---- The search. */

TEST(the_protocol_without_timestamps_is_explored_exhaustively) {
    const shape s = {2, 0, 1, 1, 0, 128, 128, 0, 0};
    sim_system *system = make(&s, SIM_SIMPLE);
    const exp_exploration_settings settings = {.blocks = 1, .outstanding = 1};
    exp_exploration found;
    col_problem problem;
    assert_int_equal(exp_explore(system, &settings, &found, &problem), COL_OK);
    if (found.broken)
        fail_msg("%s", found.trace.data);
    assert_true(found.complete && found.states > 10000);
    sim_system_free(system);
}

/* ---- Designs that it is not made for. */

static void assert_refused(const char *file, const char *sentence) {
    static sim_design opened, *const design = &opened;
    col_problem problem;
    assert_int_equal(sim_design_open(design, file, 2, NULL, &problem), COL_BAD_INPUT);
    if (strstr(problem.message, sentence) == NULL)
        fail_msg("%s: %s", file, problem.message);
    assert_int_equal(problem.line, 2);
}

TEST(other_cores_are_refused) {
    assert_refused(TEST_DATA "/design-refused/tsocc-sc.yaml", "made for tso cores, not for sc");
    assert_refused(TEST_DATA "/design-refused/tsocc-weak.yaml", "made for tso cores, not for weak");
}

/* With these numbers timestamps mean nothing, and correct code would show violations. */
TEST(timestamps_that_break_tso_are_refused) {
    assert_refused(TEST_DATA "/design-refused/tsocc-epochs.yaml", "epochs is at least 3, not 2");
    assert_refused(TEST_DATA "/design-refused/tsocc-group.yaml", "group_size is at least 1, not 0");
    assert_refused(TEST_DATA "/design-refused/tsocc-differ.yaml",
                   "last_timestamp is the same for all machines, not 4095 for L1Cache and 0 for");
    assert_refused(TEST_DATA "/design-refused/tsocc-ring.yaml",
                   "epochs is the same for all machines, not 16 for L1Cache and 8 for L2Cache");
    assert_refused(TEST_DATA "/design-refused/tsocc-short.yaml",
                   "half of the epochs of L1Cache begin within 8 writes");
}

/* Fences name the last block of all addresses. */
TEST(the_last_block_is_not_for_programs) {
    const shape s = {2, 0, 1, 1, 0, 128, 128, 0, 0};
    sim_system *system = make(&s, SIM_TSO);
    col_program program = COL_PROGRAM_EMPTY;
    sim_result result;
    col_problem problem;
    make_short(s.cores, 0, &program);
    program.addresses[0] = UINT64_MAX - 7;
    assert_int_equal(sim_system_run(system, &program, 0, false, NULL, &result, &problem),
                     COL_BAD_INPUT);
    program.addresses[0] = UINT64_MAX - 71;
    assert_int_equal(sim_system_run(system, &program, 0, false, NULL, &result, &problem), COL_OK);
    col_program_free(&program);
    sim_system_free(system);
}
