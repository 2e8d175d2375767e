/* SPDX-License-Identifier: MIT */
/* Words of a command are those that a shell would make of the line, as far as it expands nothing.
 * Carets under lines: under the right character, bounded, and nothing that a terminal obeys. */
#include "base/lines.h"
#include "base/text.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Commands. */

static const char *const lines[] = {
    "a",
    "  ./simv   +seed=1\t+verbose  ",
    "a 'b c' d",
    "a 'b \"c\\ ' d",
    "a \"b 'c\" d",
    "a \"b \\\"c\\\\ \\x\" d",
    "a b\\ c d\\'e \\\\",
    "a '' \"\" b",
    "a'b'\"c\"d",
    "a \\\"b\\\"",
};

/* What sh makes of the line: its words, each in a line. */
static void ask_shell(const char *line, base_text *words) {
    char text[512];
    base_text quoted = {0};
    base_text_print(&quoted, "for w in %s; do printf '%%s|\\n' \"$w\"; done", line);
    assert_int_equal(base_text_status(&quoted, NULL), COL_OK);
    FILE *shell = popen(quoted.data, "r"); /* NOLINT: the lines are this file's own */
    assert_non_null(shell);
    while (fgets(text, sizeof text, shell) != NULL)
        base_text_add(words, text);
    assert_int_equal(pclose(shell), 0);
    base_text_free(&quoted);
}

TEST(words_are_those_of_a_shell) {
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char **words;
        base_text ours = {0}, theirs = {0};
        assert_int_equal(base_command_split(lines[i], &words, NULL), COL_OK);
        for (char **word = words; *word != NULL; word++)
            base_text_print(&ours, "%s|\n", *word);
        ask_shell(lines[i], &theirs);
        assert_string_equal(ours.data, theirs.data);
        base_text_free(&ours);
        base_text_free(&theirs);
        free(words);
    }
}

TEST(nothing_is_expanded) {
    char **words;
    assert_int_equal(base_command_split("$HOME *; `ls` > x", &words, NULL), COL_OK);
    const char *const expected[] = {"$HOME", "*;", "`ls`", ">", "x", NULL};
    for (int i = 0; expected[i] != NULL; i++)
        assert_string_equal(words[i], expected[i]);
    assert_null(words[5]);
    free(words);
}

TEST(lines_that_are_no_command_are_refused) {
    static const char *const wrong[][2] = {
        {"", "a command is missing: '' has no words"},
        {"  ", "a command is missing: '  ' has no words"},
        {"a 'b", "a quote is not closed in the command 'a 'b'"},
        {"\"", "a quote is not closed in the command '\"'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char **words;
        col_problem problem;
        assert_int_equal(base_command_split(wrong[i][0], &words, &problem), COL_BAD_INPUT);
        assert_string_equal(problem.message, wrong[i][1]);
        assert_null(words);
    }
}

/* ---- Carets. */

static void assert_excerpt(const char *text, uint32_t line, uint32_t column, const char *expected) {
    base_text excerpt = {0};
    base_excerpt_add(&excerpt, text, strlen(text), line, column);
    assert_string_equal(excerpt.data == NULL ? "" : excerpt.data, expected);
    base_text_free(&excerpt);
}

TEST(the_caret_is_under_the_column) {
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

TEST(empty_columns_are_not_shown) {
    assert_excerpt("one\n", 3, 1, "");
    assert_excerpt("", 1, 1, "");
    assert_excerpt("one", 0, 1, "");
    assert_excerpt("{\n", 1, 1, "");
    assert_excerpt("  \n", 1, 1, "");
}

TEST(output_contains_no_terminal_escapes) {
    assert_excerpt("a\033[31m b", 1, 8, "    1 | a?[31m b\n      |        ^\n");
    assert_excerpt("a\xff b", 1, 4, "    1 | a? b\n      |    ^\n");
}

TEST(long_lines_are_cut_around_the_column) {
    char text[5001];
    base_text excerpt = {0};
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

TEST(lines_beyond_five_digits_are_aligned) {
    char text[100100];
    base_text excerpt = {0};
    memset(text, '\n', sizeof text);
    text[sizeof text - 1] = 'x';
    base_excerpt_add(&excerpt, text, sizeof text, sizeof text, 1);
    assert_string_equal(excerpt.data, "100100 | x\n       | ^\n");
    base_text_free(&excerpt);
}
