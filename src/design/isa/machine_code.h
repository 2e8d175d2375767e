/* SPDX-License-Identifier: MIT */
/*
 * Machine code that grows: bytes, labels, and the sites of a program's operations in it. Emitting
 * cannot fail visibly: the first problem sticks, and isa_code_finish tells it. Start from
 * ISA_CODE_EMPTY; free at the end.
 */
#ifndef DESIGN_ISA_MACHINE_CODE_H
#define DESIGN_ISA_MACHINE_CODE_H

#include "base/problem.h"

/* Where the code of an operation is. Offsets are those of the whole code. */
typedef struct isa_site {
    uint32_t operation; /* its index in the program */
    uint32_t offset, size;
    uint32_t access; /* the instruction that reads or writes the location; ISA_NONE: none does */
    uint32_t slot;   /* of a read: its number among the reads of the thread; else ISA_NONE */
    uint32_t reg;    /* of a read: the register that its last access fills; else ISA_NONE */
} isa_site;

#define ISA_NONE UINT32_MAX

typedef uint32_t isa_label;

/* Writes a distance in bytes into the instruction at `at`. False: it is too far. */
typedef bool isa_patch(uint8_t *at, uint32_t kind, int64_t distance);

typedef struct isa_fixup {
    uint32_t offset;
    isa_label label;
    uint32_t kind;
    isa_patch *patch;
} isa_fixup;

typedef struct isa_code {
    uint8_t *bytes;
    size_t size, capacity;
    isa_site *sites;
    size_t site_count, site_capacity;
    uint32_t *labels; /* their offsets; ISA_NONE: not bound yet */
    size_t label_count, label_capacity;
    isa_fixup *fixups; /* not patched yet */
    size_t fixup_count, fixup_capacity;
    col_status status;
    col_problem problem;
} isa_code;

#define ISA_CODE_EMPTY                                                                             \
    { .status = COL_OK }

void isa_code_free(isa_code *code);
void isa_code_clear(isa_code *code); /* empty again; memory is kept */

/* Where the next byte goes. */
static inline uint32_t isa_here(const isa_code *code) {
    return (uint32_t)code->size;
}

void isa_emit(isa_code *code, const void *bytes, size_t size);
void isa_emit_number(isa_code *code, uint64_t number, uint32_t bytes); /* little-endian */
/* Zeros up to a size, or up to a multiple of a power of two. */
void isa_pad(isa_code *code, uint64_t size);
void isa_align(isa_code *code, uint32_t alignment);

/* A place that instructions refer to, before or after it is bound to the next byte. */
isa_label isa_new_label(isa_code *code);
void isa_bind(isa_code *code, isa_label label);
/* What is emitted next refers to the label. */
void isa_refer(isa_code *code, isa_label label, uint32_t kind, isa_patch *patch);

/* The first problem sticks. */
void isa_code_refuse(isa_code *code, const char *format, ...) BASE_PRINTF(2, 3);

/* ---- Instructions of 32 bits: a row of these for each format says where operands go. */

typedef enum isa_operand_kind {
    ISA_NO_OPERAND,
    ISA_NUMBER,
    ISA_SPLIT, /* a number in RISC-V's stores: its low 5 bits at 7, the others at 25 */
    ISA_ORDER, /* a set of COL_ACQUIRE and COL_RELEASE: release, and the bit above it acquire */
    ISA_LABEL
} isa_operand_kind;

typedef struct isa_operand {
    isa_operand_kind kind;
    uint8_t shift;     /* of its lowest bit */
    int32_t low, high; /* a number's least and greatest, in steps; low: a label's kind of patch */
    uint8_t step;      /* numbers are multiples of it */
} isa_operand;

enum { ISA_OPERANDS = 4 };

/* Emits `bits` with the operands in it. A number that does not fit is a problem of `mnemonic`. */
void isa_emit_word(isa_code *code, const char *mnemonic, uint32_t bits,
                   const isa_operand format[ISA_OPERANDS], const int64_t operands[ISA_OPERANDS],
                   isa_patch *patch);

/* Sets bits of the little-endian word at `at`. */
void isa_set_bits(uint8_t *at, uint32_t bits);

/* The next operation's site begins here. */
void isa_add_site(isa_code *code, const isa_site *site);

/* Patches all references and says what went wrong. A label that was never bound is a problem. */
col_status isa_code_finish(isa_code *code, col_problem *problem);

/* For encoders: patches what can be patched, from the fixup `first` on. */
void isa_code_resolve(isa_code *code, size_t first);

#endif
