/* SPDX-License-Identifier: MIT */
/* What is reported of a deadlock, by a run and by a search. */
#ifndef PROTOCOL_SIMULATE_DEADLOCK_H
#define PROTOCOL_SIMULATE_DEADLOCK_H

#include "base/text.h"
#include "protocol/simulate/system.h"

/* Clauses, each behind "; ". More than a failure has room for: what is too long is cut there. */
typedef struct sim_stuck {
    char text[1024];
} sim_stuck;

/* Adds the controllers that have no free TBE. */
void sim_list_exhausted(const sim_system *system, sim_stuck *stuck);

/* No operation has completed for too long: ends the run. */
_Noreturn void sim_report_deadlock(sim_system *system);

/* Ends the run if an access has waited for longer than the design's patience; otherwise sets when
 * to look again. */
void sim_look_for_starvation(sim_system *system);

/* Everything that waits, a line each, with what it waits for: accesses of cores, TBEs (what a
 * controller has under way), and messages in queues. What a protocol means by a state is not known
 * here, so an edge says what may have to happen first. */
void sim_wait_graph(const sim_system *system, base_text *text);

#endif
