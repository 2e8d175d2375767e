/* SPDX-License-Identifier: MIT */
/*
 * Two cores that do one operation after the other on one memory. When each may do its next one
 * depends on the seed and the cycle. It is a protocol error if in one cycle, which the seed
 * chooses, core 0 stores and core 1 has loaded and is about to store: hardly any seed fails, and a
 * program that still fails must do what is left of it at the same time.
 *
 * With the option `lucky` it does not repeat: instead, every fifth run of a program of MANY
 * operations is wrong, and of smaller programs one run alone, the first that there is.
 *
 * With the option `alone` there must be one of it: two calls at once are wrong. So are the runs of
 * one seed in CHOSEN.
 */
#include "collider/duv.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORES = 2, MOST_LOCATIONS = 64, EARLIEST = 300, WITHIN = 100, SLOWEST = 6 };
enum { MANY = 40, CHOSEN = 64 };

typedef struct core {
    uint32_t next;
    uint64_t resumes; /* the cycle in which it does so */
    uint32_t did;     /* the operation that performed in the last but one or the last cycle */
    uint64_t at;
} core;

typedef struct rare {
    col_duv_description description;
    col_duv_machine machine;
    col_duv_point point;
    const col_program *program;
    const col_observer *observer;
    uint64_t memory[MOST_LOCATIONS];
    core cores[CORES];
    uint64_t seed, cycle;
    bool is_lucky, is_alone;
    uint64_t runs; /* of large programs */
} rare;

static bool had_luck;      /* a small program was wrong */
static atomic_int callers; /* of all that are open */

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static col_status open_rare(void **state, const col_duv_settings *settings, col_problem *problem) {
    rare *r = calloc(1, sizeof *r);
    if (r == NULL) {
        (void)snprintf(problem->message, sizeof problem->message, "out of memory");
        return COL_FAILURE;
    }
    r->is_lucky = settings->options != NULL && strcmp(settings->options, "lucky") == 0;
    r->is_alone = settings->options != NULL && strcmp(settings->options, "alone") == 0;
    r->point = (col_duv_point){.state = "S", .event = "E", .reachable = true};
    r->machine = (col_duv_machine){.name = "M", .controllers = 1, .point_count = 1};
    r->description = (col_duv_description){
        .name = "rare",
        .cores = CORES,
        .model = COL_SC,
        .geometry = {.block_bits = 6,
                     .level_count = 1,
                     .levels = {{.name = "L1", .index_low = 6, .index_bits = 4, .ways = 2}}},
        .machine_count = 1,
        .point_count = 1,
        .machines = &r->machine,
        .points = &r->point,
        .varies = r->is_lucky,
        .is_single = r->is_alone,
        .executes = r->is_alone,
        .reachable_known = true};
    *state = r;
    return COL_OK;
}

static void close_rare(void *state) {
    free(state);
}

static const col_duv_description *describe_rare(void *state) {
    return &((const rare *)state)->description;
}

static col_status load_rare(void *state, const col_program *program, col_problem *problem) {
    ((rare *)state)->program = program;
    if (program->location_count <= MOST_LOCATIONS)
        return COL_OK;
    (void)snprintf(problem->message, sizeof problem->message, "there are too many locations");
    return COL_BAD_INPUT;
}

static void perform(rare *r, uint32_t number, uint32_t index) {
    const col_operation *o = &r->program->operations[index];
    const col_kind_traits *traits = &col_kinds[o->kind];
    if (!traits->reads && !traits->writes)
        return;
    uint64_t *word = &r->memory[o->location];
    const uint64_t old = *word;
    if (traits->writes)
        *word = (o->kind == COL_ADD ? old : 0) + col_program_operand(r->program, o);
    const col_event event = {.kind = traits->writes ? COL_STORE_PERFORMED : COL_LOAD_PERFORMED,
                             .cycle = r->cycle,
                             .core = number,
                             .operation = index,
                             .word = *word,
                             .overwritten = old,
                             .read = old};
    if (r->observer != NULL && (r->observer->kinds >> event.kind & 1) != 0)
        r->observer->notice(r->observer->context, &event);
}

/* An await that is not over yet is tried again. */
static bool may_perform(const rare *r, const col_operation *o) {
    return o->kind != COL_AWAIT || r->memory[o->location] == col_program_operand(r->program, o);
}

static void step(rare *r, uint32_t number) {
    core *c = &r->cores[number];
    if (number >= r->program->thread_count || c->next == r->program->thread_start[number + 1] ||
        c->resumes > r->cycle)
        return;
    const col_operation *o = &r->program->operations[c->next];
    c->resumes = r->cycle + 1 + mix(r->seed ^ mix(r->cycle * CORES + number)) % SLOWEST;
    if (o->kind == COL_DELAY)
        c->resumes = r->cycle + o->location;
    if (!may_perform(r, o))
        return;
    perform(r, number, c->next);
    c->did = c->next++;
    c->at = r->cycle;
}

static bool does(const rare *r, uint32_t number, col_kind kind) {
    return r->cores[number].at == r->cycle &&
           r->program->operations[r->cores[number].did].kind == kind;
}

static bool is_wrong_by_luck(rare *r) {
    if (col_program_operations(r->program) >= MANY)
        return ++r->runs % 5 == 0;
    const bool is_first = !had_luck;
    had_luck = true;
    return is_first;
}

static bool is_wrong(const rare *r) {
    const uint64_t chosen = EARLIEST + mix(r->seed) % WITHIN;
    const core *other = &r->cores[1];
    return !r->is_lucky && !r->is_alone && r->cycle == chosen && does(r, 0, COL_STORE) &&
           does(r, 1, COL_STORE) && other->did > r->program->thread_start[1] &&
           r->program->operations[other->did - 1].kind == COL_LOAD;
}

static bool is_done(const rare *r) {
    for (uint32_t i = 0; i < CORES && i < r->program->thread_count; i++)
        if (r->cores[i].next < r->program->thread_start[i + 1])
            return false;
    return true;
}

static col_status run_rare(void *state, uint64_t seed, const col_observer *observer,
                           const volatile int *stop, col_run *run, col_problem *problem) {
    rare *r = state;
    (void)problem;
    *run = (col_run){.end = COL_RUN_COMPLETE};
    const bool is_first = atomic_fetch_add(&callers, 1) == 0;
    r->seed = mix(seed);
    r->observer = observer;
    for (uint32_t l = 0; l < MOST_LOCATIONS; l++)
        r->memory[l] = 0;
    for (uint32_t i = 0; i < CORES; i++)
        r->cores[i] = (core){.next = i < r->program->thread_count ? r->program->thread_start[i] : 0,
                             .at = UINT64_MAX};
    for (r->cycle = 1; !is_done(r) && run->end == COL_RUN_COMPLETE; r->cycle++) {
        for (uint32_t i = 0; i < CORES; i++)
            step(r, i);
        if (is_wrong(r)) {
            run->end = COL_RUN_PROTOCOL_ERROR;
            (void)snprintf(run->message, sizeof run->message, "two stores met");
        } else if (stop != NULL && *stop != 0) {
            run->end = COL_RUN_STOPPED;
        }
    }
    if (r->is_lucky && run->end == COL_RUN_COMPLETE && is_wrong_by_luck(r)) {
        run->end = COL_RUN_PROTOCOL_ERROR;
        (void)snprintf(run->message, sizeof run->message, "bad luck");
    }
    if (r->is_alone && run->end == COL_RUN_COMPLETE && (!is_first || r->seed % CHOSEN == 0)) {
        run->end = COL_RUN_PROTOCOL_ERROR;
        (void)snprintf(run->message, sizeof run->message, is_first ? "chosen" : "two at once");
    }
    (void)atomic_fetch_sub(&callers, 1);
    run->cycles = r->cycle;
    run->operations = col_program_operations(r->program);
    return COL_OK;
}

static void collect_rare(void *state, uint64_t *hits) {
    (void)state;
    hits[0]++;
}

const col_duv_interface col_duv_plugin = {.version = COL_DUV_VERSION,
                                          .name = "rare",
                                          .open = open_rare,
                                          .close = close_rare,
                                          .describe = describe_rare,
                                          .load = load_rare,
                                          .run = run_rare,
                                          .collect = collect_rare};
