/* SPDX-License-Identifier: MIT */
/* Slurm, by its commands. They are run without a shell, and the job's script holds nothing of a
 * user that is not quoted. */
#ifndef RESULTS_CLUSTER_SLURM_H
#define RESULTS_CLUSTER_SLURM_H

#include "results/cluster/cluster.h"

#include <signal.h>

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

#endif
