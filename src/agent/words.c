/* SPDX-License-Identifier: MIT */
/* What words hold: see words.h. */
#include "agent/words.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { PAST = 8 };

typedef struct past_word {
    uint64_t word, until; /* the cycle in which it was replaced */
} past_word;

struct agt_word {
    uint64_t now;
    uint32_t replaced; /* how often it was replaced */
    past_word past[PAST];
};

col_status agt_words_clear(agt_words *words, uint32_t locations, col_problem *problem) {
    const col_status status = base_reserve(&words->words, &words->capacity, (size_t)locations + 1,
                                           sizeof *words->words, problem);
    if (status == COL_OK)
        memset(words->words, 0, locations * sizeof *words->words);
    return status;
}

void agt_words_free(agt_words *words) {
    free(words->words);
    *words = (agt_words){0};
}

void agt_words_write(agt_words *words, uint32_t location, uint64_t word, uint64_t cycle) {
    agt_word *w = &words->words[location];
    w->past[w->replaced % PAST] = (past_word){.word = w->now, .until = cycle};
    w->replaced++;
    w->now = word;
}

bool agt_words_held(const agt_words *words, uint32_t location, uint64_t word, uint64_t since) {
    const agt_word *w = &words->words[location];
    if (w->now == word)
        return true;
    for (uint32_t i = 1; i <= w->replaced; i++) {
        const past_word *past = &w->past[(w->replaced - i) % PAST];
        if (i > PAST) /* it was replaced more often than we remember */
            return true;
        if (past->until < since)
            return false;
        if (past->word == word)
            return true;
    }
    return false;
}
