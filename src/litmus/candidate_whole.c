/* SPDX-License-Identifier: MIT */
/*
 * Accesses of several parts. To herd7 an access is not torn at will: of two writes that a read
 * takes parts from, and that overlap there, the one with fewer bytes came later, and the read takes
 * all of it. The last writes to a cell are found in the same way.
 */
#include "litmus/candidate.h"

static bool covers(const lit_access *write, uint32_t part) {
    return part >= write->first && part < write->first + write->count;
}

static bool is_one_access(const lit_access *a, const lit_access *b) {
    return a->thread == b->thread && a->instance == b->instance && a->first == b->first &&
           a->count == b->count;
}

/* The first write was found at one part, the second one at another. */
static bool fit(const lit_access *first, uint32_t first_part, const lit_access *second,
                uint32_t second_part) {
    if (is_one_access(first, second))
        return true;
    return (!covers(first, second_part) || second->count < first->count) &&
           (!covers(second, first_part) || first->count < second->count);
}

bool lit_candidate_is_whole(const lit_candidate *c, uint32_t read) {
    const lit_access *r = &c->accesses[read];
    for (uint32_t i = read; i-- > 0 && r->count > 1;) {
        const lit_access *other = &c->accesses[i];
        if (!other->reads || !is_one_access(other, r))
            break;
        if (!fit(&c->accesses[other->source], other->cell, &c->accesses[r->source], r->cell))
            return false;
    }
    return true;
}

/* The last write to a part; the initial one, if there is no other; or NULL. */
static const lit_access *last_write(const lit_candidate *c, uint32_t part) {
    const uint32_t start = c->cell_start[part], end = c->cell_start[part + 1];
    if (start < end)
        return &c->accesses[c->writes[start + c->order[end - 1]]];
    for (uint32_t i = 0; i < c->access_count && c->accesses[i].thread == CAT_NO_THREAD; i++)
        if (c->accesses[i].cell == part)
            return &c->accesses[i];
    return NULL;
}

static bool ends_whole(const lit_candidate *c, const lit_cell *cell) {
    const uint32_t end = cell->first_part + cell->bytes / c->test->granule;
    for (uint32_t i = cell->first_part; i < end; i++)
        for (uint32_t k = i + 1; k < end; k++) {
            const lit_access *a = last_write(c, i), *b = last_write(c, k);
            if (a != NULL && b != NULL && !fit(a, i, b, k))
                return false;
        }
    return true;
}

bool lit_candidate_ends_whole(const lit_candidate *c) {
    for (uint32_t i = 0; c->test->granule > 0 && i < c->test->item_count; i++)
        if (!c->test->items[i].is_register &&
            !ends_whole(c, &c->test->cells[c->test->items[i].cell]))
            return false;
    return true;
}
