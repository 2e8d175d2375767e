/* SPDX-License-Identifier: MIT */
/* The registers of the instruction sets, by number and by name. */
#ifndef LIT_REGISTERS_H
#define LIT_REGISTERS_H

#include "litmus/test.h"

enum {
    LIT_RISCV_RESERVATION = 32,
    LIT_ARM_ZERO = 31,
    LIT_ARM_STACK = 32,
    LIT_ARM_FLAGS = 33, /* N, Z, C, V: bits 3 to 0 */
    LIT_ARM_RESERVATION,
    LIT_X86_ZERO_FLAG = 16,
    LIT_X86_SIGN_FLAG,
    LIT_X86_CARRY_FLAG,
    LIT_NO_REGISTER = 255
};

/* The number of the register that the word names, and how many bits of it; LIT_NO_REGISTER. */
uint8_t lit_register_find(lit_isa isa, const char *word, size_t length, uint8_t *bits);

/* As herd7 shows it. `room` is for 16 characters. */
const char *lit_register_name(lit_isa isa, uint32_t number, char *room);

#endif
