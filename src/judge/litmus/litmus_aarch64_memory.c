/* SPDX-License-Identifier: MIT */
/* AArch64: loads, stores, exclusives and atomics. An atomic is a read and a write. */
#include "judge/litmus/litmus_assembler.h"

#include <string.h>

/* ---- Addresses. */

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
    a.where = lit_arm_get(line, a.base, 64, LIT_ADDRESS_PORT);
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
        offset = lit_arm_shifted(line, lit_arm_get(line, index, bits, LIT_ADDRESS_PORT), 64);
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
        lit_arm_put(line, a->base, a->changed, 64);
}

/* ---- Loads and stores. */

enum { SUFFIX, REGISTER }; /* how many bits: as b, h or else the register says; as it alone does */

typedef struct row {
    const char *name;
    uint8_t bits;
    bool is_signed;
    uint8_t set; /* A, Q, L or LIT_NO_SET */
    bool is_exclusive;
} row;

static const row loads[] = {
    {"ldr", SUFFIX, false, LIT_NO_SET, false},  {"ldrsb", 8, true, LIT_NO_SET, false},
    {"ldrsh", 16, true, LIT_NO_SET, false},     {"ldrsw", 32, true, LIT_NO_SET, false},
    {"ldur", SUFFIX, false, LIT_NO_SET, false}, {"ldar", SUFFIX, false, CAT_A, false},
    {"ldapr", SUFFIX, false, CAT_Q, false},     {"ldapur", REGISTER, false, CAT_Q, false},
    {"ldxr", SUFFIX, false, LIT_NO_SET, true},  {"ldaxr", SUFFIX, false, CAT_A, true},
};

static const row stores[] = {
    {"str", SUFFIX, false, LIT_NO_SET, false}, {"stur", SUFFIX, false, LIT_NO_SET, false},
    {"stlr", SUFFIX, false, CAT_L, false},     {"stlur", REGISTER, false, CAT_L, false},
    {"stxr", SUFFIX, false, LIT_NO_SET, true}, {"stlxr", SUFFIX, false, CAT_L, true},
};

/* The row that the mnemonic names; `bits` are those that its suffix says, 0 without. */
static const row *find(const lit_reader *line, const row *rows, size_t count, uint8_t *bits) {
    static const lit_suffix suffixes[] = {{"b", 8, 0}, {"h", 16, 0}, {0}};
    lit_suffix suffix;
    for (const row *r = rows; r < rows + count; r++)
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

static void assemble_load(lit_reader *line, const row *r, uint32_t bits) {
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
    lit_arm_put(line, target, value, width);
    finish_address(line, &a);
}

static void assemble_store(lit_reader *line, const row *r, uint32_t bits) {
    uint8_t width = 64, result = 0;
    if (r->is_exclusive) {
        result = lit_next_target(line, NULL);
    }
    const uint8_t source = lit_next_register(line, &width);
    const uint8_t value = lit_arm_get(line, source, width, LIT_DATA_PORT);
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
            values[i] = lit_arm_get(line, registers[i], width, LIT_DATA_PORT);
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
        lit_arm_put(line, registers[i], values[i], width);
    }
    finish_address(line, &a);
}

bool lit_assemble_arm_memory(lit_reader *line) {
    uint8_t bits = 0;
    const row *load = find(line, loads, sizeof loads / sizeof loads[0], &bits);
    const row *store = find(line, stores, sizeof stores / sizeof stores[0], &bits);
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
    const uint8_t given = lit_arm_get(line, source, width, LIT_DATA_PORT);
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
    lit_arm_put(line, target, old, width);
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
        lit_arm_put(line, c->expected[i], values[i], c->width);
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
        values[i] = lit_arm_get(line, c->replacement[i], c->width, LIT_DATA_PORT);
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
        c.wanted[i] = lit_arm_get(line, c.expected[i], c.width, LIT_DATA_PORT);
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

bool lit_assemble_arm_atomic(lit_reader *line) {
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
