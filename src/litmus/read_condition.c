/* SPDX-License-Identifier: MIT */
/* What follows the threads of a litmus test: locations, filter, and the condition. */
#include "base/memory.h"
#include "litmus/reader.h"
#include "litmus/registers.h"
#include "litmus/symbols.h"

#include <string.h>

static col_status read_any(lit_reader *reader, uint32_t depth, lit_formula **made);

/* ---- Items. */

static bool is_same(const lit_item *a, const lit_item *b) {
    return a->is_register == b->is_register &&
           (a->is_register ? a->thread == b->thread && a->register_ == b->register_
                           : a->cell == b->cell);
}

static col_status keep_item(lit_reader *reader, const lit_item *item, uint32_t *number) {
    lit_test *test = reader->test;
    for (uint32_t i = 0; i < test->item_count; i++) {
        *number = i;
        if (!is_same(&test->items[i], item))
            continue;
        if (item->type.bytes != 0)
            test->items[i].type = item->type;
        test->items[i].is_hidden = test->items[i].is_hidden && reader->is_in_filter;
        return COL_OK;
    }
    const col_status status =
        base_reserve(&test->items, &test->item_capacity, (size_t)test->item_count + 1,
                     sizeof *test->items, reader->problem);
    if (status != COL_OK)
        return status;
    *number = test->item_count++;
    test->items[*number] = *item;
    test->items[*number].is_hidden = reader->is_in_filter;
    return COL_OK;
}

static col_status read_register(lit_reader *reader, uint32_t thread, lit_item *item) {
    const char *word = NULL;
    uint8_t bits;
    const lit_place place = reader->place;
    (void)lit_take(reader, "%");
    const col_status status = lit_word(reader, &word);
    if (status != COL_OK)
        return status;
    if (thread >= reader->test->thread_count)
        return lit_refuse_at(reader, place, "%s", "there is no such thread");
    const uint8_t number = lit_register_find(reader->test->isa, word, strlen(word), &bits);
    if (number == LIT_NO_REGISTER)
        return lit_refuse_at(reader, place, "there is no register '%s'", word);
    *item = (lit_item){.is_register = true,
                       .thread = thread,
                       .register_ = number,
                       .type = reader->test->threads[thread].registers[number].type};
    return COL_OK;
}

/* x, [x] or x[1]. */
static col_status read_memory(lit_reader *reader, lit_item *item) {
    lit_test *test = reader->test;
    const bool is_bracketed = lit_take(reader, "[");
    const char *name = NULL;
    uint32_t symbol = 0;
    uint64_t index = 0;
    const lit_place place = reader->place;
    col_status status = lit_word(reader, &name);
    if (status == COL_OK && is_bracketed)
        status = lit_expect(reader, "]");
    if (status == COL_OK && lit_peek(reader) == '(')
        return lit_refuse_at(reader, place, "'%s' is not supported in a condition", name);
    if (status == COL_OK)
        status = lit_symbol_find(test, name, &symbol, reader->problem);
    if (status != COL_OK)
        return status;
    const lit_symbol *s = &test->symbols[symbol];
    if (!is_bracketed && lit_take(reader, "[")) {
        status = lit_number(reader, &index);
        if (status == COL_OK)
            status = lit_expect(reader, "]");
    } else if (s->is_array) {
        return lit_refuse_at(reader, place, "'%s' is an array: name one of its elements", name);
    }
    if (status == COL_OK && index >= s->cell_count)
        return lit_refuse_at(reader, place, "the array '%s' is not that long", name);
    *item = (lit_item){.cell = s->first_cell + (uint32_t)index, .type = s->type};
    return status;
}

static col_status read_item(lit_reader *reader, lit_item *item) {
    uint32_t thread;
    return lit_take_thread(reader, &thread) ? read_register(reader, thread, item)
                                            : read_memory(reader, item);
}

/* ---- Formulas. */

static col_status make(lit_reader *reader, lit_formula formula, lit_formula **made) {
    if (reader->test->formula_count++ == LIT_MOST_FORMULAS)
        return lit_refuse(reader, "the condition is too long");
    lit_formula *f = base_arena_take(&reader->test->arena, sizeof *f);
    if (f == NULL)
        return base_out_of_memory(reader->problem);
    *f = formula;
    *made = f;
    return COL_OK;
}

static col_status negate(lit_reader *reader, lit_formula **made) {
    return make(reader, (lit_formula){.kind = LIT_NOT, .first = *made}, made);
}

static col_status read_atom(lit_reader *reader, lit_formula **made) {
    lit_item item = {0}, other = {0};
    lit_formula formula = {.kind = LIT_IS};
    col_status status = read_item(reader, &item);
    if (status != COL_OK)
        return status;
    const bool is_negated = lit_take(reader, "!=") || lit_take(reader, "<>");
    if (!is_negated && !lit_take(reader, "=="))
        status = lit_expect(reader, "=");
    if (status == COL_OK)
        status = keep_item(reader, &item, &formula.item);
    uint32_t thread = 0;
    if (status == COL_OK && (lit_peek(reader) == '[' || lit_take_thread(reader, &thread))) {
        status = lit_peek(reader) == '[' ? read_memory(reader, &other)
                                         : read_register(reader, thread, &other);
        formula.kind = LIT_IS_SAME;
        if (status == COL_OK)
            status = keep_item(reader, &other, &formula.other);
    } else if (status == COL_OK) {
        status = lit_read_value(reader, &formula.value);
    }
    if (status == COL_OK)
        status = make(reader, formula, made);
    return status == COL_OK && is_negated ? negate(reader, made) : status;
}

static col_status read_primary(lit_reader *reader, uint32_t depth, lit_formula **made) {
    if (depth > LIT_MOST_NESTING)
        return lit_refuse(reader, "the condition is nested too deeply");
    if (lit_take(reader, "~") || lit_take_word(reader, "not")) {
        const col_status status = read_primary(reader, depth + 1, made);
        return status == COL_OK ? negate(reader, made) : status;
    }
    if (lit_take_word(reader, "true"))
        return make(reader, (lit_formula){.kind = LIT_TRUE}, made);
    if (lit_take_word(reader, "false"))
        return make(reader, (lit_formula){.kind = LIT_FALSE}, made);
    if (!lit_take(reader, "("))
        return read_atom(reader, made);
    const col_status status = read_any(reader, depth + 1, made);
    return status == COL_OK ? lit_expect(reader, ")") : status;
}

/* As in herd7, => binds more tightly than /\. */
static col_status read_implication(lit_reader *reader, uint32_t depth, lit_formula **made) {
    if (depth > LIT_MOST_NESTING)
        return lit_refuse(reader, "the condition is nested too deeply");
    col_status status = read_primary(reader, depth, made);
    if (status != COL_OK || !lit_take(reader, "=>"))
        return status;
    lit_formula formula = {.kind = LIT_IMPLIES, .first = *made};
    status = read_implication(reader, depth + 1, &formula.second);
    return status == COL_OK ? make(reader, formula, made) : status;
}

static col_status read_both(lit_reader *reader, uint32_t depth, lit_formula **made) {
    col_status status = read_implication(reader, depth, made);
    while (status == COL_OK && lit_take(reader, "/\\")) {
        lit_formula formula = {.kind = LIT_BOTH, .first = *made};
        status = read_implication(reader, depth, &formula.second);
        if (status == COL_OK)
            status = make(reader, formula, made);
    }
    return status;
}

static col_status read_any(lit_reader *reader, uint32_t depth, lit_formula **made) {
    col_status status = read_both(reader, depth, made);
    while (status == COL_OK && lit_take(reader, "\\/")) {
        lit_formula formula = {.kind = LIT_ANY, .first = *made};
        status = read_both(reader, depth, &formula.second);
        if (status == COL_OK)
            status = make(reader, formula, made);
    }
    return status;
}

/* ---- The whole. */

/* locations [0:x5; x; y uint64_t;] */
static col_status read_locations(lit_reader *reader) {
    col_status status = lit_expect(reader, "[");
    while (status == COL_OK && !lit_take(reader, "]")) {
        lit_item item = {0};
        uint32_t number;
        status = read_item(reader, &item);
        if (status != COL_OK)
            return status;
        const size_t length = lit_word_length(reader);
        if (length > 0 && lit_type_find(reader->at, length, &item.type))
            lit_advance_to(reader, reader->at + length);
        if (lit_take(reader, "*"))
            item.type = (lit_type){8, false};
        status = keep_item(reader, &item, &number);
        if (status == COL_OK && lit_peek(reader) != ']')
            status = lit_expect(reader, ";");
    }
    return status;
}

/* Behind the condition: "with tso: exists; ...", which says what others found. */
static col_status skip_rest(lit_reader *reader) {
    (void)lit_take(reader, ";");
    if (lit_take_word(reader, "with"))
        lit_advance_to(reader, reader->end);
    if (lit_peek(reader) == '\0')
        return lit_skip(reader);
    return lit_refuse(reader, "expected the end of the test");
}

col_status lit_read_condition(lit_reader *reader) {
    lit_test *test = reader->test;
    col_status status = lit_skip(reader);
    if (status == COL_OK && lit_take_word(reader, "locations"))
        status = read_locations(reader);
    reader->is_in_filter = status == COL_OK && lit_take_word(reader, "filter");
    if (reader->is_in_filter)
        status = read_any(reader, 0, &test->filter);
    reader->is_in_filter = false;
    if (status == COL_OK)
        status = lit_skip(reader);
    if (status != COL_OK)
        return status;
    test->quantifier = LIT_EXISTS;
    if (lit_peek(reader) == '\0') { /* any final state will do */
        test->quantifier = LIT_FORALL;
        return make(reader, (lit_formula){.kind = LIT_TRUE}, &test->condition);
    }
    const bool is_negated = lit_take(reader, "~");
    if (lit_take_word(reader, "forall"))
        test->quantifier = LIT_FORALL;
    else if (!lit_take_word(reader, "exists") && !lit_take_word(reader, "final") &&
             lit_peek(reader) != '(')
        return lit_refuse(reader, "expected 'exists', '~exists' or 'forall'");
    if (is_negated)
        test->quantifier = LIT_NOT_EXISTS;
    status = read_any(reader, 0, &test->condition);
    return status == COL_OK ? skip_rest(reader) : status;
}
