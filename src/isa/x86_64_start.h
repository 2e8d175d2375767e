/* SPDX-License-Identifier: MIT */
/*
 * How a hart of x86-64 comes to 64-bit mode. The first one starts at the load address in 32-bit
 * mode, as PVH has it; the others start in 16-bit mode on a page below 1 MiB (the trampoline), when
 * the first one asks for it by INIT and SIPI.
 */
#ifndef ISA_X86_64_START_H
#define ISA_X86_64_START_H

#include "isa/machine.h"

/* The trampoline's code: its bytes, and the same for the GNU assembler (.code16). What it refers
 * to stands behind it, at fixed addresses. */
typedef struct isa_x86_start_row {
    const char *text;
    uint8_t size, bytes[7];
} isa_x86_start_row;

extern const isa_x86_start_row isa_x86_trampoline[]; /* ended by NULL */

/* Words behind the load address that harts count up. */
typedef enum isa_x86_word {
    ISA_X86_COUNTER = 0x48, /* who comes first */
    ISA_X86_ARRIVED = 0x50, /* harts with a thread that are there */
} isa_x86_word;

/* From the load address on. What is emitted next runs in 64-bit mode, on all harts; traps lead to
 * boot->trap, 16 bytes for each vector. */
void isa_x86_start(isa_boot *boot);

enum { ISA_X86_VECTORS = 32, ISA_X86_VECTOR_BYTES = 16 };

#endif
