/* SPDX-License-Identifier: MIT */
/* Measuring a stack: see measure.h. */
#include "tour/measure.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_BYTES = 8 << 20, PAGE_BYTES = 4096, PAINT = 0xA5 };

typedef struct errand {
    void (*run)(void *context);
    void *context;
} errand;

static void *do_errand(void *context) {
    const errand *e = context;
    e->run(e->context);
    return NULL;
}

static void do_nothing(void *context) {
    (void)context;
}

static bool run_on(unsigned char *stack, const errand *e) {
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    const bool started = pthread_attr_setstack(&attributes, stack, STACK_BYTES) == 0 &&
                         pthread_create(&thread, &attributes, do_errand, (void *)e) == 0;
    (void)pthread_attr_destroy(&attributes);
    return started && pthread_join(thread, NULL) == 0;
}

/* Stacks grow down: what is still painted was never reached. */
static uint64_t depth(unsigned char *stack, const errand *e, bool *has_run) {
    memset(stack, PAINT, STACK_BYTES);
    *has_run = *has_run && run_on(stack, e);
    size_t untouched = 0;
    while (untouched < STACK_BYTES && stack[untouched] == PAINT)
        untouched++;
    return STACK_BYTES - untouched;
}

col_status tour_measure_stack(void (*run)(void *context), void *context, uint64_t *bytes,
                              col_problem *problem) {
    void *stack = NULL;
    bool has_run = true;
    if (posix_memalign(&stack, PAGE_BYTES, STACK_BYTES) != 0)
        return base_out_of_memory(problem);
    const uint64_t least = depth(stack, &(errand){do_nothing, NULL}, &has_run);
    const uint64_t most = depth(stack, &(errand){run, context}, &has_run);
    free(stack);
    *bytes = most > least ? most - least : 0;
    return has_run ? COL_OK : base_fail(problem, "cannot start a thread");
}
