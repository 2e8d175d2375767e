/* SPDX-License-Identifier: MIT */
/*
 * Facts that hold the hard parts together; their files list them by number. Debug builds check
 * them, and a build with COLLIDER_INVARIANTS also those that cost more than the work itself.
 * Otherwise they are compiled, so that they stay right, and not evaluated.
 */
#ifndef BASE_INVARIANT_H
#define BASE_INVARIANT_H

#include <assert.h>
#include <stdbool.h>

#ifdef NDEBUG
#define base_invariant(condition) ((void)(false && (condition)))
#else
#define base_invariant(condition) assert(condition)
#endif

#ifdef COLLIDER_INVARIANTS
#define base_costly_invariant(condition) base_invariant(condition)
#else
#define base_costly_invariant(condition) ((void)(false && (condition)))
#endif

#endif
