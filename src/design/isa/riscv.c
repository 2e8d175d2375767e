/* SPDX-License-Identifier: MIT */
/* The assembler of RISC-V: see riscv.h. */
#include "design/isa/riscv.h"

#include "design/isa/harness.h"

const isa_rv_row isa_rv_rows[ISA_RV_COUNT] = {
#define ROW(name, mnemonic, format, bits) {mnemonic, ISA_RVF_##format, bits},
    ISA_RV_INSTRUCTIONS(ROW)
#undef ROW
};

enum { BRANCH, JUMP, PAIR }; /* kinds of references */

static uint32_t bits_of(uint64_t value, uint32_t high, uint32_t low) {
    return (uint32_t)(value >> low) & ((UINT32_C(1) << (high - low + 1)) - 1);
}

/* The upper and lower part of a signed 32-bit number: lui or auipc, then addi or jalr. */
static uint32_t upper(int64_t value) {
    return bits_of((uint64_t)value + 0x800, 31, 12);
}

static bool patch(uint8_t *at, uint32_t kind, int64_t distance) {
    const uint64_t d = (uint64_t)distance;
    switch (kind) {
    case BRANCH:
        isa_set_bits(at, bits_of(d, 12, 12) << 31 | bits_of(d, 10, 5) << 25 |
                             bits_of(d, 4, 1) << 8 | bits_of(d, 11, 11) << 7);
        return distance >= -4096 && distance < 4096;
    case JUMP:
        isa_set_bits(at, bits_of(d, 20, 20) << 31 | bits_of(d, 10, 1) << 21 |
                             bits_of(d, 11, 11) << 20 | bits_of(d, 19, 12) << 12);
        return distance >= -(1 << 20) && distance < 1 << 20;
    default:
        isa_set_bits(at, upper(distance) << 12);
        isa_set_bits(at + 4, bits_of(d, 11, 0) << 20);
        return distance >= INT32_MIN && distance < INT32_MAX - 0x800;
    }
}

#define NUMBER(least, most, at)                                                                    \
    { .kind = ISA_NUMBER, .shift = (at), .low = (least), .high = (most), .step = 1 }
#define REGISTER(at) NUMBER(0, 31, at)
#define SHORT(place)                                                                               \
    { .kind = (place), .shift = 20, .low = -2048, .high = 2047, .step = 1 }
#define ORDER                                                                                      \
    { .kind = ISA_ORDER, .shift = 25 }
#define LABEL(patched)                                                                             \
    { .kind = ISA_LABEL, .low = (patched) }

static const isa_operand formats[][ISA_OPERANDS] = {
    [ISA_RVF_R] = {REGISTER(7), REGISTER(15), REGISTER(20)},
    [ISA_RVF_I] = {REGISTER(7), REGISTER(15), SHORT(ISA_NUMBER)},
    [ISA_RVF_SHIFT] = {REGISTER(7), REGISTER(15), NUMBER(0, 63, 20)},
    [ISA_RVF_U] = {REGISTER(7), NUMBER(0, 0xfffff, 12)},
    [ISA_RVF_LOAD] = {REGISTER(7), REGISTER(15), SHORT(ISA_NUMBER)},
    [ISA_RVF_STORE] = {REGISTER(20), REGISTER(15), SHORT(ISA_SPLIT)},
    [ISA_RVF_BRANCH] = {REGISTER(15), REGISTER(20), LABEL(BRANCH)},
    [ISA_RVF_JUMP] = {REGISTER(7), LABEL(JUMP)},
    [ISA_RVF_FENCE] = {NUMBER(0, 15, 24), NUMBER(0, 15, 20)},
    [ISA_RVF_CSR] = {REGISTER(7), NUMBER(0, 0xfff, 20), REGISTER(15)},
    [ISA_RVF_CSRI] = {REGISTER(7), NUMBER(0, 0xfff, 20), REGISTER(15)},
    [ISA_RVF_AMO] = {REGISTER(7), REGISTER(20), REGISTER(15), ORDER},
    [ISA_RVF_AT] = {REGISTER(15)},
    [ISA_RVF_PLAIN] = {{.kind = ISA_NO_OPERAND}},
};

void isa_rv_emit(isa_code *code, isa_rv instruction, const int64_t operands[4]) {
    const isa_rv_row *row = &isa_rv_rows[instruction];
    isa_emit_word(code, row->mnemonic, row->bits, formats[row->format], operands, patch);
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

/*
 * The harness on RISC-V: see harness.h. Harts stay in machine mode, where they start; there
 * physical memory protection does not stop them, and caches need no switching on.
 */

static const uint8_t registers[ISA_ROLE_COUNT] = {
    [ISA_HART] = ISA_RV_S0,     [ISA_ROUND] = ISA_RV_S0 + 1,  [ISA_PHASE] = ISA_RV_S2,
    [ISA_SALT] = ISA_RV_S2 + 1, [ISA_PART] = ISA_RV_S2 + 2,   [ISA_RANDOM] = ISA_RV_S2 + 3,
    [ISA_ROW] = ISA_RV_S2 + 4,  [ISA_RECORD] = ISA_RV_S2 + 5, [ISA_T0] = ISA_RV_T0,
    [ISA_T1] = ISA_RV_T0 + 1,   [ISA_T2] = ISA_RV_T0 + 2,     [ISA_T3] = ISA_RV_T3,
    [ISA_T4] = ISA_RV_T3 + 1,   [ISA_A0] = ISA_RV_A0,         [ISA_A1] = ISA_RV_A0 + 1,
    [ISA_A2] = ISA_RV_A0 + 2,   [ISA_A3] = ISA_RV_A0 + 3,     [ISA_ZERO] = ISA_RV_ZERO,
    [ISA_TURN] = ISA_RV_S2 + 6,
};
#define REG(role) registers[role]

static void set(isa_boot *boot, isa_role to, uint64_t value) {
    isa_rv_constant(boot->code, boot->map->target->address_bytes, REG(to), value);
}

static void arithmetic(isa_boot *boot, isa_arithmetic what, isa_role to, isa_role a, isa_role b) {
    static const isa_rv instructions[] = {
        [ISA_PLUS] = ISA_RV_ADD, [ISA_AND] = ISA_RV_AND, [ISA_TIMES] = ISA_RV_MUL};
    isa_rv_emit(boot->code, instructions[what], (const int64_t[4]){REG(to), REG(a), REG(b)});
}

static void plus(isa_boot *boot, isa_role to, isa_role a, int32_t number) {
    ISA_RV(boot->code, ADDI, REG(to), REG(a), number);
}

static void shift(isa_boot *boot, isa_role to, isa_role a, int32_t left) {
    if (left >= 0)
        ISA_RV(boot->code, SLLI, REG(to), REG(a), left);
    else
        ISA_RV(boot->code, SRLI, REG(to), REG(a), -left);
}

static void load(isa_boot *boot, uint32_t bytes, isa_role to, isa_role at, uint32_t offset) {
    isa_rv_emit(boot->code, bytes == 4 ? ISA_RV_LW : ISA_RV_LD,
                (const int64_t[4]){REG(to), REG(at), offset});
}

static void store(isa_boot *boot, uint32_t bytes, isa_role from, isa_role at, uint32_t offset) {
    isa_rv_emit(boot->code, bytes == 4 ? ISA_RV_SW : ISA_RV_SD,
                (const int64_t[4]){REG(from), REG(at), offset});
}

static void branch(isa_boot *boot, isa_condition condition, isa_role a, isa_role b,
                   isa_label label) {
    static const isa_rv instructions[] = {
        [ISA_EQUAL] = ISA_RV_BEQ, [ISA_UNEQUAL] = ISA_RV_BNE, [ISA_BELOW] = ISA_RV_BLTU};
    isa_rv_emit(boot->code, instructions[condition], (const int64_t[4]){REG(a), REG(b), label});
}

static void jump(isa_boot *boot, isa_label label) {
    ISA_RV(boot->code, JAL, ISA_RV_ZERO, label);
}

static void call(isa_boot *boot, isa_label label) {
    ISA_RV(boot->code, JAL, ISA_RV_RA, label);
}

static void call_at(isa_boot *boot, isa_role function) {
    ISA_RV(boot->code, JALR, ISA_RV_RA, REG(function), 0);
}

static void leave(isa_boot *boot) {
    ISA_RV(boot->code, JALR, ISA_RV_ZERO, ISA_RV_RA, 0);
}

static void set_stack(isa_boot *boot, isa_role top) {
    ISA_RV(boot->code, ADDI, ISA_RV_SP, REG(top), 0);
}

static void fence(isa_boot *boot) {
    enum { ALL = ISA_RV_INPUT | ISA_RV_OUTPUT | ISA_RV_READS | ISA_RV_WRITES };
    ISA_RV(boot->code, FENCE, ALL, ALL);
}

static void see_code(isa_boot *boot) {
    ISA_RV(boot->code, FENCE_I);
}

static void wait(isa_boot *boot) {
    ISA_RV(boot->code, WFI);
}

/* SYS_EXIT_EXTENDED with ADP_Stopped_ApplicationExit and a status. The parameters are in the
 * record, behind its fields. */
static void exit_by_semihosting(isa_boot *boot, bool passed) {
    enum { PARAMETERS = 48, EXIT = 0x20, STOPPED = 0x20026 };
    const uint32_t bytes = boot->map->target->address_bytes;
    set(boot, ISA_T0, STOPPED);
    store(boot, bytes, ISA_T0, ISA_RECORD, PARAMETERS);
    set(boot, ISA_T0, passed ? 0 : 1);
    store(boot, bytes, ISA_T0, ISA_RECORD, PARAMETERS + bytes);
    plus(boot, ISA_A1, ISA_RECORD, PARAMETERS);
    set(boot, ISA_A0, EXIT);
    while (boot->code->status == COL_OK && isa_here(boot->code) % 16 != 0)
        ISA_RV(boot->code, ADDI, 0, 0, 0); /* the three must be in one page */
    ISA_RV(boot->code, SLLI, 0, 0, 0x1f);
    ISA_RV(boot->code, EBREAK);
    ISA_RV(boot->code, SRAI, 0, 0, 7);
}

/* ---- The start. */

static void enter(isa_boot *boot) {
    const isa_hart *hart = &boot->platform->hart;
    enum { MIE = 8 };
    if (hart->from == ISA_HART_MHARTID)
        ISA_RV(boot->code, CSRRS, REG(ISA_HART), ISA_CSR_MHARTID, 0);
    else if (hart->from == ISA_HART_REGISTER)
        ISA_RV(boot->code, ADDI, REG(ISA_HART), (int64_t)hart->reg, 0);
    ISA_RV(boot->code, CSRRCI, 0, ISA_CSR_MSTATUS, MIE);
    ISA_RV(boot->code, CSRRW, 0, ISA_CSR_MIE, 0);
    isa_rv_address(boot->code, REG(ISA_T0), boot->trap);
    ISA_RV(boot->code, CSRRW, 0, ISA_CSR_MTVEC, REG(ISA_T0));
}

static void keep_record(isa_boot *boot) {
    ISA_RV(boot->code, CSRRW, 0, ISA_CSR_MSCRATCH, REG(ISA_RECORD));
}

static void traps(isa_boot *boot) {
    isa_align(boot->code, 64);
    isa_bind(boot->code, boot->trap);
    ISA_RV(boot->code, CSRRS, REG(ISA_RECORD), ISA_CSR_MSCRATCH, 0);
    ISA_RV(boot->code, CSRRS, REG(ISA_T0), ISA_CSR_MCAUSE, 0);
    ISA_RV(boot->code, CSRRS, REG(ISA_T1), ISA_CSR_MEPC, 0);
    ISA_RV(boot->code, CSRRS, REG(ISA_T2), ISA_CSR_MTVAL, 0);
    jump(boot, boot->trapped);
}

const isa_machine isa_riscv_machine = {
    .enter = enter,
    .keep_record = keep_record,
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
    .exit = exit_by_semihosting,
    .wait = wait,
};
