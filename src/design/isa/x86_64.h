/* SPDX-License-Identifier: MIT */
/*
 * The assembler of x86-64: one table of instructions.
 *
 *     ISA_X86(code, LOAD, .width = 8, .reg = ISA_RAX, .base = ISA_RDI, .disp = 64);
 *     ISA_X86(code, JNE, .label = loop);
 *
 * Widths are 4 and 8 bytes. In AT&T's order `reg` is the source of what goes to `rm`. Without a
 * width of 8 and the registers from r8 on, bytes mean the same to a processor in 32-bit mode.
 */
#pragma once

#include "design/isa/isa.h"

/* Forms: which operands there are. */
typedef enum isa_x86_form {
    ISA_X86F_REG_RM,    /* reg and rm, both registers */
    ISA_X86F_RM_REG,    /* the same, but what goes to reg comes from rm */
    ISA_X86F_REG_MEM,   /* reg, and memory at base + index + disp */
    ISA_X86F_MEM,       /* memory */
    ISA_X86F_MEM_IMM32, /* imm, 32 bits with sign, and memory */
    ISA_X86F_RM,        /* rm, a register */
    ISA_X86F_RM_IMM8,   /* imm, -128 to 127, and rm, a register */
    ISA_X86F_LOW,       /* rm, in the low bits of the opcode; no width */
    ISA_X86F_LOW_IMM32, /* imm, 32 bits without sign, into the lower half of rm; the upper is 0 */
    ISA_X86F_LOW_IMM64, /* imm, 64 bits, into rm */
    ISA_X86F_RM_IMM32,  /* imm, 32 bits with sign, into rm */
    ISA_X86F_CONTROL,   /* reg, a control register, and rm */
    ISA_X86F_SEGMENT,   /* rm into reg, a segment register */
    ISA_X86F_LABEL,     /* label */
    ISA_X86F_PLAIN      /* none */
} isa_x86_form;

/* Rows X(NAME, mnemonic, form, opcode, digit): up to four bytes of opcode, the first one on top;
 * the digit is the opcode's part in the ModRM byte. A byte 0xf0, 0x66 or 0xf3 on top is a prefix. A
 * mnemonic gets its width's letter, unless it ends with a blank. */
#define ISA_X86_INSTRUCTIONS(X)                                                                    \
    X(MOV, "mov", REG_RM, 0x89, 0)                                                                 \
    X(ADD, "add", REG_RM, 0x01, 0)                                                                 \
    X(OR, "or", REG_RM, 0x09, 0)                                                                   \
    X(AND, "and", REG_RM, 0x21, 0)                                                                 \
    X(CMP, "cmp", REG_RM, 0x39, 0)                                                                 \
    X(TEST, "test", REG_RM, 0x85, 0)                                                               \
    X(IMUL, "imul", RM_REG, 0x0faf, 0)                                                             \
    X(LOAD, "mov", REG_MEM, 0x8b, 0)                                                               \
    X(STORE, "mov", REG_MEM, 0x89, 0)                                                              \
    X(LEA, "lea", REG_MEM, 0x8d, 0)                                                                \
    X(XCHG, "xchg", REG_MEM, 0x87, 0)                                                              \
    X(LOCK_XADD, "lock xadd", REG_MEM, 0xf00fc1, 0)                                                \
    X(STORE_I32, "mov", MEM_IMM32, 0xc7, 0)                                                        \
    X(CLFLUSH, "clflush ", MEM, 0x0fae, 7)                                                         \
    X(PREFETCHT0, "prefetcht0 ", MEM, 0x0f18, 1)                                                   \
    X(PREFETCHT1, "prefetcht1 ", MEM, 0x0f18, 2)                                                   \
    X(PREFETCHW, "prefetchw ", MEM, 0x0f0d, 1)                                                     \
    X(LGDT, "lgdt ", MEM, 0x0f01, 2)                                                               \
    X(LIDT, "lidt ", MEM, 0x0f01, 3)                                                               \
    X(JMP_FAR, "ljmpl *", MEM, 0xff, 5)                                                            \
    X(DEC, "dec", RM, 0xff, 1)                                                                     \
    X(ADDI, "add", RM_IMM8, 0x83, 0)                                                               \
    X(ANDI, "and", RM_IMM8, 0x83, 4)                                                               \
    X(CMPI, "cmp", RM_IMM8, 0x83, 7)                                                               \
    X(SHL, "shl", RM_IMM8, 0xc1, 4)                                                                \
    X(SHR, "shr", RM_IMM8, 0xc1, 5)                                                                \
    X(MOV_U32, "movl ", LOW_IMM32, 0xb8, 0)                                                        \
    X(MOV_I32, "movq ", RM_IMM32, 0xc7, 0)                                                         \
    X(MOV_I64, "movabsq ", LOW_IMM64, 0xb8, 0)                                                     \
    X(PUSH, "push ", LOW, 0x50, 0)                                                                 \
    X(POP, "pop ", LOW, 0x58, 0)                                                                   \
    X(MOV_FROM_CONTROL, "mov ", CONTROL, 0x0f20, 0)                                                \
    X(MOV_TO_CONTROL, "mov ", CONTROL, 0x0f22, 0)                                                  \
    X(MOV_TO_SEGMENT, "mov ", SEGMENT, 0x8e, 0)                                                    \
    X(CALL_REG, "call *", RM, 0xff, 2)                                                             \
    X(JMP_REG, "jmp *", RM, 0xff, 4)                                                               \
    X(CALL, "call ", LABEL, 0xe8, 0)                                                               \
    X(JMP, "jmp ", LABEL, 0xe9, 0)                                                                 \
    X(JB, "jb ", LABEL, 0x0f82, 0)                                                                 \
    X(JE, "je ", LABEL, 0x0f84, 0)                                                                 \
    X(JNE, "jne ", LABEL, 0x0f85, 0)                                                               \
    X(RET, "ret ", PLAIN, 0xc3, 0)                                                                 \
    X(HLT, "hlt ", PLAIN, 0xf4, 0)                                                                 \
    X(CLI, "cli ", PLAIN, 0xfa, 0)                                                                 \
    X(OUT, "outl %eax,(%dx) ", PLAIN, 0xef, 0)                                                     \
    X(RDMSR, "rdmsr ", PLAIN, 0x0f32, 0)                                                           \
    X(WRMSR, "wrmsr ", PLAIN, 0x0f30, 0)                                                           \
    X(CPUID, "cpuid ", PLAIN, 0x0fa2, 0)                                                           \
    X(MFENCE, "mfence ", PLAIN, 0x0faef0, 0)

typedef enum isa_x86 {
#define ISA_X86_NAME(name, mnemonic, form, opcode, digit) ISA_X86_##name,
    ISA_X86_INSTRUCTIONS(ISA_X86_NAME)
#undef ISA_X86_NAME
        ISA_X86_COUNT
} isa_x86;

typedef struct isa_x86_row {
    const char *mnemonic;
    isa_x86_form form;
    uint32_t opcode;
    uint8_t digit;
} isa_x86_row;

extern const isa_x86_row isa_x86_rows[ISA_X86_COUNT];

enum { ISA_RAX, ISA_RCX, ISA_RDX, ISA_RBX, ISA_RSP, ISA_RBP, ISA_RSI, ISA_RDI };
enum { ISA_R8 = 8, ISA_R9, ISA_R10, ISA_R11, ISA_R12, ISA_R13, ISA_R14, ISA_R15 };

/* Segment registers that can be written. */
enum { ISA_ES = 0, ISA_SS = 2, ISA_DS = 3, ISA_FS = 4, ISA_GS = 5 };

typedef struct isa_x86_operands {
    uint8_t width; /* 4 or 8 */
    uint8_t reg, rm;
    uint8_t base;
    bool has_index;
    uint8_t index; /* any but rsp */
    int64_t disp;
    int64_t imm;
    isa_label label;
} isa_x86_operands;

#define ISA_X86(code, name, ...)                                                                   \
    isa_x86_emit(code, ISA_X86_##name, &(const isa_x86_operands){__VA_ARGS__})
void isa_x86_emit(isa_code *code, isa_x86 instruction, const isa_x86_operands *operands);

void isa_x86_constant(isa_code *code, uint8_t reg, uint64_t value);

/* The code in 16-bit mode where harts start but the first one: its bytes, and the same for the GNU
 * assembler (.code16). What it refers to stands behind it, at fixed addresses. */
typedef struct isa_x86_start_row {
    const char *text;
    uint8_t size, bytes[7];
} isa_x86_start_row;

extern const isa_x86_start_row isa_x86_trampoline[]; /* ended by NULL */
