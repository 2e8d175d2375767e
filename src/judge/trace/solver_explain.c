/* SPDX-License-Identifier: MIT */
/*
 * Why a trace is forbidden, for people: a short cycle of operations. The cycle that ended the
 * search is only the first one met; a breadth-first search from its nodes finds a shorter one where
 * there is one. What rests on an inferred order of two writes names the access that shows it.
 */
#include "judge/trace/solver.h"
#include "judge/trace/trace.h"
#include "judge/violation.h"
#include "program/program.h"

#include <stdio.h>

enum { MOST_STARTS = 64, MOST_VISITS = 1 << 20 };

/* ---- Operations and steps. */

/* Traces that have no text are explained in the words of programs. */
static void describe(const chk_solver *s, uint32_t operation, char *text, size_t size) {
    const col_operation *o = &s->operations[operation];
    if (s->trace->location_names != NULL && s->trace->read != NULL && s->trace->written != NULL) {
        chk_trace_describe(s->trace, operation, text, size);
        return;
    }
    const uint32_t word = chk_op_reads(s, operation) ? chk_word_read(s, operation) : CHK_NONE;
    uint64_t value = word < s->operation_count ? s->operations[word].value : 0;
    if (s->trace->read != NULL)
        value = s->trace->read[operation];
    chk_describe(o, word != CHK_NONE ? &value : NULL, text, size);
}

static uint32_t mention(const chk_solver *s, col_violation *violation, uint32_t operation) {
    const col_trace *trace = s->trace;
    const uint32_t number = chk_mention_in(violation, &trace->program, operation);
    if (number == COL_NO_MENTION)
        return number;
    col_mention *m = &violation->mentions[number];
    m->line = trace->line == NULL ? 0 : trace->line[operation];
    if (trace->thread_names != NULL)
        m->thread_name = trace->thread_names[m->thread];
    describe(s, operation, m->text, sizeof m->text);
    return number;
}

static void add_step(chk_solver *s, col_violation *violation, uint32_t from, uint32_t to,
                     col_relation relation, uint32_t reason) {
    const col_step step = {.from = mention(s, violation, from),
                           .to = mention(s, violation, to),
                           .relation = relation,
                           .note =
                               reason == CHK_NONE ? COL_NO_MENTION : mention(s, violation, reason)};
    if (violation->is_cut)
        s->status = base_out_of_memory(s->problem);
    else
        s->status = chk_step(violation, step, s->problem);
}

/* ---- A short cycle. */

/* A cycle is easiest to follow if each order of two writes is one that a thread saw. */
typedef struct cycle_search {
    uint32_t starts[MOST_STARTS];
    size_t start_count, visits;
    size_t length;   /* of the shortest cycle so far */
    bool seen_alone; /* only orders that a thread saw */
} cycle_search;

static uint32_t segment_met(const chk_solver *s, uint32_t operation) {
    return s->segment_of[chk_op_writes(s, operation) ? operation : chk_word_read(s, operation)];
}

/* Does the wait rest on an order of segments that was inferred, not seen? */
static bool is_inferred(const chk_solver *s, const chk_wait *wait, uint32_t node) {
    if (wait->reason == CHK_NONE)
        return false;
    const uint32_t operation = chk_owner(&s->order, wait->node);
    const uint32_t before = wait->relation == COL_FROM_READ
                                ? s->segment_of[chk_word_read(s, operation)]
                                : s->segment_of[operation];
    const uint32_t previous = s->order.previous_here[wait->reason];
    return previous == CHK_NONE || segment_met(s, previous) != before ||
           segment_met(s, wait->reason) != s->segment_of[chk_written_by(s, node)];
}

/* What the search reaches is in s->stack, in its order. */
static void reach_waits(chk_solver *s, const cycle_search *q, uint32_t node, size_t *count) {
    chk_solver_waits(s, node);
    for (size_t i = 0; i < s->wait_count; i++) {
        const uint32_t before = s->waits[i].node;
        if (s->waits[i].assumed != CHK_NONE || s->nodes[before].mark == s->epoch ||
            (q->seen_alone && is_inferred(s, &s->waits[i], node)))
            continue;
        s->nodes[before].mark = s->epoch;
        s->nodes[before].parent = node;
        s->stack[(*count)++] = before;
    }
}

/* The cycle that parents tell through `node`, if it is shorter than the one known. */
static void take_cycle(chk_solver *s, cycle_search *q, uint32_t node) {
    size_t length = 1;
    for (uint32_t v = s->nodes[node].parent; v != node; v = s->nodes[v].parent)
        length++;
    if (length >= q->length)
        return;
    uint32_t from = node;
    for (s->link_count = 0; s->link_count < length; s->link_count++) {
        const uint32_t to = s->nodes[from].parent;
        s->links[s->link_count] = (chk_link){.from = from, .to = to, .reason = CHK_NONE};
        from = to;
    }
    q->length = length;
}

/* A shortest cycle through `node`. */
static void seek_through(chk_solver *s, cycle_search *q, uint32_t node) {
    size_t count = 0;
    s->epoch++;
    reach_waits(s, q, node, &count);
    for (size_t i = 0; i < count && s->nodes[node].mark != s->epoch; i++) {
        if (++q->visits > MOST_VISITS)
            return;
        reach_waits(s, q, s->stack[i], &count);
    }
    if (s->nodes[node].mark == s->epoch)
        take_cycle(s, q, node);
}

static void add_start(const chk_solver *s, cycle_search *q, uint32_t node) {
    if (q->start_count < MOST_STARTS && !chk_is_scheduled(s, node))
        q->starts[q->start_count++] = node;
}

static void shorten(chk_solver *s) {
    cycle_search q = {.length = SIZE_MAX, .seen_alone = true};
    for (size_t i = 0; i < s->link_count; i++) {
        add_start(s, &q, s->links[i].to);
        if (s->links[i].reason != CHK_NONE)
            add_start(s, &q, s->links[i].reason);
    }
    for (size_t i = 0; i < q.start_count; i++)
        seek_through(s, &q, q.starts[i]);
    if (q.length < SIZE_MAX)
        return;
    q.seen_alone = false;
    q.visits = 0;
    q.length = s->link_count;
    for (size_t i = 0; i < q.start_count; i++)
        seek_through(s, &q, q.starts[i]);
}

/* ---- The cycle in words. */

/* The links in their direction: each ends where the next one begins. */
static void turn(chk_solver *s) {
    if (s->link_count < 2 || s->links[0].to == s->links[1].from)
        return;
    for (size_t i = 0, j = s->link_count - 1; i < j; i++, j--) {
        const chk_link link = s->links[i];
        s->links[i] = s->links[j];
        s->links[j] = link;
    }
}

/* Why: with the least to explain. */
static void find_reason(chk_solver *s, chk_link *link) {
    const chk_wait *best = NULL;
    chk_solver_waits(s, link->to);
    for (size_t i = 0; i < s->wait_count; i++) {
        const chk_wait *wait = &s->waits[i];
        if (wait->node == link->from && wait->assumed == CHK_NONE &&
            (best == NULL || is_inferred(s, best, link->to)))
            best = wait;
    }
    if (best == NULL)
        return; /* it was found by looking back, and has its reason */
    link->relation = best->relation;
    link->reason = best->reason;
}

static bool is_gate(const chk_solver *s, uint32_t node) {
    return node >= s->operation_count && chk_written_by(s, node) == CHK_NONE;
}

/* From operation to operation: gates on the way only lend their relation. */
static void tell_cycle(chk_solver *s, col_violation *violation) {
    size_t first = 0;
    while (first + 1 < s->link_count && is_gate(s, s->links[first].from))
        first++;
    uint32_t from = chk_owner(&s->order, s->links[first].from);
    for (size_t i = 0; i < s->link_count && s->status == COL_OK; i++) {
        chk_link *link = &s->links[(first + i) % s->link_count];
        find_reason(s, link);
        if (is_gate(s, link->to))
            continue;
        const uint32_t to = chk_owner(&s->order, link->to);
        if (s->status == COL_OK)
            add_step(s, violation, from, to, (col_relation)link->relation, link->reason);
        from = to;
    }
}

static const char *model_name(const chk_solver *s) {
    int model = 0;
    while (chk_model_of((col_model)model) != s->order.model)
        model++;
    return prg_model_titles[model];
}

static bool needs_last_writes(const chk_solver *s) {
    for (size_t i = 0; i < s->link_count; i++) {
        const uint32_t written = chk_written_by(s, s->links[i].to);
        if (written != CHK_NONE && s->links[i].reason == CHK_NONE &&
            (s->links[i].relation == COL_COHERENCE || s->links[i].relation == COL_FROM_READ) &&
            s->segments[s->segment_of[written]].is_final)
            return true;
    }
    return false;
}

static void explain_cycle(chk_solver *s, col_violation *violation) {
    const bool by_cases = s->literal_count > 0;
    if (!by_cases)
        shorten(s);
    if (s->link_count > CHK_MOST_STEPS) {
        (void)snprintf(violation->reason, sizeof violation->reason,
                       "a cycle of more than %d steps, which %s forbids", CHK_MOST_STEPS,
                       model_name(s));
        return;
    }
    turn(s);
    tell_cycle(s, violation);
    const char *how = "these operations form";
    if (by_cases)
        how = "the order of writes that was tried last leads to";
    (void)snprintf(violation->reason, sizeof violation->reason, "%s a cycle that %s forbids%s", how,
                   model_name(s), needs_last_writes(s) ? ", given which writes are the last" : "");
}

/* ---- Faults. */

static const char *const fault_sentences[] = {
    [CHK_NOT_ATOMIC] = "an atomic replaced another value than it read",
    [CHK_READS_LATER] = "a read returned a value that its own thread had not written yet",
    [CHK_TWICE_FOLLOWED] = "two atomics read the same value, so each of them wrote between the "
                           "other's read and write",
    [CHK_CIRCLE] = "atomics read each other's values in a circle",
    [CHK_AGAINST_SEGMENT] =
        "a thread saw the values of one location against the order in which they "
        "were written",
    [CHK_FOLLOWED_FINAL] = "this write comes after the one that the trace says is the last",
};

/* Writes that replaced each other's words: back along these, until one comes again. */
static void explain_circle(chk_solver *s, col_violation *violation) {
    uint32_t write = s->fault.first;
    for (uint32_t i = 0; i < s->operation_count; i++)
        write = chk_word_replaced(s, write); /* on the circle now, if not before */
    const uint32_t start = write;
    uint32_t length = 0;
    do
        write = s->follower[write];
    while (++length <= CHK_MOST_STEPS && write != start);
    if (length > CHK_MOST_STEPS)
        return; /* the sentence is enough */
    do {
        const uint32_t next = s->follower[write];
        const col_relation relation = chk_op_reads(s, next) ? COL_READS_FROM : COL_COHERENCE;
        add_step(s, violation, write, next, relation, CHK_NONE);
        write = next;
    } while (write != start && s->status == COL_OK);
}

static void explain_against_segment(chk_solver *s, col_violation *violation) {
    const uint32_t earlier = s->fault.first, later = s->fault.second;
    const uint32_t word = chk_op_writes(s, earlier) ? earlier : chk_word_read(s, earlier);
    if (word != earlier)
        add_step(s, violation, word, earlier, COL_READS_FROM, CHK_NONE);
    add_step(s, violation, earlier, later, COL_SAME_LOCATION, CHK_NONE);
    add_step(s, violation, later, word, chk_op_writes(s, later) ? COL_COHERENCE : COL_FROM_READ,
             CHK_NONE);
}

/* "M[1] == 3: nothing in this trace stores 3 there" */
static void say_never_stored(const chk_solver *s, col_violation *violation) {
    const col_trace *trace = s->trace;
    const uint32_t first = s->fault.first;
    const bool is_final = s->fault.kind == CHK_NEVER_FINAL;
    const bool reads =
        !is_final && chk_op_reads(s, first) && trace->source[first] == COL_NEVER_STORED;
    const uint32_t location = is_final ? first : s->operations[first].location;
    const uint64_t *values = is_final ? trace->final_value
                             : reads  ? trace->read
                                      : trace->replaced_value;
    char place[40];
    if (trace->location_names == NULL || values == NULL) {
        (void)snprintf(violation->reason, sizeof violation->reason,
                       "a value was seen at a%u that nothing in this trace stores there", location);
        return;
    }
    (void)chk_trace_describe_location(trace, location, place, sizeof place);
    (void)snprintf(violation->reason, sizeof violation->reason,
                   "%s the value %llu, which nothing in this trace stores at %s",
                   is_final ? "memory ended with"
                   : reads  ? "a read returned"
                            : "a store replaced",
                   (unsigned long long)values[first], place);
}

static void say_fault(const chk_solver *s, col_violation *violation) {
    const bool is_replacing =
        (s->fault.kind == CHK_TWICE_FOLLOWED || s->fault.kind == CHK_CIRCLE) &&
        !(chk_op_reads(s, s->fault.first) && chk_op_reads(s, s->fault.second));
    const char *sentence = fault_sentences[s->fault.kind];
    if (is_replacing && s->fault.kind == CHK_TWICE_FOLLOWED)
        sentence = "two writes replaced the same value: one of them was lost";
    else if (is_replacing)
        sentence = "writes replaced each other's values in a circle";
    (void)snprintf(violation->reason, sizeof violation->reason, "%s", sentence);
}

static void explain_fault(chk_solver *s, col_violation *violation) {
    const uint32_t first = s->fault.first, second = s->fault.second;
    const chk_fault_kind kind = s->fault.kind;
    col_relation there = COL_SAME_LOCATION, back = COL_READS_FROM;
    if (kind == CHK_NEVER_STORED || kind == CHK_NEVER_FINAL)
        say_never_stored(s, violation);
    else
        say_fault(s, violation);
    if (kind == CHK_NEVER_FINAL)
        return;
    if (kind == CHK_CIRCLE) {
        explain_circle(s, violation);
    } else if (kind == CHK_AGAINST_SEGMENT) {
        explain_against_segment(s, violation);
    } else if (kind == CHK_FOLLOWED_FINAL || first == second) {
        if (mention(s, violation, first) == COL_NO_MENTION)
            s->status = base_out_of_memory(s->problem);
    } else {
        if (kind == CHK_TWICE_FOLLOWED)
            there = back =
                chk_op_reads(s, first) && chk_op_reads(s, second) ? COL_FROM_READ : COL_COHERENCE;
        add_step(s, violation, first, second, there, CHK_NONE);
        add_step(s, violation, second, first, back, CHK_NONE);
    }
}

col_status chk_solver_explain(chk_solver *s, col_violation *violation) {
    chk_violation_clear(violation);
    if (s->fault.kind == CHK_NO_FAULT)
        explain_cycle(s, violation);
    else
        explain_fault(s, violation);
    return s->status;
}
