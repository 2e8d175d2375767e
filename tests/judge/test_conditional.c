/* SPDX-License-Identifier: MIT */
/*
 * Conditionals are judged as what they turned out to be: every checker gives an execution in which
 * some failed the verdict of the program in which those are loads (the rewriting here is this
 * test's own), and one in which all have stored the verdict of the oracle.
 */
#include "candidates.h"
#include "collider/check.h"
#include "harness.h"
#include "program/reshape.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 2000, MOST = MOST_SMALL_OPERATIONS };

static const char mix[] = "load=0.25,load-acquire=0.05,load-address=0.05,load-control=0.05,"
                          "store=0.15,store-release=0.05,store-data=0.05,add=0.05,fence=0.05,"
                          "conditional=0.25";

static void rewrite(const col_program *from, const col_event *events, uint32_t count,
                    col_program *to) {
    col_problem problem;
    assert_int_equal(prg_copy(from, to, &problem), COL_OK);
    for (uint32_t i = 0; i < count; i++) {
        col_operation *o = &to->operations[events[i].operation];
        if (o->kind != COL_CONDITIONAL)
            continue;
        if (events[i].kind == COL_LOAD_PERFORMED)
            *o = (col_operation){.kind = COL_LOAD, .location = o->location};
    }
    assert_int_equal(col_program_check(to, &problem), COL_OK);
}

static bool is_allowed(const col_program *program, col_model model, const col_event *events,
                       uint32_t count) {
    col_checker *checker = NULL;
    col_problem problem;
    assert_int_equal(col_checker_new(&checker, model, &problem), COL_OK);
    assert_int_equal(col_checker_load(checker, program, &problem), COL_OK);
    for (uint32_t i = 0; i < count; i++)
        (void)col_checker_notice(checker, &events[i]);
    const bool allowed = col_checker_finish(checker, true);
    assert_true(allowed == (col_checker_violation(checker) == NULL));
    col_checker_restart(checker); /* another instance is judged afresh */
    for (uint32_t i = 0; i < count; i++)
        (void)col_checker_notice(checker, &events[i]);
    assert_int_equal(col_checker_finish(checker, true), allowed);
    col_checker_free(checker);
    return allowed;
}

TEST(one_that_failed_is_a_load) {
    col_program program = COL_PROGRAM_EMPTY, settled = COL_PROGRAM_EMPTY;
    uint32_t verdicts[2] = {0, 0};
    base_rng rng;
    base_rng_seed(&rng, 26, 9);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        col_event events[MOST];
        draw_small_program(mix, round, &program);
        assert_true(col_program_operations(&program) <= MOST);
        const uint32_t count = execute_nearly_in_order(&program, &rng, events);
        rewrite(&program, events, count, &settled);
        for (uint32_t m = 0; m < COL_MODEL_COUNT; m++) {
            const bool allowed = is_allowed(&program, (col_model)m, events, count);
            assert_int_equal(allowed, is_allowed(&settled, (col_model)m, events, count));
            verdicts[allowed]++;
        }
    }
    assert_true(verdicts[0] > ROUNDS / 10 && verdicts[1] > ROUNDS / 10);
    col_program_free(&program);
    col_program_free(&settled);
}

TEST(those_that_stored_get_the_oracles_verdict) {
    col_program program = COL_PROGRAM_EMPTY;
    uint32_t allowed[COL_MODEL_COUNT] = {0};
    base_rng rng;
    base_rng_seed(&rng, 45, 2);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const mixture m = {.threads = 4,
                           .operations = 11,
                           .locations = 1 + below(&rng, 3),
                           .packed = true,
                           .atomic = true,
                           .paired = true};
        uint32_t order[ORACLE_OPERATIONS];
        col_event events[ORACLE_OPERATIONS];
        candidate c;
        outcome seen = {0};
        random_program(&rng, &m, &program);
        if (!candidate_make_subtle(&rng, &program, &c))
            candidate_make(&rng, &program, &c);
        candidate_outcome(&program, &c, &seen);
        candidate_of(&program, &seen, &c);
        const uint32_t count = events_order(&rng, &program, &c, AS_SEEN, order);
        for (uint32_t i = 0; i < count; i++)
            events[i] = event_of(&program, &seen, order[i]);
        for (uint32_t k = 0; k < COL_MODEL_COUNT; k++) {
            const bool wanted = oracle_allows((oracle_model)k, &program, &seen);
            assert_int_equal(is_allowed(&program, (col_model)k, events, count), wanted);
            allowed[k] += wanted;
        }
    }
    for (uint32_t k = 0; k < COL_MODEL_COUNT; k++)
        assert_true(allowed[k] > ROUNDS / 20 && ROUNDS - allowed[k] > ROUNDS / 20);
    col_program_free(&program);
}

/* SB+pair-fence.r.r+fence of tests/data/verdicts: the fence holds the load behind the pair's read,
 * not behind its store. A swap is one operation. */
TEST(a_load_passes_the_store_of_a_pair) {
    const char *const kinds[] = {"conditional", "swap"};
    for (uint32_t k = 0; k < 2; k++) {
        char text[256];
        col_program program = COL_PROGRAM_EMPTY;
        col_problem problem;
        const col_event events[] = {
            {.kind = COL_LOAD_PERFORMED, .operation = 2},
            {.kind = COL_STORE_PERFORMED, .operation = 3, .word = 2},
            {.kind = COL_LOAD_PERFORMED, .operation = 5},
            {.kind = COL_STORE_PERFORMED, .operation = 0, .word = 1},
        };
        (void)snprintf(text, sizeof text,
                       "collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
                       "thread 0\n  %s a0 1\n  fence r,r\n  load a1\n"
                       "thread 1\n  store a1 2\n  fence\n  load a0\nend\n",
                       kinds[k]);
        assert_int_equal(col_program_read(&program, text, strlen(text), "text", &problem), COL_OK);
        for (uint32_t m = 0; m < COL_MODEL_COUNT; m++) {
            const bool may_pass = k == 0 ? m != COL_SC : m == COL_ARMV8;
            assert_int_equal(is_allowed(&program, (col_model)m, events, 4), may_pass);
        }
        col_program_free(&program);
    }
}

/* ---- One at a time. */

static const char *judge(const char *text, const col_event *events, uint32_t count) {
    static char reason[512];
    col_program program = COL_PROGRAM_EMPTY;
    col_checker *checker = NULL;
    col_problem problem;
    assert_int_equal(col_program_read(&program, text, strlen(text), "text", &problem), COL_OK);
    assert_int_equal(col_checker_new(&checker, COL_TSO, &problem), COL_OK);
    assert_int_equal(col_checker_load(checker, &program, &problem), COL_OK);
    for (uint32_t i = 0; i < count; i++)
        (void)col_checker_notice(checker, &events[i]);
    const bool allowed = col_checker_finish(checker, true);
    if (!allowed)
        (void)snprintf(reason, sizeof reason, "%s", col_checker_violation(checker)->reason);
    col_checker_free(checker);
    col_program_free(&program);
    return allowed ? NULL : reason;
}

static const char two_threads[] = "collider program 1\n"
                                  "location a0 0x40\n"
                                  "thread 0\n"
                                  "  conditional a0 1\n"
                                  "thread 1\n"
                                  "  load a0\n"
                                  "end\n";

/* It may fail though nobody else wrote. */
TEST(a_failure_needs_no_reason) {
    const col_event events[] = {{.kind = COL_LOAD_PERFORMED, .operation = 0},
                                {.kind = COL_LOAD_PERFORMED, .operation = 1}};
    assert_null(judge(two_threads, events, 2));
}

TEST(nobody_reads_what_a_failed_one_would_have_stored) {
    const col_event events[] = {{.kind = COL_LOAD_PERFORMED, .operation = 0},
                                {.kind = COL_LOAD_PERFORMED, .operation = 1, .word = 1}};
    const char *reason = judge(two_threads, events, 2);
    assert_non_null(reason);
    assert_non_null(strstr(reason, "load a0"));
}

/* One that succeeds has replaced what it returned. */
TEST(a_successful_one_is_atomic) {
    const col_event events[] = {
        {.kind = COL_STORE_PERFORMED, .operation = 0, .word = 1, .overwritten = 0, .read = 7},
        {.kind = COL_LOAD_PERFORMED, .operation = 1, .word = 1}};
    assert_non_null(judge(two_threads, events, 2));
}

TEST(it_performs_once) {
    const col_event events[] = {{.kind = COL_LOAD_PERFORMED, .operation = 0},
                                {.kind = COL_LOAD_PERFORMED, .operation = 0},
                                {.kind = COL_LOAD_PERFORMED, .operation = 1}};
    assert_non_null(strstr(judge(two_threads, events, 3), "twice"));
    assert_non_null(strstr(judge(two_threads, events + 2, 1), "never"));
}
