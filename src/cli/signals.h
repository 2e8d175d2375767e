/* SPDX-License-Identifier: MIT */
/* A signal asks a long command to end early, with what it has; a second one kills. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/* Not 0 when one came. */
extern volatile int cli_stop;

void cli_catch_signals(void);

#endif
