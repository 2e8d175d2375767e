/* SPDX-License-Identifier: MIT */
/*
 * What a trace says before any search: who reads which word, the trains, and the order of trains
 * that follows from what a thread saw of one location, one after the other. Contradictions within
 * this are faults, known at once.
 */
#include "check/solve.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void *take(chk_solver *s, size_t count, size_t size) {
    s->arena_bytes += (count + 1) * size;
    return base_arena_take(&s->arena, (count + 1) * size);
}

static uint32_t *take_words(chk_solver *s, size_t count, uint32_t fill) {
    uint32_t *words = take(s, count, sizeof *words);
    if (words != NULL && fill != 0)
        memset(words, (int)(fill & 0xFF), (count + 1) * sizeof *words);
    return words;
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

static col_status check_input(const chk_solver *s) {
    const col_trace *trace = s->trace;
    for (uint32_t o = 0; o < s->operation_count; o++) {
        const uint32_t location = s->operations[o].location;
        if (chk_op_reads(s, o) && !is_sound(s, trace->source[o], location))
            return base_refuse(s->problem, "operation %u reads from one that does not write there",
                               o);
        if (trace->replaced != NULL && chk_op_writes(s, o) &&
            !is_sound(s, trace->replaced[o], location))
            return base_refuse(s->problem, "operation %u replaces one that does not write there",
                               o);
    }
    for (uint32_t l = 0; l < s->location_count && trace->final != NULL; l++)
        if (!is_sound(s, trace->final[l], l))
            return base_refuse(s->problem, "the last write of location %u does not write there", l);
    return COL_OK;
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
static col_status set_unfinished_aside(chk_solver *s) {
    if (s->trace->unfinished_count == 0)
        return COL_OK;
    s->finished = malloc(((size_t)s->operation_count + 1) * sizeof *s->finished);
    if (s->finished == NULL)
        return base_out_of_memory(s->problem);
    memcpy(s->finished, s->operations, s->operation_count * sizeof *s->finished);
    for (uint32_t o = 0; o < s->operation_count; o++)
        if (s->trace->source[o] == COL_UNFINISHED)
            s->finished[o].kind = chk_op_writes(s, o) ? COL_STORE : COL_DELAY;
    s->operations = s->finished;
    return COL_OK;
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

static col_status take_word_arrays(chk_solver *s) {
    const size_t words = (size_t)s->operation_count + s->location_count;
    s->reader_start = take_words(s, words + 1, 0);
    s->readers = take_words(s, s->operation_count, 0);
    s->unread = take_words(s, words, 0);
    s->follower = take_words(s, words, CHK_NONE);
    s->train_of = take_words(s, words, CHK_NONE);
    s->rank = take_words(s, words, 0);
    s->train_start = take_words(s, (size_t)s->location_count + 1, 0);
    if (s->reader_start == NULL || s->readers == NULL || s->unread == NULL || s->follower == NULL ||
        s->train_of == NULL || s->rank == NULL || s->train_start == NULL)
        return base_out_of_memory(s->problem);
    return COL_OK;
}

static col_status take_schedule_arrays(chk_solver *s) {
    const size_t nodes = s->order.node_count;
    s->nodes = take(s, nodes, sizeof *s->nodes);
    s->schedule = take_words(s, nodes, 0);
    s->walked = take_words(s, nodes, 0);
    s->current = take_words(s, s->location_count, 0);
    s->ready = take_words(s, s->location_count, CHK_NONE);
    s->trains_left = take_words(s, s->location_count, 0);
    s->location_link = take_words(s, s->location_count, CHK_NONE);
    s->doubtful_link = take_words(s, s->location_count, CHK_NONE);
    s->group_mark = take_words(s, s->location_count, 0);
    if (s->nodes == NULL || s->schedule == NULL || s->walked == NULL || s->current == NULL ||
        s->ready == NULL || s->trains_left == NULL || s->location_link == NULL ||
        s->doubtful_link == NULL || s->group_mark == NULL)
        return base_out_of_memory(s->problem);
    return COL_OK;
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

/* ---- Trains. */

static bool begins_train(const chk_solver *s, uint32_t operation) {
    return chk_op_writes(s, operation) && chk_word_replaced(s, operation) == CHK_NONE;
}

/* Number the trains by location, that of the initial word first. */
static col_status number_trains(chk_solver *s) {
    for (uint32_t o = 0; o < s->operation_count; o++)
        if (begins_train(s, o))
            s->train_start[s->operations[o].location + 1]++;
    for (uint32_t l = 0; l < s->location_count; l++)
        s->train_start[l + 1] += s->train_start[l] + 1;
    s->train_count = s->train_start[s->location_count];
    s->trains = take(s, s->train_count, sizeof *s->trains);
    uint32_t *next = malloc(((size_t)s->location_count + 1) * sizeof *next);
    if (s->trains == NULL || next == NULL) {
        free(next);
        return base_out_of_memory(s->problem);
    }
    for (uint32_t l = 0; l < s->location_count; l++) {
        next[l] = s->train_start[l];
        s->trains[next[l]++].first = s->operation_count + l;
    }
    for (uint32_t o = 0; o < s->operation_count; o++)
        if (begins_train(s, o))
            s->trains[next[s->operations[o].location]++].first = o;
    free(next);
    return COL_OK;
}

static void couple(chk_solver *s, uint32_t number) {
    chk_train *train = &s->trains[number];
    uint32_t rank = 0;
    const uint32_t initial = train->first >= s->operation_count;
    for (uint32_t word = train->first; word != CHK_NONE; word = s->follower[word]) {
        s->train_of[word] = number;
        s->rank[word] = rank++;
        train->last = word;
        train->left += s->unread[word] + 1;
    }
    train->left -= initial;
    train->is_unread = !initial && train->left == 1;
    train->location =
        initial ? train->first - s->operation_count : s->operations[train->first].location;
    train->edge = train->variable = train->earlier = train->deferred_for = CHK_NONE;
}

static void couple_trains(chk_solver *s) {
    for (uint32_t t = 0; t < s->train_count; t++)
        couple(s, t);
    for (uint32_t o = 0; o < s->operation_count; o++)
        if (chk_op_writes(s, o) && s->train_of[o] == CHK_NONE)
            set_fault(s, CHK_CIRCLE, o, o);
}

/* ---- The order of trains. */

col_status chk_solver_add_edge(chk_solver *s, uint32_t before, uint32_t after, uint32_t reason) {
    chk_train *train = &s->trains[after];
    if (train->edge != CHK_NONE && s->edges[train->edge].before == before)
        return COL_OK;
    if (s->edge_count == s->edge_capacity &&
        base_reserve(&s->edges, &s->edge_capacity, s->edge_count + 1, sizeof *s->edges,
                     s->problem) != COL_OK)
        return COL_FAILURE;
    s->edges[s->edge_count] = (chk_train_edge){before, train->edge, reason};
    train->edge = (uint32_t)s->edge_count++;
    return COL_OK;
}

/* A thread sees the words of a location in the order of their writes. */
static col_status order_by_threads(chk_solver *s) {
    for (uint32_t o = 0; o < s->operation_count; o++) {
        const uint32_t previous = s->order.previous_here[o];
        if (previous == CHK_NONE)
            continue;
        const uint32_t before = word_of(s, previous), after = word_of(s, o);
        const uint32_t train = s->train_of[after];
        if (before == after)
            continue;
        if (s->train_of[before] == train ? s->rank[before] > s->rank[after]
                                         : s->trains[train].first >= s->operation_count) {
            set_fault(s, CHK_AGAINST_TRAIN, previous, o);
            return COL_OK;
        }
        if (s->train_of[before] != train &&
            chk_solver_add_edge(s, s->train_of[before], train, o) != COL_OK)
            return COL_FAILURE;
    }
    return COL_OK;
}

static void mark_last_writes(chk_solver *s) {
    for (uint32_t l = 0; l < s->location_count && s->trace->final != NULL; l++) {
        uint32_t word = s->trace->final[l];
        if (word == COL_NOT_SAID)
            continue;
        if (word == COL_INITIAL)
            word = s->operation_count + l;
        const uint32_t train = s->train_of[word];
        s->trains[train].is_final = true;
        if (s->follower[word] != CHK_NONE)
            set_fault(s, CHK_FOLLOWED_FINAL, s->follower[word], l);
        else if (train == s->train_start[l] && s->train_start[l + 1] - train > 1)
            set_fault(s, CHK_FOLLOWED_FINAL, s->trains[train + 1].first, l);
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
        s->current[l] = s->train_start[l];
        s->trains_left[l] = s->train_start[l + 1] - s->train_start[l] - 1;
    }
    s->first_location = s->last_location = s->first_doubtful = s->last_doubtful = CHK_NONE;
    s->retreats = 1;
}

col_status chk_solver_build(chk_solver *s, const col_trace *trace, const chk_model *model,
                            chk_times times) {
    s->trace = trace;
    s->operations = trace->program.operations;
    s->operation_count = col_program_operations(&trace->program);
    s->location_count = trace->program.location_count;
    if (set_unfinished_aside(s) != COL_OK)
        return COL_FAILURE;
    if (check_input(s) != COL_OK)
        return COL_BAD_INPUT;
    const col_status status = chk_order_build(&s->order, &trace->program, model, times, s->problem);
    if (status != COL_OK)
        return status;
    unlink_unfinished(s);
    if (take_word_arrays(s) != COL_OK || take_schedule_arrays(s) != COL_OK)
        return COL_FAILURE;
    find_strange_values(s);
    if (s->fault.kind != CHK_NO_FAULT)
        return COL_OK;
    find_readers(s);
    find_followers(s);
    if (s->fault.kind != CHK_NO_FAULT)
        return COL_OK;
    if (number_trains(s) != COL_OK)
        return COL_FAILURE;
    couple_trains(s);
    if (s->fault.kind != CHK_NO_FAULT)
        return COL_OK;
    mark_last_writes(s);
    if (order_by_threads(s) != COL_OK)
        return COL_FAILURE;
    start_schedule(s);
    return COL_OK;
}

void chk_solver_free(chk_solver *s) {
    chk_order_free(&s->order);
    free(s->finished);
    base_arena_free(&s->arena);
    free(s->edges);
    free(s->deferred);
    free(s->stack);
    free(s->waits);
    free(s->group);
    free(s->found);
    free(s->later);
    free(s->links);
    free(s->literals);
    free(s->variables);
    free(s->clauses);
    free(s->clause_start);
    free(s->asked);
}

size_t chk_solver_bytes(const chk_solver *s) {
    return chk_order_bytes(&s->order) + s->arena_bytes + s->edge_capacity * sizeof *s->edges +
           s->deferred_capacity * sizeof *s->deferred + s->stack_capacity * sizeof *s->stack +
           s->wait_capacity * sizeof *s->waits + s->group_capacity * sizeof *s->group +
           s->found_capacity * sizeof *s->found + s->later_capacity * sizeof *s->later +
           s->link_capacity * sizeof *s->links + s->literal_capacity * sizeof *s->literals +
           s->variable_capacity * sizeof *s->variables + s->clause_capacity * sizeof *s->clauses +
           s->clause_start_capacity * sizeof *s->clause_start +
           s->asked_capacity * sizeof *s->asked;
}
