/* SPDX-License-Identifier: MIT */
/* A YAML file that is small does not take long, however it is nested or repeats itself. */
#include "base/text.h"
#include "base/yaml.h"
#include "harness.h"

#include <string.h>

static void repeat(col_text *text, const char *part, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        col_text_add(text, part);
}

static void assert_refused(const col_text *text, uint32_t line, uint32_t column, const char *says) {
    col_yaml yaml;
    col_error error = {0};
    assert_int_equal(col_yaml_read(&yaml, text->data, text->length, "f.yaml", &error),
                     COL_BAD_INPUT);
    assert_non_null(strstr(error.message, says));
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
}

static void assert_taken(const col_text *text) {
    col_yaml yaml;
    col_error error = {0};
    assert_int_equal(col_yaml_read(&yaml, text->data, text->length, "f.yaml", &error), COL_OK);
    col_yaml_free(&yaml);
}

/* Forty thousand brackets took ten seconds. */
static void depth_is_bounded(void **state) {
    static const char *const opens[] = {"[", "{a: ", "- ", "? "};
    (void)state;
    for (size_t i = 0; i < sizeof opens / sizeof opens[0]; i++) {
        col_text text = {0};
        col_text_add(&text, "# comment\n");
        repeat(&text, opens[i], 40000);
        assert_refused(&text, 2, 64 * (uint32_t)strlen(opens[i]) + 1, "deeper than 64 levels");
        col_text_free(&text);
    }
    col_text text = {0};
    repeat(&text, "[", 64);
    repeat(&text, "]", 64);
    assert_taken(&text);
    col_text_free(&text);
}

static void aliases_are_bounded(void **state) {
    col_text text = {0};
    (void)state;
    col_text_add(&text, "a: &a [x]\nb:\n");
    repeat(&text, "- *a\n", 1000);
    assert_taken(&text);
    col_text_add(&text, "- *a\n");
    assert_refused(&text, 1003, 3, "at most 1000 aliases");
    col_text_free(&text);
}

static col_status take(col_yaml *yaml, const col_yaml_node *key, const col_yaml_node *value,
                       void *target) {
    (void)yaml;
    (void)key;
    (void)value;
    ++*(uint32_t *)target;
    return COL_OK;
}

static void keys_are_bounded(void **state) {
    (void)state;
    for (uint32_t count = 4096; count <= 4097; count++) {
        col_text text = {0};
        col_yaml yaml;
        col_error error = {0};
        uint32_t taken = 0;
        for (uint32_t i = 0; i < count; i++)
            col_text_print(&text, "k%u: 1\n", i);
        assert_int_equal(col_yaml_read(&yaml, text.data, text.length, "f.yaml", &error), COL_OK);
        const col_status status = col_yaml_each(&yaml, col_yaml_root(&yaml), "a map", take, &taken);
        assert_int_equal(status, count == 4096 ? COL_OK : COL_BAD_INPUT);
        assert_int_equal(taken, count == 4096 ? count : 0);
        col_yaml_free(&yaml);
        col_text_free(&text);
    }
}

static void size_is_bounded(void **state) {
    enum { MOST = 16 << 20 };
    col_text text = {0};
    (void)state;
    repeat(&text, "#0123456789abcde", MOST / 16);
    col_text_add(&text, "#");
    assert_refused(&text, 1, 1, "at most 16 MiB");
    col_text_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(aliases_are_bounded),
        cmocka_unit_test(keys_are_bounded),
        cmocka_unit_test(size_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
