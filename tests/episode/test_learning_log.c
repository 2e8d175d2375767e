/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * The log of learning: a row for each test that an action made and whose feedback the engine was
 * told, the same whether the episode had a break or not.
 */
#include "collider/episode.h"

#include "base/file.h"
#include "episodes.h"
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TESTS = 18 };

static char log_path[128], other_path[128];

static col_episode_settings small(const char *engine) {
    col_episode_settings s = small_episode("mesi2", engine);
    s.tests = TESTS;
    s.engine_options = strcmp(engine, "rag") == 0 ? NULL : "warm-up=4,batch=2,replay=64";
    s.learning_log = log_path;
    (void)snprintf(log_path, sizeof log_path, "%s/log.csv", folder);
    (void)snprintf(other_path, sizeof other_path, "%s/other.csv", folder);
    return s;
}

static void run(const col_episode_settings *s) {
    col_problem problem;
    col_episode episode = {0};
    if (col_episode_run(s, &episode, &problem) != COL_OK)
        fail_msg("%s: %s", s->engine, problem.message);
    col_episode_free(&episode);
}

static char *content(const char *path) {
    base_text text = {0};
    col_problem problem;
    if (base_file_read(path, &text, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return text.data;
}

static uint32_t count(const char *text, char wanted) {
    uint32_t found = 0;
    for (; *text != '\0'; text++)
        found += *text == wanted;
    return found;
}

static const char *const learning[] = {"rlg", "rlg-chain", "rag", "dqg-rf", NULL};

TEST(every_test_with_feedback_has_a_row) {
    for (size_t e = 0; learning[e] != NULL; e++) {
        const col_episode_settings s = small(learning[e]);
        run(&s);
        char *text = content(log_path), *line = text;
        const uint32_t columns = count(strtok_r(text, "\n", &line), ',');
        /* Not of the first test, which no action made, nor of the last, which nobody told. */
        for (unsigned long test = 2; test < TESTS; test++) {
            const char *row = strtok_r(NULL, "\n", &line);
            assert_non_null(row);
            assert_int_equal(strtoul(row, NULL, 10), test);
            assert_int_equal(count(row, ','), columns);
        }
        assert_null(strtok_r(NULL, "\n", &line));
        free(text);
    }
}

/* What episodes that end earlier had done and covered. */
typedef struct standing {
    uint64_t cycles, covered, total;
} standing;

static standing stand_after(col_episode_settings s, uint64_t tests) {
    col_problem problem;
    col_episode episode = {0};
    s.tests = tests;
    s.learning_log = NULL;
    if (col_episode_run(&s, &episode, &problem) != COL_OK)
        fail_msg("%s: %s", s.engine, problem.message);
    const col_covered all =
        col_coverage_of(episode.coverage, COL_CUMULATIVE, s.metric, COL_ALL_MACHINES);
    const standing result = {episode.cycles, all.covered, all.total};
    col_episode_free(&episode);
    return result;
}

/* A row has the cycles and the coverage after its test, and the reward of what that one gained. */
TEST(each_row_describes_its_test) {
    enum { ROWS_END = 8 };
    for (int functional = 0; functional < 2; functional++) {
        col_episode_settings s = small("dqg-rf");
        s.engine_options = "warm-up=4,batch=2,replay=64,most-reward=100";
        s.metric = functional != 0 ? COL_FUNCTIONAL : COL_STRUCTURAL;
        run(&s);
        char *text = content(log_path), *line = NULL;
        (void)strtok_r(text, "\n", &line);
        standing before = stand_after(s, 1);
        for (uint64_t test = 2; test < ROWS_END; test++) {
            const standing after = stand_after(s, test);
            unsigned long long number, cycles, covered;
            double reward = -1;
            const char *row = strtok_r(NULL, "\n", &line);
            assert_non_null(row);
            assert_int_equal(sscanf(row, "%llu,%llu,%llu,%*u,%*u,%*u,%*[^,],%*d,%*f,%lf", &number,
                                    &cycles, &covered, &reward),
                             4);
            assert_int_equal(number, test);
            assert_int_equal(cycles, after.cycles);
            assert_int_equal(covered, after.covered);
            const double gained = (double)(after.covered - before.covered);
            assert_true(fabs(reward - 100 * gained / (double)after.total) < 1e-6);
            before = after;
        }
        free(text);
    }
}

/* Training begins within these tests, else the losses would not be seen. */
TEST(losses_and_values_are_logged) {
    const col_episode_settings s = small("rlg-chain");
    run(&s);
    char *text = content(log_path), *line = NULL, *field = NULL;
    assert_non_null(strstr(text, ",reward,loss,value:"));
    char *last = text;
    for (char *row = strtok_r(text, "\n", &line); row != NULL; row = strtok_r(NULL, "\n", &line))
        last = row;
    uint32_t place = 0;
    for (const char *at = strtok_r(last, ",", &field); at != NULL;
         at = strtok_r(NULL, ",", &field), place++)
        if (place == 10)
            assert_true(strtod(at, NULL) > 0);
    assert_int_equal(place, 11 + 6);
    free(text);
}

TEST(resuming_leaves_no_trace_in_the_log) {
    for (size_t e = 0; learning[e] != NULL; e++) {
        col_episode_settings s = small(learning[e]);
        run(&s);
        char *expected = content(log_path);
        s.learning_log = other_path;
        for (uint64_t split = 1; split < TESTS; split += 3) {
            s.tests = split;
            s.save = folder;
            s.resume = NULL;
            run(&s);
            s.tests = TESTS;
            s.save = NULL;
            s.resume = folder;
            /* The second time the rows after the break are there already. */
            for (int again = 0; again < 2; again++) {
                run(&s);
                char *got = content(other_path);
                assert_string_equal(expected, got);
                free(got);
            }
        }
        free(expected);
    }
}

static void assert_refused(const col_episode_settings *s, const char *part) {
    col_problem problem;
    col_episode episode = {0};
    assert_int_equal(col_episode_run(s, &episode, &problem), COL_BAD_INPUT);
    if (strstr(problem.message, part) == NULL)
        fail_msg("'%s' does not say '%s'", problem.message, part);
    col_episode_free(&episode);
}

TEST(logging_an_engine_that_does_not_learn_is_refused) {
    col_episode_settings s = small("htg");
    s.engine_options = NULL;
    assert_refused(&s, "does not learn");
    s = small("rag");
    s.learning_log = "-";
    assert_refused(&s, "is a file");
    /* A log of another engine is not overwritten by a resumed episode. */
    s = small("rag");
    s.tests = 2;
    s.save = folder;
    run(&s);
    s.save = NULL;
    s.resume = folder;
    assert_int_equal(base_file_write(log_path, "my notes\n", 9, NULL), COL_OK);
    assert_refused(&s, "not the log of this engine");
    char *text = content(log_path);
    assert_string_equal(text, "my notes\n");
    free(text);
}

/* A crash may have left half a row. */
TEST(half_a_row_is_dropped) {
    col_episode_settings s = small("rag");
    run(&s);
    char *expected = content(log_path);
    s.tests = 5;
    s.save = folder;
    run(&s);
    FILE *file = fopen(log_path, "a");
    assert_non_null(file);
    (void)fputs("5,123", file);
    assert_int_equal(fclose(file), 0);
    s.tests = TESTS;
    s.save = NULL;
    s.resume = folder;
    run(&s);
    char *text = content(log_path);
    assert_string_equal(expected, text);
    free(text);
    free(expected);
}

int main(void) {
    return run_all_tests(make_folder, remove_folder);
}
