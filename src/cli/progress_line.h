/* SPDX-License-Identifier: MIT */
/*
 * The line that shows how far a long job is: parts in their order, each with a rank. Where not all
 * fit, those of the highest rank go first, so that what matters stays, wherever in the line it is.
 */
#ifndef CLI_PROGRESS_LINE_H
#define CLI_PROGRESS_LINE_H

#include "base/text.h"

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

/* The parts that fit into this many columns, with two blanks between; 0 columns: all. */
void cli_progress_line_join(const cli_progress_line *line, int columns, base_text *text);

/* "1 h 02 min", "2 min 03 s" or "41 s". */
void cli_progress_add_time(base_text *text, double seconds);

/* Characters of UTF-8. */
int cli_characters(const char *text);

#endif
