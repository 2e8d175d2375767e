/* SPDX-License-Identifier: MIT */
/*
 * What `collider run` shows while an episode runs. On a terminal with room, a screen that is
 * redrawn in place, in ANSI sequences that all terminals have; on a small or dumb one, a line that
 * is kept up to date; elsewhere a line every ten seconds. Nothing of it outlives the episode, and
 * nothing is drawn by a job in the background.
 */
#pragma once

#include "cli/progress_line.h"
#include "collider/episode.h"
#include "episode/failure/known_bugs.h"

/* Set the first four; the rest starts from 0. */
typedef struct cli_screen {
    bool quiet;
    const col_episode_settings *settings;
    const col_episode *episode;
    const epi_known *known; /* bugs whose failures are waived; NULL: none */
    cli_progress_display line;
    uint32_t rows;          /* that are on the terminal; the cursor is below them */
    uint32_t columns, room; /* of the terminal when they were drawn */
} cli_screen;

/* After each test. */
void cli_screen_show(cli_screen *screen, const col_progress *progress);

/* Before anything else is printed. */
void cli_screen_end(cli_screen *screen);
