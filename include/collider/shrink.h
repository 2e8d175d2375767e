/* SPDX-License-Identifier: MIT */
/*
 * Shrinking a failure: finding the smallest program that still fails, which a designer can read.
 * docs/shrinking.md explains how.
 */
#ifndef COLLIDER_SHRINK_H
#define COLLIDER_SHRINK_H

#include <collider/episode.h>

COL_C_BEGIN

/* The size of a program. Delays do not count as operations: they say when, not what. */
typedef struct col_size {
    uint32_t threads, operations, locations, delays;
} col_size;

typedef struct col_shrink_progress {
    double seconds;
    uint64_t trials, instances; /* programs tried, and their runs */
    col_size size;              /* of the smallest failing program so far */
} col_shrink_progress;

typedef struct col_shrink_settings {
    const char *folder; /* of the failure */
    bool allow_code;    /* run its design even if it is native code */
    const char *out;    /* a folder for the result; NULL: "shrunk" in the failure's folder */
    double seconds;     /* time limit; 0: until nothing more can be removed */
    uint32_t seeds;     /* instances to run before a program counts as passing */
    uint32_t jobs;
    uint64_t seed;
    void (*progress)(void *context, const col_shrink_progress *progress); /* may be NULL */
    void *context;
    const volatile int *stop; /* if not 0: end now, with the smallest so far; may be NULL */
} col_shrink_settings;

COL_API void col_shrink_default(col_shrink_settings *settings);

/* What shows that the instance failed. */
typedef enum col_evidence {
    COL_SHOWN_BY_OUTCOME, /* it did not run to its end, or an invariant of the design was broken */
    COL_SHOWN_BY_READS,   /* the model forbids the values that the reads returned */
    COL_SHOWN_BY_FINALS,  /* the model forbids these together with the final values of locations */
    COL_SHOWN_BY_ORDER,   /* only the coherence order, which a litmus test cannot see */
    COL_SHOWN_UNDECIDED,  /* the trace checker could not decide which of these it is */
    COL_EVIDENCE_COUNT
} col_evidence;
/* Their names in JSON: outcome, reads, finals, order, undecided. */
COL_API extern const char *const col_evidences[COL_EVIDENCE_COUNT];

typedef struct col_shrunk {
    col_size from, to;
    col_outcome outcome; /* the same as that of the original failure */
    col_evidence evidence;
    uint64_t seed;           /* of an instance that fails */
    uint32_t failing, tried; /* how many of the fresh seeds that were tried fail */
    bool minimal; /* nothing more can be removed: neither the time limit nor a stop ended it */
    double seconds;
    uint64_t trials, instances;
    char reason[512];
    char folder[1024]; /* a failure folder too: col_replay takes it */
} col_shrunk;

/* Returns COL_OK also if nothing could be removed. Refuses a failure that cannot be reproduced. The
 * result does not depend on the number of jobs or, unless time runs out, on the machine. */
COL_API col_status col_shrink(const col_shrink_settings *settings, col_shrunk *shrunk,
                              col_problem *problem);

COL_C_END
#endif
