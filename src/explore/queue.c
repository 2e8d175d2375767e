/* SPDX-License-Identifier: MIT */
/* States that wait: see queue.h. In chunks, so that nothing moves and what is done can be freed. */
#include "explore/queue.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 20 };

typedef struct queue_chunk {
    struct queue_chunk *next;
    size_t size, used, taken;
    uint8_t bytes[];
} queue_chunk;

static bool append_chunk(image_queue *q, size_t least) {
    const size_t size = least > CHUNK_BYTES ? least : CHUNK_BYTES;
    queue_chunk *fresh = malloc(sizeof *fresh + size);
    if (fresh == NULL)
        return false;
    *fresh = (queue_chunk){.size = size};
    if (q->last != NULL)
        q->last->next = fresh;
    else
        q->first = q->read = fresh;
    q->last = fresh;
    q->bytes += sizeof *fresh + size;
    return true;
}

bool exp_queue_add(image_queue *q, const uint8_t *image, uint32_t bytes) {
    const size_t needed = sizeof bytes + bytes;
    if ((q->last == NULL || q->last->used + needed > q->last->size) && !append_chunk(q, needed))
        return false;
    uint8_t *place = q->last->bytes + q->last->used;
    memcpy(place, &bytes, sizeof bytes);
    memcpy(place + sizeof bytes, image, bytes);
    q->last->used += needed;
    q->count++;
    return true;
}

image_span exp_queue_take(image_queue *q) {
    image_span span;
    while (q->read->taken == q->read->used)
        q->read = q->read->next;
    const uint8_t *at = q->read->bytes + q->read->taken;
    memcpy(&span.bytes, at, sizeof span.bytes);
    span.image = at + sizeof span.bytes;
    q->read->taken += sizeof span.bytes + span.bytes;
    q->count--;
    return span;
}

void exp_queue_drop(image_queue *q) {
    while (q->first != q->read) {
        queue_chunk *done = q->first;
        q->first = done->next;
        q->bytes -= sizeof *done + done->size;
        free(done);
    }
}

void exp_queue_free(image_queue *q) {
    while (q->first != NULL) {
        queue_chunk *next = q->first->next;
        free(q->first);
        q->first = next;
    }
    *q = (image_queue){0};
}
