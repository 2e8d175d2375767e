/* SPDX-License-Identifier: MIT */
/*
 * Violations as pictures: for Graphviz, and drawn here as SVG. Both have a column for each thread,
 * its operations in program order from the top, and an arrow for each step of the cycle.
 */
#include "check/violation.h"

#include "base/svg.h"

#include <stdlib.h>
#include <string.h>

/* Legible on light and on dark paper. */
const char *const chk_colours[COL_RELATION_COUNT] = {
    [COL_PROGRAM_ORDER] = "#7a8494", [COL_FENCED] = "#2e9b5f",        [COL_ACQUIRED] = "#2e9b5f",
    [COL_RELEASED] = "#2e9b5f",      [COL_DEPENDENT] = "#8e5bd0",     [COL_ATOMIC] = "#7a8494",
    [COL_TIMED] = "#2e9b5f",         [COL_SAME_LOCATION] = "#7a8494", [COL_READS_FROM] = "#d0433b",
    [COL_COHERENCE] = "#3b78d0",     [COL_FROM_READ] = "#d98a1f",
};

/* Where a mention stands in the picture. */
typedef struct spot {
    uint32_t mention, thread, place;
    uint32_t column, row;
} spot;

typedef struct picture {
    const col_violation *violation;
    base_text *text;
    spot *spots;       /* of the mentions that are shown, by thread and place */
    uint32_t *spot_of; /* by mention */
    uint32_t count, columns, rows;
    int box;        /* width of an operation */
    int top;        /* of the first row */
    uint32_t lanes; /* that arrows have taken */
} picture;

static int compare_spots(const void *left, const void *right) {
    const spot *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static void arrange(picture *p) {
    const col_violation *violation = p->violation;
    for (uint32_t m = 0; m < violation->mention_count; m++)
        if (chk_is_used(violation, m))
            p->spots[p->count++] = (spot){.mention = m,
                                          .thread = violation->mentions[m].thread,
                                          .place = violation->mentions[m].place};
    if (p->count > 0)
        qsort(p->spots, p->count, sizeof *p->spots, compare_spots);
    for (uint32_t i = 0; i < p->count; i++) {
        const bool begins = i == 0 || p->spots[i].thread != p->spots[i - 1].thread;
        p->columns += begins;
        p->spots[i].column = p->columns - 1;
        p->spots[i].row = begins ? 0 : p->spots[i - 1].row + 1;
        p->rows = p->spots[i].row + 1 > p->rows ? p->spots[i].row + 1 : p->rows;
        p->spot_of[p->spots[i].mention] = i;
    }
}

/* Calls `draw` with the mentions arranged. */
static void with_picture(const col_violation *violation, base_text *text,
                         void (*draw)(picture *p)) {
    picture p = {.violation = violation, .text = text};
    p.spots = calloc((size_t)violation->mention_count + 1, sizeof *p.spots);
    p.spot_of = calloc((size_t)violation->mention_count + 1, sizeof *p.spot_of);
    if (p.spots != NULL && p.spot_of != NULL) {
        arrange(&p);
        draw(&p);
    } else {
        text->failed = true;
    }
    free(p.spots);
    free(p.spot_of);
}

static const col_mention *mention_at(const picture *p, uint32_t i) {
    return &p->violation->mentions[p->spots[i].mention];
}

static void print_thread(const picture *p, const col_mention *mention) {
    base_text_print(p->text, "thread %llu",
                    mention->line > 0 ? (unsigned long long)mention->thread_name : mention->thread);
}

static void print_line(const picture *p, const col_mention *mention) {
    base_text_print(p->text, "%s %u", mention->line > 0 ? "line" : "operation",
                    mention->line > 0 ? mention->line : mention->place);
}

/* ---- Graphviz. */

static void add_quoted(base_text *text, const char *string) {
    for (; *string != '\0'; string++) {
        const char c = *string;
        if (c == '"' || c == '\\')
            base_text_add(text, "\\");
        base_text_add_bytes(text, c >= ' ' && c < 0x7f ? &c : "?", 1);
    }
}

static void print_dot_column(const picture *p, uint32_t first, uint32_t end) {
    const uint32_t column = p->spots[first].column;
    base_text_print(p->text, "  subgraph cluster_%u {\n    label=\"", column);
    print_thread(p, mention_at(p, first));
    base_text_add(p->text, "\";\n");
    for (uint32_t i = first; i < end; i++) {
        base_text_print(p->text, "    o%u [label=\"", mention_at(p, i)->operation);
        add_quoted(p->text, mention_at(p, i)->text);
        base_text_add(p->text, "\\n");
        print_line(p, mention_at(p, i));
        base_text_add(p->text, "\"];\n");
    }
    for (uint32_t i = first; i + 1 < end; i++)
        base_text_print(p->text, "    o%u -> o%u [style=invis];\n", mention_at(p, i)->operation,
                        mention_at(p, i + 1)->operation);
    base_text_add(p->text, "  }\n");
}

static void print_dot_step(const picture *p, const col_step *step) {
    const col_mention *mentions = p->violation->mentions;
    const char *colour = chk_colours[step->relation];
    /* Only steps down a thread may place operations; any other would pull them out of order. */
    const bool is_down = mentions[step->from].thread == mentions[step->to].thread &&
                         mentions[step->from].place < mentions[step->to].place;
    base_text_print(p->text, "  o%u -> o%u [label=\"%s\", color=\"%s\", fontcolor=\"%s\"%s];\n",
                    mentions[step->from].operation, mentions[step->to].operation,
                    col_relations[step->relation], colour, colour,
                    is_down ? "" : ", constraint=false");
    if (step->note != COL_NO_MENTION)
        base_text_print(p->text,
                        "  o%u -> o%u [label=\"because\", color=\"%s\", fontcolor=\"%s\", "
                        "style=dotted, constraint=false];\n",
                        mentions[step->note].operation, mentions[step->to].operation, colour,
                        colour);
}

static void draw_dot(picture *p) {
    base_text_add(p->text, "digraph violation {\n  label=\"");
    add_quoted(p->text, p->violation->reason);
    base_text_add(p->text, "\";\n"
                           "  labelloc=t;\n"
                           "  node [shape=box, style=rounded, fontname=monospace];\n"
                           "  edge [fontname=monospace];\n");
    for (uint32_t i = 0, end; i < p->count; i = end) {
        for (end = i + 1; end < p->count && p->spots[end].column == p->spots[i].column;)
            end++;
        print_dot_column(p, i, end);
    }
    for (uint32_t s = 0; s < p->violation->step_count; s++)
        print_dot_step(p, &p->violation->steps[s]);
    base_text_add(p->text, "}\n");
}

void chk_print_dot(const col_violation *violation, base_text *text) {
    with_picture(violation, text, draw_dot);
}

/* ---- SVG. */

enum {
    MARGIN = 24,
    LINE = 20,     /* of the text above and below */
    CHARACTER = 8, /* its width */
    LEAST_WIDTH = 560,
    BOX_HEIGHT = 46,
    ROW = 104,
    GAP = 150,  /* between columns */
    LABEL = 40, /* from where an arrow leaves a box to its label */
    SHIFT = 9,  /* of arrows to the right up, to the left down: they do not hide each other */
    TIP = BASE_SVG_TIP,
    TURN = 100, /* the width in which an arrow reaches its lane */
    MOST_CHARACTERS = 512,
};

static int picture_width(const picture *p) {
    const int width = 2 * MARGIN + (int)p->columns * (p->box + GAP) - GAP / 3;
    return width < LEAST_WIDTH ? LEAST_WIDTH : width;
}

static int box_width(const picture *p) {
    size_t most = 14;
    for (uint32_t i = 0; i < p->count; i++) {
        const size_t length = strlen(mention_at(p, i)->text);
        most = length > most ? length : most;
    }
    return (int)most * CHARACTER + 24;
}

/* Writes a text over as many lines as it takes, unless `dry`; returns how many. */
static int draw_lines(const picture *p, const char *string, const char *class, int y, bool dry) {
    const size_t most = (size_t)(picture_width(p) - 2 * MARGIN) / CHARACTER;
    int lines = 0;
    while (*string != '\0') {
        const size_t length = base_svg_line(string, most);
        if (!dry) {
            base_text_print(p->text, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, MARGIN,
                            y + lines * LINE);
            base_svg_escape(p->text, string, length);
            base_text_add(p->text, "</text>\n");
        }
        lines++;
        string += length;
        string += *string == ' ';
    }
    return lines;
}

static void open_svg(const picture *p, int height) {
    const int width = picture_width(p);
    base_text_print(p->text,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                    "height=\"%d\" role=\"img\">\n<title>",
                    width, height, width, height);
    base_svg_escape(p->text, p->violation->reason, strlen(p->violation->reason));
    base_text_add(p->text, "</title>\n<style>\n"
                           "svg { background: #ffffff }\n"
                           "text { font: 13px monospace; fill: #1c2330 }\n"
                           "rect { fill: #f1f3f6; stroke: #aab2bf }\n"
                           ".head { font-weight: bold }\n"
                           ".small { font-size: 11px; fill: #7a8494 }\n"
                           ".arrow { fill: none; stroke-width: 2 }\n"
                           ".label { font-weight: bold; text-anchor: middle; stroke: #ffffff; "
                           "stroke-width: 5; paint-order: stroke }\n"
                           "@media (prefers-color-scheme: dark) {\n"
                           "  svg { background: #14181f }\n"
                           "  text { fill: #e7eaf0 }\n"
                           "  rect { fill: #232a35; stroke: #4a5466 }\n"
                           "  .label { stroke: #14181f }\n"
                           "}\n"
                           "</style>\n");
}

static int left_of(const picture *p, const spot *s) {
    return MARGIN + (int)s->column * (p->box + GAP);
}

static int middle_of(const picture *p, const spot *s) {
    return p->top + (int)s->row * ROW + BOX_HEIGHT / 2;
}

static void draw_box(const picture *p, uint32_t i) {
    const spot *s = &p->spots[i];
    const int x = left_of(p, s), y = p->top + (int)s->row * ROW;
    if (s->row == 0) {
        base_text_print(p->text, "<text class=\"head\" x=\"%d\" y=\"%d\">", x, y - 12);
        print_thread(p, mention_at(p, i));
        base_text_add(p->text, "</text>\n");
    }
    base_text_print(p->text,
                    "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/><text x=\"%d\" "
                    "y=\"%d\">",
                    x, y, p->box, BOX_HEIGHT, x + 12, y + 20);
    base_svg_escape(p->text, mention_at(p, i)->text, strlen(mention_at(p, i)->text));
    base_text_print(p->text, "</text><text class=\"small\" x=\"%d\" y=\"%d\">", x + 12, y + 37);
    print_line(p, mention_at(p, i));
    base_text_add(p->text, "</text>\n");
}

/* Where a label goes; labels are drawn last, over boxes and arrows. */
typedef base_svg_point point;

/* Behind its start; level at both ends. */
static void print_curve(const picture *p, point start, point end) {
    const int half = (start.x + end.x) / 2;
    base_text_print(p->text, " C%d %d %d %d %d %d", half, start.y, half, end.y, end.x, end.y);
}

/* From one operation to the next shown one of its thread. */
static point draw_down(const picture *p, const spot *from, const spot *to, const char *colour) {
    const int x = left_of(p, from) + p->box / 2;
    const int y1 = middle_of(p, from) + BOX_HEIGHT / 2, y2 = middle_of(p, to) - BOX_HEIGHT / 2;
    base_text_print(p->text, "<path class=\"arrow\" stroke=\"%s\" d=\"M%d %d V%d\"/>", colour, x,
                    y1, y2 - TIP + 1);
    base_svg_tip(p->text, (point){x, y2}, 0, 1, colour);
    return (point){x, (y1 + y2) / 2 + 4};
}

/* Within a thread, but not to the next one: around them, on the right. */
static point draw_around(const picture *p, const spot *from, const spot *to, const char *colour) {
    const int x = left_of(p, from) + p->box;
    const int up = to->row < from->row ? -1 : 1;
    const int y1 = middle_of(p, from) + up * SHIFT, y2 = middle_of(p, to) - up * SHIFT;
    base_text_print(p->text,
                    "<path class=\"arrow\" stroke=\"%s\" d=\"M%d %d C%d %d %d %d %d %d\"/>", colour,
                    x, y1, x + GAP / 2, y1, x + GAP / 2, y2, x + TIP - 1, y2);
    base_svg_tip(p->text, (point){x, y2}, -1, 0, colour);
    return (point){x + GAP / 2 - 18, (y1 + y2) / 2 + 4};
}

/* Where a curve that is level at both ends is LABEL away from its start. The label stands there,
 * beside the box that the arrow leaves: arrows often cross half-way. */
static point label_of(point start, point end, int side) {
    double low = 0, high = 1;
    for (int i = 0; i < 20; i++) {
        const double t = (low + high) / 2;
        const double gone = 1.5 * t * (1 - t) + t * t * t; /* of the way across */
        if (gone * (end.x - start.x) * side < LABEL)
            low = t;
        else
            high = t;
    }
    const double risen = low * low * (3 - 2 * low);
    return (point){start.x + side * LABEL, start.y + (int)(risen * (end.y - start.y)) + 4};
}

/* Between the rows, in a lane of its own, beside the labels of arrows down. */
static int lane_of(picture *p, const spot *from, const spot *to) {
    enum { FIRST = 15, NEXT = 5, LANES = 3 };
    const uint32_t row = from->row < to->row ? from->row : to->row;
    const uint32_t lane = p->lanes++;
    const int away = FIRST + NEXT * (int)(lane / 2 % LANES);
    return p->top + (int)row * ROW + (BOX_HEIGHT + ROW) / 2 + (lane % 2 == 0 ? -away : away);
}

/* To another thread, level at both ends; to one further on, past the boxes on the way. */
static point draw_across(picture *p, const spot *from, const spot *to, const char *colour) {
    const int side = to->column > from->column ? 1 : -1;
    const point start = {left_of(p, from) + (side > 0 ? p->box : 0),
                         middle_of(p, from) - side * SHIFT};
    const point tip = {left_of(p, to) + (side > 0 ? 0 : p->box), middle_of(p, to) - side * SHIFT};
    const point end = {tip.x - side * (TIP - 1), tip.y};
    const bool is_near = to->column == from->column + 1 || from->column == to->column + 1;
    base_text_print(p->text, "<path class=\"arrow\" stroke=\"%s\" d=\"M%d %d", colour, start.x,
                    start.y);
    point first = end; /* where the first curve ends */
    if (!is_near) {
        first = (point){start.x + side * TURN, lane_of(p, from, to)};
        print_curve(p, start, first);
        base_text_print(p->text, " H%d", end.x - side * TURN);
    }
    print_curve(p, is_near ? start : (point){end.x - side * TURN, first.y}, end);
    base_text_add(p->text, "\"/>");
    base_svg_tip(p->text, tip, side, 0, colour);
    return label_of(start, first, side);
}

static point draw_step(picture *p, const col_step *step) {
    const spot *from = &p->spots[p->spot_of[step->from]], *to = &p->spots[p->spot_of[step->to]];
    const char *colour = chk_colours[step->relation];
    if (from->column != to->column)
        return draw_across(p, from, to, colour);
    return to->row == from->row + 1 ? draw_down(p, from, to, colour)
                                    : draw_around(p, from, to, colour);
}

/* The sentence below the picture for a step that has a reason. */
static void reason_of(const picture *p, const col_step *step, char sentence[MOST_CHARACTERS]) {
    const col_mention *mentions = p->violation->mentions;
    base_text text = {0};
    base_text_print(&text, "%s from '%s' to '%s' because of ", col_relations[step->relation],
                    mentions[step->from].text, mentions[step->to].text);
    chk_print_place(&mentions[step->note], &text);
    base_text_print(&text, ": %s", mentions[step->note].text);
    const size_t length = text.length < MOST_CHARACTERS ? text.length : MOST_CHARACTERS - 1;
    if (text.failed)
        p->text->failed = true;
    else
        memcpy(sentence, text.data, length);
    sentence[text.failed ? 0 : length] = '\0';
    base_text_free(&text);
}

/* Returns the height of the reasons, drawn or not. */
static int draw_reasons(const picture *p, int y, bool dry) {
    const int start = y;
    for (uint32_t s = 0; s < p->violation->step_count; s++) {
        char sentence[MOST_CHARACTERS];
        if (p->violation->steps[s].note == COL_NO_MENTION)
            continue;
        reason_of(p, &p->violation->steps[s], sentence);
        y += LINE * draw_lines(p, sentence, "reason", y, dry);
    }
    return y - start;
}

static void draw_svg(picture *p) {
    p->box = box_width(p);
    p->top = MARGIN + LINE * draw_lines(p, p->violation->reason, "head", 0, true) + 2 * LINE;
    const int rows = (int)p->rows * ROW, space = ROW - BOX_HEIGHT;
    const int bottom = p->top + rows - (p->rows == 1 && p->columns > 2 ? 0 : space);
    open_svg(p, bottom + MARGIN + LINE + draw_reasons(p, 0, true));
    (void)draw_lines(p, p->violation->reason, "head", MARGIN + 12, false);
    /* Arrows first: they must not strike out the text of operations on their way. */
    base_text labels = {0};
    for (uint32_t s = 0; s < p->violation->step_count; s++) {
        const col_step *step = &p->violation->steps[s];
        const point label = draw_step(p, step);
        base_text_print(
            &labels, "<text class=\"label\" style=\"fill: %s\" x=\"%d\" y=\"%d\">%s</text>\n",
            chk_colours[step->relation], label.x, label.y, col_relations[step->relation]);
    }
    for (uint32_t i = 0; i < p->count; i++)
        draw_box(p, i);
    if (labels.length > 0)
        base_text_add_bytes(p->text, labels.data, labels.length);
    base_text_free_part(&labels, p->text);
    (void)draw_reasons(p, bottom + MARGIN + LINE / 2, false);
    base_text_add(p->text, "</svg>\n");
}

void chk_print_svg(const col_violation *violation, base_text *text) {
    with_picture(violation, text, draw_svg);
}
