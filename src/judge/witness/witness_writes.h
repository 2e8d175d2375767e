/* SPDX-License-Identifier: MIT */
/*
 * Which write a word comes from. Stores and swaps leave their value; an add leaves a word that
 * depends on what it found, known when it has performed. Writes stand in a table by their values,
 * so that each has a place of its own for marks; so do the initial word and words of nobody.
 *
 * Generators count values from 1: those below the table's size are their own places. Others are
 * hashed to places that are left.
 */
#ifndef JUDGE_WITNESS_WITNESS_WRITES_H
#define JUDGE_WITNESS_WITNESS_WRITES_H

#include "base/problem.h"
#include "collider/program.h"

typedef struct wit_write {
    uint64_t weight; /* a random number that belongs to the value */
    uint32_t value;  /* 0: nothing here, or the initial word */
    uint32_t mark;   /* see col_witness.stamp */
} wit_write;

typedef struct wit_sum { /* a word that an add left */
    uint64_t word;
    uint32_t location;
    uint32_t write;
    uint32_t instance; /* the entry is empty in other instances */
} wit_sum;

typedef struct wit_writes {
    wit_write *table; /* open addressing; the last place is for words of nobody */
    uint32_t *thread; /* by place; of the initial word and nobody's: WIT_NO_THREAD */
    uint32_t size;    /* places of the table, without the last one */
    bool is_dense;    /* all values are their own places */
    wit_sum *sums;    /* open addressing */
    uint32_t add_count, sum_count, sum_mask;
    uint32_t instance; /* whose sums these are */
    size_t capacity, thread_capacity, sum_capacity;
} wit_writes;

enum { WIT_INITIAL = 0, WIT_NO_THREAD = UINT32_MAX, WIT_MOST_OPERATIONS = 1 << 30 };

/* Start from {0}. */
col_status wit_writes_load(wit_writes *writes, const col_program *program, col_problem *problem);
void wit_writes_free(wit_writes *writes);
size_t wit_writes_bytes(const wit_writes *writes);

/* An instance begins: no add has performed. */
void wit_writes_begin(wit_writes *writes, uint32_t instance);

/* An add, of this value, left the word. */
void wit_writes_add(wit_writes *writes, uint32_t location, uint64_t word, uint32_t value);

/* Takes all marks away. */
void wit_writes_clear(wit_writes *writes);

/* The place of words that no write left. */
static inline uint32_t wit_nobody(const wit_writes *writes) {
    return writes->size;
}

/* The place of the write that left the word at the location. */
uint32_t wit_writes_search(const wit_writes *writes, uint32_t location, uint64_t word);

static inline bool wit_is_own_place(const wit_writes *writes, uint64_t word) {
    return word < writes->size && writes->table[word].value == word;
}

#endif
