/* SPDX-License-Identifier: MIT */
/* What the files of a campaign share: its state, and its dealings with the store. Not for anybody
 * else. */
#pragma once

#include "results/campaign.h"
#include "results/trial_worker.h"

enum { CAM_MOST_WORKERS = 256 };

typedef struct cam_campaign {
    const cam_campaign_settings *settings;
    const cam_plan *plan;
    cam_campaign_summary *summary;
    cam_keys keys;
    bool has_own_keys;
    bool *keeps_failure;
    size_t total;      /* trials that it is about */
    uint8_t *statuses; /* cam_status of each trial, as far as is known */
    cam_task task;
    struct cam_shared *shared; /* with the workers */
    cam_pulse *pulses;         /* of the workers, in it */
    cam_worker workers[CAM_MOST_WORKERS];
    uint32_t worker_count;

    size_t *open; /* positions that are to be run, in order; those behind `next` were handed out */
    size_t open_count, open_capacity, next;
    size_t *elsewhere; /* positions that other campaigns run; they are asked for again */
    size_t elsewhere_count, elsewhere_capacity;
    double ask_again; /* when */
    bool is_asking;   /* what is open now is what was elsewhere */

    uint64_t before;
    double start, last_beat, last_told, last_published, stopped_at;
    bool is_stopping;
    col_status status;           /* not COL_OK: what broke is in `problem` */
    col_problem problem, latest; /* latest: of the step that has just been taken */

    cam_wording wording;
    cam_activity *ended; /* since progress was reported */
    size_t ended_count, ended_capacity;
} cam_campaign;

/* What came of a step, whose problem is the latest: the first thing that breaks is reported; then
 * the campaign ends. False: it broke. */
bool cam_note(cam_campaign *c, col_status status);
/* Trials of that status. */
uint64_t cam_count(const cam_campaign *c, cam_status status);

/* Registers the plan and the campaign, and finds out what there is to do. */
col_status cam_campaign_begin(cam_campaign *c, col_problem *problem);
/* Tells that the campaign lives, if it is time to. */
void cam_campaign_beat(cam_campaign *c);
/* The row of a trial whose worker died of it. */
void cam_campaign_fail(cam_campaign *c, size_t position, const char *reason, double seconds);
void cam_running_publish(cam_campaign *c);
/* Sums up, and leaves nothing behind. */
void cam_campaign_leave(cam_campaign *c);
void cam_campaign_free(cam_campaign *c);
