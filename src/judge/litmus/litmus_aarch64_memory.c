/* SPDX-License-Identifier: MIT */
/* AArch64: loads, stores, exclusives and atomics. An atomic is a read and a write. */
#include "cat/names.h"
#include "litmus/aarch64.h"

#include <string.h>

/* ---- Addresses. */

typedef struct address {
    uint8_t where;     /* the address that is accessed */
    uint8_t base;      /* register */
    uint8_t changed;   /* what it becomes afterwards */
    bool changes_base; /* [X1],#4 or [X1,#4]! */
} address;

static address read_address(lit_line *line) {
    address a = {0};
    lit_line_expect(line, '[');
    a.base = lit_line_register(line, NULL);
    a.where = lit_arm_get(line, a.base, 64, LIT_ADDRESS_PORT);
    if (lit_line_take(line, ']')) {
        if (!lit_line_take(line, ','))
            return a;
        a.changes_base = true;
        a.changed = lit_compute_by(line, LIT_ADD, a.where, lit_line_number(line));
        return a;
    }
    lit_line_expect(line, ',');
    uint8_t offset, bits = 64;
    if (lit_line_is_register(line)) {
        const uint8_t index = lit_line_register(line, &bits);
        offset = lit_arm_shifted(line, lit_arm_get(line, index, bits, LIT_ADDRESS_PORT), 64);
    } else {
        offset = lit_constant(line, lit_line_number(line));
    }
    lit_line_expect(line, ']');
    a.where = lit_compute(line, LIT_ADD, a.where, offset);
    a.changes_base = lit_line_take(line, '!');
    a.changed = a.where;
    return a;
}

static void finish_address(lit_line *line, const address *a) {
    if (a->changes_base)
        lit_arm_put(line, a->base, a->changed, 64);
}

/* ---- Loads and stores: the row says how many bits; 0: those of the register. */

typedef struct row {
    const char *name;
    uint8_t bits;
    bool is_signed;
    uint8_t set; /* A, Q, L or LIT_NO_SET */
    bool is_exclusive;
} row;

static const row loads[] = {
    {"ldr", 0, false, LIT_NO_SET, false},    {"ldrb", 8, false, LIT_NO_SET, false},
    {"ldrh", 16, false, LIT_NO_SET, false},  {"ldrsb", 8, true, LIT_NO_SET, false},
    {"ldrsh", 16, true, LIT_NO_SET, false},  {"ldrsw", 32, true, LIT_NO_SET, false},
    {"ldur", 0, false, LIT_NO_SET, false},   {"ldurb", 8, false, LIT_NO_SET, false},
    {"ldurh", 16, false, LIT_NO_SET, false}, {"ldar", 0, false, CAT_A, false},
    {"ldarb", 8, false, CAT_A, false},       {"ldarh", 16, false, CAT_A, false},
    {"ldapr", 0, false, CAT_Q, false},       {"ldaprb", 8, false, CAT_Q, false},
    {"ldaprh", 16, false, CAT_Q, false},     {"ldapur", 0, false, CAT_Q, false},
    {"ldxr", 0, false, LIT_NO_SET, true},    {"ldxrb", 8, false, LIT_NO_SET, true},
    {"ldxrh", 16, false, LIT_NO_SET, true},  {"ldaxr", 0, false, CAT_A, true},
    {"ldaxrb", 8, false, CAT_A, true},       {"ldaxrh", 16, false, CAT_A, true}};

static const row stores[] = {
    {"str", 0, false, LIT_NO_SET, false},   {"strb", 8, false, LIT_NO_SET, false},
    {"strh", 16, false, LIT_NO_SET, false}, {"stur", 0, false, LIT_NO_SET, false},
    {"sturb", 8, false, LIT_NO_SET, false}, {"sturh", 16, false, LIT_NO_SET, false},
    {"stlr", 0, false, CAT_L, false},       {"stlrb", 8, false, CAT_L, false},
    {"stlrh", 16, false, CAT_L, false},     {"stlur", 0, false, CAT_L, false},
    {"stxr", 0, false, LIT_NO_SET, true},   {"stxrb", 8, false, LIT_NO_SET, true},
    {"stxrh", 16, false, LIT_NO_SET, true}, {"stlxr", 0, false, CAT_L, true},
    {"stlxrb", 8, false, CAT_L, true},      {"stlxrh", 16, false, CAT_L, true}};

static void mark(lit_line *line, const row *r) {
    if (r->set != LIT_NO_SET)
        lit_mark(line, r->set);
    if (r->is_exclusive)
        lit_mark(line, CAT_EX);
}

/* An exclusive store must have the address and the size of the load. */
static uint8_t with_size(lit_line *line, uint8_t where, uint32_t bits) {
    return lit_compute_by(line, LIT_ADD, where, (uint64_t)bits << 56);
}

static void assemble_load(lit_line *line, const row *r) {
    uint8_t width = 64;
    const uint8_t target = lit_line_register(line, &width);
    lit_line_expect(line, ',');
    const address a = read_address(line);
    const uint32_t bits = r->bits == 0 ? width : r->bits;
    if (r->is_exclusive)
        lit_put(line, LIT_ARM_RESERVATION, with_size(line, a.where, bits));
    uint8_t value = lit_read(line, a.where, bits);
    mark(line, r);
    if (r->is_signed)
        value = lit_compute_by(line, LIT_SIGN_EXTEND, value, bits);
    lit_arm_put(line, target, value, width);
    finish_address(line, &a);
}

static void assemble_store(lit_line *line, const row *r) {
    uint8_t width = 64;
    const uint8_t result = r->is_exclusive ? lit_line_register(line, NULL) : 0;
    if (r->is_exclusive)
        lit_line_expect(line, ',');
    const uint8_t source = lit_line_register(line, &width);
    const uint8_t value = lit_arm_get(line, source, width, LIT_DATA_PORT);
    lit_line_expect(line, ',');
    const address a = read_address(line);
    const uint32_t bits = r->bits == 0 ? width : r->bits;
    if (!r->is_exclusive) {
        (void)lit_write(line, a.where, value, bits);
        mark(line, r);
        finish_address(line, &a);
        return;
    }
    /* It fails, or it stores: at the address of the last exclusive load alone. */
    const uint8_t reserved = lit_get(line, LIT_ARM_RESERVATION, LIT_NO_PORT);
    lit_put(line, LIT_ARM_RESERVATION, lit_constant(line, 0));
    const uint32_t success = lit_open(line, LIT_TRY, 0);
    lit_assume(line, lit_compute(line, LIT_EQUAL, with_size(line, a.where, bits), reserved));
    (void)lit_write(line, a.where, value, bits);
    mark(line, r);
    lit_arm_put(line, result, lit_constant(line, 0), 32);
    const uint32_t failure = lit_otherwise(line, success);
    lit_arm_put(line, result, lit_constant(line, 1), 32);
    lit_close(line, failure);
}

/* ---- Pairs: two accesses, one behind the other. */

static const struct {
    const char *name;
    bool loads, is_signed;
} pairs[] = {{"ldp", true, false},
             {"ldnp", true, false},
             {"ldpsw", true, true},
             {"stp", false, false},
             {"stnp", false, false}};

static uint8_t behind(lit_line *line, uint8_t where, uint32_t bits) {
    return lit_compute_by(line, LIT_ADD, where, bits / 8);
}

static void assemble_load_pair(lit_line *line, bool is_signed) {
    uint8_t width = 64;
    const uint8_t first = lit_line_register(line, &width);
    lit_line_expect(line, ',');
    const uint8_t second = lit_line_register(line, NULL);
    lit_line_expect(line, ',');
    const address a = read_address(line);
    const uint32_t bits = is_signed ? 32 : width;
    uint8_t values[2] = {lit_read(line, a.where, bits), 0};
    values[1] = lit_read(line, behind(line, a.where, bits), bits);
    for (uint32_t i = 0; i < 2; i++) {
        if (is_signed)
            values[i] = lit_compute_by(line, LIT_SIGN_EXTEND, values[i], bits);
        lit_arm_put(line, i == 0 ? first : second, values[i], width);
    }
    finish_address(line, &a);
}

static void assemble_store_pair(lit_line *line) {
    uint8_t width = 64, values[2];
    const uint8_t first = lit_line_register(line, &width);
    values[0] = lit_arm_get(line, first, width, LIT_DATA_PORT);
    lit_line_expect(line, ',');
    values[1] = lit_arm_get(line, lit_line_register(line, NULL), width, LIT_DATA_PORT);
    lit_line_expect(line, ',');
    const address a = read_address(line);
    (void)lit_write(line, a.where, values[0], width);
    (void)lit_write(line, behind(line, a.where, width), values[1], width);
    finish_address(line, &a);
}

static bool assemble_pair(lit_line *line) {
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (strcmp(pairs[i].name, line->mnemonic) != 0)
            continue;
        if (pairs[i].loads)
            assemble_load_pair(line, pairs[i].is_signed);
        else
            assemble_store_pair(line);
        return true;
    }
    return false;
}

bool lit_assemble_arm_memory(lit_line *line) {
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++)
        if (strcmp(loads[i].name, line->mnemonic) == 0) {
            assemble_load(line, &loads[i]);
            return true;
        }
    for (size_t i = 0; i < sizeof stores / sizeof stores[0]; i++)
        if (strcmp(stores[i].name, line->mnemonic) == 0) {
            assemble_store(line, &stores[i]);
            return true;
        }
    return assemble_pair(line);
}

/* ---- Atomics: a name, then a and l, then b or h. */

typedef struct suffixes {
    bool acquires, releases;
    uint32_t bits; /* 0: those of the register */
} suffixes;

static bool has_name(const char *mnemonic, const char *name, suffixes *s) {
    const size_t length = strlen(name);
    *s = (suffixes){0};
    if (strncmp(mnemonic, name, length) != 0)
        return false;
    const char *p = mnemonic + length;
    if (*p == 'a') {
        s->acquires = true;
        p++;
    }
    if (*p == 'l') {
        s->releases = true;
        p++;
    }
    if (*p == 'b' || *p == 'h')
        s->bits = *p++ == 'b' ? 8 : 16;
    return *p == '\0';
}

static void mark_read(lit_line *line, const suffixes *s, bool is_lost) {
    lit_mark(line, CAT_X);
    lit_mark(line, CAT_RMW);
    if (is_lost)
        lit_mark(line, CAT_NO_RETURN);
    else if (s->acquires)
        lit_mark(line, CAT_A);
}

static void mark_write(lit_line *line, const suffixes *s) {
    lit_mark(line, CAT_X);
    lit_mark(line, CAT_RMW);
    if (s->releases)
        lit_mark(line, CAT_L);
}

/* swp W0,W1,[X2]; ldadd W0,W1,[X2]; stadd W0,[X2]. */
static void assemble_update(lit_line *line, lit_operator operator_, const suffixes *s,
                            bool has_target) {
    uint8_t width = 64, target = LIT_ARM_ZERO;
    const uint8_t source = lit_line_register(line, &width);
    lit_line_expect(line, ',');
    if (has_target) {
        target = lit_line_register(line, NULL);
        lit_line_expect(line, ',');
    }
    const uint8_t given = lit_arm_get(line, source, width, LIT_DATA_PORT);
    const address a = read_address(line);
    const uint32_t bits = s->bits == 0 ? width : s->bits;
    const bool is_signed = operator_ == LIT_MINIMUM || operator_ == LIT_MAXIMUM;
    const uint8_t old = lit_read(line, a.where, bits);
    mark_read(line, s, target == LIT_ARM_ZERO);
    uint8_t first = old, second = given;
    if (is_signed) {
        first = lit_compute_by(line, LIT_SIGN_EXTEND, first, bits);
        second = lit_compute_by(line, LIT_SIGN_EXTEND, second, bits);
    } else if (bits < 64) {
        second = lit_compute_by(line, LIT_TRUNCATE, second, bits);
    }
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
    const suffixes *suffixes;
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

static void mark_compared(lit_line *line, const comparison *c, ending how) {
    if (how != ONLY_READS) {
        mark_read(line, c->suffixes, is_lost(c));
        return;
    }
    if (is_lost(c) || c->suffixes->acquires)
        lit_mark(line, is_lost(c) ? CAT_NO_RETURN : CAT_A);
    if (is_lost(c))
        lit_mark(line, CAT_X);
}

/* Reads, and assumes that all are as expected, or that one is not. Returns the comparison. */
static uint8_t compare(lit_line *line, const comparison *c, ending how, uint8_t old[2]) {
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

static void put_all(lit_line *line, const comparison *c, const uint8_t values[2]) {
    for (uint32_t i = 0; i < c->count; i++)
        lit_arm_put(line, c->expected[i], values[i], c->width);
}

static void write_all(lit_line *line, const comparison *c, const uint8_t values[2]) {
    for (uint32_t i = 0; i < c->count; i++) {
        (void)lit_write(line, c->where[i], values[i], c->bits);
        mark_write(line, c->suffixes);
    }
}

/* It succeeds. What depends on W0 then depends on the read, or on W0 and the comparison. */
static void succeed(lit_line *line, const comparison *c) {
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
static void fail(lit_line *line, const comparison *c, ending how) {
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

static void read_registers(lit_line *line, uint32_t count, uint8_t registers[2], uint8_t *width) {
    for (uint32_t i = 0; i < count; i++) {
        registers[i] = lit_line_register(line, i == 0 ? width : NULL);
        lit_line_expect(line, ',');
    }
}

static void assemble_compare(lit_line *line, const suffixes *s, uint32_t count) {
    comparison c = {.suffixes = s, .count = count};
    read_registers(line, count, c.expected, &c.width);
    read_registers(line, count, c.replacement, NULL);
    c.bits = s->bits == 0 ? c.width : s->bits;
    for (uint32_t i = 0; i < count; i++) {
        c.wanted[i] = lit_arm_get(line, c.expected[i], c.width, LIT_DATA_PORT);
        if (c.bits < c.width)
            c.wanted[i] = lit_compute_by(line, LIT_TRUNCATE, c.wanted[i], c.bits);
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

bool lit_assemble_arm_atomic(lit_line *line) {
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
    suffixes s;
    if (has_name(line->mnemonic, "cas", &s)) {
        assemble_compare(line, &s, 1);
        return true;
    }
    if (has_name(line->mnemonic, "casp", &s) && s.bits == 0) {
        assemble_compare(line, &s, 2);
        return true;
    }
    if (has_name(line->mnemonic, "swp", &s)) {
        assemble_update(line, LIT_SECOND, &s, true);
        return true;
    }
    const bool has_target = strncmp(line->mnemonic, "ld", 2) == 0;
    for (size_t i = 0; i < sizeof updates / sizeof updates[0]; i++) {
        if ((!has_target && strncmp(line->mnemonic, "st", 2) != 0) ||
            !has_name(line->mnemonic + 2, updates[i].name, &s))
            continue;
        assemble_update(line, (lit_operator)updates[i].operator_, &s, has_target);
        return true;
    }
    return false;
}
