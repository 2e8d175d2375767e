/* SPDX-License-Identifier: MIT */
/*
 * Building the memory order, node by node. What cannot hurt is done at once: a read, a gate or an
 * unread write goes in as soon as nothing must come before it, because what has nothing before it
 * only frees others. The one choice is which train begins next at a location, once the current one
 * is over; it is made after looking back from the reads that it holds.
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
 *  3. A train's `left` counts its writes and reads that are not scheduled, `unread` those reads by
 *     word. A location whose current train has some left is locked.
 *  4. A train begins at a location that is not locked, and its other writes follow while it is the
 *     current one: nothing comes between a write and the word that it is known to replace.
 *  5. The trains that have begun at a location are those from `current` back by `earlier` to that
 *     of the initial word; `trains_left` have not. Going back takes them off in the reverse order.
 *  6. Trains were deferred in the order of `deferred_at`: going back resumes those at the end of
 *     the list.
 */
#include "check/solve.h"

#include "base/invariant.h"
#include "base/memory.h"

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

/* Locations, first come, first served; the last one's link is itself. */
typedef struct line {
    uint32_t *link, *first, *last;
} line;

static line choices(chk_solver *s) {
    return (line){s->location_link, &s->first_location, &s->last_location};
}

static line doubts(chk_solver *s) {
    return (line){s->doubtful_link, &s->first_doubtful, &s->last_doubtful};
}

static void join(line l, uint32_t location) {
    if (l.link[location] != CHK_NONE)
        return;
    l.link[location] = location;
    if (*l.first == CHK_NONE)
        *l.first = location;
    else
        l.link[*l.last] = location;
    *l.last = location;
}

static uint32_t leave(line l) {
    const uint32_t location = *l.first;
    const uint32_t next = l.link[location];
    l.link[location] = CHK_NONE;
    *l.first = next == location ? CHK_NONE : next;
    return location;
}

static void push_location(chk_solver *s, uint32_t location) {
    if (s->ready[location] != CHK_NONE)
        join(choices(s), location);
}

/* ---- In and out. */

static bool is_locked(const chk_solver *s, uint32_t location) {
    return s->trains[s->current[location]].left > 0;
}

static void note_read(chk_solver *s, uint32_t operation) {
    const uint32_t word = chk_word_read(s, operation);
    chk_train *train = &s->trains[s->train_of[word]];
    base_invariant(s->unread[word] > 0 && train->left > 0); /* 3 */
    s->unread[word]--;
    train->left--;
    const uint32_t follower = s->follower[word];
    if (follower != CHK_NONE && s->unread[word] <= 1) {
        const uint32_t node = chk_write_node(&s->order, follower);
        if (s->nodes[node].state == CHK_PARKED)
            push(s, node);
    }
    if (train->left == 0 && s->current[train->location] == s->train_of[word])
        push_location(s, train->location);
}

static void note_write(chk_solver *s, uint32_t operation) {
    const uint32_t number = s->train_of[operation];
    chk_train *train = &s->trains[number];
    base_invariant(train->left > 0); /* 3 */
    if (train->first == operation) {
        base_invariant(!is_locked(s, train->location)); /* 4 */
        train->earlier = s->current[train->location];
        s->current[train->location] = number;
        s->trains_left[train->location]--;
    }
    base_invariant(s->current[train->location] == number); /* 4 */
    if (--train->left == 0)
        push_location(s, train->location);
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
        s->trains[s->train_of[word]].left++;
    }
    const uint32_t written = chk_written_by(s, node);
    if (written != CHK_NONE) {
        chk_train *train = &s->trains[s->train_of[written]];
        train->left++;
        base_invariant(s->current[train->location] == s->train_of[written]); /* 5 */
        if (train->first == written) {
            s->current[train->location] = train->earlier;
            s->trains_left[train->location]++;
            push_location(s, train->location);
        }
    }
    push(s, node);
}

void chk_solver_retreat(chk_solver *s, uint32_t count) {
    while (s->scheduled_count > count)
        unschedule(s, s->schedule[--s->scheduled_count]);
    s->retreats++;
    /* What was deferred later than that may rest on trains that are gone. */
    while (s->deferred_count > 0 &&
           s->trains[s->deferred[s->deferred_count - 1]].deferred_at > count)
        chk_solver_resume(s, s->deferred[--s->deferred_count]);
}

void chk_solver_resume(chk_solver *s, uint32_t train) {
    s->trains[train].deferred_for = CHK_NONE;
    push_location(s, s->trains[train].location);
}

/* ---- What must come first. */

/* What depends on a read of an own add's word depends on the add. */
static uint32_t add_blocker(const chk_solver *s, uint32_t read) {
    if (!s->order.model->depends_through_adds)
        return CHK_NONE;
    uint32_t word = chk_word_read(s, read);
    while (chk_is_own_word(s, word, read) && s->operations[word].kind == COL_ADD) {
        if (!chk_is_scheduled(s, word))
            return word;
        word = chk_word_read(s, word);
    }
    return CHK_NONE;
}

static uint32_t kept_blocker(const chk_solver *s, uint32_t node) {
    const chk_edges edges = s->order.edges[node];
    for (uint32_t i = edges.start; i < edges.start + edges.count; i++) {
        const uint32_t before = chk_edge_node(s->order.before[i]);
        if (!chk_is_scheduled(s, before))
            return before;
        if (chk_edge_relation(s->order.before[i]) == COL_DEPENDENT && before < s->operation_count) {
            const uint32_t add = add_blocker(s, before);
            if (add != CHK_NONE)
                return add;
        }
    }
    return CHK_NONE;
}

/* A read of an own write's word does not wait for the write, but for some of what it waits for. */
static uint32_t own_source_blocker(const chk_solver *s, uint32_t read, uint32_t source) {
    const chk_model *model = s->order.model;
    const col_operation *write = &s->operations[source];
    const bool is_atomic = chk_op_reads(s, source);
    const uint32_t node = chk_write_node(&s->order, source);
    if (model->reads_after_own_atomic && is_atomic && !chk_is_scheduled(s, node))
        return node;
    if (model->acquires_after_own_atomic && is_atomic && !chk_is_scheduled(s, source) &&
        (s->operations[read].order & COL_ACQUIRE) != 0)
        return source;
    if (!model->dependencies || (write->dependency != COL_ADDRESS && write->dependency != COL_DATA))
        return CHK_NONE;
    const uint32_t depended_on = source - write->distance;
    return chk_is_scheduled(s, depended_on) ? add_blocker(s, depended_on) : depended_on;
}

static uint32_t source_blocker(const chk_solver *s, uint32_t read) {
    const uint32_t word = chk_word_read(s, read);
    if (word >= s->operation_count)
        return CHK_NONE;
    if (chk_is_own_word(s, word, read))
        return own_source_blocker(s, read, word);
    const uint32_t node = chk_write_node(&s->order, word);
    return chk_is_scheduled(s, node) ? CHK_NONE : node;
}

/* A train that must begin before this one. */
static uint32_t train_blocker(const chk_solver *s, uint32_t number) {
    for (uint32_t e = s->trains[number].edge; e != CHK_NONE; e = s->edges[e].next)
        if (!chk_has_begun(s, s->edges[e].before))
            return chk_first_node(s, s->edges[e].before);
    for (uint32_t i = s->trains[number].variable; i != CHK_NONE;) {
        const chk_variable *variable = &s->variables[i / 2];
        const uint32_t other = variable->trains[1 - i % 2];
        if (variable->value == (i % 2 == 1) && !chk_has_begun(s, other))
            return chk_first_node(s, other);
        i = variable->next[i % 2];
    }
    return CHK_NONE;
}

static uint32_t write_blocker(const chk_solver *s, uint32_t operation) {
    const uint32_t train = s->train_of[operation];
    if (s->trains[train].first == operation)
        return train_blocker(s, train);
    const uint32_t word = chk_word_replaced(s, operation);
    if (word >= s->operation_count)
        return CHK_NONE;
    const uint32_t node = chk_write_node(&s->order, word);
    return chk_is_scheduled(s, node) ? CHK_NONE : node;
}

static uint32_t blocker_of(const chk_solver *s, uint32_t node) {
    uint32_t blocker = kept_blocker(s, node);
    if (blocker == CHK_NONE && node < s->operation_count && chk_op_reads(s, node))
        blocker = source_blocker(s, node);
    if (blocker != CHK_NONE)
        return blocker;
    const uint32_t written = chk_written_by(s, node);
    return written == CHK_NONE ? CHK_NONE : write_blocker(s, written);
}

/* ---- Moves. */

static bool must_be_last(const chk_solver *s, uint32_t train) {
    return s->trains[train].is_final && s->trains_left[s->trains[train].location] > 1;
}

static uint32_t place_of(const chk_solver *s, uint32_t node) {
    const col_program *program = &s->trace->program;
    const uint32_t operation = chk_owner(&s->order, node), thread = s->order.thread[operation];
    return thread < program->thread_count ? operation - program->thread_start[thread] : 0;
}

/* Nothing but its location keeps the train from beginning. */
static void begin_train(chk_solver *s, uint32_t node, uint32_t number) {
    const chk_train *train = &s->trains[number];
    const uint32_t location = train->location;
    if ((train->is_unread || train->approved_at == s->retreats) && !is_locked(s, location) &&
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
    const uint32_t train = s->train_of[written];
    if (s->trains[train].first == written)
        begin_train(s, node, train);
    else if (s->unread[chk_word_replaced(s, written)] > own_reads(s, written))
        s->nodes[node].state = CHK_PARKED;
    else
        schedule(s, node);
}

/* Unread writes go first: then no train of the location needs to wait for them. */
static void schedule_unread(chk_solver *s, uint32_t location) {
    uint32_t *place = &s->ready[location];
    while (*place != CHK_NONE) {
        const uint32_t node = *place;
        const uint32_t train = s->train_of[chk_written_by(s, node)];
        if (!s->trains[train].is_unread || must_be_last(s, train)) {
            place = &s->nodes[node].link;
            continue;
        }
        *place = s->nodes[node].link;
        examine(s, node);
    }
}

static col_status defer(chk_solver *s, uint32_t train, uint32_t node) {
    if (s->deferred_count == s->deferred_capacity &&
        base_reserve(&s->deferred, &s->deferred_capacity, s->deferred_count + 1,
                     sizeof *s->deferred, s->problem) != COL_OK)
        return COL_FAILURE;
    base_invariant(s->deferred_count == 0 ||
                   s->trains[s->deferred[s->deferred_count - 1]].deferred_at <=
                       s->scheduled_count); /* 6 */
    s->trains[train].deferred_for = node;
    s->trains[train].deferred_at = s->scheduled_count;
    s->deferred[s->deferred_count++] = train;
    return COL_OK;
}

/* May the train begin now? If not, it watches or is deferred. */
static col_status try_train(chk_solver *s, uint32_t node, uint32_t number, bool *stays) {
    bool given;
    if (chk_solver_look_back(s, number, &given) != COL_OK)
        return COL_FAILURE;
    *stays = s->found_count > 0 && given;
    if (s->found_count == 0) {
        schedule(s, node);
        return COL_OK;
    }
    if (given)
        return defer(s, number, s->found[0]) == COL_OK ? chk_solver_check_deferred(s, node)
                                                       : COL_FAILURE;
    for (size_t i = 0; i < s->found_count; i++) {
        uint32_t reason = s->found[i];
        while (s->nodes[reason].parent != CHK_NONE)
            reason = s->nodes[reason].parent;
        const uint32_t before = s->train_of[chk_written_by(s, s->found[i])];
        if (chk_solver_add_edge(s, before, number, chk_owner(&s->order, reason)) != COL_OK)
            return COL_FAILURE;
    }
    watch(s, node, s->found[0]);
    return COL_OK;
}

/* What to do with a train that may be next; `stays` if it remains ready. */
typedef col_status attempt(chk_solver *s, uint32_t node, uint32_t train, bool *stays);

static col_status try_closed(chk_solver *s, uint32_t node, uint32_t number, bool *stays) {
    bool closed = s->trains_left[s->trains[number].location] == 1; /* nobody to hold back */
    s->group_count = 0;
    if (!closed && chk_solver_close(s, number, &closed) != COL_OK)
        return COL_FAILURE;
    *stays = !closed;
    if (!closed)
        return COL_OK;
    for (size_t i = 0; i < s->group_count; i++)
        s->trains[s->group[i]].approved_at = s->retreats;
    schedule(s, node);
    return COL_OK;
}

/* Try the trains that are ready until one begins. */
static col_status choose(chk_solver *s, uint32_t location, attempt *attempt_one) {
    uint32_t *place = &s->ready[location];
    while (*place != CHK_NONE && !is_locked(s, location) && !s->doomed) {
        const uint32_t node = *place;
        const uint32_t train = s->train_of[chk_written_by(s, node)];
        if (must_be_last(s, train) || chk_is_deferred(s, train)) {
            place = &s->nodes[node].link;
            continue;
        }
        const uint32_t next = s->nodes[node].link;
        const uint32_t blocker = blocker_of(s, node);
        bool stays = false;
        if (blocker != CHK_NONE)
            watch(s, node, blocker);
        else if (attempt_one(s, node, train, &stays) != COL_OK)
            return COL_FAILURE;
        if (stays)
            place = &s->nodes[node].link;
        else
            *place = next;
    }
    return COL_OK;
}

static col_status choose_safely(chk_solver *s, uint32_t location) {
    if (is_locked(s, location))
        return COL_OK;
    schedule_unread(s, location);
    if (choose(s, location, try_closed) != COL_OK)
        return COL_FAILURE;
    if (!is_locked(s, location) && s->ready[location] != CHK_NONE)
        join(doubts(s), location);
    return COL_OK;
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

/* 3: what of the train is not scheduled. */
static bool is_left_counted(const chk_solver *s, uint32_t number) {
    const chk_train *train = &s->trains[number];
    uint32_t left = 0;
    for (uint32_t word = train->first; word != CHK_NONE; word = s->follower[word]) {
        uint32_t unread = 0;
        for (uint32_t i = s->reader_start[word]; i < s->reader_start[word + 1]; i++)
            unread += !chk_is_scheduled(s, s->readers[i]);
        if (unread != s->unread[word])
            return false;
        left += unread;
        if (word < s->operation_count)
            left += !chk_is_scheduled(s, chk_write_node(&s->order, word));
    }
    return left == train->left;
}

/* 3, 5 */
static bool trains_hold(const chk_solver *s) {
    for (uint32_t l = 0; l < s->location_count; l++) {
        const uint32_t first = s->train_start[l], count = s->train_start[l + 1] - first;
        uint32_t begun = 0, listed = 0;
        for (uint32_t t = first; t < first + count; t++) {
            begun += chk_has_begun(s, t);
            if (!is_left_counted(s, t))
                return false;
        }
        for (uint32_t t = s->current[l]; t != first && listed < count; t = s->trains[t].earlier)
            listed += chk_has_begun(s, t);
        if (begun + s->trains_left[l] != count || listed + 1 != begun)
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
    return lists_hold(s) && trains_hold(s);
}

/* One step, if there is one. */
static col_status advance(chk_solver *s, bool *stuck) {
    if (s->queue != CHK_NONE) {
        const uint32_t node = s->queue;
        s->queue = s->nodes[node].link;
        examine(s, node);
        return COL_OK;
    }
    if (s->first_location != CHK_NONE)
        return choose_safely(s, leave(choices(s)));
    if (s->first_doubtful != CHK_NONE) {
        const uint32_t location = leave(doubts(s));
        return is_locked(s, location) ? COL_OK : choose(s, location, try_train);
    }
    *stuck = true;
    return COL_OK;
}

col_status chk_solver_advance(chk_solver *s, bool *expired) {
    bool stuck = false;
    uint64_t check = 0;
    for (uint64_t steps = 0; !stuck && !s->doomed; steps++) {
        if (steps + s->visit_count >= check) {
            check = steps + s->visit_count + CLOCK_INTERVAL;
            *expired = chk_solver_is_late(s);
            if (*expired)
                return COL_OK;
        }
        if (advance(s, &stuck) != COL_OK)
            return COL_FAILURE;
    }
    base_costly_invariant(invariants_hold(s));
    return COL_OK;
}
