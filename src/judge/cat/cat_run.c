/* SPDX-License-Identifier: MIT */
/* Runs: what a model's tests say about a graph. See run.h. */
#include "cat/run.h"
#include "base/memory.h"
#include "cat/run_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- Which formulas each test takes. */

/* Marks what the marked ones are made of, from the last to the first. */
static void spread(const cat_formulas *f, uint8_t *marks) {
    for (size_t i = f->count; i-- > 0;) {
        const cat_formula *item = &f->items[i];
        uint32_t operands[2];
        const uint32_t count = marks[i] != 0 ? cat_operands(item, operands) : 0;
        for (uint32_t k = 0; k < count; k++)
            marks[operands[k]] = 1;
        if (marks[i] != 0 && item->operator== CAT_O_FIXED)
            for (uint32_t k = 0; k < f->fixed_points[item->first].count; k++)
                marks[f->fixed_points[item->first].values[k]] = 1;
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

/* Tests that need less come first. */
static void make_order(cat_run *run) {
    const cat_model *m = run->model;
    size_t count = 0;
    for (uint32_t level = CAT_FIXED; level <= CAT_WITH_ALL; level++)
        for (uint32_t i = 0; i < m->check_count; i++)
            if (m->formulas.items[m->checks[i].formula].level == level)
                run->order[count++] = i;
}

/* ---- Making and freeing. */

static bool make_arrays(cat_run *run) {
    const cat_formulas *f = &run->model->formulas;
    const size_t checks = run->model->check_count;
    run->values = calloc(f->count + 1, sizeof *run->values);
    run->is_known = calloc(f->count + 1, sizeof *run->is_known);
    run->is_wanted = calloc(f->count + 1, sizeof *run->is_wanted);
    run->is_moved = calloc(f->count + 1, sizeof *run->is_moved);
    run->users = calloc(f->count + 1, sizeof *run->users);
    run->variables = calloc(f->fixed_count + 1, sizeof *run->variables);
    run->needs.starts = calloc(checks + 1, sizeof *run->needs.starts);
    run->members.starts = calloc(f->fixed_count + 1, sizeof *run->members.starts);
    run->order = calloc(checks + 1, sizeof *run->order);
    if (run->values == NULL || run->is_known == NULL || run->is_wanted == NULL ||
        run->is_moved == NULL || run->users == NULL || run->variables == NULL ||
        run->needs.starts == NULL || run->members.starts == NULL || run->order == NULL)
        return false;
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
    make_order(run);
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
    for (uint32_t i = 0; i < CAT_MOST_CHOICES; i++)
        cat_order_free(&run->choices[i]);
    for (size_t i = 0; run->variables != NULL && i < run->model->formulas.fixed_count; i++)
        free(run->variables[i]);
    free(run->variables);
    free(run->values);
    free(run->is_known);
    free(run->is_wanted);
    free(run->is_moved);
    free(run->users);
    free(run->needs.items);
    free(run->needs.starts);
    free(run->members.items);
    free(run->members.starts);
    free(run->order);
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

static bool is_irreflexive(const uint64_t *relation, cat_size size) {
    for (uint32_t i = 0; i < size.events; i++)
        if (cat_relates(relation, size, i, i))
            return false;
    return true;
}

static bool is_empty(const uint64_t *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (words[i] != 0)
            return false;
    return true;
}

static bool holds_for(const cat_run *run, const cat_check *check) {
    const uint64_t *value = cat_value_of(run, check->formula);
    const bool is_set = run->model->formulas.items[check->formula].is_set;
    switch (check->test) {
    case CAT_IS_ACYCLIC:
        return cat_matrix_is_acyclic(value, run->size, run->room);
    case CAT_IS_IRREFLEXIVE:
        return is_irreflexive(value, run->size);
    default:
        return is_empty(value, is_set ? run->size.words : cat_matrix_words(run->size));
    }
}

col_status cat_run_test(cat_run *run, uint32_t check, bool *holds, col_problem *problem) {
    const col_status status = cat_run_compute(run, check, problem);
    if (status == COL_OK)
        *holds = holds_for(run, &run->model->checks[check]) != run->model->checks[check].is_negated;
    return status;
}

static bool is_large(const cat_run *run) {
    return run->size.events > CAT_LARGE;
}

static col_status judge(cat_run *run, cat_level level, bool partly, cat_verdict *verdict,
                        col_problem *problem) {
    const cat_model *m = run->model;
    *verdict = (cat_verdict){.is_allowed = true};
    run->keeps = false;
    if (is_large(run))
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
        if (formula->level > level)
            break;
        const col_status status = cat_run_test(run, number, &holds, problem);
        if (status != COL_OK)
            return status;
        if (!holds && check->purpose == CAT_ASSERTS)
            return base_refuse_at(problem, check->place.file, check->place.line,
                                  check->place.column, "this assertion of the model fails");
        if (!holds)
            *verdict = (cat_verdict){.is_allowed = false, .check = number};
    }
    return COL_OK;
}

col_status cat_run_judge(cat_run *run, cat_level level, cat_verdict *verdict,
                         col_problem *problem) {
    return judge(run, level, false, verdict, problem);
}

col_status cat_run_judge_partly(cat_run *run, cat_verdict *verdict, col_problem *problem) {
    return judge(run, CAT_WITH_CO, true, verdict, problem);
}
