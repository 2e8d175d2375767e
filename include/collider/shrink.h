/* SPDX-License-Identifier: MIT */
/*
 * Shrinking a failure: the smallest program that still shows it, as something a designer can read.
 * docs/shrinking.md explains how.
 */
#ifndef COLLIDER_SHRINK_H
#define COLLIDER_SHRINK_H

#include <collider/episode.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How large a program is. Delays are no operations here: they say when, not what. */
typedef struct col_size {
    uint32_t threads, operations, locations, delays;
} col_size;

typedef struct col_shrink_progress {
    double seconds;
    uint64_t trials, instances; /* programs tried, and how often they ran */
    col_size size;              /* of the smallest that fails */
} col_shrink_progress;

typedef struct col_shrink_settings {
    const char *folder; /* of the failure */
    bool allow_code;    /* run its design even if it is native code */
    const char *out;    /* a folder for what comes of it; NULL: "shrunk" in the failure's folder */
    double seconds;     /* what it may take; 0: until nothing more can be left out */
    uint32_t seeds;     /* instances of a program that are tried before it counts as passing */
    uint32_t jobs;
    uint64_t seed;
    void (*progress)(void *context, const col_shrink_progress *progress); /* may be NULL */
    void *context;
    const volatile int *stop; /* not 0: end now, with the smallest so far; may be NULL */
} col_shrink_settings;

COL_API void col_shrink_default(col_shrink_settings *settings);

/* What it takes to see that the instance failed. */
typedef enum col_evidence {
    COL_SHOWN_BY_OUTCOME, /* it did not end well, or an invariant of the design was broken */
    COL_SHOWN_BY_READS,   /* the model does not allow what the reads returned */
    COL_SHOWN_BY_FINALS,  /* nor, if it allows that, together with the last words of locations */
    COL_SHOWN_BY_ORDER,   /* it takes the coherence order, which a litmus test cannot see */
    COL_SHOWN_UNDECIDED,  /* which of these it is the trace checker could not decide */
    COL_EVIDENCE_COUNT
} col_evidence;
/* Their words in JSON: outcome, reads, finals, order, undecided. */
COL_API extern const char *const col_evidences[COL_EVIDENCE_COUNT];

typedef struct col_shrunk {
    col_size from, to;
    col_outcome outcome; /* the same as that of the failure it came from */
    col_evidence evidence;
    uint64_t seed;           /* of an instance that shows it */
    uint32_t failing, tried; /* of fresh seeds, how many show it */
    bool minimal; /* nothing more can be left out: neither the time nor a stop ended it */
    double seconds;
    uint64_t trials, instances;
    char reason[512];
    char folder[1024]; /* a failure's folder too: col_replay shows it */
} col_shrunk;

/* COL_OK also if nothing could be left out. A failure that does not show again is refused. The
 * result does not depend on the number of jobs, nor, unless the time runs out, on the machine. */
COL_API col_status col_shrink(const col_shrink_settings *settings, col_shrunk *shrunk,
                              col_problem *problem);

#ifdef __cplusplus
}
#endif
#endif
