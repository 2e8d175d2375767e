/* SPDX-License-Identifier: MIT */
/*
 * A litmus test as read from a file: memory, registers, threads of instructions, and the condition
 * on final states. Instructions of all instruction sets become the same small steps, so that
 * whoever runs a test knows none of them.
 */
#pragma once

#include "base/memory.h"
#include "collider/model.h"

typedef enum lit_isa { LIT_X86, LIT_X86_64, LIT_AARCH64, LIT_RISCV } lit_isa;
enum { LIT_ISA_COUNT = LIT_RISCV + 1 };
typedef struct lit_isa_row {
    const char *name;
    col_model model; /* that it promises */
} lit_isa_row;
extern const lit_isa_row lit_isas[LIT_ISA_COUNT];

/* Limits: what is larger is refused. */
enum {
    LIT_MOST_THREADS = 64,
    LIT_MOST_SYMBOLS = 256,
    LIT_MOST_CELLS = 1024,
    LIT_MOST_INSTRUCTIONS = 1024, /* of a thread */
    LIT_MOST_TEXT = 1 << 20,
    LIT_MOST_NESTING = 200, /* of a condition */
    LIT_MOST_FORMULAS = 5000,
    LIT_REGISTERS = 40,  /* of a thread, flags and reservation among them */
    LIT_TEMPORARIES = 64 /* of an instruction */
};

typedef struct lit_place {
    uint32_t line, column; /* from 1 */
} lit_place;

/* What a value is shown and compared as. */
typedef struct lit_type {
    uint8_t bytes; /* 0: not declared */
    bool is_signed;
} lit_type;

/* A name of memory: one cell, or an array of them. Addresses of symbols are numbers far from each
 * other, and so plain arithmetic makes addresses from addresses. */
typedef struct lit_symbol {
    const char *name;
    uint64_t address;
    uint32_t first_cell, cell_count;
    lit_type type; /* of a cell */
    bool is_array;
} lit_symbol;

typedef struct lit_cell {
    uint32_t symbol, index;
    uint64_t address, initial;
    uint8_t bytes;       /* 0: as the first access says */
    uint32_t first_part; /* of lit_test.parts */
} lit_cell;

/* ---- Instructions. */

typedef enum lit_operator {
    LIT_ADD,
    LIT_SUBTRACT,
    LIT_MULTIPLY,
    LIT_AND,
    LIT_OR,
    LIT_XOR,
    LIT_AND_NOT,
    LIT_SHIFT_LEFT,
    LIT_SHIFT_RIGHT,
    LIT_SHIFT_RIGHT_SIGNED,
    LIT_EQUAL,
    LIT_NOT_EQUAL,
    LIT_LESS,
    LIT_LESS_UNSIGNED,
    LIT_NOT_LESS,
    LIT_NOT_LESS_UNSIGNED,
    LIT_MINIMUM,
    LIT_MAXIMUM,
    LIT_MINIMUM_UNSIGNED,
    LIT_MAXIMUM_UNSIGNED,
    LIT_SECOND,     /* the second operand: an exchange */
    LIT_TRUNCATE,   /* the first to as many bits as the second says, a constant */
    LIT_SIGN_EXTEND /* the first from as many bits as the second says, a constant */
} lit_operator;

/* What a step reads a register for. */
typedef enum lit_port { LIT_NO_PORT, LIT_ADDRESS_PORT, LIT_DATA_PORT } lit_port;

/* Steps compute temporaries from temporaries; numbers of these are `to`, `a` and `b`. */
typedef enum lit_step_kind {
    LIT_CONSTANT, /* to = value */
    LIT_GET,      /* to = the register a, for a port */
    LIT_PUT,      /* the register to = a */
    LIT_COMPUTE,  /* to = a operator b */
    LIT_READ,     /* to = memory at a */
    LIT_WRITE,    /* memory at a = b */
    LIT_UPDATE,   /* to = memory at a, which becomes (memory operator b): one event */
    LIT_FENCE,
    LIT_BRANCH, /* to an instruction of the thread if a is not 0; control depends on it */
    LIT_JUMP,
    LIT_WHEN,   /* if a is 0, steps are skipped */
    LIT_COMMIT, /* an event, from a, that what follows in the instruction depends on */
    LIT_EITHER, /* two executions: one goes on, the other one skips steps */
    LIT_TRY,    /* the same: the other one is that of a store-conditional that fails */
    LIT_ASSUME, /* executions with a = 0 do not exist */
    LIT_SKIP    /* steps */
} lit_step_kind;

enum { LIT_STEP_SETS = 4, LIT_NO_SET = 255 };

typedef struct lit_step {
    uint8_t kind; /* lit_step_kind */
    uint8_t operator_;
    uint8_t port;
    uint8_t bytes; /* of an access */
    uint8_t to, a, b;
    bool has_result; /* of a WRITE: `to` depends on it, as the result of a store-conditional */
    uint8_t sets[LIT_STEP_SETS]; /* cat_set of the event, besides R, W, ...; LIT_NO_SET ends */
    uint32_t target;             /* an instruction, or how many steps to skip */
    uint64_t value;
} lit_step;

typedef struct lit_instruction {
    lit_place place;
    const char *text; /* as it is written, for messages */
    lit_step *steps;
    uint32_t step_count;
} lit_instruction;

typedef struct lit_register {
    uint64_t initial;
    lit_type type;
    bool is_initialised;
} lit_register;

typedef struct lit_thread {
    lit_instruction *instructions;
    uint32_t instruction_count;
    lit_register registers[LIT_REGISTERS];
} lit_thread;

/* ---- Conditions. */

/* Something that a final state shows. */
typedef struct lit_item {
    bool is_register;
    uint32_t thread, register_; /* of a register */
    uint32_t cell;              /* of memory: */
    const char *name;           /* its symbol's */
    uint32_t index;             /* in an array */
    lit_type type;              /* as `locations` says, or as it was declared */
    bool is_hidden;             /* only the filter speaks of it */
    uint32_t place;             /* in lit_test.items */
} lit_item;

typedef enum lit_formula_kind {
    LIT_TRUE,
    LIT_FALSE,
    LIT_NOT,
    LIT_BOTH,
    LIT_ANY,
    LIT_IMPLIES,
    LIT_IS,     /* item = value */
    LIT_IS_SAME /* item = other item */
} lit_formula_kind;

typedef struct lit_formula {
    lit_formula_kind kind;
    struct lit_formula *first, *second;
    const lit_item *item, *other;
    uint64_t value;
} lit_formula;

typedef enum lit_quantifier { LIT_EXISTS, LIT_NOT_EXISTS, LIT_FORALL } lit_quantifier;

typedef struct lit_test {
    const char *file; /* the caller's */
    const char *name;
    lit_isa isa;
    lit_symbol *symbols;
    lit_cell *cells;
    lit_thread *threads;
    uint32_t symbol_count, cell_count, thread_count;
    lit_cell *parts; /* what events access: the cells, or pieces of them, all of `granule` bytes */
    uint32_t part_count;
    uint32_t granule;                 /* 0: the parts are the cells */
    bool needs_parts;                 /* a path was refused because it accesses a part of a cell */
    lit_item **items;                 /* what states show, in their order */
    uint32_t item_count, shown_count; /* those that are hidden come last */
    lit_quantifier quantifier;
    lit_formula *condition;
    lit_formula *filter; /* or NULL */
    uint32_t formula_count;
    size_t symbol_capacity, cell_capacity, item_capacity;
    base_arena arena;
} lit_test;

/* Start from {0}. Refuses with file, line and column. On failure the test is left empty. */
col_status lit_test_read(lit_test *test, const char *text, size_t length, const char *file,
                         col_problem *problem);
col_status lit_test_read_file(lit_test *test, const char *path, col_problem *problem);
void lit_test_free(lit_test *test);

/* The cell at an address, or cell_count. */
uint32_t lit_cell_at(const lit_test *test, uint64_t address);
/* The part at an address, or part_count. */
uint32_t lit_part_at(const lit_test *test, uint64_t address);

/* Makes parts as small as the smallest access: for tests that access parts of cells. */
col_status lit_test_split(lit_test *test, col_problem *problem);

/* A value as a type has it: that many bits, and the sign. */
uint64_t lit_typed(uint64_t value, lit_type type);

/* The characters of a litmus file, with their places. Comments are (* ... *). */

typedef struct lit_reader {
    lit_test *test;
    const char *at, *end;
    lit_place place; /* of `at` */
    bool is_in_filter;
    struct lit_assembly *made; /* of the instruction that is read (litmus_assembler.h); or NULL */
    col_status status;         /* the first problem stays: what follows does nothing */
    col_problem *problem;
} lit_reader;

/* "expected ..." or another sentence, at the place that was reached. */
void lit_refuse(lit_reader *reader, const char *what);
void lit_refuse_at(lit_reader *reader, lit_place place, const char *what, const char *word);

/* Up to there. */
void lit_advance_to(lit_reader *reader, const char *at);

/* The next character behind blanks and comments; 0 at the end and after a problem. Refuses a
 * comment without an end. */
char lit_peek(lit_reader *reader);
bool lit_take(lit_reader *reader, const char *symbol);
void lit_expect(lit_reader *reader, const char *symbol);

/* How many characters the word has that comes next: letters, digits, _ . and $, which in an
 * instruction begins a number. */
size_t lit_word_length(lit_reader *reader);
/* In an instruction whatever its case. */
bool lit_take_word(lit_reader *reader, const char *word);
/* Kept in the test; empty if there is none. */
char *lit_any_word(lit_reader *reader);
/* Refuses what is no name. */
const char *lit_word(lit_reader *reader);
/* Decimal or 0x, with a sign; in an instruction # or $ before it is allowed. */
bool lit_is_number(lit_reader *reader);
uint64_t lit_number(lit_reader *reader);

/* ---- Parts of a file. */

/* Behind {, up to and with }. */
void lit_read_state(lit_reader *reader);
/* A value: a number, or the address of memory. */
uint64_t lit_read_value(lit_reader *reader);
/* A register: its number; LIT_NO_REGISTER after a problem. */
uint8_t lit_read_register(lit_reader *reader, uint32_t thread, uint32_t thread_limit);
/* x, [x] (`is_bracketed`): its symbol. */
uint32_t lit_read_symbol(lit_reader *reader, bool *is_bracketed);
/* "0:" or "P0:", a thread that is there; false: it is none. */
bool lit_take_thread(lit_reader *reader, uint32_t *thread);
/* The type that the word names, or false. */
bool lit_type_find(const char *word, size_t length, lit_type *type);

/* What follows the threads: locations, filter, the condition. */
void lit_read_condition(lit_reader *reader);

/* ---- Names of memory, while a test is read. */

/* The symbol of that name; one that is not there yet becomes a single cell of an undeclared type,
 * with 0 in it. */
col_status lit_symbol_find(lit_test *test, const char *name, uint32_t *symbol,
                           col_problem *problem);

/* Events access whole cells. */
void lit_parts_are_cells(lit_test *test);
