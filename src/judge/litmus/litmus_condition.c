/* SPDX-License-Identifier: MIT */
/* Final states and conditions: see litmus_condition.h. */
#include "judge/litmus/litmus_condition.h"

#include "base/memory.h"
#include "judge/litmus/litmus_assembler.h"

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

void lit_outcomes_begin(lit_outcomes *outcomes) {
    outcomes->count = 0;
    outcomes->holds = outcomes->fails = 0;
    outcomes->is_cut = false;
    base_arena_free(&outcomes->arena);
}

static bool is_equal(const lit_outcome *state, const uint64_t *values) {
    return memcmp(state->values, values, state->width * sizeof *values) == 0;
}

static col_status add_state(lit_outcomes *o, uint32_t width, const uint64_t *values,
                            col_problem *problem) {
    const col_status status =
        base_reserve(&o->states, &o->capacity, o->count + 1, sizeof *o->states, problem);
    if (status != COL_OK)
        return status;
    lit_outcome *state = &o->states[o->count];
    *state = (lit_outcome){.values = base_arena_take(&o->arena, width * sizeof *values + 1),
                           .width = width};
    if (state->values == NULL)
        return base_out_of_memory(problem);
    memcpy(state->values, values, width * sizeof *values);
    o->count++;
    return COL_OK;
}

col_status lit_outcomes_add(lit_outcomes *outcomes, const lit_test *test, uint64_t *values,
                            uint64_t times, size_t *number, col_problem *problem) {
    for (uint32_t i = 0; i < test->item_count; i++)
        values[i] = show(test, test->items[i], values[i]);
    if (number != NULL)
        *number = outcomes->count;
    if (test->filter != NULL && !lit_holds(test, test->filter, values))
        return COL_OK;
    size_t place = 0;
    while (place < outcomes->count && !is_equal(&outcomes->states[place], values))
        place++;
    if (place == outcomes->count) {
        const col_status status = add_state(outcomes, test->shown_count, values, problem);
        if (status != COL_OK)
            return status;
    }
    if (number != NULL)
        *number = place;
    outcomes->states[place].count += times;
    if (lit_holds(test, test->condition, values))
        outcomes->holds += times;
    else
        outcomes->fails += times;
    return COL_OK;
}

void lit_outcomes_free(lit_outcomes *outcomes) {
    free(outcomes->states);
    base_arena_free(&outcomes->arena);
    *outcomes = (lit_outcomes){0};
}

static int compare_states(const void *first, const void *second) {
    const lit_outcome *a = first, *b = second;
    uint32_t i = 0;
    while (i < a->width && a->values[i] == b->values[i])
        i++;
    return i == a->width ? 0 : a->values[i] < b->values[i] ? -1 : 1;
}

void lit_outcomes_sort(lit_outcomes *outcomes) {
    if (outcomes->count > 0)
        qsort(outcomes->states, outcomes->count, sizeof *outcomes->states, compare_states);
}

/* ---- Conditions. */

size_t lit_outcomes_shared(const lit_outcomes *outcomes, const lit_outcomes *others) {
    size_t shared = 0;
    for (size_t i = 0; i < outcomes->count; i++) {
        size_t k = 0;
        while (k < others->count && !is_equal(&others->states[k], outcomes->states[i].values))
            k++;
        shared += k < others->count;
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
        return values[formula->item->place] == show(test, formula->item, formula->value);
    case LIT_IS_SAME:
        return values[formula->item->place] == values[formula->other->place];
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
    if (test->symbols[test->cells[item->cell].symbol].is_array)
        base_text_print(text, "%s[%u]", item->name, item->index);
    else
        base_text_print(text, "[%s]", item->name);
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
        write_item(text, test, test->items[i]);
        base_text_add(text, "=");
        write_value(text, test, test->items[i], values[i]);
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
        write_item(text, test, f->item);
        base_text_add(text, "=");
        if (f->kind == LIT_IS)
            write_value(text, test, f->item, show(test, f->item, f->value));
        else
            write_item(text, test, f->other);
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

void lit_write_result(base_text *text, const lit_test *test, const lit_outcomes *outcomes,
                      bool is_histogram) {
    const bool is_expected = lit_outcomes_are_expected(outcomes, test);
    const bool is_negated = test->quantifier == LIT_NOT_EXISTS;
    base_text_print(
        text, is_histogram ? "Test %s %s\nHistogram (%zu states)\n" : "Test %s %s\nStates %zu\n",
        test->name, lit_kind(test), outcomes->count);
    for (size_t i = 0; i < outcomes->count; i++) {
        const lit_outcome *state = &outcomes->states[i];
        if (is_histogram)
            base_text_print(text, "%-8" PRIu64 "%c>", state->count,
                            lit_holds(test, test->condition, state->values) ? '*' : ':');
        lit_write_state(text, test, state->values);
        base_text_add(text, "\n");
    }
    base_text_print(text,
                    "%s%s\n%sWitnesses\nPositive: %" PRIu64 "%s Negative: %" PRIu64 "\nCondition ",
                    outcomes->is_cut && !is_histogram ? "Loop " : "", is_expected ? "Ok" : "No",
                    is_histogram ? "\n" : "", is_negated ? outcomes->fails : outcomes->holds,
                    is_histogram ? "," : "", is_negated ? outcomes->holds : outcomes->fails);
    lit_write_condition(text, test);
    if (is_histogram)
        base_text_print(text, " is %svalidated", is_expected ? "" : "NOT ");
    base_text_print(text, "\nObservation %s %s %" PRIu64 " %" PRIu64 "\n", test->name,
                    lit_observation(outcomes), outcomes->holds, outcomes->fails);
}

/* What follows the threads of a litmus test: locations, filter, and the condition. */

static lit_formula *read_any(lit_reader *reader, uint32_t depth);

/* ---- Items. */

static bool is_same(const lit_item *a, const lit_item *b) {
    return a->is_register == b->is_register &&
           (a->is_register ? a->thread == b->thread && a->register_ == b->register_
                           : a->cell == b->cell);
}

/* NULL after a problem. */
static const lit_item *keep_item(lit_reader *reader, const lit_item *item) {
    lit_test *test = reader->test;
    for (uint32_t i = 0; i < test->item_count; i++) {
        lit_item *known = test->items[i];
        if (!is_same(known, item))
            continue;
        if (item->type.bytes != 0)
            known->type = item->type;
        known->is_hidden = known->is_hidden && reader->is_in_filter;
        return known;
    }
    lit_item *kept = base_arena_take(&test->arena, sizeof *kept);
    if (kept == NULL && reader->status == COL_OK)
        reader->status = base_out_of_memory(reader->problem);
    if (reader->status == COL_OK)
        reader->status =
            base_reserve(&test->items, &test->item_capacity, (size_t)test->item_count + 1,
                         sizeof(lit_item *), reader->problem);
    if (kept == NULL || reader->status != COL_OK)
        return NULL;
    *kept = *item;
    kept->is_hidden = reader->is_in_filter;
    return test->items[test->item_count++] = kept;
}

static lit_item read_register(lit_reader *reader, uint32_t thread) {
    const uint8_t number = lit_read_register(reader, thread, reader->test->thread_count);
    if (reader->status != COL_OK)
        return (lit_item){0};
    return (lit_item){.is_register = true,
                      .thread = thread,
                      .register_ = number,
                      .type = reader->test->threads[thread].registers[number].type};
}

/* x, [x] or x[1]. */
static lit_item read_memory(lit_reader *reader) {
    bool is_bracketed;
    uint64_t index = 0;
    const lit_place place = reader->place;
    const uint32_t symbol = lit_read_symbol(reader, &is_bracketed);
    if (reader->status != COL_OK)
        return (lit_item){0};
    const lit_symbol *s = &reader->test->symbols[symbol];
    if (lit_peek(reader) == '(')
        lit_refuse_at(reader, place, "'%s' is not supported in a condition", s->name);
    if (!is_bracketed && lit_take(reader, "[")) {
        index = lit_number(reader);
        lit_expect(reader, "]");
    } else if (s->is_array) {
        lit_refuse_at(reader, place, "'%s' is an array: name one of its elements", s->name);
    }
    if (index >= s->cell_count)
        lit_refuse_at(reader, place, "the array '%s' is not that long", s->name);
    return (lit_item){.cell = s->first_cell + (uint32_t)index,
                      .name = s->name,
                      .index = (uint32_t)index,
                      .type = s->type};
}

static lit_item read_item(lit_reader *reader) {
    uint32_t thread;
    return lit_take_thread(reader, &thread) ? read_register(reader, thread) : read_memory(reader);
}

/* ---- Formulas. NULL after a problem. */

static lit_formula *make(lit_reader *reader, lit_formula formula) {
    if (reader->test->formula_count++ == LIT_MOST_FORMULAS)
        lit_refuse(reader, "the condition is too long");
    if (reader->status != COL_OK)
        return NULL;
    lit_formula *made = base_arena_take(&reader->test->arena, sizeof *made);
    if (made == NULL)
        reader->status = base_out_of_memory(reader->problem);
    else
        *made = formula;
    return made;
}

static lit_formula *read_atom(lit_reader *reader) {
    lit_formula formula = {.kind = LIT_IS};
    const lit_item item = read_item(reader);
    const bool is_negated = lit_take(reader, "!=") || lit_take(reader, "<>");
    if (!is_negated && !lit_take(reader, "=="))
        lit_expect(reader, "=");
    formula.item = keep_item(reader, &item);
    uint32_t thread = 0;
    const bool is_memory = lit_peek(reader) == '[';
    if (is_memory || lit_take_thread(reader, &thread)) {
        const lit_item other = is_memory ? read_memory(reader) : read_register(reader, thread);
        formula.kind = LIT_IS_SAME;
        formula.other = keep_item(reader, &other);
    } else {
        formula.value = lit_read_value(reader);
    }
    lit_formula *made = make(reader, formula);
    return is_negated ? make(reader, (lit_formula){.kind = LIT_NOT, .first = made}) : made;
}

static lit_formula *read_primary(lit_reader *reader, uint32_t depth) {
    if (depth > LIT_MOST_NESTING) {
        lit_refuse(reader, "the condition is nested too deeply");
        return NULL;
    }
    if (lit_take(reader, "~") || lit_take_word(reader, "not")) {
        lit_formula *made = read_primary(reader, depth + 1);
        return make(reader, (lit_formula){.kind = LIT_NOT, .first = made});
    }
    if (lit_take_word(reader, "true"))
        return make(reader, (lit_formula){.kind = LIT_TRUE});
    if (lit_take_word(reader, "false"))
        return make(reader, (lit_formula){.kind = LIT_FALSE});
    if (!lit_take(reader, "("))
        return read_atom(reader);
    lit_formula *made = read_any(reader, depth + 1);
    lit_expect(reader, ")");
    return made;
}

/* As in herd7, => binds more tightly than /\. */
static lit_formula *read_implication(lit_reader *reader, uint32_t depth) {
    lit_formula formula = {.kind = LIT_IMPLIES, .first = read_primary(reader, depth)};
    if (!lit_take(reader, "=>"))
        return formula.first;
    formula.second = read_implication(reader, depth + 1);
    return make(reader, formula);
}

static lit_formula *read_both(lit_reader *reader, uint32_t depth) {
    lit_formula *made = read_implication(reader, depth);
    while (lit_take(reader, "/\\")) {
        lit_formula formula = {.kind = LIT_BOTH, .first = made};
        formula.second = read_implication(reader, depth);
        made = make(reader, formula);
    }
    return made;
}

static lit_formula *read_any(lit_reader *reader, uint32_t depth) {
    lit_formula *made = read_both(reader, depth);
    while (lit_take(reader, "\\/")) {
        lit_formula formula = {.kind = LIT_ANY, .first = made};
        formula.second = read_both(reader, depth);
        made = make(reader, formula);
    }
    return made;
}

/* ---- The whole. */

/* locations [0:x5; x; y uint64_t;] */
static void read_locations(lit_reader *reader) {
    lit_expect(reader, "[");
    while (reader->status == COL_OK && !lit_take(reader, "]")) {
        lit_item item = read_item(reader);
        const size_t length = lit_word_length(reader);
        if (length > 0 && lit_type_find(reader->at, length, &item.type))
            lit_advance_to(reader, reader->at + length);
        if (lit_take(reader, "*"))
            item.type = (lit_type){8, false};
        (void)keep_item(reader, &item);
        if (lit_peek(reader) != ']')
            lit_expect(reader, ";");
    }
}

void lit_read_condition(lit_reader *reader) {
    lit_test *test = reader->test;
    if (lit_take_word(reader, "locations"))
        read_locations(reader);
    reader->is_in_filter = lit_take_word(reader, "filter");
    if (reader->is_in_filter)
        test->filter = read_any(reader, 0);
    reader->is_in_filter = false;
    test->quantifier = LIT_EXISTS;
    if (lit_peek(reader) == '\0') { /* any final state will do */
        test->quantifier = LIT_FORALL;
        test->condition = make(reader, (lit_formula){.kind = LIT_TRUE});
        return;
    }
    const bool is_negated = lit_take(reader, "~");
    if (lit_take_word(reader, "forall"))
        test->quantifier = LIT_FORALL;
    else if (!lit_take_word(reader, "exists") && !lit_take_word(reader, "final") &&
             lit_peek(reader) != '(')
        lit_refuse(reader, "expected 'exists', '~exists' or 'forall'");
    if (is_negated)
        test->quantifier = LIT_NOT_EXISTS;
    test->condition = read_any(reader, 0);
    /* Behind it: "with tso: exists; ...", which says what others found. */
    (void)lit_take(reader, ";");
    if (lit_take_word(reader, "with"))
        lit_advance_to(reader, reader->end);
    if (lit_peek(reader) != '\0')
        lit_refuse(reader, "expected the end of the test");
}
