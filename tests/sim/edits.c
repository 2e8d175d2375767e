/* SPDX-License-Identifier: MIT */
/* Design errors in tables: see edits.h. */
#include "edits.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <string.h>

uint32_t index_of(const char *const *names, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fail_msg("there is no %s", name);
    return 0;
}

uint32_t machine_of(const sl_protocol *protocol, const char *name) {
    for (uint32_t m = 0; m < protocol->machine_count; m++)
        if (strcmp(protocol->machines[m]->name, name) == 0)
            return m;
    fail_msg("there is no machine %s", name);
    return 0;
}

/* Leaves one action of a cell out: the others move up in a list of the machine's own. */
static void drop_action(sl_controller *c, sl_cell *cell, const char *name, uint16_t *list) {
    const sl_machine *machine = c->machine;
    const uint32_t action = index_of(machine->actions, machine->action_count, name);
    uint8_t kept = 0;
    for (uint32_t i = 0; i < cell->action_count; i++)
        if (machine->action_list[cell->first_action + i] != action)
            list[kept++] = machine->action_list[cell->first_action + i];
    assert_int_equal(kept + 1, cell->action_count);
    cell->action_count = kept;
    cell->sequence = 0;
}

void edit_apply(sim_system *system, const edit *e, uint16_t list[EDIT_LIST]) {
    const uint32_t m = machine_of(system->protocol, e->machine);
    const sl_machine *machine = system->protocol->machines[m];
    const uint32_t state = index_of(machine->states, machine->state_count, e->state);
    const uint32_t event = index_of(machine->events, machine->event_count, e->event);
    sl_cell *cell = &system->cells[m][state * machine->event_count + event];
    assert_true((cell->flags & SL_DEFINED) != 0);
    if (e->next != NULL)
        cell->next = (uint16_t)index_of(machine->states, machine->state_count, e->next);
    if (e->dropped == NULL)
        return;
    assert_true(machine->action_list_count <= EDIT_LIST);
    /* All controllers of the machine read their actions from a copy of the list. */
    memcpy(list, machine->action_list, machine->action_list_count * sizeof *list);
    const uint32_t first = cell->first_action;
    for (uint32_t i = 0; i < system->base.controller_count; i++) {
        sl_controller *c = system->controllers[i];
        if (c->machine != machine)
            continue;
        c->action_list = list;
        if (c->number == 0)
            drop_action(c, cell, e->dropped, list + first);
    }
}
