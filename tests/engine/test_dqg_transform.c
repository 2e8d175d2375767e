/* SPDX-License-Identifier: MIT */
/*
 * Each action by what it may change and what it must leave alone, on long random walks through
 * spaces of several shapes: the program before is compared with the program after.
 */
#include "engine/dqg_support.h"

#include "harness.h"
#include "program/generate/generator.h"

#include <stdlib.h>
#include <string.h>

#ifdef REDUCED
enum { STEPS = 300 };
#else
enum { STEPS = 3000 };
#endif

static const dqg_shape shapes[] = {
    {4, {64, 256}, {4, 32}, NULL},
    {7, {50, 400}, {3, 48}, "mcversi"}, /* threads of two lengths, sets that are no powers of two */
    {1, {16, 64}, {1, 8}, "balanced"},
    {16, {8, 32}, {2, 8}, "even"}, /* threads of no or one operation */
    {3, {100, 200}, {16, 16}, "load=1,store-data=1,load-address=1,add=1,fence-tso=1"},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* ---- The two programs. */

typedef struct change {
    dir_dqg_space *space;
    dir_dqg_program before, after;
    col_point old, new;
} change;

static uint32_t first_of(const change *c, uint32_t thread) {
    return (uint32_t)((uint64_t)thread * c->new.operations / c->space->genes.threads);
}

static uint32_t length_of(const change *c, uint32_t thread) {
    return first_of(c, thread + 1) - first_of(c, thread);
}

/* The operations that changed lie within `most` operations of their thread. */
static void expect_section(const change *c, uint32_t divisor, uint32_t least) {
    for (uint32_t t = 0; t < c->space->genes.threads; t++) {
        uint32_t first = UINT32_MAX, last = 0;
        const uint32_t length = length_of(c, t);
        const uint32_t most = length / divisor > least ? length / divisor : least;
        for (uint32_t i = first_of(c, t); i < first_of(c, t + 1); i++)
            if (!dqg_is_same_operation(&c->before.genes[i], &c->after.genes[i])) {
                first = first == UINT32_MAX ? i : first;
                last = i;
            }
        if (first != UINT32_MAX)
            assert_true(last - first < most);
    }
}

/* ---- What each may do. */

/* The smaller program's threads are parts of the larger one's, in order. */
static void expect_parts(const change *c, const dir_dqg_program *small, uint32_t few,
                         const dir_dqg_program *large, uint32_t many) {
    const uint32_t threads = c->space->genes.threads;
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t at = t * many / threads;
        for (uint32_t i = t * few / threads; i < (t + 1) * few / threads; i++, at++) {
            while (at < (t + 1) * many / threads &&
                   !dqg_is_same_operation(&small->genes[i], &large->genes[at]))
                at++;
            assert_true(at < (t + 1) * many / threads);
        }
    }
    assert_int_equal(c->before.layout, c->after.layout);
}

static void check_grow(const change *c) {
    assert_int_equal(c->new.operations, 2 * c->old.operations);
    expect_parts(c, &c->before, c->old.operations, &c->after, c->new.operations);
}

static void check_shrink(const change *c) {
    assert_int_equal(2 * c->new.operations, c->old.operations);
    expect_parts(c, &c->after, c->new.operations, &c->before, c->old.operations);
}

static bool is_in_space(const dir_dqg_space *space, uint32_t locations, uint32_t sets) {
    for (uint32_t i = 0; i < space->rtg.pair_count; i++)
        if (space->rtg.pairs[i].locations == locations && space->rtg.pairs[i].sets == sets)
            return true;
    return false;
}

/* The same sets, or the most that there are below. */
static void expect_sets(const change *c) {
    uint32_t sets = c->old.sets;
    while (sets > 1 && !is_in_space(c->space, c->new.locations, sets))
        sets--;
    assert_int_equal(c->new.sets, sets);
}

static void check_more_locations(const change *c) {
    assert_int_equal(c->new.locations, 2 * c->old.locations);
    expect_sets(c);
    for (uint32_t i = 0; i < c->new.operations; i++) {
        assert_int_equal(c->after.genes[i].template, c->before.genes[i].template);
        assert_int_equal(c->after.genes[i].location % c->old.locations,
                         c->before.genes[i].location);
    }
}

static void check_fewer_locations(const change *c) {
    assert_int_equal(2 * c->new.locations, c->old.locations);
    expect_sets(c);
    for (uint32_t i = 0; i < c->new.operations; i++) {
        assert_int_equal(c->after.genes[i].template, c->before.genes[i].template);
        assert_int_equal(c->after.genes[i].location,
                         c->before.genes[i].location % c->new.locations);
    }
}

/* The next number of sets in its direction that divides the locations. */
static void expect_next_sets(const change *c, int direction) {
    uint32_t sets = c->old.sets;
    do
        sets += (uint32_t)direction;
    while (!is_in_space(c->space, c->old.locations, sets));
    assert_int_equal(c->new.sets, sets);
    assert_int_equal(c->new.locations, c->old.locations);
    assert_true(dqg_equal_genes(c->space, &c->before, &c->after));
}

static void check_more_sets(const change *c) {
    expect_next_sets(c, 1);
}

static void check_fewer_sets(const change *c) {
    expect_next_sets(c, -1);
}

static void check_reassign(const change *c) {
    col_program old = COL_PROGRAM_EMPTY, new = COL_PROGRAM_EMPTY;
    assert_int_equal(c->before.pair, c->after.pair);
    assert_true(dqg_equal_genes(c->space, &c->before, &c->after));
    assert_int_equal(dir_dqg_write(c->space, &c->before, &old, NULL), COL_OK);
    assert_int_equal(dir_dqg_write(c->space, &c->after, &new, NULL), COL_OK);
    assert_memory_not_equal(old.addresses, new.addresses, c->new.locations * sizeof *new.addresses);
    col_program_free(&old);
    col_program_free(&new);
}

/* What changed was of one kind and is of the other, at its location if both have one. */
static void expect_turned(const change *c, dqg_is_kind *from, dqg_is_kind *to) {
    for (uint32_t i = 0; i < c->new.operations; i++) {
        const dir_mtg_gene *old = &c->before.genes[i], *new = &c->after.genes[i];
        if (dqg_is_same_operation(old, new))
            continue;
        assert_true(from(old) && to(new));
        if (dqg_is_located(old) && dqg_is_located(new))
            assert_int_equal(old->location, new->location);
    }
}

static void check_more_stores(const change *c) {
    expect_turned(c, dqg_is_load, dqg_is_store);
}
static void check_more_loads(const change *c) {
    expect_turned(c, dqg_is_store, dqg_is_load);
}
static void check_more_others(const change *c) {
    expect_turned(c, dqg_is_plain, dqg_is_other);
}
static void check_fewer_others(const change *c) {
    expect_turned(c, dqg_is_other, dqg_is_plain);
}

/* Kinds stay. Returns the location that operations moved to, or none if there are several. */
static uint32_t moved_to(const change *c) {
    uint32_t location = UINT32_MAX;
    bool is_one = true;
    for (uint32_t i = 0; i < c->new.operations; i++) {
        const dir_mtg_gene *old = &c->before.genes[i], *new = &c->after.genes[i];
        assert_int_equal(old->template, new->template);
        if (old->location == new->location)
            continue;
        is_one &= location == UINT32_MAX || location == new->location;
        location = new->location;
    }
    return is_one ? location : UINT32_MAX;
}

static void check_collide(const change *c) {
    assert_true(moved_to(c) != UINT32_MAX);
    expect_section(c, 8, 1);
}

static void check_gather(const change *c) {
    assert_true(moved_to(c) != UINT32_MAX);
}

static void check_spread(const change *c) {
    uint32_t counts[64] = {0}, most = 0;
    (void)moved_to(c);
    for (uint32_t i = 0; i < c->old.operations; i++)
        counts[c->before.genes[i].location] += dqg_is_located(&c->before.genes[i]);
    for (uint32_t l = 0; l < 64; l++)
        most = counts[l] > most ? counts[l] : most;
    for (uint32_t i = 0; i < c->old.operations; i++)
        if (!dqg_is_same_operation(&c->before.genes[i], &c->after.genes[i]))
            assert_int_equal(counts[c->before.genes[i].location], most);
}

/* Chains have loads, stores and full fences, without attributes. */
static void check_insert_chains(const change *c) {
    expect_section(c, 4, 2);
    for (uint32_t i = 0; i < c->new.operations; i++) {
        const col_operation *o = dqg_operation_of(&c->after.genes[i]);
        if (dqg_is_same_operation(&c->before.genes[i], &c->after.genes[i]))
            continue;
        assert_true(o->kind == COL_LOAD || o->kind == COL_STORE ||
                    (o->kind == COL_FENCE && o->fence == COL_FULL_FENCE));
        assert_true(o->order == 0 && o->dependency == COL_NO_DEPENDENCY);
    }
}

static void check_remove_chains(const change *c) {
    expect_section(c, 4, 2);
}

static int compare_genes(const void *left, const void *right) {
    const dir_mtg_gene *a = left, *b = right;
    if (a->template != b->template)
        return a->template <b->template ? -1 : 1;
    return a->location < b->location ? -1 : a->location > b->location;
}

/* Each thread has the same operations. */
static void check_shuffle(const change *c) {
    expect_section(c, 4, 2);
    dir_mtg_gene *old = malloc(c->old.operations * sizeof *old);
    dir_mtg_gene *new = malloc(c->old.operations * sizeof *new);
    assert_non_null(old);
    assert_non_null(new);
    memcpy(old, c->before.genes, c->old.operations * sizeof *old);
    memcpy(new, c->after.genes, c->old.operations * sizeof *new);
    for (uint32_t t = 0; t < c->space->genes.threads; t++) {
        const uint32_t first = first_of(c, t), length = length_of(c, t);
        qsort(old + first, length, sizeof *old, compare_genes);
        qsort(new + first, length, sizeof *new, compare_genes);
        for (uint32_t i = first; i < first + length; i++)
            assert_true(dqg_is_same_operation(&old[i], &new[i]));
    }
    free(old);
    free(new);
}

/* Is thread `to` what thread `from` was? */
static bool is_thread(const change *c, uint32_t from, uint32_t to) {
    if (length_of(c, from) != length_of(c, to))
        return false;
    for (uint32_t i = 0; i < length_of(c, to); i++)
        if (!dqg_is_same_operation(&c->before.genes[first_of(c, from) + i],
                                   &c->after.genes[first_of(c, to) + i]))
            return false;
    return true;
}

/* Each thread is somewhere: equal ones are found in turn. */
static void check_permute_threads(const change *c) {
    const uint32_t threads = c->space->genes.threads;
    bool used[16] = {false};
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t from = 0;
        while (from < threads && (used[from] || !is_thread(c, from, t)))
            from++;
        assert_true(from < threads);
        used[from] = true;
    }
}

static void check_copy_thread(const change *c) {
    const uint32_t threads = c->space->genes.threads;
    uint32_t changed = 0;
    for (uint32_t t = 0; t < threads; t++) {
        if (is_thread(c, t, t))
            continue;
        uint32_t from = 0;
        while (from < threads && !is_thread(c, from, t))
            from++;
        assert_true(from < threads);
        changed++;
    }
    assert_int_equal(changed, 1);
}

static void check_mutate(const change *c) {
    (void)c; /* whatever is in the space */
}

typedef struct expectation {
    void (*check)(const change *c);
    bool keeps_size, keeps_pair, keeps_layout;
} expectation;

static const expectation expectations[DIR_DQG_ACTION_COUNT] = {
    [DIR_DQG_GROW] = {check_grow, false, true, true},
    [DIR_DQG_SHRINK] = {check_shrink, false, true, true},
    [DIR_DQG_MORE_LOCATIONS] = {check_more_locations, true, false, false},
    [DIR_DQG_FEWER_LOCATIONS] = {check_fewer_locations, true, false, false},
    [DIR_DQG_MORE_SETS] = {check_more_sets, true, false, false},
    [DIR_DQG_FEWER_SETS] = {check_fewer_sets, true, false, false},
    [DIR_DQG_REASSIGN] = {check_reassign, true, true, false},
    [DIR_DQG_MORE_STORES] = {check_more_stores, true, true, true},
    [DIR_DQG_MORE_LOADS] = {check_more_loads, true, true, true},
    [DIR_DQG_MORE_OTHERS] = {check_more_others, true, true, true},
    [DIR_DQG_FEWER_OTHERS] = {check_fewer_others, true, true, true},
    [DIR_DQG_COLLIDE] = {check_collide, true, true, true},
    [DIR_DQG_GATHER] = {check_gather, true, true, true},
    [DIR_DQG_SPREAD] = {check_spread, true, true, true},
    [DIR_DQG_INSERT_CHAINS] = {check_insert_chains, true, true, true},
    [DIR_DQG_REMOVE_CHAINS] = {check_remove_chains, true, true, true},
    [DIR_DQG_SHUFFLE] = {check_shuffle, true, true, true},
    [DIR_DQG_PERMUTE_THREADS] = {check_permute_threads, true, true, true},
    [DIR_DQG_COPY_THREAD] = {check_copy_thread, true, true, true},
    [DIR_DQG_MUTATE] = {check_mutate, true, true, true},
};

/* ---- Walks. */

/* The program is valid, of the mix, and has the shape of its point; addresses are blocks of their
 * own. */
static void expect_valid(const change *c, const col_instruction_mix *mix, col_program *written) {
    col_problem problem = {0};
    for (uint32_t i = 0; i < c->new.operations; i++)
        assert_true(mix->weights[c->after.genes[i].template] > 0);
    assert_int_equal(dir_dqg_write(c->space, &c->after, written, NULL), COL_OK);
    if (col_program_check(written, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_int_equal(col_program_operations(written), c->new.operations);
    assert_int_equal(written->location_count, c->new.locations);
    for (uint32_t t = 0; t <= c->space->genes.threads; t++)
        assert_int_equal(written->thread_start[t], first_of(c, t));
    for (uint32_t l = 0; l < c->new.locations; l++)
        assert_int_equal(written->addresses[l] % 64, 0);
}

/* Exactly k classes of the index of the largest cache, all as large. */
static void expect_competition(const change *c, const col_program *written) {
    const col_geometry *geometry = &c->space->rtg.generation.addressing.geometry;
    const col_cache_level *last = &geometry->levels[geometry->level_count - 1];
    uint64_t classes[64];
    uint32_t sizes[64] = {0}, count = 0;
    for (uint32_t l = 0; l < c->new.locations; l++) {
        const uint64_t index =
            written->addresses[l] >> last->index_low & ((UINT64_C(1) << last->index_bits) - 1);
        uint32_t class = 0;
        while (class < count && classes[class] != index)
            class ++;
        classes[class] = index;
        count += class == count;
        sizes[class]++;
    }
    assert_int_equal(count, c->new.sets);
    for (uint32_t class = 0; class < count; class ++)
        assert_int_equal(sizes[class], c->new.locations / c->new.sets);
}

static void check_change(change *c, dir_dqg_action action) {
    const expectation *e = &expectations[action];
    if (e->keeps_size)
        assert_int_equal(c->before.size, c->after.size);
    if (e->keeps_pair)
        assert_int_equal(c->before.pair, c->after.pair);
    assert_int_equal(e->keeps_layout, c->before.layout == c->after.layout);
    if (e->keeps_size && e->keeps_layout)
        assert_false(dqg_equal_genes(c->space, &c->before, &c->after));
    e->check(c);
}

TEST(each_action_changes_what_it_should) {
    for (uint32_t s = 0; s < SHAPES; s++) {
        dir_dqg_space space = dqg_space_of(shapes[s], 17 + s);
        change c = {
            .space = &space, .before = dqg_program_in(&space), .after = dqg_program_in(&space)};
        col_program written = COL_PROGRAM_EMPTY;
        col_instruction_mix mix;
        uint64_t done = 0;
        base_rng rng;
        base_rng_seed(&rng, 23, s);
        assert_int_equal(
            col_instruction_mix_parse(shapes[s].mix == NULL ? "full" : shapes[s].mix, &mix, NULL),
            COL_OK);
        dir_dqg_first(&space, &rng, &c.after);
        assert_int_equal(c.after.size, 0);
        for (uint32_t step = 0; step < STEPS; step++) {
            const dir_dqg_action action = dqg_any_action(&space, &c.after, &rng);
            dqg_copy(&space, &c.after, &c.before);
            c.old = dir_dqg_point(&space, &c.before);
            dqg_act(&space, action, &rng, &c.after);
            c.new = dir_dqg_point(&space, &c.after);
            check_change(&c, action);
            expect_valid(&c, &mix, &written);
            expect_competition(&c, &written);
            done |= UINT64_C(1) << action;
        }
        if (s == 0)
            assert_int_equal(done, (UINT64_C(1) << DIR_DQG_ACTION_COUNT) - 1);
        col_program_free(&written);
        dir_dqg_program_free(&c.before);
        dir_dqg_program_free(&c.after);
        dir_dqg_space_close(&space);
    }
}
