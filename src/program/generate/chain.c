/* SPDX-License-Identifier: MIT */
/*
 * Chained threads (the thesis's CHAIN generators). Chains are appended one after the other: each
 * draws its category, then its operations, which go to the ends of the threads they belong to, with
 * a barrier between operations of one thread to different locations. A chain that does not fit is
 * taken back. When no more chains fit, single operations fill the threads up.
 *
 * Kinds that a category leaves open are loads with probability 3/4 (or as the mix says), with two
 * exceptions that keep a chain a race: operations of one thread that follow each other at one
 * location conflict, and so do the endpoints of categories 2 and 3. docs/generation.md gives the
 * reasons. What a mix has besides chains comes between their operations, or some of them become it
 * at the end.
 */
#include "program/generate/generator.h"

#include "base/memory.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_ROUNDS = 8, /* repetitions of a chain's repeatable part */
    MOST_LINKS = 3 * MOST_ROUNDS + 4,
    MOST_FAILURES = 16, /* chains in a row that do not fit before threads are filled up */
    DECK_PER_THREAD = 8,
};

/*
 * What chained threads have besides the loads, stores and fences of their chains. Some operations
 * come between those of chains: flushes, fences, delays. Some are what a load or a store of a chain
 * becomes: an atomic, which reads and writes and so keeps the chain's races, or the same access
 * with an order or a dependency.
 */

/* A choice among operations, or of none of them. */
typedef struct palette {
    base_chooser chooser;
    col_operation operations[COL_MAX_TEMPLATES + 1]; /* the last stands for none: it is plain */
    uint32_t count;                                  /* without it */
} palette;

typedef struct extras {
    palette between, of_loads, of_stores;
} extras;

static void add_extra(palette *p, double *weights, const gen_template *template, double chance) {
    if (!(chance > 0))
        return;
    weights[p->count] = chance;
    p->operations[p->count++] = template->operation;
}

static void finish(palette *p, double *weights, col_kind plain) {
    double rest = 1;
    for (uint32_t i = 0; i < p->count; i++)
        rest -= weights[i];
    p->operations[p->count] = (col_operation){.kind = (uint8_t)plain};
    weights[p->count] = rest > 0 ? rest : 0;
    if (p->count > 0)
        base_chooser_build(&p->chooser, weights, p->count + 1);
}

static void make_extras(extras *e, const col_category_mix *mix) {
    double between[COL_MAX_TEMPLATES + 1] = {0}, loads[COL_MAX_TEMPLATES + 1] = {0},
                                       stores[COL_MAX_TEMPLATES + 1] = {0};
    e->between.count = e->of_loads.count = e->of_stores.count = 0;
    for (uint32_t t = 0; t < gen_template_count; t++) {
        const gen_template *template = &gen_templates[t];
        const col_kind_traits *is = &col_kinds[template->operation.kind];
        if (is->dma || (!is->reads && !is->writes))
            add_extra(&e->between, between, template, mix->extras[t]);
        if (is->dma)
            continue;
        if (is->reads)
            add_extra(&e->of_loads, loads, template, mix->extras[t]);
        if (is->writes)
            add_extra(&e->of_stores, stores, template, mix->extras[t]);
    }
    finish(&e->between, between, COL_KIND_COUNT);
    finish(&e->of_loads, loads, COL_LOAD);
    finish(&e->of_stores, stores, COL_STORE);
}

static inline const col_operation *draw(const palette *p, base_rng *rng) {
    return &p->operations[base_chooser_pick(&p->chooser, base_rng_next(rng))];
}

/* An operation to come next, at a random location; false: none. Draws nothing if there can be none.
 */
static inline bool draw_between(const extras *e, base_rng *rng, uint32_t locations,
                                col_operation *operation) {
    if (e->between.count == 0)
        return false;
    const col_operation *drawn = draw(&e->between, rng);
    if (drawn == &e->between.operations[e->between.count])
        return false;
    *operation = *drawn;
    if (col_kinds[operation->kind].located)
        operation->location = (uint32_t)base_rng_below(rng, locations);
    return true;
}

/* Makes some loads and stores of a program what they can become. Most stay what they are; to write
 * them all costs less than to guess which. */
static void change_accesses(const extras *e, base_rng *rng, col_program *program) {
    const palette *palettes[COL_KIND_COUNT] = {
        [COL_LOAD] = e->of_loads.count > 0 ? &e->of_loads : NULL,
        [COL_STORE] = e->of_stores.count > 0 ? &e->of_stores : NULL};
    bool reads[COL_KIND_COUNT];
    for (int k = 0; k < COL_KIND_COUNT; k++)
        reads[k] = col_kinds[k].reads && !col_kinds[k].dma;
    base_rng own = *rng;
    /* Dependent operations hang on the nearest read before them; without one they are independent.
     */
    for (uint32_t t = 0; t < program->thread_count; t++) {
        uint32_t last_read = UINT32_MAX;
        for (uint32_t place = program->thread_start[t]; place < program->thread_start[t + 1];
             place++) {
            col_operation *operation = &program->operations[place];
            const palette *p = palettes[operation->kind];
            if (p != NULL) {
                col_operation drawn = *draw(p, &own);
                const bool depends =
                    drawn.dependency != COL_NO_DEPENDENCY && last_read != UINT32_MAX;
                drawn.location = operation->location;
                drawn.distance = depends ? place - last_read : 0;
                drawn.dependency = depends ? drawn.dependency : COL_NO_DEPENDENCY;
                *operation = drawn;
            }
            last_read = reads[operation->kind] ? place : last_read;
        }
    }
    *rng = own;
}

typedef struct builder {
    const gen_chain_settings *settings;
    extras extras;
    base_rng *rng;
    col_program *program;
    uint32_t *next;
    uint32_t *deck;
    uint32_t deck_count;
    uint32_t open; /* threads with room */
    uint32_t open_at_deal;

    /* The chain under construction. */
    col_link links[MOST_LINKS];
    uint32_t threads[MOST_LINKS];
    uint32_t starts[MOST_LINKS]; /* where the thread went on before the link */
    uint32_t link_count;
} builder;

static uint32_t room(const builder *b, uint32_t thread) {
    return b->program->thread_start[thread + 1] - b->next[thread];
}

static uint32_t length(const builder *b, uint32_t thread) {
    return b->program->thread_start[thread + 1] - b->program->thread_start[thread];
}

static bool has_equal_lengths(const builder *b) {
    for (uint32_t t = 1; t < b->program->thread_count; t++)
        if (length(b, t) > length(b, 0) + 1 || length(b, t) + 1 < length(b, 0))
            return false;
    return true;
}

/* Threads with room: one card each if all are as long, otherwise about four for a mean length. */
static void deal_deck(builder *b) {
    const uint32_t threads = b->program->thread_count;
    const uint64_t mean = col_program_operations(b->program) / threads + 1;
    const bool equal = has_equal_lengths(b);
    b->deck_count = 0;
    b->open = 0;
    for (uint32_t t = 0; t < threads; t++) {
        if (room(b, t) == 0)
            continue;
        b->open++;
        uint64_t cards = equal ? 1 : 1 + (uint64_t)length(b, t) * 4 / mean;
        for (; cards > 0 && b->deck_count < threads * DECK_PER_THREAD; cards--)
            b->deck[b->deck_count++] = t;
    }
    b->open_at_deal = b->open;
}

/* Of two threads the one that has the larger part of its operations to go. */
static inline uint32_t emptier(const builder *b, uint32_t one, uint32_t two) {
    const uint64_t part_one = (uint64_t)room(b, one) * length(b, two);
    const uint64_t part_two = (uint64_t)room(b, two) * length(b, one);
    return part_one >= part_two ? one : two;
}

/* The emptier of two random threads: threads fill up together, so that chains reach across all of
 * them to the end. */
static inline uint32_t draw_thread(const builder *b) {
    const uint64_t random = base_rng_next(b->rng);
    return emptier(b, b->deck[base_scale((uint32_t)random, b->deck_count)],
                   b->deck[base_scale((uint32_t)(random >> 32), b->deck_count)]);
}

/* The same among threads that are neither of two others; UINT32_MAX if luck runs out. */
static inline uint32_t draw_other_thread(const builder *b, uint32_t not_this, uint32_t nor_this) {
    for (int attempt = 0; attempt < 32; attempt++) {
        const uint64_t random = base_rng_next(b->rng);
        const uint32_t one = b->deck[base_scale((uint32_t)random, b->deck_count)];
        const uint32_t two = b->deck[base_scale((uint32_t)(random >> 32), b->deck_count)];
        const bool one_fits = one != not_this && one != nor_this;
        const bool two_fits = two != not_this && two != nor_this;
        if (one_fits && two_fits)
            return emptier(b, one, two);
        if (one_fits || two_fits)
            return one_fits ? one : two;
    }
    return UINT32_MAX;
}

static inline uint32_t draw_location(const builder *b, uint64_t random) {
    return base_scale((uint32_t)(random >> 32), b->program->location_count);
}

/* By two random bits a load with probability 3/4, unless the mix says otherwise. */
static inline uint8_t open_kind(const builder *b, uint64_t bits) {
    const double loads = b->settings->mix.loads;
    const bool is_load = loads > 0 ? base_rng_unit(b->rng) < loads : (bits & 3) != 0;
    return is_load ? COL_LOAD : COL_STORE;
}

static inline uint8_t conflicting_kind(const builder *b, uint8_t kind, uint64_t bits) {
    return kind == COL_LOAD ? COL_STORE : open_kind(b, bits);
}

static inline void put(const builder *b, uint32_t place, uint8_t kind, uint32_t location,
                       uint8_t fence) {
    b->program->operations[place] =
        (col_operation){.kind = kind, .location = location, .fence = fence};
}

/* Appends an operation to the chain and to the end of its thread. */
static inline bool add(builder *b, uint32_t thread, uint8_t kind, uint32_t location) {
    if (thread == UINT32_MAX || room(b, thread) == 0)
        return false;
    const uint32_t start = b->next[thread];
    /* Now and then something comes before an operation of a chain, if there is room for both. */
    col_operation other;
    if (room(b, thread) > 1 && draw_between(&b->extras, b->rng, b->program->location_count, &other))
        b->program->operations[b->next[thread]++] = other;
    const uint32_t place = b->next[thread]++;
    put(b, place, kind, location, 0);
    const uint32_t n = b->link_count++;
    b->links[n] = (col_link){.operation = place};
    b->threads[n] = thread;
    b->starts[n] = start;
    return true;
}

/* Appends an operation in significant program order after the last one: behind a barrier unless it
 * is to the same location. */
static inline bool add_ordered(builder *b, uint8_t kind, uint32_t location) {
    const uint32_t thread = b->threads[b->link_count - 1];
    const col_operation *last = &b->program->operations[b->links[b->link_count - 1].operation];
    if (last->location == location)
        return add(b, thread, kind, location);
    if (room(b, thread) < 2)
        return false;
    const uint8_t pairs =
        b->settings->exact_fences
            ? (uint8_t)(1u << (2 * (last->kind == COL_STORE) + (kind == COL_STORE)))
            : (uint8_t)COL_FULL_FENCE;
    const uint32_t start = b->next[thread]++;
    put(b, start, COL_FENCE, 0, pairs);
    (void)add(b, thread, kind, location);
    b->starts[b->link_count - 1] = start;
    return true;
}

/* Appends, in another thread, an operation in significant conflict order after the last one: the
 * two conflict, or they are loads with a store of a third thread between them. */
static bool add_conflicting(builder *b, uint32_t thread, uint8_t kind) {
    const uint32_t last_thread = b->threads[b->link_count - 1];
    const col_operation *last = &b->program->operations[b->links[b->link_count - 1].operation];
    const uint32_t location = last->location;
    if (last->kind == COL_LOAD && kind == COL_LOAD) {
        const uint32_t third = draw_other_thread(b, last_thread, thread);
        if (!add(b, third, COL_STORE, location))
            return false;
        b->links[b->link_count - 1].between = true;
    }
    return add(b, thread, kind, location);
}

/* 1, 2, 3, ... with probability 1/2, 1/4, 1/8, ... */
static uint32_t draw_rounds(const builder *b) {
    uint64_t random = base_rng_next(b->rng);
    uint32_t rounds = 1;
    for (; rounds < MOST_ROUNDS && (random & 1) != 0; random >>= 1)
        rounds++;
    return rounds;
}

/* O {O O}* O in one thread at one location, no two loads in a row. */
static bool build_category_0(builder *b) {
    const uint64_t random = base_rng_next(b->rng);
    const uint32_t thread = draw_thread(b);
    const uint32_t location = draw_location(b, random);
    const uint32_t rounds = draw_rounds(b);
    uint8_t kind = open_kind(b, random);
    bool fits = add(b, thread, kind, location);
    for (uint32_t i = 1; fits && i < 2 * rounds; i++) {
        kind = conflicting_kind(b, kind, random >> (2 * i));
        fits = add(b, thread, kind, location);
    }
    return fits;
}

/* S in one thread, then L and any in another, at one location. */
static bool build_category_1(builder *b) {
    const uint64_t random = base_rng_next(b->rng);
    const uint32_t location = draw_location(b, random);
    const uint32_t second = draw_thread(b); /* takes two operations: the emptier one */
    const uint32_t first = draw_other_thread(b, second, second);
    return add(b, first, COL_STORE, location) && add(b, second, COL_LOAD, location) &&
           add(b, second, open_kind(b, random), location);
}

/* The kind of an operation that follows the last one in its thread. */
static uint8_t following_kind(const builder *b, uint32_t location, uint64_t bits) {
    const col_operation *last = &b->program->operations[b->links[b->link_count - 1].operation];
    return last->location == location ? conflicting_kind(b, last->kind, bits) : open_kind(b, bits);
}

/*
 * {O_b in this thread, O_b in another}+, then the endpoint at location a. What comes before is in
 * the chain already. The last thread is not `not_last`: the categories let it differ from the
 * thread that the rounds start in. `end` is the kind of the endpoint.
 */
static bool build_rounds(builder *b, uint32_t a, uint32_t not_last, uint8_t end) {
    const bool two_threads = b->program->thread_count == 2;
    uint32_t rounds = draw_rounds(b);
    if (two_threads)
        rounds = (rounds - 1) | 1; /* only an odd number of steps ends in the other thread */
    for (uint32_t round = 0; round < rounds; round++) {
        const uint64_t random = base_rng_next(b->rng);
        const bool is_last = round + 1 == rounds;
        const uint32_t location = draw_location(b, random);
        const uint32_t thread = b->threads[b->link_count - 1];
        const uint32_t other = draw_other_thread(b, thread, is_last ? not_last : thread);
        if (!add_ordered(b, following_kind(b, location, random), location))
            return false;
        const col_operation *here = &b->program->operations[b->links[b->link_count - 1].operation];
        /* Before an endpoint at the same location the kind must let them conflict; two threads
         * leave no third one for the store between two loads. */
        uint8_t kind = open_kind(b, random >> 2);
        if (two_threads)
            kind = conflicting_kind(b, here->kind, random >> 2);
        if (is_last && location == a && end == COL_LOAD)
            kind = COL_STORE;
        if (other == UINT32_MAX || !add_conflicting(b, other, kind))
            return false;
    }
    return add_ordered(b, end, a);
}

/* O_a in thread i, rounds, O_a in thread j. */
static bool build_category_2(builder *b) {
    const uint64_t random = base_rng_next(b->rng);
    const uint32_t location = draw_location(b, random);
    const uint32_t thread = draw_thread(b);
    const uint8_t kind = open_kind(b, random);
    return add(b, thread, kind, location) &&
           build_rounds(b, location, thread, conflicting_kind(b, kind, random >> 2));
}

/* S_a in thread i, L_a in thread j, rounds, L_a in thread k. */
static bool build_category_3(builder *b) {
    const uint32_t location = draw_location(b, base_rng_next(b->rng));
    const uint32_t thread = draw_thread(b);
    const uint32_t other = draw_other_thread(b, thread, thread);
    return add(b, thread, COL_STORE, location) && add(b, other, COL_LOAD, location) &&
           build_rounds(b, location, other, COL_LOAD);
}

static bool build_chain(builder *b, uint32_t category) {
    static bool (*const build[COL_CATEGORIES])(builder *) = {build_category_0, build_category_1,
                                                             build_category_2, build_category_3};
    b->link_count = 0;
    if (build[category](b))
        return true;
    while (b->link_count > 0) {
        b->link_count--;
        b->next[b->threads[b->link_count]] = b->starts[b->link_count];
    }
    return false;
}

static col_status keep_chain(const builder *b, uint32_t category, gen_chain_list *list,
                             col_problem *problem) {
    BASE_TRY(base_reserve(&list->chains, &list->chain_capacity, list->chain_count + 1,
                          sizeof *list->chains, problem));
    BASE_TRY(base_reserve(&list->links, &list->link_capacity, list->link_count + b->link_count,
                          sizeof *list->links, problem));
    list->chains[list->chain_count++] = (col_chain){
        .first = (uint32_t)list->link_count, .count = b->link_count, .category = (uint8_t)category};
    memcpy(list->links + list->link_count, b->links, b->link_count * sizeof *b->links);
    list->link_count += b->link_count;
    return COL_OK;
}

static col_status build_all(builder *b, gen_chain_list *list, col_generated *generated,
                            col_problem *problem) {
    static const double alone[COL_CATEGORIES] = {1}; /* the others go across threads */
    base_chooser chooser;
    base_chooser_build(&chooser, b->program->thread_count == 1 ? alone : b->settings->mix.weights,
                       COL_CATEGORIES);
    uint32_t failures = 0;
    while (b->open > 0 && failures < MOST_FAILURES) {
        const uint32_t category = base_chooser_pick(&chooser, base_rng_next(b->rng));
        if (!build_chain(b, category)) {
            failures++;
            continue;
        }
        failures = 0;
        generated->chain_counts[category]++;
        if (list != NULL)
            BASE_TRY(keep_chain(b, category, list, problem));
        /* Forgets threads that are full: they would be drawn in vain. */
        for (uint32_t i = 0; i < b->link_count; i++) {
            /* Count each thread once, at its last link. */
            if (room(b, b->threads[i]) == 0 &&
                b->links[i].operation + 1 == b->program->thread_start[b->threads[i] + 1])
                b->open--;
        }
        if (b->open * 2 <= b->open_at_deal && b->open > 0)
            deal_deck(b);
    }
    for (uint32_t t = 0; t < b->program->thread_count; t++) {
        generated->fillers += room(b, t);
        while (room(b, t) > 0) {
            const uint64_t random = base_rng_next(b->rng);
            put(b, b->next[t]++, open_kind(b, random), draw_location(b, random), 0);
        }
    }
    return COL_OK;
}

col_status gen_generate_chained(gen_chainer *chainer, const gen_chain_settings *settings,
                                base_rng *rng, col_program *program, gen_chain_list *list,
                                col_generated *generated, col_problem *problem) {
    const size_t threads = program->thread_count;
    BASE_TRY(base_reserve(&chainer->next, &chainer->capacity, threads * (1 + DECK_PER_THREAD),
                          sizeof *chainer->next, problem));
    builder b = {.settings = settings,
                 .rng = rng,
                 .program = program,
                 .next = chainer->next,
                 .deck = chainer->next + threads};
    make_extras(&b.extras, &settings->mix);
    memcpy(b.next, program->thread_start, threads * sizeof *b.next);
    deal_deck(&b);
    BASE_TRY(build_all(&b, list, generated, problem));
    if (b.extras.of_loads.count + b.extras.of_stores.count > 0)
        change_accesses(&b.extras, rng, program);
    return COL_OK;
}

void gen_chainer_free(gen_chainer *chainer) {
    free(chainer->next);
    *chainer = (gen_chainer){0};
}

void gen_chain_list_free(gen_chain_list *list) {
    free(list->chains);
    free(list->links);
    *list = (gen_chain_list){0};
}

/* Which chain each operation belongs to. */

void gen_mark_chains(const col_program *program, const col_generated *generated,
                     uint32_t *chain_of) {
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        chain_of[o] = GEN_NO_CHAIN;
    for (uint32_t c = 0; c < generated->chain_total; c++) {
        const col_chain *chain = &generated->chains[c];
        for (uint32_t i = 0; i < chain->count; i++) {
            const uint32_t o = generated->links[chain->first + i].operation;
            chain_of[o] = c;
            if (o > 0 && program->operations[o - 1].kind == COL_FENCE)
                chain_of[o - 1] = c;
        }
    }
}

void gen_chain_letters(uint32_t chain, char letters[8]) {
    char reversed[8];
    int count = 0;
    for (uint64_t rest = (uint64_t)chain + 1; rest > 0; rest = (rest - 1) / 26)
        reversed[count++] = (char)('A' + (rest - 1) % 26);
    for (int i = 0; i < count; i++)
        letters[i] = reversed[count - 1 - i];
    letters[count] = '\0';
}
