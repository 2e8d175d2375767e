/* SPDX-License-Identifier: MIT */
/*
 * The shortest tour's cost by symmetry. A postman repeats the arcs of a least flow from states that
 * are entered more often than left to those where it is the other way round. The average of an
 * optimal flow over all renamings of the cores costs the same and is alike on all arcs between two
 * classes; so the flow between classes, each as large as all its states together, has the same
 * least cost.
 */
#include "tour/optimum.h"

#include "base/bits.h"
#include "tour/flow.h"

enum {
    MOST_CLASSES = 2 * TOUR_MOST_CORES + 3, /* holders of shared and of owned states, E, M */
    MOST_ARCS = MOST_CLASSES * TOUR_KIND_COUNT * TOUR_MOST_CORES
};

typedef struct classes {
    uint32_t count;
    size_t arc_count;
    tour_state states[MOST_CLASSES]; /* one of each class */
    int64_t supply[MOST_CLASSES];
    tour_flow_arc arcs[MOST_ARCS];
} classes;

static uint32_t holder_count(const tour_state *state) {
    return base_bit_count(state->holders);
}

static uint32_t class_of(classes *c, const tour_state *state) {
    for (uint32_t index = 0; index < c->count; index++) {
        const tour_state *known = &c->states[index];
        if (known->holding == state->holding && holder_count(known) == holder_count(state))
            return index;
    }
    c->states[c->count] = (tour_state){.holders = (UINT32_C(1) << holder_count(state)) - 1,
                                       .holding = state->holding};
    return c->count++;
}

/* States of a class: whose the block is, and which cores hold it. */
static int64_t class_size(const tour_space *space, const tour_state *state) {
    if (state->holding == TOUR_SHARED)
        return (int64_t)tour_choices(space->cores, holder_count(state));
    return space->cores * (int64_t)tour_choices(space->cores - 1, holder_count(state) - 1);
}

static void add_arcs(classes *c, const tour_space *space, uint32_t from) {
    const tour_state state = c->states[from];
    const int64_t size = class_size(space, &state);
    for (uint32_t kind = 0; kind < TOUR_KIND_COUNT; kind++) {
        for (uint32_t core = 0; core < space->cores; core++) {
            const tour_operation operation = {(uint8_t)kind, (uint8_t)core};
            if (!tour_is_possible(space, &state, operation))
                continue;
            const tour_state after = tour_after(space, &state, operation);
            const uint32_t to = class_of(c, &after);
            c->arcs[c->arc_count++] = (tour_flow_arc){from, to};
            c->supply[from] -= size;
            c->supply[to] += size;
        }
    }
}

col_status tour_find_optimum(const tour_space *space, tour_optimum *optimum, col_problem *problem) {
    classes c = {.count = 0};
    tour_flow_cost cost;
    const uint32_t start = class_of(&c, &TOUR_INITIAL);
    for (uint32_t from = 0; from < c.count; from++)
        add_arcs(&c, space, from);
    const tour_flow_task task = {.nodes = c.count,
                                 .start = start,
                                 .arc_count = c.arc_count,
                                 .arcs = c.arcs,
                                 .supply = c.supply};
    const col_status status = tour_least_flow(&task, NULL, NULL, &cost, problem);
    if (status != COL_OK)
        return status;
    optimum->closed = tour_transition_count(space) + cost.least;
    optimum->open = optimum->closed - cost.saving;
    return COL_OK;
}
