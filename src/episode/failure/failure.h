/* SPDX-License-Identifier: MIT */
/* The folder of a failure: all that it takes to see it again. docs/failures.md
 * lists the files. */
#pragma once

#include "base/folder.h"
#include "base/text.h"
#include "collider/episode.h"
#include "episode/failure/timeline.h"
#include "episode/worker_pool.h"

#include <inttypes.h>

/* Its folder in that of the episode, of its test and its instance. */
#define EPI_FAILURE_NAME "failure-%" PRIu64 "-%u"

/* Runs the instance once more with everything recorded, and writes
 * FOLDER/failure-TEST-INSTANCE; its path goes into the failure. The setting is that of the
 * settings, with the text of its model. A design that varies is not run again: the past instance
 * has kept its events. */
col_status epi_failure_write(const col_episode_settings *settings, const col_setting *setting,
                             const col_program *program, const epi_instance *past,
                             col_failure *failure, col_problem *problem);

/* Can a failure go there? The folder must be new, empty, or a failure's. */
col_status epi_failure_check(const char *folder, col_problem *problem);

/* The same in steps, for whoever has more to write: stage the folder, write into stage->path, and
 * keep it if the status is COL_OK. */
col_status epi_failure_stage(base_stage *stage, const char *folder, col_problem *problem);
col_status epi_failure_write_files(const col_episode_settings *settings, const col_setting *setting,
                                   const col_program *program, const epi_instance *past,
                                   col_failure *failure, const char *folder, col_problem *problem);
col_status epi_failure_keep(base_stage *stage, col_status status, col_problem *problem);

/* The content of failure.json; NULL: no memory. */
json_t *epi_failure_describe(const col_episode_settings *settings, const col_setting *setting,
                             const col_failure *failure, uint32_t cores, const char *model);

/* Calls `rename` with each of several errors, and joins what they become; NULL if there is none. */
col_status epi_errors_rename(const char *names,
                             col_status (*rename)(const void *context, char **name,
                                                  col_problem *problem),
                             const void *context, char **renamed, col_problem *problem);

/* The files that a folder may have, ended by NULL. */
extern const char *const epi_failure_names[];

/* What a folder says. Start from {.program = COL_PROGRAM_EMPTY}; free it also after an error. */
typedef struct epi_recorded {
    char *design, *options, *error, *model, *model_text; /* what the setting refers to */
    col_setting setting;
    col_program program;
} epi_recorded;

/* The folder may be somebody else's: its design is refused if it is native code, unless that is
 * allowed. */
col_status epi_failure_read(const char *folder, bool allow_code, epi_recorded *recorded,
                            col_failure *was, col_problem *problem);
void epi_recorded_free(epi_recorded *recorded);

/* Somebody who wants to see the events. */
typedef struct epi_watch {
    epi_filter filter;
    bool has_location; /* its block, rather than one by address */
    uint32_t location;
    void *context;
    /* While the design is open. */
    col_status (*show)(void *context, const epi_timeline *timeline, const epi_ending *ending,
                       col_problem *problem);
} epi_watch;

/* What a replay has to tell. Start from {0}; free the texts and the object. */
typedef struct epi_told {
    base_text words;  /* its story */
    base_text output; /* the end of what the design printed, if it printed anything */
    json_t *waits;    /* an object: who waits for whom, if the design told it */
} epi_told;

/* As col_replay, and what there is to tell, unless `told` is NULL, and its events for `watch`,
 * unless that is NULL. The waveforms go to the file `waves`, unless that is NULL, with a save file
 * of GTKWave beside it. */
col_status epi_replay(const char *folder, bool allow_code, col_failure *was, col_failure *is,
                      col_violation *violation, epi_told *told, const epi_watch *watch,
                      const char *waves, col_problem *problem);
