/* SPDX-License-Identifier: MIT */
/* Edits of cells in words: see design_error.h. */
#include "sim/design_error.h"
#include "sim/show.h"

static const sl_cell *cell_of(const sl_machine *machine, const sim_edit *edit) {
    return &machine->cells[edit->state * machine->event_count + edit->event];
}

/* Where the cell leads after the edit. */
static const char *next_of(const sl_machine *machine, const sim_edit *edit) {
    if (edit->next != SIM_SAME_STATE)
        return machine->states[edit->next];
    return edit->added ? machine->states[edit->state]
                       : sim_next_name(machine, cell_of(machine, edit));
}

/* The actions that are not there any more. An edit that drops keeps the order of the rest. */
static void say_dropped(const sl_machine *machine, const sim_edit *edit, base_text *text) {
    const sl_cell *cell = cell_of(machine, edit);
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
        base_text_print(text, " instead of %s", sim_next_name(machine, cell_of(machine, edit)));
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
    const sl_cell *cell = cell_of(machine, edit);
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
