/* SPDX-License-Identifier: MIT */
/*
 * A tour through the state space of an abstract protocol as tests of a design. All operations of a
 * tour are one after the other, whichever core they are of: the core that has acted hands a baton
 * to the next one, by a flag that only this one awaits. A test is a piece of the tour. Since caches
 * are empty at its start, it begins with the shortest walk to where the tour stands.
 */
#include "engine/tour_engine.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/problem.h"
#include "engine/engine.h"
#include "program/geometry.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 1 << 16 }; /* operations of the tour that are kept; it is made again for others */

typedef struct tour_parameters {
    uint64_t protocol, method, order, evictions;
    uint64_t cores, levels, from;
} tour_parameters;

enum { BATON, NO_ORDER };
enum { CONFLICT, FLUSH };
static const char *const methods[] = {"euler", "postman", NULL};
static const char *const orders[] = {[BATON] = "baton", [NO_ORDER] = "none", NULL};
static const char *const evictions[] = {[CONFLICT] = "conflict", [FLUSH] = "flush", NULL};
static bool (*const makers[])(const tour_space *, tour_sink) = {tour_euler, tour_postman};

static const base_field parameters[] = {
    {BASE_FIELD("protocol", BASE_WORD, tour_parameters, protocol), .initial = "moesi",
     .words = col_tour_protocols, .help = "whose state space is toured"},
    {BASE_FIELD("method", BASE_WORD, tour_parameters, method), .initial = "postman",
     .words = methods, .help = "how the tour is made"},
    {BASE_FIELD("cores", BASE_NUMBER, tour_parameters, cores), .least = TOUR_LEAST_CORES,
     .most = TOUR_MOST_CORES,
     .help = "that take part; all of the design, if it has no more than the most"},
    {BASE_FIELD("from", BASE_NUMBER, tour_parameters, from), .most = UINT64_C(1) << 53,
     .help = "operations of the tour that are left out at first"},
    {BASE_FIELD("order", BASE_WORD, tour_parameters, order), .initial = "baton", .words = orders,
     .help = "what keeps operations of different cores in order"},
    {BASE_FIELD("evictions", BASE_WORD, tour_parameters, evictions), .initial = "conflict",
     .words = evictions, .help = "how a core evicts: by other blocks of the set, or a flush"},
    {BASE_FIELD("levels", BASE_NUMBER, tour_parameters, levels), .least = 1, .most = COL_MAX_LEVELS,
     .help = "cache levels that evictions reach; all but the last, which is shared"},
    {.name = NULL}};

typedef struct tour {
    tour_parameters parameters;
    tour_space space;
    dir_layout layout;
    uint32_t threads, most_operations;
    bool repeat;
    uint64_t seed, test;
    /* The tour: where it stands, and a window of what comes. */
    uint64_t position;
    tour_state state;
    col_tour_operation *window;
    uint64_t window_start;
    uint32_t window_count; /* below WINDOW: it ends there */
    /* The test under way. */
    dir_steps steps;
    uint32_t values; /* given out */
    bool has_actor, has_stored;
    uint8_t actor; /* who has the baton, and may have stored with it just now */
} tour;

/* ---- Locations: the block, those that drive it out, and the flag of each core. */

static uint32_t conflicts_of(const tour *t) {
    return t->parameters.evictions == CONFLICT ? t->layout.ways : 0;
}

static uint32_t flag_of(const tour *t, uint32_t core) {
    return 1 + conflicts_of(t) + core;
}

static uint32_t location_count(const tour *t) {
    return 1 + conflicts_of(t) + (t->parameters.order == BATON ? t->space.cores : 0);
}

/* ---- The tour, piece by piece. */

static bool keep(void *context, col_tour_operation operation) {
    tour *t = context;
    if (t->window_start < t->position) {
        t->window_start++;
        t->state = tour_after(&t->space, &t->state, operation);
        return true;
    }
    t->window[t->window_count++] = operation;
    return t->window_count < WINDOW;
}

/* The operation at the position. False: the tour is through. */
static bool current_operation(tour *t, col_tour_operation *operation) {
    const uint64_t end = t->window_start + t->window_count;
    const bool is_kept = t->window_start <= t->position && t->position < end;
    if (!is_kept && (t->window_count == 0 || t->window_count == WINDOW)) {
        t->window_start = t->window_count = 0;
        t->state = TOUR_INITIAL;
        (void)makers[t->parameters.method](&t->space, (tour_sink){keep, t});
    }
    if (t->position - t->window_start >= t->window_count)
        return false;
    *operation = t->window[t->position - t->window_start];
    return true;
}

static void start_over(tour *t) {
    t->position = t->parameters.from;
    t->window_start = t->window_count = 0;
}

/* ---- From operations of the tour to those of a program. */

static col_status add(tour *t, uint32_t thread, col_operation operation, col_problem *problem) {
    BASE_TRY(dir_steps_reserve(&t->steps, (size_t)t->steps.count + 1, problem));
    t->steps.items[t->steps.count++] = (dir_step){thread, operation};
    return COL_OK;
}

static col_status add_fence(tour *t, uint32_t thread, col_problem *problem) {
    return add(t, thread, (col_operation){.kind = COL_FENCE, .fence = COL_FULL_FENCE}, problem);
}

static col_status hand_on(tour *t, uint8_t from, uint8_t to, col_problem *problem) {
    const uint32_t value = ++t->values;
    const col_operation flag = {
        .kind = COL_STORE, .location = flag_of(t, to), .value = value, .order = COL_RELEASE};
    const col_operation await = {
        .kind = COL_AWAIT, .location = flag_of(t, to), .value = value, .order = COL_ACQUIRE};
    const col_status status = add(t, from, flag, problem);
    return status == COL_OK ? add(t, to, await, problem) : status;
}

/* A load that waits for a store of its core takes the block when the store has it, and the cache
 * never sees the load. It does if there is another load to wait for, which waits for the store. */
static col_status wait_for_store(tour *t, uint8_t core, col_problem *problem) {
    const col_operation other = {.kind = COL_LOAD, .location = flag_of(t, core)};
    const col_status status = add_fence(t, core, problem);
    return status == COL_OK ? add(t, core, other, problem) : status;
}

/* Fences hold back loads that would ask their caches before it is their turn: to the memory model
 * that would be fine, but the block would be touched out of order. */
static col_status take_turn(tour *t, col_tour_operation operation, col_problem *problem) {
    const uint8_t before = t->actor, core = operation.core;
    const bool is_first = !t->has_actor;
    t->has_actor = true;
    t->actor = core;
    if (is_first || t->parameters.order == NO_ORDER)
        return COL_OK;
    if (before != core)
        BASE_TRY(hand_on(t, before, core, problem));
    else if (t->has_stored && operation.kind == COL_TOUR_LOAD)
        BASE_TRY(wait_for_store(t, core, problem));
    return add_fence(t, core, problem);
}

static col_status evict(tour *t, uint8_t core, col_problem *problem) {
    if (t->parameters.evictions == FLUSH)
        return add(t, core, (col_operation){.kind = COL_FLUSH}, problem);
    for (uint32_t c = 0; c < t->layout.ways; c++) {
        const col_operation load = {.kind = COL_LOAD, .location = 1 + c};
        if (c > 0 && t->parameters.order == BATON)
            BASE_TRY(add_fence(t, core, problem));
        BASE_TRY(add(t, core, load, problem));
    }
    return COL_OK;
}

static col_status act(tour *t, col_tour_operation operation, col_problem *problem) {
    BASE_TRY(take_turn(t, operation, problem));
    t->has_stored = operation.kind == COL_TOUR_STORE;
    if (operation.kind == COL_TOUR_EVICT)
        return evict(t, operation.core, problem);
    if (operation.kind == COL_TOUR_LOAD)
        return add(t, operation.core, (col_operation){.kind = COL_LOAD}, problem);
    return add(t, operation.core, (col_operation){.kind = COL_STORE, .value = ++t->values},
               problem);
}

static col_status walk_there(tour *t, col_problem *problem) {
    col_tour_operation walk[DIR_MOST_WALK];
    const uint32_t count = dir_tour_walk(&t->space, &t->state, walk);
    t->steps.count = t->values = 0;
    t->has_actor = t->has_stored = false;
    for (uint32_t i = 0; i < count; i++)
        BASE_TRY(act(t, walk[i], problem));
    return COL_OK;
}

/* As much of the tour as fits, but one operation of it at least, so that it goes on. */
static col_status fill_test(tour *t, col_problem *problem) {
    const uint64_t first = t->position;
    col_tour_operation operation;
    BASE_TRY(walk_there(t, problem));
    while (current_operation(t, &operation)) {
        const uint32_t before = t->steps.count;
        BASE_TRY(act(t, operation, problem));
        if (t->steps.count > t->most_operations && t->position > first) {
            t->steps.count = before;
            return COL_OK;
        }
        t->state = tour_after(&t->space, &t->state, operation);
        t->position++;
    }
    return COL_OK;
}

/* ---- The engine. */

static void close_engine(void *state) {
    tour *t = state;
    free(t->window);
    dir_steps_free(&t->steps);
}

static col_status check_settings(tour *t, const col_engine_settings *settings,
                                 col_problem *problem) {
    const uint64_t cores = t->parameters.cores;
    const uint32_t most = t->threads < TOUR_MOST_CORES ? t->threads : TOUR_MOST_CORES;
    t->space = (tour_space)TOUR_ONE_LEVEL((col_tour_protocol)t->parameters.protocol,
                                          cores == 0 ? most : (uint32_t)cores);
    if (t->space.cores > t->threads)
        return base_refuse(problem, "a tour of %u cores needs a design with as many",
                           t->space.cores);
    BASE_TRY(
        dir_layout_make(&t->layout, &settings->geometry, (uint32_t)t->parameters.levels, problem));
    if (dir_layout_sets(&t->layout) < 2)
        return base_refuse(problem, "a tour needs caches with two sets or more: one for its block, "
                                    "another one for its flags");
    return COL_OK;
}

static col_status open_engine(void *state, const dir_engine *kind,
                              const col_engine_settings *settings, col_problem *problem) {
    tour *t = state;
    t->threads = settings->threads;
    t->most_operations = settings->operations.most;
    t->repeat = settings->repeat;
    t->seed = settings->seed;
    BASE_TRY(
        dir_parameters_read(parameters, kind->name, settings->options, &t->parameters, problem));
    BASE_TRY(dir_layout_check(kind->name, settings, problem));
    BASE_TRY(check_settings(t, settings, problem));
    t->window = calloc(WINDOW, sizeof *t->window);
    start_over(t);
    return t->window == NULL ? base_out_of_memory(problem) : COL_OK;
}

static col_status next_test(void *state, const col_feedback *feedback, col_program *program,
                            col_point *point, col_problem *problem) {
    tour *t = state;
    col_tour_operation operation;
    (void)feedback;
    *point = (col_point){0};
    if (!current_operation(t, &operation)) {
        if (!t->repeat)
            return COL_OK;
        start_over(t);
        if (!current_operation(t, &operation))
            return base_refuse(problem, "the tour has no operation number %llu to start from",
                               (unsigned long long)t->parameters.from);
    }
    BASE_TRY(fill_test(t, problem));
    BASE_TRY(dir_steps_write(&t->steps, t->threads, location_count(t), program, problem));
    /* Flags are in other sets than the block. */
    base_rng rng;
    base_rng_seed(&rng, t->seed, t->test);
    const uint64_t sets = dir_layout_sets(&t->layout), set = base_rng_below(&rng, sets);
    for (uint32_t l = 0; l <= conflicts_of(t); l++)
        program->addresses[l] = dir_layout_address(&t->layout, set, l);
    for (uint32_t l = flag_of(t, 0); l < program->location_count; l++) {
        const uint64_t number = l - flag_of(t, 0);
        const uint64_t other = (set + 1 + number % (sets - 1)) % sets;
        program->addresses[l] = dir_layout_address(&t->layout, other, number / (sets - 1));
    }
    t->test++;
    *point = (col_point){.operations = t->steps.count, .locations = program->location_count};
    return COL_OK;
}

static json_t *save_engine(const void *state) {
    const tour *t = state;
    return json_pack("{s:I, s:I}", "test", (json_int_t)t->test, "position",
                     (json_int_t)t->position);
}

static col_status restore_engine(void *state, const json_t *saved, col_problem *problem) {
    tour *t = state;
    if (!base_json_take(saved, "test", &t->test) ||
        !base_json_take(saved, "position", &t->position))
        return base_refuse(problem, "the saved state of a tour needs its test and its position");
    t->window_start = t->window_count = 0;
    return COL_OK;
}

const dir_functions dir_tour = {.size = sizeof(tour),
                                .open = open_engine,
                                .close = close_engine,
                                .next = next_test,
                                .save = save_engine,
                                .restore = restore_engine};

/* Where blocks lie that are to be evicted one by one, and how to get to a state of the space. */

/* ---- Addresses. */

enum { ADDRESS_BITS = 48 };

/* Takes as many low bits of the number as the mask has, and spreads them over it. */
static uint64_t take_bits(uint64_t *number, uint64_t mask) {
    const uint64_t low = *number;
    *number >>= base_bit_count(mask); /* a mask has 48 bits at most */
    return base_scatter_bits(low, mask);
}

col_status dir_layout_check(const char *engine, const col_engine_settings *settings,
                            col_problem *problem) {
    if (settings->sets != 0)
        return base_refuse(problem, "%s chooses the sets of its blocks itself", engine);
    if (settings->mix != NULL && strcmp(settings->mix, "published") != 0)
        return base_refuse(problem, "%s chooses operations by its protocol, not by a mix", engine);
    return COL_OK;
}

col_status dir_layout_make(dir_layout *layout, const col_geometry *geometry, uint32_t levels,
                           col_problem *problem) {
    const uint32_t count = geometry->level_count;
    if (count == 0)
        return base_refuse(problem,
                           "evictions by conflicting addresses need to know the caches, and "
                           "the design does not describe any");
    BASE_TRY(prg_geometry_check(geometry, problem));
    if (levels > count)
        return base_refuse(problem, "the design has %u cache levels, not %u", count, levels);
    const uint32_t reached = levels > 0 ? levels : count > 1 ? count - 1 : 1;
    uint64_t every = 0;
    *layout = (dir_layout){.near_mask = UINT64_MAX};
    for (uint32_t l = 0; l < reached; l++) {
        const uint64_t mask = prg_level_mask(&geometry->levels[l]);
        every |= mask;
        if (base_bit_count(mask) < base_bit_count(layout->near_mask))
            layout->near_mask = mask;
        if (geometry->levels[l].ways > layout->ways)
            layout->ways = geometry->levels[l].ways;
    }
    const uint64_t blocks = ((UINT64_C(1) << ADDRESS_BITS) - 1) >> geometry->block_bits
                                                                       << geometry->block_bits;
    layout->far_mask = every & ~layout->near_mask;
    layout->tag_mask = blocks & ~every;
    return COL_OK;
}

uint64_t dir_layout_sets(const dir_layout *layout) {
    return UINT64_C(1) << base_bit_count(layout->near_mask);
}

uint64_t dir_layout_address(const dir_layout *layout, uint64_t set, uint64_t tag) {
    const uint64_t near = take_bits(&set, layout->near_mask);
    const uint64_t far = take_bits(&set, layout->far_mask);
    return near | far | take_bits(&tag, layout->tag_mask);
}

/* ---- Walks. */

typedef struct walker {
    const tour_space *space;
    col_tour_operation *walk;
    tour_state state;
    uint32_t count;
} walker;

static void go(walker *w, col_tour_kind kind, uint32_t core) {
    const col_tour_operation operation = {(uint8_t)kind, (uint8_t)core};
    w->walk[w->count++] = operation;
    w->state = tour_after(w->space, &w->state, operation);
}

uint32_t dir_tour_walk(const tour_space *space, const tour_state *to,
                       col_tour_operation walk[DIR_MOST_WALK]) {
    walker w = {.space = space, .walk = walk, .state = TOUR_INITIAL};
    if (to->holding == TOUR_MODIFIED || to->holding == TOUR_OWNED)
        go(&w, COL_TOUR_STORE, to->holding == TOUR_OWNED ? to->owner : tour_set_first(to->holders));
    for (uint32_t core = 0; core < space->cores; core++)
        if (tour_set_has(to->holders & ~w.state.holders, core))
            go(&w, COL_TOUR_LOAD, core);
    if (tour_is_same(&w.state, to))
        return w.count;
    /* A single holder that has to share: with one that leaves again. */
    const uint32_t guest = (to->holders & 1) != 0 ? 1 : 0;
    go(&w, COL_TOUR_LOAD, guest);
    go(&w, COL_TOUR_EVICT, guest);
    return w.count;
}

col_status dir_steps_reserve(dir_steps *steps, size_t count, col_problem *problem) {
    return base_reserve(&steps->items, &steps->capacity, count, sizeof *steps->items, problem);
}

void dir_steps_free(dir_steps *steps) {
    free(steps->items);
    free(steps->lengths);
}

col_status dir_steps_write(dir_steps *steps, uint32_t threads, uint32_t locations,
                           col_program *program, col_problem *problem) {
    BASE_TRY(base_reserve(&steps->lengths, &steps->length_capacity, threads, sizeof *steps->lengths,
                          problem));
    memset(steps->lengths, 0, threads * sizeof *steps->lengths);
    for (uint32_t i = 0; i < steps->count; i++)
        steps->lengths[steps->items[i].thread]++;
    BASE_TRY(col_program_shape(program, threads, steps->lengths, locations, problem));
    memcpy(steps->lengths, program->thread_start, threads * sizeof *steps->lengths);
    for (uint32_t i = 0; i < steps->count; i++)
        program->operations[steps->lengths[steps->items[i].thread]++] = steps->items[i].operation;
    return COL_OK;
}

uint32_t dir_draw_size(col_range range, base_rng *rng) {
    uint32_t count = 1;
    for (uint64_t size = range.least; size * 2 <= range.most; size *= 2)
        count++;
    return range.least << base_rng_below(rng, count);
}
