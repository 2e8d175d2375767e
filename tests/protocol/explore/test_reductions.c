/* SPDX-License-Identifier: MIT */
/* ctest: long unsanitized */
/*
 * Reductions change nothing but the number of states: a search that renames states, hashes them,
 * shares them among threads and takes one order of steps that commute says the same as one that
 * keeps and compares all of them, of right protocols and of mutants, livelocks included.
 * COLLIDER_MUTANTS says of how many (make verify-explore: 200 of each).
 */
#include "base/number.h"
#include "protocol/explore/search.h"
#include "protocol/simulate/protocol_library.h"
#include "protocol/simulate/transition_table.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */
#include "protocol/explore/tiny.h"

#include <stdlib.h>
#include <string.h>

enum { USUAL_MUTANTS = 12, MOST_STATES = 400000, SMALL = 100000 };

typedef struct small_system {
    const char *protocol;
    uint32_t cores, blocks;
} small_system;

static sim_system *make(const small_system *what) {
    return tiny_system(what->protocol, what->cores);
}

/* The last ones have sleep sets; the others keep all steps, for livelocks. */
typedef enum way {
    PLAIN,
    HASHED,
    SHARED,
    ASLEEP,
    ASLEEP_EXACT,
    RENAMED,
    RENAMED_SHARED,
    RENAMED_EXACT,
    RENAMED_ASLEEP,
    RENAMED_ASLEEP_SHARED,
    WAYS
} way;

static bool sleeps(way how) {
    return how == ASLEEP || how == ASLEEP_EXACT || how >= RENAMED_ASLEEP;
}

static bool is_shared(way how) {
    return how == SHARED || how == RENAMED_SHARED || how == RENAMED_ASLEEP_SHARED;
}

static exp_exploration explore(sim_system *system, uint32_t blocks, way how) {
    const exp_exploration_settings settings = {.blocks = blocks,
                                               .most_states = MOST_STATES,
                                               .workers = is_shared(how) ? 3 : 1,
                                               .is_exact = how == PLAIN || how == ASLEEP_EXACT ||
                                                           how == RENAMED_EXACT,
                                               .use_symmetry = how >= RENAMED,
                                               .takes_all_steps = !sleeps(how),
                                               .finds_livelocks = !sleeps(how)};
    return tiny_explore(system, &settings);
}

/* States, steps and depth, as they are printed: of the plain search those of docs/protocols.md. */
static const struct {
    small_system system;
    uint64_t states, steps;
    uint32_t depth;
    uint64_t renamed; /* states, if what is alike counts once */
} counted[] = {
    {{"mi", 2, 1}, 2701, 5536, 26, 1352},         {{"msi", 2, 1}, 11089, 24720, 41, 5562},
    {{"mesi2", 2, 1}, 8815, 22399, 42, 4427},     {{"moesi2", 2, 1}, 23357, 69639, 41, 23357},
    {{"mesi3", 2, 1}, 138568, 430795, 68, 69460}, {{"mi", 3, 1}, 236625, 648156, 35, 39746},
};

TEST(every_way_counts_the_same) {
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++) {
        sim_system *plain = make(&counted[i].system);
        const exp_exploration whole = explore(plain, counted[i].system.blocks, HASHED);
        uint64_t renamed_steps = 0;
        for (way how = PLAIN; how < WAYS; how++) {
            if (counted[i].states > SMALL && how != SHARED && how < RENAMED_SHARED)
                continue;
            sim_system *system = make(&counted[i].system);
            const exp_exploration found = explore(system, counted[i].system.blocks, how);
            if (found.broken)
                fail_msg("%s", found.trace.data);
            assert_true(found.complete);
            assert_int_equal(found.depth, counted[i].depth);
            assert_int_equal(found.states, how < RENAMED ? counted[i].states : counted[i].renamed);
            if (how < RENAMED)
                assert_int_equal(found.steps, counted[i].steps);
            else if (renamed_steps == 0)
                renamed_steps = found.steps;
            else
                assert_int_equal(found.steps, renamed_steps);
            assert_int_equal(found.asleep > 0, sleeps(how));
            expect_same_cells(plain, system);
            expect_same_bounds(&whole, &found);
            sim_system_free(system);
        }
        sim_system_free(plain);
    }
}

/* ---- What breaks symmetry. */

TEST(order_among_cores_is_noticed) {
    static const struct {
        const char *protocol;
        bool cores, blocks;
        const char *reason;
    } expected[] = {{"mesi2", true, true, ""},
                    {"moesi2", false, true, "L2Cache (moesi2-l2.sm:341)"},
                    {"tsocc", false, false, "tsocc-l1.sm"}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const small_system what = {expected[i].protocol, 2, 2};
        sim_system *system = make(&what);
        const exp_exploration_settings settings = {
            .blocks = 2, .most_states = 1, .use_symmetry = true};
        const exp_exploration found = tiny_explore(system, &settings);
        assert_int_equal(found.symmetry.cores, expected[i].cores);
        assert_int_equal(found.symmetry.blocks, expected[i].blocks);
        assert_non_null(strstr(found.symmetry.no_cores, expected[i].reason));
        sim_system_free(system);
    }
}

/* ---- Any member for the smallest. */

static exp_exploration explore_any(sim_system *system, uint32_t blocks, bool takes_any,
                                   bool use_symmetry) {
    const exp_exploration_settings settings = {
        .blocks = blocks, .workers = 1, .takes_any = takes_any, .use_symmetry = use_symmetry};
    const exp_exploration found = tiny_explore(system, &settings);
    if (found.broken)
        fail_msg("%s", found.trace.data);
    assert_true(found.complete);
    return found;
}

/* The L2 of moesi2 asks the smallest sharer: if it may ask any, all that happened can happen, the
 * cores are alike, and nothing is lost by renaming them. It has a choice with three cores, which
 * take longer. */
TEST(any_member_makes_cores_alike) {
    const bool is_long = getenv("COLLIDER_MUTANTS") != NULL;
    const small_system what = {"moesi2", is_long ? 3 : 2, 1};
    const uint32_t orders = is_long ? 6 : 2;
    sim_system *systems[] = {make(&what), make(&what), make(&what)};
    const exp_exploration smallest = explore_any(systems[0], 1, false, false);
    const exp_exploration any = explore_any(systems[1], 1, true, false);
    const exp_exploration renamed = explore_any(systems[2], 1, true, true);
    assert_int_equal(any.states > smallest.states, is_long);
    assert_true(renamed.symmetry.cores);
    assert_int_equal(renamed.depth, any.depth);
    assert_in_range(renamed.states, any.states / orders, any.states / orders + any.states / 50);
    expect_reached_too(systems[0], systems[1]);
    expect_same_cells(systems[1], systems[2]);
    for (int i = 0; i < 3; i++)
        sim_system_free(systems[i]);
}

/* A protocol that asks for no smallest member does the same. */
TEST(without_sets_any_member_changes_nothing) {
    const small_system what = {"mesi2", 2, 1};
    sim_system *systems[] = {make(&what), make(&what)};
    const exp_exploration smallest = explore_any(systems[0], 1, false, true);
    const exp_exploration any = explore_any(systems[1], 1, true, true);
    assert_int_equal(any.states, smallest.states);
    assert_int_equal(any.steps, smallest.steps);
    for (int i = 0; i < 2; i++)
        sim_system_free(systems[i]);
}

/* ---- Mutants. */

/* The length of the shortest way to the failure: lines that are not indented are steps. */
static uint32_t length_of(const exp_exploration *found) {
    uint32_t steps = 0;
    for (const char *line = found->trace.data; line != NULL && *line != '\0';) {
        steps += *line != ' ';
        line = strchr(line, '\n');
        line = line == NULL ? NULL : line + 1;
    }
    return steps;
}

/* What nobody looks for is not found. */
static void forget_livelock(exp_exploration *found) {
    if (!found->broken || strstr(found->trace.data, "livelock:") == NULL)
        return;
    found->broken = false;
    base_text_free(&found->trace);
}

static exp_exploration explore_mutant(sim_system *system, const small_system *what,
                                      const sim_mutant *mutant, way how) {
    col_problem problem;
    assert_int_equal(sim_mutant_apply(system, mutant, &problem), COL_OK);
    return explore(system, what->blocks, how);
}

static void compare_mutant(const small_system *what, const sim_mutant *mutant, way how) {
    sim_system *plain = make(what), *other = make(what);
    exp_exploration whole = explore_mutant(plain, what, mutant, PLAIN);
    exp_exploration found = explore_mutant(other, what, mutant, how);
    if (sleeps(how))
        forget_livelock(&whole);
    /* A search that stops before its end has seen fewer states without renaming. */
    if ((whole.complete || whole.broken) &&
        (whole.broken != found.broken || whole.complete != found.complete ||
         length_of(&whole) != length_of(&found)))
        fail_msg("mutant %u of %s: %s in %u steps, or %s in %u", mutant->number, what->protocol,
                 whole.broken ? "wrong" : "right", length_of(&whole),
                 found.broken ? "wrong" : "right", length_of(&found));
    if (whole.complete)
        expect_same_cells(plain, other);
    base_text_free(&whole.trace);
    base_text_free(&found.trace);
    sim_system_free(plain);
    sim_system_free(other);
}

TEST(mutants_get_the_same_verdict) {
    static const small_system systems[] = {{"mi", 2, 1}, {"msi", 2, 1}};
    const char *given = getenv("COLLIDER_MUTANTS");
    uint64_t wanted = USUAL_MUTANTS;
    if (given != NULL)
        assert_true(base_number_parse(given, &wanted));
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        const sl_protocol *p = sim_built_in_find(systems[i].protocol);
        const uint32_t count = sim_table_mutant_count(p);
        for (uint64_t n = 0; n < wanted; n++) {
            sim_mutant mutant;
            /* Evenly over all of them. */
            assert_true(sim_table_mutant(p, (uint32_t)(1 + n * count / wanted), &mutant));
            compare_mutant(&systems[i], &mutant, n % 2 == 0 ? RENAMED : RENAMED_SHARED);
            compare_mutant(&systems[i], &mutant,
                           n % 2 == 0 ? RENAMED_ASLEEP : RENAMED_ASLEEP_SHARED);
        }
    }
}
