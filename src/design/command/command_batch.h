/* SPDX-License-Identifier: MIT */
/*
 * What one start of a command runs, and what it brought: a program, or several one after the other
 * in one image, each with its rounds. An image that fails stops in one of them; those after it did
 * not run. A start has a private folder with the files that its line names; it runs, with all that
 * it starts, until it ends, is too late or is stopped.
 */
#pragma once

#include "design/command/command_file.h"
#include "design/isa/image.h"
#include "design/isa/image_results.h"
#include "design/serve/serve_peer.h"

#include <collider/duv.h>

/* What a start brought for one of its programs. */
typedef struct duv_part {
    col_hash program;
    isa_commits *commits;
    const isa_map *map; /* of the image, or of the commits; NULL: it did not run */
    const uint8_t *bytes;
    uint64_t whole, next; /* rounds that can be handed out; the next one of them */
    bool has_failed;      /* before them comes an instance that fails: */
    col_run failure;
} duv_part;

typedef struct duv_batch {
    /* What is started; stays. */
    const duv_command_file *file;
    const isa_platform *platform;
    isa_image_settings settings;
    char *options; /* may be NULL; freed with the batch */
    double limit;  /* in seconds, of a start; 0: none */
    const volatile int *stop, *interrupt;
    /* Ours. */
    isa_image image;
    const col_program *programs[DUV_MOST_PROGRAMS]; /* until the start */
    duv_part parts[DUV_MOST_PROGRAMS];
    uint32_t count;
    base_text bytes;
    bool was_run;
    /* The start went wrong, and nothing says in which of several programs. */
    bool is_unclear;
    col_run unclear;
    /* The start. */
    duv_peer peer;
    char folder[PATH_MAX];
    char paths[DUV_PLACEHOLDER_COUNT][PATH_MAX]; /* of files; empty: it is none */
    int listed;                                  /* among the temporary files of base/file.h */
    double deadline;
    bool timed_out, was_stopped;
    int status;               /* as waitpid gives it */
    duv_verdict verdict;      /* what that means */
    bool is_said;             /* by a rule of the file */
    base_text output;         /* the end of what it printed */
    col_status commit_status; /* of what it printed, if that is commits */
    col_problem commit_problem;
} duv_batch;

/* Takes as many of the programs as fit, the first one at least, and says if it cannot be run. */
col_status duv_batch_make(duv_batch *batch, const col_program *const *programs, uint32_t count,
                          col_problem *problem);
/* Runs them; unless it was stopped, there is what the parts say. COL_BAD_INPUT: the command cannot
 * be started. */
col_status duv_batch_run(duv_batch *batch, uint64_t seed, col_problem *problem);
void duv_batch_free(duv_batch *batch);

/* The part that brought something for this program, from `first` on; else `count`. */
uint32_t duv_batch_find(const duv_batch *batch, uint32_t first, col_hash program);
