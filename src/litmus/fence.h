/* SPDX-License-Identifier: MIT */
#ifndef LIT_FENCE_H
#define LIT_FENCE_H

#include "cat/names.h"
#include "collider/program.h"
#include "litmus/path.h"

/* The pairs of accesses that a fence orders for other threads, by its cat_set: a set of
 * COL_READ_READ, ..., or nothing (NSH, fence.i). False: what it orders depends on more (ISB). */
bool lit_fence_pairs(uint32_t set, uint8_t *pairs);

/* COL_ACQUIRE, COL_RELEASE: what an access is. */
uint8_t lit_order_of(const lit_event *event, lit_isa isa);
bool lit_has_set(const lit_event *event, cat_set set);

#endif
