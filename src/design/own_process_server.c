/* SPDX-License-Identifier: MIT */
/*
 * The child's side: opens the design and does what it is asked. It ends when the line to the
 * parent does. Nothing here writes to streams that the parent has open too.
 */
#include "design/own_process.h"

#include "base/clock.h"
#include "base/process.h"
#include "base/text.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

/* What does not go over as it is. */

/* ---- Bytes. */

/* Bytes that are read one thing after the other. */
typedef struct reader {
    const char *at;
    size_t left;
    bool is_wrong; /* there were too few, or they made no sense */
} reader;

static void put(base_text *bytes, const void *from, size_t size) {
    if (size > 0)
        base_text_add_bytes(bytes, from, size);
}

static void put_number(base_text *bytes, uint32_t number) {
    put(bytes, &number, sizeof number);
}

static const char *get(reader *r, size_t size) {
    const char *at = r->at;
    if (r->is_wrong || size > r->left) {
        r->is_wrong = true;
        return NULL;
    }
    r->at += size;
    r->left -= size;
    return at;
}

static uint32_t get_number(reader *r) {
    uint32_t number = 0;
    const char *at = get(r, sizeof number);
    if (at != NULL)
        memcpy(&number, at, sizeof number);
    return number;
}

static const char *get_string(reader *r) {
    const char *end = r->is_wrong || r->left == 0 ? NULL : memchr(r->at, '\0', r->left);
    r->is_wrong = end == NULL;
    return end == NULL ? "" : get(r, (size_t)(end - r->at) + 1);
}

/* ---- Programs. */

void duv_write_program(const col_program *p, base_text *bytes) {
    put_number(bytes, p->is_narrow);
    put_number(bytes, p->thread_count);
    put_number(bytes, p->location_count);
    for (uint32_t t = 0; t < p->thread_count; t++)
        put_number(bytes, p->thread_start[t + 1] - p->thread_start[t]);
    put(bytes, p->operations, col_program_operations(p) * sizeof *p->operations);
    put(bytes, p->addresses, p->location_count * sizeof *p->addresses);
}

static col_status read_program(reader *r, col_program *p, col_problem *problem) {
    const bool is_narrow = get_number(r) != 0;
    const uint32_t threads = get_number(r), locations = get_number(r);
    const size_t lengths_size = threads * sizeof(uint32_t);
    const char *lengths_at = get(r, lengths_size);
    if (lengths_at == NULL)
        return base_fail(problem, "a program did not reach the design's process as a whole");
    uint32_t *lengths = malloc(lengths_size + 1);
    if (lengths == NULL)
        return base_out_of_memory(problem);
    memcpy(lengths, lengths_at, lengths_size);
    const col_status status = col_program_shape(p, threads, lengths, locations, problem);
    free(lengths);
    if (status != COL_OK)
        return status;
    p->is_narrow = is_narrow;
    const size_t operations_size = col_program_operations(p) * sizeof *p->operations;
    const size_t addresses_size = locations * sizeof *p->addresses;
    const char *operations = get(r, operations_size), *addresses = get(r, addresses_size);
    if (operations == NULL || addresses == NULL)
        return base_fail(problem, "a program did not reach the design's process as a whole");
    if (operations_size > 0)
        memcpy(p->operations, operations, operations_size);
    if (addresses_size > 0)
        memcpy(p->addresses, addresses, addresses_size);
    return COL_OK;
}

/* ---- Descriptions. Field by field, so that equal ones are equal bytes. What writes one reads it,
 * too: items are copied, so that what a design gave us is never written to. */

typedef struct codec {
    base_text *out; /* NULL: it reads */
    reader *in;
    duv_copy *copy; /* what is read */
    bool failed;    /* there is no memory */
} codec;

static void number(codec *c, uint32_t *number) {
    if (c->out != NULL)
        put_number(c->out, *number);
    else
        *number = get_number(c->in);
}

static void flag(codec *c, bool *flag) {
    uint32_t as_number = *flag;
    number(c, &as_number);
    *flag = as_number != 0;
}

static void string(codec *c, const char **text) {
    if (c->out != NULL)
        put(c->out, *text, strlen(*text) + 1);
    else
        *text = get_string(c->in);
}

static bool goes_on(const codec *c) {
    return c->out != NULL || !(c->in->is_wrong || c->failed);
}

/* Room for what is read; each item takes a byte or more, so that more of them is nonsense, not a
 * reason to take memory. */
static void *room(codec *c, uint32_t count, size_t size) {
    c->in->is_wrong = c->in->is_wrong || count > c->in->left;
    void *items = goes_on(c) ? calloc((size_t)count + 1, size) : NULL;
    c->failed = c->failed || (items == NULL && !c->in->is_wrong);
    return items;
}

static void transfer_geometry(codec *c, col_geometry *g) {
    number(c, &g->block_bits);
    number(c, &g->level_count);
    if (c->out == NULL)
        c->in->is_wrong = c->in->is_wrong || g->level_count > COL_MAX_LEVELS;
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

static void transfer_machines(codec *c, const col_duv_description *d) {
    for (uint32_t m = 0; m < d->machine_count && goes_on(c); m++) {
        col_duv_machine machine = d->machines[m];
        string(c, &machine.name);
        number(c, &machine.controllers);
        flag(c, &machine.is_private);
        number(c, &machine.first_point);
        number(c, &machine.point_count);
        if (c->out == NULL)
            c->copy->machines[m] = machine;
    }
    for (uint32_t p = 0; p < d->point_count && goes_on(c); p++) {
        col_duv_point point = d->points[p];
        string(c, &point.state);
        string(c, &point.event);
        flag(c, &point.reachable);
        if (c->out == NULL)
            c->copy->points[p] = point;
    }
}

/* The words of one machine, which are kept from word `first` on. */
static void transfer_words(codec *c, col_duv_names *names, uint32_t first, uint32_t total) {
    number(c, &names->state_count);
    number(c, &names->event_count);
    const uint32_t states = names->state_count, events = names->event_count;
    if (c->out == NULL) {
        c->in->is_wrong =
            c->in->is_wrong || states > total - first || events > total - first - states;
        names->states = c->copy->words + first;
        names->events = c->copy->words + first + states;
        names->empty = c->copy->empty + first;
    }
    for (uint32_t i = 0; i < states + events && goes_on(c); i++) {
        const char *word = i < states ? names->states[i] : names->events[i - states];
        bool is_empty = i < states && names->empty != NULL && names->empty[i];
        flag(c, &is_empty);
        string(c, &word);
        if (c->out == NULL) {
            c->copy->empty[first + i] = is_empty;
            c->copy->words[first + i] = word;
        }
    }
}

static void transfer_names(codec *c, col_duv_description *d) {
    uint32_t total = 0;
    for (uint32_t m = 0; d->names != NULL && m < d->machine_count; m++)
        total += d->names[m].state_count + d->names[m].event_count;
    number(c, &total);
    if (c->out == NULL && total > 0) {
        d->names = c->copy->names = room(c, d->machine_count, sizeof *c->copy->names);
        c->copy->words = room(c, total, sizeof *c->copy->words);
        c->copy->empty = room(c, total, sizeof *c->copy->empty);
    }
    for (uint32_t m = 0, first = 0; total > 0 && m < d->machine_count && goes_on(c); m++) {
        col_duv_names names = d->names[m];
        transfer_words(c, &names, first, total);
        first += names.state_count + names.event_count;
        if (c->out == NULL)
            c->copy->names[m] = names;
    }
}

/* What is said of cells and points besides. */
static void transfer_rest(codec *c, col_duv_description *d) {
    bool has_needs = d->needs != NULL, has_sources = d->sources != NULL;
    number(c, &d->edited_count);
    flag(c, &has_needs);
    flag(c, &has_sources);
    if (c->out == NULL) {
        if (d->edited_count > 0)
            d->edited = c->copy->edited = room(c, d->edited_count, sizeof *c->copy->edited);
        if (has_needs)
            d->needs = c->copy->needs = room(c, d->point_count, sizeof *c->copy->needs);
        if (has_sources)
            d->sources = c->copy->sources = room(c, d->point_count, sizeof *c->copy->sources);
    }
    for (uint32_t i = 0; i < d->edited_count && goes_on(c); i++) {
        col_duv_cell cell = d->edited[i];
        number(c, &cell.machine);
        number(c, &cell.state);
        number(c, &cell.event);
        if (c->out == NULL)
            c->copy->edited[i] = cell;
    }
    for (uint32_t p = 0; has_needs && p < d->point_count && goes_on(c); p++) {
        uint32_t needs = d->needs[p];
        number(c, &needs);
        if (c->out == NULL)
            c->copy->needs[p] = needs;
    }
    for (uint32_t p = 0; has_sources && p < d->point_count && goes_on(c); p++) {
        col_duv_source source = d->sources[p];
        const char *file = source.file == NULL ? "" : source.file;
        string(c, &file);
        number(c, &source.line);
        source.file = file[0] == '\0' ? NULL : file;
        if (c->out == NULL)
            c->copy->sources[p] = source;
    }
}

static void transfer_description(codec *c, col_duv_description *d) {
    uint32_t model = d->model, shows = d->shows;
    uint32_t window[] = {(uint32_t)d->window, (uint32_t)(d->window >> 32)};
    uint32_t *const numbers[] = {
        &d->cores,           &model,        &shows,     &d->refuses, &d->least_operations,
        &d->most_operations, &d->instances, &window[0], &window[1],  &d->machine_count,
        &d->point_count};
    bool *const flags[] = {&d->reachable_known, &d->varies,  &d->is_narrow,  &d->is_single,
                           &d->merges,          &d->fetches, &d->prefetches, &d->executes,
                           &d->conditionals,    &d->dma,     &d->draws,      &d->packs};
    string(c, &d->name);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        number(c, numbers[i]);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        flag(c, flags[i]);
    d->model = (col_model)model;
    d->shows = (col_shows)shows;
    d->window = (uint64_t)window[1] << 32 | window[0];
    transfer_geometry(c, &d->geometry);
    if (c->out == NULL) {
        d->machines = c->copy->machines = room(c, d->machine_count, sizeof *c->copy->machines);
        d->points = c->copy->points = room(c, d->point_count, sizeof *c->copy->points);
    }
    transfer_machines(c, d);
    transfer_names(c, d);
    transfer_rest(c, d);
}

col_status duv_read_description(const base_text *bytes, duv_copy *copy, col_problem *problem) {
    reader r = {.at = bytes->data, .left = bytes->length};
    codec c = {.in = &r, .copy = copy};
    *copy = (duv_copy){0};
    transfer_description(&c, &copy->description);
    const col_status status =
        r.is_wrong ? base_fail(problem, "the design's process describes the design by nonsense")
        : c.failed ? base_out_of_memory(problem)
                   : duv_check_description(&copy->description, problem);
    if (status != COL_OK)
        duv_copy_free(copy);
    return status;
}

void duv_copy_free(duv_copy *copy) {
    free(copy->machines);
    free(copy->points);
    free(copy->names);
    free(copy->words);
    free(copy->empty);
    free(copy->edited);
    free(copy->needs);
    free(copy->sources);
    *copy = (duv_copy){0};
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
    char *bytes; /* of a request */
    size_t capacity;
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
        codec c = {.out = &bytes};
        col_duv_description given = *s->description;
        transfer_description(&c, &given);
        a.status = s->hits == NULL || s->told == NULL || s->drawn == NULL
                       ? base_out_of_memory(&a.problem)
                       : base_text_status(&bytes, &a.problem);
    }
    answer(s, &a, bytes.data, bytes.length);
    base_text_free(&bytes);
    if (a.status != COL_OK)
        _exit(0);
}

static col_status receive_program(server *s, uint64_t size, col_problem *problem) {
    if (size > s->capacity) {
        free(s->bytes);
        s->bytes = malloc((size_t)size);
        s->capacity = s->bytes == NULL ? 0 : (size_t)size;
    }
    if (s->bytes == NULL) {
        /* The bytes of a program that there is no room for. */
        char piece[1024];
        while (size > 0) {
            const size_t count = size < sizeof piece ? (size_t)size : sizeof piece;
            receive_bytes(s, piece, count);
            size -= count;
        }
        return base_out_of_memory(problem);
    }
    receive_bytes(s, s->bytes, (size_t)size);
    reader r = {.at = s->bytes, .left = (size_t)size};
    return read_program(&r, &s->program, problem);
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
