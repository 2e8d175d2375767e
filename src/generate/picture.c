/* SPDX-License-Identifier: MIT */
/* A program as an SVG picture: see picture.h. Colours follow the reader's light or dark scheme. */
#include "generate/picture.h"

#include "generate/marks.h"
#include "program/write.h"

#include <stdlib.h>

enum { LEFT = 16, TOP = 52, COLUMN = 190, BOX = 132, ROW = 30, BOX_HEIGHT = 22 };

typedef struct canvas {
    const col_program *program;
    const col_generated *generated;
    const uint32_t *chain_of;
    uint32_t rows;
    base_text *text;
} canvas;

/* The middle of an operation's box. */
typedef struct spot {
    int x, y;
} spot;

static spot spot_of(const canvas *c, uint32_t operation) {
    const uint32_t thread = col_program_thread_of(c->program, operation);
    const uint32_t row = operation - c->program->thread_start[thread];
    return (spot){.x = LEFT + (int)thread * COLUMN + BOX / 2,
                  .y = TOP + (int)row * ROW + BOX_HEIGHT / 2};
}

/* Neighbouring chains get far apart hues. */
static unsigned hue_of(uint32_t chain) {
    return (unsigned)((uint64_t)chain * 137 % 360);
}

static void open_picture(const canvas *c) {
    const uint32_t width = 2 * LEFT + c->program->thread_count * COLUMN - (COLUMN - BOX);
    const uint32_t height = TOP + c->rows * ROW + LEFT;
    base_text_print(
        c->text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" width=\"%u\" "
        "height=\"%u\" role=\"img\">\n"
        "<title>Test program: threads %u, operations %u, dependence chains %llu</title>\n",
        width, height, width, height, c->program->thread_count, col_program_operations(c->program),
        (unsigned long long)c->generated->chain_total);
    /* Lines have one colour for light and dark; only ink and paper change. */
    base_text_add(c->text, "<style>\n"
                           "svg { background: #ffffff }\n"
                           "text { font: 13px monospace; fill: #1c2330 }\n"
                           "rect { fill: #f1f3f6 }\n"
                           ".head { font-weight: bold }\n"
                           ".step { fill: none; stroke-width: 1.8 }\n"
                           "@media (prefers-color-scheme: dark) {\n"
                           "  svg { background: #14181f }\n"
                           "  text { fill: #e7eaf0 }\n"
                           "  rect { fill: #232a35 }\n"
                           "}\n"
                           "</style>\n");
}

static void draw_operation(const canvas *c, uint32_t operation) {
    const spot s = spot_of(c, operation);
    const uint32_t chain = c->chain_of[operation];
    base_text_print(c->text, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"",
                    s.x - BOX / 2, s.y - BOX_HEIGHT / 2, BOX, BOX_HEIGHT);
    if (chain != GEN_NO_CHAIN)
        base_text_print(c->text, " stroke=\"hsl(%u,65%%,48%%)\" stroke-width=\"1.5\"",
                        hue_of(chain));
    base_text_print(c->text, "/><text x=\"%d\" y=\"%d\">", s.x - BOX / 2 + 8, s.y + 5);
    prg_operation_write(&c->program->operations[operation], c->text);
    base_text_add(c->text, "</text>\n");
}

/* The head of an arrow that goes to the right (side 1) or to the left (-1). */
static void draw_tip(const canvas *c, spot tip, int side, unsigned hue) {
    base_text_print(c->text, "<path fill=\"hsl(%u,65%%,48%%)\" d=\"M%d %d l%d -4 v8 z\"/>\n", hue,
                    tip.x, tip.y, -side * 7);
}

/* An arrow from one operation of a chain to the next. */
static void draw_step(const canvas *c, uint32_t from, uint32_t to, uint32_t chain) {
    const spot a = spot_of(c, from), b = spot_of(c, to);
    const unsigned hue = hue_of(chain);
    if (a.x == b.x) {
        const int x = a.x - BOX / 2;
        base_text_print(c->text,
                        "<path class=\"step\" stroke=\"hsl(%u,65%%,48%%)\" d=\"M%d %d h-9 V%d "
                        "h4\"/>",
                        hue, x, a.y, b.y);
        draw_tip(c, (spot){.x = x, .y = b.y}, 1, hue);
        return;
    }
    const int side = b.x > a.x ? 1 : -1;
    const int x1 = a.x + side * BOX / 2, x2 = b.x - side * BOX / 2, bend = side * 34;
    base_text_print(c->text,
                    "<path class=\"step\" stroke=\"hsl(%u,65%%,48%%)\" d=\"M%d %d C%d %d %d %d %d "
                    "%d\"/>",
                    hue, x1, a.y, x1 + bend, a.y, x2 - bend, b.y, x2 - side * 6, b.y);
    draw_tip(c, (spot){.x = x2, .y = b.y}, side, hue);
}

static void draw_chain(const canvas *c, uint32_t number) {
    const col_chain *chain = &c->generated->chains[number];
    const col_link *links = c->generated->links + chain->first;
    for (uint32_t i = 1; i < chain->count; i++)
        draw_step(c, links[i - 1].operation, links[i].operation, number);
}

static void draw(canvas *c) {
    const col_program *program = c->program;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const uint32_t length = program->thread_start[t + 1] - program->thread_start[t];
        c->rows = length > c->rows ? length : c->rows;
    }
    open_picture(c);
    for (uint32_t t = 0; t < program->thread_count; t++)
        base_text_print(c->text, "<text class=\"head\" x=\"%d\" y=\"32\">thread %u</text>\n",
                        LEFT + (int)t * COLUMN + 8, t);
    /* Arrows first: they must not strike out the text of operations on their way. */
    for (uint32_t number = 0; number < c->generated->chain_total; number++)
        draw_chain(c, number);
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        draw_operation(c, o);
    base_text_add(c->text, "</svg>\n");
}

col_status gen_picture_write(const col_program *program, const col_generated *generated,
                             base_text *text, col_problem *problem) {
    const uint32_t operations = col_program_operations(program);
    if (operations > GEN_PICTURE_MOST_OPERATIONS)
        return base_refuse(problem, "a picture shows at most %d operations; this program has %u",
                           GEN_PICTURE_MOST_OPERATIONS, operations);
    uint32_t *chain_of = malloc(((size_t)operations + 1) * sizeof *chain_of);
    if (chain_of == NULL)
        return base_out_of_memory(problem);
    gen_mark_chains(program, generated, chain_of);
    canvas c = {.program = program, .generated = generated, .chain_of = chain_of, .text = text};
    draw(&c);
    free(chain_of);
    return base_text_status(text, problem);
}
