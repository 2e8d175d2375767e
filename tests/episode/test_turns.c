/* SPDX-License-Identifier: MIT */
/* Of some designs there can be one alone. Workers take turns with it, and judge side by side. */
#include "episodes.h"
#include "harness.h"

static col_episode run_with(uint32_t jobs, uint64_t seed) {
    col_episode_settings s = small_episode(RARE_DESIGN, "plain");
    col_episode episode;
    s.setting.design.cores = 2;
    s.setting.design.options = "alone";
    s.setting.design.reads_only = true;
    s.operations = (col_range){128, 512};
    s.has_operations = true;
    s.instances = 8;
    s.jobs = jobs;
    s.seed = seed;
    run_episode(&s, &episode);
    return episode;
}

TEST(workers_that_share_a_design_find_what_one_finds) {
    uint32_t failed = 0;
    enum { SEEDS = 12 };
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        col_episode one = run_with(1, seed), several = run_with(4, seed);
        assert_int_equal(several.outcome, one.outcome);
        assert_int_equal(several.failure.seed, one.failure.seed);
        assert_int_equal(several.tests, one.tests);
        assert_int_equal(several.instances, one.instances);
        assert_int_equal(several.cycles, one.cycles);
        failed += one.outcome != COL_PASS;
        col_episode_free(&one);
        col_episode_free(&several);
    }
    assert_true(failed > 0 && failed < SEEDS);
}
