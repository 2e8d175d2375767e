/* SPDX-License-Identifier: MIT */
/*
 * The harness on x86-64: see machine.h. Harts come to 64-bit mode by x86_64_start.c. There is no
 * register that is always 0, and there are few that a callee preserves: three more are saved around
 * the call of a thread.
 */
#include "isa/x86_64.h"
#include "isa/x86_64_start.h"

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
static void count_up(isa_boot *boot, uint8_t reg, isa_x86_word word) {
    isa_x86_constant(boot->code, reg, 1);
    isa_x86_constant(boot->code, ISA_RAX, boot->platform->load + word);
    ISA_X86(boot->code, LOCK_XADD, .width = 8, .reg = reg, .base = ISA_RAX);
}

/* Leaf 1 of cpuid has the APIC's id in the upper byte of ebx, which is ISA_HART. */
static void enter(isa_boot *boot) {
    enum { ID_SHIFT = 24 };
    isa_x86_start(boot);
    if (boot->platform->hart.from == ISA_HART_COUNTER)
        count_up(boot, REG(ISA_HART), ISA_X86_COUNTER);
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
        count_up(boot, ISA_RDX, ISA_X86_ARRIVED);
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
    isa_align(boot->code, ISA_X86_VECTOR_BYTES);
    isa_bind(boot->code, boot->trap);
    for (uint32_t v = 0; v < ISA_X86_VECTORS; v++) {
        if (has_error(v))
            ISA_X86(boot->code, POP, .rm = REG(ISA_T2));
        else
            set(boot, ISA_T2, 0);
        set(boot, ISA_T0, v);
        jump(boot, same);
        isa_align(boot->code, ISA_X86_VECTOR_BYTES);
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
