/* SPDX-License-Identifier: MIT */
/*
 * Protocols, mutated word by word: those that are built in and those of the tests, with words,
 * statements and operators replaced by hostile ones or by each other, so that most of what comes of
 * it goes deeper than the parser. All chance follows from the seed.
 */
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum mutate_kind {
    MUTATE_BLANK,
    MUTATE_NAME,
    MUTATE_NUMBER,
    MUTATE_STRING,
    MUTATE_MARK
} mutate_kind;

typedef struct mutate_word {
    mutate_kind kind;
    const char *start;
    size_t length;
} mutate_word;

typedef struct mutate_words {
    mutate_word *list; /* free it */
    size_t count;
} mutate_words;

enum { MUTATE_MOST_SEEDS = 96 };
extern base_text mutate_frame; /* what the machines of tests/data/slicc-run have in common */
extern base_text mutate_seeds[MUTATE_MOST_SEEDS];
extern size_t mutate_seed_count;

/* Reads the seeds. */
void mutate_start(void);

void mutate_seed(uint64_t seed);
size_t mutate_draw(size_t below);

/* The text again, with one or two changes. */
void mutate_text(base_text *text);

/* The text with the frame in the place of its include. */
void mutate_put_frame(const char *data, size_t size, base_text *text);

/* The text ends in a NUL; what is behind it does not count. */
mutate_words mutate_split(const char *text);
