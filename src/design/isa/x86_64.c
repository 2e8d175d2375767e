/* SPDX-License-Identifier: MIT */
/* The assembler of x86-64: see x86_64.h. */
#include "design/isa/x86_64.h"

#include "design/isa/harness.h"

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

/*
 * How a hart comes to 64-bit mode. The first one starts at the load address in 32-bit mode, as PVH
 * has it; the others start in 16-bit mode on a page below 1 MiB (the trampoline), when the first
 * one asks for it by INIT and SIPI. Behind a jump at the load address there are tables at fixed
 * offsets; then code for 32-bit mode, made of instructions that have the same bytes in both modes,
 * and of what follows in 64-bit mode.
 */

/* Words behind the load address that harts count up. */
enum {
    COUNTER = 0x48, /* who comes first */
    ARRIVED = 0x50, /* harts with a thread that are there */
};

enum { VECTORS = 32, VECTOR_BYTES = 16 };

/* ---- Tables. */

/* Offsets from the load address. */
enum {
    AT_GDT = 0x10,
    AT_GDTR = 0x30,
    AT_FAR = 0x40, /* where 64-bit mode begins */
    AT_IDTR = 0x60,
    AT_TRAMPOLINE = 0x70,
    AT_IDT = 0x100,
    AT_CODE = AT_IDT + 16 * VECTORS,
};

/* The trampoline has tables of its own, because in 16-bit mode it cannot reach those. */
enum { TRAMPOLINE_GDTR = 0x20, TRAMPOLINE_FAR = 0x28, TRAMPOLINE_BYTES = 0x30 };

enum { CODE_64 = 0x08, CODE_32 = 0x10, DATA = 0x18, GDT_BYTES = 0x20 };
static const uint64_t descriptors[] = {0, 0x00af9b000000ffff, 0x00cf9b000000ffff,
                                       0x00cf93000000ffff};

const isa_x86_start_row isa_x86_trampoline[] = {
    {"cli", 1, {0xfa}},
    {"xorw %ax,%ax", 2, {0x31, 0xc0}},
    {"movw %ax,%ds", 2, {0x8e, 0xd8}},
    {"lgdtl 0x8020", 6, {0x66, 0x0f, 0x01, 0x16, 0x20, 0x80}},
    {"movl $0x11,%eax", 6, {0x66, 0xb8, 0x11}}, /* protection, and what is always 1 */
    {"movl %eax,%cr0", 3, {0x0f, 0x22, 0xc0}},
    {"ljmpl *0x8028", 5, {0x66, 0xff, 0x2e, 0x28, 0x80}},
    {.text = NULL},
};

static uint32_t address_at(const isa_boot *boot, uint32_t offset) {
    return (uint32_t)boot->platform->load + offset;
}

static void pad_to(isa_boot *boot, uint32_t offset) {
    while (boot->code->status == COL_OK && isa_here(boot->code) < offset)
        isa_emit(boot->code, "", 1);
}

/* A word of 4 bytes: the address of a label. `place` is the word's own one. */
static bool patch_address(uint8_t *at, uint32_t place, int64_t distance) {
    const uint64_t address = (uint64_t)((int64_t)place + distance);
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(address >> (8 * i));
    return address <= UINT32_MAX;
}

/* A gate has its address in parts. `place` counts from the gate, plus the vector's code. */
static bool patch_gate(uint8_t *at, uint32_t place, int64_t distance) {
    uint8_t address[4];
    const bool fits = patch_address(address, place, distance);
    for (int i = 0; i < 2; i++) {
        at[i] = address[i];
        at[6 + i] = address[2 + i];
    }
    return fits;
}

/* What lgdt and lidt load; in 32-bit mode 6 bytes of it. */
static void emit_table(isa_boot *boot, uint32_t bytes, uint32_t at) {
    isa_emit_number(boot->code, bytes - 1, 2);
    isa_emit_number(boot->code, address_at(boot, at), 8);
}

static void emit_far(isa_boot *boot, isa_label label, uint32_t selector) {
    isa_refer(boot->code, label, address_at(boot, isa_here(boot->code)), patch_address);
    isa_emit_number(boot->code, 0, 4);
    isa_emit_number(boot->code, selector, 2);
}

static void emit_tables(isa_boot *boot, isa_label others, isa_label wide) {
    pad_to(boot, AT_GDT);
    for (size_t i = 0; i < sizeof descriptors / sizeof descriptors[0]; i++)
        isa_emit_number(boot->code, descriptors[i], 8);
    emit_table(boot, GDT_BYTES, AT_GDT);
    pad_to(boot, AT_FAR);
    emit_far(boot, wide, CODE_64);
    pad_to(boot, AT_IDTR);
    emit_table(boot, 16 * VECTORS, AT_IDT);
    pad_to(boot, AT_TRAMPOLINE);
    for (const isa_x86_start_row *row = isa_x86_trampoline; row->text != NULL; row++)
        isa_emit(boot->code, row->bytes, row->size);
    pad_to(boot, AT_TRAMPOLINE + TRAMPOLINE_GDTR);
    isa_emit_number(boot->code, GDT_BYTES - 1, 2);
    isa_emit_number(boot->code, address_at(boot, AT_GDT), 4);
    pad_to(boot, AT_TRAMPOLINE + TRAMPOLINE_FAR);
    emit_far(boot, others, CODE_32);
    pad_to(boot, AT_IDT);
    enum { INTERRUPT_GATE = 0x8e };
    for (uint32_t v = 0; v < VECTORS; v++) {
        isa_refer(boot->code, boot->trap, address_at(boot, isa_here(boot->code)) + v * VECTOR_BYTES,
                  patch_gate);
        isa_emit_number(boot->code, CODE_64 << 16, 4);
        isa_emit_number(boot->code, INTERRUPT_GATE << 8, 4);
        isa_emit_number(boot->code, 0, 8);
    }
}

/* ---- 32-bit mode. */

static void set_control(isa_boot *boot, uint8_t control, uint32_t value) {
    isa_x86_constant(boot->code, ISA_RAX, value);
    ISA_X86(boot->code, MOV_TO_CONTROL, .reg = control, .rm = ISA_RAX);
}

/* With translation, caches on: after INIT they are off. */
static void switch_to_64(isa_boot *boot) {
    enum { PHYSICAL_ADDRESS_EXTENSION = 0x20, LONG_MODE = 0x100 };
    const uint32_t efer = 0xc0000080, paging = 0x80000011;
    isa_x86_constant(boot->code, ISA_RAX, DATA);
    ISA_X86(boot->code, MOV_TO_SEGMENT, .reg = ISA_DS, .rm = ISA_RAX);
    ISA_X86(boot->code, MOV_TO_SEGMENT, .reg = ISA_SS, .rm = ISA_RAX);
    set_control(boot, 4, PHYSICAL_ADDRESS_EXTENSION);
    set_control(boot, 3, (uint32_t)boot->layout->pages);
    isa_x86_constant(boot->code, ISA_RCX, efer);
    isa_x86_constant(boot->code, ISA_RAX, LONG_MODE);
    isa_x86_constant(boot->code, ISA_RDX, 0);
    ISA_X86(boot->code, WRMSR, .width = 0);
    set_control(boot, 0, paging);
    isa_x86_constant(boot->code, ISA_RAX, address_at(boot, AT_FAR));
    ISA_X86(boot->code, JMP_FAR, .base = ISA_RAX);
}

/* ---- The other harts, from 64-bit mode. */

/* All harts but this one are reset, and asked to start until those with a thread are there: who has
 * started does not heed it. One that does not start is missed at the barrier. */
static void start_others(isa_boot *boot) {
    enum { COMMAND = 0x300, INIT = 0xc4500, STARTUP = 0xc4600 | ISA_TRAMPOLINE >> 12 };
    enum { TRIES = 200, DELAY = 1 << 20 };
    const uint32_t apic = 0xfee00000;
    const isa_label again = isa_new_label(boot->code), delay = isa_new_label(boot->code);
    const isa_label done = isa_new_label(boot->code);
    isa_x86_constant(boot->code, ISA_RSI, address_at(boot, AT_TRAMPOLINE));
    isa_x86_constant(boot->code, ISA_RDI, ISA_TRAMPOLINE);
    for (int at = 0; at < TRAMPOLINE_BYTES; at += 8) {
        ISA_X86(boot->code, LOAD, .width = 8, .reg = ISA_RAX, .base = ISA_RSI, .disp = at);
        ISA_X86(boot->code, STORE, .width = 8, .reg = ISA_RAX, .base = ISA_RDI, .disp = at);
    }
    isa_x86_constant(boot->code, ISA_RDI, apic);
    isa_x86_constant(boot->code, ISA_RSI, TRIES);
    isa_x86_constant(boot->code, ISA_RDX, address_at(boot, COUNTER));
    ISA_X86(boot->code, STORE_I32, .width = 8, .base = ISA_RDX);
    isa_x86_constant(boot->code, ISA_RDX, address_at(boot, ARRIVED));
    ISA_X86(boot->code, STORE_I32, .width = 8, .base = ISA_RDX);
    isa_x86_constant(boot->code, ISA_R8, boot->harts - 1);
    ISA_X86(boot->code, STORE_I32, .width = 4, .base = ISA_RDI, .disp = COMMAND, .imm = INIT);
    isa_bind(boot->code, again);
    isa_x86_constant(boot->code, ISA_RCX, DELAY);
    isa_bind(boot->code, delay);
    ISA_X86(boot->code, DEC, .width = 8, .rm = ISA_RCX);
    ISA_X86(boot->code, JNE, .label = delay);
    ISA_X86(boot->code, LOAD, .width = 8, .reg = ISA_RAX, .base = ISA_RDX);
    ISA_X86(boot->code, CMP, .width = 8, .reg = ISA_R8, .rm = ISA_RAX);
    ISA_X86(boot->code, JE, .label = done);
    ISA_X86(boot->code, STORE_I32, .width = 4, .base = ISA_RDI, .disp = COMMAND, .imm = STARTUP);
    ISA_X86(boot->code, DEC, .width = 8, .rm = ISA_RSI);
    ISA_X86(boot->code, JNE, .label = again);
    isa_bind(boot->code, done);
}

/* From the load address on. What is emitted next runs in 64-bit mode, on all harts; traps lead to
 * boot->trap, 16 bytes for each vector. rbp is 1 on the hart that starts first. */

static void emit_start_up(isa_boot *boot) {
    const isa_label first = isa_new_label(boot->code), others = isa_new_label(boot->code);
    const isa_label both = isa_new_label(boot->code), wide = isa_new_label(boot->code);
    const isa_label started = isa_new_label(boot->code);
    ISA_X86(boot->code, JMP, .label = first);
    emit_tables(boot, others, wide);
    isa_bind(boot->code, first);
    ISA_X86(boot->code, CLI, .width = 0);
    isa_x86_constant(boot->code, ISA_RAX, address_at(boot, AT_GDTR));
    ISA_X86(boot->code, LGDT, .base = ISA_RAX);
    isa_x86_constant(boot->code, ISA_RBP, 1);
    ISA_X86(boot->code, JMP, .label = both);
    isa_bind(boot->code, others);
    isa_x86_constant(boot->code, ISA_RBP, 0);
    isa_bind(boot->code, both);
    switch_to_64(boot);
    isa_bind(boot->code, wide);
    isa_x86_constant(boot->code, ISA_RAX, address_at(boot, AT_IDTR));
    ISA_X86(boot->code, LIDT, .base = ISA_RAX);
    if (boot->platform->start == ISA_START_SIPI) {
        ISA_X86(boot->code, TEST, .width = 8, .reg = ISA_RBP, .rm = ISA_RBP);
        ISA_X86(boot->code, JE, .label = started);
        start_others(boot);
    }
    isa_bind(boot->code, started);
}

/*
 * The harness on x86-64: see harness.h. Harts come to 64-bit mode by x86_64.c. There is no
 * register that is always 0, and there are few that a callee preserves: three more are saved around
 * the call of a thread.
 */

static const uint8_t registers[ISA_ROLE_COUNT] = {
    [ISA_HART] = ISA_RBX, [ISA_ROUND] = ISA_RBP,  [ISA_PHASE] = ISA_R12, [ISA_SALT] = ISA_R13,
    [ISA_PART] = ISA_R14, [ISA_RANDOM] = ISA_R15, [ISA_RECORD] = ISA_R8, [ISA_ROW] = ISA_R9,
    [ISA_TURN] = ISA_R10, [ISA_T0] = ISA_R11,     [ISA_T1] = ISA_RAX,    [ISA_T2] = ISA_RSI,
    [ISA_T3] = ISA_RDX,   [ISA_T4] = ISA_RCX,     [ISA_A0] = ISA_RDI,    [ISA_A1] = ISA_RSI,
    [ISA_A2] = ISA_RDX,   [ISA_A3] = ISA_RCX,
};
#define REG(role) registers[role]

/* Those of the first group that a callee may change. */
static const uint8_t saved[] = {ISA_R8, ISA_R9, ISA_R10};
enum { SAVED = sizeof saved };

/* MSRs; that of a segment which is not used otherwise keeps the record's address. */
#define FS_BASE UINT32_C(0xc0000100)

static void set(isa_boot *boot, isa_role to, uint64_t value) {
    isa_x86_constant(boot->code, REG(to), value);
}

static void move(isa_boot *boot, isa_role to, isa_role from) {
    if (to != from)
        ISA_X86(boot->code, MOV, .width = 8, .reg = REG(from), .rm = REG(to));
}

static void arithmetic(isa_boot *boot, isa_arithmetic what, isa_role to, isa_role a, isa_role b) {
    const isa_role other = to == b ? a : b; /* they commute */
    move(boot, to, to == b ? b : a);
    switch (what) {
    case ISA_PLUS:
        ISA_X86(boot->code, ADD, .width = 8, .reg = REG(other), .rm = REG(to));
        break;
    case ISA_AND:
        ISA_X86(boot->code, AND, .width = 8, .reg = REG(other), .rm = REG(to));
        break;
    case ISA_TIMES:
        ISA_X86(boot->code, IMUL, .width = 8, .reg = REG(to), .rm = REG(other));
        break;
    }
}

static void plus(isa_boot *boot, isa_role to, isa_role a, int32_t number) {
    if (a == ISA_ZERO)
        set(boot, to, (uint64_t)(int64_t)number);
    else
        ISA_X86(boot->code, LEA, .width = 8, .reg = REG(to), .base = REG(a), .disp = number);
}

static void shift(isa_boot *boot, isa_role to, isa_role a, int32_t left) {
    move(boot, to, a);
    if (left >= 0)
        ISA_X86(boot->code, SHL, .width = 8, .rm = REG(to), .imm = left);
    else
        ISA_X86(boot->code, SHR, .width = 8, .rm = REG(to), .imm = -left);
}

static void load(isa_boot *boot, uint32_t bytes, isa_role to, isa_role at, uint32_t offset) {
    ISA_X86(boot->code, LOAD, .width = (uint8_t)bytes, .reg = REG(to), .base = REG(at),
            .disp = offset);
}

static void store(isa_boot *boot, uint32_t bytes, isa_role from, isa_role at, uint32_t offset) {
    if (from == ISA_ZERO)
        ISA_X86(boot->code, STORE_I32, .width = (uint8_t)bytes, .base = REG(at), .disp = offset);
    else
        ISA_X86(boot->code, STORE, .width = (uint8_t)bytes, .reg = REG(from), .base = REG(at),
                .disp = offset);
}

static void branch(isa_boot *boot, isa_condition condition, isa_role a, isa_role b,
                   isa_label label) {
    static const isa_x86 instructions[] = {
        [ISA_EQUAL] = ISA_X86_JE, [ISA_UNEQUAL] = ISA_X86_JNE, [ISA_BELOW] = ISA_X86_JB};
    if (b == ISA_ZERO)
        ISA_X86(boot->code, TEST, .width = 8, .reg = REG(a), .rm = REG(a));
    else
        ISA_X86(boot->code, CMP, .width = 8, .reg = REG(b), .rm = REG(a));
    isa_x86_emit(boot->code, instructions[condition], &(const isa_x86_operands){.label = label});
}

static void jump(isa_boot *boot, isa_label label) {
    ISA_X86(boot->code, JMP, .label = label);
}

static void call(isa_boot *boot, isa_label label) {
    ISA_X86(boot->code, CALL, .label = label);
}

static void call_at(isa_boot *boot, isa_role function) {
    for (int i = 0; i < SAVED; i++)
        ISA_X86(boot->code, PUSH, .rm = saved[i]);
    ISA_X86(boot->code, CALL_REG, .rm = REG(function));
    for (int i = SAVED; i-- > 0;)
        ISA_X86(boot->code, POP, .rm = saved[i]);
    ISA_X86(boot->code, MOV, .width = 4, .reg = ISA_RAX, .rm = REG(ISA_A0));
}

static void leave(isa_boot *boot) {
    ISA_X86(boot->code, RET, .width = 0);
}

static void set_stack(isa_boot *boot, isa_role top) {
    ISA_X86(boot->code, MOV, .width = 8, .reg = REG(top), .rm = ISA_RSP);
}

static void fence(isa_boot *boot) {
    ISA_X86(boot->code, MFENCE, .width = 0);
}

/* What others wrote may be executed behind an instruction that serializes: a write to cr0 is one.
 */
static void see_code(isa_boot *boot) {
    ISA_X86(boot->code, MOV_FROM_CONTROL, .reg = 0, .rm = REG(ISA_T0));
    ISA_X86(boot->code, MOV_TO_CONTROL, .reg = 0, .rm = REG(ISA_T0));
}

static void wait(isa_boot *boot) {
    ISA_X86(boot->code, HLT, .width = 0);
}

static void exit_by_port(isa_boot *boot, bool passed) {
    const isa_exit *way = &boot->platform->exit;
    isa_x86_constant(boot->code, ISA_RAX, passed ? way->pass : way->fail);
    isa_x86_constant(boot->code, ISA_RDX, way->address);
    ISA_X86(boot->code, OUT, .width = 0);
}

/* ---- The start. */

/* reg = what the word was, before one was added to it. */
static void count_up(isa_boot *boot, uint8_t reg, uint32_t word) {
    isa_x86_constant(boot->code, reg, 1);
    isa_x86_constant(boot->code, ISA_RAX, boot->platform->load + word);
    ISA_X86(boot->code, LOCK_XADD, .width = 8, .reg = reg, .base = ISA_RAX);
}

/* Leaf 1 of cpuid has the APIC's id in the upper byte of ebx, which is ISA_HART. */
static void enter(isa_boot *boot) {
    enum { ID_SHIFT = 24 };
    emit_start_up(boot);
    if (boot->platform->hart.from == ISA_HART_COUNTER)
        count_up(boot, REG(ISA_HART), COUNTER);
    if (boot->platform->hart.from != ISA_HART_APIC)
        return;
    isa_x86_constant(boot->code, ISA_RAX, 1);
    ISA_X86(boot->code, CPUID, .width = 0);
    ISA_X86(boot->code, SHR, .width = 4, .rm = REG(ISA_HART), .imm = ID_SHIFT);
}

static void keep_record(isa_boot *boot) {
    enum { HALF = 32 };
    ISA_X86(boot->code, MOV, .width = 8, .reg = REG(ISA_RECORD), .rm = ISA_RAX);
    ISA_X86(boot->code, MOV, .width = 8, .reg = REG(ISA_RECORD), .rm = ISA_RDX);
    ISA_X86(boot->code, SHR, .width = 8, .rm = ISA_RDX, .imm = HALF);
    isa_x86_constant(boot->code, ISA_RCX, FS_BASE);
    ISA_X86(boot->code, WRMSR, .width = 0);
}

static void prepare(isa_boot *boot) {
    if (boot->platform->start == ISA_START_SIPI)
        count_up(boot, ISA_RDX, ARRIVED);
}

/* ---- Traps. */

/* Vectors that push an error code: double fault, TSS, segments, protection, pages, alignment,
 * control protection, and two of AMD's. */
static bool has_error(uint32_t vector) {
    return (0x60227d00U >> vector & 1) != 0;
}

/* The cause is the vector; the value is the address of a page fault, or the error code. */
static void traps(isa_boot *boot) {
    enum { PAGE_FAULT = 14, FAULT_ADDRESS = 2, HALF = 32 };
    const isa_label same = isa_new_label(boot->code), other = isa_new_label(boot->code);
    isa_align(boot->code, VECTOR_BYTES);
    isa_bind(boot->code, boot->trap);
    for (uint32_t v = 0; v < VECTORS; v++) {
        if (has_error(v))
            ISA_X86(boot->code, POP, .rm = REG(ISA_T2));
        else
            set(boot, ISA_T2, 0);
        set(boot, ISA_T0, v);
        jump(boot, same);
        isa_align(boot->code, VECTOR_BYTES);
    }
    isa_bind(boot->code, same);
    ISA_X86(boot->code, POP, .rm = ISA_RDI); /* where it was */
    ISA_X86(boot->code, CMPI, .width = 8, .rm = REG(ISA_T0), .imm = PAGE_FAULT);
    ISA_X86(boot->code, JNE, .label = other);
    ISA_X86(boot->code, MOV_FROM_CONTROL, .reg = FAULT_ADDRESS, .rm = REG(ISA_T2));
    isa_bind(boot->code, other);
    isa_x86_constant(boot->code, ISA_RCX, FS_BASE);
    ISA_X86(boot->code, RDMSR, .width = 0);
    ISA_X86(boot->code, SHL, .width = 8, .rm = ISA_RDX, .imm = HALF);
    ISA_X86(boot->code, OR, .width = 8, .reg = ISA_RDX, .rm = ISA_RAX);
    ISA_X86(boot->code, MOV, .width = 8, .reg = ISA_RAX, .rm = REG(ISA_RECORD));
    ISA_X86(boot->code, MOV, .width = 8, .reg = ISA_RDI, .rm = REG(ISA_T1));
    jump(boot, boot->trapped);
}

const isa_machine isa_x86_64_machine = {
    .enter = enter,
    .keep_record = keep_record,
    .prepare = prepare,
    .traps = traps,
    .set = set,
    .arithmetic = arithmetic,
    .plus = plus,
    .shift = shift,
    .load = load,
    .store = store,
    .branch = branch,
    .jump = jump,
    .call = call,
    .call_at = call_at,
    .leave = leave,
    .set_stack = set_stack,
    .fence = fence,
    .see_code = see_code,
    .exit = exit_by_port,
    .wait = wait,
};
