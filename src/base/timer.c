/* SPDX-License-Identifier: MIT */
/* Timers: see timer.h. The thread looks around every few milliseconds, since a signal can wake
 * nobody. */
#include "base/timer.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/stop.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { PERIOD = 10 * 1000 * 1000 }; /* nanoseconds */

struct base_timer {
    const volatile int *outside;
    volatile int stop;
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t ends;
    bool is_ending;
    double deadline; /* by base_seconds; 0: none */
    double grace;    /* seconds that are left when somebody outside asks */
    volatile int **flags;
    size_t flag_count, flag_capacity;
};

static void look(base_timer *timer) {
    const double now = base_seconds();
    if (timer->grace >= 0 && base_is_stopped(timer->outside)) {
        const double end = now + timer->grace;
        timer->deadline = timer->deadline > 0 && timer->deadline < end ? timer->deadline : end;
        timer->grace = -1; /* it runs */
    }
    if (timer->deadline == 0 || now < timer->deadline)
        return;
    base_stop_set(&timer->stop, true);
    for (size_t i = 0; i < timer->flag_count; i++)
        base_stop_set(timer->flags[i], true);
}

static void *watch(void *context) {
    static const long second = 1000L * 1000 * 1000;
    base_timer *timer = context;
    (void)pthread_mutex_lock(&timer->lock);
    while (!timer->is_ending) {
        struct timespec next;
        look(timer);
        (void)clock_gettime(CLOCK_MONOTONIC, &next);
        next.tv_sec += next.tv_nsec + PERIOD >= second;
        next.tv_nsec = (next.tv_nsec + PERIOD) % second;
        (void)pthread_cond_timedwait(&timer->ends, &timer->lock, &next);
    }
    (void)pthread_mutex_unlock(&timer->lock);
    return NULL;
}

static void make_condition(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(condition, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

static void destroy(base_timer *timer) {
    (void)pthread_cond_destroy(&timer->ends);
    (void)pthread_mutex_destroy(&timer->lock);
    free(timer->flags);
    free(timer);
}

col_status base_timer_new(base_timer **out, const volatile int *outside, col_problem *problem) {
    base_timer *timer = calloc(1, sizeof *timer);
    if (timer == NULL)
        return base_out_of_memory(problem);
    timer->outside = outside;
    (void)pthread_mutex_init(&timer->lock, NULL);
    make_condition(&timer->ends);
    if (pthread_create(&timer->thread, NULL, watch, timer) != 0) {
        destroy(timer);
        return base_fail(problem, "cannot start a thread for a time limit");
    }
    *out = timer;
    return COL_OK;
}

void base_timer_free(base_timer *timer) {
    if (timer == NULL)
        return;
    (void)pthread_mutex_lock(&timer->lock);
    timer->is_ending = true;
    (void)pthread_cond_broadcast(&timer->ends);
    (void)pthread_mutex_unlock(&timer->lock);
    (void)pthread_join(timer->thread, NULL);
    destroy(timer);
}

static void set(base_timer *timer, double seconds, double grace) {
    (void)pthread_mutex_lock(&timer->lock);
    timer->grace = grace;
    timer->deadline = seconds > 0 ? base_seconds() + seconds : 0;
    base_stop_set(&timer->stop, false);
    look(timer);
    (void)pthread_mutex_unlock(&timer->lock);
}

void base_timer_set(base_timer *timer, double seconds) {
    set(timer, seconds, 0);
}

void base_timer_grant(base_timer *timer, double seconds) {
    set(timer, seconds, 1);
}

const volatile int *base_timer_stop(const base_timer *timer) {
    return &timer->stop;
}

col_status base_timer_add(base_timer *timer, volatile int *flag, col_problem *problem) {
    (void)pthread_mutex_lock(&timer->lock);
    const col_status status = base_reserve(&timer->flags, &timer->flag_capacity,
                                           timer->flag_count + 1, sizeof *timer->flags, problem);
    if (status == COL_OK)
        timer->flags[timer->flag_count++] = flag;
    (void)pthread_mutex_unlock(&timer->lock);
    return status;
}

void base_timer_remove(base_timer *timer, const volatile int *flag) {
    (void)pthread_mutex_lock(&timer->lock);
    for (size_t i = 0; i < timer->flag_count; i++)
        if (timer->flags[i] == flag)
            timer->flags[i--] = timer->flags[--timer->flag_count];
    (void)pthread_mutex_unlock(&timer->lock);
}
