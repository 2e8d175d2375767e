/* SPDX-License-Identifier: MIT */
/*
 * When nothing can be scheduled, everything waits for something that waits: walking from one to the
 * next ends in a cycle. A train that is free but deferred waits for the write that looking back
 * found. The literals that the steps of the cycle rest on cannot all be true.
 */
#include "check/solve.h"

#include "base/memory.h"

static col_status add_literal(chk_solver *s, chk_literal literal) {
    if (s->literal_count == s->literal_capacity &&
        base_reserve(&s->literals, &s->literal_capacity, s->literal_count + 1, sizeof *s->literals,
                     s->problem) != COL_OK)
        return COL_FAILURE;
    s->literals[s->literal_count++] = literal;
    return COL_OK;
}

static uint32_t train_begun_by(const chk_solver *s, uint32_t node) {
    return s->train_of[chk_written_by(s, node)];
}

/* The wait of s->waits that assumes least; of `node` only, if that is not CHK_NONE. */
static const chk_wait *best_wait(const chk_solver *s, uint32_t node) {
    const chk_wait *best = NULL;
    for (size_t i = 0; i < s->wait_count; i++) {
        const chk_wait *wait = &s->waits[i];
        if (node != CHK_NONE && wait->node != node)
            continue;
        if (wait->given == CHK_NONE)
            return wait;
        if (best == NULL)
            best = wait;
    }
    return best;
}

/* The literals on the path that looking back has taken from `node` on. Returns its end. */
static col_status note_path(chk_solver *s, uint32_t node, uint32_t *end) {
    while (s->nodes[node].parent != CHK_NONE) {
        const uint32_t after = s->nodes[node].parent;
        if (chk_solver_waits(s, after) != COL_OK)
            return COL_FAILURE;
        const chk_wait *wait = best_wait(s, node);
        if (wait == NULL)
            return base_fail(s->problem, "the trace checker lost its way (a bug)");
        if (wait->given != CHK_NONE &&
            add_literal(s, (chk_literal){wait->given, train_begun_by(s, after)}) != COL_OK)
            return COL_FAILURE;
        node = after;
    }
    *end = node;
    return COL_OK;
}

static col_status step_from_deferred(chk_solver *s, uint32_t node, chk_link *link) {
    bool given;
    uint32_t end = node;
    const uint32_t written = chk_written_by(s, node);
    if (written == CHK_NONE || s->trains[s->train_of[written]].first != written)
        return base_fail(s->problem, "the trace checker overlooked a step (a bug)");
    if (chk_solver_look_back(s, s->train_of[written], &given) != COL_OK)
        return COL_FAILURE;
    size_t which = 0;
    while (which < s->found_count && link->from != CHK_NONE && s->found[which] != link->from)
        which++;
    if (which == s->found_count) {
        chk_solver_resume(s, s->train_of[written]);
        s->stale = true;
        return COL_OK;
    }
    link->from = s->found[which];
    if (note_path(s, link->from, &end) != COL_OK)
        return COL_FAILURE;
    link->relation = COL_COHERENCE;
    link->reason = chk_owner(&s->order, end);
    return COL_OK;
}

static col_status add_link(chk_solver *s, uint32_t from, uint32_t to) {
    if (s->link_count == s->link_capacity &&
        base_reserve(&s->links, &s->link_capacity, s->link_count + 1, sizeof *s->links,
                     s->problem) != COL_OK)
        return COL_FAILURE;
    s->links[s->link_count++] = (chk_link){.from = from, .to = to};
    return COL_OK;
}

/* Why does a link's end wait for its beginning? CHK_NONE for any beginning. */
static col_status find_reason(chk_solver *s, chk_link *link) {
    link->literal = (uint32_t)s->literal_count;
    if (chk_solver_waits(s, link->to) != COL_OK)
        return COL_FAILURE;
    const chk_wait *wait = best_wait(s, link->from);
    if (wait == NULL) {
        const col_status status = step_from_deferred(s, link->to, link);
        if (status != COL_OK)
            return status;
    } else {
        link->from = wait->node;
        link->relation = wait->relation;
        link->reason = wait->reason;
        if (wait->given != CHK_NONE &&
            add_literal(s, (chk_literal){wait->given, train_begun_by(s, link->to)}) != COL_OK)
            return COL_FAILURE;
    }
    link->literal_count = (uint32_t)s->literal_count - link->literal;
    return COL_OK;
}

/* One step of the walk: to something that `node` waits for. */
static col_status step_from(chk_solver *s, uint32_t node) {
    if (add_link(s, CHK_NONE, node) != COL_OK)
        return COL_FAILURE;
    return find_reason(s, &s->links[s->link_count - 1]);
}

/* Where to start: at what was deferred last, if it still is. */
static uint32_t first_stuck(const chk_solver *s) {
    if (s->deferred_count > 0) {
        const uint32_t train = s->deferred[s->deferred_count - 1];
        const uint32_t node = chk_first_node(s, train);
        if (chk_is_deferred(s, train) && s->nodes[node].state == CHK_READY)
            return node;
    }
    uint32_t node = 0;
    while (chk_is_scheduled(s, node))
        node++;
    return node;
}

/* Keep the cycle alone: links from `start` on, and their literals. */
static void cut_cycle(chk_solver *s, size_t start) {
    const uint32_t literal = s->links[start].literal;
    for (size_t i = start; i < s->link_count; i++) {
        s->links[i - start] = s->links[i];
        s->links[i - start].literal -= literal;
    }
    s->link_count -= start;
    for (size_t i = literal; i < s->literal_count; i++)
        s->literals[i - literal] = s->literals[i];
    s->literal_count -= literal;
}

col_status chk_solver_find_cycle(chk_solver *s) {
    s->link_count = s->literal_count = 0;
    s->stale = false;
    uint32_t node = first_stuck(s);
    while (s->walked[node] == 0) {
        s->walked[node] = (uint32_t)s->link_count + 1;
        const col_status status = step_from(s, node);
        if (status != COL_OK)
            return status;
        if (s->stale)
            break;
        node = s->links[s->link_count - 1].from;
    }
    const size_t start = s->walked[node] - 1;
    for (size_t i = 0; i < s->link_count; i++)
        s->walked[s->links[i].to] = 0;
    if (s->stale)
        s->link_count = 0;
    else
        cut_cycle(s, start);
    return COL_OK;
}

/* ---- A cycle through a train that was just deferred. */

static uint32_t deferred_for(const chk_solver *s, uint32_t node) {
    if (s->nodes[node].state != CHK_READY)
        return CHK_NONE;
    const uint32_t train = train_begun_by(s, node);
    return chk_is_deferred(s, train) ? s->trains[train].deferred_for : CHK_NONE;
}

/* Reach what a node waits for; what it waits for by assumption is for later. */
static col_status reach_waits(chk_solver *s, uint32_t node, size_t *depth) {
    if (chk_solver_waits(s, node) != COL_OK)
        return COL_FAILURE;
    const uint32_t also = deferred_for(s, node);
    if (base_reserve(&s->stack, &s->stack_capacity, *depth + s->wait_count + 1, sizeof *s->stack,
                     s->problem) != COL_OK ||
        base_reserve(&s->later, &s->later_capacity, s->later_count + 2 * s->wait_count + 2,
                     sizeof *s->later, s->problem) != COL_OK)
        return COL_FAILURE;
    for (size_t i = 0; i < s->wait_count; i++) {
        const uint32_t before = s->waits[i].node;
        if (s->nodes[before].mark == s->epoch)
            continue;
        if (s->waits[i].given != CHK_NONE) {
            s->later[s->later_count++] = before;
            s->later[s->later_count++] = node;
            continue;
        }
        s->nodes[before].mark = s->epoch;
        s->nodes[before].parent = node;
        s->stack[(*depth)++] = before;
    }
    if (also != CHK_NONE) {
        s->later[s->later_count++] = also;
        s->later[s->later_count++] = node;
    }
    return COL_OK;
}

static col_status take_path(chk_solver *s, uint32_t node) {
    uint32_t from = node;
    s->link_count = s->literal_count = 0;
    do {
        const uint32_t to = s->nodes[from].parent;
        if (add_link(s, from, to) != COL_OK)
            return COL_FAILURE;
        from = to;
    } while (from != node);
    s->stale = false;
    for (size_t i = 0; i < s->link_count && !s->stale; i++) {
        const col_status status = find_reason(s, &s->links[i]);
        if (status != COL_OK)
            return status;
    }
    s->doomed = !s->stale;
    return COL_OK;
}

col_status chk_solver_check_deferred(chk_solver *s, uint32_t node) {
    size_t depth = 0, crossed = 0;
    s->epoch++;
    s->later_count = 0;
    if (reach_waits(s, node, &depth) != COL_OK)
        return COL_FAILURE;
    while (s->nodes[node].mark != s->epoch) {
        if (depth > 0) {
            s->visit_count++;
            if (reach_waits(s, s->stack[--depth], &depth) != COL_OK)
                return COL_FAILURE;
            continue;
        }
        if (crossed == s->later_count)
            return COL_OK;
        const uint32_t before = s->later[crossed], after = s->later[crossed + 1];
        crossed += 2;
        if (s->nodes[before].mark == s->epoch)
            continue;
        s->nodes[before].mark = s->epoch;
        s->nodes[before].parent = after;
        s->stack[depth++] = before;
    }
    return take_path(s, node);
}
