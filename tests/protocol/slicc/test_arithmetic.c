/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic is what docs/slicc.md says, for every operand: compiled expressions are compared with
 * integers of 128 bits, in which nothing overflows. Operands are at the ends of the range, at
 * powers of two, and random.
 */
#include "base/file.h"
#include "base/random.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */
#include "protocol/slicc/slicc_helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

enum { PAIRS = 300 };

/* ---- The oracle. */

static wide floor_of(wide a, wide power) {
    return a >= 0 ? a / power : -((-a + power - 1) / power);
}

/* SLICC keeps its types apart: numbers of cycles are the natural ones that all operators take, and
 * only an int is negated and says how far to shift. */
typedef struct kind {
    const char *name, *type, *maker;
} kind;

static const kind kinds[] = {{"signed", "int", ""}, {"natural", "Cycles", "intToCycles"}};

static void add_literal(const kind *k, wide value, base_text *text) {
    base_text_print(text, ", %s(%llu)", k->maker, (unsigned long long)value);
}

/* A call that says whether all results are as expected: numbers as their 64 bits. */
static void add_call(const kind *k, bool divides, wide a, wide b, base_text *text) {
    const wide power = (wide)1 << (b & 63);
    const wide results[] = {a + b, a - b, a * power,           floor_of(a, power),
                            a + 1, a - 1, divides ? a / b : 0, divides ? a % b : 0};
    base_text_print(text, "    assert(%s%s(%llu, %llu, %d, %d", k->name, divides ? "" : "_by_zero",
                    (unsigned long long)(b & 63), (unsigned long long)-a, a < b, a == b);
    add_literal(k, a, text);
    add_literal(k, b, text);
    for (size_t i = 0; i < sizeof results / sizeof results[0] - (divides ? 0 : 2); i++)
        add_literal(k, results[i], text);
    base_text_add(text, "));\n");
}

/* ---- The protocol. */

static void add_function(const kind *k, bool divides, base_text *text) {
    static const char *const values[] = {"a",     "b",  "sum",  "difference", "left",
                                         "right", "up", "down", "quotient",   "remainder"};
    base_text_print(text, "  bool %s%s(int shift, int negative, int less, int same", k->name,
                    divides ? "" : "_by_zero");
    for (size_t i = 0; i < (divides ? 10 : 8); i++)
        base_text_print(text, ", %s %s", k->type, values[i]);
    base_text_print(text,
                    ") {\n    %s u := a;\n    ++u;\n    %s d := a;\n    --d;\n"
                    "    return a + b == sum && a - b == difference && a << shift == left && "
                    "a >> shift == right && u == up && d == down && (a < b) == (less == 1) && "
                    "(a == b) == (same == 1)%s%s;\n  }\n",
                    k->type, k->type, strcmp(k->type, "int") == 0 ? " && -a == negative" : "",
                    divides ? " && a / b == quotient && a % b == remainder" : "");
}

static uint64_t operand(base_rng *rng) {
    static const uint64_t ends[] = {
        0,         1,          2,          3,         63,         64,         65,
        INT64_MAX, 1ull << 63, UINT64_MAX, INT32_MAX, 1ull << 32, UINT32_MAX, UINT64_MAX - 1};
    const uint64_t chance = base_rng_next(rng);
    switch (chance % 4) {
    case 0:
        return chance >> 2;
    case 1:
        return (UINT64_C(1) << (chance >> 2 & 63)) - (chance >> 60 & 1);
    default:
        return ends[(chance >> 8) % (sizeof ends / sizeof ends[0])];
    }
}

static void write_protocol(const char *path) {
    base_text text = {0};
    base_rng rng;
    col_problem problem;
    base_rng_seed(&rng, 1, 0);
    base_text_add(&text,
                  "machine(MachineType:L1Cache, \"L1\") : Sequencer * sequencer; CacheMemory * "
                  "cache; MessageBuffer * mandatoryQueue; {\n  include \"frame.sm\";\n");
    for (int divides = 0; divides < 2; divides++) {
        add_function(&kinds[0], divides == 1, &text);
        add_function(&kinds[1], divides == 1, &text);
    }
    base_text_add(&text, "  action(check, \"c\") {\n");
    for (int i = 0; i < PAIRS; i++) {
        const uint64_t a = operand(&rng), b = operand(&rng);
        add_call(&kinds[0], b != 0, (int64_t)a, (int64_t)b, &text);
        add_call(&kinds[1], b != 0, a, b, &text);
    }
    base_text_add(&text, "  }\n  transition({I, M}, Load, M) { take; check; load; pop; }\n}\n");
    assert_int_equal(base_file_write(path, text.data, text.length, &problem), COL_OK);
    base_text_free(&text);
}

static void results_are_those_of_wide_integers(void **state) {
    (void)state;
    static const char source[] = "collider program 1\nlocation a0 0x40\nthread 0\n load a0\nend\n";
    char path[256];
    sim_plugin plugin;
    base_text said = {0};
    (void)snprintf(path, sizeof path, "%s/arithmetic.sm", cache_folder());
    write_protocol(path);
    compile(path, &plugin);
    run_program(plugin.protocol, source, &said);
    assert_string_equal(said.data, "ok");
    base_text_free(&said);
    sim_plugin_close(&plugin);
}

static int make_folder(void **state) {
    return setenv("COLLIDER_OPTIMISATION", "-O2", 1) != 0 ? -1 : make_cache(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_wide_integers),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_cache);
}
