/* SPDX-License-Identifier: MIT */
/* A program as a table for the terminal: see chart.h. */
#include "generate/chart.h"

#include "generate/marks.h"
#include "program/write.h"

#include <stdio.h>
#include <stdlib.h>

enum { COLUMN = 24 }; /* characters a thread takes, at least */

typedef struct chart {
    const col_program *program;
    const col_generated *generated;
    const uint32_t *chain_of;
    bool colour;
    base_text *text;
    base_text cell; /* reused */
} chart;

static void start_colour(const chart *c, uint32_t chain) {
    static const int colours[] = {31, 32, 33, 34, 35, 36, 91, 92, 93, 94, 95, 96};
    if (c->colour && chain != GEN_NO_CHAIN)
        base_text_print(c->text, "\033[%dm", colours[chain % (sizeof colours / sizeof colours[0])]);
}

static void end_colour(const chart *c, uint32_t chain) {
    if (c->colour && chain != GEN_NO_CHAIN)
        base_text_add(c->text, "\033[0m");
}

static const char *operation_text(chart *c, uint32_t operation) {
    c->cell.length = 0;
    prg_operation_write(&c->program->operations[operation], &c->cell);
    return c->cell.failed ? "" : c->cell.data;
}

static void add_cell(chart *c, uint32_t operation) {
    const uint32_t chain = c->chain_of[operation];
    char letters[8] = "";
    if (chain != GEN_NO_CHAIN)
        gen_chain_letters(chain, letters);
    start_colour(c, chain);
    base_text_print(c->text, "%3s %-*s", letters, COLUMN - 4, operation_text(c, operation));
    end_colour(c, chain);
}

/* Blanks at the end of a row help nobody. */
static void end_row(chart *c) {
    while (c->text->length > 0 && c->text->data[c->text->length - 1] == ' ')
        c->text->length--;
    base_text_add(c->text, "\n");
}

static void add_table(chart *c) {
    const col_program *program = c->program;
    uint32_t longest = 0;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const uint32_t length = program->thread_start[t + 1] - program->thread_start[t];
        longest = length > longest ? length : longest;
        char title[COLUMN];
        (void)snprintf(title, sizeof title, "thread %u", t);
        base_text_print(c->text, "    %-*s", COLUMN - 4, title);
    }
    end_row(c);
    for (uint32_t row = 0; row < longest; row++) {
        for (uint32_t t = 0; t < program->thread_count; t++) {
            const uint32_t operation = program->thread_start[t] + row;
            if (operation < program->thread_start[t + 1])
                add_cell(c, operation);
            else
                base_text_print(c->text, "%*s", COLUMN, "");
        }
        end_row(c);
    }
}

/* "A category 1: thread 0 store a2 1 -> thread 1 load a2, load a2". The store between two loads
 * stands in brackets. */
static void add_link(chart *c, const col_link *link, uint32_t *last_thread) {
    const uint32_t thread = col_program_thread_of(c->program, link->operation);
    if (thread == *last_thread) {
        base_text_add(c->text, ", ");
        if (c->program->operations[link->operation - 1].kind == COL_FENCE)
            base_text_print(c->text, "%s, ", operation_text(c, link->operation - 1));
    } else {
        base_text_print(c->text, "%s%sthread %u ", *last_thread != UINT32_MAX ? " \u2192 " : " ",
                        link->between ? "[" : "", thread);
    }
    base_text_print(c->text, "%s%s", operation_text(c, link->operation), link->between ? "]" : "");
    *last_thread = thread;
}

static void add_chain(chart *c, uint32_t number) {
    const col_chain *chain = &c->generated->chains[number];
    char letters[8];
    uint32_t last_thread = UINT32_MAX;
    gen_chain_letters(number, letters);
    start_colour(c, number);
    base_text_print(c->text, "%3s category %u:", letters, chain->category);
    for (uint32_t i = 0; i < chain->count; i++)
        add_link(c, &c->generated->links[chain->first + i], &last_thread);
    end_colour(c, number);
    base_text_add(c->text, "\n");
}

col_status gen_chart_write(const col_program *program, const col_generated *generated, bool colour,
                           base_text *text, col_problem *problem) {
    uint32_t *chain_of = malloc(((size_t)col_program_operations(program) + 1) * sizeof *chain_of);
    if (chain_of == NULL)
        return base_out_of_memory(problem);
    gen_mark_chains(program, generated, chain_of);
    chart c = {.program = program,
               .generated = generated,
               .chain_of = chain_of,
               .colour = colour,
               .text = text};
    add_table(&c);
    if (generated->chain_total > 0)
        base_text_add(text, "\nchains (\u2192 goes to another thread):\n");
    for (uint32_t number = 0; number < generated->chain_total; number++)
        add_chain(&c, number);
    free(chain_of);
    const bool failed = c.cell.failed;
    base_text_free(&c.cell);
    return failed ? base_out_of_memory(problem) : base_text_status(text, problem);
}
