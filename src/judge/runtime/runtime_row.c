/* SPDX-License-Identifier: MIT */
/* A row of labelled nodes: see chk_sequence. Spreading takes in as many neighbours as it needs
 * until labels are sparse again, so that it is rare (Bender et al. 2002 bound it). */
#include "judge/runtime/runtime_checker.h"

#include <string.h>

#define SPARSE (UINT64_C(1) << 12) /* between nodes that were spread */

col_status chk_sequence_reset(chk_sequence *sequence, uint32_t node_count, col_problem *problem) {
    const size_t count = (size_t)node_count + 1;
    const col_status status = base_reserve(&sequence->places, &sequence->capacity, count,
                                           sizeof *sequence->places, problem);
    if (status != COL_OK)
        return status;
    memset(sequence->places, 0, count * sizeof *sequence->places);
    sequence->node_count = node_count;
    sequence->places[node_count] = (chk_place){0, node_count, node_count};
    return COL_OK;
}

static void link_between(chk_place *places, uint32_t previous, uint32_t node, uint32_t next) {
    places[node].previous = previous;
    places[node].next = next;
    places[previous].next = node;
    places[next].previous = node;
}

/* Labels for `count` nodes behind `from`, evenly up to the one that follows them. */
static void spread(chk_place *places, uint32_t from, uint64_t first, uint64_t limit,
                   uint64_t count) {
    const uint64_t step = (limit - first) / (count + 1);
    base_invariant(limit > first && step > 0);
    uint64_t label = first;
    for (uint32_t node = places[from].next; count > 0; node = places[node].next, count--)
        places[node].label = label += step;
}

/* Room for `count` nodes just linked in behind `from`, whose labels are yet to be given. */
static void make_room(chk_sequence *sequence, uint32_t from, uint64_t count) {
    chk_place *places = sequence->places;
    const uint32_t end = sequence->node_count;
    uint32_t left = from, right = from;
    for (uint64_t i = 0; i <= count; i++)
        right = places[right].next;
    uint64_t inside = count;
    while (true) {
        const uint64_t first = places[left].label; /* of the end: 0 */
        const uint64_t limit =
            right == end ? first + (inside + 1) * CHK_STRIDE : places[right].label;
        if ((limit - first) / (inside + 1) >= (inside == count ? 1 : SPARSE)) {
            spread(places, left, first, limit, inside);
            return;
        }
        for (uint64_t more = inside + 1; more > 0 && (left != end || right != end); more--) {
            if (left != end) {
                left = places[left].previous;
                inside++;
            }
            if (right != end) {
                right = places[right].next;
                inside++;
            }
        }
    }
}

void chk_sequence_move(chk_sequence *sequence, const uint32_t *nodes, uint32_t count,
                       uint32_t mark) {
    chk_place *places = sequence->places;
    for (uint32_t i = 0; i < count; i++) {
        const chk_place *place = &places[nodes[i]];
        places[place->previous].next = place->next;
        places[place->next].previous = place->previous;
    }
    const uint32_t from = places[mark].previous;
    for (uint32_t i = 0; i < count; i++)
        link_between(places, i == 0 ? from : nodes[i - 1], nodes[i], mark);
    make_room(sequence, from, count);
}

/* The row of a checker: nodes enter it, and edges that point backward are turned. */

/* On a visit to what comes before a node. */
typedef struct visitor {
    col_checker *checker;
    uint32_t node;
    bool found; /* one that was looked for */
} visitor;

static void find_missing(void *context, chk_known edge) {
    visitor *v = context;
    v->found |= !chk_is_placed(v->checker, edge.before);
}

/* Nodes on their way into the row are stacked through their unused places. A node that is met again
 * while it waits goes on top; one whose own predecessors are being placed is part of a cycle. */
static void unstack(col_checker *c, uint32_t node) {
    const chk_place *place = &c->row.places[node];
    if (c->stack == node)
        c->stack = place->next;
    else
        c->row.places[place->previous].next = place->next;
    if (place->next != CHK_NONE)
        c->row.places[place->next].previous = place->previous;
}

static void put_on_stack(col_checker *c, uint32_t node) {
    c->row.places[node].previous = CHK_NONE;
    c->row.places[node].next = c->stack;
    if (c->stack != CHK_NONE)
        c->row.places[c->stack].previous = node;
    c->stack = node;
}

static void stack_missing(void *context, chk_known edge) {
    visitor *v = context;
    col_checker *c = v->checker;
    if (chk_is_placed(c, edge.before))
        return;
    if (c->state[edge.before] == CHK_OPEN) {
        if (!c->violated)
            chk_report_cycle(c, edge.before, v->node);
        return;
    }
    if (c->state[edge.before] == CHK_STACKED)
        unstack(c, edge.before);
    c->state[edge.before] = CHK_STACKED;
    put_on_stack(c, edge.before);
    v->found = true;
}

static void place_all_before(col_checker *c, uint32_t node) {
    c->stack = CHK_NONE;
    put_on_stack(c, node);
    while (c->stack != CHK_NONE && !c->violated) {
        visitor v = {c, c->stack, false};
        c->state[v.node] = CHK_OPEN;
        chk_each_before(&c->execution, v.node, stack_missing, &v);
        if (v.found)
            continue;
        unstack(c, v.node);
        c->state[v.node] = CHK_UNTOUCHED;
        chk_row_append(c, v.node);
    }
    base_invariant(c->violated || (c->stack == CHK_NONE && chk_is_placed(c, node))); /* 3 */
}

static void place(col_checker *c, uint32_t node) {
    visitor v = {c, node, false};
    chk_each_before(&c->execution, node, find_missing, &v);
    if (v.found)
        place_all_before(c, node);
    else
        chk_row_append(c, node);
}

/* ---- Edges that point backward. */

typedef struct search {
    col_checker *checker;
    uint32_t target, count;
    uint64_t floor;
    bool closed;
} search;

static void search_before(void *context, chk_known edge) {
    search *s = context;
    col_checker *c = s->checker;
    s->closed |= edge.before == s->target;
    if (chk_label(&c->row, edge.before) <= s->floor || c->mark[edge.before] == c->mark_now)
        return;
    c->mark[edge.before] = c->mark_now;
    c->found[s->count++] = edge.before;
}

/* By label; a heap sort, since there is no memory to take. */
static void sift_down(const col_checker *c, uint32_t place, uint32_t count) {
    uint32_t *found = c->found;
    const uint32_t node = found[place];
    while (2 * place + 1 < count) {
        uint32_t child = 2 * place + 1;
        if (child + 1 < count &&
            chk_label(&c->row, found[child + 1]) > chk_label(&c->row, found[child]))
            child++;
        if (chk_label(&c->row, found[child]) <= chk_label(&c->row, node))
            break;
        found[place] = found[child];
        place = child;
    }
    found[place] = node;
}

static void sort_found(const col_checker *c, uint32_t count) {
    for (uint32_t i = count / 2; i-- > 0;)
        sift_down(c, i, count);
    for (uint32_t last = count; last-- > 1;) {
        const uint32_t top = c->found[0];
        c->found[0] = c->found[last];
        c->found[last] = top;
        sift_down(c, 0, last);
    }
}

/* The edge from `from` to `to` points backward. */
static void turn(col_checker *c, uint32_t from, uint32_t to) {
    search s = {c, to, 1, chk_label(&c->row, to), from == to};
    base_invariant(c->mark_now < UINT32_MAX); /* 4 */
    c->mark[from] = ++c->mark_now;
    c->found[0] = from;
    for (uint32_t i = 0; i < s.count && !s.closed; i++)
        chk_each_before(&c->execution, c->found[i], search_before, &s);
    c->turned += s.count;
    if (s.closed) {
        chk_report_cycle(c, from, to);
        return;
    }
    sort_found(c, s.count);
    chk_sequence_move(&c->row, c->found, s.count, to);
    base_invariant(chk_label(&c->row, from) < chk_label(&c->row, to)); /* 1 */
}

void chk_row_insert(col_checker *c, uint32_t from, uint32_t to) {
    if (c->violated)
        return;
    if (!chk_is_placed(c, to))
        place(c, to);
    if (!chk_is_placed(c, from) && !c->violated)
        place(c, from);
    if (!c->violated && chk_label(&c->row, from) >= chk_label(&c->row, to))
        turn(c, from, to);
}

static void insert_before(void *context, chk_known edge) {
    const visitor *v = context;
    chk_row_insert(v->checker, edge.before, v->node);
}

void chk_row_update(col_checker *c, uint32_t node) {
    visitor v = {c, node, false};
    if (!chk_is_placed(c, node))
        place(c, node);
    else
        chk_each_before(&c->execution, node, insert_before, &v);
}

/* The invariants of the checker that watches a design run: runtime_checker.c lists them by these
 * numbers.
 */

static void find_misplaced(void *context, chk_known edge) {
    visitor *v = context;
    v->found |= !chk_is_placed(v->checker, edge.before) ||
                chk_label(&v->checker->row, edge.before) >= chk_label(&v->checker->row, v->node);
}

/* 1, 3 */
static bool nodes_hold(col_checker *c, uint32_t *placed) {
    visitor v = {c, 0, false};
    for (; v.node < c->order.node_count && !v.found; v.node++) {
        v.found = c->state[v.node] != CHK_UNTOUCHED;
        if (!chk_is_placed(c, v.node))
            continue;
        ++*placed;
        chk_each_before(&c->execution, v.node, find_misplaced, &v);
    }
    return !v.found;
}

/* 2 */
static bool row_holds(const col_checker *c, uint32_t placed) {
    const chk_place *places = c->row.places;
    const uint32_t end = c->row.node_count;
    uint32_t count = 0, last = end;
    for (uint32_t node = places[end].next; node != end; node = places[node].next, count++) {
        if (places[node].label <= places[last].label || places[node].previous != last)
            return false;
        last = node;
    }
    return count == placed;
}

static bool is_reader(const chk_seen *seen, uint32_t read) {
    uint32_t reader = seen[seen[read].source].first_reader;
    while (reader != CHK_NONE && reader != read)
        reader = seen[reader].next_reader;
    return reader == read;
}

/* 5, 6. Lists of readers may be long: of a large program only some reads are looked for. */
static bool counts_hold(const col_checker *c) {
    const chk_seen *seen = c->execution.seen;
    const uint32_t count = c->order.operation_count, stride = 1 + count / 256;
    uint32_t left = 0, waiting = 0;
    for (uint32_t i = 0; i < count; i++) {
        const bool reads = chk_reads(&c->execution, i), writes = chk_writes(&c->execution, i);
        if (!c->performed[i]) {
            left += chk_is_access(c, i);
            continue;
        }
        waiting += reads && seen[i].source == CHK_NONE;
        waiting += writes && seen[i].replaced == CHK_NONE;
        if (writes && seen[i].replaced != CHK_NONE && seen[seen[i].replaced].next != i)
            return false;
        if (reads && seen[i].source != CHK_NONE && i % stride == 0 && !is_reader(seen, i))
            return false;
    }
    return left == c->left && waiting == c->waiting;
}

bool chk_invariants_hold(col_checker *c) {
    enum { SMALL = 64 };
    const uint32_t performed = c->access_count - c->left;
    uint32_t placed = 0;
    if (c->violated ||
        (c->order.node_count > SMALL && c->left > 0 && (performed & (performed - 1)) != 0))
        return true;
    return nodes_hold(c, &placed) && row_holds(c, placed) && counts_hold(c);
}
