/* SPDX-License-Identifier: MIT */
/* collider run --junit: an episode as test results. A case is a given program, or the episode if an
 * engine made its tests. */
#pragma once

#include "episode/worker_pool.h"

#include <time.h>

/* What a given program's tests took, and the first of them that failed. */
typedef struct cli_junit_note {
    double seconds;
    uint64_t test; /* 0: none failed */
    uint32_t instance;
    col_outcome outcome;
    char reason[512];
} cli_junit_note;

/* Start from {.path = ...}; free also after a problem. */
typedef struct cli_junit {
    const char *path; /* NULL: nobody asked */
    time_t began;
    double last;           /* when the last test was over */
    cli_junit_note *notes; /* of each given program */
} cli_junit;

void cli_junit_begin(cli_junit *junit);
col_status cli_junit_note_test(cli_junit *junit, const col_episode *episode, const epi_test *test,
                               col_problem *problem);
col_status cli_junit_write(const cli_junit *junit, const col_episode_settings *settings,
                           const col_episode *episode, col_problem *problem);
void cli_junit_free(cli_junit *junit);
