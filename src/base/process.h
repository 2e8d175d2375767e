/* SPDX-License-Identifier: MIT */
/*
 * Child processes: started by fork, with a socket to talk over if they need one (base/process.h),
 * waited for, ended for certain. What the parent has not yet written to its streams is the
 * caller's business: a child that uses them might write it once more.
 */
#pragma once

#include "base/problem.h"

#include <sys/types.h>

typedef struct base_process {
    pid_t id; /* 0: there is none */
    int line; /* our end of a socket; -1: it has none */
    bool has_group;
} base_process;

typedef struct base_process_plan {
    const char *what; /* in errors: "a worker" */
    bool has_line;
    bool has_group; /* the terminal's interrupts are not for it, and it ends with all it started */
    int dies_by;    /* the signal that it gets when the thread that started it ends; 0: none */
    /* In the child, which ends with status 0 when this returns. `line` is its end, or -1. */
    void (*run)(void *context, int line);
    void *context;
} base_process_plan;

col_status base_process_start(base_process *process, const base_process_plan *plan,
                              col_problem *problem);

/* Gives it a moment to end by itself; it stays to be waited for. */
bool base_process_ends_within(const base_process *process, uint32_t milliseconds);

/* Has it exited? Then returns its status, as base_process_wait does, and forgets it. */
bool base_process_has_ended(base_process *process, int *status);

/* Hangs up, waits for its end and forgets it. Returns its status as waitpid does; -1: nobody knows,
 * such as when this process ignores SIGCHLD. */
int base_process_wait(base_process *process);

/* The same, by force. */
int base_process_end(base_process *process);

/* "WHO was ended by signal 11 (Segmentation fault)", for a status that is known. */
void base_process_tell(const char *who, int status, char *sentence, size_t size);

/* For a child process that will become another program, and must not outlive this one, even if
 * this one is killed. */

/* To be called in a child that leads a process group of its own. It stays behind as the guard,
 * which ends its whole group when `parent` has died, and otherwise ends as the program does; the
 * call returns in a process that the guard starts. False, with errno: there can be no such process.
 * On systems other than Linux there is no guard. */
bool base_guard(pid_t parent);

/*
 * A line to another process: a stream socket on which all bytes of a message go over, or none is
 * waited for any longer. Signals do not cut a message in two.
 */

typedef enum base_transfer {
    BASE_TRANSFER_DONE,
    BASE_TRANSFER_GONE, /* nobody is at the other end */
    BASE_TRANSFER_LATE
} base_transfer;

typedef struct base_line {
    int socket;
    bool has_deadline; /* else it waits for ever */
    double deadline;   /* by base_seconds: of all transfers together */
    /* While it waits, this is called ten times a second, and may change the deadline; NULL: it has
     * nothing to look at. */
    void (*look)(void *context, double now);
    void *context;
} base_line;

/* All bytes, or the reason why not. */
base_transfer base_line_send(base_line *line, const void *bytes, size_t size);
base_transfer base_line_receive(base_line *line, void *bytes, size_t size);
