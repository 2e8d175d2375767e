/* SPDX-License-Identifier: MIT */
/* AArch64 from inside: computations and branches (aarch64.c), memory (aarch64_memory.c). */
#ifndef LIT_AARCH64_H
#define LIT_AARCH64_H

#include "litmus/assemble.h"

/* The zero register is 0, and what is written to it is lost. 32 bits: the upper half is 0. */
uint8_t lit_arm_get(lit_line *line, uint8_t number, uint32_t bits, lit_port port);
void lit_arm_put(lit_line *line, uint8_t number, uint8_t value, uint32_t bits);

/* ", lsl #2" or ", sxtw", if it follows: applied to the value. */
uint8_t lit_arm_shifted(lit_line *line, uint8_t value, uint32_t bits);

/* True: the mnemonic was one of these. */
bool lit_assemble_arm_memory(lit_line *line);
bool lit_assemble_arm_atomic(lit_line *line);

#endif
