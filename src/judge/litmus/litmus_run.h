/* SPDX-License-Identifier: MIT */
/*
 * Running a litmus test on a design: outcomes, each judged by the design's model. Designs run it as
 * a program in which every write has a value of its own, and locations hold 0 at the start; the
 * values of the test are found again from the words that were seen.
 */
#pragma once

#include "base/clock.h"
#include "base/random.h"
#include "collider/duv.h"
#include "judge/cat/cat_run.h"
#include "judge/litmus/litmus_condition.h"
#include "judge/litmus/thread_paths.h"
#include "judge/trace/black_box.h"

/*
 * What a model in cat allows a litmus test to do: all candidate executions, that is, paths of the
 * threads, writes that reads take their values from and orders of writes, each judged.
 */

typedef struct lit_judge lit_judge;

col_status lit_judge_new(lit_judge **judge, const char *path, const cat_sources *sources,
                         col_problem *problem);
void lit_judge_free(lit_judge *judge);
/* Tests are read as designs run them (lit_program): an atomic is two events, a store-conditional
 * does not fail, and fences, acquire and release have the names that our own models use, whatever
 * the instruction set. */
void lit_judge_as_designs(lit_judge *judge);

/* The outcomes of all executions that the model allows, sorted. Gives up after this many seconds,
 * if they are not 0: then `*is_complete` is false. Cells without a size get one. */
col_status lit_judge_test(lit_judge *judge, lit_test *test, double budget, lit_outcomes *outcomes,
                          bool *is_complete, col_problem *problem);

/* ---- Programs. */

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
    base_block block;     /* the three before */
} lit_program;

/* Start from {0}. Refuses with a sentence what a program cannot say. The test must stay. */
col_status lit_program_make(lit_program *made, lit_test *test, col_problem *problem);
void lit_program_free(lit_program *made);

/* ---- Runs. */

typedef struct lit_runs {
    col_duv *duv;
    col_checker *checker; /* of the model that the design promises; or, if it shows reads: */
    chk_black_box box;
    bool sees_reads;
    uint64_t undecided; /* runs that could not be judged in time */
    uint64_t count, seed;
    base_timer *timer;    /* ends running a test: it was set for that; NULL: nothing does */
    uint64_t done;        /* runs, if the timer came first */
    uint64_t forbidden;   /* runs that the model forbids; counted here */
    uint64_t failures;    /* runs that did not come to their end, or returned what nobody wrote */
    char reason[512];     /* of the first of all these */
    lit_judge *allows;    /* by the same model, as designs run tests; or NULL */
    double budget;        /* seconds, for what it allows */
    size_t allowed, seen; /* states that it allows, and those of them that came */
    bool is_complete;     /* all that it allows were found within the budget */
    uint32_t pairs;       /* of exclusives that were run as atomics */
} lit_runs;

/* Runs the program this many times, or until the timer ends it, each perturbed by a seed of its
 * own. Outcomes are sorted. */
col_status lit_run(lit_runs *runs, lit_program *program, lit_outcomes *outcomes,
                   col_problem *problem);

/* How many of the states that the model allows were among the outcomes: sets allowed, seen. */
col_status lit_compare(lit_runs *runs, lit_test *test, const lit_outcomes *outcomes,
                       col_problem *problem);
