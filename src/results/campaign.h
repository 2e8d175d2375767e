/* SPDX-License-Identifier: MIT */
/*
 * A campaign: a plan being run. Worker processes do the trials; each result is a committed row of
 * the store as soon as it is there, so that whatever ends a campaign, kill -9 included, costs the
 * trials in flight alone. Campaigns may share a store, also on the same plan: no trial is run by
 * two of them at once.
 */
#pragma once

#include "results/plan/trial.h"
#include "results/store/store.h"

enum { CAM_MOST_JOBS = 256 }; /* worker processes */

/* A trial that is under way or has just ended. Texts last until the callback returns. */
typedef struct cam_activity {
    size_t position;          /* in the plan's trials */
    const char *text;         /* in words: its settings that vary in the plan, "htg D9 3" */
    double seconds;           /* since it began, or that it took */
    uint32_t covered, points; /* of its structural coverage so far; points 0: not known */
    bool is_failed;
} cam_activity;

typedef struct cam_progress {
    uint64_t total;
    uint64_t done;      /* in the store, whoever ran them; failed ones are not among them */
    uint64_t failed;    /* could not be done */
    uint64_t before;    /* of done and failed, those that were there when this campaign began */
    uint64_t elsewhere; /* under way in other campaigns, as far as this one has noticed */
    double seconds;     /* since the campaign began */
    const cam_activity *running, *ended; /* ended: by this campaign's workers since the last call */
    uint32_t running_count, ended_count;
} cam_progress;

/* Trials by their costs: the longest first, those of the same length in the plan's order. */
typedef struct cam_costly {
    size_t position;
    double cost;
} cam_costly;
int cam_compare_costs(const void *a, const void *b);

typedef struct cam_campaign_settings {
    const cam_plan *plan;
    const char *store;  /* the database's path */
    uint32_t jobs;      /* worker processes; 0: one for each core */
    bool resume;        /* go on if the store has results of this plan; otherwise that is refused */
    bool retry;         /* run the trials that failed once more; implies resume */
    const bool *chosen; /* the plan's trials that it is about; NULL: all of them */
    const double *costs;      /* of each trial: the longest run first; NULL: in the plan's order */
    double trial_limit;       /* seconds that a trial may take at most; 0: no such limit */
    const cam_keys *keys;     /* of the plan, if somebody has made them; NULL: they are made */
    const volatile int *stop; /* not 0: end soon; what is done is kept. May be NULL */
    void (*progress)(void *context,
                     const cam_progress *progress); /* ten times a second; may be NULL */
    void *context;
} cam_campaign_settings;

typedef struct cam_campaign_summary {
    uint64_t total, done, failed; /* of the chosen trials, in the store at the end */
    char reason[256];             /* why the first of the failed ones did; "": none did */
    uint64_t ran;                 /* that this campaign did itself, failed ones among them */
    uint64_t found;               /* of these, those that found an injected error */
    uint64_t unexpected;          /* of these: an error was found although none was injected */
    uint64_t undecided;           /* of these: no error, but instances that were not judged */
    uint64_t instances, unjudged; /* of the undecided ones; those that were not judged */
    uint64_t waived;              /* failures of known bugs */
    bool was_stopped;
    double seconds;
    uint64_t outdated; /* results in the store of designs as they were: part of no plan any more */
} cam_campaign_summary;

/* COL_OK also if trials failed: they are rows with their reasons. The summary is filled in either
 * way. It forks: the process must not have threads yet. */
col_status cam_campaign_run(const cam_campaign_settings *settings, cam_campaign_summary *summary,
                            col_problem *problem);

/* The same of a store that others have filled: what it has of the plan. */
col_status cam_campaign_sum(const char *store, const cam_plan *plan, cam_campaign_summary *summary,
                            col_problem *problem);

/*
 * How far the trials that are running have got. Workers leave a few numbers in memory that they
 * share with their campaign; once a second it writes them to STORE.running-CAMPAIGN, for whoever
 * watches. None of this is part of a result, and nothing depends on the file.
 */
typedef struct cam_running {
    const char *key, *host;
    const char *text;   /* its settings in a few words; NULL: not known */
    int64_t pid, since; /* since: seconds since 1970 */
    bool is_alive;      /* its campaign; else the next one will run the trial */
    uint64_t tests, cycles;
    uint32_t covered[COL_METRIC_COUNT], total[COL_METRIC_COUNT]; /* total 0: not known */
} cam_running;
typedef col_status (*cam_visit_running)(void *context, const cam_running *running,
                                        col_problem *problem);
/* The claims of a store, the oldest first. */
col_status cam_store_running(cam_store *store, cam_visit_running visit, void *context,
                             col_problem *problem);
