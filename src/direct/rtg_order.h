/* SPDX-License-Identifier: MIT */
/*
 * Steep coverage ascent: the order in which the points of a plane (CTG) or of any part of the
 * generation space (HTG's Driver) are visited. Tests that favour replacements (few sets, then many
 * locations) and tests that favour collisions (few locations, then many sets) take turns.
 */
#ifndef DIRECT_RTG_ORDER_H
#define DIRECT_RTG_ORDER_H

#include "direct/rtg.h"

typedef enum dir_turn { DIR_REPLACEMENTS, DIR_COLLISIONS } dir_turn; /* the thesis's x */

/* Algorithm 1, lines 6 to 19: one plane. The engine's variant is 1, 2 or 3; `turn` goes on from one
 * plane to the next. Takes those out of `left` that are in `order`, and returns their number. */
uint32_t dir_order_plane(const dir_pair *pairs, uint32_t count, uint32_t variant, bool *left,
                         dir_turn *turn, uint32_t *order);

/* Algorithm 7, the Driver: `wanted` and `order` are of all points of the space, `left` of its
 * pairs; both are used up. Returns how many points there are in `order`. */
uint32_t dir_order_points(const dir_rtg *rtg, bool *wanted, bool *left, uint32_t *order);

#endif
