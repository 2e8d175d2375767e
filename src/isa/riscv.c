/* SPDX-License-Identifier: MIT */
/* The assembler of RISC-V: see riscv.h. */
#include "isa/riscv.h"

const isa_rv_row isa_rv_rows[ISA_RV_COUNT] = {
#define ROW(name, mnemonic, format, bits) {mnemonic, ISA_RVF_##format, bits},
    ISA_RV_INSTRUCTIONS(ROW)
#undef ROW
};

enum { BRANCH, JUMP, PAIR }; /* kinds of references */

static uint32_t bits_of(uint64_t value, uint32_t high, uint32_t low) {
    return (uint32_t)(value >> low) & ((UINT32_C(1) << (high - low + 1)) - 1);
}

static void or_into(uint8_t *at, uint32_t bits) {
    for (int i = 0; i < 4; i++)
        at[i] |= (uint8_t)(bits >> (8 * i));
}

/* The upper and lower part of a signed 32-bit number: lui or auipc, then addi or jalr. */
static uint32_t upper(int64_t value) {
    return bits_of((uint64_t)value + 0x800, 31, 12);
}

static bool patch(uint8_t *at, uint32_t kind, int64_t distance) {
    const uint64_t d = (uint64_t)distance;
    switch (kind) {
    case BRANCH:
        or_into(at, bits_of(d, 12, 12) << 31 | bits_of(d, 10, 5) << 25 | bits_of(d, 4, 1) << 8 |
                        bits_of(d, 11, 11) << 7);
        return distance >= -4096 && distance < 4096;
    case JUMP:
        or_into(at, bits_of(d, 20, 20) << 31 | bits_of(d, 10, 1) << 21 | bits_of(d, 11, 11) << 20 |
                        bits_of(d, 19, 12) << 12);
        return distance >= -(1 << 20) && distance < 1 << 20;
    default:
        or_into(at, upper(distance) << 12);
        or_into(at + 4, bits_of(d, 11, 0) << 20);
        return distance >= INT32_MIN && distance < INT32_MAX - 0x800;
    }
}

static uint32_t field(isa_code *code, const isa_rv_row *row, int64_t value, int64_t low,
                      int64_t high) {
    if (value < low || value > high)
        isa_code_refuse(code, "%lld is out of range for '%s'", (long long)value, row->mnemonic);
    return (uint32_t)value;
}

void isa_rv_emit(isa_code *code, isa_rv instruction, const int64_t o[4]) {
    const isa_rv_row *row = &isa_rv_rows[instruction];
#define FIELD(operand, low, high, shift) (field(code, row, operand, low, high) << (shift))
#define REGISTER(operand, shift) FIELD(operand, 0, 31, shift)
    uint32_t bits = row->bits;
    switch (row->format) {
    case ISA_RVF_R:
        bits |= REGISTER(o[0], 7) | REGISTER(o[1], 15) | REGISTER(o[2], 20);
        break;
    case ISA_RVF_I:
    case ISA_RVF_LOAD:
        bits |= REGISTER(o[0], 7) | REGISTER(o[1], 15) | FIELD(o[2], -2048, 2047, 20);
        break;
    case ISA_RVF_SHIFT:
        bits |= REGISTER(o[0], 7) | REGISTER(o[1], 15) | FIELD(o[2], 0, 63, 20);
        break;
    case ISA_RVF_SHIFTW:
        bits |= REGISTER(o[0], 7) | REGISTER(o[1], 15) | FIELD(o[2], 0, 31, 20);
        break;
    case ISA_RVF_U:
        bits |= REGISTER(o[0], 7) | FIELD(o[1], 0, 0xfffff, 12);
        break;
    case ISA_RVF_STORE:
        field(code, row, o[2], -2048, 2047);
        bits |= REGISTER(o[0], 20) | REGISTER(o[1], 15) | bits_of((uint64_t)o[2], 11, 5) << 25 |
                bits_of((uint64_t)o[2], 4, 0) << 7;
        break;
    case ISA_RVF_BRANCH:
        bits |= REGISTER(o[0], 15) | REGISTER(o[1], 20);
        isa_refer(code, (isa_label)o[2], BRANCH, patch);
        break;
    case ISA_RVF_JUMP:
        bits |= REGISTER(o[0], 7);
        isa_refer(code, (isa_label)o[1], JUMP, patch);
        break;
    case ISA_RVF_FENCE:
        bits |= FIELD(o[0], 0, 15, 24) | FIELD(o[1], 0, 15, 20);
        break;
    case ISA_RVF_CSR:
    case ISA_RVF_CSRI:
        bits |= REGISTER(o[0], 7) | FIELD(o[1], 0, 0xfff, 20) | REGISTER(o[2], 15);
        break;
    case ISA_RVF_AMO: /* COL_ACQUIRE is 1, and aq is the bit above rl */
        bits |= REGISTER(o[0], 7) | REGISTER(o[1], 20) | REGISTER(o[2], 15) |
                (uint32_t)(o[3] & 1) << 26 | (uint32_t)(o[3] >> 1 & 1) << 25;
        break;
    case ISA_RVF_LR:
        bits |= REGISTER(o[0], 7) | REGISTER(o[1], 15) | (uint32_t)(o[2] & 1) << 26 |
                (uint32_t)(o[2] >> 1 & 1) << 25;
        break;
    case ISA_RVF_RR:
        bits |= REGISTER(o[0], 15) | REGISTER(o[1], 20);
        break;
    case ISA_RVF_AT:
        bits |= REGISTER(o[0], 15);
        break;
    case ISA_RVF_PLAIN:
        break;
    }
#undef REGISTER
#undef FIELD
    isa_emit_number(code, bits, 4);
}

static int64_t low_part(int64_t value) {
    return ((value & 0xfff) ^ 0x800) - 0x800;
}

void isa_rv_constant(isa_code *code, uint32_t address_bytes, uint32_t rd, uint64_t value) {
    const int64_t number = address_bytes == 4 ? (int32_t)(uint32_t)value : (int64_t)value;
    const int64_t low = low_part(number);
    if (number == low) {
        ISA_RV(code, ADDI, rd, 0, low);
    } else if (number >= INT32_MIN && number <= INT32_MAX) {
        ISA_RV(code, LUI, rd, upper(number));
        if (low != 0 && address_bytes == 4)
            ISA_RV(code, ADDI, rd, rd, low);
        else if (low != 0) /* the sum may pass 2^31 */
            ISA_RV(code, ADDIW, rd, rd, low);
    } else {
        const uint64_t rest = (uint64_t)number - (uint64_t)low;
        const uint32_t shift = (uint32_t)__builtin_ctzll(rest);
        isa_rv_constant(code, address_bytes, rd, (uint64_t)((int64_t)rest >> shift));
        ISA_RV(code, SLLI, rd, rd, shift);
        if (low != 0)
            ISA_RV(code, ADDI, rd, rd, low);
    }
}

void isa_rv_address(isa_code *code, uint32_t rd, isa_label label) {
    isa_refer(code, label, PAIR, patch);
    ISA_RV(code, AUIPC, rd, 0);
    ISA_RV(code, ADDI, rd, rd, 0);
}

void isa_rv_far(isa_code *code, uint32_t link, uint32_t scratch, isa_label label) {
    isa_refer(code, label, PAIR, patch);
    ISA_RV(code, AUIPC, scratch, 0);
    ISA_RV(code, JALR, link, scratch, 0);
}
