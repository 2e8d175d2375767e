/* SPDX-License-Identifier: MIT */
/*
 * What one start of a command runs, and what it brought: a program, or several one after the other
 * in one image, each with its rounds. An image that fails stops in one of them; those after it did
 * not run.
 */
#ifndef DESIGN_COMMAND_COMMAND_BATCH_H
#define DESIGN_COMMAND_COMMAND_BATCH_H

#include "design/command/command_start.h"
#include "design/isa/image_results.h"

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
    /* Ours. */
    isa_image_settings settings;
    isa_image image;
    duv_start start;
    const col_program *programs[DUV_MOST_PROGRAMS]; /* until the start */
    duv_part parts[DUV_MOST_PROGRAMS];
    uint32_t count;
    base_text bytes;
    bool was_run;
    /* The start went wrong, and nothing says in which of several programs. */
    bool is_unclear;
    col_run unclear;
} duv_batch;

/* Takes as many of the programs as fit, the first one at least, and says if it cannot be run. */
col_status duv_batch_make(duv_batch *batch, const col_program *const *programs, uint32_t count,
                          col_problem *problem);
/* Runs them; unless it was stopped, there is what the parts say. */
col_status duv_batch_run(duv_batch *batch, uint64_t seed, col_problem *problem);
void duv_batch_free(duv_batch *batch);

/* The part that brought something for this program, from `first` on; else `count`. */
uint32_t duv_batch_find(const duv_batch *batch, uint32_t first, col_hash program);

#endif
