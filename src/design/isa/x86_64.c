/* SPDX-License-Identifier: MIT */
/*
 * x86-64. As threads have it, under TSO attributes, dependencies and most fences cost nothing.
 * Dependencies are there all the same; `and` with 0 makes them, since processors know that `xor` of
 * a register with itself depends on nothing.
 */
#include "design/isa/x86_64.h"

#include "design/isa/instruction_set.h"

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
        branch(code, ISA_X86_JE, first, second, c);
        break;
    case ISA_IF_UNEQUAL:
        branch(code, ISA_X86_JNE, first, second, c);
        break;
    case ISA_IF_BELOW:
        branch(code, ISA_X86_JB, first, second, c);
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
    .enter = isa_x86_enter,
    .keep_record = isa_x86_keep_record,
    .prepare = isa_x86_prepare,
    .traps = isa_x86_traps,
    .exit = isa_x86_exit,
};
