/* SPDX-License-Identifier: MIT */
/*
 * The parent's side of a design in a process of its own: starts the process, asks it, passes its
 * events on, and finds words for its end. See own_process.h.
 */
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): MAP_ANONYMOUS
#include "design/own_process.h"

#include "base/clock.h"
#include "program/program.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct in_child {
    const duv_kind *kind; /* NULL: not known */
    const col_duv_interface *interface;
    col_duv_settings settings;
    base_arena texts; /* of the settings */
    duv_wait wait;
    duv_shared *shared;
    pid_t parent; /* we, when the process was started */
    base_process process;
    base_line line;
    const volatile int *stop; /* to be looked at while the process is waited for */
    base_text described;      /* what the process said of the design */
    duv_copy copy;            /* with names in these bytes */
    const col_program *program;
    bool is_loaded;  /* the program, in the process there is now */
    base_text bytes; /* of the program, as it goes over */
    duv_hit *told;   /* of the last run */
    uint64_t told_count;
    uint64_t *hits; /* that were not collected yet */
    uint32_t functional_count;
    uint32_t keys;
} in_child;

/* ---- The end of a process. */

static int end_process(in_child *child) {
    child->is_loaded = false;
    return base_process_end(&child->process);
}

/* Signals that come from outside: of a machine without memory, or of somebody who ended it. */
static bool is_from_outside(int status) {
    static const int outside[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++)
        if (WIFSIGNALED(status) && WTERMSIG(status) == outside[i])
            return true;
    return false;
}

/* The process does not answer: what happened, as the beginning of a sentence. Is it the design's
 * own fault? */
static bool bury(in_child *child, base_transfer how, char *sentence, size_t size) {
    const bool by_itself =
        how == BASE_TRANSFER_GONE && base_process_ends_within(&child->process, 1000);
    const int status = end_process(child);
    if (how == BASE_TRANSFER_LATE)
        (void)snprintf(sentence, size, "the design did not answer within %g seconds",
                       child->wait.limit);
    else if (!by_itself || status == -1)
        (void)snprintf(sentence, size, "the design's process does not answer any more");
    else
        base_process_tell("the design's process", status, sentence, size);
    return !(by_itself && status != -1 && is_from_outside(status));
}

static col_status fail_buried(in_child *child, base_transfer how, const char *when,
                              col_problem *problem) {
    char sentence[400];
    (void)bury(child, how, sentence, sizeof sentence);
    return base_fail(problem, "%s %s", sentence, when);
}

/* ---- The beginning of one. */

/* A stop from outside, by a signal say, is passed on; an interrupt shortens the wait, too. */
static void look(void *context, double now) {
    enum { GRACE = 1 };
    in_child *child = context;
    const bool is_interrupted = base_is_stopped(child->wait.interrupt);
    if (base_is_stopped(child->stop) || is_interrupted)
        base_stop_set(&child->shared->stop, true);
    if (is_interrupted && (!child->line.has_deadline || child->line.deadline > now + GRACE)) {
        child->line.has_deadline = true;
        child->line.deadline = now + GRACE;
    }
}

static void begin_answer(in_child *child, const volatile int *stop) {
    child->stop = stop;
    child->line.has_deadline = child->wait.limit > 0;
    child->line.deadline = base_seconds() + child->wait.limit;
    child->line.look = stop != NULL || child->wait.interrupt != NULL ? look : NULL;
}

static void serve(void *context, int line) {
    const in_child *child = context;
    duv_child_serve(line, child->parent, child->shared, child->kind, child->interface,
                    &child->settings);
}

static col_status start_process(in_child *child, col_problem *problem) {
    const base_process_plan plan = {.what = "the design's process",
                                    .has_line = true,
                                    .has_group = true,
                                    .run = serve,
                                    .context = child};
    child->parent = getpid();
    child->shared->has_text = false;
    atomic_store(&child->shared->count, 0);
    (void)fflush(stdout); /* or the child might write it once more */
    const col_status status = base_process_start(&child->process, &plan, problem);
    child->line = (base_line){.socket = child->process.line, .context = child};
    return status;
}

base_transfer duv_receive_text(base_line *line, uint64_t size, base_text *text) {
    char part[4096];
    while (size > 0) {
        const size_t now = size < sizeof part ? (size_t)size : sizeof part;
        const base_transfer got = base_line_receive(line, part, now);
        if (got != BASE_TRANSFER_DONE)
            return got;
        base_text_add_bytes(text, part, now);
        size -= now;
    }
    return BASE_TRANSFER_DONE;
}

/* Starts a process and hears how the design describes itself. */
static col_status open_process(in_child *child, base_text *described, col_problem *problem) {
    duv_answer a;
    BASE_TRY(start_process(child, problem));
    begin_answer(child, NULL);
    base_transfer got = base_line_receive(&child->line, &a, sizeof a);
    if (got == BASE_TRANSFER_DONE && a.status == COL_OK)
        got = duv_receive_text(&child->line, a.size, described);
    if (got != BASE_TRANSFER_DONE)
        return fail_buried(child, got, "while it opened the design", problem);
    if (a.status != COL_OK) {
        (void)end_process(child);
        if (problem != NULL)
            *problem = a.problem;
        return a.status;
    }
    child->keys = a.keys;
    return base_text_status(described, problem);
}

/* Another process for the same design: it must be the same to everybody who has its description. */
static col_status restart(in_child *child, col_problem *problem) {
    base_text described = {0};
    col_status status = open_process(child, &described, problem);
    if (status == COL_OK && !duv_is_same(&described, &child->described))
        status =
            base_fail(problem, "the design describes itself in another way after it was opened "
                               "again");
    base_text_free(&described);
    return status;
}

static col_status copy_settings(in_child *child, const col_duv_settings *settings,
                                col_problem *problem) {
    const char **const texts[] = {&child->settings.name, &child->settings.options,
                                  &child->settings.error};
    child->settings = *settings;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (*texts[i] == NULL)
            continue;
        *texts[i] = base_arena_text(&child->texts, *texts[i], strlen(*texts[i]));
        if (*texts[i] == NULL)
            return base_out_of_memory(problem);
    }
    return COL_OK;
}

static col_status describe(in_child *child, col_problem *problem) {
    BASE_TRY(duv_read_description(&child->described, &child->copy, problem));
    child->functional_count = col_duv_functional_count(&child->copy.description);
    child->hits = calloc((size_t)child->functional_count + 1, sizeof *child->hits);
    child->told = calloc((size_t)child->functional_count + 1, sizeof *child->told);
    return child->hits == NULL || child->told == NULL ? base_out_of_memory(problem) : COL_OK;
}

static void close_child(void *state) {
    in_child *child = state;
    const duv_request quit = {.kind = DUV_QUIT};
    if (child->process.id != 0) {
        child->line.has_deadline = true;
        child->line.deadline = base_seconds() + 1;
        if (base_line_send(&child->line, &quit, sizeof quit) == BASE_TRANSFER_DONE)
            (void)base_process_ends_within(&child->process, 1000);
        (void)end_process(child);
    }
    if (child->shared != NULL)
        (void)munmap(child->shared, sizeof *child->shared);
    duv_copy_free(&child->copy);
    base_text_free(&child->described);
    base_text_free(&child->bytes);
    free(child->told);
    free(child->hits);
    base_arena_free(&child->texts);
    free(child);
}

col_status duv_child_open(void **state, const duv_kind *kind, const col_duv_interface *interface,
                          const col_duv_settings *settings, col_problem *problem) {
    in_child *child = NULL;
    BASE_TRY(base_new(&child, 1, sizeof *child, problem));
    child->kind = kind;
    child->interface = interface;
    child->wait.limit = COL_DUV_LIMIT;
    child->shared =
        mmap(NULL, sizeof(duv_shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (child->shared == MAP_FAILED) {
        child->shared = NULL;
        close_child(child);
        return base_fail(problem, "no memory can be shared with the design's process");
    }
    col_status status = copy_settings(child, settings, problem);
    if (status == COL_OK)
        status = open_process(child, &child->described, problem);
    if (status == COL_OK)
        status = describe(child, problem);
    return duv_opened(state, child, status, close_child);
}

static const col_duv_description *describe_child(void *state) {
    return &((const in_child *)state)->copy.description;
}

static duv_wait *wait_of(void *state) {
    return &((in_child *)state)->wait;
}

/* ---- Programs. */

static col_status send_program(in_child *child, col_problem *problem) {
    duv_answer a;
    child->bytes.length = 0;
    duv_write_program(child->program, &child->bytes);
    BASE_TRY(base_text_status(&child->bytes, problem));
    const duv_request request = {.kind = DUV_LOAD, .size = child->bytes.length};
    begin_answer(child, NULL);
    base_transfer done = base_line_send(&child->line, &request, sizeof request);
    if (done == BASE_TRANSFER_DONE)
        done = base_line_send(&child->line, child->bytes.data, child->bytes.length);
    if (done == BASE_TRANSFER_DONE)
        done = base_line_receive(&child->line, &a, sizeof a);
    if (done != BASE_TRANSFER_DONE)
        return fail_buried(child, done, "while it loaded a program", problem);
    child->is_loaded = a.status == COL_OK;
    if (a.status != COL_OK && problem != NULL)
        *problem = a.problem;
    return a.status;
}

/* A process with the program. */
static col_status get_ready(in_child *child, col_problem *problem) {
    const col_status status = child->process.id == 0 ? restart(child, problem) : COL_OK;
    return status == COL_OK && !child->is_loaded ? send_program(child, problem) : status;
}

static col_status load(void *state, const col_program *program, col_problem *problem) {
    in_child *child = state;
    child->program = program;
    child->is_loaded = false;
    return get_ready(child, problem);
}

/* ---- Configurations. */

static uint32_t keys(void *state) {
    return ((const in_child *)state)->keys;
}

/* Without an answer nothing is known of the configuration; the next run says why. */
static void drawn(void *state, uint32_t configuration, uint8_t *values) {
    in_child *child = state;
    const duv_request request = {.kind = DUV_DRAWN, .configuration = configuration};
    char sentence[400];
    duv_answer a;
    memset(values, 0, child->keys);
    if (child->process.id == 0 && restart(child, NULL) != COL_OK)
        return;
    begin_answer(child, NULL);
    base_transfer done = base_line_send(&child->line, &request, sizeof request);
    if (done == BASE_TRANSFER_DONE)
        done = base_line_receive(&child->line, &a, sizeof a);
    if (done == BASE_TRANSFER_DONE)
        done = a.size == child->keys ? base_line_receive(&child->line, values, child->keys)
                                     : BASE_TRANSFER_GONE;
    if (done != BASE_TRANSFER_DONE)
        (void)bury(child, done, sentence, sizeof sentence);
}

/* ---- Runs. A design in our own process sees a stop in the cycle of the event that it is for; one
 * in a process of its own has gone on by then, up to the end of the batch. So it runs once more and
 * stops itself at that event: what the instance came to is the same in either place. */

typedef struct telling {
    const col_observer *observer;
    const volatile int *stop;
    bool repeats;        /* a run with the same seed has the same events */
    uint64_t told;       /* events of this run */
    uint64_t known;      /* of these, as many as the observer has from an earlier one */
    uint64_t stopped_at; /* the event for which the design was stopped too late; 0: none */
} telling;

/* Empties the batch. */
static void pass_on(const in_child *child, telling *t) {
    duv_shared *shared = child->shared;
    char text[DUV_TEXT], name[DUV_NAME];
    uint32_t count = atomic_load(&shared->count);
    count = count < DUV_BATCH ? count : DUV_BATCH;
    const bool waits = count == DUV_BATCH || shared->has_text; /* in the last event */
    if (shared->has_text) {
        memcpy(text, shared->text, sizeof text);
        text[sizeof text - 1] = '\0';
    }
    for (uint32_t i = 0; i < count && t->observer != NULL && t->stopped_at == 0; i++) {
        const bool is_last = i + 1 == count;
        col_event event = shared->events[i];
        if (++t->told <= t->known)
            continue;
        event.message = is_last && shared->has_text ? text : NULL;
        if (duv_is_message(&event)) {
            memcpy(name, shared->names[i], sizeof name);
            name[sizeof name - 1] = '\0';
            event.message = name;
        }
        /* What the process had written is trusted no further than it must be. */
        const col_observer *observer = t->observer;
        if ((unsigned)event.kind < COL_EVENT_KINDS && (observer->kinds >> event.kind & 1) != 0)
            observer->notice(observer->context, &event);
        if (t->repeats && t->known == 0 && base_is_stopped(t->stop) && !(is_last && waits))
            t->stopped_at = t->told;
    }
    shared->has_text = false;
    atomic_store(&shared->count, 0);
}

static base_transfer receive_hits(in_child *child, uint64_t size) {
    const uint64_t count = size / sizeof *child->told;
    if (count > child->functional_count || size % sizeof *child->told != 0)
        return BASE_TRANSFER_GONE;
    const base_transfer got = base_line_receive(&child->line, child->told, (size_t)size);
    child->told_count = got == BASE_TRANSFER_DONE ? count : 0;
    return got;
}

/* Until the run has ended. */
static base_transfer follow(in_child *child, const duv_request *request, telling *t,
                            duv_answer *a) {
    const duv_request go_on = {.kind = DUV_GO_ON};
    begin_answer(child, t->stop);
    base_stop_set(&child->shared->stop, false);
    base_transfer done = base_line_send(&child->line, request, sizeof *request);
    while (done == BASE_TRANSFER_DONE) {
        done = base_line_receive(&child->line, a, sizeof *a);
        if (done != BASE_TRANSFER_DONE || !a->is_batch)
            break;
        pass_on(child, t);
        if (base_is_stopped(t->stop))
            base_stop_set(&child->shared->stop, true);
        done = base_line_send(&child->line, &go_on, sizeof go_on);
    }
    child->stop = NULL;
    return done == BASE_TRANSFER_DONE ? receive_hits(child, a->size) : done;
}

static col_status run_once(in_child *child, const duv_request *request, telling *t, col_run *run,
                           col_problem *problem) {
    duv_answer a;
    const col_status status = get_ready(child, problem);
    child->told_count = 0;
    if (status != COL_OK)
        return status;
    const base_transfer done = follow(child, request, t, &a);
    if (done == BASE_TRANSFER_DONE) {
        *run = a.run;
        if (a.status != COL_OK && problem != NULL)
            *problem = a.problem;
        return a.status;
    }
    const bool is_own_fault = bury(child, done, run->message, sizeof run->message);
    pass_on(child, t);
    run->end = done == BASE_TRANSFER_LATE ? COL_RUN_TIMED_OUT : COL_RUN_CRASHED;
    return is_own_fault ? COL_OK
                        : base_fail(problem,
                                    "%.300s; it may have run out of memory: free some, or ask for "
                                    "a smaller job",
                                    run->message);
}

static col_status run(void *state, uint64_t seed, const col_observer *observer,
                      const volatile int *stop, col_run *result, col_problem *problem) {
    in_child *child = state;
    const bool repeats = !child->copy.description.varies;
    telling t = {.observer = observer, .stop = stop, .repeats = repeats};
    duv_request request = {.kind = DUV_RUN,
                           .seed = seed,
                           .kinds = observer != NULL ? observer->kinds : 0,
                           .is_watched = observer != NULL,
                           .may_stop = stop != NULL};
    col_status status = run_once(child, &request, &t, result, problem);
    if (status == COL_OK && t.stopped_at > 0 && !base_is_stopped(child->wait.interrupt)) {
        telling rest = {.observer = observer, .known = t.stopped_at};
        request.stop_after = t.stopped_at;
        *result = (col_run){.end = COL_RUN_COMPLETE};
        status = run_once(child, &request, &rest, result, problem);
    }
    for (uint64_t i = 0; i < child->told_count; i++)
        if (child->told[i].point < child->functional_count)
            child->hits[child->told[i].point] += child->told[i].count;
    return status;
}

static void collect(void *state, uint64_t *hits) {
    in_child *child = state;
    for (uint32_t i = 0; i < child->functional_count; i++) {
        hits[i] += child->hits[i];
        child->hits[i] = 0;
    }
}

static const col_duv_interface child_interface = {
    .version = COL_DUV_VERSION,
    .name = "process",
    .close = close_child,
    .describe = describe_child,
    .load = load,
    .run = run,
    .collect = collect,
};

const duv_kind duv_child = {
    .interface = &child_interface, .wait = wait_of, .keys = keys, .drawn = drawn};
