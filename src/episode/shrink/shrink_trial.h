/* SPDX-License-Identifier: MIT */
/*
 * Does a program still fail? It is run with many seeds, until some have ended in the class of
 * failure that is looked for. The answer does not depend on the number of
 * jobs: of several seeds that fail the first ones count.
 */
#pragma once

#include "collider/shrink.h"
#include "episode/shrink/shrink_search.h"
#include "episode/worker_pool.h"

/* As col_shrink, but of a failure that is in no folder; its result goes to the settings' `out`. */
col_status epi_shrink(const col_shrink_settings *settings, const col_setting *setting,
                      const col_program *program, const col_failure *was, col_shrunk *shrunk,
                      col_problem *problem);

enum { EPI_FRESH_SEEDS = 1000 }; /* that the result is measured by */

typedef struct epi_trial {
    const col_shrink_settings *settings;
    col_outcome outcome; /* that is looked for */
    bool breaks_model;   /* and of violations: of the model */
    bool is_strict;      /* one seed of a hundred must fail, and one at least that is not known */
    uint32_t start;      /* which seeds are tried: another start has others */
    uint64_t seed;       /* one that failed last */
    uint32_t needed;     /* how many of the seeds must fail; 0: one that failed before will do */
    uint32_t least;      /* the same, for a program that is known to fail more often */
    col_size size;       /* of the program that failed last */
    base_timer *timer;   /* of what is left of the time, and of the settings' stop */
    epi_pool *pool;
    epi_instance *instances; /* 1 + seeds, or EPI_FRESH_SEEDS if these are more */
    size_t room;             /* for this many */
    /* Of a design that varies: an instance that failed, with its events, since it need not fail
     * again; and the program that it is of. */
    epi_instance shown;
    col_hash shown_of;
    uint64_t trials, count; /* of instances */
    uint64_t work;          /* operations of all instances */
    double began, most;     /* when, and the seconds that searching may take; 0: any */
    bool is_out_of_time;
    col_status status;
    col_problem problem;
} epi_trial;

/* Set what is looked for first. */
col_status epi_trial_open(epi_trial *trial, const col_setting *setting, col_problem *problem);
void epi_trial_close(epi_trial *trial);

/* Another instance of the program that fails: its seed is the trial's. False: there is none among
 * those that are tried, and the seed is as before. */
bool epi_trial_find(epi_trial *trial, const col_program *program);

epi_answer epi_trial_ask(void *trial, const col_program *program);

/* If the design varies: the instance becomes the one that is shown, and loses its events. */
void epi_trial_show(epi_trial *trial, const col_program *program, epi_instance *instance);

/* From now on: seconds that the whole budget leaves for searching. */
void epi_trial_limit(epi_trial *trial, double seconds);

/* Is there no time left, or did something go wrong? */
bool epi_trial_is_over(epi_trial *trial);

/* Does the program fail with one of this many other seeds, or as many as can be afforded? `found`
 * is the first; may be NULL. */
bool epi_trial_fails_too(epi_trial *trial, const col_program *program, uint32_t seeds,
                         uint64_t *found);

/* With how many seeds of a batch a program fails, and one of them; these are not the seeds that are
 * tried. Negative: it is over. */
int64_t epi_trial_count(void *trial, const col_program *program, uint64_t batch, uint32_t seeds,
                        uint64_t *shown);

/* Tries EPI_FRESH_SEEDS seeds, none of which was used before; when the time is up, as many as a
 * moment allows. The first of those that fail are in `seeds`. */
enum { EPI_SHOWN_SEEDS = 32 };
typedef struct epi_measure {
    uint32_t failing, tried; /* fewer if it was stopped, or is still large */
    uint64_t seeds[EPI_SHOWN_SEEDS];
    uint32_t shown; /* how many are there */
} epi_measure;
void epi_trial_measure(epi_trial *trial, const col_program *program, epi_measure *measure);

double epi_trial_seconds(const epi_trial *trial);
col_size epi_size(const col_program *program);

/*
 * Leaving out operations of a failure that hardly any seed shows. There is one instance to go by,
 * so what remains has to happen when it happened there: what is left out becomes a delay that is as
 * long as it took. Where the rest comes earlier or later than before, delays are corrected and it
 * is run again, always with the same seed.
 */

typedef struct epi_cycles {
    uint64_t *at; /* by operation: the cycle in which it performed */
    size_t capacity;
} epi_cycles;

typedef struct epi_time {
    epi_trial *trial; /* what is looked for, and the seed */
    epi_worker worker;
    epi_cycles before, now; /* of the best program, and of the one that ran last */
    /* What a candidate is made of, by operation of the best program. */
    col_program timed; /* it, with the first operation of each gap as a delay */
    int64_t *lengths;  /* of the delay that begins here */
    bool *keeps;
    size_t lengths_capacity, keeps_capacity;
} epi_time;

/* Start from {.trial = …}. */
col_status epi_time_open(epi_time *time, const col_setting *setting, col_problem *problem);
void epi_time_close(epi_time *time);

/* `ask` and `keep` of a search whose context is an epi_time. The first program that is asked about
 * must be the one that the search begins with. */
epi_answer epi_time_ask(void *time, const col_program *program);
bool epi_time_keep(epi_search *search, const bool *keeps);

/* The search's candidate becomes its best program with all delays at the start of threads shorter,
 * until one has none. False: there is nothing to gain. */
bool epi_time_advance(epi_search *search);

/*
 * One failing instance, looked at closely: which operations performed, in which order, with which
 * words, and which of them the failure is about.
 */

typedef struct epi_failing_run {
    epi_worker worker;
    epi_instance instance; /* with its events */
    bool *mentioned;       /* by operation: the violation names it */
    bool has_mentions;
    uint64_t block; /* an address in the block that a protocol error or an invariant is about */
    bool has_block;
    size_t capacity;
} epi_failing_run;

/* ---- The first cut (shrink_simplify.c): a failure of thousands of operations is mostly about the
 * last few of them. */

/* Tries the operations that performed last before the failure, from `fewest` on more and more:
 * those on the blocks that the failure is about first. `run` has seen the best program fail. */
bool epi_search_cut(epi_search *search, const epi_failing_run *run, uint32_t block_bits,
                    uint32_t fewest);

/* ---- Litmus tests (shrink_litmus.c), and what the words that reads returned prove alone. */

/* Judges the instance that was looked at. */
col_status epi_evidence_of(epi_failing_run *run, const col_program *program, col_evidence *evidence,
                           col_problem *problem);

/* Writes test.riscv.litmus, test.aarch64.litmus and test.x86-64.litmus into the folder; those that
 * an instruction set cannot say are left out. */
col_status epi_litmus_write(const epi_failing_run *run, const col_program *program,
                            const col_setting *setting, const col_shrunk *shrunk,
                            const char *folder, col_problem *problem);
