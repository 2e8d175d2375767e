/* SPDX-License-Identifier: MIT */
/* Design errors put into a system's tables: a wrong next state, an action left out. */
#ifndef TESTS_SIM_EDITS_H
#define TESTS_SIM_EDITS_H

#include "sim/system.h"

typedef struct edit {
    const char *protocol, *machine, *state, *event;
    const char *next;    /* the wrong state; NULL: right */
    const char *dropped; /* an action left out; NULL: none */
} edit;

enum { EDIT_LIST = 4096 }; /* actions of a machine */

/* `list` has room for the machine's actions and must live as long as the system. */
void edit_apply(sim_system *system, const edit *e, uint16_t list[EDIT_LIST]);

uint32_t index_of(const char *const *names, uint32_t count, const char *name);
uint32_t machine_of(const sl_protocol *protocol, const char *name);

#endif
