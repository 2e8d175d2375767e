/* SPDX-License-Identifier: MIT */
/*
 * Diagrams: see diagram.h. Without a clock each column is a stack, and arrows run in gutters
 * between the columns, each in a lane of its own, and far ones above all columns: they cross each
 * other, but never a box or a label. With a clock every box has a row of its own, and arrows slant
 * from row to row below the boxes.
 */
#include "base/diagram.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEAD = 24,        /* a title or the headings of columns */
    NOTE = 14,        /* what stands below a heading */
    SPACE = 12,       /* between boxes */
    ARROW_SPACE = 38, /* with an arrow and its label between them */
    LINE_BOX = 24,    /* a box of one line */
    LINE_MORE = 15,   /* each further one */
    INDENT = 8,       /* of text in a box */
    LANE = 12,        /* between arrows side by side */
    LEAST_ZONE = 16,  /* beside a box: room for an arrow's head, or for its label */
    PORT = 14, /* where arrows leave boxes, from the top, and about where they reach them, from
                * below: not at one height from both sides */
    TIP = 8,   /* an arrow's head */
    /* With a clock. */
    ROW = 47,
    CLOCK = 66,
    GAP = 14,   /* between columns, at least: labels make it wider */
    HALF = 19,  /* from the top of a box to where arrows meet it */
    SPREAD = 3, /* between arrows that go down side by side */
    /* Of the legend. */
    SWATCH = 28,
    KEY_LINE = 22,
};

/* Classes of the SVG. The colour of an arrow is its own. */
static const struct {
    const char *class, *css;
} styles[BASE_STYLES] = {
    [BASE_PLAIN] = {"box", "fill: #f4f6f9; stroke: #b4bcc9"},
    [BASE_FOCUS] = {"focus", "fill: #ffffff; stroke: #1c2330; stroke-width: 1.5"},
    [BASE_UNDONE] = {"undone", "fill: #ffffff; stroke: #b4bcc9; stroke-dasharray: 4 3"},
    [BASE_CHANGE] = {"change", "fill: #e8f0fc; stroke: #7ea3dc"},
    [BASE_EDITED] = {"edited", "fill: #f1e6fb; stroke: #8e4ec6; stroke-width: 1.5"},
    [BASE_ACCESS] = {"access", "fill: #fdf5dc; stroke: #d3b35a"},
    [BASE_WRONG] = {"wrong", "fill: #fde8e6; stroke: #d0433b; stroke-width: 1.5"},
    [BASE_ARROW] = {"arrow", "fill: none; stroke-width: 1.8"},
    [BASE_BACK] = {"back", "fill: none; stroke-width: 3.6"},
    [BASE_MESSAGE] = {"message", "fill: none; stroke-width: 1.3"},
};
static const char message_colour[] = "#2f7d57";

static const char text_styles[] =
    "text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1c2330 }\n"
    ".title { font: bold 14px system-ui, sans-serif }\n"
    ".said { font: 14px system-ui, sans-serif }\n"
    ".head { font-weight: bold }\n"
    ".small { font-size: 11px; fill: #5b6575 }\n"
    ".paper { fill: #ffffff }\n"
    ".rule { stroke: #dfe3ea; fill: none }\n"
    ".label { font-weight: bold }\n"
    ".letter { font-size: 11px; fill: #1f5f40; paint-order: stroke; stroke: #ffffff; "
    "stroke-width: 3px }\n";

/* Widths of text, a little more than any common font needs: 12px and 11px, monospace. */
static int text_width(size_t characters) {
    return (int)(characters * 15 / 2);
}

static int small_width(size_t characters) {
    return (int)(characters * 7);
}

/* ---- Parts of SVG. */

static void put_escaped(base_text *text, const char *string, size_t length) {
    for (size_t i = 0; i < length; i++) {
        const char c = string[i];
        if (c == '<')
            base_text_add(text, "&lt;");
        else if (c == '>')
            base_text_add(text, "&gt;");
        else if (c == '&')
            base_text_add(text, "&amp;");
        else if (c == '"')
            base_text_add(text, "&quot;");
        else
            base_text_add_bytes(text, c >= ' ' && c < 0x7f ? &c : "?", 1);
    }
}

static void put_text(base_text *text, const char *attributes, int x, int y, const char *string,
                     size_t length) {
    base_text_print(text, "<text%s x=\"%d\" y=\"%d\">", attributes, x, y);
    put_escaped(text, string, length);
    base_text_add(text, "</text>\n");
}

/* The head of an arrow that ends here, going in direction (dx, dy): one of them is 0, the other 1
 * or -1. */
static void put_tip(base_text *text, int x, int y, int dx, int dy, const char *colour) {
    base_text_print(text, "<path fill=\"%s\" d=\"M%d %d l%d %d l%d %d z\"/>\n", colour, x, y,
                    -dx * TIP - dy * TIP / 2, -dy * TIP - dx * TIP / 2, dy * TIP, dx * TIP);
}

size_t base_line_length(const char *string, size_t length, size_t most) {
    if (length <= most)
        return length;
    for (size_t i = most; i > 0; i--)
        if (string[i] == ' ')
            return i;
    return most > 0 ? most : 1; /* of a diagram that memory ran out for, which has no width */
}

/* Sentences, each ended by a newline, over as many lines as they take, unless `text` is NULL;
 * returns how many. */
static int put_sentences(base_text *text, const char *attributes, int x, int y, int line_height,
                         const char *sentences, size_t most) {
    int lines = 0;
    while (*sentences != '\0') {
        const size_t part = base_line_length(sentences, strcspn(sentences, "\n"), most);
        if (text != NULL)
            put_text(text, attributes, x, y + lines * line_height, sentences, part);
        lines++;
        sentences += part;
        sentences += *sentences == ' ' || *sentences == '\n';
    }
    return lines;
}

/* ---- Building. */

enum { COLUMNS, BOXES, ARROWS, LINES };

static bool make_room(base_diagram *d, int which, void *array, size_t count, size_t size) {
    d->failed =
        d->failed || base_reserve(array, &d->capacities[which], count, size, NULL) != COL_OK;
    return !d->failed;
}

void base_diagram_column(base_diagram *d) {
    if (!make_room(d, COLUMNS, &d->columns, (size_t)d->column_count + 2, sizeof *d->columns))
        return;
    d->columns[d->column_count++] = (base_column){.first_line = d->line_count};
    d->columns[d->column_count] = (base_column){0};
    d->is_in_box = false;
}

void base_diagram_box(base_diagram *d, base_box box) {
    if (!make_room(d, BOXES, &d->boxes, (size_t)d->box_count + 1, sizeof *d->boxes))
        return;
    box.first_line = d->line_count;
    d->boxes[d->box_count++] = box;
    d->styles |= 1U << box.style;
    d->is_in_box = true;
}

base_text *base_diagram_line(base_diagram *d) {
    if (!make_room(d, LINES, &d->lines, (size_t)d->line_count + 1, sizeof *d->lines))
        return &d->text;
    d->lines[d->line_count++] = d->text.length;
    if (d->is_in_box)
        d->boxes[d->box_count - 1].line_count++;
    else
        d->columns[d->column_count - 1].line_count++;
    return &d->text;
}

static uint32_t box_with(const base_diagram *d, uint32_t id) {
    for (uint32_t i = 0; i < d->box_count && id != BASE_NO_BOX; i++)
        if (d->boxes[i].id == id)
            return i;
    return BASE_NO_BOX;
}

void base_diagram_arrow(base_diagram *d, uint32_t from, uint32_t to, base_style style,
                        const char *label, const char *colour) {
    const base_arrow arrow = {.from = box_with(d, from),
                              .to = box_with(d, to),
                              .style = style,
                              .label = label,
                              .colour = style == BASE_MESSAGE ? message_colour : colour};
    if (arrow.from == BASE_NO_BOX || arrow.to == BASE_NO_BOX ||
        !make_room(d, ARROWS, &d->arrows, (size_t)d->arrow_count + 1, sizeof *d->arrows))
        return;
    d->arrows[d->arrow_count++] = arrow;
    d->styles |= 1U << style;
}

void base_diagram_free(base_diagram *d) {
    base_text_free(&d->title);
    base_text_free(&d->caption);
    base_text_free(&d->text);
    free(d->columns);
    free(d->boxes);
    free(d->arrows);
    free(d->lines);
    *d = (base_diagram){0};
}

static const char *line_at(const base_diagram *d, uint32_t line, size_t *length) {
    const size_t end = line + 1 < d->line_count ? d->lines[line + 1] : d->text.length;
    *length = end - d->lines[line];
    return d->text.data == NULL ? "" : d->text.data + d->lines[line];
}

/* ---- Layout. */

static void widen(int *width, int least) {
    *width = least > *width ? least : *width;
}

static void measure_box(base_diagram *d, base_box *box) {
    for (uint32_t i = 0; i < box->line_count; i++) {
        size_t length;
        (void)line_at(d, box->first_line + i, &length);
        widen(&d->columns[box->column].width,
              2 * INDENT + (i == 0 ? text_width(length) : small_width(length)));
    }
    box->height = LINE_BOX + ((int)box->line_count - 1) * LINE_MORE;
}

/* Labels stand in the gutter that the arrow leaves through, or with a clock in the one that it
 * comes out of. */
static void route(base_diagram *d, base_arrow *a) {
    const uint32_t from = d->boxes[a->from].column, to = d->boxes[a->to].column;
    if (d->clock != NULL) {
        widen(&d->columns[to + (to < from)].left,
              small_width(strlen(a->label)) + TIP + 4 * SPREAD + 14);
        return;
    }
    a->is_down = from == to && a->to == a->from + 1;
    d->boxes[a->from].has_arrow_down |= a->is_down;
    if (a->is_down)
        return;
    a->leaves = to >= from ? from + 1 : from;
    a->enters = to > from ? to : to + 1;
    base_column *out = &d->columns[a->leaves];
    widen(to >= from ? &out->left : &out->right, text_width(strlen(a->label)) + 18);
    a->out_lane = out->lanes++;
    a->in_lane = a->out_lane;
    if (a->enters == a->leaves)
        return;
    a->in_lane = d->columns[a->enters].lanes++;
    a->track = d->tracks++;
}

/* A gutter outside the columns is there only if an arrow runs in it. */
static int gutter_width(base_diagram *d, uint32_t number) {
    base_column *g = &d->columns[number];
    if (d->clock != NULL)
        return number == 0 ? CLOCK : g->left > GAP ? g->left : GAP;
    if (g->lanes == 0 && (number == 0 || number == d->column_count))
        return 0;
    widen(&g->left, number > 0 ? LEAST_ZONE : 0);
    widen(&g->right, number < d->column_count ? LEAST_ZONE : 0);
    return g->left + g->right + (g->lanes == 0 ? 0 : (int)(g->lanes - 1) * LANE);
}

/* Where the headings of columns stand, and where their boxes begin. */
static int headings_y(const base_diagram *d) {
    return d->title.length > 0 ? HEAD : 0;
}

static int tracks_y(const base_diagram *d) {
    bool has_note = false;
    for (uint32_t c = 0; c < d->column_count; c++)
        has_note |= d->columns[c].line_count > 1;
    return headings_y(d) + HEAD + (has_note ? NOTE : 0);
}

static int put_caption(const base_diagram *d, int x, int y, base_text *text) {
    return LINE_MORE * put_sentences(text, " class=\"small\"", x, y + LINE_MORE, LINE_MORE,
                                     d->caption.data == NULL ? "" : d->caption.data,
                                     (size_t)d->width / 7);
}

void base_diagram_lay_out(base_diagram *d) {
    size_t length;
    if (d->failed)
        return;
    for (uint32_t c = 0; c < d->column_count; c++) {
        (void)line_at(d, d->columns[c].first_line, &length);
        d->columns[c].width = text_width(length) + INDENT;
    }
    for (uint32_t i = 0; i < d->box_count; i++)
        measure_box(d, &d->boxes[i]);
    for (uint32_t i = 0; i < d->arrow_count; i++)
        if (d->arrows[i].style != BASE_BECAUSE)
            route(d, &d->arrows[i]);
    for (uint32_t c = 0; d->column_count > 0 && c <= d->column_count; c++) {
        d->columns[c].gutter = d->width;
        d->columns[c].x = d->width + gutter_width(d, c);
        d->width = d->columns[c].x + d->columns[c].width;
    }
    widen(&d->width, text_width(d->title.length));
    widen(&d->width, d->least_width);
    const int top = tracks_y(d) + (int)d->tracks * LANE + (d->tracks > 0 ? LANE : 0);
    int y = top;
    d->height = top;
    for (uint32_t i = 0; i < d->box_count; i++) {
        base_box *box = &d->boxes[i];
        if (d->clock == NULL && i > 0 && box->column != d->boxes[i - 1].column)
            y = top;
        box->y = y;
        widen(&d->height, box->y + box->height);
        y += d->clock != NULL ? ROW : box->height + (box->has_arrow_down ? ARROW_SPACE : SPACE);
    }
    if (d->caption.length > 0)
        d->height += 2 * SPACE + put_caption(d, 0, 0, NULL);
}

/* ---- Drawing. */

typedef struct canvas {
    const base_diagram *d;
    int x, y;
    base_text *text;
} canvas;

static void draw_column(const canvas *c, uint32_t number) {
    const base_diagram *d = c->d;
    const base_column *column = &d->columns[number];
    const int x = c->x + column->x, y = c->y + headings_y(d) + 12;
    size_t length;
    const char *line = line_at(d, column->first_line, &length);
    put_text(c->text, " class=\"head\"", x, y, line, length);
    if (column->line_count > 1) {
        line = line_at(d, column->first_line + 1, &length);
        put_text(c->text, " class=\"small\"", x, y + NOTE, line, length);
    }
    if (d->clock != NULL)
        base_text_print(c->text, "<path class=\"rule\" d=\"M%d %d V%d\"/>\n", x + column->width / 2,
                        c->y + tracks_y(d) - 4, c->y + d->height);
}

static void draw_box(const canvas *c, uint32_t i) {
    const base_diagram *d = c->d;
    const base_box *box = &d->boxes[i];
    const base_column *column = &d->columns[box->column];
    const int x = c->x + column->x, y = c->y + box->y;
    const bool has_next = i + 1 < d->box_count && d->boxes[i + 1].column == box->column;
    if (d->clock == NULL && has_next && !box->has_arrow_down)
        base_text_print(c->text, "<path class=\"rule\" d=\"M%d %d V%d\"/>\n", x + column->width / 2,
                        y + box->height, c->y + d->boxes[i + 1].y);
    if (d->clock != NULL && (i == 0 || d->boxes[i - 1].time != box->time))
        base_text_print(c->text, "<text class=\"small\" x=\"%d\" y=\"%d\">%llu</text>\n", c->x,
                        y + HALF + 4, (unsigned long long)box->time);
    if (box->style != BASE_BARE)
        base_text_print(c->text,
                        "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
                        "rx=\"5\"/>\n",
                        styles[box->style].class, x, y, column->width, box->height);
    for (uint32_t line = 0; line < box->line_count; line++) {
        size_t length;
        const char *string = line_at(d, box->first_line + line, &length);
        put_text(c->text, line > 0 || box->style == BASE_BARE ? " class=\"small\"" : "", x + INDENT,
                 y + 16 + (int)line * LINE_MORE, string, length);
    }
}

static void begin_arrow(const canvas *c, const base_arrow *a, int x, int y) {
    base_text_print(c->text,
                    "<path class=\"%s\" stroke=\"%s\" stroke-linejoin=\"round\" d=\"M%d %d",
                    styles[a->style].class, a->colour, x, y);
}

static void draw_label(const canvas *c, const base_arrow *a, int x, int y) {
    base_text_print(c->text,
                    "<text class=\"label\" style=\"fill: %s\" x=\"%d\" y=\"%d\">%s</text>\n",
                    a->colour, x, y, a->label);
}

static void draw_down(const canvas *c, const base_arrow *a) {
    const base_box *from = &c->d->boxes[a->from], *to = &c->d->boxes[a->to];
    const base_column *column = &c->d->columns[from->column];
    const int x = c->x + column->x + column->width / 2;
    const int start = c->y + from->y + from->height, end = c->y + to->y;
    begin_arrow(c, a, x, start);
    base_text_print(c->text, " V%d\"/>", end - TIP + 1);
    put_tip(c->text, x, end, 0, 1, a->colour);
    draw_label(c, a, x + 8, (start + end) / 2 + 4);
}

static int lane_x(const canvas *c, uint32_t gutter, uint32_t lane) {
    return c->x + c->d->columns[gutter].gutter + c->d->columns[gutter].left + (int)lane * LANE;
}

static void draw_routed(const canvas *c, const base_arrow *a) {
    const base_box *from = &c->d->boxes[a->from], *to = &c->d->boxes[a->to];
    const base_column *start = &c->d->columns[from->column], *end = &c->d->columns[to->column];
    const bool leaves_right = a->leaves > from->column, enters_left = a->enters == to->column;
    const int x1 = c->x + start->x + (leaves_right ? start->width : 0);
    const int x2 = c->x + end->x + (enters_left ? 0 : end->width);
    const int y1 = c->y + from->y + PORT,
              y2 = c->y + to->y + to->height - PORT + (enters_left ? 4 : 8);
    const int side = enters_left ? 1 : -1;
    begin_arrow(c, a, x1, y1);
    base_text_print(c->text, " H%d", lane_x(c, a->leaves, a->out_lane));
    if (a->enters != a->leaves)
        base_text_print(c->text, " V%d H%d", c->y + tracks_y(c->d) + (int)a->track * LANE,
                        lane_x(c, a->enters, a->in_lane));
    base_text_print(c->text, " V%d H%d\"/>", y2, x2 - side * (TIP - 1));
    put_tip(c->text, x2, y2, side, 0, a->colour);
    draw_label(c, a, leaves_right ? x1 + 5 : x1 - text_width(strlen(a->label)) - 3, y1 - 4);
}

/* Slanting to the gutter beside the column, then level to the box. Boxes are drawn over it. */
static void draw_slanted(const canvas *c, uint32_t i) {
    const base_diagram *d = c->d;
    const base_arrow *a = &d->arrows[i];
    const base_box *from = &d->boxes[a->from], *to = &d->boxes[a->to];
    const base_column *start = &d->columns[from->column], *end = &d->columns[to->column];
    const bool to_right = to->column > from->column;
    const int side = to_right ? 1 : -1, spread = (int)(i % 4) * SPREAD + 2;
    const int x1 = c->x + start->x + (to_right ? start->width : 0);
    const int x2 = c->x + end->x + (to_right ? 0 : end->width);
    const base_column *gap = &d->columns[to->column + !to_right];
    const int bend = x2 - side * (gap->x - gap->gutter - spread);
    const int y1 = c->y + from->y + HALF, y2 = c->y + to->y + HALF;
    begin_arrow(c, a, x1, y1);
    base_text_print(c->text, " L%d %d L%d %d H%d\"/>", x1 + side * spread, y1, bend, y2,
                    x2 - side * (TIP - 1));
    put_tip(c->text, x2, y2, side, 0, a->colour);
    put_text(c->text, " class=\"letter\"", to_right ? bend + 4 : x2 + TIP + 2, y2 - 5, a->label,
             strlen(a->label));
}

void base_diagram_draw(const base_diagram *d, int x, int y, base_text *text) {
    const canvas c = {.d = d, .x = x, .y = y, .text = text};
    text->failed =
        text->failed || d->failed || d->text.failed || d->title.failed || d->caption.failed;
    if (text->failed)
        return;
    if (d->title.length > 0)
        put_text(text, " class=\"head\"", x, y + 12, d->title.data, d->title.length);
    if (d->clock != NULL)
        put_text(text, " class=\"small\"", x, y + headings_y(d) + 12, d->clock, strlen(d->clock));
    for (uint32_t i = 0; i < d->column_count; i++)
        draw_column(&c, i);
    for (uint32_t i = 0; i < d->arrow_count && d->clock != NULL; i++)
        draw_slanted(&c, i);
    for (uint32_t i = 0; i < d->box_count; i++)
        draw_box(&c, i);
    for (uint32_t i = 0; i < d->arrow_count && d->clock == NULL; i++) {
        const base_arrow *a = &d->arrows[i];
        if (a->is_down)
            draw_down(&c, a);
        else if (a->style != BASE_BECAUSE)
            draw_routed(&c, a);
    }
    (void)put_caption(d, x, y + d->height - put_caption(d, 0, 0, NULL), text);
}

/* ---- Graphviz. */

static void put_quoted(base_text *text, const char *string, size_t length) {
    for (size_t i = 0; i < length; i++) {
        const char c = string[i];
        if (c == '"' || c == '\\')
            base_text_add(text, "\\");
        base_text_add_bytes(text, c >= ' ' && c < 0x7f ? &c : "?", 1);
    }
}

/* The boxes of a column from `first` on; returns the end of them. */
static uint32_t put_cluster(const base_diagram *d, uint32_t first, base_text *text) {
    const uint32_t column = d->boxes[first].column;
    uint32_t end = first;
    size_t length;
    const char *line = line_at(d, d->columns[column].first_line, &length);
    base_text_print(text, "  subgraph cluster_%u {\n    label=\"", column);
    put_quoted(text, line, length);
    base_text_add(text, "\";\n");
    for (; end < d->box_count && d->boxes[end].column == column; end++) {
        base_text_print(text, "    o%u [label=\"", d->boxes[end].id);
        for (uint32_t i = 0; i < d->boxes[end].line_count; i++) {
            line = line_at(d, d->boxes[end].first_line + i, &length);
            base_text_add(text, i == 0 ? "" : "\\n");
            put_quoted(text, line, length);
        }
        base_text_add(text, "\"];\n");
    }
    for (uint32_t i = first; i + 1 < end; i++)
        base_text_print(text, "    o%u -> o%u [style=invis];\n", d->boxes[i].id,
                        d->boxes[i + 1].id);
    base_text_add(text, "  }\n");
    return end;
}

void base_diagram_dot(const base_diagram *d, const char *name, const char *title, base_text *text) {
    text->failed = text->failed || d->failed || d->text.failed;
    if (text->failed)
        return;
    base_text_print(text, "digraph %s {\n  label=\"", name);
    put_quoted(text, title, strlen(title));
    base_text_add(text, "\";\n"
                        "  labelloc=t;\n"
                        "  node [shape=box, style=rounded, fontname=monospace];\n"
                        "  edge [fontname=monospace];\n");
    for (uint32_t i = 0; i < d->box_count;)
        i = put_cluster(d, i, text);
    for (uint32_t i = 0; i < d->arrow_count; i++) {
        const base_arrow *a = &d->arrows[i];
        const bool is_because = a->style == BASE_BECAUSE;
        /* Only arrows down a column may place boxes; any other would pull them out of order. */
        const bool is_free =
            is_because || a->from >= a->to || d->boxes[a->from].column != d->boxes[a->to].column;
        base_text_print(text, "  o%u -> o%u [label=\"%s\", color=\"%s\", fontcolor=\"%s\"%s%s];\n",
                        d->boxes[a->from].id, d->boxes[a->to].id, a->label, a->colour, a->colour,
                        is_because ? ", style=dotted" : "", is_free ? ", constraint=false" : "");
    }
    base_text_add(text, "}\n");
}

/* ---- The page. */

void base_page_open(int width, int height, const char *title, base_text *text) {
    base_text_print(text,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                    "height=\"%d\" role=\"img\">\n<title>",
                    width, height, width, height);
    put_escaped(text, title, strlen(title));
    base_text_print(text, "</title>\n<style>\n%s", text_styles);
    for (int i = 0; i < BASE_STYLES; i++)
        if (styles[i].class != NULL)
            base_text_print(text, ".%s { %s }\n", styles[i].class, styles[i].css);
    base_text_print(text, "</style>\n<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n", width,
                    height);
}

int base_page_heading(const char *title, const char *sentences, int width, base_text *text) {
    enum { LINE = BASE_PAGE_LINE, X = BASE_PAGE_MARGIN, Y = BASE_PAGE_MARGIN + 12 };
    const size_t room = (size_t)(width - 2 * BASE_PAGE_MARGIN);
    const int lines = put_sentences(text, " class=\"title\"", X, Y, LINE, title, room / 9);
    return LINE * (lines + put_sentences(text, " class=\"said\"", X, Y + lines * LINE, LINE,
                                         sentences, room * 2 / 15));
}

static void put_swatch(base_text *text, base_style style, int x, int y) {
    if (style == BASE_MESSAGE) {
        base_text_print(text, "<path class=\"message\" stroke=\"%s\" d=\"M%d %d H%d\"/>",
                        message_colour, x, y + 7, x + SWATCH - TIP);
        put_tip(text, x + SWATCH, y + 7, 1, 0, message_colour);
    } else {
        base_text_print(
            text, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"14\" rx=\"3\"/>\n",
            styles[style].class, x, y, SWATCH);
    }
}

int base_page_legend(uint32_t in_use, const char *const meanings[BASE_STYLES], int x, int y,
                     int width, base_text *text) {
    int at = 0, lines = 1;
    for (int i = 0; i < BASE_STYLES; i++) {
        if ((in_use >> i & 1) == 0 || meanings[i] == NULL)
            continue;
        const int own = SWATCH + 8 + small_width(strlen(meanings[i])) + 24;
        if (at > 0 && at + own > width) {
            at = 0;
            lines++;
        }
        const int top = y + (lines - 1) * KEY_LINE;
        if (text != NULL) {
            put_swatch(text, (base_style)i, x + at, top);
            put_text(text, " class=\"small\"", x + at + SWATCH + 8, top + 11, meanings[i],
                     strlen(meanings[i]));
        }
        at += own;
    }
    return lines * KEY_LINE;
}
