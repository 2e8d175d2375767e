/* SPDX-License-Identifier: MIT */
/* Random programs for the oracles, and what may happen in them by chance. */
#pragma once

#include "base/random.h"
#include "oracle.h"

/* What random programs are made of. */
typedef struct mixture {
    uint32_t threads, operations; /* at most, in all */
    uint32_t locations;
    bool packed; /* with at least two threads, and nearly as many operations as may be */
    bool plain;  /* loads and stores only */
    bool atomic; /* with many swaps and adds */
    bool paired; /* with conditionals in place of half of the swaps */
    bool awaits;
    bool fenced;     /* a full fence behind every operation */
    bool attributed; /* every operation has all attributes that it can have */
} mixture;

static inline uint32_t below(base_rng *rng, uint32_t bound) {
    return (uint32_t)base_rng_below(rng, bound);
}

void random_program(base_rng *rng, const mixture *m, col_program *program);

/* Times of the operations of each thread, as a monitor could have taken them; some are unknown. */
typedef struct random_times {
    int64_t begin[ORACLE_OPERATIONS], end[ORACLE_OPERATIONS];
} random_times;
void random_times_make(base_rng *rng, const col_program *program, random_times *times);
