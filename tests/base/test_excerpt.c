/* SPDX-License-Identifier: MIT */
/* Lines with carets: under the right character, bounded, and nothing that a terminal obeys. */
#include "base/lines.h"
#include "harness.h"

#include <string.h>

static void assert_excerpt(const char *text, uint32_t line, uint32_t column, const char *expected) {
    base_text excerpt = {0};
    base_excerpt_add(&excerpt, text, strlen(text), line, column);
    assert_string_equal(excerpt.data == NULL ? "" : excerpt.data, expected);
    base_text_free(&excerpt);
}

static void the_caret_is_under_the_column(void **state) {
    (void)state;
    assert_excerpt("one\ntwo words\n", 2, 5, "    2 | two words\n      |     ^\n");
    assert_excerpt("one", 1, 1, "    1 | one\n      | ^\n");
    assert_excerpt("one\r\ntwo\r\n", 1, 4, "    1 | one\n      |    ^\n");
    assert_excerpt("one", 1, 99, "    1 | one\n      |    ^\n");
    assert_excerpt("\tone \ttwo", 1, 7, "    1 | \tone \ttwo\n      | \t    \t^\n");
    assert_excerpt("a\xc3\xa4 b", 1, 5, "    1 | a\xc3\xa4 b\n      |    ^\n");
    assert_excerpt("\xef\xbb\xbf"
                   "one",
                   1, 2, "    1 | one\n      |  ^\n");
}

static void empty_columns_are_not_shown(void **state) {
    (void)state;
    assert_excerpt("one\n", 3, 1, "");
    assert_excerpt("", 1, 1, "");
    assert_excerpt("one", 0, 1, "");
    assert_excerpt("{\n", 1, 1, "");
    assert_excerpt("  \n", 1, 1, "");
}

static void output_contains_no_terminal_escapes(void **state) {
    (void)state;
    assert_excerpt("a\033[31m b", 1, 8, "    1 | a?[31m b\n      |        ^\n");
    assert_excerpt("a\xff b", 1, 4, "    1 | a? b\n      |    ^\n");
}

static void long_lines_are_cut_around_the_column(void **state) {
    char text[5001];
    base_text excerpt = {0};
    (void)state;
    memset(text, 'x', 5000);
    text[3000] = '!';
    text[5000] = '\0';
    base_excerpt_add(&excerpt, text, 5000, 123456, 3001);
    assert_null(excerpt.data); /* there is no such line */
    base_excerpt_add(&excerpt, text, 5000, 1, 3001);
    assert_in_range(excerpt.length, 200, 300);
    const char *caret = strchr(excerpt.data, '^'), *second = strchr(excerpt.data, '\n') + 1;
    assert_int_equal(excerpt.data[caret - second], '!');
    base_text_free(&excerpt);
}

static void lines_beyond_five_digits_are_aligned(void **state) {
    char text[100100];
    base_text excerpt = {0};
    (void)state;
    memset(text, '\n', sizeof text);
    text[sizeof text - 1] = 'x';
    base_excerpt_add(&excerpt, text, sizeof text, sizeof text, 1);
    assert_string_equal(excerpt.data, "100100 | x\n       | ^\n");
    base_text_free(&excerpt);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_caret_is_under_the_column),
        cmocka_unit_test(empty_columns_are_not_shown),
        cmocka_unit_test(output_contains_no_terminal_escapes),
        cmocka_unit_test(long_lines_are_cut_around_the_column),
        cmocka_unit_test(lines_beyond_five_digits_are_aligned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
