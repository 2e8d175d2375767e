/* SPDX-License-Identifier: MIT */
/*
 * The actions: transformations of a program into another one of its space. They are complete: sizes
 * and pairs of the space are joined by steps, `reassign` draws any addresses, and `mutate` makes
 * any operations from any others. An action that could only leave the program as it is is not
 * allowed.
 */
#include "engine/dqg.h"

#include <string.h>

/* How much an action changes: shares of what it could change, one in this many, and powers of two.
 */
enum {
    TURNED = 4,      /* more stores, more loads */
    MADE_OTHER = 16, /* more others */
    MADE_PLAIN = 2,  /* fewer others */
    GATHERED = 8,
    SPREAD = 2,
    MUTATED = 64,
    SECTION = 4, /* of a thread: chains in and out */
    COLLIDED = 8 /* of a thread */
};

/* Chance may leave a program as it is; then the action has another try. */
enum { MOST_TRIES = 256 };

const char *const dir_dqg_action_names[DIR_DQG_ACTION_COUNT] = {
    [DIR_DQG_GROW] = "grow",
    [DIR_DQG_SHRINK] = "shrink",
    [DIR_DQG_MORE_LOCATIONS] = "more-locations",
    [DIR_DQG_FEWER_LOCATIONS] = "fewer-locations",
    [DIR_DQG_MORE_SETS] = "more-sets",
    [DIR_DQG_FEWER_SETS] = "fewer-sets",
    [DIR_DQG_REASSIGN] = "reassign",
    [DIR_DQG_MORE_STORES] = "more-stores",
    [DIR_DQG_MORE_LOADS] = "more-loads",
    [DIR_DQG_MORE_OTHERS] = "more-others",
    [DIR_DQG_FEWER_OTHERS] = "fewer-others",
    [DIR_DQG_COLLIDE] = "collide",
    [DIR_DQG_GATHER] = "gather",
    [DIR_DQG_SPREAD] = "spread",
    [DIR_DQG_INSERT_CHAINS] = "insert-chains",
    [DIR_DQG_REMOVE_CHAINS] = "remove-chains",
    [DIR_DQG_SHUFFLE] = "shuffle",
    [DIR_DQG_PERMUTE_THREADS] = "permute-threads",
    [DIR_DQG_COPY_THREAD] = "copy-thread",
    [DIR_DQG_MUTATE] = "mutate",
};

static bool is_one_in(base_rng *rng, uint32_t power_of_two) {
    return (base_rng_next(rng) >> 32 & (power_of_two - 1)) == 0;
}

/*
 * Actions that leave each operation as it is: they change the order within threads and the places
 * of whole threads. Only threads of one length change places, so that all keep their lengths.
 */

static bool is_same(const dir_mtg_gene *a, const dir_mtg_gene *b) {
    return a->template == b->template && a->location == b->location;
}

/* The same part of each thread, at the same place relative to its length. */
typedef struct thread_section {
    uint32_t divisor; /* a thread's length divided by this, but not below `least`, if it has that */
    uint32_t least;
    uint32_t place; /* of 2^32 */
} thread_section;

static uint32_t length_of(const dir_dqg_space *space, uint32_t thread) {
    const uint32_t operations = space->genes.operations;
    return dir_dqg_start(space, operations, thread + 1) - dir_dqg_start(space, operations, thread);
}

/* Where it begins and how long it is in a thread. */
static uint32_t section_of(const dir_dqg_space *space, thread_section section, uint32_t thread,
                           uint32_t *length) {
    const uint32_t all = length_of(space, thread);
    const uint32_t least = all < section.least ? all : section.least;
    *length = all / section.divisor < least ? least : all / section.divisor;
    return dir_dqg_start(space, space->genes.operations, thread) +
           base_scale(section.place, all - *length + 1);
}

/* Threads have the shorter length or one operation more; the first of either, or all threads. */
static uint32_t first_of_length(const dir_dqg_space *space, uint32_t length) {
    uint32_t thread = 0;
    while (thread < space->genes.threads && length_of(space, thread) != length)
        thread++;
    return thread;
}

static bool is_same_thread(const dir_dqg_space *space, const dir_mtg_gene *genes, uint32_t one,
                           uint32_t other) {
    const uint32_t operations = space->genes.operations, length = length_of(space, one);
    const dir_mtg_gene *a = genes + dir_dqg_start(space, operations, one);
    const dir_mtg_gene *b = genes + dir_dqg_start(space, operations, other);
    for (uint32_t i = 0; i < length; i++)
        if (!is_same(&a[i], &b[i]))
            return false;
    return true;
}

static bool order_matters(const dir_dqg_space *space, const dir_mtg_gene *genes) {
    for (uint32_t i = 1; i < space->genes.operations; i++)
        if (genes[i].thread == genes[i - 1].thread && !is_same(&genes[i], &genes[i - 1]))
            return true;
    return false;
}

static bool any_thread_differs(const dir_dqg_space *space, const dir_mtg_gene *genes) {
    const uint32_t shorter = space->genes.operations / space->genes.threads;
    const uint32_t first[2] = {first_of_length(space, shorter),
                               first_of_length(space, shorter + 1)};
    for (uint32_t t = 0; t < space->genes.threads; t++)
        if (!is_same_thread(space, genes, t, first[length_of(space, t) - shorter]))
            return true;
    return false;
}

/* A part of each thread in any order. */
static void shuffle(dir_dqg_space *space, base_rng *rng, dir_mtg_gene *genes) {
    const thread_section section = {4, 2, (uint32_t)(base_rng_next(rng) >> 32)};
    for (uint32_t t = 0; t < space->genes.threads; t++) {
        uint32_t length;
        dir_mtg_gene *part = genes + section_of(space, section, t, &length);
        for (uint32_t i = length; i > 1; i--) {
            const uint32_t other = base_scale((uint32_t)(base_rng_next(rng) >> 32), i);
            const dir_mtg_gene moved = part[i - 1];
            part[i - 1] = part[other];
            part[other] = moved;
        }
    }
}

static void copy_thread(const dir_dqg_space *space, const dir_mtg_gene *genes, uint32_t from,
                        uint32_t to, dir_mtg_gene *copy) {
    const uint32_t operations = space->genes.operations, length = length_of(space, from);
    const dir_mtg_gene *source = genes + dir_dqg_start(space, operations, from);
    dir_mtg_gene *target = copy + dir_dqg_start(space, operations, to);
    for (uint32_t i = 0; i < length; i++) {
        target[i] = source[i];
        target[i].thread = (uint16_t)to;
    }
}

static void permute_threads(dir_dqg_space *space, base_rng *rng, dir_dqg_program *program) {
    const uint32_t threads = space->genes.threads;
    const uint32_t shorter = space->genes.operations / threads;
    uint32_t *places = space->threads, *order = space->threads + threads;
    for (uint32_t more = 0; more < 2; more++) {
        uint32_t count = 0;
        for (uint32_t t = 0; t < threads; t++)
            if (length_of(space, t) == shorter + more)
                places[count] = order[count] = t, count++;
        base_rng_shuffle(rng, order, count);
        for (uint32_t i = 0; i < count; i++)
            copy_thread(space, program->genes, order[i], places[i], space->spare);
    }
    dir_dqg_swap_genes(space, program);
}

/* Threads that do the same collide in all they do. */
static void copy_any_thread(const dir_dqg_space *space, base_rng *rng, dir_mtg_gene *genes) {
    const uint32_t from = (uint32_t)base_rng_below(rng, space->genes.threads);
    const uint32_t to = (uint32_t)base_rng_below(rng, space->genes.threads);
    if (from != to && length_of(space, from) == length_of(space, to))
        copy_thread(space, genes, from, to, genes);
}

/* ---- The size: operations are left out or put in anywhere, the rest keeps its order. */

/* Of `all` places `chosen` are taken, each set of them with the same chance: is the next one? */
static bool takes(base_rng *rng, uint32_t all, uint32_t chosen) {
    return base_scale((uint32_t)(base_rng_next(rng) >> 32), all) < chosen;
}

static void stretch(const dir_dqg_space *space, uint32_t thread, base_rng *rng,
                    const dir_mtg_gene *old, uint32_t old_length, dir_mtg_gene *new,
                    uint32_t new_length) {
    for (uint32_t i = 0; i < new_length; i++) {
        const bool is_old = takes(rng, new_length - i, old_length);
        new[i] = is_old ? *old : dir_dqg_draw(space, thread, rng);
        old += is_old;
        old_length -= is_old;
    }
}

static void thin(base_rng *rng, const dir_mtg_gene *old, uint32_t old_length, dir_mtg_gene *new,
                 uint32_t new_length) {
    for (uint32_t i = 0; i < old_length && new_length > 0; i++)
        if (takes(rng, old_length - i, new_length)) {
            *new ++ = old[i];
            new_length--;
        }
}

static void resize(dir_dqg_space *space, base_rng *rng, dir_dqg_program *program, uint32_t size) {
    const uint32_t old = space->rtg.sizes[program->size], new = space->rtg.sizes[size];
    for (uint32_t t = 0; t < space->genes.threads; t++) {
        const uint32_t from = dir_dqg_start(space, old, t), to = dir_dqg_start(space, new, t);
        const uint32_t old_length = dir_dqg_start(space, old, t + 1) - from;
        const uint32_t new_length = dir_dqg_start(space, new, t + 1) - to;
        if (new > old)
            stretch(space, t, rng, program->genes + from, old_length, space->spare + to,
                    new_length);
        else
            thin(rng, program->genes + from, old_length, space->spare + to, new_length);
    }
    dir_dqg_swap_genes(space, program);
    program->size = size;
}

/* ---- Locations, sets and addresses. */

static void relocate(dir_dqg_space *space, base_rng *rng, dir_dqg_program *program, uint32_t run) {
    const col_point old = dir_dqg_point(space, program);
    /* Of the pairs with other locations, the one with the same sets, else with the next fewer that
     * there are, else with the fewest. */
    uint32_t pair = space->rtg.runs[run];
    while (pair + 1 < space->rtg.runs[run + 1] && space->rtg.pairs[pair + 1].sets <= old.sets)
        pair++;
    program->pair = pair;
    program->layout = base_rng_next(rng) >> 1;
    const uint32_t locations = dir_dqg_take_up(space, program).locations;
    /* More: a location's operations are divided among it and new ones. Fewer: they come together
     * in the same way. */
    const uint32_t parts = locations > old.locations ? locations / old.locations : 1;
    for (uint32_t i = 0; i < old.operations; i++) {
        dir_mtg_gene *gene = &program->genes[i];
        if (!dir_mtg_is_located(&space->genes, gene))
            continue;
        if (parts == 1)
            gene->location %= locations;
        else
            gene->location +=
                old.locations * base_scale((uint32_t)(base_rng_next(rng) >> 32), parts);
    }
}

static void change_sets(base_rng *rng, dir_dqg_program *program, uint32_t pair) {
    program->pair = pair;
    program->layout = base_rng_next(rng) >> 1;
}

/* ---- Kinds. */

/* Operations of some kinds, one in this many of them. */
static void turn_kinds(const dir_dqg_space *space, uint32_t kinds, uint32_t one_in,
                       const dir_dqg_choice *choice, base_rng *rng, dir_mtg_gene *genes) {
    for (uint32_t i = 0; i < space->genes.operations; i++)
        if ((kinds >> space->kind_of[genes[i].template] & 1) != 0 && is_one_in(rng, one_in)) {
            const uint64_t bits = base_rng_next(rng);
            const bool was_located = dir_mtg_is_located(&space->genes, &genes[i]);
            genes[i].template =
                choice->templates[base_chooser_pick(&choice->chooser, base_rng_next(rng))];
            if (!dir_mtg_is_located(&space->genes, &genes[i]))
                genes[i].location = 0;
            else if (!was_located)
                genes[i].location = base_scale((uint32_t)(bits >> 32), space->genes.locations);
        }
}

/* ---- Collisions. */

static uint32_t draw_location(const dir_dqg_space *space, base_rng *rng) {
    return base_scale((uint32_t)(base_rng_next(rng) >> 32), space->genes.locations);
}

/* Half of the threads meet at one location, all at the same time as far as a program can say. */
static void collide(const dir_dqg_space *space, base_rng *rng, dir_mtg_gene *genes) {
    const thread_section section = {COLLIDED, 1, (uint32_t)(base_rng_next(rng) >> 32)};
    const uint32_t location = draw_location(space, rng);
    for (uint32_t t = 0; t < space->genes.threads; t++) {
        uint32_t length;
        dir_mtg_gene *part = genes + section_of(space, section, t, &length);
        if (!is_one_in(rng, 2))
            continue;
        for (uint32_t i = 0; i < length; i++)
            if (dir_mtg_is_located(&space->genes, &part[i]))
                part[i].location = location;
    }
}

static void gather(const dir_dqg_space *space, base_rng *rng, dir_mtg_gene *genes) {
    const uint32_t location = draw_location(space, rng);
    for (uint32_t i = 0; i < space->genes.operations; i++)
        if (dir_mtg_is_located(&space->genes, &genes[i]) && is_one_in(rng, GATHERED))
            genes[i].location = location;
}

static void spread(const dir_dqg_space *space, base_rng *rng, dir_mtg_gene *genes) {
    uint32_t *counts = space->locations, hottest = 0;
    memset(counts, 0, space->genes.locations * sizeof *counts);
    for (uint32_t i = 0; i < space->genes.operations; i++)
        counts[genes[i].location] += dir_mtg_is_located(&space->genes, &genes[i]);
    for (uint32_t l = 1; l < space->genes.locations; l++)
        if (counts[l] > counts[hottest])
            hottest = l;
    for (uint32_t i = 0; i < space->genes.operations; i++)
        if (dir_mtg_is_located(&space->genes, &genes[i]) && genes[i].location == hottest &&
            is_one_in(rng, SPREAD))
            genes[i].location = draw_location(space, rng);
}

/* ---- Chains. */

static col_status insert_chains(dir_dqg_space *space, base_rng *rng, dir_mtg_gene *genes,
                                col_problem *problem) {
    const thread_section section = {SECTION, 2, (uint32_t)(base_rng_next(rng) >> 32)};
    const uint32_t threads = space->genes.threads;
    col_generated generated = {0};
    for (uint32_t t = 0; t < threads; t++)
        (void)section_of(space, section, t, &space->threads[t]);
    BASE_TRY(col_program_shape(&space->chains, threads, space->threads, space->genes.locations,
                               problem));
    BASE_TRY(gen_generate_chained(&space->chainer, &space->chain_settings, rng, &space->chains,
                                  NULL, &generated, problem));
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t length;
        dir_mtg_gene *part = genes + section_of(space, section, t, &length);
        const col_operation *chained = space->chains.operations + space->chains.thread_start[t];
        for (uint32_t i = 0; i < length; i++) {
            part[i].template = space->chain_templates[chained[i].kind];
            part[i].location = chained[i].location;
        }
    }
    return COL_OK;
}

static void mutate(const dir_dqg_space *space, base_rng *rng, dir_mtg_gene *genes) {
    const uint32_t anyway = (uint32_t)base_rng_below(rng, space->genes.operations);
    for (uint32_t i = 0; i < space->genes.operations; i++)
        if (is_one_in(rng, MUTATED) || i == anyway)
            genes[i] = dir_dqg_draw(space, genes[i].thread, rng);
}

/* ---- Which are allowed. */

uint64_t dir_dqg_allowed(dir_dqg_space *space, const dir_dqg_program *program) {
    const dir_rtg *rtg = &space->rtg;
    const col_point point = dir_dqg_take_up(space, program);
    const uint32_t run = dir_rtg_run(rtg, program->pair);
    uint32_t counts[DIR_DQG_KIND_COUNT], located = 0;
    dir_dqg_count_kinds(space, program, counts);
    for (uint32_t i = 0; i < point.operations; i++)
        located += dir_mtg_is_located(&space->genes, &program->genes[i]);
    const bool can_move = located > 0 && point.locations > 1;
    const bool has_choice = space->genes.chooser.count > 1 || can_move;
    const bool threads_differ = any_thread_differs(space, program->genes);
    const bool is_allowed[DIR_DQG_ACTION_COUNT] = {
        [DIR_DQG_GROW] = program->size + 1 < rtg->size_count,
        [DIR_DQG_SHRINK] = program->size > 0,
        [DIR_DQG_MORE_LOCATIONS] = run + 1 < rtg->location_count,
        [DIR_DQG_FEWER_LOCATIONS] = run > 0,
        [DIR_DQG_MORE_SETS] = program->pair + 1 < rtg->runs[run + 1],
        [DIR_DQG_FEWER_SETS] = program->pair > rtg->runs[run],
        [DIR_DQG_REASSIGN] = true,
        [DIR_DQG_MORE_STORES] = counts[DIR_DQG_LOAD] > 0 && space->store.count > 0,
        [DIR_DQG_MORE_LOADS] = counts[DIR_DQG_STORE] > 0 && space->load.count > 0,
        [DIR_DQG_MORE_OTHERS] = counts[DIR_DQG_OTHER] < point.operations && space->other.count > 0,
        [DIR_DQG_FEWER_OTHERS] = counts[DIR_DQG_OTHER] > 0 && space->plain.count > 0,
        [DIR_DQG_COLLIDE] = can_move,
        [DIR_DQG_GATHER] = can_move,
        [DIR_DQG_SPREAD] = can_move,
        [DIR_DQG_INSERT_CHAINS] = space->has_chains,
        [DIR_DQG_REMOVE_CHAINS] = has_choice,
        [DIR_DQG_SHUFFLE] = order_matters(space, program->genes),
        [DIR_DQG_PERMUTE_THREADS] = threads_differ,
        [DIR_DQG_COPY_THREAD] = threads_differ,
        [DIR_DQG_MUTATE] = has_choice,
    };
    uint64_t set = 0;
    for (uint32_t action = 0; action < DIR_DQG_ACTION_COUNT; action++)
        set |= (uint64_t)is_allowed[action] << action;
    return set;
}

/* ---- The action. */

static col_status change_genes(dir_dqg_space *space, dir_dqg_action action, base_rng *rng,
                               dir_dqg_program *program, col_problem *problem) {
    const uint32_t plain = 1U << DIR_DQG_LOAD | 1U << DIR_DQG_STORE;
    if (action == DIR_DQG_MORE_STORES)
        turn_kinds(space, 1U << DIR_DQG_LOAD, TURNED, &space->store, rng, program->genes);
    else if (action == DIR_DQG_MORE_LOADS)
        turn_kinds(space, 1U << DIR_DQG_STORE, TURNED, &space->load, rng, program->genes);
    else if (action == DIR_DQG_MORE_OTHERS)
        turn_kinds(space, plain, MADE_OTHER, &space->other, rng, program->genes);
    else if (action == DIR_DQG_FEWER_OTHERS)
        turn_kinds(space, 1U << DIR_DQG_OTHER, MADE_PLAIN, &space->plain, rng, program->genes);
    else if (action == DIR_DQG_COLLIDE)
        collide(space, rng, program->genes);
    else if (action == DIR_DQG_GATHER)
        gather(space, rng, program->genes);
    else if (action == DIR_DQG_SPREAD)
        spread(space, rng, program->genes);
    else if (action == DIR_DQG_INSERT_CHAINS)
        return insert_chains(space, rng, program->genes, problem);
    else if (action == DIR_DQG_REMOVE_CHAINS) {
        const thread_section section = {SECTION, 2, (uint32_t)(base_rng_next(rng) >> 32)};
        for (uint32_t t = 0; t < space->genes.threads; t++) {
            uint32_t length;
            dir_mtg_gene *part = program->genes + section_of(space, section, t, &length);
            for (uint32_t i = 0; i < length; i++)
                part[i] = dir_dqg_draw(space, t, rng);
        }
    } else if (action == DIR_DQG_SHUFFLE)
        shuffle(space, rng, program->genes);
    else if (action == DIR_DQG_PERMUTE_THREADS)
        permute_threads(space, rng, program);
    else if (action == DIR_DQG_COPY_THREAD)
        copy_any_thread(space, rng, program->genes);
    else
        mutate(space, rng, program->genes);
    return COL_OK;
}

static bool is_as_before(const dir_dqg_space *space, const dir_mtg_gene *genes) {
    for (uint32_t i = 0; i < space->genes.operations; i++)
        if (!is_same(&genes[i], &space->before[i]))
            return false;
    return true;
}

col_status dir_dqg_transform(dir_dqg_space *space, dir_dqg_action action, base_rng *rng,
                             dir_dqg_program *program, col_problem *problem) {
    const col_point point = dir_dqg_take_up(space, program);
    if (action == DIR_DQG_GROW || action == DIR_DQG_SHRINK)
        resize(space, rng, program, action == DIR_DQG_GROW ? program->size + 1 : program->size - 1);
    else if (action == DIR_DQG_MORE_LOCATIONS)
        relocate(space, rng, program, dir_rtg_run(&space->rtg, program->pair) + 1);
    else if (action == DIR_DQG_FEWER_LOCATIONS)
        relocate(space, rng, program, dir_rtg_run(&space->rtg, program->pair) - 1);
    else if (action == DIR_DQG_MORE_SETS || action == DIR_DQG_FEWER_SETS)
        change_sets(rng, program,
                    action == DIR_DQG_MORE_SETS ? program->pair + 1 : program->pair - 1);
    else if (action == DIR_DQG_REASSIGN)
        change_sets(rng, program, program->pair);
    if (action <= DIR_DQG_REASSIGN)
        return COL_OK;
    memcpy(space->before, program->genes, point.operations * sizeof *space->before);
    for (uint32_t i = 0; i < MOST_TRIES; i++) {
        BASE_TRY(change_genes(space, action, rng, program, problem));
        if (!is_as_before(space, program->genes))
            break;
    }
    return COL_OK;
}
