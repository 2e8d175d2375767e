/* SPDX-License-Identifier: MIT */
/*
 * Orders of the writes to each cell. Where a model keeps locations coherent, what threads see of a
 * cell says of many pairs of writes which one comes first; the rest is tried, in the order of the
 * writes' numbers.
 */
#include "base/memory.h"
#include "litmus/candidate.h"

#include <string.h>

enum { MOST_WRITES = 64 }; /* to a cell */

/* ---- What is known. */

static uint64_t *before_of(lit_candidate *c, uint32_t access) {
    uint32_t place = c->cell_start[c->accesses[access].cell];
    while (c->writes[place] != access)
        place++;
    return &c->before[place];
}

static uint64_t bit_of(const lit_candidate *c, uint32_t access) {
    const uint32_t start = c->cell_start[c->accesses[access].cell];
    uint32_t place = start;
    while (c->writes[place] != access)
        place++;
    return UINT64_C(1) << (place - start);
}

/* The first write comes before the second one; false: it cannot. Initial writes are first. */
static bool put_before(lit_candidate *c, uint32_t first, uint32_t second) {
    if (first == second || c->accesses[first].thread == CAT_NO_THREAD)
        return true;
    if (c->accesses[second].thread == CAT_NO_THREAD)
        return false;
    *before_of(c, second) |= bit_of(c, first);
    return true;
}

/* Each thread sees a cell's writes in their order: those that it makes and those that it reads. */
static bool follow_threads(lit_candidate *c) {
    for (uint32_t i = 0; i < c->access_count; i++) {
        const lit_access *a = &c->accesses[i];
        if (a->thread == CAT_NO_THREAD)
            continue;
        if (a->reads && a->writes && !put_before(c, a->source, i))
            return false;
        for (uint32_t k = i + 1; k < c->access_count && c->accesses[k].thread == a->thread; k++) {
            const lit_access *b = &c->accesses[k];
            if (b->cell == a->cell && b->instance != a->instance &&
                !put_before(c, a->writes ? i : a->source, b->reads ? b->source : k))
                return false;
        }
    }
    return true;
}

/* ---- Trying. */

static uint64_t placed_before(const lit_candidate *c, uint32_t start, uint32_t place) {
    uint64_t placed = 0;
    for (uint32_t i = start; i < place; i++)
        placed |= UINT64_C(1) << c->order[i];
    return placed;
}

/* The write with the smallest number from `least` on that may stand at the place. */
static bool put_next(lit_candidate *c, uint32_t cell, uint32_t place, uint32_t least) {
    const uint32_t start = c->cell_start[cell], count = c->cell_start[cell + 1] - start;
    const uint64_t placed = placed_before(c, start, place);
    for (uint32_t i = least; i < count; i++) {
        if ((placed >> i & 1) != 0 || (c->before[start + i] & ~placed) != 0)
            continue;
        c->order[place] = i;
        return true;
    }
    return false;
}

static bool fill(lit_candidate *c, uint32_t cell, uint32_t place) {
    for (; place < c->cell_start[cell + 1]; place++)
        if (!put_next(c, cell, place, 0))
            return false;
    return true;
}

/* Any order with this write at the end. */
static bool end_with(lit_candidate *c, uint32_t cell, uint32_t last) {
    const uint32_t start = c->cell_start[cell], end = c->cell_start[cell + 1] - 1;
    for (uint32_t place = start; place < end; place++) {
        if (!put_next(c, cell, place, 0))
            return false;
        if (c->order[place] == last && !put_next(c, cell, place, last + 1))
            return false;
    }
    c->order[end] = last;
    return true;
}

/* The same for a write with a number from `least` on. */
static bool end_with_next(lit_candidate *c, uint32_t cell, uint32_t least) {
    const uint32_t count = c->cell_start[cell + 1] - c->cell_start[cell];
    for (uint32_t last = least; last < count; last++)
        if (end_with(c, cell, last))
            return true;
    return false;
}

static bool first_of_cell(lit_candidate *c, uint32_t cell) {
    const uint32_t start = c->cell_start[cell];
    return c->needs_order || start == c->cell_start[cell + 1] ? fill(c, cell, start)
                                                              : end_with_next(c, cell, 0);
}

static bool next_of_cell(lit_candidate *c, uint32_t cell) {
    const uint32_t start = c->cell_start[cell], end = c->cell_start[cell + 1];
    if (!c->needs_order)
        return start < end && end_with_next(c, cell, c->order[end - 1] + 1);
    for (uint32_t place = end; place-- > start;)
        if (put_next(c, cell, place, c->order[place] + 1))
            return fill(c, cell, place + 1);
    return false;
}

bool lit_candidate_next_order(lit_candidate *c) {
    for (uint32_t cell = 0; cell < c->test->part_count; cell++) {
        if (next_of_cell(c, cell))
            return true;
        (void)first_of_cell(c, cell);
    }
    return false;
}

/* ---- The whole. */

col_status lit_candidate_list_writes(lit_candidate *c, col_problem *problem) {
    const size_t most = (size_t)c->access_count + 1;
    col_status status =
        base_reserve(&c->writes, &c->write_capacity, most, sizeof *c->writes, problem);
    if (status == COL_OK)
        status = base_reserve(&c->order, &c->order_capacity, most, sizeof *c->order, problem);
    if (status == COL_OK)
        status = base_reserve(&c->before, &c->before_capacity, most, sizeof *c->before, problem);
    if (status != COL_OK)
        return status;
    uint32_t count = 0;
    for (uint32_t cell = 0; cell < c->test->part_count; cell++) {
        c->cell_start[cell] = count;
        for (uint32_t i = 0; i < c->access_count; i++)
            if (c->accesses[i].writes && c->accesses[i].cell == cell &&
                c->accesses[i].thread != CAT_NO_THREAD)
                c->writes[count++] = i;
        if (count - c->cell_start[cell] > MOST_WRITES)
            return base_refuse(problem, "%s: more than %d writes to a location are too many",
                               c->test->file, MOST_WRITES);
    }
    c->cell_start[c->test->part_count] = count;
    return COL_OK;
}

bool lit_candidate_first_order(lit_candidate *c) {
    memset(c->before, 0, c->cell_start[c->test->part_count] * sizeof *c->before);
    if (c->is_coherent && !follow_threads(c))
        return false;
    for (uint32_t cell = 0; cell < c->test->part_count; cell++)
        if (!first_of_cell(c, cell))
            return false;
    return true;
}

col_status lit_candidate_relate_order(lit_candidate *c, col_problem *problem) {
    const cat_size size = c->graph.size;
    cat_graph_clear(&c->graph, CAT_CO);
    uint64_t *co = cat_graph_relation(&c->graph, CAT_CO, problem);
    if (co == NULL)
        return COL_FAILURE;
    for (uint32_t cell = 0; cell < c->test->part_count; cell++) {
        const uint32_t start = c->cell_start[cell], end = c->cell_start[cell + 1];
        for (uint32_t i = start; i < end; i++)
            for (uint32_t k = i + 1; k < end; k++)
                cat_relate(co, size, c->accesses[c->writes[start + c->order[i]]].event,
                           c->accesses[c->writes[start + c->order[k]]].event);
    }
    for (uint32_t i = 0; i < c->access_count && c->accesses[i].thread == CAT_NO_THREAD; i++) {
        const uint32_t cell = c->accesses[i].cell;
        for (uint32_t k = c->cell_start[cell]; k < c->cell_start[cell + 1]; k++)
            cat_relate(co, size, c->accesses[i].event, c->accesses[c->writes[k]].event);
    }
    return c->needs_finals ? cat_graph_find_finals(&c->graph, problem) : COL_OK;
}

static uint64_t final_part(const lit_candidate *c, uint32_t cell) {
    const uint32_t start = c->cell_start[cell], end = c->cell_start[cell + 1];
    if (start == end)
        return c->test->parts[cell].initial;
    const lit_access *last = &c->accesses[c->writes[start + c->order[end - 1]]];
    return c->values[last->thread][c->paths[last->thread]->events[last->inside].value];
}

static uint64_t final_value(const lit_candidate *c, const lit_cell *cell) {
    const uint32_t granule = c->test->granule;
    uint64_t value = 0;
    if (granule == 0)
        return final_part(c, cell->first_part);
    for (uint32_t i = 0; i < cell->bytes / granule; i++)
        value |= final_part(c, cell->first_part + i) << (8 * granule * i);
    return value;
}

void lit_candidate_state(const lit_candidate *c, uint64_t *values) {
    for (uint32_t i = 0; i < c->test->item_count; i++) {
        const lit_item *item = &c->test->items[i];
        values[i] =
            item->is_register
                ? c->values[item->thread][c->paths[item->thread]->registers[item->register_]]
                : final_value(c, &c->test->cells[item->cell]);
    }
}
