/* SPDX-License-Identifier: MIT */
/*
 * States that wait: see queue.h. In chunks, so that nothing moves and what is done can be freed. A
 * chunk that is full goes to the file if there is too much in memory, and comes back when its turn
 * has come.
 */
#include "explore/queue.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1 << 20 };

typedef struct queue_chunk {
    struct queue_chunk *next;
    size_t size, used, taken;
    uint64_t slot;  /* of the file, if it is there */
    uint8_t *bytes; /* NULL: it is in the file */
} queue_chunk;

/* ---- The file. */

/* It has no name, so it is gone when it is closed, whatever ends the process. */
static bool open_file(image_queue *q) {
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/collider-explore-XXXXXX", q->folder);
    q->file = length > 0 && (size_t)length < sizeof path ? mkstemp(path) : -1;
    q->has_file = q->file >= 0;
    if (q->has_file) {
        (void)fcntl(q->file, F_SETFD, FD_CLOEXEC);
        (void)unlink(path);
    }
    return q->has_file;
}

static bool write_slot(const image_queue *q, const queue_chunk *chunk, uint64_t slot) {
    for (size_t done = 0; done < chunk->used;) {
        const ssize_t wrote = pwrite(q->file, chunk->bytes + done, chunk->used - done,
                                     (off_t)(slot * CHUNK_BYTES + done));
        if (wrote <= 0)
            return false;
        done += (size_t)wrote;
    }
    return true;
}

static bool read_slot(const image_queue *q, const queue_chunk *chunk, uint8_t *bytes) {
    for (size_t done = 0; done < chunk->used;) {
        const ssize_t got = pread(q->file, bytes + done, chunk->used - done,
                                  (off_t)(chunk->slot * CHUNK_BYTES + done));
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static bool note_free(image_queue *q, uint64_t slot) {
    if (q->free_count == q->free_capacity) {
        const uint64_t capacity = q->free_capacity * 2 + 64;
        uint64_t *grown = realloc(q->free_list, capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        q->free_list = grown;
        q->free_capacity = capacity;
    }
    q->free_list[q->free_count++] = slot;
    return true;
}

/* Without room on the disk the chunk stays where it is. */
static void move_out(image_queue *q, queue_chunk *chunk) {
    if (chunk->size > CHUNK_BYTES || q->file_failed)
        return;
    const bool is_reused = q->free_count > 0;
    const uint64_t slot = is_reused ? q->free_list[q->free_count - 1] : q->slots;
    q->file_failed = !(q->has_file || open_file(q)) || !write_slot(q, chunk, slot);
    if (q->file_failed)
        return;
    if (is_reused)
        q->free_count--;
    else
        q->slots++;
    free(chunk->bytes);
    chunk->bytes = NULL;
    chunk->slot = slot;
    q->bytes -= chunk->size;
}

static bool bring_back(image_queue *q, queue_chunk *chunk) {
    uint8_t *bytes = malloc(chunk->size);
    if (bytes == NULL || !read_slot(q, chunk, bytes) || !note_free(q, chunk->slot)) {
        free(bytes);
        return false;
    }
    chunk->bytes = bytes;
    q->bytes += chunk->size;
    return true;
}

/* ---- The queue. */

static bool append_chunk(image_queue *q, size_t least) {
    const size_t size = least > CHUNK_BYTES ? least : CHUNK_BYTES;
    queue_chunk *fresh = malloc(sizeof *fresh);
    uint8_t *bytes = malloc(size);
    if (fresh == NULL || bytes == NULL) {
        free(fresh);
        free(bytes);
        return false;
    }
    *fresh = (queue_chunk){.size = size, .bytes = bytes};
    if (q->last != NULL && q->last != q->read && q->most_bytes != 0 && q->bytes > q->most_bytes)
        move_out(q, q->last);
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
    image_span span = {0};
    while (q->read->taken == q->read->used)
        q->read = q->read->next;
    if (q->read->bytes == NULL && !bring_back(q, q->read))
        return span;
    const uint8_t *at = q->read->bytes + q->read->taken;
    memcpy(&span.bytes, at, sizeof span.bytes);
    span.image = at + sizeof span.bytes;
    q->read->taken += sizeof span.bytes + span.bytes;
    q->count--;
    return span;
}

static queue_chunk *free_first(image_queue *q) {
    queue_chunk *done = q->first, *next = done->next;
    q->bytes -= sizeof *done + (done->bytes == NULL ? 0 : done->size);
    free(done->bytes);
    free(done);
    return next;
}

void exp_queue_drop(image_queue *q) {
    while (q->first != q->read)
        q->first = free_first(q);
}

void exp_queue_free(image_queue *q) {
    while (q->first != NULL)
        q->first = free_first(q);
    if (q->has_file)
        (void)close(q->file);
    free(q->free_list);
    *q = (image_queue){0};
}

uint64_t exp_queue_disk_bytes(const image_queue *q) {
    return q->slots * CHUNK_BYTES;
}
