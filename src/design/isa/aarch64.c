/* SPDX-License-Identifier: MIT */
/*
 * AArch64. As threads have it, acquire and release are ldar and stlr (RCsc) and the A and L of
 * v8.1's atomics. With exclusives, an atomic that has both needs a barrier behind it: others may
 * come between its read and its write, but its write comes before all that follows.
 */
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

static void constant(isa_code *code, const isa_target *target, uint32_t reg, uint64_t value) {
    (void)target;
    isa_a64_constant(code, reg, value);
}

/* ---- What the harness and threads share. */

/* Registers of threads. */
enum {
    BASE = 0,
    LOG = 1,
    SALT = 2,
    SKEW = 3,
    ADDRESS = 12,
    VALUE = 13,
    TOKEN = 14,
    COUNT = 15, /* also what an exclusive add leaves */
    STATUS = 16,
    LINK = STATUS, /* of a fetch */
    BUNDLE = 17,
};

static void basic(isa_code *code, isa_basic what, uint32_t a, uint32_t b, uint32_t c) {
    const int64_t number = (int32_t)c;
    const struct {
        isa_a64 instruction;
        int64_t operands[4];
    } all[ISA_BASICS] = {
        [ISA_PLUS] = {ISA_A64_ADD, {a, b, c}},
        [ISA_AND] = {ISA_A64_AND, {a, b, c}},
        [ISA_TIMES] = {ISA_A64_MUL, {a, b, c}},
        [ISA_PLUS_NUMBER] = {number < 0 ? ISA_A64_SUBI : ISA_A64_ADDI,
                             {a, b, number < 0 ? -number : number}},
        [ISA_RIGHT] = {ISA_A64_LSR, {a, b, c}},
        [ISA_IF_EQUAL] = {ISA_A64_BC, {ISA_A64_EQ, c}},
        [ISA_IF_UNEQUAL] = {ISA_A64_BC, {ISA_A64_NE, c}},
        [ISA_IF_BELOW] = {ISA_A64_BC, {ISA_A64_LO, c}},
        [ISA_LOAD_4] = {ISA_A64_LDR_W, {a, b, c}},
        [ISA_LOAD_8] = {ISA_A64_LDR, {a, b, c}},
        [ISA_STORE_4] = {ISA_A64_STR_W, {a, b, c}},
        [ISA_STORE_8] = {ISA_A64_STR, {a, b, c}},
        [ISA_JUMP] = {ISA_A64_B, {a}},
        [ISA_CALL] = {ISA_A64_BL, {a}},
        [ISA_CALL_AT] = {ISA_A64_BLR, {a}},
        [ISA_RETURN] = {ISA_A64_RET, {ISA_A64_LR}},
        [ISA_SET_STACK] = {ISA_A64_ADDI, {ISA_A64_SP, a}},
        [ISA_FENCE] = {ISA_A64_DSB, {ISA_A64_SY}},
        [ISA_SEE_CODE] = {ISA_A64_ISB, {0}},
        [ISA_WAIT] = {ISA_A64_WFI, {0}},
        [ISA_TOKEN] = {ISA_A64_EOR, {TOKEN, a, a}},
        [ISA_BUNDLE] = {ISA_A64_ORR, {BUNDLE, BUNDLE, TOKEN}},
    };
    if (what >= ISA_IF_EQUAL && what <= ISA_IF_BELOW)
        ISA_A64(code, CMP, a, b);
    if (what == ISA_PLUS_NUMBER && b == ISA_A64_ZERO) /* 31 would be the stack pointer */
        isa_a64_constant(code, a, (uint64_t)number);
    else
        isa_a64_emit(code, all[what].instruction, all[what].operands);
}

/* ---- Threads. */

/* An instruction for 4-byte and for 8-byte words. */
#define BY_WIDTH(t, name) ((t)->word_bytes == 4 ? ISA_A64_##name##_W : ISA_A64_##name)

static void branch_zero(isa_thread *t, uint32_t reg, bool if_zero, isa_label label) {
    isa_a64_emit(t->code, if_zero ? ISA_A64_CBZ : ISA_A64_CBNZ, (const int64_t[4]){reg, label});
}

static void count_down(isa_thread *t, uint32_t reg, isa_label label) {
    ISA_A64(t->code, SUBI, reg, reg, 1);
    branch_zero(t, reg, false, label);
}

/* The registers of the set in ascending order. */
static void transfer_saved(isa_thread *t, isa_a64 instruction) {
    int64_t offset = 0;
    for (uint32_t reg = 0; reg < ISA_MAX_REGISTERS; reg++)
        if ((t->saved >> reg & 1) != 0) {
            isa_a64_emit(t->code, instruction, (const int64_t[4]){reg, ISA_A64_SP, offset});
            offset += 8;
        }
}

static int64_t frame_bytes(const isa_thread *t) {
    return ((int64_t)__builtin_popcount(t->saved) + 1) / 2 * 16;
}

static void save(isa_thread *t) {
    if (t->saved == 0)
        return;
    ISA_A64(t->code, SUBI, ISA_A64_SP, ISA_A64_SP, frame_bytes(t));
    transfer_saved(t, ISA_A64_STR);
}

static void restore(isa_thread *t) {
    transfer_saved(t, ISA_A64_LDR);
    if (t->saved != 0)
        ISA_A64(t->code, ADDI, ISA_A64_SP, ISA_A64_SP, frame_bytes(t));
}

/* The offset is 0 if the instruction has none. */
static isa_place reach(isa_thread *t, uint32_t base, uint64_t distance, bool with_offset,
                       uint32_t result) {
    const uint64_t largest = UINT64_C(4095) * t->word_bytes;
    if (distance == 0 || (with_offset && distance <= largest && distance % t->word_bytes == 0))
        return (isa_place){.reg = base, .offset = (int64_t)distance};
    if (distance <= 4095) {
        ISA_A64(t->code, ADDI, result, base, (int64_t)distance);
    } else {
        isa_a64_constant(t->code, COUNT, distance);
        ISA_A64(t->code, ADD, result, base, COUNT);
    }
    return (isa_place){.reg = result};
}

static isa_place address(isa_thread *t, const isa_access *access) {
    const uint8_t kind = access->operation->kind;
    const bool with_offset = access->operation->order == 0 &&
                             (kind == COL_LOAD || kind == COL_STORE || kind == COL_AWAIT);
    uint32_t base = BASE;
    if (access->has_address_token) {
        ISA_A64(t->code, ADD, ADDRESS, TOKEN, BASE);
        base = ADDRESS;
    }
    return reach(t, base, access->address, with_offset, ADDRESS);
}

/* VALUE = what is written or awaited. */
static void value(isa_thread *t, const isa_access *access) {
    if (access->operation->kind == COL_ADD) {
        isa_a64_constant(t->code, VALUE, access->operand);
    } else if (access->operand <= 4095) {
        ISA_A64(t->code, ADDI, VALUE, SALT, (int64_t)access->operand);
    } else {
        isa_a64_constant(t->code, VALUE, access->operand);
        ISA_A64(t->code, ADD, VALUE, VALUE, SALT);
    }
    if (access->has_data_token)
        ISA_A64(t->code, ADD, VALUE, VALUE, TOKEN);
}

static bool is_ordered(const isa_access *access, uint32_t attribute) {
    return (access->operation->order & attribute) != 0;
}

/* An atomic as a loop. */
static void exclusive(isa_thread *t, const isa_access *access, uint32_t address) {
    const isa_label loop = isa_new_label(t->code);
    const bool adds = access->operation->kind == COL_ADD;
    isa_bind(t->code, loop);
    isa_a64_emit(t->code, is_ordered(access, COL_ACQUIRE) ? BY_WIDTH(t, LDAXR) : BY_WIDTH(t, LDXR),
                 (const int64_t[4]){access->reg, address});
    if (adds)
        ISA_A64(t->code, ADD, COUNT, access->reg, VALUE);
    isa_a64_emit(t->code, is_ordered(access, COL_RELEASE) ? BY_WIDTH(t, STLXR) : BY_WIDTH(t, STXR),
                 (const int64_t[4]){STATUS, adds ? COUNT : VALUE, address});
    ISA_A64(t->code, CBNZ_W, STATUS, loop);
    if (access->operation->order == (COL_ACQUIRE | COL_RELEASE))
        ISA_A64(t->code, DMB, ISA_A64_ISH);
}

static void access_word(isa_thread *t, const isa_access *access, isa_place p) {
    const uint8_t kind = access->operation->kind;
    if (kind == COL_LOAD || kind == COL_AWAIT)
        isa_a64_emit(t->code,
                     is_ordered(access, COL_ACQUIRE) ? BY_WIDTH(t, LDAR) : BY_WIDTH(t, LDR),
                     (const int64_t[4]){access->reg, p.reg, p.offset});
    else if (kind == COL_STORE)
        isa_a64_emit(t->code,
                     is_ordered(access, COL_RELEASE) ? BY_WIDTH(t, STLR) : BY_WIDTH(t, STR),
                     (const int64_t[4]){VALUE, p.reg, p.offset});
    else if (t->settings->exclusives)
        exclusive(t, access, p.reg);
    else
        isa_a64_emit(t->code, kind == COL_SWAP ? BY_WIDTH(t, SWP) : BY_WIDTH(t, LDADD),
                     (const int64_t[4]){VALUE, access->reg, p.reg, access->operation->order});
}

static void compare(isa_thread *t, const isa_access *access, bool if_equal, isa_label label) {
    isa_a64_emit(t->code, BY_WIDTH(t, CMP), (const int64_t[4]){access->reg, VALUE});
    ISA_A64(t->code, BC, if_equal ? ISA_A64_EQ : ISA_A64_NE, label);
}

static void touch(isa_thread *t, isa_place p, isa_touch what) {
    static const isa_a64 instructions[ISA_TOUCHES] = {[ISA_TO_LOAD] = ISA_A64_PRFM_LOAD,
                                                      [ISA_TO_STORE] = ISA_A64_PRFM_STORE,
                                                      [ISA_TO_FETCH] = ISA_A64_PRFM_FETCH,
                                                      [ISA_TO_FLUSH] = ISA_A64_DC_CIVAC};
    isa_a64_emit(t->code, instructions[what], (const int64_t[4]){p.reg});
}

/* A call would change the link register that the thread returns by. */
static uint32_t fetch(isa_thread *t, isa_place p) {
    const isa_label back = isa_new_label(t->code);
    ISA_A64(t->code, ADR, LINK, back);
    const uint32_t here = isa_here(t->code);
    ISA_A64(t->code, BR, p.reg);
    isa_bind(t->code, back);
    return here;
}

static void order(isa_thread *t, uint32_t pairs) {
    if ((pairs & COL_WRITE_READ) != 0) {
        ISA_A64(t->code, DMB, ISA_A64_ISH);
        return;
    }
    if ((pairs & (COL_READ_READ | COL_READ_WRITE)) != 0)
        ISA_A64(t->code, DMB, ISA_A64_ISHLD);
    if ((pairs & COL_WRITE_WRITE) != 0)
        ISA_A64(t->code, DMB, ISA_A64_ISHST);
}

static void log_value(isa_thread *t, uint8_t reg, uint64_t offset) {
    const isa_place p = reach(t, LOG, offset, true, COUNT);
    isa_a64_emit(t->code, BY_WIDTH(t, STR), (const int64_t[4]){reg, p.reg, p.offset});
}

/*
 * The harness on AArch64: see harness.h. Harts come down to EL1 from wherever they start, and
 * switch on translation (isa_pages_make has the table), because without it all memory is uncached.
 */

#define REG(role) isa_aarch64.roles[role]

static void keep_record(isa_boot *boot) {
    ISA_A64(boot->code, MSR, ISA_TPIDR_EL0, REG(ISA_RECORD));
}

static void publish(isa_boot *boot, isa_role at) {
    ISA_A64(boot->code, DC_CVAU, REG(at));
    ISA_A64(boot->code, DSB, ISA_A64_ISH);
    ISA_A64(boot->code, IC_IVAU, REG(at));
    ISA_A64(boot->code, DSB, ISA_A64_ISH);
}

/* ---- PSCI. */

#define PSCI_SYSTEM_OFF UINT64_C(0x84000008)
#define PSCI_CPU_ON UINT64_C(0xc4000003)

static void call_firmware(isa_boot *boot, uint64_t function) {
    isa_set(boot, ISA_A0, function);
    if (boot->platform->start == ISA_START_PSCI_SMC)
        ISA_A64(boot->code, SMC, 0);
    else
        ISA_A64(boot->code, HVC, 0);
}

static void leave_machine(isa_boot *boot, bool passed) {
    enum { SYS_EXIT = 0x18, SEMIHOSTING = 0xf000 };
    (void)passed;
    if (boot->platform->exit.kind == ISA_EXIT_PSCI) {
        call_firmware(boot, PSCI_SYSTEM_OFF);
    } else {
        isa_set(boot, ISA_A0, SYS_EXIT);
        ISA_A64(boot->code, HLT, SEMIHOSTING);
    }
}

/* ---- The start. */

/* EL3 and EL2 hand over to EL1, with interrupts masked. */
static void come_down(isa_boot *boot) {
    enum { EL1H = 0x3c5, SCR = 0x5b1, EL_SHIFT = 2 };
    const uint64_t hcr = UINT64_C(1) << 31; /* EL1 is AArch64 */
    const isa_label at_el2 = isa_new_label(boot->code), at_el1 = isa_new_label(boot->code);
    ISA_A64(boot->code, MRS, REG(ISA_T0), ISA_CURRENTEL);
    ISA_A64(boot->code, LSR, REG(ISA_T0), REG(ISA_T0), EL_SHIFT);
    isa_set(boot, ISA_T1, 1);
    basic(boot->code, ISA_IF_EQUAL, REG(ISA_T0), REG(ISA_T1), at_el1);
    ISA_A64(boot->code, ADR, REG(ISA_T2), at_el1);
    isa_set(boot, ISA_T3, EL1H);
    isa_set(boot, ISA_T4, hcr);
    ISA_A64(boot->code, MSR, ISA_HCR_EL2, REG(ISA_T4));
    isa_set(boot, ISA_T1, 2);
    basic(boot->code, ISA_IF_EQUAL, REG(ISA_T0), REG(ISA_T1), at_el2);
    isa_set(boot, ISA_T4, SCR);
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
        ISA_A64(boot->code, B, same);
        isa_align(boot->code, VECTOR_BYTES);
    }
    isa_bind(boot->code, same);
    ISA_A64(boot->code, MRS, REG(ISA_RECORD), ISA_TPIDR_EL0);
    ISA_A64(boot->code, MRS, REG(ISA_T0), ISA_ESR_EL1);
    ISA_A64(boot->code, MRS, REG(ISA_T1), ISA_ELR_EL1);
    ISA_A64(boot->code, MRS, REG(ISA_T2), ISA_FAR_EL1);
    ISA_A64(boot->code, B, boot->trapped);
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
    isa_set(boot, ISA_T0, mair);
    ISA_A64(boot->code, MSR, ISA_MAIR_EL1, REG(ISA_T0));
    isa_set(boot, ISA_T0, tcr);
    ISA_A64(boot->code, MSR, ISA_TCR_EL1, REG(ISA_T0));
    isa_set(boot, ISA_T0, boot->layout->pages);
    ISA_A64(boot->code, MSR, ISA_TTBR0_EL1, REG(ISA_T0));
    ISA_A64(boot->code, ISB);
    ISA_A64(boot->code, TLBI_VMALLE1);
    ISA_A64(boot->code, IC_IALLU);
    ISA_A64(boot->code, DSB, ISA_A64_SY);
    ISA_A64(boot->code, ISB);
    isa_set(boot, ISA_T0, sctlr);
    ISA_A64(boot->code, MSR, ISA_SCTLR_EL1, REG(ISA_T0));
    ISA_A64(boot->code, ISB);
    if (boot->platform->start != ISA_START_TOGETHER) {
        /* The first hart starts the others. One that does not start is missed at the barrier. T
         * registers may be the firmware's; those that a callee saves are not. */
        const isa_hart *hart = &boot->platform->hart;
        const isa_label done = isa_new_label(boot->code), again = isa_new_label(boot->code);
        basic(boot->code, ISA_IF_UNEQUAL, REG(ISA_HART), REG(ISA_ZERO), done);
        isa_set(boot, ISA_ROUND, 1);
        isa_bind(boot->code, again);
        isa_set(boot, ISA_T0, boot->harts);
        basic(boot->code, ISA_IF_EQUAL, REG(ISA_ROUND), REG(ISA_T0), done);
        basic(boot->code, ISA_PLUS_NUMBER, REG(ISA_A1), REG(ISA_ROUND), (uint32_t)hart->first);
        ISA_A64(boot->code, LSL, REG(ISA_A1), REG(ISA_A1), (int64_t)hart->shift);
        isa_set(boot, ISA_A2, boot->platform->load);
        isa_set(boot, ISA_A3, 0);
        call_firmware(boot, PSCI_CPU_ON);
        basic(boot->code, ISA_PLUS_NUMBER, REG(ISA_ROUND), REG(ISA_ROUND), 1);
        ISA_A64(boot->code, B, again);
        isa_bind(boot->code, done);
    }
}

const isa_machine isa_aarch64 = {
    .basic = basic,
    .constant = constant,
    .free = {9, {3, 4, 5, 6, 7, 8, 9, 10, 11}},
    .saved = {10, {19, 20, 21, 22, 23, 24, 25, 26, 27, 28}},
    .result = 0,
    .skew = SKEW,
    .count = COUNT,
    .bundle = BUNDLE,
    .stub = 0xd61f0000 | LINK << 5, /* br LINK */
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
            [ISA_HART] = 19,   [ISA_ROUND] = 20, [ISA_PHASE] = 21,
            [ISA_SALT] = 22,   [ISA_PART] = 23,  [ISA_RANDOM] = 24,
            [ISA_RECORD] = 25, [ISA_ROW] = 26,   [ISA_T0] = 9,
            [ISA_T1] = 10,     [ISA_T2] = 11,    [ISA_T3] = 12,
            [ISA_T4] = 13,     [ISA_A0] = 0,     [ISA_A1] = 1,
            [ISA_A2] = 2,      [ISA_A3] = 3,     [ISA_ZERO] = ISA_A64_ZERO,
            [ISA_TURN] = 27,
        },
    .enter = enter,
    .keep_record = keep_record,
    .prepare = prepare,
    .traps = traps,
    .publish = publish,
    .exit = leave_machine,
};
