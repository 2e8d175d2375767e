/* SPDX-License-Identifier: MIT */
/* A signal asks a long command to end early, with what it has; a second one, unless it is an echo
 * of the first, ends it at once. */
#pragma once

#include "collider/problem.h"

/* Not 0: the number of the signal that came. */
extern volatile int cli_stop;

/* For every command: a signal ends it, and no temporary file is left. */
void cli_clean_up_at_signals(void);
/* For long commands: the first signal only sets cli_stop. */
void cli_catch_signals(void);

/* The same, for a command that has nothing to save: if it has not ended half a second after the
 * signal, the signal ends it. */
void cli_catch_signals_briefly(void);

/* This signal, too. */
void cli_catch_also(int number);

/* What a command that a signal cut short exits with: 128 + the signal, as shells have it. The error
 * names the signal and says `what` became of the work. */
int cli_cut_short(col_problem *problem, const char *what);
