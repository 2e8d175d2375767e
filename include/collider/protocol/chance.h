/* SPDX-License-Identifier: MIT */
/* The instance's chance (xoshiro256++). */
#ifndef COLLIDER_PROTOCOL_CHANCE_H
#define COLLIDER_PROTOCOL_CHANCE_H

#include "collider/protocol/system.h"

static inline uint64_t sl_random(sl_system *s) {
    uint64_t *x = s->random;
    const uint64_t sum = x[0] + x[3];
    const uint64_t result = ((sum << 23) | (sum >> 41)) + x[0];
    const uint64_t t = x[1] << 17;
    x[2] ^= x[0];
    x[3] ^= x[1];
    x[1] ^= x[2];
    x[0] ^= x[3];
    x[2] ^= t;
    x[3] = (x[3] << 45) | (x[3] >> 19);
    return result;
}

#endif
