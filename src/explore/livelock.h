/* SPDX-License-Identifier: MIT */
/*
 * Livelocks: states from which something can never happen again, whatever cores and messages do.
 * Of every state there must be a way on which a given core completes a load, and a store, of a
 * given block, and one to a state without messages under way.
 */
#ifndef EXPLORE_LIVELOCK_H
#define EXPLORE_LIVELOCK_H

#include "explore/search.h"

/* The marks of each state become those that it can get to. Steps have the numbers of states. */
void exp_livelock_mark(state_graph *graph, uint32_t cores, uint32_t blocks);

/* Of a complete search: the first state with less than all marks that it can get to is a mistake,
 * with the way there. False: no memory. */
bool exp_livelock_find(search *x);

#endif
