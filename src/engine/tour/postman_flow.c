/* SPDX-License-Identifier: MIT */
/*
 * Shortest tours by flows: which transitions a tour must repeat, the tour of a space that fits in
 * memory, and what that of any space costs.
 *
 * Min-cost flow by successive shortest paths. Each round finds the shortest ways from all that have
 * something left and sends along the tree of these ways as much as it takes: all arcs of the tree
 * are shortest ways themselves, so no round ever has to be undone at a loss.
 */
#include "base/hash.h"
#include "base/memory.h"
#include "engine/tour/tour.h"

#define FAR INT64_MAX
#define NO_ARC SIZE_MAX

/* The arcs at each node, those that lead out of it or into it. */
typedef struct incidence {
    size_t *first; /* by node, and one more */
    size_t *arcs;
} incidence;

typedef struct solver {
    const tour_flow_task *task;
    incidence out, in;
    uint64_t *flow;    /* by arc */
    int64_t *left;     /* by node: what it has to send; less than 0: what it lacks */
    int64_t *distance; /* by node, or FAR */
    size_t *came_by;   /* by node: the arc of the shortest way, or NO_ARC where it begins */
    uint32_t *queue;   /* a ring of nodes */
    bool *is_queued;
    base_arena arena; /* of all of these */
} solver;

/* ---- Memory. */

static col_status incidence_make(incidence *i, const tour_flow_task *p, bool is_out,
                                 base_arena *arena, col_problem *problem) {
    const base_part parts[] = {
        BASE_PART(i->first, (size_t)p->nodes + 2), BASE_PART(i->arcs, p->arc_count), {0}};
    BASE_TRY(base_arena_divide(arena, parts, problem));
    size_t *place = i->first + 1; /* in the end, where the next node's begin */
    for (size_t arc = 0; arc < p->arc_count; arc++)
        place[(is_out ? p->arcs[arc].from : p->arcs[arc].to) + 1]++;
    for (uint32_t node = 0; node < p->nodes; node++)
        place[node + 1] += place[node];
    for (size_t arc = 0; arc < p->arc_count; arc++)
        i->arcs[place[is_out ? p->arcs[arc].from : p->arcs[arc].to]++] = arc;
    return COL_OK;
}

static col_status solver_make(solver *s, const tour_flow_task *p, col_problem *problem) {
    *s = (solver){.task = p};
    const base_part parts[] = {BASE_PART(s->flow, p->arc_count),
                               BASE_PART(s->left, p->nodes),
                               BASE_PART(s->distance, p->nodes),
                               BASE_PART(s->came_by, p->nodes),
                               BASE_PART(s->queue, p->nodes),
                               BASE_PART(s->is_queued, p->nodes),
                               {0}};
    BASE_TRY(base_arena_divide(&s->arena, parts, problem));
    BASE_TRY(incidence_make(&s->out, p, true, &s->arena, problem));
    BASE_TRY(incidence_make(&s->in, p, false, &s->arena, problem));
    for (uint32_t node = 0; node < p->nodes; node++)
        s->left[node] = p->supply[node];
    return COL_OK;
}

/* ---- Shortest ways. An arc with flow can also be gone backwards, which gives its cost back. */

typedef struct node_queue {
    uint32_t head, count;
} node_queue;

static void reach(solver *s, node_queue *q, uint32_t node, int64_t distance, size_t arc) {
    if (distance >= s->distance[node])
        return;
    s->distance[node] = distance;
    s->came_by[node] = arc;
    if (s->is_queued[node])
        return;
    s->is_queued[node] = true;
    s->queue[(q->head + (uint64_t)q->count++) % s->task->nodes] = node;
}

static void spread(solver *s, node_queue *q) {
    while (q->count > 0) {
        const uint32_t node = s->queue[q->head];
        q->head = (q->head + 1) % s->task->nodes;
        q->count--;
        s->is_queued[node] = false;
        const int64_t distance = s->distance[node];
        for (size_t i = s->out.first[node]; i < s->out.first[node + 1]; i++)
            reach(s, q, s->task->arcs[s->out.arcs[i]].to, distance + 1, s->out.arcs[i]);
        for (size_t i = s->in.first[node]; i < s->in.first[node + 1]; i++)
            if (s->flow[s->in.arcs[i]] > 0)
                reach(s, q, s->task->arcs[s->in.arcs[i]].from, distance - 1, s->in.arcs[i]);
    }
}

static void forget_distances(solver *s) {
    for (uint32_t node = 0; node < s->task->nodes; node++)
        s->distance[node] = FAR;
}

/* ---- Sending. */

/* The node before this one on its way, if it is not the first. */
static bool step_back(const solver *s, uint32_t *node, bool *is_backwards) {
    const size_t arc = s->came_by[*node];
    if (arc == NO_ARC)
        return false;
    *is_backwards = s->task->arcs[arc].to != *node;
    *node = *is_backwards ? s->task->arcs[arc].to : s->task->arcs[arc].from;
    return true;
}

static int64_t room_on_way(const solver *s, uint32_t end) {
    int64_t room = -s->left[end];
    bool is_backwards;
    uint32_t node = end, before = end;
    for (; step_back(s, &before, &is_backwards); node = before) {
        const uint64_t flow = s->flow[s->came_by[node]];
        if (is_backwards && flow < (uint64_t)room)
            room = (int64_t)flow;
    }
    return s->left[node] < room ? s->left[node] : room;
}

static void send(solver *s, uint32_t end, int64_t amount) {
    bool is_backwards;
    uint32_t node = end, before = end;
    for (; step_back(s, &before, &is_backwards); node = before) {
        if (is_backwards)
            s->flow[s->came_by[node]] -= (uint64_t)amount;
        else
            s->flow[s->came_by[node]] += (uint64_t)amount;
    }
    s->left[node] -= amount;
    s->left[end] += amount;
}

/* False: nobody lacks anything any more, or what is lacked cannot be sent. */
static bool send_round(solver *s) {
    bool has_sent = false;
    node_queue q = {0};
    forget_distances(s);
    for (uint32_t node = 0; node < s->task->nodes; node++)
        if (s->left[node] > 0)
            reach(s, &q, node, 0, NO_ARC);
    spread(s, &q);
    for (uint32_t node = 0; node < s->task->nodes; node++) {
        if (s->left[node] >= 0 || s->distance[node] == FAR)
            continue;
        const int64_t room = room_on_way(s, node);
        if (room > 0) {
            send(s, node, room);
            has_sent = true;
        }
    }
    return has_sent;
}

static col_status solve(solver *s, tour_flow_cost *cost, col_problem *problem) {
    *cost = (tour_flow_cost){0};
    while (send_round(s)) {
    }
    node_queue q = {0};
    forget_distances(s);
    reach(s, &q, s->task->start, 0, NO_ARC);
    spread(s, &q);
    for (uint32_t node = 0; node < s->task->nodes; node++) {
        if (s->left[node] != 0 || s->distance[node] == FAR)
            return base_refuse(problem, "the graph is not strongly connected");
        if (s->distance[node] < 0 && (uint64_t)-s->distance[node] > cost->saving)
            cost->saving = (uint64_t)-s->distance[node];
    }
    for (size_t arc = 0; arc < s->task->arc_count; arc++)
        cost->least += s->flow[arc];
    return COL_OK;
}

col_status tour_least_flow(const tour_flow_task *task, uint64_t *flow, int64_t *distance,
                           tour_flow_cost *cost, col_problem *problem) {
    solver s;
    col_status status = solver_make(&s, task, problem);
    if (status == COL_OK)
        status = solve(&s, cost, problem);
    for (size_t arc = 0; status == COL_OK && flow != NULL && arc < task->arc_count; arc++)
        flow[arc] = s.flow[arc];
    for (uint32_t node = 0; status == COL_OK && distance != NULL && node < task->nodes; node++)
        distance[node] = s.distance[node];
    base_arena_free(&s.arena);
    return status;
}

/*
 * The postman: a least flow says how often each arc is repeated, then every state is left as often
 * as it is entered. The walk needs no stack: a tree of arcs to the state where it ends says by
 * which arc each state is left last; all orders of the other arcs give an Euler tour then (the BEST
 * theorem).
 */

#define NO_STATE UINT32_MAX

enum { MOST_STATES = 100000, NO_EDGE = -1, BYTES_OF_FLOW_ARC = 24, BYTES_OF_FLOW_NODE = 48 };

typedef struct postman {
    const tour_space *space;
    uint32_t states, operations;
    size_t arc_count;    /* self-loops are none: they are done when a state is first entered */
    tour_flow_arc *arcs; /* by state they lead from */
    uint32_t *operation; /* by arc */
    uint64_t *flow;      /* by arc: repetitions */
    int64_t *supply;     /* by state */
    int64_t *distance;   /* by state */
    size_t *first;       /* by state, and one more: its arcs */
    size_t *next;        /* by state: the arc to take next */
    int64_t *last;       /* by state: the arc of the tree */
    uint32_t *queue;
    uint32_t end;
    base_arena arena; /* of all of these */
} postman;

static uint32_t next_of(const postman *p, uint32_t state, uint32_t operation) {
    const tour_state here = tour_numbered_state(p->space, state);
    const col_tour_operation todo = tour_numbered_operation(p->space, operation);
    if (!tour_is_possible(p->space, &here, todo))
        return NO_STATE;
    const tour_state after = tour_after(p->space, &here, todo);
    return (uint32_t)tour_state_number(p->space, &after);
}

static size_t count_arcs(const postman *p) {
    size_t count = 0;
    for (uint32_t state = 0; state < p->states; state++)
        for (uint32_t operation = 0; operation < p->operations; operation++) {
            const uint32_t to = next_of(p, state, operation);
            count += to != NO_STATE && to != state;
        }
    return count;
}

static col_status postman_make(postman *p, col_problem *problem) {
    const size_t states = (size_t)p->states + 1, arcs = count_arcs(p);
    const base_part parts[] = {BASE_PART(p->arcs, arcs),       BASE_PART(p->operation, arcs),
                               BASE_PART(p->flow, arcs),       BASE_PART(p->supply, states),
                               BASE_PART(p->distance, states), BASE_PART(p->first, states),
                               BASE_PART(p->next, states),     BASE_PART(p->last, states),
                               BASE_PART(p->queue, states),    {0}};
    BASE_TRY(base_arena_divide(&p->arena, parts, problem));
    for (uint32_t state = 0; state < p->states; state++) {
        p->first[state] = p->arc_count;
        for (uint32_t operation = 0; operation < p->operations; operation++) {
            const uint32_t to = next_of(p, state, operation);
            if (to == NO_STATE || to == state)
                continue;
            p->supply[state]--;
            p->supply[to]++;
            p->operation[p->arc_count] = operation;
            p->arcs[p->arc_count++] = (tour_flow_arc){state, to};
        }
    }
    p->first[p->states] = p->arc_count;
    return COL_OK;
}

/* A walk that need not return to its start ends where that saves most. */
static col_status find_repetitions(postman *p, col_problem *problem) {
    tour_flow_task task = {
        .nodes = p->states, .arc_count = p->arc_count, .arcs = p->arcs, .supply = p->supply};
    tour_flow_cost cost;
    BASE_TRY(tour_least_flow(&task, p->flow, p->distance, &cost, problem));
    for (uint32_t state = 0; state < p->states; state++)
        if (p->distance[state] < p->distance[p->end])
            p->end = state;
    if (p->end == 0)
        return COL_OK;
    p->supply[0]++;
    p->supply[p->end]--;
    return tour_least_flow(&task, p->flow, p->distance, &cost, problem);
}

/* The tree, breadth first from the end against the arcs. */
static col_status grow_tree(postman *p, col_problem *problem) {
    const tour_flow_task task = {.nodes = p->states, .arc_count = p->arc_count, .arcs = p->arcs};
    incidence into;
    BASE_TRY(incidence_make(&into, &task, false, &p->arena, problem));
    for (uint32_t state = 0; state < p->states; state++)
        p->last[state] = NO_EDGE;
    p->queue[0] = p->end;
    for (uint32_t i = 0, count = 1; i < count; i++)
        for (size_t a = into.first[p->queue[i]]; a < into.first[p->queue[i] + 1]; a++) {
            const uint32_t from = p->arcs[into.arcs[a]].from;
            if (from == p->end || p->last[from] != NO_EDGE)
                continue;
            p->last[from] = (int64_t)into.arcs[a];
            p->queue[count++] = from;
        }
    return COL_OK;
}

/* What is left of an arc: it itself, and its repetitions. */
static bool take_arc(postman *p, size_t arc) {
    if (p->flow[arc] == 0)
        return false;
    p->flow[arc]--;
    return true;
}

static int64_t choose_arc(postman *p, uint32_t state) {
    for (; p->next[state] < p->first[state + 1]; p->next[state]++) {
        const size_t arc = p->next[state];
        if ((int64_t)arc != p->last[state] && take_arc(p, arc))
            return (int64_t)arc;
    }
    const int64_t last = p->last[state];
    return last != NO_EDGE && take_arc(p, (size_t)last) ? last : NO_EDGE;
}

static bool do_self_loops(const postman *p, tour_sink sink, uint32_t state) {
    for (uint32_t operation = 0; operation < p->operations; operation++)
        if (next_of(p, state, operation) == state &&
            !sink.take(sink.context, tour_numbered_operation(p->space, operation)))
            return false;
    return true;
}

static void go(postman *p, tour_sink sink) {
    for (size_t arc = 0; arc < p->arc_count; arc++)
        p->flow[arc]++;
    for (uint32_t state = 0; state < p->states; state++)
        p->next[state] = SIZE_MAX;
    for (uint32_t state = 0;;) {
        if (p->next[state] == SIZE_MAX) {
            p->next[state] = p->first[state];
            if (!do_self_loops(p, sink, state))
                return;
        }
        const int64_t arc = choose_arc(p, state);
        if (arc == NO_EDGE ||
            !sink.take(sink.context, tour_numbered_operation(p->space, p->operation[arc])))
            return;
        state = p->arcs[arc].to;
    }
}

col_status tour_levels_postman_check(const tour_space *space, col_problem *problem) {
    if (space->protocol == COL_TOUR_SI || tour_state_count(space) <= MOST_STATES)
        return COL_OK;
    return base_refuse(problem,
                       "a shortest tour of two levels is found for up to %d states, not %llu%s",
                       MOST_STATES, (unsigned long long)tour_state_count(space),
                       tour_has_owned(space) ? "" : "; take method euler");
}

col_status tour_levels_postman(const tour_space *space, tour_sink sink, uint64_t *peak_bytes,
                               col_problem *problem) {
    if (space->protocol == COL_TOUR_SI) { /* an Euler tour is a shortest one */
        *peak_bytes = 0;
        (void)tour_levels_euler(space, sink);
        return COL_OK;
    }
    postman p = {.space = space,
                 .states = (uint32_t)tour_state_count(space),
                 .operations = tour_operation_count(space)};
    col_status status = postman_make(&p, problem);
    if (status == COL_OK)
        status = find_repetitions(&p, problem);
    if (status == COL_OK)
        status = grow_tree(&p, problem);
    if (status == COL_OK) {
        const uint64_t arc = sizeof *p.arcs + sizeof *p.operation + sizeof *p.flow;
        const uint64_t state = sizeof *p.supply + sizeof *p.distance + sizeof *p.first +
                               sizeof *p.next + sizeof *p.last + sizeof *p.queue;
        *peak_bytes =
            p.arc_count * (arc + BYTES_OF_FLOW_ARC) + p.states * (state + BYTES_OF_FLOW_NODE);
        go(&p, sink);
    }
    base_arena_free(&p.arena);
    return status;
}

/*
 * What the shortest tour of any space costs, by symmetry: renaming the cores of a cluster, and the
 * clusters, maps the space onto itself. The average of an optimal flow over all renamings costs the
 * same and is alike on all arcs between two classes of states; so the flow between classes, each as
 * large as all its states together, has the same least cost.
 */

typedef struct classes {
    const tour_space *space;
    uint32_t count;
    tour_state *states; /* one of each class */
    int64_t *supply;
    tour_flow_arc *arcs;
    size_t arc_count;
    base_index index;
    base_arena arena; /* of the arrays */
} classes;

/* How a cluster has the block, but for names: the number of its holders, whether they and the
 * second level own it, and the second level. */
enum { HOLDS = 1, OWNS = 2, CORE_OWNS = 4, HOLDERS = 3 };
static void sorted_codes(const classes *c, const tour_state *state, uint32_t *codes) {
    for (uint32_t cluster = 0; cluster < tour_cluster_count(c->space); cluster++) {
        const uint32_t width = tour_width(c->space);
        const uint32_t set = state->holders >> cluster * width & ((UINT32_C(1) << width) - 1);
        const bool core_owns = state->holding == TOUR_OWNED && state->owner / width == cluster;
        const bool owns = state->second_holding == TOUR_OWNED && state->second_owner == cluster;
        codes[cluster] = base_bit_count(set) << HOLDERS | (core_owns ? CORE_OWNS : 0U) |
                         (owns ? OWNS : 0U) | (state->seconds >> cluster & HOLDS);
    }
    for (uint32_t i = 1; i < tour_cluster_count(c->space); i++)
        for (uint32_t j = i; j > 0 && codes[j - 1] < codes[j]; j--) {
            const uint32_t code = codes[j];
            codes[j] = codes[j - 1];
            codes[j - 1] = code;
        }
}

/* The one state of its class that stands for it: the first clusters and cores hold most, and an
 * owner is the first core of its cluster. */
static tour_state representative(const classes *c, const tour_state *state) {
    const uint32_t width = tour_width(c->space);
    uint32_t codes[TOUR_MOST_CLUSTERS] = {0};
    tour_state result = {.holding = state->holding, .second_holding = state->second_holding};
    sorted_codes(c, state, codes);
    for (uint32_t cluster = 0; cluster < tour_cluster_count(c->space); cluster++) {
        result.holders |= ((UINT32_C(1) << (codes[cluster] >> HOLDERS)) - 1) << cluster * width;
        result.seconds |= (codes[cluster] & HOLDS) << cluster;
        if ((codes[cluster] & CORE_OWNS) != 0)
            result.owner = (uint8_t)(cluster * width);
        if ((codes[cluster] & OWNS) != 0)
            result.second_owner = (uint8_t)cluster;
    }
    return result;
}

/* Ways to choose this many of them. */
static uint64_t choices(uint64_t of, uint64_t count) {
    uint64_t result = 1;
    for (uint64_t i = 0; i < count; i++)
        result = result * (of - i) / (i + 1);
    return result;
}

/* States of a class: which cluster is which, which cores of each hold, and which of these owns. */
static int64_t class_size(const classes *c, const tour_state *state) {
    const uint32_t clusters = tour_cluster_count(c->space);
    uint32_t codes[TOUR_MOST_CLUSTERS] = {0};
    uint64_t size = 1;
    sorted_codes(c, state, codes);
    for (uint32_t i = 0, same = 0; i < clusters; i++) {
        same = i > 0 && codes[i] == codes[i - 1] ? same + 1 : 1;
        size = size * (i + 1) / same; /* arrangements of i + 1 clusters */
        size *= choices(tour_width(c->space), codes[i] >> HOLDERS);
        size *= (codes[i] & CORE_OWNS) != 0 ? codes[i] >> HOLDERS : 1;
    }
    return (int64_t)size;
}

static bool is_class(const void *states, uint32_t number, const void *wanted) {
    return tour_is_same(&((const tour_state *)states)[number], wanted);
}

static uint32_t class_of(classes *c, const tour_state *state) {
    const tour_state wanted = representative(c, state);
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
    const tour_state state = c->states[from];
    const int64_t size = class_size(c, &state);
    uint32_t before = from;
    for (uint32_t number = 0; number < tour_operation_count(c->space); number++) {
        const col_tour_operation operation = tour_numbered_operation(c->space, number);
        if (!tour_is_possible(c->space, &state, operation))
            continue;
        const tour_state after = tour_after(c->space, &state, operation);
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
    const uint32_t clusters = tour_cluster_count(c->space);
    const uint64_t codes = UINT64_C(2) * (tour_width(c->space) + 1);
    const uint64_t others =
        tour_has_owned(c->space) ? choices(codes + clusters - 2, clusters - 1) : 0;
    const size_t most =
        (size_t)(choices(codes + clusters - 1, clusters) + 8 * codes * (others + 1));
    const base_part parts[] = {BASE_PART(c->states, most),
                               BASE_PART(c->supply, most),
                               BASE_PART(c->arcs, most * tour_operation_count(c->space)),
                               {0}};
    BASE_TRY(base_arena_divide(&c->arena, parts, problem));
    BASE_TRY(base_index_reserve(&c->index, most, problem));
    (void)class_of(c, &TOUR_INITIAL);
    for (uint32_t from = 0; from < c->count; from++)
        add_arcs(c, from);
    return COL_OK;
}

col_status tour_find_optimum(const tour_space *space, uint64_t *cost, col_problem *problem) {
    classes c = {.space = space};
    tour_flow_cost least = {0};
    col_status status = find_classes(&c, problem);
    if (status == COL_OK) {
        const tour_flow_task task = {
            .nodes = c.count, .arc_count = c.arc_count, .arcs = c.arcs, .supply = c.supply};
        status = tour_least_flow(&task, NULL, NULL, &least, problem);
    }
    *cost = tour_transition_count(space) + least.least - least.saving;
    base_arena_free(&c.arena);
    base_index_free(&c.index);
    return status;
}
