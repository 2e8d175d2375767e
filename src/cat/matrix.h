/* SPDX-License-Identifier: MIT */
/*
 * Relations over events as bits: row by row, the events that each is related to. A row has as many
 * words as it takes. Sets are one row.
 */
#ifndef CAT_MATRIX_H
#define CAT_MATRIX_H

#include "base/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cat_size {
    uint32_t events;
    uint32_t words; /* of a row */
} cat_size;

static inline cat_size cat_size_of(uint32_t events) {
    return (cat_size){events, (events + 63) / 64};
}

static inline size_t cat_matrix_words(cat_size size) {
    return (size_t)size.events * size.words;
}

static inline uint64_t *cat_row(uint64_t *matrix, cat_size size, uint32_t event) {
    return matrix + (size_t)event * size.words;
}

static inline const uint64_t *cat_row_of(const uint64_t *matrix, cat_size size, uint32_t event) {
    return matrix + (size_t)event * size.words;
}

static inline bool cat_has(const uint64_t *set, uint32_t event) {
    return (set[event / 64] >> (event % 64) & 1) != 0;
}

static inline void cat_put(uint64_t *set, uint32_t event) {
    set[event / 64] |= UINT64_C(1) << (event % 64);
}

static inline bool cat_relates(const uint64_t *matrix, cat_size size, uint32_t from, uint32_t to) {
    return cat_has(cat_row_of(matrix, size, from), to);
}

static inline void cat_relate(uint64_t *matrix, cat_size size, uint32_t from, uint32_t to) {
    cat_put(cat_row(matrix, size, from), to);
}

/* The first member behind `from` - 1, or `size.events`. */
uint32_t cat_next_member(const uint64_t *set, cat_size size, uint32_t from);

/* The results must not be one of the operands. `room` is for 3 numbers per event. */
void cat_matrix_sequence(uint64_t *result, const uint64_t *first, const uint64_t *second,
                         cat_size size, uint32_t *room);
void cat_matrix_closure(uint64_t *result, const uint64_t *relation, cat_size size);
void cat_matrix_inverse(uint64_t *result, const uint64_t *relation, cat_size size);
bool cat_matrix_is_acyclic(const uint64_t *relation, cat_size size, uint32_t *room);

/* A shortest path from `from` to `to` of at least one step, as events, both ends among them.
 * Returns how many; 0: there is none. `path` and `room` are for events + 1 and 2 numbers per event.
 */
uint32_t cat_matrix_path(const uint64_t *relation, cat_size size, uint32_t from, uint32_t to,
                         uint32_t *path, uint32_t *room);

#endif
