/* SPDX-License-Identifier: MIT */
/* The assembler of AArch64: see aarch64.h. */
#include "design/isa/aarch64.h"

#include "design/isa/harness.h"

const isa_a64_row isa_a64_rows[ISA_A64_COUNT] = {
#define ROW(name, mnemonic, letter, format, bits) {mnemonic, letter, ISA_A64F_##format, bits},
    ISA_A64_INSTRUCTIONS(ROW)
#undef ROW
};

enum { IMM26, IMM19, IMM21 }; /* kinds of references: the bits that they have */

static bool patch(uint8_t *at, uint32_t kind, int64_t distance) {
    const uint32_t d = (uint32_t)(uint64_t)distance;
    switch (kind) {
    case IMM26:
        isa_set_bits(at, d >> 2 & 0x3ffffff);
        return distance >= -(1 << 27) && distance < 1 << 27;
    case IMM19:
        isa_set_bits(at, (d >> 2 & 0x7ffff) << 5);
        return distance >= -(1 << 20) && distance < 1 << 20;
    default:
        isa_set_bits(at, (d & 3) << 29 | (d >> 2 & 0x7ffff) << 5);
        return distance >= -(1 << 20) && distance < 1 << 20;
    }
}

#define STEPS(unit, most, at)                                                                      \
    { .kind = ISA_NUMBER, .shift = (at), .high = (most), .step = (unit) }
#define NUMBER(most, at) STEPS(1, most, at)
#define REGISTER(at) NUMBER(31, at)
#define ORDER                                                                                      \
    { .kind = ISA_ORDER, .shift = 22 }
#define LABEL(patched)                                                                             \
    { .kind = ISA_LABEL, .low = (patched) }

static const isa_operand formats[][ISA_OPERANDS] = {
    [ISA_A64F_RRR] = {REGISTER(0), REGISTER(5), REGISTER(16)},
    [ISA_A64F_RRI] = {REGISTER(0), REGISTER(5), NUMBER(4095, 10), NUMBER(1, 22)},
    [ISA_A64F_CMP] = {REGISTER(5), REGISTER(16)},
    [ISA_A64F_LSL_X] = {REGISTER(0), REGISTER(5), NUMBER(63, 16), NUMBER(63, 10)},
    [ISA_A64F_LSR_X] = {REGISTER(0), REGISTER(5), NUMBER(63, 16)},
    [ISA_A64F_MOVE] = {REGISTER(0), NUMBER(0xffff, 5), STEPS(16, 3, 21)},
    [ISA_A64F_MEM4] = {REGISTER(0), REGISTER(5), STEPS(4, 4095, 10)},
    [ISA_A64F_MEM8] = {REGISTER(0), REGISTER(5), STEPS(8, 4095, 10)},
    [ISA_A64F_AT] = {REGISTER(0), REGISTER(5)},
    [ISA_A64F_STX] = {REGISTER(16), REGISTER(0), REGISTER(5)},
    [ISA_A64F_ATOMIC] = {REGISTER(16), REGISTER(0), REGISTER(5), ORDER},
    [ISA_A64F_BRANCH] = {LABEL(IMM26)},
    [ISA_A64F_COMPARE] = {REGISTER(0), LABEL(IMM19)},
    [ISA_A64F_COND] = {NUMBER(15, 0), LABEL(IMM19)},
    [ISA_A64F_ADDRESS] = {REGISTER(0), LABEL(IMM21)},
    [ISA_A64F_REG] = {REGISTER(5)},
    [ISA_A64F_RT] = {REGISTER(0)},
    [ISA_A64F_BASE] = {REGISTER(5)},
    [ISA_A64F_BARRIER] = {NUMBER(15, 8)},
    [ISA_A64F_READ] = {REGISTER(0), NUMBER(0x7fff, 5)},
    [ISA_A64F_WRITE] = {NUMBER(0x7fff, 5), REGISTER(0)},
    [ISA_A64F_IMM4] = {NUMBER(15, 8)},
    [ISA_A64F_IMM16] = {NUMBER(0xffff, 5)},
    [ISA_A64F_PLAIN] = {{.kind = ISA_NO_OPERAND}},
};

/* A shift to the left is a move of bits to the right, around. */
void isa_a64_emit(isa_code *code, isa_a64 instruction, const int64_t o[4]) {
    const isa_a64_row *row = &isa_a64_rows[instruction];
    const int64_t around[ISA_OPERANDS] = {o[0], o[1], (64 - o[2]) % 64, 63 - o[2]};
    isa_emit_word(code, row->mnemonic, row->bits, formats[row->format],
                  row->format == ISA_A64F_LSL_X ? around : o, patch);
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

/*
 * The harness on AArch64: see harness.h. Harts come down to EL1 from wherever they start, and
 * switch on translation (isa_pages_make has the table), because without it all memory is uncached.
 */

static const uint8_t registers[ISA_ROLE_COUNT] = {
    [ISA_HART] = 19,   [ISA_ROUND] = 20, [ISA_PHASE] = 21,
    [ISA_SALT] = 22,   [ISA_PART] = 23,  [ISA_RANDOM] = 24,
    [ISA_RECORD] = 25, [ISA_ROW] = 26,   [ISA_T0] = 9,
    [ISA_T1] = 10,     [ISA_T2] = 11,    [ISA_T3] = 12,
    [ISA_T4] = 13,     [ISA_A0] = 0,     [ISA_A1] = 1,
    [ISA_A2] = 2,      [ISA_A3] = 3,     [ISA_ZERO] = ISA_A64_ZERO,
    [ISA_TURN] = 27,
};
#define REG(role) registers[role]

static void set(isa_boot *boot, isa_role to, uint64_t value) {
    isa_a64_constant(boot->code, REG(to), value);
}

static void arithmetic(isa_boot *boot, isa_arithmetic what, isa_role to, isa_role a, isa_role b) {
    static const isa_a64 instructions[] = {
        [ISA_PLUS] = ISA_A64_ADD, [ISA_AND] = ISA_A64_AND, [ISA_TIMES] = ISA_A64_MUL};
    isa_a64_emit(boot->code, instructions[what], (const int64_t[4]){REG(to), REG(a), REG(b)});
}

/* Register 31 would be the stack pointer. */
static void plus(isa_boot *boot, isa_role to, isa_role a, int32_t number) {
    if (a == ISA_ZERO)
        set(boot, to, (uint64_t)(int64_t)number);
    else if (number >= 0)
        ISA_A64(boot->code, ADDI, REG(to), REG(a), number);
    else
        ISA_A64(boot->code, SUBI, REG(to), REG(a), -number);
}

static void shift(isa_boot *boot, isa_role to, isa_role a, int32_t left) {
    if (left >= 0)
        ISA_A64(boot->code, LSL, REG(to), REG(a), left);
    else
        ISA_A64(boot->code, LSR, REG(to), REG(a), -left);
}

static void load(isa_boot *boot, uint32_t bytes, isa_role to, isa_role at, uint32_t offset) {
    isa_a64_emit(boot->code, bytes == 4 ? ISA_A64_LDR_W : ISA_A64_LDR,
                 (const int64_t[4]){REG(to), REG(at), offset});
}

static void store(isa_boot *boot, uint32_t bytes, isa_role from, isa_role at, uint32_t offset) {
    isa_a64_emit(boot->code, bytes == 4 ? ISA_A64_STR_W : ISA_A64_STR,
                 (const int64_t[4]){REG(from), REG(at), offset});
}

static void branch(isa_boot *boot, isa_condition condition, isa_role a, isa_role b,
                   isa_label label) {
    static const uint8_t conditions[] = {
        [ISA_EQUAL] = ISA_A64_EQ, [ISA_UNEQUAL] = ISA_A64_NE, [ISA_BELOW] = ISA_A64_LO};
    ISA_A64(boot->code, CMP, REG(a), REG(b));
    ISA_A64(boot->code, BC, conditions[condition], label);
}

static void jump(isa_boot *boot, isa_label label) {
    ISA_A64(boot->code, B, label);
}

static void call(isa_boot *boot, isa_label label) {
    ISA_A64(boot->code, BL, label);
}

static void call_at(isa_boot *boot, isa_role function) {
    ISA_A64(boot->code, BLR, REG(function));
}

static void leave(isa_boot *boot) {
    ISA_A64(boot->code, RET, ISA_A64_LR);
}

static void set_stack(isa_boot *boot, isa_role top) {
    ISA_A64(boot->code, ADDI, ISA_A64_SP, REG(top), 0);
}

static void fence(isa_boot *boot) {
    ISA_A64(boot->code, DSB, ISA_A64_SY);
}

static void keep_record(isa_boot *boot) {
    ISA_A64(boot->code, MSR, ISA_TPIDR_EL0, REG(ISA_RECORD));
}

static void publish(isa_boot *boot, isa_role at) {
    ISA_A64(boot->code, DC_CVAU, REG(at));
    ISA_A64(boot->code, DSB, ISA_A64_ISH);
    ISA_A64(boot->code, IC_IVAU, REG(at));
    ISA_A64(boot->code, DSB, ISA_A64_ISH);
}

static void see_code(isa_boot *boot) {
    ISA_A64(boot->code, ISB);
}

static void wait(isa_boot *boot) {
    ISA_A64(boot->code, WFI);
}

/* SYS_EXIT with ADP_Stopped_ApplicationExit and a status. The parameters are in the record, behind
 * its fields. */
static void exit_by_semihosting(isa_boot *boot, bool passed) {
    enum { PARAMETERS = 48, EXIT = 0x18, STOPPED = 0x20026, SEMIHOSTING = 0xf000 };
    set(boot, ISA_T0, STOPPED);
    store(boot, 8, ISA_T0, ISA_RECORD, PARAMETERS);
    set(boot, ISA_T0, passed ? 0 : 1);
    store(boot, 8, ISA_T0, ISA_RECORD, PARAMETERS + 8);
    plus(boot, ISA_A1, ISA_RECORD, PARAMETERS);
    set(boot, ISA_A0, EXIT);
    ISA_A64(boot->code, HLT, SEMIHOSTING);
}

/* ---- PSCI. */

#define PSCI_SYSTEM_OFF UINT64_C(0x84000008)
#define PSCI_CPU_ON UINT64_C(0xc4000003)

static void call_firmware(isa_boot *boot, uint64_t function) {
    set(boot, ISA_A0, function);
    if (boot->platform->start == ISA_START_PSCI_SMC)
        ISA_A64(boot->code, SMC, 0);
    else
        ISA_A64(boot->code, HVC, 0);
}

static void leave_machine(isa_boot *boot, bool passed) {
    if (boot->platform->exit.kind == ISA_EXIT_PSCI)
        call_firmware(boot, PSCI_SYSTEM_OFF);
    else
        exit_by_semihosting(boot, passed);
}

/* ---- The start. */

/* EL3 and EL2 hand over to EL1, with interrupts masked. */
static void come_down(isa_boot *boot) {
    enum { EL1H = 0x3c5, SCR = 0x5b1, EL_SHIFT = 2 };
    const uint64_t hcr = UINT64_C(1) << 31; /* EL1 is AArch64 */
    const isa_label at_el2 = isa_new_label(boot->code), at_el1 = isa_new_label(boot->code);
    ISA_A64(boot->code, MRS, REG(ISA_T0), ISA_CURRENTEL);
    shift(boot, ISA_T0, ISA_T0, -EL_SHIFT);
    set(boot, ISA_T1, 1);
    branch(boot, ISA_EQUAL, ISA_T0, ISA_T1, at_el1);
    ISA_A64(boot->code, ADR, REG(ISA_T2), at_el1);
    set(boot, ISA_T3, EL1H);
    set(boot, ISA_T4, hcr);
    ISA_A64(boot->code, MSR, ISA_HCR_EL2, REG(ISA_T4));
    set(boot, ISA_T1, 2);
    branch(boot, ISA_EQUAL, ISA_T0, ISA_T1, at_el2);
    set(boot, ISA_T4, SCR);
    ISA_A64(boot->code, MSR, ISA_SCR_EL3, REG(ISA_T4));
    ISA_A64(boot->code, MSR, ISA_SPSR_EL3, REG(ISA_T3));
    ISA_A64(boot->code, MSR, ISA_ELR_EL3, REG(ISA_T2));
    ISA_A64(boot->code, ERET);
    isa_bind(boot->code, at_el2);
    ISA_A64(boot->code, MSR, ISA_SPSR_EL2, REG(ISA_T3));
    ISA_A64(boot->code, MSR, ISA_ELR_EL2, REG(ISA_T2));
    ISA_A64(boot->code, ERET);
    isa_bind(boot->code, at_el1);
    ISA_A64(boot->code, MSR_DAIFSET, 15);
}

/* All sixteen vectors lead to the same code. */
static void traps(isa_boot *boot) {
    enum { VECTORS = 16, VECTOR_BYTES = 128 };
    const isa_label same = isa_new_label(boot->code);
    isa_align(boot->code, VECTORS * VECTOR_BYTES);
    isa_bind(boot->code, boot->trap);
    for (int v = 0; v < VECTORS; v++) {
        jump(boot, same);
        isa_align(boot->code, VECTOR_BYTES);
    }
    isa_bind(boot->code, same);
    ISA_A64(boot->code, MRS, REG(ISA_RECORD), ISA_TPIDR_EL0);
    ISA_A64(boot->code, MRS, REG(ISA_T0), ISA_ESR_EL1);
    ISA_A64(boot->code, MRS, REG(ISA_T1), ISA_ELR_EL1);
    ISA_A64(boot->code, MRS, REG(ISA_T2), ISA_FAR_EL1);
    jump(boot, boot->trapped);
}

static void enter(isa_boot *boot) {
    const isa_hart *hart = &boot->platform->hart;
    if (hart->from == ISA_HART_REGISTER) /* before it is used for something else */
        ISA_A64(boot->code, ORR, REG(ISA_HART), ISA_A64_ZERO, (int64_t)hart->reg);
    come_down(boot);
    if (hart->from == ISA_HART_MPIDR)
        ISA_A64(boot->code, MRS, REG(ISA_HART), ISA_MPIDR_EL1);
    ISA_A64(boot->code, ADR, REG(ISA_T0), boot->trap);
    ISA_A64(boot->code, MSR, ISA_VBAR_EL1, REG(ISA_T0));
}

static void prepare(isa_boot *boot) {
    /* Attributes by their index in MAIR_EL1 are those of harness.c: cached, uncached, device. 39
     * bits of address, tables in cached and inner shareable memory. */
    const uint64_t mair = 0x0044ff, sctlr = 0x30d01805; /* SCTLR: M, C, I and what must be 1 */
    const uint64_t tcr = UINT64_C(2) << 32 | 1 << 23 | 3 << 12 | 1 << 10 | 1 << 8 | (64 - 39);
    set(boot, ISA_T0, mair);
    ISA_A64(boot->code, MSR, ISA_MAIR_EL1, REG(ISA_T0));
    set(boot, ISA_T0, tcr);
    ISA_A64(boot->code, MSR, ISA_TCR_EL1, REG(ISA_T0));
    set(boot, ISA_T0, boot->layout->pages);
    ISA_A64(boot->code, MSR, ISA_TTBR0_EL1, REG(ISA_T0));
    ISA_A64(boot->code, ISB);
    ISA_A64(boot->code, TLBI_VMALLE1);
    ISA_A64(boot->code, IC_IALLU);
    ISA_A64(boot->code, DSB, ISA_A64_SY);
    ISA_A64(boot->code, ISB);
    set(boot, ISA_T0, sctlr);
    ISA_A64(boot->code, MSR, ISA_SCTLR_EL1, REG(ISA_T0));
    ISA_A64(boot->code, ISB);
    if (boot->platform->start != ISA_START_TOGETHER) {
        /* The first hart starts the others. One that does not start is missed at the barrier. T
         * registers may be the firmware's; those that a callee saves are not. */
        const isa_hart *hart = &boot->platform->hart;
        const isa_label done = isa_new_label(boot->code), again = isa_new_label(boot->code);
        branch(boot, ISA_UNEQUAL, ISA_HART, ISA_ZERO, done);
        set(boot, ISA_ROUND, 1);
        isa_bind(boot->code, again);
        set(boot, ISA_T0, boot->harts);
        branch(boot, ISA_EQUAL, ISA_ROUND, ISA_T0, done);
        plus(boot, ISA_A1, ISA_ROUND, (int32_t)hart->first);
        shift(boot, ISA_A1, ISA_A1, (int32_t)hart->shift);
        set(boot, ISA_A2, boot->platform->load);
        set(boot, ISA_A3, 0);
        call_firmware(boot, PSCI_CPU_ON);
        plus(boot, ISA_ROUND, ISA_ROUND, 1);
        jump(boot, again);
        isa_bind(boot->code, done);
    }
}

const isa_machine isa_aarch64_machine = {
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
    .publish = publish,
    .see_code = see_code,
    .exit = leave_machine,
    .wait = wait,
};
