/* SPDX-License-Identifier: MIT */
/*
 * Who waits for whom when a system hangs: accesses of cores, what controllers have under way for
 * blocks, and messages in queues. What a protocol means by a state is not known here, so an edge
 * says what may have to happen first: a cycle is a strong hint, no proof.
 */
#pragma once

#include "protocol/simulate/system.h"

typedef enum sim_hang {
    SIM_HANG_CYCLE,
    SIM_HANG_LOST,     /* no message that concerns a controller which waits is in flight */
    SIM_HANG_SLEEPING, /* a message is set aside until something happens that nobody is about to do
                        */
    SIM_HANG_CHAIN,    /* to what nothing is known to hold up */
    SIM_HANGS
} sim_hang;

/* From the access that waits longest along what it waits for: in a few words, and to the observer
 * (COL_WAIT), whom `kind` tells what it is; NULL: a deadlock, of the kind that is found. Nothing,
 * if no access waits or memory runs out. */
void sim_tell_waits(sim_system *system, const char *kind, base_text *text);

/* Everything that waits, a line each, with what it waits for. */
void sim_wait_graph(sim_system *system, base_text *text);
