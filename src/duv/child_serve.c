/* SPDX-License-Identifier: MIT */
/*
 * The child's side: opens the design and does what it is asked. It ends when the line to the
 * parent does. Nothing here writes to streams that the parent has open too.
 */
#include "duv/line.h"

#include "base/line.h"
#include "base/sentence.h"
#include "base/stop.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

typedef struct server {
    base_line line;
    duv_shared *shared;
    const duv_kind *kind; /* NULL: not known */
    const col_duv_interface *interface;
    void *state;
    const col_duv_description *description;
    col_program program;
    uint64_t *hits;
    duv_hit *told;
    char *bytes; /* of a request */
    size_t capacity;
    uint8_t *drawn;                   /* a value of each key */
    uint64_t event_count, stop_after; /* of the run */
} server;

/* ---- Signals. */

/* As after exec: what the parent does about a signal, such as jumping out of a crash, is not meant
 * for this process. */
static void forget_handlers(void) {
    enum { MOST_SIGNALS = 64 };
    for (int number = 1; number <= MOST_SIGNALS; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            (void)signal(number, SIG_DFL);
    }
}

/* When the parent dies, so does the child, also in the middle of a run. */

#if defined(__linux__)
static volatile pid_t parent; /* of this process; a signal handler has no context */

/* The signal comes whenever a thread of the parent ends that made this process. */
static void leave_if_orphan(int signal_number) {
    (void)signal_number;
    if (getppid() != parent)
        _exit(0);
}

static void die_with_parent(pid_t of) {
    struct sigaction action = {.sa_handler = leave_if_orphan, .sa_flags = SA_RESTART};
    sigset_t set;
    parent = of;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGHUP, &action, NULL);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGHUP);
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGHUP);
    leave_if_orphan(SIGHUP);
}
#else
static void die_with_parent(pid_t of) {
    (void)of;
}
#endif

/* ---- Answers. */

static void send_bytes(server *s, const void *bytes, size_t size) {
    if (base_line_send(&s->line, bytes, size) != BASE_TRANSFER_DONE)
        _exit(0); /* the parent is gone */
}

static void receive_bytes(server *s, void *bytes, size_t size) {
    if (base_line_receive(&s->line, bytes, size) != BASE_TRANSFER_DONE)
        _exit(0);
}

static void answer(server *s, duv_answer *a, const void *bytes, size_t size) {
    a->size = a->status == COL_OK ? size : 0;
    send_bytes(s, a, sizeof *a);
    send_bytes(s, bytes, (size_t)a->size);
}

/* ---- Events. */

static void tell_batch(server *s) {
    const duv_answer batch = {.is_batch = true};
    duv_request go_on;
    send_bytes(s, &batch, sizeof batch);
    receive_bytes(s, &go_on, sizeof go_on); /* by now the batch is empty */
}

static void notice(void *context, const col_event *event) {
    server *s = context;
    duv_shared *shared = s->shared;
    const uint32_t count = atomic_load_explicit(&shared->count, memory_order_relaxed);
    shared->events[count] = *event;
    shared->events[count].message = NULL;
    const bool has_text = event->message != NULL && !duv_is_message(event);
    if (event->message != NULL && !has_text)
        base_sentence(shared->names[count], DUV_NAME, "%s", event->message);
    if (has_text) {
        base_sentence(shared->text, DUV_TEXT, "%s", event->message);
        shared->has_text = true;
    }
    if (++s->event_count == s->stop_after)
        base_stop_set(&shared->stop, true);
    /* From here on the parent has it, even if the design crashes now. */
    atomic_store_explicit(&shared->count, count + 1, memory_order_release);
    if (count + 1 == DUV_BATCH || has_text)
        tell_batch(s);
}

/* ---- Requests. */

static void open_design(server *s, const col_duv_settings *settings) {
    duv_answer a = {0};
    base_text bytes = {0};
    a.status = s->interface->open(&s->state, settings, &a.problem);
    if (a.status == COL_OK) {
        s->description = s->interface->describe(s->state);
        a.status = duv_check_description(s->description, &a.problem);
    }
    if (a.status == COL_OK) {
        const size_t count = col_duv_functional_count(s->description);
        s->hits = calloc(count + 1, sizeof *s->hits);
        s->told = calloc(count + 1, sizeof *s->told);
        if (s->kind != NULL && s->kind->keys != NULL)
            a.keys = s->kind->keys(s->state);
        s->drawn = calloc((size_t)a.keys + 1, sizeof *s->drawn);
        duv_write_description(s->description, &bytes);
        a.status = s->hits == NULL || s->told == NULL || s->drawn == NULL
                       ? base_out_of_memory(&a.problem)
                       : base_text_status(&bytes, &a.problem);
    }
    answer(s, &a, bytes.data, bytes.length);
    base_text_free(&bytes);
    if (a.status != COL_OK)
        _exit(0);
}

/* The bytes of a program that there is no room for. */
static col_status let_pass(server *s, uint64_t size, col_problem *problem) {
    char piece[1024];
    while (size > 0) {
        const size_t count = size < sizeof piece ? (size_t)size : sizeof piece;
        receive_bytes(s, piece, count);
        size -= count;
    }
    return base_out_of_memory(problem);
}

static col_status receive_program(server *s, uint64_t size, col_problem *problem) {
    if (size > s->capacity) {
        free(s->bytes);
        s->bytes = malloc((size_t)size);
        s->capacity = s->bytes == NULL ? 0 : (size_t)size;
    }
    if (s->bytes == NULL)
        return let_pass(s, size, problem);
    receive_bytes(s, s->bytes, (size_t)size);
    duv_reader reader = {.at = s->bytes, .left = (size_t)size};
    return duv_read_program(&reader, &s->program, problem);
}

static void load(server *s, const duv_request *request) {
    duv_answer a = {0};
    a.status = receive_program(s, request->size, &a.problem);
    if (a.status == COL_OK)
        a.status = s->interface->load(s->state, &s->program, &a.problem);
    answer(s, &a, NULL, 0);
}

static void tell_drawn(server *s, const duv_request *request) {
    duv_answer a = {0};
    s->kind->drawn(s->state, request->configuration, s->drawn);
    answer(s, &a, s->drawn, s->kind->keys(s->state));
}

/* Those that are not 0: after an instance of a small test most are. */
static size_t collect(server *s) {
    const uint32_t points = col_duv_functional_count(s->description);
    size_t count = 0;
    s->interface->collect(s->state, s->hits);
    for (uint32_t p = 0; p < points; p++) {
        if (s->hits[p] == 0)
            continue;
        s->told[count] = (duv_hit){.count = s->hits[p], .point = p};
        count++;
        s->hits[p] = 0;
    }
    return count;
}

static void run(server *s, const duv_request *request) {
    duv_answer a = {.run = {.end = COL_RUN_COMPLETE}};
    const col_observer observer = {s, notice, request->kinds};
    s->event_count = 0;
    s->stop_after = request->stop_after;
    a.status = s->interface->run(s->state, request->seed, request->is_watched ? &observer : NULL,
                                 request->may_stop ? &s->shared->stop : NULL, &a.run, &a.problem);
    if (atomic_load(&s->shared->count) > 0)
        tell_batch(s);
    answer(s, &a, s->told, collect(s) * sizeof *s->told);
}

void duv_child_serve(int socket, pid_t parent_process, duv_shared *shared, const duv_kind *kind,
                     const col_duv_interface *interface, const col_duv_settings *settings) {
    server s = {.line = {.socket = socket},
                .shared = shared,
                .kind = kind,
                .interface = interface,
                .program = COL_PROGRAM_EMPTY};
    forget_handlers();
    die_with_parent(parent_process);
    open_design(&s, settings);
    for (;;) {
        duv_request request;
        receive_bytes(&s, &request, sizeof request);
        if (request.kind == DUV_LOAD)
            load(&s, &request);
        else if (request.kind == DUV_RUN)
            run(&s, &request);
        else if (request.kind == DUV_DRAWN)
            tell_drawn(&s, &request);
        else
            break;
    }
    interface->close(s.state);
    _exit(0);
}
