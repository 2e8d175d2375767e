/* SPDX-License-Identifier: MIT */
/*
 * RISC-V: instructions by name and form. An atomic is one event that reads and writes; so are its
 * orders, .aq and .rl, names of that event.
 */
#include "judge/litmus/litmus_assembler.h"

#include <string.h>

typedef enum form {
    THREE_REGISTERS, /* add rd,rs,rt */
    IMMEDIATE,       /* addi rd,rs,imm */
    TWO_REGISTERS,   /* mv rd,rs: by a constant, which is the row's */
    LOAD_CONSTANT,   /* li rd,imm: shifted by the row's constant */
    BRANCH,          /* beq rs,rt,label */
    BRANCH_ZERO,     /* beqz rs,label */
    JUMP,
    NOTHING,
    /* These may be .aq and .rl. */
    LOAD, /* the row's constant: zeros are put in front */
    STORE,
    /* And these are .w or .d. */
    LOAD_RESERVE,
    STORE_CONDITIONAL,
    ATOMIC /* amoadd.w rd,rt,(rs) */
} form;

/* `bits`: results are cut to them and the sign is extended. */
typedef struct row {
    const char *name;
    form form;
    uint8_t operator_;
    uint8_t bits;
    uint8_t constant;
} row;

static const row rows[] = {
    {"add", THREE_REGISTERS, LIT_ADD, 64, 0},
    {"sub", THREE_REGISTERS, LIT_SUBTRACT, 64, 0},
    {"and", THREE_REGISTERS, LIT_AND, 64, 0},
    {"or", THREE_REGISTERS, LIT_OR, 64, 0},
    {"xor", THREE_REGISTERS, LIT_XOR, 64, 0},
    {"sll", THREE_REGISTERS, LIT_SHIFT_LEFT, 64, 0},
    {"srl", THREE_REGISTERS, LIT_SHIFT_RIGHT, 64, 0},
    {"sra", THREE_REGISTERS, LIT_SHIFT_RIGHT_SIGNED, 64, 0},
    {"slt", THREE_REGISTERS, LIT_LESS, 64, 0},
    {"sltu", THREE_REGISTERS, LIT_LESS_UNSIGNED, 64, 0},
    {"mul", THREE_REGISTERS, LIT_MULTIPLY, 64, 0},
    {"addw", THREE_REGISTERS, LIT_ADD, 32, 0},
    {"subw", THREE_REGISTERS, LIT_SUBTRACT, 32, 0},
    {"sllw", THREE_REGISTERS, LIT_SHIFT_LEFT, 32, 0},
    {"addi", IMMEDIATE, LIT_ADD, 64, 0},
    {"andi", IMMEDIATE, LIT_AND, 64, 0},
    {"ori", IMMEDIATE, LIT_OR, 64, 0},
    {"xori", IMMEDIATE, LIT_XOR, 64, 0},
    {"slti", IMMEDIATE, LIT_LESS, 64, 0},
    {"sltiu", IMMEDIATE, LIT_LESS_UNSIGNED, 64, 0},
    {"slli", IMMEDIATE, LIT_SHIFT_LEFT, 64, 0},
    {"srli", IMMEDIATE, LIT_SHIFT_RIGHT, 64, 0},
    {"srai", IMMEDIATE, LIT_SHIFT_RIGHT_SIGNED, 64, 0},
    {"addiw", IMMEDIATE, LIT_ADD, 32, 0},
    {"slliw", IMMEDIATE, LIT_SHIFT_LEFT, 32, 0},
    {"mv", TWO_REGISTERS, LIT_ADD, 64, 0},
    {"sext.w", TWO_REGISTERS, LIT_ADD, 32, 0},
    {"seqz", TWO_REGISTERS, LIT_EQUAL, 64, 0},
    {"snez", TWO_REGISTERS, LIT_NOT_EQUAL, 64, 0},
    {"li", LOAD_CONSTANT, 0, 64, 0},
    {"lui", LOAD_CONSTANT, 0, 32, 12},
    {"beq", BRANCH, LIT_EQUAL, 64, 0},
    {"bne", BRANCH, LIT_NOT_EQUAL, 64, 0},
    {"blt", BRANCH, LIT_LESS, 64, 0},
    {"bge", BRANCH, LIT_NOT_LESS, 64, 0},
    {"bltu", BRANCH, LIT_LESS_UNSIGNED, 64, 0},
    {"bgeu", BRANCH, LIT_NOT_LESS_UNSIGNED, 64, 0},
    {"beqz", BRANCH_ZERO, LIT_EQUAL, 64, 0},
    {"bnez", BRANCH_ZERO, LIT_NOT_EQUAL, 64, 0},
    {"j", JUMP, 0, 64, 0},
    {"nop", NOTHING, 0, 64, 0},
    {"lb", LOAD, 0, 8, false},
    {"lh", LOAD, 0, 16, false},
    {"lw", LOAD, 0, 32, false},
    {"ld", LOAD, 0, 64, false},
    {"lbu", LOAD, 0, 8, true},
    {"lhu", LOAD, 0, 16, true},
    {"lwu", LOAD, 0, 32, true},
    {"sb", STORE, 0, 8, 0},
    {"sh", STORE, 0, 16, 0},
    {"sw", STORE, 0, 32, 0},
    {"sd", STORE, 0, 64, 0},
    {"lr", LOAD_RESERVE, 0, 0, 0},
    {"sc", STORE_CONDITIONAL, 0, 0, 0},
    {"amoswap", ATOMIC, LIT_SECOND, 0, 0},
    {"amoadd", ATOMIC, LIT_ADD, 0, 0},
    {"amoand", ATOMIC, LIT_AND, 0, 0},
    {"amoor", ATOMIC, LIT_OR, 0, 0},
    {"amoxor", ATOMIC, LIT_XOR, 0, 0},
    {"amomax", ATOMIC, LIT_MAXIMUM, 0, 0},
    {"amomin", ATOMIC, LIT_MINIMUM, 0, 0},
    {"amomaxu", ATOMIC, LIT_MAXIMUM_UNSIGNED, 0, 0},
    {"amominu", ATOMIC, LIT_MINIMUM_UNSIGNED, 0, 0},
};

/* ---- Operands. */

static uint8_t source(lit_reader *line, lit_port port) {
    return lit_get(line, lit_next_register(line, NULL), port);
}

/* 8(x5) or (x5). */
static uint8_t address(lit_reader *line) {
    const uint64_t offset = lit_is_number(line) ? lit_number(line) : 0;
    lit_expect(line, "(");
    const uint8_t base = source(line, LIT_ADDRESS_PORT);
    lit_expect(line, ")");
    return offset == 0 ? base : lit_compute_by(line, LIT_ADD, base, offset);
}

/* ---- Forms. */

static void assemble_computation(lit_reader *line, const row *r) {
    const uint8_t number = lit_next_target(line, NULL);
    uint8_t value, second;
    if (r->form == LOAD_CONSTANT) {
        value = lit_constant(line, lit_number(line) << r->constant);
    } else {
        value = source(line, LIT_NO_PORT);
        if (r->form != TWO_REGISTERS)
            lit_expect(line, ",");
        second = r->form == TWO_REGISTERS ? lit_constant(line, r->constant)
                 : r->form == IMMEDIATE   ? lit_constant(line, lit_number(line))
                                          : source(line, LIT_NO_PORT);
        value = lit_compute(line, (lit_operator)r->operator_, value, second);
    }
    lit_put(line, number, lit_cut(line, LIT_SIGN_EXTEND, value, r->bits));
}

static void assemble_branch(lit_reader *line, const row *r) {
    if (r->form == JUMP) {
        lit_jump(line, lit_next_label(line));
        return;
    }
    const uint8_t a = source(line, LIT_NO_PORT);
    lit_expect(line, ",");
    const uint8_t b = r->form == BRANCH ? source(line, LIT_NO_PORT) : lit_constant(line, 0);
    if (r->form == BRANCH)
        lit_expect(line, ",");
    const uint8_t condition = lit_compute(line, (lit_operator)r->operator_, a, b);
    lit_branch(line, condition, lit_next_label(line));
}

/* Of the event made last. */
static void mark(lit_reader *line, uint8_t order) {
    static const uint8_t sets[] = {[COL_ACQUIRE] = CAT_ACQ,
                                   [COL_RELEASE] = CAT_REL,
                                   [COL_ACQUIRE | COL_RELEASE] = CAT_ACQ_REL};
    if (order != 0)
        lit_mark(line, sets[order]);
}

static void assemble_load(lit_reader *line, const row *r, const lit_suffix *s) {
    const uint8_t number = lit_next_target(line, NULL), where = address(line);
    const uint32_t bits = r->form == LOAD_RESERVE ? s->bits : r->bits;
    if (r->form == LOAD_RESERVE)
        lit_put(line, LIT_RISCV_RESERVATION, where);
    const uint8_t value = lit_read(line, where, bits);
    if (r->form == LOAD_RESERVE)
        lit_mark(line, CAT_EX);
    mark(line, s->order);
    lit_put(line, number, r->constant ? value : lit_cut(line, LIT_SIGN_EXTEND, value, bits));
}

static void assemble_atomic(lit_reader *line, const row *r, const lit_suffix *s) {
    const uint8_t result = lit_next_target(line, NULL), value = source(line, LIT_DATA_PORT);
    lit_expect(line, ",");
    const uint8_t where = address(line);
    if (r->form == STORE_CONDITIONAL) {
        lit_step *write =
            lit_conditional_begin(line, LIT_RISCV_RESERVATION, where, where, value, s->bits);
        write->has_result = true;
        mark(line, s->order);
        lit_conditional_end(line, result);
        return;
    }
    const uint8_t old = lit_update(line, (lit_operator)r->operator_, where, value, s->bits);
    lit_mark(line, CAT_X);
    lit_mark(line, CAT_RMW);
    mark(line, s->order);
    lit_put(line, result, lit_cut(line, LIT_SIGN_EXTEND, old, s->bits));
}

/* ---- Fences: fence pred,succ of i, o, r and w. Input and output are none of ours. */

static uint32_t fence_side(lit_reader *line) {
    const char *word = lit_any_word(line);
    uint32_t side = 0;
    for (const char *p = word; *p != '\0'; p++) {
        if (strchr("iorw", *p) == NULL)
            lit_refuse(line, "expected some of i, o, r and w");
        side |= *p == 'r' ? 1 : *p == 'w' ? 2 : 0;
    }
    if (word[0] == '\0')
        lit_refuse(line, "expected some of i, o, r and w");
    return side;
}

static bool assemble_fence(lit_reader *line) {
    static const uint8_t pairs[4][4] = {
        {LIT_NO_SET, LIT_NO_SET, LIT_NO_SET, LIT_NO_SET},
        {LIT_NO_SET, CAT_FENCE_R_R, CAT_FENCE_R_W, CAT_FENCE_R_RW},
        {LIT_NO_SET, CAT_FENCE_W_R, CAT_FENCE_W_W, CAT_FENCE_W_RW},
        {LIT_NO_SET, CAT_FENCE_RW_R, CAT_FENCE_RW_W, CAT_FENCE_RW_RW}};
    if (strcmp(line->made->mnemonic, "fence.tso") == 0) {
        lit_fence(line, CAT_FENCE_TSO);
    } else if (strcmp(line->made->mnemonic, "fence.i") == 0) {
        lit_fence(line, CAT_FENCE_I);
    } else if (strcmp(line->made->mnemonic, "fence") != 0) {
        return false;
    } else if (lit_peek(line) == '\0') {
        lit_fence(line, CAT_FENCE_RW_RW);
    } else {
        const uint32_t before = fence_side(line);
        lit_expect(line, ",");
        lit_fence(line, pairs[before][fence_side(line)]);
    }
    return true;
}

void lit_assemble_riscv(lit_reader *line) {
    static const lit_suffix suffixes[] = {
        {".w", 32, 0},           {".d", 64, 0},           {".aqrl", 0, COL_ACQUIRE | COL_RELEASE},
        {".aq", 0, COL_ACQUIRE}, {".rl", 0, COL_RELEASE}, {0}};
    const row *r = rows, *end = rows + sizeof rows / sizeof rows[0];
    lit_suffix s;
    while (r < end &&
           (!lit_has_name(line->made->mnemonic, r->name, suffixes, &s) ||
            (s.bits != 0) != (r->form >= LOAD_RESERVE) || (s.order != 0 && r->form < LOAD)))
        r++;
    if (r == end) {
        if (!assemble_fence(line))
            lit_refuse_name(line);
    } else if (r->form <= LOAD_CONSTANT) {
        assemble_computation(line, r);
    } else if (r->form <= JUMP) {
        assemble_branch(line, r);
    } else if (r->form == LOAD || r->form == LOAD_RESERVE) {
        assemble_load(line, r, &s);
    } else if (r->form == STORE) {
        const uint8_t value = source(line, LIT_DATA_PORT);
        lit_expect(line, ",");
        (void)lit_write(line, address(line), value, r->bits);
        mark(line, s.order);
    } else if (r->form != NOTHING) {
        assemble_atomic(line, r, &s);
    }
}
