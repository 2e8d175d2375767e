/* SPDX-License-Identifier: MIT */
/* Mistakes in tables: see edits.h. */
#include "edits.h"

#include "protocol/simulate/transition_table.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <string.h>

void edit_apply(sim_system *system, const edit *e) {
    uint16_t kept[UINT8_MAX];
    uint32_t next;
    sim_edit made = {.next = SIM_SAME_STATE};
    assert_int_equal(sim_find_machine(system->protocol, e->machine, &made.machine, NULL), COL_OK);
    const sl_machine *machine = system->protocol->machines[made.machine];
    assert_int_equal(sim_find_state(machine, e->state, &made.state, NULL), COL_OK);
    assert_int_equal(sim_find_event(machine, e->event, &made.event, NULL), COL_OK);
    if (e->next != NULL) {
        assert_int_equal(sim_find_state(machine, e->next, &next, NULL), COL_OK);
        made.next = (int32_t)next;
    }
    if (e->dropped != NULL) {
        const sl_cell *cell = &machine->cells[made.state * machine->event_count + made.event];
        made.has_actions = true;
        made.actions = kept;
        /* The cell's actions but one. */
        uint8_t count = 0;
        for (uint32_t i = 0; i < cell->action_count; i++) {
            const uint16_t action = machine->action_list[cell->first_action + i];
            if (strcmp(machine->actions[action], e->dropped) != 0)
                kept[count++] = action;
        }
        assert_int_equal(count + 1, cell->action_count);
        made.action_count = count;
    }
    assert_int_equal(sim_edit_apply(system, &made, NULL), COL_OK);
}
