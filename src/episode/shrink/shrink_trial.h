/* SPDX-License-Identifier: MIT */
/*
 * Does a program still fail? It is run with many seeds, until some have ended in the class of
 * failure that is looked for. The answer does not depend on the number of
 * jobs: of several seeds that fail the first ones count.
 */
#ifndef EPISODE_SHRINK_TRIAL_H
#define EPISODE_SHRINK_TRIAL_H

#include "collider/shrink.h"
#include "episode/shrink_search.h"
#include "episode/worker.h"

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

/* For who runs instances elsewhere: is there no time left, or did something go wrong; is this what
 * is looked for; and an instance of a program that was tried is counted. */
bool epi_trial_is_over(epi_trial *trial);
bool epi_trial_is_it(const epi_trial *trial, const epi_instance *instance);
void epi_trial_note(epi_trial *trial, const col_program *program, bool fails);

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

#endif
