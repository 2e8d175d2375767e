/* SPDX-License-Identifier: MIT */
/*
 * The lanes of a failure's picture: what happened to one block. A column for each controller that
 * did something, those of a core beside each other, and time downward. Accesses stand in the lane
 * of the controller beside their core.
 */
#include "base/svg.h"
#include "check/violation.h"
#include "episode/story_parts.h"
#include "program/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LANES = 10,
    MOST_CORES = 8,
    HEAD = 58, /* the block's name, and those of the controllers */
    ROW = 44,
    BOX = 36,
    GAP = 14,   /* between lanes, at least: labels of messages make it wider */
    HALF = 18,  /* from the top of a box to where arrows meet it */
    SPREAD = 3, /* between arrows that go down side by side */
    MOST_ARROWS = EPI_LETTERS,
    CYCLES = 66,
};
/* Of its own: beside it, the others would not be of type int for every compiler. */
enum { NO_MACHINE = UINT32_MAX };

typedef struct lane {
    uint32_t machine, controller; /* NO_MACHINE: of a core that has none */
    int x, width;
    int gap; /* on its left */
} lane;

/* A message, from the row of the transition that sent it to that of the one that took it. */
typedef struct arrow {
    uint32_t from, to;           /* rows */
    uint32_t from_lane, to_lane; /* they differ */
    const char *name;
} arrow;

typedef struct diagram {
    const epi_canvas *canvas;
    const epi_story *story;
    const epi_block *block;
    uint32_t notes[EPI_NOTES], note_count;  /* that are shown */
    uint32_t cores[MOST_CORES], core_count; /* that matter; none: all do */
    lane lanes[MOST_LANES];
    uint32_t lane_count;
    arrow arrows[MOST_ARROWS];
    uint32_t arrow_count;
    int x, y, width;
    int right; /* the gap behind the last lane */
} diagram;

/* ---- Which lane. */

static lane lane_of(const epi_story *s, const epi_note *note) {
    if (note->kind == COL_TRANSITION || note->kind == COL_PROTOCOL_ERROR)
        return (lane){.machine = note->machine, .controller = note->controller};
    if (s->nearest < s->design->machine_count &&
        s->design->machines[s->nearest].controllers > note->core)
        return (lane){.machine = s->nearest, .controller = note->core};
    return (lane){.machine = NO_MACHINE, .controller = note->core};
}

static bool is_of_core(const epi_story *s, const lane *l) {
    return l->machine == NO_MACHINE || s->design->machines[l->machine].is_private;
}

/* Cores first, each with its own controllers from the core on; then what they share. */
static bool comes_before(const epi_story *s, const lane *a, const lane *b) {
    const bool a_core = is_of_core(s, a), b_core = is_of_core(s, b);
    if (a_core != b_core)
        return a_core;
    if (a_core && a->controller != b->controller)
        return a->controller < b->controller;
    if (a->machine != b->machine)
        return a->machine < b->machine;
    return a->controller < b->controller;
}

static uint32_t find_lane(const diagram *d, const lane *l) {
    uint32_t i = 0;
    while (i < d->lane_count &&
           (d->lanes[i].machine != l->machine || d->lanes[i].controller != l->controller))
        i++;
    return i;
}

/* False: there are too many. */
static bool add_lane(diagram *d, lane l) {
    if (find_lane(d, &l) < d->lane_count)
        return true;
    if (d->lane_count == MOST_LANES)
        return false;
    uint32_t i = d->lane_count++;
    for (; i > 0 && comes_before(d->story, &l, &d->lanes[i - 1]); i--)
        d->lanes[i] = d->lanes[i - 1];
    d->lanes[i] = l;
    return true;
}

/* ---- Which notes. With many cores the block is of interest to others too, but not their doings to
 * the reader: the cores that matter are those of the cycle, and of who wrote and replaced what they
 * saw. */

static void add_core(diagram *d, uint32_t core) {
    for (uint32_t i = 0; i < d->core_count; i++)
        if (d->cores[i] == core)
            return;
    if (d->core_count < MOST_CORES)
        d->cores[d->core_count++] = core;
}

static void add_core_of(diagram *d, uint32_t operation) {
    if (operation != COL_INITIAL)
        add_core(d, col_program_thread_of(d->story->program, operation));
}

static void choose_cores(diagram *d) {
    const col_violation *v = d->canvas->ending->violation;
    for (uint32_t m = 0; v != NULL && m < v->mention_count; m++) {
        const uint32_t operation = v->mentions[m].operation;
        const col_operation *o = &d->story->program->operations[operation];
        if (!col_kinds[o->kind].located || !chk_is_used(v, m) ||
            epi_story_block_of(d->story, o->location) != d->block->address)
            continue;
        add_core_of(d, operation);
        if (!col_kinds[o->kind].reads)
            continue;
        const uint64_t word = epi_returned(d->story, operation);
        add_core_of(d, epi_writer_of(d->story, o->location, word));
        add_core_of(d, epi_replacer_of(d->story, o->location, word));
        add_core_of(d, epi_newest_before(d->story, o->location, d->story->done[operation].number));
    }
    if (d->canvas->story->wrong.kind == COL_PROTOCOL_ERROR)
        d->core_count = 0;
}

static bool matters(const diagram *d, const lane *l) {
    for (uint32_t i = 0; i < d->core_count && is_of_core(d->story, l); i++)
        if (d->cores[i] == l->controller)
            return true;
    return d->core_count == 0 || !is_of_core(d->story, l);
}

/* From the last note back, while there are lanes. */
static void choose_notes(diagram *d, const epi_scene *scene, uint32_t most) {
    for (uint32_t i = epi_story_notes(d->block); i > 0 && d->note_count < most; i--) {
        const epi_note *note = epi_story_note(d->story, d->block, i - 1);
        const lane l = lane_of(d->story, note);
        if (!epi_is_told(scene, note) || !matters(d, &l))
            continue;
        if (!add_lane(d, l))
            break;
        d->notes[d->note_count++] = i - 1;
    }
    for (uint32_t i = 0; i < d->note_count / 2; i++) {
        const uint32_t other = d->note_count - 1 - i, kept = d->notes[i];
        d->notes[i] = d->notes[other];
        d->notes[other] = kept;
    }
}

static const epi_note *note_at(const diagram *d, uint32_t i) {
    return epi_story_note(d->story, d->block, d->notes[i]);
}

/* ---- Messages between the transitions that are shown. */

/* The row of the controller's transition that an event is a part of: it is told after the event, in
 * the same cycle. */
static uint32_t row_of(const diagram *d, lane who, uint64_t number, uint64_t cycle) {
    uint32_t i = 0;
    for (; i < d->note_count; i++) {
        const epi_note *n = note_at(d, i);
        if ((n->kind == COL_TRANSITION || n->kind == COL_PROTOCOL_ERROR) &&
            n->machine == who.machine && n->controller == who.controller && n->number > number &&
            n->cycle == cycle)
            break;
    }
    return i;
}

static void choose_arrows(diagram *d) {
    for (uint32_t i = 0; i < epi_story_letters(d->block); i++) {
        const epi_letter *l = epi_story_letter(d->story, d->block, i);
        const lane from = {.machine = l->machine, .controller = l->controller};
        const lane to = {.machine = l->to_machine, .controller = l->to_controller};
        const arrow a = {.from = row_of(d, from, l->sent_number, l->sent),
                         .to = row_of(d, to, l->received_number, l->received),
                         .from_lane = find_lane(d, &from),
                         .to_lane = find_lane(d, &to),
                         .name = epi_name_of(&d->story->names, l->name)};
        if (l->received_number > 0 && a.from < d->note_count && a.to < d->note_count &&
            a.from_lane != a.to_lane)
            d->arrows[d->arrow_count++] = a;
    }
}

/* ---- What stands in a box. */

const char *const epi_marks[EPI_MARKS] = {
    [EPI_CHANGE] = "change", [EPI_SAME] = "box",    [EPI_ACCESS] = "access",
    [EPI_EDITED] = "edited", [EPI_WRONG] = "wrong", [EPI_MESSAGE] = "message",
};

typedef struct box_text {
    char upper[128], lower[128];       /* what happened; state and next state, or whose access */
    size_t upper_length, lower_length; /* in characters */
    epi_mark mark;
} box_text;

static void take_text(base_text *from, char to[128], base_text *picture) {
    (void)snprintf(to, 128, "%s", from->data == NULL ? "" : from->data);
    base_text_free_part(from, picture);
}

static void write_transition(const epi_story *s, const epi_note *note, box_text *box) {
    char state[EPI_NAME], next[EPI_NAME], event[EPI_NAME];
    const bool is_wrong = note->kind == COL_PROTOCOL_ERROR;
    (void)epi_state_name(s, note->machine, note->state, state);
    (void)epi_state_name(s, note->machine, note->next_state, next);
    (void)snprintf(box->upper, sizeof box->upper, "%s",
                   epi_event_name(s, note->machine, note->event, event));
    if (is_wrong)
        (void)snprintf(box->lower, sizeof box->lower, "%.60s: went wrong", state);
    else
        (void)snprintf(box->lower, sizeof box->lower, "%.50s -> %.50s%s", state, next,
                       epi_is_edited(s, note) ? " (edited)" : "");
    box->mark = note->state == note->next_state ? EPI_SAME : EPI_CHANGE;
    if (is_wrong || epi_is_edited(s, note))
        box->mark = is_wrong ? EPI_WRONG : EPI_EDITED;
}

static box_text text_of(const diagram *d, const epi_note *note) {
    box_text box = {.mark = EPI_SAME};
    base_text upper = {0}, lower = {0};
    if (note->kind == COL_TRANSITION || note->kind == COL_PROTOCOL_ERROR) {
        write_transition(d->story, note, &box);
    } else if (note->kind == COL_EVICTION) {
        (void)snprintf(box.upper, sizeof box.upper, "core %u", note->core);
        (void)snprintf(box.lower, sizeof box.lower, "gave it up");
        box.mark = EPI_ACCESS;
    } else if (note->kind == COL_LOAD_BOUND || note->kind == COL_LOAD_SQUASHED) {
        prg_operation_write(&d->story->program->operations[note->operation], &upper);
        take_text(&upper, box.upper, d->canvas->text);
        (void)snprintf(box.lower, sizeof box.lower, "%s",
                       note->kind == COL_LOAD_BOUND ? "gets its value, waits" : "is squashed");
        box.mark = EPI_ACCESS;
    } else {
        epi_say_operation(d->story, note->operation, &upper);
        epi_say_place(d->story, note->operation, &lower);
        box.mark = epi_is_wrong(d->canvas, note->operation) ? EPI_WRONG : EPI_ACCESS;
        take_text(&upper, box.upper, d->canvas->text);
        take_text(&lower, box.lower, d->canvas->text);
    }
    box.upper_length = strlen(box.upper);
    box.lower_length = strlen(box.lower);
    return box;
}

/* ---- Measuring and drawing. */

static void name_lane(const diagram *d, const lane *l, char name[EPI_NAME], char below[EPI_NAME]) {
    below[0] = '\0';
    if (l->machine == NO_MACHINE) {
        (void)snprintf(name, EPI_NAME, "core %u", l->controller);
        return;
    }
    (void)epi_controller_name(d->story, l->machine, l->controller, name);
    if (d->story->design->machines[l->machine].is_private)
        (void)snprintf(below, EPI_NAME, "core %u", l->controller);
}

static void measure_lanes(diagram *d) {
    char name[EPI_NAME], below[EPI_NAME];
    for (uint32_t i = 0; i < d->lane_count; i++) {
        name_lane(d, &d->lanes[i], name, below);
        d->lanes[i].width = epi_text_width(strlen(name)) + 8;
    }
    for (uint32_t i = 0; i < d->note_count; i++) {
        const epi_note *note = note_at(d, i);
        const lane l = lane_of(d->story, note);
        lane *own = &d->lanes[find_lane(d, &l)];
        const box_text box = text_of(d, note);
        const int upper = epi_text_width(box.upper_length) + 16;
        const int lower = epi_small_width(box.lower_length) + 16;
        own->width = upper > own->width ? upper : own->width;
        own->width = lower > own->width ? lower : own->width;
    }
}

/* Labels stand in the gap that their arrow comes out of. */
static void place_lanes(diagram *d) {
    for (uint32_t i = 0; i < d->lane_count; i++)
        d->lanes[i].gap = i == 0 ? 0 : GAP;
    d->right = GAP;
    for (uint32_t i = 0; i < d->arrow_count; i++) {
        const arrow *a = &d->arrows[i];
        const uint32_t beside = a->to_lane + (a->to_lane < a->from_lane);
        int *gap = beside < d->lane_count ? &d->lanes[beside].gap : &d->right;
        const int width = epi_small_width(strlen(a->name)) + BASE_SVG_TIP + 4 * SPREAD + 14;
        *gap = width > *gap ? width : *gap;
    }
    d->width = CYCLES;
    for (uint32_t i = 0; i < d->lane_count; i++) {
        d->width += d->lanes[i].gap;
        d->lanes[i].x = d->x + d->width;
        d->width += d->lanes[i].width;
    }
    d->width += d->right;
}

static int row_y(const diagram *d, uint32_t row) {
    return d->y + HEAD + (int)row * ROW + (ROW - BOX) / 2;
}

/* Slanting to the lane's gap, then level to the box. Boxes are drawn over it. */
static void draw_arrow(const diagram *d, uint32_t i) {
    base_text *text = d->canvas->text;
    const arrow *a = &d->arrows[i];
    const lane *from = &d->lanes[a->from_lane], *to = &d->lanes[a->to_lane];
    const bool to_right = a->to_lane > a->from_lane;
    const int side = to_right ? 1 : -1, spread = (int)(i % 4) * SPREAD + 2;
    const int x1 = to_right ? from->x + from->width : from->x;
    const int x2 = to_right ? to->x : to->x + to->width;
    const uint32_t beside = a->to_lane + !to_right;
    const int gap = beside < d->lane_count ? d->lanes[beside].gap : d->right;
    const int y1 = row_y(d, a->from) + HALF, y2 = row_y(d, a->to) + HALF;
    const int bend = x2 - side * (gap - spread);
    const int label = to_right ? bend + 4 : x2 + BASE_SVG_TIP + 2;
    base_text_print(text, "<path class=\"message\" d=\"M%d %d L%d %d L%d %d H%d\"/>", x1, y1,
                    x1 + side * spread, y1, bend, y2, x2 - side * (BASE_SVG_TIP - 1));
    base_svg_tip(text, (base_svg_point){x2, y2}, side, 0, EPI_MESSAGE_COLOUR);
    base_text_print(text, "<text class=\"letter\" x=\"%d\" y=\"%d\">", label, y2 - 5);
    base_svg_escape(text, a->name, strlen(a->name));
    base_text_add(text, "</text>\n");
}

static void say_title(const diagram *d, base_text *text) {
    base_text_add(text, "block ");
    epi_say_block(d->story, d->block->address, text);
    if (d->core_count > 0)
        base_text_add(text, ", without what other cores did");
}

static int title_width(const diagram *d) {
    base_text title = {0};
    say_title(d, &title);
    const int width = epi_text_width(title.length);
    base_text_free_part(&title, d->canvas->text);
    return width;
}

static void draw_head(const diagram *d, int bottom) {
    base_text *text = d->canvas->text;
    char name[EPI_NAME], below[EPI_NAME];
    base_text_print(text, "<text class=\"head\" x=\"%d\" y=\"%d\">", d->x, d->y + 12);
    say_title(d, text);
    base_text_print(text, "</text>\n<text class=\"small\" x=\"%d\" y=\"%d\">cycle</text>\n", d->x,
                    d->y + 36);
    for (uint32_t i = 0; i < d->lane_count; i++) {
        const lane *l = &d->lanes[i];
        const int middle = l->x + l->width / 2;
        name_lane(d, l, name, below);
        base_text_print(text, "<text class=\"head\" x=\"%d\" y=\"%d\">", l->x, d->y + 36);
        base_svg_escape(text, name, strlen(name));
        base_text_print(text, "</text><text class=\"small\" x=\"%d\" y=\"%d\">%s</text>\n", l->x,
                        d->y + 50, below);
        base_text_print(text, "<path class=\"rule\" d=\"M%d %d V%d\"/>\n", middle, d->y + HEAD,
                        bottom);
    }
}

static void draw_note(const diagram *d, uint32_t i, int y) {
    base_text *text = d->canvas->text;
    const epi_note *note = note_at(d, i);
    const lane l = lane_of(d->story, note);
    const lane *own = &d->lanes[find_lane(d, &l)];
    const box_text box = text_of(d, note);
    if (i == 0 || note_at(d, i - 1)->cycle != note->cycle)
        base_text_print(text, "<text class=\"small\" x=\"%d\" y=\"%d\">%llu</text>\n", d->x,
                        y + BOX / 2 + 4, (unsigned long long)note->cycle);
    base_text_print(text,
                    "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>"
                    "<text x=\"%d\" y=\"%d\">",
                    epi_marks[box.mark], own->x, y, own->width, BOX, own->x + 8, y + 15);
    base_svg_escape(text, box.upper, box.upper_length);
    base_text_print(text, "</text><text class=\"small\" x=\"%d\" y=\"%d\">", own->x + 8, y + 30);
    base_svg_escape(text, box.lower, box.lower_length);
    base_text_add(text, "</text>\n");
}

epi_size epi_draw_lanes(const epi_canvas *canvas, const epi_scene *scene, uint32_t most_rows, int x,
                        int y, bool draws) {
    diagram d = {.canvas = canvas,
                 .story = canvas->story,
                 .block = epi_story_block(canvas->story, scene->block),
                 .x = x,
                 .y = y};
    if (d.block == NULL)
        return (epi_size){0};
    choose_cores(&d);
    choose_notes(&d, scene, most_rows);
    if (d.note_count == 0)
        return (epi_size){0};
    choose_arrows(&d);
    measure_lanes(&d);
    place_lanes(&d);
    const int rows = (int)d.note_count, bottom = y + HEAD + rows * ROW;
    if (draws)
        draw_head(&d, bottom);
    for (uint32_t i = 0; i < d.arrow_count && draws; i++)
        draw_arrow(&d, i);
    for (uint32_t i = 0; i < d.note_count && draws; i++)
        draw_note(&d, i, row_y(&d, i));
    const int title = title_width(&d);
    epi_size size = {.width = d.width > title ? d.width : title, .height = HEAD + rows * ROW};
    for (uint32_t i = 0; i < d.note_count; i++)
        size.marks |= 1U << text_of(&d, note_at(&d, i)).mark;
    size.marks |= d.arrow_count > 0 ? 1U << EPI_MESSAGE : 0;
    return size;
}
