/* SPDX-License-Identifier: MIT */
/*
 * Relations over events as bits: row by row, the events that each is related to. A row has as many
 * words as it takes. Sets are one row.
 */
#pragma once

#include "base/problem.h"
#include "collider/program.h"
#include "judge/cat/cat_builtins.h"

typedef struct cat_size {
    uint32_t events;
    uint32_t words; /* of a row */
} cat_size;

static inline cat_size cat_size_of(uint32_t events) {
    return (cat_size){events, (events + 63) / 64};
}

static inline size_t cat_matrix_words(cat_size size) {
    return (size_t)size.events * size.words;
}

static inline uint64_t *cat_row(uint64_t *matrix, cat_size size, uint32_t event) {
    return matrix + (size_t)event * size.words;
}

static inline const uint64_t *cat_row_of(const uint64_t *matrix, cat_size size, uint32_t event) {
    return matrix + (size_t)event * size.words;
}

static inline bool cat_has(const uint64_t *set, uint32_t event) {
    return (set[event / 64] >> (event % 64) & 1) != 0;
}

static inline void cat_put(uint64_t *set, uint32_t event) {
    set[event / 64] |= UINT64_C(1) << (event % 64);
}

static inline void cat_remove(uint64_t *set, uint32_t event) {
    set[event / 64] &= ~(UINT64_C(1) << (event % 64));
}

static inline bool cat_relates(const uint64_t *matrix, cat_size size, uint32_t from, uint32_t to) {
    return cat_has(cat_row_of(matrix, size, from), to);
}

static inline void cat_relate(uint64_t *matrix, cat_size size, uint32_t from, uint32_t to) {
    cat_put(cat_row(matrix, size, from), to);
}

/* The first member behind `from` - 1, or `size.events`. */
uint32_t cat_next_member(const uint64_t *set, cat_size size, uint32_t from);

/* The results must not be one of the operands. `room` is for 3 numbers per event. */
void cat_matrix_sequence(uint64_t *result, const uint64_t *first, const uint64_t *second,
                         cat_size size, uint32_t *room);
void cat_matrix_closure(uint64_t *result, const uint64_t *relation, cat_size size);
void cat_matrix_inverse(uint64_t *result, const uint64_t *relation, cat_size size);
bool cat_matrix_is_acyclic(const uint64_t *relation, cat_size size, uint32_t *room);

/* A shortest path from `from` to `to` of at least one step, as events, both ends among them.
 * Returns how many; 0: there is none. `path` and `room` are for events + 1 and 2 numbers per event.
 */
uint32_t cat_matrix_path(const uint64_t *relation, cat_size size, uint32_t from, uint32_t to,
                         uint32_t *path, uint32_t *room);

/*
 * An execution as a graph: events, sets of them and relations over them. The order of events is
 * anybody's choice, but those of a thread should stand together: relations are quicker then.
 *
 * Make one in this order:
 *   cat_graph_begin     that many events; fill in graph->events
 *   cat_graph_derive    what follows from the events alone: R, W, M, IW, po, loc, int, ...
 *   cat_graph_put       members of sets such as A or MFENCE
 *   cat_graph_relate    pairs of rf, co, addr, data, ctrl, ...
 * With another rf or co the rest can stay; cat_graph_clear empties one relation.
 */

enum {
    CAT_MOST_EVENTS = 1 << 14, /* 32 MiB for a relation */
    CAT_NO_THREAD = UINT32_MAX /* of initial writes */
};

typedef enum cat_event_kind {
    CAT_READ,
    CAT_WRITE,
    CAT_FENCE_EVENT,
    CAT_BRANCH,
    CAT_READ_REGISTER,
    CAT_WRITE_REGISTER
} cat_event_kind;

typedef struct cat_event {
    uint32_t thread;   /* or CAT_NO_THREAD */
    uint32_t instance; /* in the thread: its instruction; po is from one to a later one */
    uint32_t location; /* of memory; of a register's event: the register, of its own thread */
    uint32_t access;   /* not 0: the events of one access, in the thread, have one number */
    uint32_t owner;    /* whatever its maker calls it: an operation, say */
    uint64_t value;
    uint8_t kind; /* cat_event_kind */
} cat_event;

typedef struct cat_graph {
    cat_size size;
    cat_event *events;
    uint64_t *sets[CAT_SET_COUNT];           /* NULL: empty */
    uint64_t *relations[CAT_RELATION_COUNT]; /* NULL: empty */
    size_t event_capacity, set_capacities[CAT_SET_COUNT], relation_capacities[CAT_RELATION_COUNT];
    uint64_t *kept_sets[CAT_SET_COUNT], *kept_relations[CAT_RELATION_COUNT]; /* their memory */
    col_status status; /* the first problem since the graph began: what follows does nothing */
    col_problem *problem;
} cat_graph;

/* Initialise with {0}; begin again freely (memory grows and is kept). All sets and relations are
 * empty then. */
void cat_graph_begin(cat_graph *graph, uint32_t events, col_problem *problem);
void cat_graph_free(cat_graph *graph);

/* Also those that follow from rf and co: same-value and FW do not, see below. */
void cat_graph_derive(cat_graph *graph);

void cat_graph_put(cat_graph *graph, cat_set set, uint32_t event);
/* A fence that orders these pairs of accesses: in Fence.r.r, ... */
void cat_graph_put_fence(cat_graph *graph, uint8_t pairs, uint32_t event);
void cat_graph_relate(cat_graph *graph, cat_relation relation, uint32_t from, uint32_t to);
void cat_graph_clear(cat_graph *graph, cat_relation relation);

/* Once co is complete: FW. Once values are known: same-value. */
void cat_graph_find_finals(cat_graph *graph);
void cat_graph_compare_values(cat_graph *graph);
