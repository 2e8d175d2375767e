/* SPDX-License-Identifier: MIT */
/*
 * How each instruction set says the operations of a program, as templates: lines of assembly in
 * which @ and a letter stand for what differs.
 *
 *   @d register of the read   @a register (x86: name) of the location   @c register of the constant
 *   @r register depended on   @t scratch register                       @n number    @l label
 */
#ifndef PROGRAM_LITMUS_INSTRUCTIONS_H
#define PROGRAM_LITMUS_INSTRUCTIONS_H

#include "program/litmus_writer.h"

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

#endif
