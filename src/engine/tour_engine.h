/* SPDX-License-Identifier: MIT */
/* What engines that write programs step by step have in common; and those of abstract protocols:
 * where a block lies, and which other blocks drive it out of the caches. */
#pragma once

#include "base/random.h"
#include "collider/engine.h"
#include "engine/tour/tour.h"

/* Cache levels that evictions reach, from the core outwards. Addresses fall into sets that are told
 * apart by index bits of these levels, and into blocks of one set, which are told apart by tags. */
typedef struct dir_layout {
    uint64_t near_mask; /* the index bits of the level with the fewest sets, */
    uint64_t far_mask;  /* those that other levels add, */
    uint64_t tag_mask;  /* and the rest of a block's address */
    uint32_t ways;      /* this many other blocks of its set drive a block out */
} dir_layout;

/* Engines that place blocks and choose operations by an abstract protocol take no sets and no mix.
 */
col_status dir_layout_check(const char *engine, const col_engine_settings *settings,
                            col_problem *problem);
/* 0 levels: the private ones, which are taken to be all but the last. */
col_status dir_layout_make(dir_layout *layout, const col_geometry *geometry, uint32_t levels,
                           col_problem *problem);
/* Sets that differ at every level. */
uint64_t dir_layout_sets(const dir_layout *layout);
/* The address of a block. Sets beyond those that differ at every level repeat at the smallest. */
uint64_t dir_layout_address(const dir_layout *layout, uint64_t set, uint64_t tag);

/* Operations of a program, in the order in which an engine thought of them. Start from {0}. */
typedef struct dir_step {
    uint32_t thread;
    col_operation operation;
} dir_step;
typedef struct dir_steps {
    dir_step *items;
    uint32_t count;
    uint32_t *lengths; /* of threads */
    size_t capacity, length_capacity;
} dir_steps;

/* Makes room for this many in all. */
col_status dir_steps_reserve(dir_steps *steps, size_t count, col_problem *problem);
/* Threads of the steps, with this many locations, whose addresses are left to the caller. */
col_status dir_steps_write(dir_steps *steps, uint32_t threads, uint32_t locations,
                           col_program *program, col_problem *problem);
void dir_steps_free(dir_steps *steps);

/* A size of a range: the least, doubled any number of times. */
uint32_t dir_draw_size(col_range range, base_rng *rng);

/* The fewest operations from the initial state to another; their number, at most cores + 2. */
enum { DIR_MOST_WALK = TOUR_MOST_CORES + 2 };
uint32_t dir_tour_walk(const tour_space *space, const tour_state *to,
                       col_tour_operation walk[DIR_MOST_WALK]);
