/* SPDX-License-Identifier: MIT */
/*
 * What a search keeps of its states: see state_table.h. Known ones are in open addressing, by the
 * upper bits of the hash, so that a table of any size is used evenly. It grows by two fifths when
 * four fifths of it are full: between 10 and 14 bytes a state.
 *
 * Invariants of known states, for threads that add and look without a lock:
 *  1. A place goes from 0 to a hash, once. Only growing moves hashes; one thread is there then.
 *  2. A hash is in the run of taken places that begins at its own: it is put into the first free
 * one by compare-and-swap. So whoever meets a free place before it knows that it was not there.
 *  3. There is a free place, so that looking ends: whoever adds has made room before.
 *  4. No hash is 0. A hash says all of a state, so nothing else must be seen together with it, and
 *     relaxed order is enough; an exact table, which has images, too, has one thread.
 *
 * Invariants of claims:
 *  5. A place goes from 0 to a hash, once, and its priority only rises. Numbers of claims differ,
 *     so the smallest stands in the end, whoever was first.
 *  6. No priority is 0: numbers are below UINT32_MAX.
 *  7. Which claim stands is asked when all were made: threads have met in between, so the
 *     priorities are seen without further order.
 */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): madvise, mremap
#include "protocol/explore/state_table.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/problem.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FIRST_PLACES = 1 << 16, LARGE_BYTES = 1 << 22 };

/* ---- Memory. */

/* A state may be anywhere in a large table: with large pages, the processor finds its page sooner.
 */
static void advise(void *memory, uint64_t places) {
    if (places * sizeof(uint64_t) >= LARGE_BYTES)
        (void)madvise(memory, places * sizeof(uint64_t), MADV_HUGEPAGE); /* if there are any */
}

/* Places of zeros. NULL: no memory. */
static _Atomic uint64_t *new_hashes(uint64_t places) {
    const size_t bytes = places * sizeof(uint64_t);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    advise(memory, places);
    return memory;
}

static void free_hashes(_Atomic uint64_t *hashes, uint64_t places) {
    if (hashes != NULL)
        (void)munmap((void *)hashes, places * sizeof(uint64_t));
}

/* ---- States. */

uint64_t exp_known_hash(const uint8_t *image, size_t bytes) {
    const uint64_t hash = XXH3_64bits(image, bytes);
    return hash == 0 ? 1 : hash;
}

static uint64_t place_of(uint64_t hash, uint64_t places) {
    return (uint64_t)((unsigned __int128)hash * places >> 64);
}

static uint64_t after(uint64_t place, uint64_t places) {
    return place + 1 == places ? 0 : place + 1;
}

bool exp_known_open(known_states *k, bool is_exact) {
    *k = (known_states){.places = FIRST_PLACES, .is_exact = is_exact};
    k->hashes = new_hashes(k->places);
    k->images = is_exact ? calloc(k->places, sizeof *k->images) : NULL;
    return k->hashes != NULL && (!is_exact || k->images != NULL);
}

void exp_known_close(known_states *k) {
    free_hashes(k->hashes, k->places);
    free((void *)k->images);
    exp_queue_free(&k->kept);
    *k = (known_states){0};
}

/* Of an exact table: is it the state at this place? */
static bool is_same(const known_states *k, uint64_t place, const uint8_t *image, size_t bytes) {
    uint32_t length;
    if (!k->is_exact)
        return true;
    memcpy(&length, k->images[place], sizeof length);
    return length == bytes && memcmp(k->images[place] + sizeof length, image, bytes) == 0;
}

static known_result keep(known_states *k, uint64_t place, const uint8_t *image, size_t bytes) {
    if (!k->is_exact)
        return KNOWN_NEW;
    if (!exp_queue_add(&k->kept, image, (uint32_t)bytes))
        return KNOWN_NO_MEMORY;
    k->images[place] = exp_queue_take(&k->kept).image - sizeof(uint32_t);
    return KNOWN_NEW;
}

known_result exp_known_add(known_states *k, uint64_t hash, const uint8_t *image, size_t bytes) {
    base_invariant(k->count < k->places); /* 3 */
    base_invariant(hash != 0);            /* 4 */
    for (uint64_t place = place_of(hash, k->places);; place = after(place, k->places)) {
        uint64_t there = atomic_load_explicit(&k->hashes[place], memory_order_relaxed);
        if (there == 0 &&
            atomic_compare_exchange_strong_explicit(&k->hashes[place], &there, hash,
                                                    memory_order_relaxed, memory_order_relaxed))
            return keep(k, place, image, bytes);
        if (there == hash && is_same(k, place, image, bytes))
            return KNOWN_BEFORE;
    }
}

void exp_known_expect(const known_states *k, uint64_t hash) {
    __builtin_prefetch((const void *)&k->hashes[place_of(hash, k->places)]);
}

bool exp_known_has(const known_states *k, uint64_t hash) {
    for (uint64_t place = place_of(hash, k->places);; place = after(place, k->places)) {
        const uint64_t there = atomic_load_explicit(&k->hashes[place], memory_order_relaxed);
        if (there == 0 || there == hash)
            return there == hash;
    }
}

static uint64_t left(const known_states *k, uint64_t most) {
    return most > k->count ? most - k->count : 0;
}

uint64_t exp_known_room(const known_states *k) {
    return left(k, k->places / 5 * 4);
}

uint64_t exp_known_last_room(const known_states *k) {
    return left(k, k->places - k->places / 16);
}

static uint64_t grown(const known_states *k) {
    return k->places / 5 * 7;
}

bool exp_known_reserve(known_states *k, uint64_t count) {
    known_states fresh = *k;
    while (fresh.places / 5 * 4 < count)
        fresh.places = grown(&fresh);
    fresh.hashes = new_hashes(fresh.places);
    if (fresh.hashes == NULL)
        return false;
    free_hashes(k->hashes, k->places);
    *k = fresh;
    return true;
}

/* ---- Growing in place: no second table beside it. */

/* What has no place yet. */
typedef struct stranded {
    uint64_t hash;
    const uint8_t *image;
} stranded;

typedef struct stranded_list {
    stranded *items;
    size_t count, capacity;
} stranded_list;

static void settle(known_states *k, uint64_t place, const stranded *s) {
    atomic_store_explicit(&k->hashes[place], s->hash, memory_order_relaxed);
    if (k->is_exact)
        k->images[place] = s->image;
}

/* From the last place to the first: a hash moves up, to places that were left before, so nothing
 * lies there whose turn comes. The few of which this is not true, near both ends, are kept aside.
 * False: no memory. */
static bool move_up(known_states *k, uint64_t places, stranded_list *aside) {
    for (uint64_t i = k->places; i-- > 0;) {
        const stranded s = {k->hashes[i], k->is_exact ? k->images[i] : NULL};
        if (s.hash == 0)
            continue;
        uint64_t place = place_of(s.hash, places);
        while (place > i && place < places && k->hashes[place] != 0)
            place++;
        atomic_store_explicit(&k->hashes[i], 0, memory_order_relaxed);
        if (place > i && place < places) {
            settle(k, place, &s);
            continue;
        }
        if (base_reserve(&aside->items, &aside->capacity, aside->count + 1, sizeof s, NULL) !=
            COL_OK)
            return false;
        aside->items[aside->count++] = s;
    }
    return true;
}

static void settle_aside(known_states *k, const stranded_list *aside) {
    for (size_t i = 0; i < aside->count; i++) {
        uint64_t place = place_of(aside->items[i].hash, k->places);
        while (k->hashes[place] != 0)
            place = after(place, k->places);
        settle(k, place, &aside->items[i]);
    }
}

bool exp_known_grow(known_states *k) {
    const uint64_t places = grown(k);
    stranded_list aside = {0};
    if (k->is_exact) {
        const uint8_t **images = realloc(k->images, places * sizeof *images);
        if (images == NULL)
            return false;
        k->images = images;
    }
    void *memory = mremap((void *)k->hashes, k->places * sizeof *k->hashes,
                          places * sizeof *k->hashes, MREMAP_MAYMOVE);
    if (memory == MAP_FAILED)
        return false;
    advise(memory, places);
    k->hashes = memory;
    const bool is_done = move_up(k, places, &aside);
    k->places = places;
    if (is_done)
        settle_aside(k, &aside);
    free(aside.items);
    return is_done;
}

static uint64_t bytes_of(const known_states *k, uint64_t places) {
    return places * (sizeof *k->hashes + (k->is_exact ? sizeof *k->images : 0));
}

uint64_t exp_known_bytes(const known_states *k) {
    return bytes_of(k, k->places) + k->kept.bytes;
}

uint64_t exp_known_growing_bytes(const known_states *k) {
    return bytes_of(k, grown(k)) + k->kept.bytes;
}

/* Claims. */

enum { LEAST_PLACES = 1 << 12, PLACES_EACH = 4, MOST_TRIES = 256 };

bool exp_claims_begin(claim_table *t, uint32_t states) {
    t->places = LEAST_PLACES;
    while (t->places / PLACES_EACH < states)
        t->places *= 2;
    if (t->places > t->capacity) {
        free(t->list);
        t->list = malloc(t->places * sizeof *t->list);
        t->capacity = t->list == NULL ? 0 : t->places;
    }
    if (t->list == NULL)
        return false;
    memset((void *)t->list, 0, t->places * sizeof *t->list);
    return true;
}

void exp_claims_free(claim_table *t) {
    free(t->list);
    *t = (claim_table){0};
}

/* Is the place the state's? It may become so now. */
static bool is_own(claim *c, uint64_t hash) {
    uint64_t there = atomic_load_explicit(&c->hash, memory_order_relaxed);
    if (there == 0 && atomic_compare_exchange_strong_explicit(
                          &c->hash, &there, hash, memory_order_relaxed, memory_order_relaxed))
        return true;
    return there == hash;
}

static claim_result raise_to(claim *c, uint32_t priority) {
    uint32_t there = atomic_load_explicit(&c->priority, memory_order_relaxed);
    while (there < priority)
        if (atomic_compare_exchange_weak_explicit(&c->priority, &there, priority,
                                                  memory_order_relaxed, memory_order_relaxed))
            return CLAIM_STANDS;
    return CLAIM_LATE;
}

claim_result exp_claims_make(claim_table *t, uint64_t hash, uint32_t number, uint32_t *place) {
    base_invariant(hash != 0 && number != UINT32_MAX); /* 5, 6 */
    *place = exp_claims_place(t, hash);
    for (uint32_t i = 0; i < MOST_TRIES; i++, *place = (*place + 1) & (t->places - 1))
        if (is_own(&t->list[*place], hash))
            return raise_to(&t->list[*place], ~number);
    return CLAIM_NO_ROOM;
}

bool exp_claims_stands(const claim_table *t, uint32_t place, uint32_t number) {
    return atomic_load_explicit(&t->list[place].priority, memory_order_relaxed) == ~number;
}

void exp_claims_expect(const claim_table *t, uint32_t place) {
    __builtin_prefetch((const void *)&t->list[place]);
}

/*
 * States that wait. In chunks, so that nothing moves and what is done can be freed. A chunk that is
 * full goes to the file if there is too much in memory, and comes back when its turn has come.
 */

enum { CHUNK_BYTES = 1 << 20 };

typedef struct queue_chunk {
    struct queue_chunk *next;
    size_t size, used, taken;
    uint64_t slot;  /* of the file, if it is there */
    uint8_t *bytes; /* NULL: it is in the file */
} queue_chunk;

/* ---- The queue's file. */

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

bool exp_reserve(void *array, uint64_t *capacity, uint64_t needed, size_t size, uint64_t more) {
    void *list;
    if (needed <= *capacity)
        return true;
    const uint64_t larger = *capacity + more > needed ? *capacity + more : needed;
    memcpy(&list, array, sizeof list);
    void *grown = realloc(list, larger * size);
    if (grown == NULL)
        return false;
    memcpy(array, &grown, sizeof grown);
    *capacity = larger;
    return true; // cppcheck-suppress memleak ; the caller's pointer has it
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
    if (!exp_reserve(&p->bytes, &p->capacity, p->used + MOST_BYTES, 1, p->capacity / 4 + 65536) ||
        !exp_reserve(&p->index, &p->index_capacity, p->count / EVERY + 1, sizeof *p->index,
                     p->index_capacity / 4 + 65536))
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
