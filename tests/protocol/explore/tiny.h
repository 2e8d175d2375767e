/* SPDX-License-Identifier: MIT */
/* Systems of built-in protocols whose caches have one set of a block each, or a few: small enough
 * to search; and what the tests of searches ask of them. */
#pragma once

#include "protocol/explore/search.h"

/* `ways`: of private caches; the others have one. */
sim_wiring tiny_wiring(const sl_protocol *p, uint32_t cores, uint32_t ways);
sim_system *tiny_system(const char *protocol, uint32_t cores);
sim_system *tiny_system_of(const char *protocol, uint32_t cores, uint32_t blocks);

/* With times of messages that differ much, for runs of the simulator. */
sim_system *timed_system(const char *protocol, uint32_t cores);

/* A search that can be made: of one block, with one access of a core at a time, unless the settings
 * say more; and its end. */
exp_exploration tiny_explore(sim_system *system, const exp_exploration_settings *settings);
void tiny_end(sim_system *system, exp_exploration *found);

exp_cell tiny_cell(const sl_protocol *p, const char *machine, const char *state, const char *event);
/* What was reached in `fewer` was reached in `more`, too. */
void expect_reached_too(const sim_system *fewer, const sim_system *more);
void expect_same_cells(const sim_system *a, const sim_system *b);
void expect_same_bounds(const exp_exploration *a, const exp_exploration *b);
