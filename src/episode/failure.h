/* SPDX-License-Identifier: MIT */
/* The folder of a failure: all that it takes to see it again. docs/episode.md
 * lists the files. */
#ifndef EPISODE_FAILURE_H
#define EPISODE_FAILURE_H

#include "collider/episode.h"

/* Runs the instance once more with everything recorded, and writes
 * FOLDER/failure-TEST-INSTANCE; its path goes into the failure. */
col_status epi_failure_write(const col_episode_settings *settings, const col_program *program,
                             col_failure *failure, col_error *error);

#endif
