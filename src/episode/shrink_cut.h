/* SPDX-License-Identifier: MIT */
/* The first cut: a failure of thousands of operations is mostly about the last few of them. */
#ifndef EPISODE_SHRINK_CUT_H
#define EPISODE_SHRINK_CUT_H

#include "episode/shrink_look.h"
#include "episode/shrink_search.h"

/* Tries the operations that performed last before the failure, from `fewest` on more and more:
 * those on the blocks that the failure is about first. `look` has seen the best program fail. */
bool epi_search_cut(epi_search *search, const epi_look *look, uint32_t block_bits, uint32_t fewest);

#endif
