/* SPDX-License-Identifier: MIT */
/* A design that does what the seed says: see fake.h. */
#include "fake.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Like a plug-in's author, it sees what a design is and not what makes the tests. */
#ifdef COLLIDER_GENERATE_H
#error "collider/duv.h includes the generator"
#endif

typedef struct fake {
    col_duv_description description;
    col_duv_machine machine;
    col_duv_point points[3];
    const col_program *program;
    uint64_t hits[3];
    uint64_t runs;
    /* Of the instance. */
    const col_observer *observer;
    const volatile int *stop;
    uint64_t events;
} fake;

static col_status say(col_problem *problem, col_status status, const char *sentence) {
    (void)snprintf(problem->message, sizeof problem->message, "%s", sentence);
    return status;
}

static void describe_points(fake *f) {
    for (uint32_t i = 0; i < 3; i++)
        f->points[i] =
            (col_duv_point){.state = "S", .event = i == 1 ? "" : "E", .reachable = i == 2};
    f->machine = (col_duv_machine){.name = "M", .controllers = 1, .point_count = 3};
}

static col_status open_fake(void **state, const col_duv_settings *settings, col_problem *problem) {
    const char *options = settings->options != NULL ? settings->options : "";
    const char *name = getenv("FAKE_NAME");
    if (strcmp(options, "refuse") == 0)
        return say(problem, COL_BAD_INPUT, "it does not like you");
    if (strcmp(options, "crash") == 0)
        _exit(9);
    fake *f = calloc(1, sizeof *f);
    if (f == NULL)
        return say(problem, COL_FAILURE, "out of memory");
    describe_points(f);
    f->description = (col_duv_description){
        .name = name != NULL ? name : "fake",
        .cores = 3,
        .model = COL_PSO,
        .geometry = {.block_bits = 5,
                     .level_count = 1,
                     .levels = {{.name = "L7", .index_low = 5, .index_bits = 4, .ways = 3}}},
        .machine_count = 1,
        .point_count = 3,
        .machines = &f->machine,
        .points = f->points,
        .reachable_known = true};
    *state = f;
    return COL_OK;
}

static void close_fake(void *state) {
    free(state);
}

static const col_duv_description *describe_fake(void *state) {
    return &((const fake *)state)->description;
}

static col_status load_fake(void *state, const col_program *program, col_problem *problem) {
    if (program->location_count == 99)
        _exit(8);
    if (program->location_count == 98)
        return say(problem, COL_BAD_INPUT, "98 is too many");
    ((fake *)state)->program = program;
    return COL_OK;
}

static void tell(fake *f, const char *message) {
    const col_event event = {.kind = message != NULL ? COL_INVARIANT_BROKEN : COL_LOAD_PERFORMED,
                             .cycle = f->events++,
                             .word = f->program->location_count,
                             .block = f->runs,
                             .message = message};
    if (f->observer != NULL)
        f->observer->notice(f->observer->context, &event);
}

/* ---- What the seeds mean. */

/* Nobody comes back from here. */
static void hang(void) {
    for (;;)
        (void)pause();
}

static void fork_and_hang(void) {
    (void)fork();
    hang();
}

static void close_all_and_hang(void) {
    for (int i = 3; i < 64; i++)
        (void)close(i);
    hang();
}

static void tell_process(fake *f) {
    char text[64];
    (void)snprintf(text, sizeof text, "%ld", (long)getpid());
    tell(f, text);
}

static col_run_end say_failure(fake *f, col_run *run) {
    tell(f, "something is broken");
    tell(f, "and more");
    (void)snprintf(run->message, sizeof run->message, "broken");
    return COL_RUN_INVARIANT;
}

static col_run_end wait_for_stop(fake *f, bool tells) {
    while (*f->stop == 0)
        if (tells)
            tell(f, NULL);
    return COL_RUN_STOPPED;
}

static col_run_end wait_a_while(fake *f, bool hangs) {
    for (uint32_t i = 0; i < 100 && *f->stop == 0; i++)
        tell(f, NULL);
    if (*f->stop == 0 && hangs)
        hang();
    else if (*f->stop == 0)
        (void)raise(SIGSEGV);
    return COL_RUN_STOPPED;
}

static col_run_end act(fake *f, uint64_t seed, col_run *run) {
    switch (seed) {
    case SEGFAULT:
        (void)raise(SIGSEGV);
        return COL_RUN_COMPLETE;
    case KILLED:
        (void)raise(SIGKILL);
        return COL_RUN_COMPLETE;
    case EXITS:
        _exit(3);
    case SAYS_FAILURE:
        return say_failure(f, run);
    case UNTIL_STOP:
    case SILENT:
        return wait_for_stop(f, seed == UNTIL_STOP);
    case STOPS_OR_DIES:
    case STOPS_OR_HANGS:
        return wait_a_while(f, seed == STOPS_OR_HANGS);
    case TELLS_PROCESS:
        tell_process(f);
        return COL_RUN_COMPLETE;
    case TELLS_AND_HANGS:
        tell_process(f);
        hang();
        break;
    case HANGS:
        hang();
        break;
    case CLOSES_ALL:
        close_all_and_hang();
        break;
    case FORKS:
        fork_and_hang();
        break;
    case FLOODS:
        for (;;)
            tell(f, NULL);
    default:
        break;
    }
    return COL_RUN_COMPLETE;
}

static col_status run_fake(void *state, uint64_t seed, const col_observer *observer,
                           const volatile int *stop, col_run *run, col_problem *problem) {
    fake *f = state;
    f->runs++;
    f->hits[0] += 7;
    f->hits[2]++;
    f->observer = observer;
    f->stop = stop;
    f->events = 0;
    if (seed == REFUSES)
        return say(problem, COL_FAILURE, "no memory for that");
    const uint32_t events = seed == FINE ? FAKE_EVENTS : seed == SILENT ? 0 : FAKE_SOME;
    for (uint32_t i = 0; i < events; i++)
        tell(f, NULL);
    run->end = act(f, seed, run);
    run->cycles = f->events;
    return COL_OK;
}

static void collect_fake(void *state, uint64_t *hits) {
    fake *f = state;
    for (uint32_t i = 0; i < 3; i++)
        hits[i] += f->hits[i];
    memset(f->hits, 0, sizeof f->hits);
}

const col_duv_interface fake_interface = {.version = COL_DUV_VERSION,
                                          .name = "fake",
                                          .own_process = true,
                                          .open = open_fake,
                                          .close = close_fake,
                                          .describe = describe_fake,
                                          .load = load_fake,
                                          .run = run_fake,
                                          .collect = collect_fake};
