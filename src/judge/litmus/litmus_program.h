/* SPDX-License-Identifier: MIT */
/*
 * A litmus test as a program that designs run, and what came of an instance as a final state of the
 * test. In a program every write has a value of its own, and locations hold 0 at the start; the
 * values of the test are found again from the words that were seen.
 */
#ifndef JUDGE_LITMUS_LITMUS_PROGRAM_H
#define JUDGE_LITMUS_LITMUS_PROGRAM_H

#include "base/random.h"
#include "collider/event.h"
#include "judge/litmus/thread_paths.h"

/* What an operation of the program is in the test. */
typedef struct lit_origin {
    uint32_t thread;
    uint32_t event;   /* of the thread's path: the one that reads, if one does */
    uint64_t operand; /* the value that it writes or adds */
} lit_origin;

typedef struct lit_program {
    col_program program;
    const lit_test *test;
    uint32_t thread_count;
    lit_paths *paths;     /* by thread: with the same events, whatever is read */
    lit_origin *origins;  /* by operation */
    uint64_t *cell_words; /* by cell: the word at the end of the instance */
    uint64_t *read_words; /* by operation */
    uint32_t pairs;       /* of exclusives that are run as atomics, which never fail */
    size_t origin_capacity, cell_capacity, read_capacity;
} lit_program;

/* Start from {0}. Refuses with a sentence what a program cannot say. The test must stay. */
col_status lit_program_make(lit_program *made, lit_test *test, col_problem *problem);
void lit_program_free(lit_program *made);

/* Other delays, other blocks in caches at the start, and other blocks for locations: chance
 * has more to show. The program must be loaded again. */
void lit_program_vary(lit_program *made, base_rng *rng);

/* An instance: begin, notice what was performed, then ask for the state (of lit_test.items). False:
 * a word is none of the test's, or not everything was performed. */
void lit_program_begin(lit_program *made);
void lit_program_notice(lit_program *made, const col_event *event);
bool lit_program_state(const lit_program *made, uint64_t *values, col_status *status,
                       col_problem *problem);

#endif
