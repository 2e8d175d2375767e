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
#pragma once

#include "base/problem.h"
#include "collider/model.h"
#include "collider/program.h"

/*
 * ---- Machine code that grows: bytes, labels, and the sites of a program's
 * operations in it. Emitting cannot fail visibly: the first problem sticks, and isa_code_finish
 * tells it. Start from ISA_CODE_EMPTY; free at the end.
 */

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
isa_label isa_label_here(isa_code *code); /* a new one, bound */
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

/* ---- Threads. */

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
