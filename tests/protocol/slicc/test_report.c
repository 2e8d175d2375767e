/* SPDX-License-Identifier: MIT */
/* How complaints are ordered, shown, counted and handed on. */
#include "harness.h"

#include "protocol/slicc/slicc_report.h"

#include <stdio.h>
#include <string.h>

static void add_source(slicc_report *report, const char *file, const char *text) {
    slicc_report_source(report, file, text, strlen(text));
}

static slicc_place at(const char *file, uint32_t line, uint32_t column) {
    return (slicc_place){.file = file, .line = line, .column = column};
}

static void assert_written(const slicc_report *report, const char *expected) {
    base_text text = {0};
    slicc_report_write(report, &text);
    assert_string_equal(text.data == NULL ? "" : text.data, expected);
    base_text_free(&text);
}

static void without_a_violation_nothing_is_written(void **state) {
    (void)state;
    slicc_report report = {0};
    col_problem problem;
    add_source(&report, "a.sm", "int a;");
    assert_written(&report, "");
    assert_int_equal(slicc_report_status(&report, &problem), COL_OK);
    slicc_report_free(&report);
}

static void complaints_are_sorted_by_file_and_place(void **state) {
    (void)state;
    slicc_report report = {0};
    add_source(&report, "b.sm", "one\ntwo\n");
    add_source(&report, "a.sm", "three");
    slicc_complain(&report, at("lost.sm", 1, 1), "nobody knows the source");
    slicc_complain(&report, at("a.sm", 1, 2), "in a");
    slicc_complain(&report, at("b.sm", 2, 3), "in b, %s", "last");
    slicc_complain(&report, at("b.sm", 2, 1), "in b, second");
    slicc_complain(&report, at("b.sm", 1, 3), "in b, first");
    assert_written(&report, "    1 | one\n      |   ^\nb.sm:1:3: error: in b, first\n"
                            "    2 | two\n      | ^\nb.sm:2:1: error: in b, second\n"
                            "    2 | two\n      |   ^\nb.sm:2:3: error: in b, last\n"
                            "    1 | three\n      |  ^\na.sm:1:2: error: in a\n"
                            "lost.sm:1:1: error: nobody knows the source\n");
    col_problem problem;
    assert_int_equal(slicc_report_status(&report, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.file, "b.sm");
    assert_string_equal(problem.message, "in b, first");
    assert_int_equal(problem.line, 1);
    assert_int_equal(problem.column, 3);
    slicc_report_free(&report);
}

/* Two texts of one name are told apart by the pointer, and a name alone means the newer. */
static void texts_with_the_same_name_are_distinguished(void **state) {
    (void)state;
    slicc_report report = {0};
    const char first[] = "same", second[] = "same", third[] = "same";
    add_source(&report, first, "old");
    add_source(&report, second, "new");
    slicc_complain(&report, at(first, 1, 1), "x");
    slicc_complain(&report, at(third, 1, 1), "y");
    assert_written(&report, "    1 | old\n      | ^\nsame:1:1: error: x\n"
                            "    1 | new\n      | ^\nsame:1:1: error: y\n");
    slicc_report_free(&report);
}

/* base_excerpt has the rest of it. */
static void carets_stand_below_their_column(void **state) {
    (void)state;
    slicc_report report = {0};
    add_source(&report, "a", "\tx \t= y\r\n\nend");
    slicc_complain(&report, at("a", 1, 5), "tabs");
    slicc_complain(&report, at("a", 2, 1), "an empty line");
    slicc_complain(&report, at("a", 3, 4), "behind the end");
    slicc_complain(&report, at("a", 9, 1), "no such line");
    assert_written(&report, "    1 | \tx \t= y\n      | \t  \t^\na:1:5: error: tabs\n"
                            "a:2:1: error: an empty line\n"
                            "    3 | end\n      |    ^\na:3:4: error: behind the end\n"
                            "a:9:1: error: no such line\n");
    slicc_report_free(&report);
}

/* Warnings are written, and are no reason to refuse. */
static void warnings_are_not_errors(void **state) {
    (void)state;
    slicc_report report = {0};
    col_problem problem;
    add_source(&report, "a", "one two");
    slicc_warn(&report, at("a", 1, 5), "two is never used");
    slicc_warn(&report, at("a", 1, 5), "two is never used");
    assert_written(&report, "    1 | one two\n      |     ^\na:1:5: warning: two is never used\n");
    assert_int_equal(slicc_report_status(&report, &problem), COL_OK);
    slicc_report_free(&report);
}

static void further_mistakes_are_counted(void **state) {
    (void)state;
    slicc_report report = {0};
    for (uint32_t i = 0; i < 25; i++)
        slicc_complain(&report, at("a", 25 - i, 1), "number %u", i);
    assert_int_equal(report.kept, SLICC_MOST_COMPLAINTS);
    assert_int_equal(report.count, 25);
    base_text text = {0};
    slicc_report_write(&report, &text);
    assert_non_null(strstr(text.data, "\n5 more errors are not shown\n"));
    assert_int_equal(strncmp(text.data, "a:6:1: error: number 19\n", 24), 0);
    base_text_free(&text);
    slicc_report_free(&report);
}

/* The tree that the names and texts are in may be gone when the report is written. */
static void a_report_does_not_need_its_stores(void **state) {
    (void)state;
    slicc_report report = {0};
    {
        char file[] = "gone.sm", text[] = "int a", word[] = "a";
        add_source(&report, file, text);
        slicc_complain(&report, at(file, 1, 5), "about '%s'\n", word);
        memset(file, '#', sizeof file);
        memset(text, '#', sizeof text);
        memset(word, '#', sizeof word);
    }
    assert_written(&report, "    1 | int a\n      |     ^\ngone.sm:1:5: error: about 'a'?\n");
    slicc_report_free(&report);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_violation_nothing_is_written),
        cmocka_unit_test(complaints_are_sorted_by_file_and_place),
        cmocka_unit_test(texts_with_the_same_name_are_distinguished),
        cmocka_unit_test(carets_stand_below_their_column),
        cmocka_unit_test(warnings_are_not_errors),
        cmocka_unit_test(further_mistakes_are_counted),
        cmocka_unit_test(a_report_does_not_need_its_stores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
