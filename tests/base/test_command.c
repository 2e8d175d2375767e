/* SPDX-License-Identifier: MIT */
/* Words of a command are those that a shell would make of the line, as far as it expands nothing.
 */
#include "base/lines.h"
#include "base/text.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void words_are_those_of_a_shell(void **state) {
    (void)state;
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

static void nothing_is_expanded(void **state) {
    (void)state;
    char **words;
    assert_int_equal(base_command_split("$HOME *; `ls` > x", &words, NULL), COL_OK);
    const char *const expected[] = {"$HOME", "*;", "`ls`", ">", "x", NULL};
    for (int i = 0; expected[i] != NULL; i++)
        assert_string_equal(words[i], expected[i]);
    assert_null(words[5]);
    free(words);
}

static void lines_that_are_no_command_are_refused(void **state) {
    (void)state;
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_those_of_a_shell),
        cmocka_unit_test(nothing_is_expanded),
        cmocka_unit_test(lines_that_are_no_command_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
