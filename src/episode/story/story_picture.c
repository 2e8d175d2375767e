/* SPDX-License-Identifier: MIT */
/*
 * The story of a failure as a picture: above what broke, on the left the threads with the cycle, on
 * the right what happened to the blocks. It has a light background of its own, so that its colours
 * are right in any viewer.
 */
#include "base/diagram.h"
#include "episode/story/story.h"
#include "judge/violation.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

/* What telling goes by. */
typedef struct view {
    const epi_story *story;
    const epi_ending *ending;
    const epi_finding *finding;
} view;

/* ---- Threads: a column for each, with its operations that matter and their neighbours. */

enum { SMALL_PROGRAM = 40 }; /* of this many operations all are shown */

/* The last accesses to the block that an error is about. */
static void mark_accesses(const view *v, const epi_scene *scene, bool *matters) {
    enum { MOST_ACCESSES = 4 };
    const epi_block *block = epi_story_block(v->story, scene->block);
    uint32_t count = 0;
    for (uint32_t i = block == NULL ? 0 : epi_story_notes(block); i > 0 && count < MOST_ACCESSES;
         i--) {
        const epi_note *note = epi_story_note(block, i - 1);
        if (note->kind != COL_LOAD_PERFORMED && note->kind != COL_STORE_PERFORMED)
            continue;
        matters[note->operation] = true;
        count++;
    }
}

static void mark_operations(const view *v, bool *matters) {
    const epi_finding *f = v->finding;
    const col_violation *violation = v->ending->violation;
    for (uint32_t m = 0; violation != NULL && m < violation->mention_count; m++)
        if (chk_is_used(violation, m))
            matters[violation->mentions[m].operation] = true;
    for (uint32_t i = 0; i < f->waiting_count; i++)
        matters[f->waiting[i]] = true;
    for (uint32_t i = 0; violation == NULL && i < f->scene_count; i++)
        mark_accesses(v, &f->scenes[i], matters);
}

static void add_operation(const view *v, base_diagram *d, uint32_t operation, uint32_t place,
                          bool matters) {
    const epi_story *s = v->story;
    const col_kind_traits *traits = &col_kinds[s->program->operations[operation].kind];
    const epi_done *done = &s->done[operation];
    const bool is_undone = (traits->reads || traits->writes) && done->number == 0;
    const base_style style = epi_is_wrong(v->ending, v->finding, operation) ? BASE_WRONG
                             : is_undone                                    ? BASE_UNDONE
                             : matters                                      ? BASE_FOCUS
                                                                            : BASE_PLAIN;
    base_diagram_box(d, (base_box){.id = operation, .column = d->column_count - 1, .style = style});
    epi_say_operation(s, operation, base_diagram_line(d));
    if (!matters)
        return;
    base_text *line = base_diagram_line(d);
    base_text_print(line, "operation %u", place);
    if (done->number > 0)
        base_text_print(line, ", cycle %llu", (unsigned long long)done->cycle);
    base_text_add(line, is_undone ? ", not performed" : "");
    if (traits->reads && done->number > 0 && epi_sources[done->source] != NULL)
        base_text_print(base_diagram_line(d), "from %s", epi_sources[done->source]);
}

static void add_skipped(base_diagram *d, uint32_t *count) {
    if (*count == 0)
        return;
    base_diagram_box(
        d, (base_box){.id = BASE_NO_BOX, .column = d->column_count - 1, .style = BASE_BARE});
    base_text_print(base_diagram_line(d), "... %u operation%s ...", *count, base_plural(*count));
    *count = 0;
}

static void add_thread(const view *v, base_diagram *d, uint32_t thread, const bool *matters) {
    const col_program *program = v->story->program;
    const uint32_t first = program->thread_start[thread], end = program->thread_start[thread + 1];
    const bool shows_all = col_program_operations(program) <= SMALL_PROGRAM;
    uint32_t skipped = 0;
    bool is_shown = shows_all && end > first;
    for (uint32_t i = first; i < end; i++)
        is_shown |= matters[i];
    if (!is_shown)
        return;
    base_diagram_column(d);
    base_text_print(base_diagram_line(d), "thread %u", thread);
    for (uint32_t i = first; i < end; i++) {
        const bool is_neighbour = (i > first && matters[i - 1]) || (i + 1 < end && matters[i + 1]);
        if (!shows_all && !matters[i] && !is_neighbour) {
            skipped++;
            continue;
        }
        add_skipped(d, &skipped);
        add_operation(v, d, i, i - first, matters[i]);
    }
    add_skipped(d, &skipped);
}

static void make_threads(const view *v, base_diagram *d) {
    const col_program *program = v->story->program;
    bool *matters = calloc((size_t)col_program_operations(program) + 1, sizeof *matters);
    d->failed = matters == NULL;
    if (matters == NULL)
        return;
    mark_operations(v, matters);
    for (uint32_t t = 0; t < program->thread_count; t++)
        add_thread(v, d, t, matters);
    free(matters);
    if (v->ending->violation == NULL || v->ending->violation->step_count == 0)
        return;
    base_text_add(&d->caption, "An arrow leads to what must come later.");
    base_text_add(&d->caption, v->finding->wrong_count == 0
                                   ? "\n"
                                   : " The thick one leads back in time: this should not have "
                                     "happened.\n");
    chk_draw_steps(v->ending->violation, v->finding->wrong, v->finding->wrong_count, d);
}

/* ---- Lanes: what happened to one block. A column for each controller that did something, those of
 * a core beside each other, and time downward. Accesses stand in the lane of the controller beside
 * their core. */

enum { MOST_LANES = 10 };

typedef struct lane {
    uint32_t machine, controller; /* COL_OF_CORE: of a core that has none */
} lane;

typedef struct lanes {
    const view *view;
    const epi_story *story;
    const epi_block *block;
    epi_row rows[EPI_SCENE_NOTES]; /* that are shown */
    uint32_t row_count;
    epi_cores cores; /* that matter */
    lane lanes[MOST_LANES];
    uint32_t lane_count;
} lanes;

static bool is_transition(const epi_note *note) {
    return note->kind == COL_TRANSITION || note->kind == COL_PROTOCOL_ERROR;
}

static bool is_of_controller(const epi_note *note) {
    return is_transition(note) || note->kind == COL_POINT;
}

static lane lane_of(const epi_story *s, const epi_note *note) {
    if (note->kind == COL_MESSAGE_SENT)
        return (lane){.machine = COL_OF_BUS, .controller = note->controller};
    if (is_of_controller(note))
        return (lane){.machine = note->machine, .controller = note->controller};
    const bool has_cache = s->nearest < s->design->machine_count &&
                           s->design->machines[s->nearest].controllers > note->core;
    return (lane){.machine = has_cache ? s->nearest : COL_OF_CORE, .controller = note->core};
}

static bool is_of_core(const epi_story *s, lane l) {
    return l.machine == COL_OF_CORE ||
           (l.machine < s->design->machine_count && s->design->machines[l.machine].is_private);
}

/* Cores first, each with its own controllers from the core on; then what they share. */
static bool comes_before(const epi_story *s, lane a, lane b) {
    const bool a_core = is_of_core(s, a), b_core = is_of_core(s, b);
    if (a_core != b_core)
        return a_core;
    if (a_core && a.controller != b.controller)
        return a.controller < b.controller;
    if (a.machine != b.machine)
        return a.machine < b.machine;
    return a.controller < b.controller;
}

static uint32_t find_lane(const lanes *d, lane l) {
    uint32_t i = 0;
    while (i < d->lane_count &&
           (d->lanes[i].machine != l.machine || d->lanes[i].controller != l.controller))
        i++;
    return i;
}

/* False: there are too many. */
static bool add_lane(lanes *d, lane l) {
    if (find_lane(d, l) < d->lane_count)
        return true;
    if (d->lane_count == MOST_LANES)
        return false;
    uint32_t i = d->lane_count++;
    for (; i > 0 && comes_before(d->story, l, d->lanes[i - 1]); i--)
        d->lanes[i] = d->lanes[i - 1];
    d->lanes[i] = l;
    return true;
}

static bool matters(const lanes *d, lane l) {
    for (uint32_t i = 0; i < d->cores.count && is_of_core(d->story, l); i++)
        if (d->cores.cores[i] == l.controller)
            return true;
    return d->cores.count == 0 || !is_of_core(d->story, l);
}

static bool is_shown(const void *context, const epi_note *note) {
    const lanes *d = context;
    return matters(d, lane_of(d->story, note));
}

/* From the last row back, while there are lanes. */
static void choose_rows(lanes *d, const epi_scene *scene, uint32_t most) {
    const uint32_t count = epi_scene_rows(d->story, d->view->ending, scene, is_shown, d, d->rows);
    uint32_t first = count;
    while (first > 0 && count - first < most &&
           add_lane(d, lane_of(d->story, d->rows[first - 1].note)))
        first--;
    d->row_count = count - first;
    memmove(d->rows, d->rows + first, d->row_count * sizeof *d->rows);
}

static void add_columns(const lanes *d, base_diagram *diagram) {
    const epi_story *s = d->story;
    for (uint32_t i = 0; i < d->lane_count; i++) {
        const lane l = d->lanes[i];
        char name[EPI_NAME];
        base_diagram_column(diagram);
        if (l.machine == COL_OF_CORE) {
            base_text_print(base_diagram_line(diagram), "core %u", l.controller);
            continue;
        }
        if (l.machine == COL_OF_BUS) {
            base_text_print(base_diagram_line(diagram), "bus %u", l.controller);
            continue;
        }
        base_text_add(base_diagram_line(diagram),
                      epi_controller_name(s, l.machine, l.controller, name));
        if (is_of_core(s, l))
            base_text_print(base_diagram_line(diagram), "core %u", l.controller);
    }
}

static base_style style_of(const view *v, const epi_note *note) {
    if (note->kind == COL_PROTOCOL_ERROR)
        return BASE_WRONG;
    if (note->kind == COL_POINT)
        return BASE_PLAIN;
    if (note->kind == COL_MESSAGE_SENT)
        return BASE_CHANGE;
    if (note->kind == COL_TRANSITION)
        return epi_is_edited(v->story, note)     ? BASE_EDITED
               : note->state == note->next_state ? BASE_PLAIN
                                                 : BASE_CHANGE;
    const bool performs = note->kind == COL_LOAD_PERFORMED || note->kind == COL_STORE_PERFORMED;
    return performs && epi_is_wrong(v->ending, v->finding, note->operation) ? BASE_WRONG
                                                                            : BASE_ACCESS;
}

/* A box has room for some words in a line. */
static void say_in_lines(const char *words, base_diagram *diagram) {
    enum { WIDTH = 34, MOST = 4 };
    for (int i = 0; i < MOST && *words != '\0'; i++) {
        size_t length = strlen(words);
        if (length > WIDTH)
            for (length = WIDTH; length > 1 && words[length] != ' ';)
                length--;
        base_text_add_bytes(base_diagram_line(diagram), words, length);
        words += length + strspn(words + length, " ");
    }
}

/* What happened; state and next state, or whose access. */
static void add_note(const lanes *d, uint32_t row, base_diagram *diagram) {
    const epi_story *s = d->story;
    const epi_note *note = d->rows[row].note;
    char state[EPI_NAME], next[EPI_NAME], event[EPI_NAME];
    base_diagram_box(diagram, (base_box){.id = row,
                                         .column = find_lane(d, lane_of(s, note)),
                                         .style = style_of(d->view, note),
                                         .time = note->cycle});
    base_text *line = base_diagram_line(diagram);
    if (d->rows[row].times > 1) {
        base_text_count(line, d->rows[row].times);
        base_text_add(line, " times ");
    }
    if (is_transition(note)) {
        base_text_add(line, epi_event_name(s, note->machine, note->event, event));
        line = base_diagram_line(diagram);
        base_text_add(line, epi_state_name(s, note->machine, note->state, state));
        if (note->kind == COL_PROTOCOL_ERROR)
            base_text_add(line, ": went wrong");
        else
            base_text_print(line, " -> %s%s",
                            epi_state_name(s, note->machine, note->next_state, next),
                            epi_is_edited(s, note) ? " (edited)" : "");
    } else if (note->kind == COL_POINT) {
        epi_say_point(s, note, line);
        base_text_add(base_diagram_line(diagram), "cover");
    } else if (note->kind == COL_MESSAGE_SENT) {
        base_text_add(line, note->machine == COL_OF_BUS ? "asks" : "is answered");
        say_in_lines(epi_name_of(&s->names, note->event), diagram);
    } else if (note->kind == COL_EVICTION) {
        base_text_print(line, "core %u", note->core);
        base_text_add(base_diagram_line(diagram), "gave it up");
    } else if (note->kind == COL_LOAD_BOUND || note->kind == COL_LOAD_SQUASHED) {
        prg_operation_write(&s->program->operations[note->operation], line);
        base_text_add(base_diagram_line(diagram),
                      note->kind == COL_LOAD_BOUND ? "gets its value, waits" : "is squashed");
    } else {
        epi_say_operation(s, note->operation, line);
        epi_say_place(s, note->operation, base_diagram_line(diagram));
    }
}

/* The row of the controller's transition that an event is a part of: it is told after the event, in
 * the same cycle. */
static uint32_t row_of(const lanes *d, lane who, uint64_t number, uint64_t cycle) {
    for (uint32_t i = 0; i < d->row_count; i++) {
        const epi_note *n = d->rows[i].note;
        if (is_transition(n) && n->machine == who.machine && n->controller == who.controller &&
            n->number > number && n->cycle == cycle)
            return i;
    }
    return BASE_NO_BOX;
}

/* Messages between the transitions that are shown. */
static void add_messages(const lanes *d, base_diagram *diagram) {
    for (uint32_t i = 0; i < epi_story_messages(d->block); i++) {
        const epi_message *l = epi_story_message(d->block, i);
        const lane from = {.machine = l->machine, .controller = l->controller};
        const lane to = {.machine = l->to_machine, .controller = l->to_controller};
        if (l->received_number > 0 && find_lane(d, from) != find_lane(d, to))
            base_diagram_arrow(diagram, row_of(d, from, l->sent_number, l->sent),
                               row_of(d, to, l->received_number, l->received), BASE_MESSAGE,
                               epi_name_of(&d->story->names, l->name), NULL);
    }
}

/* Without columns if there is nothing to show. */
static void make_lanes(const view *v, const epi_scene *scene, uint32_t most_rows,
                       base_diagram *diagram) {
    lanes d = {.view = v, .story = v->story, .block = epi_story_block(v->story, scene->block)};
    if (d.block == NULL)
        return;
    d.cores = epi_story_cores(v->story, v->ending, scene->block);
    choose_rows(&d, scene, most_rows);
    if (d.row_count == 0)
        return;
    diagram->clock = "cycle";
    base_text_add(&diagram->title, "block ");
    epi_say_block(v->story, d.block->address, &diagram->title);
    base_text_add(&diagram->title, d.cores.count > 0 ? ", without what other cores did" : "");
    add_columns(&d, diagram);
    for (uint32_t i = 0; i < d.row_count; i++)
        add_note(&d, i, diagram);
    add_messages(&d, diagram);
}

/* ---- The page. */

/* Of hardware, a box of a controller is a cover point, and one that is blue an access at the pins.
 */
static const char *const meanings[2][BASE_STYLES] = {
    {
        [BASE_CHANGE] = "transition to another state",
        [BASE_PLAIN] = "transition to the same state",
        [BASE_ACCESS] = "what a core did",
        [BASE_EDITED] = "transition that the design error changed",
        [BASE_WRONG] = "what should not have happened",
        [BASE_MESSAGE] = "message, from where it was sent to where it was taken",
    },
    {
        [BASE_CHANGE] = "what a bus asks memory, and its answer",
        [BASE_PLAIN] = "cover point that was hit, of any block",
        [BASE_ACCESS] = "what a core did",
        [BASE_WRONG] = "what should not have happened",
    },
};
void epi_story_picture(const epi_story *story, const epi_ending *ending, base_text *text) {
    enum { MARGIN = BASE_PAGE_MARGIN, LINE = BASE_PAGE_LINE, BETWEEN = 44, LEAST_WIDTH = 720 };
    static const uint32_t most_rows[EPI_MOST_BLOCKS] = {20, 10};
    epi_finding finding;
    epi_story_find(story, ending, &finding);
    const view v = {story, ending, &finding};
    base_diagram threads = {0}, scenes[EPI_MOST_BLOCKS] = {{0}};
    base_text sentences = {0};
    int right = 0, below = 0; /* the width and the height of the scenes */
    uint32_t styles = 0;
    const char *const *said_of = meanings[story->is_hardware];
    epi_say_wrong(story, ending->violation, &finding, &sentences);
    const char *said = sentences.data == NULL ? "" : sentences.data;
    make_threads(&v, &threads);
    base_diagram_lay_out(&threads);
    for (uint32_t i = 0; i < finding.scene_count; i++) {
        make_lanes(&v, &finding.scenes[i], most_rows[i], &scenes[i]);
        base_diagram_lay_out(&scenes[i]);
        right = scenes[i].width > right ? scenes[i].width : right;
        below += scenes[i].height > 0 ? scenes[i].height + LINE : 0;
        styles |= scenes[i].styles;
    }
    const int legend = below > 0 ? base_page_legend(styles, said_of, 0, 0, right, NULL) : 0;
    const int left = threads.width + (threads.width > 0 && right > 0 ? BETWEEN : 0);
    int width = 2 * MARGIN + left + right;
    width = width < LEAST_WIDTH ? LEAST_WIDTH : width;
    const int top = MARGIN + base_page_heading(finding.axiom, said, width, NULL) + LINE;
    const int height = threads.height > below + legend ? threads.height : below + legend;
    base_page_open(width, top + height + MARGIN, finding.axiom, text);
    (void)base_page_heading(finding.axiom, said, width, text);
    base_diagram_draw(&threads, MARGIN, top, text);
    for (uint32_t i = 0, y = 0; i < finding.scene_count; i++) {
        base_diagram_draw(&scenes[i], MARGIN + left, top + (int)y, text);
        y += scenes[i].height > 0 ? (uint32_t)(scenes[i].height + LINE) : 0;
        base_diagram_free(&scenes[i]);
    }
    if (legend > 0)
        (void)base_page_legend(styles, said_of, MARGIN + left, top + below, right, text);
    base_text_add(text, "</svg>\n");
    base_diagram_free(&threads);
    base_text_free_part(&sentences, text);
    text->failed = text->failed || story->failed;
}
