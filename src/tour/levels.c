/* SPDX-License-Identifier: MIT */
/*
 * The global state space of two levels of caches. States are numbered in blocks: the shared ones,
 * cluster by cluster as digits of a number, then those that one cluster has for itself. All
 * operations are atomic; with MESI an operation of a core goes through both levels.
 */
#include "tour/levels.h"

#include <assert.h>
#include <stdlib.h>

static uint32_t cores_per_cluster(const tour_levels_space *space) {
    return space->cores / space->clusters;
}

static uint32_t cluster_of(const tour_levels_space *space, uint32_t core) {
    return core / cores_per_cluster(space);
}

static uint32_t cores_of(const tour_levels_space *space, uint32_t cluster) {
    const uint32_t width = cores_per_cluster(space);
    return ((UINT32_C(1) << width) - 1) << cluster * width;
}

static bool has(uint32_t set, uint32_t item) {
    return (set >> item & 1) != 0;
}

static uint32_t only(uint32_t item) {
    return UINT32_C(1) << item;
}

static uint32_t first_of(uint32_t set) {
    uint32_t item = 0;
    while (!has(set, item))
        item++;
    return item;
}

col_status tour_levels_check(const tour_levels_space *space, col_problem *problem) {
    if (space->protocol != TOUR_SI && space->protocol != TOUR_MESI)
        return base_refuse(problem, "two levels of caches are known with si and mesi, not with %s",
                           tour_protocols[space->protocol]);
    if (space->clusters < 2 || space->clusters > TOUR_LEVELS_MOST_CLUSTERS)
        return base_refuse(problem, "the number of clusters is 2 to %d, not %u",
                           TOUR_LEVELS_MOST_CLUSTERS, space->clusters);
    if (space->cores > TOUR_MOST_CORES)
        return base_refuse(problem, "the number of cores is at most %d, not %u", TOUR_MOST_CORES,
                           space->cores);
    if (space->cores % space->clusters != 0 || space->cores < 2 * space->clusters)
        return base_refuse(problem,
                           "%u clusters must have the same number of cores, at least 2: %u "
                           "cores cannot be shared out so",
                           space->clusters, space->cores);
    return COL_OK;
}

/* ---- One step. */

bool tour_levels_is_possible(const tour_levels_space *space, const tour_levels_state *state,
                             tour_operation operation) {
    const bool is_second =
        operation.kind == TOUR_LEVELS_LOAD2 || operation.kind == TOUR_LEVELS_EVICT2;
    if (operation.core >= (is_second ? space->clusters : space->cores))
        return false;
    switch (operation.kind) {
    case TOUR_LOAD: /* with SI one level moves at a time: the second one fetches first */
        return space->protocol != TOUR_SI || !space->inclusive ||
               has(state->seconds, cluster_of(space, operation.core));
    case TOUR_STORE:
        return space->protocol != TOUR_SI;
    case TOUR_EVICT:
        return has(state->holders, operation.core);
    case TOUR_LEVELS_LOAD2:
        return true;
    case TOUR_LEVELS_EVICT2: /* inclusive: only what no core holds any more */
        return has(state->seconds, operation.core) &&
               (!space->inclusive || (state->holders & cores_of(space, operation.core)) == 0);
    default:
        return false;
    }
}

static bool is_nowhere(const tour_levels_state *state) {
    return state->holders == 0 && state->seconds == 0;
}

/* The second level fetches. It takes over what its own cluster has for itself. */
static tour_levels_state after_load2(const tour_levels_space *space, const tour_levels_state *state,
                                     uint32_t cluster) {
    tour_levels_state next = *state;
    if (has(state->seconds, cluster))
        return next;
    next.seconds |= only(cluster);
    if (is_nowhere(state)) {
        next.second_holding = space->protocol == TOUR_MESI ? TOUR_EXCLUSIVE : TOUR_SHARED;
    } else if (state->holding != TOUR_SHARED && (state->holders & cores_of(space, cluster)) != 0) {
        next.second_holding = state->holding;
    } else {
        next.holding = TOUR_SHARED;
        next.second_holding = TOUR_SHARED;
    }
    return next;
}

static tour_levels_state after_load(const tour_levels_space *space, const tour_levels_state *state,
                                    uint32_t core) {
    const uint32_t cluster = cluster_of(space, core);
    tour_levels_state next = *state;
    if (has(state->holders, core))
        return next;
    if (space->inclusive)
        next = after_load2(space, state, cluster);
    const bool is_first_of_its_cluster =
        next.holders == 0 && has(next.seconds, cluster) && next.second_holding != TOUR_SHARED;
    const bool is_first = is_nowhere(&next) && space->protocol == TOUR_MESI;
    if (!has(next.seconds, cluster)) /* seen by all */
        next.second_holding = TOUR_SHARED;
    next.holding = is_first || is_first_of_its_cluster ? TOUR_EXCLUSIVE : TOUR_SHARED;
    next.holders |= only(core);
    return next;
}

static tour_levels_state after_store(const tour_levels_space *space, const tour_levels_state *state,
                                     uint32_t core) {
    const uint32_t cluster = cluster_of(space, core);
    if (space->inclusive || has(state->seconds, cluster))
        return (tour_levels_state){only(core), only(cluster), TOUR_MODIFIED, TOUR_MODIFIED};
    return (tour_levels_state){only(core), 0, TOUR_MODIFIED, TOUR_SHARED};
}

tour_levels_state tour_levels_after(const tour_levels_space *space, const tour_levels_state *state,
                                    tour_operation operation) {
    assert(tour_levels_is_possible(space, state, operation));
    tour_levels_state next = *state;
    switch (operation.kind) {
    case TOUR_LOAD:
        return after_load(space, state, operation.core);
    case TOUR_STORE:
        return after_store(space, state, operation.core);
    case TOUR_LEVELS_LOAD2:
        return after_load2(space, state, operation.core);
    case TOUR_EVICT:
        next.holders &= ~only(operation.core);
        next.holding = TOUR_SHARED;
        return next;
    default: /* what the cores have for themselves, they keep */
        next.seconds &= ~only(operation.core);
        next.second_holding = TOUR_SHARED;
        return next;
    }
}

/* ---- Numbers. */

/* How one cluster has the block for itself: as a set of sharing cores, or with one core. */
typedef struct own_row {
    uint8_t second_holding; /* TOUR_SHARED: the second level has it not */
    uint8_t holding;
} own_row;
static const own_row own_rows[] = {
    {TOUR_EXCLUSIVE, TOUR_SHARED},    {TOUR_MODIFIED, TOUR_SHARED},
    {TOUR_EXCLUSIVE, TOUR_EXCLUSIVE}, {TOUR_MODIFIED, TOUR_EXCLUSIVE},
    {TOUR_MODIFIED, TOUR_MODIFIED},   {TOUR_SHARED, TOUR_EXCLUSIVE},
    {TOUR_SHARED, TOUR_MODIFIED},
};
enum { SET_ROWS = 2, INCLUSIVE_ROWS = 5, ALL_ROWS = 7 };

static uint32_t row_count(const tour_levels_space *space) {
    return space->inclusive ? INCLUSIVE_ROWS : ALL_ROWS;
}

static uint64_t row_start(const tour_levels_space *space, uint32_t row) {
    const uint64_t width = cores_per_cluster(space), sets = UINT64_C(1) << width;
    return row <= SET_ROWS ? row * sets : SET_ROWS * sets + (row - SET_ROWS) * width;
}

/* States of a cluster in which nobody has the block for itself. */
static uint64_t shared_radix(const tour_levels_space *space) {
    const uint64_t sets = UINT64_C(1) << cores_per_cluster(space);
    return space->inclusive ? sets + 1 : sets * 2;
}

static uint64_t shared_count(const tour_levels_space *space) {
    uint64_t count = 1;
    for (uint32_t cluster = 0; cluster < space->clusters; cluster++)
        count *= shared_radix(space);
    return count;
}

uint64_t tour_levels_state_count(const tour_levels_space *space) {
    if (space->protocol == TOUR_SI)
        return shared_count(space);
    return shared_count(space) + space->clusters * row_start(space, row_count(space));
}

/* Evictions of both levels and loads that SI has not, in the shared states. */
static uint64_t shared_transitions(const tour_levels_space *space) {
    const uint64_t states = shared_count(space), others = states / shared_radix(space);
    const uint64_t width = cores_per_cluster(space), sets = UINT64_C(1) << width;
    const uint64_t cores = space->cores, clusters = space->clusters;
    uint64_t count = states * clusters; /* load2 */
    if (!space->inclusive)
        count += states * cores + states / 2 * (cores + clusters);
    else if (space->protocol == TOUR_SI)
        count += clusters * others * (sets * width + sets / 2 * width + 1);
    else
        count += states * cores + clusters * others * (sets / 2 * width + 1);
    return space->protocol == TOUR_SI ? count : count + states * cores;
}

uint64_t tour_levels_transition_count(const tour_levels_space *space) {
    const uint64_t shared = shared_transitions(space);
    if (space->protocol == TOUR_SI)
        return shared;
    const uint64_t width = cores_per_cluster(space), sets = UINT64_C(1) << width;
    const uint64_t states = row_start(space, row_count(space));
    const uint64_t evictions =
        SET_ROWS * (sets / 2) * width + (row_count(space) - SET_ROWS) * width;
    const uint64_t evictions2 =
        space->inclusive ? SET_ROWS : SET_ROWS * sets + (INCLUSIVE_ROWS - SET_ROWS) * width;
    return shared + space->clusters *
                        (states * (2 * space->cores + space->clusters) + evictions + evictions2);
}

static uint64_t digit_of(const tour_levels_space *space, const tour_levels_state *state,
                         uint32_t cluster) {
    const uint32_t width = cores_per_cluster(space);
    const uint64_t set = (state->holders & cores_of(space, cluster)) >> cluster * width;
    if (!space->inclusive)
        return (uint64_t)has(state->seconds, cluster) << width | set;
    return has(state->seconds, cluster) ? 1 + set : 0;
}

static uint64_t own_number(const tour_levels_space *space, const tour_levels_state *state) {
    const uint32_t cluster = state->seconds != 0 ? first_of(state->seconds)
                                                 : cluster_of(space, first_of(state->holders));
    const uint32_t width = cores_per_cluster(space);
    const uint32_t set = state->holders >> cluster * width;
    uint32_t row = 0;
    while (own_rows[row].second_holding != state->second_holding ||
           own_rows[row].holding != state->holding)
        row++;
    return cluster * row_start(space, row_count(space)) + row_start(space, row) +
           (row < SET_ROWS ? set : first_of(set));
}

uint64_t tour_levels_state_number(const tour_levels_space *space, const tour_levels_state *state) {
    if (state->holding != TOUR_SHARED || state->second_holding != TOUR_SHARED)
        return shared_count(space) + own_number(space, state);
    uint64_t number = 0;
    for (uint32_t cluster = space->clusters; cluster-- > 0;)
        number = number * shared_radix(space) + digit_of(space, state, cluster);
    return number;
}

static tour_levels_state own_state(const tour_levels_space *space, uint64_t number) {
    const uint32_t width = cores_per_cluster(space);
    const uint64_t states = row_start(space, row_count(space));
    const uint32_t cluster = (uint32_t)(number / states);
    uint32_t row = 0;
    while (number % states >= row_start(space, row + 1))
        row++;
    const uint32_t place = (uint32_t)(number % states - row_start(space, row));
    return (tour_levels_state){(row < SET_ROWS ? place : only(place)) << cluster * width,
                               row < INCLUSIVE_ROWS ? only(cluster) : 0, own_rows[row].holding,
                               own_rows[row].second_holding};
}

tour_levels_state tour_levels_numbered_state(const tour_levels_space *space, uint64_t number) {
    if (number >= shared_count(space))
        return own_state(space, number - shared_count(space));
    const uint32_t width = cores_per_cluster(space);
    tour_levels_state state = TOUR_LEVELS_INITIAL;
    for (uint32_t cluster = 0; cluster < space->clusters; cluster++) {
        const uint32_t digit = (uint32_t)(number % shared_radix(space));
        const bool holds = space->inclusive ? digit != 0 : has(digit, width);
        const uint32_t set = space->inclusive && holds ? digit - 1 : digit;
        state.holders |= (set & (only(width) - 1)) << cluster * width;
        state.seconds |= holds ? only(cluster) : 0;
        number /= shared_radix(space);
    }
    return state;
}

uint32_t tour_levels_operation_count(const tour_levels_space *space) {
    return TOUR_KIND_COUNT * space->cores +
           (TOUR_LEVELS_KIND_COUNT - TOUR_KIND_COUNT) * space->clusters;
}

tour_operation tour_levels_numbered_operation(const tour_levels_space *space, uint32_t number) {
    const uint32_t first = TOUR_KIND_COUNT * space->cores;
    if (number < first)
        return (tour_operation){(uint8_t)(number / space->cores), (uint8_t)(number % space->cores)};
    return (tour_operation){(uint8_t)(TOUR_KIND_COUNT + (number - first) / space->clusters),
                            (uint8_t)((number - first) % space->clusters)};
}

uint32_t tour_levels_operation_number(const tour_levels_space *space, tour_operation operation) {
    if (operation.kind < TOUR_KIND_COUNT)
        return operation.kind * space->cores + operation.core;
    return TOUR_KIND_COUNT * space->cores + (operation.kind - TOUR_KIND_COUNT) * space->clusters +
           operation.core;
}

bool tour_levels_is_same(const tour_levels_state *a, const tour_levels_state *b) {
    return a->holders == b->holders && a->seconds == b->seconds && a->holding == b->holding &&
           a->second_holding == b->second_holding;
}

/* ---- The executor. */

col_status tour_levels_count_open(tour_levels_count *count, const tour_levels_space *space,
                                  col_problem *problem) {
    *count = (tour_levels_count){.space = *space, .state = TOUR_LEVELS_INITIAL};
    const uint64_t pairs = tour_levels_state_count(space) * tour_levels_operation_count(space);
    if (pairs > UINT64_C(1) << 34)
        return base_refuse(problem, "%llu states are too many to count what is covered of them",
                           (unsigned long long)tour_levels_state_count(space));
    count->seen = calloc((size_t)(pairs / 64 + 1), sizeof *count->seen);
    return count->seen == NULL ? base_out_of_memory(problem) : COL_OK;
}

bool tour_levels_count_take(void *context, tour_operation operation) {
    tour_levels_count *count = context;
    if (count->is_wrong || !tour_levels_is_possible(&count->space, &count->state, operation)) {
        count->is_wrong = true;
        return false;
    }
    const uint64_t pair = tour_levels_state_number(&count->space, &count->state) *
                              tour_levels_operation_count(&count->space) +
                          tour_levels_operation_number(&count->space, operation);
    const uint64_t bit = UINT64_C(1) << pair % 64;
    count->covered += (count->seen[pair / 64] & bit) == 0;
    count->seen[pair / 64] |= bit;
    count->cost++;
    count->state = tour_levels_after(&count->space, &count->state, operation);
    return true;
}

void tour_levels_count_close(tour_levels_count *count) {
    free(count->seen);
    count->seen = NULL;
}
