/* SPDX-License-Identifier: MIT */
/*
 * x86, in the two ways that litmus tests write it: X86 as Intel does (MOV [x],$1: the target comes
 * first), X86_64 as AT&T does (movl $1,(x): the target comes last).
 */
#include "cat/names.h"
#include "litmus/assemble.h"
#include "litmus/symbols.h"

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
    const char *name; /* without its suffix */
    uint32_t bits;
    bool is_locked;
    operand operands[MOST_OPERANDS]; /* the target first */
    uint32_t count;
} instruction;

/* ---- Operands. */

static uint8_t add_register(lit_line *line, uint8_t sum, bool is_first) {
    const uint8_t value = lit_get(line, lit_line_register(line, NULL), LIT_ADDRESS_PORT);
    return is_first ? value : lit_compute(line, LIT_ADD, sum, value);
}

/* The address of a symbol. */
static uint8_t symbol(lit_line *line) {
    uint32_t number = 0;
    const char *name = lit_line_word(line);
    if (name[0] == '\0')
        lit_line_refuse(line, "expected a location");
    if (line->status == COL_OK)
        line->status = lit_symbol_find(line->test, name, &number, line->problem);
    return line->status == COL_OK ? lit_constant(line, line->test->symbols[number].address) : 0;
}

/* [x], [EAX], [x+4]. */
static uint8_t intel_address(lit_line *line) {
    uint8_t sum = lit_line_is_register(line) ? add_register(line, 0, true) : symbol(line);
    if (lit_line_take(line, '+'))
        sum = lit_line_is_register(line)
                  ? add_register(line, sum, false)
                  : lit_compute_by(line, LIT_ADD, sum, lit_line_number(line));
    lit_line_expect(line, ']');
    return sum;
}

/* Behind the offset: (x), (%rax), (%rax,%rbx,8). */
static uint8_t att_address(lit_line *line, uint64_t offset) {
    uint8_t sum = lit_line_is_register(line) ? add_register(line, 0, true) : symbol(line);
    if (lit_line_take(line, ',')) {
        uint8_t index = add_register(line, 0, true);
        if (lit_line_take(line, ','))
            index = lit_compute_by(line, LIT_MULTIPLY, index, lit_line_number(line));
        sum = lit_compute(line, LIT_ADD, sum, index);
    }
    lit_line_expect(line, ')');
    return offset == 0 ? sum : lit_compute_by(line, LIT_ADD, sum, offset);
}

static operand read_operand(lit_line *line) {
    operand o = {.kind = IMMEDIATE};
    uint8_t bits = 0;
    if (lit_line_is_register(line)) {
        o.kind = IN_REGISTER;
        o.register_ = lit_line_register(line, &bits);
        o.bits = bits;
        return o;
    }
    if (lit_line_take(line, '[')) {
        o.kind = IN_MEMORY;
        o.address = intel_address(line);
        return o;
    }
    if (lit_line_is_number(line))
        o.value = lit_line_number(line);
    if (lit_line_take(line, '(')) {
        o.kind = IN_MEMORY;
        o.address = att_address(line, o.value);
    }
    return o;
}

static void read_operands(lit_line *line, instruction *i) {
    while (!lit_line_is_at_end(line) && line->status == COL_OK) {
        if (i->count == MOST_OPERANDS) {
            lit_line_refuse(line, "more operands than the instruction has");
            return;
        }
        i->operands[i->count++] = read_operand(line);
        if (!lit_line_take(line, ','))
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

static void mark_atomic(lit_line *line) {
    lit_mark(line, CAT_X);
    lit_mark(line, CAT_RMW);
    lit_mark(line, CAT_A);
}

static uint8_t truncate(lit_line *line, uint8_t value, uint32_t bits) {
    return bits >= 64 ? value : lit_compute_by(line, LIT_TRUNCATE, value, bits);
}

static uint8_t load(lit_line *line, const instruction *i, uint32_t which, bool is_atomic) {
    const operand *o = &i->operands[which];
    const bool is_data = i->operands[0].kind == IN_MEMORY && which > 0;
    if (o->kind == IMMEDIATE)
        return truncate(line, lit_constant(line, o->value), i->bits);
    if (o->kind == IN_REGISTER)
        return truncate(line, lit_get(line, o->register_, is_data ? LIT_DATA_PORT : LIT_NO_PORT),
                        i->bits);
    const uint8_t value = lit_read(line, o->address, i->bits);
    if (is_atomic)
        mark_atomic(line);
    return value;
}

/* 32 bits clear the others; fewer leave them. */
static void put_register(lit_line *line, uint8_t number, uint8_t value, uint32_t bits) {
    value = truncate(line, value, bits);
    if (bits < 32) {
        const uint64_t mask = (UINT64_C(1) << bits) - 1;
        const uint8_t old = lit_get(line, number, LIT_NO_PORT);
        value = lit_compute(line, LIT_OR, value, lit_compute_by(line, LIT_AND_NOT, old, mask));
    }
    lit_put(line, number, value);
}

static void store(lit_line *line, const instruction *i, uint32_t which, uint8_t value,
                  bool is_atomic) {
    const operand *o = &i->operands[which];
    if (o->kind == IMMEDIATE)
        lit_line_refuse(line, "a constant cannot be written");
    if (o->kind == IN_REGISTER) {
        put_register(line, o->register_, value, i->bits);
        return;
    }
    (void)lit_write(line, o->address, value, i->bits);
    if (is_atomic)
        mark_atomic(line);
}

static void put_flags(lit_line *line, uint8_t a, uint8_t b, uint32_t bits) {
    lit_put(line, LIT_X86_ZERO_FLAG, lit_compute(line, LIT_EQUAL, a, b));
    if (bits < 64) {
        a = lit_compute_by(line, LIT_SIGN_EXTEND, a, bits);
        b = lit_compute_by(line, LIT_SIGN_EXTEND, b, bits);
    }
    lit_put(line, LIT_X86_SIGN_FLAG, lit_compute(line, LIT_LESS, a, b));
}

/* ---- Instructions. */

static void do_move(lit_line *line, const instruction *i) {
    store(line, i, 0, load(line, i, 1, false), false);
}

/* Atomic with or without lock, if memory takes part. */
static void do_exchange(lit_line *line, const instruction *i) {
    const uint8_t first = load(line, i, 0, true), second = load(line, i, 1, true);
    store(line, i, 0, second, true);
    store(line, i, 1, first, true);
}

static void do_compare(lit_line *line, const instruction *i) {
    const uint8_t first = load(line, i, 0, false), second = load(line, i, 1, false);
    put_flags(line, first, second, i->bits);
}

static void do_compare_exchange(lit_line *line, const instruction *i) {
    const uint8_t old = load(line, i, 0, i->is_locked);
    const uint8_t expected = truncate(line, lit_get(line, 0, LIT_NO_PORT), i->bits);
    const uint8_t is_equal = lit_compute(line, LIT_EQUAL, old, expected);
    lit_put(line, LIT_X86_ZERO_FLAG, is_equal);
    const uint32_t success = lit_open(line, LIT_WHEN, is_equal);
    store(line, i, 0, load(line, i, 1, false), i->is_locked);
    const uint32_t failure = lit_otherwise(line, success);
    put_register(line, 0, old, i->bits);
    lit_close(line, failure);
}

static const struct {
    const char *name;
    uint8_t operator_;
    bool has_one; /* operand: the other is 1 */
} computations[] = {
    {"add", LIT_ADD, false}, {"sub", LIT_SUBTRACT, false}, {"and", LIT_AND, false},
    {"or", LIT_OR, false},   {"xor", LIT_XOR, false},      {"shl", LIT_SHIFT_LEFT, false},
    {"inc", LIT_ADD, true},  {"dec", LIT_SUBTRACT, true},  {"shr", LIT_SHIFT_RIGHT, false}};

static const struct {
    const char *name;
    void (*assemble)(lit_line *line, const instruction *i);
} others[] = {
    {"mov", do_move}, {"xchg", do_exchange}, {"cmp", do_compare}, {"cmpxchg", do_compare_exchange}};

/* xadd: the sum goes to the target, what was there to the source. */
static void do_exchange_add(lit_line *line, const instruction *i) {
    const uint8_t old = load(line, i, 0, i->is_locked), added = load(line, i, 1, false);
    const uint8_t sum = truncate(line, lit_compute(line, LIT_ADD, old, added), i->bits);
    store(line, i, 0, sum, i->is_locked);
    store(line, i, 1, old, false);
    put_flags(line, sum, lit_constant(line, 0), i->bits);
}

static void do_computation(lit_line *line, const instruction *i, uint32_t which) {
    const uint8_t first = load(line, i, 0, i->is_locked);
    const uint8_t second =
        computations[which].has_one ? lit_constant(line, 1) : load(line, i, 1, false);
    const lit_operator operator_ = (lit_operator)computations[which].operator_;
    const uint8_t result = truncate(line, lit_compute(line, operator_, first, second), i->bits);
    store(line, i, 0, result, i->is_locked);
    put_flags(line, result, lit_constant(line, 0), i->bits);
}

/* Is the mnemonic this name, perhaps with a letter for the size? */
static bool has_name(const char *mnemonic, const char *name, uint32_t *bits) {
    static const struct {
        char letter;
        uint32_t bits;
    } letters[] = {{'b', 8}, {'w', 16}, {'l', 32}, {'q', 64}};
    const size_t length = strlen(name);
    *bits = 0;
    if (strncmp(mnemonic, name, length) != 0)
        return false;
    if (mnemonic[length] == '\0')
        return true;
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (mnemonic[length] == letters[i].letter && mnemonic[length + 1] == '\0')
            *bits = letters[i].bits;
    return *bits != 0;
}

static void check_count(lit_line *line, const instruction *i, uint32_t count) {
    if (i->count != count)
        lit_line_refuse(line, count == 1 ? "expected one operand" : "expected two operands");
}

static bool assemble_computation(lit_line *line, const char *name, bool is_locked) {
    instruction i = {.name = name, .is_locked = is_locked};
    for (uint32_t k = 0; k < sizeof computations / sizeof computations[0]; k++) {
        if (!has_name(name, computations[k].name, &i.bits))
            continue;
        read_operands(line, &i);
        check_count(line, &i, computations[k].has_one ? 1 : 2);
        if (line->status == COL_OK)
            do_computation(line, &i, k);
        return true;
    }
    const bool is_exchange_add = has_name(name, "xadd", &i.bits);
    for (uint32_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        if (!is_exchange_add && !has_name(name, others[k].name, &i.bits))
            continue;
        read_operands(line, &i);
        check_count(line, &i, 2);
        if (line->status == COL_OK && is_exchange_add)
            do_exchange_add(line, &i);
        else if (line->status == COL_OK)
            others[k].assemble(line, &i);
        return true;
    }
    return false;
}

/* Conditions of jumps: one flag, or both, as they are or not. */
static bool assemble_jump(lit_line *line) {
    static const struct {
        const char *name;
        bool zero, sign, is_negated;
    } jumps[] = {
        {"je", true, false, false}, {"jz", true, false, false}, {"jne", true, false, true},
        {"jnz", true, false, true}, {"jl", false, true, false}, {"jlt", false, true, false},
        {"js", false, true, false}, {"jge", false, true, true}, {"jns", false, true, true},
        {"jle", true, true, false}, {"jg", true, true, true},   {"jgt", true, true, true}};
    if (strcmp(line->mnemonic, "jmp") == 0) {
        lit_jump(line, lit_line_label(line));
        return true;
    }
    for (size_t i = 0; i < sizeof jumps / sizeof jumps[0]; i++) {
        if (strcmp(line->mnemonic, jumps[i].name) != 0)
            continue;
        uint8_t condition = 0;
        if (jumps[i].zero)
            condition = lit_get(line, LIT_X86_ZERO_FLAG, LIT_NO_PORT);
        if (jumps[i].sign) {
            const uint8_t sign = lit_get(line, LIT_X86_SIGN_FLAG, LIT_NO_PORT);
            condition = jumps[i].zero ? lit_compute(line, LIT_OR, condition, sign) : sign;
        }
        if (jumps[i].is_negated)
            condition = lit_compute_by(line, LIT_EQUAL, condition, 0);
        lit_branch(line, condition, lit_line_label(line));
        return true;
    }
    return false;
}

/* What does nothing to memory or registers; operands of those that have some are read. */
static bool assemble_nothing(lit_line *line) {
    static const char *const names[] = {"nop", "nopl", "nopw", "endbr64", "clflush", "clflushopt"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(line->mnemonic, names[i]) != 0)
            continue;
        instruction rest = {0};
        read_operands(line, &rest);
        if (line->status == COL_OK)
            line->step_count = 0;
        return true;
    }
    return false;
}

void lit_assemble_x86(lit_line *line) {
    static const struct {
        const char *name;
        cat_set set;
    } fences[] = {{"mfence", CAT_MFENCE}, {"lfence", CAT_LFENCE}, {"sfence", CAT_SFENCE}};
    for (size_t i = 0; i < sizeof fences / sizeof fences[0]; i++)
        if (strcmp(line->mnemonic, fences[i].name) == 0) {
            lit_fence(line, fences[i].set);
            return;
        }
    const bool is_locked = strcmp(line->mnemonic, "lock") == 0;
    if (is_locked) {
        (void)lit_line_take(line, ';');
        line->mnemonic = lit_line_name(line);
    }
    if (!assemble_computation(line, line->mnemonic, is_locked) && !assemble_jump(line) &&
        !assemble_nothing(line))
        lit_line_refuse_name(line);
}
