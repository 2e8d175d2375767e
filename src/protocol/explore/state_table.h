/* SPDX-License-Identifier: MIT */
/*
 * What a search keeps of its states: those it knows, those that wait, and how each was found.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Images of states that wait to be looked at, first in first out. Those that do not fit into the
 * memory that the queue may take wait in a temporary file, which nobody else can open.
 */

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
 * The states that a search knows, by a hash of 64 bits each: a table of nothing else, which takes
 * at most 14 bytes a state. Several threads may add states at once. An exact table, which is
 * for one thread, keeps the images, too, and compares them.
 */

typedef struct known_states {
    _Atomic uint64_t *hashes; /* hashes; 0: a free place */
    uint64_t places, count;
    /* Of an exact table: the images, their lengths first. */
    const uint8_t **images;
    image_queue kept;
    bool is_exact;
} known_states;

bool exp_known_open(known_states *known, bool is_exact); /* false: no memory */
void exp_known_close(known_states *known);

uint64_t exp_known_hash(const uint8_t *image, size_t bytes);

/* What becomes of a state. */
typedef enum known_result { KNOWN_BEFORE, KNOWN_NEW, KNOWN_NO_MEMORY } known_result;

/* There must be room. `count` is for the caller to keep. */
known_result exp_known_add(known_states *known, uint64_t hash, const uint8_t *image, size_t bytes);

/* An empty table becomes one with room for `count` states. False: no memory. */
bool exp_known_reserve(known_states *known, uint64_t count);
bool exp_known_has(const known_states *known, uint64_t hash);
/* It will be looked for soon. */
void exp_known_expect(const known_states *known, uint64_t hash);

/* How many states can be added before it must grow, and at all. */
uint64_t exp_known_room(const known_states *known);
uint64_t exp_known_last_room(const known_states *known);
bool exp_known_grow(known_states *known); /* false: no memory */

uint64_t exp_known_bytes(const known_states *known);
/* While it grows. */
uint64_t exp_known_growing_bytes(const known_states *known);

/*
 * States that several workers find at once: who was first, by an order that does not depend on who
 * is faster. A worker claims a state that is not known yet with the number of the step that leads
 * to it; of all claims to a state the smallest stands. So the search is the same with any number of
 * threads. Workers may make claims at the same time, and look at them when all have been made.
 */

typedef struct claim {
    _Atomic uint64_t hash;     /* the hash of the state; 0: a free place */
    _Atomic uint32_t priority; /* the complement of the smallest number; 0: none yet */
} claim;

/* Start from {0}. */
typedef struct claim_table {
    claim *list;
    uint32_t places; /* a power of two */
    uint32_t capacity;
} claim_table;

/* No claims, and room for about `states`. False: no memory. */
bool exp_claims_begin(claim_table *table, uint32_t states);
void exp_claims_free(claim_table *table);

typedef enum claim_result {
    CLAIM_STANDS, /* so far */
    CLAIM_LATE,   /* there is one with a smaller number */
    CLAIM_NO_ROOM
} claim_result;

/* Where a claim to the state is looked for first. */
static inline uint32_t exp_claims_place(const claim_table *table, uint64_t hash) {
    return (uint32_t)(hash & (table->places - 1)); /* known states have the upper bits */
}

/* Numbers are below UINT32_MAX, and no two claims have the same. `*place`: where it is. */
claim_result exp_claims_make(claim_table *table, uint64_t hash, uint32_t number, uint32_t *place);

/* When all claims have been made: does this one stand? */
bool exp_claims_stands(const claim_table *table, uint32_t place, uint32_t number);
/* It will be asked for soon. */
void exp_claims_expect(const claim_table *table, uint32_t place);

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

/* Makes room for `needed` items in the array at this address: `more` of them, or as many as it
 * takes. False: no memory, and it is as it was. */
bool exp_reserve(void *array, uint64_t *capacity, uint64_t needed, size_t size, uint64_t more);
