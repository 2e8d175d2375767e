/* SPDX-License-Identifier: MIT */
/*
 * Images of states that wait to be looked at, first in first out. Those that do not fit into the
 * memory that the queue may take wait in a temporary file, which nobody else can open.
 */
#ifndef EXPLORE_QUEUE_H
#define EXPLORE_QUEUE_H

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
    uint64_t free_count, free_capacity;
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

#endif
