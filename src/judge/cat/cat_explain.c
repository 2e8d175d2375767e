/* SPDX-License-Identifier: MIT */
/*
 * Why a test fails: the pairs of its formula, followed down through what the formula is made of to
 * the relations of the graph. Each pair is in the value of its formula, so there is always a way
 * down; where there are several, the first is taken.
 */
#include "judge/cat/cat_run_parts.h"

#include <stdlib.h>
#include <string.h>

typedef struct search {
    cat_run *run;
    cat_explanation *why;
    uint32_t depth;
    col_status status;
    col_problem *problem;
} search;

/* Relations that readers of memory models know by these names: not followed further. */
static bool is_well_known(const char *name) {
    static const char *const names[] = {"rfe",    "rfi", "fr",  "fre",  "fri",  "coe",  "coi",
                                        "po-loc", "rmw", "amo", "lxsx", "addr", "data", "ctrl"};
    for (size_t i = 0; name != NULL && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool has_pair(const search *s, uint32_t formula, uint32_t from, uint32_t to) {
    return s->run->values[formula] != NULL &&
           cat_relates(s->run->values[formula], s->run->size, from, to);
}

static void add_step(search *s, uint32_t from, uint32_t to, const char *name, bool is_inverse) {
    cat_explanation *why = s->why;
    if (s->status == COL_OK)
        s->status = base_reserve(&why->steps, &why->capacity, why->count + 1, sizeof *why->steps,
                                 s->problem);
    if (s->status == COL_OK)
        why->steps[why->count++] =
            (cat_step){from, to, name != NULL ? name : "(unnamed)", is_inverse};
}

static void follow(search *s, uint32_t formula, uint32_t from, uint32_t to);

/* Steps since `start`, the other way round. */
static void reverse(search *s, size_t start) {
    cat_explanation *why = s->why;
    for (size_t i = start; i < why->count; i++) {
        cat_step *step = &why->steps[i];
        *step = (cat_step){step->to, step->from, step->name, !step->is_inverse};
    }
    for (size_t i = start, j = why->count; i + 1 < j; i++) {
        const cat_step step = why->steps[i];
        why->steps[i] = why->steps[--j];
        why->steps[j] = step;
    }
}

static void follow_sequence(search *s, const cat_formula *item, uint32_t from, uint32_t to) {
    const cat_size size = s->run->size;
    const uint64_t *row = cat_row_of(s->run->values[item->first], size, from);
    for (uint32_t via = cat_next_member(row, size, 0); via < size.events;
         via = cat_next_member(row, size, via + 1)) {
        if (!has_pair(s, item->second, via, to))
            continue;
        follow(s, item->first, from, via);
        follow(s, item->second, via, to);
        return;
    }
}

static void follow_path(search *s, uint32_t formula, uint32_t from, uint32_t to) {
    const size_t events = s->run->size.events;
    uint32_t *path = malloc((3 * events + 2) * sizeof *path);
    if (path == NULL) {
        s->status = base_out_of_memory(s->problem);
        return;
    }
    const uint32_t count =
        cat_matrix_path(s->run->values[formula], s->run->size, from, to, path, path + events + 1);
    for (uint32_t i = 0; i + 1 < count && s->status == COL_OK; i++)
        follow(s, formula, path[i], path[i + 1]);
    free(path);
}

/* Of an intersection the more telling side: not one that says where events are. */
static bool tells_little(const search *s, uint32_t formula) {
    const cat_formula *item = &s->run->model->formulas.items[formula];
    return item->kind == CAT_O_PRODUCT || item->kind == CAT_O_COMPLEMENT ||
           (item->kind == CAT_O_RELATION &&
            (item->first == CAT_LOC || item->first == CAT_INT || item->first == CAT_EXT ||
             item->first == CAT_SAME_INSTANCE));
}

static void follow_inside(search *s, uint32_t formula, uint32_t from, uint32_t to) {
    const cat_formula *item = &s->run->model->formulas.items[formula];
    const size_t start = s->why->count;
    switch (item->kind) {
    case CAT_O_UNION:
        follow(s, has_pair(s, item->first, from, to) ? item->first : item->second, from, to);
        break;
    case CAT_O_INTERSECTION:
        follow(s, tells_little(s, item->first) ? item->second : item->first, from, to);
        break;
    case CAT_O_DIFFERENCE:
    case CAT_O_TO:
        follow(s, item->first, from, to);
        break;
    case CAT_O_FROM:
        follow(s, item->second, from, to);
        break;
    case CAT_O_SEQUENCE:
        follow_sequence(s, item, from, to);
        break;
    case CAT_O_CLOSURE:
        follow_path(s, item->first, from, to);
        break;
    case CAT_O_OPTIONAL:
        if (has_pair(s, item->first, from, to))
            follow(s, item->first, from, to);
        break;
    case CAT_O_INVERSE:
        follow(s, item->first, to, from);
        reverse(s, start);
        break;
    case CAT_O_IDENTITY:
        break;
    default:
        add_step(s, from, to, item->name, false);
    }
}

static void follow(search *s, uint32_t formula, uint32_t from, uint32_t to) {
    const cat_formula *item = &s->run->model->formulas.items[formula];
    if (s->status != COL_OK)
        return;
    if (is_well_known(item->name) || s->depth == CAT_MOST_DEPTH ||
        s->run->values[formula] == NULL) {
        add_step(s, from, to, item->name, false);
        return;
    }
    s->depth++;
    follow_inside(s, formula, from, to);
    s->depth--;
}

/* ---- Where the fault is. */

/* A shortest cycle through the first event that is in one. */
static void explain_cycle(search *s, uint32_t formula) {
    const cat_size size = s->run->size;
    uint32_t *path = malloc((3 * (size_t)size.events + 2) * sizeof *path);
    uint32_t best = UINT32_MAX, best_length = UINT32_MAX;
    if (path == NULL) {
        s->status = base_out_of_memory(s->problem);
        return;
    }
    for (uint32_t i = 0; i < size.events; i++) {
        const uint32_t length =
            cat_matrix_path(s->run->values[formula], size, i, i, path, path + size.events + 1);
        if (length != 0 && length < best_length) {
            best = i;
            best_length = length;
        }
        if (best != UINT32_MAX && size.events > CAT_LARGE)
            break;
    }
    free(path);
    if (best != UINT32_MAX)
        follow_path(s, formula, best, best);
    s->why->is_cycle = true;
}

static void explain_pair(search *s, uint32_t formula, bool is_same) {
    const cat_size size = s->run->size;
    const uint64_t *value = s->run->values[formula];
    for (uint32_t i = 0; i < size.events; i++) {
        const uint64_t *row = cat_row_of(value, size, i);
        const uint32_t to = is_same ? i : cat_next_member(row, size, 0);
        if (to == size.events || !cat_has(row, to))
            continue;
        follow(s, formula, i, to);
        s->why->is_cycle = i == to;
        return;
    }
}

col_status cat_run_explain(cat_run *run, uint32_t number, cat_explanation *why,
                           col_problem *problem) {
    const cat_check *check = &run->model->checks[number];
    search s = {.run = run, .why = why, .status = COL_OK, .problem = problem};
    why->count = 0;
    why->is_cycle = false;
    if (check->is_negated || run->model->formulas.items[check->formula].is_set)
        return COL_OK;
    run->keeps = true;
    if (run->size.events > CAT_LARGE)
        cat_run_forget(run);
    s.status = cat_run_compute(run, number, problem);
    if (s.status != COL_OK)
        return s.status;
    if (check->test == CAT_IS_ACYCLIC)
        explain_cycle(&s, check->formula);
    else
        explain_pair(&s, check->formula, check->test == CAT_IS_IRREFLEXIVE);
    return s.status;
}

void cat_explanation_free(cat_explanation *why) {
    free(why->steps);
    *why = (cat_explanation){0};
}
