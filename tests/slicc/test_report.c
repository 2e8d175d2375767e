/* SPDX-License-Identifier: MIT */
/* How complaints are ordered, shown, counted and handed on. */
#include "harness.h"

#include "slicc/report.h"

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

static void nothing_wrong_is_nothing_written(void **state) {
    (void)state;
    slicc_report report = {0};
    col_problem problem;
    add_source(&report, "a.sm", "int a;");
    assert_written(&report, "");
    assert_int_equal(slicc_report_status(&report, &problem), COL_OK);
    slicc_report_free(&report);
}

static void files_come_in_order_and_places_in_them(void **state) {
    (void)state;
    slicc_report report = {0};
    add_source(&report, "b.sm", "one\ntwo\n");
    add_source(&report, "a.sm", "three");
    slicc_complain(&report, at("lost.sm", 1, 1), "nobody knows the source");
    slicc_complain(&report, at("a.sm", 1, 2), "in a");
    slicc_complain(&report, at("b.sm", 2, 3), "in b, %s", "last");
    slicc_complain(&report, at("b.sm", 2, 1), "in b, second");
    slicc_complain(&report, at("b.sm", 1, 3), "in b, first");
    assert_written(&report, "b.sm:1:3: in b, first\n    one\n      ^\n"
                            "b.sm:2:1: in b, second\n    two\n    ^\n"
                            "b.sm:2:3: in b, last\n    two\n      ^\n"
                            "a.sm:1:2: in a\n    three\n     ^\n"
                            "lost.sm:1:1: nobody knows the source\n"
                            "5 errors\n");
    col_problem problem;
    assert_int_equal(slicc_report_status(&report, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.file, "b.sm");
    assert_string_equal(problem.message, "in b, first");
    assert_int_equal(problem.line, 1);
    assert_int_equal(problem.column, 3);
    slicc_report_free(&report);
}

/* Two texts of one name are told apart by the pointer, and a name alone means the newer. */
static void texts_of_one_name_are_told_apart(void **state) {
    (void)state;
    slicc_report report = {0};
    const char first[] = "same", second[] = "same", third[] = "same";
    add_source(&report, first, "old");
    add_source(&report, second, "new");
    slicc_complain(&report, at(first, 1, 1), "x");
    slicc_complain(&report, at(third, 1, 1), "y");
    assert_written(&report, "same:1:1: x\n    old\n    ^\nsame:1:1: y\n    new\n    ^\n2 errors\n");
    slicc_report_free(&report);
}

static void carets_stand_below_their_column(void **state) {
    (void)state;
    slicc_report report = {0};
    add_source(&report, "a", "\tx \t= y\r\n\n\x1b[31mred \xc3\xa9t\xc3\xa9 z\nend");
    slicc_complain(&report, at("a", 1, 5), "tabs");
    slicc_complain(&report, at("a", 2, 1), "an empty line");
    slicc_complain(&report, at("a", 3, 16), "letters of two bytes");
    slicc_complain(&report, at("a", 4, 4), "behind the end");
    slicc_complain(&report, at("a", 4, 99), "far behind the end");
    slicc_complain(&report, at("a", 9, 1), "no such line");
    assert_written(&report, "a:1:5: tabs\n    \tx \t= y\n    \t  \t^\n"
                            "a:2:1: an empty line\n    \n    ^\n"
                            "a:3:16: letters of two bytes\n    ?[31mred \xc3\xa9t\xc3\xa9 z\n"
                            "                 ^\n"
                            "a:4:4: behind the end\n    end\n       ^\n"
                            "a:4:99: far behind the end\n    end\n       ^\n"
                            "a:9:1: no such line\n"
                            "6 errors\n");
    slicc_report_free(&report);
}

static void of_long_lines_a_part_is_shown(void **state) {
    (void)state;
    char line[1001];
    memset(line, 'x', 1000);
    line[1000] = '\0';
    line[500] = '!';
    slicc_report report = {0};
    add_source(&report, "a", line);
    slicc_complain(&report, at("a", 1, 501), "here");
    assert_int_equal(report.complaints[0].line[strlen(report.complaints[0].caret) - 1], '!');
    assert_true(strlen(report.complaints[0].line) <= 160);
    slicc_report_free(&report);
}

static void the_rest_is_counted(void **state) {
    (void)state;
    slicc_report report = {0};
    for (uint32_t i = 0; i < 25; i++)
        slicc_complain(&report, at("a", 25 - i, 1), "number %u", i);
    assert_int_equal(report.kept, SLICC_MOST_COMPLAINTS);
    assert_int_equal(report.count, 25);
    base_text text = {0};
    slicc_report_write(&report, &text);
    assert_non_null(strstr(text.data, "\n25 errors; 5 of them are not shown\n"));
    assert_int_equal(strncmp(text.data, "a:6:1: number 19\n", 17), 0);
    base_text_free(&text);
    slicc_report_free(&report);
}

/* The tree that the names and texts are in may be gone when the report is written. */
static void a_report_outlives_its_sources(void **state) {
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
    assert_written(&report, "gone.sm:1:5: about 'a'?\n    int a\n        ^\n");
    slicc_report_free(&report);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_wrong_is_nothing_written),
        cmocka_unit_test(files_come_in_order_and_places_in_them),
        cmocka_unit_test(texts_of_one_name_are_told_apart),
        cmocka_unit_test(carets_stand_below_their_column),
        cmocka_unit_test(of_long_lines_a_part_is_shown),
        cmocka_unit_test(the_rest_is_counted),
        cmocka_unit_test(a_report_outlives_its_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
