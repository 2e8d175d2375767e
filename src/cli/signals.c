/* SPDX-License-Identifier: MIT */
/* Signals: see signals.h. */
#include "cli/signals.h"

#include <signal.h>
#include <stddef.h>

volatile int cli_stop; /* global, because that is all that a signal can reach */

static void handle_signal(int number) {
    (void)number;
    cli_stop = 1;
}

/* What is ignored by whoever started us, as under nohup, stays so. */
void cli_catch_signals(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = handle_signal, .sa_flags = (int)SA_RESETHAND};
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction old;
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(signals[i], &action, NULL);
    }
}
