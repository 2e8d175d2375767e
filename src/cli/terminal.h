/* SPDX-License-Identifier: MIT */
/*
 * A terminal that a program draws on: keys come one by one and are not shown. However the program
 * ends, by a signal too, the terminal is as it was before.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include "base/text.h"

/* Besides characters. */
enum { CLI_KEY_END = -1, CLI_KEY_REDRAW = 256, CLI_KEY_UP, CLI_KEY_DOWN, CLI_KEY_ESCAPE };

/* Standard input and output must be one. */
bool cli_terminal_is(void);
col_status cli_terminal_open(col_problem *problem);
void cli_terminal_close(void);

void cli_terminal_size(int *rows, int *columns);
/* Waits for one; REDRAW: the size has changed, or the program was stopped and goes on. */
int cli_terminal_key(void);
/* Shows the lines from the top, and nothing else. `marked` is the one in reverse video; -1: none.
 * The lines must be printable and no longer than the terminal is wide. */
void cli_terminal_draw(const base_text *lines, int marked);

#endif
