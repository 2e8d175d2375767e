/* SPDX-License-Identifier: MIT */
/*
 * Who is at work in a store. A campaign has a row that says where it runs and that it lives; a
 * claim says that a campaign runs a trial right now. Claims keep campaigns from doing the same
 * work; what counts in the end is that a key has one row.
 */
#pragma once

#include "results/store/store.h"

#include <sys/types.h>

/* A process, told apart from all that had or will have its number. */
typedef struct cam_process {
    char host[256];
    char machine[128]; /* the boot and the space of process numbers: where a number means something
                        */
    int64_t pid, started;
} cam_process;
void cam_process_self(cam_process *process);

/* How long a campaign of another machine may be silent, in seconds, and how often it tells. */
enum { CAM_SILENCE = 180, CAM_HEARTBEAT = 20 };

/* Begins a campaign: its number. Claims of dead campaigns are dropped. */
col_status cam_enlist(cam_store *store, int64_t plan, uint32_t jobs, const cam_process *self,
                      int64_t *campaign, col_problem *problem);
/* From here on rows that are added are this campaign's. */
void cam_store_credit(cam_store *store, int64_t campaign);
col_status cam_beat(cam_store *store, int64_t campaign, col_problem *problem);
/* It is over: its claims are dropped. */
col_status cam_discharge(cam_store *store, int64_t campaign, col_problem *problem);
/* Of a campaign that a temporary folder is named after. */
col_status cam_is_alive(cam_store *store, int64_t campaign, const cam_process *self, bool *is_alive,
                        col_problem *problem);

typedef enum cam_claim {
    CAM_CLAIMED,     /* run it */
    CAM_WAS_DONE,    /* there is a row */
    CAM_WAS_FAILED,  /* likewise */
    CAM_IS_ELSEWHERE /* another campaign runs it */
} cam_claim;

/* `retry`: a row that failed in an earlier campaign does not count. */
col_status cam_claim_take(cam_store *store, const char *key, bool retry, const cam_process *self,
                          cam_claim *claim, col_problem *problem);
col_status cam_claim_drop(cam_store *store, const char *key, col_problem *problem);
