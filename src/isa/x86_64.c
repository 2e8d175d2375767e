/* SPDX-License-Identifier: MIT */
/* The assembler of x86-64: see x86_64.h. */
#include "isa/x86_64.h"

const isa_x86_row isa_x86_rows[ISA_X86_COUNT] = {
#define ROW(name, mnemonic, form, opcode, digit) {mnemonic, ISA_X86F_##form, opcode, digit},
    ISA_X86_INSTRUCTIONS(ROW)
#undef ROW
};

/* The distance of the last four bytes of an instruction counts from its end. */
static bool patch(uint8_t *at, uint32_t kind, int64_t distance) {
    const int64_t relative = distance - 4;
    (void)kind;
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)((uint64_t)relative >> (8 * i));
    return relative >= INT32_MIN && relative <= INT32_MAX;
}

static bool is_byte(int64_t value) {
    return value >= INT8_MIN && value <= INT8_MAX;
}

static bool is_prefix(uint32_t byte) {
    return byte == 0xf0 || byte == 0x66 || byte == 0xf3;
}

/* Prefix, REX, opcode. REX has the fourth bits of registers, and the width. */
static void emit_opcode(isa_code *code, uint32_t opcode, uint32_t rex) {
    bool is_first = true;
    for (int shift = 24; shift >= 0; shift -= 8) {
        const uint32_t byte = opcode >> shift & 0xff;
        if (opcode >> shift == 0)
            continue;
        const bool comes_first = is_first && shift > 0 && is_prefix(byte);
        if (is_first && !comes_first && rex != 0)
            isa_emit_number(code, 0x40 | rex, 1);
        isa_emit_number(code, byte, 1);
        is_first = comes_first;
        if (!comes_first)
            rex = 0;
    }
}

static uint32_t rex_of(const isa_x86_operands *o, uint8_t reg, uint8_t index, uint8_t rm) {
    return (o->width == 8 ? 8U : 0U) | (reg >> 3 & 1U) << 2 | (index >> 3 & 1U) << 1 |
           (rm >> 3 & 1U);
}

static void emit_registers(isa_code *code, uint32_t opcode, const isa_x86_operands *o,
                           uint8_t reg) {
    emit_opcode(code, opcode, rex_of(o, reg, 0, o->rm));
    isa_emit_number(code, 0xc0U | (reg & 7U) << 3 | (o->rm & 7U), 1);
}

/* ModRM, SIB and displacement. rsp and r12 as a base need a SIB byte; rbp and r13 a displacement.
 */
static void emit_memory(isa_code *code, uint32_t opcode, const isa_x86_operands *o, uint8_t reg) {
    emit_opcode(code, opcode, rex_of(o, reg, o->has_index ? o->index : 0, o->base));
    const uint32_t low = o->base & 7U;
    const bool has_sib = o->has_index || low == ISA_RSP;
    const bool needs_disp = o->disp != 0 || low == ISA_RBP;
    const uint32_t mode = !needs_disp ? 0 : is_byte(o->disp) ? 1 : 2;
    isa_emit_number(code, mode << 6 | (reg & 7U) << 3 | (has_sib ? ISA_RSP : low), 1);
    if (has_sib)
        isa_emit_number(code, (o->has_index ? o->index & 7U : ISA_RSP) << 3 | low, 1);
    if (needs_disp)
        isa_emit_number(code, (uint64_t)o->disp, mode == 1 ? 1 : 4);
    if (o->disp < INT32_MIN || o->disp > INT32_MAX || (o->has_index && o->index == ISA_RSP))
        isa_code_refuse(code, "x86-64 has no such address");
}

static void check_immediate(isa_code *code, const isa_x86_row *row, int64_t value, int64_t low,
                            int64_t high) {
    if (value < low || value > high)
        isa_code_refuse(code, "%lld is out of range for '%s'", (long long)value, row->mnemonic);
}

void isa_x86_emit(isa_code *code, isa_x86 instruction, const isa_x86_operands *o) {
    const isa_x86_row *row = &isa_x86_rows[instruction];
    const uint32_t high = o->rm >> 3 & 1U;
    switch (row->form) {
    case ISA_X86F_REG_RM:
    case ISA_X86F_RM_REG:
    case ISA_X86F_CONTROL:
    case ISA_X86F_SEGMENT:
        emit_registers(code, row->opcode, o, o->reg);
        break;
    case ISA_X86F_REG_MEM:
        emit_memory(code, row->opcode, o, o->reg);
        break;
    case ISA_X86F_MEM:
        emit_memory(code, row->opcode, o, row->digit);
        break;
    case ISA_X86F_MEM_IMM32:
        check_immediate(code, row, o->imm, INT32_MIN, INT32_MAX);
        emit_memory(code, row->opcode, o, row->digit);
        isa_emit_number(code, (uint64_t)o->imm, 4);
        break;
    case ISA_X86F_RM:
        emit_registers(code, row->opcode, o, row->digit);
        break;
    case ISA_X86F_RM_IMM8:
        check_immediate(code, row, o->imm, INT8_MIN, INT8_MAX);
        emit_registers(code, row->opcode, o, row->digit);
        isa_emit_number(code, (uint64_t)o->imm, 1);
        break;
    case ISA_X86F_LOW:
        emit_opcode(code, row->opcode | (o->rm & 7U), high);
        break;
    case ISA_X86F_LOW_IMM32:
        check_immediate(code, row, o->imm, 0, UINT32_MAX);
        emit_opcode(code, row->opcode | (o->rm & 7U), high);
        isa_emit_number(code, (uint64_t)o->imm, 4);
        break;
    case ISA_X86F_LOW_IMM64:
        emit_opcode(code, row->opcode | (o->rm & 7U), 8 | high);
        isa_emit_number(code, (uint64_t)o->imm, 8);
        break;
    case ISA_X86F_RM_IMM32:
        check_immediate(code, row, o->imm, INT32_MIN, INT32_MAX);
        emit_registers(code, row->opcode, &(const isa_x86_operands){.width = 8, .rm = o->rm},
                       row->digit);
        isa_emit_number(code, (uint64_t)o->imm, 4);
        break;
    case ISA_X86F_LABEL:
        emit_opcode(code, row->opcode, 0);
        isa_refer(code, o->label, 0, patch);
        isa_emit_number(code, 0, 4);
        break;
    case ISA_X86F_PLAIN:
        emit_opcode(code, row->opcode, 0);
        break;
    }
}

void isa_x86_constant(isa_code *code, uint8_t reg, uint64_t value) {
    const int64_t number = (int64_t)value;
    if (value <= UINT32_MAX)
        ISA_X86(code, MOV_U32, .rm = reg, .imm = number);
    else if (number >= INT32_MIN && number < 0)
        ISA_X86(code, MOV_I32, .rm = reg, .imm = number);
    else
        ISA_X86(code, MOV_I64, .rm = reg, .imm = number);
}

void isa_x86_address(isa_code *code, uint8_t reg, isa_label label) {
    emit_opcode(code, 0x8d, 8 | (reg >> 3 & 1U) << 2);
    isa_emit_number(code, (reg & 7U) << 3 | 5, 1); /* relative to the next instruction */
    isa_refer(code, label, 0, patch);
    isa_emit_number(code, 0, 4);
}
