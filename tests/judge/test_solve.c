/* SPDX-License-Identifier: MIT */
/*
 * The trace checker against the oracles: a trace shows what reads returned, and it is allowed if
 * there is an order of the writes with which the oracle allows it. Random traces of all sorts, with
 * final words, with replaced ones and with times; some with many writes to one location, whose
 * order is then mostly to be found out. And the litmus tests, as far as a trace can show them.
 */
#include "cycles.h"

#include "protocol/simulate/litmus.h"
#include "protocol/simulate/oracle_parts.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <string.h>

#ifdef REDUCED
enum { TRACES = 10000, CROWDED = 500 };
#else
enum { TRACES = 100000, CROWDED = 10000 };
#endif

enum { MOST_ORDERS = 10000 }; /* of writes, that the oracle is to try */

static bool reads(const small_trace *t, uint32_t i) {
    return col_kinds[t->trace.program.operations[i].kind].reads;
}

static bool writes(const small_trace *t, uint32_t i) {
    return col_kinds[t->trace.program.operations[i].kind].writes;
}

static void show(const small_trace *t, const col_violation *violation) {
    const col_program *program = &t->trace.program;
    for (uint32_t i = 0; i < col_program_operations(program); i++) {
        show_operation(program, i);
        if (reads(t, i))
            print_error(" from %d", t->source[i] == COL_INITIAL ? -1 : (int)t->source[i]);
        if (t->trace.begin != NULL)
            print_error(" @ %lld:%lld", (long long)t->times.begin[i], (long long)t->times.end[i]);
        print_error("\n");
    }
    for (uint32_t l = 0; t->trace.final != NULL && l < program->location_count; l++)
        print_error("  final a%u: %lld\n", l,
                    t->final[l] >= COL_NOT_SAID ? -(long long)(UINT32_MAX - t->final[l] + 1)
                                                : (long long)t->final[l]);
    show_violation(violation);
}

typedef struct tally {
    uint32_t allowed[ORACLE_MODEL_COUNT], explained, cycles, tried;
} tally;

static void check_trace(const small_trace *t, oracle_model m, tally *counts) {
    static col_violation violation;
    const col_trace_settings settings = {.model = (col_model)m};
    const bool allowed = small_trace_allowed(m, t);
    col_verdict verdict;
    col_problem problem;
    assert_int_equal(col_trace_check(&t->trace, &settings, &verdict, &violation, &problem), COL_OK);
    counts->allowed[m] += allowed;
    if (verdict != (allowed ? COL_ALLOWED : COL_FORBIDDEN)) {
        show(t, verdict == COL_FORBIDDEN ? &violation : NULL);
        fail_msg("%s: %s by the oracle, verdict %d", oracle_model_names[m],
                 allowed ? "allowed" : "forbidden", (int)verdict);
    }
    const bool told = !allowed && violation.step_count > 0;
    const char *fault = told ? trace_cycle_fault(m, t, &violation) : NULL;
    assert_true(allowed || violation.reason[0] != '\0');
    if (fault != NULL) {
        show(t, &violation);
        fail_msg("%s: a wrong explanation: %s", oracle_model_names[m], fault);
    }
    counts->explained += !allowed;
    counts->cycles += told;
    counts->tried += told && strstr(violation.reason, "tried") != NULL;
}

/* Some writes are said to have replaced what they did by the candidate, or something else. */
static void add_replaced(base_rng *rng, small_trace *t, const candidate *c) {
    const uint32_t count = col_program_operations(&t->trace.program);
    const uint32_t said = below(rng, 3); /* few, half or all of them */
    const bool as_seen = below(rng, 4) > 0;
    t->trace.replaced = t->replaced;
    for (uint32_t i = 0; i < count; i++) {
        t->replaced[i] = COL_NOT_SAID;
        t->replaced_value[i] = 0;
        if (!writes(t, i) || (said < 2 && below(rng, 2 + 4 * (1 - said)) > 0))
            continue;
        t->replaced[i] = COL_INITIAL;
        for (uint32_t j = 0; j < count; j++)
            if (writes(t, j) && i != j &&
                t->trace.program.operations[i].location ==
                    t->trace.program.operations[j].location &&
                (as_seen || below(rng, 8) > 0 ? c->place[j] + 1 == c->place[i]
                                              : below(rng, 3) == 0))
                t->replaced[i] = j;
        if (reads(t, i) && below(rng, 8) > 0)
            t->replaced[i] = t->source[i];
        if (t->replaced[i] != COL_INITIAL)
            t->replaced_value[i] = t->written[t->replaced[i]];
    }
}

/* How many orders of the writes keep those of each thread in order: what the oracle tries at worst.
 * Each write may come at any place among those before it of its location; divided by the places
 * among those of its thread. */
static double orders_of_writes(const col_program *program) {
    double orders = 1;
    for (uint32_t i = 0; i < col_program_operations(program); i++) {
        uint32_t here = 1, own = 1;
        for (uint32_t j = 0; j < i; j++) {
            if (!col_kinds[program->operations[j].kind].writes ||
                program->operations[j].location != program->operations[i].location)
                continue;
            here++;
            own += col_program_thread_of(program, i) == col_program_thread_of(program, j);
        }
        if (col_kinds[program->operations[i].kind].writes)
            orders *= (double)here / own;
    }
    return orders;
}

static void random_trace(base_rng *rng, col_program *program, const mixture *m, small_trace *t) {
    candidate c;
    do
        random_program(rng, m, program);
    while (orders_of_writes(program) > MOST_ORDERS);
    if (below(rng, 2) == 0 || !candidate_make_subtle(rng, program, &c))
        candidate_make(rng, program, &c);
    small_trace_make(t, program, &c);
    small_trace_vary(rng, t, &c);
    if (below(rng, 3) == 0)
        add_replaced(rng, t, &c);
}

static void check_random_traces(uint32_t count, uint64_t seed, mixture mix) {
    const uint32_t most_locations = mix.locations;
    col_program program = COL_PROGRAM_EMPTY;
    small_trace t = {.trace = COL_TRACE_EMPTY};
    tally counts = {0};
    base_rng rng;
    base_rng_seed(&rng, seed, 0);
    for (uint32_t i = 0; i < count; i++) {
        mix.locations = 1 + below(&rng, most_locations);
        mix.atomic = !mix.plain && below(&rng, 4) == 0;
        mix.paired = true;
        random_trace(&rng, &program, &mix, &t);
        for (oracle_model k = 0; k < ORACLE_MODEL_COUNT; k++)
            check_trace(&t, k, &counts);
    }
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++) {
        print_message("%s: %u allowed, %u forbidden\n", oracle_model_names[m], counts.allowed[m],
                      count - counts.allowed[m]);
        assert_true(counts.allowed[m] > count / 10 && count - counts.allowed[m] > count / 10);
    }
    print_message("%u explanations, %u with steps, %u by cases\n", counts.explained, counts.cycles,
                  counts.tried);
    assert_true(2 * counts.cycles > counts.explained && 10 * counts.tried < counts.cycles);
    small_trace_free(&t);
    col_program_free(&program);
}

TEST(traces_get_the_oracles_verdict) {
    check_random_traces(
        TRACES, 1,
        (mixture){.threads = 4, .operations = 11, .locations = 3, .packed = true, .awaits = true});
}

TEST(crowded_traces_get_the_oracles_verdict) {
    check_random_traces(
        CROWDED, 2,
        (mixture){.threads = 4, .operations = 16, .locations = 2, .packed = true, .awaits = true});
    check_random_traces(
        CROWDED / 2, 4,
        (mixture){.threads = 6, .operations = 18, .locations = 2, .packed = true, .plain = true});
}

typedef struct rare_run {
    const col_program *program;
    small_trace t;
    tally counts;
} rare_run;

static bool check_outcome(void *context, const outcome *seen) {
    rare_run *run = context;
    candidate c;
    candidate_of(run->program, seen, &c);
    small_trace_make(&run->t, run->program, &c);
    for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++)
        check_trace(&run->t, m, &run->counts);
    return true;
}

TEST(rare_programs_get_the_oracles_verdict) {
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    for (uint32_t i = 0; rare_programs[i] != NULL; i++) {
        rare_run run = {.program = &program, .t = {.trace = COL_TRACE_EMPTY}};
        assert_int_equal(col_program_read(&program, rare_programs[i], strlen(rare_programs[i]),
                                          "rare", &problem),
                         COL_OK);
        oracle_each_candidate(&program, NULL, 0, check_outcome, &run);
        assert_true(run.counts.allowed[ORACLE_SC] > 0 && run.counts.explained > 0);
        small_trace_free(&run.t);
    }
    col_program_free(&program);
}

/* Times may be ignored, and mean nothing to other models than WMO. */
TEST(times_are_wmos_and_optional) {
    const mixture m = {.threads = 3, .operations = 9, .locations = 2, .packed = true};
    col_program program = COL_PROGRAM_EMPTY;
    small_trace t = {.trace = COL_TRACE_EMPTY};
    uint32_t differ = 0;
    base_rng rng;
    col_problem problem;
    base_rng_seed(&rng, 3, 0);
    for (uint32_t i = 0; i < CROWDED || (differ == 0 && i < 100 * CROWDED); i++) {
        random_trace(&rng, &program, &m, &t);
        for (oracle_model k = 0; k < ORACLE_MODEL_COUNT; k++) {
            col_verdict timed, ignored, without;
            col_trace_settings settings = {.model = (col_model)k};
            t.trace.begin = t.times.begin;
            t.trace.end = t.times.end;
            assert_int_equal(col_trace_check(&t.trace, &settings, &timed, NULL, &problem), COL_OK);
            settings.ignore_times = true;
            assert_int_equal(col_trace_check(&t.trace, &settings, &ignored, NULL, &problem),
                             COL_OK);
            t.trace.begin = t.trace.end = NULL;
            assert_int_equal(col_trace_check(&t.trace, &settings, &without, NULL, &problem),
                             COL_OK);
            assert_int_equal(ignored, without);
            if (k != ORACLE_WMO)
                assert_int_equal(timed, without);
            differ += timed != without;
        }
    }
    assert_true(differ > 0);
    small_trace_free(&t);
    col_program_free(&program);
}

/* ---- Litmus tests. */

typedef struct litmus_run {
    oracle_model model;
    const litmus *test;
    small_trace *t;
    bool reached, expected;
} litmus_run;

/* A condition on replaced words is more than a trace shows: what counts is whether some order of
 * writes is allowed for what the candidate's reads returned. */
static bool run_candidate(void *context, const outcome *seen) {
    litmus_run *run = context;
    candidate c;
    col_verdict verdict;
    col_problem problem;
    const col_trace_settings settings = {.model = (col_model)run->model};
    candidate_of(&run->test->program, seen, &c);
    small_trace_make(run->t, &run->test->program, &c);
    assert_int_equal(col_trace_check(&run->t->trace, &settings, &verdict, NULL, &problem), COL_OK);
    assert_int_equal(verdict,
                     small_trace_allowed(run->model, run->t) ? COL_ALLOWED : COL_FORBIDDEN);
    run->reached |= verdict == COL_ALLOWED;
    return true;
}

static bool speaks_of_replaced_words(const litmus *test) {
    for (uint32_t i = 0; i < test->count; i++)
        if (test->conditions[i].replaced)
            return true;
    return false;
}

TEST(litmus_tests_get_their_verdicts) {
    litmus test = {.program = COL_PROGRAM_EMPTY};
    small_trace t = {.trace = COL_TRACE_EMPTY};
    uint32_t wrong = 0, compared = 0;
    glob_t paths;
    col_problem problem;
    assert_int_equal(litmus_list(&paths, &problem), COL_OK);
    for (size_t i = 0; i < paths.gl_pathc; i++) {
        assert_int_equal(litmus_read(paths.gl_pathv[i], &test, &problem), COL_OK);
        for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++) {
            litmus_run run = {.model = m, .test = &test, .t = &t};
            oracle_each_candidate(&test.program, test.conditions, test.count, run_candidate, &run);
            if (speaks_of_replaced_words(&test))
                continue;
            compared++;
            if (run.reached == test.verdicts[m])
                continue;
            print_error("%s: %s should say %s\n", test.name, oracle_model_names[m],
                        test.verdicts[m] ? "yes" : "no");
            wrong++;
        }
    }
    assert_true(compared > 1000);
    assert_int_equal(wrong, 0);
    globfree(&paths);
    small_trace_free(&t);
    litmus_free(&test);
}
