/* SPDX-License-Identifier: MIT */
/* An episode, or another long job, on the screen: a line that is kept up to date on a terminal, one
 * every ten seconds elsewhere, and the result. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli/progress_line.h"
#include "collider/episode.h"

typedef struct cli_progress_display {
    bool quiet;
    const col_episode_settings *settings; /* with the budgets; NULL: of another job */
    bool started, is_terminal;
    double shown; /* when the last line was */
} cli_progress_display;

/* Is it time for a line, this many seconds after the start? Then it is expected next. */
bool cli_progress_is_due(cli_progress_display *display, double seconds);
void cli_progress_put(const cli_progress_display *display, char *line);
void cli_progress_put_line(const cli_progress_display *display, const cli_progress_line *line);

void cli_progress_show(void *display, const col_progress *progress);
void cli_progress_end(cli_progress_display *display);
col_status cli_progress_print_result(const col_episode_settings *settings,
                                     const col_episode *episode, col_problem *problem);

#endif
