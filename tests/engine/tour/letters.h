/* SPDX-License-Identifier: MIT */
/* An oracle: the caches of one or two levels as letters, one for each cache, that change by what
 * each cache sees. Written as the paper writes states: (IS)S(SI)S. */
#pragma once

#include "engine/tour/tour.h"

typedef struct letters {
    char first[TOUR_MOST_CORES];
    char second[TOUR_MOST_CLUSTERS];
} letters;

letters letters_initial(const tour_space *space);
letters letters_of(const tour_space *space, const tour_state *state);
/* False: the operation is not possible. */
bool letters_step(const tour_space *space, letters *l, col_tour_operation operation);
/* May the caches be so? By the table of the documentation. */
bool letters_are_legal(const tour_space *space, const letters *l);
/* At least 64 characters. */
const char *letters_text(const tour_space *space, const letters *l, char *text);

/* ---- Spaces to try it on. */

typedef struct shape {
    uint32_t clusters, width; /* no clusters: one level of so many cores */
} shape;
tour_space space_of(col_tour_protocol protocol, shape s, bool inclusive);

/* All protocols, inclusive and not; large spaces of SI and MESI alone, or it takes minutes. */
enum { MOST_TESTED_STATES = 3500 };
void for_each_space(const shape *shapes, size_t count, void (*test)(const tour_space *));
#define FOR_EACH_SPACE(shapes, test) for_each_space(shapes, sizeof(shapes) / sizeof *(shapes), test)

static const shape small_shapes[] = {{2, 2}, {2, 3}, {3, 2}, {2, 4}, {4, 2}};
#ifdef REDUCED
static const shape large_shapes[] = {{3, 3}};
#else
static const shape large_shapes[] = {{3, 3}, {5, 2}, {4, 3}, {2, 6}};
#endif

/* A sink's, into the executor; the context is a tour_count. The test fails if an operation is
 * impossible. */
bool count_one(void *context, col_tour_operation operation);

/* A sink's that has enough when the number that the context points to is down to 0. */
bool count_down(void *context, col_tour_operation operation);
