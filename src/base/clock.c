/* SPDX-License-Identifier: MIT */
/* Clocks: see clock.h. */
#include "base/clock.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static double read_clock(clockid_t clock) {
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double base_seconds(void) {
    return read_clock(CLOCK_MONOTONIC);
}

double base_processor_seconds(void) {
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

/* Timers: see clock.h. The thread looks around every few milliseconds, since a signal can wake
 * nobody. */

enum { PERIOD = 10 * 1000 * 1000 }; /* nanoseconds */

struct base_timer {
    const volatile int *outside;
    volatile int stop;
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t turns; /* when one of these flags does */
    bool is_watching, is_ending;
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
    timer->is_watching = true;
    (void)pthread_cond_broadcast(&timer->turns);
    while (!timer->is_ending) {
        struct timespec next;
        look(timer);
        (void)clock_gettime(CLOCK_MONOTONIC, &next);
        next.tv_sec += next.tv_nsec + PERIOD >= second;
        next.tv_nsec = (next.tv_nsec + PERIOD) % second;
        (void)pthread_cond_timedwait(&timer->turns, &timer->lock, &next);
    }
    (void)pthread_mutex_unlock(&timer->lock);
    return NULL;
}

static void destroy(base_timer *timer) {
    (void)pthread_cond_destroy(&timer->turns);
    (void)pthread_mutex_destroy(&timer->lock);
    free(timer->flags);
    free(timer);
}

col_status base_timer_new(base_timer **out, const volatile int *outside, col_problem *problem) {
    base_timer *timer = NULL;
    BASE_TRY(base_new(&timer, 1, sizeof *timer, problem));
    timer->outside = outside;
    (void)pthread_mutex_init(&timer->lock, NULL);
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&timer->turns, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    if (pthread_create(&timer->thread, NULL, watch, timer) != 0) {
        destroy(timer);
        return base_fail(problem, "cannot start a thread for a time limit");
    }
    /* A thread that is just starting may hold locks of the C library or a sanitizer, which a child
     * forked at this moment would find locked for ever. */
    (void)pthread_mutex_lock(&timer->lock);
    while (!timer->is_watching)
        (void)pthread_cond_wait(&timer->turns, &timer->lock);
    (void)pthread_mutex_unlock(&timer->lock);
    *out = timer;
    return COL_OK;
}

void base_timer_free(base_timer *timer) {
    if (timer == NULL)
        return;
    (void)pthread_mutex_lock(&timer->lock);
    timer->is_ending = true;
    (void)pthread_cond_broadcast(&timer->turns);
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

/* Waiting that a signal ends in good order. */

enum { STEP_NANOSECONDS = 5000000 };

void base_patience_start(base_patience *patience) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    patience->came = 0;
    (void)sigemptyset(&patience->watched);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction action;
        if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            (void)sigaddset(&patience->watched, signals[i]);
    }
    (void)pthread_sigmask(SIG_BLOCK, &patience->watched, &patience->before);
}

bool base_patience_wait(base_patience *patience) {
    const struct timespec step = {.tv_nsec = STEP_NANOSECONDS};
    if (patience->came == 0) {
        const int number = sigtimedwait(&patience->watched, NULL, &step);
        patience->came = number > 0 ? number : 0;
    }
    return patience->came == 0;
}

void base_patience_end(base_patience *patience) {
    if (patience->came != 0)
        (void)raise(patience->came); /* held back until the next line */
    (void)pthread_sigmask(SIG_SETMASK, &patience->before, NULL);
}
