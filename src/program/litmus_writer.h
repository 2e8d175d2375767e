/* SPDX-License-Identifier: MIT */
/*
 * A small program as a litmus test, in the formats that herd7 and litmus7 read: RISC-V, AArch64 and
 * x86-64. Locations are named x, y, z, w, a, b, ...; each thread's reads go to registers of its
 * own. The condition says what was seen.
 */
#pragma once

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

/*
 * How each instruction set says the operations of a program (litmus_instructions.c), as templates:
 * lines of assembly in which @ and a letter stand for what differs.
 *
 *   @d register of the read   @a register (x86: name) of the location   @c register of the constant
 *   @r register depended on   @t scratch register                       @n number    @l label
 */

enum { PRG_LITMUS_REGISTERS = 32, PRG_LITMUS_ORDERS = 4 };

typedef struct prg_litmus_isa {
    const char *registers[PRG_LITMUS_REGISTERS]; /* free to use; ended by NULL */
    uint64_t largest_immediate;
    const char *constant;           /* NULL: instructions carry their numbers */
    const char *load[2], *store[2]; /* plain; acquire or release */
    const char *swap[PRG_LITMUS_ORDERS], *add[PRG_LITMUS_ORDERS]; /* by the set of attributes */
    const char *await_end;                /* after the load: again, if not seen */
    const char *address, *data, *control; /* dependencies; NULL: the model keeps the order anyway */
    const char *flush;                    /* NULL: herd7 has no such instruction */
    const char *fences[COL_FULL_FENCE + 1]; /* by the set of pairs; NULL: nothing to do */
    const char *store_before_acquire; /* a release that acquires come after; NULL: as others */
    uint32_t stronger_fences;         /* the sets whose instruction orders more; a set */
    bool pseudo_release;              /* plain stores that release: only herd7 has them */
    bool flush_orders;                /* to herd7, where to us a flush orders nothing */
    bool addresses_in_registers;
    bool add_returns; /* the old word */
} prg_litmus_isa;

extern const prg_litmus_isa prg_litmus_isas[PRG_ISA_COUNT];
extern const char *const prg_litmus_isa_names[PRG_ISA_COUNT];
