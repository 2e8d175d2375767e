/* SPDX-License-Identifier: MIT */
/* Reading a litmus test: the head, then the parts that other files read. */
#include "litmus/test.h"
#include "base/file.h"
#include "litmus/reader.h"
#include "litmus/symbols.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const lit_isa_row lit_isas[LIT_ISA_COUNT] = {[LIT_X86] = {"X86", COL_TSO},
                                             [LIT_X86_64] = {"X86_64", COL_TSO},
                                             [LIT_AARCH64] = {"AArch64", COL_ARMV8},
                                             [LIT_RISCV] = {"RISCV", COL_RVWMO}};

/* "RISCV MP+poss": the name goes up to a blank. */
static col_status read_name(lit_reader *reader) {
    lit_test *test = reader->test;
    const char *word = NULL;
    col_status status = lit_skip(reader);
    const lit_place place = reader->place;
    if (status == COL_OK)
        status = lit_word(reader, &word);
    if (status != COL_OK)
        return status;
    int isa = 0;
    while (isa < LIT_ISA_COUNT && strcmp(lit_isas[isa].name, word) != 0)
        isa++;
    if (isa == LIT_ISA_COUNT)
        return lit_refuse_at(reader, place,
                             "litmus tests for '%s' are not supported: expected X86, X86_64, "
                             "AArch64 or RISCV",
                             word);
    test->isa = (lit_isa)isa;
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t'))
        lit_advance(reader);
    const char *start = reader->at;
    while (reader->at < reader->end && !isspace((unsigned char)*reader->at))
        lit_advance(reader);
    if (reader->at == start)
        return lit_refuse(reader, "expected the name of the test");
    test->name = base_arena_text(&test->arena, start, (size_t)(reader->at - start));
    return test->name != NULL ? COL_OK : base_out_of_memory(reader->problem);
}

/* Up to the {: comments, a text in quotes, lines such as Orig=..., of which any may have a {. As
 * for herd7, what begins as a comment and does not end is text. */
static col_status skip_head(lit_reader *reader) {
    for (;;) {
        const char c = lit_peek(reader);
        if (reader->at == reader->end)
            return lit_refuse(reader, "expected '{'");
        if (lit_take(reader, "{"))
            return COL_OK;
        const size_t length = lit_word_length(reader);
        const char *p = reader->at + length;
        const char ends = c == '"' ? '"' : '\n';
        if (c == '"') {
            lit_advance(reader);
            p = reader->at;
        } else if (length == 0 || p == reader->end || *p != '=') {
            lit_advance_to(reader, length > 0 ? p : reader->at + 1);
            continue;
        }
        while (p < reader->end && *p != ends)
            p++;
        lit_advance_to(reader, p < reader->end ? p + 1 : p);
    }
}

/* States show registers first, by thread, and then memory by name. */
static int compare_items(const void *first, const void *second, const lit_test *test) {
    const lit_item *a = first, *b = second;
    if (a->is_hidden != b->is_hidden)
        return a->is_hidden ? 1 : -1;
    if (a->is_register != b->is_register)
        return a->is_register ? -1 : 1;
    if (a->is_register)
        return a->thread != b->thread
                   ? (a->thread < b->thread ? -1 : 1)
                   : (a->register_ > b->register_) - (a->register_ < b->register_);
    const lit_cell *x = &test->cells[a->cell], *y = &test->cells[b->cell];
    const int order = strcmp(test->symbols[x->symbol].name, test->symbols[y->symbol].name);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static void renumber(lit_formula *f, const uint32_t *place) {
    for (; f != NULL; f = f->second) {
        if (f->kind == LIT_IS || f->kind == LIT_IS_SAME)
            f->item = place[f->item];
        if (f->kind == LIT_IS_SAME)
            f->other = place[f->other];
        if (f->first != NULL)
            renumber(f->first, place);
    }
}

static col_status sort_items(lit_reader *reader) {
    lit_test *test = reader->test;
    uint32_t *place = base_arena_take(&test->arena, (test->item_count + 1) * sizeof *place);
    lit_item *sorted = base_arena_take(&test->arena, (test->item_count + 1) * sizeof *sorted);
    if (place == NULL || sorted == NULL)
        return base_out_of_memory(reader->problem);
    for (uint32_t i = 0; i < test->item_count; i++)
        for (uint32_t k = 0; k < test->item_count; k++)
            if (compare_items(&test->items[k], &test->items[i], test) < 0)
                place[i]++;
    for (uint32_t i = 0; i < test->item_count; i++) {
        sorted[place[i]] = test->items[i];
        test->shown_count += test->items[i].is_hidden ? 0 : 1;
    }
    if (test->item_count > 0)
        memcpy(test->items, sorted, test->item_count * sizeof *sorted);
    renumber(test->condition, place);
    renumber(test->filter, place);
    return COL_OK;
}

static col_status read_parts(lit_reader *reader) {
    lit_test *test = reader->test;
    test->threads = base_arena_take(&test->arena, LIT_MOST_THREADS * sizeof *test->threads);
    if (test->threads == NULL)
        return base_out_of_memory(reader->problem);
    col_status status = read_name(reader);
    if (status == COL_OK)
        status = skip_head(reader);
    if (status == COL_OK)
        status = lit_read_state(reader);
    if (status == COL_OK)
        status = lit_read_threads(reader);
    if (status == COL_OK)
        status = lit_read_condition(reader);
    lit_parts_are_cells(test);
    return status == COL_OK ? sort_items(reader) : status;
}

col_status lit_test_read(lit_test *test, const char *text, size_t length, const char *file,
                         col_problem *problem) {
    lit_test_free(test);
    text = base_skip_bom(text, &length);
    if (length > LIT_MOST_TEXT)
        return base_refuse(problem, "%s: the file is too large for a litmus test", file);
    lit_reader reader = {
        .test = test, .at = text, .end = text + length, .place = {1, 1}, .problem = problem};
    test->file = file;
    const col_status status = read_parts(&reader);
    if (status != COL_OK)
        lit_test_free(test);
    return status;
}

col_status lit_test_read_file(lit_test *test, const char *path, col_problem *problem) {
    base_text text = {0};
    col_status status = base_file_read(path, &text, problem);
    if (status == COL_OK)
        status = lit_test_read(test, text.data, text.length, path, problem);
    base_text_free(&text);
    return status;
}

void lit_test_free(lit_test *test) {
    free(test->symbols);
    free(test->cells);
    free(test->items);
    base_arena_free(&test->arena);
    *test = (lit_test){0};
}
