/* SPDX-License-Identifier: MIT */
/*
 * Samples by trial, in memory and in a file that is written as episodes end: what was interrupted
 * goes on from there, and tables can be made again without a single episode. One row for each point
 * of a curve and, with an outcome, for each episode's end. Whoever changes an engine starts a new
 * file: a trial is known by its contender's label.
 */
#ifndef BENCH_STORE_H
#define BENCH_STORE_H

#include "sample.h"

typedef struct store store;

/* NULL: nothing is written. Gives up on a file that is something else. */
store *store_open(const char *path);
void store_close(store *s);

/* NULL: there is none. Until the next one is added. */
const sample *store_find(const store *s, const trial *t);
/* Takes the curve over. From any thread. */
void store_add(store *s, const trial *t, const sample *taken);

#endif
