/* SPDX-License-Identifier: MIT */
/* ctest: unsanitized */
/*
 * The literature's example, reconstructed: three instances of a program of two threads on a simple
 * MSI design with sequentially consistent cores. Their events are made by hand, as monitors would
 * see them, and must give the witnesses; and the built-in msi design must show all three by itself.
 *
 * The sets of core 1 are published ones. The program is inferred from them, and core 2's thread and
 * sets from what is said of which instances its witnesses tell apart (src/judge/witness/README.md).
 */
#include "collider/witness.h"
#include "protocol/simulate/protocol_library.h"
#include "protocol/simulate/system.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <string.h>

enum { OPERATIONS = 8, CORES = 2, INSTANCES = 3, MOST_VALUES = 8, SEEDS = 100000 };

/*   core 1       core 2
 *   A = 1        A = 11
 *   x = A        z = A
 *   B = 2        B = 12
 *   y = B        B = 13  */
static const char text[] = "collider program 1\n"
                           "location a0 0x1000\nlocation a1 0x1040\n"
                           "thread 0\n"
                           "store a0 1\nload a0\nstore a1 2\nload a1\n"
                           "thread 1\n"
                           "store a0 11\nload a0\nstore a1 12\nstore a1 13\nend\n";

enum { A1, X, B2, Y, A11, Z, B12, B13 };

/* What an operation saw: a load its word, a store the word it replaced; and who replied. */
typedef struct access {
    uint32_t operation;
    uint64_t word;
    col_source source;
} access;

static const col_source C = COL_FROM_PRIVATE_CACHE, O = COL_FROM_OTHER_CORE, D = COL_FROM_MEMORY;

/* A set, and how large it is. */
typedef struct values {
    uint32_t count;
    uint64_t list[MOST_VALUES];
} values;

typedef struct instance {
    access accesses[OPERATIONS];
    values witnesses[CORES][COL_OBSERVATION_COUNT]; /* rf, co, corf */
} instance;

/* All begin with A = 1, A = 11, x = A, z = A. */
static const instance instances[INSTANCES] = {
    /* B = 2, B = 12, y = B, B = 13 */
    {{{A1, 0, D},
      {A11, 1, O},
      {X, 11, O},
      {Z, 11, C},
      {B2, 0, D},
      {B12, 2, O},
      {Y, 12, O},
      {B13, 12, D}},
     {{{2, {11, 12}}, {3, {0, 11, 12}}, {3, {0, 11, 12}}},
      {{1, {11}}, {3, {1, 2, 12}}, {4, {1, 2, 11, 12}}}}},
    /* B = 2, y = B, B = 12, B = 13 */
    {{{A1, 0, D},
      {A11, 1, O},
      {X, 11, O},
      {Z, 11, C},
      {B2, 0, D},
      {Y, 2, C},
      {B12, 2, O},
      {B13, 12, C}},
     {{{2, {2, 11}}, {2, {0, 11}}, {3, {0, 2, 11}}}, {{1, {11}}, {2, {1, 2}}, {3, {1, 2, 11}}}}},
    /* B = 12, B = 2, y = B, B = 13 */
    {{{A1, 0, D},
      {A11, 1, O},
      {X, 11, O},
      {Z, 11, C},
      {B12, 0, D},
      {B2, 12, O},
      {Y, 2, C},
      {B13, 2, O}},
     {{{2, {2, 11}}, {3, {0, 11, 12}}, {4, {0, 2, 11, 12}}},
      {{1, {11}}, {3, {0, 1, 2}}, {4, {0, 1, 2, 11}}}}},
};

static const values unions[CORES][COL_OBSERVATION_COUNT] = {
    {{3, {2, 11, 12}}, {3, {0, 11, 12}}, {4, {0, 2, 11, 12}}},
    {{1, {11}}, {4, {0, 1, 2, 12}}, {5, {0, 1, 2, 11, 12}}},
};

static const uint64_t sums[CORES][COL_OBSERVATION_COUNT] = {{25, 23, 25}, {11, 15, 26}};

static void read_program(col_program *program) {
    col_problem problem;
    if (col_program_read(program, text, strlen(text), "figure", &problem) != COL_OK)
        fail_msg("%u: %s", problem.line, problem.message);
}

static bool same(const values *a, const values *b) {
    return a->count == b->count && memcmp(a->list, b->list, a->count * sizeof *a->list) == 0;
}

static bool has_values(col_witness *witness, col_witness_scope scope, uint32_t core, uint32_t o,
                       const values *expected) {
    values seen = {0};
    seen.count =
        col_witness_values(witness, scope, (col_observation)o, core, seen.list, MOST_VALUES);
    return same(&seen, expected);
}

static bool shows(col_witness *witness, const instance *expected) {
    for (uint32_t core = 0; core < CORES; core++)
        for (uint32_t o = 0; o < COL_OBSERVATION_COUNT; o++)
            if (!has_values(witness, COL_LAST_INSTANCE, core, o, &expected->witnesses[core][o]))
                return false;
    return true;
}

static void give(col_witness *witness, const col_program *program, const instance *from) {
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        const access *a = &from->accesses[i];
        const col_operation *o = &program->operations[a->operation];
        const bool writes = col_kinds[o->kind].writes;
        const col_event event = {.kind = writes ? COL_STORE_PERFORMED : COL_LOAD_PERFORMED,
                                 .core = a->operation / 4,
                                 .operation = a->operation,
                                 .word = writes ? o->value : a->word,
                                 .overwritten = writes ? a->word : 0,
                                 .source = a->source};
        col_witness_notice(witness, &event);
    }
}

static void check_union(col_witness *witness) {
    const col_witness_results *results = col_witness_results_of(witness);
    for (uint32_t core = 0; core < CORES; core++)
        for (uint32_t o = 0; o < COL_OBSERVATION_COUNT; o++) {
            assert_true(has_values(witness, COL_ALL_INSTANCES, core, o, &unions[core][o]));
            assert_int_equal(results->signatures[o][core].sum, sums[core][o]);
        }
    /* The sums of core 1's first and last are the same, for 0 adds nothing. */
    assert_true(results->signatures[COL_OBSERVE_RF][0].identity !=
                results->signatures[COL_OBSERVE_CORF][0].identity);
}

/* Whether a core's witnesses tell two instances apart. */
static bool tells(uint32_t core, col_observation o, uint32_t first, uint32_t second) {
    return !same(&instances[first].witnesses[core][o], &instances[second].witnesses[core][o]);
}

/* What the example is there to show, of the sets above. */
static void check_what_witnesses_tell(void) {
    for (uint32_t core = 0; core < CORES; core++)
        for (uint32_t first = 0; first < INSTANCES; first++)
            for (uint32_t second = 0; second < first; second++)
                assert_true(tells(core, COL_OBSERVE_CORF, first, second));
    assert_false(tells(0, COL_OBSERVE_CO, 0, 2));
    assert_false(tells(0, COL_OBSERVE_RF, 1, 2));
    for (uint32_t second = 1; second < INSTANCES; second++) {
        assert_false(tells(1, COL_OBSERVE_RF, 0, second));
        assert_true(tells(1, COL_OBSERVE_CO, 0, second));
    }
    assert_true(tells(1, COL_OBSERVE_CO, 1, 2));
}

TEST(handmade_instances_have_the_expected_witnesses) {
    col_program program = COL_PROGRAM_EMPTY;
    col_witness *witness;
    col_problem problem;
    check_what_witnesses_tell();
    read_program(&program);
    assert_int_equal(col_witness_new(&witness, &problem), COL_OK);
    assert_int_equal(col_witness_load(witness, &program, CORES, &problem), COL_OK);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        assert_int_equal(col_witness_begin(witness, &problem), COL_OK);
        give(witness, &program, &instances[i]);
        col_witness_end(witness);
        assert_true(shows(witness, &instances[i]));
    }
    check_union(witness);
    const col_witness_results *results = col_witness_results_of(witness);
    assert_int_equal(results->instances, 3);
    assert_int_equal(results->outcomes, 3);
    assert_int_equal(results->distinct[COL_OBSERVE_RF], 2);
    assert_int_equal(results->distinct[COL_OBSERVE_CO], 3);
    assert_int_equal(results->distinct[COL_OBSERVE_CORF], 3);
    /* All accesses to B race, none to A. */
    static const uint32_t predecessors[OPERATIONS] = {1, 1, 2, 2, 1, 1, 2, 2};
    assert_memory_equal(results->event_nondeterminism, predecessors, sizeof predecessors);
    assert_int_equal(results->events, 8);
    assert_int_equal(results->conflicts, 12);
    assert_true(results->nondeterminism == 1.5);
    assert_int_equal(results->fit_count, 0); /* 1.5 is rounded to 2, and nothing is above it */
    col_witness_free(witness);
    col_program_free(&program);
}

/* ---- On the msi design. */

static sim_system *make_system(sim_mode mode) {
    sim_wiring wiring;
    sim_system *system = NULL;
    col_problem problem;
    const sl_protocol *protocol = sim_built_in_find("msi");
    assert_int_equal(sim_wiring_infer(&wiring, protocol, CORES, &problem), COL_OK);
    wiring.core.mode = mode;
    if (mode == SIM_SIMPLE)
        wiring.core.outstanding = 1; /* in order, one after the other: sequentially consistent */
    wiring.core.jitter = 1000;       /* else a load follows its thread's store too closely */
    wiring.network_latency = 1;
    wiring.jitter = 40;
    wiring.memory_latency = 5;
    if (sim_system_new(&system, protocol, &wiring, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return system;
}

static void run_design(sim_mode mode) {
    col_program program = COL_PROGRAM_EMPTY;
    col_witness *witness;
    col_problem problem;
    sim_result result;
    uint32_t times[INSTANCES] = {0};
    sim_system *system = make_system(mode);
    read_program(&program);
    assert_int_equal(col_witness_new(&witness, &problem), COL_OK);
    assert_int_equal(col_witness_load(witness, &program, CORES, &problem), COL_OK);
    const col_observer observer = col_witness_observer(witness);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        assert_int_equal(col_witness_begin(witness, &problem), COL_OK);
        assert_int_equal(
            sim_system_run(system, &program, seed, false, &observer, &result, &problem), COL_OK);
        assert_false(system->failure.happened);
        col_witness_end(witness);
        for (uint32_t i = 0; i < INSTANCES; i++)
            times[i] += shows(witness, &instances[i]);
    }
    const col_witness_results *results = col_witness_results_of(witness);
    print_message("%s: the instances %u, %u and %u times of %d; %u outcomes, told apart: %u by "
                  "rf, %u by co, %u by both\n",
                  sim_modes[mode], times[0], times[1], times[2], SEEDS, results->outcomes,
                  results->distinct[0], results->distinct[1], results->distinct[2]);
    for (uint32_t i = 0; i < INSTANCES; i++)
        assert_true(times[i] > 0);
    col_witness_free(witness);
    col_program_free(&program);
    sim_system_free(system);
}

TEST(a_design_shows_all_instances_of_the_figure) {
    run_design(SIM_SIMPLE);
    run_design(SIM_SC);
    run_design(SIM_TSO);
}
