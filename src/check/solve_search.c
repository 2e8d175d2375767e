/* SPDX-License-Identifier: MIT */
/*
 * Two searches from a train to what must come before its reads and writes. Looking back asks
 * whether the train may begin now: not if another write to its location is found. It crosses edges
 * that rest on assumptions as late as it can, so what it finds rests on as few of them as possible.
 * Closing asks for more, and then nothing can be wrong with beginning now: see
 * docs/trace-checker.md.
 */
#include "check/solve.h"

#include "base/memory.h"

/* ---- The search back. */

/* A train with this many to wait for need not know of more. */
enum { ENOUGH_FOUND = 16 };

typedef struct search {
    uint32_t train, location;
    size_t depth; /* of the stack */
} search;

static void reach(chk_solver *s, search *x, uint32_t node, uint32_t parent) {
    if (s->nodes[node].mark == s->epoch)
        return;
    s->nodes[node].mark = s->epoch;
    s->nodes[node].parent = parent;
    const uint32_t written = chk_written_by(s, node);
    if (written != CHK_NONE && s->operations[written].location == x->location &&
        s->train_of[written] != x->train)
        s->found[s->found_count++] = node;
    else
        s->stack[x->depth++] = node;
}

/* Room for `count` more nodes to be reached. */
static col_status make_room(chk_solver *s, const search *x, size_t count) {
    if (x->depth + count > s->stack_capacity &&
        base_reserve(&s->stack, &s->stack_capacity, x->depth + count, sizeof *s->stack,
                     s->problem) != COL_OK)
        return COL_FAILURE;
    if (s->found_count + count > s->found_capacity &&
        base_reserve(&s->found, &s->found_capacity, s->found_count + count, sizeof *s->found,
                     s->problem) != COL_OK)
        return COL_FAILURE;
    if (s->later_count + 2 * count > s->later_capacity &&
        base_reserve(&s->later, &s->later_capacity, s->later_count + 2 * count, sizeof *s->later,
                     s->problem) != COL_OK)
        return COL_FAILURE;
    return COL_OK;
}

/* The reads and writes of the train that are to come. Its first write is free: nothing is before
 * it. */
static col_status start(chk_solver *s, search *x) {
    const uint32_t first = chk_first_node(s, x->train);
    s->nodes[first].mark = s->epoch;
    for (uint32_t word = s->trains[x->train].first; word != CHK_NONE; word = s->follower[word]) {
        const uint32_t node = chk_write_node(&s->order, word);
        if (make_room(s, x, s->reader_start[word + 1] - s->reader_start[word] + 1) != COL_OK)
            return COL_FAILURE;
        if (!chk_is_scheduled(s, node))
            reach(s, x, node, CHK_NONE);
        for (uint32_t i = s->reader_start[word]; i < s->reader_start[word + 1]; i++)
            if (!chk_is_scheduled(s, s->readers[i]))
                reach(s, x, s->readers[i], CHK_NONE);
    }
    return COL_OK;
}

static col_status expand(chk_solver *s, search *x) {
    const uint32_t node = s->stack[--x->depth];
    s->visit_count++;
    if (chk_solver_waits(s, node) != COL_OK || make_room(s, x, s->wait_count) != COL_OK)
        return COL_FAILURE;
    for (size_t i = 0; i < s->wait_count; i++) {
        const chk_wait *wait = &s->waits[i];
        if (wait->given == CHK_NONE) {
            reach(s, x, wait->node, node);
        } else if (s->nodes[wait->node].mark != s->epoch) {
            s->later[s->later_count++] = wait->node;
            s->later[s->later_count++] = node;
        }
    }
    return COL_OK;
}

/* Cross the assumptions met so far. */
static col_status cross(chk_solver *s, search *x, size_t from) {
    const size_t to = s->later_count;
    if (make_room(s, x, (to - from) / 2) != COL_OK)
        return COL_FAILURE;
    for (size_t i = from; i < to; i += 2)
        reach(s, x, s->later[i], s->later[i + 1]);
    return COL_OK;
}

col_status chk_solver_look_back(chk_solver *s, uint32_t train, bool *given) {
    search x = {train, s->trains[train].location, 0};
    size_t crossed = 0;
    s->epoch++;
    s->found_count = s->later_count = 0;
    *given = false;
    if (start(s, &x) != COL_OK)
        return COL_FAILURE;
    while (true) {
        while (x.depth > 0 && s->found_count < ENOUGH_FOUND)
            if (expand(s, &x) != COL_OK)
                return COL_FAILURE;
        if (s->found_count > 0 || crossed == s->later_count)
            return COL_OK;
        const size_t from = crossed;
        crossed = s->later_count;
        *given = true;
        if (cross(s, &x, from) != COL_OK)
            return COL_FAILURE;
    }
}

/* ---- Sets that can be scheduled at once. */

enum { MOST_CLOSED = 512 };

static void include(chk_solver *s, search *x, uint32_t node) {
    if (chk_is_scheduled(s, node) || s->nodes[node].mark == s->epoch)
        return;
    s->nodes[node].mark = s->epoch;
    s->stack[x->depth++] = node;
}

/* The train with all its reads. Returns false if the location has another one in the set. */
static bool include_train(chk_solver *s, search *x, uint32_t number) {
    const chk_train *train = &s->trains[number];
    if (s->group_mark[train->location] == s->epoch)
        return false;
    s->group_mark[train->location] = s->epoch;
    if (base_reserve(&s->group, &s->group_capacity, s->group_count + 1, sizeof *s->group,
                     s->problem) != COL_OK) {
        s->failed = true;
        return false;
    }
    s->group[s->group_count++] = number;
    for (uint32_t word = train->first; word != CHK_NONE; word = s->follower[word]) {
        if (make_room(s, x, s->reader_start[word + 1] - s->reader_start[word] + 1) != COL_OK) {
            s->failed = true;
            return false;
        }
        include(s, x, chk_write_node(&s->order, word));
        for (uint32_t i = s->reader_start[word]; i < s->reader_start[word + 1]; i++)
            include(s, x, s->readers[i]);
    }
    return true;
}

/* What comes with a node: the train that begins there. */
static bool include_begun(chk_solver *s, search *x, uint32_t node) {
    const uint32_t written = chk_written_by(s, node);
    if (written == CHK_NONE)
        return true;
    const uint32_t train = s->train_of[written];
    return train == x->train || s->trains[train].first != written || include_train(s, x, train);
}

col_status chk_solver_close(chk_solver *s, uint32_t train, bool *closed) {
    search x = {train, s->trains[train].location, 0};
    uint32_t visits = 0;
    s->epoch++;
    s->group_count = 0;
    *closed = include_train(s, &x, train);
    while (*closed && x.depth > 0) {
        const uint32_t node = s->stack[--x.depth];
        *closed = ++visits <= MOST_CLOSED && include_begun(s, &x, node);
        if (!*closed)
            break;
        if (chk_solver_waits(s, node) != COL_OK || make_room(s, &x, s->wait_count) != COL_OK)
            return COL_FAILURE;
        for (size_t i = 0; i < s->wait_count; i++)
            include(s, &x, s->waits[i].node);
    }
    s->visit_count += visits;
    return s->failed ? COL_FAILURE : COL_OK;
}
