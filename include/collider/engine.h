/* SPDX-License-Identifier: MIT */
/*
 * Directing engines: given what came of the last test, hand me the next one. An engine sees
 * numbers, never the names of coverage points, so that it serves any design and any metric.
 */
#ifndef COLLIDER_ENGINE_H
#define COLLIDER_ENGINE_H

#include <collider/generate.h>
#include <collider/witness.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct col_range {
    uint32_t least, most;
} col_range;

/* The space that an engine may choose from, and the machine it chooses for. */
typedef struct col_engine_settings {
    uint32_t threads;
    col_range operations, locations; /* of a test */
    uint32_t sets;                   /* that locations compete for; 0: the engine's choice */
    const char *mix;                 /* a mix of operations or of chain categories; NULL: default */
    col_geometry geometry;           /* of the design's caches */
    uint64_t seed;
} col_engine_settings;

/* A point of the space: what the last test was made from. */
typedef struct col_point {
    uint32_t operations, locations;
    uint32_t sets; /* 0: addresses are unconstrained */
} col_point;

/* What came of the last test. Coverage is that of the metric the episode feeds. */
typedef struct col_feedback {
    uint64_t tests;               /* so far; 0: there is no last test, and the rest means nothing */
    uint64_t covered, total;      /* cumulative */
    uint64_t own_covered, gained; /* by the last test; of these, by none before it */
    uint64_t cycles, operations;  /* of the last test, all instances */
    double seconds;               /* of the last test */
    const col_witness_results *witness; /* of the last test; NULL if the episode does not watch */
} col_feedback;

typedef struct col_engine col_engine;

/* The engines' names, ended by NULL, and what each is in a few words. */
COL_API extern const char *const col_engines[];
COL_API const char *col_engine_summary(const char *name);

COL_API col_status col_engine_new(col_engine **engine, const char *name,
                                  const col_engine_settings *settings, col_error *error);
COL_API void col_engine_free(col_engine *engine);

/* The next test. The same settings and feedbacks give the same programs. */
COL_API col_status col_engine_next(col_engine *engine, const col_feedback *feedback,
                                   col_program *program, col_point *point, col_error *error);

#ifdef __cplusplus
}
#endif
#endif
