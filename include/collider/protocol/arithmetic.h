/* SPDX-License-Identifier: MIT */
/* Arithmetic that C leaves undefined. Numbers have 64 bits and wrap around; the generated code
 * adds, subtracts, negates and shifts them as uint64_t. Division by zero is a protocol error. See
 * docs/slicc.md. */
#ifndef COLLIDER_PROTOCOL_ARITHMETIC_H
#define COLLIDER_PROTOCOL_ARITHMETIC_H

#include "collider/protocol/error.h"

static inline void sl_check_divisor(sl_controller *c, uint64_t divisor) {
    if (COL_RARELY(divisor == 0))
        sl_fail(c, "a division by zero", NULL);
}

static inline int64_t sl_quotient(sl_controller *c, int64_t a, int64_t b) {
    sl_check_divisor(c, (uint64_t)b);
    return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b; /* INT64_MIN / -1 has no result in C */
}

static inline int64_t sl_remainder(sl_controller *c, int64_t a, int64_t b) {
    sl_check_divisor(c, (uint64_t)b);
    return b == -1 ? 0 : a % b;
}

static inline uint64_t sl_quotient_natural(sl_controller *c, uint64_t a, uint64_t b) {
    sl_check_divisor(c, b);
    return a / b;
}

static inline uint64_t sl_remainder_natural(sl_controller *c, uint64_t a, uint64_t b) {
    sl_check_divisor(c, b);
    return a % b;
}

#endif
