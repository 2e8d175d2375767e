/* SPDX-License-Identifier: MIT */
/* Mutations of a protocol's source: which there are, and that each changes just what it says. */
#include "protocol/slicc/translate.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <string.h>

static const char path[] = TEST_DATA "/slicc-mutate/counts.sm";

/* Translates with one mutation made, and lists all. */
static void translate(uint32_t wanted, slicc_mutations *m, base_text *c) {
    char name[SLICC_MOST_NAME];
    base_text complaints = {0};
    col_problem problem;
    *m = (slicc_mutations){.wanted = wanted};
    if (slicc_translate(path, m, c, name, &complaints, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    base_text_free(&complaints);
}

/* Types decide: of the protocol's file these, and no more. */
static void mutations_follow_from_types(void **state) {
    (void)state;
    static const char *const expected[] = {
        "count action count 53: missing := missing - 1 - (limit - 2) -> "
        "missing := missing - 1 - (limit - 2) + 1",
        "count action count 53: missing := missing - 1 - (limit - 2) -> "
        "missing := missing - 1 - (limit - 2) - 1",
        "count action count 56: ++missing -> ++missing + 1",
        "count action count 56: ++missing -> ++missing - 1",
        "condition in_port mandatory_in 44: mandatory_in.isReady(clockEdge()) -> "
        "!(mandatory_in.isReady(clockEdge()))",
        "condition function choose 33: missing + answers >= limit -> !(missing + answers >= limit)",
        "condition function choose 33: missing + answers >= limit -> missing + answers >= limit + "
        "1",
        "condition function choose 33: missing + answers >= limit -> missing + answers >= limit - "
        "1",
        "condition function choose 36: type == RubyRequestType:ST -> !(type == RubyRequestType:ST)",
    };
    const size_t count = sizeof expected / sizeof expected[0];
    slicc_mutations m;
    base_text c = {0};
    translate(0, &m, &c);
    for (size_t i = 0; i < count && i < m.count; i++) {
        char text[512];
        (void)snprintf(text, sizeof text, "%s %s %s %u: %s -> %s",
                       m.list[i].kind == SLICC_MUTATED_COUNT ? "count" : "condition",
                       m.list[i].within, m.list[i].name, m.list[i].line, m.list[i].before,
                       m.list[i].after);
        assert_string_equal(text, expected[i]);
        assert_string_equal(m.list[i].machine, "L1Cache");
        assert_string_equal(m.list[i].file, path);
        assert_true(m.list[i].column > 0);
    }
    assert_int_equal(m.count, count);
    slicc_mutations_free(&m);
    base_text_free(&c);
}

static size_t line_length(const char *line) {
    return strcspn(line, "\n");
}

/* The only line in which the texts differ; NULL: none. */
static const char *changed_line(const char *before, const char *after) {
    const char *changed = NULL;
    while (*before != '\0' && *after != '\0') {
        const size_t a = line_length(before), b = line_length(after);
        if (a != b || memcmp(before, after, a) != 0) {
            assert_null(changed);
            changed = after;
        }
        before += a + (before[a] != '\0');
        after += b + (after[b] != '\0');
    }
    assert_int_equal(*before, *after);
    return changed;
}

#define ARITHMETIC(a, operator, b) "((int64_t)((uint64_t)(" a ") " operator" (uint64_t)(" b ")))"
#define SUM ARITHMETIC("c->m_missing", "+", "v_answers")
#define DIFFERENCE                                                                                 \
    ARITHMETIC(ARITHMETIC("c->m_missing", "-", "1"), "-", ARITHMETIC("c->m_limit", "-", "2"))

static void each_mutation_changes_one_line_of_code(void **state) {
    (void)state;
    static const char *const expected[] = {
        "c->m_missing = ((int64_t)((uint64_t)(" DIFFERENCE ") + 1));",
        "c->m_missing = ((int64_t)((uint64_t)(" DIFFERENCE ") - 1));",
        "((int64_t)(*(uint64_t *)&(c->m_missing) += (uint64_t)(2)));",
        "((int64_t)(*(uint64_t *)&(c->m_missing) += (uint64_t)(0)));",
        "if (!(sl_is_ready((c->m_mandatoryQueue)))) {",
        "if (!(((" SUM ") >= (c->m_limit)))) {",
        "if (((" SUM ") >= ((int64_t)((uint64_t)(c->m_limit) + 1)))) {",
        "if (((" SUM ") >= ((int64_t)((uint64_t)(c->m_limit) - 1)))) {",
        "if (!(((v_type) == (sm_value_RubyRequestType_ST)))) {",
    };
    slicc_mutations m;
    base_text plain = {0}, untouched = {0}, complaints = {0};
    char name[SLICC_MOST_NAME];
    assert_int_equal(slicc_translate(path, NULL, &plain, name, &complaints, NULL), COL_OK);
    translate(0, &m, &untouched);
    assert_string_equal(plain.data, untouched.data);
    const size_t count = m.count;
    slicc_mutations_free(&m);
    for (uint32_t wanted = 1; wanted <= count; wanted++) {
        base_text c = {0};
        translate(wanted, &m, &c);
        const char *line = changed_line(plain.data, c.data);
        assert_non_null(line);
        char text[256] = "";
        memcpy(text, line, line_length(line) < sizeof text ? line_length(line) : 0);
        assert_string_equal(text, expected[wanted - 1]);
        slicc_mutations_free(&m);
        base_text_free(&c);
    }
    base_text_free(&plain);
    base_text_free(&untouched);
    base_text_free(&complaints);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(mutations_follow_from_types),
                                       cmocka_unit_test(each_mutation_changes_one_line_of_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
