/* SPDX-License-Identifier: MIT */
/*
 * Transitions that are known to be taken in a design's own caches: DESIGN.reached beside
 * DESIGN.yaml, a line `MACHINE STATE EVENT` for each, as tools/reached makes it. What a protocol
 * can do in some caches it need not do in others, so the file says which caches it is about, and
 * with how many cores; with others, or fewer, nothing is known.
 */
#ifndef SIM_TAKEN_H
#define SIM_TAKEN_H

#include "sim/design.h"
#include "slicc/reached.h"

/* "L1Cache.cache=65536/2/lru L2Cache=1 L2Cache.cache=...": bytes, ways and replacement of each
 * cache, and how many controllers a shared machine has. */
void sim_taken_say_caches(const sl_protocol *protocol, const sim_wiring *wiring, base_text *text);

/* Start from {0}; empty if nothing is known. Free it also after a failure. */
col_status sim_taken_read(slicc_reached *taken, const sim_design *design, const sim_wiring *wiring,
                          col_problem *problem);

/* How many transitions of a machine they are; 0: nothing is known. */
uint32_t sim_taken_count(slicc_reached *taken, const sl_machine *machine);

#endif
