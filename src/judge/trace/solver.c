/* SPDX-License-Identifier: MIT */
/*
 * The verdict on a trace: schedule as far as possible, learn from what goes wrong, go on. A full
 * schedule is a memory order that the model allows, so the trace is; a contradiction without
 * assumptions shows that there is none.
 */
#include "judge/trace/solver.h"

#include "base/clock.h"
#include "base/problem.h"

#include <stdlib.h>
#include <string.h>

/*
 * What a trace says before any search: who reads which word, the segments, and the order of
 * segments that follows from what a thread saw of one location, one after the other. Contradictions
 * within this are faults, known at once.
 */

static void *take(chk_solver *s, size_t count, size_t size) {
    void *taken = base_arena_take(&s->arena, (count + 1) * size);
    s->arena_bytes += (count + 1) * size;
    if (taken == NULL)
        s->status = base_out_of_memory(s->problem);
    return taken;
}

/* The word that an access saw or left. */
static uint32_t word_of(const chk_solver *s, uint32_t operation) {
    return chk_op_writes(s, operation) ? operation : chk_word_read(s, operation);
}

static void set_fault(chk_solver *s, chk_fault_kind kind, uint32_t first, uint32_t second) {
    if (s->fault.kind == CHK_NO_FAULT)
        s->fault = (chk_fault){kind, first, second};
}

/* ---- Sound input: sources and last writes are writes to the same location. */

static bool writes_to(const chk_solver *s, uint32_t write, uint32_t location) {
    return write < s->operation_count && chk_op_writes(s, write) &&
           s->operations[write].location == location;
}

/* Does a trace name no write, or one that writes there? */
static bool is_sound(const chk_solver *s, uint32_t write, uint32_t location) {
    return write == COL_INITIAL || write == COL_NOT_SAID || write == COL_NEVER_STORED ||
           writes_to(s, write, location);
}

static void check_input(chk_solver *s) {
    const col_trace *trace = s->trace;
    for (uint32_t o = 0; o < s->operation_count && s->status == COL_OK; o++) {
        const uint32_t location = s->operations[o].location;
        if (chk_op_reads(s, o) && !is_sound(s, trace->source[o], location))
            s->status =
                base_refuse(s->problem, "operation %u reads from one that does not write there", o);
        else if (trace->replaced != NULL && chk_op_writes(s, o) &&
                 !is_sound(s, trace->replaced[o], location))
            s->status =
                base_refuse(s->problem, "operation %u replaces one that does not write there", o);
    }
    for (uint32_t l = 0; l < s->location_count && trace->final != NULL && s->status == COL_OK; l++)
        if (!is_sound(s, trace->final[l], l))
            s->status =
                base_refuse(s->problem, "the last write of location %u does not write there", l);
}

/* ---- Values that nobody stored, and atomics that were none. */

static void find_strange_values(chk_solver *s) {
    const col_trace *trace = s->trace;
    for (uint32_t o = 0; o < s->operation_count; o++) {
        const bool says_replaced =
            trace->replaced != NULL && chk_op_writes(s, o) && trace->replaced[o] != COL_NOT_SAID;
        if ((chk_op_reads(s, o) && trace->source[o] == COL_NEVER_STORED) ||
            (says_replaced && trace->replaced[o] == COL_NEVER_STORED))
            set_fault(s, CHK_NEVER_STORED, o, o);
        else if (says_replaced && chk_op_reads(s, o) && trace->replaced[o] != trace->source[o])
            set_fault(s, CHK_NOT_ATOMIC, o, o);
    }
    for (uint32_t l = 0; l < s->location_count && trace->final != NULL; l++)
        if (trace->final[l] == COL_NEVER_STORED)
            set_fault(s, CHK_NEVER_FINAL, l, l);
}

/* ---- What was under way when the trace ended. */

/* Such an operation stays in the order of its thread, and orders others. What it read is not known,
 * so for all else a load is a delay, and no neighbour at its location. What it wrote is not known
 * either, but it may take effect at any time: a store or atomic is a store that nobody has read. */
static void set_unfinished_aside(chk_solver *s) {
    if (s->trace->unfinished_count == 0)
        return;
    s->finished = take(s, s->operation_count, sizeof *s->finished);
    if (s->finished == NULL)
        return;
    memcpy(s->finished, s->operations, s->operation_count * sizeof *s->finished);
    for (uint32_t o = 0; o < s->operation_count; o++)
        if (s->trace->source[o] == COL_UNFINISHED)
            s->finished[o].kind = chk_op_writes(s, o) ? COL_STORE : COL_DELAY;
    s->operations = s->finished;
}

static void unlink_unfinished(chk_solver *s) {
    uint32_t *previous = s->order.previous_here, *next = s->order.next_here;
    for (uint32_t o = 0; o < s->operation_count && s->finished != NULL; o++) {
        if (s->trace->source[o] != COL_UNFINISHED || chk_op_writes(s, o))
            continue;
        if (previous[o] != CHK_NONE)
            next[previous[o]] = next[o];
        if (next[o] != CHK_NONE)
            previous[next[o]] = previous[o];
        previous[o] = next[o] = CHK_NONE;
    }
}

/* ---- Arrays. */

static void take_arrays(chk_solver *s) {
    const size_t words = (size_t)s->operation_count + s->location_count;
    const size_t nodes = s->order.node_count, locations = s->location_count;
    const struct {
        uint32_t **array;
        size_t count;
        uint32_t fill;
    } lists[] = {{&s->reader_start, words + 1, 0},
                 {&s->readers, s->operation_count, 0},
                 {&s->unread, words, 0},
                 {&s->follower, words, CHK_NONE},
                 {&s->segment_of, words, CHK_NONE},
                 {&s->rank, words, 0},
                 {&s->segment_start, locations + 1, 0},
                 {&s->schedule, nodes, 0},
                 {&s->walked, nodes, 0},
                 {&s->stack, nodes, 0},
                 {&s->found, nodes, 0},
                 {&s->current, locations, 0},
                 {&s->ready, locations, CHK_NONE},
                 {&s->segments_left, locations, 0},
                 {&s->choices.link, locations, CHK_NONE},
                 {&s->doubts.link, locations, CHK_NONE},
                 {&s->group_mark, locations, 0},
                 {&s->group, locations, 0}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0] && s->status == COL_OK; i++) {
        *lists[i].array = take(s, lists[i].count, sizeof **lists[i].array);
        if (lists[i].fill != 0 && *lists[i].array != NULL)
            memset(*lists[i].array, 0xFF, (lists[i].count + 1) * sizeof **lists[i].array);
    }
    s->nodes = take(s, nodes, sizeof *s->nodes);
    s->links = take(s, nodes, sizeof *s->links);
}

/* ---- Readers, and what is known to follow. */

static void find_followers(chk_solver *s) {
    for (uint32_t o = 0; o < s->operation_count; o++) {
        const uint32_t word = chk_op_writes(s, o) ? chk_word_replaced(s, o) : CHK_NONE;
        if (word == CHK_NONE)
            continue;
        if (s->follower[word] != CHK_NONE)
            set_fault(s, CHK_TWICE_FOLLOWED, s->follower[word], o);
        s->follower[word] = o;
    }
}

static void find_readers(chk_solver *s) {
    const uint32_t words = s->operation_count + s->location_count;
    for (uint32_t o = 0; o < s->operation_count; o++) {
        if (!chk_op_reads(s, o))
            continue;
        const uint32_t word = chk_word_read(s, o);
        s->unread[word]++;
        if (chk_is_own_word(s, word, o) && word >= o)
            set_fault(s, CHK_READS_LATER, o, word);
    }
    for (uint32_t word = 0; word < words; word++)
        s->reader_start[word + 1] = s->reader_start[word] + s->unread[word];
    /* Filled from the end of each part, so that what is left of the counts is 0 again: the counts
     * are wanted later, and are the sizes of the parts. */
    for (uint32_t o = s->operation_count; o-- > 0;)
        if (chk_op_reads(s, o)) {
            const uint32_t word = chk_word_read(s, o);
            s->readers[s->reader_start[word] + --s->unread[word]] = o;
        }
    for (uint32_t word = 0; word < words; word++)
        s->unread[word] = s->reader_start[word + 1] - s->reader_start[word];
}

/* ---- Segments. */

static bool begins_segment(const chk_solver *s, uint32_t operation) {
    return chk_op_writes(s, operation) && chk_word_replaced(s, operation) == CHK_NONE;
}

/* Number the segments by location, that of the initial word first. */
static void number_segments(chk_solver *s) {
    for (uint32_t o = 0; o < s->operation_count; o++)
        if (begins_segment(s, o))
            s->segment_start[s->operations[o].location + 1]++;
    for (uint32_t l = 0; l < s->location_count; l++)
        s->segment_start[l + 1] += s->segment_start[l] + 1;
    s->segment_count = s->segment_start[s->location_count];
    s->segments = take(s, s->segment_count, sizeof *s->segments);
    if (s->segments == NULL)
        return;
    uint32_t *next = s->current; /* by location: free until the schedule starts */
    for (uint32_t l = 0; l < s->location_count; l++) {
        next[l] = s->segment_start[l];
        s->segments[next[l]++].first = s->operation_count + l;
    }
    for (uint32_t o = 0; o < s->operation_count; o++)
        if (begins_segment(s, o))
            s->segments[next[s->operations[o].location]++].first = o;
}

static void couple(chk_solver *s, uint32_t number) {
    chk_segment *segment = &s->segments[number];
    uint32_t rank = 0;
    const uint32_t initial = segment->first >= s->operation_count;
    for (uint32_t word = segment->first; word != CHK_NONE; word = s->follower[word]) {
        s->segment_of[word] = number;
        s->rank[word] = rank++;
        segment->last = word;
        segment->left += s->unread[word] + 1;
    }
    segment->left -= initial;
    segment->is_unread = !initial && segment->left == 1;
    segment->location =
        initial ? segment->first - s->operation_count : s->operations[segment->first].location;
    segment->edge = segment->variable = segment->earlier = segment->deferred_for = CHK_NONE;
}

/* ---- The order of segments. */

void chk_solver_add_edge(chk_solver *s, uint32_t before, uint32_t after, uint32_t reason) {
    chk_segment *segment = &s->segments[after];
    if ((segment->edge != CHK_NONE && s->edges[segment->edge].before == before) ||
        !chk_grow(s, &s->edges, &s->edge_capacity, s->edge_count + 1, sizeof *s->edges))
        return;
    s->edges[s->edge_count] = (chk_segment_edge){before, segment->edge, reason};
    segment->edge = (uint32_t)s->edge_count++;
}

/* A thread sees the words of a location in the order of their writes. */
static void order_by_threads(chk_solver *s) {
    for (uint32_t o = 0; o < s->operation_count; o++) {
        const uint32_t previous = s->order.previous_here[o];
        if (previous == CHK_NONE)
            continue;
        const uint32_t before = word_of(s, previous), after = word_of(s, o);
        const uint32_t segment = s->segment_of[after];
        if (before == after)
            continue;
        if (s->segment_of[before] == segment ? s->rank[before] > s->rank[after]
                                             : s->segments[segment].first >= s->operation_count) {
            set_fault(s, CHK_AGAINST_SEGMENT, previous, o);
            return;
        }
        if (s->segment_of[before] != segment)
            chk_solver_add_edge(s, s->segment_of[before], segment, o);
    }
}

static void mark_last_writes(chk_solver *s) {
    for (uint32_t l = 0; l < s->location_count && s->trace->final != NULL; l++) {
        uint32_t word = s->trace->final[l];
        if (word == COL_NOT_SAID)
            continue;
        if (word == COL_INITIAL)
            word = s->operation_count + l;
        const uint32_t segment = s->segment_of[word];
        s->segments[segment].is_final = true;
        if (s->follower[word] != CHK_NONE)
            set_fault(s, CHK_FOLLOWED_FINAL, s->follower[word], l);
        else if (segment == s->segment_start[l] && s->segment_start[l + 1] - segment > 1)
            set_fault(s, CHK_FOLLOWED_FINAL, s->segments[segment + 1].first, l);
    }
}

/* ---- All of it. */

/* The list of nodes to examine starts with all of them, in their order. */
static void start_schedule(chk_solver *s) {
    const uint32_t count = s->order.node_count;
    for (uint32_t v = 0; v < count; v++)
        s->nodes[v] = (chk_node){.position = CHK_NONE,
                                 .watchers = CHK_NONE,
                                 .link = v + 1 < count ? v + 1 : CHK_NONE,
                                 .state = CHK_QUEUED};
    s->queue = count > 0 ? 0 : CHK_NONE;
    for (uint32_t l = 0; l < s->location_count; l++) {
        s->current[l] = s->segment_start[l];
        s->segments_left[l] = s->segment_start[l + 1] - s->segment_start[l] - 1;
    }
    s->choices.first = s->doubts.first = CHK_NONE;
    s->retreats = 1;
}

static bool goes_on(const chk_solver *s) {
    return s->status == COL_OK && s->fault.kind == CHK_NO_FAULT;
}

static void build(chk_solver *s, const col_trace *trace, const chk_model *model, chk_times times) {
    s->trace = trace;
    s->operations = trace->program.operations;
    s->operation_count = col_program_operations(&trace->program);
    s->location_count = trace->program.location_count;
    set_unfinished_aside(s);
    check_input(s);
    if (s->status == COL_OK)
        s->status = chk_order_build(&s->order, &trace->program, model, times, s->problem);
    if (s->status != COL_OK)
        return;
    unlink_unfinished(s);
    take_arrays(s);
    find_strange_values(s);
    if (!goes_on(s))
        return;
    find_readers(s);
    find_followers(s);
    if (goes_on(s))
        number_segments(s);
    if (!goes_on(s))
        return;
    for (uint32_t t = 0; t < s->segment_count; t++)
        couple(s, t);
    for (uint32_t o = 0; o < s->operation_count; o++)
        if (chk_op_writes(s, o) && s->segment_of[o] == CHK_NONE)
            set_fault(s, CHK_CIRCLE, o, o);
    if (!goes_on(s))
        return;
    mark_last_writes(s);
    order_by_threads(s);
    start_schedule(s);
}

void chk_solver_free(chk_solver *s) {
    chk_order_free(&s->order);
    base_arena_free(&s->arena);
    free(s->edges);
    free(s->deferred);
    free(s->waits);
    free(s->later);
    free(s->literals);
    free(s->variables);
    free(s->clauses);
    free(s->clause_start);
    free(s->asked);
}

size_t chk_solver_bytes(const chk_solver *s) {
    return chk_order_bytes(&s->order) + s->arena_bytes + s->edge_capacity * sizeof *s->edges +
           s->deferred_capacity * sizeof *s->deferred + s->wait_capacity * sizeof *s->waits +
           s->later_capacity * sizeof *s->later + s->literal_capacity * sizeof *s->literals +
           s->variable_capacity * sizeof *s->variables + s->clause_capacity * sizeof *s->clauses +
           s->clause_start_capacity * sizeof *s->clause_start +
           s->asked_capacity * sizeof *s->asked;
}

/* ---- 2 of solver_schedule.c: a full schedule, run on a memory, gives every read its word. */

static bool follows_kept(const chk_solver *s, uint32_t node) {
    const chk_edges edges = s->order.edges[node];
    for (uint32_t i = edges.start; i < edges.start + edges.count; i++)
        if (s->nodes[chk_edge_node(s->order.before[i])].position >= s->nodes[node].position)
            return false;
    return true;
}

/* The word that the read returns: what the location holds, or the last own write to it that has not
 * got there. */
static uint32_t returned(const chk_solver *s, uint32_t read, const uint32_t *memory) {
    uint32_t own = s->order.previous_here[read];
    while (own != CHK_NONE && !chk_op_writes(s, own))
        own = s->order.previous_here[own];
    return own == CHK_NONE ||
                   s->nodes[chk_write_node(&s->order, own)].position < s->nodes[read].position
               ? memory[s->operations[read].location]
               : own;
}

static bool run_node(const chk_solver *s, uint32_t node, uint32_t *memory) {
    if (!follows_kept(s, node))
        return false;
    if (node < s->operation_count && chk_op_reads(s, node) &&
        returned(s, node, memory) != chk_word_read(s, node))
        return false;
    const uint32_t written = chk_written_by(s, node);
    if (written == CHK_NONE)
        return true;
    uint32_t *word = &memory[s->operations[written].location];
    const uint32_t replaced = chk_word_replaced(s, written);
    const bool is_as_said = replaced == CHK_NONE || *word == replaced;
    *word = written;
    return is_as_said;
}

static bool is_memory_order(const chk_solver *s) {
    uint32_t *memory = malloc(((size_t)s->location_count + 1) * sizeof *memory);
    bool is_order = true;
    if (memory == NULL)
        return true;
    for (uint32_t l = 0; l < s->location_count; l++)
        memory[l] = s->operation_count + l;
    for (uint32_t i = 0; i < s->scheduled_count && is_order; i++)
        is_order = run_node(s, s->schedule[i], memory);
    for (uint32_t l = 0; l < s->location_count && s->trace->final != NULL; l++)
        if (s->trace->final[l] != COL_NOT_SAID)
            is_order =
                is_order && memory[l] == (s->trace->final[l] == COL_INITIAL ? s->operation_count + l
                                                                            : s->trace->final[l]);
    free(memory);
    return is_order;
}

/* ---- The verdict. */

bool chk_solver_is_late(const chk_solver *s) {
    return base_is_stopped(s->stop) || (s->deadline > 0 && base_seconds() > s->deadline);
}

static void decide(chk_solver *s, col_verdict *verdict) {
    bool forbidden = false, expired = false;
    *verdict = COL_UNDECIDED;
    while (!forbidden) {
        chk_solver_advance(s, &expired);
        if (s->status != COL_OK || expired)
            return;
        if (s->scheduled_count == s->order.node_count) {
            base_invariant(is_memory_order(s));
            *verdict = COL_ALLOWED;
            return;
        }
        if (!s->has_cycle)
            chk_solver_find_cycle(s);
        s->has_cycle = false;
        if (s->status == COL_OK && s->link_count > 0)
            chk_solver_learn(s, &forbidden, &expired);
        if (s->status != COL_OK || expired)
            return;
    }
    *verdict = COL_FORBIDDEN;
}

col_status chk_solver_judge(chk_solver *s, const col_trace *trace,
                            const col_trace_settings *settings, col_verdict *verdict) {
    const bool timed = trace->begin != NULL && !settings->ignore_times;
    const chk_times times = {timed ? trace->begin : NULL, timed ? trace->end : NULL};
    s->deadline = settings->budget > 0 ? base_seconds() + settings->budget : 0;
    build(s, trace, chk_model_of(settings->model), times);
    if (goes_on(s))
        decide(s, verdict);
    else
        *verdict = COL_FORBIDDEN;
    return s->status;
}

col_status chk_trace_check(const col_trace *trace, const col_trace_settings *settings,
                           const volatile int *stop, col_verdict *verdict, col_violation *violation,
                           col_problem *problem) {
    chk_solver solver = {.problem = problem, .stop = stop};
    col_status status = chk_solver_judge(&solver, trace, settings, verdict);
    if (status == COL_OK && *verdict == COL_FORBIDDEN && violation != NULL)
        status = chk_solver_explain(&solver, violation);
    chk_solver_free(&solver);
    return status;
}

col_status col_trace_check(const col_trace *trace, const col_trace_settings *settings,
                           col_verdict *verdict, col_violation *violation, col_problem *problem) {
    return chk_trace_check(trace, settings, NULL, verdict, violation, problem);
}
