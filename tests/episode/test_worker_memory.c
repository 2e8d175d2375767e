/* SPDX-License-Identifier: MIT */
/* Memory that runs out while an instance runs, or while a program is tried: what comes after it
 * must not make it forgotten. */
#include "collider/episode.h"

#include "episode/shrink/shrink_trial.h"
#include "episode/worker_pool.h"
#include "episodes.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#if defined(__GLIBC__) && !defined(SANITIZED) /* sanitizers have a realloc of their own */

/* The libc's own, under the name that is left when ours takes its place. */
extern void *__libc_realloc(void *memory, size_t size); /* NOLINT(bugprone-reserved-identifier) */

static uint64_t fails_at, calls; /* 0: never */

void *realloc(void *memory, size_t size) {
    return ++calls == fails_at ? NULL : __libc_realloc(memory, size);
}

static col_episode_settings small(void) {
    col_episode_settings s = small_episode("msi", "plain");
    s.setting.design.cores = 2;
    s.operations = (col_range){16, 16};
    s.locations = (col_range){4, 4};
    s.tests = 2;
    s.watches = true; /* events are kept */
    return s;
}

/* What can be done without is not told, and then the episode is the same without it. */
static void fail_each(const col_episode_settings *settings, bool some_can_be_done_without) {
    const col_episode_settings s = *settings;
    col_episode e = {0};
    col_problem problem;
    fails_at = calls = 0;
    assert_int_equal(col_episode_run(&s, &e, &problem), COL_OK);
    const uint64_t all = calls, cycles = e.cycles;
    uint64_t without = 0;
    assert_true(all > 10);
    col_episode_free(&e);
    for (uint64_t at = 1; at <= all; at++) {
        fails_at = at;
        calls = 0;
        const col_status status = col_episode_run(&s, &e, &problem);
        fails_at = 0;
        if (status == COL_OK && some_can_be_done_without) {
            assert_int_equal(e.outcome, COL_PASS);
            assert_int_equal(e.cycles, cycles);
            assert_true(++without < all / 10);
            col_episode_free(&e);
            continue;
        }
        if (status == COL_OK)
            fail_msg("allocation %d of %d failed, and nobody was told", (int)at, (int)all);
        assert_int_equal(status, COL_FAILURE);
        assert_non_null(strstr(problem.message, "out of memory"));
        assert_int_equal(e.outcome, COL_INCOMPLETE);
        col_episode_free(&e);
    }
}

TEST(every_failed_allocation_of_an_episode_is_reported) {
    const col_episode_settings s = small();
    fail_each(&s, false);
}

/* A model in cat takes memory of its own: for its text, and for relations when it judges. */
TEST(every_failed_allocation_of_a_cat_model_is_reported) {
    col_episode_settings s = small();
    s.watches = false;
    s.setting.model_file = "power.cat";
    fail_each(&s, true);
}

/* Of a program that passes, so that it is run with all seeds, part by part. */
TEST(every_failed_allocation_of_a_trial_is_reported) {
    const col_episode_settings s = small();
    col_shrink_settings settings;
    col_program program = COL_PROGRAM_EMPTY;
    const uint32_t lengths[] = {6, 6};
    col_problem problem;
    col_shrink_default(&settings);
    settings.seeds = 8;
    assert_int_equal(col_program_shape(&program, 2, lengths, 1, &problem), COL_OK);
    program.addresses[0] = 64;
    for (uint32_t o = 0; o < 12; o++)
        program.operations[o] = (col_operation){.kind = COL_LOAD};
    uint64_t all = 1;
    for (uint64_t at = 0; at <= all; at++) {
        epi_trial trial = {.settings = &settings, .outcome = COL_VIOLATION};
        assert_int_equal(epi_trial_open(&trial, &s.setting, &problem), COL_OK);
        calls = 0;
        fails_at = at;
        const epi_answer answer = epi_trial_ask(&trial, &program);
        fails_at = 0;
        if (at == 0)
            all = calls;
        assert_int_equal(trial.status, at == 0 ? COL_OK : COL_FAILURE);
        assert_int_equal(answer, at == 0 ? EPI_PASSES : EPI_NO_ANSWER);
        epi_trial_close(&trial);
    }
    assert_true(all > 0);
    col_program_free(&program);
}

#else

int main(void) {
    return 0;
}

#endif
