/* SPDX-License-Identifier: MIT */
/*
 * A worker: a process that runs one trial after the other, each as it is told, and puts what came
 * of it into the store before it answers. It has its own connection to the store, does not outlive
 * the campaign, and may die of any trial.
 */
#pragma once

#include "base/process.h"
#include "results/plan/trial.h"
#include "results/store/trial_claim.h"
#include "results/trial_run.h"

/* What a worker must know; it is forked with it. */
typedef struct cam_task {
    const cam_plan *plan;
    const cam_keys *keys;
    const bool *keeps_failure; /* of each trial */
    const char *store;
    int64_t campaign;
    cam_process self; /* the campaign's process */
    bool retry;
    volatile int *stop; /* in memory that is shared with the workers */
    cam_pulse *pulses;  /* likewise, one for each worker */
} cam_task;

typedef enum cam_answer_kind {
    CAM_ANSWER_DONE,
    CAM_ANSWER_FAILED,     /* there is a row that says why */
    CAM_ANSWER_WAS_DONE,   /* there was a row */
    CAM_ANSWER_WAS_FAILED, /* likewise */
    CAM_ANSWER_ELSEWHERE,  /* another campaign runs it: ask again later */
    CAM_ANSWER_STOPPED,    /* there is no row */
    CAM_ANSWER_BROKEN      /* the store or the machine failed us: no row; see the error */
} cam_answer_kind;

typedef struct cam_reply {
    uint64_t position;
    cam_answer_kind kind;
    col_problem problem;
} cam_reply;

typedef struct cam_worker {
    base_process process; /* with a line */
    bool is_busy, is_late;
    size_t position;     /* of what it runs */
    double began, limit; /* seconds; 0: it may take for ever */
} cam_worker;

/* Starts the process of workers[number]. No store may be open here. */
col_status cam_worker_start(cam_worker *workers, uint32_t count, uint32_t number,
                            const cam_task *task, col_problem *problem);
/* False: it is not there any more. */
bool cam_worker_tell(cam_worker *worker, size_t position);
bool cam_worker_hear(cam_worker *worker, cam_reply *reply);
/* Ends it, by force unless it has nothing to do, and says how it ended, as the beginning of a
 * sentence. */
void cam_worker_end(cam_worker *worker, bool by_force, char *sentence, size_t size);

/* Temporary folders of workers, beside the store: STORE.trial-CAMPAIGN-WORKER; and what a campaign
 * says of its running trials, STORE.running-CAMPAIGN. Those of campaigns that were killed are
 * removed by the next campaign in the same store. */

void cam_scratch_name(char *path, size_t size, const char *store, int64_t campaign,
                      uint32_t worker);
void cam_running_name(char *path, size_t size, const char *store, int64_t campaign);
/* Those of dead campaigns, and those of `campaign` itself. */
col_status cam_scratch_sweep(cam_store *store, const char *path, int64_t campaign,
                             const cam_process *self, col_problem *problem);
