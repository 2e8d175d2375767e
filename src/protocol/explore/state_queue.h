/* SPDX-License-Identifier: MIT */
/*
 * How each state was found: from which state, by which choice. States are numbered in the order in
 * which they were found, and so are the states that they were found from: the differences are
 * small, and two bytes a state are enough.
 */
#ifndef EXPLORE_PATHS_H
#define EXPLORE_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct found_index {
    uint64_t byte, parent; /* where the list goes on, and the parent before */
} found_index;

/* Start from {0}. */
typedef struct found_paths {
    uint8_t *bytes;
    uint64_t used, capacity;
    found_index *index; /* one entry for each run of states */
    uint64_t index_count, index_capacity;
    uint64_t count, last_parent;
} found_paths;

/* The next state. Parents never decrease. False: no memory. */
bool exp_paths_add(found_paths *paths, uint64_t parent, uint32_t choice);

/* The choices that lead to a state; the caller frees them. NULL: no memory. */
uint16_t *exp_paths_to(const found_paths *paths, uint64_t number, uint32_t *length);

/* One run of states after the other: EXP_PATHS_RUN, the last maybe fewer. How many it has. */
enum { EXP_PATHS_RUN = 1024 };
typedef struct found_run {
    uint64_t parents[EXP_PATHS_RUN];
    uint32_t choices[EXP_PATHS_RUN];
} found_run;
uint32_t exp_paths_read(const found_paths *paths, uint64_t run, found_run *states);

/* Are these the paths of `count` states, each found from one of the first `looked_at`? */
bool exp_paths_check(const uint8_t *bytes, uint64_t used, uint64_t count, uint64_t looked_at);
/* What was checked becomes the paths, which are empty; the bytes are theirs then. False: no
 * memory, and they are the caller's. */
bool exp_paths_adopt(found_paths *paths, uint8_t *bytes, uint64_t used, uint64_t count);

uint64_t exp_paths_bytes(const found_paths *paths);
void exp_paths_free(found_paths *paths);

#endif
