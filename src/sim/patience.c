/* SPDX-License-Identifier: MIT */
/* Waiting that a signal ends in good order: see patience.h. */
#include "sim/patience.h"

#include <stddef.h>
#include <time.h>

enum { STEP_NANOSECONDS = 5000000 };

void sim_patience_start(sim_patience *patience) {
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

bool sim_patience_wait(sim_patience *patience) {
    const struct timespec step = {.tv_nsec = STEP_NANOSECONDS};
    if (patience->came == 0) {
        const int number = sigtimedwait(&patience->watched, NULL, &step);
        patience->came = number > 0 ? number : 0;
    }
    return patience->came == 0;
}

void sim_patience_end(sim_patience *patience) {
    if (patience->came != 0)
        (void)raise(patience->came); /* held back until the next line */
    (void)pthread_sigmask(SIG_SETMASK, &patience->before, NULL);
}
