/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * Random tests with random instances, correct ones and such as no design should show, against the
 * definitions (oracle.h); how well signatures tell witnesses apart; and input that is wrong.
 */
#include "base/random.h"
#include "collider/witness.h"
#include "judge/witness/witness.h"
#include "oracle.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>
#include <string.h>

#ifdef REDUCED
enum { PROGRAMS = 400 };
#else
enum { PROGRAMS = 5000 };
#endif

enum { MOST_THREADS = 5, MOST_LENGTH = 14, MOST_LOCATIONS = 4, MOST_INSTANCES = 14 };
enum { MOST_EVENTS = MOST_THREADS * MOST_LENGTH };

static col_witness *make_witness(void) {
    col_witness *witness = NULL;
    col_problem problem;
    assert_int_equal(col_witness_new(&witness, &problem), COL_OK);
    return witness;
}

/* A whole instance. */
static void give(col_witness *witness, const col_event *events, uint32_t count) {
    col_problem problem;
    assert_int_equal(col_witness_begin(witness, &problem), COL_OK);
    for (uint32_t e = 0; e < count; e++)
        col_witness_notice(witness, &events[e]);
    col_witness_end(witness);
}

/* The first of the threads has operations of this kind, with values from `first` on. */
static void load_alike(col_witness *witness, uint32_t threads, const uint32_t *lengths,
                       col_kind kind, uint32_t first, int step, col_program *program) {
    col_problem problem;
    assert_int_equal(col_program_shape(program, threads, lengths, 1, &problem), COL_OK);
    for (uint32_t i = 0; i < lengths[0]; i++) {
        program->operations[i].kind = (uint8_t)kind;
        program->operations[i].value = first + i * (uint32_t)step;
    }
    assert_int_equal(col_witness_load(witness, program, threads, &problem), COL_OK);
}

static uint32_t below(base_rng *rng, uint32_t bound) {
    return (uint32_t)base_rng_below(rng, bound);
}

/* ---- Random programs. */

/* Values from 1, or far apart in two ways. */
static uint32_t value_for(uint32_t style, uint32_t number) {
    static const uint32_t factors[] = {1, UINT32_C(1) << 20, UINT32_C(0x9E3779B1)};
    return (number + 1) * factors[style];
}

static void make_program(base_rng *rng, col_program *program) {
    static const col_kind kinds[] = {COL_LOAD, COL_LOAD,  COL_STORE, COL_STORE, COL_SWAP,
                                     COL_ADD,  COL_FENCE, COL_FLUSH, COL_DELAY};
    uint32_t lengths[MOST_THREADS];
    col_problem problem;
    const uint32_t threads = 1 + below(rng, MOST_THREADS), style = below(rng, 3);
    const uint32_t kind_count = below(rng, 2) == 0 ? 4 : 9;
    for (uint32_t t = 0; t < threads; t++)
        lengths[t] = below(rng, MOST_LENGTH + 1);
    const uint32_t locations = 1 + below(rng, MOST_LOCATIONS);
    assert_int_equal(col_program_shape(program, threads, lengths, locations, &problem), COL_OK);
    for (uint32_t i = 0; i < col_program_operations(program); i++) {
        col_operation *o = &program->operations[i];
        o->kind = (uint8_t)kinds[below(rng, kind_count)];
        o->location = col_kinds[o->kind].located ? below(rng, locations) : 0;
        if (o->kind == COL_DELAY)
            o->location = below(rng, UINT32_MAX); /* cycles */
        o->value = col_kinds[o->kind].writes ? value_for(style, i) : 0;
    }
}

/* ---- Random instances. */

typedef struct memory {
    uint64_t words[MOST_LOCATIONS], earlier[MOST_LOCATIONS];
    uint32_t strangeness; /* in percent: words that are not the latest, or nobody's */
} memory;

static uint64_t look(base_rng *rng, const memory *m, uint32_t location) {
    if (below(rng, 100) >= m->strangeness)
        return m->words[location];
    switch (below(rng, 4)) {
    case 0:
        return base_rng_next(rng) >> below(rng, 64);
    case 1:
        return m->words[below(rng, MOST_LOCATIONS)];
    default:
        return m->earlier[location];
    }
}

static col_event perform(base_rng *rng, memory *m, const col_program *program, uint32_t operation) {
    const col_operation *o = &program->operations[operation];
    col_event event = {.operation = operation,
                       .core = col_program_thread_of(program, operation),
                       .source = (col_source)below(rng, 6)};
    if (!col_kinds[o->kind].writes) {
        event.kind = COL_LOAD_PERFORMED;
        event.word = look(rng, m, o->location);
        return event;
    }
    event.kind = COL_STORE_PERFORMED;
    event.overwritten = look(rng, m, o->location);
    event.read = below(rng, 100) < m->strangeness ? look(rng, m, o->location) : event.overwritten;
    event.word = (o->kind == COL_ADD ? event.overwritten : 0) + col_program_operand(program, o);
    m->earlier[o->location] = m->words[o->location];
    m->words[o->location] = event.word;
    return event;
}

static bool is_access(const col_operation *operation) {
    return col_kinds[operation->kind].reads || col_kinds[operation->kind].writes;
}

/* Threads in any interleaving; some stop before their end. */
static uint32_t run(base_rng *rng, const col_program *program, uint32_t strangeness,
                    col_event *events) {
    memory m = {.strangeness = strangeness};
    uint32_t next[MOST_THREADS], count = 0;
    memcpy(next, program->thread_start, program->thread_count * sizeof *next);
    const uint32_t steps = 3 * col_program_operations(program);
    for (uint32_t i = 0; i < steps; i++) {
        const uint32_t t = below(rng, program->thread_count);
        if (next[t] == program->thread_start[t + 1])
            continue;
        if (is_access(&program->operations[next[t]]))
            events[count++] = perform(rng, &m, program, next[t]);
        next[t]++;
    }
    return count;
}

static bool is_word_of_two_adds(const col_program *program, const col_event *events,
                                uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (program->operations[events[i].operation].kind == COL_ADD &&
                program->operations[events[j].operation].kind == COL_ADD &&
                program->operations[events[i].operation].location ==
                    program->operations[events[j].operation].location &&
                events[i].word == events[j].word)
                return true;
    return false;
}

/* What comes in a different order says the same, unless two adds left one word. */
static void shuffle(base_rng *rng, const col_program *program, col_event *events, uint32_t count) {
    if (is_word_of_two_adds(program, events, count))
        return;
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t other = below(rng, i);
        const col_event event = events[i - 1];
        events[i - 1] = events[other];
        events[other] = event;
    }
}

/* ---- Comparison. */

static void compare_witnesses(col_witness *witness, const oracle *known, col_witness_scope scope,
                              uint32_t instance) {
    for (uint32_t o = 0; o < COL_OBSERVATION_COUNT; o++)
        for (uint32_t core = 0; core < known->program->thread_count; core++) {
            oracle_values expected;
            uint64_t values[ORACLE_MOST_VALUES], sum = 0;
            oracle_witness(known, instance, (col_observation)o, core, &expected);
            assert_int_equal(col_witness_values(witness, scope, (col_observation)o, core, values,
                                                ORACLE_MOST_VALUES),
                             expected.count);
            assert_memory_equal(values, expected.list, expected.count * sizeof *values);
            for (uint32_t i = 0; i < expected.count; i++)
                sum += expected.list[i] == COL_NO_VALUE ? 0 : expected.list[i];
            assert_int_equal(col_witness_signatures(witness, scope, (col_observation)o)[core].sum,
                             sum);
        }
}

/* Identities are the same exactly where the sets are. */
static void compare_identities(col_witness *witness, const oracle *known) {
    for (uint32_t i = 0; i < COL_OBSERVATION_COUNT * known->program->thread_count; i++)
        for (uint32_t j = 0; j < i; j++) {
            const col_observation a = (col_observation)(i % COL_OBSERVATION_COUNT);
            const col_observation b = (col_observation)(j % COL_OBSERVATION_COUNT);
            const uint32_t first = i / COL_OBSERVATION_COUNT, second = j / COL_OBSERVATION_COUNT;
            oracle_values x, y;
            oracle_witness(known, ORACLE_ALL, a, first, &x);
            oracle_witness(known, ORACLE_ALL, b, second, &y);
            const bool same =
                x.count == y.count && memcmp(x.list, y.list, x.count * sizeof *x.list) == 0;
            const col_witness_results *results = col_witness_results_of(witness);
            assert_int_equal(results->signatures[a][first].identity ==
                                 results->signatures[b][second].identity,
                             same);
        }
}

/* Above the rounded average; halves are rounded upward. */
static bool is_fit(const oracle *known, uint32_t location) {
    const double average = (double)oracle_conflicts(known) / (double)oracle_events(known);
    for (uint32_t i = 0; i < col_program_operations(known->program); i++) {
        const col_operation *o = &known->program->operations[i];
        if (is_access(o) && o->location == location &&
            oracle_predecessors(known, i) > (uint32_t)(average + 0.5))
            return true;
    }
    return false;
}

static void compare_results(col_witness *witness, const oracle *known) {
    const col_witness_results *results = col_witness_results_of(witness);
    uint32_t fit = 0;
    assert_int_equal(results->instances, known->instances);
    for (uint32_t o = 0; o < COL_OBSERVATION_COUNT; o++)
        assert_int_equal(results->distinct[o], oracle_distinct(known, (col_observation)o));
    assert_int_equal(results->outcomes, oracle_outcomes(known));
    assert_int_equal(results->conflicts, oracle_conflicts(known));
    assert_int_equal(results->events, oracle_events(known));
    if (results->events > 0)
        assert_true(results->nondeterminism ==
                    (double)results->conflicts / (double)results->events);
    for (uint32_t i = 0; i < col_program_operations(known->program); i++)
        assert_int_equal(results->event_nondeterminism[i], oracle_predecessors(known, i));
    for (uint32_t l = 0; l < known->program->location_count; l++) {
        const bool expected = results->events > 0 && is_fit(known, l);
        assert_int_equal(results->is_fit[l], expected);
        if (expected)
            assert_int_equal(results->fit_locations[fit++], l);
    }
    assert_int_equal(results->fit_count, fit);
}

static void try_program(base_rng *rng, col_witness *witness, const col_program *program,
                        oracle *known) {
    col_event events[MOST_EVENTS];
    col_problem problem;
    const uint32_t instances = below(rng, 1 + (below(rng, 2) == 0 ? 5 : MOST_INSTANCES));
    const uint32_t strangeness = below(rng, 3) * 10;
    const uint32_t cores = program->thread_count + below(rng, 3);
    oracle_load(known, program);
    assert_int_equal(col_witness_load(witness, program, cores, &problem), COL_OK);
    for (uint32_t i = 0; i < instances; i++) {
        const uint32_t count = run(rng, program, strangeness, events);
        if (i == 1 && below(rng, 4) == 0) /* as after very many instances */
            witness->stamp = WIT_MOST_STAMPS - 1 - below(rng, 8);
        oracle_add_instance(known, events, count);
        shuffle(rng, program, events, count);
        if (below(rng, 10) == 0) { /* one that breaks off is forgotten */
            assert_int_equal(col_witness_begin(witness, &problem), COL_OK);
            for (uint32_t e = 0; e < count / 2; e++)
                col_witness_notice(witness, &events[e]);
        }
        give(witness, events, count);
        compare_witnesses(witness, known, COL_LAST_INSTANCE, i);
        if (below(rng, 4) == 0) /* asking changes nothing */
            compare_results(witness, known);
    }
    compare_results(witness, known);
    compare_witnesses(witness, known, COL_ALL_INSTANCES, ORACLE_ALL);
    compare_identities(witness, known);
}

TEST(results_are_those_of_the_definitions) {
    base_rng rng;
    col_program program = COL_PROGRAM_EMPTY;
    col_witness *witness = make_witness();
    oracle *known = malloc(sizeof *known);
    assert_non_null(known);
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        base_rng_seed(&rng, 7, i);
        make_program(&rng, &program);
        try_program(&rng, witness, &program, known);
    }
    free(known);
    col_witness_free(witness);
    col_program_free(&program);
}

/* ---- McVerSi's measures, by hand. */

/* A load that sees four writes, a store that follows two, and one race less elsewhere. */
TEST(fit_locations_have_more_races_than_the_mean) {
    static const char text[] =
        "collider program 1\nlocation a0 0\nlocation a1 64\nlocation a2 128\n"
        "thread 0\nstore a0 1\nstore a0 2\nstore a0 3\nload a2\n"
        "thread 1\nload a0\nstore a1 4\nthread 2\nstore a1 5\nload a2\nend\n";
    static const uint64_t loaded[4] = {0, 1, 2, 3}, first[4] = {0, 0, 5, 5},
                          second[4] = {4, 4, 0, 0};
    static const uint32_t predecessors[] = {1, 1, 1, 1, 4, 2, 2, 1};
    col_program program = COL_PROGRAM_EMPTY;
    col_witness *witness = make_witness();
    col_problem problem;
    assert_int_equal(col_program_read(&program, text, strlen(text), "races", &problem), COL_OK);
    assert_int_equal(col_witness_load(witness, &program, 3, &problem), COL_OK);
    for (uint32_t i = 0; i < 4; i++) {
        const col_event events[] = {
            {.kind = COL_STORE_PERFORMED, .operation = 0, .word = 1},
            {.kind = COL_STORE_PERFORMED, .operation = 1, .word = 2, .overwritten = 1},
            {.kind = COL_STORE_PERFORMED, .operation = 2, .word = 3, .overwritten = 2},
            {.kind = COL_LOAD_PERFORMED, .operation = 3},
            {.kind = COL_LOAD_PERFORMED, .operation = 4, .word = loaded[i]},
            {.kind = COL_STORE_PERFORMED, .operation = 5, .word = 4, .overwritten = first[i]},
            {.kind = COL_STORE_PERFORMED, .operation = 6, .word = 5, .overwritten = second[i]},
            {.kind = COL_LOAD_PERFORMED, .operation = 7}};
        give(witness, events, 8);
        if (i == 0) /* one instance says nothing about chance: every event has one predecessor */
            assert_true(col_witness_results_of(witness)->nondeterminism == 1);
    }
    const col_witness_results *results = col_witness_results_of(witness);
    assert_memory_equal(results->event_nondeterminism, predecessors, sizeof predecessors);
    assert_true(results->nondeterminism == 13.0 / 8);
    assert_int_equal(results->fit_count, 1); /* above 2: the load of a0 alone */
    assert_int_equal(results->fit_locations[0], 0);
    assert_true(results->is_fit[0] && !results->is_fit[1] && !results->is_fit[2]);
    assert_int_equal(results->outcomes, 4);
    col_witness_free(witness);
    col_program_free(&program);
}

/* ---- Signatures. */

static int compare_numbers(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

static uint32_t count_distinct(uint64_t *numbers, uint32_t count) {
    uint32_t distinct = 0;
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    for (uint32_t i = 0; i < count; i++)
        distinct += i == 0 || numbers[i] != numbers[i - 1];
    return distinct;
}

/* All sets of fourteen values and the initial word: identities tell them all apart, sums do not. */
TEST(identities_tell_all_sets_of_values_apart) {
    enum { WRITES = 14, LOADS = WRITES + 1, SETS = 1 << LOADS };
    static uint64_t sums[SETS];
    static const uint32_t lengths[2] = {WRITES, LOADS};
    col_program program = COL_PROGRAM_EMPTY;
    col_witness *witness = make_witness();
    col_problem problem;
    load_alike(witness, 2, lengths, COL_STORE, 1, 1, &program);
    for (uint32_t set = 0; set < SETS; set++) {
        assert_int_equal(col_witness_begin(witness, &problem), COL_OK);
        for (uint32_t i = 0; i < LOADS; i++) {
            const col_event event = {
                .kind = COL_LOAD_PERFORMED, .operation = WRITES + i, .word = i};
            if ((set >> i & 1) != 0)
                col_witness_notice(witness, &event);
        }
        col_witness_end(witness);
        sums[set] = col_witness_signatures(witness, COL_LAST_INSTANCE, COL_OBSERVE_RF)[1].sum;
    }
    assert_int_equal(col_witness_results_of(witness)->distinct[COL_OBSERVE_RF], SETS);
    assert_int_equal(count_distinct(sums, SETS), WRITES * (WRITES + 1) / 2 + 1);
    col_witness_free(witness);
    col_program_free(&program);
}

/* ---- Wrong input. */

TEST(events_out_of_place_are_ignored) {
    static const uint32_t lengths[2] = {2, 1};
    col_program program = COL_PROGRAM_EMPTY, empty = COL_PROGRAM_EMPTY;
    col_witness *witness = make_witness();
    col_problem problem;
    uint64_t value;
    assert_int_equal(col_witness_begin(witness, &problem), COL_BAD_INPUT);
    col_witness_end(witness);
    assert_int_equal(col_witness_results_of(witness)->instances, 0);
    assert_int_equal(col_program_shape(&program, 2, lengths, 1, &problem), COL_OK);
    program.operations[0].kind = COL_STORE;
    program.operations[0].value = 9;
    assert_int_equal(col_witness_load(witness, &program, 1, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message, "the program has 2 threads, the design only 1 cores");
    assert_int_equal(col_witness_begin(witness, &problem), COL_BAD_INPUT);
    assert_int_equal(col_witness_load(witness, &program, 2, &problem), COL_OK);
    const col_event strange[] = {
        {.kind = COL_LOAD_PERFORMED, .operation = 0, .word = 9},
        {.kind = COL_STORE_PERFORMED, .operation = 1, .word = 9},
        {.kind = COL_LOAD_PERFORMED, .operation = 3, .word = 9},
        {.kind = COL_LOAD_PERFORMED, .operation = UINT32_MAX, .word = 9},
        {.kind = COL_TRANSITION, .operation = 0},
        {.kind = COL_DEADLOCK, .operation = 1, .message = "nothing moves"},
    };
    const col_event load = {.kind = COL_LOAD_PERFORMED, .operation = 1, .word = 9};
    col_witness_notice(witness, &load); /* no instance has begun */
    give(witness, strange, sizeof strange / sizeof *strange);
    col_witness_notice(witness, &load); /* it has ended */
    col_witness_end(witness);
    assert_int_equal(col_witness_results_of(witness)->instances, 1);
    assert_int_equal(col_witness_results_of(witness)->events, 0);
    for (uint32_t core = 0; core < 3; core++) /* and one that is not there */
        assert_int_equal(
            col_witness_values(witness, COL_LAST_INSTANCE, COL_OBSERVE_CORF, core, &value, 1), 0);
    assert_int_equal(col_witness_load(witness, &empty, 0, &problem), COL_OK);
    give(witness, NULL, 0);
    assert_int_equal(col_witness_results_of(witness)->outcomes, 1);
    col_witness_free(witness);
    col_witness_free(NULL);
    col_program_free(&program);
}

/* A design that performs adds again and again, with ever other words: the last time counts. */
TEST(the_last_time_an_add_performs_counts) {
    static const uint32_t lengths[1] = {3};
    col_program program = COL_PROGRAM_EMPTY;
    col_witness *witness = make_witness();
    col_event events[100];
    load_alike(witness, 1, lengths, COL_ADD, 1, 1, &program);
    for (uint64_t i = 0; i < 100; i++)
        events[i] = (col_event){.kind = COL_STORE_PERFORMED,
                                .operation = (uint32_t)i % 3,
                                .word = (i + 1) << 32,
                                .overwritten = i << 32,
                                .read = i << 32};
    for (uint32_t instance = 0; instance < 3; instance++)
        give(witness, events, 100);
    const col_witness_results *results = col_witness_results_of(witness);
    assert_int_equal(results->events, 6);
    assert_int_equal(results->conflicts, 6);
    assert_int_equal(results->outcomes, 1);
    col_witness_free(witness);
    col_program_free(&program);
}

/* Two adds that left the same word: it is taken for the first one's. */
TEST(a_value_left_by_two_adds_belongs_to_the_first) {
    static const uint32_t lengths[2] = {2, 1};
    col_program program = COL_PROGRAM_EMPTY;
    col_witness *witness = make_witness();
    uint64_t value = 0;
    load_alike(witness, 2, lengths, COL_ADD, 1, 1, &program);
    for (uint32_t first = 0; first < 2; first++) {
        const uint64_t word = UINT64_C(7) << 32;
        const col_event events[] = {
            {.kind = COL_STORE_PERFORMED, .operation = first, .word = word},
            {.kind = COL_STORE_PERFORMED, .operation = 1 - first, .word = word},
            {.kind = COL_LOAD_PERFORMED, .operation = 2, .word = word}};
        give(witness, events, 3);
        assert_int_equal(
            col_witness_values(witness, COL_LAST_INSTANCE, COL_OBSERVE_RF, 1, &value, 1), 1);
        assert_int_equal(value, first + 1);
    }
    assert_int_equal(col_witness_results_of(witness)->event_nondeterminism[2], 2);
    col_witness_free(witness);
    col_program_free(&program);
}

/* Values that do not fit are counted. */
TEST(values_that_do_not_fit_are_counted) {
    static const uint32_t lengths[2] = {3, 3};
    static const col_event loads[] = {
        {.kind = COL_LOAD_PERFORMED, .operation = 3, .word = 30},
        {.kind = COL_LOAD_PERFORMED, .operation = 4, .word = 29},
        {.kind = COL_LOAD_PERFORMED, .operation = 5, .word = 28},
    };
    col_program program = COL_PROGRAM_EMPTY;
    col_witness *witness = make_witness();
    uint64_t values[2] = {0, 0};
    load_alike(witness, 2, lengths, COL_STORE, 30, -1, &program);
    give(witness, loads, 3);
    for (int scope = COL_LAST_INSTANCE; scope <= COL_ALL_INSTANCES; scope++) {
        assert_int_equal(
            col_witness_values(witness, (col_witness_scope)scope, COL_OBSERVE_RF, 1, values, 2), 3);
        assert_int_equal(values[0], 29);
        assert_int_equal(values[1], 30);
    }
    assert_int_equal(col_witness_values(witness, COL_ALL_INSTANCES, COL_OBSERVE_RF, 1, NULL, 0), 3);
    col_witness_free(witness);
    col_program_free(&program);
}
