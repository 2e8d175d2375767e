/* SPDX-License-Identifier: MIT */
/* Images of states that wait to be looked at, first in first out. */
#ifndef EXPLORE_QUEUE_H
#define EXPLORE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct image_span {
    const uint8_t *image;
    uint32_t bytes;
} image_span;

/* Start from {0}. */
typedef struct image_queue {
    struct queue_chunk *first, *last;
    struct queue_chunk *read; /* where the next state is */
    uint64_t count;           /* states that wait */
    uint64_t bytes;           /* that all of it takes */
} image_queue;

bool exp_queue_add(image_queue *queue, const uint8_t *image, uint32_t bytes); /* false: no memory */

/* The next state; there must be one. It stays until exp_queue_drop. */
image_span exp_queue_take(image_queue *queue);
/* What was taken is not needed any more. */
void exp_queue_drop(image_queue *queue);
void exp_queue_free(image_queue *queue);

#endif
