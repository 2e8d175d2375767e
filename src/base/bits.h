/* SPDX-License-Identifier: MIT */
/* Sets of small numbers and masks, as the bits of a word. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdint.h>

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

#endif
