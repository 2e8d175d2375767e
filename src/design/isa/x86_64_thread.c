/* SPDX-License-Identifier: MIT */
/*
 * Operations as x86-64 instructions. Under TSO attributes, dependencies and most fences cost
 * nothing. Dependencies are there all the same; `and` with 0 makes them, since processors know that
 * `xor` of a register with itself depends on nothing.
 */
#include "design/isa/thread_code.h"
#include "design/isa/x86_64.h"

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

static const uint8_t free_registers[] = {ISA_R10, ISA_R11};
static const uint8_t saved_registers[] = {ISA_RBX, ISA_RBP, ISA_R12, ISA_R13, ISA_R14, ISA_R15};

static bool is_int32(uint64_t value) {
    return (int64_t)value >= INT32_MIN && (int64_t)value <= INT32_MAX;
}

static void constant(isa_thread *t, uint32_t reg, uint64_t value) {
    isa_x86_constant(t->code, (uint8_t)reg, value);
}

static void go(isa_thread *t, bool if_zero, isa_label label) {
    isa_x86_emit(t->code, if_zero ? ISA_X86_JE : ISA_X86_JNE,
                 &(const isa_x86_operands){.label = label});
}

static void branch(isa_thread *t, uint32_t reg, bool if_zero, isa_label label) {
    ISA_X86(t->code, TEST, .width = 8, .reg = (uint8_t)reg, .rm = (uint8_t)reg);
    go(t, if_zero, label);
}

static void count_down(isa_thread *t, uint32_t reg, isa_label label) {
    ISA_X86(t->code, DEC, .width = 8, .rm = (uint8_t)reg);
    go(t, false, label);
}

static void jump(isa_thread *t, isa_label label) {
    ISA_X86(t->code, JMP, .label = label);
}

static void save(isa_thread *t) {
    for (uint8_t reg = 0; reg < 16; reg++)
        if ((t->saved >> reg & 1) != 0)
            ISA_X86(t->code, PUSH, .rm = reg);
}

static void leave(isa_thread *t) {
    for (uint8_t reg = 16; reg-- > 0;)
        if ((t->saved >> reg & 1) != 0)
            ISA_X86(t->code, POP, .rm = reg);
    ISA_X86(t->code, RET, .width = 0);
}

static void token(isa_thread *t, uint8_t reg) {
    ISA_X86(t->code, MOV, .width = 8, .reg = reg, .rm = TOKEN);
    ISA_X86(t->code, ANDI, .width = 8, .rm = TOKEN, .imm = 0);
}

static void bundle_token(isa_thread *t) {
    ISA_X86(t->code, OR, .width = 8, .reg = TOKEN, .rm = BUNDLE);
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
    isa_x86_address(t->code, LINK, back);
    const uint32_t here = isa_here(t->code);
    ISA_X86(t->code, JMP_REG, .rm = VALUE);
    isa_bind(t->code, back);
    return here;
}

static void fence(isa_thread *t, uint32_t pairs) {
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

const isa_emitter isa_x86_64_emitter = {
    .free_registers = free_registers,
    .free_count = sizeof free_registers,
    .saved_registers = saved_registers,
    .saved_count = sizeof saved_registers,
    .result = ISA_RAX,
    .skew = TOKEN,
    .count = COUNT,
    .bundle = BUNDLE,
    .stub = 0xcccce0ff | LINK << 8, /* jmp *LINK, and two that trap */
    .constant = constant,
    .branch = branch,
    .count_down = count_down,
    .jump = jump,
    .jump_far = jump,
    .save = save,
    .leave = leave,
    .token = token,
    .bundle_token = bundle_token,
    .address = address,
    .value = value,
    .access = access_word,
    .compare = compare,
    .touch = touch,
    .fetch = fetch,
    .fence = fence,
    .log = log_value,
};
