/* SPDX-License-Identifier: MIT */
/*
 * x86-64. As threads have it, under TSO attributes, dependencies and most fences cost nothing.
 * Dependencies are there all the same; `and` with 0 makes them, since processors know that `xor` of
 * a register with itself depends on nothing.
 */
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

/* reg = the address of a label. */
static void address_of(isa_code *code, uint8_t reg, isa_label label) {
    emit_opcode(code, 0x8d, 8 | (reg >> 3 & 1U) << 2);
    isa_emit_number(code, (reg & 7U) << 3 | 5, 1); /* relative to the next instruction */
    isa_refer(code, label, 0, patch);
    isa_emit_number(code, 0, 4);
}

static void constant(isa_code *code, const isa_target *target, uint32_t reg, uint64_t value) {
    (void)target;
    isa_x86_constant(code, (uint8_t)reg, value);
}

/* ---- What the harness and threads share. */

/* Registers of threads. */
enum {
    BASE = ISA_RDI,
    LOG = ISA_RSI,
    SALT = ISA_RDX,
    TOKEN = ISA_RCX, /* where the skew comes in; also what an address needs besides the base */
    LINK = TOKEN,    /* of a fetch */
    VALUE = ISA_RAX,
    COUNT = ISA_R8,
    BUNDLE = ISA_R9,
};

/* There is no register that is always 0: it has a number that none has. */
enum { ZERO = 16 };

static void move(isa_code *code, uint8_t to, uint8_t from) {
    if (to != from)
        ISA_X86(code, MOV, .width = 8, .reg = from, .rm = to);
}

/* They commute. */
static void arithmetic(isa_code *code, isa_basic what, uint8_t to, uint8_t a, uint8_t b) {
    const uint8_t other = to == b ? a : b;
    move(code, to, to == b ? b : a);
    if (what == ISA_PLUS)
        ISA_X86(code, ADD, .width = 8, .reg = other, .rm = to);
    else if (what == ISA_AND)
        ISA_X86(code, AND, .width = 8, .reg = other, .rm = to);
    else
        ISA_X86(code, IMUL, .width = 8, .reg = to, .rm = other);
}

/* Few registers are preserved by a callee: three more of the harness are saved around the call. */
static void call_at(isa_code *code, uint8_t function) {
    static const uint8_t saved[] = {ISA_R8, ISA_R9, ISA_R10};
    for (int i = 0; i < 3; i++)
        ISA_X86(code, PUSH, .rm = saved[i]);
    ISA_X86(code, CALL_REG, .rm = function);
    for (int i = 3; i-- > 0;)
        ISA_X86(code, POP, .rm = saved[i]);
    ISA_X86(code, MOV, .width = 4, .reg = ISA_RAX, .rm = isa_x86_64.roles[ISA_A0]);
}

static void plus_number(isa_code *code, uint8_t to, uint8_t a, int32_t number) {
    if (a == ZERO)
        isa_x86_constant(code, to, (uint64_t)(int64_t)number);
    else
        ISA_X86(code, LEA, .width = 8, .reg = to, .base = a, .disp = number);
}

static void branch(isa_code *code, isa_x86 jump, uint8_t a, uint8_t b, isa_label label) {
    if (b == ZERO)
        ISA_X86(code, TEST, .width = 8, .reg = a, .rm = a);
    else
        ISA_X86(code, CMP, .width = 8, .reg = b, .rm = a);
    isa_x86_emit(code, jump, &(const isa_x86_operands){.label = label});
}

static void basic(isa_code *code, isa_basic what, uint32_t a, uint32_t b, uint32_t c) {
    const uint8_t width = what == ISA_LOAD_4 || what == ISA_STORE_4 ? 4 : 8;
    const uint8_t first = (uint8_t)a, second = (uint8_t)b, t0 = isa_x86_64.roles[ISA_T0];
    switch (what) {
    case ISA_PLUS_NUMBER:
        plus_number(code, first, second, (int32_t)c);
        break;
    case ISA_RIGHT:
        move(code, first, second);
        ISA_X86(code, SHR, .width = 8, .rm = first, .imm = c);
        break;
    case ISA_IF_EQUAL:
    case ISA_IF_UNEQUAL:
    case ISA_IF_BELOW:
        branch(code,
               what == ISA_IF_EQUAL     ? ISA_X86_JE
               : what == ISA_IF_UNEQUAL ? ISA_X86_JNE
                                        : ISA_X86_JB,
               first, second, c);
        break;
    case ISA_LOAD_4:
    case ISA_LOAD_8:
        ISA_X86(code, LOAD, .width = width, .reg = first, .base = second, .disp = c);
        break;
    case ISA_STORE_4:
    case ISA_STORE_8:
        if (a == ZERO)
            ISA_X86(code, STORE_I32, .width = width, .base = second, .disp = c);
        else
            ISA_X86(code, STORE, .width = width, .reg = first, .base = second, .disp = c);
        break;
    case ISA_JUMP:
        ISA_X86(code, JMP, .label = a);
        break;
    case ISA_CALL:
        ISA_X86(code, CALL, .label = a);
        break;
    case ISA_CALL_AT:
        call_at(code, first);
        break;
    case ISA_RETURN:
        ISA_X86(code, RET, .width = 0);
        break;
    case ISA_SET_STACK:
        move(code, ISA_RSP, first);
        break;
    case ISA_FENCE:
        ISA_X86(code, MFENCE, .width = 0);
        break;
    case ISA_SEE_CODE: /* a write to cr0 serializes: behind it, what others wrote may be executed */
        ISA_X86(code, MOV_FROM_CONTROL, .reg = 0, .rm = t0);
        ISA_X86(code, MOV_TO_CONTROL, .reg = 0, .rm = t0);
        break;
    case ISA_WAIT:
        ISA_X86(code, HLT, .width = 0);
        break;
    case ISA_TOKEN:
        ISA_X86(code, MOV, .width = 8, .reg = first, .rm = TOKEN);
        ISA_X86(code, ANDI, .width = 8, .rm = TOKEN, .imm = 0);
        break;
    case ISA_BUNDLE:
        ISA_X86(code, OR, .width = 8, .reg = TOKEN, .rm = BUNDLE);
        break;
    default:
        arithmetic(code, what, first, second, (uint8_t)c);
    }
}

/* ---- Threads. */

static bool is_int32(uint64_t value) {
    return (int64_t)value >= INT32_MIN && (int64_t)value <= INT32_MAX;
}

static void go(isa_thread *t, bool if_zero, isa_label label) {
    isa_x86_emit(t->code, if_zero ? ISA_X86_JE : ISA_X86_JNE,
                 &(const isa_x86_operands){.label = label});
}

static void branch_zero(isa_thread *t, uint32_t reg, bool if_zero, isa_label label) {
    branch(t->code, if_zero ? ISA_X86_JE : ISA_X86_JNE, (uint8_t)reg, ZERO, label);
}

static void count_down(isa_thread *t, uint32_t reg, isa_label label) {
    ISA_X86(t->code, DEC, .width = 8, .rm = (uint8_t)reg);
    go(t, false, label);
}

static void save(isa_thread *t) {
    for (uint8_t reg = 0; reg < 16; reg++)
        if ((t->saved >> reg & 1) != 0)
            ISA_X86(t->code, PUSH, .rm = reg);
}

static void restore(isa_thread *t) {
    for (uint8_t reg = 16; reg-- > 0;)
        if ((t->saved >> reg & 1) != 0)
            ISA_X86(t->code, POP, .rm = reg);
}

/* VALUE is free to be used; in an await COUNT is wanted for counting. */
static isa_place address(isa_thread *t, const isa_access *access) {
    const isa_place indexed = {.reg = BASE, .has_index = true, .index = TOKEN};
    if (is_int32(access->address))
        return (isa_place){.reg = BASE,
                           .offset = (int64_t)access->address,
                           .has_index = access->has_address_token,
                           .index = TOKEN};
    if (access->has_address_token) {
        isa_x86_constant(t->code, VALUE, access->address);
        ISA_X86(t->code, ADD, .width = 8, .reg = VALUE, .rm = TOKEN);
        return indexed;
    }
    isa_x86_constant(t->code, COUNT, access->address); /* TOKEN may be a data dependency's */
    if (access->operation->kind != COL_AWAIT)
        return (isa_place){.reg = BASE, .has_index = true, .index = COUNT};
    ISA_X86(t->code, MOV, .width = 8, .reg = COUNT, .rm = TOKEN);
    return indexed;
}

static void emit_at(isa_thread *t, isa_x86 instruction, uint32_t width, uint8_t reg, isa_place p) {
    isa_x86_emit(t->code, instruction,
                 &(const isa_x86_operands){.width = (uint8_t)width,
                                           .reg = reg,
                                           .base = (uint8_t)p.reg,
                                           .has_index = p.has_index,
                                           .index = p.index,
                                           .disp = p.offset});
}

/* Swaps and adds exchange: what goes in is where what comes out will be. */
static void value(isa_thread *t, const isa_access *access) {
    const uint8_t kind = access->operation->kind;
    const uint8_t reg = kind == COL_SWAP || kind == COL_ADD ? access->reg : VALUE;
    if (kind == COL_ADD) {
        isa_x86_constant(t->code, reg, access->operand);
    } else if (is_int32(access->operand)) {
        ISA_X86(t->code, LEA, .width = 8, .reg = reg, .base = SALT,
                .disp = (int64_t)access->operand);
    } else {
        isa_x86_constant(t->code, reg, access->operand);
        ISA_X86(t->code, ADD, .width = 8, .reg = SALT, .rm = reg);
    }
    if (access->has_data_token)
        ISA_X86(t->code, ADD, .width = 8, .reg = TOKEN, .rm = reg);
}

static void access_word(isa_thread *t, const isa_access *access, isa_place p) {
    static const isa_x86 instructions[COL_KIND_COUNT] = {[COL_LOAD] = ISA_X86_LOAD,
                                                         [COL_AWAIT] = ISA_X86_LOAD,
                                                         [COL_STORE] = ISA_X86_STORE,
                                                         [COL_SWAP] = ISA_X86_XCHG,
                                                         [COL_ADD] = ISA_X86_LOCK_XADD};
    const uint8_t kind = access->operation->kind;
    emit_at(t, instructions[kind], t->word_bytes, kind == COL_STORE ? VALUE : access->reg, p);
}

static void compare(isa_thread *t, const isa_access *access, bool if_equal, isa_label label) {
    ISA_X86(t->code, CMP, .width = (uint8_t)t->word_bytes, .reg = VALUE, .rm = access->reg);
    go(t, if_equal, label);
}

/* There is no prefetch for the instruction side: the second one brings the block to a level that
 * both sides share. */
static void touch(isa_thread *t, isa_place p, isa_touch what) {
    static const isa_x86 instructions[ISA_TOUCHES] = {[ISA_TO_LOAD] = ISA_X86_PREFETCHT0,
                                                      [ISA_TO_STORE] = ISA_X86_PREFETCHW,
                                                      [ISA_TO_FETCH] = ISA_X86_PREFETCHT1,
                                                      [ISA_TO_FLUSH] = ISA_X86_CLFLUSH};
    emit_at(t, instructions[what], 0, 0, p);
}

/* Without a call, which would write to the stack. */
static uint32_t fetch(isa_thread *t, isa_place p) {
    const isa_label back = isa_new_label(t->code);
    emit_at(t, ISA_X86_LEA, 8, VALUE, p);
    address_of(t->code, LINK, back);
    const uint32_t here = isa_here(t->code);
    ISA_X86(t->code, JMP_REG, .rm = VALUE);
    isa_bind(t->code, back);
    return here;
}

static void order(isa_thread *t, uint32_t pairs) {
    if ((pairs & COL_WRITE_READ) != 0)
        ISA_X86(t->code, MFENCE, .width = 0);
}

static void log_value(isa_thread *t, uint8_t reg, uint64_t offset) {
    isa_place p = {.reg = LOG, .offset = (int64_t)offset};
    if (!is_int32(offset)) {
        p = (isa_place){.reg = LOG, .has_index = true, .index = COUNT};
        isa_x86_constant(t->code, COUNT, offset);
    }
    emit_at(t, ISA_X86_STORE, t->word_bytes, reg, p);
}

/*
 * What is special in the harness on x86-64 (harness.h): how a hart comes to 64-bit mode. The first
 * one starts at the load address in 32-bit mode, as PVH has it; the others start in 16-bit mode on
 * a page below 1 MiB (the trampoline), when the first one asks for it by INIT and SIPI. Behind a
 * jump at the load address there are tables at fixed offsets; then code for 32-bit mode, made of
 * instructions that have the same bytes in both modes, and of what follows in 64-bit mode.
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
    isa_pad(boot->code, AT_GDT);
    for (size_t i = 0; i < sizeof descriptors / sizeof descriptors[0]; i++)
        isa_emit_number(boot->code, descriptors[i], 8);
    emit_table(boot, GDT_BYTES, AT_GDT);
    isa_pad(boot->code, AT_FAR);
    emit_far(boot, wide, CODE_64);
    isa_pad(boot->code, AT_IDTR);
    emit_table(boot, 16 * VECTORS, AT_IDT);
    isa_pad(boot->code, AT_TRAMPOLINE);
    for (const isa_x86_start_row *row = isa_x86_trampoline; row->text != NULL; row++)
        isa_emit(boot->code, row->bytes, row->size);
    isa_pad(boot->code, AT_TRAMPOLINE + TRAMPOLINE_GDTR);
    isa_emit_number(boot->code, GDT_BYTES - 1, 2);
    isa_emit_number(boot->code, address_at(boot, AT_GDT), 4);
    isa_pad(boot->code, AT_TRAMPOLINE + TRAMPOLINE_FAR);
    emit_far(boot, others, CODE_32);
    isa_pad(boot->code, AT_IDT);
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

/* ---- The machine. */

#define REG(role) isa_x86_64.roles[role]

/* MSRs; that of a segment which is not used otherwise keeps the record's address. */
#define FS_BASE UINT32_C(0xc0000100)

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
            isa_set(boot, ISA_T2, 0);
        isa_set(boot, ISA_T0, v);
        ISA_X86(boot->code, JMP, .label = same);
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
    ISA_X86(boot->code, JMP, .label = boot->trapped);
}

static void exit_by_port(isa_boot *boot, bool passed) {
    const isa_exit *way = &boot->platform->exit;
    isa_x86_constant(boot->code, ISA_RAX, passed ? way->pass : way->fail);
    isa_x86_constant(boot->code, ISA_RDX, way->address);
    ISA_X86(boot->code, OUT, .width = 0);
}

const isa_machine isa_x86_64 = {
    .basic = basic,
    .constant = constant,
    .free = {2, {ISA_R10, ISA_R11}},
    .saved = {6, {ISA_RBX, ISA_RBP, ISA_R12, ISA_R13, ISA_R14, ISA_R15}},
    .result = ISA_RAX,
    .skew = TOKEN,
    .count = COUNT,
    .bundle = BUNDLE,
    .stub = 0xcccce0ff | LINK << 8, /* jmp *LINK, and two that trap */
    .branch_zero = branch_zero,
    .count_down = count_down,
    .save = save,
    .restore = restore,
    .address = address,
    .value = value,
    .access = access_word,
    .compare = compare,
    .touch = touch,
    .fetch = fetch,
    .order = order,
    .log = log_value,
    .roles =
        {
            [ISA_HART] = ISA_RBX,  [ISA_ROUND] = ISA_RBP, [ISA_PHASE] = ISA_R12,
            [ISA_SALT] = ISA_R13,  [ISA_PART] = ISA_R14,  [ISA_RANDOM] = ISA_R15,
            [ISA_RECORD] = ISA_R8, [ISA_ROW] = ISA_R9,    [ISA_TURN] = ISA_R10,
            [ISA_T0] = ISA_R11,    [ISA_T1] = ISA_RAX,    [ISA_T2] = ISA_RSI,
            [ISA_T3] = ISA_RDX,    [ISA_T4] = ISA_RCX,    [ISA_A0] = ISA_RDI,
            [ISA_A1] = ISA_RSI,    [ISA_A2] = ISA_RDX,    [ISA_A3] = ISA_RCX,
            [ISA_ZERO] = ZERO,
        },
    .enter = enter,
    .keep_record = keep_record,
    .prepare = prepare,
    .traps = traps,
    .exit = exit_by_port,
};
