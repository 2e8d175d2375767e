/* SPDX-License-Identifier: MIT */
/* Units of work: see units.h. */
#include "units.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_THREADS = 16, FAILURE = 3 };

typedef struct crew {
    uint32_t count;
    _Atomic uint32_t next;
    void (*run)(void *context, uint32_t unit);
    void *context;
} crew;

_Noreturn void give_up(const char *reason) {
    (void)fprintf(stderr, "bench: %s\n", reason);
    exit(FAILURE); /* NOLINT(concurrency-mt-unsafe) */
}

static void *work(void *context) {
    crew *c = context;
    for (;;) {
        const uint32_t unit = c->next++;
        if (unit >= c->count)
            return NULL;
        c->run(c->context, unit);
    }
}

void units_run(uint32_t count, void (*run)(void *context, uint32_t unit), void *context) {
    crew c = {.count = count, .run = run, .context = context};
    pthread_t threads[MOST_THREADS];
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const long number = processors < 1 ? 1 : processors > MOST_THREADS ? MOST_THREADS : processors;
    for (long i = 0; i < number; i++)
        if (pthread_create(&threads[i], NULL, work, &c) != 0)
            give_up("cannot start a thread");
    for (long i = 0; i < number; i++)
        (void)pthread_join(threads[i], NULL);
}
