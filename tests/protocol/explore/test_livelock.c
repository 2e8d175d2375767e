/* SPDX-License-Identifier: MIT */
/*
 * Livelocks: what states can get to, against a walk from each of them; and that protocols of ours
 * have none with two blocks. That a search with symmetry finds the same ones as one without is in
 * test_reductions.c, and a protocol with a livelock is in tests/data/livelock.
 */
#include "base/random.h"
#include "protocol/explore/search_parts.h"
#include "protocol/explore/tiny.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>

enum { STATES = 60, CORES = 3, BLOCKS = 2, MARKS = CORES * BLOCKS * 2 + 1, GRAPHS = 300 };

typedef struct plain_step {
    uint32_t from, to;
    exp_renaming names;
} plain_step;

static void shuffle(base_rng *rng, uint8_t *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        list[i] = (uint8_t)i;
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t other = (uint32_t)base_rng_below(rng, i);
        const uint8_t moved = list[i - 1];
        list[i - 1] = list[other];
        list[other] = moved;
    }
}

/* A mark by the names after the step; the last one has no name. */
static uint32_t rename_mark(const plain_step *step, uint32_t mark) {
    if (mark == MARKS - 1)
        return mark;
    const uint32_t core = mark / 2 / BLOCKS, block = mark / 2 % BLOCKS;
    return (step->names.core[core] * (uint32_t)BLOCKS + step->names.block[block]) * 2 + mark % 2;
}

/* Is there a way from the state to one with the mark? States with marks are walked, all of them. */
static bool reaches(const plain_step *steps, uint32_t count, const uint64_t *marks, uint32_t state,
                    uint32_t mark) {
    bool seen[STATES][MARKS] = {{false}};
    uint32_t stack[STATES * MARKS][2], depth = 0;
    seen[state][mark] = true;
    stack[depth][0] = state;
    stack[depth++][1] = mark;
    while (depth > 0) {
        const uint32_t s = stack[--depth][0], m = stack[depth][1];
        if ((marks[s] >> m & 1) != 0)
            return true;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t to = steps[i].to, renamed = rename_mark(&steps[i], m);
            if (steps[i].from != s || seen[to][renamed])
                continue;
            seen[to][renamed] = true;
            stack[depth][0] = to;
            stack[depth++][1] = renamed;
        }
    }
    return false;
}

TEST(marks_are_those_that_a_walk_finds) {
    base_rng rng;
    uint32_t missing = 0, found = 0;
    base_rng_seed(&rng, 7, 0);
    for (uint32_t g = 0; g < GRAPHS; g++) {
        state_graph graph = {0};
        plain_step steps[STATES * 3];
        uint64_t marks[STATES];
        uint32_t count = 0;
        for (uint32_t s = 0; s < STATES; s++) {
            assert_true(exp_graph_add_state(&graph, s * 1000 + 1)); /* hashes */
            for (uint64_t n = base_rng_below(&rng, 3); n > 0; n--) {
                plain_step *step = &steps[count++];
                step->from = s;
                step->to = (uint32_t)base_rng_below(&rng, STATES);
                shuffle(&rng, step->names.core, CORES);
                shuffle(&rng, step->names.block, BLOCKS);
                assert_true(exp_graph_add_step(&graph, step->to * UINT64_C(1000) + 1,
                                               exp_renaming_pack(&step->names, CORES, BLOCKS)));
            }
            marks[s] =
                base_rng_below(&rng, 4) == 0 ? UINT64_C(1) << base_rng_below(&rng, MARKS) : 0;
            assert_true(exp_graph_end_state(&graph, marks[s]));
        }
        bool strays;
        assert_true(exp_graph_number(&graph, &strays));
        exp_livelock_mark(&graph, CORES, BLOCKS);
        for (uint32_t s = 0; s < STATES; s += 7)
            for (uint32_t m = 0; m < MARKS; m++) {
                const bool expected = reaches(steps, count, marks, s, m);
                assert_int_equal((graph.marks[s] >> m & 1) != 0, expected);
                *(expected ? &found : &missing) += 1;
            }
        exp_graph_free(&graph);
    }
    assert_true(missing > 1000 && found > 1000);
}

static const struct {
    const char *protocol;
    uint32_t cores, blocks;
} cases[] = {{"mi", 1, 2}, {"msi", 1, 2}, {"mesi2", 1, 2}};

TEST(our_protocols_have_none) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const exp_exploration_settings settings = {
            .blocks = cases[i].blocks, .use_symmetry = true, .finds_livelocks = true};
        sim_system *system = tiny_system(cases[i].protocol, cases[i].cores);
        const exp_exploration found = tiny_explore(system, &settings);
        if (!found.complete)
            fail_msg("%s: %s", cases[i].protocol,
                     found.trace.data == NULL ? "not complete" : found.trace.data);
        sim_system_free(system);
    }
}
