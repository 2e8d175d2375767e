/* SPDX-License-Identifier: MIT */
/*
 * One start of a command: a private folder with the files that its line names, the process and all
 * that it starts, until it ends, is too late or is stopped; and what it printed.
 */
#ifndef DESIGN_COMMAND_COMMAND_START_H
#define DESIGN_COMMAND_COMMAND_START_H

#include "design/command/command_file.h"
#include "design/isa/commit_log.h"
#include "design/isa/image.h"
#include "design/serve/serve_peer.h"

enum { DUV_OUTPUT = 1 << 16 }; /* bytes that are kept of what a command prints */

typedef struct duv_start {
    /* What is started; stays. */
    const duv_command_file *file;
    uint32_t harts;
    const char *options;
    double limit; /* in seconds; 0: none */
    const volatile int *stop, *interrupt;
    /* Gets lines of standard output that look like commits; NULL: nobody wants them. */
    void (*take_commits)(void *context, const char *line, size_t length);
    void *context;
    /* Ours. */
    duv_peer peer;
    char folder[PATH_MAX];
    char paths[DUV_PLACEHOLDER_COUNT][PATH_MAX]; /* of files; empty: it is none */
    int listed;                                  /* among the temporary files of base/file.h */
    double deadline;
    char line[4096]; /* of standard output, under way */
    size_t line_length;
    bool line_is_long;
    col_status commit_status; /* what those who get them say */
    col_problem commit_problem;
    /* What came of it. */
    bool timed_out, was_stopped;
    int status; /* as waitpid gives it */
    base_text output;
} duv_start;

/* Runs the command once, on an image of these programs. COL_BAD_INPUT: it cannot be started. */
col_status duv_start_run(duv_start *start, const isa_image *image,
                         const col_program *const *programs, uint64_t seed, col_problem *problem);
/* Removes the folder. */
void duv_start_end(duv_start *start);
void duv_start_free(duv_start *start);

/* The last line that it printed, printable, "" if there is none. */
void duv_start_last_line(const duv_start *start, char *line, size_t size);

#endif
