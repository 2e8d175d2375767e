/* SPDX-License-Identifier: MIT */
/*
 * x86, in the two ways that litmus tests write it: X86 as Intel does (MOV [x],$1: the target comes
 * first), X86_64 as AT&T does (movl $1,(x): the target comes last).
 */
#include "judge/litmus/litmus_assembler.h"

#include <string.h>

typedef enum operand_kind { IN_REGISTER, IMMEDIATE, IN_MEMORY } operand_kind;

typedef struct operand {
    operand_kind kind;
    uint8_t register_;
    uint32_t bits;   /* of a register */
    uint64_t value;  /* of an immediate */
    uint8_t address; /* of memory: a temporary */
} operand;

enum { MOST_OPERANDS = 2 };

typedef struct instruction {
    uint32_t bits;
    bool is_locked;
    operand operands[MOST_OPERANDS]; /* the target first */
    uint32_t count;
} instruction;

/* ---- Operands. */

static uint8_t address_register(lit_reader *line) {
    return lit_get(line, lit_next_register(line, NULL), LIT_ADDRESS_PORT);
}

/* The address of a symbol. */
static uint8_t symbol(lit_reader *line) {
    uint32_t number = 0;
    const char *name = lit_any_word(line);
    if (name[0] == '\0')
        lit_refuse(line, "expected a location");
    if (line->status == COL_OK)
        line->status = lit_symbol_find(line->test, name, &number, line->problem);
    return line->status == COL_OK ? lit_constant(line, line->test->symbols[number].address) : 0;
}

/* [x], [EAX], [x+4]. */
static uint8_t intel_address(lit_reader *line) {
    uint8_t sum = lit_is_register(line) ? address_register(line) : symbol(line);
    if (lit_take(line, "+")) {
        const uint8_t added =
            lit_is_register(line) ? address_register(line) : lit_constant(line, lit_number(line));
        sum = lit_compute(line, LIT_ADD, sum, added);
    }
    lit_expect(line, "]");
    return sum;
}

/* Behind the offset: (x), (%rax), (%rax,%rbx,8). */
static uint8_t att_address(lit_reader *line, uint64_t offset) {
    uint8_t sum = lit_is_register(line) ? address_register(line) : symbol(line);
    if (lit_take(line, ",")) {
        uint8_t index = address_register(line);
        if (lit_take(line, ","))
            index = lit_compute_by(line, LIT_MULTIPLY, index, lit_number(line));
        sum = lit_compute(line, LIT_ADD, sum, index);
    }
    lit_expect(line, ")");
    return offset == 0 ? sum : lit_compute_by(line, LIT_ADD, sum, offset);
}

static operand read_operand(lit_reader *line) {
    operand o = {.kind = IMMEDIATE};
    uint8_t bits = 0;
    if (lit_is_register(line)) {
        o.kind = IN_REGISTER;
        o.register_ = lit_next_register(line, &bits);
        o.bits = bits;
        return o;
    }
    if (lit_take(line, "[")) {
        o.kind = IN_MEMORY;
        o.address = intel_address(line);
        return o;
    }
    if (lit_is_number(line))
        o.value = lit_number(line);
    if (lit_take(line, "(")) {
        o.kind = IN_MEMORY;
        o.address = att_address(line, o.value);
    }
    return o;
}

static void read_operands(lit_reader *line, instruction *i) {
    while (lit_peek(line) != '\0' && line->status == COL_OK) {
        if (i->count == MOST_OPERANDS) {
            lit_refuse(line, "more operands than the instruction has");
            return;
        }
        i->operands[i->count++] = read_operand(line);
        if (!lit_take(line, ","))
            break;
    }
    if (line->test->isa == LIT_X86_64 && i->count == 2) {
        const operand first = i->operands[0];
        i->operands[0] = i->operands[1];
        i->operands[1] = first;
    }
    for (uint32_t k = 0; k < i->count && i->bits == 0; k++)
        if (i->operands[k].kind == IN_REGISTER)
            i->bits = i->operands[k].bits;
    if (i->bits == 0)
        i->bits = 32;
}

static void mark_atomic(lit_reader *line) {
    lit_mark(line, CAT_X);
    lit_mark(line, CAT_RMW);
    lit_mark(line, CAT_A);
}

static uint8_t load(lit_reader *line, const instruction *i, uint32_t which, bool is_atomic) {
    const operand *o = &i->operands[which];
    const bool is_data = i->operands[0].kind == IN_MEMORY && which > 0;
    if (o->kind == IMMEDIATE)
        return lit_cut(line, LIT_TRUNCATE, lit_constant(line, o->value), i->bits);
    if (o->kind == IN_REGISTER)
        return lit_cut(line, LIT_TRUNCATE,
                       lit_get(line, o->register_, is_data ? LIT_DATA_PORT : LIT_NO_PORT), i->bits);
    const uint8_t value = lit_read(line, o->address, i->bits);
    if (is_atomic)
        mark_atomic(line);
    return value;
}

/* 32 bits clear the others; fewer leave them. */
static void put_register(lit_reader *line, uint8_t number, uint8_t value, uint32_t bits) {
    value = lit_cut(line, LIT_TRUNCATE, value, bits);
    if (bits < 32) {
        const uint64_t mask = (UINT64_C(1) << bits) - 1;
        const uint8_t old = lit_get(line, number, LIT_NO_PORT);
        value = lit_compute(line, LIT_OR, value, lit_compute_by(line, LIT_AND_NOT, old, mask));
    }
    lit_put(line, number, value);
}

static void store(lit_reader *line, const instruction *i, uint32_t which, uint8_t value,
                  bool is_atomic) {
    const operand *o = &i->operands[which];
    if (o->kind == IMMEDIATE)
        lit_refuse(line, "a constant cannot be written");
    if (o->kind == IN_REGISTER) {
        put_register(line, o->register_, value, i->bits);
        return;
    }
    (void)lit_write(line, o->address, value, i->bits);
    if (is_atomic)
        mark_atomic(line);
}

static void put_flags(lit_reader *line, uint8_t a, uint8_t b, uint32_t bits) {
    lit_put(line, LIT_X86_ZERO_FLAG, lit_compute(line, LIT_EQUAL, a, b));
    a = lit_cut(line, LIT_SIGN_EXTEND, a, bits);
    b = lit_cut(line, LIT_SIGN_EXTEND, b, bits);
    lit_put(line, LIT_X86_SIGN_FLAG, lit_compute(line, LIT_LESS, a, b));
}

/* ---- Instructions. */

typedef void assemble_function(lit_reader *line, const instruction *i, lit_operator operator_);

static void do_move(lit_reader *line, const instruction *i, lit_operator operator_) {
    (void)operator_;
    store(line, i, 0, load(line, i, 1, false), false);
}

/* Atomic with or without lock, if memory takes part. */
static void do_exchange(lit_reader *line, const instruction *i, lit_operator operator_) {
    const uint8_t first = load(line, i, 0, true), second = load(line, i, 1, true);
    (void)operator_;
    store(line, i, 0, second, true);
    store(line, i, 1, first, true);
}

static void do_compare(lit_reader *line, const instruction *i, lit_operator operator_) {
    const uint8_t first = load(line, i, 0, false), second = load(line, i, 1, false);
    (void)operator_;
    put_flags(line, first, second, i->bits);
}

static void do_compare_exchange(lit_reader *line, const instruction *i, lit_operator operator_) {
    const uint8_t old = load(line, i, 0, i->is_locked);
    const uint8_t expected = lit_cut(line, LIT_TRUNCATE, lit_get(line, 0, LIT_NO_PORT), i->bits);
    const uint8_t is_equal = lit_compute(line, operator_, old, expected);
    lit_put(line, LIT_X86_ZERO_FLAG, is_equal);
    const uint32_t success = lit_open(line, LIT_WHEN, is_equal);
    store(line, i, 0, load(line, i, 1, false), i->is_locked);
    const uint32_t failure = lit_otherwise(line, success);
    put_register(line, 0, old, i->bits);
    lit_close(line, failure);
}

/* xadd: the sum goes to the target, what was there to the source. */
static void do_exchange_add(lit_reader *line, const instruction *i, lit_operator operator_) {
    const uint8_t old = load(line, i, 0, i->is_locked), added = load(line, i, 1, false);
    const uint8_t sum =
        lit_cut(line, LIT_TRUNCATE, lit_compute(line, operator_, old, added), i->bits);
    store(line, i, 0, sum, i->is_locked);
    store(line, i, 1, old, false);
    put_flags(line, sum, lit_constant(line, 0), i->bits);
}

/* Of one operand: the other is 1. */
static void do_computation(lit_reader *line, const instruction *i, lit_operator operator_) {
    const uint8_t first = load(line, i, 0, i->is_locked);
    const uint8_t second = i->count == 1 ? lit_constant(line, 1) : load(line, i, 1, false);
    const uint8_t result =
        lit_cut(line, LIT_TRUNCATE, lit_compute(line, operator_, first, second), i->bits);
    store(line, i, 0, result, i->is_locked);
    put_flags(line, result, lit_constant(line, 0), i->bits);
}

static const struct {
    const char *name;
    assemble_function *assemble;
    lit_operator operator_;
    uint32_t operands;
} instructions[] = {{"add", do_computation, LIT_ADD, 2},
                    {"sub", do_computation, LIT_SUBTRACT, 2},
                    {"and", do_computation, LIT_AND, 2},
                    {"or", do_computation, LIT_OR, 2},
                    {"xor", do_computation, LIT_XOR, 2},
                    {"shl", do_computation, LIT_SHIFT_LEFT, 2},
                    {"shr", do_computation, LIT_SHIFT_RIGHT, 2},
                    {"inc", do_computation, LIT_ADD, 1},
                    {"dec", do_computation, LIT_SUBTRACT, 1},
                    {"xadd", do_exchange_add, LIT_ADD, 2},
                    {"mov", do_move, LIT_SECOND, 2},
                    {"xchg", do_exchange, LIT_SECOND, 2},
                    {"cmp", do_compare, LIT_EQUAL, 2},
                    {"cmpxchg", do_compare_exchange, LIT_EQUAL, 2}};

/* The mnemonic may end with a letter for the size. */
static bool assemble_instruction(lit_reader *line, bool is_locked) {
    static const lit_suffix sizes[] = {{"b", 8, 0}, {"w", 16, 0}, {"l", 32, 0}, {"q", 64, 0}, {0}};
    for (size_t k = 0; k < sizeof instructions / sizeof instructions[0]; k++) {
        lit_suffix size;
        if (!lit_has_name(line->made->mnemonic, instructions[k].name, sizes, &size))
            continue;
        instruction i = {.bits = size.bits, .is_locked = is_locked};
        read_operands(line, &i);
        if (i.count != instructions[k].operands)
            lit_refuse(line, instructions[k].operands == 1 ? "expected one operand"
                                                           : "expected two operands");
        if (line->status == COL_OK)
            instructions[k].assemble(line, &i, instructions[k].operator_);
        return true;
    }
    return false;
}

/* Conditions of jumps: one flag, or both, as they are or not. */
typedef struct jump {
    const char *name;
    bool zero, sign, is_negated;
} jump;

static const jump jumps[] = {
    {"je", true, false, false}, {"jz", true, false, false}, {"jne", true, false, true},
    {"jnz", true, false, true}, {"jl", false, true, false}, {"jlt", false, true, false},
    {"js", false, true, false}, {"jge", false, true, true}, {"jns", false, true, true},
    {"jle", true, true, false}, {"jg", true, true, true},   {"jgt", true, true, true}};

static void assemble_jump(lit_reader *line, const jump *j) {
    uint8_t condition = 0;
    if (j->zero)
        condition = lit_get(line, LIT_X86_ZERO_FLAG, LIT_NO_PORT);
    if (j->sign) {
        const uint8_t sign = lit_get(line, LIT_X86_SIGN_FLAG, LIT_NO_PORT);
        condition = j->zero ? lit_compute(line, LIT_OR, condition, sign) : sign;
    }
    if (j->is_negated)
        condition = lit_compute_by(line, LIT_EQUAL, condition, 0);
    lit_branch(line, condition, lit_next_label(line));
}

void lit_assemble_x86(lit_reader *line) {
    /* What does nothing to memory or registers; operands of those that have some are read. */
    static const char *const idle[] = {"nop", "nopl", "nopw", "endbr64", "clflush", "clflushopt"};
    static const struct fence {
        const char *name;
        cat_set set;
    } fences[] = {{"mfence", CAT_MFENCE}, {"lfence", CAT_LFENCE}, {"sfence", CAT_SFENCE}};
    const struct fence *fence = lit_row_of(line, fences, sizeof fences, sizeof fences[0]);
    if (fence != NULL) {
        lit_fence(line, fence->set);
        return;
    }
    const bool is_locked = strcmp(line->made->mnemonic, "lock") == 0;
    if (is_locked) {
        (void)lit_take(line, ";");
        lit_take_mnemonic(line);
    }
    const jump *j = lit_row_of(line, jumps, sizeof jumps, sizeof jumps[0]);
    if (j != NULL) {
        assemble_jump(line, j);
    } else if (strcmp(line->made->mnemonic, "jmp") == 0) {
        lit_jump(line, lit_next_label(line));
    } else if (lit_row_of(line, idle, sizeof idle, sizeof idle[0]) != NULL) {
        instruction rest = {0};
        read_operands(line, &rest);
        if (line->status == COL_OK)
            line->made->step_count = 0;
    } else if (!assemble_instruction(line, is_locked)) {
        lit_refuse_name(line);
    }
}
