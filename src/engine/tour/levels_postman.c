/* SPDX-License-Identifier: MIT */
/*
 * The shortest tour of two levels, and its cost by symmetry: renaming the cores of a cluster, and
 * the clusters, maps the space onto itself, so that a flow between classes of states, each as large
 * as all its states together, has the same least cost as one between all states.
 */

#include "base/hash.h"
#include "base/number.h"
#include "engine/tour/levels_tour.h"
#include "engine/tour/postman_flow.h"

#include <stdlib.h>

/* ---- The tour. */

enum { MOST_STATES = 100000 };

static uint32_t next_state(const void *context, uint32_t state, uint32_t operation) {
    const tour_levels_space *space = context;
    const tour_levels_state here = tour_levels_numbered_state(space, state);
    const tour_operation todo = tour_levels_numbered_operation(space, operation);
    if (!tour_levels_is_possible(space, &here, todo))
        return TOUR_NO_STATE;
    const tour_levels_state after = tour_levels_after(space, &here, todo);
    return (uint32_t)tour_levels_state_number(space, &after);
}

typedef struct passing {
    const tour_levels_space *space;
    tour_sink sink;
} passing;

static bool pass(void *context, uint32_t operation) {
    const passing *to = context;
    return to->sink.take(to->sink.context, tour_levels_numbered_operation(to->space, operation));
}

col_status tour_levels_postman_check(const tour_levels_space *space, col_problem *problem) {
    if (space->protocol == TOUR_SI || tour_levels_state_count(space) <= MOST_STATES)
        return COL_OK;
    return base_refuse(problem,
                       "a shortest tour of two levels is found for up to %d states, not %llu%s",
                       MOST_STATES, (unsigned long long)tour_levels_state_count(space),
                       tour_levels_has_owned(space) ? "" : "; take method euler");
}

col_status tour_levels_postman(const tour_levels_space *space, tour_sink sink, uint64_t *peak_bytes,
                               col_problem *problem) {
    const col_status status = tour_levels_postman_check(space, problem);
    if (status != COL_OK)
        return status;
    if (peak_bytes != NULL)
        *peak_bytes = 0;
    if (space->protocol == TOUR_SI) { /* an Euler tour is a shortest one */
        (void)tour_levels_euler(space, sink);
        return COL_OK;
    }
    const tour_graph graph = {.states = (uint32_t)tour_levels_state_count(space),
                              .operations = tour_levels_operation_count(space),
                              .next = next_state,
                              .context = space};
    passing to = {space, sink};
    return tour_graph_walk(&graph, (tour_walk_sink){pass, &to}, peak_bytes, problem);
}

/* ---- Classes of states. */

typedef struct classes {
    const tour_levels_space *space;
    uint32_t count;
    tour_levels_state *states; /* one of each class */
    int64_t *supply;
    tour_flow_arc *arcs;
    size_t arc_count;
    base_index index;
} classes;

/* How a cluster has the block, but for names: the number of its holders, whether they and the
 * second level own it, and the second level. */
enum { HOLDS = 1, OWNS = 2, CORE_OWNS = 4, HOLDERS = 3 };
static void sorted_codes(const classes *c, const tour_levels_state *state, uint32_t *codes) {
    for (uint32_t cluster = 0; cluster < c->space->clusters; cluster++) {
        const uint32_t width = c->space->cores / c->space->clusters;
        const uint32_t set = state->holders >> cluster * width & ((UINT32_C(1) << width) - 1);
        const bool core_owns = state->holding == TOUR_OWNED && state->owner / width == cluster;
        const bool owns = state->second_holding == TOUR_OWNED && state->second_owner == cluster;
        codes[cluster] = base_bit_count(set) << HOLDERS | (core_owns ? CORE_OWNS : 0U) |
                         (owns ? OWNS : 0U) | (state->seconds >> cluster & HOLDS);
    }
    for (uint32_t i = 1; i < c->space->clusters; i++)
        for (uint32_t j = i; j > 0 && codes[j - 1] < codes[j]; j--) {
            const uint32_t code = codes[j];
            codes[j] = codes[j - 1];
            codes[j - 1] = code;
        }
}

/* The one state of its class that stands for it: the first clusters and cores hold most, and an
 * owner is the first core of its cluster. */
static tour_levels_state representative(const classes *c, const tour_levels_state *state) {
    const uint32_t width = c->space->cores / c->space->clusters;
    uint32_t codes[TOUR_LEVELS_MOST_CLUSTERS];
    tour_levels_state result = {.holding = state->holding, .second_holding = state->second_holding};
    sorted_codes(c, state, codes);
    for (uint32_t cluster = 0; cluster < c->space->clusters; cluster++) {
        result.holders |= ((UINT32_C(1) << (codes[cluster] >> HOLDERS)) - 1) << cluster * width;
        result.seconds |= (codes[cluster] & HOLDS) << cluster;
        if ((codes[cluster] & CORE_OWNS) != 0)
            result.owner = (uint8_t)(cluster * width);
        if ((codes[cluster] & OWNS) != 0)
            result.second_owner = (uint8_t)cluster;
    }
    return result;
}

/* States of a class: which cluster is which, which cores of each hold, and which of these owns. */
static int64_t class_size(const classes *c, const tour_levels_state *state) {
    const uint32_t clusters = c->space->clusters;
    uint32_t codes[TOUR_LEVELS_MOST_CLUSTERS];
    uint64_t size = 1;
    sorted_codes(c, state, codes);
    for (uint32_t i = 0, same = 0; i < clusters; i++) {
        same = i > 0 && codes[i] == codes[i - 1] ? same + 1 : 1;
        size = size * (i + 1) / same; /* arrangements of i + 1 clusters */
        size *= tour_choices(c->space->cores / clusters, codes[i] >> HOLDERS);
        size *= (codes[i] & CORE_OWNS) != 0 ? codes[i] >> HOLDERS : 1;
    }
    return (int64_t)size;
}

static bool is_class(const void *states, uint32_t number, const void *wanted) {
    return tour_levels_is_same(&((const tour_levels_state *)states)[number], wanted);
}

static uint32_t class_of(classes *c, const tour_levels_state *state) {
    const tour_levels_state wanted = representative(c, state);
    const uint64_t mixed = ((uint64_t)wanted.holders << 32 | (uint64_t)wanted.owner << 24 |
                            (uint64_t)wanted.second_owner << 16 | (uint64_t)wanted.seconds << 8 |
                            (uint64_t)wanted.holding << 4 | wanted.second_holding) *
                           UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t hash = mixed >> 32;
    const uint32_t known = base_index_find(&c->index, hash, is_class, c->states, &wanted);
    if (known != BASE_NO_NUMBER)
        return known;
    (void)base_index_put(&c->index, hash, NULL); /* there is room for all */
    c->states[c->count++] = wanted;
    return c->count - 1;
}

static void add_arcs(classes *c, uint32_t from) {
    const tour_levels_state state = c->states[from];
    const int64_t size = class_size(c, &state);
    uint32_t before = from;
    for (uint32_t number = 0; number < tour_levels_operation_count(c->space); number++) {
        const tour_operation operation = tour_levels_numbered_operation(c->space, number);
        if (!tour_levels_is_possible(c->space, &state, operation))
            continue;
        const tour_levels_state after = tour_levels_after(c->space, &state, operation);
        const uint32_t to = class_of(c, &after);
        c->supply[from] -= size;
        c->supply[to] += size;
        if (to != from && to != before) /* cores that are alike follow each other */
            c->arcs[c->arc_count++] = (tour_flow_arc){from, to};
        before = to;
    }
}

static col_status find_classes(classes *c, col_problem *problem) {
    /* All classes there can be: as many as ways to give out codes, and those that one cluster has
     * for itself, or owns while the others share. */
    const uint64_t codes = UINT64_C(2) * (c->space->cores / c->space->clusters + 1);
    const uint64_t others =
        tour_levels_has_owned(c->space)
            ? tour_choices(codes + c->space->clusters - 2, c->space->clusters - 1)
            : 0;
    const size_t most = (size_t)(tour_choices(codes + c->space->clusters - 1, c->space->clusters) +
                                 8 * codes * (others + 1));
    c->states = calloc(most, sizeof *c->states);
    c->supply = calloc(most, sizeof *c->supply);
    c->arcs = calloc(most * tour_levels_operation_count(c->space), sizeof *c->arcs);
    if (c->states == NULL || c->supply == NULL || c->arcs == NULL)
        return base_out_of_memory(problem);
    const col_status status = base_index_reserve(&c->index, most, problem);
    if (status != COL_OK)
        return status;
    (void)class_of(c, &TOUR_LEVELS_INITIAL);
    for (uint32_t from = 0; from < c->count; from++)
        add_arcs(c, from);
    return COL_OK;
}

col_status tour_levels_optimum(const tour_levels_space *space, uint64_t *cost,
                               col_problem *problem) {
    classes c = {.space = space};
    tour_flow_cost least = {0};
    col_status status = find_classes(&c, problem);
    if (status == COL_OK) {
        const tour_flow_task task = {
            .nodes = c.count, .arc_count = c.arc_count, .arcs = c.arcs, .supply = c.supply};
        status = tour_least_flow(&task, NULL, NULL, &least, problem);
    }
    *cost = tour_levels_transition_count(space) + least.least - least.saving;
    free(c.states);
    free(c.supply);
    free(c.arcs);
    base_index_free(&c.index);
    return status;
}

/*
 * The shortest tour's cost by symmetry. A postman repeats the arcs of a least flow from states that
 * are entered more often than left to those where it is the other way round. The average of an
 * optimal flow over all renamings of the cores costs the same and is alike on all arcs between two
 * classes; so the flow between classes, each as large as all its states together, has the same
 * least cost.
 */

enum {
    MOST_CLASSES = 2 * TOUR_MOST_CORES + 3, /* holders of shared and of owned states, E, M */
    MOST_ARCS = MOST_CLASSES * TOUR_KIND_COUNT * TOUR_MOST_CORES
};

typedef struct single_classes {
    uint32_t count;
    size_t arc_count;
    tour_state states[MOST_CLASSES]; /* one of each class */
    int64_t supply[MOST_CLASSES];
    tour_flow_arc arcs[MOST_ARCS];
} single_classes;

static uint32_t holder_count(const tour_state *state) {
    return base_bit_count(state->holders);
}

static uint32_t single_class_of(single_classes *c, const tour_state *state) {
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
static int64_t single_class_size(const tour_space *space, const tour_state *state) {
    if (state->holding == TOUR_SHARED)
        return (int64_t)tour_choices(space->cores, holder_count(state));
    return space->cores * (int64_t)tour_choices(space->cores - 1, holder_count(state) - 1);
}

static void add_single_arcs(single_classes *c, const tour_space *space, uint32_t from) {
    const tour_state state = c->states[from];
    const int64_t size = single_class_size(space, &state);
    for (uint32_t kind = 0; kind < TOUR_KIND_COUNT; kind++) {
        for (uint32_t core = 0; core < space->cores; core++) {
            const tour_operation operation = {(uint8_t)kind, (uint8_t)core};
            if (!tour_is_possible(space, &state, operation))
                continue;
            const tour_state after = tour_after(space, &state, operation);
            const uint32_t to = single_class_of(c, &after);
            c->arcs[c->arc_count++] = (tour_flow_arc){from, to};
            c->supply[from] -= size;
            c->supply[to] += size;
        }
    }
}

col_status tour_find_optimum(const tour_space *space, tour_optimum *optimum, col_problem *problem) {
    single_classes c = {.count = 0};
    tour_flow_cost cost;
    const uint32_t start = single_class_of(&c, &TOUR_INITIAL);
    for (uint32_t from = 0; from < c.count; from++)
        add_single_arcs(&c, space, from);
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
