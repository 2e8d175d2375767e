/* SPDX-License-Identifier: MIT */
/* Taking a transition. The functions are the machine's own. */
#ifndef COLLIDER_PROTOCOL_TRANSITION_H
#define COLLIDER_PROTOCOL_TRANSITION_H

#include "collider/protocol/buffer.h"
#include "collider/protocol/table.h"

typedef void (*sl_set_state)(sl_controller *c, void *tbe, void *entry, sl_address address,
                             uint32_t state);
typedef uint32_t (*sl_next_state)(sl_controller *c, sl_address address);
typedef bool (*sl_room)(sl_controller *c, uint32_t check, sl_address address);

/* Are there as many free slots as the cell needs? */
COL_NEVER_INLINE bool sl_has_slots(sl_controller *c, const sl_cell *cell) {
    for (uint32_t i = 0; i < cell->resource_count; i++) {
        const sl_resource *r = &c->machine->resources[cell->first_resource + i];
        sl_buffer *buffer;
        memcpy(&buffer, (const uint8_t *)c + r->buffer, sizeof buffer);
        if (!sl_has_room(buffer, r->slots))
            return false;
    }
    return true;
}

/* The actions of a cell that was edited. */
COL_COLD void sl_act(sl_controller *c, const sl_cell *cell, sl_transition *t) {
    for (uint32_t i = 0; i < cell->action_count; i++)
        c->action_functions[c->action_list[cell->first_action + i]](c, t);
}

/* Inlined into each machine's own function, so that its state functions are called directly and the
 * size of its table is known. Little is kept over the actions: the controller has what they name.
 */
COL_ALWAYS_INLINE sl_result sl_take(sl_controller *c, uint32_t event, void *entry, void *tbe,
                                    sl_address address, sl_room has_room, uint32_t states,
                                    uint32_t events, sl_get_state get_state, sl_set_state set_state,
                                    sl_next_state next_state) {
    const uint32_t state = get_state(c, tbe, entry, address);
    if (COL_RARELY(state >= states))
        sl_fail(c, "getState returns a value that is not a state of the machine", NULL);
    if (COL_RARELY(event >= events))
        sl_fail(c, "trigger is given a value that is not an event of the machine", NULL);
    c->state = state;
    c->event = event;
    c->address = address;
    c->get_state = get_state;
    const uint32_t index = state * events + event;
    const sl_cell *cell = &c->cells[index];
    const uint32_t flags = cell->flags;
    if (COL_RARELY((flags & SL_DEFINED) == 0))
        sl_fail(c, "the protocol defines no transition", NULL);
    if (COL_RARELY(c->system->bounded) && !sl_has_slots(c, cell))
        return SL_RESOURCE_STALL;
    if ((flags & (SL_CHECK_TBE | SL_STALL)) != 0) {
        if ((flags & SL_CHECK_TBE) != 0 && !has_room(c, cell->check, address))
            return SL_RESOURCE_STALL;
        if ((flags & SL_STALL) != 0)
            return SL_PROTOCOL_STALL;
    }
    uint32_t next = cell->next;
    if (COL_RARELY((flags & SL_NEXT_BY_FUNCTION) != 0)) {
        next = next_state(c, address);
        if (COL_RARELY(next >= states))
            sl_fail(c, "getNextState returns a value that is not a state of the machine", NULL);
    }
    sl_transition t = {.tbe = tbe, .entry = entry, .address = address};
    uint32_t *count = &c->counts[index];
    if (COL_RARELY(cell->sequence == 0))
        sl_act(c, cell, &t);
    else
        c->sequences[cell->sequence](c, &t);
    ++*count;
    if (COL_RARELY(c->system->watch_transitions))
        c->system->services->transition(c, c->state, c->event, next, c->address);
    set_state(c, t.tbe, t.entry, c->address, next);
    return SL_VALID;
}

/* changePermission */
static inline void sl_change_permission(sl_controller *c, void *entry, uint32_t permission) {
    sl_entry *e = entry;
    if (COL_RARELY(e == NULL))
        sl_fail(c, "an entry is used that does not exist", NULL);
    if (COL_RARELY(c->system->watch_permissions && e->permission != permission))
        c->system->services->permission(c, e, permission);
    e->permission = permission;
}

#endif
