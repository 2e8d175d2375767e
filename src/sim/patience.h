/* SPDX-License-Identifier: MIT */
/*
 * Waiting that a signal ends in good order. Between start and end SIGINT, SIGTERM and SIGHUP
 * (unless they are ignored) are held back from this thread, so that what was begun can be taken
 * back; the end lets them come.
 */
#ifndef SIM_PATIENCE_H
#define SIM_PATIENCE_H

#include <signal.h>
#include <stdbool.h>

typedef struct sim_patience {
    sigset_t watched, before;
    int came; /* the signal; 0: none yet */
} sim_patience;

void sim_patience_start(sim_patience *patience);

/* Waits for a few milliseconds; false if a signal came, now or before. */
bool sim_patience_wait(sim_patience *patience);

/* The signal that came, if any, now does what it would have done. */
void sim_patience_end(sim_patience *patience);

#endif
