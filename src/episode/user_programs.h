/* SPDX-License-Identifier: MIT */
/*
 * Programs that a user gave, in the place of an engine's: where they are, which one comes next, and
 * what came of each. A program is read when its turn comes, so that memory does not limit how many
 * there are; but what comes from a pipe comes once, and is kept.
 */
#pragma once

#include "base/text.h"
#include "episode/worker_pool.h"

/* The text of a given program that cannot be read again; and the seeds that a suite has for it. */
typedef struct epi_stream {
    base_text text;
    bool is_kept;
    uint64_t *seeds;
    uint32_t seed_count;
} epi_stream;

/* Lists the files and looks at each: it must be a program that the design and the judge take. */
/* `streams` are theirs, in the same order, to be freed before the episode. `instances` becomes what
 * the one with the most seeds has, if that is more. */
col_status epi_given_open(col_episode *episode, const col_episode_settings *settings,
                          epi_pool *pool, epi_stream **streams, uint32_t *instances,
                          col_problem *problem);
void epi_streams_free(epi_stream *streams, size_t count);
void epi_given_free(col_episode *episode);

/* The program of a test, numbered from 0; the point has no operations if each was to be run once
 * and has been. `program` is what was handed out before, or empty. */
col_status epi_given_next(const col_episode *episode, const col_episode_settings *settings,
                          const epi_stream *streams, uint64_t test, col_program *program,
                          col_point *point, col_problem *problem);

/* The seeds of a test, numbered from 0; NULL: there are none for it. A program that runs again does
 * so with new ones. */
const epi_stream *epi_given_seeds(const col_episode *episode, const epi_stream *streams,
                                  uint64_t test);

/* Adds a test and its instances, up to the first that failed unless the episode keeps going; before
 * the test is counted in the episode. */
col_status epi_given_add(col_episode *episode, const col_episode_settings *settings,
                         const epi_test *test, col_problem *problem);

/* Its outcomes, the most frequent first, to be freed; NULL: out of memory. */
const col_seen_outcome **epi_given_by_count(const col_given *given);
