/* SPDX-License-Identifier: MIT */
/*
 * Traces in which nothing tells the order of writes, and only trying shows whether there is one.
 * Each location has two writes, and one of them is the later one: this is a choice. A thread that
 * reads word v of one location, and behind a fence the word of another location that is not u,
 * says: if u is the later one there, then v came before u. So arrows from v to u are drawn at
 * random, and the trace is allowed exactly if for each location a word can be chosen so that there
 * is no cycle of arrows between chosen words. This is as hard as any formula; here all choices are
 * tried.
 */
#include "candidates.h"

#include "base/random.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>
#include <string.h>

#ifdef REDUCED
enum { SMALL = 200, LARGE = 20 };
#else
enum { SMALL = 2000, LARGE = 200 };
#endif

enum { MOST_LOCATIONS = 14, MOST_ARROWS = 400 };

/* Word 2 * location + k, k 0 or 1, is that of the k-th write. */
typedef struct arrow {
    uint32_t from, to;
} arrow;

typedef struct puzzle {
    uint32_t locations, arrow_count;
    arrow arrows[MOST_ARROWS];
} puzzle;

static void draw(base_rng *rng, uint32_t locations, uint32_t arrows, puzzle *p) {
    *p = (puzzle){.locations = locations, .arrow_count = arrows};
    for (uint32_t i = 0; i < arrows; i++) {
        const uint32_t from = below(rng, 2 * locations);
        const uint32_t there = (from / 2 + 1 + below(rng, locations - 1)) % locations;
        p->arrows[i] = (arrow){from, 2 * there + below(rng, 2)};
    }
}

/* Bit l of `chosen`: which word of location l is the later one. */
static bool is_chosen(uint32_t chosen, uint32_t word) {
    return (chosen >> (word / 2) & 1) == (word & 1);
}

static bool has_cycle(const puzzle *p, uint32_t chosen) {
    uint32_t left = (1U << p->locations) - 1; /* locations that may be on one */
    for (bool fewer = true; fewer;) {
        uint32_t reached = 0;
        for (uint32_t i = 0; i < p->arrow_count; i++) {
            const arrow *a = &p->arrows[i];
            if (is_chosen(chosen, a->from) && is_chosen(chosen, a->to) &&
                (left >> (a->from / 2) & 1) != 0)
                reached |= 1U << (a->to / 2);
        }
        fewer = (left & reached) != left;
        left &= reached;
    }
    return left != 0;
}

static bool has_solution(const puzzle *p) {
    for (uint32_t chosen = 0; chosen < 1U << p->locations; chosen++)
        if (!has_cycle(p, chosen))
            return true;
    return false;
}

/* ---- As a trace. */

static void *zeroed(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

/* A thread for each write, then one for each arrow. */
static void shape(const puzzle *p, col_program *program) {
    const uint32_t writes = 2 * p->locations, threads = writes + p->arrow_count;
    uint32_t *lengths = zeroed(threads, sizeof *lengths);
    col_problem problem;
    for (uint32_t t = 0; t < threads; t++)
        lengths[t] = t < writes ? 1 : 3;
    assert_int_equal(col_program_shape(program, threads, lengths, p->locations, &problem), COL_OK);
    free(lengths);
    for (uint32_t l = 0; l < p->locations; l++)
        program->addresses[l] = UINT64_C(64) * (l + 1);
    for (uint32_t w = 0; w < writes; w++)
        program->operations[w] =
            (col_operation){.kind = COL_STORE, .location = w / 2, .value = w + 1};
    for (uint32_t i = 0; i < p->arrow_count; i++) {
        col_operation *o = &program->operations[writes + 3 * i];
        o[0] = (col_operation){.kind = COL_LOAD, .location = p->arrows[i].from / 2};
        o[1] = (col_operation){.kind = COL_FENCE, .fence = COL_FULL_FENCE};
        o[2] = (col_operation){.kind = COL_LOAD, .location = p->arrows[i].to / 2};
    }
}

static void make_trace(const puzzle *p, col_trace *trace) {
    *trace = (col_trace)COL_TRACE_EMPTY;
    shape(p, &trace->program);
    const uint32_t count = col_program_operations(&trace->program);
    trace->source = zeroed(count, sizeof *trace->source);
    trace->read = zeroed(count, sizeof *trace->read);
    trace->written = zeroed(count, sizeof *trace->written);
    trace->line = zeroed(count, sizeof *trace->line);
    trace->thread_names = zeroed(trace->program.thread_count, sizeof *trace->thread_names);
    trace->location_names = zeroed(p->locations, sizeof *trace->location_names);
    for (uint32_t w = 0; w < 2 * p->locations; w++)
        trace->written[w] = w + 1;
    for (uint32_t i = 0; i < p->arrow_count; i++) {
        const uint32_t first = 2 * p->locations + 3 * i;
        trace->source[first] = p->arrows[i].from;
        trace->source[first + 2] = p->arrows[i].to ^ 1;
        trace->read[first] = trace->source[first] + 1;
        trace->read[first + 2] = trace->source[first + 2] + 1;
    }
}

/* ---- Verdicts. */

typedef struct tally {
    uint32_t solved, unsolved, by_cases;
} tally;

static void check_puzzle(const puzzle *p, tally *counts) {
    const bool solvable = has_solution(p);
    col_violation violation = {0};
    col_trace trace;
    make_trace(p, &trace);
    for (col_model m = 0; m < COL_MODEL_COUNT; m++) {
        const col_trace_settings settings = {.model = m};
        col_verdict verdict;
        col_problem problem;
        assert_int_equal(col_trace_check(&trace, &settings, &verdict, &violation, &problem),
                         COL_OK);
        if (verdict != (solvable ? COL_ALLOWED : COL_FORBIDDEN))
            fail_msg("%s: %u locations, %u arrows: %s", col_models[m], p->locations, p->arrow_count,
                     solvable ? "allowed" : "forbidden");
        counts->by_cases += !solvable && strstr(violation.reason, "tried") != NULL;
    }
    counts->solved += solvable;
    counts->unsolved += !solvable;
    col_violation_free(&violation);
    col_trace_free(&trace);
}

static void check_puzzles(uint32_t count, uint64_t seed, uint32_t locations, uint32_t arrows) {
    tally counts = {0};
    puzzle p;
    base_rng rng;
    base_rng_seed(&rng, seed, 0);
    for (uint32_t i = 0; i < count; i++) {
        draw(&rng, locations, arrows - below(&rng, arrows / 4), &p);
        check_puzzle(&p, &counts);
    }
    print_message("%u locations: %u can be solved, %u cannot, %u refused by cases\n", locations,
                  counts.solved, counts.unsolved, counts.by_cases);
    assert_true(counts.solved > count / 10 && counts.unsolved > count / 10);
    assert_true(counts.by_cases > 0);
}

TEST(puzzles_are_solved) {
    check_puzzles(SMALL, 1, 3, 32);
    check_puzzles(SMALL, 2, 5, 56);
    check_puzzles(LARGE, 3, 8, 92);
    check_puzzles(LARGE, 4, 13, 160);
}

/* That a trace is allowed if and only if there is a solution, by the word of the oracles. */
TEST(puzzles_are_allowed_if_and_only_if_solvable) {
    puzzle p;
    small_trace t = {.trace = COL_TRACE_EMPTY};
    base_rng rng;
    base_rng_seed(&rng, 5, 0);
    for (uint32_t i = 0; i < SMALL / 10; i++) {
        candidate c = {0};
        col_trace trace;
        draw(&rng, 3, 12 + below(&rng, 7), &p);
        make_trace(&p, &trace);
        memcpy(c.source, trace.source, col_program_operations(&trace.program) * sizeof *c.source);
        small_trace_make(&t, &trace.program, &c);
        for (oracle_model m = 0; m < ORACLE_MODEL_COUNT; m++)
            assert_int_equal(small_trace_allowed(m, &t), has_solution(&p));
        col_trace_free(&trace);
    }
    small_trace_free(&t);
}

/* A budget that is too small may leave a trace undecided, and never decides it wrongly. */
TEST(small_budgets_may_end_without_a_verdict) {
    base_rng rng;
    base_rng_seed(&rng, 6, 0);
    for (uint32_t i = 0; i < LARGE / 10; i++) {
        puzzle p;
        col_trace trace;
        col_verdict verdict;
        col_problem problem;
        const col_trace_settings settings = {.model = COL_SC, .budget = 1e-9};
        draw(&rng, 13, 145, &p);
        make_trace(&p, &trace);
        assert_int_equal(col_trace_check(&trace, &settings, &verdict, NULL, &problem), COL_OK);
        if (verdict != COL_UNDECIDED)
            assert_int_equal(verdict, has_solution(&p) ? COL_ALLOWED : COL_FORBIDDEN);
        col_trace_free(&trace);
    }
}
