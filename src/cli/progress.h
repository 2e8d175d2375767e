/* SPDX-License-Identifier: MIT */
/*
 * The line that shows how far a long job is: parts in their order, each with a rank. Where not all
 * fit, those of the highest rank go first, so that what matters stays, wherever in the line it is.
 */
#pragma once

#include "base/text.h"
#include "collider/episode.h"

enum { CLI_MOST_PARTS = 32 };

typedef struct cli_progress_line {
    struct {
        char text[96];
        uint32_t rank;
    } parts[CLI_MOST_PARTS];
    uint32_t count;
} cli_progress_line;

void cli_progress_line_add(cli_progress_line *line, uint32_t rank, const char *format, ...)
    BASE_PRINTF(3, 4);

/* The fraction that is done, and how long the rest will take: "41 %, 18 s left"; nothing before
 * anything is known. */
void cli_progress_line_add_share(cli_progress_line *line, uint32_t rank, double fraction,
                                 double seconds);

/* "1 h 02 min", "2 min 03 s" or "41 s". */
void cli_progress_add_time(base_text *text, double seconds);

/* An episode, or another long job, on the screen: a line that is kept up to date on a terminal, one
 * every ten seconds elsewhere, and the result. */

typedef struct cli_progress_display {
    bool quiet;
    const col_episode_settings *settings; /* with the budgets; NULL: of another job */
    bool started, is_terminal;
    double shown; /* when the last line was */
} cli_progress_display;

/* Is it time for a line, this many seconds after the start? Then it is expected next. */
bool cli_progress_is_due(cli_progress_display *display, double seconds);
/* Frees the line. */
void cli_progress_put(const cli_progress_display *display, base_text *line);
void cli_progress_put_line(const cli_progress_display *display, const cli_progress_line *line);

void cli_progress_show(void *display, const col_progress *progress);
void cli_progress_end(cli_progress_display *display);
/* `waived` is the number of failures of known bugs. */
col_status cli_progress_print_result(const col_episode_settings *settings,
                                     const col_episode *episode, uint64_t waived,
                                     col_problem *problem);
