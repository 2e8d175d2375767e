/* SPDX-License-Identifier: MIT */
/* Numbers as users write them: 4096, 4Ki, 2Mi, 0.48, 1e-6. */
#pragma once

#include "base/problem.h"

/* The whole text is a number that fits into 64 bits; decimal or 0x; Ki, Mi and Gi multiply. */
bool base_number_parse(const char *text, uint64_t *number);

/* A decimal such as 0.48 or 1e-6 at the start of the text, in any locale: the number next to it,
 * infinite if it is too large for any. Returns where it ends, or NULL. */
const char *base_decimal_parse(const char *text, double *number);

/* Durations as people write them: 90, 90s, 500ms, 2m, 1h30m. */

/* What a duration may be, for sentences that refuse another one. */
#define BASE_DURATION_FORMS "a duration such as 90, 90s, 2m or 1h30m"

/* The whole text: a number of seconds, or numbers with units (h, m, s, ms) from the largest to the
 * smallest, each at most once. */
bool base_duration_parse(const char *text, double *seconds);

/* Numbers as text of a fixed count of digits, 0 to f, so that long arrays are one short string. */

/* The value of a digit, in either case; 16: it is none. */
static inline uint32_t base_digit(char c) {
    return c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
           : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
           : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                  : 16;
}

/* Writes the last `digits` digits; returns the end. */
char *base_put_hexadecimal(char *at, uint64_t number, int digits);
/* Reads that many, 16 at most, and moves on; false: there is something else. */
bool base_take_hexadecimal(const char **at, int digits, uint64_t *number);

/* Sets of small numbers and masks, as the bits of a word. */

static inline uint32_t base_bit_count(uint64_t bits) {
    return (uint32_t)__builtin_popcountll(bits);
}

/* Of bits that are not all 0. */
static inline uint32_t base_lowest_bit(uint64_t bits) {
    return (uint32_t)__builtin_ctzll(bits);
}

/* Spreads the low bits of `number` over the set bits of `mask`, the lowest first. */
static inline uint64_t base_scatter_bits(uint64_t number, uint64_t mask) {
    uint64_t result = 0;
    for (; mask != 0 && number != 0; mask &= mask - 1, number >>= 1)
        if ((number & 1) != 0)
            result |= mask & (~mask + 1);
    return result;
}
