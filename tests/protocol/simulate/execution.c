/* SPDX-License-Identifier: MIT */
/* Long executions judged by axioms: see execution.h. */
#include "execution.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>
#include <string.h>

static void *zeroed(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

void execution_start(execution *e, const col_program *program) {
    const uint32_t count = col_program_operations(program);
    *e = (execution){.program = program,
                     .read = zeroed(count, sizeof *e->read),
                     .replaced = zeroed(count, sizeof *e->replaced),
                     .thread = zeroed(count, sizeof *e->thread),
                     .writer = zeroed((size_t)count + 1, sizeof *e->writer),
                     .next_write = zeroed(count, sizeof *e->next_write),
                     .first_write = zeroed(program->location_count, sizeof *e->first_write),
                     .color = zeroed(count, sizeof *e->color)};
    for (uint32_t t = 0; t < program->thread_count; t++)
        for (uint32_t i = program->thread_start[t]; i < program->thread_start[t + 1]; i++) {
            const col_operation *o = &program->operations[i];
            e->thread[i] = t;
            if (!col_kinds[o->kind].writes)
                continue;
            assert_true(o->kind != COL_ADD && o->value <= count);
            e->writer[o->value] = i;
        }
}

void execution_free(execution *e) {
    free(e->read);
    free(e->replaced);
    free(e->thread);
    free(e->writer);
    free(e->next_write);
    free(e->first_write);
    free(e->color);
}

static void take_down(void *context, const col_event *event) {
    execution *e = context;
    const bool is_load = event->kind == COL_LOAD_PERFORMED;
    e->read[event->operation] = is_load ? event->word : event->read;
    if (!is_load)
        e->replaced[event->operation] = event->overwritten;
}

col_observer execution_observer(execution *e) {
    return (col_observer){.context = e,
                          .notice = take_down,
                          .kinds = 1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED};
}

static const col_operation *at(const execution *e, uint32_t i) {
    return &e->program->operations[i];
}

static bool reads(const execution *e, uint32_t i) {
    return col_kinds[at(e, i)->kind].reads;
}

static bool writes(const execution *e, uint32_t i) {
    return col_kinds[at(e, i)->kind].writes;
}

/* Each write replaces another one, or the initial word, and no word twice. */
static bool order_writes(execution *e) {
    const uint32_t count = col_program_operations(e->program);
    for (uint32_t i = 0; i < count; i++)
        e->next_write[i] = NO_OPERATION;
    for (uint32_t l = 0; l < e->program->location_count; l++)
        e->first_write[l] = NO_OPERATION;
    for (uint32_t i = 0; i < count; i++) {
        if (!writes(e, i))
            continue;
        uint32_t *place = e->replaced[i] == 0 ? &e->first_write[at(e, i)->location]
                                              : &e->next_write[e->writer[e->replaced[i]]];
        if (*place != NO_OPERATION || (reads(e, i) && e->read[i] != e->replaced[i]))
            return false;
        *place = i;
    }
    return true;
}

/* The write that a read is too early for. */
static uint32_t overtaken_by(const execution *e, uint32_t read) {
    const uint64_t word = e->read[read];
    return word == 0 ? e->first_write[at(e, read)->location] : e->next_write[e->writer[word]];
}

static bool reads_from(const execution *e, uint32_t read, uint32_t write) {
    return reads(e, read) && e->read[read] != 0 && e->writer[e->read[read]] == write;
}

/* ---- What program order orders: i is before j in one thread. */

static bool is_fenced(const execution *e, uint32_t i, uint32_t j) {
    const uint32_t pairs = (reads(e, i) && reads(e, j) ? COL_READ_READ : 0) |
                           (reads(e, i) && writes(e, j) ? COL_READ_WRITE : 0) |
                           (writes(e, i) && reads(e, j) ? COL_WRITE_READ : 0) |
                           (writes(e, i) && writes(e, j) ? COL_WRITE_WRITE : 0);
    for (uint32_t f = i + 1; f < j; f++)
        if ((at(e, f)->fence & pairs) != 0)
            return true;
    return false;
}

static bool depends(const execution *e, uint32_t j, uint32_t i, uint32_t dependency) {
    return at(e, j)->dependency == dependency && j - at(e, j)->distance == i;
}

/* A branch or an address between i and j that hangs on i. */
static bool is_guarded(const execution *e, uint32_t i, uint32_t j) {
    if (at(e, i)->kind == COL_AWAIT)
        return true;
    for (uint32_t m = i + 1; m <= j; m++)
        if (depends(e, m, i, COL_CONTROL) || depends(e, m, i, COL_ADDRESS))
            return true;
    return false;
}

static bool is_ordered_weakly(const execution *e, uint32_t i, uint32_t j) {
    const col_operation *a = at(e, i), *b = at(e, j);
    if ((a->order & COL_ACQUIRE) != 0 || (b->order & COL_RELEASE) != 0 ||
        ((a->order & COL_RELEASE) != 0 && (b->order & COL_ACQUIRE) != 0))
        return true;
    if (writes(e, j) && (a->location == b->location || (reads(e, i) && is_guarded(e, i, j))))
        return true;
    if (depends(e, j, i, COL_ADDRESS) || depends(e, j, i, COL_DATA))
        return true;
    for (uint32_t m = i + 1; m < j; m++) /* through a store that j reads from */
        if (reads_from(e, j, m) && !reads(e, m) &&
            (depends(e, m, i, COL_ADDRESS) || depends(e, m, i, COL_DATA)))
            return true;
    return (reads(e, i) && writes(e, i) && reads_from(e, j, i)) || is_fenced(e, i, j);
}

static bool is_ordered(const execution *e, sim_mode mode, uint32_t i, uint32_t j) {
    if (mode == SIM_SC)
        return true;
    if (mode == SIM_TSO)
        return reads(e, i) || writes(e, j) || is_fenced(e, i, j);
    return is_ordered_weakly(e, i, j);
}

/* ---- Cycles. */

typedef bool successor(const execution *e, sim_mode mode, uint32_t from, uint32_t to);

/* Order between threads, and what of program order the mode keeps. */
static bool globally_before(const execution *e, sim_mode mode, uint32_t from, uint32_t to) {
    if (e->thread[from] == e->thread[to] && from < to && is_ordered(e, mode, from, to))
        return true;
    if (e->thread[from] != e->thread[to] && reads_from(e, to, from))
        return true;
    return (writes(e, from) && e->next_write[from] == to) ||
           (reads(e, from) && overtaken_by(e, from) == to);
}

/* Order at one location. */
static bool locally_before(const execution *e, sim_mode mode, uint32_t from, uint32_t to) {
    if (at(e, from)->location != at(e, to)->location)
        return false;
    return (e->thread[from] == e->thread[to] && from < to) || reads_from(e, to, from) ||
           (writes(e, from) && e->next_write[from] == to) ||
           (reads(e, from) && overtaken_by(e, from) == to);
}

static bool is_access(const execution *e, uint32_t i) {
    return reads(e, i) || writes(e, i);
}

/* Depth first with a list of where it is: 1 on the way, 2 done. */
static bool has_cycle(execution *e, sim_mode mode, successor *is_before) {
    const uint32_t count = col_program_operations(e->program);
    uint32_t *path = zeroed(count, sizeof *path), *position = zeroed(count, sizeof *position);
    bool found = false;
    memset(e->color, 0, count);
    for (uint32_t start = 0; start < count && !found; start++) {
        uint32_t depth = 0;
        if (e->color[start] != 0 || !is_access(e, start))
            continue;
        path[depth++] = start;
        position[start] = 0;
        e->color[start] = 1;
        while (depth > 0 && !found) {
            const uint32_t from = path[depth - 1];
            uint32_t to = position[from];
            while (to < count && (to == from || e->color[to] == 2 || !is_access(e, to) ||
                                  !is_before(e, mode, from, to)))
                to++;
            position[from] = to + 1;
            if (to == count) {
                e->color[from] = 2;
                depth--;
            } else if (e->color[to] == 1) {
                found = true;
            } else {
                e->color[to] = 1;
                position[to] = 0;
                path[depth++] = to;
            }
        }
    }
    free(path);
    free(position);
    return found;
}

bool execution_is_allowed(execution *e, sim_mode mode) {
    return order_writes(e) && !has_cycle(e, mode, locally_before) &&
           !has_cycle(e, mode, globally_before);
}
