/* SPDX-License-Identifier: MIT */
/*
 * Child processes: started by fork, with a socket to talk over if they need one (base/line.h),
 * waited for, ended for certain. What the parent has not yet written to its streams is the
 * caller's business: a child that uses them might write it once more.
 */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct col_process {
    pid_t id; /* 0: there is none */
    int line; /* our end of a socket; -1: it has none */
    bool has_group;
} col_process;

typedef struct col_process_plan {
    const char *what; /* in errors: "a worker" */
    bool has_line;
    bool has_group; /* the terminal's interrupts are not for it, and it ends with all it started */
    int dies_by;    /* the signal that it gets when the thread that started it ends; 0: none */
    /* In the child, which ends with status 0 when this returns. `line` is its end, or -1. */
    void (*run)(void *context, int line);
    void *context;
} col_process_plan;

col_status col_process_start(col_process *process, const col_process_plan *plan, col_error *error);

/* Gives it a moment to end by itself; it stays to be waited for. */
bool col_process_ends_within(const col_process *process, uint32_t milliseconds);

/* Has it exited? Then returns its status, as col_process_wait does, and forgets it. */
bool col_process_has_ended(col_process *process, int *status);

/* Hangs up, waits for its end and forgets it. Returns its status as waitpid does; -1: nobody knows,
 * such as when this process ignores SIGCHLD. */
int col_process_wait(col_process *process);

/* The same, by force. */
int col_process_end(col_process *process);

/* "WHO was ended by signal 11 (Segmentation fault)", for a status that is known. */
void col_process_tell(const char *who, int status, char *sentence, size_t size);

#endif
