/* SPDX-License-Identifier: MIT */
/* The values of formulas in a graph: computed once, operands first, from lists that are made with
 * the run. */
#include "judge/cat/cat_run_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- Memory. */

void cat_pool_free(cat_pool *pool) {
    for (size_t i = 0; i < pool->count; i++)
        free(pool->spare[i]);
    free(pool->spare);
    *pool = (cat_pool){0};
}

static uint64_t *take_block(cat_pool *pool, col_problem *problem) {
    if (pool->count > 0)
        return pool->spare[--pool->count];
    uint64_t *block = malloc((pool->words + 1) * sizeof *block);
    if (block == NULL)
        (void)base_out_of_memory(problem);
    return block;
}

static void give_block(cat_pool *pool, uint64_t *block) {
    if (block == NULL)
        return;
    if (base_reserve(&pool->spare, &pool->capacity, pool->count + 1, sizeof *pool->spare, NULL) ==
        COL_OK)
        pool->spare[pool->count++] = block;
    else
        free(block);
}

static const cat_formula *formula_of(const cat_run *run, uint32_t formula) {
    return &run->model->formulas.items[formula];
}

static cat_pool *pool_of(cat_run *run, uint32_t formula) {
    return formula_of(run, formula)->is_set ? &run->sets : &run->relations;
}

/* An operator at work. `n` is how many words an operand has that is a set or a relation alike. */
typedef struct work {
    cat_run *run;
    const cat_formula *formula;
    uint64_t *result;
    const uint64_t *first, *second;
    cat_size size;
    size_t n;
} work;

typedef void compute_function(const work *w);
static compute_function *const functions[CAT_O_COMPLEMENT + 1];

/* Values that are not the run's: of names, and of variables, which belong to their fixed point. */
static bool is_borrowed(const cat_run *run, uint32_t formula) {
    return functions[formula_of(run, formula)->kind] == NULL;
}

static void forget(cat_run *run, uint32_t formula) {
    if (!is_borrowed(run, formula))
        give_block(pool_of(run, formula), run->values[formula]);
    run->values[formula] = NULL;
    run->is_known[formula] = 0;
}

void cat_run_forget(cat_run *run) {
    const cat_formulas *f = &run->model->formulas;
    for (uint32_t i = 0; i < f->count; i++)
        forget(run, i);
    for (size_t i = 0; i < f->fixed_count; i++) {
        for (uint32_t k = 0; k < f->fixed_points[i].count; k++) {
            give_block(&run->relations, run->variables[i][k]);
            run->variables[i][k] = NULL;
        }
    }
}

/* ---- Dropping. */

void cat_run_begin_large(cat_run *run) {
    const cat_formulas *f = &run->model->formulas;
    cat_run_forget(run);
    memset(run->users, 0, f->count * sizeof *run->users);
    for (uint32_t i = 0; i < f->count; i++) {
        const cat_formula *item = &f->items[i];
        for (uint32_t k = 0; item->is_used && k < cat_operand_count(item); k++)
            run->users[cat_operand(item, k)]++;
    }
    for (size_t i = 0; i < run->model->check_count; i++)
        run->users[run->model->checks[i].formula]++;
    for (size_t i = 0; i < f->fixed_count; i++) /* these stay */
        for (uint32_t k = 0; k < f->fixed_points[i].count; k++)
            run->users[f->fixed_points[i].values[k]]++;
}

static bool drops(const cat_run *run) {
    return run->size.events > CAT_LARGE && !run->keeps;
}

static void drop_operands(cat_run *run, uint32_t formula) {
    const cat_formula *item = formula_of(run, formula);
    for (uint32_t k = 0; k < cat_operand_count(item); k++) {
        const uint32_t operand = cat_operand(item, k);
        if (--run->users[operand] == 0 && formula_of(run, operand)->inside == CAT_NO_FIXED &&
            !is_borrowed(run, operand))
            forget(run, operand);
    }
}

/* ---- Operators. */

/* Bits behind the last event stay 0. */
static void keep_inside(const work *w) {
    const uint32_t rest = w->size.events % 64;
    if (rest == 0)
        return;
    for (size_t i = w->size.words - 1; i < w->n; i += w->size.words)
        w->result[i] &= UINT64_MAX >> (64 - rest);
}

static void fill_all(const work *w) {
    memset(w->result, 0xFF, w->n * sizeof *w->result);
    keep_inside(w);
}

static void compute_domain(const work *w) {
    memset(w->result, 0, w->n * sizeof *w->result);
    for (uint32_t i = 0; i < w->size.events; i++)
        if (cat_next_member(cat_row_of(w->first, w->size, i), w->size, 0) < w->size.events)
            cat_put(w->result, i);
}

static void compute_range(const work *w) {
    memset(w->result, 0, w->n * sizeof *w->result);
    for (uint32_t i = 0; i < w->size.events; i++)
        for (uint32_t k = 0; k < w->size.words; k++)
            w->result[k] |= cat_row_of(w->first, w->size, i)[k];
}

static void compute_identity(const work *w) {
    memset(w->result, 0, w->n * sizeof *w->result);
    for (uint32_t i = cat_next_member(w->first, w->size, 0); i < w->size.events;
         i = cat_next_member(w->first, w->size, i + 1))
        cat_relate(w->result, w->size, i, i);
}

/* [set]; relation, or the product of two sets. */
static void compute_from(const work *w) {
    const bool is_product = w->formula->kind == CAT_O_PRODUCT;
    for (uint32_t i = 0; i < w->size.events; i++) {
        uint64_t *row = cat_row(w->result, w->size, i);
        if (cat_has(w->first, i))
            memcpy(row, is_product ? w->second : cat_row_of(w->second, w->size, i),
                   w->size.words * sizeof *row);
        else
            memset(row, 0, w->size.words * sizeof *row);
    }
}

static void compute_to(const work *w) {
    for (uint32_t i = 0; i < w->size.events; i++)
        for (uint32_t k = 0; k < w->size.words; k++)
            cat_row(w->result, w->size, i)[k] = cat_row_of(w->first, w->size, i)[k] & w->second[k];
}

static void compute_sequence(const work *w) {
    cat_matrix_sequence(w->result, w->first, w->second, w->size, w->run->room);
}

static void compute_closure(const work *w) {
    cat_matrix_closure(w->result, w->first, w->size);
}

static void compute_optional(const work *w) {
    memcpy(w->result, w->first, w->n * sizeof *w->result);
    for (uint32_t i = 0; i < w->size.events; i++)
        cat_relate(w->result, w->size, i, i);
}

static void compute_inverse(const work *w) {
    cat_matrix_inverse(w->result, w->first, w->size);
}

static void compute_union(const work *w) {
    for (size_t i = 0; i < w->n; i++)
        w->result[i] = w->first[i] | w->second[i];
}

static void compute_intersection(const work *w) {
    for (size_t i = 0; i < w->n; i++)
        w->result[i] = w->first[i] & w->second[i];
}

static void compute_difference(const work *w) {
    for (size_t i = 0; i < w->n; i++)
        w->result[i] = w->first[i] & ~w->second[i];
}

static void compute_complement(const work *w) {
    for (size_t i = 0; i < w->n; i++)
        w->result[i] = ~w->first[i];
    keep_inside(w);
}

static void fill_nothing(const work *w) {
    memset(w->result, 0, w->n * sizeof *w->result);
}

static compute_function *const functions[] = {
    [CAT_O_EMPTY_SET] = fill_nothing,
    [CAT_O_ALL] = fill_all,
    [CAT_O_DOMAIN] = compute_domain,
    [CAT_O_RANGE] = compute_range,
    [CAT_O_EMPTY] = fill_nothing,
    [CAT_O_IDENTITY] = compute_identity,
    [CAT_O_PRODUCT] = compute_from,
    [CAT_O_FROM] = compute_from,
    [CAT_O_TO] = compute_to,
    [CAT_O_SEQUENCE] = compute_sequence,
    [CAT_O_CLOSURE] = compute_closure,
    [CAT_O_OPTIONAL] = compute_optional,
    [CAT_O_INVERSE] = compute_inverse,
    [CAT_O_UNION] = compute_union,
    [CAT_O_INTERSECTION] = compute_intersection,
    [CAT_O_DIFFERENCE] = compute_difference,
    [CAT_O_COMPLEMENT] = compute_complement,
};

/* ---- One formula. */

static col_status compute_plain(cat_run *run, uint32_t formula, col_problem *problem) {
    const cat_formula *item = formula_of(run, formula);
    const uint32_t count = cat_operand_count(item);
    if (run->values[formula] == NULL)
        run->values[formula] = take_block(pool_of(run, formula), problem);
    if (run->values[formula] == NULL)
        return COL_FAILURE;
    const work w = {.run = run,
                    .formula = item,
                    .result = run->values[formula],
                    .first = count > 0 ? run->values[item->first] : NULL,
                    .second = count > 1 ? run->values[item->second] : NULL,
                    .size = run->size,
                    .n = item->is_set ? run->size.words : cat_matrix_words(run->size)};
    functions[item->kind](&w);
    return COL_OK;
}

static void borrow(cat_run *run, uint32_t formula) {
    const cat_formula *item = formula_of(run, formula);
    uint64_t *own = item->kind == CAT_O_SET ? run->graph->sets[item->first]
                                            : run->graph->relations[item->first];
    run->values[formula] = own != NULL ? own : run->nothing;
}

/* ---- Fixed points. */

static col_status start_fixed_point(cat_run *run, uint32_t fixed, col_problem *problem) {
    const cat_fixed_point *point = &run->model->formulas.fixed_points[fixed];
    for (uint32_t k = 0; k < point->count; k++) {
        uint64_t **variable = &run->variables[fixed][k];
        if (*variable == NULL)
            *variable = take_block(&run->relations, problem);
        if (*variable == NULL)
            return COL_FAILURE;
        memset(*variable, 0, cat_matrix_words(run->size) * sizeof **variable);
    }
    return COL_OK;
}

/* Has anything that it is made of changed in the last round? */
static bool is_to_move(const cat_run *run, uint32_t member) {
    const cat_formula *item = formula_of(run, member);
    for (uint32_t k = 0; k < cat_operand_count(item); k++)
        if (run->is_moved[cat_operand(item, k)] != 0)
            return true;
    return false;
}

/* In the first round, all; later on those that follow from what has changed. */
static col_status compute_members(cat_run *run, uint32_t fixed, bool is_first,
                                  col_problem *problem) {
    const size_t end = run->members.starts[fixed + 1];
    for (size_t i = run->members.starts[fixed]; i < end; i++) {
        const uint32_t member = run->members.items[i];
        const cat_formula *item = formula_of(run, member);
        if (item->kind == CAT_O_VARIABLE) {
            run->values[member] = run->variables[fixed][item->second];
            continue;
        }
        run->is_moved[member] = is_first || is_to_move(run, member);
        const col_status status =
            run->is_moved[member] != 0 ? compute_plain(run, member, problem) : COL_OK;
        if (status != COL_OK)
            return status;
    }
    return COL_OK;
}

static const uint64_t *value_at(const cat_run *run, uint32_t fixed, uint32_t place) {
    return run->values[run->model->formulas.fixed_points[fixed].values[place]];
}

/* The variables become the values. Returns whether that changed anything. */
static bool move_on(cat_run *run, uint32_t fixed) {
    const size_t bytes = cat_matrix_words(run->size) * sizeof(uint64_t);
    bool has_moved = false;
    for (size_t i = run->members.starts[fixed]; i < run->members.starts[fixed + 1]; i++) {
        const uint32_t member = run->members.items[i];
        const cat_formula *item = formula_of(run, member);
        if (item->kind == CAT_O_VARIABLE)
            run->is_moved[member] =
                memcmp(run->values[member], value_at(run, fixed, item->second), bytes) != 0;
        has_moved = has_moved || (item->kind == CAT_O_VARIABLE && run->is_moved[member] != 0);
    }
    for (uint32_t k = 0; k < run->model->formulas.fixed_points[fixed].count; k++)
        if (value_at(run, fixed, k) != run->variables[fixed][k])
            memcpy(run->variables[fixed][k], value_at(run, fixed, k), bytes);
    return has_moved;
}

/* From below, until nothing changes. Where more never means less, each round adds a pair at least,
 * and in practice a step of each chain; what goes on for longer goes to and fro. */
static col_status compute_fixed_point(cat_run *run, uint32_t fixed, col_problem *problem) {
    const cat_fixed_point *point = &run->model->formulas.fixed_points[fixed];
    const uint64_t most = 64 + 4 * (uint64_t)point->count * (run->size.events + 2);
    col_status status = start_fixed_point(run, fixed, problem);
    for (uint64_t round = 0; status == COL_OK; round++) {
        status = compute_members(run, fixed, round == 0, problem);
        if (status != COL_OK || !move_on(run, fixed))
            break;
        if (round == most)
            status =
                base_refuse_at(problem, point->place.file, point->place.line, point->place.column,
                               "this 'let rec' has no fixed point: it still changes after "
                               "%llu rounds",
                               (unsigned long long)most);
    }
    if (status == COL_OK && drops(run)) {
        for (size_t i = run->members.starts[fixed]; i < run->members.starts[fixed + 1]; i++)
            drop_operands(run, run->members.items[i]);
        for (size_t i = run->members.starts[fixed]; i < run->members.starts[fixed + 1]; i++)
            forget(run, run->members.items[i]);
    }
    return status;
}

static bool is_fixed_point_known(const cat_run *run, uint32_t fixed) {
    for (uint32_t i = 0; i < run->model->formulas.count; i++) {
        const cat_formula *item = formula_of(run, i);
        if (item->kind == CAT_O_FIXED && item->first == fixed && run->is_known[i] != 0)
            return true;
    }
    return false;
}

/* All of a fixed point are computed with the first of them. */
static col_status compute_fixed(cat_run *run, uint32_t formula, col_problem *problem) {
    const cat_formula *item = formula_of(run, formula);
    const col_status status = is_fixed_point_known(run, item->first)
                                  ? COL_OK
                                  : compute_fixed_point(run, item->first, problem);
    run->values[formula] = run->variables[item->first][item->second];
    return status;
}

/* ---- All that a test needs. */

static void want(cat_run *run, uint32_t formula) {
    if (run->is_known[formula] == 0)
        run->is_wanted[formula] = 1;
}

static void want_operands(cat_run *run, uint32_t formula) {
    const cat_formula *item = formula_of(run, formula);
    for (uint32_t k = 0; k < cat_operand_count(item); k++)
        if (formula_of(run, cat_operand(item, k))->inside == CAT_NO_FIXED)
            want(run, cat_operand(item, k));
}

/* What is known needs nothing, even if its operands were dropped. */
static void mark_wanted(cat_run *run, uint32_t check) {
    want(run, run->model->checks[check].formula);
    for (size_t i = run->needs.starts[check + 1]; i-- > run->needs.starts[check];) {
        const uint32_t formula = run->needs.items[i];
        const cat_formula *item = formula_of(run, formula);
        if (run->is_wanted[formula] == 0)
            continue;
        want_operands(run, formula);
        if (item->kind != CAT_O_FIXED || is_fixed_point_known(run, item->first))
            continue;
        /* What its members are made of, and those of its values that have no variable in them. */
        const cat_fixed_point *point = &run->model->formulas.fixed_points[item->first];
        for (size_t m = run->members.starts[item->first]; m < run->members.starts[item->first + 1];
             m++)
            want_operands(run, run->members.items[m]);
        for (uint32_t k = 0; k < point->count; k++)
            if (formula_of(run, point->values[k])->inside == CAT_NO_FIXED)
                want(run, point->values[k]);
    }
}

static col_status compute(cat_run *run, uint32_t formula, col_problem *problem) {
    const uint8_t kind = formula_of(run, formula)->kind;
    col_status status = COL_OK;
    if (kind == CAT_O_SET || kind == CAT_O_RELATION)
        borrow(run, formula);
    else if (kind == CAT_O_CHOICE)
        run->values[formula] = run->choices[formula_of(run, formula)->first].relation;
    else if (kind == CAT_O_FIXED)
        status = compute_fixed(run, formula, problem);
    else
        status = compute_plain(run, formula, problem);
    if (status != COL_OK)
        return status;
    run->is_known[formula] = 1;
    if (drops(run))
        drop_operands(run, formula);
    return COL_OK;
}

col_status cat_run_compute(cat_run *run, uint32_t check, col_problem *problem) {
    col_status status = COL_OK;
    mark_wanted(run, check);
    for (size_t i = run->needs.starts[check]; i < run->needs.starts[check + 1]; i++) {
        const uint32_t formula = run->needs.items[i];
        if (run->is_wanted[formula] == 0)
            continue;
        run->is_wanted[formula] = 0;
        if (status == COL_OK)
            status = compute(run, formula, problem);
    }
    return status;
}
