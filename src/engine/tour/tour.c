/* SPDX-License-Identifier: MIT */
/*
 * A tour from settings to results. It is made twice: once into the executor, which counts what it
 * covers, and once into nothing, which shows what making it takes in time and memory.
 */
#include "engine/tour/tour.h"

#include "base/clock.h"
#include "engine/tour/jammer_agents.h"
#include "engine/tour/levels_tour.h"
#include "engine/tour/state_space.h"

#include <assert.h>
#include <collider/tour.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static_assert((int)COL_TOUR_MOESI == (int)TOUR_MOESI && (int)COL_TOUR_EVICT == (int)TOUR_EVICT &&
                  (int)COL_TOUR_KIND_COUNT == (int)TOUR_LEVELS_KIND_COUNT,
              "public and inner numbers are the same");

#define WORD(name, word, meaning) [name] = (word),
const char *const col_tour_methods[COL_TOUR_METHOD_COUNT + 1] = {COL_TOUR_METHODS(WORD)};
#undef WORD
const char *const col_tour_kinds[] = {"load", "store", "evict", "load2", "evict2", NULL};

typedef struct job {
    const col_tour_settings *settings;
    col_tour_results *results;
    tour_space space;
    tour_levels_space levels;
    tour_count count;
    tour_levels_count level_count;
    bool is_wrong;   /* an operation was not possible */
    bool is_refused; /* the caller had enough */
    bool is_over;    /* for this or another reason no more is wanted */

    /* Of the second time. */
    uint64_t remaining;
    uint64_t heap_bytes;
    col_status status;
    col_problem *problem;
} job;

void col_tour_default(col_tour_settings *settings) {
    *settings = (col_tour_settings){.protocol = COL_TOUR_MESI,
                                    .method = COL_TOUR_EULER,
                                    .cores = 8,
                                    .seed = 1,
                                    .most_operations = UINT64_C(1) << 20,
                                    .most_bytes = UINT64_C(1) << 31};
}

/* ---- Is it a space, and how large? */

static col_status check(const job *j, col_problem *problem) {
    const col_tour_settings *s = j->settings;
    if (s->protocol >= COL_TOUR_PROTOCOL_COUNT || s->method >= COL_TOUR_METHOD_COUNT)
        return base_refuse(problem, "there is no such protocol or method of tours");
    if (s->cores < TOUR_LEAST_CORES || s->cores > TOUR_MOST_CORES)
        return base_refuse(problem, "tours are for %d to %d cores, not %u", TOUR_LEAST_CORES,
                           TOUR_MOST_CORES, s->cores);
    if (s->clusters == 0)
        return s->inclusive ? base_refuse(problem, "without clusters there is no second level that "
                                                   "could be inclusive")
                            : COL_OK;
    if (s->method != COL_TOUR_EULER && s->method != COL_TOUR_POSTMAN)
        return base_refuse(problem, "two levels have tours by euler and postman, not by %s",
                           col_tour_methods[s->method]);
    const col_status status = tour_levels_check(&j->levels, problem);
    if (status != COL_OK)
        return status;
    return s->method == COL_TOUR_POSTMAN ? tour_levels_postman_check(&j->levels, problem) : COL_OK;
}

static uint64_t count_bytes(const job *j) {
    if (j->settings->clusters == 0)
        return tour_count_bytes(&j->space);
    return (tour_levels_state_count(&j->levels) * tour_levels_operation_count(&j->levels) / 64 +
            1) *
           sizeof(uint64_t);
}

static col_status begin_count(job *j, col_problem *problem) {
    col_tour_results *r = j->results;
    const bool is_flat = j->settings->clusters == 0;
    r->states = is_flat ? tour_state_count(&j->space) : tour_levels_state_count(&j->levels);
    r->transitions =
        is_flat ? tour_transition_count(&j->space) : tour_levels_transition_count(&j->levels);
    r->is_counted = count_bytes(j) <= j->settings->most_bytes;
    r->count_bytes = r->is_counted ? count_bytes(j) : 0;
    if (!r->is_counted)
        return COL_OK;
    return is_flat ? tour_count_begin(&j->count, &j->space, problem)
                   : tour_levels_count_open(&j->level_count, &j->levels, problem);
}

static col_status find_optimum(job *j, col_problem *problem) {
    tour_optimum optimum = {0};
    const col_status status = j->settings->clusters == 0
                                  ? tour_find_optimum(&j->space, &optimum, problem)
                                  : tour_levels_optimum(&j->levels, &optimum.open, problem);
    j->results->optimum = optimum.open;
    return status;
}

/* ---- Making it. */

static col_status make_flat(job *j, tour_sink sink, col_problem *problem) {
    const col_tour_settings *s = j->settings;
    bool is_whole = true;
    switch (s->method) {
    case COL_TOUR_BFS:
        return tour_bfs(&j->space, sink, &j->heap_bytes, problem);
    case COL_TOUR_EULER:
        is_whole = tour_euler(&j->space, sink);
        break;
    case COL_TOUR_POSTMAN:
        is_whole = tour_postman(&j->space, sink);
        break;
    case COL_TOUR_RANDOM:
        is_whole = tour_random(&j->space, s->seed, s->most_operations, sink);
        break;
    case COL_TOUR_JAMMER:
        j->heap_bytes = s->cores * sizeof(tour_agent);
        is_whole = tour_jam(&j->space, s->seed, s->most_operations, sink);
        break;
    case COL_TOUR_METHOD_COUNT:
        break; /* refused before */
    }
    return is_whole || j->is_over ? COL_OK : base_out_of_memory(problem);
}

static col_status make(job *j, tour_sink sink, col_problem *problem) {
    j->heap_bytes = 0;
    j->is_over = false;
    if (j->settings->clusters == 0)
        return make_flat(j, sink, problem);
    if (j->settings->method == COL_TOUR_POSTMAN)
        return tour_levels_postman(&j->levels, sink, &j->heap_bytes, problem);
    (void)tour_levels_euler(&j->levels, sink);
    return COL_OK;
}

/* Into the executor, and to who wants it. */
static bool execute(void *context, tour_operation operation) {
    job *j = context;
    col_tour_results *r = j->results;
    const bool is_flat = j->settings->clusters == 0;
    j->is_wrong = r->is_counted && !(is_flat ? tour_count_take(&j->count, operation)
                                             : tour_levels_count_take(&j->level_count, operation));
    j->is_over = true;
    if (j->is_wrong)
        return false;
    r->cost++;
    r->covered = is_flat ? j->count.covered : j->level_count.covered;
    j->is_refused = j->settings->take != NULL &&
                    !j->settings->take(j->settings->context,
                                       (col_tour_operation){operation.kind, operation.core});
    const bool is_full =
        (j->settings->method == COL_TOUR_RANDOM || j->settings->method == COL_TOUR_JAMMER) &&
        r->covered == r->transitions;
    j->is_over = j->is_refused || is_full;
    return !j->is_over;
}

/* Into nothing. */
static bool let_pass(void *context, tour_operation operation) {
    job *j = context;
    (void)operation;
    j->is_over = --j->remaining == 0;
    return !j->is_over;
}

static void make_for_nothing(void *context) {
    job *j = context;
    const double start = base_processor_seconds();
    j->remaining = j->results->cost;
    j->status = make(j, (tour_sink){let_pass, j}, j->problem);
    j->results->seconds = base_processor_seconds() - start;
}

/* How deep malloc goes depends on what was taken and given back before. So that equal tours take
 * equal bytes, the stack is measured only of methods that take nothing from the heap. */
static col_status measure(job *j, col_problem *problem) {
    col_status status = COL_OK;
    j->problem = problem;
    (void)base_processor_seconds(); /* so that finding the function is not measured */
    if (j->heap_bytes == 0) {
        status = tour_measure_stack(make_for_nothing, j, &j->results->peak_bytes, problem);
    } else {
        make_for_nothing(j);
        j->results->peak_bytes = j->heap_bytes;
    }
    return status == COL_OK ? j->status : status;
}

static col_status make_all(job *j, col_problem *problem) {
    col_status status = make(j, (tour_sink){execute, j}, problem);
    if (status == COL_OK && j->is_wrong)
        status = base_fail(problem,
                           "operation %llu of the tour is not possible: this is an error of "
                           "Collider",
                           (unsigned long long)j->results->cost);
    if (status == COL_OK && !j->is_refused)
        status = measure(j, problem);
    return status == COL_OK ? find_optimum(j, problem) : status;
}

static job job_of(const col_tour_settings *settings, col_tour_results *results) {
    return (job){.settings = settings,
                 .results = results,
                 .space = {(tour_protocol)settings->protocol, settings->cores},
                 .levels = {.protocol = (tour_protocol)settings->protocol,
                            .clusters = settings->clusters,
                            .cores = settings->cores,
                            .inclusive = settings->inclusive}};
}

col_status col_tour_check(const col_tour_settings *settings, col_problem *problem) {
    const job j = job_of(settings, NULL);
    return check(&j, problem);
}

col_status col_tour(const col_tour_settings *settings, col_tour_results *results,
                    col_problem *problem) {
    job j = job_of(settings, results);
    *results = (col_tour_results){0};
    col_status status = check(&j, problem);
    if (status != COL_OK)
        return status;
    status = begin_count(&j, problem);
    if (status == COL_OK)
        status = make_all(&j, problem);
    if (j.settings->clusters == 0)
        tour_count_end(&j.count);
    else if (j.results->is_counted)
        tour_levels_count_close(&j.level_count);
    return status;
}

/* Counting what a tour covers. */

enum { WORD_BITS = 64 };

static uint64_t words_of(const tour_space *space) {
    const uint64_t bits = tour_state_count(space) * space->cores * TOUR_KIND_COUNT;
    return (bits + WORD_BITS - 1) / WORD_BITS;
}

uint64_t tour_count_bytes(const tour_space *space) {
    return words_of(space) * sizeof(uint64_t);
}

col_status tour_count_begin(tour_count *count, const tour_space *space, col_problem *problem) {
    *count = (tour_count){.space = *space, .state = TOUR_INITIAL};
    count->taken = calloc(words_of(space), sizeof *count->taken);
    return count->taken != NULL ? COL_OK : base_out_of_memory(problem);
}

void tour_count_end(tour_count *count) {
    free(count->taken);
    count->taken = NULL;
}

bool tour_count_take(tour_count *count, tour_operation operation) {
    const tour_space *space = &count->space;
    if (!tour_is_possible(space, &count->state, operation))
        return false;
    const uint64_t number = tour_state_number(space, &count->state);
    const uint64_t bit =
        (number * TOUR_KIND_COUNT + operation.kind) * space->cores + operation.core;
    uint64_t *word = &count->taken[bit / WORD_BITS];
    count->covered += (~*word >> bit % WORD_BITS) & 1;
    *word |= UINT64_C(1) << bit % WORD_BITS;
    count->state = tour_after(space, &count->state, operation);
    count->cost++;
    return true;
}

/* Measuring a stack. */

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
