/* SPDX-License-Identifier: MIT */
/*
 * The threads of a failure's picture: a column for each, its operations from the top, and the cycle
 * as arrows. Arrows run in gutters between the columns, each in a lane of its own, and far ones
 * above all columns: they cross each other, but never a box or a label.
 */
#include "base/plural.h"
#include "base/svg.h"
#include "check/violation.h"
#include "episode/story_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL_PROGRAM = 40, /* of this many operations all are shown */
    MOST_FOCUS = 32,
    MOST_ITEMS = 4 * MOST_FOCUS + SMALL_PROGRAM,
    MOST_COLUMNS = 10,
    MOST_ARROWS = MOST_FOCUS,
    MOST_ACCESSES = 4, /* to the block of an error */

    HEAD = 24,
    SPACE = 12,       /* between boxes */
    ARROW_SPACE = 38, /* with an arrow and its label between them */
    LINE_BOX = 24,    /* a box of one line */
    LINE_MORE = 15,   /* each further one */
    LANE = 12,        /* between arrows side by side */
    LEAST_ZONE = 16,  /* beside a box: room for an arrow's head, or for its label */
    PORT = 14,        /* where arrows leave boxes, from the top, and reach them, from below */
};
/* Of its own: beside it, the others would not be of type int for every compiler. */
enum { NONE = UINT32_MAX };

typedef struct item {
    uint32_t operation; /* NONE: some that are not shown */
    uint32_t skipped, column;
    int y, height;
    bool is_focus;
} item;

typedef struct arrow {
    uint32_t step, from, to;    /* items */
    bool is_down;               /* to the next box, straight */
    uint32_t leaves, enters;    /* gutters; gutter c is left of column c */
    uint32_t out_lane, in_lane; /* in them */
    uint32_t track;             /* above the columns, if the gutters are not the same */
} arrow;

typedef struct gutter {
    int x, left, right; /* widths of the zones beside the boxes */
    uint32_t lanes;
} gutter;

typedef struct sheet {
    const epi_canvas *canvas;
    const epi_story *story;
    uint32_t focus[MOST_FOCUS], focus_count; /* operations that matter, in order */
    item items[MOST_ITEMS];
    uint32_t item_count;
    uint32_t threads[MOST_COLUMNS], column_count;
    int column_x[MOST_COLUMNS], column_width[MOST_COLUMNS];
    gutter gutters[MOST_COLUMNS + 1];
    arrow arrows[MOST_ARROWS];
    uint32_t arrow_count, tracks;
    int x, y, width, height;
} sheet;

/* ---- Which operations matter. */

static void add_focus(sheet *s, uint32_t operation) {
    uint32_t i = 0;
    while (i < s->focus_count && s->focus[i] < operation)
        i++;
    if (s->focus_count == MOST_FOCUS || (i < s->focus_count && s->focus[i] == operation))
        return;
    memmove(&s->focus[i + 1], &s->focus[i], (s->focus_count - i) * sizeof *s->focus);
    s->focus[i] = operation;
    s->focus_count++;
}

static bool is_focus(const sheet *s, uint32_t operation) {
    for (uint32_t i = 0; i < s->focus_count; i++)
        if (s->focus[i] == operation)
            return true;
    return false;
}

/* The last accesses to the block that an error is about. */
static void focus_on_block(sheet *s, const epi_scene *scene) {
    const epi_block *block = epi_story_block(s->story, scene->block);
    uint32_t count = 0;
    for (uint32_t i = block == NULL ? 0 : epi_story_notes(block); i > 0 && count < MOST_ACCESSES;
         i--) {
        const epi_note *note = epi_story_note(s->story, block, i - 1);
        if (note->kind != COL_LOAD_PERFORMED && note->kind != COL_STORE_PERFORMED)
            continue;
        add_focus(s, note->operation);
        count++;
    }
}

static void choose_focus(sheet *s) {
    const epi_finding *f = s->canvas->finding;
    const col_violation *v = s->canvas->ending->violation;
    for (uint32_t m = 0; v != NULL && m < v->mention_count; m++)
        if (chk_is_used(v, m))
            add_focus(s, v->mentions[m].operation);
    for (uint32_t i = 0; i < f->waiting_count; i++)
        add_focus(s, f->waiting[i]);
    for (uint32_t i = 0; v == NULL && i < f->scene_count; i++)
        focus_on_block(s, &f->scenes[i]);
}

/* ---- Boxes. */

static void add_item(sheet *s, uint32_t operation, uint32_t skipped) {
    if (s->item_count < MOST_ITEMS)
        s->items[s->item_count++] = (item){.operation = operation,
                                           .skipped = skipped,
                                           .column = s->column_count - 1,
                                           .is_focus = operation != NONE && is_focus(s, operation)};
}

/* Those that matter and their neighbours; all of a small program. */
static bool is_shown(const sheet *s, uint32_t operation, uint32_t first, uint32_t end) {
    if (col_program_operations(s->story->program) <= SMALL_PROGRAM)
        return true;
    return is_focus(s, operation) || (operation > first && is_focus(s, operation - 1)) ||
           (operation + 1 < end && is_focus(s, operation + 1));
}

static bool has_shown(const sheet *s, uint32_t first, uint32_t end) {
    bool has = false;
    for (uint32_t i = 0; i < s->focus_count; i++)
        has = has || (s->focus[i] >= first && s->focus[i] < end);
    return has || (end > first && col_program_operations(s->story->program) <= SMALL_PROGRAM);
}

static void add_column(sheet *s, uint32_t thread) {
    const uint32_t first = s->story->program->thread_start[thread];
    const uint32_t end = s->story->program->thread_start[thread + 1];
    uint32_t skipped = 0;
    if (s->column_count == MOST_COLUMNS || !has_shown(s, first, end))
        return;
    s->threads[s->column_count++] = thread;
    for (uint32_t i = first; i < end; i++) {
        if (!is_shown(s, i, first, end)) {
            skipped++;
            continue;
        }
        if (skipped > 0)
            add_item(s, NONE, skipped);
        skipped = 0;
        add_item(s, i, 0);
    }
    if (skipped > 0)
        add_item(s, NONE, skipped);
}

static bool is_access(const epi_story *story, uint32_t operation) {
    const col_kind_traits *traits = &col_kinds[story->program->operations[operation].kind];
    return traits->reads || traits->writes;
}

/* Line `line` of a box's text; false: it has no such line. */
static bool say_line(const sheet *s, const item *box, int line, base_text *text) {
    const uint32_t operation = box->operation;
    if (operation == NONE) {
        base_text_print(text, "... %u operation%s ...", box->skipped, base_plural(box->skipped));
        return line == 0;
    }
    const epi_done *done = &s->story->done[operation];
    const uint32_t place = operation - s->story->program->thread_start[s->threads[box->column]];
    if (line == 0)
        epi_say_operation(s->story, operation, text);
    if (line == 1)
        base_text_print(text, "operation %u", place);
    if (line == 1 && done->number > 0)
        base_text_print(text, ", cycle %llu", (unsigned long long)done->cycle);
    else if (line == 1 && is_access(s->story, operation))
        base_text_add(text, ", not performed");
    const bool has_source = col_kinds[s->story->program->operations[operation].kind].reads &&
                            done->number > 0 && epi_sources[done->source] != NULL;
    if (line == 2 && has_source)
        base_text_print(text, "from %s", epi_sources[done->source]);
    return line == 0 || (box->is_focus && (line == 1 || (line == 2 && has_source)));
}

static void measure_item(sheet *s, item *box) {
    int lines = 0;
    for (int line = 0; line < 3; line++) {
        base_text text = {0};
        if (say_line(s, box, line, &text)) {
            const int width =
                16 + (line == 0 ? epi_text_width(text.length) : epi_small_width(text.length));
            int *column = &s->column_width[box->column];
            *column = width > *column ? width : *column;
            lines++;
        }
        base_text_free_part(&text, s->canvas->text);
    }
    box->height = LINE_BOX + (lines - 1) * LINE_MORE;
}

/* ---- Arrows. */

static uint32_t item_of(const sheet *s, uint32_t operation) {
    for (uint32_t i = 0; i < s->item_count; i++)
        if (s->items[i].operation == operation)
            return i;
    return NONE;
}

static void widen(int *zone, const char *label) {
    const int width = epi_text_width(strlen(label)) + 18;
    *zone = width > *zone ? width : *zone;
}

static void route(sheet *s, arrow *a, const char *label) {
    const uint32_t from = s->items[a->from].column, to = s->items[a->to].column;
    a->is_down = from == to && a->to == a->from + 1;
    if (a->is_down)
        return;
    const bool leaves_right = to >= from;
    a->leaves = leaves_right ? from + 1 : from;
    a->enters = to > from ? to : to + 1;
    gutter *out = &s->gutters[a->leaves];
    widen(leaves_right ? &out->left : &out->right, label);
    a->out_lane = out->lanes++;
    a->in_lane = a->out_lane;
    if (a->enters == a->leaves)
        return;
    a->in_lane = s->gutters[a->enters].lanes++;
    a->track = s->tracks++;
}

static void add_arrows(sheet *s) {
    const col_violation *v = s->canvas->ending->violation;
    for (uint32_t i = 0; v != NULL && i < v->step_count && s->arrow_count < MOST_ARROWS; i++) {
        arrow a = {.step = i,
                   .from = item_of(s, v->mentions[v->steps[i].from].operation),
                   .to = item_of(s, v->mentions[v->steps[i].to].operation)};
        if (a.from == NONE || a.to == NONE)
            continue;
        route(s, &a, col_relations[v->steps[i].relation]);
        s->arrows[s->arrow_count++] = a;
    }
}

static bool has_arrow_down(const sheet *s, uint32_t box) {
    for (uint32_t i = 0; i < s->arrow_count; i++)
        if (s->arrows[i].is_down && s->arrows[i].from == box)
            return true;
    return false;
}

/* ---- Layout. */

/* A gutter outside the columns is there only if an arrow runs in it. */
static int gutter_width(sheet *s, uint32_t number) {
    gutter *g = &s->gutters[number];
    if (g->lanes == 0 && (number == 0 || number == s->column_count))
        return 0;
    g->left = number > 0 && g->left < LEAST_ZONE ? LEAST_ZONE : g->left;
    g->right = number < s->column_count && g->right < LEAST_ZONE ? LEAST_ZONE : g->right;
    return g->left + g->right + (g->lanes == 0 ? 0 : (int)(g->lanes - 1) * LANE);
}

static void place_columns(sheet *s) {
    int x = s->x;
    for (uint32_t c = 0; c <= s->column_count; c++) {
        s->gutters[c].x = x;
        x += gutter_width(s, c);
        if (c == s->column_count)
            break;
        s->column_x[c] = x;
        x += s->column_width[c];
    }
    s->width = x - s->x;
}

/* Below the threads, in lines as wide as they are; returns the height, drawn or not. */
static int draw_legend(const sheet *s, int y, bool draws) {
    const char *legend = "An arrow leads to what must come later. The thick one leads back in "
                         "time: this should not have happened.";
    int height = 0;
    while (*legend != '\0') {
        const size_t length = base_svg_line(legend, (size_t)s->width / 7);
        height += LINE_MORE;
        if (draws) {
            base_text_print(s->canvas->text, "<text class=\"small\" x=\"%d\" y=\"%d\">", s->x,
                            y + height);
            base_svg_escape(s->canvas->text, legend, length);
            base_text_add(s->canvas->text, "</text>\n");
        }
        legend += length;
        legend += *legend == ' ';
    }
    return height;
}

static void place_items(sheet *s) {
    const int top = s->y + HEAD + (int)s->tracks * LANE + (s->tracks > 0 ? LANE : 0);
    int y = top, bottom = top;
    for (uint32_t i = 0; i < s->item_count; i++) {
        if (i > 0 && s->items[i].column != s->items[i - 1].column)
            y = top;
        s->items[i].y = y;
        y += s->items[i].height;
        bottom = y > bottom ? y : bottom;
        y += has_arrow_down(s, i) ? ARROW_SPACE : SPACE;
    }
    s->height = bottom - s->y;
    if (s->arrow_count > 0)
        s->height += 2 * SPACE + draw_legend(s, 0, false);
}

static void lay_out(sheet *s) {
    choose_focus(s);
    for (uint32_t t = 0; t < s->story->program->thread_count; t++)
        add_column(s, t);
    for (uint32_t c = 0; c < s->column_count; c++)
        s->column_width[c] = epi_text_width(strlen("thread 00")) + 8;
    for (uint32_t i = 0; i < s->item_count; i++)
        measure_item(s, &s->items[i]);
    add_arrows(s);
    place_columns(s);
    place_items(s);
}

/* ---- Drawing. */

static const char *class_of(const sheet *s, const item *box) {
    if (epi_is_wrong(s->canvas, box->operation))
        return "wrong";
    if (is_access(s->story, box->operation) && s->story->done[box->operation].number == 0)
        return "undone";
    return box->is_focus ? "focus" : "box";
}

static void draw_item(const sheet *s, uint32_t i) {
    const item *box = &s->items[i];
    base_text *text = s->canvas->text;
    const int x = s->column_x[box->column], width = s->column_width[box->column];
    const bool has_next = i + 1 < s->item_count && s->items[i + 1].column == box->column;
    if (has_next && !has_arrow_down(s, i))
        base_text_print(text, "<path class=\"rule\" d=\"M%d %d V%d\"/>", x + width / 2,
                        box->y + box->height, s->items[i + 1].y);
    if (box->operation != NONE)
        base_text_print(
            text, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>",
            class_of(s, box), x, box->y, width, box->height);
    for (int line = 0; line < 3; line++) {
        base_text said = {0};
        if (say_line(s, box, line, &said) && said.data != NULL) {
            base_text_print(text, "<text%s x=\"%d\" y=\"%d\">",
                            line > 0 || box->operation == NONE ? " class=\"small\"" : "", x + 8,
                            box->y + 16 + line * LINE_MORE);
            base_svg_escape(text, said.data, said.length);
            base_text_add(text, "</text>\n");
        }
        base_text_free_part(&said, text);
    }
}

static int lane_x(const sheet *s, uint32_t number, uint32_t lane) {
    return s->gutters[number].x + s->gutters[number].left + (int)lane * LANE;
}

static bool is_back(const sheet *s, uint32_t step) {
    for (uint32_t i = 0; i < s->canvas->finding->wrong_count; i++)
        if (s->canvas->finding->wrong[i] == step)
            return true;
    return false;
}

static void draw_down(const sheet *s, const arrow *a, const char *colour, const char *label) {
    const item *from = &s->items[a->from], *to = &s->items[a->to];
    base_text *text = s->canvas->text;
    const int x = s->column_x[from->column] + s->column_width[from->column] / 2;
    const int start = from->y + from->height;
    base_text_print(text, "<path class=\"%s\" stroke=\"%s\" d=\"M%d %d V%d\"/>",
                    is_back(s, a->step) ? "back" : "arrow", colour, x, start,
                    to->y - BASE_SVG_TIP + 1);
    base_svg_tip(text, (base_svg_point){x, to->y}, 0, 1, colour);
    base_text_print(text, "<text class=\"label\" style=\"fill: %s\" x=\"%d\" y=\"%d\">%s</text>\n",
                    colour, x + 8, (start + to->y) / 2 + 4, label);
}

static void draw_routed(const sheet *s, const arrow *a, const char *colour, const char *label) {
    const item *from = &s->items[a->from], *to = &s->items[a->to];
    base_text *text = s->canvas->text;
    const bool leaves_right = a->leaves > from->column, enters_left = a->enters == to->column;
    const int x1 = s->column_x[from->column] + (leaves_right ? s->column_width[from->column] : 0);
    const int x2 = s->column_x[to->column] + (enters_left ? 0 : s->column_width[to->column]);
    const int y1 = from->y + PORT, y2 = to->y + to->height - PORT + 4;
    const int side = enters_left ? 1 : -1;
    base_text_print(
        text, "<path class=\"%s\" stroke=\"%s\" stroke-linejoin=\"round\" d=\"M%d %d H%d",
        is_back(s, a->step) ? "back" : "arrow", colour, x1, y1, lane_x(s, a->leaves, a->out_lane));
    if (a->enters != a->leaves)
        base_text_print(text, " V%d H%d", s->y + HEAD + (int)a->track * LANE,
                        lane_x(s, a->enters, a->in_lane));
    base_text_print(text, " V%d H%d\"/>", y2, x2 - side * (BASE_SVG_TIP - 1));
    base_svg_tip(text, (base_svg_point){x2, y2}, side, 0, colour);
    const int width = epi_text_width(strlen(label));
    base_text_print(text, "<text class=\"label\" style=\"fill: %s\" x=\"%d\" y=\"%d\">%s</text>\n",
                    colour, leaves_right ? x1 + 5 : x1 - width - 3, y1 - 4, label);
}

static void draw(const sheet *s) {
    for (uint32_t c = 0; c < s->column_count; c++)
        base_text_print(s->canvas->text,
                        "<text class=\"head\" x=\"%d\" y=\"%d\">thread %u</text>\n", s->column_x[c],
                        s->y + 12, s->threads[c]);
    for (uint32_t i = 0; i < s->item_count; i++)
        draw_item(s, i);
    if (s->arrow_count > 0)
        (void)draw_legend(s, s->y + s->height - draw_legend(s, 0, false), true);
    for (uint32_t i = 0; i < s->arrow_count; i++) {
        const col_relation relation =
            s->canvas->ending->violation->steps[s->arrows[i].step].relation;
        if (s->arrows[i].is_down)
            draw_down(s, &s->arrows[i], chk_colours[relation], col_relations[relation]);
        else
            draw_routed(s, &s->arrows[i], chk_colours[relation], col_relations[relation]);
    }
}

epi_size epi_draw_threads(const epi_canvas *canvas, int x, int y, bool draws) {
    sheet *s = calloc(1, sizeof *s);
    if (s == NULL) {
        canvas->text->failed = true;
        return (epi_size){0};
    }
    s->canvas = canvas;
    s->story = canvas->story;
    s->x = x;
    s->y = y;
    lay_out(s);
    if (draws)
        draw(s);
    const epi_size size = {.width = s->width, .height = s->height};
    free(s);
    return size;
}
