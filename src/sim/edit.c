/* SPDX-License-Identifier: MIT */
/* Edits of transition tables: see edit.h. */
#include "sim/edit.h"

#include "base/text.h"

#include <string.h>

/* ---- Names. */

/* "there is no state 'X'; there are I, S, M" */
static col_status find_word(const char *kind, const char *word, const char *const *known,
                            uint32_t count, uint32_t *found, col_problem *problem) {
    for (*found = 0; *found < count; (*found)++)
        if (strcmp(known[*found], word) == 0)
            return COL_OK;
    base_text list = {0};
    for (uint32_t i = 0; i < count; i++)
        base_text_print(&list, "%s%s", i == 0 ? "" : ", ", known[i]);
    const col_status status = base_text_status(&list, problem);
    if (status == COL_OK)
        (void)base_refuse(problem, "there is no %s '%.64s'; there %s %.400s", kind, word,
                          count == 1 ? "is" : "are", count == 0 ? "none" : list.data);
    base_text_free(&list);
    return status == COL_OK ? COL_BAD_INPUT : status;
}

col_status sim_find_machine(const sl_protocol *protocol, const char *name, uint32_t *found,
                            col_problem *problem) {
    const char *names[SIM_MOST_MACHINES];
    for (uint32_t m = 0; m < protocol->machine_count; m++)
        names[m] = protocol->machines[m]->name;
    return find_word("machine", name, names, protocol->machine_count, found, problem);
}

col_status sim_find_state(const sl_machine *machine, const char *name, uint32_t *found,
                          col_problem *problem) {
    return find_word("state", name, machine->states, machine->state_count, found, problem);
}

col_status sim_find_event(const sl_machine *machine, const char *name, uint32_t *found,
                          col_problem *problem) {
    return find_word("event", name, machine->events, machine->event_count, found, problem);
}

col_status sim_find_action(const sl_machine *machine, const char *name, uint32_t *found,
                           col_problem *problem) {
    return find_word("action", name, machine->actions, machine->action_count, found, problem);
}

bool sim_is_transition(const sl_cell *cell) {
    return (cell->flags & SL_DEFINED) != 0 && (cell->flags & SL_STALL) == 0;
}

/* ---- Edits. */

/* The cell's actions go behind those of the machine, in a list for this system: controllers find
 * their actions by places in it. The old list stays until the system is freed. */
static col_status set_actions(sim_system *system, uint32_t m, sl_cell *cell, const sim_edit *edit,
                              col_problem *problem) {
    const sl_machine *machine = system->protocol->machines[m];
    const uint32_t count = system->action_counts[m];
    if (count > UINT16_MAX)
        return base_refuse(problem, "the machine %s has too many actions for an edit",
                           machine->name);
    if (setjmp(system->escape) != 0)
        return base_out_of_memory(problem);
    uint16_t *list =
        sim_grow(&system->base, NULL, ((size_t)count + edit->action_count + 1) * sizeof *list);
    memcpy(list, system->action_lists[m], count * sizeof *list);
    if (edit->action_count > 0)
        memcpy(list + count, edit->actions, edit->action_count * sizeof *list);
    system->action_lists[m] = list;
    system->action_counts[m] = count + edit->action_count;
    for (uint32_t i = 0; i < system->base.controller_count; i++)
        if (system->controllers[i]->machine == machine)
            system->controllers[i]->action_list = list;
    cell->first_action = (uint16_t)count;
    cell->action_count = edit->action_count;
    cell->sequence = 0;
    return COL_OK;
}

static sl_cell new_cell(const sim_edit *edit) {
    sl_cell cell = {.flags = SL_DEFINED, .next = (uint16_t)edit->state};
    if (edit->like != NULL) {
        cell.flags |= (uint8_t)(edit->like->flags & SL_CHECK_TBE);
        cell.first_resource = edit->like->first_resource;
        cell.resource_count = edit->like->resource_count;
    }
    return cell;
}

col_status sim_edit_apply(sim_system *system, const sim_edit *edit, col_problem *problem) {
    const sl_machine *machine = system->protocol->machines[edit->machine];
    sl_cell *cell = &system->cells[edit->machine][edit->state * machine->event_count + edit->event];
    const char *state = machine->states[edit->state], *event = machine->events[edit->event];
    if (edit->added && sim_is_transition(cell))
        return base_refuse(problem, "%s has a transition from %s by %s already", machine->name,
                           state, event);
    if (!edit->added && !sim_is_transition(cell))
        return base_refuse(problem, "%s has no transition from %s by %s", machine->name, state,
                           event);
    if (edit->removed) {
        *cell = (sl_cell){0};
        return COL_OK;
    }
    if (edit->added)
        *cell = new_cell(edit);
    if (edit->next != SIM_SAME_STATE) {
        cell->next = (uint16_t)edit->next;
        cell->flags &= (uint8_t)~SL_NEXT_BY_FUNCTION;
    }
    return edit->has_actions ? set_actions(system, edit->machine, cell, edit, problem) : COL_OK;
}

col_status sim_system_copy(sim_system **copy, const sim_system *system, col_problem *problem) {
    const col_status status = sim_system_new(copy, system->protocol, &system->wiring, problem);
    if (status != COL_OK)
        return status;
    for (uint32_t m = 0; m < system->protocol->machine_count; m++) {
        const sl_machine *machine = system->protocol->machines[m];
        memcpy((*copy)->cells[m], system->cells[m],
               (size_t)machine->state_count * machine->event_count * sizeof **system->cells);
        (*copy)->action_lists[m] = system->action_lists[m];
        (*copy)->action_counts[m] = system->action_counts[m];
    }
    for (uint32_t i = 0; i < system->base.controller_count; i++)
        (*copy)->controllers[i]->action_list = system->controllers[i]->action_list;
    return COL_OK;
}

void sim_system_add_counts(sim_system *system, const sim_system *other) {
    for (uint32_t i = 0; i < system->base.controller_count; i++) {
        const sl_machine *machine = system->controllers[i]->machine;
        for (uint32_t c = 0; c < machine->state_count * machine->event_count; c++)
            system->controllers[i]->counts[c] += other->controllers[i]->counts[c];
    }
}
