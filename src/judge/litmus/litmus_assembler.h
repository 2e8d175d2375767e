/* SPDX-License-Identifier: MIT */
/* The registers of the instruction sets, by number and by name. */
#pragma once

#include "collider/program.h"
#include "judge/cat/cat_builtins.h"
#include "judge/litmus/litmus_reader.h"
#include "judge/litmus/thread_paths.h"

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

/*
 * Turning the text of one instruction into steps. The files of the instruction sets
 * (litmus_riscv.c, litmus_aarch64.c, litmus_x86.c) take words from the line and add steps to it.
 */

enum { LIT_MOST_STEPS = 96 };

typedef struct lit_label {
    const char *name;
    uint32_t instruction;
} lit_label;

typedef struct lit_assembly {
    const char *start;    /* of the text */
    const char *mnemonic; /* in lower case */
    const lit_label *labels;
    uint32_t label_count;
    uint8_t temporaries; /* used so far */
    lit_step steps[LIT_MOST_STEPS];
    uint32_t step_count;
    uint32_t opened; /* by lit_conditional_begin */
    uint8_t success; /* the 0 of lit_conditional_begin */
} lit_assembly;

/* ---- Words of the line, besides those of litmus_reader.h. */

/* "the instruction '...' is not supported": its name is not known. */
void lit_refuse_name(lit_reader *line);
/* The next word, in lower case, is the mnemonic. */
void lit_take_mnemonic(lit_reader *line);
/* A register, by its number; `bits` may be NULL. % before it is allowed. */
uint8_t lit_next_register(lit_reader *line, uint8_t *bits);
/* The same with the comma behind it. */
uint8_t lit_next_target(lit_reader *line, uint8_t *bits);
/* Is a register next? Takes nothing. */
bool lit_is_register(lit_reader *line);
/* The instruction behind a label of the thread. */
uint32_t lit_next_label(lit_reader *line);

/* ---- Mnemonics. */

/* The row that the mnemonic names; NULL: none. Rows begin with their name. */
const void *lit_row_of(const lit_reader *line, const void *rows, size_t bytes, size_t row_bytes);

/* What may stand behind a name: ".w", ".aq", ... */
typedef struct lit_suffix {
    const char *text;
    uint8_t bits;  /* of the access; 0: it says nothing of them */
    uint8_t order; /* COL_ACQUIRE, COL_RELEASE */
} lit_suffix;

/* Is the mnemonic this name and some of the suffixes (a list that ends with {0}), in their order?
 * Sums up in `found` what they say. */
bool lit_has_name(const char *mnemonic, const char *name, const lit_suffix *suffixes,
                  lit_suffix *found);

/* ---- Steps. Those that make a temporary return it. The zero register is 0, and what is written to
 * it is lost. */

uint8_t lit_constant(lit_reader *line, uint64_t value);
uint8_t lit_get(lit_reader *line, uint8_t register_, lit_port port);
void lit_put(lit_reader *line, uint8_t register_, uint8_t value);
uint8_t lit_compute(lit_reader *line, lit_operator operator_, uint8_t a, uint8_t b);
/* The same with a constant. */
uint8_t lit_compute_by(lit_reader *line, lit_operator operator_, uint8_t a, uint64_t constant);
/* LIT_TRUNCATE or LIT_SIGN_EXTEND; nothing for all 64 bits. */
uint8_t lit_cut(lit_reader *line, lit_operator how, uint8_t value, uint32_t bits);
uint8_t lit_read(lit_reader *line, uint8_t address, uint32_t bits);
/* Returns the step, to be given sets. */
lit_step *lit_write(lit_reader *line, uint8_t address, uint8_t value, uint32_t bits);
uint8_t lit_update(lit_reader *line, lit_operator operator_, uint8_t address, uint8_t value,
                   uint32_t bits);
void lit_fence(lit_reader *line, uint32_t set);
void lit_branch(lit_reader *line, uint8_t condition, uint32_t target);
void lit_jump(lit_reader *line, uint32_t target);
/* Begins what is done only when... : returns the step that lit_close ends. */
uint32_t lit_open(lit_reader *line, lit_step_kind kind, uint8_t condition);
void lit_close(lit_reader *line, uint32_t opened);
/* What was opened ends here, and another part, instead of it, begins. */
uint32_t lit_otherwise(lit_reader *line, uint32_t opened);
void lit_assume(lit_reader *line, uint8_t condition);
void lit_commit(lit_reader *line, uint8_t condition);

/* A store-conditional fails, or it stores: if `key` is what the load-reserve left in the register
 * `reservation`. Returns the write, which lit_conditional_end puts into `result` as 0. */
lit_step *lit_conditional_begin(lit_reader *line, uint8_t reservation, uint8_t key, uint8_t address,
                                uint8_t value, uint32_t bits);
void lit_conditional_end(lit_reader *line, uint8_t result);

/* Adds the event of the step made last to a set of cat. */
void lit_mark(lit_reader *line, uint32_t set);

/* ---- The instruction sets: each reads what follows the mnemonic. */

void lit_assemble_riscv(lit_reader *line);
void lit_assemble_aarch64(lit_reader *line);
void lit_assemble_x86(lit_reader *line);

/* The pairs of accesses that a fence orders for other threads, by its cat_set: a set of
 * COL_READ_READ, ..., or nothing (NSH, fence.i). False: what it orders depends on more (ISB). */
bool lit_fence_pairs(uint32_t set, uint8_t *pairs);

/* COL_ACQUIRE, COL_RELEASE: what an access is. */
uint8_t lit_order_of(const lit_event *event, lit_isa isa);
bool lit_has_set(const lit_event *event, cat_set set);
