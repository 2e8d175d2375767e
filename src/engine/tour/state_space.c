/* SPDX-License-Identifier: MIT */
/*
 * The global state space. States are numbered in blocks: the shared ones, cluster by cluster as
 * digits of a number, then those that one cluster has for itself or owns. Without clusters the
 * cores are one, which has no second level. But for SI an operation of a core goes through both
 * levels.
 */
#include "engine/tour/state_space.h"

#include <assert.h>
#include <stdlib.h>

const char *const col_tour_protocols[] = {"si", "msi", "mesi", "mosi", "moesi", NULL};

uint32_t tour_cluster_count(const tour_space *space) {
    return space->clusters == 0 ? 1 : space->clusters;
}

uint32_t tour_width(const tour_space *space) {
    return space->clusters == 0 ? space->cores : space->cores / space->clusters;
}

uint32_t tour_cluster(const tour_space *space, uint32_t core) {
    return space->clusters == 0 ? 0 : core / tour_width(space);
}

uint32_t tour_cores_of(const tour_space *space, uint32_t cluster) {
    const uint32_t width = tour_width(space);
    return ((UINT32_C(1) << width) - 1) << cluster * width;
}

bool tour_has_stores(const tour_space *space) {
    return space->protocol != COL_TOUR_SI;
}

bool tour_has_exclusive(const tour_space *space) {
    return space->protocol == COL_TOUR_MESI || space->protocol == COL_TOUR_MOESI;
}

bool tour_has_owned(const tour_space *space) {
    return space->protocol == COL_TOUR_MOSI || space->protocol == COL_TOUR_MOESI;
}

/* ---- One step. */

bool tour_is_possible(const tour_space *space, const tour_state *state,
                      col_tour_operation operation) {
    const bool is_second = operation.kind == COL_TOUR_LOAD2 || operation.kind == COL_TOUR_EVICT2;
    if (operation.core >= (is_second ? space->clusters : space->cores))
        return false;
    switch (operation.kind) {
    case COL_TOUR_LOAD: /* with SI one level moves at a time: the second one fetches first */
        return space->protocol != COL_TOUR_SI || !space->inclusive ||
               tour_set_has(state->seconds, tour_cluster(space, operation.core));
    case COL_TOUR_STORE:
        return space->protocol != COL_TOUR_SI;
    case COL_TOUR_EVICT:
        return tour_set_has(state->holders, operation.core);
    case COL_TOUR_LOAD2:
        return true;
    case COL_TOUR_EVICT2: /* inclusive: only what no core holds any more */
        return tour_set_has(state->seconds, operation.core) &&
               (!space->inclusive || (state->holders & tour_cores_of(space, operation.core)) == 0);
    default:
        return false;
    }
}

static bool is_nowhere(const tour_state *state) {
    return state->holders == 0 && state->seconds == 0;
}

/* Somebody else reads: what the first levels have for themselves is shared, or owned from now on.
 */
static void share_first(const tour_space *space, tour_state *state) {
    if (state->holding == TOUR_OWNED || state->holding == TOUR_SHARED)
        return;
    const bool is_owned = tour_has_owned(space) && state->holding == TOUR_MODIFIED;
    state->holding = is_owned ? TOUR_OWNED : TOUR_SHARED;
    state->owner = is_owned ? (uint8_t)tour_set_first(state->holders) : 0;
}

static void share_second(const tour_space *space, tour_state *state) {
    if (state->second_holding == TOUR_OWNED || state->second_holding == TOUR_SHARED)
        return;
    const bool is_owned = tour_has_owned(space) && state->second_holding == TOUR_MODIFIED;
    state->second_holding = is_owned ? TOUR_OWNED : TOUR_SHARED;
    state->second_owner = is_owned ? (uint8_t)tour_set_first(state->seconds) : 0;
}

/* Has a core of the cluster the block for itself, or does it own it? */
static bool has_better(const tour_space *space, const tour_state *state, uint32_t cluster) {
    if (state->holding == TOUR_OWNED)
        return tour_cluster(space, state->owner) == cluster;
    return state->holding != TOUR_SHARED && (state->holders & tour_cores_of(space, cluster)) != 0;
}

/* The second level fetches. It takes over what a core of its own cluster has. */
static tour_state after_load2(const tour_space *space, const tour_state *state, uint32_t cluster) {
    tour_state next = *state;
    if (tour_set_has(state->seconds, cluster))
        return next;
    if (is_nowhere(state)) {
        next.second_holding = tour_has_exclusive(space) ? TOUR_EXCLUSIVE : TOUR_SHARED;
    } else if (has_better(space, state, cluster)) {
        next.second_holding = state->holding;
        next.second_owner = state->holding == TOUR_OWNED ? (uint8_t)cluster : 0;
    } else {
        share_first(space, &next);
        share_second(space, &next);
    }
    next.seconds |= tour_set_of(cluster);
    return next;
}

/* From the second level, which nobody outside of the cluster sees, or else from all others. */
static tour_state after_load(const tour_space *space, const tour_state *state, uint32_t core) {
    const uint32_t cluster = tour_cluster(space, core);
    tour_state next = *state;
    if (tour_set_has(state->holders, core))
        return next;
    if (space->inclusive)
        next = after_load2(space, state, cluster);
    const bool is_own =
        next.second_holding == TOUR_EXCLUSIVE || next.second_holding == TOUR_MODIFIED;
    const bool is_first =
        is_nowhere(&next) || (next.holders == 0 && tour_set_has(next.seconds, cluster) && is_own);
    if (!tour_set_has(next.seconds, cluster))
        share_second(space, &next);
    share_first(space, &next);
    if (is_first && tour_has_exclusive(space))
        next.holding = TOUR_EXCLUSIVE;
    next.holders |= tour_set_of(core);
    return next;
}

static tour_state after_store(const tour_space *space, const tour_state *state, uint32_t core) {
    const uint32_t cluster = tour_cluster(space, core);
    if (space->inclusive || tour_set_has(state->seconds, cluster))
        return (tour_state){.holders = tour_set_of(core),
                            .holding = TOUR_MODIFIED,
                            .seconds = tour_set_of(cluster),
                            .second_holding = TOUR_MODIFIED};
    return (tour_state){.holders = tour_set_of(core), .holding = TOUR_MODIFIED};
}

tour_state tour_after(const tour_space *space, const tour_state *state,
                      col_tour_operation operation) {
    assert(tour_is_possible(space, state, operation));
    tour_state next = *state;
    switch (operation.kind) {
    case COL_TOUR_LOAD:
        return after_load(space, state, operation.core);
    case COL_TOUR_STORE:
        return after_store(space, state, operation.core);
    case COL_TOUR_LOAD2:
        return after_load2(space, state, operation.core);
    case COL_TOUR_EVICT:
        next.holders &= ~tour_set_of(operation.core);
        if (state->holding != TOUR_OWNED || state->owner == operation.core) {
            next.holding = TOUR_SHARED;
            next.owner = 0;
        }
        return next;
    default: /* what the cores have for themselves, they keep */
        next.seconds &= ~tour_set_of(operation.core);
        if (state->second_holding != TOUR_OWNED || state->second_owner == operation.core) {
            next.second_holding = TOUR_SHARED;
            next.second_owner = 0;
        }
        return next;
    }
}

/* ---- Numbers. */

/* How one cluster has the block for itself, or owns it: rows of states. Which of them it is says a
 * set of sharing cores, one core, or an owner and a set of the others. */
typedef enum own_place { SET, ONE, OWNER } own_place;
typedef struct own_row {
    uint8_t second_holding; /* TOUR_SHARED: the second level has it not */
    uint8_t holding;
    bool is_shared; /* with other clusters */
    own_place place;
} own_row;
static const own_row own_rows[] = {
    {TOUR_EXCLUSIVE, TOUR_SHARED, false, SET},    {TOUR_MODIFIED, TOUR_SHARED, false, SET},
    {TOUR_EXCLUSIVE, TOUR_EXCLUSIVE, false, ONE}, {TOUR_MODIFIED, TOUR_EXCLUSIVE, false, ONE},
    {TOUR_MODIFIED, TOUR_MODIFIED, false, ONE},   {TOUR_MODIFIED, TOUR_OWNED, false, OWNER},
    {TOUR_OWNED, TOUR_SHARED, true, SET},         {TOUR_OWNED, TOUR_OWNED, true, OWNER},
    {TOUR_SHARED, TOUR_EXCLUSIVE, false, ONE},    {TOUR_SHARED, TOUR_MODIFIED, false, ONE},
    {TOUR_SHARED, TOUR_OWNED, true, OWNER},
};
enum { ROWS = sizeof own_rows / sizeof own_rows[0], FIRST_OF_ONE_LEVEL = 8 };

static uint32_t first_row(const tour_space *space) {
    return space->clusters == 0 ? FIRST_OF_ONE_LEVEL : 0;
}

static bool is_of(const tour_space *space, uint8_t holding) {
    return holding == TOUR_EXCLUSIVE ? tour_has_exclusive(space)
           : holding == TOUR_OWNED   ? tour_has_owned(space)
                                     : space->protocol != COL_TOUR_SI;
}

static bool has_row(const tour_space *space, const own_row *row) {
    return is_of(space, row->second_holding) && is_of(space, row->holding) &&
           (!space->inclusive || row->second_holding != TOUR_SHARED);
}

/* States of a cluster in which nobody has the block for itself. */
static uint64_t shared_radix(const tour_space *space) {
    const uint64_t sets = UINT64_C(1) << tour_width(space);
    return space->inclusive ? sets + 1 : space->clusters == 0 ? sets : sets * 2;
}

/* The same of several clusters together. */
static uint64_t shared_count(const tour_space *space, uint32_t clusters) {
    uint64_t count = 1;
    for (uint32_t cluster = 0; cluster < clusters; cluster++)
        count *= shared_radix(space);
    return count;
}

static uint64_t place_count(const tour_space *space, own_place place) {
    const uint64_t width = tour_width(space), sets = UINT64_C(1) << width;
    return place == SET ? sets : place == ONE ? width : width * (sets / 2);
}

/* What the other clusters can be in a row. */
static uint64_t others_count(const tour_space *space, const own_row *row) {
    return row->is_shared ? shared_count(space, tour_cluster_count(space) - 1) : 1;
}

/* States of one cluster in a row. */
static uint64_t row_size(const tour_space *space, const own_row *row) {
    return has_row(space, row) ? place_count(space, row->place) * others_count(space, row) : 0;
}

/* The same in all rows before this one. */
static uint64_t row_start(const tour_space *space, uint32_t row) {
    uint64_t start = 0;
    for (uint32_t i = first_row(space); i < row; i++)
        start += row_size(space, &own_rows[i]);
    return start;
}

uint64_t tour_state_count(const tour_space *space) {
    return shared_count(space, tour_cluster_count(space)) +
           tour_cluster_count(space) * row_start(space, ROWS);
}

/* Evictions from the levels of a cluster, in all the states that share the block. */
static uint64_t shared_evictions(const tour_space *space) {
    const uint64_t width = tour_width(space), sets = UINT64_C(1) << width;
    if (space->clusters == 0)
        return sets / 2 * width;
    return space->inclusive ? sets / 2 * width + 1 : 2 * (sets / 2 * width) + sets;
}

/* In a row, those of the cluster that has the block or owns it. */
static uint64_t own_evictions(const tour_space *space, const own_row *row) {
    const uint64_t width = tour_width(space), sets = UINT64_C(1) << width;
    const uint64_t of_cores = row->place == SET   ? sets / 2 * width
                              : row->place == ONE ? width
                                                  : width * (sets / 2 + (width - 1) * (sets / 4));
    if (row->second_holding == TOUR_SHARED)
        return of_cores;
    return of_cores + (space->inclusive ? row->place == SET : place_count(space, row->place));
}

static uint64_t evictions(const tour_space *space) {
    const uint32_t clusters = tour_cluster_count(space);
    uint64_t count = clusters * shared_count(space, clusters - 1) * shared_evictions(space);
    for (uint32_t i = first_row(space); i < ROWS; i++) {
        const own_row *row = &own_rows[i];
        if (!has_row(space, row))
            continue;
        count += clusters * others_count(space, row) * own_evictions(space, row);
        if (row->is_shared && clusters > 1)
            count += clusters * place_count(space, row->place) * (clusters - 1) *
                     shared_count(space, clusters - 2) * shared_evictions(space);
    }
    return count;
}

uint64_t tour_transition_count(const tour_space *space) {
    const uint64_t states = tour_state_count(space), cores = space->cores;
    const uint64_t sets = UINT64_C(1) << tour_width(space);
    const uint64_t others = shared_count(space, tour_cluster_count(space) - 1);
    uint64_t count = evictions(space) + states * space->clusters;
    if (space->protocol != COL_TOUR_SI)
        return count + states * 2 * cores;
    return count + (space->inclusive ? others * sets * cores : states * cores);
}

static uint64_t digit_of(const tour_space *space, const tour_state *state, uint32_t cluster) {
    const uint32_t width = tour_width(space);
    const uint64_t set = (state->holders & tour_cores_of(space, cluster)) >> cluster * width;
    if (!space->inclusive)
        return (uint64_t)tour_set_has(state->seconds, cluster) << width | set;
    return tour_set_has(state->seconds, cluster) ? 1 + set : 0;
}

/* The digits of all clusters but one. */
static uint64_t digits_of(const tour_space *space, const tour_state *state, uint32_t but) {
    uint64_t number = 0;
    for (uint32_t cluster = tour_cluster_count(space); cluster-- > 0;)
        if (cluster != but)
            number = number * shared_radix(space) + digit_of(space, state, cluster);
    return number;
}

static void take_digits(const tour_space *space, uint64_t number, uint32_t but, tour_state *state) {
    const uint32_t width = tour_width(space);
    for (uint32_t cluster = 0; cluster < tour_cluster_count(space); cluster++) {
        if (cluster == but)
            continue;
        const uint32_t digit = (uint32_t)(number % shared_radix(space));
        const bool holds = space->inclusive ? digit != 0 : tour_set_has(digit, width);
        const uint32_t set = space->inclusive && holds ? digit - 1 : digit;
        state->holders |= (set & (tour_set_of(width) - 1)) << cluster * width;
        state->seconds |= holds ? tour_set_of(cluster) : 0;
        number /= shared_radix(space);
    }
}

/* A set without one of its items, whose place closes up; and back. */
static uint32_t close_up(uint32_t set, uint32_t item) {
    return (set >> (item + 1)) << item | (set & (tour_set_of(item) - 1));
}

static uint32_t open_up(uint32_t set, uint32_t item) {
    return (set >> item) << (item + 1) | tour_set_of(item) | (set & (tour_set_of(item) - 1));
}

static uint32_t own_cluster(const tour_space *space, const tour_state *state) {
    if (state->second_holding == TOUR_OWNED)
        return state->second_owner;
    if (state->holding == TOUR_OWNED)
        return tour_cluster(space, state->owner);
    return state->seconds != 0 ? tour_set_first(state->seconds)
                               : tour_cluster(space, tour_set_first(state->holders));
}

static uint64_t own_number(const tour_space *space, const tour_state *state) {
    const uint32_t cluster = own_cluster(space, state), base = cluster * tour_width(space);
    const uint32_t set = (state->holders & tour_cores_of(space, cluster)) >> base;
    uint32_t row = first_row(space);
    while (own_rows[row].second_holding != state->second_holding ||
           own_rows[row].holding != state->holding)
        row++;
    const own_row *r = &own_rows[row];
    const uint32_t one = r->place == OWNER ? state->owner - base
                         : r->place == ONE ? tour_set_first(set)
                                           : 0;
    const uint64_t place = r->place == SET ? set
                           : r->place == ONE
                               ? one
                               : one * (place_count(space, SET) / 2) + close_up(set, one);
    return (cluster > 0 ? cluster * row_start(space, ROWS) : 0) + row_start(space, row) +
           place * others_count(space, r) + (r->is_shared ? digits_of(space, state, cluster) : 0);
}

uint64_t tour_state_number(const tour_space *space, const tour_state *state) {
    if (state->holding != TOUR_SHARED || state->second_holding != TOUR_SHARED)
        return shared_count(space, tour_cluster_count(space)) + own_number(space, state);
    return digits_of(space, state, tour_cluster_count(space));
}

static tour_state own_state(const tour_space *space, uint64_t number) {
    const uint64_t states = space->clusters == 0 ? number + 1 : row_start(space, ROWS);
    const uint64_t half = place_count(space, SET) / 2;
    const uint32_t cluster = (uint32_t)(number / states), base = cluster * tour_width(space);
    uint64_t rest = number % states;
    uint32_t row = first_row(space);
    for (; rest >= row_size(space, &own_rows[row]); row++)
        rest -= row_size(space, &own_rows[row]);
    const own_row *r = &own_rows[row];
    const uint32_t place = (uint32_t)(rest / others_count(space, r));
    const uint32_t one = r->place == OWNER ? (uint32_t)(place / half) : place;
    const uint32_t set = r->place == SET   ? place
                         : r->place == ONE ? tour_set_of(place)
                                           : open_up((uint32_t)(place % half), one);
    tour_state state = {.holders = set << base,
                        .seconds = r->second_holding == TOUR_SHARED ? 0 : tour_set_of(cluster),
                        .holding = r->holding,
                        .second_holding = r->second_holding,
                        .owner = r->holding == TOUR_OWNED ? (uint8_t)(base + one) : 0,
                        .second_owner = r->second_holding == TOUR_OWNED ? (uint8_t)cluster : 0};
    if (r->is_shared)
        take_digits(space, rest % others_count(space, r), cluster, &state);
    return state;
}

tour_state tour_numbered_state(const tour_space *space, uint64_t number) {
    const uint64_t shared = shared_count(space, tour_cluster_count(space));
    if (number >= shared)
        return own_state(space, number - shared);
    tour_state state = TOUR_INITIAL;
    take_digits(space, number, tour_cluster_count(space), &state);
    return state;
}

uint32_t tour_operation_count(const tour_space *space) {
    return TOUR_KIND_COUNT * space->cores +
           (COL_TOUR_KIND_COUNT - TOUR_KIND_COUNT) * space->clusters;
}

col_tour_operation tour_numbered_operation(const tour_space *space, uint32_t number) {
    const uint32_t first = TOUR_KIND_COUNT * space->cores;
    if (number < first)
        return (col_tour_operation){(uint8_t)(number / space->cores),
                                    (uint8_t)(number % space->cores)};
    return (col_tour_operation){(uint8_t)(TOUR_KIND_COUNT + (number - first) / space->clusters),
                                (uint8_t)((number - first) % space->clusters)};
}

uint32_t tour_operation_number(const tour_space *space, col_tour_operation operation) {
    if (operation.kind < TOUR_KIND_COUNT)
        return operation.kind * space->cores + operation.core;
    return TOUR_KIND_COUNT * space->cores + (operation.kind - TOUR_KIND_COUNT) * space->clusters +
           operation.core;
}

bool tour_is_same(const tour_state *a, const tour_state *b) {
    return a->holders == b->holders && a->seconds == b->seconds && a->holding == b->holding &&
           a->second_holding == b->second_holding && a->owner == b->owner &&
           a->second_owner == b->second_owner;
}

/* ---- The executor. */

enum { WORD_BITS = 64 };

/* Whole words; of two levels the last is never full. */
static uint64_t words_of(const tour_space *space) {
    const uint64_t bits = tour_state_count(space) * tour_operation_count(space);
    return bits / WORD_BITS + (space->clusters > 0 || bits % WORD_BITS != 0);
}

uint64_t tour_count_bytes(const tour_space *space) {
    return words_of(space) * sizeof(uint64_t);
}

col_status tour_count_begin(tour_count *count, const tour_space *space, col_problem *problem) {
    *count = (tour_count){.space = *space};
    if (words_of(space) > (UINT64_C(1) << 34) / WORD_BITS)
        return base_refuse(problem, "%llu states are too many to count what is covered of them",
                           (unsigned long long)tour_state_count(space));
    count->taken = calloc(words_of(space), sizeof *count->taken);
    return count->taken == NULL ? base_out_of_memory(problem) : COL_OK;
}

void tour_count_end(tour_count *count) {
    free(count->taken);
    count->taken = NULL;
}

bool tour_count_take(tour_count *count, col_tour_operation operation) {
    const tour_space *space = &count->space;
    if (!tour_is_possible(space, &count->state, operation))
        return false;
    const uint64_t bit = tour_state_number(space, &count->state) * tour_operation_count(space) +
                         tour_operation_number(space, operation);
    uint64_t *word = &count->taken[bit / WORD_BITS];
    count->covered += (~*word >> bit % WORD_BITS) & 1;
    *word |= UINT64_C(1) << bit % WORD_BITS;
    count->state = tour_after(space, &count->state, operation);
    count->cost++;
    return true;
}
