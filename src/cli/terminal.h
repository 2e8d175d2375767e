/* SPDX-License-Identifier: MIT */
/*
 * A terminal that a program draws on: keys come one by one and are not shown. However the program
 * ends, by a signal too, the terminal is as it was before.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include "base/text.h"

#include <stdbool.h>
#include <stdio.h>

/* Besides characters. */
enum { CLI_KEY_END = -1, CLI_KEY_REDRAW = 256, CLI_KEY_UP, CLI_KEY_DOWN, CLI_KEY_ESCAPE };

/* Standard input and output must be one. */
bool cli_screen_is(void);
col_status cli_screen_open(col_problem *problem);
void cli_screen_close(void);

void cli_screen_size(int *rows, int *columns);
/* Waits for one; REDRAW: the size has changed, or the program was stopped and goes on. */
int cli_screen_key(void);
/* Shows the lines from the top, and nothing else. `marked` is the one in reverse video; -1: none.
 * The lines must be printable and no longer than the terminal is wide. */
void cli_screen_draw(const base_text *lines, int marked);

/* What a stream can show: its width, and colours where they help. */

typedef enum cli_colour { CLI_RED, CLI_GREEN, CLI_MAGENTA, CLI_BOLD, CLI_COLOUR_COUNT } cli_colour;

/* Prints the text, made printable, in a colour where the stream has them. */
void cli_paint(FILE *stream, cli_colour colour, const char *text);

/* Characters that fit into a line of standard error, so that the next one stays free. */
int cli_columns(void);

#endif
