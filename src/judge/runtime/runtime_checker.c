/* SPDX-License-Identifier: MIT */
/*
 * The checker that watches a design run. Nodes stand in a row that agrees with every edge known so
 * far: a topological order, kept up to date. Designs perform operations nearly in an order that
 * explains them, so a node is mostly appended behind all that it must follow, and no edge points
 * backward. When one does, what comes before its start is moved to before its end; a cycle shows
 * when the end is among them. src/judge/runtime/README.md explains.
 *
 * What is not in the row has not performed, and nothing in the row must follow it: a node enters
 * after all that is known to come before it.
 *
 * Invariants, after each event that is no violation (runtime_row.c looks):
 *  1. All that is known to come before a node of the row is in the row, and stands before it. So
 *     the row itself shows that what has been seen so far is allowed.
 *  2. Labels grow along the row, and a node has one if and only if it is there: two labels tell the
 *     order of two nodes.
 *  3. No node is on its way into the row: `state` is as it was at the start, and need not be
 *     cleared for the next instance.
 *  4. A search has a number that no mark has: else it would pass over a node that it has not met,
 *     and miss a cycle.
 *  5. `left` accesses have not performed; `waiting` counts reads without a source and writes
 *     without a word that they replaced, of those that have. Only when both are 0 has all been
 *     judged.
 *  6. `replaced` and `next` are each other's inverse, and a read is in its source's list:
 *     chk_each_before tells every edge.
 */
#include "judge/runtime/runtime_checker.h"

#include "judge/violation.h"
#include "program/program.h"
#include "program/reshape.h"

#include <stdlib.h>
#include <string.h>

/* ---- What reads and writes add. */

static uint32_t write_node(const col_checker *c, uint32_t write) {
    return chk_write_node(&c->order, write);
}

/* A thread saw the words of two writes, by `first` and then by `second`. */
static void see(col_checker *c, uint32_t first, uint32_t second, uint32_t earlier, uint32_t later) {
    if (earlier == later || c->violated || chk_is_initial(&c->execution, earlier))
        return;
    if (chk_is_initial(&c->execution, later))
        chk_report_initial(c, first, second);
    else
        chk_row_insert(c, write_node(c, earlier), write_node(c, later));
}

static void see_next(col_checker *c, uint32_t operation, uint32_t write) {
    const uint32_t after = chk_after_here(&c->execution, operation);
    if (after == CHK_NONE ||
        (chk_writes(&c->execution, after) && !chk_is_placed(c, write_node(c, after))))
        return;
    /* An atomic saw another write's word before it left its own. */
    const uint32_t source = c->execution.seen[after].source;
    see(c, operation, after, write,
        source != CHK_NONE ? source : chk_word_of(&c->execution, after));
}

/* More is known of what these depend on: the nodes that depend on a read, and own reads of what
 * they write. */
static void update_dependents(col_checker *c, uint32_t read) {
    const chk_seen *seen = c->execution.seen;
    for (uint32_t node = c->order.first_dependent[read]; node != CHK_NONE && !c->violated;
         node = c->order.next_dependent[node]) {
        if (chk_is_placed(c, node))
            chk_row_update(c, node);
        if (chk_is_gate(&c->order, node))
            continue;
        for (uint32_t r = seen[chk_owner(&c->order, node)].first_reader; r != CHK_NONE;
             r = seen[r].next_reader)
            if (chk_is_placed(c, r))
                chk_row_update(c, r);
    }
}

static bool is_add(const col_checker *c, uint32_t operation) {
    return c->program->operations[operation].kind == COL_ADD;
}

/* What depends on a read of an own add's word depends on the add, too; and if the read is an add
 * itself, what depends on own reads of its word, and so on. */
static void pass_dependencies(col_checker *c, uint32_t read, uint32_t source) {
    const chk_seen *seen = c->execution.seen;
    if (!c->order.model->depends_through_adds || !chk_is_own(&c->execution, source, read) ||
        !is_add(c, source))
        return;
    for (uint32_t next = CHK_NONE; read != CHK_NONE && !c->violated; read = next) {
        update_dependents(c, read);
        next = CHK_NONE;
        for (uint32_t r = is_add(c, read) ? seen[read].first_reader : CHK_NONE; r != CHK_NONE;
             r = seen[r].next_reader) {
            if (!chk_is_own(&c->execution, read, r))
                continue;
            if (is_add(c, r))
                next = r; /* no other atomic can have replaced the word */
            else
                update_dependents(c, r);
        }
    }
}

/* What nearly always happens needs no search: an operation performs after all that the model keeps
 * before it, and the writes that it meets are placed. That it is not placed itself says that no
 * edge is known from it to what is. */
static bool is_in_turn(const col_checker *c, uint32_t operation) {
    const chk_order *order = &c->order;
    const chk_edges edges = order->edges[operation];
    for (uint32_t i = edges.start; i < edges.start + edges.count; i++)
        if (!chk_is_placed(c, chk_edge_node(order->before[i])) ||
            (order->model->depends_through_adds &&
             chk_edge_relation(order->before[i]) == COL_DEPENDENT))
            return false;
    return !chk_is_placed(c, operation);
}

static bool is_write_placed(const col_checker *c, uint32_t write) {
    return chk_is_initial(&c->execution, write) || chk_is_placed(c, write_node(c, write));
}

/* Do the writes stand in the row in this order already? */
static bool are_in_order(const col_checker *c, uint32_t earlier, uint32_t later) {
    if (earlier == later || chk_is_initial(&c->execution, earlier))
        return true;
    return !chk_is_initial(&c->execution, later) && chk_is_placed(c, write_node(c, earlier)) &&
           chk_label(&c->row, write_node(c, earlier)) < chk_label(&c->row, write_node(c, later));
}

/* Is what the thread saw at this location just before and after known, and in order? */
static bool sees_in_order(const col_checker *c, uint32_t read, uint32_t source) {
    const uint32_t before = c->order.previous_here[read], after = c->order.next_here[read];
    const uint32_t word = before == CHK_NONE ? source : chk_word_of(&c->execution, before);
    return word != CHK_NONE && are_in_order(c, word, source) &&
           (after > c->execution.furthest[c->order.thread[read]] ||
            chk_word_of(&c->execution, after) == source);
}

/* A load of a word that is still there, or that its own thread is about to write. */
static bool append_read(col_checker *c, uint32_t read, uint32_t source) {
    const bool is_own = chk_is_own(&c->execution, source, read);
    if (c->execution.seen[source].next != CHK_NONE || !is_in_turn(c, read) ||
        !(is_own ? source < read && !c->order.model->dependencies : is_write_placed(c, source)) ||
        !sees_in_order(c, read, source))
        return false;
    chk_row_append(c, read);
    return true;
}

static bool append_write(col_checker *c, uint32_t write, uint32_t replaced) {
    const uint32_t before = c->order.previous_here[write];
    const uint32_t last = before == CHK_NONE ? replaced : chk_word_of(&c->execution, before);
    if (!is_in_turn(c, write) || !is_write_placed(c, replaced) || last == CHK_NONE ||
        !is_write_placed(c, last))
        return false;
    chk_row_append(c, write);
    return true;
}

static void connect_read(col_checker *c, uint32_t read, uint32_t source) {
    chk_seen *seen = c->execution.seen;
    const bool is_load = !chk_writes(&c->execution, read);
    const bool is_done = is_load && append_read(c, read, source);
    seen[read].source = source;
    seen[read].next_reader = seen[source].first_reader;
    seen[source].first_reader = read;
    if (is_done)
        return;
    if (chk_is_own(&c->execution, source, read) && source >= read) {
        chk_report_future(c, read, source);
        return;
    }
    chk_row_update(c, read);
    const uint32_t next = seen[source].next;
    if (next != CHK_NONE && next != read)
        chk_row_insert(c, read, write_node(c, next));
    const uint32_t before = chk_before_here(&c->execution, read);
    if (before != CHK_NONE)
        see(c, before, read, chk_word_of(&c->execution, before), source);
    if (is_load)
        see_next(c, read, source);
    pass_dependencies(c, read, source);
}

static void connect_write(col_checker *c, uint32_t write, uint32_t replaced) {
    chk_seen *seen = c->execution.seen;
    if (seen[replaced].next != CHK_NONE) {
        chk_report_fork(c, replaced, seen[replaced].next, write);
        return;
    }
    const bool is_done = !chk_reads(&c->execution, write) && append_write(c, write, replaced);
    seen[write].replaced = replaced;
    seen[replaced].next = write;
    if (is_done)
        return;
    chk_row_update(c, write_node(c, write));
    see_next(c, write, write);
}

/* ---- Events. */

/* Who left the word: CHK_NONE if that is not known yet, and then the operation waits. */
static uint32_t find_write(col_checker *c, uint32_t operation, uint64_t word, chk_sum **sum) {
    const uint32_t location = c->program->operations[operation].location;
    const uint32_t write = chk_words_find(&c->words, location, word, sum);
    if (write == CHK_NOBODY)
        chk_report_word(c, operation, word);
    return write;
}

static void perform_read(col_checker *c, uint32_t read, uint64_t word) {
    chk_sum *sum = NULL;
    const uint32_t source = find_write(c, read, word, &sum);
    if (source == CHK_NOBODY)
        return;
    if (source == CHK_NONE) {
        c->execution.seen[read].next_reader = sum->first_reader;
        sum->first_reader = read;
        c->waiting++;
    } else {
        connect_read(c, read, source);
    }
}

static void perform_write(col_checker *c, uint32_t write, uint64_t overwritten) {
    chk_sum *sum = NULL;
    const uint32_t replaced = find_write(c, write, overwritten, &sum);
    if (replaced == CHK_NOBODY)
        return;
    if (replaced != CHK_NONE) {
        connect_write(c, write, replaced);
    } else if (sum->replaced_by != CHK_NONE) {
        chk_report_fork(c, CHK_NONE, sum->replaced_by, write);
    } else {
        sum->replaced_by = write;
        c->waiting++;
    }
}

/* The add that left a word has performed: go on with those that wait for it. */
static void resolve(col_checker *c, uint32_t add, uint64_t word) {
    chk_sum *sum = chk_words_sum(&c->words, c->program->operations[add].location, word);
    if (sum == NULL || sum->write != CHK_NONE) {
        chk_report_word(c, add, word);
        return;
    }
    sum->write = add;
    for (uint32_t read = sum->first_reader; read != CHK_NONE && !c->violated;) {
        const uint32_t next = c->execution.seen[read].next_reader;
        c->waiting--;
        connect_read(c, read, add);
        read = next;
    }
    if (sum->replaced_by != CHK_NONE && !c->violated) {
        c->waiting--;
        connect_write(c, sum->replaced_by, add);
    }
}

static void notice_load(col_checker *c, const col_event *event) {
    const col_operation *operation = &c->program->operations[event->operation];
    const col_kind_traits *traits = &col_kinds[operation->kind];
    if (!traits->reads || traits->writes)
        chk_report_event(c, event->operation, "is not a load, but performed one");
    else if (operation->kind == COL_AWAIT && event->word != operation->value)
        chk_report_event(c, event->operation, "ended with another value than it waits for");
    else
        perform_read(c, event->operation, event->word);
}

static void notice_store(col_checker *c, const col_event *event) {
    const uint32_t write = event->operation;
    const col_operation *operation = &c->program->operations[write];
    const col_kind_traits *traits = &col_kinds[operation->kind];
    const uint64_t operand = col_program_operand(c->program, operation);
    if (!traits->writes) {
        chk_report_event(c, write, "is not a store, but performed one");
    } else if (event->word !=
               (operation->kind == COL_ADD ? event->overwritten + operand : operand)) {
        chk_report_event(c, write, "left another value than it should have");
    } else if (traits->reads && event->read != event->overwritten) {
        chk_report_event(c, write, "was not atomic: it replaced another value than it returned");
    } else {
        if (traits->reads)
            perform_read(c, write, event->overwritten);
        if (!c->violated)
            perform_write(c, write, event->overwritten);
        c->words.latest[operation->location] = (chk_latest){event->word, write};
        if (!c->violated && operation->kind == COL_ADD)
            resolve(c, write, event->word);
    }
}

/* Threads walk through the arrays of a program each at its own place: in one that caches do not
 * hold, these are more streams than a processor foresees. So what an operation of the thread needs
 * is fetched as many operations before as a core has under way. */
static void note_performed(col_checker *c, uint32_t operation) {
    enum { CACHED = 1 << 13 };
    const chk_order *order = &c->order;
    c->performed[operation] = true;
    c->left--;
    if (order->operation_count < CACHED || order->operation_count - operation <= CHK_AHEAD)
        return;
    const uint32_t next = operation + CHK_AHEAD;
    BASE_PREFETCH(&c->program->operations[next]);
    BASE_PREFETCH(&order->edges[next]);
    BASE_PREFETCH(&order->before[order->edges[operation].start + CHK_AHEAD]);
    BASE_PREFETCH(&order->thread[next]);
    BASE_PREFETCH(&order->access[next]);
    BASE_PREFETCH(&order->previous_here[next]);
    BASE_PREFETCH(&order->next_here[next]);
    BASE_PREFETCH(&c->execution.seen[next]);
    BASE_PREFETCH(&c->row.places[next]);
    BASE_PREFETCH(&c->performed[next]);
}

static bool judge_event(col_checker *c, const col_event *event) {
    if (c->violated || (event->kind != COL_LOAD_PERFORMED && event->kind != COL_STORE_PERFORMED))
        return !c->violated;
    if (event->operation >= c->order.operation_count) {
        chk_report_event(c, CHK_NONE, "an event names an operation that the program does not have");
        return false;
    }
    if (c->performed[event->operation]) {
        chk_report_event(c, event->operation, "performed twice");
        return false;
    }
    note_performed(c, event->operation);
    if (event->kind == COL_LOAD_PERFORMED)
        notice_load(c, event);
    else
        notice_store(c, event);
    base_costly_invariant(chk_invariants_hold(c));
    return !c->violated;
}

bool col_checker_notice(col_checker *c, const col_event *event) {
    if (c->original == NULL)
        return judge_event(c, event);
    /* There is room for each operation: one that performs once more is the last that matters. */
    if ((event->kind == COL_LOAD_PERFORMED || event->kind == COL_STORE_PERFORMED) &&
        c->held_count < c->held_capacity)
        c->held[c->held_count++] = *event;
    return true;
}

static void notice(void *context, const col_event *event) {
    (void)col_checker_notice(context, event);
}

col_observer col_checker_observer(col_checker *checker) {
    return (col_observer){checker, notice, 1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED};
}

static void judge_held(col_checker *c);

bool col_checker_finish(col_checker *c, bool complete) {
    if (c->original != NULL)
        judge_held(c);
    if (c->violated || !complete || (c->left == 0 && c->waiting == 0))
        return !c->violated;
    for (uint32_t i = 0; i < c->order.operation_count && !c->violated; i++) {
        const chk_seen *seen = &c->execution.seen[i];
        if (!chk_is_access(c, i))
            continue;
        if (!c->performed[i])
            chk_report_event(c, i, "never performed");
        else if ((chk_reads(&c->execution, i) && seen->source == CHK_NONE) ||
                 (chk_writes(&c->execution, i) && seen->replaced == CHK_NONE))
            chk_report_waiting(c, i);
    }
    return !c->violated;
}

/* ---- Programs and instances. */

col_status col_checker_new(col_checker **checker, col_model model, col_problem *problem) {
    if ((uint32_t)model >= COL_MODEL_COUNT)
        return base_refuse(problem, "there is no memory model number %d", (int)model);
    col_checker *c = calloc(1, sizeof *c);
    if (c == NULL)
        return base_out_of_memory(problem);
    c->model = model;
    *checker = c;
    return COL_OK;
}

void col_checker_free(col_checker *checker) {
    if (checker == NULL)
        return;
    chk_order_free(&checker->order);
    free(checker->execution.block.memory);
    free(checker->words.block.memory);
    free(checker->row.places);
    col_violation_free(&checker->violation);
    col_program_free(&checker->resolved);
    free(checker->held);
    free(checker->block.memory);
    free(checker);
}

static col_status make_arrays(col_checker *c, col_problem *problem) {
    const size_t nodes = (size_t)c->order.node_count + 1;
    const base_part parts[] = {BASE_PART(c->performed, (size_t)c->order.operation_count + 1),
                               BASE_PART(c->state, nodes),
                               BASE_PART(c->mark, nodes),
                               BASE_PART(c->found, nodes),
                               {0}};
    return base_block_divide(&c->block, parts, problem);
}

static void begin(col_checker *c) {
    const size_t nodes = c->order.node_count, operations = c->order.operation_count;
    memset(c->performed, 0, operations * sizeof *c->performed);
    if (c->mark_now > UINT32_MAX / 2) {
        memset(c->mark, 0, nodes * sizeof *c->mark);
        c->mark_now = 0;
    }
    if (c->violated) /* else all have been left as they were */
        memset(c->state, 0, nodes * sizeof *c->state);
    c->turned = 0;
    c->left = c->access_count;
    c->waiting = 0;
    c->violated = false;
    chk_violation_clear(&c->violation);
}

static col_status load(col_checker *c, const col_program *program, col_problem *problem) {
    c->program = program;
    col_status status =
        chk_order_build(&c->order, program, chk_model_of(c->model), (chk_times){0}, problem);
    if (status == COL_OK)
        status = chk_words_load(&c->words, program, problem);
    if (status == COL_OK)
        status = make_arrays(c, problem);
    if (status == COL_OK)
        status = chk_sequence_reset(&c->row, c->order.node_count, problem);
    if (status == COL_OK)
        status = chk_execution_reset(&c->execution, &c->order, problem);
    if (status != COL_OK)
        return status;
    memset(c->mark, 0, c->order.node_count * sizeof *c->mark);
    memset(c->state, 0, c->order.node_count * sizeof *c->state);
    c->mark_now = 0;
    c->access_count = 0;
    for (uint32_t i = 0; i < c->order.operation_count; i++)
        c->access_count += chk_is_access(c, i);
    begin(c);
    return COL_OK;
}

/* Until they have performed, conditionals are taken to have stored. */
static col_status load_conditional(col_checker *c, col_problem *problem) {
    const size_t events = (size_t)col_program_operations(c->original) + 1;
    col_status status = base_reserve(&c->held, &c->held_capacity, events, sizeof *c->held, problem);
    if (status == COL_OK)
        status = prg_copy(c->original, &c->resolved, problem);
    c->held_count = 0;
    return status == COL_OK ? load(c, &c->resolved, problem) : status;
}

col_status col_checker_load(col_checker *c, const col_program *program, col_problem *problem) {
    c->original = prg_has_conditionals(program) ? program : NULL;
    c->ran_out = false;
    return c->original == NULL ? load(c, program, problem) : load_conditional(c, problem);
}

/* What the conditionals did is known: the events of the program that they have become. */
static void judge_held(col_checker *c) {
    col_problem problem;
    const uint32_t count = col_program_operations(c->original);
    for (uint32_t o = 0; o < count; o++)
        c->resolved.operations[o] = c->original->operations[o];
    for (uint32_t i = 0; i < c->held_count; i++) {
        const uint32_t operation = c->held[i].operation;
        if (operation >= count || c->performed[operation])
            continue;
        c->performed[operation] = true; /* until it is loaded: the first event counts */
        prg_resolve_conditional(&c->resolved.operations[operation],
                                c->held[i].kind == COL_LOAD_PERFORMED);
    }
    c->ran_out = load(c, &c->resolved, &problem) != COL_OK;
    if (c->ran_out) {
        c->violated = c->violation.is_cut = true;
        return;
    }
    for (uint32_t i = 0; i < c->held_count && !c->violated; i++)
        (void)judge_event(c, &c->held[i]);
}

void col_checker_restart(col_checker *c) {
    c->held_count = 0;
    /* These take memory for a larger program only. */
    (void)chk_sequence_reset(&c->row, c->order.node_count, NULL);
    (void)chk_execution_reset(&c->execution, &c->order, NULL);
    chk_words_reset(&c->words);
    begin(c);
}

const col_violation *col_checker_violation(const col_checker *checker) {
    return checker->violated ? &checker->violation : NULL;
}

size_t col_checker_bytes(const col_checker *c) {
    return sizeof *c + chk_order_bytes(&c->order) + c->words.block.capacity +
           c->held_capacity * sizeof *c->held + c->execution.block.capacity +
           c->row.capacity * sizeof *c->row.places + c->block.capacity;
}
