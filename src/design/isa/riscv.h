/* SPDX-License-Identifier: MIT */
/*
 * The assembler of RISC-V: one table of instructions for rv32 and rv64.
 *
 *     ISA_RV(code, ADDI, rd, rs1, 12);
 *     ISA_RV(code, BNE, rs1, rs2, label);
 *
 * Operands come in the assembler's order (an address is its register, then its offset); those left
 * out are 0.
 */
#pragma once

#include "design/isa/isa.h"

/* Formats: what the operands are. */
typedef enum isa_rv_format {
    ISA_RVF_R,      /* rd, rs1, rs2 */
    ISA_RVF_I,      /* rd, rs1, signed 12 bits */
    ISA_RVF_SHIFT,  /* rd, rs1, 0 to 63 */
    ISA_RVF_U,      /* rd, 20 bits */
    ISA_RVF_LOAD,   /* rd, rs1, signed 12 bits: rd, offset(rs1) */
    ISA_RVF_STORE,  /* rs2, rs1, signed 12 bits: rs2, offset(rs1) */
    ISA_RVF_BRANCH, /* rs1, rs2, label */
    ISA_RVF_JUMP,   /* rd, label */
    ISA_RVF_FENCE,  /* predecessors, successors: sets of ISA_RV_READS... */
    ISA_RVF_CSR,    /* rd, csr, rs1 */
    ISA_RVF_CSRI,   /* rd, csr, 0 to 31 */
    ISA_RVF_AMO,    /* rd, rs2, rs1, set of COL_ACQUIRE, COL_RELEASE */
    ISA_RVF_AT,     /* rs1: (rs1) */
    ISA_RVF_PLAIN   /* none */
} isa_rv_format;

/* Rows X(NAME, mnemonic, format, bits). */
#define ISA_RV_INSTRUCTIONS(X)                                                                     \
    X(ADD, "add", R, 0x00000033)                                                                   \
    X(XOR, "xor", R, 0x00004033)                                                                   \
    X(OR, "or", R, 0x00006033)                                                                     \
    X(AND, "and", R, 0x00007033)                                                                   \
    X(MUL, "mul", R, 0x02000033)                                                                   \
    X(ADDW, "addw", R, 0x0000003b)                                                                 \
    X(ADDI, "addi", I, 0x00000013)                                                                 \
    X(ADDIW, "addiw", I, 0x0000001b)                                                               \
    X(SLLI, "slli", SHIFT, 0x00001013)                                                             \
    X(SRLI, "srli", SHIFT, 0x00005013)                                                             \
    X(SRAI, "srai", SHIFT, 0x40005013)                                                             \
    X(LUI, "lui", U, 0x00000037)                                                                   \
    X(AUIPC, "auipc", U, 0x00000017)                                                               \
    X(LW, "lw", LOAD, 0x00002003)                                                                  \
    X(LD, "ld", LOAD, 0x00003003)                                                                  \
    X(JALR, "jalr", LOAD, 0x00000067)                                                              \
    X(SW, "sw", STORE, 0x00002023)                                                                 \
    X(SD, "sd", STORE, 0x00003023)                                                                 \
    X(BEQ, "beq", BRANCH, 0x00000063)                                                              \
    X(BNE, "bne", BRANCH, 0x00001063)                                                              \
    X(BLTU, "bltu", BRANCH, 0x00006063)                                                            \
    X(JAL, "jal", JUMP, 0x0000006f)                                                                \
    X(FENCE, "fence", FENCE, 0x0000000f)                                                           \
    X(FENCE_TSO, "fence.tso", PLAIN, 0x8330000f)                                                   \
    X(FENCE_I, "fence.i", PLAIN, 0x0000100f)                                                       \
    X(ECALL, "ecall", PLAIN, 0x00000073)                                                           \
    X(EBREAK, "ebreak", PLAIN, 0x00100073)                                                         \
    X(WFI, "wfi", PLAIN, 0x10500073)                                                               \
    X(CSRRW, "csrrw", CSR, 0x00001073)                                                             \
    X(CSRRS, "csrrs", CSR, 0x00002073)                                                             \
    X(CSRRCI, "csrrci", CSRI, 0x00007073)                                                          \
    X(AMOADD_W, "amoadd.w", AMO, 0x0000202f)                                                       \
    X(AMOADD_D, "amoadd.d", AMO, 0x0000302f)                                                       \
    X(AMOSWAP_W, "amoswap.w", AMO, 0x0800202f)                                                     \
    X(AMOSWAP_D, "amoswap.d", AMO, 0x0800302f)                                                     \
    X(CBO_FLUSH, "cbo.flush", AT, 0x0020200f)                                                      \
    X(PREFETCH_I, "prefetch.i", AT, 0x00006013)                                                    \
    X(PREFETCH_R, "prefetch.r", AT, 0x00106013)                                                    \
    X(PREFETCH_W, "prefetch.w", AT, 0x00306013)

typedef enum isa_rv {
#define ISA_RV_NAME(name, mnemonic, format, bits) ISA_RV_##name,
    ISA_RV_INSTRUCTIONS(ISA_RV_NAME)
#undef ISA_RV_NAME
        ISA_RV_COUNT
} isa_rv;

typedef struct isa_rv_row {
    const char *mnemonic;
    isa_rv_format format;
    uint32_t bits;
} isa_rv_row;

extern const isa_rv_row isa_rv_rows[ISA_RV_COUNT];

/* Sets of accesses that a fence puts in order. */
enum { ISA_RV_WRITES = 1, ISA_RV_READS = 2, ISA_RV_OUTPUT = 4, ISA_RV_INPUT = 8 };

/* Control and status registers: rows X(NAME, assembler's name, number). */
#define ISA_RV_CSRS(X)                                                                             \
    X(MSTATUS, "mstatus", 0x300)                                                                   \
    X(MIE, "mie", 0x304)                                                                           \
    X(MTVEC, "mtvec", 0x305)                                                                       \
    X(MSCRATCH, "mscratch", 0x340)                                                                 \
    X(MEPC, "mepc", 0x341)                                                                         \
    X(MCAUSE, "mcause", 0x342)                                                                     \
    X(MTVAL, "mtval", 0x343)                                                                       \
    X(MHARTID, "mhartid", 0xf14)

enum {
#define ISA_RV_CSR_NAME(name, text, number) ISA_CSR_##name = (number),
    ISA_RV_CSRS(ISA_RV_CSR_NAME)
#undef ISA_RV_CSR_NAME
};

/* Registers by the name that the C calling convention gives them. */
enum {
    ISA_RV_ZERO = 0,
    ISA_RV_RA = 1,
    ISA_RV_SP = 2,
    ISA_RV_TP = 4,
    ISA_RV_T0 = 5,  /* to t2 */
    ISA_RV_S0 = 8,  /* s1 follows, s2 to s11 do not */
    ISA_RV_A0 = 10, /* to a7 */
    ISA_RV_S2 = 18, /* to s11 */
    ISA_RV_T3 = 28, /* to t6 */
};

#define ISA_RV(code, name, ...) isa_rv_emit(code, ISA_RV_##name, (const int64_t[4]){__VA_ARGS__})
void isa_rv_emit(isa_code *code, isa_rv instruction, const int64_t operands[4]);

/* rd = a constant. */
void isa_rv_constant(isa_code *code, const isa_target *target, uint32_t rd, uint64_t value);
/* rd = the address of a label, anywhere in the code. */
void isa_rv_address(isa_code *code, uint32_t rd, isa_label label);
/* Goes to a label anywhere in the code, by way of a scratch register; `link` may be zero. */
void isa_rv_far(isa_code *code, uint32_t link, uint32_t scratch, isa_label label);
