/* SPDX-License-Identifier: MIT */
/*
 * An execution as a graph: events, sets of them and relations over them. The order of events is
 * anybody's choice, but those of a thread should stand together: relations are quicker then.
 *
 * Make one in this order:
 *   cat_graph_begin     that many events; fill in graph->events
 *   cat_graph_derive    what follows from the events alone: R, W, M, IW, po, loc, int, ...
 *   cat_graph_set       members of sets such as A or MFENCE: set bits in the row that it returns
 *   cat_graph_relation  the same for rf, co, addr, data, ctrl, ...
 * With another rf or co the rest can stay; cat_graph_clear empties one relation.
 */
#ifndef CAT_GRAPH_H
#define CAT_GRAPH_H

#include "cat/matrix.h"
#include "cat/names.h"

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
} cat_graph;

/* Initialise with {0}; begin again freely (memory grows and is kept). All sets and relations are
 * empty then. */
col_status cat_graph_begin(cat_graph *graph, uint32_t events, col_problem *problem);
void cat_graph_free(cat_graph *graph);

/* Also those that follow from rf and co: same-value and FW do not, see below. */
col_status cat_graph_derive(cat_graph *graph, col_problem *problem);

/* The members of the set, the rows of the relation: to be changed. NULL when out of memory. */
uint64_t *cat_graph_set(cat_graph *graph, cat_set set, col_problem *problem);
uint64_t *cat_graph_relation(cat_graph *graph, cat_relation relation, col_problem *problem);
void cat_graph_clear(cat_graph *graph, cat_relation relation);

/* Once co is complete: FW. Once values are known: same-value. */
col_status cat_graph_find_finals(cat_graph *graph, col_problem *problem);
col_status cat_graph_compare_values(cat_graph *graph, col_problem *problem);

#endif
