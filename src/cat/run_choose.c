/* SPDX-License-Identifier: MIT */
/*
 * Orders that a model chooses itself, as riscv-total.cat chooses its global memory order: with gmo
 * from linearisations(set, relation). All orders of the set that keep the relation are tried, in
 * the order of the events' numbers. What a later choice is made among may depend on earlier ones.
 */
#include "base/memory.h"
#include "cat/run_parts.h"

#include <stdlib.h>
#include <string.h>

void cat_order_free(cat_order *order) {
    free(order->relation);
    free(order->members);
    free(order->order);
    free(order->is_placed);
    *order = (cat_order){0};
}

/* ---- One order. */

static bool is_of_one(const cat_run *run, uint32_t choice, uint32_t a, uint32_t b) {
    const cat_event *events = run->graph->events;
    const uint32_t *members = run->choices[choice].members;
    return !run->model->choices[choice].by_location ||
           events[members[a]].location == events[members[b]].location;
}

/* May the member come next: have all that come before it been placed? */
static bool is_free(const cat_run *run, uint32_t choice, uint32_t member) {
    const cat_order *o = &run->choices[choice];
    const uint32_t check = run->model->choices[choice].relation;
    const uint64_t *kept = cat_value_of(run, run->model->checks[check].formula);
    if (o->is_placed[member])
        return false;
    for (uint32_t i = 0; i < o->count; i++)
        if (!o->is_placed[i] && is_of_one(run, choice, i, member) &&
            cat_relates(kept, run->size, o->members[i], o->members[member]))
            return false;
    return true;
}

/* Puts a member from `least` on there: those of a location have its places. */
static bool put(cat_run *run, uint32_t choice, uint32_t place, uint32_t least) {
    cat_order *o = &run->choices[choice];
    for (uint32_t i = least; i < o->count; i++) {
        if (!is_of_one(run, choice, i, place) || !is_free(run, choice, i))
            continue;
        o->order[place] = i;
        o->is_placed[i] = true;
        return true;
    }
    return false;
}

static bool fill(cat_run *run, uint32_t choice, uint32_t place) {
    for (; place < run->choices[choice].count; place++)
        if (!put(run, choice, place, 0))
            return false;
    return true;
}

static bool advance(cat_run *run, uint32_t choice) {
    cat_order *o = &run->choices[choice];
    for (uint32_t place = o->count; place-- > 0;) {
        o->is_placed[o->order[place]] = false;
        if (put(run, choice, place, o->order[place] + 1))
            return fill(run, choice, place + 1);
    }
    return false;
}

/* What depends on the order has to be computed again. */
static void relate(cat_run *run, uint32_t choice) {
    cat_order *o = &run->choices[choice];
    memset(o->relation, 0, cat_matrix_words(run->size) * sizeof *o->relation);
    for (uint32_t i = 0; i < o->count; i++)
        for (uint32_t k = i + 1; k < o->count; k++)
            if (is_of_one(run, choice, i, k))
                cat_relate(o->relation, run->size, o->members[o->order[i]],
                           o->members[o->order[k]]);
    cat_run_change(run, (cat_level)(CAT_WITH_CHOICE + choice));
}

/* ---- What is ordered. */

static col_status reserve(cat_run *run, cat_order *o, col_problem *problem) {
    const size_t most = (size_t)run->size.events + 1;
    col_status status = base_reserve(&o->relation, &o->relation_capacity,
                                     cat_matrix_words(run->size) + 1, sizeof *o->relation, problem);
    if (status == COL_OK)
        status = base_reserve(&o->members, &o->member_capacity, most, sizeof *o->members, problem);
    if (status == COL_OK)
        status = base_reserve(&o->order, &o->order_capacity, most, sizeof *o->order, problem);
    return status == COL_OK ? base_reserve(&o->is_placed, &o->placed_capacity, most,
                                           sizeof *o->is_placed, problem)
                            : status;
}

/* The members of the set, those of one location together. */
static void list_members(cat_run *run, uint32_t choice) {
    cat_order *o = &run->choices[choice];
    const cat_choice *c = &run->model->choices[choice];
    const uint64_t *set = cat_value_of(run, run->model->checks[c->set].formula);
    o->count = 0;
    for (uint32_t e = cat_next_member(set, run->size, 0); e < run->size.events;
         e = cat_next_member(set, run->size, e + 1)) {
        uint32_t place = o->count++;
        for (; c->by_location && place > 0 &&
               run->graph->events[o->members[place - 1]].location > run->graph->events[e].location;
             place--)
            o->members[place] = o->members[place - 1];
        o->members[place] = e;
    }
    memset(o->is_placed, 0, o->count * sizeof *o->is_placed);
}

static col_status begin(cat_run *run, uint32_t choice, bool *is_there, col_problem *problem) {
    const cat_choice *c = &run->model->choices[choice];
    col_status status = reserve(run, &run->choices[choice], problem);
    cat_run_change(run, (cat_level)(CAT_WITH_CHOICE + choice));
    if (status == COL_OK)
        status = cat_run_compute(run, c->set, problem);
    if (status == COL_OK)
        status = cat_run_compute(run, c->relation, problem);
    if (status != COL_OK)
        return status;
    list_members(run, choice);
    *is_there = fill(run, choice, 0);
    if (*is_there)
        relate(run, choice);
    return COL_OK;
}

/* ---- All choices. */

/* The last choice before `end` that has another order gets it. Returns the one after it, or 0. */
static uint32_t advance_before(cat_run *run, uint32_t end) {
    while (end > 0 && !advance(run, end - 1))
        end--;
    if (end > 0)
        relate(run, end - 1);
    return end;
}

/* Those from `choice` on begin; where one has no order, earlier ones go on. */
static col_status settle(cat_run *run, uint32_t choice, bool *is_there, col_problem *problem) {
    *is_there = true;
    while (choice < run->model->choice_count) {
        bool has_order = false;
        const col_status status = begin(run, choice, &has_order, problem);
        if (status != COL_OK)
            return status;
        choice = has_order ? choice + 1 : advance_before(run, choice);
        *is_there = has_order || choice > 0;
        if (!*is_there)
            return COL_OK;
    }
    return COL_OK;
}

col_status cat_run_choose_first(cat_run *run, bool *is_there, col_problem *problem) {
    return settle(run, 0, is_there, problem);
}

col_status cat_run_choose_next(cat_run *run, bool *is_there, col_problem *problem) {
    const uint32_t choice = advance_before(run, run->model->choice_count);
    *is_there = choice > 0;
    return *is_there ? settle(run, choice, is_there, problem) : COL_OK;
}
