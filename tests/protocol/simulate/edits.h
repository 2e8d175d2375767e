/* SPDX-License-Identifier: MIT */
/* Mistakes put into a system's tables by name: a wrong next state, an action left out. */
#pragma once

#include "protocol/simulate/system.h"

typedef struct edit {
    const char *protocol, *machine, *state, *event;
    const char *next;    /* the wrong state; NULL: right */
    const char *dropped; /* an action left out; NULL: none */
} edit;

void edit_apply(sim_system *system, const edit *e);
