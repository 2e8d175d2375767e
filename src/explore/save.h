/* SPDX-License-Identifier: MIT */
/*
 * A search in a file, between two batches: the hashes of known states, how each state was found,
 * and which cells were reached. The states that wait are not in it: they are found again by the
 * steps that lead to them (restore.h), so that nothing of a file is taken for a state.
 */
#ifndef EXPLORE_SAVE_H
#define EXPLORE_SAVE_H

#include "explore/search.h"

/* Refused: the file is there and is no saved search, or cannot be written. */
col_status exp_save_check_place(const char *path, col_problem *problem);

/* Replaces the file. */
col_status exp_save_write(const search *x, const char *path, col_problem *problem);

/* Do cores of the saved search repeat requests that the protocol has begun with? */
col_status exp_save_remembers(const char *path, bool *remembers, col_problem *problem);

/* Into a search that has not begun: all but the states that wait. */
col_status exp_save_read(search *x, const char *path, col_problem *problem);

#endif
