/* SPDX-License-Identifier: MIT */
/*
 * A small program as a litmus test, in the formats that herd7 and litmus7 read: RISC-V, AArch64 and
 * x86-64. Locations are named x, y, z, w, a, b, ...; each thread's reads go to registers of its
 * own. The condition says what was seen.
 */
#ifndef PROGRAM_LITMUS_WRITER_H
#define PROGRAM_LITMUS_WRITER_H

#include "base/text.h"
#include "collider/model.h"
#include "collider/program.h"

/* Rows X(NAME, name in litmus files, word in the names of our files, the memory model that it
 * promises). litmus_instructions.c has how each says operations. */
#define PRG_ISAS(X)                                                                                \
    X(PRG_RISCV, "RISCV", "riscv", COL_RVWMO)                                                      \
    X(PRG_AARCH64, "AArch64", "aarch64", COL_ARMV8)                                                \
    X(PRG_X86_64, "X86_64", "x86-64", COL_TSO)

typedef enum prg_isa {
#define PRG_ISA_NAME(place, name, word, model) place,
    PRG_ISAS(PRG_ISA_NAME)
#undef PRG_ISA_NAME
        PRG_ISA_COUNT
} prg_isa;

extern const char *const prg_isa_words[PRG_ISA_COUNT + 1]; /* ended by NULL */
extern const col_model prg_isa_models[PRG_ISA_COUNT];

/* What is to be said about the program besides its text. */
typedef struct prg_litmus {
    const char *name;       /* of the test; letters, digits, + - . _ */
    const char *comment;    /* lines; may be NULL */
    const uint64_t *words;  /* by operation: what each read returned; NULL: nothing is known */
    const bool *has_word;   /* by operation: it is known and goes into the condition; NULL: none */
    const uint64_t *finals; /* by location: the word at the end; NULL: not known */
    const bool *has_final;  /* by location: it is known and goes into the condition; NULL: none */
    bool forbidden;         /* the instruction set's own memory model does not allow it */
} prg_litmus;

/* COL_BAD_INPUT if the program has something that the instruction set cannot say: one sentence. */
col_status prg_litmus_write(const col_program *program, prg_isa isa, const prg_litmus *about,
                            base_text *text, col_problem *problem);

#endif
