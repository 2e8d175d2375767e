/* SPDX-License-Identifier: MIT */
/*
 * What words hold, by the commits of their writes. For each location the last few values are
 * remembered; of what is older nobody judges.
 */
#ifndef AGENT_WORDS_H
#define AGENT_WORDS_H

#include "collider/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct agt_word agt_word;

typedef struct agt_words {
    agt_word *words; /* by location */
    size_t capacity;
} agt_words;

/* Start from {0}; all words are 0 from now on. */
col_status agt_words_clear(agt_words *words, uint32_t locations, col_problem *problem);
void agt_words_free(agt_words *words);

void agt_words_write(agt_words *words, uint32_t location, uint64_t word, uint64_t cycle);
/* Did the location hold the word in this cycle or later? */
bool agt_words_held(const agt_words *words, uint32_t location, uint64_t word, uint64_t since);

#endif
