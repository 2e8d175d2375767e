/* SPDX-License-Identifier: MIT */
/*
 * The child's side: opens the design and does what it is asked. It ends when the line to the
 * parent does. Nothing here writes to streams that the parent has open too.
 */
#include "design/own_process.h"

#include "base/clock.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

/* ---- Descriptions. Field by field, so that equal ones are equal bytes. What writes one reads it,
 * too: it writes a copy, so that what a design gave us is never written to. */

typedef struct codec {
    base_text *out; /* NULL: it reads */
    const char *at; /* what is left to be read: */
    size_t left;
    bool is_wrong; /* there was too little, or it made no sense */
    bool failed;   /* there is no memory */
    duv_copy *copy;
} codec;

static bool goes_on(const codec *c) {
    return !c->failed && !c->is_wrong;
}

/* What was read is wrong if this is. */
static void check(codec *c, bool is_wrong) {
    c->is_wrong = c->is_wrong || (c->out == NULL && is_wrong);
}

static void bytes(codec *c, void *item, size_t size) {
    check(c, size > c->left);
    if (!goes_on(c) || size == 0)
        return;
    if (c->out != NULL) {
        base_text_add_bytes(c->out, item, size);
        return;
    }
    memcpy(item, c->at, size);
    c->at += size;
    c->left -= size;
}

static void number(codec *c, uint32_t *number) {
    bytes(c, number, sizeof *number);
}

static void flag(codec *c, bool *flag) {
    uint32_t as_number = *flag;
    number(c, &as_number);
    *flag = as_number != 0;
}

static void string(codec *c, const char **text) {
    if (c->out != NULL) {
        base_text_add_bytes(c->out, *text, strlen(*text) + 1);
        return;
    }
    const char *end = c->left == 0 ? NULL : memchr(c->at, '\0', c->left);
    check(c, end == NULL);
    *text = goes_on(c) ? c->at : "";
    if (goes_on(c)) {
        c->left -= (size_t)(end + 1 - c->at);
        c->at = end + 1;
    }
}

/* Room for items that are read, or a copy of those that are written. Each takes a byte or more, so
 * that more of them is nonsense, not a reason to take memory. */
static void *room(codec *c, const void *items, uint32_t count, size_t size) {
    check(c, count > c->left);
    void *copy = goes_on(c) ? base_arena_take(&c->copy->arena, ((size_t)count + 1) * size) : NULL;
    if (copy != NULL && items != NULL && count > 0)
        memcpy(copy, items, count * size);
    c->failed = c->failed || (copy == NULL && goes_on(c));
    return copy;
}

static void transfer_geometry(codec *c, col_geometry *g) {
    number(c, &g->block_bits);
    number(c, &g->level_count);
    check(c, g->level_count > COL_MAX_LEVELS);
    for (uint32_t l = 0; l < g->level_count && goes_on(c); l++) {
        col_cache_level *level = &g->levels[l];
        char name[sizeof level->name + 1] = {0};
        const char *text = name;
        memcpy(name, level->name, sizeof level->name);
        string(c, &text);
        if (c->out == NULL)
            strncpy(level->name, text, sizeof level->name - 1);
        number(c, &level->index_low);
        number(c, &level->index_bits);
        number(c, &level->ways);
    }
}

static void transfer_points(codec *c, col_duv_description *d) {
    col_duv_machine *machine = room(c, d->machines, d->machine_count, sizeof *machine);
    col_duv_point *point = room(c, d->points, d->point_count, sizeof *point);
    d->machines = c->copy->machines = machine;
    d->points = c->copy->points = point;
    for (uint32_t m = 0; m < d->machine_count && goes_on(c); m++, machine++) {
        string(c, &machine->name);
        number(c, &machine->controllers);
        flag(c, &machine->is_private);
        number(c, &machine->first_point);
        number(c, &machine->point_count);
    }
    for (uint32_t p = 0; p < d->point_count && goes_on(c); p++, point++) {
        string(c, &point->state);
        string(c, &point->event);
        flag(c, &point->reachable);
    }
}

/* The words of one machine, of which as many are left. */
static void transfer_words(codec *c, col_duv_names *names, const char **words, bool *empty,
                           uint32_t left) {
    number(c, &names->state_count);
    number(c, &names->event_count);
    const uint32_t states = names->state_count, events = names->event_count;
    check(c, states > left || events > left - states);
    for (uint32_t i = 0; i < states + events && goes_on(c); i++) {
        if (c->out != NULL) {
            words[i] = i < states ? names->states[i] : names->events[i - states];
            empty[i] = i < states && names->empty != NULL && names->empty[i];
        }
        flag(c, &empty[i]);
        string(c, &words[i]);
    }
    *names = (col_duv_names){states, events, words, words + states, empty};
}

static void transfer_names(codec *c, col_duv_description *d) {
    uint32_t total = 0;
    for (uint32_t m = 0; d->names != NULL && m < d->machine_count; m++)
        total += d->names[m].state_count + d->names[m].event_count;
    number(c, &total);
    if (total == 0)
        return;
    d->names = c->copy->names = room(c, d->names, d->machine_count, sizeof *c->copy->names);
    c->copy->words = room(c, NULL, total, sizeof *c->copy->words);
    c->copy->empty = room(c, NULL, total, sizeof *c->copy->empty);
    for (uint32_t m = 0, first = 0; m < d->machine_count && goes_on(c); m++) {
        col_duv_names *names = &c->copy->names[m];
        transfer_words(c, names, c->copy->words + first, c->copy->empty + first, total - first);
        first += names->state_count + names->event_count;
    }
}

/* What is said of cells and points besides. */
static void transfer_rest(codec *c, col_duv_description *d) {
    bool has_needs = d->needs != NULL, has_sources = d->sources != NULL;
    number(c, &d->edited_count);
    flag(c, &has_needs);
    flag(c, &has_sources);
    if (d->edited_count > 0) {
        col_duv_cell *edited = room(c, d->edited, d->edited_count, sizeof *edited);
        bytes(c, edited, d->edited_count * sizeof *edited);
        d->edited = edited;
    }
    if (has_needs) {
        uint32_t *needs = room(c, d->needs, d->point_count, sizeof *needs);
        bytes(c, needs, d->point_count * sizeof *needs);
        d->needs = needs;
    }
    if (!has_sources)
        return;
    col_duv_source *source = room(c, d->sources, d->point_count, sizeof *source);
    d->sources = source;
    for (uint32_t p = 0; p < d->point_count && goes_on(c); p++, source++) {
        const char *file = source->file == NULL ? "" : source->file;
        string(c, &file);
        number(c, &source->line);
        source->file = file[0] == '\0' ? NULL : file;
    }
}

static void transfer_description(codec *c, col_duv_description *d) {
    uint32_t *const numbers[] = {&d->cores,           &d->refuses,   &d->least_operations,
                                 &d->most_operations, &d->instances, &d->machine_count,
                                 &d->point_count};
    bool *const flags[] = {
        &d->reachable_known, &d->varies,     &d->is_narrow, &d->is_single,    &d->merges,
        &d->fetches,         &d->prefetches, &d->executes,  &d->conditionals, &d->dma,
        &d->draws,           &d->packs,      &d->boots};
    string(c, &d->name);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        number(c, numbers[i]);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        flag(c, flags[i]);
    bytes(c, &d->model, sizeof d->model);
    bytes(c, &d->shows, sizeof d->shows);
    bytes(c, &d->window, sizeof d->window);
    transfer_geometry(c, &d->geometry);
    transfer_points(c, d);
    transfer_names(c, d);
    transfer_rest(c, d);
}

col_status duv_read_description(const base_text *bytes, duv_copy *copy, col_problem *problem) {
    codec c = {.at = bytes->data, .left = bytes->length, .copy = copy};
    *copy = (duv_copy){0};
    transfer_description(&c, &copy->description);
    const col_status status =
        c.is_wrong ? base_fail(problem, "the design's process describes the design by nonsense")
        : c.failed ? base_out_of_memory(problem)
                   : duv_check_description(&copy->description, problem);
    if (status != COL_OK)
        duv_copy_free(copy);
    return status;
}

void duv_copy_free(duv_copy *copy) {
    base_arena_free(&copy->arena);
    *copy = (duv_copy){0};
}

/* ---- Programs. */

void duv_write_program(const col_program *p, base_text *to) {
    codec c = {.out = to};
    uint32_t sizes[] = {p->is_narrow, p->thread_count, p->location_count};
    bytes(&c, sizes, sizeof sizes);
    for (uint32_t t = 0; t < p->thread_count; t++) {
        uint32_t length = p->thread_start[t + 1] - p->thread_start[t];
        number(&c, &length);
    }
    bytes(&c, p->operations, col_program_operations(p) * sizeof *p->operations);
    bytes(&c, p->addresses, p->location_count * sizeof *p->addresses);
}

static col_status read_program(const base_text *from, col_program *p, col_problem *problem) {
    codec c = {.at = from->data, .left = from->length};
    uint32_t sizes[3] = {0};
    bytes(&c, sizes, sizeof sizes);
    uint32_t *lengths = malloc(((size_t)sizes[1] + 1) * sizeof *lengths);
    if (lengths == NULL)
        return base_out_of_memory(problem);
    bytes(&c, lengths, sizes[1] * sizeof *lengths);
    col_status status = goes_on(&c) ? col_program_shape(p, sizes[1], lengths, sizes[2], problem)
                                    : base_fail(problem, "a program did not arrive as a whole");
    free(lengths);
    if (status != COL_OK)
        return status;
    p->is_narrow = sizes[0] != 0;
    bytes(&c, p->operations, col_program_operations(p) * sizeof *p->operations);
    bytes(&c, p->addresses, p->location_count * sizeof *p->addresses);
    return goes_on(&c) ? COL_OK : base_fail(problem, "a program did not arrive as a whole");
}

/* ---- The server. */

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
    uint8_t *drawn;                   /* a value of each key */
    uint64_t event_count, stop_after; /* of the run */
} server;

/* ---- Signals. */

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
        duv_copy copy = {.description = *s->description};
        codec c = {.out = &bytes, .copy = &copy};
        transfer_description(&c, &copy.description);
        bytes.failed = bytes.failed || c.failed;
        duv_copy_free(&copy);
        a.status = s->hits == NULL || s->told == NULL || s->drawn == NULL
                       ? base_out_of_memory(&a.problem)
                       : base_text_status(&bytes, &a.problem);
    }
    answer(s, &a, bytes.data, bytes.length);
    base_text_free(&bytes);
    if (a.status != COL_OK)
        _exit(0);
}

static void load(server *s, const duv_request *request) {
    duv_answer a = {0};
    base_text bytes = {0};
    if (duv_receive_text(&s->line, request->size, &bytes) != BASE_TRANSFER_DONE)
        _exit(0);
    a.status = base_text_status(&bytes, &a.problem);
    if (a.status == COL_OK)
        a.status = read_program(&bytes, &s->program, &a.problem);
    if (a.status == COL_OK)
        a.status = s->interface->load(s->state, &s->program, &a.problem);
    base_text_free(&bytes);
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
    /* As after exec: what the parent does about a signal, such as jumping out of a crash, is not
     * meant for this process. */
    enum { MOST_SIGNALS = 64 };
    for (int number = 1; number <= MOST_SIGNALS; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            (void)signal(number, SIG_DFL);
    }
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
