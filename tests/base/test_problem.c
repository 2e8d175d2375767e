/* SPDX-License-Identifier: MIT */
/* Errors carry a status, a message and a place, and fit whatever buffer they are given. */
#include "base/problem.h"
#include "harness.h"

#include <stdio.h>
#include <string.h>

static void assert_text(const col_problem *problem, const char *expected) {
    char buffer[1024];
    assert_ptr_equal(col_problem_text(problem, buffer, sizeof buffer), buffer);
    assert_string_equal(buffer, expected);
}

TEST(text_shows_the_known_part_of_the_place) {
    col_problem problem;
    assert_int_equal(base_refuse_at(&problem, "dir/p.txt", 12, 7, "no %s of %d", "thread", 3),
                     COL_BAD_INPUT);
    assert_int_equal(problem.line, 12);
    assert_int_equal(problem.column, 7);
    assert_text(&problem, "dir/p.txt:12:7: no thread of 3");
    assert_int_equal(base_refuse_at(&problem, "p.txt", 0, 0, "not a program"), COL_BAD_INPUT);
    assert_text(&problem, "p.txt: not a program");
    /* What an error said before is gone. */
    assert_int_equal(base_refuse(&problem, "%u%%", 5u), COL_BAD_INPUT);
    assert_text(&problem, "5%");
    assert_int_equal(problem.line, 0);
    (void)base_refuse_at(&problem, "p.txt", 1, 1, "bad");
    assert_int_equal(base_fail(&problem, "disk %s", "full"), COL_FAILURE);
    assert_text(&problem, "disk full");
}

TEST(the_problem_may_be_null) {
    assert_int_equal(base_refuse(NULL, "bad"), COL_BAD_INPUT);
    assert_int_equal(base_refuse_at(NULL, "f", 1, 1, "bad"), COL_BAD_INPUT);
    assert_int_equal(base_fail(NULL, "bad"), COL_FAILURE);
    assert_int_equal(base_out_of_memory(NULL), COL_FAILURE);
}

TEST(long_messages_are_truncated) {
    char huge[2000];
    memset(huge, 'x', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    col_problem problem;
    (void)base_refuse_at(&problem, huge, 1, 2, "%s", huge);
    assert_int_equal(strlen(problem.file), sizeof problem.file - 1);
    assert_int_equal(strlen(problem.message), sizeof problem.message - 1);

    (void)base_refuse_at(&problem, "file", 31, 2, "message");
    const char whole[] = "file:31:2: message";
    for (size_t size = 1; size <= sizeof whole; size++) {
        char buffer[sizeof whole + 1];
        memset(buffer, '!', sizeof buffer);
        (void)col_problem_text(&problem, buffer, size);
        assert_int_equal(strlen(buffer), size - 1);
        assert_memory_equal(buffer, whole, size - 1);
        assert_int_equal(buffer[size], '!');
    }
}

/* What is quoted, and the name of the file, may come from anybody. */
TEST(errors_contain_no_terminal_escapes) {
    col_problem problem;
    (void)base_refuse_at(&problem, "\x1b[1m.yaml", 1, 2, "no '%s'",
                         "\x1b[2J\xc2\x9b"
                         "31m\n");
    assert_text(&problem, "?[1m.yaml:1:2: no '?[2J??31m?'");
}

TEST(the_version_has_three_numbers) {
    unsigned major, minor, patch;
    char again[64];
    assert_int_equal(sscanf(col_version(), "%u.%u.%u", &major, &minor, &patch), 3);
    (void)snprintf(again, sizeof again, "%u.%u.%u", major, minor, patch);
    assert_string_equal(col_version(), again);
}
