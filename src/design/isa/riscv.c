/* SPDX-License-Identifier: MIT */
/*
 * The harness on RISC-V: see machine.h. Harts stay in machine mode, where they start; there
 * physical memory protection does not stop them, and caches need no switching on.
 */
#include "isa/machine.h"
#include "isa/riscv.h"

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
