/* SPDX-License-Identifier: MIT */
/*
 * Which write left a word. Stores and swaps leave their value, which names them. An add leaves a
 * word that depends on what it found; it is known when the add performs, and until then operations
 * that saw the word wait for it here.
 */
#ifndef CHECK_WORDS_H
#define CHECK_WORDS_H

#include "check/execution.h"

typedef struct chk_sum { /* a word that an add left, or will have left */
    uint64_t word;
    uint32_t location;
    uint32_t write;        /* the add; CHK_NONE: it has not performed */
    uint32_t first_reader; /* reads that wait for it, by chk_seen.next_reader */
    uint32_t replaced_by;  /* a write that waits for it */
} chk_sum;

typedef struct chk_value {
    uint32_t value, write;
} chk_value;

typedef struct chk_latest { /* the write of a location that performed last */
    uint64_t word;
    uint32_t write; /* CHK_NONE: none yet */
} chk_latest;

typedef struct chk_words {
    const col_program *program;
    uint32_t *by_value; /* if values of stores and swaps are dense: the write, or CHK_NONE */
    chk_value *values;  /* else: a sorted list */
    uint32_t value_count, most_value;
    bool is_dense;
    chk_sum *sums; /* a hash table, open addressing; unused: location CHK_NONE */
    uint32_t add_count, sum_count, sum_mask;
    chk_latest *latest; /* by location: most words that are met are the latest ones */
    size_t capacities[4];
} chk_words;

/* Start from {0}. */
col_status chk_words_load(chk_words *words, const col_program *program, col_problem *problem);
void chk_words_reset(chk_words *words); /* no add has performed */
void chk_words_free(chk_words *words);
size_t chk_words_bytes(const chk_words *words);

/* The write that left this word at the location: an operation, or an initial word's number (see
 * execution.h). CHK_NONE: an add may have or may yet; then `*sum` is its entry. CHK_NOBODY: no
 * write of the program can have left it. */
enum { CHK_NOBODY = UINT32_MAX - 1 };
uint32_t chk_words_search(chk_words *words, uint32_t location, uint64_t word, chk_sum **sum);

static inline uint32_t chk_words_find(chk_words *words, uint32_t location, uint64_t word,
                                      chk_sum **sum) {
    const chk_latest *latest = &words->latest[location];
    if (latest->word == word && latest->write != CHK_NONE)
        return latest->write;
    return chk_words_search(words, location, word, sum);
}

/* The entry of a word that an add leaves; NULL if there are more words than adds. */
chk_sum *chk_words_sum(chk_words *words, uint32_t location, uint64_t word);

#endif
