/* SPDX-License-Identifier: MIT */
/* Seconds, of clocks that only go forward: for budgets and reports, never for choices. */
#pragma once

#include "base/problem.h"

#include <signal.h>

double base_seconds(void);           /* as they pass */
double base_processor_seconds(void); /* that this process has used */

/*
 * A request to stop (clock.h) that comes by itself when a time is up: a thread makes it, and passes
 * on what somebody outside asks for. Long work then looks at one int, whatever its reason, and so
 * does a design that tells us nothing while it runs.
 */

typedef struct base_timer base_timer;

/* `outside` may be NULL. There is no limit before base_timer_set. */
col_status base_timer_new(base_timer **timer, const volatile int *outside, col_problem *problem);
void base_timer_free(base_timer *timer); /* may be NULL */

/* Restarts the limit at this many seconds from now; 0: no limit. */
void base_timer_set(base_timer *timer, double seconds);
/* The same, but once somebody outside has asked, a second is left: to bring to an end what was
 * begun. */
void base_timer_grant(base_timer *timer, double seconds);

/* Not 0: the time is up, or somebody asked from outside. */
const volatile int *base_timer_stop(const base_timer *timer);

/* This int, too, becomes 1 then; and again, if its owner makes it 0 afterwards. */
col_status base_timer_add(base_timer *timer, volatile int *flag, col_problem *problem);
void base_timer_remove(base_timer *timer, const volatile int *flag);

/*
 * Waiting that a signal ends in good order. Between start and end SIGINT, SIGTERM and SIGHUP
 * (unless they are ignored) are held back from this thread, so that what was begun can be taken
 * back; the end lets them come.
 */

typedef struct base_patience {
    sigset_t watched, before;
    int came; /* the signal; 0: none yet */
} base_patience;

void base_patience_start(base_patience *patience);

/* Waits for a few milliseconds; false if a signal came, now or before. */
bool base_patience_wait(base_patience *patience);

/* The signal that came, if any, now does what it would have done. */
void base_patience_end(base_patience *patience);

/*
 * A request to stop: an int that a signal, a thread or another process makes other than 0, and that
 * long work looks at now and then. In public headers it is `const volatile int *`, for plug-ins to
 * read as they like.
 */

/* `stop` may be NULL: nobody will ask. */
static inline bool base_is_stopped(const volatile int *stop) {
    return stop != NULL && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
}

/* The reason is 0 to take the request back. */
static inline void base_stop_set(volatile int *stop, int reason) {
    __atomic_store_n(stop, reason, __ATOMIC_RELAXED);
}
