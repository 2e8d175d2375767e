/* SPDX-License-Identifier: MIT */
/*
 * Waiting that a signal ends in good order. Between start and end SIGINT, SIGTERM and SIGHUP
 * (unless they are ignored) are held back from this thread, so that what was begun can be taken
 * back; the end lets them come.
 */
#ifndef BASE_PATIENCE_H
#define BASE_PATIENCE_H

#include <signal.h>
#include <stdbool.h>

typedef struct base_patience {
    sigset_t watched, before;
    int came; /* the signal; 0: none yet */
} base_patience;

void base_patience_start(base_patience *patience);

/* Waits for a few milliseconds; false if a signal came, now or before. */
bool base_patience_wait(base_patience *patience);

/* The signal that came, if any, now does what it would have done. */
void base_patience_end(base_patience *patience);

#endif
