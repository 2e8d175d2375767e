/* SPDX-License-Identifier: MIT */
/* Expressions over reads: see thread_paths.h. */
#include "judge/litmus/thread_paths.h"

#include "base/memory.h"

static lit_value add(lit_nodes *nodes, lit_node node) {
    if (nodes->status == COL_OK && nodes->count == LIT_MOST_NODES)
        nodes->status =
            base_refuse(nodes->problem, "a thread of the litmus test computes too much");
    if (nodes->status == COL_OK)
        nodes->status = base_reserve(&nodes->nodes, &nodes->capacity, nodes->count + 1,
                                     sizeof *nodes->nodes, nodes->problem);
    if (nodes->status != COL_OK)
        return 0;
    nodes->nodes[nodes->count] = node;
    return (lit_value)nodes->count++;
}

static uint8_t width(uint64_t value) {
    uint8_t bits = 0;
    for (; value != 0; value >>= 1)
        bits++;
    return bits;
}

lit_value lit_value_known(lit_nodes *nodes, uint64_t constant) {
    return add(nodes, (lit_node){.kind = LIT_KNOWN, .constant = constant, .bits = width(constant)});
}

lit_value lit_value_read(lit_nodes *nodes, uint32_t event, uint32_t bits) {
    return add(nodes, (lit_node){.kind = LIT_FROM_READ, .event = event, .bits = (uint8_t)bits});
}

/* ---- Computing. */

static uint64_t mask_of(uint64_t bits) {
    return bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
}

static uint64_t extend(uint64_t value, uint64_t bits) {
    const uint64_t mask = mask_of(bits);
    if (bits == 0 || bits >= 64)
        return value;
    value &= mask;
    return (value >> (bits - 1)) != 0 ? value | ~mask : value;
}

/* Signed comparison without a signed type. */
static bool is_less(uint64_t a, uint64_t b) {
    const uint64_t sign = UINT64_C(1) << 63;
    return (a ^ sign) < (b ^ sign);
}

static uint64_t shift_right(uint64_t a, uint64_t b, bool is_signed) {
    if (b == 0)
        return a;
    const uint64_t fill = is_signed && (a >> 63) != 0 ? ~UINT64_C(0) : 0;
    return b >= 64 ? fill : a >> b | (fill & ~mask_of(64 - b));
}

uint64_t lit_compute_known(lit_operator operator_, uint64_t a, uint64_t b) {
    switch (operator_) {
    case LIT_ADD:
        return a + b;
    case LIT_SUBTRACT:
        return a - b;
    case LIT_MULTIPLY:
        return a * b;
    case LIT_AND:
        return a & b;
    case LIT_OR:
        return a | b;
    case LIT_XOR:
        return a ^ b;
    case LIT_AND_NOT:
        return a & ~b;
    case LIT_SHIFT_LEFT:
        return b >= 64 ? 0 : a << b;
    case LIT_SHIFT_RIGHT:
        return shift_right(a, b, false);
    case LIT_SHIFT_RIGHT_SIGNED:
        return shift_right(a, b, true);
    case LIT_EQUAL:
        return a == b;
    case LIT_NOT_EQUAL:
        return a != b;
    case LIT_LESS:
        return is_less(a, b);
    case LIT_LESS_UNSIGNED:
        return a < b;
    case LIT_NOT_LESS:
        return !is_less(a, b);
    case LIT_NOT_LESS_UNSIGNED:
        return a >= b;
    case LIT_MINIMUM:
        return is_less(a, b) ? a : b;
    case LIT_MAXIMUM:
        return is_less(a, b) ? b : a;
    case LIT_MINIMUM_UNSIGNED:
        return a < b ? a : b;
    case LIT_MAXIMUM_UNSIGNED:
        return a < b ? b : a;
    case LIT_SECOND:
        return b;
    case LIT_TRUNCATE:
        return a & mask_of(b);
    case LIT_SIGN_EXTEND:
        return extend(a, b);
    }
    return 0;
}

/* What follows although a or b is not known. */
static bool simplify(lit_nodes *nodes, lit_operator operator_, lit_value a, lit_value b,
                     lit_value *result) {
    const lit_node x = nodes->nodes[a], y = nodes->nodes[b];
    const bool x_is_zero = x.kind == LIT_KNOWN && x.constant == 0;
    const bool y_is_zero = y.kind == LIT_KNOWN && y.constant == 0;
    *result = a;
    if (operator_ == LIT_SECOND) {
        *result = b;
        return true;
    }
    if (operator_ == LIT_TRUNCATE)
        return x.bits <= y.constant;
    if (operator_ == LIT_SIGN_EXTEND)
        return x.bits < y.constant || y.constant >= 64;
    if (a == b && (operator_ == LIT_AND || operator_ == LIT_OR))
        return true;
    if (y_is_zero &&
        (operator_ == LIT_ADD || operator_ == LIT_SUBTRACT || operator_ == LIT_OR ||
         operator_ == LIT_XOR || operator_ == LIT_SHIFT_LEFT || operator_ == LIT_SHIFT_RIGHT))
        return true;
    if (x_is_zero && (operator_ == LIT_ADD || operator_ == LIT_OR || operator_ == LIT_XOR)) {
        *result = b;
        return true;
    }
    if ((a == b &&
         (operator_ == LIT_XOR || operator_ == LIT_SUBTRACT || operator_ == LIT_NOT_EQUAL ||
          operator_ == LIT_AND_NOT || operator_ == LIT_LESS || operator_ == LIT_LESS_UNSIGNED)) ||
        ((x_is_zero || y_is_zero) && (operator_ == LIT_AND || operator_ == LIT_MULTIPLY))) {
        *result = lit_value_known(nodes, 0);
        return true;
    }
    if (a == b && (operator_ == LIT_EQUAL || operator_ == LIT_NOT_LESS ||
                   operator_ == LIT_NOT_LESS_UNSIGNED)) {
        *result = lit_value_known(nodes, 1);
        return true;
    }
    return false;
}

static uint8_t result_bits(lit_operator operator_, const lit_node *x, const lit_node *y) {
    switch (operator_) {
    case LIT_AND:
        return x->bits < y->bits ? x->bits : y->bits;
    case LIT_OR:
    case LIT_XOR:
        return x->bits > y->bits ? x->bits : y->bits;
    case LIT_TRUNCATE:
        return (uint8_t)y->constant;
    case LIT_EQUAL:
    case LIT_NOT_EQUAL:
    case LIT_LESS:
    case LIT_LESS_UNSIGNED:
    case LIT_NOT_LESS:
    case LIT_NOT_LESS_UNSIGNED:
        return 1;
    default:
        return 64;
    }
}

lit_value lit_value_compute(lit_nodes *nodes, lit_operator operator_, lit_value a, lit_value b) {
    lit_value result;
    if (nodes->status != COL_OK)
        return 0;
    const lit_node x = nodes->nodes[a], y = nodes->nodes[b];
    if (x.kind == LIT_KNOWN && y.kind == LIT_KNOWN)
        return lit_value_known(nodes, lit_compute_known(operator_, x.constant, y.constant));
    if (simplify(nodes, operator_, a, b, &result))
        return result;
    return add(nodes, (lit_node){.kind = LIT_COMPUTED,
                                 .operator_ = (uint8_t)operator_,
                                 .bits = result_bits(operator_, &x, &y),
                                 .a = a,
                                 .b = b});
}
