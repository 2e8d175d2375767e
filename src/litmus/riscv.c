/* SPDX-License-Identifier: MIT */
/*
 * RISC-V: instructions by name and form. An atomic is one event that reads and writes; so are its
 * orders, .aq and .rl, names of that event.
 */
#include "cat/names.h"
#include "litmus/assemble.h"

#include <string.h>

typedef enum form {
    THREE_REGISTERS, /* add rd,rs,rt */
    IMMEDIATE,       /* addi rd,rs,imm */
    TWO_REGISTERS,   /* mv rd,rs: by a constant, which is the row's */
    LOAD_CONSTANT,   /* li rd,imm: shifted by the row's constant */
    BRANCH,          /* beq rs,rt,label */
    BRANCH_ZERO,     /* beqz rs,label */
    JUMP,
    NOTHING
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
};

static const struct {
    const char *name;
    uint8_t operator_;
} atomics[] = {{"amoswap", LIT_SECOND},
               {"amoadd", LIT_ADD},
               {"amoand", LIT_AND},
               {"amoor", LIT_OR},
               {"amoxor", LIT_XOR},
               {"amomax", LIT_MAXIMUM},
               {"amomin", LIT_MINIMUM},
               {"amomaxu", LIT_MAXIMUM_UNSIGNED},
               {"amominu", LIT_MINIMUM_UNSIGNED}};

static const struct {
    const char *name;
    uint8_t bits;
    bool is_unsigned;
} loads[] = {{"lb", 8, false}, {"lh", 16, false}, {"lw", 32, false}, {"ld", 64, false},
             {"lbu", 8, true}, {"lhu", 16, true}, {"lwu", 32, true}};

static const struct {
    const char *name;
    uint8_t bits;
} stores[] = {{"sb", 8}, {"sh", 16}, {"sw", 32}, {"sd", 64}};

/* ---- Operands. x0 is 0, and what is written to it is lost. */

static uint8_t get(lit_line *line, uint8_t number, lit_port port) {
    return number == 0 ? lit_constant(line, 0) : lit_get(line, number, port);
}

static void put(lit_line *line, uint8_t number, uint8_t value) {
    if (number != 0)
        lit_put(line, number, value);
}

static uint8_t source(lit_line *line, lit_port port) {
    return get(line, lit_line_register(line, NULL), port);
}

static uint8_t extend(lit_line *line, uint8_t value, uint32_t bits) {
    return bits == 64 ? value : lit_compute_by(line, LIT_SIGN_EXTEND, value, bits);
}

/* 8(x5) or (x5). */
static uint8_t address(lit_line *line) {
    const uint64_t offset = lit_line_is_number(line) ? lit_line_number(line) : 0;
    lit_line_expect(line, '(');
    const uint8_t base = source(line, LIT_ADDRESS_PORT);
    lit_line_expect(line, ')');
    return offset == 0 ? base : lit_compute_by(line, LIT_ADD, base, offset);
}

/* ---- Forms. */

static void assemble_computation(lit_line *line, const row *r) {
    const uint8_t target = lit_line_register(line, NULL);
    lit_line_expect(line, ',');
    uint8_t a = source(line, LIT_NO_PORT), b;
    if (r->form == TWO_REGISTERS) {
        b = lit_constant(line, r->constant);
    } else {
        lit_line_expect(line, ',');
        b = r->form == IMMEDIATE ? lit_constant(line, lit_line_number(line))
                                 : source(line, LIT_NO_PORT);
    }
    put(line, target, extend(line, lit_compute(line, (lit_operator)r->operator_, a, b), r->bits));
}

static void assemble_constant(lit_line *line, const row *r) {
    const uint8_t target = lit_line_register(line, NULL);
    lit_line_expect(line, ',');
    const uint64_t value = lit_line_number(line) << r->constant;
    put(line, target, extend(line, lit_constant(line, value), r->bits));
}

static void assemble_branch(lit_line *line, const row *r) {
    const uint8_t a = source(line, LIT_NO_PORT);
    lit_line_expect(line, ',');
    uint8_t b = 0;
    if (r->form == BRANCH) {
        b = source(line, LIT_NO_PORT);
        lit_line_expect(line, ',');
    } else {
        b = lit_constant(line, 0);
    }
    const uint8_t condition = lit_compute(line, (lit_operator)r->operator_, a, b);
    lit_branch(line, condition, lit_line_label(line));
}

static bool assemble_row(lit_line *line) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const row *r = &rows[i];
        if (strcmp(r->name, line->mnemonic) != 0)
            continue;
        if (r->form == LOAD_CONSTANT)
            assemble_constant(line, r);
        else if (r->form == BRANCH || r->form == BRANCH_ZERO)
            assemble_branch(line, r);
        else if (r->form == JUMP)
            lit_jump(line, lit_line_label(line));
        else if (r->form != NOTHING)
            assemble_computation(line, r);
        return true;
    }
    return false;
}

/* ---- Memory. */

/* "amoadd.w.aq.rl": the parts behind the name. */
typedef struct suffixes {
    uint32_t bits; /* of .w or .d; 0: neither */
    bool acquires, releases;
} suffixes;

/* Does the mnemonic have this name, and which parts behind it? */
static bool has_name(const char *mnemonic, const char *name, suffixes *s) {
    const size_t length = strlen(name);
    *s = (suffixes){0};
    if (strncmp(mnemonic, name, length) != 0)
        return false;
    const char *p = mnemonic + length;
    if (strncmp(p, ".w", 2) == 0 || strncmp(p, ".d", 2) == 0) {
        s->bits = p[1] == 'w' ? 32 : 64;
        p += 2;
    }
    if (strcmp(p, ".aqrl") == 0) {
        s->acquires = s->releases = true;
        return true;
    }
    if (strncmp(p, ".aq", 3) == 0) {
        s->acquires = true;
        p += 3;
    }
    if (strncmp(p, ".rl", 3) == 0) {
        s->releases = true;
        p += 3;
    }
    return *p == '\0';
}

static void mark(lit_line *line, const suffixes *s) {
    if (s->acquires || s->releases)
        lit_mark(line, s->acquires && s->releases ? CAT_ACQ_REL : s->acquires ? CAT_ACQ : CAT_REL);
}

static bool assemble_access(lit_line *line) {
    suffixes s;
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        if (!has_name(line->mnemonic, loads[i].name, &s) || s.bits != 0)
            continue;
        const uint8_t target = lit_line_register(line, NULL);
        lit_line_expect(line, ',');
        const uint8_t value = lit_read(line, address(line), loads[i].bits);
        mark(line, &s);
        put(line, target, loads[i].is_unsigned ? value : extend(line, value, loads[i].bits));
        return true;
    }
    for (size_t i = 0; i < sizeof stores / sizeof stores[0]; i++) {
        if (!has_name(line->mnemonic, stores[i].name, &s) || s.bits != 0)
            continue;
        const uint8_t value = source(line, LIT_DATA_PORT);
        lit_line_expect(line, ',');
        (void)lit_write(line, address(line), value, stores[i].bits);
        mark(line, &s);
        return true;
    }
    return false;
}

/* A store-conditional fails, or it stores: at the address of the last load-reserve alone. */
static void assemble_conditional(lit_line *line, const suffixes *s) {
    const uint8_t result = lit_line_register(line, NULL);
    lit_line_expect(line, ',');
    const uint8_t value = source(line, LIT_DATA_PORT);
    lit_line_expect(line, ',');
    const uint8_t where = address(line);
    const uint8_t reserved = lit_get(line, LIT_RISCV_RESERVATION, LIT_NO_PORT);
    lit_put(line, LIT_RISCV_RESERVATION, lit_constant(line, 0));
    const uint32_t success = lit_open(line, LIT_TRY, 0);
    lit_assume(line, lit_compute(line, LIT_EQUAL, where, reserved));
    const uint8_t zero = lit_constant(line, 0);
    lit_step *write = lit_write(line, where, value, s->bits);
    lit_mark(line, CAT_EX);
    mark(line, s);
    write->has_result = true;
    write->to = zero;
    put(line, result, zero);
    const uint32_t failure = lit_otherwise(line, success);
    put(line, result, lit_constant(line, 1));
    lit_close(line, failure);
}

static bool assemble_atomic(lit_line *line) {
    suffixes s;
    if (has_name(line->mnemonic, "lr", &s) && s.bits != 0) {
        const uint8_t target = lit_line_register(line, NULL);
        lit_line_expect(line, ',');
        const uint8_t where = address(line);
        lit_put(line, LIT_RISCV_RESERVATION, where);
        const uint8_t value = lit_read(line, where, s.bits);
        lit_mark(line, CAT_EX);
        mark(line, &s);
        put(line, target, extend(line, value, s.bits));
        return true;
    }
    if (has_name(line->mnemonic, "sc", &s) && s.bits != 0) {
        assemble_conditional(line, &s);
        return true;
    }
    for (size_t i = 0; i < sizeof atomics / sizeof atomics[0]; i++) {
        if (!has_name(line->mnemonic, atomics[i].name, &s) || s.bits == 0)
            continue;
        const uint8_t target = lit_line_register(line, NULL);
        lit_line_expect(line, ',');
        const uint8_t value = source(line, LIT_DATA_PORT);
        lit_line_expect(line, ',');
        const uint8_t where = address(line);
        const uint8_t old =
            lit_update(line, (lit_operator)atomics[i].operator_, where, value, s.bits);
        lit_mark(line, CAT_X);
        lit_mark(line, CAT_RMW);
        mark(line, &s);
        put(line, target, extend(line, old, s.bits));
        return true;
    }
    return false;
}

/* ---- Fences: fence pred,succ of i, o, r and w. Input and output are none of ours. */

static uint32_t fence_side(lit_line *line) {
    const char *word = lit_line_word(line);
    uint32_t side = 0;
    for (const char *p = word; *p != '\0'; p++) {
        if (strchr("iorw", *p) == NULL)
            lit_line_refuse(line, "expected some of i, o, r and w");
        side |= *p == 'r' ? 1 : *p == 'w' ? 2 : 0;
    }
    if (word[0] == '\0')
        lit_line_refuse(line, "expected some of i, o, r and w");
    return side;
}

static bool assemble_fence(lit_line *line) {
    static const uint8_t pairs[4][4] = {
        {LIT_NO_SET, LIT_NO_SET, LIT_NO_SET, LIT_NO_SET},
        {LIT_NO_SET, CAT_FENCE_R_R, CAT_FENCE_R_W, CAT_FENCE_R_RW},
        {LIT_NO_SET, CAT_FENCE_W_R, CAT_FENCE_W_W, CAT_FENCE_W_RW},
        {LIT_NO_SET, CAT_FENCE_RW_R, CAT_FENCE_RW_W, CAT_FENCE_RW_RW}};
    if (strcmp(line->mnemonic, "fence.tso") == 0) {
        lit_fence(line, CAT_FENCE_TSO);
    } else if (strcmp(line->mnemonic, "fence.i") == 0) {
        lit_fence(line, CAT_FENCE_I);
    } else if (strcmp(line->mnemonic, "fence") != 0) {
        return false;
    } else if (lit_line_is_at_end(line)) {
        lit_fence(line, CAT_FENCE_RW_RW);
    } else {
        const uint32_t before = fence_side(line);
        lit_line_expect(line, ',');
        lit_fence(line, pairs[before][fence_side(line)]);
    }
    return true;
}

void lit_assemble_riscv(lit_line *line) {
    if (!assemble_row(line) && !assemble_access(line) && !assemble_atomic(line) &&
        !assemble_fence(line))
        lit_line_refuse_name(line);
}
