/* SPDX-License-Identifier: MIT */
/* ctest: long */
/*
 * A recurrent agent with all parts of Rainbow learns to remember a sign until it comes to the
 * junction. Without memory it cannot be done, however long one learns: the best that can be had is
 * known in both cases.
 */
#include "base/random.h"
#include "engine/learn/maze.h"

#include "harness.h"

#include <math.h>

enum { MOST_LIVES = 600, LIVES_WITHOUT = 200 };

TEST(the_best_return_is_computed_correctly) {
    double with = 0, without = 0;
    for (uint32_t length = MAZE_SHORTEST; length <= MAZE_LONGEST; length++) {
        double walked = 0, factor = 1;
        for (uint32_t i = 0; i < length; i++, factor *= MAZE_DISCOUNT)
            walked -= 0.05 * factor;
        with += walked + factor; /* on, and to the right side */
    }
    with /= MAZE_LONGEST - MAZE_SHORTEST + 1;
    assert_true(fabs(maze_best() - with) < 1e-9);
    /* One of both sides, always: as often wrong as right. Better: not to turn, where it costs. */
    without = maze_best_without_memory();
    assert_true(without < 0.5 * with);
}

static lrn_agent *make_agent(const lrn_settings *settings, uint64_t seed, base_rng *rng) {
    lrn_agent *agent = NULL;
    col_problem problem = {0};
    base_rng_seed(rng, seed, 9);
    assert_int_equal(lrn_agent_new(&agent, settings, seed, &problem), COL_OK);
    return agent;
}

static void assert_solves(uint64_t seed) {
    base_rng rng;
    lrn_agent *agent = make_agent(&maze_settings, seed, &rng);
    const double enough = 0.95 * maze_best();
    uint32_t life = 0;
    double value = -1;
    while (value < enough && life < MOST_LIVES) {
        (void)maze_live(agent, (uint32_t)base_rng_below(&rng, MAZE_COUNT));
        if (++life % 10 == 0)
            value = maze_measure(agent);
    }
    print_message("seed %d: %.4f of %.4f after %u lives\n", (int)seed, value, maze_best(), life);
    assert_true(value >= enough && value <= maze_best() + 1e-9);
    lrn_agent_free(agent);
}

TEST(an_agent_with_memory_learns_the_maze) {
#ifdef REDUCED
    assert_solves(2);
#else
    for (uint64_t seed = 1; seed <= 3; seed++)
        assert_solves(seed);
#endif
}

/* The same agent that sees one step: whatever it learns, it is not better than the best without
 * memory. It comes to that, too. */
TEST(without_memory_there_is_a_limit) {
    lrn_settings settings = maze_settings;
    base_rng rng;
    double most = -1;
    settings.history = 1;
    lrn_agent *agent = make_agent(&settings, 1, &rng);
    for (uint32_t life = 1; life <= LIVES_WITHOUT; life++) {
        (void)maze_live(agent, (uint32_t)base_rng_below(&rng, MAZE_COUNT));
        const double value = maze_measure(agent);
        assert_true(value <= maze_best_without_memory() + 1e-9);
        most = value > most ? value : most;
    }
    assert_true(most > maze_best_without_memory() - 0.05);
    lrn_agent_free(agent);
}
