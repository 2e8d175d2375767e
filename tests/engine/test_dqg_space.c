/* SPDX-License-Identifier: MIT */
/*
 * The actions as a whole, on a space so small that all its programs can be listed: from each of
 * them every other one can be reached, and exactly those actions are allowed that can change it.
 */
#include "engine/dqg_support.h"

#include "harness.h"
#include "program/generate/generator.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PROGRAMS = 4096, TEMPLATES = 3 };

/* Two threads, two or four operations, one or two locations; loads, stores and fences. */
static const dqg_shape tiny = {2, {2, 4}, {1, 2}, "load=1,store=1,fence=1"};

#ifdef REDUCED
enum { MUTATIONS = 60, TRIES = 2 };
#else
enum { MUTATIONS = 200, TRIES = 8 };
#endif

/* ---- All programs, by number. */

/* Of one operation: each template at each location, and the fence. */
static uint32_t ways(const dir_dqg_space *space, uint32_t pair) {
    return 2 * space->rtg.pairs[pair].locations + 1;
}

static dir_mtg_gene gene_of(uint32_t way, uint32_t locations) {
    static const char *const names[TEMPLATES] = {"load", "store", "fence"};
    const uint32_t place = way / locations < 2 ? way / locations : 2;
    dir_mtg_gene gene = {.location = place < 2 ? way % locations : 0};
    while (strcmp(gen_templates[gene.template].name, names[place]) != 0)
        gene.template ++;
    return gene;
}

static uint32_t way_of(const dir_mtg_gene *gene, uint32_t locations) {
    for (uint32_t way = 0; way < 2 * locations + 1; way++) {
        const dir_mtg_gene same = gene_of(way, locations);
        if (same.template == gene->template && same.location == gene->location)
            return way;
    }
    fail_msg("an operation that is not of the space");
    return 0;
}

static uint32_t power(uint32_t base, uint32_t exponent) {
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

static uint32_t count_of(const dir_dqg_space *space, uint32_t size, uint32_t pair) {
    return power(ways(space, pair), space->rtg.sizes[size]);
}

static uint32_t count_all(const dir_dqg_space *space) {
    uint32_t count = 0;
    for (uint32_t size = 0; size < space->rtg.size_count; size++)
        for (uint32_t pair = 0; pair < space->rtg.pair_count; pair++)
            count += count_of(space, size, pair);
    return count;
}

static void program_of(const dir_dqg_space *space, uint32_t number, dir_dqg_program *program) {
    program->size = program->pair = 0;
    while (number >= count_of(space, program->size, program->pair)) {
        number -= count_of(space, program->size, program->pair);
        if (++program->pair == space->rtg.pair_count) {
            program->pair = 0;
            program->size++;
        }
    }
    const uint32_t operations = space->rtg.sizes[program->size];
    const uint32_t base = ways(space, program->pair);
    for (uint32_t i = 0; i < operations; i++, number /= base) {
        program->genes[i] = gene_of(number % base, space->rtg.pairs[program->pair].locations);
        program->genes[i].thread = i >= operations / 2;
    }
}

static uint32_t number_of(const dir_dqg_space *space, const dir_dqg_program *program) {
    uint32_t number = 0, place = 1;
    for (uint32_t size = 0; size <= program->size; size++)
        for (uint32_t pair = 0; pair < space->rtg.pair_count; pair++)
            if (size < program->size || pair < program->pair)
                number += count_of(space, size, pair);
    for (uint32_t i = 0; i < space->rtg.sizes[program->size]; i++) {
        assert_int_equal(program->genes[i].thread, i >= space->rtg.sizes[program->size] / 2);
        number += place * way_of(&program->genes[i], space->rtg.pairs[program->pair].locations);
        place *= ways(space, program->pair);
    }
    return number;
}

/* ---- Steps from program to program. */

typedef struct graph {
    uint32_t count;
    bool *steps; /* [from][to] */
} graph;

static graph walk_all(dir_dqg_space *space) {
    graph g = {.count = count_all(space)};
    dir_dqg_program from = dqg_program_in(space), to = dqg_program_in(space);
    base_rng rng;
    base_rng_seed(&rng, 11, 0);
    assert_true(g.count <= MOST_PROGRAMS);
    g.steps = calloc((size_t)g.count * g.count, sizeof *g.steps);
    assert_non_null(g.steps);
    for (uint32_t n = 0; n < g.count; n++) {
        program_of(space, n, &from);
        assert_int_equal(number_of(space, &from), n);
        const uint64_t allowed = dir_dqg_allowed(space, &from);
        for (uint32_t a = 0; a < DIR_DQG_ACTION_COUNT; a++)
            for (int i = 0;
                 (allowed >> a & 1) != 0 && i < (a == DIR_DQG_MUTATE ? MUTATIONS : TRIES); i++) {
                dqg_copy(space, &from, &to);
                dqg_act(space, (dir_dqg_action)a, &rng, &to);
                /* An action that is allowed does something. */
                const uint32_t there = number_of(space, &to);
                if (there == n && (a != DIR_DQG_REASSIGN || to.layout == from.layout))
                    fail_msg("%s left program %u as it was", dir_dqg_action_names[a], n);
                g.steps[(size_t)n * g.count + there] = true;
            }
    }
    dir_dqg_program_free(&from);
    dir_dqg_program_free(&to);
    return g;
}

static uint32_t reach(const graph *g, uint32_t start, bool backwards) {
    uint32_t *queue = calloc(g->count, sizeof *queue), filled = 1;
    bool *seen = calloc(g->count, sizeof *seen);
    assert_non_null(queue);
    assert_non_null(seen);
    queue[0] = start;
    seen[start] = true;
    for (uint32_t next = 0; next < filled; next++)
        for (uint32_t to = 0; to < g->count; to++) {
            const size_t step = backwards ? (size_t)to * g->count + queue[next]
                                          : (size_t)queue[next] * g->count + to;
            if (g->steps[step] && !seen[to]) {
                seen[to] = true;
                queue[filled++] = to;
            }
        }
    free(queue);
    free(seen);
    return filled;
}

TEST(actions_lead_from_any_program_to_any_other) {
    dir_dqg_space space = dqg_space_of(tiny, 1);
    assert_int_equal(space.rtg.size_count, 2);
    assert_int_equal(space.rtg.pair_count, 3); /* (1, 1), (2, 1), (2, 2) */
    graph g = walk_all(&space);
    assert_int_equal(g.count, 9 + 2 * 25 + 81 + 2 * 625);
    /* From one to all, and from all to that one: so from each to each. */
    assert_int_equal(reach(&g, 0, false), g.count);
    assert_int_equal(reach(&g, 0, true), g.count);
    free(g.steps);
    dir_dqg_space_close(&space);
}

/* Addresses: any that the assigner can draw, so no two draws need be alike. */
TEST(reassigning_draws_new_addresses) {
    enum { DRAWS = 200 };
    dir_dqg_space space = dqg_space_of(tiny, 1);
    dir_dqg_program program = dqg_program_in(&space);
    col_program written = COL_PROGRAM_EMPTY;
    uint64_t seen[DRAWS];
    uint32_t repeated = 0;
    base_rng rng;
    base_rng_seed(&rng, 5, 0);
    dir_dqg_first(&space, &rng, &program);
    for (uint32_t i = 0; i < DRAWS; i++) {
        dqg_act(&space, DIR_DQG_REASSIGN, &rng, &program);
        assert_int_equal(dir_dqg_write(&space, &program, &written, NULL), COL_OK);
        seen[i] = written.addresses[0];
        for (uint32_t j = 0; j < i; j++)
            repeated += seen[j] == seen[i];
    }
    assert_true(repeated < 3); /* of half a million blocks */
    col_program_free(&written);
    dir_dqg_program_free(&program);
    dir_dqg_space_close(&space);
}

/* ---- Which actions are allowed: the conditions, one by one. */

static bool is_kind(const dir_mtg_gene *gene, col_kind kind) {
    return gen_templates[gene->template].operation.kind == kind;
}

static bool is_same_operation(const dir_mtg_gene *a, const dir_mtg_gene *b) {
    return a->template == b->template && a->location == b->location;
}

static void expect_allowed(dir_dqg_space *space, const dir_dqg_program *p) {
    const col_point point = dir_dqg_point(space, p);
    const dir_mtg_gene *g = p->genes;
    const uint32_t n = point.operations, half = n / 2;
    bool load = false, store = false, other = false, order = false, threads = false;
    for (uint32_t i = 0; i < n; i++) {
        load |= is_kind(&g[i], COL_LOAD);
        store |= is_kind(&g[i], COL_STORE);
        other |= is_kind(&g[i], COL_FENCE);
        order |= i % half != 0 && !is_same_operation(&g[i], &g[i - 1]);
        threads |= i >= half && !is_same_operation(&g[i], &g[i - half]);
    }
    const bool moves = (load || store) && point.locations == 2;
    const bool expected[DIR_DQG_ACTION_COUNT] = {
        [DIR_DQG_GROW] = n == 2,
        [DIR_DQG_SHRINK] = n == 4,
        [DIR_DQG_MORE_LOCATIONS] = point.locations == 1,
        [DIR_DQG_FEWER_LOCATIONS] = point.locations == 2,
        [DIR_DQG_MORE_SETS] = point.locations == 2 && point.sets == 1,
        [DIR_DQG_FEWER_SETS] = point.sets == 2,
        [DIR_DQG_REASSIGN] = true,
        [DIR_DQG_MORE_STORES] = load,
        [DIR_DQG_MORE_LOADS] = store,
        [DIR_DQG_MORE_OTHERS] = load || store,
        [DIR_DQG_FEWER_OTHERS] = other,
        [DIR_DQG_COLLIDE] = moves,
        [DIR_DQG_GATHER] = moves,
        [DIR_DQG_SPREAD] = moves,
        [DIR_DQG_INSERT_CHAINS] = true,
        [DIR_DQG_REMOVE_CHAINS] = true,
        [DIR_DQG_SHUFFLE] = order,
        [DIR_DQG_PERMUTE_THREADS] = threads,
        [DIR_DQG_COPY_THREAD] = threads,
        [DIR_DQG_MUTATE] = true,
    };
    const uint64_t allowed = dir_dqg_allowed(space, p);
    for (uint32_t a = 0; a < DIR_DQG_ACTION_COUNT; a++)
        if ((allowed >> a & 1) != expected[a])
            fail_msg("%s is %sallowed", dir_dqg_action_names[a], expected[a] ? "not " : "");
    assert_int_equal(allowed >> DIR_DQG_ACTION_COUNT, 0);
}

TEST(actions_are_allowed_where_they_change_something) {
    dir_dqg_space space = dqg_space_of(tiny, 1);
    dir_dqg_program program = dqg_program_in(&space);
    for (uint32_t n = 0; n < count_all(&space); n++) {
        program_of(&space, n, &program);
        expect_allowed(&space, &program);
    }
    dir_dqg_program_free(&program);
    dir_dqg_space_close(&space);
}

/* Where the mix leaves no choice there is none. */
TEST(poor_mixes_forbid_actions) {
    const struct {
        const char *mix;
        uint64_t never;
    } cases[] = {
        {"load=1", UINT64_C(1) << DIR_DQG_MORE_STORES | UINT64_C(1) << DIR_DQG_MORE_LOADS |
                       UINT64_C(1) << DIR_DQG_MORE_OTHERS | UINT64_C(1) << DIR_DQG_INSERT_CHAINS |
                       UINT64_C(1) << DIR_DQG_MUTATE | UINT64_C(1) << DIR_DQG_REMOVE_CHAINS},
        {"even", UINT64_C(1) << DIR_DQG_MORE_OTHERS | UINT64_C(1) << DIR_DQG_FEWER_OTHERS},
        {"load-acquire=1,store=1", UINT64_C(1) << DIR_DQG_INSERT_CHAINS},
        {"fence=1,delay=1",
         UINT64_C(1) << DIR_DQG_MORE_STORES | UINT64_C(1) << DIR_DQG_FEWER_OTHERS |
             UINT64_C(1) << DIR_DQG_COLLIDE | UINT64_C(1) << DIR_DQG_GATHER |
             UINT64_C(1) << DIR_DQG_SPREAD | UINT64_C(1) << DIR_DQG_INSERT_CHAINS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dir_dqg_space space = dqg_space_of((dqg_shape){1, {8, 8}, {1, 1}, cases[i].mix}, 3);
        dir_dqg_program program = dqg_program_in(&space);
        base_rng rng;
        base_rng_seed(&rng, 1, i);
        dir_dqg_first(&space, &rng, &program);
        for (uint32_t step = 0; step < 50; step++) {
            assert_int_equal(dir_dqg_allowed(&space, &program) & cases[i].never, 0);
            dqg_act(&space, dqg_any_action(&space, &program, &rng), &rng, &program);
        }
        dir_dqg_program_free(&program);
        dir_dqg_space_close(&space);
    }
}

/* How much of a program an action changes, and that chains are chains. */

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
TEST(actions_change_the_intended_share_of_operations) {
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

TEST(inserting_and_removing_chains_changes_neighbours) {
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
