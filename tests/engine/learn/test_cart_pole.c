/* SPDX-License-Identifier: MIT */
/* ctest: long */
/*
 * A deep Q network learns to keep the pole up: 195 of 200 steps on average, the usual mark, by a
 * policy that is frozen and measured apart from learning.
 */
#include "engine/learn/cart_pole.h"

#include "harness.h"

enum { MOST_LIVES = 100, MEASURED = 50, SOLVED = 195 };

static double random_policy(void) {
    lrn_settings settings = cart_pole_settings;
    lrn_agent *agent = NULL;
    col_problem problem = {0};
    base_rng rng;
    double sum = 0;
    settings.last_epsilon = 1;
    settings.warm_up = UINT32_MAX;
    base_rng_seed(&rng, 1, 9);
    assert_int_equal(lrn_agent_new(&agent, &settings, 1, &problem), COL_OK);
    for (uint32_t i = 0; i < MEASURED; i++)
        sum += cart_pole_live(agent, &rng);
    lrn_agent_free(agent);
    return sum / MEASURED;
}

static void assert_solves(uint64_t seed) {
    lrn_agent *agent = NULL;
    col_problem problem = {0};
    base_rng rng;
    base_rng_seed(&rng, seed, 9);
    assert_int_equal(lrn_agent_new(&agent, &cart_pole_settings, seed, &problem), COL_OK);
    uint32_t life = 0;
    double steps = 0;
    while (steps < SOLVED && life < MOST_LIVES) {
        (void)cart_pole_live(agent, &rng);
        if (++life % 10 == 0)
            steps = cart_pole_measure(agent, MEASURED);
    }
    print_message("seed %d: %.1f steps after %u lives\n", (int)seed, steps, life);
    assert_true(steps >= SOLVED);
    lrn_agent_free(agent);
}

TEST(the_pole_stays_up) {
    assert_true(random_policy() < 30);
#ifdef REDUCED
    assert_solves(3);
#else
    for (uint64_t seed = 1; seed <= 3; seed++)
        assert_solves(seed);
#endif
}
