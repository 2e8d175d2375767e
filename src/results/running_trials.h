/* SPDX-License-Identifier: MIT */
/*
 * How far the trials that are running have got. Workers leave a few numbers in memory that they
 * share with their campaign; once a second it writes them to STORE.running-CAMPAIGN, for whoever
 * watches. None of this is part of a result, and nothing depends on the file.
 */
#ifndef RESULTS_RUNNING_TRIALS_H
#define RESULTS_RUNNING_TRIALS_H

#include "results/store/store.h"

#include <stdatomic.h>

/* Of the trial that a worker runs; all 0 until its first test. Each number is whole, but they may
 * be of two tests. */
typedef struct cam_pulse {
    _Atomic uint64_t tests, cycles;
    _Atomic uint32_t covered[COL_METRIC_COUNT], total[COL_METRIC_COUNT];
} cam_pulse;
void cam_pulse_reset(cam_pulse *pulse);
void cam_pulse_take(cam_pulse *pulse, const col_progress *progress);

void cam_running_name(char *path, size_t size, const char *store, int64_t campaign);

/* ---- Watching. */

typedef struct cam_running {
    const char *key, *host;
    const char *text;              /* its settings in a few words; NULL: not known */
    int64_t pid, since, heartbeat; /* seconds since 1970 */
    bool is_alive;                 /* its campaign; else the next one will run the trial */
    uint64_t tests, cycles;
    uint32_t covered[COL_METRIC_COUNT], total[COL_METRIC_COUNT]; /* total 0: not known */
} cam_running;
typedef col_status (*cam_visit_running)(void *context, const cam_running *running,
                                        col_problem *problem);
/* The claims of a store, the oldest first. */
col_status cam_store_running(cam_store *store, cam_visit_running visit, void *context,
                             col_problem *problem);

#endif
