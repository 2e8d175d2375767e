/* SPDX-License-Identifier: MIT */
/*
 * What a node waits for: the edges of the axioms that end there, as far as they begin at nodes that
 * are not scheduled. They are of two sorts: those that follow from the trace, and those that are
 * only there because a train has begun (or a learned clause was answered) while it could have been
 * otherwise. None is stored; this file is the one place that knows them all.
 */
#include "check/solve.h"

#include "base/memory.h"

static void add_wait(chk_solver *s, chk_wait wait) {
    if (chk_is_scheduled(s, wait.node))
        return;
    if (s->wait_count == s->wait_capacity &&
        base_reserve(&s->waits, &s->wait_capacity, s->wait_count + 64, sizeof *s->waits,
                     s->problem) != COL_OK) {
        s->failed = true;
        return;
    }
    s->waits[s->wait_count++] = wait;
}

static void add_plain(chk_solver *s, uint32_t node, col_relation relation) {
    add_wait(s, (chk_wait){node, relation, CHK_NONE, CHK_NONE});
}

static void add_dependency(chk_solver *s, uint32_t read) {
    add_plain(s, read, COL_DEPENDENT);
    if (!s->order.model->depends_through_adds)
        return;
    uint32_t word = chk_word_read(s, read);
    while (chk_is_own_word(s, word, read) && s->operations[word].kind == COL_ADD) {
        add_plain(s, word, COL_DEPENDENT);
        word = chk_word_read(s, word);
    }
}

static void add_kept(chk_solver *s, uint32_t node) {
    const chk_edges edges = s->order.edges[node];
    for (uint32_t i = edges.start; i < edges.start + edges.count; i++) {
        const uint32_t before = chk_edge_node(s->order.before[i]);
        const col_relation relation = chk_edge_relation(s->order.before[i]);
        if (relation == COL_DEPENDENT && before < s->operation_count)
            add_dependency(s, before);
        else
            add_plain(s, before, relation);
    }
}

static void add_source(chk_solver *s, uint32_t read) {
    const chk_model *model = s->order.model;
    const uint32_t source = chk_word_read(s, read);
    if (source >= s->operation_count)
        return;
    if (!chk_is_own_word(s, source, read)) {
        add_plain(s, chk_write_node(&s->order, source), COL_READS_FROM);
        return;
    }
    const col_operation *write = &s->operations[source];
    const bool is_atomic = chk_op_reads(s, source);
    if (model->reads_after_own_atomic && is_atomic)
        add_plain(s, chk_write_node(&s->order, source), COL_ATOMIC);
    if (model->acquires_after_own_atomic && is_atomic &&
        (s->operations[read].order & COL_ACQUIRE) != 0)
        add_plain(s, source, COL_ATOMIC);
    if (model->dependencies && (write->dependency == COL_ADDRESS || write->dependency == COL_DATA))
        add_dependency(s, source - write->distance);
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

static void add_train(chk_solver *s, uint32_t node, uint32_t train, uint32_t given,
                      uint32_t reason) {
    if (s->trains[train].left > 0)
        add_word(s, node, s->trains[train].last, (chk_wait){.given = given, .reason = reason});
}

static void add_others(chk_solver *s, uint32_t node, uint32_t location) {
    const uint32_t own = s->train_of[chk_written_by(s, node)];
    for (uint32_t t = s->train_start[location]; t < s->train_start[location + 1]; t++)
        if (t != own)
            add_train(s, node, t, CHK_NONE, CHK_NONE);
}

/* What the first write of a train waits for: trains before it. */
static void add_trains(chk_solver *s, uint32_t node, uint32_t number) {
    const uint32_t location = s->trains[number].location;
    const uint32_t current = s->current[location];
    bool seen = s->trains[current].left == 0;
    if (s->trains[number].is_final) {
        add_others(s, node, location);
        return;
    }
    for (uint32_t e = s->trains[number].edge; e != CHK_NONE; e = s->edges[e].next) {
        add_train(s, node, s->edges[e].before, CHK_NONE, s->edges[e].reason);
        seen = seen || s->edges[e].before == current;
    }
    for (uint32_t i = s->trains[number].variable; i != CHK_NONE;) {
        const chk_variable *variable = &s->variables[i / 2];
        const uint32_t other = variable->trains[1 - i % 2];
        if (variable->value == (i % 2 == 1)) {
            add_train(s, node, other, other, CHK_NONE);
            seen = seen || other == current;
        }
        i = variable->next[i % 2];
    }
    if (!seen)
        add_train(s, node, current, current == s->train_start[location] ? CHK_NONE : current,
                  CHK_NONE);
}

col_status chk_solver_waits(chk_solver *s, uint32_t node) {
    s->wait_count = 0;
    add_kept(s, node);
    if (node < s->operation_count && chk_op_reads(s, node))
        add_source(s, node);
    const uint32_t written = chk_written_by(s, node);
    if (written != CHK_NONE) {
        const uint32_t train = s->train_of[written];
        if (s->trains[train].first == written)
            add_trains(s, node, train);
        else
            add_word(s, node, chk_word_replaced(s, written),
                     (chk_wait){.given = CHK_NONE, .reason = CHK_NONE});
    }
    return s->failed ? COL_FAILURE : COL_OK;
}
