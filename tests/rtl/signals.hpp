// SPDX-License-Identifier: MIT
// Fields of flattened signals: Verilator has a number for what fits 64 bits and an array of words
// for the rest.
#ifndef RTL_SIGNALS_HPP
#define RTL_SIGNALS_HPP

#include "verilated.h"

#include <cstdint>

inline uint64_t low_bits(uint64_t value, unsigned bits) {
    return bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

// Element `index` of a signal whose elements have `bits` bits.
template <class Number> uint64_t field(const Number &signal, unsigned index, unsigned bits) {
    return low_bits(static_cast<uint64_t>(signal) >> (index * bits), bits);
}

template <class Number> void set_field(Number &signal, unsigned index, unsigned bits, uint64_t to) {
    const uint64_t mask = low_bits(UINT64_MAX, bits) << (index * bits);
    signal = static_cast<Number>((signal & ~mask) | (to << (index * bits) & mask));
}

template <std::size_t Words>
uint64_t field(const VlWide<Words> &signal, unsigned index, unsigned bits) {
    uint64_t value = 0;
    for (unsigned bit = 0; bit < bits; bit++) {
        const unsigned at = index * bits + bit;
        value |= static_cast<uint64_t>(signal[at / 32] >> at % 32 & 1) << bit;
    }
    return value;
}

template <std::size_t Words>
void set_field(VlWide<Words> &signal, unsigned index, unsigned bits, uint64_t to) {
    for (unsigned bit = 0; bit < bits; bit++) {
        const unsigned at = index * bits + bit;
        const uint32_t mask = UINT32_C(1) << at % 32;
        signal[at / 32] = (to >> bit & 1) != 0 ? signal[at / 32] | mask : signal[at / 32] & ~mask;
    }
}

#endif
