/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * Every error of the library is found by a few quick tests, which find nothing in the design
 * without it.
 */
#include "collider/check.h"
#include "collider/duv.h"
#include "collider/episode.h"
#include "collider/generate.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>

#ifdef REDUCED
enum { QUIET_TESTS = 15, STEP = 6 };
#else
enum { QUIET_TESTS = 100, STEP = 1 };
#endif

/* Small tests that show each error quickly. What is the same as another is not run again. */
static const struct finding {
    const char *design, *error;
    uint32_t cores, operations, locations, sets;
    const char *engine;
    col_outcome outcome;
} findings[] = {
    {"mesi3", "D0", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi3", "D1", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi3", "D2", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi3", "D3", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi3", "D4", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi3", "D5", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi3", "D6", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi3", "D7", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi3", "D8", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi3", "D9", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi3", "E.4.3", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi3", "E.4.4", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi3", "E.4.7", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi3", "E.4.8", 4, 256, 4, 2, "plain-bias", COL_VIOLATION},
    {"mesi3", "E.4.9", 4, 1024, 4, 1, "chain-bias", COL_VIOLATION},
    {"moesi2", "e.5.1", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"moesi2", "e.5.2", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"moesi2", "e.5.3", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"moesi2", "e.5.4", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"moesi2", "e.5.5", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi2", "MESI,LQ+IS,Inv", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi2", "MESI,LQ+E,Inv", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi2", "MESI,LQ+M,Inv", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi2", "MESI,LQ+S,Replacement", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi2", "MESI+PUTX-Race", 4, 1024, 16, 1, "chain-bias", COL_PROTOCOL_WRONG},
    {"mesi2", "MESI+Replace-Race", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi2", "MESI+lost-sharer", 4, 1024, 16, 1, "chain-bias", COL_PROTOCOL_WRONG},
    {"mesi2", "MESI+no-wake-up", 4, 1024, 16, 1, "chain-bias", COL_DEADLOCKED},
    {"mesi2", "LQ+no-TSO", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"tsocc", "TSO-CC+no-epoch-ids", 4, 4096, 4, 2, "chain-bias", COL_VIOLATION},
    {"tsocc", "TSO-CC+compare", 4, 1024, 4, 2, "chain-bias", COL_VIOLATION},
    {"tsocc", "LQ+no-TSO", 4, 1024, 4, 2, "chain-bias", COL_VIOLATION},
    {"msi", "LQ+no-TSO", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi3", "LQ+no-TSO", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
    {"mesi2", "SQ+no-FIFO", 4, 1024, 16, 1, "chain-bias", COL_VIOLATION},
};
enum { FINDINGS = sizeof findings / sizeof findings[0] };

static void run_episode(const struct finding *f, const char *error, uint64_t tests,
                        col_episode *episode) {
    col_problem problem;
    col_episode_settings s;
    col_episode_default(&s);
    s.setting.design.name = f->design;
    s.setting.design.error = error;
    s.setting.design.cores = f->cores;
    s.operations = (col_range){f->operations, f->operations};
    s.locations = (col_range){f->locations, f->locations};
    s.sets = f->sets;
    s.engine = f->engine;
    s.tests = tests;
    s.seconds = 0;
    *episode = (col_episode){0};
    if (col_episode_run(&s, episode, &problem) != COL_OK)
        fail_msg("%s: %s", f->error, problem.message);
}

/* The same tests find nothing in the correct design. */
TEST(errors_are_found_and_only_errors) {
    for (size_t i = 0; i < FINDINGS; i += STEP) {
        col_episode wrong, right;
        run_episode(&findings[i], findings[i].error, 60, &wrong);
        if (wrong.outcome != findings[i].outcome)
            fail_msg("%s %s: %s after %llu tests: %s", findings[i].design, findings[i].error,
                     col_outcomes[wrong.outcome], (unsigned long long)wrong.tests,
                     wrong.failure.reason);
        run_episode(&findings[i], NULL, wrong.tests, &right);
        assert_int_equal(right.outcome, COL_PASS);
        col_episode_free(&wrong);
        col_episode_free(&right);
    }
}

/* Tests with two locations in a block, or each in a block of its own; true: the checker objects. */
static bool is_violated(const char *wrong, col_sharing sharing, uint64_t tests) {
    const col_duv_settings settings = {.cores = 4, .error = wrong};
    col_program program = COL_PROGRAM_EMPTY;
    col_generator *generator = col_generator_new();
    col_generation generation;
    col_checker *checker;
    col_duv *duv;
    bool is_found = false;
    assert_int_equal(col_duv_open(&duv, "mesi2", &settings, NULL), COL_OK);
    assert_int_equal(col_checker_new(&checker, col_duv_describe(duv)->model, NULL), COL_OK);
    const col_observer observer = col_checker_observer(checker);
    col_generation_default(&generation);
    generation.threads = 4;
    generation.operations = 512;
    generation.locations = 4;
    generation.addressing.geometry = col_duv_describe(duv)->geometry;
    col_addressing_bias(&generation.addressing, 1);
    generation.addressing.alignment_bits = 3;
    generation.addressing.sharing = sharing;
    for (uint64_t seed = 0; seed < tests && !is_found; seed++) {
        col_run run;
        assert_int_equal(col_generate(generator, &generation, seed, 0, &program, NULL), COL_OK);
        assert_int_equal(col_checker_load(checker, &program, NULL), COL_OK);
        assert_int_equal(col_duv_load(duv, &program, NULL), COL_OK);
        assert_int_equal(col_duv_run(duv, seed, &observer, NULL, &run, NULL), COL_OK);
        is_found = !col_checker_finish(checker, run.end == COL_RUN_COMPLETE);
    }
    col_checker_free(checker);
    col_generator_free(generator);
    col_duv_close(duv);
    col_program_free(&program);
    return is_found;
}

TEST(one_error_needs_two_locations_in_a_block) {
    assert_true(is_violated("MESI,LQ+SM,Inv", COL_FALSE_SHARING, 100));
    assert_false(is_violated("MESI,LQ+SM,Inv", COL_TRUE_SHARING, QUIET_TESTS));
    assert_false(is_violated(NULL, COL_FALSE_SHARING, QUIET_TESTS));
}

int main(void) {
    (void)unsetenv("COLLIDER_ERRORS"); /* the library alone */
    return run_all_tests(NULL, NULL);
}
