/* SPDX-License-Identifier: MIT */
/*
 * Which cells of a design's tables were reached by the runs or searches of a system, and the file
 * in which they are kept beside a protocol: a line `MACHINE STATE EVENT` for each.
 */
#ifndef PROTOCOL_SIMULATE_REACHED_TRANSITIONS_H
#define PROTOCOL_SIMULATE_REACHED_TRANSITIONS_H

#include "protocol/simulate/simulated_design.h"
#include "protocol/simulate/system.h"
#include "protocol/slicc/translate.h"

bool sim_was_reached(const sim_system *system, uint32_t machine, uint32_t state, uint32_t event);

/* Adds the cells of the system to those in the file; sorted as in the
 * tables. The file need not exist. */
col_status sim_reached_add(const sim_system *system, const char *path, col_problem *problem);

/*
 * Transitions that are known to be taken in a design's own caches: DESIGN.reached beside
 * DESIGN.yaml, a line `MACHINE STATE EVENT` for each, as tools/reached makes it. What a protocol
 * can do in some caches it need not do in others, so the file says which caches it is about, and
 * with how many cores; with others, or fewer, nothing is known.
 */

/* Start from {0}; empty if nothing is known. Free it also after a failure. */
col_status sim_taken_read(slicc_reached *taken, const sim_design *design, const sim_wiring *wiring,
                          col_problem *problem);

/* How many transitions of a machine they are; 0: nothing is known. */
uint32_t sim_taken_count(slicc_reached *taken, const sl_machine *machine);

#endif
