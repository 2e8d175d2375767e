/* SPDX-License-Identifier: MIT */
/* Final states and conditions: see outcome.h. */
#include "litmus/outcome.h"
#include "base/memory.h"
#include "litmus/registers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- States. */

/* What has no type is shown as an int, as by herd7; but an address is one. */
static uint64_t show(const lit_test *test, const lit_item *item, uint64_t value) {
    if (item->type.bytes != 0)
        return lit_typed(value, item->type);
    return lit_cell_at(test, value) < test->cell_count ? value
                                                       : lit_typed(value, (lit_type){4, true});
}

void lit_outcomes_begin(lit_outcomes *outcomes, const lit_test *test) {
    outcomes->width = test->shown_count;
    outcomes->count = 0;
    outcomes->holds = outcomes->fails = 0;
    outcomes->is_cut = false;
}

static col_status add_state(lit_outcomes *o, const uint64_t *values, col_problem *problem) {
    col_status status = base_reserve(&o->values, &o->value_capacity, (o->count + 1) * o->width + 1,
                                     sizeof *o->values, problem);
    if (status == COL_OK)
        status =
            base_reserve(&o->counts, &o->count_capacity, o->count + 1, sizeof *o->counts, problem);
    if (status == COL_OK)
        status = base_reserve(&o->is_forbidden, &o->mark_capacity, o->count + 1,
                              sizeof *o->is_forbidden, problem);
    if (status != COL_OK)
        return status;
    if (o->width > 0)
        memcpy(o->values + o->count * o->width, values, o->width * sizeof *values);
    o->counts[o->count] = 0;
    o->is_forbidden[o->count++] = false;
    return COL_OK;
}

col_status lit_outcomes_add(lit_outcomes *outcomes, const lit_test *test, uint64_t *values,
                            uint64_t times, size_t *number, col_problem *problem) {
    const size_t size = outcomes->width * sizeof *values;
    for (uint32_t i = 0; i < test->item_count; i++)
        values[i] = show(test, &test->items[i], values[i]);
    if (number != NULL)
        *number = outcomes->count;
    if (test->filter != NULL && !lit_holds(test, test->filter, values))
        return COL_OK;
    size_t place = 0;
    while (place < outcomes->count &&
           memcmp(outcomes->values + place * outcomes->width, values, size) != 0)
        place++;
    if (place == outcomes->count) {
        const col_status status = add_state(outcomes, values, problem);
        if (status != COL_OK)
            return status;
    }
    if (number != NULL)
        *number = place;
    outcomes->counts[place] += times;
    if (lit_holds(test, test->condition, values))
        outcomes->holds += times;
    else
        outcomes->fails += times;
    return COL_OK;
}

void lit_outcomes_free(lit_outcomes *outcomes) {
    free(outcomes->values);
    free(outcomes->counts);
    free(outcomes->is_forbidden);
    *outcomes = (lit_outcomes){0};
}

static bool is_before(const lit_outcomes *o, size_t a, size_t b) {
    const uint64_t *x = o->values + a * o->width, *y = o->values + b * o->width;
    uint32_t i = 0;
    while (i < o->width && x[i] == y[i])
        i++;
    return i < o->width && x[i] < y[i];
}

static void swap_states(lit_outcomes *o, size_t a, size_t b) {
    for (uint32_t i = 0; i < o->width; i++) {
        const uint64_t value = o->values[a * o->width + i];
        o->values[a * o->width + i] = o->values[b * o->width + i];
        o->values[b * o->width + i] = value;
    }
    const uint64_t count = o->counts[a];
    o->counts[a] = o->counts[b];
    o->counts[b] = count;
    const bool mark = o->is_forbidden[a];
    o->is_forbidden[a] = o->is_forbidden[b];
    o->is_forbidden[b] = mark;
}

static void sift(lit_outcomes *o, size_t root, size_t count) {
    for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && is_before(o, child, child + 1))
            child++;
        if (!is_before(o, root, child))
            return;
        swap_states(o, root, child);
        root = child;
    }
}

void lit_outcomes_sort(lit_outcomes *outcomes) {
    for (size_t i = outcomes->count / 2; i-- > 0;)
        sift(outcomes, i, outcomes->count);
    for (size_t i = outcomes->count; i-- > 1;) {
        swap_states(outcomes, 0, i);
        sift(outcomes, 0, i);
    }
}

/* ---- Conditions. */

size_t lit_outcomes_shared(const lit_outcomes *outcomes, const lit_outcomes *others) {
    const size_t width = outcomes->width, bytes = width * sizeof *outcomes->values;
    size_t shared = 0;
    for (size_t i = 0; i < outcomes->count; i++)
        for (size_t k = 0; k < others->count; k++)
            if (bytes == 0 ||
                memcmp(outcomes->values + i * width, others->values + k * width, bytes) == 0) {
                shared++;
                break;
            }
    return shared;
}

bool lit_holds(const lit_test *test, const lit_formula *formula, const uint64_t *values) {
    switch (formula->kind) {
    case LIT_TRUE:
        return true;
    case LIT_FALSE:
        return false;
    case LIT_NOT:
        return !lit_holds(test, formula->first, values);
    case LIT_BOTH:
        return lit_holds(test, formula->first, values) && lit_holds(test, formula->second, values);
    case LIT_ANY:
        return lit_holds(test, formula->first, values) || lit_holds(test, formula->second, values);
    case LIT_IMPLIES:
        return !lit_holds(test, formula->first, values) || lit_holds(test, formula->second, values);
    case LIT_IS:
        return values[formula->item] == show(test, &test->items[formula->item], formula->value);
    case LIT_IS_SAME:
        return values[formula->item] == values[formula->other];
    }
    return false;
}

bool lit_outcomes_are_expected(const lit_outcomes *outcomes, const lit_test *test) {
    switch (test->quantifier) {
    case LIT_EXISTS:
        return outcomes->holds > 0;
    case LIT_NOT_EXISTS:
        return outcomes->holds == 0;
    case LIT_FORALL:
        return outcomes->fails == 0;
    }
    return false;
}

const char *lit_kind(const lit_test *test) {
    static const char *const words[] = {
        [LIT_EXISTS] = "Allowed", [LIT_NOT_EXISTS] = "Forbidden", [LIT_FORALL] = "Required"};
    return words[test->quantifier];
}

const char *lit_observation(const lit_outcomes *outcomes) {
    return outcomes->holds == 0 ? "Never" : outcomes->fails == 0 ? "Always" : "Sometimes";
}

/* ---- Text. */

static void write_item(base_text *text, const lit_test *test, const lit_item *item) {
    if (item->is_register) {
        char room[16];
        base_text_print(text, "%u:%s", item->thread,
                        lit_register_name(test->isa, item->register_, room));
        return;
    }
    const lit_cell *cell = &test->cells[item->cell];
    const lit_symbol *symbol = &test->symbols[cell->symbol];
    if (symbol->is_array)
        base_text_print(text, "%s[%u]", symbol->name, cell->index);
    else
        base_text_print(text, "[%s]", symbol->name);
}

static void write_value(base_text *text, const lit_test *test, const lit_item *item,
                        uint64_t value) {
    const uint32_t cell = lit_cell_at(test, value);
    const bool may_be_address = item->type.bytes == 0 || item->type.bytes == 8;
    if (may_be_address && cell < test->cell_count) {
        const lit_symbol *symbol = &test->symbols[test->cells[cell].symbol];
        base_text_add(text, symbol->name);
        if (test->cells[cell].index > 0)
            base_text_print(text, "[%u]", test->cells[cell].index);
        return;
    }
    const bool is_signed = item->type.bytes == 0 || item->type.is_signed;
    if (is_signed)
        base_text_print(text, "%" PRId64, (int64_t)value);
    else
        base_text_print(text, "%" PRIu64, value);
}

void lit_write_state(base_text *text, const lit_test *test, const uint64_t *values) {
    for (uint32_t i = 0; i < test->shown_count; i++) {
        base_text_add(text, i > 0 ? " " : "");
        write_item(text, test, &test->items[i]);
        base_text_add(text, "=");
        write_value(text, test, &test->items[i], values[i]);
        base_text_add(text, ";");
    }
}

/* How tightly it binds. */
static uint32_t tightness(const lit_formula *f) {
    return f->kind == LIT_ANY ? 1 : f->kind == LIT_BOTH ? 2 : f->kind == LIT_IMPLIES ? 3 : 4;
}

static void write_formula(base_text *text, const lit_test *test, const lit_formula *f,
                          uint32_t least) {
    static const char *const signs[] = {
        [LIT_BOTH] = " /\\ ", [LIT_ANY] = " \\/ ", [LIT_IMPLIES] = " => "};
    const uint32_t own = tightness(f);
    if (own < least)
        base_text_add(text, "(");
    if (f->kind == LIT_TRUE || f->kind == LIT_FALSE) {
        base_text_add(text, f->kind == LIT_TRUE ? "true" : "false");
    } else if (f->kind == LIT_NOT) {
        base_text_add(text, "not (");
        write_formula(text, test, f->first, 0);
        base_text_add(text, ")");
    } else if (own < 4) {
        const bool is_right = f->kind == LIT_IMPLIES; /* a => b => c is a => (b => c) */
        write_formula(text, test, f->first, is_right ? own + 1 : own);
        base_text_add(text, signs[f->kind]);
        write_formula(text, test, f->second, is_right ? own : own + 1);
    } else {
        write_item(text, test, &test->items[f->item]);
        base_text_add(text, "=");
        if (f->kind == LIT_IS)
            write_value(text, test, &test->items[f->item],
                        show(test, &test->items[f->item], f->value));
        else
            write_item(text, test, &test->items[f->other]);
    }
    if (own < least)
        base_text_add(text, ")");
}

void lit_write_condition(base_text *text, const lit_test *test) {
    static const char *const words[] = {
        [LIT_EXISTS] = "exists", [LIT_NOT_EXISTS] = "~exists", [LIT_FORALL] = "forall"};
    base_text_print(text, "%s (", words[test->quantifier]);
    write_formula(text, test, test->condition, 0);
    base_text_add(text, ")");
}

void lit_write_verdict(base_text *text, const lit_test *test, const lit_outcomes *outcomes) {
    const bool is_negated = test->quantifier == LIT_NOT_EXISTS;
    base_text_print(text, "Test %s %s\nStates %zu\n", test->name, lit_kind(test), outcomes->count);
    for (size_t i = 0; i < outcomes->count; i++) {
        lit_write_state(text, test, outcomes->values + i * outcomes->width);
        base_text_add(text, "\n");
    }
    base_text_print(
        text, "%s%s\nWitnesses\nPositive: %" PRIu64 " Negative: %" PRIu64 "\nCondition ",
        outcomes->is_cut ? "Loop " : "", lit_outcomes_are_expected(outcomes, test) ? "Ok" : "No",
        is_negated ? outcomes->fails : outcomes->holds,
        is_negated ? outcomes->holds : outcomes->fails);
    lit_write_condition(text, test);
    base_text_print(text, "\nObservation %s %s %" PRIu64 " %" PRIu64 "\n", test->name,
                    lit_observation(outcomes), outcomes->holds, outcomes->fails);
}
