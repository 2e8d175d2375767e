/* SPDX-License-Identifier: MIT */
/* Programs of another shape. See vary.h. */
#include "program/vary.h"
#include "base/problem.h"
#include "program/reduce.h"

#include <stdlib.h>
#include <string.h>

enum { ADDED = UINT32_MAX }; /* in a layout: the operation that comes in */

/* Which operation of the old program stands where in the new one. */
typedef struct layout {
    const col_program *from;
    const col_operation *added;
    uint32_t *lengths;  /* of threads */
    uint32_t *sequence; /* by new place, over all threads: the old one, or ADDED */
    uint32_t *places;   /* the other way round */
} layout;

static bool allocate(layout *l) {
    const size_t operations = (size_t)col_program_operations(l->from) + 1;
    l->lengths = calloc((size_t)l->from->thread_count + 2 * operations, sizeof *l->lengths);
    if (l->lengths == NULL)
        return false;
    l->sequence = l->lengths + l->from->thread_count;
    l->places = l->sequence + operations;
    return true;
}

/* All as it is, but for one that leaves its place (or none: ADDED) and stands elsewhere. */
static void arrange(layout *l, uint32_t moved, uint32_t thread, uint32_t place) {
    const col_program *from = l->from;
    uint32_t at = 0;
    for (uint32_t t = 0; t < from->thread_count; t++) {
        const uint32_t first = at;
        for (uint32_t o = from->thread_start[t]; o <= from->thread_start[t + 1]; o++) {
            if (t == thread && at - first == place)
                l->sequence[at++] = moved;
            if (o < from->thread_start[t + 1] && o != moved)
                l->sequence[at++] = o;
        }
        l->lengths[t] = at - first;
    }
    for (uint32_t i = 0; i < at; i++)
        if (l->sequence[i] != ADDED)
            l->places[l->sequence[i]] = i;
}

/* A dependency stays if its read is still earlier in the thread. */
static void copy_operation(const layout *l, uint32_t start, uint32_t at, col_operation *copy) {
    const uint32_t old = l->sequence[at];
    *copy = old == ADDED ? *l->added : l->from->operations[old];
    if (copy->dependency == COL_NO_DEPENDENCY)
        return;
    const uint32_t source = l->places[old - copy->distance];
    const bool stays = source >= start && source < at;
    if (!stays)
        copy->dependency = COL_NO_DEPENDENCY;
    copy->distance = stays ? at - source : 0;
}

static col_status write_layout(const layout *l, col_program *to, col_problem *problem) {
    const col_program *from = l->from;
    const col_status status =
        col_program_shape(to, from->thread_count, l->lengths, from->location_count, problem);
    if (status != COL_OK)
        return status;
    to->is_narrow = from->is_narrow;
    for (uint32_t t = 0; t < to->thread_count; t++)
        for (uint32_t o = to->thread_start[t]; o < to->thread_start[t + 1]; o++)
            copy_operation(l, to->thread_start[t], o, &to->operations[o]);
    if (from->location_count > 0)
        memcpy(to->addresses, from->addresses, from->location_count * sizeof *to->addresses);
    return prg_mend(to, problem);
}

static col_status place(layout *l, uint32_t moved, uint32_t thread, uint32_t at, col_program *to,
                        col_problem *problem) {
    if (!allocate(l))
        return base_out_of_memory(problem);
    arrange(l, moved, thread, at);
    const col_status status = write_layout(l, to, problem);
    free(l->lengths);
    return status;
}

col_status prg_move(const col_program *from, uint32_t operation, uint32_t thread, uint32_t at,
                    col_program *to, col_problem *problem) {
    layout l = {.from = from};
    return place(&l, operation, thread, at, to, problem);
}

col_status prg_insert(const col_program *from, const col_operation *added, uint32_t thread,
                      uint32_t at, col_program *to, col_problem *problem) {
    layout l = {.from = from, .added = added};
    return place(&l, ADDED, thread, at, to, problem);
}

uint32_t prg_unused_value(const col_program *program) {
    uint32_t most = 0;
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        most = program->operations[o].value > most ? program->operations[o].value : most;
    return most + 1;
}
