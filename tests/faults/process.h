/* SPDX-License-Identifier: MIT */
/* Running the command in a folder with one fault, and what came of it. */
#pragma once

#include "base/text.h"
#include "faults/calls.h"

#include <stdbool.h>

typedef struct fault_request {
    fault_kind kind; /* FAULT_NONE: undisturbed */
    uint64_t at;     /* the first call of this kind that fails, from 1 */
    bool forever;    /* all that follow fail as well */
    bool show;       /* print on standard error where */
    bool watch;      /* count system calls although none fails */
    bool record;     /* leave in the page by which path each allocation was reached */
    uint32_t closed; /* bit i: the standard stream i is closed */
    bool is_unread;  /* standard output is a pipe that nobody reads */
    int signal;      /* is sent after `delay` seconds, if not 0 */
    double delay;
} fault_request;

typedef struct fault_outcome {
    int status;        /* of exit, or -1 */
    int signal;        /* that ended it, or 0 */
    bool is_timed_out; /* it was killed */
    bool left_process; /* something that it started outlived it, and was killed */
    bool is_misplaced; /* a file was where a standard stream belongs */
    bool is_unwatched; /* this machine does not let system calls be watched */
    base_text output, errors;
    uint64_t counts[FAULT_KINDS]; /* calls of each kind */
    uint64_t failed;              /* how many failed */
} fault_outcome;

extern const char *const fault_kind_names[FAULT_KINDS];

/* `words` ends with NULL and begins with the path of the command; `page` is mapped from the file
 * `page_path`. */
void fault_run(const char *const *words, const char *folder, const fault_request *fault,
               fault_page *page, const char *page_path, double time_limit, fault_outcome *outcome);
/* What the command reads from the environment is in the folder; of the calling process. */
void fault_environment(const char *folder);
void fault_outcome_free(fault_outcome *outcome);
