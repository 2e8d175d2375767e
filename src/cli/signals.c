/* SPDX-License-Identifier: MIT */
/* Signals: see signals.h. */
#include "cli/signals.h"

#include "base/clock.h"
#include "base/file.h"

#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { SIGNALLED = 128, MILLION = 1000000 };
enum { ECHO_TIME = 250, GRACE_TIME = 500 }; /* milliseconds */

typedef struct caught {
    int number;
    const char *name;
} caught;

static const caught signals[] = {
    {SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}, {SIGXCPU, "SIGXCPU"}};
enum { SIGNAL_COUNT = sizeof signals / sizeof signals[0] };

/* These end any command at once. SIGPIPE: nobody reads what we print, as behind `| head`. */
static const int final[] = {SIGPIPE, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2};
enum { FINAL_COUNT = sizeof final / sizeof final[0] };

volatile int cli_stop;      /* global, because that is all that a signal can reach */
static timer_t grace_timer; /* of commands that are to end soon; runs from the first signal on */
static volatile sig_atomic_t has_grace_timer;

static void end_by(int number) {
    base_temporary_remove_all();
    (void)signal(number, SIG_DFL);
    (void)raise(number); /* when this returns */
}

static int64_t milliseconds(void) {
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / MILLION + 1; /* never 0 */
}

/* Any second signal is the end, not only the same one again. But timeout(1) and others send one
 * signal to the process and to its group, so that it comes twice; and a limit on processor time is
 * repeated every second. */
static void handle_signal(int number) {
    static _Atomic int64_t first;
    const int64_t now = milliseconds();
    int64_t before = 0;
    if (atomic_compare_exchange_strong(&first, &before, now)) {
        static const struct itimerspec time = {.it_value = {.tv_nsec = (long)GRACE_TIME * MILLION}};
        base_stop_set(&cli_stop, number);
        if (has_grace_timer != 0)
            (void)timer_settime(grace_timer, 0, &time, NULL);
    } else if (now - before >= ECHO_TIME && number != SIGXCPU)
        end_by(number);
}

/* What is ignored by whoever started us, as under nohup, stays so. */
static void handle_by(void (*handler)(int), int number) {
    struct sigaction action = {.sa_handler = handler}, old;
    (void)sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        (void)sigaction(number, &action, NULL);
}

/* A file that may not grow is an error of the write. Unlike SIG_IGN, this is not inherited. */
static void go_on(int number) {
    (void)number;
}

void cli_clean_up_at_signals(void) {
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        handle_by(end_by, signals[i].number);
    for (size_t i = 0; i < FINAL_COUNT; i++)
        handle_by(end_by, final[i]);
    handle_by(go_on, SIGXFSZ);
}

void cli_catch_signals(void) {
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        handle_by(handle_signal, signals[i].number);
}

/* The timer's signal; or, if none came before, somebody's. */
static void end_late(int number) {
    static const char words[] = "collider: ended by a signal; what was under way was not written\n";
    const int first = cli_stop;
    const ssize_t written = first != 0 ? write(STDERR_FILENO, words, sizeof words - 1) : 0;
    (void)written; /* if nobody hears it, so be it */
    end_by(first != 0 ? first : number);
}

void cli_catch_signals_briefly(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    if (timer_create(CLOCK_MONOTONIC, &event, &grace_timer) == 0) {
        struct sigaction action = {.sa_handler = end_late};
        (void)sigemptyset(&action.sa_mask);
        (void)sigaction(SIGALRM, &action, NULL);
        has_grace_timer = 1;
    }
    cli_catch_signals();
}

void cli_catch_also(int number) {
    struct sigaction action = {.sa_handler = handle_signal};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

int cli_cut_short(col_problem *problem, const char *what) {
    const int number = cli_stop;
    const char *name = "a signal";
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        if (signals[i].number == number)
            name = signals[i].name;
    (void)base_fail(problem, "ended by %s; %.400s", name, what);
    return SIGNALLED + number;
}
