/* SPDX-License-Identifier: MIT */
/*
 * Edits of a system's transition tables: what design errors and mutants are made of. A system has
 * tables of its own, so nothing is compiled again and other systems of the protocol are not
 * touched.
 */
#ifndef SIM_EDIT_H
#define SIM_EDIT_H

#include "sim/system.h"

enum { SIM_SAME_STATE = -1 };

/* A cell of a machine's table, and what becomes of it. */
typedef struct sim_edit {
    uint32_t machine, state, event;
    bool removed;            /* the cell is not defined any more; the rest is unused */
    bool added;              /* it was not defined, or stalled, before; its flags become those of
                              * an ordinary cell */
    int32_t next;            /* where it leads; SIM_SAME_STATE: as before, of an added one: stay */
    bool has_actions;        /* these are its actions from now on; else they stay */
    const uint16_t *actions; /* need not outlive the call */
    uint8_t action_count;
    const sl_cell *like; /* of an added one: it needs the room, in buffers and for TBEs, that this
                          * cell needs; NULL: none */
} sim_edit;

/* The machine of that name, or a state, event or action of a machine; what is wrong is said with a
 * list of what there is. */
col_status sim_find_machine(const sl_protocol *protocol, const char *name, uint32_t *found,
                            col_problem *problem);
col_status sim_find_state(const sl_machine *machine, const char *name, uint32_t *found,
                          col_problem *problem);
col_status sim_find_event(const sl_machine *machine, const char *name, uint32_t *found,
                          col_problem *problem);
col_status sim_find_action(const sl_machine *machine, const char *name, uint32_t *found,
                           col_problem *problem);

/* Is it a transition: defined, and more than a stall? */
bool sim_is_transition(const sl_cell *cell);

/* Edits may follow each other, also of one cell. They are checked against the table as it is. */
col_status sim_edit_apply(sim_system *system, const sim_edit *edit, col_problem *problem);

/* Another system of the same protocol and wiring, with the same edits; the first must outlive it.
 */
col_status sim_system_copy(sim_system **copy, const sim_system *system, col_problem *problem);
/* Adds the transitions that the other one has taken. */
void sim_system_add_counts(sim_system *system, const sim_system *other);

#endif
