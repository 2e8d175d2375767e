/* SPDX-License-Identifier: MIT */
/*
 * The compiler extensions that the public headers use, with substitutes in standard C17. No other
 * public header uses extensions.
 */
#ifndef COLLIDER_COMPILER_H
#define COLLIDER_COMPILER_H

#include <stdint.h>

/* Around declarations: C++ is told that they are of C. */
#ifdef __cplusplus
#define COL_C_BEGIN extern "C" {
#define COL_C_END }
#else
#define COL_C_BEGIN
#define COL_C_END
#endif

#if defined(__GNUC__) && !defined(COL_STANDARD_C)
#define COL_RARELY(condition) __builtin_expect(!!(condition), 0)
#define COL_ALWAYS_INLINE __attribute__((always_inline)) static inline
#define COL_NEVER_INLINE __attribute__((noinline, unused)) static
#define COL_COLD __attribute__((noinline, cold, unused)) static
#define COL_COUNT_BITS(word) ((uint32_t)__builtin_popcountll(word))
#define COL_LOWEST_BIT(word) ((uint32_t)__builtin_ctzll(word))
#define COL_API __attribute__((visibility("default")))
#else
#define COL_RARELY(condition) (condition)
#define COL_ALWAYS_INLINE static inline
#define COL_NEVER_INLINE static inline
#define COL_COLD static inline
#define COL_COUNT_BITS(word) col_count_bits(word)
#define COL_LOWEST_BIT(word) col_count_bits(((word) & (~(word) + 1)) - 1)
#define COL_API

static inline uint32_t col_count_bits(uint64_t word) {
    uint32_t count = 0;
    for (; word != 0; word &= word - 1)
        count++;
    return count;
}
#endif

#endif
