/* SPDX-License-Identifier: MIT */
/* Designs that are only described, and what their coverage is by a list of all hits: slow, and
 * obviously right. */
#pragma once

#include "base/random.h"
#include "cover/coverage.h"

enum { MOST_MACHINES = 4, MOST_POINTS = 40, MOST_CONTROLLERS = 6 };

typedef struct design {
    col_duv_description description;
    col_duv_machine machines[MOST_MACHINES];
    col_duv_point points[MOST_MACHINES * MOST_POINTS];
} design;

/* Between 0 and `most`, both included. */
uint32_t random_upto(base_rng *rng, uint32_t most);

/* Random names, counts and reachability. */
void random_design(base_rng *rng, design *made);

/* The same machines and points with other numbers. */
void shuffled_design(base_rng *rng, const design *from, design *made);

col_coverage *new_coverage(const design *of);

/* A hit that the list remembers: by names, as if numbers did not exist. */
typedef struct tuple {
    const char *machine, *state, *event;
    uint32_t controller;
    bool reachable;
    uint64_t hits;
} tuple;

typedef struct tuples {
    tuple items[MOST_MACHINES * MOST_POINTS * MOST_CONTROLLERS];
    uint32_t count;
} tuples;

/* Adds to the list; true if it is new there. With the structural metric the controller is not
 * looked at. */
bool add_tuple(tuples *list, col_metric metric, const tuple *hit);
tuple tuple_of(const design *of, uint32_t machine, uint32_t controller, uint32_t point,
               uint64_t hits);

/* Coverage by that list; `machine` NULL: of all machines. */
col_covered tuples_covered(const tuples *list, const design *of, col_metric metric,
                           const char *machine);

/* Some random hits, at least 0 of them; into `hits` and the lists, whichever are not NULL. Counts
 * those that were new in `lists` into `gain`. */
void random_hits(base_rng *rng, const design *of, uint64_t *hits, tuples lists[COL_METRIC_COUNT],
                 tuples own[COL_METRIC_COUNT], col_gain *gain);

/* A set with some random hits. */
col_coverage *random_set(base_rng *rng, const design *of);

/* The set as text, which names points only; free it. */
char *text_of(const col_coverage *coverage);
/* Of two sets. */
void assert_same_text(const col_coverage *a, const col_coverage *b);

/* Everything that can be asked is the same as by the lists. */
void assert_covered(const col_coverage *coverage, col_scope scope, const design *of,
                    const tuples lists[COL_METRIC_COUNT]);

/* Of the design that the files in tests/data/coverage are of. */
col_coverage *new_toy(void); /* cover/toy_design.h */

/* ---- Texts that are refused. */

typedef struct mistake {
    const char *text;
    uint32_t line, column;
    const char *message; /* or its beginning */
} mistake;
void assert_mistake(const mistake *made, const col_problem *problem);

/* Makes a file with this content; remove it. */
void write_temporary(const char *content, char path[64]);
