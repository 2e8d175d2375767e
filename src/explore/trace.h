/* SPDX-License-Identifier: MIT */
/*
 * The way to a state, told with the names that cores and blocks have from the beginning: a search
 * that renames states knows it by the names of each state.
 */
#ifndef EXPLORE_TRACE_H
#define EXPLORE_TRACE_H

#include "explore/worker.h"

/* Takes the steps of a search to a state, which becomes the origin of steps, in `image` (with room
 * for the largest); its hash. False: one fails. */
bool exp_trace_follow(worker *w, const uint16_t *choices, uint32_t length, uint8_t *image,
                      uint64_t *print);

/* The choices without renaming that lead to the same state, or one that differs in names; of a last
 * step that fails, too: `last`, EXP_NO_CHOICE: there is none. `plain` has room for length + 1.
 * False: there is no such way, or no memory. */
bool exp_trace_plain(worker *w, const uint16_t *choices, uint32_t length, uint32_t last,
                     uint16_t *plain);

/* The steps to the cell that is in the witness: the choices of the search to a state, and the last.
 * False: no memory. */
bool exp_witness_make(worker *w, const uint16_t *choices, uint32_t length, uint32_t last,
                      exp_witness *witness);

/* Takes the steps to a state again, and a last one, and writes them down; the world is there then.
 * False: no memory. */
bool exp_trace_walk(worker *w, const uint16_t *choices, uint32_t length, uint32_t last,
                    base_text *trace);

/* Takes the steps to a failure again and writes them down, with the failure as the last line.
 * False: no memory. */
bool exp_trace_write(worker *w, const uint16_t *choices, uint32_t length, uint32_t last,
                     base_text *trace);

#endif
