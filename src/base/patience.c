/* SPDX-License-Identifier: MIT */
/* Waiting that a signal ends in good order: see patience.h. */
#include "base/patience.h"

#include <stddef.h>
#include <time.h>

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
