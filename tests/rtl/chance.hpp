// SPDX-License-Identifier: MIT
// Chance for testbenches.
#ifndef RTL_CHANCE_HPP
#define RTL_CHANCE_HPP

#include <cstdint>

// xorshift64*: seeded, the same everywhere.
class Chance {
  public:
    explicit Chance(uint64_t seed) : state_(seed * UINT64_C(0x9e3779b97f4a7c15) + 1) {
        for (int i = 0; i < 8; i++)
            next();
    }
    uint64_t next() {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * UINT64_C(0x2545f4914f6cdd1d);
    }
    uint64_t below(uint64_t limit) {
        return (next() >> 16) % limit;
    }
    bool happens(unsigned percent) {
        return below(100) < percent;
    }

  private:
    uint64_t state_;
};

#endif
