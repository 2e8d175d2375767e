/* SPDX-License-Identifier: MIT */
/* The columns of a litmus test: a row of names, P0 | P1 ;, then rows of instructions. */
#include "base/memory.h"
#include "litmus/assemble.h"
#include "litmus/reader.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
} table;

/* ---- Cells. */

static col_status add_cell(lit_reader *reader, table *t, const cell *c) {
    const col_status status =
        base_reserve(&t->cells, &t->capacity, t->count + 1, sizeof *t->cells, reader->problem);
    if (status == COL_OK)
        t->cells[t->count++] = *c;
    return status;
}

/* Up to | or ;, blanks at its ends aside. Comments may stand in front. */
static col_status read_cell(lit_reader *reader, cell *c) {
    const col_status status = lit_skip(reader);
    if (status != COL_OK)
        return status;
    c->place = reader->place;
    c->start = c->end = reader->at;
    while (reader->at < reader->end && strchr("|;\n", *reader->at) == NULL) {
        if (*reader->at == '(' && reader->at + 1 < reader->end && reader->at[1] == '*')
            break;
        if (!isspace((unsigned char)*reader->at))
            c->end = reader->at + 1;
        lit_advance(reader);
    }
    const char next = lit_peek(reader);
    return next == '|' || next == ';' ? COL_OK : lit_refuse(reader, "expected '|' or ';'");
}

/* One row; `count` are its cells. */
static col_status read_row(lit_reader *reader, table *t, uint32_t *count) {
    col_status status = COL_OK;
    for (*count = 0; status == COL_OK;) {
        cell c = {.thread = (*count)++};
        status = read_cell(reader, &c);
        if (status == COL_OK)
            status = add_cell(reader, t, &c);
        if (status == COL_OK && lit_take(reader, ";"))
            return COL_OK;
        if (status == COL_OK)
            status = lit_expect(reader, "|");
    }
    return status;
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

static col_status read_names(lit_reader *reader, table *t) {
    uint32_t count = 0;
    const col_status status = read_row(reader, t, &count);
    if (status != COL_OK)
        return status;
    for (uint32_t i = 0; i < count; i++) {
        const cell *c = &t->cells[i];
        const size_t length = (size_t)(c->end - c->start);
        char name[16];
        const size_t expected = (size_t)snprintf(name, sizeof name, "P%u", i);
        if (length < expected || memcmp(c->start, name, expected) != 0)
            return lit_refuse_at(reader, c->place, "expected '%s', the name of a thread", name);
    }
    if (count > LIT_MOST_THREADS)
        return lit_refuse(reader, "more threads than a litmus test may have");
    reader->test->thread_count = count;
    t->count = 0;
    return COL_OK;
}

/* ---- Instructions. */

/* Labels in front of the instruction are taken from the cell: "L0:". */
static col_status take_labels(lit_reader *reader, table *t, cell *c, uint32_t number) {
    for (;;) {
        const char *p = c->start;
        while (p < c->end && (isalnum((unsigned char)*p) || *p == '_' || *p == '.'))
            p++;
        const size_t length = (size_t)(p - c->start);
        while (p < c->end && isspace((unsigned char)*p))
            p++;
        if (length == 0 || p == c->end || *p != ':')
            return COL_OK;
        if (t->label_count == LIT_MOST_INSTRUCTIONS)
            return lit_refuse_at(reader, c->place, "too many labels%s", "");
        char *name = base_arena_text(&reader->test->arena, c->start, length);
        if (name == NULL)
            return base_out_of_memory(reader->problem);
        t->labels[t->label_count++] = (lit_label){name, number};
        for (p++; p < c->end && isspace((unsigned char)*p);)
            p++;
        c->place.column += (uint32_t)(p - c->start);
        c->start = p;
    }
}

static void assemble(lit_line *line) {
    line->mnemonic = lit_line_name(line);
    if (line->test->isa == LIT_RISCV)
        lit_assemble_riscv(line);
    else if (line->test->isa == LIT_AARCH64)
        lit_assemble_aarch64(line);
    else
        lit_assemble_x86(line);
    if (line->status == COL_OK && !lit_line_is_at_end(line))
        lit_line_refuse(line, "more than the instruction needs");
}

static col_status read_instruction(lit_reader *reader, const table *t, const cell *c,
                                   uint32_t number, lit_instruction *made) {
    lit_test *test = reader->test;
    lit_line line = {.test = test,
                     .file = test->file,
                     .start = c->start,
                     .at = c->start,
                     .end = c->end,
                     .place = c->place,
                     .labels = t->labels,
                     .label_count = t->label_count,
                     .number = number,
                     .problem = reader->problem};
    assemble(&line);
    if (line.status != COL_OK)
        return line.status;
    const size_t size = line.step_count * sizeof *made->steps;
    *made = (lit_instruction){
        .place = c->place,
        .text = base_arena_text(&test->arena, c->start, (size_t)(c->end - c->start)),
        .steps = base_arena_take(&test->arena, size + 1),
        .step_count = line.step_count};
    if (made->text == NULL || made->steps == NULL)
        return base_out_of_memory(reader->problem);
    memcpy(made->steps, line.steps, size);
    return COL_OK;
}

static col_status read_thread(lit_reader *reader, table *t, uint32_t number) {
    lit_thread *thread = &reader->test->threads[number];
    uint32_t count = 0;
    t->label_count = 0;
    for (size_t i = 0; i < t->count; i++) {
        cell *c = &t->cells[i];
        if (c->thread != number)
            continue;
        const col_status status = take_labels(reader, t, c, count);
        if (status != COL_OK)
            return status;
        count += c->start < c->end ? 1 : 0;
    }
    if (count > LIT_MOST_INSTRUCTIONS)
        return lit_refuse(reader, "a thread has too many instructions");
    thread->instructions =
        base_arena_take(&reader->test->arena, ((size_t)count + 1) * sizeof *thread->instructions);
    if (thread->instructions == NULL)
        return base_out_of_memory(reader->problem);
    for (size_t i = 0; i < t->count; i++) {
        const cell *c = &t->cells[i];
        if (c->thread != number || c->start == c->end)
            continue;
        const uint32_t place = thread->instruction_count++;
        const col_status status =
            read_instruction(reader, t, c, place, &thread->instructions[place]);
        if (status != COL_OK)
            return status;
    }
    return COL_OK;
}

static col_status read_table(lit_reader *reader, table *t) {
    col_status status = read_names(reader, t);
    while (status == COL_OK && !is_condition_next(reader)) {
        uint32_t count;
        const lit_place place = reader->place;
        status = read_row(reader, t, &count);
        if (status == COL_OK && count > reader->test->thread_count)
            status = lit_refuse_at(reader, place, "%s", "this row has more columns than threads");
    }
    for (uint32_t i = 0; status == COL_OK && i < reader->test->thread_count; i++)
        status = read_thread(reader, t, i);
    return status;
}

col_status lit_read_threads(lit_reader *reader) {
    table *t = calloc(1, sizeof *t);
    if (t == NULL)
        return base_out_of_memory(reader->problem);
    const col_status status = read_table(reader, t);
    free(t->cells);
    free(t);
    return status;
}
