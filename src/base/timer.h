/* SPDX-License-Identifier: MIT */
/*
 * A request to stop (stop.h) that comes by itself when a time is up: a thread makes it, and passes
 * on what somebody outside asks for. Long work then looks at one int, whatever its reason, and so
 * does a design that tells us nothing while it runs.
 */
#ifndef BASE_TIMER_H
#define BASE_TIMER_H

#include "base/problem.h"

#include <stdbool.h>

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

#endif
