/* SPDX-License-Identifier: MIT */
/*
 * A tour from settings to results. It is made twice: once into the executor, which counts what it
 * covers, and once into nothing, which shows what making it takes in time and memory.
 */
#include "engine/tour/tour.h"

#include "base/clock.h"
#include "engine/tour/jammer_agents.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define WORD(name, word, meaning) [name] = (word),
const char *const col_tour_methods[COL_TOUR_METHOD_COUNT + 1] = {COL_TOUR_METHODS(WORD)};
#undef WORD
const char *const col_tour_kinds[] = {"load", "store", "evict", "load2", "evict2", NULL};

typedef struct job {
    const col_tour_settings *settings;
    col_tour_results *results;
    tour_space space;
    tour_count count;
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

static tour_space space_of(const col_tour_settings *s) {
    return (tour_space){s->protocol, s->cores, s->clusters, s->inclusive};
}

col_status col_tour_check(const col_tour_settings *s, col_problem *problem) {
    const tour_space space = space_of(s);
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
    if (s->clusters < 2 || s->clusters > TOUR_MOST_CLUSTERS)
        return base_refuse(problem, "the number of clusters is 2 to %d, not %u", TOUR_MOST_CLUSTERS,
                           s->clusters);
    if (s->cores % s->clusters != 0 || s->cores < 2 * s->clusters)
        return base_refuse(problem,
                           "%u clusters must have the same number of cores, at least 2: %u "
                           "cores cannot be shared out so",
                           s->clusters, s->cores);
    return s->method == COL_TOUR_POSTMAN ? tour_levels_postman_check(&space, problem) : COL_OK;
}

static col_status begin_count(job *j, col_problem *problem) {
    col_tour_results *r = j->results;
    const uint64_t bytes = tour_count_bytes(&j->space);
    r->states = tour_state_count(&j->space);
    r->transitions = tour_transition_count(&j->space);
    r->is_counted = bytes <= j->settings->most_bytes;
    r->count_bytes = r->is_counted ? bytes : 0;
    return r->is_counted ? tour_count_begin(&j->count, &j->space, problem) : COL_OK;
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
        return tour_levels_postman(&j->space, sink, &j->heap_bytes, problem);
    (void)tour_levels_euler(&j->space, sink);
    return COL_OK;
}

/* Into the executor, and to who wants it. */
static bool execute(void *context, col_tour_operation operation) {
    job *j = context;
    col_tour_results *r = j->results;
    j->is_wrong = r->is_counted && !tour_count_take(&j->count, operation);
    j->is_over = true;
    if (j->is_wrong)
        return false;
    r->cost++;
    r->covered = j->count.covered;
    j->is_refused =
        j->settings->take != NULL && !j->settings->take(j->settings->context, operation);
    const bool is_full =
        (j->settings->method == COL_TOUR_RANDOM || j->settings->method == COL_TOUR_JAMMER) &&
        r->covered == r->transitions;
    j->is_over = j->is_refused || is_full;
    return !j->is_over;
}

/* Into nothing. */
static bool let_pass(void *context, col_tour_operation operation) {
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
    j->problem = problem;
    (void)base_processor_seconds(); /* so that finding the function is not measured */
    if (j->heap_bytes == 0) {
        BASE_TRY(tour_measure_stack(make_for_nothing, j, &j->results->peak_bytes, problem));
    } else {
        make_for_nothing(j);
        j->results->peak_bytes = j->heap_bytes;
    }
    return j->status;
}

static col_status make_all(job *j, col_problem *problem) {
    BASE_TRY(make(j, (tour_sink){execute, j}, problem));
    if (j->is_wrong)
        return base_fail(problem,
                         "operation %llu of the tour is not possible: this is an error of "
                         "Collider",
                         (unsigned long long)j->results->cost);
    if (!j->is_refused)
        BASE_TRY(measure(j, problem));
    return tour_find_optimum(&j->space, &j->results->optimum, problem);
}

col_status col_tour(const col_tour_settings *settings, col_tour_results *results,
                    col_problem *problem) {
    job j = {.settings = settings, .results = results, .space = space_of(settings)};
    *results = (col_tour_results){0};
    col_status status = col_tour_check(settings, problem);
    if (status == COL_OK)
        status = begin_count(&j, problem);
    if (status == COL_OK)
        status = make_all(&j, problem);
    tour_count_end(&j.count);
    return status;
}

/* Shortest tests by breadth first search. */

enum { LONGEST_PATH = TOUR_MOST_CORES + 8, UNKNOWN = TOUR_KIND_COUNT };

/* How the search came to a state. */
typedef struct arrival {
    uint32_t from;
    col_tour_operation by; /* its kind UNKNOWN: not yet */
} arrival;

typedef struct search {
    tour_space space;
    tour_sink sink;
    arrival *arrivals; /* by state number */
    uint32_t *order;   /* states as they were found */
    uint64_t found;
} search;

static bool emit(const search *s, col_tour_kind kind, uint32_t core) {
    return s->sink.take(s->sink.context, (col_tour_operation){(uint8_t)kind, (uint8_t)core});
}

/* ---- The search. */

static void expand(search *s, uint32_t number) {
    const tour_state state = tour_numbered_state(&s->space, number);
    for (uint32_t o = 0; o < tour_operation_count(&s->space); o++) {
        const col_tour_operation operation = tour_numbered_operation(&s->space, o);
        if (!tour_is_possible(&s->space, &state, operation))
            continue;
        const tour_state next = tour_after(&s->space, &state, operation);
        const uint64_t place = tour_state_number(&s->space, &next);
        if (s->arrivals[place].by.kind != UNKNOWN)
            continue;
        s->arrivals[place] = (arrival){number, operation};
        s->order[s->found++] = (uint32_t)place;
    }
}

/* ---- The tests. */

static bool reset(const search *s, const tour_state *state) {
    if (tour_has_stores(&s->space))
        return emit(s, COL_TOUR_STORE, 0) && emit(s, COL_TOUR_EVICT, 0);
    for (uint32_t core = 0; state->holders >> core != 0; core++)
        if (tour_set_has(state->holders, core) && !emit(s, COL_TOUR_EVICT, core))
            return false;
    return true;
}

static bool test_transition(const search *s, const tour_state *state,
                            const col_tour_operation *path, uint32_t length,
                            col_tour_operation operation) {
    const tour_state next = tour_after(&s->space, state, operation);
    for (uint32_t i = 0; i < length; i++)
        if (!emit(s, path[i].kind, path[i].core))
            return false;
    return emit(s, operation.kind, operation.core) && reset(s, &next);
}

static bool test_state(const search *s, uint32_t number) {
    col_tour_operation path[LONGEST_PATH], backwards[LONGEST_PATH];
    const tour_state state = tour_numbered_state(&s->space, number);
    uint32_t length = 0;
    for (; number != 0 && length < LONGEST_PATH; number = s->arrivals[number].from)
        backwards[length++] = s->arrivals[number].by;
    for (uint32_t i = 0; i < length; i++)
        path[i] = backwards[length - 1 - i];
    for (uint32_t o = 0; o < tour_operation_count(&s->space); o++) {
        const col_tour_operation operation = tour_numbered_operation(&s->space, o);
        if (tour_is_possible(&s->space, &state, operation) &&
            !test_transition(s, &state, path, length, operation))
            return false;
    }
    return true;
}

col_status tour_bfs(const tour_space *space, tour_sink sink, uint64_t *bytes,
                    col_problem *problem) {
    const uint64_t states = tour_state_count(space);
    search s = {.space = *space, .sink = sink};
    s.arrivals = calloc(states, sizeof *s.arrivals);
    s.order = malloc(states * sizeof *s.order);
    *bytes = states * (sizeof *s.arrivals + sizeof *s.order);
    const bool fits = s.arrivals != NULL && s.order != NULL;
    if (fits) {
        for (uint64_t i = 0; i < states; i++)
            s.arrivals[i].by.kind = UNKNOWN;
        s.arrivals[0].by.kind = COL_TOUR_LOAD; /* it is known; nobody asks how */
        s.order[s.found++] = 0;
        for (uint64_t i = 0; i < s.found; i++)
            expand(&s, s.order[i]);
    }
    for (uint64_t i = 0; i < s.found && test_state(&s, s.order[i]);)
        i++;
    free(s.arrivals);
    free(s.order);
    return fits ? COL_OK : base_out_of_memory(problem);
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
