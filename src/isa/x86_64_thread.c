/* SPDX-License-Identifier: MIT */
/*
 * Operations as x86-64 instructions. Under TSO attributes, dependencies and most fences cost
 * nothing. Dependencies are there all the same; `and` with 0 makes them, since processors know that
 * `xor` of a register with itself depends on nothing.
 */
#include "isa/emitter.h"
#include "isa/x86_64.h"

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

static void count_down(isa_thread *t, uint8_t reg) {
    const isa_label loop = isa_new_label(t->code);
    isa_bind(t->code, loop);
    ISA_X86(t->code, DEC, .width = 8, .rm = reg);
    ISA_X86(t->code, JNE, .label = loop);
}

static void enter(isa_thread *t) {
    for (uint8_t reg = 0; reg < 16; reg++)
        if ((t->saved >> reg & 1) != 0)
            ISA_X86(t->code, PUSH, .rm = reg);
    if (t->uses_bundle)
        isa_x86_constant(t->code, BUNDLE, 0);
    const isa_label start = isa_new_label(t->code);
    ISA_X86(t->code, TEST, .width = 8, .reg = TOKEN, .rm = TOKEN);
    ISA_X86(t->code, JE, .label = start);
    count_down(t, TOKEN);
    isa_bind(t->code, start);
}

static void leave(isa_thread *t) {
    const isa_label end = isa_new_label(t->code);
    isa_x86_constant(t->code, ISA_RAX, 0);
    if (t->has_awaits) {
        ISA_X86(t->code, JMP, .label = end);
        isa_bind(t->code, t->failed);
        isa_x86_constant(t->code, ISA_RAX, 1);
    }
    isa_bind(t->code, end);
    for (uint8_t reg = 16; reg-- > 0;)
        if ((t->saved >> reg & 1) != 0)
            ISA_X86(t->code, POP, .rm = reg);
    ISA_X86(t->code, RET, .width = 0);
}

static void token(isa_thread *t, uint8_t reg) {
    ISA_X86(t->code, MOV, .width = 8, .reg = reg, .rm = TOKEN);
    ISA_X86(t->code, ANDI, .width = 8, .rm = TOKEN, .imm = 0);
}

static void add_to_bundle(isa_thread *t, uint8_t reg) {
    token(t, reg);
    ISA_X86(t->code, OR, .width = 8, .reg = TOKEN, .rm = BUNDLE);
}

static void control(isa_thread *t, uint8_t reg) {
    const isa_label next = isa_new_label(t->code);
    ISA_X86(t->code, TEST, .width = 8, .reg = reg, .rm = reg);
    ISA_X86(t->code, JNE, .label = next);
    isa_bind(t->code, next);
}

/* The operand for memory at the access's address, but for reg. VALUE is free to be used. */
static isa_x86_operands address_of(isa_thread *t, const isa_access *access) {
    isa_x86_operands o = {
        .width = (uint8_t)t->word_bytes, .base = BASE, .index = TOKEN, .has_index = false};
    o.has_index = access->has_address_token;
    if (is_int32(access->address)) {
        o.disp = (int64_t)access->address;
        return o;
    }
    if (access->has_address_token) {
        isa_x86_constant(t->code, VALUE, access->address);
        ISA_X86(t->code, ADD, .width = 8, .reg = VALUE, .rm = TOKEN);
        return o;
    }
    o.has_index = true;
    o.index = COUNT; /* TOKEN may be that of a data dependency */
    isa_x86_constant(t->code, COUNT, access->address);
    return o;
}

/* reg = what is written or awaited. */
static void bring_value(isa_thread *t, const isa_access *access, uint8_t reg) {
    if (access->operation->kind == COL_ADD) {
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

static uint32_t emit_access(isa_thread *t, isa_x86 instruction, const isa_x86_operands *o) {
    const uint32_t here = isa_here(t->code);
    isa_x86_emit(t->code, instruction, o);
    return here;
}

static uint32_t access_word(isa_thread *t, const isa_access *access) {
    static const isa_x86 instructions[COL_KIND_COUNT] = {[COL_LOAD] = ISA_X86_LOAD,
                                                         [COL_STORE] = ISA_X86_STORE,
                                                         [COL_SWAP] = ISA_X86_XCHG,
                                                         [COL_ADD] = ISA_X86_LOCK_XADD};
    const uint8_t kind = access->operation->kind;
    isa_x86_operands o = address_of(t, access);
    o.reg = kind == COL_STORE ? VALUE : access->reg;
    if (kind != COL_LOAD)
        bring_value(t, access, o.reg);
    return emit_access(t, instructions[kind], &o);
}

static uint32_t await(isa_thread *t, const isa_access *access, isa_label done) {
    const bool is_limited = t->settings->await_limit != 0;
    isa_x86_operands o = address_of(t, access);
    o.reg = access->reg;
    if (o.has_index && o.index == COUNT) { /* which is wanted for counting */
        ISA_X86(t->code, MOV, .width = 8, .reg = COUNT, .rm = TOKEN);
        o.index = TOKEN;
    }
    bring_value(t, access, VALUE);
    if (is_limited)
        isa_x86_constant(t->code, COUNT, t->settings->await_limit);
    const isa_label loop = isa_new_label(t->code);
    isa_bind(t->code, loop);
    const uint32_t here = emit_access(t, ISA_X86_LOAD, &o);
    ISA_X86(t->code, CMP, .width = (uint8_t)t->word_bytes, .reg = VALUE, .rm = access->reg);
    if (!is_limited) {
        ISA_X86(t->code, JNE, .label = loop);
        return here;
    }
    ISA_X86(t->code, JE, .label = done);
    ISA_X86(t->code, DEC, .width = 8, .rm = COUNT);
    ISA_X86(t->code, JNE, .label = loop);
    return here;
}

static uint32_t flush(isa_thread *t, const isa_access *access) {
    isa_x86_operands o = address_of(t, access);
    o.width = 0;
    return emit_access(t, ISA_X86_CLFLUSH, &o);
}

/* There is none for the instruction side: the second one brings the block to a level that both
 * sides share. */
static uint32_t prefetch(isa_thread *t, const isa_access *access, isa_purpose purpose) {
    static const isa_x86 instructions[ISA_PURPOSES] = {[ISA_TO_LOAD] = ISA_X86_PREFETCHT0,
                                                       [ISA_TO_STORE] = ISA_X86_PREFETCHW,
                                                       [ISA_TO_FETCH] = ISA_X86_PREFETCHT1};
    isa_x86_operands o = address_of(t, access);
    o.width = 0;
    return emit_access(t, instructions[purpose], &o);
}

/* Without a call, which would write to the stack. */
static uint32_t fetch(isa_thread *t, const isa_access *access) {
    const isa_label back = isa_new_label(t->code);
    isa_x86_operands o = address_of(t, access);
    o.width = 8;
    o.reg = VALUE;
    isa_x86_emit(t->code, ISA_X86_LEA, &o);
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

static void delay(isa_thread *t, uint32_t iterations) {
    isa_x86_constant(t->code, COUNT, iterations);
    count_down(t, COUNT);
}

static void log_value(isa_thread *t, uint8_t reg, uint64_t offset) {
    isa_x86_operands o = {.width = (uint8_t)t->word_bytes, .reg = reg, .base = LOG};
    if (is_int32(offset)) {
        o.disp = (int64_t)offset;
    } else {
        o.has_index = true;
        o.index = COUNT;
        isa_x86_constant(t->code, COUNT, offset);
    }
    isa_x86_emit(t->code, ISA_X86_STORE, &o);
}

static void jump(isa_thread *t, isa_label label) {
    ISA_X86(t->code, JMP, .label = label);
}

const isa_emitter isa_x86_64_emitter = {
    .free_registers = free_registers,
    .free_count = sizeof free_registers,
    .saved_registers = saved_registers,
    .saved_count = sizeof saved_registers,
    .bundle = BUNDLE,
    .stub = 0xcccce0ff | LINK << 8, /* jmp *LINK, and two that trap */
    .enter = enter,
    .leave = leave,
    .token = token,
    .add_to_bundle = add_to_bundle,
    .control = control,
    .access = access_word,
    .await = await,
    .flush = flush,
    .prefetch = prefetch,
    .fetch = fetch,
    .fence = fence,
    .delay = delay,
    .log = log_value,
    .jump = jump,
};
