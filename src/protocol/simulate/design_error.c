/* SPDX-License-Identifier: MIT */
/* Design errors found, checked against a protocol, and put into a design: see design_error.h. */
#include "protocol/simulate/design_error.h"

#include "base/file.h"
#include "base/names.h"
#include "base/number.h"
#include "protocol/simulate/design_show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- From names to numbers. */

/* An error that is checked against a protocol. */
typedef struct check {
    const sim_design_error *wrong;
    const sl_protocol *protocol;
    const sim_system *system;    /* what its tables say now; NULL: what the protocol says */
    col_problem *problem, found; /* `found` has no place yet */
} check;

#define REFUSE(c, place, ...)                                                                      \
    base_refuse_at((c)->problem, (c)->wrong->path, (place).line, (place).column, __VA_ARGS__)

/* Gives what was found wrong, if it was, its place in the file. */
static col_status give_place(const check *c, base_place place, col_status status) {
    if (status != COL_OK)
        (void)REFUSE(c, place, "%s", c->found.message);
    return status;
}

static col_status find_cell(check *c, const sim_error_cell *cell, sim_edit *edit) {
    col_status status =
        sim_find_machine(c->protocol, cell->machine.text, &edit->machine, &c->found);
    if (status == COL_OK) {
        const sl_machine *machine = c->protocol->machines[edit->machine];
        status = sim_find_state(machine, cell->state.text, &edit->state, &c->found);
        if (status == COL_OK)
            status = sim_find_event(machine, cell->event.text, &edit->event, &c->found);
    }
    return give_place(c, cell->machine.place, status);
}

static const sl_cell *cell_in(const sl_cell *cells, const sl_machine *machine,
                              const sim_edit *edit) {
    return &cells[edit->state * machine->event_count + edit->event];
}

static const sl_cell *edited_cell(const sl_machine *machine, const sim_edit *edit) {
    return cell_in(machine->cells, machine, edit);
}

/* The cell as those before it have left it. */
static const sl_cell *cell_now(const check *c, const sim_edit *edit) {
    const sl_machine *machine = c->protocol->machines[edit->machine];
    return cell_in(c->system == NULL ? machine->cells : c->system->cells[edit->machine], machine,
                   edit);
}

/* The cell is a transition, or for a new one it is none. */
static col_status check_cell(const check *c, const sim_error_cell *cell, const sim_edit *found,
                             bool is_new) {
    if (sim_is_transition(cell_now(c, found)) != is_new)
        return COL_OK;
    return REFUSE(c, cell->machine.place, "%s has %s transition from %s by %s%s",
                  cell->machine.text, is_new ? "a" : "no", cell->state.text, cell->event.text,
                  is_new ? " already" : "");
}

static col_status find_next(check *c, const sim_error_word *next, sim_edit *edit) {
    uint32_t state;
    edit->next = SIM_SAME_STATE;
    if (next->text[0] == '\0')
        return COL_OK;
    const sl_machine *machine = c->protocol->machines[edit->machine];
    const sl_cell *cell = cell_now(c, edit);
    const col_status status = sim_find_state(machine, next->text, &state, &c->found);
    if (status != COL_OK)
        return give_place(c, next->place, status);
    if (!edit->added && state == cell->next && (cell->flags & SL_NEXT_BY_FUNCTION) == 0)
        return REFUSE(c, next->place, "the transition leads to %s anyway", next->text);
    edit->next = (int32_t)state;
    return COL_OK;
}

/* ---- Actions. */

/* The cell's, behind those that there are. */
static void add_of_cell(const check *c, sim_cell_change *change, const sl_cell *cell) {
    const uint16_t *list = c->system == NULL
                               ? c->protocol->machines[change->edit.machine]->action_list
                               : c->system->action_lists[change->edit.machine];
    change->edit.has_actions = true;
    for (uint32_t i = 0; i < cell->action_count; i++)
        change->actions[change->edit.action_count++] = list[cell->first_action + i];
}

static col_status add_actions(check *c, const sim_error_words *words, const sl_machine *machine,
                              sim_cell_change *change) {
    change->edit.has_actions = true;
    for (uint32_t i = 0; i < words->count; i++) {
        uint32_t action;
        const col_status status =
            sim_find_action(machine, words->words[i].text, &action, &c->found);
        if (status != COL_OK)
            return give_place(c, words->words[i].place, status);
        change->actions[change->edit.action_count++] = (uint16_t)action;
    }
    return COL_OK;
}

static col_status refuse_action(const check *c, const sim_error_word *word,
                                const sl_machine *machine, const sim_cell_change *change) {
    base_list list = {""};
    for (uint32_t i = 0; i < change->edit.action_count; i++)
        base_list_add(&list, machine->actions[change->actions[i]]);
    return REFUSE(c, word->place,
                  "the transition of %s from %s by %s has no action '%s'; it has %.300s",
                  machine->name, machine->states[change->edit.state],
                  machine->events[change->edit.event], word->text, base_list_text(&list));
}

/* Leaves the first of that name out, for each name. */
static col_status drop_actions(const check *c, const sim_error_words *drop,
                               const sl_machine *machine, sim_cell_change *change) {
    for (uint32_t d = 0; d < drop->count; d++) {
        uint32_t place = 0;
        while (place < change->edit.action_count &&
               strcmp(machine->actions[change->actions[place]], drop->words[d].text) != 0)
            place++;
        if (place == change->edit.action_count)
            return refuse_action(c, &drop->words[d], machine, change);
        change->edit.action_count--;
        memmove(&change->actions[place], &change->actions[place + 1],
                (change->edit.action_count - place) * sizeof change->actions[0]);
    }
    return COL_OK;
}

/* What a new cell does: what it lists, or what another cell of the machine does. */
static col_status set_new(check *c, const sim_error_edit *edit, const sl_machine *machine,
                          sim_cell_change *change) {
    if (edit->actions.said)
        return add_actions(c, &edit->actions, machine, change);
    sim_edit as;
    BASE_TRY(find_cell(c, &edit->as, &as));
    BASE_TRY(check_cell(c, &edit->as, &as, false));
    change->like = *cell_now(c, &as);
    change->edit.like = &change->like;
    const base_place place = edit->as.machine.place;
    if (as.machine != change->edit.machine)
        return REFUSE(c, place, "a cell of %s can do as other cells of %s do", machine->name,
                      machine->name);
    if (change->edit.like->action_count + edit->plus.count > SIM_ERROR_ACTIONS)
        return REFUSE(c, place, "a cell has at most %d actions", SIM_ERROR_ACTIONS);
    BASE_TRY(add_actions(c, &edit->plus, machine, change));
    add_of_cell(c, change, change->edit.like);
    return COL_OK;
}

/* The actions of a cell that there was: those before these, without these, or these alone. */
static col_status set_actions(check *c, const sim_error_edit *edit, const sl_machine *machine,
                              sim_cell_change *change) {
    if (edit->actions.said)
        return add_actions(c, &edit->actions, machine, change);
    if (!edit->drop.said && !edit->plus.said)
        return COL_OK;
    const sl_cell *cell = cell_now(c, &change->edit);
    if (cell->action_count + edit->plus.count > SIM_ERROR_ACTIONS)
        return REFUSE(c, edit->at.machine.place, "a cell has at most %d actions",
                      SIM_ERROR_ACTIONS);
    BASE_TRY(add_actions(c, &edit->plus, machine, change));
    add_of_cell(c, change, cell);
    return drop_actions(c, &edit->drop, machine, change);
}

static col_status find_change(const sim_design_error *wrong, uint32_t edit,
                              const sl_protocol *protocol, const sim_system *system,
                              sim_cell_change *change, col_problem *problem) {
    check c = {.wrong = wrong, .protocol = protocol, .system = system, .problem = problem};
    const sim_error_edit *e = &wrong->edits[edit];
    *change = (sim_cell_change){
        .edit = {.removed = e->is_removed, .added = e->is_new, .next = SIM_SAME_STATE}};
    change->edit.actions = change->actions;
    BASE_TRY(find_cell(&c, &e->at, &change->edit));
    BASE_TRY(check_cell(&c, &e->at, &change->edit, e->is_new));
    BASE_TRY(find_next(&c, &e->next, &change->edit));
    const sl_machine *machine = protocol->machines[change->edit.machine];
    return e->is_new ? set_new(&c, e, machine, change) : set_actions(&c, e, machine, change);
}

col_status sim_design_error_cell(const sim_design_error *wrong, uint32_t edit,
                                 const sl_protocol *protocol, sim_edit *cell,
                                 col_problem *problem) {
    check c = {.wrong = wrong, .protocol = protocol, .problem = problem};
    return find_cell(&c, &wrong->edits[edit].at, cell);
}

col_status sim_design_error_change(const sim_design_error *wrong, uint32_t edit,
                                   const sl_protocol *protocol, sim_cell_change *change,
                                   col_problem *problem) {
    return find_change(wrong, edit, protocol, NULL, change, problem);
}

/* ---- Into the design. */

col_status sim_design_error_wire(const sim_design_error *wrong, const sl_protocol *protocol,
                                 sim_wiring *wiring, col_problem *problem) {
    for (; wrong != NULL; wrong = wrong->next) {
        wiring->core.without |= (uint32_t)wrong->wiring.numbers[SIM_FILE_WITHOUT].value;
        wiring->core.without &= ~wrong->with;
        if (wrong->wiring.machine_count > 0)
            BASE_TRY(sim_design_file_apply_machines(&wrong->wiring, protocol, wiring, problem));
    }
    return COL_OK;
}

/* Everything that the edits of one error name is there. The wiring is checked by trying it. */
static col_status check_edits(const sim_design_error *wrong, const sl_protocol *protocol,
                              col_problem *problem) {
    sim_cell_change change;
    for (uint32_t i = 0; i < wrong->edit_count; i++)
        BASE_TRY(sim_design_error_change(wrong, i, protocol, &change, problem));
    return COL_OK;
}

/* The edits of one error, all of them to what there was before the first. */
static col_status make_edits(const sim_design_error *wrong, sim_system *system,
                             sim_cell_change *changes, col_problem *problem) {
    for (uint32_t i = 0; i < wrong->edit_count; i++)
        BASE_TRY(find_change(wrong, i, system->protocol, system, &changes[i], problem));
    for (uint32_t i = 0; i < wrong->edit_count; i++)
        BASE_TRY(sim_edit_apply(system, &changes[i].edit, problem));
    return COL_OK;
}

col_status sim_design_error_apply(const sim_design_error *wrong, sim_system *system,
                                  col_problem *problem) {
    sim_cell_change *changes = calloc(SIM_ERROR_EDITS, sizeof *changes);
    col_status status = changes == NULL ? base_out_of_memory(problem) : COL_OK;
    for (; wrong != NULL && status == COL_OK; wrong = wrong->next)
        status = make_edits(wrong, system, changes, problem);
    free(changes);
    return status;
}

/* ---- Finding it. */

static bool fits_protocol(const sim_design_error *wrong, const sl_protocol *protocol) {
    return wrong->protocol.text[0] == '\0' || strcmp(wrong->protocol.text, protocol->name) == 0;
}

void sim_design_error_free(sim_design_error *wrong) {
    while (wrong != NULL) {
        sim_design_error *next = wrong->next;
        free(wrong);
        wrong = next;
    }
}

/* Keeps the error, or frees it and passes the status on. */
static col_status keep_if(bool is_kept, sim_design_error **wrong, col_status status) {
    if (!is_kept) {
        sim_design_error_free(*wrong);
        *wrong = NULL;
    }
    return status;
}

static col_status read_path(sim_design_error **wrong, const char *path, col_problem *problem) {
    base_text text = {0};
    sim_design_error *made = calloc(1, sizeof *made);
    *wrong = NULL;
    if (made == NULL)
        return base_out_of_memory(problem);
    col_status status = base_file_read(path, &text, problem);
    if (status == COL_OK)
        status = sim_design_error_parse(made, text.data == NULL ? "" : text.data, text.length, path,
                                        problem);
    base_text_free(&text);
    if (status == COL_OK)
        made->has_file = true;
    *wrong = made;
    return keep_if(status == COL_OK, wrong, status);
}

col_status sim_design_error_read(sim_design_error **wrong, const base_library_file *file,
                                 const sl_protocol *protocol, col_problem *problem) {
    col_status status = read_path(wrong, file->path, problem);
    if (status != COL_OK || *wrong == NULL)
        return status;
    const bool fits = fits_protocol(*wrong, protocol);
    if (fits)
        status = check_edits(*wrong, protocol, problem);
    return keep_if(fits && status == COL_OK, wrong, status);
}

col_status sim_design_error_list(base_library *library, col_problem *problem) {
    static const base_library_place place = {.variable = "COLLIDER_ERRORS",
                                             .source = COLLIDER_SOURCE_ERRORS,
                                             .kind = "errors",
                                             .has_folders = true};
    *library = (base_library){0};
    const col_status status = base_library_add_files(library, &place, problem);
    if (status == COL_OK)
        base_library_sort(library);
    else
        base_library_free(library);
    return status;
}

/* Says which there are for the protocol. */
static col_status refuse_id(const base_library *library, const char *id,
                            const sl_protocol *protocol, col_problem *problem) {
    base_text list = {0};
    const char *last = "";
    base_nearest nearest = {.text = id};
    for (size_t i = 0; i < library->count; i++) {
        sim_design_error *other = NULL;
        if (strcmp(last, library->entries[i].name) != 0)
            (void)sim_design_error_read(&other, &library->entries[i], protocol, NULL);
        if (other == NULL)
            continue;
        last = library->entries[i].name;
        base_nearest_try(&nearest, last);
        base_text_print(&list, "%s%s", list.length == 0 ? "" : "; ", last);
        sim_design_error_free(other);
    }
    const bool is_slip = nearest.word != NULL && nearest.distance == 1 && strlen(id) > 3;
    const col_status status =
        base_refuse(problem, "there is no design error '%.60s' for the protocol %s; %s%.400s%s", id,
                    protocol->name, is_slip ? "did you mean '" : "there are ",
                    is_slip             ? nearest.word
                    : list.data == NULL ? "none"
                                        : list.data,
                    is_slip ? "'?" : "");
    base_text_free(&list);
    return status;
}

/* The first of that ID which fits; else the first, so that the refusal can name its protocol. */
static col_status read_id(sim_design_error **wrong, const base_library *library, const char *id,
                          const sl_protocol *protocol, col_problem *problem) {
    *wrong = NULL;
    for (size_t i = 0; i < library->count; i++) {
        sim_design_error *found;
        if (strcmp(library->entries[i].name, id) != 0)
            continue;
        const col_status status = read_path(&found, library->entries[i].path, problem);
        if (status != COL_OK || found == NULL)
            return keep_if(false, wrong, status);
        const bool fits = fits_protocol(found, protocol);
        if (*wrong == NULL || fits) {
            sim_design_error_free(*wrong);
            *wrong = found;
        } else {
            sim_design_error_free(found);
        }
        if (fits)
            return COL_OK;
    }
    return *wrong == NULL ? refuse_id(library, id, protocol, problem) : COL_OK;
}

bool sim_is_error_file(const char *what) {
    return base_path_ends(what, BASE_LIBRARY_ENDING);
}

/* An edit in braces is a file with that edit alone. */
static col_status read_edit(sim_design_error **wrong, const char *edit, col_problem *problem) {
    base_text text = {0};
    sim_design_error *made = malloc(sizeof *made);
    base_text_print(&text, "{class: ordering, summary: an edit, edits: [\n%s]}", edit);
    col_status status =
        made == NULL ? base_out_of_memory(problem) : base_text_status(&text, problem);
    if (status == COL_OK)
        status = sim_design_error_parse(made, text.data, text.length, "--error", problem);
    base_text_free(&text);
    if (status == COL_OK)
        *wrong = made;
    else
        free(made);
    return status;
}

static void put_word(sim_error_word *word, const char *text) {
    (void)snprintf(word->text, sizeof word->text, "%s", text);
}

/* A mutant of a table as an edit: what it leaves out is the first action of that name, or all
 * others are listed. */
static col_status make_mutant(sim_design_error **wrong, const char *number,
                              const sl_protocol *protocol, col_problem *problem) {
    uint64_t value;
    sim_mutant mutant;
    if (!base_number_parse(number, &value) || value > UINT32_MAX ||
        !sim_table_mutant(protocol, (uint32_t)value, &mutant))
        return base_refuse(problem,
                           "'mutant:%.40s' is not a mutant of the tables of %s; they are 1 to %u",
                           number, protocol->name, sim_table_mutant_count(protocol));
    sim_design_error *made = calloc(1, sizeof *made);
    if (made == NULL)
        return base_out_of_memory(problem);
    const sl_machine *m = protocol->machines[mutant.machine];
    const sl_cell *cell = &m->cells[mutant.state * m->event_count + mutant.event];
    sim_error_edit *e = &made->edits[made->edit_count++];
    (void)snprintf(made->id, sizeof made->id, "mutant:%s", number);
    put_word(&e->at.machine, m->name);
    put_word(&e->at.state, m->states[mutant.state]);
    put_word(&e->at.event, m->events[mutant.event]);
    if (mutant.kind == SIM_MUTANT_NEXT)
        put_word(&e->next, m->states[mutant.next]);
    for (uint32_t i = 0; mutant.kind == SIM_MUTANT_DROP && i < cell->action_count; i++)
        if (i != mutant.place && e->actions.count < SIM_ERROR_WORDS)
            put_word(&e->actions.words[e->actions.count++],
                     m->actions[m->action_list[cell->first_action + i]]);
    e->actions.said = mutant.kind == SIM_MUTANT_DROP;
    *wrong = made;
    if (mutant.kind != SIM_MUTANT_DROP || e->actions.count + 1U == cell->action_count)
        return COL_OK;
    sim_design_error_free(made);
    *wrong = NULL;
    return base_refuse(problem, "mutant:%s cannot be an error: its cell has more than %d actions",
                       number, SIM_ERROR_WORDS);
}

static col_status find(sim_design_error **wrong, const char *what, const sl_protocol *protocol,
                       col_problem *problem) {
    static const char mutant[] = "mutant:";
    base_library library;
    *wrong = NULL;
    if (sim_is_error_file(what))
        return read_path(wrong, what, problem);
    if (what[0] == '{')
        return read_edit(wrong, what, problem);
    if (strncmp(what, mutant, sizeof mutant - 1) == 0)
        return make_mutant(wrong, what + sizeof mutant - 1, protocol, problem);
    BASE_TRY(sim_design_error_list(&library, problem));
    const col_status status = read_id(wrong, &library, what, protocol, problem);
    base_library_free(&library);
    return status;
}

static col_status check_protocol(const sim_design_error *wrong, const sl_protocol *protocol,
                                 col_problem *problem) {
    return fits_protocol(wrong, protocol)
               ? COL_OK
               : base_refuse_at(problem, wrong->path, wrong->protocol.place.line,
                                wrong->protocol.place.column,
                                "the error %s is for the protocol %s, and the design has %s",
                                wrong->id, wrong->protocol.text, protocol->name);
}

/* ---- Several. */

size_t sim_design_error_length(const char *what) {
    const size_t edit = what[0] == '{' ? strcspn(what, "}") : 0;
    return edit + strcspn(what + edit, ";");
}

col_status sim_design_error_open(sim_design_error **wrong, const char *what,
                                 const sl_protocol *protocol, col_problem *problem) {
    sim_design_error **end = wrong;
    col_status status = COL_OK;
    uint32_t count = 0;
    *wrong = NULL;
    for (size_t length; status == COL_OK; what += length + 1, end = &(*end)->next) {
        length = sim_design_error_length(what);
        if (count++ == SIM_MOST_ERRORS) {
            status = base_refuse(problem, "a design has at most %d errors", SIM_MOST_ERRORS);
            break;
        }
        char *name = strndup(what, length);
        status = name == NULL ? base_out_of_memory(problem) : find(end, name, protocol, problem);
        free(name);
        if (status == COL_OK && *end != NULL)
            status = check_protocol(*end, protocol, problem);
        if (status != COL_OK || what[length] == '\0')
            break;
    }
    return keep_if(status == COL_OK, wrong, status);
}

/* Edits of cells in words. */

/* Where the cell leads after the edit. */
static const char *next_of(const sl_machine *machine, const sim_edit *edit) {
    if (edit->next != SIM_SAME_STATE)
        return machine->states[edit->next];
    return edit->added ? machine->states[edit->state]
                       : sim_next_name(machine, edited_cell(machine, edit));
}

/* The actions that are not there any more. An edit that drops keeps the order of the rest. */
static void say_dropped(const sl_machine *machine, const sim_edit *edit, base_text *text) {
    const sl_cell *cell = edited_cell(machine, edit);
    uint32_t kept = 0;
    const char *between = ", without ";
    for (uint32_t i = 0; i < cell->action_count; i++) {
        const uint16_t action = machine->action_list[cell->first_action + i];
        if (kept < edit->action_count && edit->actions[kept] == action) {
            kept++;
            continue;
        }
        base_text_print(text, "%s%s", between, machine->actions[action]);
        between = ", ";
    }
}

void sim_design_error_say(const sl_protocol *protocol, const sim_cell_change *change,
                          base_text *text) {
    const sim_edit *edit = &change->edit;
    const sl_machine *machine = protocol->machines[edit->machine];
    base_text_print(text, "%s: %s by %s", machine->name, machine->states[edit->state],
                    machine->events[edit->event]);
    if (edit->removed) {
        base_text_add(text, " is missing");
        return;
    }
    if (edit->added) {
        base_text_print(text, " is new and leads to %s", next_of(machine, edit));
        return;
    }
    base_text_print(text, " leads to %s", next_of(machine, edit));
    if (edit->next != SIM_SAME_STATE)
        base_text_print(text, " instead of %s", sim_next_name(machine, edited_cell(machine, edit)));
    if (edit->has_actions)
        say_dropped(machine, edit, text);
}

static void say_actions(const sl_machine *machine, const uint16_t *actions, uint32_t count,
                        base_text *text) {
    for (uint32_t i = 0; i < count; i++)
        base_text_print(text, "%s%s", i == 0 ? ": " : ", ", machine->actions[actions[i]]);
}

void sim_design_error_say_cell(const sl_protocol *protocol, const sim_cell_change *change,
                               bool after, base_text *text) {
    const sim_edit *edit = &change->edit;
    const sl_machine *machine = protocol->machines[edit->machine];
    const sl_cell *cell = edited_cell(machine, edit);
    if (after ? edit->removed : (cell->flags & SL_DEFINED) == 0) {
        base_text_add(text, "not defined");
    } else if (!after && (cell->flags & SL_STALL) != 0) {
        base_text_add(text, "a stall");
    } else if (after && edit->has_actions) {
        base_text_add(text, next_of(machine, edit));
        say_actions(machine, edit->actions, edit->action_count, text);
    } else {
        base_text_add(text, after ? next_of(machine, edit) : sim_next_name(machine, cell));
        say_actions(machine, machine->action_list + cell->first_action, cell->action_count, text);
    }
}
