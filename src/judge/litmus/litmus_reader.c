/* SPDX-License-Identifier: MIT */
/* Reading a litmus test: the head, then the parts that other files read. */
#include "judge/litmus/litmus_reader.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "judge/litmus/litmus_assembler.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const lit_isa_row lit_isas[LIT_ISA_COUNT] = {[LIT_X86] = {"X86", COL_TSO},
                                             [LIT_X86_64] = {"X86_64", COL_TSO},
                                             [LIT_AARCH64] = {"AArch64", COL_ARMV8},
                                             [LIT_RISCV] = {"RISCV", COL_RVWMO}};

static void read_threads(lit_reader *reader);

/* "RISCV MP+poss": the name goes up to a blank. */
static void read_name(lit_reader *reader) {
    lit_test *test = reader->test;
    (void)lit_peek(reader);
    const lit_place place = reader->place;
    const char *word = lit_word(reader);
    int isa = 0;
    while (isa < LIT_ISA_COUNT && strcmp(lit_isas[isa].name, word) != 0)
        isa++;
    if (isa == LIT_ISA_COUNT) {
        lit_refuse_at(reader, place,
                      "litmus tests for '%s' are not supported: expected X86, X86_64, AArch64 or "
                      "RISCV",
                      word);
        return;
    }
    test->isa = (lit_isa)isa;
    const char *start = reader->at;
    while (start < reader->end && (*start == ' ' || *start == '\t'))
        start++;
    const char *end = start;
    while (end < reader->end && !isspace((unsigned char)*end))
        end++;
    lit_advance_to(reader, end);
    if (start == end)
        lit_refuse(reader, "expected the name of the test");
    test->name = base_arena_text(&test->arena, start, (size_t)(end - start));
    if (test->name == NULL && reader->status == COL_OK)
        reader->status = base_out_of_memory(reader->problem);
}

/* Up to the {: comments, a text in quotes, lines such as Orig=..., of which any may have a {. As
 * for herd7, what begins as a comment and does not end is text. */
static void skip_head(lit_reader *reader) {
    while (reader->status == COL_OK) {
        const char c = lit_peek(reader);
        reader->status = COL_OK;
        if (reader->at == reader->end) {
            lit_refuse(reader, "expected '{'");
            return;
        }
        if (c == '{') {
            lit_advance_to(reader, reader->at + 1);
            return;
        }
        const size_t length = c == '\0' ? 0 : lit_word_length(reader);
        const char *p = reader->at + length;
        const char ends = c == '"' ? '"' : '\n';
        if (c == '"') {
            p = reader->at + 1;
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
static int compare_items(const void *first, const void *second) {
    const lit_item *a = *(lit_item *const *)first, *b = *(lit_item *const *)second;
    if (a->is_hidden != b->is_hidden)
        return a->is_hidden ? 1 : -1;
    if (a->is_register != b->is_register)
        return a->is_register ? -1 : 1;
    if (a->is_register)
        return a->thread != b->thread
                   ? (a->thread < b->thread ? -1 : 1)
                   : (a->register_ > b->register_) - (a->register_ < b->register_);
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static void sort_items(lit_test *test) {
    if (test->item_count > 0)
        qsort(test->items, test->item_count, sizeof(lit_item *), compare_items);
    for (uint32_t i = 0; i < test->item_count; i++) {
        test->items[i]->place = i;
        test->shown_count += !test->items[i]->is_hidden;
    }
}

col_status lit_test_read(lit_test *test, const char *text, size_t length, const char *file,
                         col_problem *problem) {
    lit_test_free(test);
    text = base_skip_bom(text, &length);
    if (length > LIT_MOST_TEXT)
        return base_refuse(problem, "%s: the file is too large for a litmus test", file);
    lit_reader reader = {.test = test,
                         .at = text,
                         .end = text + length,
                         .place = {1, 1},
                         .status = COL_OK,
                         .problem = problem};
    test->file = file;
    test->threads = base_arena_take(&test->arena, LIT_MOST_THREADS * sizeof *test->threads);
    if (test->threads == NULL)
        reader.status = base_out_of_memory(problem);
    read_name(&reader);
    skip_head(&reader);
    lit_read_state(&reader);
    read_threads(&reader);
    lit_read_condition(&reader);
    lit_parts_are_cells(test);
    if (reader.status == COL_OK)
        sort_items(test);
    if (reader.status != COL_OK)
        lit_test_free(test);
    return reader.status;
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

/* The characters of a litmus file. */

void lit_refuse_at(lit_reader *reader, lit_place place, const char *what, const char *word) {
    if (reader->status == COL_OK)
        reader->status = base_refuse_at(reader->problem, reader->test->file, place.line,
                                        place.column, what, word);
}

void lit_refuse(lit_reader *reader, const char *what) {
    const char *text = reader->made != NULL ? reader->made->start : reader->end;
    const int length = (int)(reader->end - text);
    if (reader->status == COL_OK)
        reader->status = base_refuse_at(reader->problem, reader->test->file, reader->place.line,
                                        reader->place.column, length > 0 ? "%s in '%.*s'" : "%s",
                                        what, length, text);
}

void lit_advance_to(lit_reader *reader, const char *at) {
    for (; reader->at < at; reader->at++) {
        if (*reader->at == '\n')
            reader->place = (lit_place){reader->place.line + 1, 0};
        reader->place.column++;
    }
}

static bool starts(const lit_reader *reader, const char *symbol) {
    const size_t length = strlen(symbol);
    return (size_t)(reader->end - reader->at) >= length && memcmp(reader->at, symbol, length) == 0;
}

/* Comments nest, as in herd7. */
static void skip_comment(lit_reader *reader) {
    const lit_reader start = *reader;
    uint32_t depth = 0;
    do {
        if (reader->at == reader->end) {
            *reader = start;
            lit_refuse(reader, "a comment does not end");
            return;
        }
        const bool opens = starts(reader, "(*"), closes = starts(reader, "*)");
        depth = depth + (opens ? 1 : 0) - (closes ? 1 : 0);
        lit_advance_to(reader, reader->at + (opens || closes ? 2 : 1));
    } while (depth > 0);
}

char lit_peek(lit_reader *reader) {
    while (reader->status == COL_OK && reader->at < reader->end) {
        if (isspace((unsigned char)*reader->at))
            lit_advance_to(reader, reader->at + 1);
        else if (starts(reader, "(*"))
            skip_comment(reader);
        else
            return *reader->at;
    }
    return '\0';
}

bool lit_take(lit_reader *reader, const char *symbol) {
    if (lit_peek(reader) == '\0' || !starts(reader, symbol))
        return false;
    lit_advance_to(reader, reader->at + strlen(symbol));
    return true;
}

void lit_expect(lit_reader *reader, const char *symbol) {
    char what[16];
    (void)snprintf(what, sizeof what, "expected '%s'", symbol);
    if (!lit_take(reader, symbol))
        lit_refuse(reader, what);
}

size_t lit_word_length(lit_reader *reader) {
    if (lit_peek(reader) == '\0')
        return 0;
    const char *p = reader->at;
    while (p < reader->end && (isalnum((unsigned char)*p) || *p == '_' || *p == '.' ||
                               (*p == '$' && reader->made == NULL)))
        p++;
    return (size_t)(p - reader->at);
}

bool lit_take_word(lit_reader *reader, const char *word) {
    const size_t length = lit_word_length(reader);
    if (length == 0 || length != strlen(word) ||
        (reader->made != NULL ? strncasecmp : strncmp)(reader->at, word, length) != 0)
        return false;
    lit_advance_to(reader, reader->at + length);
    return true;
}

char *lit_any_word(lit_reader *reader) {
    static char nothing[1];
    const size_t length = lit_word_length(reader);
    char *word = base_arena_text(&reader->test->arena, reader->at, length);
    lit_advance_to(reader, reader->at + length);
    if (word == NULL && reader->status == COL_OK)
        reader->status = base_out_of_memory(reader->problem);
    return word != NULL ? word : nothing;
}

const char *lit_word(lit_reader *reader) {
    if (lit_word_length(reader) > 0 && !isdigit((unsigned char)*reader->at))
        return lit_any_word(reader);
    lit_refuse(reader, "expected a name");
    return "";
}

/* Where the digits of the number begin that comes next, or NULL. */
static const char *find_digits(lit_reader *reader) {
    (void)lit_peek(reader);
    const char *p = reader->at;
    if (reader->made != NULL && p < reader->end && (*p == '#' || *p == '$'))
        p++;
    if (p < reader->end && (*p == '-' || (*p == '+' && reader->made != NULL)))
        p++;
    return p < reader->end && isdigit((unsigned char)*p) ? p : NULL;
}

bool lit_is_number(lit_reader *reader) {
    return find_digits(reader) != NULL;
}

uint64_t lit_number(lit_reader *reader) {
    char digits[64];
    uint64_t number = 0;
    const char *first = find_digits(reader);
    const bool is_negative = first != NULL && first > reader->at && first[-1] == '-';
    size_t length = 0;
    if (first != NULL) {
        lit_advance_to(reader, first);
        length = lit_word_length(reader);
    }
    if (length > 0 && length < sizeof digits) {
        memcpy(digits, first, length);
        digits[length] = '\0';
    }
    if (length == 0 || length >= sizeof digits || !base_number_parse(digits, &number)) {
        lit_refuse(reader, "expected a number");
        return 0;
    }
    lit_advance_to(reader, first + length);
    return is_negative ? 0 - number : number;
}

/* The columns of a litmus test: a row of names, P0 | P1 ;, then rows of instructions. */

/* A piece of the table. */
typedef struct cell {
    const char *start, *end;
    lit_place place;
    uint32_t thread;
} cell;

typedef struct table {
    cell *cells; /* row by row */
    size_t count, capacity;
    lit_label labels[LIT_MOST_INSTRUCTIONS]; /* of one thread */
    uint32_t label_count;
    lit_assembly assembly; /* of the instruction that is read */
} table;

/* ---- Cells. */

/* Up to | or ;, blanks at its ends aside. Comments may stand in front. */
static void read_cell(lit_reader *reader, cell *c) {
    (void)lit_peek(reader);
    c->place = reader->place;
    c->start = c->end = reader->at;
    while (reader->status == COL_OK && reader->at < reader->end &&
           strchr("|;\n", *reader->at) == NULL && !starts(reader, "(*")) {
        if (!isspace((unsigned char)*reader->at))
            c->end = reader->at + 1;
        lit_advance_to(reader, reader->at + 1);
    }
    const char next = lit_peek(reader);
    if (next != '|' && next != ';')
        lit_refuse(reader, "expected '|' or ';'");
}

/* One row. Returns how many cells it has. */
static uint32_t read_row(lit_reader *reader, table *t) {
    uint32_t count = 0;
    do {
        cell c = {.thread = count++};
        read_cell(reader, &c);
        if (reader->status == COL_OK)
            reader->status = base_reserve(&t->cells, &t->capacity, t->count + 1, sizeof *t->cells,
                                          reader->problem);
        if (reader->status == COL_OK)
            t->cells[t->count++] = c;
    } while (lit_take(reader, "|"));
    lit_expect(reader, ";");
    return count;
}

static bool is_condition_next(lit_reader *reader) {
    static const char *const words[] = {"exists", "forall", "locations",
                                        "filter", "final",  "observed"};
    const char next = lit_peek(reader);
    if (next == '\0' || next == '~' || next == '(')
        return true;
    const size_t length = lit_word_length(reader);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (length == strlen(words[i]) && memcmp(reader->at, words[i], length) == 0)
            return true;
    return false;
}

static void read_names(lit_reader *reader, table *t) {
    const uint32_t count = read_row(reader, t);
    for (uint32_t i = 0; reader->status == COL_OK && i < count; i++) {
        assert(t->cells != NULL);
        const cell *c = &t->cells[i];
        const size_t length = (size_t)(c->end - c->start);
        char name[16];
        const size_t expected = (size_t)snprintf(name, sizeof name, "P%u", i);
        if (length < expected || memcmp(c->start, name, expected) != 0)
            lit_refuse_at(reader, c->place, "expected '%s', the name of a thread", name);
    }
    if (count > LIT_MOST_THREADS)
        lit_refuse(reader, "more threads than a litmus test may have");
    reader->test->thread_count = reader->status == COL_OK ? count : 0;
    t->count = 0;
}

/* ---- Instructions. */

/* Reads a cell. */
static lit_reader reader_of(const lit_reader *reader, table *t, const cell *c) {
    lit_reader line = *reader;
    t->assembly =
        (lit_assembly){.start = c->start, .labels = t->labels, .label_count = t->label_count};
    line.made = &t->assembly;
    line.at = c->start;
    line.end = c->end;
    line.place = c->place;
    return line;
}

/* Labels in front of the instruction are taken from the cell: "L0:". */
static void take_labels(lit_reader *reader, table *t, cell *c, uint32_t number) {
    lit_reader line = reader_of(reader, t, c);
    while (reader->status == COL_OK) {
        const size_t length = lit_word_length(&line);
        const char *start = line.at;
        c->start = start;
        c->place = line.place;
        lit_advance_to(&line, start + length);
        if (length == 0 || !lit_take(&line, ":"))
            return;
        char *name = base_arena_text(&reader->test->arena, start, length);
        if (name == NULL)
            reader->status = base_out_of_memory(reader->problem);
        else if (t->label_count == LIT_MOST_INSTRUCTIONS)
            lit_refuse_at(reader, c->place, "too many labels%s", "");
        else
            t->labels[t->label_count++] = (lit_label){name, number};
    }
}

static void read_instruction(lit_reader *reader, table *t, const cell *c, lit_instruction *made) {
    lit_test *test = reader->test;
    lit_reader line = reader_of(reader, t, c);
    lit_take_mnemonic(&line);
    if (test->isa == LIT_RISCV)
        lit_assemble_riscv(&line);
    else if (test->isa == LIT_AARCH64)
        lit_assemble_aarch64(&line);
    else
        lit_assemble_x86(&line);
    if (lit_peek(&line) != '\0')
        lit_refuse(&line, "more than the instruction needs");
    const size_t size = t->assembly.step_count * sizeof *made->steps;
    *made = (lit_instruction){
        .place = c->place,
        .text = base_arena_text(&test->arena, c->start, (size_t)(c->end - c->start)),
        .steps = base_arena_take(&test->arena, size + 1),
        .step_count = t->assembly.step_count};
    reader->status = line.status;
    if (line.status == COL_OK && (made->text == NULL || made->steps == NULL))
        reader->status = base_out_of_memory(reader->problem);
    else if (line.status == COL_OK)
        memcpy(made->steps, t->assembly.steps, size);
}

static void read_thread(lit_reader *reader, table *t, uint32_t number) {
    lit_thread *thread = &reader->test->threads[number];
    uint32_t count = 0;
    t->label_count = 0;
    for (size_t i = 0; i < t->count; i++) {
        cell *c = &t->cells[i];
        if (c->thread != number)
            continue;
        take_labels(reader, t, c, count);
        count += c->start < c->end ? 1 : 0;
    }
    if (count > LIT_MOST_INSTRUCTIONS)
        lit_refuse(reader, "a thread has too many instructions");
    thread->instructions =
        base_arena_take(&reader->test->arena, ((size_t)count + 1) * sizeof *thread->instructions);
    if (thread->instructions == NULL && reader->status == COL_OK)
        reader->status = base_out_of_memory(reader->problem);
    for (size_t i = 0; reader->status == COL_OK && i < t->count; i++) {
        const cell *c = &t->cells[i];
        if (c->thread != number || c->start == c->end)
            continue;
        read_instruction(reader, t, c, &thread->instructions[thread->instruction_count++]);
    }
}

static void read_threads(lit_reader *reader) {
    table *t = calloc(1, sizeof *t);
    if (t == NULL) {
        reader->status = base_out_of_memory(reader->problem);
        return;
    }
    read_names(reader, t);
    while (reader->status == COL_OK && !is_condition_next(reader)) {
        const lit_place place = reader->place;
        if (read_row(reader, t) > reader->test->thread_count)
            lit_refuse_at(reader, place, "%s", "this row has more columns than threads");
    }
    for (uint32_t i = 0; reader->status == COL_OK && i < reader->test->thread_count; i++)
        read_thread(reader, t, i);
    free(t->cells);
    free(t);
}
