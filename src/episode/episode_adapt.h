/* SPDX-License-Identifier: MIT */
/*
 * Making an episode fit its design: sizes of tests and numbers of instances that nobody asked for,
 * and programs of engines, which know nothing of what a design takes.
 */
#pragma once

#include "collider/cover.h"
#include "collider/episode.h"

/* What the user did not say is as the design likes it. */
void epi_adapt_settings(col_episode_settings *settings, const col_duv_description *design);

/* Refuses tests that do not fit into `room` bytes of memory, before one is made. */
col_status epi_check_room(const col_episode_settings *settings, uint64_t room,
                          col_problem *problem);

/* Words get the design's size, addresses go into its window, and what it does not take is replaced:
 * atomics by stores, the rest by a delay. Nothing changes for most designs. */
col_status epi_adapt_program(col_program *program, const col_duv_description *design,
                             col_problem *problem);

/* What a test has that coverage points need: requests, and more blocks than a cache has room for.
 * A set of COL_NEEDS_... */
col_status epi_find_needs(const col_duv_description *description, const col_program *program,
                          uint32_t *needs, col_problem *problem);
