/* SPDX-License-Identifier: MIT */
/* AArch64: computations, branches and fences. The flags are one register of four bits. */
#include "judge/litmus/litmus_assembler.h"

#include <string.h>
#include <strings.h>

uint8_t lit_arm_get(lit_reader *line, uint8_t number, uint32_t bits, lit_port port) {
    return lit_cut(line, LIT_TRUNCATE, lit_get(line, number, port), bits);
}

void lit_arm_put(lit_reader *line, uint8_t number, uint8_t value, uint32_t bits) {
    lit_put(line, number, lit_cut(line, LIT_TRUNCATE, value, bits));
}

/* ---- Second operands. */

uint8_t lit_arm_shifted(lit_reader *line, uint8_t value, uint32_t bits) {
    static const struct {
        const char *name;
        uint8_t operator_;
        uint8_t extended; /* bits; 0: it is a shift alone */
        bool is_signed;
    } shifts[] = {{"lsl", LIT_SHIFT_LEFT, 0, false},        {"lsr", LIT_SHIFT_RIGHT, 0, false},
                  {"asr", LIT_SHIFT_RIGHT_SIGNED, 0, true}, {"uxtb", LIT_SHIFT_LEFT, 8, false},
                  {"uxth", LIT_SHIFT_LEFT, 16, false},      {"uxtw", LIT_SHIFT_LEFT, 32, false},
                  {"sxtb", LIT_SHIFT_LEFT, 8, true},        {"sxth", LIT_SHIFT_LEFT, 16, true},
                  {"sxtw", LIT_SHIFT_LEFT, 32, true},       {"sxtx", LIT_SHIFT_LEFT, 64, true}};
    if (!lit_take(line, ","))
        return value;
    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
        if (!lit_take_word(line, shifts[i].name))
            continue;
        if (shifts[i].extended != 0)
            value = lit_compute_by(line, shifts[i].is_signed ? LIT_SIGN_EXTEND : LIT_TRUNCATE,
                                   value, shifts[i].extended);
        else if (shifts[i].is_signed)
            value = lit_compute_by(line, LIT_SIGN_EXTEND, value, bits);
        if (!lit_is_number(line))
            return value;
        value = lit_compute_by(line, (lit_operator)shifts[i].operator_, value, lit_number(line));
        return lit_cut(line, LIT_TRUNCATE, value, bits);
    }
    lit_refuse(line, "expected a shift");
    return value;
}

/* A register, perhaps shifted, or a number. */
static uint8_t second_operand(lit_reader *line, uint32_t bits) {
    uint8_t own = 64;
    if (!lit_is_register(line)) {
        const uint8_t value =
            lit_cut(line, LIT_TRUNCATE, lit_constant(line, lit_number(line)), bits);
        return lit_arm_shifted(line, value, bits);
    }
    const uint8_t number = lit_next_register(line, &own);
    return lit_arm_shifted(line, lit_arm_get(line, number, own, LIT_NO_PORT), bits);
}

/* ---- Flags. */

static uint8_t sign_of(lit_reader *line, uint8_t value, uint32_t bits) {
    return lit_compute_by(line, LIT_AND, lit_compute_by(line, LIT_SHIFT_RIGHT, value, bits - 1), 1);
}

/* carry and overflow are temporaries with 0 or 1. */
static void put_flags(lit_reader *line, uint8_t result, uint8_t carry, uint8_t overflow,
                      uint32_t bits) {
    uint8_t flags = lit_compute_by(line, LIT_SHIFT_LEFT, sign_of(line, result, bits), 3);
    const uint8_t zero =
        lit_compute_by(line, LIT_SHIFT_LEFT, lit_compute_by(line, LIT_EQUAL, result, 0), 2);
    flags = lit_compute(line, LIT_OR, flags, zero);
    flags = lit_compute(line, LIT_OR, flags, lit_compute_by(line, LIT_SHIFT_LEFT, carry, 1));
    lit_put(line, LIT_ARM_FLAGS, lit_compute(line, LIT_OR, flags, overflow));
}

static void put_sum_flags(lit_reader *line, lit_operator operator_, uint8_t a, uint8_t b,
                          uint8_t result, uint32_t bits) {
    const bool is_sum = operator_ == LIT_ADD;
    const uint8_t carry = is_sum ? lit_compute(line, LIT_LESS_UNSIGNED, result, a)
                                 : lit_compute(line, LIT_NOT_LESS_UNSIGNED, a, b);
    /* The signs of a sum's operands are equal, or those of a difference are not, and the result's
     * is not the first one's. */
    uint8_t differ = lit_compute(line, LIT_XOR, a, b);
    if (is_sum)
        differ = lit_compute_by(line, LIT_XOR, differ, ~UINT64_C(0));
    const uint8_t both = lit_compute(line, LIT_AND, differ, lit_compute(line, LIT_XOR, a, result));
    put_flags(line, result, carry, sign_of(line, both, bits), bits);
}

static bool read_condition(const char *name, uint32_t *number) {
    static const char *const names[] = {"eq", "ne", "cs", "cc", "mi", "pl", "vs",
                                        "vc", "hi", "ls", "ge", "lt", "gt", "le"};
    if (strcasecmp(name, "hs") == 0 || strcasecmp(name, "lo") == 0) {
        *number = strcasecmp(name, "hs") == 0 ? 2 : 3;
        return true;
    }
    for (*number = 0; *number < sizeof names / sizeof names[0]; (*number)++)
        if (strcasecmp(names[*number], name) == 0)
            return true;
    return false;
}

/* Conditions come in pairs, of which the second is the first one's contrary. */
static uint8_t condition(lit_reader *line, uint32_t number) {
    const uint8_t flags = lit_get(line, LIT_ARM_FLAGS, LIT_NO_PORT);
    static const uint8_t bits[] = {2, 1, 3, 0}; /* of eq, cs, mi, vs */
    uint8_t value;
    if (number < 8) {
        value = lit_compute_by(line, LIT_SHIFT_RIGHT, flags, bits[number / 2]);
        value = lit_compute_by(line, LIT_AND, value, 1);
    } else if (number < 10) { /* C and not Z */
        value = lit_compute_by(line, LIT_AND, flags, 6);
        value = lit_compute_by(line, LIT_EQUAL, value, 2);
    } else { /* N = V; and not Z */
        const uint8_t negative = lit_compute_by(line, LIT_SHIFT_RIGHT, flags, 3);
        uint8_t differ = lit_compute(line, LIT_XOR, negative, flags);
        differ = lit_compute_by(line, LIT_AND, differ, 1);
        if (number >= 12)
            differ = lit_compute(line, LIT_OR, differ, lit_compute_by(line, LIT_AND, flags, 4));
        value = lit_compute_by(line, LIT_EQUAL, differ, 0);
    }
    return number % 2 == 0 ? value : lit_compute_by(line, LIT_EQUAL, value, 0);
}

/* ---- Computations. */

typedef struct row {
    const char *name;
    uint8_t operator_;
    bool inverts;    /* the second operand */
    bool sets_flags; /* of its result */
    bool has_target; /* a register for the result */
    bool has_first;  /* operand; else it is 0 */
} row;

static const row rows[] = {
    {"add", LIT_ADD, false, false, true, true},
    {"adds", LIT_ADD, false, true, true, true},
    {"cmn", LIT_ADD, false, true, false, true},
    {"sub", LIT_SUBTRACT, false, false, true, true},
    {"subs", LIT_SUBTRACT, false, true, true, true},
    {"cmp", LIT_SUBTRACT, false, true, false, true},
    {"neg", LIT_SUBTRACT, false, false, true, false},
    {"negs", LIT_SUBTRACT, false, true, true, false},
    {"and", LIT_AND, false, false, true, true},
    {"ands", LIT_AND, false, true, true, true},
    {"tst", LIT_AND, false, true, false, true},
    {"orr", LIT_OR, false, false, true, true},
    {"eor", LIT_XOR, false, false, true, true},
    {"bic", LIT_AND, true, false, true, true},
    {"bics", LIT_AND, true, true, true, true},
    {"orn", LIT_OR, true, false, true, true},
    {"eon", LIT_XOR, true, false, true, true},
    {"mvn", LIT_OR, true, false, true, false},
    {"mul", LIT_MULTIPLY, false, false, true, true},
    {"lsl", LIT_SHIFT_LEFT, false, false, true, true},
    {"lsr", LIT_SHIFT_RIGHT, false, false, true, true},
    {"asr", LIT_SHIFT_RIGHT_SIGNED, false, false, true, true},
};

static void assemble_row(lit_reader *line, const row *r) {
    uint8_t bits = 64, target = LIT_ARM_ZERO, first;
    if (r->has_target) {
        target = lit_next_target(line, &bits);
    }
    if (r->has_first) {
        const uint8_t number = lit_next_target(line, &bits);
        first = lit_arm_get(line, number, bits, LIT_NO_PORT);
    } else {
        first = lit_constant(line, 0);
    }
    if (r->operator_ == LIT_SHIFT_RIGHT_SIGNED)
        first = lit_compute_by(line, LIT_SIGN_EXTEND, first, bits);
    uint8_t second = second_operand(line, bits);
    if (r->inverts)
        second = lit_compute_by(line, LIT_XOR, second, ~UINT64_C(0));
    const lit_operator operator_ = (lit_operator)r->operator_;
    const uint8_t result =
        lit_cut(line, LIT_TRUNCATE, lit_compute(line, operator_, first, second), bits);
    lit_arm_put(line, target, result, bits);
    if (!r->sets_flags)
        return;
    if (operator_ == LIT_ADD || operator_ == LIT_SUBTRACT)
        put_sum_flags(line, operator_, first, second, result, bits);
    else
        put_flags(line, result, lit_constant(line, 0), lit_constant(line, 0), bits);
}

static void assemble_move(lit_reader *line) {
    uint8_t bits = 64, other = 64;
    const uint8_t target = lit_next_target(line, &bits);
    if (lit_is_register(line)) {
        const uint8_t source = lit_next_register(line, &other);
        lit_arm_put(line, target, lit_arm_get(line, source, bits, LIT_NO_PORT), bits);
        return;
    }
    const bool keeps = strcmp(line->made->mnemonic, "movk") == 0;
    uint64_t value = lit_number(line), shift = 0;
    if (lit_take(line, ",")) {
        if (!lit_take_word(line, "lsl"))
            lit_refuse(line, "expected lsl");
        shift = lit_number(line);
    }
    if (shift > 48 || (shift > 0 && strcmp(line->made->mnemonic, "mov") == 0))
        lit_refuse(line, "a shift that the instruction does not have");
    value <<= shift & 63;
    if (strcmp(line->made->mnemonic, "movn") == 0)
        value = ~value;
    uint8_t made = lit_constant(line, value);
    if (keeps) {
        const uint8_t old = lit_arm_get(line, target, bits, LIT_NO_PORT);
        made =
            lit_compute(line, LIT_OR, made,
                        lit_compute_by(line, LIT_AND_NOT, old, UINT64_C(0xffff) << (shift & 63)));
    }
    lit_arm_put(line, target, made, bits);
}

/* sxtw X0,W1 and the like. */
typedef struct extension {
    const char *name;
    uint8_t bits;
    lit_operator how;
} extension;

static const extension extensions[] = {{"sxtb", 8, LIT_SIGN_EXTEND},  {"sxth", 16, LIT_SIGN_EXTEND},
                                       {"sxtw", 32, LIT_SIGN_EXTEND}, {"uxtb", 8, LIT_TRUNCATE},
                                       {"uxth", 16, LIT_TRUNCATE},    {"uxtw", 32, LIT_TRUNCATE}};

/* ---- Selections: of two values one, and only that register is read. */

/* The second one is changed by an operator and a constant. */
typedef struct selection {
    const char *name;
    uint64_t constant;
    lit_operator operator_;
    bool is_short; /* cset: both registers are zero, and the condition is the contrary */
} selection;

static const selection selections[] = {{"csel", 0, LIT_ADD, false},
                                       {"csinc", 1, LIT_ADD, false},
                                       {"csinv", UINT64_MAX, LIT_XOR, false},
                                       {"csneg", UINT64_MAX, LIT_MULTIPLY, false},
                                       {"cset", 1, LIT_ADD, true},
                                       {"csetm", UINT64_MAX, LIT_XOR, true}};

static void assemble_selection(lit_reader *line, const selection *s) {
    uint8_t bits = 64, first = LIT_ARM_ZERO, second = LIT_ARM_ZERO;
    uint32_t number = 0;
    const uint8_t target = lit_next_target(line, &bits);
    if (!s->is_short) {
        first = lit_next_target(line, NULL);
        second = lit_next_target(line, NULL);
    }
    if (!read_condition(lit_any_word(line), &number))
        lit_refuse(line, "expected a condition");
    const uint8_t decision = condition(line, number ^ (s->is_short ? 1 : 0));
    lit_commit(line, decision);
    const uint32_t chosen = lit_open(line, LIT_WHEN, decision);
    lit_arm_put(line, target, lit_arm_get(line, first, bits, LIT_NO_PORT), bits);
    const uint32_t other = lit_otherwise(line, chosen);
    const uint8_t value = lit_arm_get(line, second, bits, LIT_NO_PORT);
    lit_arm_put(line, target, lit_compute_by(line, s->operator_, value, s->constant), bits);
    lit_close(line, other);
}

/* ---- Branches. */

static bool assemble_branch(lit_reader *line) {
    const char *name = line->made->mnemonic;
    uint8_t bits = 64;
    uint32_t number = 0;
    if (strcmp(name, "b") == 0) {
        lit_jump(line, lit_next_label(line));
        return true;
    }
    if (strncmp(name, "b.", 2) == 0 && read_condition(name + 2, &number)) {
        const uint8_t value = condition(line, number);
        lit_branch(line, value, lit_next_label(line));
        return true;
    }
    const bool tests_bit = strcmp(name, "tbz") == 0 || strcmp(name, "tbnz") == 0;
    if (!tests_bit && strcmp(name, "cbz") != 0 && strcmp(name, "cbnz") != 0)
        return false;
    const uint8_t tested = lit_next_register(line, &bits);
    uint8_t value = lit_arm_get(line, tested, bits, LIT_NO_PORT);
    lit_expect(line, ",");
    if (tests_bit) {
        value = lit_compute_by(line, LIT_SHIFT_RIGHT, value, lit_number(line));
        value = lit_compute_by(line, LIT_AND, value, 1);
        lit_expect(line, ",");
    }
    value = lit_compute_by(line, name[2] == 'z' ? LIT_EQUAL : LIT_NOT_EQUAL, value, 0);
    lit_branch(line, value, lit_next_label(line));
    return true;
}

/* ---- Fences. */

static bool assemble_fence(lit_reader *line) {
    const bool is_dmb = strcmp(line->made->mnemonic, "dmb") == 0;
    if (strcmp(line->made->mnemonic, "isb") == 0) {
        (void)lit_take_word(line, "sy");
        lit_fence(line, CAT_ISB);
        return true;
    }
    if (!is_dmb && strcmp(line->made->mnemonic, "dsb") != 0)
        return false;
    /* The sets are called DMB.SY, DMB.LD, ... */
    uint32_t set = is_dmb ? CAT_DMB_SY : CAT_DSB_SY;
    const uint32_t last = is_dmb ? CAT_DMB_NSHST : CAT_DSB_NSHST;
    while (set <= last && !lit_take_word(line, cat_set_names[set] + strlen("DMB.")))
        set++;
    if (set <= last)
        lit_fence(line, set);
    else
        lit_refuse(line, "expected sy, ld, st, ish and so on");
    return true;
}

/* Writing a cache line back changes no value. Other operations on caches are refused. */
static bool assemble_nothing(lit_reader *line) {
    if (strcmp(line->made->mnemonic, "nop") == 0)
        return true;
    if (strcmp(line->made->mnemonic, "dc") != 0 || !lit_take_word(line, "civac"))
        return false;
    lit_expect(line, ",");
    (void)lit_next_register(line, NULL);
    return true;
}

void lit_assemble_aarch64(lit_reader *line) {
    static const char *const moves[] = {"mov", "movz", "movk", "movn"};
    const row *r = lit_row_of(line, rows, sizeof rows, sizeof rows[0]);
    const extension *e = lit_row_of(line, extensions, sizeof extensions, sizeof extensions[0]);
    const selection *s = lit_row_of(line, selections, sizeof selections, sizeof selections[0]);
    if (r != NULL) {
        assemble_row(line, r);
    } else if (lit_row_of(line, moves, sizeof moves, sizeof moves[0]) != NULL) {
        assemble_move(line);
    } else if (e != NULL) {
        uint8_t bits = 64;
        const uint8_t target = lit_next_target(line, &bits);
        const uint8_t source = lit_get(line, lit_next_register(line, NULL), LIT_NO_PORT);
        lit_arm_put(line, target, lit_cut(line, e->how, source, e->bits), bits);
    } else if (s != NULL) {
        assemble_selection(line, s);
    } else if (!assemble_branch(line) && !assemble_fence(line) && !assemble_nothing(line) &&
               !lit_assemble_arm_memory(line) && !lit_assemble_arm_atomic(line)) {
        lit_refuse_name(line);
    }
}
