/* SPDX-License-Identifier: MIT */
/* Filling in a col_problem. Each function returns the status, so that `return base_refuse(...)`
 * reads as one step. `problem` may be NULL when the caller wants the status alone. */
#pragma once

#include <assert.h>
#include <collider/problem.h>
#include <stdbool.h>

#if defined(__GNUC__)
#define BASE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define BASE_PRINTF(text, first)
#endif

col_status base_refuse(col_problem *problem, const char *format, ...) BASE_PRINTF(2, 3);
col_status base_refuse_at(col_problem *problem, const char *file, uint32_t line, uint32_t column,
                          const char *format, ...) BASE_PRINTF(5, 6);
col_status base_fail(col_problem *problem, const char *format, ...) BASE_PRINTF(2, 3);
col_status base_out_of_memory(col_problem *problem);
/* Goes on if the call succeeds, otherwise returns its status: the way through a function that has
 * nothing to give back. */
#ifdef __cppcheck__ /* which does not look into a loop that runs once */
#define BASE_TRY(...)                                                                              \
    {                                                                                              \
        const col_status base_tried = __VA_ARGS__;                                                 \
        if (base_tried != COL_OK)                                                                  \
            return base_tried;                                                                     \
    }
#else
#define BASE_TRY(...)                                                                              \
    do {                                                                                           \
        const col_status base_tried = (__VA_ARGS__);                                               \
        if (base_tried != COL_OK)                                                                  \
            return base_tried;                                                                     \
    } while (false)
#endif
/* The next of several steps where something must be given back: it is taken, and `status` is what
 * came of it, unless one before has failed. */
#define BASE_THEN(status, ...) ((status) = (status) == COL_OK ? (__VA_ARGS__) : (status))
/* Where another failure is an answer: a design that is not deterministic, say. */
bool base_is_out_of_memory(const col_problem *problem);

/*
 * Facts that hold the hard parts together; their files list them by number. Debug builds check
 * them, and a build with COLLIDER_INVARIANTS also those that cost more than the work itself.
 * Otherwise they are compiled, so that they stay right, and not evaluated.
 */

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
