/* SPDX-License-Identifier: MIT */
/*
 * All critical cycles over a list of relaxations. A search by depth extends a sequence by what can
 * follow; the first relaxation is the least of its sequence in the order of the list, which leaves
 * at least one rotation of every cycle. What is left twice falls together in its form.
 */
#include "base/memory.h"
#include "cycle/cycle.h"

#include <stdlib.h>

enum { MOST_CYCLES = 1 << 18, MOST_STEPS = 1 << 28 };

typedef struct search {
    const cyc_relaxation *relaxations;
    uint32_t count, up_to;
    cyc_cycle sequence;
    uint64_t steps;
    cyc_list *list;
    col_problem *problem;
} search;

static int compare_items(const void *a, const void *b) {
    return cyc_cycle_compare(a, b);
}

static void sort_once(cyc_list *list) {
    uint32_t kept = 0;
    if (list->count == 0)
        return;
    qsort(list->cycles, list->count, sizeof *list->cycles, compare_items);
    for (uint32_t i = 0; i < list->count; i++)
        if (kept == 0 || cyc_cycle_compare(&list->cycles[kept - 1], &list->cycles[i]) != 0)
            list->cycles[kept++] = list->cycles[i];
    list->count = kept;
}

static col_status refuse_many(const search *s) {
    return base_refuse(s->problem,
                       "too many cycles of up to %u relaxations: lower the length, or give fewer "
                       "relaxations",
                       s->up_to);
}

static bool is_closed(const search *s) {
    const cyc_cycle *q = &s->sequence;
    return q->edges[q->count - 1].writes[CYC_TARGET] == q->edges[0].writes[CYC_SOURCE];
}

static col_status keep(search *s) {
    cyc_cycle cycle = s->sequence;
    col_problem ignored;
    if (!is_closed(s) || cyc_cycle_make(&cycle, &ignored) != COL_OK ||
        !cyc_cycle_is_critical(&cycle))
        return COL_OK;
    if (s->list->count == MOST_CYCLES)
        sort_once(s->list);
    if (s->list->count == MOST_CYCLES)
        return refuse_many(s);
    const col_status status =
        base_reserve(&s->list->cycles, &s->list->capacity, (size_t)s->list->count + 1,
                     sizeof *s->list->cycles, s->problem);
    if (status == COL_OK)
        s->list->cycles[s->list->count++] = cycle;
    return status;
}

static bool can_follow(const cyc_relaxation *a, const cyc_relaxation *b) {
    const uint8_t end = a->annotations[CYC_TARGET], begin = b->annotations[CYC_SOURCE];
    const bool agree = end == CYC_NOT_SAID || begin == CYC_NOT_SAID || end == begin;
    return agree && a->writes[CYC_TARGET] == b->writes[CYC_SOURCE] &&
           (cyc_is_communication(a) || cyc_is_communication(b));
}

/* NOLINTNEXTLINE(misc-no-recursion): at most CYC_MOST deep */
static col_status extend(search *s, uint32_t first) {
    cyc_cycle *q = &s->sequence;
    col_status status = q->count < 2 ? COL_OK : keep(s);
    if (q->count == s->up_to)
        return status;
    for (uint32_t r = first; r < s->count && status == COL_OK; r++) {
        if (!can_follow(&q->edges[q->count - 1], &s->relaxations[r]))
            continue;
        if (++s->steps > MOST_STEPS)
            return refuse_many(s);
        q->edges[q->count++] = s->relaxations[r];
        status = extend(s, first);
        q->count--;
    }
    return status;
}

col_status cyc_list_make(cyc_list *list, const cyc_relaxation *relaxations, uint32_t count,
                         uint32_t up_to, col_problem *problem) {
    if (up_to < 2 || up_to > CYC_MOST)
        return base_refuse(problem, "cycles have 2 to %d relaxations", CYC_MOST);
    search s = {.relaxations = relaxations,
                .count = count,
                .up_to = up_to,
                .list = list,
                .problem = problem};
    col_status status = COL_OK;
    list->count = 0;
    for (uint32_t first = 0; first < count && status == COL_OK; first++) {
        s.sequence.edges[0] = relaxations[first];
        s.sequence.count = 1;
        status = extend(&s, first);
    }
    sort_once(list);
    return status;
}

void cyc_list_free(cyc_list *list) {
    free(list->cycles);
    *list = (cyc_list){0};
}
