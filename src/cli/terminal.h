/* SPDX-License-Identifier: MIT */
/* What a stream can show: its width, and colours where they help. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

typedef enum cli_colour { CLI_RED, CLI_GREEN, CLI_MAGENTA, CLI_BOLD, CLI_COLOUR_COUNT } cli_colour;

/* Is it a terminal, with colours that nobody has turned off (NO_COLOR, TERM=dumb)? */
bool cli_has_colours(FILE *stream);

/* Prints the text, made printable, in a colour where the stream has them. */
void cli_paint(FILE *stream, cli_colour colour, const char *text);

/* Characters that fit into a line of standard error, so that the next one stays free. */
int cli_columns(void);

#endif
