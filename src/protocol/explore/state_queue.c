/* SPDX-License-Identifier: MIT */
/*
 * States that wait: see state_queue.h. In chunks, so that nothing moves and what is done can be
 * freed. A chunk that is full goes to the file if there is too much in memory, and comes back when
 * its turn has come.
 */
#include "protocol/explore/state_queue.h"

#include "base/memory.h"

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

/* Writes the bytes of a chunk to its slot, or reads them. */
static bool move_slot(const image_queue *q, uint64_t slot, uint8_t *bytes, size_t count,
                      bool is_written) {
    for (size_t done = 0; done < count;) {
        const off_t at = (off_t)(slot * CHUNK_BYTES + done);
        const ssize_t moved = is_written ? pwrite(q->file, bytes + done, count - done, at)
                                         : pread(q->file, bytes + done, count - done, at);
        if (moved <= 0)
            return false;
        done += (size_t)moved;
    }
    return true;
}

/* Without room on the disk the chunk stays where it is. */
static void move_out(image_queue *q, queue_chunk *chunk) {
    if (chunk->size > CHUNK_BYTES || q->file_failed)
        return;
    const bool is_reused = q->free_count > 0;
    const uint64_t slot = is_reused ? q->free_list[q->free_count - 1] : q->slots;
    q->file_failed =
        !(q->has_file || open_file(q)) || !move_slot(q, slot, chunk->bytes, chunk->used, true);
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
    if (bytes == NULL || !move_slot(q, chunk->slot, bytes, chunk->used, false) ||
        base_reserve(&q->free_list, &q->free_capacity, q->free_count + 1, sizeof *q->free_list,
                     NULL) != COL_OK) {
        free(bytes);
        return false;
    }
    q->free_list[q->free_count++] = chunk->slot;
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

/* How states were found. */

enum { EVERY = EXP_PATHS_RUN, MOST_BYTES = 20 };

static bool reserve(void **list, uint64_t *capacity, uint64_t needed, size_t size) {
    if (needed <= *capacity)
        return true;
    const uint64_t larger =
        *capacity + *capacity / 4 + 65536 > needed ? *capacity + *capacity / 4 + 65536 : needed;
    void *grown = realloc(*list, larger * size);
    if (grown == NULL)
        return false;
    *list = grown;
    *capacity = larger;
    return true;
}

static void put(found_paths *p, uint64_t number) {
    for (; number > 127; number >>= 7)
        p->bytes[p->used++] = (uint8_t)(number | 128);
    p->bytes[p->used++] = (uint8_t)number;
}

static uint64_t get(const uint8_t **at) {
    uint64_t number = 0;
    uint32_t shift = 0;
    for (; **at > 127; shift += 7)
        number |= (uint64_t)(*(*at)++ & 127) << shift;
    return number | (uint64_t) * (*at)++ << shift;
}

bool exp_paths_add(found_paths *p, uint64_t parent, uint32_t choice) {
    void *bytes = p->bytes, *index = p->index;
    const bool has_room =
        reserve(&bytes, &p->capacity, p->used + MOST_BYTES, 1) &&
        reserve(&index, &p->index_capacity, p->count / EVERY + 1, sizeof *p->index);
    p->bytes = bytes;
    p->index = index;
    if (!has_room)
        return false;
    if (p->count % EVERY == 0)
        p->index[p->index_count++] = (found_index){p->used, p->last_parent};
    put(p, parent - p->last_parent);
    put(p, choice);
    p->last_parent = parent;
    p->count++;
    return true;
}

static void find(const found_paths *p, uint64_t number, uint64_t *parent, uint32_t *choice) {
    const found_index *from = &p->index[number / EVERY];
    const uint8_t *at = p->bytes + from->byte;
    *parent = from->parent;
    for (uint64_t i = number / EVERY * EVERY; i <= number; i++) {
        *parent += get(&at);
        *choice = (uint32_t)get(&at);
    }
}

uint16_t *exp_paths_to(const found_paths *p, uint64_t number, uint32_t *length) {
    uint64_t parent = 0;
    uint32_t choice = 0;
    *length = 0;
    for (uint64_t i = number; i != 0; i = parent, ++*length)
        find(p, i, &parent, &choice);
    uint16_t *choices = calloc((size_t)*length + 1, sizeof *choices);
    uint32_t place = *length;
    for (uint64_t i = number; i != 0 && choices != NULL; i = parent) {
        find(p, i, &parent, &choice);
        choices[--place] = (uint16_t)choice;
    }
    return choices;
}

uint32_t exp_paths_read(const found_paths *p, uint64_t run, found_run *states) {
    const uint64_t rest = p->count - run * EVERY;
    const uint32_t count = rest < EVERY ? (uint32_t)rest : EVERY;
    const uint8_t *at = p->bytes + p->index[run].byte;
    uint64_t parent = p->index[run].parent;
    for (uint32_t i = 0; i < count; i++) {
        parent += get(&at);
        states->parents[i] = parent;
        states->choices[i] = (uint32_t)get(&at);
    }
    return count;
}

/* A number that ends before the end and fits into 63 bits. */
static bool get_checked(const uint8_t **at, const uint8_t *end, uint64_t *number) {
    const uint8_t *last = *at;
    while (last<end && * last> 127)
        last++;
    if (last == end || last - *at >= 9)
        return false;
    *number = get(at);
    return true;
}

bool exp_paths_check(const uint8_t *bytes, uint64_t used, uint64_t count, uint64_t expanded) {
    const uint8_t *at = bytes, *end = bytes + used;
    uint64_t parent = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t more, choice;
        const uint64_t beyond = i < expanded ? i : expanded; /* of its possible parents */
        if (!get_checked(&at, end, &more) || !get_checked(&at, end, &choice) || choice > UINT16_MAX)
            return false;
        if (i == 0 ? more != 0 : more >= beyond - parent)
            return false;
        parent += more;
    }
    return at == end;
}

bool exp_paths_adopt(found_paths *p, uint8_t *bytes, uint64_t used, uint64_t count) {
    const uint8_t *at = bytes;
    uint64_t parent = 0;
    p->index_capacity = count / EVERY + 1;
    p->index = malloc(p->index_capacity * sizeof *p->index);
    if (p->index == NULL)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (i % EVERY == 0)
            p->index[p->index_count++] = (found_index){(uint64_t)(at - bytes), parent};
        parent += get(&at);
        (void)get(&at);
    }
    p->bytes = bytes;
    p->used = p->capacity = used;
    p->count = count;
    p->last_parent = parent;
    return true;
}

uint64_t exp_paths_bytes(const found_paths *p) {
    return p->capacity + p->index_capacity * sizeof *p->index;
}

void exp_paths_free(found_paths *p) {
    free(p->bytes);
    free(p->index);
    *p = (found_paths){0};
}
