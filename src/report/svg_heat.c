/* SPDX-License-Identifier: MIT */
/*
 * A protocol's table as a heat map: states by events, the darker the more often a transition was
 * taken, by the logarithm. Lightness alone carries it, so that print in black and white does, too.
 */
#include "base/plural.h"
#include "report/escape.h"
#include "report/svg_frame.h"

#include <math.h>

enum { CELL_WIDTH = 30, CELL_HEIGHT = 19, MOST_TOLD = 20, LEGEND = 46 };

/* Where the table is. */
typedef struct table_place {
    double left, top;
} table_place;

/* The least and the most that a transition was taken, of those that were. */
typedef struct hit_range {
    uint64_t least, most;
} hit_range;

static hit_range range_of(const rep_protocol *protocol) {
    hit_range range = {UINT64_MAX, 0};
    for (size_t i = 0; i < protocol->cell_count; i++) {
        const uint64_t hits = protocol->cells[i].hits;
        if (hits > 0 && hits < range.least)
            range.least = hits;
        if (hits > range.most)
            range.most = hits;
    }
    return range.most == 0 ? (hit_range){1, 1} : range;
}

/* 0 to 1. */
static double heat_of(uint64_t hits, hit_range range) {
    return range.least == range.most ? 1
                                     : log((double)hits / (double)range.least) /
                                           log((double)range.most / (double)range.least);
}

static void add_colour(base_text *text, double heat) {
    static const double light[3] = {226, 237, 248}, dark[3] = {8, 48, 107};
    base_text_add(text, "#");
    for (int i = 0; i < 3; i++)
        base_text_print(text, "%02x", (unsigned)lround(light[i] + (dark[i] - light[i]) * heat));
}

/* At most four characters: 123, 12k, 4M. */
static void add_count(base_text *text, uint64_t count) {
    static const char units[] = {'k', 'M', 'G', 'T', 'P', 'E'};
    int unit = -1;
    while (count >= 1000) {
        count /= 1000;
        unit++;
    }
    base_text_number(text, count);
    if (unit >= 0)
        base_text_add_bytes(text, &units[unit], 1);
}

static void add_rectangle(base_text *text, double x, double y, double width) {
    REP_SVG_PUT(text, "<path d=\"M@ @h@v@h@z\"", x, y, width, CELL_HEIGHT - 2, -width);
}

static void add_number(base_text *text, double x, double y, uint64_t count, const char *colour) {
    base_text said = {0};
    add_count(&said, count);
    rep_svg_put_label(text,
                      (rep_svg_label){.x = x + CELL_WIDTH / 2.0 - 1,
                                      .y = y + CELL_HEIGHT / 2.0 + 2.5,
                                      .size = 9.5,
                                      .anchor = "middle",
                                      .colour = colour},
                      said.data == NULL ? "" : said.data);
    base_text_free_part(&said, text);
}

/* A transition that nothing reached: it could be reached here, or in other tests and caches, or
 * never. */
typedef enum reach { OUT_OF_REACH, ELSEWHERE, HERE } reach;

static reach reach_of(const rep_protocol_cell *cell) {
    if (cell->reachable == 0 || cell->excluded != NULL)
        return OUT_OF_REACH;
    return cell->here == 0 ? ELSEWHERE : HERE;
}

static void add_empty(base_text *text, double x, double y, reach is) {
    enum { WIDTH = CELL_WIDTH - 2, DOWN = CELL_HEIGHT - 2 };
    add_rectangle(text, x, y, WIDTH);
    if (is != OUT_OF_REACH) {
        base_text_add(text, is == HERE
                                ? " fill=\"#ffffff\" stroke=\"#d55e00\" stroke-width=\"1.6\"/>\n"
                                : " fill=\"#ffffff\" stroke=\"#d55e00\" stroke-width=\"1\""
                                  " stroke-dasharray=\"3 2\"/>\n");
        add_number(text, x, y, 0, "#b04a00");
        return;
    }
    base_text_add(text, " fill=\"#ffffff\" stroke=\"#bbbbbb\"/>\n");
    REP_SVG_PUT(text, "<path d=\"M@ @l@ @M@ @l@ @\" stroke=\"#bbbbbb\"/>\n", x, y, WIDTH, DOWN, x,
                y + DOWN, WIDTH, -DOWN);
}

static void add_cell(base_text *text, const rep_protocol_cell *cell, hit_range range, double x,
                     double y) {
    if (cell->hits == 0) {
        add_empty(text, x, y, reach_of(cell));
        return;
    }
    const double heat = heat_of(cell->hits, range);
    add_rectangle(text, x, y, CELL_WIDTH - 2);
    base_text_add(text, " fill=\"");
    add_colour(text, heat);
    base_text_add(text, "\"/>\n");
    add_number(text, x, y, cell->hits, heat > 0.62 ? "#ffffff" : "#000000");
}

static void add_names(base_text *text, const rep_protocol *protocol, table_place at) {
    for (uint32_t i = 0; i < protocol->state_count; i++)
        rep_svg_put_label(text,
                          (rep_svg_label){.x = at.left - 6,
                                          .y = at.top + i * CELL_HEIGHT + CELL_HEIGHT / 2.0 + 3,
                                          .size = 11,
                                          .anchor = "end"},
                          protocol->states[i]);
    for (uint32_t i = 0; i < protocol->event_count; i++)
        rep_svg_put_label(text,
                          (rep_svg_label){.x = at.left + i * CELL_WIDTH + CELL_WIDTH / 2.0 + 3,
                                          .y = at.top - 6,
                                          .size = 11,
                                          .is_turned = true},
                          protocol->events[i]);
}

/* Returns how wide it is. */
static double add_amount(base_text *text, double x, double y, uint64_t count, const char *after) {
    base_text said = {0};
    add_count(&said, count);
    base_text_add(&said, after);
    rep_svg_put_label(text, (rep_svg_label){.x = x, .y = y, .size = 12},
                      said.data == NULL ? "" : said.data);
    const double width = rep_svg_width(said.data == NULL ? "" : said.data);
    base_text_free_part(&said, text);
    return width;
}

static bool has_elsewhere_of(const rep_protocol *protocol) {
    for (size_t i = 0; i < protocol->cell_count; i++)
        if (protocol->cells[i].hits == 0 && reach_of(&protocol->cells[i]) == ELSEWHERE)
            return true;
    return false;
}

static void add_legend(base_text *text, hit_range range, bool has_elsewhere, table_place at) {
    enum { STEPS = 16, STEP = 8, GAP = 6 };
    const double y = at.top + 14, line = y + 12;
    double x = at.left;
    x += add_amount(text, x, line, range.least, "") + GAP;
    for (int i = 0; i < STEPS; i++) {
        add_rectangle(text, x + i * STEP, y, STEP + 0.5);
        base_text_add(text, " fill=\"");
        add_colour(text, range.least == range.most ? 1 : i / (STEPS - 1.0));
        base_text_add(text, "\"/>\n");
    }
    x += STEPS * STEP + GAP;
    x += add_amount(text, x, line, range.most, " times") + 4 * GAP;
    add_empty(text, x, y, HERE);
    rep_svg_put_label(text, (rep_svg_label){.x = x + CELL_WIDTH + 4, .y = line, .size = 12},
                      "never");
    x += CELL_WIDTH + 52;
    if (has_elsewhere) {
        add_empty(text, x, y, ELSEWHERE);
        rep_svg_put_label(text, (rep_svg_label){.x = x + CELL_WIDTH + 4, .y = line, .size = 12},
                          "not with these tests");
        x += CELL_WIDTH + 132;
    }
    add_empty(text, x, y, OUT_OF_REACH);
    rep_svg_put_label(text, (rep_svg_label){.x = x + CELL_WIDTH + 4, .y = line, .size = 12},
                      "out of reach");
}

static void describe(const rep_protocol *protocol, base_text *said) {
    uint32_t hit = 0, out = 0, told = 0;
    for (size_t i = 0; i < protocol->cell_count; i++) {
        hit += protocol->cells[i].hits > 0;
        out += protocol->cells[i].hits == 0 && protocol->cells[i].reachable == 0;
    }
    base_text_print(said,
                    "Table of the transitions of %s by states and events. Of %llu transition%s %u "
                    "were taken in %u trial%s, and %u of the others are known to be out of reach.",
                    protocol->machine, (unsigned long long)protocol->cell_count,
                    base_plural(protocol->cell_count), hit, protocol->trials,
                    base_plural(protocol->trials), out);
    for (size_t i = 0; i < protocol->cell_count && told < MOST_TOLD; i++) {
        const rep_protocol_cell *cell = &protocol->cells[i];
        if (cell->hits > 0 || cell->reachable == 0)
            continue;
        base_text_print(said, "%s%s on %s", told == 0 ? " Never taken: " : ", ",
                        protocol->states[cell->state], protocol->events[cell->event]);
        told++;
    }
    if (told > 0)
        base_text_add(said, told == MOST_TOLD ? ", ..." : ".");
}

static double longest(const char *const *names, uint32_t count) {
    double width = 0;
    for (uint32_t i = 0; i < count; i++)
        width = fmax(width, rep_svg_width(names[i]));
    return width;
}

void rep_svg_heat(base_text *text, const rep_plot *plot) {
    const rep_protocol *protocol = plot->protocol;
    const hit_range range = range_of(protocol);
    const double left = REP_SVG_MARGIN + longest(protocol->states, protocol->state_count) + 6;
    const double table = protocol->event_count * (double)CELL_WIDTH;
    const double width =
        fmax(left + table + REP_SVG_MARGIN, left + 450 + (has_elsewhere_of(protocol) ? 160 : 0));
    const double top =
        rep_svg_title_height(plot, width) + longest(protocol->events, protocol->event_count) + 6;
    const double bottom = top + protocol->state_count * (double)CELL_HEIGHT;
    base_text body = {0}, said = {0};
    add_names(&body, protocol, (table_place){left, top});
    for (size_t i = 0; i < protocol->cell_count; i++) {
        const rep_protocol_cell *cell = &protocol->cells[i];
        add_cell(&body, cell, range, left + cell->event * (double)CELL_WIDTH,
                 top + cell->state * (double)CELL_HEIGHT);
    }
    const bool has_elsewhere = has_elsewhere_of(protocol);
    add_legend(&body, range, has_elsewhere, (table_place){left, bottom});
    describe(protocol, &said);
    rep_svg_document(text, plot, width, bottom + LEGEND, &said, &body);
    base_text_free(&body);
    base_text_free(&said);
}
