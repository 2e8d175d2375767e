/* SPDX-License-Identifier: MIT */
/*
 * The toy design (examples/toy-design) behind the serve protocol, as a command of its own: what a
 * testbench or the driver of a board does, with a design that is at hand. With --reads it shows
 * what reads returned and the final memory, and nothing of what is inside but coverage.
 *
 *     cc -O2 -I include examples/serve-c/toy_serve.c examples/toy-design/toy.c -o
 * toy-serve collider run 'serve:./toy-serve --reads' --options bug=stale
 */
#include "collider_client.h"

#include <collider/duv.h>

typedef struct toy_server {
    bool shows_reads;
    col_duv_settings settings;
    char options[256];
    void *toy; /* NULL: not open */
    const col_duv_description *description;
    col_program program;
    uint64_t *final; /* by location */
    uint64_t *hits;
    uint32_t hit_count;
    volatile int stop;
    uint64_t cycle, events;
    char reason[512];
} toy_server;

static const col_duv_interface *const toy = &col_duv_plugin;

/* ---- The description. */

static const char *set_cores(void *context, uint32_t cores) {
    toy_server *s = context;
    s->settings.cores = cores;
    return NULL;
}

static const char *set_options(void *context, const char *options) {
    toy_server *s = context;
    (void)snprintf(s->options, sizeof s->options, "%s", options);
    s->settings.options = s->options;
    return NULL;
}

static void describe_machine(const col_duv_description *d, const col_duv_machine *m) {
    collider_say("machine %s %u%s", m->name, m->controllers, m->is_private ? " private" : "");
    for (uint32_t p = m->first_point; p < m->first_point + m->point_count; p++)
        collider_say("point %s %s", d->points[p].state, d->points[p].event);
}

/* What the numbers in its transitions mean. */
static void describe_names(uint32_t machine) {
    collider_say(machine == 0 ? "states I S M" : "states Empty Full");
    collider_say(machine == 0 ? "empty I" : "empty Empty");
    collider_say(machine == 0 ? "events Load Store Bus_Read Bus_Write Replace"
                              : "events Load Store Drain");
}

static const char *describe(void *context) {
    toy_server *s = context;
    col_problem problem;
    if (s->toy == NULL && toy->open(&s->toy, &s->settings, &problem) != COL_OK) {
        (void)snprintf(s->reason, sizeof s->reason, "%s", problem.message);
        return s->reason;
    }
    const col_duv_description *d = s->description = toy->describe(s->toy);
    const col_cache_level *l1 = &d->geometry.levels[0];
    s->hit_count = 0;
    collider_say("name %s", d->name);
    collider_say("cores %u", d->cores);
    collider_say("model tso");
    collider_say("shows %s", s->shows_reads ? "reads" : "events");
    collider_say("block %d", 1 << d->geometry.block_bits);
    collider_say("cache %s %d %u", l1->name, 1 << l1->index_bits, l1->ways);
    for (uint32_t m = 0; m < d->machine_count; m++) {
        describe_machine(d, &d->machines[m]);
        describe_names(m);
        s->hit_count += d->machines[m].controllers * d->machines[m].point_count;
    }
    s->hits = calloc(s->hit_count + 1, sizeof *s->hits);
    return s->hits == NULL ? "out of memory" : NULL;
}

/* ---- Programs. The toy keeps all in order that TSO orders: it ignores acquire, release and
 * dependencies, so they are left out. */

static const char *load(void *context, const collider_test *test) {
    toy_server *s = context;
    col_program *p = &s->program;
    col_problem problem;
    p->thread_count = test->thread_count;
    p->location_count = test->location_count;
    p->thread_start = realloc(p->thread_start, (test->thread_count + 1) * sizeof *p->thread_start);
    p->operations = realloc(p->operations, (test->operation_count + 1) * sizeof *p->operations);
    s->final = realloc(s->final, (test->location_count + 1) * sizeof *s->final);
    if (p->thread_start == NULL || p->operations == NULL || s->final == NULL)
        return "out of memory";
    p->addresses = test->addresses;
    memset(p->thread_start, 0, (test->thread_count + 1) * sizeof *p->thread_start);
    for (uint32_t i = 0; i < test->operation_count; i++) {
        const collider_operation *o = &test->operations[i];
        p->operations[i] =
            (col_operation){.kind = (uint8_t)o->kind, .location = o->location, .value = o->value};
        p->thread_start[o->thread + 1] = i + 1;
    }
    for (uint32_t t = 0; t < test->thread_count; t++) /* of threads without operations */
        if (p->thread_start[t + 1] < p->thread_start[t])
            p->thread_start[t + 1] = p->thread_start[t];
    if (toy->load(s->toy, p, &problem) == COL_OK)
        return NULL;
    (void)snprintf(s->reason, sizeof s->reason, "%s", problem.message);
    return s->reason;
}

/* ---- Instances. */

static void tell_read(toy_server *s, const col_event *event) {
    const col_operation *o = &s->program.operations[event->operation];
    if (event->kind == COL_LOAD_PERFORMED)
        collider_read(event->operation, event->word);
    else if (o->kind == COL_SWAP || o->kind == COL_ADD)
        collider_read(event->operation, event->read);
    if (event->kind == COL_STORE_PERFORMED)
        s->final[o->location] = event->word;
}

static void tell_event(const toy_server *s, const col_event *event) {
    static const char *const sources[] = {NULL, "buffer", "private", "other", "shared", "memory"};
    const uint64_t inside[] = {event->machine, event->controller, event->state,
                               event->event,   event->next_state, event->block};
    const uint64_t lost[] = {event->core, event->block};
    const char *source = sources[event->source];
    if (event->kind == COL_LOAD_PERFORMED)
        collider_load(event->operation, event->word, source);
    else if (event->kind == COL_TRANSITION)
        collider_tell("transition", inside, 6);
    else if (event->kind == COL_EVICTION)
        collider_tell("evict", lost, 2);
    else if (event->kind != COL_STORE_PERFORMED)
        return; /* a deadlock is reported at the end */
    else if (s->program.operations[event->operation].kind == COL_STORE)
        collider_store(event->operation, event->word, event->overwritten, source);
    else
        collider_swap_or_add(event->operation, event->word, event->overwritten, event->read,
                             source);
}

static void notice(void *context, const col_event *event) {
    enum { NOW_AND_THEN = 256 };
    toy_server *s = context;
    if (s->shows_reads) {
        tell_read(s, event);
    } else {
        if (event->cycle != s->cycle)
            collider_cycle(event->cycle);
        s->cycle = event->cycle;
        tell_event(s, event);
    }
    if (++s->events % NOW_AND_THEN == 0 && collider_is_stopped())
        s->stop = 1;
}

static void tell_hits(toy_server *s) {
    const uint64_t *hits = s->hits;
    toy->collect(s->toy, s->hits);
    for (uint32_t m = 0; m < s->description->machine_count; m++) {
        const col_duv_machine *machine = &s->description->machines[m];
        for (uint32_t c = 0; c < machine->controllers; c++)
            for (uint32_t p = 0; p < machine->point_count; p++, hits++)
                if (*hits > 0)
                    collider_hit(m, c, p, *hits);
    }
    memset(s->hits, 0, s->hit_count * sizeof *s->hits);
}

static void run(void *context, uint64_t seed, bool wants_evictions, bool wants_transitions) {
    static const char *const ends[COL_RUN_END_COUNT] = {
        "complete", "protocol-error", "deadlock", "invariant", "stopped", "stopped", "stopped"};
    toy_server *s = context;
    col_run result = {.end = COL_RUN_COMPLETE};
    col_problem problem;
    uint32_t kinds = 1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED;
    if (!s->shows_reads && wants_evictions)
        kinds |= 1U << COL_EVICTION;
    if (!s->shows_reads && wants_transitions)
        kinds |= 1U << COL_TRANSITION;
    const col_observer observer = {s, notice, kinds};
    s->stop = 0;
    s->cycle = s->events = 0;
    memset(s->final, 0, s->program.location_count * sizeof *s->final);
    if (toy->run(s->toy, seed, &observer, &s->stop, &result, &problem) != COL_OK) {
        collider_say("failed %s", problem.message);
        return;
    }
    for (uint32_t l = 0;
         s->shows_reads && result.end == COL_RUN_COMPLETE && l < s->program.location_count; l++)
        collider_final(l, s->final[l]);
    tell_hits(s);
    collider_end(ends[result.end], result.cycles,
                 result.end == COL_RUN_DEADLOCK ? result.message : "");
}

int main(int count, char **words) {
    static toy_server server;
    const collider_client client = {.context = &server,
                                    .cores = set_cores,
                                    .options = set_options,
                                    .describe = describe,
                                    .load = load,
                                    .run = run};
    server.shows_reads = count == 2 && strcmp(words[1], "--reads") == 0;
    if (count > 1 && !server.shows_reads) {
        (void)fprintf(stderr, "usage: %s [--reads]\n", words[0]);
        return 2;
    }
    const int status = collider_serve(&client);
    if (server.toy != NULL)
        toy->close(server.toy);
    free(server.program.thread_start);
    free(server.program.operations);
    free(server.final);
    free(server.hits);
    return status;
}
