/* SPDX-License-Identifier: MIT */
/* Runs: what a model's tests say about a graph. See cat_run.h. */
#include "judge/cat/cat_run_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- Which formulas each test takes. */

/* Marks what the marked ones are made of, from the last to the first. */
static void spread(const cat_formulas *f, uint8_t *marks) {
    for (size_t i = f->count; i-- > 0;) {
        const cat_formula *item = &f->items[i];
        for (uint32_t k = 0; marks[i] != 0 && k < cat_part_count(f, item); k++)
            marks[cat_part(f, item, k)] = 1;
    }
}

static bool append_marked(cat_lists *lists, size_t list, size_t *capacity, const cat_formulas *f,
                          const uint8_t *marks, uint32_t inside) {
    size_t count = lists->starts[list];
    for (uint32_t i = 0; i < f->count; i++) {
        if (marks[i] == 0 || f->items[i].inside != inside)
            continue;
        if (base_reserve(&lists->items, capacity, count + 1, sizeof *lists->items, NULL) != COL_OK)
            return false;
        lists->items[count++] = i;
    }
    lists->starts[list + 1] = count;
    return true;
}

static bool make_needs(cat_run *run, uint8_t *marks) {
    const cat_model *m = run->model;
    size_t capacity = 0;
    for (size_t i = 0; i < m->check_count; i++) {
        memset(marks, 0, m->formulas.count);
        marks[m->checks[i].formula] = 1;
        spread(&m->formulas, marks);
        if (!append_marked(&run->needs, i, &capacity, &m->formulas, marks, CAT_NO_FIXED))
            return false;
    }
    return true;
}

static bool make_members(cat_run *run, uint8_t *marks) {
    const cat_formulas *f = &run->model->formulas;
    size_t capacity = 0;
    memset(marks, 0, f->count);
    for (size_t i = 0; i < f->count; i++)
        marks[i] = f->items[i].is_used;
    spread(f, marks);
    for (size_t i = 0; i < f->fixed_count; i++)
        if (!append_marked(&run->members, i, &capacity, f, marks, (uint32_t)i))
            return false;
    return true;
}

/* ---- Making and freeing. */

static bool make_arrays(cat_run *run) {
    const cat_formulas *f = &run->model->formulas;
    const size_t checks = run->model->check_count;
    const base_part parts[] = {BASE_PART(run->values, f->count + 1),
                               BASE_PART(run->is_known, f->count + 1),
                               BASE_PART(run->is_wanted, f->count + 1),
                               BASE_PART(run->is_moved, f->count + 1),
                               BASE_PART(run->users, f->count + 1),
                               BASE_PART(run->variables, f->fixed_count + 1),
                               BASE_PART(run->needs.starts, checks + 1),
                               BASE_PART(run->members.starts, f->fixed_count + 1),
                               BASE_PART(run->order, checks + 1),
                               {0}};
    if (base_block_divide(&run->block, parts, NULL) != COL_OK)
        return false;
    memset(run->block.memory, 0, run->block.capacity);
    for (size_t i = 0; i < f->fixed_count; i++) {
        run->variables[i] = calloc(f->fixed_points[i].count, sizeof *run->variables[i]);
        if (run->variables[i] == NULL)
            return false;
    }
    return true;
}

col_status cat_run_new(cat_run **made, const cat_model *model, col_problem *problem) {
    cat_run *run = calloc(1, sizeof *run);
    uint8_t *marks = malloc(model->formulas.count + 1);
    *made = NULL;
    if (run != NULL)
        run->model = model;
    if (run == NULL || marks == NULL || !make_arrays(run) || !make_needs(run, marks) ||
        !make_members(run, marks)) {
        free(marks);
        cat_run_free(run);
        return base_out_of_memory(problem);
    }
    /* Tests that need less come first. */
    const cat_model *m = run->model;
    size_t count = 0;
    for (uint32_t level = CAT_FIXED; level <= CAT_WITH_ALL; level++)
        for (uint32_t i = 0; i < m->check_count; i++)
            if (m->formulas.items[m->checks[i].formula].level == level)
                run->order[count++] = i;
    run->is_whole = true;
    free(marks);
    *made = run;
    return COL_OK;
}

void cat_run_free(cat_run *run) {
    if (run == NULL)
        return;
    if (run->is_whole)
        cat_run_forget(run);
    cat_pool_free(&run->sets);
    cat_pool_free(&run->relations);
    for (uint32_t i = 0; i < CAT_MOST_CHOICES; i++) {
        free(run->choices[i].block.memory);
    }
    for (size_t i = 0; run->variables != NULL && i < run->model->formulas.fixed_count; i++)
        free(run->variables[i]);
    free(run->needs.items);
    free(run->members.items);
    free(run->block.memory);
    free(run->nothing);
    free(run->room);
    free(run);
}

/* ---- Graphs. */

static col_status make_room(cat_run *run, col_problem *problem) {
    const size_t words = cat_matrix_words(run->size) + 1;
    col_status status = base_reserve(&run->room, &run->room_capacity,
                                     3 * (size_t)run->size.events + 3, sizeof *run->room, problem);
    if (status != COL_OK || words <= run->nothing_words)
        return status;
    free(run->nothing);
    run->nothing = calloc(words, sizeof *run->nothing);
    run->nothing_words = run->nothing != NULL ? words : 0;
    return run->nothing != NULL ? COL_OK : base_out_of_memory(problem);
}

static void fit_pool(cat_pool *pool, size_t words) {
    if (words <= pool->words)
        return;
    cat_pool_free(pool);
    pool->words = words;
}

col_status cat_run_load(cat_run *run, const cat_graph *graph, col_problem *problem) {
    run->graph = graph;
    cat_run_forget(run);
    run->size = graph->size;
    fit_pool(&run->sets, graph->size.words);
    fit_pool(&run->relations, cat_matrix_words(graph->size));
    return make_room(run, problem);
}

void cat_run_change(cat_run *run, cat_level level) {
    const cat_formulas *f = &run->model->formulas;
    for (size_t i = 0; i < f->count; i++)
        if (f->items[i].level >= level)
            run->is_known[i] = 0;
}

/* ---- Tests. */

static bool is_empty(const uint64_t *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (words[i] != 0)
            return false;
    return true;
}

static bool holds_for(const cat_run *run, const cat_check *check) {
    const uint64_t *value = run->values[check->formula];
    const bool is_set = run->model->formulas.items[check->formula].is_set;
    switch (check->test) {
    case CAT_IS_ACYCLIC:
        return cat_matrix_is_acyclic(value, run->size, run->room);
    case CAT_IS_IRREFLEXIVE:
        for (uint32_t i = 0; i < run->size.events; i++)
            if (cat_relates(value, run->size, i, i))
                return false;
        return true;
    default:
        return is_empty(value, is_set ? run->size.words : cat_matrix_words(run->size));
    }
}

col_status cat_run_judge(cat_run *run, cat_level level, cat_verdict *verdict,
                         col_problem *problem) {
    const cat_model *m = run->model;
    const bool partly = level == CAT_WITH_PART_OF_CO;
    *verdict = (cat_verdict){.is_allowed = true};
    run->keeps = false;
    if (run->size.events > CAT_LARGE)
        cat_run_begin_large(run);
    for (size_t i = 0; i < m->check_count && verdict->is_allowed; i++) {
        const uint32_t number = run->order[i];
        const cat_check *check = &m->checks[number];
        bool holds = true;
        const cat_formula *formula = &m->formulas.items[check->formula];
        if (check->purpose == CAT_FLAGS || check->purpose == CAT_REQUIRES ||
            check->purpose == CAT_CHOOSES ||
            (partly && formula->level == CAT_WITH_CO &&
             (check->is_negated || !formula->grows_with_co)))
            continue;
        if (formula->level > (partly ? CAT_WITH_CO : level))
            break;
        const col_status status = cat_run_compute(run, number, problem);
        if (status != COL_OK)
            return status;
        holds = holds_for(run, check) != check->is_negated;
        if (!holds && check->purpose == CAT_ASSERTS)
            return base_refuse_at(problem, check->place.file, check->place.line,
                                  check->place.column, "this assertion of the model fails");
        if (!holds)
            *verdict = (cat_verdict){.is_allowed = false, .check = number};
    }
    return COL_OK;
}

/*
 * Orders that a model chooses itself, as riscv-total.cat chooses its global memory order: with gmo
 * from linearisations(set, relation). All orders of the set that keep the relation are tried, in
 * the order of the events' numbers. What a later choice is made among may depend on earlier ones.
 */

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
    const uint64_t *kept = run->values[run->model->checks[check].formula];
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
    const base_part parts[] = {BASE_PART(o->relation, cat_matrix_words(run->size) + 1),
                               BASE_PART(o->members, most),
                               BASE_PART(o->order, most),
                               BASE_PART(o->is_placed, most),
                               {0}};
    return base_block_divide(&o->block, parts, problem);
}

/* The members of the set, those of one location together. */
static void list_members(cat_run *run, uint32_t choice) {
    cat_order *o = &run->choices[choice];
    const cat_choice *c = &run->model->choices[choice];
    const uint64_t *set = run->values[run->model->checks[c->set].formula];
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
static col_status choose_from(cat_run *run, uint32_t choice, bool *is_there, col_problem *problem) {
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
    return choose_from(run, 0, is_there, problem);
}

col_status cat_run_choose_next(cat_run *run, bool *is_there, col_problem *problem) {
    const uint32_t choice = advance_before(run, run->model->choice_count);
    *is_there = choice > 0;
    return *is_there ? choose_from(run, choice, is_there, problem) : COL_OK;
}
