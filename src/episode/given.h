/* SPDX-License-Identifier: MIT */
/*
 * Programs that a user gave, in the place of an engine's: where they are, which one comes next, and
 * what came of each. A program is read when its turn comes, so that memory does not limit how many
 * there are.
 */
#ifndef EPISODE_GIVEN_H
#define EPISODE_GIVEN_H

#include "episode/worker.h"

/* Lists the files and looks at each: it must be a program that the design and the judge take. */
col_status epi_given_open(col_episode *episode, const col_episode_settings *settings,
                          epi_pool *pool, col_problem *problem);
void epi_given_free(col_episode *episode);

/* The program of a test, numbered from 0; the point has no operations if each was to be run once
 * and has been. `program` is what was handed out before, or empty. */
col_status epi_given_next(const col_episode *episode, const col_episode_settings *settings,
                          uint64_t test, col_program *program, col_point *point,
                          col_problem *problem);

/* Adds a test and its instances, up to the first that failed unless the episode keeps going; before
 * the test is counted in the episode. */
col_status epi_given_add(col_episode *episode, const col_episode_settings *settings,
                         const col_program *program, const epi_instance *instances,
                         col_problem *problem);

/* Its outcomes, the most frequent first, to be freed; NULL: out of memory. */
const col_seen_outcome **epi_given_by_count(const col_given *given);

#endif
