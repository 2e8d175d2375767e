/* SPDX-License-Identifier: MIT */
/*
 * Who waits for whom when a system does not get on: accesses of cores, TBEs (what a controller has
 * under way), and messages in queues, each with what it waits for. What a protocol means by a state
 * is not known here, so an edge says what may have to happen first.
 */
#ifndef SIM_WAIT_FOR_H
#define SIM_WAIT_FOR_H

#include "base/text.h"
#include "sim/system.h"

/* An access to look at first: of a core, the one that was issued in this cycle. */
typedef struct sim_waiter {
    uint32_t core;
    uint32_t access; /* index into the core's */
} sim_waiter;

/* The access that waits longest; false: none does. */
bool sim_oldest_access(const sim_system *system, sim_waiter *oldest);

/* From an access along what it waits for, in a few words: "cycle: A -> B -> A", or the chain to
 * what nothing is known to move. Running out of memory leaves it out. */
void sim_wait_chain(const sim_system *system, sim_waiter from, base_text *text);

/* Everything that waits, a line each, with what it waits for. */
void sim_wait_graph(const sim_system *system, base_text *text);

#endif
