/* SPDX-License-Identifier: MIT */
/* The engines without direction: where their locations lie, and points of the space alone. */
#include "synthetic.h"

#include "collider/episode.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <string.h>

enum { BLOCK = 64, TESTS = 60 };

/* How many locations are in the block of this one. */
static uint32_t sharers(const col_program *program, uint32_t location) {
    uint32_t count = 0;
    for (uint32_t l = 0; l < program->location_count; l++)
        count += program->addresses[l] / BLOCK == program->addresses[location] / BLOCK;
    return count;
}

/* Different sets of the first level's that locations are in; it has 64, by the default geometry. */
static uint32_t sets_used(const col_program *program) {
    uint64_t used = 0;
    uint32_t count = 0;
    for (uint32_t l = 0; l < program->location_count; l++)
        used |= UINT64_C(1) << program->addresses[l] / BLOCK % 64;
    for (; used != 0; used &= used - 1)
        count++;
    return count;
}

typedef struct placing {
    const char *engine, *options;
    uint64_t align;
    uint32_t least, most; /* locations in a block */
} placing;

static void check_program(const placing *p, const synthetic_walk *w) {
    const col_program *program = &w->program;
    for (uint32_t l = 0; l < program->location_count; l++) {
        const uint32_t count = sharers(program, l);
        assert_int_equal(program->addresses[l] % p->align, 0);
        if (count < p->least || count > p->most)
            fail_msg("%s, %s: %u locations in a block", p->engine, p->options, count);
    }
    if (w->point.sets != 0)
        assert_int_equal(sets_used(program), w->point.sets);
}

TEST(options_place_locations_as_asked) {
    static const placing placings[] = {
        {"plain", NULL, 8, 1, 8},
        {"plain-bias", NULL, 64, 1, 1},
        {"chain", "sharing=true", 64, 1, 1},
        {"chain", "sharing=true,align=8", 8, 1, 1},
        {"chain", "sharing=false", 8, 2, 8},
        {"chain-bias", "sharing=false", 8, 2, 8},
        {"chain-bias", "align=16,sharing=false", 16, 2, 4},
        {"plain-bias", "sharing=mixed", 8, 1, 8},
        {"chain-bias", "align=256", 256, 1, 1},
        {"ctg1", NULL, 64, 1, 1},
        {"ctg1", "sharing=false", 8, 2, 8},
        {"htg", "sharing=mixed", 8, 1, 8},
        {"htg", "sharing=false,align=16", 16, 2, 4},
        {"rlg-chain", "sharing=false,policy=random", 8, 2, 8},
    };
    for (size_t i = 0; i < sizeof placings / sizeof placings[0]; i++) {
        col_engine_settings settings =
            synthetic_settings((col_range){16, 64}, (col_range){4, 16}, 3);
        settings.options = placings[i].options;
        settings.repeat = true;
        synthetic_walk w = synthetic_start(placings[i].engine, &settings, 1, 9);
        for (uint32_t t = 0; t < TESTS; t++) {
            assert_true(synthetic_step(&w));
            /* Sets are told apart by bits that a wide alignment takes from the first level. */
            if (placings[i].align > BLOCK)
                w.point.sets = 0;
            check_program(&placings[i], &w);
            (void)synthetic_run(&w.design, &w.point);
        }
        synthetic_end(&w);
    }
}

/* The default, said aloud, is no other engine. */
TEST(naming_a_default_changes_nothing) {
    static const char *const defaults[][2] = {{"plain", "sharing=mixed"},
                                              {"chain", "align=8"},
                                              {"plain-bias", "sharing=true"},
                                              {"chain-bias", "align=64"}};
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++) {
        col_engine_settings settings =
            synthetic_settings((col_range){16, 64}, (col_range){4, 16}, 3);
        synthetic_walk silent = synthetic_start(defaults[i][0], &settings, 1, 9);
        settings.options = defaults[i][1];
        synthetic_walk loud = synthetic_start(defaults[i][0], &settings, 1, 9);
        for (uint32_t t = 0; t < TESTS; t++) {
            assert_true(synthetic_step(&silent) && synthetic_step(&loud));
            const col_hash a = col_program_hash(&silent.program);
            const col_hash b = col_program_hash(&loud.program);
            assert_memory_equal(&a, &b, sizeof a);
        }
        synthetic_end(&silent);
        synthetic_end(&loud);
    }
}

typedef struct refusal {
    const char *engine, *options;
    col_range locations;
    uint32_t sets;
    const char *says;
} refusal;

TEST(impossible_options_are_refused) {
    static const refusal refusals[] = {
        {"chain-bias", "sharing=maybe", {4, 8}, 0, "is true, mixed or false, not 'maybe'"},
        {"chain-bias", "align=12", {4, 8}, 0, "a power of two, not to 12 bytes"},
        {"plain", "align=4", {4, 8}, 0, "a number from 8"},
        {"plain", "sharing=false,align=64", {4, 8}, 0, "an alignment below the block size"},
        {"plain", "sharing=false", {1, 1}, 0, "two locations in one cache set"},
        {"chain-bias", "sharing=false", {8, 8}, 8, "two locations in one cache set"},
        {"chain-bias", "selection=1", {4, 8}, 0, "it has sharing, align"},
        /* Of 3:5 there is only 3, which 4 and 5 sets do not divide. */
        {"chain-bias", NULL, {3, 5}, 4, "divides the 3 locations; 4 does not"},
        {"chain-bias", NULL, {3, 5}, 6, "5 locations cannot compete for 6 sets"},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const refusal *r = &refusals[i];
        col_engine_settings settings = synthetic_settings((col_range){16, 64}, r->locations, 3);
        col_engine *engine = NULL;
        col_problem problem = {0};
        settings.options = r->options;
        settings.sets = r->sets;
        assert_int_equal(col_engine_new(&engine, r->engine, &settings, &problem), COL_BAD_INPUT);
        if (strstr(problem.message, r->says) == NULL)
            fail_msg("'%s' does not say '%s'", problem.message, r->says);
    }
}

/* ---- What it is for. */

/* An invalidation that a load queue is not told of while the block is being upgraded: a load and
 * the store that waits are of different locations in one block. */
static col_outcome search_with(const char *options, uint64_t tests) {
    col_episode_settings s;
    col_episode episode = {0};
    col_problem problem = {0};
    col_episode_default(&s);
    s.setting.design.name = "mesi2";
    s.setting.design.error = "MESI,LQ+SM,Inv";
    s.engine = "chain-bias";
    s.engine_options = options;
    s.operations = (col_range){1024, 1024};
    s.seconds = 0;
    s.tests = tests;
    if (col_episode_run(&s, &episode, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    const col_outcome outcome = episode.outcome;
    col_episode_free(&episode);
    return outcome;
}

TEST(one_error_needs_two_locations_in_a_block) {
    assert_int_equal(search_with("sharing=false", 60), COL_VIOLATION);
    assert_int_equal(search_with("sharing=true", 20), COL_PASS);
}
