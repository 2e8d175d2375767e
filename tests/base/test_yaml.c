/* SPDX-License-Identifier: MIT */
/* A YAML file that is small does not take long, however it is nested or repeats itself. */
#include "base/text.h"
#include "base/yaml.h"
#include "harness.h"

#include <string.h>

static void repeat(base_text *text, const char *part, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        base_text_add(text, part);
}

static void assert_refused(const base_text *text, uint32_t line, uint32_t column,
                           const char *says) {
    base_yaml yaml;
    col_problem problem = {0};
    assert_int_equal(base_yaml_read(&yaml, text->data, text->length, "f.yaml", &problem),
                     COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, says));
    assert_int_equal(problem.line, line);
    assert_int_equal(problem.column, column);
}

static void assert_taken(const base_text *text) {
    base_yaml yaml;
    col_problem problem = {0};
    assert_int_equal(base_yaml_read(&yaml, text->data, text->length, "f.yaml", &problem), COL_OK);
    base_yaml_free(&yaml);
}

/* Forty thousand brackets took ten seconds. */
TEST(depth_is_bounded) {
    static const char *const opens[] = {"[", "{a: ", "- ", "? "};
    for (size_t i = 0; i < sizeof opens / sizeof opens[0]; i++) {
        base_text text = {0};
        base_text_add(&text, "# comment\n");
        repeat(&text, opens[i], 40000);
        assert_refused(&text, 2, 64 * (uint32_t)strlen(opens[i]) + 1, "deeper than 64 levels");
        base_text_free(&text);
    }
    base_text text = {0};
    repeat(&text, "[", 64);
    repeat(&text, "]", 64);
    assert_taken(&text);
    base_text_free(&text);
}

TEST(aliases_are_bounded) {
    base_text text = {0};
    base_text_add(&text, "a: &a [x]\nb:\n");
    repeat(&text, "- *a\n", 1000);
    assert_taken(&text);
    base_text_add(&text, "- *a\n");
    assert_refused(&text, 1003, 3, "at most 1000 aliases");
    base_text_free(&text);
}

static col_status take(const base_entry *entry, void *target) {
    ++*(uint32_t *)target;
    return COL_OK;
}

TEST(keys_are_bounded) {
    for (uint32_t count = 4096; count <= 4097; count++) {
        base_text text = {0};
        base_yaml yaml;
        col_problem problem = {0};
        uint32_t taken = 0;
        for (uint32_t i = 0; i < count; i++)
            base_text_print(&text, "k%u: 1\n", i);
        assert_int_equal(base_yaml_read(&yaml, text.data, text.length, "f.yaml", &problem), COL_OK);
        const col_status status =
            base_yaml_each(&yaml, base_yaml_root(&yaml), "a map", take, &taken);
        assert_int_equal(status, count == 4096 ? COL_OK : COL_BAD_INPUT);
        assert_int_equal(taken, count == 4096 ? count : 0);
        base_yaml_free(&yaml);
        base_text_free(&text);
    }
}

TEST(size_is_bounded) {
    enum { MOST = 16 << 20 };
    base_text text = {0};
    repeat(&text, "#0123456789abcde", MOST / 16);
    base_text_add(&text, "#");
    assert_refused(&text, 1, 1, "at most 16 MiB");
    base_text_free(&text);
}
