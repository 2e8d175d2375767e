/* SPDX-License-Identifier: MIT */
/*
 * What the checker at run time found, in words and as a cycle. The cycle is the shortest one
 * through the edge that closed it: a breadth-first search back from the edge's start to its end.
 * This is the end of an instance, so memory and time do not matter much here.
 */
#include "judge/runtime/runtime_checker.h"
#include "judge/violation.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Words for operations. */

/* The word that a write left. False: it is not known, since adds replaced each other's. */
static bool word_of(const col_checker *c, uint32_t write, uint64_t *word) {
    uint64_t sum = 0;
    for (uint32_t passed = 0; write != CHK_NONE && !chk_is_initial(&c->execution, write);
         passed++) {
        if (passed == c->order.operation_count)
            return false;
        const col_operation *operation = &c->program->operations[write];
        sum += col_program_operand(c->program, operation);
        if (operation->kind != COL_ADD) {
            *word = sum;
            return true;
        }
        write = c->execution.seen[write].replaced;
    }
    *word = sum;
    return write != CHK_NONE;
}

static void describe(const col_checker *c, uint32_t operation, char *buffer, size_t size) {
    const col_operation *o = &c->program->operations[operation];
    uint64_t seen;
    const bool is_known =
        col_kinds[o->kind].reads && word_of(c, c->execution.seen[operation].source, &seen);
    chk_describe(o, is_known ? &seen : NULL, buffer, size);
}

static uint32_t mention(col_checker *c, uint32_t operation) {
    const uint32_t number = chk_mention_in(&c->violation, c->program, operation);
    if (number != COL_NO_MENTION)
        describe(c, operation, c->violation.mentions[number].text,
                 sizeof c->violation.mentions->text);
    return number;
}

static void step(col_checker *c, uint32_t from, uint32_t to, col_relation relation, uint32_t note) {
    const col_step s = {mention(c, from), mention(c, to), relation,
                        note == CHK_NONE ? COL_NO_MENTION : mention(c, note)};
    if (s.from != COL_NO_MENTION && s.to != COL_NO_MENTION)
        (void)chk_step(&c->violation, s, NULL); /* without memory: it is cut */
}

/* "thread 3, operation 17 (load a3 = 5)" */
static const char *name(const col_checker *c, uint32_t operation, char *buffer, size_t size) {
    char text[96];
    const uint32_t thread = col_program_thread_of(c->program, operation);
    describe(c, operation, text, sizeof text);
    (void)snprintf(buffer, size, "thread %u, operation %u (%s)", thread,
                   operation - c->program->thread_start[thread], text);
    return buffer;
}

/* ---- Cycles. */

typedef struct met {
    chk_known edge; /* to met[after] */
    uint32_t after;
} met;

typedef struct chase {
    col_checker *checker;
    met *met;
    uint32_t count, now;
    uint64_t floor;
    uint32_t target, end; /* the place of the target, once it is met */
    bool is_closed;
} chase;

static void chase_before(void *context, chk_known edge) {
    chase *s = context;
    col_checker *c = s->checker;
    const uint64_t label = chk_label(&c->row, edge.before);
    if (s->end != CHK_NONE || c->mark[edge.before] == c->mark_now)
        return;
    if (s->floor == 0 ? label != 0 : label < s->floor)
        return;
    c->mark[edge.before] = c->mark_now;
    s->met[s->count] = (met){edge, s->now};
    if (edge.before == s->target)
        s->end = s->count;
    s->count++;
}

/* The edge that closes the cycle, where met[0] has only its beginning. */
static void find_closing(void *context, chk_known edge) {
    chase *s = context;
    if (edge.before != s->met[0].edge.before || s->is_closed)
        return;
    s->met[0].edge = edge;
    s->is_closed = true;
}

/* Does one write follow the other in the coherence order that was seen? It may be a ring. */
static bool follows(const col_checker *c, uint32_t write, uint32_t later) {
    const uint32_t start = write;
    do
        write = c->execution.seen[write].next;
    while (write != CHK_NONE && write != later && write != start);
    return write == later;
}

/* A thread saw two words of a location against their order: this alone is a cycle. */
static void report_incoherent(col_checker *c, uint32_t first, uint32_t second) {
    const uint32_t earlier = chk_word_of(&c->execution, first);
    uint32_t later = chk_word_of(&c->execution, second);
    char one[160], other[160];
    chk_violation_clear(&c->violation);
    if (c->execution.seen[second].source != CHK_NONE)
        later = c->execution.seen[second].source;
    (void)snprintf(c->violation.reason, sizeof c->violation.reason,
                   "location a%u is not coherent: %s and %s saw its values against the order in "
                   "which they were written",
                   c->program->operations[first].location, name(c, first, one, sizeof one),
                   name(c, second, other, sizeof other));
    if (earlier != first)
        step(c, earlier, first, COL_READS_FROM, CHK_NONE);
    step(c, first, second, COL_SAME_LOCATION, CHK_NONE);
    step(c, second, earlier, second == later ? COL_COHERENCE : COL_FROM_READ, CHK_NONE);
}

/* An edge between two writes whose words a thread saw in this order. In the execution that was seen
 * they follow each other in coherence order; or, if they do so the other way round, the thread's
 * seeing them is the cycle; or their order has not been seen yet. Returns true if the report is
 * complete. */
static bool report_seen(col_checker *c, uint32_t from, uint32_t to, uint32_t note) {
    if (follows(c, to, from)) {
        report_incoherent(c, chk_before_here(&c->execution, note), note);
        return true;
    }
    step(c, from, to, COL_COHERENCE, follows(c, from, to) ? CHK_NONE : note);
    return false;
}

/* Round the cycle of `count` edges, from operation to operation: gates on the way only lend their
 * relation. Each edge leads from its node to that of the next one. */
static void report_round(col_checker *c, const met *edges, uint32_t count) {
    const chk_order *order = &c->order;
    uint32_t first = 0;
    while (first < count && chk_is_gate(order, edges[first].edge.before))
        first++;
    uint32_t from = chk_owner(order, edges[first % count].edge.before);
    col_relation relation = COL_PROGRAM_ORDER;
    for (uint32_t i = first; i < first + count; i++) {
        const chk_known *edge = &edges[i % count].edge;
        const uint32_t node = edges[(i + 1) % count].edge.before;
        if (relation == COL_PROGRAM_ORDER || relation == COL_ATOMIC)
            relation = edge->relation;
        if (chk_is_gate(order, node))
            continue;
        const uint32_t to = chk_owner(order, node);
        if (edge->note == CHK_NONE)
            step(c, from, to, relation, CHK_NONE);
        else if (report_seen(c, from, to, edge->note))
            return;
        from = to;
        relation = COL_PROGRAM_ORDER;
    }
}

/* The path that was met, in its direction, and the edge that closes it. */
static void report_path(col_checker *c, const chase *s) {
    uint32_t count = 0;
    for (uint32_t i = s->end; i != 0; i = s->met[i].after)
        count++;
    if (count > CHK_MOST_STEPS)
        return;
    met *edges = malloc(((size_t)count + 1) * sizeof *edges);
    c->violation.is_cut = c->violation.is_cut || edges == NULL;
    if (edges == NULL)
        return;
    count = 0;
    for (uint32_t i = s->end; i != 0; i = s->met[i].after)
        edges[count++] = s->met[i];
    edges[count++] = s->met[0];
    report_round(c, edges, count);
    free(edges);
}

void chk_report_cycle(col_checker *c, uint32_t from, uint32_t to) {
    chase s = {.checker = c,
               .met = malloc(((size_t)c->order.node_count + 1) * sizeof *s.met),
               .count = 1,
               .floor = chk_label(&c->row, to),
               .target = to,
               .end = from == to ? 0 : CHK_NONE};
    c->violated = true;
    (void)snprintf(c->violation.reason, sizeof c->violation.reason,
                   "these operations form a cycle that %s forbids", prg_model_titles[c->model]);
    c->violation.is_cut = s.met == NULL;
    if (s.met == NULL)
        return;
    s.met[0] = (met){{from, COL_PROGRAM_ORDER, CHK_NONE}, 0};
    chk_each_before(&c->execution, to, find_closing, &s);
    c->mark[from] = ++c->mark_now;
    for (s.now = 0; s.now < s.count && s.end == CHK_NONE; s.now++)
        chk_each_before(&c->execution, s.met[s.now].edge.before, chase_before, &s);
    if (s.end != CHK_NONE)
        report_path(c, &s);
    free(s.met);
}

/* ---- What is wrong by itself. */

void chk_report_initial(col_checker *c, uint32_t first, uint32_t second) {
    c->violated = true;
    report_incoherent(c, first, second);
}

void chk_report_future(col_checker *c, uint32_t read, uint32_t write) {
    char one[160], other[160];
    c->violated = true;
    (void)snprintf(c->violation.reason, sizeof c->violation.reason,
                   "%s returned the value of a later write of its thread, %s",
                   name(c, read, one, sizeof one), name(c, write, other, sizeof other));
    step(c, read, write, COL_SAME_LOCATION, CHK_NONE);
    step(c, write, read, COL_READS_FROM, CHK_NONE);
}

void chk_report_fork(col_checker *c, uint32_t replaced, uint32_t one, uint32_t other) {
    char first[160], second[160], word[48] = "of one add";
    uint64_t seen;
    c->violated = true;
    if (word_of(c, replaced, &seen))
        chk_print_word(word, sizeof word, seen);
    (void)snprintf(c->violation.reason, sizeof c->violation.reason,
                   "%s and %s both replaced the value %s of a%u: one of them was lost",
                   name(c, one, first, sizeof first), name(c, other, second, sizeof second), word,
                   c->program->operations[one].location);
    (void)mention(c, one);
    (void)mention(c, other);
}

void chk_report_word(col_checker *c, uint32_t operation, uint64_t word) {
    char text[160], number[48];
    c->violated = true;
    chk_print_word(number, sizeof number, word);
    (void)snprintf(c->violation.reason, sizeof c->violation.reason,
                   "%s met the value %s at a%u, which no operation can have stored there",
                   name(c, operation, text, sizeof text), number,
                   c->program->operations[operation].location);
    (void)mention(c, operation);
}

void chk_report_waiting(col_checker *c, uint32_t operation) {
    for (uint32_t i = 0; i <= c->words.sum_mask; i++) {
        const chk_sum *sum = &c->words.sums[i];
        if (sum->location != c->program->operations[operation].location || sum->write != CHK_NONE)
            continue;
        uint32_t read = sum->first_reader;
        while (read != CHK_NONE && read != operation)
            read = c->execution.seen[read].next_reader;
        if (read == operation || sum->replaced_by == operation) {
            chk_report_word(c, operation, sum->word);
            return;
        }
    }
}

void chk_report_event(col_checker *c, uint32_t operation, const char *what) {
    char text[160];
    c->violated = true;
    if (operation == CHK_NONE) {
        (void)snprintf(c->violation.reason, sizeof c->violation.reason, "%s", what);
        return;
    }
    (void)snprintf(c->violation.reason, sizeof c->violation.reason, "%s %s",
                   name(c, operation, text, sizeof text), what);
    (void)mention(c, operation);
}
