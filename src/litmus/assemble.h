/* SPDX-License-Identifier: MIT */
/*
 * Turning the text of one instruction into steps. The files of the instruction sets (riscv.c,
 * aarch64.c, x86.c) take words from the line and add steps to it. The first problem is kept: what
 * follows does nothing, and lit_line_status tells at the end.
 */
#ifndef LIT_ASSEMBLE_H
#define LIT_ASSEMBLE_H

#include "litmus/registers.h"
#include "litmus/test.h"

enum { LIT_MOST_STEPS = 96, LIT_MOST_LABEL = 64 };

typedef struct lit_label {
    const char *name;
    uint32_t instruction;
} lit_label;

typedef struct lit_line {
    lit_test *test;
    const char *file;
    const char *start, *at, *end; /* of the text */
    lit_place place;              /* of the start */
    const char *mnemonic;         /* in lower case */
    const lit_label *labels;
    uint32_t label_count;
    uint32_t number;     /* of the instruction in its thread */
    uint8_t temporaries; /* used so far */
    lit_step steps[LIT_MOST_STEPS];
    uint32_t step_count;
    col_status status;
    col_problem *problem;
} lit_line;

/* ---- Words of the line. */

/* Refuses, at the place that was reached. */
void lit_line_refuse(lit_line *line, const char *what);
/* "cannot read the instruction '...'": its name is not known. */
void lit_line_refuse_name(lit_line *line);

/* Takes the character if it comes next, blanks before it aside. */
bool lit_line_take(lit_line *line, char c);
void lit_line_expect(lit_line *line, char c);
bool lit_line_is_at_end(lit_line *line);
/* Looks at the next character; 0 at the end. */
char lit_line_peek(lit_line *line);

/* A word of letters, digits, _ and dots; empty if there is none. Lives in the test. */
const char *lit_line_word(lit_line *line);
/* The same in lower case: of an instruction. */
const char *lit_line_name(lit_line *line);
/* Takes the word if it comes next, whatever its case. */
bool lit_line_take_word(lit_line *line, const char *word);
/* A number, decimal or 0x, with a sign; # or $ before it is allowed. */
uint64_t lit_line_number(lit_line *line);
bool lit_line_is_number(lit_line *line);

/* A register, by its number; `bits` may be NULL. % before it is allowed. */
uint8_t lit_line_register(lit_line *line, uint8_t *bits);
/* Is a register next? Takes nothing. */
bool lit_line_is_register(lit_line *line);
/* The instruction behind a label of the thread. */
uint32_t lit_line_label(lit_line *line);

/* ---- Steps. Those that make a temporary return it. */

uint8_t lit_constant(lit_line *line, uint64_t value);
uint8_t lit_get(lit_line *line, uint8_t register_, lit_port port);
void lit_put(lit_line *line, uint8_t register_, uint8_t value);
uint8_t lit_compute(lit_line *line, lit_operator operator_, uint8_t a, uint8_t b);
/* The same with a constant. */
uint8_t lit_compute_by(lit_line *line, lit_operator operator_, uint8_t a, uint64_t constant);
uint8_t lit_read(lit_line *line, uint8_t address, uint32_t bits);
/* Returns the step, to be given sets. */
lit_step *lit_write(lit_line *line, uint8_t address, uint8_t value, uint32_t bits);
uint8_t lit_update(lit_line *line, lit_operator operator_, uint8_t address, uint8_t value,
                   uint32_t bits);
void lit_fence(lit_line *line, uint32_t set);
void lit_branch(lit_line *line, uint8_t condition, uint32_t target);
void lit_jump(lit_line *line, uint32_t target);
/* Begins what is done only when... : returns the step that lit_close ends. */
uint32_t lit_open(lit_line *line, lit_step_kind kind, uint8_t condition);
void lit_close(lit_line *line, uint32_t opened);
/* What was opened ends here, and another part, instead of it, begins. */
uint32_t lit_otherwise(lit_line *line, uint32_t opened);
void lit_assume(lit_line *line, uint8_t condition);
void lit_commit(lit_line *line, uint8_t condition);

/* Adds the event of the step made last to a set of cat. */
void lit_mark(lit_line *line, uint32_t set);

/* ---- The instruction sets: each reads what follows the mnemonic. */

void lit_assemble_riscv(lit_line *line);
void lit_assemble_aarch64(lit_line *line);
void lit_assemble_x86(lit_line *line);

#endif
