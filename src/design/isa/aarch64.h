/* SPDX-License-Identifier: MIT */
/*
 * The assembler of AArch64: one table of instructions.
 *
 *     ISA_A64(code, ADD, rd, rn, rm);
 *     ISA_A64(code, CBNZ, rt, label);
 *
 * Operands come in the assembler's order; those left out are 0. An instruction is for 64 bits, or,
 * with _W behind its name, for 32. Register 31 is sp in addresses and in ADDI and SUBI, else zero.
 */
#pragma once

#include "design/isa/isa.h"

/* Formats: what the operands are. */
typedef enum isa_a64_format {
    ISA_A64F_RRR,     /* rd, rn, rm */
    ISA_A64F_RRI,     /* rd, rn, 0 to 4095, and 1: the number times 4096 */
    ISA_A64F_CMP,     /* rn, rm */
    ISA_A64F_LSL_X,   /* rd, rn, 0 to 63 */
    ISA_A64F_LSR_X,   /* rd, rn, 0 to 63 */
    ISA_A64F_MOVE,    /* rd, 16 bits, shift: 0, 16, 32 or 48 */
    ISA_A64F_MEM4,    /* rt, rn, offset 0 to 16380, a multiple of 4 */
    ISA_A64F_MEM8,    /* rt, rn, offset 0 to 32760, a multiple of 8 */
    ISA_A64F_AT,      /* rt, rn: rt, [rn] */
    ISA_A64F_STX,     /* rs, rt, rn: status, rt, [rn] */
    ISA_A64F_ATOMIC,  /* rs, rt, rn, set of COL_ACQUIRE, COL_RELEASE: what goes in, out, [rn] */
    ISA_A64F_BRANCH,  /* label */
    ISA_A64F_COMPARE, /* rt, label */
    ISA_A64F_COND,    /* condition, label */
    ISA_A64F_ADDRESS, /* rd, label */
    ISA_A64F_REG,     /* rn */
    ISA_A64F_RT,      /* rt */
    ISA_A64F_BASE,    /* rn: [rn] */
    ISA_A64F_BARRIER, /* 0 to 15: ISA_A64_ISH... */
    ISA_A64F_READ,    /* rt, system register */
    ISA_A64F_WRITE,   /* system register, rt */
    ISA_A64F_IMM4,    /* 0 to 15 */
    ISA_A64F_IMM16,   /* 16 bits */
    ISA_A64F_PLAIN    /* none */
} isa_a64_format;

/* Rows X(NAME, mnemonic, letter of the registers, format, bits). */
#define ISA_A64_INSTRUCTIONS(X)                                                                    \
    X(ADD, "add", 'x', RRR, 0x8b000000)                                                            \
    X(AND, "and", 'x', RRR, 0x8a000000)                                                            \
    X(ORR, "orr", 'x', RRR, 0xaa000000)                                                            \
    X(EOR, "eor", 'x', RRR, 0xca000000)                                                            \
    X(MUL, "mul", 'x', RRR, 0x9b007c00)                                                            \
    X(CMP, "cmp", 'x', CMP, 0xeb00001f)                                                            \
    X(CMP_W, "cmp", 'w', CMP, 0x6b00001f)                                                          \
    X(ADDI, "add", 'x', RRI, 0x91000000)                                                           \
    X(SUBI, "sub", 'x', RRI, 0xd1000000)                                                           \
    X(LSL, "lsl", 'x', LSL_X, 0xd3400000)                                                          \
    X(LSR, "lsr", 'x', LSR_X, 0xd340fc00)                                                          \
    X(MOVZ, "movz", 'x', MOVE, 0xd2800000)                                                         \
    X(MOVN, "movn", 'x', MOVE, 0x92800000)                                                         \
    X(MOVK, "movk", 'x', MOVE, 0xf2800000)                                                         \
    X(LDR_W, "ldr", 'w', MEM4, 0xb9400000)                                                         \
    X(STR_W, "str", 'w', MEM4, 0xb9000000)                                                         \
    X(LDR, "ldr", 'x', MEM8, 0xf9400000)                                                           \
    X(STR, "str", 'x', MEM8, 0xf9000000)                                                           \
    X(LDAR_W, "ldar", 'w', AT, 0x88dffc00)                                                         \
    X(LDAR, "ldar", 'x', AT, 0xc8dffc00)                                                           \
    X(STLR_W, "stlr", 'w', AT, 0x889ffc00)                                                         \
    X(STLR, "stlr", 'x', AT, 0xc89ffc00)                                                           \
    X(LDXR_W, "ldxr", 'w', AT, 0x885f7c00)                                                         \
    X(LDXR, "ldxr", 'x', AT, 0xc85f7c00)                                                           \
    X(LDAXR_W, "ldaxr", 'w', AT, 0x885ffc00)                                                       \
    X(LDAXR, "ldaxr", 'x', AT, 0xc85ffc00)                                                         \
    X(STXR_W, "stxr", 'w', STX, 0x88007c00)                                                        \
    X(STXR, "stxr", 'x', STX, 0xc8007c00)                                                          \
    X(STLXR_W, "stlxr", 'w', STX, 0x8800fc00)                                                      \
    X(STLXR, "stlxr", 'x', STX, 0xc800fc00)                                                        \
    X(SWP_W, "swp", 'w', ATOMIC, 0xb8208000)                                                       \
    X(SWP, "swp", 'x', ATOMIC, 0xf8208000)                                                         \
    X(LDADD_W, "ldadd", 'w', ATOMIC, 0xb8200000)                                                   \
    X(LDADD, "ldadd", 'x', ATOMIC, 0xf8200000)                                                     \
    X(B, "b", 'x', BRANCH, 0x14000000)                                                             \
    X(BL, "bl", 'x', BRANCH, 0x94000000)                                                           \
    X(BC, "b.", 'x', COND, 0x54000000)                                                             \
    X(CBZ, "cbz", 'x', COMPARE, 0xb4000000)                                                        \
    X(CBNZ, "cbnz", 'x', COMPARE, 0xb5000000)                                                      \
    X(CBNZ_W, "cbnz", 'w', COMPARE, 0x35000000)                                                    \
    X(ADR, "adr", 'x', ADDRESS, 0x10000000)                                                        \
    X(BR, "br", 'x', REG, 0xd61f0000)                                                              \
    X(BLR, "blr", 'x', REG, 0xd63f0000)                                                            \
    X(RET, "ret", 'x', REG, 0xd65f0000)                                                            \
    X(DMB, "dmb", 'x', BARRIER, 0xd50330bf)                                                        \
    X(DSB, "dsb", 'x', BARRIER, 0xd503309f)                                                        \
    X(ISB, "isb", 'x', PLAIN, 0xd5033fdf)                                                          \
    X(DC_CVAU, "dc cvau,", 'x', RT, 0xd50b7b20)                                                    \
    X(DC_CIVAC, "dc civac,", 'x', RT, 0xd50b7e20)                                                  \
    X(IC_IVAU, "ic ivau,", 'x', RT, 0xd50b7520)                                                    \
    X(PRFM_LOAD, "prfm pldl1keep,", 'x', BASE, 0xf9800000)                                         \
    X(PRFM_STORE, "prfm pstl1keep,", 'x', BASE, 0xf9800010)                                        \
    X(PRFM_FETCH, "prfm plil1keep,", 'x', BASE, 0xf9800008)                                        \
    X(IC_IALLU, "ic iallu", 'x', PLAIN, 0xd508751f)                                                \
    X(TLBI_VMALLE1, "tlbi vmalle1", 'x', PLAIN, 0xd508871f)                                        \
    X(MRS, "mrs", 'x', READ, 0xd5300000)                                                           \
    X(MSR, "msr", 'x', WRITE, 0xd5100000)                                                          \
    X(MSR_DAIFSET, "msr daifset,", 'x', IMM4, 0xd50340df)                                          \
    X(SVC, "svc", 'x', IMM16, 0xd4000001)                                                          \
    X(HVC, "hvc", 'x', IMM16, 0xd4000002)                                                          \
    X(SMC, "smc", 'x', IMM16, 0xd4000003)                                                          \
    X(HLT, "hlt", 'x', IMM16, 0xd4400000)                                                          \
    X(ERET, "eret", 'x', PLAIN, 0xd69f03e0)                                                        \
    X(WFI, "wfi", 'x', PLAIN, 0xd503207f)

typedef enum isa_a64 {
#define ISA_A64_NAME(name, mnemonic, letter, format, bits) ISA_A64_##name,
    ISA_A64_INSTRUCTIONS(ISA_A64_NAME)
#undef ISA_A64_NAME
        ISA_A64_COUNT
} isa_a64;

typedef struct isa_a64_row {
    const char *mnemonic;
    char letter;
    isa_a64_format format;
    uint32_t bits;
} isa_a64_row;

extern const isa_a64_row isa_a64_rows[ISA_A64_COUNT];

/* System registers: rows X(NAME, assembler's name, op0, op1, CRn, CRm, op2). */
#define ISA_A64_REGISTERS(X)                                                                       \
    X(MPIDR_EL1, "mpidr_el1", 3, 0, 0, 0, 5)                                                       \
    X(CURRENTEL, "currentel", 3, 0, 4, 2, 2)                                                       \
    X(SCTLR_EL1, "sctlr_el1", 3, 0, 1, 0, 0)                                                       \
    X(TTBR0_EL1, "ttbr0_el1", 3, 0, 2, 0, 0)                                                       \
    X(TCR_EL1, "tcr_el1", 3, 0, 2, 0, 2)                                                           \
    X(ELR_EL1, "elr_el1", 3, 0, 4, 0, 1)                                                           \
    X(ESR_EL1, "esr_el1", 3, 0, 5, 2, 0)                                                           \
    X(FAR_EL1, "far_el1", 3, 0, 6, 0, 0)                                                           \
    X(MAIR_EL1, "mair_el1", 3, 0, 10, 2, 0)                                                        \
    X(VBAR_EL1, "vbar_el1", 3, 0, 12, 0, 0)                                                        \
    X(TPIDR_EL0, "tpidr_el0", 3, 3, 13, 0, 2)                                                      \
    X(HCR_EL2, "hcr_el2", 3, 4, 1, 1, 0)                                                           \
    X(SPSR_EL2, "spsr_el2", 3, 4, 4, 0, 0)                                                         \
    X(ELR_EL2, "elr_el2", 3, 4, 4, 0, 1)                                                           \
    X(SCR_EL3, "scr_el3", 3, 6, 1, 1, 0)                                                           \
    X(SPSR_EL3, "spsr_el3", 3, 6, 4, 0, 0)                                                         \
    X(ELR_EL3, "elr_el3", 3, 6, 4, 0, 1)

enum {
#define ISA_A64_REGISTER(name, text, op0, op1, n, m, op2)                                          \
    ISA_##name = ((op0)&1) << 14 | (op1) << 11 | (n) << 7 | (m) << 3 | (op2),
    ISA_A64_REGISTERS(ISA_A64_REGISTER)
#undef ISA_A64_REGISTER
};

enum { ISA_A64_SP = 31, ISA_A64_ZERO = 31, ISA_A64_LR = 30 };

/* What a barrier is for: of the inner shareable domain, or of the whole system. */
enum { ISA_A64_ISHLD = 9, ISA_A64_ISHST = 10, ISA_A64_ISH = 11, ISA_A64_SY = 15 };

enum { ISA_A64_EQ = 0, ISA_A64_NE = 1, ISA_A64_HS = 2, ISA_A64_LO = 3 };

#define ISA_A64(code, name, ...) isa_a64_emit(code, ISA_A64_##name, (const int64_t[4]){__VA_ARGS__})
void isa_a64_emit(isa_code *code, isa_a64 instruction, const int64_t operands[4]);

void isa_a64_constant(isa_code *code, uint32_t rd, uint64_t value);
