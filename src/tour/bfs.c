/* SPDX-License-Identifier: MIT */
/* Shortest tests by breadth first search: see bfs.h. */
#include "tour/bfs.h"

#include <stdlib.h>

enum { LONGEST_PATH = TOUR_MOST_CORES + 8, UNKNOWN = TOUR_KIND_COUNT };

/* How the search came to a state. */
typedef struct arrival {
    uint32_t from;
    tour_operation by; /* its kind UNKNOWN: not yet */
} arrival;

typedef struct search {
    tour_space space;
    tour_sink sink;
    arrival *arrivals; /* by state number */
    uint32_t *order;   /* states as they were found */
    uint64_t found;
} search;

static bool emit(const search *s, tour_kind kind, uint32_t core) {
    return s->sink.take(s->sink.context, (tour_operation){(uint8_t)kind, (uint8_t)core});
}

/* ---- The search. */

static void expand(search *s, uint32_t number) {
    const tour_state state = tour_numbered_state(&s->space, number);
    for (uint32_t kind = 0; kind < TOUR_KIND_COUNT; kind++)
        for (uint32_t core = 0; core < s->space.cores; core++) {
            const tour_operation operation = {(uint8_t)kind, (uint8_t)core};
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

static void find_all(search *s, uint64_t states) {
    for (uint64_t i = 0; i < states; i++)
        s->arrivals[i].by.kind = UNKNOWN;
    s->arrivals[0].by.kind = TOUR_LOAD; /* it is known; nobody asks how */
    s->order[s->found++] = 0;
    for (uint64_t i = 0; i < s->found; i++)
        expand(s, s->order[i]);
}

/* ---- The tests. */

static uint32_t path_to(const search *s, uint32_t number, tour_operation path[LONGEST_PATH]) {
    tour_operation backwards[LONGEST_PATH];
    uint32_t length = 0;
    for (; number != 0 && length < LONGEST_PATH; number = s->arrivals[number].from)
        backwards[length++] = s->arrivals[number].by;
    for (uint32_t i = 0; i < length; i++)
        path[i] = backwards[length - 1 - i];
    return length;
}

static bool reset(const search *s, const tour_state *state) {
    if (tour_has_stores(&s->space))
        return emit(s, TOUR_STORE, 0) && emit(s, TOUR_EVICT, 0);
    for (uint32_t core = 0; state->holders >> core != 0; core++)
        if ((state->holders >> core & 1) != 0 && !emit(s, TOUR_EVICT, core))
            return false;
    return true;
}

static bool test_transition(const search *s, const tour_state *state, const tour_operation *path,
                            uint32_t length, tour_operation operation) {
    const tour_state next = tour_after(&s->space, state, operation);
    for (uint32_t i = 0; i < length; i++)
        if (!emit(s, path[i].kind, path[i].core))
            return false;
    return emit(s, operation.kind, operation.core) && reset(s, &next);
}

static bool test_state(const search *s, uint32_t number) {
    tour_operation path[LONGEST_PATH];
    const uint32_t length = path_to(s, number, path);
    const tour_state state = tour_numbered_state(&s->space, number);
    for (uint32_t kind = 0; kind < TOUR_KIND_COUNT; kind++)
        for (uint32_t core = 0; core < s->space.cores; core++) {
            const tour_operation operation = {(uint8_t)kind, (uint8_t)core};
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
    s.arrivals = malloc(states * sizeof *s.arrivals);
    s.order = malloc(states * sizeof *s.order);
    *bytes = states * (sizeof *s.arrivals + sizeof *s.order);
    const bool fits = s.arrivals != NULL && s.order != NULL;
    if (fits)
        find_all(&s, states);
    for (uint64_t i = 0; i < s.found && test_state(&s, s.order[i]);)
        i++;
    free(s.arrivals);
    free(s.order);
    return fits ? COL_OK : base_out_of_memory(problem);
}
