/* SPDX-License-Identifier: MIT */
/* The jobs that the sweeps disturb: every command, as small as it can be. */
#ifndef FAULTS_JOBS_H
#define FAULTS_JOBS_H

typedef struct fault_job {
    const char *name;
    const char *prepare; /* a shell command that fills the folder first; NULL: it is empty */
    const char *words;   /* what follows `collider`, without quotes */
} fault_job;

extern const fault_job fault_jobs[];
extern const int fault_job_count;

#endif
