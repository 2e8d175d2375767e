/* SPDX-License-Identifier: MIT */
/*
 * A campaign on many machines that share nothing but a folder, STORE.cluster. Its trials are dealt
 * out in batches; tasks, started by a scheduler, take batches and publish what came of them:
 *
 *   campaign.json        the plan, the store to make, and what the plan was when it was dealt out
 *   job.sh, job, logs/   of the scheduler: what was submitted, under which number, and its output
 *   batches/BATCH.json   the trials of a batch that are not published yet
 *   open/BATCH           a token: the batch can be had
 *   running/BATCH@OWNER  a task has it; its time of change says that the task lives
 *   done/BATCH           all of its trials are published
 *   results/BATCH-N.OWNER.db  stores of a few trials each; they never change
 *   unmerged             a token: whoever finds all batches done takes it and merges the results
 *
 * Tokens move by rename, which is atomic on network file systems too: one task wins. Databases are
 * written on a disk of the machine and moved here when they are complete: nobody writes an SQLite
 * database in this folder.
 *
 * Whatever dies, nothing is lost: a trial leaves its batch only after its result is here. And
 * nothing is there twice: a trial that was run again has the same key, and a store has one row for
 * a key.
 */
#pragma once

#include "results/campaign.h"

#include <limits.h>
#include <signal.h>

enum {
    CAM_CLUSTER_TRIES = 3,      /* of a trial that its task did not survive */
    CAM_CLUSTER_SILENCE = 180,  /* seconds after which a task counts as dead */
    CAM_CLUSTER_HEARTBEAT = 20, /* seconds */
    CAM_CLUSTER_MOST_TASKS = 100000,
    CAM_CLUSTER_NAME = 64 /* of a batch or an owner */
};

typedef struct cam_cluster {
    char folder[PATH_MAX];
    char plan[PATH_MAX]; /* absolute */
    char out[PATH_MAX];  /* the store: beside the folder */
    char scale[128];     /* empty: full size */
    char hash[CAM_HASH], grid[CAM_HASH], version[64];
    uint32_t tasks, jobs; /* jobs: workers of each task */
    uint64_t trials;      /* dealt out */
    uint64_t batches;
    double trial_limit;
    bool is_merged; /* all is done, in the store; only the scheduler's files are left */
} cam_cluster;

/* The folders in it, ended by NULL. */
extern const char *const cam_cluster_folders[];

/* The folder of a store, or the folder itself if a user names it, also as ".". */
col_status cam_cluster_folder(char folder[PATH_MAX], const char *store, col_problem *problem);
bool cam_cluster_exists(const char *folder);
/* It may be somebody else's folder: nothing in it is run. */
col_status cam_cluster_read(cam_cluster *cluster, const char *folder, col_problem *problem);
col_status cam_cluster_write(const cam_cluster *cluster, col_problem *problem);

/* ---- Dealing out: cluster_deal.c. */

/* Trials that are not `is_done`, by their costs in seconds. Makes the folder. */
col_status cam_cluster_deal(cam_cluster *cluster, const cam_plan *plan, const double *costs,
                            const bool *is_done, col_problem *problem);

/* ---- Tokens. */

typedef enum cam_cluster_state {
    CAM_BATCH_OPEN,
    CAM_BATCH_RUNNING,
    CAM_BATCH_DONE
} cam_cluster_state;

/* Names of tokens, sorted; free with cam_cluster_free_list. */
typedef struct cam_cluster_list {
    char **names;
    size_t count, capacity;
} cam_cluster_list;
col_status cam_cluster_tokens(const cam_cluster *cluster, cam_cluster_state state,
                              cam_cluster_list *list, col_problem *problem);
col_status cam_cluster_list_folder(const cam_cluster *cluster, const char *name,
                                   cam_cluster_list *list, col_problem *problem);
void cam_cluster_free_list(cam_cluster_list *list);

/* Moves FOLDER/from to FOLDER/to, unless somebody else was faster. */
col_status cam_cluster_move(const cam_cluster *cluster, const char *from, const char *to,
                            bool *is_moved, col_problem *problem);
/* "00003-0007x25": the home task, the number there, and how many trials it began with. */
void cam_cluster_batch_name(char name[CAM_CLUSTER_NAME], uint32_t task, uint32_t number,
                            size_t trials);
uint64_t cam_cluster_batch_trials(const char *token);

/* The time, by the clock of the file system, which all machines share; and how long ago the owner
 * of a token in running/ gave a sign of life. */
double cam_cluster_now(const cam_cluster *cluster);
double cam_cluster_silence(const cam_cluster *cluster, const char *token, double now);

/* How far it has got. */
typedef struct cam_cluster_progress {
    uint64_t open, running, done; /* batches */
    uint64_t trials, trials_done; /* published */
    double silent;                /* seconds since the most silent task gave a sign of life */
    bool is_complete, is_merged;
} cam_cluster_progress;
col_status cam_cluster_look(cam_cluster *cluster, cam_cluster_progress *progress,
                            col_problem *problem);

/* When no task runs any more: what they had is open again. */
col_status cam_cluster_reopen(const cam_cluster *cluster, col_problem *problem);

/* ---- A batch: cluster.c. */

typedef struct cam_batch {
    char name[CAM_CLUSTER_NAME];
    uint32_t tries, parts; /* tries in vain since something was published; parts published */
    cam_costly *trials;    /* that are left, the longest first */
    size_t count, capacity;
} cam_batch;
col_status cam_batch_read(cam_batch *batch, const cam_cluster *cluster, const char *name,
                          col_problem *problem);
col_status cam_batch_write(const cam_batch *batch, const cam_cluster *cluster,
                           col_problem *problem);
void cam_batch_free(cam_batch *batch);

/* ---- A task: cluster_work.c. */

typedef struct cam_cluster_task {
    uint32_t number;              /* from 0 */
    char owner[CAM_CLUSTER_NAME]; /* unique: JOB.RESTART, or HOST-PID */
    const char *scratch;          /* a folder on a disk of this machine */
    bool allows_code;
    const volatile int *stop; /* not 0: save, give back what is left, and return */
    int time_signal;          /* what *stop is when the task's time is up: that may be a trial's
                                 fault, unlike any other end */
} cam_cluster_task;

typedef struct cam_cluster_worked {
    uint64_t batches, ran; /* batches that were finished, trials that were run */
    uint64_t failed;       /* of these */
    bool was_stopped, has_merged;
} cam_cluster_worked;

/* Takes and runs batches until there are none to be had. */
col_status cam_cluster_work(cam_cluster *cluster, const cam_cluster_task *task,
                            cam_cluster_worked *worked, col_problem *problem);

/* ---- The end: cluster_deal.c. */

/* Merges all results into the store, if all batches are done and nobody else does; `scratch` as of
 * a task. Afterwards the results and tokens are gone. */
col_status cam_cluster_merge(cam_cluster *cluster, const char *owner, const char *scratch,
                             bool *has_merged, col_problem *problem);

/* Copies a store that nobody has open to a place on the shared disk, where it is there whole or not
 * at all. */
col_status cam_cluster_publish(const char *from, const char *to, col_problem *problem);

/* ---- Slurm, by its commands: slurm.c. They are run without a shell, and the job's script holds
 * nothing of a user that is not quoted. */

/* What Slurm sends a task before its time is up: it saves, and asks to be queued again. */
enum { CAM_SLURM_TIME_SIGNAL = SIGUSR1, CAM_SLURM_GRACE = 60 /* seconds before */ };

typedef struct cam_slurm_request {
    const char *collider;                   /* the command's path on all machines */
    const char *partition, *time, *account; /* NULL: Slurm's choice */
    const char *options;                    /* more words for sbatch; NULL: none */
    uint32_t tasks;
    bool allows_code;
} cam_slurm_request;

enum { CAM_SLURM_JOB = 24 }; /* digits */

/* Writes FOLDER/job.sh and FOLDER/job, and submits an array of tasks. */
col_status cam_slurm_submit(const cam_cluster *cluster, const cam_slurm_request *request,
                            char job[CAM_SLURM_JOB], col_problem *problem);
/* The job that was submitted last. */
col_status cam_slurm_job(const cam_cluster *cluster, char job[CAM_SLURM_JOB], col_problem *problem);
/* The same, if one was submitted: a job that cannot be read is not one that there is not. */
col_status cam_slurm_find_job(const cam_cluster *cluster, char job[CAM_SLURM_JOB], bool *has_job,
                              col_problem *problem);

typedef struct cam_slurm_tasks {
    uint32_t pending, running, completed, cancelled, failed;
    bool is_known; /* Slurm remembers the job */
} cam_slurm_tasks;
col_status cam_slurm_count_tasks(const char *job, cam_slurm_tasks *tasks, col_problem *problem);
col_status cam_slurm_cancel(const char *job, col_problem *problem);

/* In a task. What Slurm says of us in the environment; false: it did not start us. */
bool cam_slurm_self(uint32_t *number, char owner[CAM_CLUSTER_NAME]);
/* Queues this task again: it ends, and starts once more. */
col_status cam_slurm_requeue(col_problem *problem);
