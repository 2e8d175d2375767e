/* SPDX-License-Identifier: MIT */
/* The assembler of AArch64: see aarch64.h. */
#include "isa/aarch64.h"

const isa_a64_row isa_a64_rows[ISA_A64_COUNT] = {
#define ROW(name, mnemonic, letter, format, bits) {mnemonic, letter, ISA_A64F_##format, bits},
    ISA_A64_INSTRUCTIONS(ROW)
#undef ROW
};

enum { IMM26, IMM19, IMM21 }; /* kinds of references: the bits that they have */

static void or_into(uint8_t *at, uint32_t bits) {
    for (int i = 0; i < 4; i++)
        at[i] |= (uint8_t)(bits >> (8 * i));
}

static bool patch(uint8_t *at, uint32_t kind, int64_t distance) {
    const uint32_t d = (uint32_t)(uint64_t)distance;
    switch (kind) {
    case IMM26:
        or_into(at, d >> 2 & 0x3ffffff);
        return distance >= -(1 << 27) && distance < 1 << 27;
    case IMM19:
        or_into(at, (d >> 2 & 0x7ffff) << 5);
        return distance >= -(1 << 20) && distance < 1 << 20;
    default:
        or_into(at, (d & 3) << 29 | (d >> 2 & 0x7ffff) << 5);
        return distance >= -(1 << 20) && distance < 1 << 20;
    }
}

static uint32_t field(isa_code *code, const isa_a64_row *row, int64_t value, int64_t step,
                      int64_t high) {
    if (value < 0 || value > high * step || value % step != 0)
        isa_code_refuse(code, "%lld is out of range for '%s'", (long long)value, row->mnemonic);
    return (uint32_t)(value / step);
}

void isa_a64_emit(isa_code *code, isa_a64 instruction, const int64_t o[4]) {
    const isa_a64_row *row = &isa_a64_rows[instruction];
#define FIELD(operand, step, high, shift) (field(code, row, operand, step, high) << (shift))
#define REGISTER(operand, shift) FIELD(operand, 1, 31, shift)
    uint32_t bits = row->bits;
    switch (row->format) {
    case ISA_A64F_RRR:
        bits |= REGISTER(o[0], 0) | REGISTER(o[1], 5) | REGISTER(o[2], 16);
        break;
    case ISA_A64F_RRI:
        bits |= REGISTER(o[0], 0) | REGISTER(o[1], 5) | FIELD(o[2], 1, 4095, 10) |
                FIELD(o[3], 1, 1, 22);
        break;
    case ISA_A64F_CMP:
        bits |= REGISTER(o[0], 5) | REGISTER(o[1], 16);
        break;
    case ISA_A64F_LSL_X: /* a move of bits to the right, around */
        bits |= REGISTER(o[0], 0) | REGISTER(o[1], 5) | FIELD((64 - o[2]) % 64, 1, 63, 16) |
                FIELD(63 - o[2], 1, 63, 10);
        break;
    case ISA_A64F_LSR_X:
        bits |= REGISTER(o[0], 0) | REGISTER(o[1], 5) | FIELD(o[2], 1, 63, 16);
        break;
    case ISA_A64F_MOVE:
        bits |= REGISTER(o[0], 0) | FIELD(o[1], 1, 0xffff, 5) | FIELD(o[2], 16, 3, 21);
        break;
    case ISA_A64F_MEM1:
    case ISA_A64F_MEM4:
    case ISA_A64F_MEM8: {
        const int64_t step = row->format == ISA_A64F_MEM1   ? 1
                             : row->format == ISA_A64F_MEM4 ? 4
                                                            : 8;
        bits |= REGISTER(o[0], 0) | REGISTER(o[1], 5) | FIELD(o[2], step, 4095, 10);
        break;
    }
    case ISA_A64F_AT:
        bits |= REGISTER(o[0], 0) | REGISTER(o[1], 5);
        break;
    case ISA_A64F_STX:
        bits |= REGISTER(o[0], 16) | REGISTER(o[1], 0) | REGISTER(o[2], 5);
        break;
    case ISA_A64F_ATOMIC: /* COL_ACQUIRE is 1, and A is the bit above L */
        bits |= REGISTER(o[0], 16) | REGISTER(o[1], 0) | REGISTER(o[2], 5) |
                (uint32_t)(o[3] & 1) << 23 | (uint32_t)(o[3] >> 1 & 1) << 22;
        break;
    case ISA_A64F_BRANCH:
        isa_refer(code, (isa_label)o[0], IMM26, patch);
        break;
    case ISA_A64F_COMPARE:
        bits |= REGISTER(o[0], 0);
        isa_refer(code, (isa_label)o[1], IMM19, patch);
        break;
    case ISA_A64F_COND:
        bits |= FIELD(o[0], 1, 15, 0);
        isa_refer(code, (isa_label)o[1], IMM19, patch);
        break;
    case ISA_A64F_ADDRESS:
        bits |= REGISTER(o[0], 0);
        isa_refer(code, (isa_label)o[1], IMM21, patch);
        break;
    case ISA_A64F_REG:
    case ISA_A64F_BASE:
        bits |= REGISTER(o[0], 5);
        break;
    case ISA_A64F_RT:
        bits |= REGISTER(o[0], 0);
        break;
    case ISA_A64F_BARRIER:
    case ISA_A64F_IMM4:
        bits |= FIELD(o[0], 1, 15, 8);
        break;
    case ISA_A64F_READ:
        bits |= REGISTER(o[0], 0) | FIELD(o[1], 1, 0x7fff, 5);
        break;
    case ISA_A64F_WRITE:
        bits |= FIELD(o[0], 1, 0x7fff, 5) | REGISTER(o[1], 0);
        break;
    case ISA_A64F_IMM16:
        bits |= FIELD(o[0], 1, 0xffff, 5);
        break;
    case ISA_A64F_PLAIN:
        break;
    }
#undef REGISTER
#undef FIELD
    isa_emit_number(code, bits, 4);
}

/* The number of 16-bit parts that are `part`. */
static int count_parts(uint64_t value, uint64_t part) {
    int count = 0;
    for (int shift = 0; shift < 64; shift += 16)
        count += (value >> shift & 0xffff) == part;
    return count;
}

/* One part sets the rest to zeros or ones, whichever there are more of; the others are put in. */
void isa_a64_constant(isa_code *code, uint32_t rd, uint64_t value) {
    const bool inverted = count_parts(value, 0xffff) > count_parts(value, 0);
    const uint64_t rest = inverted ? 0xffff : 0;
    bool is_first = true;
    for (uint32_t shift = 0; shift < 64; shift += 16) {
        const uint64_t part = value >> shift & 0xffff;
        if (part == rest)
            continue;
        if (!is_first)
            ISA_A64(code, MOVK, rd, (int64_t)part, shift);
        else if (inverted)
            ISA_A64(code, MOVN, rd, (int64_t)(part ^ 0xffff), shift);
        else
            ISA_A64(code, MOVZ, rd, (int64_t)part, shift);
        is_first = false;
    }
    if (is_first && inverted)
        ISA_A64(code, MOVN, rd, 0, 0);
    else if (is_first)
        ISA_A64(code, MOVZ, rd, 0, 0);
}
