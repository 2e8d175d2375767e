/* SPDX-License-Identifier: MIT */
/*
 * Where fetches go. A fetch executes code in the block of its location, so that the block comes in
 * by the instruction side: one jump back, the *stub*, in bytes of the block that no location has.
 * It never changes while the program runs, so no instruction set demands anything of who executes
 * it while others write the rest of the block. Whoever runs the code puts the stubs there first.
 */
#ifndef ISA_STUB_H
#define ISA_STUB_H

#include "isa/isa.h"

enum { ISA_STUB_BYTES = 4, ISA_STUB_BLOCK = 64 };

#define ISA_NO_STUB UINT64_MAX

/* The address of the stub for each location, in the program's memory, in an array that the caller
 * frees; NULL if none of the operations from `first` up to `end` fetches. It is as near as can be,
 * so that smaller blocks than those of 64 bytes have both, too. ISA_NO_STUB: locations fill the
 * block. */
col_status isa_stub_places(const col_program *program, uint32_t first, uint32_t end,
                           uint64_t **places, col_problem *problem);

/* All of them, each once: addresses in the program's memory, in an array that the caller frees. */
col_status isa_stub_list(const col_program *program, uint64_t **places, uint32_t *count,
                         col_problem *problem);

/* What a stub holds: an instruction, the first byte lowest. */
uint32_t isa_stub_word(const isa_target *target);

#endif
