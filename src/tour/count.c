/* SPDX-License-Identifier: MIT */
/* Counting what a tour covers: see count.h. */
#include "tour/count.h"

#include <stdlib.h>

enum { WORD_BITS = 64 };

static uint64_t words_of(const tour_space *space) {
    const uint64_t bits = tour_state_count(space) * space->cores * TOUR_KIND_COUNT;
    return (bits + WORD_BITS - 1) / WORD_BITS;
}

uint64_t tour_count_bytes(const tour_space *space) {
    return words_of(space) * sizeof(uint64_t);
}

col_status tour_count_begin(tour_count *count, const tour_space *space, col_problem *problem) {
    *count = (tour_count){.space = *space, .state = TOUR_INITIAL};
    count->taken = calloc(words_of(space), sizeof *count->taken);
    return count->taken != NULL ? COL_OK : base_out_of_memory(problem);
}

void tour_count_end(tour_count *count) {
    free(count->taken);
    count->taken = NULL;
}

bool tour_count_take(tour_count *count, tour_operation operation) {
    const tour_space *space = &count->space;
    if (!tour_is_possible(space, &count->state, operation))
        return false;
    const uint64_t number = tour_state_number(space, &count->state);
    const uint64_t bit =
        (number * TOUR_KIND_COUNT + operation.kind) * space->cores + operation.core;
    uint64_t *word = &count->taken[bit / WORD_BITS];
    count->covered += (~*word >> bit % WORD_BITS) & 1;
    *word |= UINT64_C(1) << bit % WORD_BITS;
    count->state = tour_after(space, &count->state, operation);
    count->cost++;
    return true;
}
