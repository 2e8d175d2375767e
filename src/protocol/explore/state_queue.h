/* SPDX-License-Identifier: MIT */
/*
 * Images of states that wait to be looked at, first in first out. Those that do not fit into the
 * memory that the queue may take wait in a temporary file, which nobody else can open.
 */
#ifndef PROTOCOL_EXPLORE_STATE_QUEUE_H
#define PROTOCOL_EXPLORE_STATE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct image_span {
    const uint8_t *image;
    uint32_t bytes;
} image_span;

/* Start from {0}, or with a limit of memory and the folder of the file. */
typedef struct image_queue {
    uint64_t most_bytes; /* beyond that, states wait in the file; 0: all are in memory */
    const char *folder;  /* of the file; the caller's */

    struct queue_chunk *first, *last;
    struct queue_chunk *read; /* where the next state is */
    uint64_t count;           /* states that wait */
    uint64_t bytes;           /* of memory that all of it takes */

    bool has_file, file_failed; /* a file that failed takes no more */
    int file;
    uint64_t slots;      /* of the file, one chunk each */
    uint64_t *free_list; /* those of chunks that were read back */
    size_t free_count, free_capacity;
} image_queue;

bool exp_queue_add(image_queue *queue, const uint8_t *image, uint32_t bytes); /* false: no memory */

/* The next state; there must be one. It stays until exp_queue_drop. Without an image: it could not
 * be read back, or there is no memory for it. */
image_span exp_queue_take(image_queue *queue);
/* What was taken is not needed any more. */
void exp_queue_drop(image_queue *queue);
void exp_queue_free(image_queue *queue);

/* The size of the file. */
uint64_t exp_queue_disk_bytes(const image_queue *queue);

/*
 * How each state was found: from which state, by which choice. States are numbered in the order in
 * which they were found, and so are the states that they were found from: the differences are
 * small, and two bytes a state are enough.
 */

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

/* Are these the paths of `count` states, each found from one of the first `expanded`? */
bool exp_paths_check(const uint8_t *bytes, uint64_t used, uint64_t count, uint64_t expanded);
/* What was checked becomes the paths, which are empty; the bytes are theirs then. False: no
 * memory, and they are the caller's. */
bool exp_paths_adopt(found_paths *paths, uint8_t *bytes, uint64_t used, uint64_t count);

uint64_t exp_paths_bytes(const found_paths *paths);
void exp_paths_free(found_paths *paths);

#endif
