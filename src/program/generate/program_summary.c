/* SPDX-License-Identifier: MIT */
/* A program as a table for the terminal: see program_summary.h. */
#include "program/generate/program_summary.h"

#include "program/generate/generator.h"
#include "program/geometry.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>

enum { COLUMN = 24 }; /* characters a thread takes, at least */

/* A program with its chains, and the text that shows it. */
typedef struct chart {
    const col_program *program;
    const col_generated *generated;
    uint32_t *chain_of; /* by operation */
    uint32_t longest;   /* thread */
    bool colour;
    base_text *text;
    base_text cell; /* reused */
} chart;

static col_status begin(chart *c, col_problem *problem) {
    const col_program *program = c->program;
    c->chain_of = malloc(((size_t)col_program_operations(program) + 1) * sizeof *c->chain_of);
    if (c->chain_of == NULL)
        return base_out_of_memory(problem);
    gen_mark_chains(program, c->generated, c->chain_of);
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const uint32_t length = program->thread_start[t + 1] - program->thread_start[t];
        c->longest = length > c->longest ? length : c->longest;
    }
    return COL_OK;
}

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

/* Blanks at the end of a row help nobody. */
static void end_row(chart *c) {
    while (c->text->length > 0 && c->text->data[c->text->length - 1] == ' ')
        c->text->length--;
    base_text_add(c->text, "\n");
}

static void add_table(chart *c) {
    const col_program *program = c->program;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        char title[COLUMN];
        (void)snprintf(title, sizeof title, "thread %u", t);
        base_text_print(c->text, "    %-*s", COLUMN - 4, title);
    }
    end_row(c);
    for (uint32_t row = 0; row < c->longest; row++) {
        for (uint32_t t = 0; t < program->thread_count; t++) {
            const uint32_t operation = program->thread_start[t] + row;
            if (operation < program->thread_start[t + 1]) {
                const uint32_t chain = c->chain_of[operation];
                char letters[8] = "";
                if (chain != GEN_NO_CHAIN)
                    gen_chain_letters(chain, letters);
                start_colour(c, chain);
                base_text_print(c->text, "%3s %-*s", letters, COLUMN - 4,
                                operation_text(c, operation));
                end_colour(c, chain);
            } else
                base_text_print(c->text, "%*s", COLUMN, "");
        }
        end_row(c);
    }
}

col_status gen_chart_write(const col_program *program, const col_generated *generated, bool colour,
                           base_text *text, col_problem *problem) {
    chart c = {.program = program, .generated = generated, .colour = colour, .text = text};
    BASE_TRY(begin(&c, problem));
    add_table(&c);
    if (generated->chain_total > 0)
        base_text_add(text, "\nchains (\u2192 goes to another thread):\n");
    for (uint32_t number = 0; number < generated->chain_total; number++) {
        const col_chain *chain = &c.generated->chains[number];
        char letters[8];
        uint32_t last_thread = UINT32_MAX;
        gen_chain_letters(number, letters);
        start_colour(&c, number);
        base_text_print(c.text, "%3s category %u:", letters, chain->category);
        for (uint32_t i = 0; i < chain->count; i++) {
            /* "A category 1: thread 0 store a2 1 -> thread 1 load a2, load a2". The store between
             * two loads stands in brackets. */
            const col_link *link = &c.generated->links[chain->first + i];
            const uint32_t thread = col_program_thread_of(c.program, link->operation);
            if (thread == last_thread) {
                base_text_add(c.text, ", ");
                if (c.program->operations[link->operation - 1].kind == COL_FENCE)
                    base_text_print(c.text, "%s, ", operation_text(&c, link->operation - 1));
            } else {
                base_text_print(c.text, "%s%sthread %u ",
                                last_thread != UINT32_MAX ? " \u2192 " : " ",
                                link->between ? "[" : "", thread);
            }
            base_text_print(c.text, "%s%s", operation_text(&c, link->operation),
                            link->between ? "]" : "");
            last_thread = thread;
        }
        end_colour(&c, number);
        base_text_add(c.text, "\n");
    }
    free(c.chain_of);
    const bool failed = c.cell.failed;
    base_text_free(&c.cell);
    return failed ? base_out_of_memory(problem) : base_text_status(text, problem);
}

/* A program as an SVG picture. */

enum { LEFT = 16, TOP = 52, PICTURE_COLUMN = 190, BOX = 132, ROW = 30, BOX_HEIGHT = 22 };

/* The middle of an operation's box. */
typedef struct spot {
    int x, y;
} spot;

static spot spot_of(const chart *c, uint32_t operation) {
    const uint32_t thread = col_program_thread_of(c->program, operation);
    const uint32_t row = operation - c->program->thread_start[thread];
    return (spot){.x = LEFT + (int)thread * PICTURE_COLUMN + BOX / 2,
                  .y = TOP + (int)row * ROW + BOX_HEIGHT / 2};
}

/* Neighbouring chains get far apart hues. */
static unsigned hue_of(uint32_t chain) {
    return (unsigned)((uint64_t)chain * 137 % 360);
}

static void open_picture(const chart *c) {
    const uint32_t width =
        2 * LEFT + c->program->thread_count * PICTURE_COLUMN - (PICTURE_COLUMN - BOX);
    const uint32_t height = TOP + c->longest * ROW + LEFT;
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

/* The head of an arrow that goes to the right (side 1) or to the left (-1). */
static void draw_tip(const chart *c, spot tip, int side, unsigned hue) {
    base_text_print(c->text, "<path fill=\"hsl(%u,65%%,48%%)\" d=\"M%d %d l%d -4 v8 z\"/>\n", hue,
                    tip.x, tip.y, -side * 7);
}

/* An arrow from one operation of a chain to the next. */
static void draw_step(const chart *c, uint32_t from, uint32_t to, uint32_t chain) {
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

col_status gen_picture_write(const col_program *program, const col_generated *generated,
                             base_text *text, col_problem *problem) {
    const uint32_t operations = col_program_operations(program);
    if (operations > GEN_PICTURE_MOST_OPERATIONS)
        return base_refuse(problem, "a picture shows at most %d operations; this program has %u",
                           GEN_PICTURE_MOST_OPERATIONS, operations);
    chart c = {.program = program, .generated = generated, .text = text};
    BASE_TRY(begin(&c, problem));
    open_picture(&c);
    for (uint32_t t = 0; t < program->thread_count; t++)
        base_text_print(c.text, "<text class=\"head\" x=\"%d\" y=\"32\">thread %u</text>\n",
                        LEFT + (int)t * PICTURE_COLUMN + 8, t);
    /* Arrows first: they must not strike out the text of operations on their way. */
    for (uint32_t number = 0; number < c.generated->chain_total; number++) {
        const col_chain *chain = &c.generated->chains[number];
        const col_link *links = c.generated->links + chain->first;
        for (uint32_t i = 1; i < chain->count; i++)
            draw_step(&c, links[i - 1].operation, links[i].operation, number);
    }
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        const spot s = spot_of(&c, o);
        const uint32_t chain = c.chain_of[o];
        base_text_print(c.text, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"",
                        s.x - BOX / 2, s.y - BOX_HEIGHT / 2, BOX, BOX_HEIGHT);
        if (chain != GEN_NO_CHAIN)
            base_text_print(c.text, " stroke=\"hsl(%u,65%%,48%%)\" stroke-width=\"1.5\"",
                            hue_of(chain));
        base_text_print(c.text, "/><text x=\"%d\" y=\"%d\">", s.x - BOX / 2 + 8, s.y + 5);
        prg_operation_write(&c.program->operations[o], c.text);
        base_text_add(c.text, "</text>\n");
    }
    base_text_add(c.text, "</svg>\n");
    free(c.chain_of);
    return base_text_status(text, problem);
}

/* What a program holds, counted in time linear in its operations. */

/* Accesses of one location: those that write, and those that only read. */
typedef struct tally {
    uint64_t reads, writes;
} tally;

static uint64_t pairs(uint64_t count) {
    return count < 2 ? 0 : count * (count - 1) / 2;
}

static uint64_t collisions(const tally *t) {
    return pairs(t->reads + t->writes);
}

static uint64_t conflicts(const tally *t) {
    return collisions(t) - pairs(t->reads);
}

static const tally *tally_of(const tally *tallies, const col_operation *operation) {
    return &tallies[operation->location];
}

static bool is_access(const col_operation *operation) {
    return col_kinds[operation->kind].reads || col_kinds[operation->kind].writes;
}

static void count(tally *tallies, const col_operation *operation) {
    tally *t = &tallies[operation->location];
    if (col_kinds[operation->kind].writes)
        t->writes++;
    else
        t->reads++;
}

/* One thread: `own` is all 0 before and after. */
static void add_thread(gen_statistics *s, const col_operation *operations, uint32_t length,
                       const tally *all, tally *own) {
    for (uint32_t o = 0; o < length; o++)
        if (is_access(&operations[o]))
            count(own, &operations[o]);
    for (uint32_t o = 0; o < length; o++) {
        if (!is_access(&operations[o]))
            continue;
        const tally *mine = tally_of(own, &operations[o]), *whole = tally_of(all, &operations[o]);
        uint64_t races = whole->writes - mine->writes;
        if (col_kinds[operations[o].kind].writes)
            races += whole->reads - mine->reads;
        s->least_races = races < s->least_races ? races : s->least_races;
        s->most_races = races > s->most_races ? races : s->most_races;
    }
    for (uint32_t o = 0; o < length; o++) {
        if (!is_access(&operations[o]))
            continue;
        tally *mine = &own[operations[o].location];
        s->intra_collisions += collisions(mine);
        s->intra_conflicts += conflicts(mine);
        *mine = (tally){0};
    }
}

static void add_program(gen_statistics *s, const col_program *program, tally *all, tally *own) {
    const uint32_t operations = col_program_operations(program);
    const uint64_t intra_collisions = s->intra_collisions, intra_conflicts = s->intra_conflicts;
    if (s->programs++ == 0)
        s->least_races = UINT64_MAX;
    s->operations += operations;
    for (uint32_t o = 0; o < operations; o++) {
        const col_operation *operation = &program->operations[o];
        s->by_kind[operation->kind]++;
        if (is_access(operation)) {
            s->accesses++;
            count(all, operation);
        }
    }
    for (uint32_t t = 0; t < program->thread_count; t++)
        add_thread(s, program->operations + program->thread_start[t],
                   program->thread_start[t + 1] - program->thread_start[t], all, own);
    for (uint32_t l = 0; l < program->location_count; l++) {
        s->inter_collisions += collisions(&all[l]);
        s->inter_conflicts += conflicts(&all[l]);
    }
    /* So far these count all pairs of the program: those within threads go. */
    s->inter_collisions -= s->intra_collisions - intra_collisions;
    s->inter_conflicts -= s->intra_conflicts - intra_conflicts;
}

col_status gen_statistics_add(gen_statistics *s, const col_program *program,
                              const col_generated *generated, col_problem *problem) {
    tally *tallies = calloc(2 * (size_t)program->location_count + 1, sizeof *tallies);
    if (tallies == NULL)
        return base_out_of_memory(problem);
    add_program(s, program, tallies, tallies + program->location_count);
    free(tallies);
    for (uint32_t c = 0; c < COL_CATEGORIES; c++)
        s->chains[c] += generated->chain_counts[c];
    s->fillers += generated->fillers;
    return COL_OK;
}

double gen_statistics_races(const gen_statistics *s) {
    return s->accesses == 0 ? 0 : 2.0 * (double)s->inter_conflicts / (double)s->accesses;
}

/* (set, block) pairs. */
static int compare_placed(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    if (a[0] != b[0])
        return a[0] < b[0] ? -1 : 1;
    return a[1] < b[1] ? -1 : a[1] > b[1];
}

col_status gen_level_pressure(const col_program *program, const col_geometry *geometry,
                              uint32_t level, uint32_t *blocks, col_problem *problem) {
    const size_t count = program->location_count;
    const uint64_t mask = prg_level_mask(&geometry->levels[level]);
    uint64_t(*placed)[2] = malloc((count + 1) * sizeof *placed);
    if (placed == NULL)
        return base_out_of_memory(problem);
    for (size_t l = 0; l < count; l++) {
        placed[l][0] = program->addresses[l] & mask;
        placed[l][1] = program->addresses[l] >> geometry->block_bits;
    }
    qsort(placed, count, sizeof *placed, compare_placed);
    uint32_t in_set = 0;
    *blocks = 0;
    for (size_t l = 0; l < count; l++) {
        const bool same_set = l > 0 && placed[l][0] == placed[l - 1][0];
        const bool same_block = same_set && placed[l][1] == placed[l - 1][1];
        in_set = same_set ? in_set + !same_block : 1;
        *blocks = in_set > *blocks ? in_set : *blocks;
    }
    free(placed);
    return COL_OK;
}

static int compare_falling(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a > b ? -1 : a < b;
}

col_status gen_pattern_write(const col_generated *generated, uint32_t locations, base_text *text,
                             col_problem *problem) {
    uint32_t *sizes = calloc((size_t)generated->set_count + 1, sizeof *sizes);
    if (sizes == NULL)
        return base_out_of_memory(problem);
    for (uint32_t l = 0; l < locations && generated->set_count > 0; l++)
        sizes[generated->set_of[l]]++;
    qsort(sizes, generated->set_count, sizeof *sizes, compare_falling);
    for (uint32_t set = 0; set < generated->set_count; set++)
        base_text_print(text, "%s%u", set > 0 ? "+" : "", sizes[set]);
    free(sizes);
    return base_text_status(text, problem);
}
