/* SPDX-License-Identifier: MIT */
/* AArch64. The flags are one register of four bits. */
#include "judge/litmus/litmus_assembler.h"

#include <string.h>
#include <strings.h>

/* The zero register is 0, and what is written to it is lost. 32 bits: the upper half is 0. */
static uint8_t get(lit_reader *line, uint8_t number, uint32_t bits, lit_port port) {
    return lit_cut(line, LIT_TRUNCATE, lit_get(line, number, port), bits);
}

static void put(lit_reader *line, uint8_t number, uint8_t value, uint32_t bits) {
    lit_put(line, number, lit_cut(line, LIT_TRUNCATE, value, bits));
}

/* ---- Second operands. */

/* ", lsl #2" or ", sxtw", if it follows: applied to the value. */
static uint8_t shifted(lit_reader *line, uint8_t value, uint32_t bits) {
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
        return shifted(line, value, bits);
    }
    const uint8_t number = lit_next_register(line, &own);
    return shifted(line, get(line, number, own, LIT_NO_PORT), bits);
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
        first = get(line, number, bits, LIT_NO_PORT);
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
    put(line, target, result, bits);
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
        put(line, target, get(line, source, bits, LIT_NO_PORT), bits);
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
        const uint8_t old = get(line, target, bits, LIT_NO_PORT);
        made =
            lit_compute(line, LIT_OR, made,
                        lit_compute_by(line, LIT_AND_NOT, old, UINT64_C(0xffff) << (shift & 63)));
    }
    put(line, target, made, bits);
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
    put(line, target, get(line, first, bits, LIT_NO_PORT), bits);
    const uint32_t other = lit_otherwise(line, chosen);
    const uint8_t value = get(line, second, bits, LIT_NO_PORT);
    put(line, target, lit_compute_by(line, s->operator_, value, s->constant), bits);
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
    uint8_t value = get(line, tested, bits, LIT_NO_PORT);
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

/* ---- Memory: loads, stores, exclusives and atomics. An atomic is a read and a write. */

typedef struct address {
    uint8_t where;     /* the address that is accessed */
    uint8_t base;      /* register */
    uint8_t changed;   /* what it becomes afterwards */
    bool changes_base; /* [X1],#4 or [X1,#4]! */
} address;

static address read_address(lit_reader *line) {
    address a = {0};
    lit_expect(line, "[");
    a.base = lit_next_register(line, NULL);
    a.where = get(line, a.base, 64, LIT_ADDRESS_PORT);
    if (lit_take(line, "]")) {
        if (!lit_take(line, ","))
            return a;
        a.changes_base = true;
        a.changed = lit_compute_by(line, LIT_ADD, a.where, lit_number(line));
        return a;
    }
    lit_expect(line, ",");
    uint8_t offset, bits = 64;
    if (lit_is_register(line)) {
        const uint8_t index = lit_next_register(line, &bits);
        offset = shifted(line, get(line, index, bits, LIT_ADDRESS_PORT), 64);
    } else {
        offset = lit_constant(line, lit_number(line));
    }
    lit_expect(line, "]");
    a.where = lit_compute(line, LIT_ADD, a.where, offset);
    a.changes_base = lit_take(line, "!");
    a.changed = a.where;
    return a;
}

static void finish_address(lit_reader *line, const address *a) {
    if (a->changes_base)
        put(line, a->base, a->changed, 64);
}

/* ---- Loads and stores. */

enum { SUFFIX, REGISTER }; /* how many bits: as b, h or else the register says; as it alone does */

typedef struct access {
    const char *name;
    uint8_t bits;
    bool is_signed;
    uint8_t set; /* A, Q, L or LIT_NO_SET */
    bool is_exclusive;
} access;

static const access loads[] = {
    {"ldr", SUFFIX, false, LIT_NO_SET, false},  {"ldrsb", 8, true, LIT_NO_SET, false},
    {"ldrsh", 16, true, LIT_NO_SET, false},     {"ldrsw", 32, true, LIT_NO_SET, false},
    {"ldur", SUFFIX, false, LIT_NO_SET, false}, {"ldar", SUFFIX, false, CAT_A, false},
    {"ldapr", SUFFIX, false, CAT_Q, false},     {"ldapur", REGISTER, false, CAT_Q, false},
    {"ldxr", SUFFIX, false, LIT_NO_SET, true},  {"ldaxr", SUFFIX, false, CAT_A, true},
};

static const access stores[] = {
    {"str", SUFFIX, false, LIT_NO_SET, false}, {"stur", SUFFIX, false, LIT_NO_SET, false},
    {"stlr", SUFFIX, false, CAT_L, false},     {"stlur", REGISTER, false, CAT_L, false},
    {"stxr", SUFFIX, false, LIT_NO_SET, true}, {"stlxr", SUFFIX, false, CAT_L, true},
};

/* The row that the mnemonic names; `bits` are those that its suffix says, 0 without. */
static const access *find(const lit_reader *line, const access *table, size_t count,
                          uint8_t *bits) {
    static const lit_suffix suffixes[] = {{"b", 8, 0}, {"h", 16, 0}, {0}};
    lit_suffix suffix;
    for (const access *r = table; r < table + count; r++)
        if (lit_has_name(line->made->mnemonic, r->name, suffixes, &suffix) &&
            (suffix.bits == 0 || r->bits == SUFFIX)) {
            *bits = r->bits > REGISTER ? r->bits : suffix.bits;
            return r;
        }
    return NULL;
}

/* An exclusive store must have the address and the size of the load. */
static uint8_t with_size(lit_reader *line, uint8_t where, uint32_t bits) {
    return lit_compute_by(line, LIT_ADD, where, (uint64_t)bits << 56);
}

static void assemble_load(lit_reader *line, const access *r, uint32_t bits) {
    uint8_t width = 64;
    const uint8_t target = lit_next_target(line, &width);
    const address a = read_address(line);
    bits = bits == 0 ? width : bits;
    if (r->is_exclusive)
        lit_put(line, LIT_ARM_RESERVATION, with_size(line, a.where, bits));
    uint8_t value = lit_read(line, a.where, bits);
    if (r->set != LIT_NO_SET)
        lit_mark(line, r->set);
    if (r->is_exclusive)
        lit_mark(line, CAT_EX);
    if (r->is_signed)
        value = lit_cut(line, LIT_SIGN_EXTEND, value, bits);
    put(line, target, value, width);
    finish_address(line, &a);
}

static void assemble_store(lit_reader *line, const access *r, uint32_t bits) {
    uint8_t width = 64, result = 0;
    if (r->is_exclusive) {
        result = lit_next_target(line, NULL);
    }
    const uint8_t source = lit_next_register(line, &width);
    const uint8_t value = get(line, source, width, LIT_DATA_PORT);
    lit_expect(line, ",");
    const address a = read_address(line);
    bits = bits == 0 ? width : bits;
    if (r->is_exclusive)
        (void)lit_conditional_begin(line, LIT_ARM_RESERVATION, with_size(line, a.where, bits),
                                    a.where, value, bits);
    else
        (void)lit_write(line, a.where, value, bits);
    if (r->set != LIT_NO_SET)
        lit_mark(line, r->set);
    if (r->is_exclusive)
        lit_conditional_end(line, result);
    else
        finish_address(line, &a);
}

/* ---- Pairs: two accesses, one behind the other. */

typedef struct pair {
    const char *name;
    bool loads, is_signed;
} pair;

static const pair pairs[] = {{"ldp", true, false},
                             {"ldnp", true, false},
                             {"ldpsw", true, true},
                             {"stp", false, false},
                             {"stnp", false, false}};

static uint8_t behind(lit_reader *line, uint8_t where, uint32_t bits) {
    return lit_compute_by(line, LIT_ADD, where, bits / 8);
}

static void assemble_pair(lit_reader *line, const pair *p) {
    uint8_t width = 64, registers[2], values[2] = {0};
    for (uint32_t i = 0; i < 2; i++) {
        registers[i] = lit_next_register(line, i == 0 ? &width : NULL);
        if (!p->loads)
            values[i] = get(line, registers[i], width, LIT_DATA_PORT);
        lit_expect(line, ",");
    }
    const address a = read_address(line);
    const uint32_t bits = p->is_signed ? 32 : width;
    for (uint32_t i = 0; i < 2; i++) {
        const uint8_t where = i == 0 ? a.where : behind(line, a.where, bits);
        if (p->loads)
            values[i] = lit_read(line, where, bits);
        else
            (void)lit_write(line, where, values[i], bits);
    }
    for (uint32_t i = 0; i < 2 && p->loads; i++) {
        if (p->is_signed)
            values[i] = lit_cut(line, LIT_SIGN_EXTEND, values[i], bits);
        put(line, registers[i], values[i], width);
    }
    finish_address(line, &a);
}

/* True: the mnemonic was one of these. */
static bool assemble_memory(lit_reader *line) {
    uint8_t bits = 0;
    const access *load = find(line, loads, sizeof loads / sizeof loads[0], &bits);
    const access *store = find(line, stores, sizeof stores / sizeof stores[0], &bits);
    const pair *p = lit_row_of(line, pairs, sizeof pairs, sizeof pairs[0]);
    if (load != NULL)
        assemble_load(line, load, bits);
    else if (store != NULL)
        assemble_store(line, store, bits);
    else if (p != NULL)
        assemble_pair(line, p);
    return load != NULL || store != NULL || p != NULL;
}

/* ---- Atomics: a name, then a and l, then b or h. */

static void mark_read(lit_reader *line, const lit_suffix *s, bool is_lost) {
    lit_mark(line, CAT_X);
    lit_mark(line, CAT_RMW);
    if (is_lost)
        lit_mark(line, CAT_NO_RETURN);
    else if ((s->order & COL_ACQUIRE) != 0)
        lit_mark(line, CAT_A);
}

static void mark_write(lit_reader *line, const lit_suffix *s) {
    lit_mark(line, CAT_X);
    lit_mark(line, CAT_RMW);
    if ((s->order & COL_RELEASE) != 0)
        lit_mark(line, CAT_L);
}

/* swp W0,W1,[X2]; ldadd W0,W1,[X2]; stadd W0,[X2]. */
static void assemble_update(lit_reader *line, lit_operator operator_, const lit_suffix *s,
                            bool has_target) {
    uint8_t width = 64, target = LIT_ARM_ZERO;
    const uint8_t source = lit_next_target(line, &width);
    if (has_target) {
        target = lit_next_target(line, NULL);
    }
    const uint8_t given = get(line, source, width, LIT_DATA_PORT);
    const address a = read_address(line);
    const uint32_t bits = s->bits == 0 ? width : s->bits;
    const bool is_signed = operator_ == LIT_MINIMUM || operator_ == LIT_MAXIMUM;
    const uint8_t old = lit_read(line, a.where, bits);
    mark_read(line, s, target == LIT_ARM_ZERO);
    uint8_t first = old, second = given;
    if (is_signed)
        first = lit_cut(line, LIT_SIGN_EXTEND, first, bits);
    second = lit_cut(line, is_signed ? LIT_SIGN_EXTEND : LIT_TRUNCATE, second, bits);
    /* What an exchange writes does not depend on what was there. */
    const uint8_t made =
        operator_ == LIT_SECOND ? second : lit_compute(line, operator_, first, second);
    (void)lit_write(line, a.where, made, bits);
    mark_write(line, s);
    put(line, target, old, width);
}

/* ---- Compare and swap: cas W0,W1,[X2]. W0 gets what was there; if that was W0, W1 is stored. The
 * same for pairs: casp W0,W1,W2,W3,[X4] compares with W0 and W1. */

typedef struct comparison {
    const lit_suffix *suffixes;
    uint8_t width;
    uint32_t bits;
    uint32_t count;      /* 1, or 2 for a pair */
    uint8_t expected[2]; /* registers, and their values */
    uint8_t wanted[2];
    uint8_t replacement[2]; /* registers */
    uint8_t where[2];
} comparison;

typedef enum ending { SUCCEEDS, WRITES_BACK, ONLY_READS } ending;

static bool is_lost(const comparison *c) {
    return c->count == 1 && c->expected[0] == LIT_ARM_ZERO;
}

static void mark_compared(lit_reader *line, const comparison *c, ending how) {
    if (how != ONLY_READS) {
        mark_read(line, c->suffixes, is_lost(c));
        return;
    }
    if (is_lost(c) || (c->suffixes->order & COL_ACQUIRE) != 0)
        lit_mark(line, is_lost(c) ? CAT_NO_RETURN : CAT_A);
    if (is_lost(c))
        lit_mark(line, CAT_X);
}

/* Reads, and assumes that all are as expected, or that one is not. Returns the comparison. */
static uint8_t compare(lit_reader *line, const comparison *c, ending how, uint8_t old[2]) {
    uint8_t result = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        old[i] = lit_read(line, c->where[i], c->bits);
        mark_compared(line, c, how);
    }
    for (uint32_t i = 0; i < c->count; i++) {
        const uint8_t one =
            lit_compute(line, how == SUCCEEDS ? LIT_EQUAL : LIT_NOT_EQUAL, old[i], c->wanted[i]);
        result = i == 0 ? one : lit_compute(line, how == SUCCEEDS ? LIT_AND : LIT_OR, result, one);
    }
    lit_assume(line, result);
    return result;
}

static void put_all(lit_reader *line, const comparison *c, const uint8_t values[2]) {
    for (uint32_t i = 0; i < c->count; i++)
        put(line, c->expected[i], values[i], c->width);
}

static void write_all(lit_reader *line, const comparison *c, const uint8_t values[2]) {
    for (uint32_t i = 0; i < c->count; i++) {
        (void)lit_write(line, c->where[i], values[i], c->bits);
        mark_write(line, c->suffixes);
    }
}

/* It succeeds. What depends on W0 then depends on the read, or on W0 and the comparison. */
static void succeed(lit_reader *line, const comparison *c) {
    uint8_t old[2] = {0}, values[2] = {0};
    const uint8_t is_equal = compare(line, c, SUCCEEDS, old);
    for (uint32_t i = 0; i < c->count; i++)
        values[i] = get(line, c->replacement[i], c->width, LIT_DATA_PORT);
    const uint32_t from_read = lit_open(line, LIT_EITHER, 0);
    put_all(line, c, old);
    lit_commit(line, is_equal);
    const uint32_t from_register = lit_otherwise(line, from_read);
    lit_commit(line, is_equal);
    put_all(line, c, c->wanted);
    lit_close(line, from_register);
    write_all(line, c, values);
}

/* It fails, and may write what was there once more. If not, W0 may depend on the comparison. */
static void fail(lit_reader *line, const comparison *c, ending how) {
    uint8_t old[2] = {0};
    const uint8_t differs = compare(line, c, how, old);
    if (how == WRITES_BACK) {
        put_all(line, c, old);
        lit_commit(line, differs);
        write_all(line, c, old);
        return;
    }
    const uint32_t depends = lit_open(line, LIT_EITHER, 0);
    lit_commit(line, differs);
    put_all(line, c, old);
    const uint32_t otherwise = lit_otherwise(line, depends);
    put_all(line, c, old);
    lit_commit(line, differs);
    lit_close(line, otherwise);
}

static void read_registers(lit_reader *line, uint32_t count, uint8_t registers[2], uint8_t *width) {
    for (uint32_t i = 0; i < count; i++) {
        registers[i] = lit_next_target(line, i == 0 ? width : NULL);
    }
}

static void assemble_compare(lit_reader *line, const lit_suffix *s, uint32_t count) {
    comparison c = {.suffixes = s, .count = count};
    read_registers(line, count, c.expected, &c.width);
    read_registers(line, count, c.replacement, NULL);
    c.bits = s->bits == 0 ? c.width : s->bits;
    for (uint32_t i = 0; i < count; i++) {
        c.wanted[i] = get(line, c.expected[i], c.width, LIT_DATA_PORT);
        c.wanted[i] = lit_cut(line, LIT_TRUNCATE, c.wanted[i], c.bits);
    }
    const address a = read_address(line);
    c.where[0] = a.where;
    if (count == 2)
        c.where[1] = behind(line, a.where, c.bits);
    const uint32_t success = lit_open(line, LIT_EITHER, 0);
    succeed(line, &c);
    const uint32_t failure = lit_otherwise(line, success);
    const uint32_t writes = lit_open(line, LIT_EITHER, 0);
    fail(line, &c, WRITES_BACK);
    const uint32_t only_reads = lit_otherwise(line, writes);
    fail(line, &c, ONLY_READS);
    lit_close(line, only_reads);
    lit_close(line, failure);
}

static bool assemble_atomic(lit_reader *line) {
    static const struct {
        const char *name;
        uint8_t operator_;
    } updates[] = {{"add", LIT_ADD},
                   {"clr", LIT_AND_NOT},
                   {"eor", LIT_XOR},
                   {"set", LIT_OR},
                   {"smax", LIT_MAXIMUM},
                   {"smin", LIT_MINIMUM},
                   {"umax", LIT_MAXIMUM_UNSIGNED},
                   {"umin", LIT_MINIMUM_UNSIGNED}};
    static const lit_suffix suffixes[] = {
        {"a", 0, COL_ACQUIRE}, {"l", 0, COL_RELEASE}, {"b", 8, 0}, {"h", 16, 0}, {0}};
    const char *name = line->made->mnemonic;
    const bool is_load = strncmp(name, "ld", 2) == 0, is_store = strncmp(name, "st", 2) == 0;
    lit_suffix s;
    if (lit_has_name(name, "cas", suffixes, &s)) {
        assemble_compare(line, &s, 1);
        return true;
    }
    if (lit_has_name(name, "casp", suffixes, &s) && s.bits == 0) {
        assemble_compare(line, &s, 2);
        return true;
    }
    if (lit_has_name(name, "swp", suffixes, &s)) {
        assemble_update(line, LIT_SECOND, &s, true);
        return true;
    }
    for (size_t i = 0; (is_load || is_store) && i < sizeof updates / sizeof updates[0]; i++)
        if (lit_has_name(name + 2, updates[i].name, suffixes, &s)) {
            assemble_update(line, (lit_operator)updates[i].operator_, &s, is_load);
            return true;
        }
    return false;
}

/* ---- The whole. */

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
        put(line, target, lit_cut(line, e->how, source, e->bits), bits);
    } else if (s != NULL) {
        assemble_selection(line, s);
    } else if (!assemble_branch(line) && !assemble_fence(line) && !assemble_nothing(line) &&
               !assemble_memory(line) && !assemble_atomic(line)) {
        lit_refuse_name(line);
    }
}
