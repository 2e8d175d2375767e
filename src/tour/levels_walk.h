/* SPDX-License-Identifier: MIT */
/* A walk through the space of two levels of caches, and short ways to any of its states. */
#ifndef TOUR_LEVELS_WALK_H
#define TOUR_LEVELS_WALK_H

#include "tour/levels.h"

typedef struct tour_walk {
    const tour_levels_space *space;
    tour_sink sink;
    tour_levels_state state;
    bool is_enough; /* the sink's word: nothing is done any more */
} tour_walk;

void tour_walk_step(tour_walk *w, uint32_t kind, uint32_t who);

/* Evicts the block from all caches but these. */
void tour_walk_evict_others(tour_walk *w, uint32_t holders, uint32_t seconds);

void tour_walk_to(tour_walk *w, const tour_levels_state *target);

#endif
