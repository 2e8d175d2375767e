/* SPDX-License-Identifier: MIT */
/*
 * Set cover: the fewest of some sets that have all elements that any of them has. It is
 * NP-complete; the answer comes with a bound that no cover is below, which mostly is its own size.
 */
#pragma once

#include "base/problem.h"

typedef struct epi_cover_task {
    uint32_t set_count, element_count;
    /* Set after set, epi_cover_words each: a bit for each element, none beyond the last. */
    const uint64_t *bits;
    const uint64_t *weights; /* of sets: of two that are as good otherwise, the lighter one is
                              * chosen; NULL: the first one */
    uint32_t effort; /* conflicts that the SAT solver may spend on a question; 0: not asked */
} epi_cover_task;

typedef struct epi_cover {
    uint32_t *chosen; /* sets, rising; free it */
    uint32_t count;
    uint32_t least;   /* no cover has fewer sets; `count`: this one is as small as any */
    uint32_t covered; /* elements */
} epi_cover;

static inline size_t epi_cover_words(uint32_t elements) {
    return (size_t)elements / 64 + 1;
}

/* The same task has the same answer, on any machine. */
col_status epi_cover_find(const epi_cover_task *task, epi_cover *cover, col_problem *problem);
