/* SPDX-License-Identifier: MIT */
/* Feedback without a design: what a test covers is a function of its point, by a hash. */
#pragma once

#include "engine/engine.h"

enum { SYNTHETIC_POINTS = 150 }; /* of coverage; not a multiple of 64 */

typedef struct synthetic {
    uint64_t salt;   /* which function */
    uint32_t one_in; /* a test covers about one coverage point in this many */
    uint64_t hits[SYNTHETIC_POINTS];
    col_feedback feedback;
} synthetic;

synthetic synthetic_new(uint64_t salt, uint32_t one_in);
bool synthetic_covers(const synthetic *s, const col_point *point, uint32_t coverage_point);
/* The test at a point was run: this is the feedback of it. */
const col_feedback *synthetic_run(synthetic *s, const col_point *point);

/* Engines of small tests for four threads: operations and locations from:to, the caches of mesi3.
 */
col_engine_settings synthetic_settings(col_range operations, col_range locations, uint64_t seed);
col_engine *synthetic_engine(const char *name, const col_engine_settings *settings);

/* An engine on its way through synthetic feedback. */
typedef struct synthetic_walk {
    col_engine *engine;
    synthetic design;
    col_program program;
    col_point point;
} synthetic_walk;

synthetic_walk synthetic_start(const char *name, const col_engine_settings *settings, uint64_t salt,
                               uint32_t one_in);
/* To the next test, which is then to be run. False: the engine is through. */
bool synthetic_step(synthetic_walk *walk);
void synthetic_end(synthetic_walk *walk);

/* A file of its own, in the folder for temporary ones. */
const char *synthetic_path(char path[64]);
