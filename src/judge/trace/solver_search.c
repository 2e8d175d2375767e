/* SPDX-License-Identifier: MIT */
/*
 * Two searches from a segment to what must come before its reads and writes. Looking back asks
 * whether the segment may begin now: not if another write to its location is found. It crosses
 * edges that rest on assumptions as late as it can, so what it finds rests on as few of them as
 * possible. Closing asks for more, and then nothing can be wrong with beginning now: see
 * src/judge/trace/README.md.
 */
#include "judge/trace/solver.h"

/* ---- The search back. */

/* A segment with this many to wait for need not know of more. */
enum { ENOUGH_FOUND = 16 };

typedef struct search {
    uint32_t segment, location;
    size_t depth; /* of the stack */
} search;

static void reach(chk_solver *s, search *x, uint32_t node, uint32_t parent) {
    if (s->nodes[node].mark == s->epoch)
        return;
    s->nodes[node].mark = s->epoch;
    s->nodes[node].parent = parent;
    const uint32_t written = chk_written_by(s, node);
    if (written != CHK_NONE && s->operations[written].location == x->location &&
        s->segment_of[written] != x->segment)
        s->found[s->found_count++] = node;
    else
        s->stack[x->depth++] = node;
}

/* The reads and writes of the segment that are to come. Its first write is free: nothing is before
 * it. */
static void start(chk_solver *s, search *x) {
    const uint32_t first = chk_first_node(s, x->segment);
    s->nodes[first].mark = s->epoch;
    for (uint32_t word = s->segments[x->segment].first; word != CHK_NONE;
         word = s->follower[word]) {
        const uint32_t node = chk_write_node(&s->order, word);
        if (!chk_is_scheduled(s, node))
            reach(s, x, node, CHK_NONE);
        for (uint32_t i = s->reader_start[word]; i < s->reader_start[word + 1]; i++)
            if (!chk_is_scheduled(s, s->readers[i]))
                reach(s, x, s->readers[i], CHK_NONE);
    }
}

void chk_solver_put_off(chk_solver *s, uint32_t node, uint32_t after) {
    if (!chk_grow(s, &s->later, &s->later_capacity, s->later_count + 2, sizeof *s->later))
        return;
    s->later[s->later_count++] = node;
    s->later[s->later_count++] = after;
}

static void expand(chk_solver *s, search *x) {
    const uint32_t node = s->stack[--x->depth];
    s->visit_count++;
    chk_solver_waits(s, node);
    for (size_t i = 0; i < s->wait_count; i++) {
        const chk_wait *wait = &s->waits[i];
        if (wait->assumed == CHK_NONE)
            reach(s, x, wait->node, node);
        else if (s->nodes[wait->node].mark != s->epoch)
            chk_solver_put_off(s, wait->node, node);
    }
}

bool chk_solver_look_back(chk_solver *s, uint32_t segment) {
    search x = {segment, s->segments[segment].location, 0};
    size_t crossed = 0;
    bool assumes = false;
    s->epoch++;
    s->found_count = s->later_count = 0;
    start(s, &x);
    while (true) {
        while (x.depth > 0 && s->found_count < ENOUGH_FOUND)
            expand(s, &x);
        if (s->found_count > 0 || crossed == s->later_count)
            return assumes;
        /* Cross the assumptions met so far. */
        assumes = true;
        for (; crossed < s->later_count; crossed += 2)
            reach(s, &x, s->later[crossed], s->later[crossed + 1]);
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

/* The segment with all its reads. Returns false if the location has another one in the set. */
static bool include_segment(chk_solver *s, search *x, uint32_t number) {
    const chk_segment *segment = &s->segments[number];
    if (s->group_mark[segment->location] == s->epoch)
        return false;
    s->group_mark[segment->location] = s->epoch;
    s->group[s->group_count++] = number;
    for (uint32_t word = segment->first; word != CHK_NONE; word = s->follower[word]) {
        include(s, x, chk_write_node(&s->order, word));
        for (uint32_t i = s->reader_start[word]; i < s->reader_start[word + 1]; i++)
            include(s, x, s->readers[i]);
    }
    return true;
}

/* What comes with a node: the segment that begins there. */
static bool include_begun(chk_solver *s, search *x, uint32_t node) {
    const uint32_t written = chk_written_by(s, node);
    if (written == CHK_NONE)
        return true;
    const uint32_t segment = s->segment_of[written];
    return segment == x->segment || s->segments[segment].first != written ||
           include_segment(s, x, segment);
}

bool chk_solver_close(chk_solver *s, uint32_t segment) {
    search x = {segment, s->segments[segment].location, 0};
    uint32_t visits = 0;
    s->epoch++;
    s->group_count = 0;
    bool closed = include_segment(s, &x, segment);
    while (closed && x.depth > 0) {
        const uint32_t node = s->stack[--x.depth];
        closed = ++visits <= MOST_CLOSED && include_begun(s, &x, node);
        if (!closed)
            break;
        chk_solver_waits(s, node);
        for (size_t i = 0; i < s->wait_count; i++)
            include(s, &x, s->waits[i].node);
    }
    s->visit_count += visits;
    return closed;
}

/*
 * What a node waits for: the edges of the axioms that end there, as far as they begin at nodes that
 * are not scheduled. They are of two sorts: those that follow from the trace, and those that are
 * only there because a segment has begun (or a learned clause was answered) while it could have
 * been otherwise. None is stored: chk_each_kept tells the first sort, but for the order of writes.
 */

static void add_wait(chk_solver *s, chk_wait wait) {
    if (!chk_is_scheduled(s, wait.node) &&
        chk_grow(s, &s->waits, &s->wait_capacity, s->wait_count + 64, sizeof *s->waits))
        s->waits[s->wait_count++] = wait;
}

static bool note_wait(void *context, uint32_t before, col_relation relation) {
    add_wait(context, (chk_wait){before, relation, CHK_NONE, CHK_NONE});
    return false;
}

/* A word is replaced when its write and its reads are done. `wait` says for whom and why. */
static void add_word(chk_solver *s, uint32_t node, uint32_t word, chk_wait wait) {
    if (word < s->operation_count) {
        wait.node = chk_write_node(&s->order, word);
        wait.relation = COL_COHERENCE;
        add_wait(s, wait);
    }
    wait.relation = COL_FROM_READ;
    if (s->unread[word] == 0)
        return;
    for (uint32_t i = s->reader_start[word]; i < s->reader_start[word + 1]; i++) {
        wait.node = s->readers[i];
        if (wait.node != node)
            add_wait(s, wait);
    }
}

static void add_segment(chk_solver *s, uint32_t node, uint32_t segment, uint32_t assumed,
                        uint32_t reason) {
    if (s->segments[segment].left > 0)
        add_word(s, node, s->segments[segment].last,
                 (chk_wait){.assumed = assumed, .reason = reason});
}

/* What the first write of a segment waits for: segments before it. */
static void add_segments(chk_solver *s, uint32_t node, uint32_t number) {
    const uint32_t location = s->segments[number].location;
    const uint32_t current = s->current[location];
    bool seen = s->segments[current].left == 0;
    if (s->segments[number].is_final) {
        const uint32_t own = s->segment_of[chk_written_by(s, node)];
        for (uint32_t t = s->segment_start[location]; t < s->segment_start[location + 1]; t++)
            if (t != own)
                add_segment(s, node, t, CHK_NONE, CHK_NONE);
        return;
    }
    for (uint32_t e = s->segments[number].edge; e != CHK_NONE; e = s->edges[e].next) {
        add_segment(s, node, s->edges[e].before, CHK_NONE, s->edges[e].reason);
        seen = seen || s->edges[e].before == current;
    }
    for (uint32_t i = s->segments[number].variable; i != CHK_NONE;) {
        const chk_variable *variable = &s->variables[i / 2];
        const uint32_t other = variable->segments[1 - i % 2];
        if (variable->value == (i % 2 == 1)) {
            add_segment(s, node, other, other, CHK_NONE);
            seen = seen || other == current;
        }
        i = variable->next[i % 2];
    }
    if (!seen)
        add_segment(s, node, current, current == s->segment_start[location] ? CHK_NONE : current,
                    CHK_NONE);
}

void chk_solver_waits(chk_solver *s, uint32_t node) {
    s->wait_count = 0;
    (void)chk_each_kept(s, node, note_wait, s);
    const uint32_t written = chk_written_by(s, node);
    if (written != CHK_NONE) {
        const uint32_t segment = s->segment_of[written];
        if (s->segments[segment].first == written)
            add_segments(s, node, segment);
        else
            add_word(s, node, chk_word_replaced(s, written),
                     (chk_wait){.assumed = CHK_NONE, .reason = CHK_NONE});
    }
}
