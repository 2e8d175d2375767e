/* SPDX-License-Identifier: MIT */
/* Running a litmus test on a design: outcomes, each judged by the design's model. */
#ifndef JUDGE_LITMUS_LITMUS_RUN_H
#define JUDGE_LITMUS_LITMUS_RUN_H

#include "base/clock.h"
#include "collider/duv.h"
#include "judge/litmus/litmus_condition.h"
#include "judge/litmus/litmus_judge.h"
#include "judge/litmus/litmus_program.h"
#include "judge/trace/black_box.h"

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

/* The outcomes in litmus7's words. */
void lit_write_histogram(base_text *text, const lit_test *test, const lit_outcomes *outcomes);

#endif
