/* SPDX-License-Identifier: MIT */
/*
 * Machine code of test programs: instruction sets by name, and the encoder that turns one thread of
 * a program into a position-independent function. See docs/machine-code.md.
 *
 * The function follows the C calling convention of its instruction set and preserves what a callee
 * must:
 *
 *     unsigned thread(void *base, void *log, uintptr_t salt, uintptr_t skew);
 *
 * `base`: a location is at base + its address in the program. `log`: where slot i, of the word's
 * size, gets what the thread's i-th read (load, await, swap, add) returned; not used with
 * ISA_LOG_TAP. `salt`: added to what stores and swaps leave and awaits wait for, so that the words
 * of each round are new. `skew`: iterations to wait before the first operation. It returns 0, or 1:
 * an await gave up; what comes behind that await was not executed.
 */
#ifndef DESIGN_ISA_ISA_H
#define DESIGN_ISA_ISA_H

#include "collider/model.h"
#include "collider/program.h"
#include "design/isa/machine_code.h"

typedef enum isa_log {
    ISA_LOG_TAP,       /* no code for it: who watches the processor sees registers being written */
    ISA_LOG_STORE,     /* a read's value is stored right after the read */
    ISA_LOG_REGISTERS, /* values stay in registers, stored when these run out and at the end */
    ISA_LOG_COUNT
} isa_log;

extern const char *const isa_log_words[ISA_LOG_COUNT + 1]; /* ended by NULL */

typedef struct isa_settings {
    isa_log log;
    uint64_t await_limit; /* an await gives up after this many reads; 0: never */
    bool has_flush;       /* RISC-V: Zicbom; the others always have an instruction for it */
    bool exclusives;      /* AArch64: load and store exclusive for atomics, not v8.1's */
} isa_settings;

typedef struct isa_machine isa_machine; /* instruction_set.h */

/* Numbers of instruction sets in ELF. */
enum { ISA_EM_X86_64 = 62, ISA_EM_AARCH64 = 183, ISA_EM_RISCV = 243 };

typedef struct isa_target {
    const char *name;
    const char *const *registers; /* by the number that commit logs and sites use */
    uint32_t register_count;
    uint32_t address_bytes; /* all are little-endian */
    uint32_t word_sizes;    /* bits: 4 and 8 */
    uint32_t alignment;     /* of instructions, in bytes */
    uint16_t elf_machine;
    col_model model; /* what processors promise to plain programs */
    const isa_machine *machine;
} isa_target;

/* All of them: rv32, rv64, aarch64, x86-64; ended by NULL. */
extern const isa_target *const isa_targets[];

/* NULL: there is no such instruction set. */
const isa_target *isa_find(const char *name);

/* Can the target run the program with these settings? If not, a sentence says why. */
col_status isa_accepts(const isa_target *target, const col_program *program,
                       const isa_settings *settings, col_problem *problem);

/* Appends the function of a thread to the code, from an instruction's alignment on; the code's new
 * sites are the operations of the thread, in order. On failure the code is as it was. */
col_status isa_encode_thread(const isa_target *target, const col_program *program, uint32_t thread,
                             const isa_settings *settings, isa_code *code, col_problem *problem);

/*
 * Where fetches go. A fetch executes code in the block of its location, so that the block comes in
 * by the instruction side: one jump back, the *stub*, in bytes of the block that no location has.
 * It never changes while the program runs, so no instruction set demands anything of who executes
 * it while others write the rest of the block. Whoever runs the code puts the stubs there first.
 */

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
