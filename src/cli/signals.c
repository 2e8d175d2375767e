/* SPDX-License-Identifier: MIT */
/* Signals: see signals.h. */
#include "cli/signals.h"

#include "base/problem.h"
#include "base/temporary.h"

#include <signal.h>
#include <stddef.h>

enum { SIGNALLED = 128 };

typedef struct caught {
    int number;
    const char *name;
} caught;

static const caught signals[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}};
enum { SIGNAL_COUNT = sizeof signals / sizeof signals[0] };

volatile int cli_stop; /* global, because that is all that a signal can reach */

static void end_by(int number) {
    base_temporary_remove_all();
    (void)signal(number, SIG_DFL);
    (void)raise(number); /* when this returns */
}

/* Any second signal is the end, not only the same one again. */
static void handle_signal(int number) {
    if (cli_stop == 0)
        cli_stop = number;
    else
        end_by(number);
}

/* What is ignored by whoever started us, as under nohup, stays so. */
static void handle_by(void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler};
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        struct sigaction old;
        if (sigaction(signals[i].number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(signals[i].number, &action, NULL);
    }
}

/* Nobody reads what we print, as behind `| head`: that ends us, too. */
static void handle_pipe(void) {
    struct sigaction action = {.sa_handler = end_by}, old;
    (void)sigemptyset(&action.sa_mask);
    if (sigaction(SIGPIPE, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        (void)sigaction(SIGPIPE, &action, NULL);
}

void cli_clean_up_at_signals(void) {
    handle_by(end_by);
    handle_pipe();
}

void cli_catch_signals(void) {
    handle_by(handle_signal);
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
