/* SPDX-License-Identifier: MIT */
/*
 * The lanes of a failure's picture: what happened to one block. A column for each controller that
 * did something, those of a core beside each other, and time downward. Accesses stand in the lane
 * of the controller beside their core.
 */
#include "base/svg.h"
#include "check/violation.h"
#include "episode/story_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LANES = 10,
    MOST_CORES = 8,
    HEAD = 58, /* the block's name, and those of the controllers */
    ROW = 44,
    BOX = 36,
    GAP = 14, /* between lanes */
    CYCLES = 66,
    NO_MACHINE = UINT32_MAX,
};

typedef struct lane {
    uint32_t machine, controller; /* NO_MACHINE: of a core that has none */
    int x, width;
} lane;

typedef struct diagram {
    const epi_canvas *canvas;
    const epi_story *story;
    const epi_block *block;
    uint32_t notes[EPI_NOTES], note_count;  /* that are shown */
    uint32_t cores[MOST_CORES], core_count; /* that matter; none: all do */
    lane lanes[MOST_LANES];
    uint32_t lane_count;
    int x, y, width;
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

/* ---- What stands in a box. */

typedef struct box_text {
    char upper[128], lower[128];       /* what happened; state and next state, or whose access */
    size_t upper_length, lower_length; /* in characters */
    const char *class;
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
    box->class = note->state == note->next_state ? "box" : "change";
    if (is_wrong || epi_is_edited(s, note))
        box->class = is_wrong ? "wrong" : "edited";
}

static box_text text_of(const diagram *d, const epi_note *note) {
    box_text box = {.class = "box"};
    base_text upper = {0}, lower = {0};
    if (note->kind == COL_TRANSITION || note->kind == COL_PROTOCOL_ERROR) {
        write_transition(d->story, note, &box);
    } else if (note->kind == COL_EVICTION) {
        (void)snprintf(box.upper, sizeof box.upper, "core %u", note->core);
        (void)snprintf(box.lower, sizeof box.lower, "gave it up");
    } else {
        epi_say_operation(d->story, note->operation, &upper);
        epi_say_place(d->story, note->operation, &lower);
        box.class = epi_is_wrong(d->canvas, note->operation) ? "wrong" : "access";
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
    d->width = CYCLES;
    for (uint32_t i = 0; i < d->lane_count; i++) {
        d->lanes[i].x = d->x + d->width;
        d->width += d->lanes[i].width + GAP;
    }
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
                    box.class, own->x, y, own->width, BOX, own->x + 8, y + 15);
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
    measure_lanes(&d);
    const int rows = (int)d.note_count, bottom = y + HEAD + rows * ROW;
    if (draws)
        draw_head(&d, bottom);
    for (int i = 0; i < rows && draws; i++)
        draw_note(&d, (uint32_t)i, y + HEAD + i * ROW + (ROW - BOX) / 2);
    const int title = title_width(&d);
    return (epi_size){d.width > title ? d.width : title, HEAD + rows * ROW};
}
