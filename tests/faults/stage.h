/* SPDX-License-Identifier: MIT */
/* Where a job runs, again and again from the same start, and what is right for it to do. */
#pragma once

#include "faults/process.h"
#include "faults/tree.h"

/* The jobs that the sweeps disturb: every command, as small as it can be. */
typedef struct fault_job {
    const char *name;
    const char *prepare; /* a shell command that fills the folder first; NULL: it is empty */
    const char *words;   /* what follows `collider`, without quotes */
} fault_job;

extern const fault_job fault_jobs[];
extern const int fault_job_count;

enum { FAULT_WORDS = 48 };

typedef struct fault_stage {
    const char *command;
    char folder[64]; /* holds all that follow */
    char start[96];  /* what the job begins with */
    char run[96];    /* where it runs */
    char page_path[96];
    fault_page *page;
    const fault_job *job;
    const char *prepared; /* how the start was made, by the job before */
    char text[1024];
    const char *words[FAULT_WORDS];
    fault_tree before, after; /* without a fault */
    fault_outcome undisturbed;
} fault_stage;

/* What is wrong with a run; empty: nothing. */
typedef struct fault_finding {
    fault_request fault;
    char problem[480];
    char place[240]; /* the functions that asked for memory, where a sanitizer tells */
} fault_finding;

/* Ends the process with a sentence. */
_Noreturn void fault_die(const char *what);

/* A folder for `command`, shared by stages with other numbers. */
void fault_stage_open(fault_stage *stage, const char *command);
void fault_stage_number(fault_stage *stage, long number);
void fault_stage_close(fault_stage *stage);

/* Prepares the job and runs it undisturbed, twice: the two must agree. */
void fault_stage_begin(fault_stage *stage, const fault_job *job, bool watch,
                       fault_finding *finding);
void fault_stage_end(fault_stage *stage);

/* Brings the folder back to the start; runs the job there. */
void fault_stage_reset(fault_stage *stage);
void fault_stage_go(fault_stage *stage, const fault_request *fault, fault_outcome *outcome);
/* Both, and what is in the folder then. */
void fault_stage_run(fault_stage *stage, const fault_request *fault, fault_outcome *outcome,
                     fault_tree *tree);
/* The same, judged. */
void fault_stage_try(fault_stage *stage, const fault_request *fault, fault_finding *finding);

/* Judging: a run that ends as the undisturbed one has done all of it; one that does not has left
 * every file absent, old or complete. */
void fault_problem(fault_finding *finding, const char *format, ...) BASE_PRINTF(2, 3);
void fault_judge_tree(const fault_stage *stage, const fault_tree *tree, bool is_done,
                      fault_finding *finding);
/* A run that was asked to stop may have written less, but whole files, and none under another name.
 */
void fault_judge_less(const fault_stage *stage, const fault_tree *tree, fault_finding *finding);
void fault_judge(const fault_stage *stage, const fault_outcome *outcome, const fault_tree *tree,
                 fault_finding *finding);
