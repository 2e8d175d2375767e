/* SPDX-License-Identifier: MIT */
/*
 * Batches of a search: states of one depth that are looked at together, by one worker if they are
 * few, else by all. What comes of them does not depend on how many workers there are.
 */
#ifndef EXPLORE_BATCH_H
#define EXPLORE_BATCH_H

#include "explore/search.h"

/* The next states, all of one depth, are taken from the queue. False: the temporary file fails, or
 * there is no memory. */
bool exp_batch_fill(search *x);

/* All steps from the states of the batch; what ends the search before is in the first worker's
 * `end`. `*is_full`: memory ends it; then the batch has only states that were looked at, maybe
 * none. False: no memory. */
bool exp_batch_look(search *x, bool *is_full);

/* What was found, in the order of the states that it was found from. False: no memory. */
bool exp_batch_gather(search *x);

/* A state that was found. False: no memory. */
bool exp_search_add(search *x, const found_state *found);
/* What all workers have found so far. */
void exp_search_count(search *x);
/* Memory that it takes, but for the table of known states. */
uint64_t exp_search_other_bytes(const search *x);

#endif
