/* SPDX-License-Identifier: MIT */
/*
 * Tours: sequences of loads, stores and evictions that take every transition of the global state
 * space of an abstract protocol, whose states are those of one block in the caches of all cores. A
 * tour is handed over operation by operation while an executor of the protocol counts what it
 * covers. See docs/tours.md.
 */
#ifndef COLLIDER_TOUR_H
#define COLLIDER_TOUR_H

#include <collider/problem.h>

#include <stdbool.h>
#include <stdint.h>

COL_C_BEGIN

typedef enum col_tour_protocol {
    COL_TOUR_SI, /* no stores */
    COL_TOUR_MSI,
    COL_TOUR_MESI,
    COL_TOUR_MOSI,
    COL_TOUR_MOESI,
    COL_TOUR_PROTOCOL_COUNT
} col_tour_protocol;

/* Rows X(NAME, word, what it is). */
#define COL_TOUR_METHODS(X)                                                                        \
    X(COL_TOUR_BFS, "bfs", "a shortest test for each transition, each followed by a reset")        \
    X(COL_TOUR_EULER, "euler",                                                                     \
      "Euler tours of the hypercubes and the clique of the space, linked by shortest walks")       \
    X(COL_TOUR_POSTMAN, "postman", "a shortest tour")                                              \
    X(COL_TOUR_RANDOM, "random", "any possible operation")                                         \
    X(COL_TOUR_JAMMER, "jammer",                                                                   \
      "MCjammer: an agent for each core that seeks what it has rarely seen")

typedef enum col_tour_method {
#define COL_TOUR_METHOD_NAME(name, word, meaning) name,
    COL_TOUR_METHODS(COL_TOUR_METHOD_NAME)
#undef COL_TOUR_METHOD_NAME
        COL_TOUR_METHOD_COUNT
} col_tour_method;

typedef enum col_tour_kind {
    COL_TOUR_LOAD,
    COL_TOUR_STORE,
    COL_TOUR_EVICT,
    COL_TOUR_LOAD2,  /* by the second level of a cluster */
    COL_TOUR_EVICT2, /* from it */
    COL_TOUR_KIND_COUNT
} col_tour_kind;

/* Their names, each list ended by NULL. */
COL_API extern const char *const col_tour_protocols[COL_TOUR_PROTOCOL_COUNT + 1];
COL_API extern const char *const col_tour_methods[COL_TOUR_METHOD_COUNT + 1];
COL_API extern const char *const col_tour_kinds[COL_TOUR_KIND_COUNT + 1];

typedef struct col_tour_operation {
    uint8_t kind; /* col_tour_kind */
    uint8_t core; /* for the second level: the cluster */
} col_tour_operation;

typedef struct col_tour_settings {
    col_tour_protocol protocol;
    col_tour_method method;
    uint32_t cores;
    uint32_t clusters;              /* of cores that share a second level; 0: no second level */
    bool inclusive;                 /* the second level holds what its cores hold */
    uint64_t seed, most_operations; /* of random methods, which also end when all is covered */
    uint64_t most_bytes;            /* that counting may use */

    /* Called with each operation. Returning false ends the tour: the results are those so far, and
     * the cost of making the whole tour is not measured. May be NULL. */
    bool (*take)(void *context, col_tour_operation operation);
    void *context;
} col_tour_settings;

typedef struct col_tour_results {
    uint64_t states, transitions;
    uint64_t cost;        /* operations */
    bool is_counted;      /* counting fit in memory */
    uint64_t covered;     /* transitions, by executing the tour */
    uint64_t optimum;     /* cost of a shortest tour; 0: not known */
    double seconds;       /* processor time to make the tour without running it */
    uint64_t peak_bytes;  /* used to make the tour: heap or, if none, stack */
    uint64_t count_bytes; /* used for counting */
} col_tour_results;

/* MESI, 8 cores, one level, euler. */
COL_API void col_tour_default(col_tour_settings *settings);
/* Refuses the settings that col_tour would refuse, without making a tour. */
COL_API col_status col_tour_check(const col_tour_settings *settings, col_problem *problem);
COL_API col_status col_tour(const col_tour_settings *settings, col_tour_results *results,
                            col_problem *problem);

COL_C_END
#endif
