/* SPDX-License-Identifier: MIT */
/* What the files of collider campaign share. */
#pragma once

#include "cli/command_line.h"
#include "cli/progress_line.h"
#include "results/campaign.h"
#include "results/cluster/cluster.h"
#include "results/plan/estimate.h"
#include "results/plan/trial.h"

#include <jansson.h>

#define CAMPAIGN_OPTIONS(X)                                                                        \
    X(OUT, "out", "FILE", NULL, "the store, an SQLite database (the plan's name and .db)")         \
    X(JOBS, "jobs", "N", NULL, "worker processes (as many as there are cores; 1 for each task)",   \
      CLI_NUMBER(cli_campaign, jobs, 1, CAM_MOST_JOBS))                                            \
    X(SCALE, "scale", "NAME", NULL, "use the sizes that the plan defines under this name")         \
    X(RESUME, "resume", NULL, NULL, "continue a campaign; finished trials are not run again")      \
    X(RETRY, "retry", NULL, NULL, "also rerun trials that failed")                                 \
    X(LIMIT, "trial-limit", "T", NULL, "end a trial that takes longer; it counts as failed",       \
      CLI_TIME(BASE_SECONDS, cli_campaign, trial_limit, 1e9))                                      \
    X(SHARD, "shard", "K/N", NULL, "run only the Kth of N parts of the plan")                      \
    X(WHERE, "where", "SETTINGS", NULL, "run only trials with these, such as 'engine: htg'")       \
    X(SLURM, "slurm", NULL, NULL, "run the plan as an array job of Slurm")                         \
    X(TASKS, "tasks", "N", "16", "of Slurm: tasks of the array",                                   \
      CLI_NUMBER(cli_campaign, tasks, 1, CAM_CLUSTER_MOST_TASKS))                                  \
    X(PARTITION, "partition", "NAME", NULL, "of Slurm: where to run")                              \
    X(TIME, "time", "T", NULL, "of Slurm: the time limit of a task, as sbatch takes it")           \
    X(ACCOUNT, "account", "NAME", NULL, "of Slurm: who pays")                                      \
    X(SBATCH, "sbatch-options", "WORDS", NULL, "of Slurm: further options of sbatch")              \
    X(DETACH, "detach", NULL, NULL, "of Slurm: submit, and do not wait")                           \
    X(CODE, "allow-code", NULL, NULL, "let the plan name designs that are native code")            \
    X(TRIAGE, "triage", "T", "10s",                                                                \
      "group failures that no injected error explains by bug, for at most T; 0 switches it off",   \
      CLI_TIME(BASE_DELAY, cli_campaign, triage, 1e9))                                             \
    X(DRY, "dry-run", NULL, NULL, "print the grid and the estimated time, and run nothing")        \
    CLI_COMMON_OPTIONS(X)

enum { CAMPAIGN_OPTIONS(CLI_OPTION_PLACE) };

/* What is asked for. */
typedef struct cli_campaign {
    const cli_arguments *arguments;
    cam_plan plan;
    char store[PATH_MAX];
    uint32_t jobs, tasks;
    double trial_limit;
    double triage; /* seconds for it, when all is done */
    cam_shard shard;
    cam_keys keys; /* with a part of the plan */
    bool *chosen;  /* likewise: which trials it has */
} cli_campaign;

/* By the results that there are, if there are any: whether the store is any good is said later. */
col_status cli_campaign_estimate(const cli_campaign *c, bool calibrates, cam_estimate *estimate,
                                 col_problem *problem);
/* The last words: prints what is in the store, writes the JSON and says what is left to do. Returns
 * the exit status. */
int cli_campaign_conclude(const cli_campaign *c, const cam_campaign_summary *summary,
                          col_problem *problem);

/* May designs be native code? */
bool cli_campaign_allows_code(const cli_campaign *c);
/* The bugs behind failures of the plan that were not to be expected: a line each, and JSON. Nothing
 * and NULL if there are none, or no time for them; what goes wrong is a warning. */
void cli_campaign_bugs(const cli_campaign *c, base_text *lines, json_t **bugs);

/* collider campaign PLAN --slurm */
int cli_campaign_slurm(cli_campaign *c, col_problem *problem);

/* collider campaign work|status|cancel ... */
int cli_campaign_work(const cli_arguments *arguments, col_problem *problem);
int cli_campaign_status(const cli_arguments *arguments, col_problem *problem);
int cli_campaign_cancel(const cli_arguments *arguments, col_problem *problem);

/* collider campaign status, of one that runs on a cluster. */
int cli_cluster_status(const cli_arguments *arguments, col_problem *problem);

/* collider campaign --dry-run: the grid of a plan, and how long it will take. */
col_status cli_campaign_grid_print(const cam_plan *plan, const cam_estimate *estimate,
                                   uint32_t jobs, col_problem *problem);
json_t *cli_campaign_grid_json(const cam_plan *plan, const cam_estimate *estimate, uint32_t jobs);
