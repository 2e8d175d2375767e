/* SPDX-License-Identifier: MIT */
/* The global state space. States are numbered in blocks: the shared ones by their set of holders,
 * then the exclusive, the modified and the owned ones, each block as large as the protocol has it.
 */
#include "engine/tour/state_space.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

const char *const col_tour_protocols[] = {"si", "msi", "mesi", "mosi", "moesi", NULL};

bool tour_has_stores(const tour_space *space) {
    return space->protocol != TOUR_SI;
}

bool tour_has_exclusive(const tour_space *space) {
    return space->protocol == TOUR_MESI || space->protocol == TOUR_MOESI;
}

bool tour_has_owned(const tour_space *space) {
    return space->protocol == TOUR_MOSI || space->protocol == TOUR_MOESI;
}

/* ---- One step. */

bool tour_is_possible(const tour_space *space, const tour_state *state, tour_operation operation) {
    if (operation.core >= space->cores)
        return false;
    switch (operation.kind) {
    case TOUR_LOAD:
        return true;
    case TOUR_STORE:
        return tour_has_stores(space);
    case TOUR_EVICT:
        return (state->holders >> operation.core & 1) != 0;
    default:
        return false;
    }
}

static tour_state after_load(const tour_space *space, const tour_state *state, uint8_t core) {
    const uint32_t holders = state->holders | UINT32_C(1) << core;
    if (holders == state->holders)
        return *state;
    if (state->holders == 0 && tour_has_exclusive(space))
        return (tour_state){holders, TOUR_EXCLUSIVE, core};
    const bool stays_owned = state->holding == TOUR_OWNED;
    const bool gets_owned = state->holding == TOUR_MODIFIED && tour_has_owned(space);
    if (stays_owned || gets_owned)
        return (tour_state){holders, TOUR_OWNED, state->owner};
    return (tour_state){holders, TOUR_SHARED, 0};
}

tour_state tour_after(const tour_space *space, const tour_state *state, tour_operation operation) {
    assert(tour_is_possible(space, state, operation));
    switch (operation.kind) {
    case TOUR_LOAD:
        return after_load(space, state, operation.core);
    case TOUR_STORE:
        return (tour_state){UINT32_C(1) << operation.core, TOUR_MODIFIED, operation.core};
    default:
        break;
    }
    const uint32_t holders = state->holders & ~(UINT32_C(1) << operation.core);
    if (state->holding == TOUR_OWNED && state->owner != operation.core)
        return (tour_state){holders, TOUR_OWNED, state->owner};
    return (tour_state){holders, TOUR_SHARED, 0};
}

/* ---- Numbers. */

typedef struct blocks {
    uint64_t exclusive, modified, owned, end; /* where they begin */
} blocks;

static blocks blocks_of(const tour_space *space) {
    assert(space->cores >= TOUR_LEAST_CORES && space->cores <= TOUR_MOST_CORES);
    const uint64_t cores = space->cores;
    blocks b = {.exclusive = UINT64_C(1) << cores};
    b.modified = b.exclusive + (tour_has_exclusive(space) ? cores : 0);
    b.owned = b.modified + (tour_has_stores(space) ? cores : 0);
    b.end = b.owned + (tour_has_owned(space) ? cores << (cores - 1) : 0);
    return b;
}

uint64_t tour_state_count(const tour_space *space) {
    return blocks_of(space).end;
}

uint64_t tour_transition_count(const tour_space *space) {
    const uint64_t cores = space->cores, sets = UINT64_C(1) << cores;
    const uint64_t kinds = tour_has_stores(space) ? 2 : 1;
    uint64_t evictions = cores * sets / 2; /* of shared states: half of the cores hold */
    evictions += tour_has_exclusive(space) ? cores : 0;
    evictions += tour_has_stores(space) ? cores : 0;
    /* Of owned ones: the owner, and half of the others. */
    evictions += tour_has_owned(space) ? cores * (cores + 1) * sets / 4 : 0;
    return tour_state_count(space) * cores * kinds + evictions;
}

/* The set without a core's place, and back with the core in it. */
static uint64_t without_place(uint32_t set, uint32_t core) {
    const uint32_t below = (UINT32_C(1) << core) - 1;
    return (set >> 1 & ~below) | (set & below);
}

static uint32_t with_place(uint32_t set, uint32_t core) {
    const uint32_t below = (UINT32_C(1) << core) - 1;
    return (set & ~below) << 1 | UINT32_C(1) << core | (set & below);
}

uint64_t tour_state_number(const tour_space *space, const tour_state *state) {
    const blocks b = blocks_of(space);
    switch (state->holding) {
    case TOUR_SHARED:
        return state->holders;
    case TOUR_EXCLUSIVE:
        return b.exclusive + state->owner;
    case TOUR_MODIFIED:
        return b.modified + state->owner;
    default:
        return b.owned + ((uint64_t)state->owner << (space->cores - 1)) +
               without_place(state->holders, state->owner);
    }
}

static tour_state held_by_one(tour_holding holding, uint64_t core) {
    return (tour_state){UINT32_C(1) << core, (uint8_t)holding, (uint8_t)core};
}

tour_state tour_numbered_state(const tour_space *space, uint64_t number) {
    const blocks b = blocks_of(space);
    assert(number < b.end);
    if (number < b.exclusive)
        return (tour_state){(uint32_t)number, TOUR_SHARED, 0};
    if (number < b.modified)
        return held_by_one(TOUR_EXCLUSIVE, number - b.exclusive);
    if (number < b.owned)
        return held_by_one(TOUR_MODIFIED, number - b.modified);
    const uint64_t place = number - b.owned, sets = UINT64_C(1) << (space->cores - 1);
    const uint8_t owner = (uint8_t)(place / sets);
    return (tour_state){with_place((uint32_t)(place % sets), owner), TOUR_OWNED, owner};
}

uint64_t tour_choices(uint64_t of, uint64_t count) {
    uint64_t result = 1;
    for (uint64_t i = 0; i < count; i++)
        result = result * (of - i) / (i + 1);
    return result;
}

/* Shortest tests by breadth first search. */

enum { LONGEST_PATH = TOUR_MOST_CORES + 8, UNKNOWN = TOUR_KIND_COUNT };

/* How the search came to a state. */
typedef struct arrival {
    uint32_t from;
    tour_operation by; /* its kind UNKNOWN: not yet */
} arrival;

typedef struct search {
    tour_space space;
    tour_sink sink;
    arrival *arrivals; /* by state number */
    uint32_t *order;   /* states as they were found */
    uint64_t found;
} search;

static bool emit(const search *s, tour_kind kind, uint32_t core) {
    return s->sink.take(s->sink.context, (tour_operation){(uint8_t)kind, (uint8_t)core});
}

/* ---- The search. */

static void expand(search *s, uint32_t number) {
    const tour_state state = tour_numbered_state(&s->space, number);
    for (uint32_t kind = 0; kind < TOUR_KIND_COUNT; kind++)
        for (uint32_t core = 0; core < s->space.cores; core++) {
            const tour_operation operation = {(uint8_t)kind, (uint8_t)core};
            if (!tour_is_possible(&s->space, &state, operation))
                continue;
            const tour_state next = tour_after(&s->space, &state, operation);
            const uint64_t place = tour_state_number(&s->space, &next);
            if (s->arrivals[place].by.kind != UNKNOWN)
                continue;
            s->arrivals[place] = (arrival){number, operation};
            s->order[s->found++] = (uint32_t)place;
        }
}

/* ---- The tests. */

static bool reset(const search *s, const tour_state *state) {
    if (tour_has_stores(&s->space))
        return emit(s, TOUR_STORE, 0) && emit(s, TOUR_EVICT, 0);
    for (uint32_t core = 0; state->holders >> core != 0; core++)
        if ((state->holders >> core & 1) != 0 && !emit(s, TOUR_EVICT, core))
            return false;
    return true;
}

static bool test_transition(const search *s, const tour_state *state, const tour_operation *path,
                            uint32_t length, tour_operation operation) {
    const tour_state next = tour_after(&s->space, state, operation);
    for (uint32_t i = 0; i < length; i++)
        if (!emit(s, path[i].kind, path[i].core))
            return false;
    return emit(s, operation.kind, operation.core) && reset(s, &next);
}

static bool test_state(const search *s, uint32_t number) {
    tour_operation path[LONGEST_PATH], backwards[LONGEST_PATH];
    const tour_state state = tour_numbered_state(&s->space, number);
    uint32_t length = 0;
    for (; number != 0 && length < LONGEST_PATH; number = s->arrivals[number].from)
        backwards[length++] = s->arrivals[number].by;
    for (uint32_t i = 0; i < length; i++)
        path[i] = backwards[length - 1 - i];
    for (uint32_t kind = 0; kind < TOUR_KIND_COUNT; kind++)
        for (uint32_t core = 0; core < s->space.cores; core++) {
            const tour_operation operation = {(uint8_t)kind, (uint8_t)core};
            if (tour_is_possible(&s->space, &state, operation) &&
                !test_transition(s, &state, path, length, operation))
                return false;
        }
    return true;
}

col_status tour_bfs(const tour_space *space, tour_sink sink, uint64_t *bytes,
                    col_problem *problem) {
    const uint64_t states = tour_state_count(space);
    search s = {.space = *space, .sink = sink};
    s.arrivals = calloc(states, sizeof *s.arrivals);
    s.order = malloc(states * sizeof *s.order);
    *bytes = states * (sizeof *s.arrivals + sizeof *s.order);
    const bool fits = s.arrivals != NULL && s.order != NULL;
    if (fits) {
        for (uint64_t i = 0; i < states; i++)
            s.arrivals[i].by.kind = UNKNOWN;
        s.arrivals[0].by.kind = TOUR_LOAD; /* it is known; nobody asks how */
        s.order[s.found++] = 0;
        for (uint64_t i = 0; i < s.found; i++)
            expand(&s, s.order[i]);
    }
    for (uint64_t i = 0; i < s.found && test_state(&s, s.order[i]);)
        i++;
    free(s.arrivals);
    free(s.order);
    return fits ? COL_OK : base_out_of_memory(problem);
}
