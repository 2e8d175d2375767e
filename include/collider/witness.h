/* SPDX-License-Identifier: MIT */
/*
 * What the instances of a test showed, in numbers that directing engines learn from: execution
 * witnesses with their signatures, and how non-deterministic the outcome was. A witness watches
 * each instance of a program and adds it to what it knows about the test.
 *
 * The thread of a program and the core that runs it have the same number. A value in memory is
 * identified by the write that it comes from; 0 is the value before any write.
 */
#ifndef COLLIDER_WITNESS_H
#define COLLIDER_WITNESS_H

#include <collider/event.h>

COL_C_BEGIN

/* Which monitors an execution witness listens to. At each core, one monitor sees the value of every
 * read; another sees the values that came from outside the core's private caches on a miss. */
typedef enum col_observation {
    COL_OBSERVE_RF,   /* what reads returned: reads-from */
    COL_OBSERVE_CO,   /* replies to misses: reads-from and coherence between cores */
    COL_OBSERVE_CORF, /* both */
    COL_OBSERVATION_COUNT
} col_observation;

/* Their names: rf, co, corf; ended by NULL. */
COL_API extern const char *const col_observations[COL_OBSERVATION_COUNT + 1];

/* Of a core's execution witness, which is a set of values. */
typedef struct col_signature {
    uint64_t sum;      /* of the values: two different witnesses can have the same */
    uint64_t identity; /* two different witnesses have the same with probability 2^-64 */
} col_signature;

/* The last instance, or all of them: the union of their witnesses. */
typedef enum col_witness_scope { COL_LAST_INSTANCE, COL_ALL_INSTANCES } col_witness_scope;

/* Of all instances since the program was loaded. The arrays are valid until the witness is next
 * changed. */
typedef struct col_witness_results {
    uint32_t instances;
    uint32_t distinct[COL_OBSERVATION_COUNT]; /* instances with different witnesses at the cores */
    uint32_t outcomes;                        /* instances with different conflict orders */
    const col_signature *signatures[COL_OBSERVATION_COUNT]; /* by core, of all instances */

    /* McVerSi's measures. Here a swap or add is two events, a read and a write. */
    uint32_t events;       /* reads and writes that performed in some instance */
    uint64_t conflicts;    /* distinct pairs of an event and its predecessor in conflict order */
    double nondeterminism; /* of the test: conflicts per event; 0 if there are no events */
    const uint32_t *event_nondeterminism; /* by operation: its distinct predecessors */
    uint32_t fit_count;
    const uint32_t *fit_locations; /* those with an operation above the test's rounded average */
    const bool *is_fit;            /* by location */
} col_witness_results;

typedef struct col_witness col_witness;
COL_API col_status col_witness_new(col_witness **witness, col_problem *problem);
COL_API void col_witness_free(col_witness *witness);

/* Begins a test on this number of cores, without instances. The program must not change while it is
 * watched. */
COL_API col_status col_witness_load(col_witness *witness, const col_program *program,
                                    uint32_t cores, col_problem *problem);

/* An instance begins. An instance that has not ended when the next one begins is discarded. */
COL_API col_status col_witness_begin(col_witness *witness, col_problem *problem);

/* Allocates no memory. Ignores all events but performed loads and stores, and events that do not
 * fit the program. */
COL_API void col_witness_notice(col_witness *witness, const col_event *event);
COL_API col_observer col_witness_observer(col_witness *witness);

/* The instance has ended, complete or not. */
COL_API void col_witness_end(col_witness *witness);

/* ---- Results, once an instance has ended. */

COL_API const col_witness_results *col_witness_results_of(col_witness *witness);

/* By core: the multicore signature. */
COL_API const col_signature *col_witness_signatures(col_witness *witness, col_witness_scope scope,
                                                    col_observation observation);

/* The values of a core's witness, in ascending order: as many as fit. Returns how many there are.
 * COL_NO_VALUE stands for every value that no write of the program stored. */
#define COL_NO_VALUE UINT64_MAX
COL_API uint32_t col_witness_values(col_witness *witness, col_witness_scope scope,
                                    col_observation observation, uint32_t core, uint64_t *values,
                                    uint32_t capacity);

/* Memory held, in bytes. */
COL_API size_t col_witness_bytes(const col_witness *witness);

COL_C_END
#endif
