/* SPDX-License-Identifier: MIT */
/* How much of a program an action changes, and that chains are chains. */
#include "direct/dqg_support.h"

#include "harness.h"

/* ---- How much an action changes. */

/* A fresh program, and how many of its operations an action changed. */
static double changed_share(dir_dqg_action action, dqg_is_kind *of) {
    enum { ROUNDS = 40 };
    dir_dqg_space space = dqg_space_of((dqg_shape){4, {1024, 1024}, {64, 64}, NULL}, 9);
    dir_dqg_program before = dqg_program_in(&space), after = dqg_program_in(&space);
    double changed = 0, all = 0;
    base_rng rng;
    base_rng_seed(&rng, 31, (uint64_t)action);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        dir_dqg_first(&space, &rng, &before);
        dqg_copy(&space, &before, &after);
        dqg_act(&space, action, &rng, &after);
        for (uint32_t i = 0; i < 1024; i++) {
            all += of(&before.genes[i]);
            changed += !dqg_is_same_operation(&before.genes[i], &after.genes[i]);
        }
    }
    dir_dqg_program_free(&before);
    dir_dqg_program_free(&after);
    dir_dqg_space_close(&space);
    return changed / all;
}

static bool is_any(const dir_mtg_gene *gene) {
    (void)gene;
    return true;
}

/* Of 40,960 operations a share p lies within 4 deviations, sqrt(p (1 - p) / count). */
static void actions_change_the_intended_share_of_operations(void **state) {
    const struct {
        dir_dqg_action action;
        dqg_is_kind *of;
        double least, most;
    } cases[] = {
        {DIR_DQG_MORE_STORES, dqg_is_load, 0.237, 0.263},
        {DIR_DQG_MORE_LOADS, dqg_is_store, 0.237, 0.263},
        {DIR_DQG_MORE_OTHERS, dqg_is_plain, 0.057, 0.068},
        {DIR_DQG_FEWER_OTHERS, dqg_is_other, 0.45, 0.55},
        {DIR_DQG_GATHER, dqg_is_located, 0.116, 0.130}, /* 1/8 of those elsewhere */
        {DIR_DQG_COLLIDE, dqg_is_located, 0.04, 0.08},  /* half of the threads, an eighth of each */
        {DIR_DQG_REMOVE_CHAINS, is_any, 0.23, 0.25},    /* a quarter, where chance made a change */
        {DIR_DQG_INSERT_CHAINS, is_any, 0.23, 0.25},
        {DIR_DQG_MUTATE, is_any, 0.0135, 0.019}, /* 1/64, and one in 1024 */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double share = changed_share(cases[i].action, cases[i].of);
        if (share < cases[i].least || share > cases[i].most)
            fail_msg("%s changes a share of %g", dir_dqg_action_names[cases[i].action], share);
    }
}

/* Chains keep to a location: of 64, two neighbours of a thread share one far more often than by
 * chance, as often as in a test that the generator makes of chains alone, until they are taken out
 * again. */
static double neighbours_at_one(const col_program *program) {
    const col_operation *o = program->operations;
    double same = 0;
    for (uint32_t t = 0; t < program->thread_count; t++)
        for (uint32_t i = program->thread_start[t] + 1; i < program->thread_start[t + 1]; i++)
            same += col_kinds[o[i].kind].located && col_kinds[o[i - 1].kind].located &&
                    o[i].location == o[i - 1].location;
    return same / col_program_operations(program);
}

static double neighbours_after(dir_dqg_space *space, dir_dqg_action action, uint32_t times,
                               base_rng *rng, dir_dqg_program *program) {
    col_program written = COL_PROGRAM_EMPTY;
    for (uint32_t i = 0; i < times; i++)
        dqg_act(space, action, rng, program);
    assert_int_equal(dir_dqg_write(space, program, &written, NULL), COL_OK);
    const double share = neighbours_at_one(&written);
    col_program_free(&written);
    return share;
}

static double neighbours_of_chains(void) {
    col_program program = COL_PROGRAM_EMPTY;
    col_generator *generator = col_generator_new();
    col_generation generation;
    col_generation_default(&generation);
    generation.chained = true;
    generation.threads = 4;
    generation.operations = 4096;
    generation.locations = 64;
    assert_int_equal(col_generate(generator, &generation, 1, 0, &program, NULL), COL_OK);
    const double share = neighbours_at_one(&program);
    col_program_free(&program);
    col_generator_free(generator);
    return share;
}

static void inserting_and_removing_chains_changes_neighbours(void **state) {
    (void)state;
    dir_dqg_space space = dqg_space_of((dqg_shape){4, {4096, 4096}, {64, 64}, NULL}, 9);
    dir_dqg_program program = dqg_program_in(&space);
    const double most = neighbours_of_chains();
    base_rng rng;
    base_rng_seed(&rng, 37, 0);
    dir_dqg_first(&space, &rng, &program);
    assert_true(most > 0.15);
    assert_true(neighbours_after(&space, DIR_DQG_REASSIGN, 1, &rng, &program) < 0.03);
    const double chained = neighbours_after(&space, DIR_DQG_INSERT_CHAINS, 60, &rng, &program);
    assert_true(chained > 0.9 * most && chained < 1.1 * most);
    assert_true(neighbours_after(&space, DIR_DQG_REMOVE_CHAINS, 200, &rng, &program) < 0.03);
    dir_dqg_program_free(&program);
    dir_dqg_space_close(&space);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(actions_change_the_intended_share_of_operations),
        cmocka_unit_test(inserting_and_removing_chains_changes_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
