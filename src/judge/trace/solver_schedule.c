/* SPDX-License-Identifier: MIT */
/*
 * Building the memory order, node by node. What cannot hurt is done at once: a read, a gate or an
 * unread write goes in as soon as nothing must come before it, because what has nothing before it
 * only frees others. The one choice is which segment begins next at a location, once the current
 * one is over; it is made after looking back from the reads that it holds.
 *
 * Each node that cannot go in yet watches one node that must come first, so a step costs what it
 * frees, and going back costs what it takes back.
 *
 * Invariants, between steps:
 *  1. A node is in the schedule or in one list, as its state says: to be examined, watching a node
 *     that is not scheduled, parked, or ready at its location. So none is forgotten, and none is
 *     scheduled twice.
 *  2. All that a node of the schedule must follow stands before it. A full schedule is therefore a
 *     memory order.
 *  3. A segment's `left` counts its writes and reads that are not scheduled, `unread` those reads
 * by word. A location whose current segment has some left is locked.
 *  4. A segment begins at a location that is not locked, and its other writes follow while it is
 * the current one: nothing comes between a write and the word that it is known to replace.
 *  5. The segments that have begun at a location are those from `current` back by `earlier` to that
 *     of the initial word; `segments_left` have not. Going back takes them off in the reverse
 * order.
 *  6. Segments were deferred in the order of `deferred_at`: going back resumes those at the end of
 *     the list.
 */
#include "base/problem.h"
#include "judge/trace/solver.h"

enum { CLOCK_INTERVAL = 1 << 12 };

/* ---- Lists. */

static void push(chk_solver *s, uint32_t node) {
    s->nodes[node].link = s->queue;
    s->nodes[node].state = CHK_QUEUED;
    s->queue = node;
}

static void watch(chk_solver *s, uint32_t node, uint32_t blocker) {
    base_invariant(node != blocker && !chk_is_scheduled(s, blocker)); /* 1 */
    s->nodes[node].link = s->nodes[blocker].watchers;
    s->nodes[node].state = CHK_WATCHING;
    s->nodes[blocker].watchers = node;
}

void chk_solver_wake(chk_solver *s, uint32_t node) {
    uint32_t watcher = s->nodes[node].watchers;
    s->nodes[node].watchers = CHK_NONE;
    while (watcher != CHK_NONE) {
        const uint32_t next = s->nodes[watcher].link;
        push(s, watcher);
        watcher = next;
    }
}

static void join(chk_queue *q, uint32_t location) {
    if (q->link[location] != CHK_NONE)
        return;
    q->link[location] = location;
    if (q->first == CHK_NONE)
        q->first = location;
    else
        q->link[q->last] = location;
    q->last = location;
}

static uint32_t leave(chk_queue *q) {
    const uint32_t location = q->first, next = q->link[location];
    q->link[location] = CHK_NONE;
    q->first = next == location ? CHK_NONE : next;
    return location;
}

static void push_location(chk_solver *s, uint32_t location) {
    if (s->ready[location] != CHK_NONE)
        join(&s->choices, location);
}

/* ---- In and out. */

static bool is_locked(const chk_solver *s, uint32_t location) {
    return s->segments[s->current[location]].left > 0;
}

static void note_read(chk_solver *s, uint32_t operation) {
    const uint32_t word = chk_word_read(s, operation);
    chk_segment *segment = &s->segments[s->segment_of[word]];
    base_invariant(s->unread[word] > 0 && segment->left > 0); /* 3 */
    s->unread[word]--;
    segment->left--;
    const uint32_t follower = s->follower[word];
    if (follower != CHK_NONE && s->unread[word] <= 1) {
        const uint32_t node = chk_write_node(&s->order, follower);
        if (s->nodes[node].state == CHK_PARKED)
            push(s, node);
    }
    if (segment->left == 0 && s->current[segment->location] == s->segment_of[word])
        push_location(s, segment->location);
}

static void note_write(chk_solver *s, uint32_t operation) {
    const uint32_t number = s->segment_of[operation];
    chk_segment *segment = &s->segments[number];
    base_invariant(segment->left > 0); /* 3 */
    if (segment->first == operation) {
        base_invariant(!is_locked(s, segment->location)); /* 4 */
        segment->earlier = s->current[segment->location];
        s->current[segment->location] = number;
        s->segments_left[segment->location]--;
    }
    base_invariant(s->current[segment->location] == number); /* 4 */
    if (--segment->left == 0)
        push_location(s, segment->location);
}

static void schedule(chk_solver *s, uint32_t node) {
    base_invariant(!chk_is_scheduled(s, node)); /* 1 */
    s->nodes[node].position = s->scheduled_count;
    s->nodes[node].state = CHK_SCHEDULED;
    s->schedule[s->scheduled_count++] = node;
    if (node < s->operation_count && chk_op_reads(s, node))
        note_read(s, node);
    const uint32_t written = chk_written_by(s, node);
    if (written != CHK_NONE)
        note_write(s, written);
    chk_solver_wake(s, node);
}

static void unschedule(chk_solver *s, uint32_t node) {
    base_invariant(s->nodes[node].state == CHK_SCHEDULED); /* 1 */
    s->nodes[node].position = CHK_NONE;
    if (node < s->operation_count && chk_op_reads(s, node)) {
        const uint32_t word = chk_word_read(s, node);
        s->unread[word]++;
        s->segments[s->segment_of[word]].left++;
    }
    const uint32_t written = chk_written_by(s, node);
    if (written != CHK_NONE) {
        chk_segment *segment = &s->segments[s->segment_of[written]];
        segment->left++;
        base_invariant(s->current[segment->location] == s->segment_of[written]); /* 5 */
        if (segment->first == written) {
            s->current[segment->location] = segment->earlier;
            s->segments_left[segment->location]++;
            push_location(s, segment->location);
        }
    }
    push(s, node);
}

void chk_solver_retreat(chk_solver *s, uint32_t count) {
    while (s->scheduled_count > count)
        unschedule(s, s->schedule[--s->scheduled_count]);
    s->retreats++;
    /* What was deferred later than that may rest on segments that are gone. */
    while (s->deferred_count > 0 &&
           s->segments[s->deferred[s->deferred_count - 1]].deferred_at > count)
        chk_solver_resume(s, s->deferred[--s->deferred_count]);
}

void chk_solver_resume(chk_solver *s, uint32_t segment) {
    s->segments[segment].deferred_for = CHK_NONE;
    push_location(s, s->segments[segment].location);
}

/* ---- What must come first. */

typedef struct first_blocker {
    const chk_solver *solver;
    uint32_t node;
} first_blocker;

/* The first node that is not scheduled is enough. */
static bool note_blocker(void *context, uint32_t before, col_relation relation) {
    first_blocker *b = context;
    (void)relation;
    if (chk_is_scheduled(b->solver, before))
        return false;
    b->node = before;
    return true;
}

/* A segment that must begin before this one. */
static uint32_t segment_blocker(const chk_solver *s, uint32_t number) {
    for (uint32_t e = s->segments[number].edge; e != CHK_NONE; e = s->edges[e].next)
        if (!chk_has_begun(s, s->edges[e].before))
            return chk_first_node(s, s->edges[e].before);
    for (uint32_t i = s->segments[number].variable; i != CHK_NONE;) {
        const chk_variable *variable = &s->variables[i / 2];
        const uint32_t other = variable->segments[1 - i % 2];
        if (variable->value == (i % 2 == 1) && !chk_has_begun(s, other))
            return chk_first_node(s, other);
        i = variable->next[i % 2];
    }
    return CHK_NONE;
}

static uint32_t write_blocker(const chk_solver *s, uint32_t operation) {
    const uint32_t segment = s->segment_of[operation];
    if (s->segments[segment].first == operation)
        return segment_blocker(s, segment);
    const uint32_t word = chk_word_replaced(s, operation);
    if (word >= s->operation_count)
        return CHK_NONE;
    const uint32_t node = chk_write_node(&s->order, word);
    return chk_is_scheduled(s, node) ? CHK_NONE : node;
}

static uint32_t blocker_of(const chk_solver *s, uint32_t node) {
    first_blocker b = {s, CHK_NONE};
    if (chk_each_kept(s, node, note_blocker, &b))
        return b.node;
    const uint32_t written = chk_written_by(s, node);
    return written == CHK_NONE ? CHK_NONE : write_blocker(s, written);
}

/* ---- Moves. */

static bool must_be_last(const chk_solver *s, uint32_t segment) {
    return s->segments[segment].is_final && s->segments_left[s->segments[segment].location] > 1;
}

static uint32_t place_of(const chk_solver *s, uint32_t node) {
    const col_program *program = &s->trace->program;
    const uint32_t operation = chk_owner(&s->order, node), thread = s->order.thread[operation];
    return thread < program->thread_count ? operation - program->thread_start[thread] : 0;
}

/* Nothing but its location keeps the segment from beginning. */
static void begin_segment(chk_solver *s, uint32_t node, uint32_t number) {
    const chk_segment *segment = &s->segments[number];
    const uint32_t location = segment->location;
    if ((segment->is_unread || segment->approved_at == s->retreats) && !is_locked(s, location) &&
        !must_be_last(s, number)) {
        schedule(s, node);
        return;
    }
    /* One for each thread at most; the thread that has come least far first. */
    uint32_t *next = &s->ready[location];
    while (*next != CHK_NONE && place_of(s, *next) <= place_of(s, node))
        next = &s->nodes[*next].link;
    s->nodes[node].link = *next;
    s->nodes[node].state = CHK_READY;
    *next = node;
    if (!is_locked(s, location))
        push_location(s, location);
}

/* Of the reads of the word that a write replaces: its own, if it is an atomic in one node. */
static uint32_t own_reads(const chk_solver *s, uint32_t write) {
    return chk_op_reads(s, write) && chk_write_node(&s->order, write) == write ? 1 : 0;
}

static void examine(chk_solver *s, uint32_t node) {
    const uint32_t blocker = blocker_of(s, node);
    if (blocker != CHK_NONE) {
        watch(s, node, blocker);
        return;
    }
    const uint32_t written = chk_written_by(s, node);
    if (written == CHK_NONE) {
        schedule(s, node);
        return;
    }
    const uint32_t segment = s->segment_of[written];
    if (s->segments[segment].first == written)
        begin_segment(s, node, segment);
    else if (s->unread[chk_word_replaced(s, written)] > own_reads(s, written))
        s->nodes[node].state = CHK_PARKED;
    else
        schedule(s, node);
}

/* Unread writes go first: then no segment of the location needs to wait for them. */
static void schedule_unread(chk_solver *s, uint32_t location) {
    uint32_t *place = &s->ready[location];
    while (*place != CHK_NONE) {
        const uint32_t node = *place;
        const uint32_t segment = s->segment_of[chk_written_by(s, node)];
        if (!s->segments[segment].is_unread || must_be_last(s, segment)) {
            place = &s->nodes[node].link;
            continue;
        }
        *place = s->nodes[node].link;
        examine(s, node);
    }
}

static void defer(chk_solver *s, uint32_t segment, uint32_t node) {
    if (!chk_grow(s, &s->deferred, &s->deferred_capacity, s->deferred_count + 1,
                  sizeof *s->deferred))
        return;
    base_invariant(s->deferred_count == 0 ||
                   s->segments[s->deferred[s->deferred_count - 1]].deferred_at <=
                       s->scheduled_count); /* 6 */
    s->segments[segment].deferred_for = node;
    s->segments[segment].deferred_at = s->scheduled_count;
    s->deferred[s->deferred_count++] = segment;
}

/* What to do with a segment that may be next; true: it remains ready. */
typedef bool attempt(chk_solver *s, uint32_t node, uint32_t segment);

/* May the segment begin now? If not, it watches or is deferred. */
static bool try_segment(chk_solver *s, uint32_t node, uint32_t number) {
    const bool assumes = chk_solver_look_back(s, number);
    if (s->status != COL_OK)
        return true;
    if (s->found_count == 0) {
        schedule(s, node);
        return false;
    }
    if (assumes) {
        defer(s, number, s->found[0]);
        chk_solver_check_deferred(s, node);
        return true;
    }
    for (size_t i = 0; i < s->found_count; i++) {
        uint32_t reason = s->found[i];
        while (s->nodes[reason].parent != CHK_NONE)
            reason = s->nodes[reason].parent;
        const uint32_t before = s->segment_of[chk_written_by(s, s->found[i])];
        chk_solver_add_edge(s, before, number, chk_owner(&s->order, reason));
    }
    watch(s, node, s->found[0]);
    return false;
}

static bool try_closed(chk_solver *s, uint32_t node, uint32_t number) {
    const bool is_alone = s->segments_left[s->segments[number].location] == 1;
    s->group_count = 0;
    if (!is_alone && (!chk_solver_close(s, number) || s->status != COL_OK))
        return true;
    for (size_t i = 0; i < s->group_count; i++)
        s->segments[s->group[i]].approved_at = s->retreats;
    schedule(s, node);
    return false;
}

/* Try the segments that are ready until one begins. */
static void choose(chk_solver *s, uint32_t location, attempt *attempt_one) {
    uint32_t *place = &s->ready[location];
    while (*place != CHK_NONE && !is_locked(s, location) && !s->has_cycle) {
        const uint32_t node = *place;
        const uint32_t segment = s->segment_of[chk_written_by(s, node)];
        if (must_be_last(s, segment) || chk_is_deferred(s, segment)) {
            place = &s->nodes[node].link;
            continue;
        }
        const uint32_t next = s->nodes[node].link;
        const uint32_t blocker = blocker_of(s, node);
        bool stays = false;
        if (blocker != CHK_NONE)
            watch(s, node, blocker);
        else
            stays = attempt_one(s, node, segment);
        if (stays)
            place = &s->nodes[node].link;
        else
            *place = next;
    }
}

static void choose_safely(chk_solver *s, uint32_t location) {
    if (is_locked(s, location))
        return;
    schedule_unread(s, location);
    choose(s, location, try_closed);
    if (!is_locked(s, location) && s->ready[location] != CHK_NONE)
        join(&s->doubts, location);
}

/* ---- The invariants. */

static uint32_t count_list(const chk_solver *s, uint32_t node, chk_node_state state) {
    uint32_t count = 0;
    for (; node != CHK_NONE && count <= s->order.node_count; node = s->nodes[node].link) {
        if (s->nodes[node].state != (uint32_t)state || chk_is_scheduled(s, node))
            return CHK_NONE;
        count++;
    }
    return count;
}

/* 1 */
static bool lists_hold(const chk_solver *s) {
    uint64_t count = count_list(s, s->queue, CHK_QUEUED);
    for (uint32_t v = 0; v < s->order.node_count; v++) {
        const chk_node *node = &s->nodes[v];
        if (chk_is_scheduled(s, v) != (node->state == CHK_SCHEDULED) ||
            (chk_is_scheduled(s, v) &&
             (node->watchers != CHK_NONE || node->position >= s->scheduled_count ||
              s->schedule[node->position] != v)))
            return false;
        count += node->state == CHK_SCHEDULED || node->state == CHK_PARKED;
        count += count_list(s, node->watchers, CHK_WATCHING);
    }
    for (uint32_t l = 0; l < s->location_count; l++)
        count += count_list(s, s->ready[l], CHK_READY);
    return count == s->order.node_count;
}

/* 3: what of the segment is not scheduled. */
static bool is_left_counted(const chk_solver *s, uint32_t number) {
    const chk_segment *segment = &s->segments[number];
    uint32_t left = 0;
    for (uint32_t word = segment->first; word != CHK_NONE; word = s->follower[word]) {
        uint32_t unread = 0;
        for (uint32_t i = s->reader_start[word]; i < s->reader_start[word + 1]; i++)
            unread += !chk_is_scheduled(s, s->readers[i]);
        if (unread != s->unread[word])
            return false;
        left += unread;
        if (word < s->operation_count)
            left += !chk_is_scheduled(s, chk_write_node(&s->order, word));
    }
    return left == segment->left;
}

/* 3, 5 */
static bool segments_hold(const chk_solver *s) {
    for (uint32_t l = 0; l < s->location_count; l++) {
        const uint32_t first = s->segment_start[l], count = s->segment_start[l + 1] - first;
        uint32_t begun = 0, listed = 0;
        for (uint32_t t = first; t < first + count; t++) {
            begun += chk_has_begun(s, t);
            if (!is_left_counted(s, t))
                return false;
        }
        for (uint32_t t = s->current[l]; t != first && listed < count; t = s->segments[t].earlier)
            listed += chk_has_begun(s, t);
        if (begun + s->segments_left[l] != count || listed + 1 != begun)
            return false;
    }
    return true;
}

/* Of small traces; of large ones ever more seldom. */
static bool invariants_hold(const chk_solver *s) {
    enum { SMALL = 1024 };
    const uint64_t conflicts = s->conflict_count;
    if (s->order.node_count > SMALL && (conflicts & (conflicts - 1)) != 0)
        return true;
    return lists_hold(s) && segments_hold(s);
}

/* One step; false: there is none. */
static bool advance(chk_solver *s) {
    if (s->queue != CHK_NONE) {
        const uint32_t node = s->queue;
        s->queue = s->nodes[node].link;
        examine(s, node);
    } else if (s->choices.first != CHK_NONE) {
        choose_safely(s, leave(&s->choices));
    } else if (s->doubts.first != CHK_NONE) {
        const uint32_t location = leave(&s->doubts);
        if (!is_locked(s, location))
            choose(s, location, try_segment);
    } else {
        return false;
    }
    return true;
}

void chk_solver_advance(chk_solver *s, bool *expired) {
    uint64_t check = 0;
    for (uint64_t steps = 0; !s->has_cycle && s->status == COL_OK; steps++) {
        if (steps + s->visit_count >= check) {
            check = steps + s->visit_count + CLOCK_INTERVAL;
            *expired = chk_solver_is_late(s);
            if (*expired)
                return;
        }
        if (!advance(s))
            break;
    }
    base_costly_invariant(s->status != COL_OK || invariants_hold(s));
}
