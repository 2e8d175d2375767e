/* SPDX-License-Identifier: MIT */
/* Tables as Markdown: whatever is in the cells, a row stays a row. */
#include "harness.h"
#include "results/report/report.h"
#include "results/report/writers_sample.h"

#include <string.h>

TEST(report_is_as_expected) {
    const rep_report report = sample_report();
    base_text text = {0};
    rep_markdown_text(&report, &text);
    assert_as_expected(&text, "report.md");
    base_text_free(&text);
}

/* Bars that divide cells: those without a backslash. */
static uint32_t bars_of(const char *line, size_t length) {
    uint32_t bars = 0;
    for (size_t i = 0; i < length; i++) {
        if (line[i] == '\\')
            i++;
        else
            bars += line[i] == '|';
    }
    return bars;
}

TEST(rows_have_the_columns_of_their_table) {
    const rep_report report = sample_report();
    base_text text = {0};
    uint32_t lines = 0;
    rep_markdown_table(&report.tables[0], &text);
    for (const char *line = text.data; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        if (line[0] == '|') {
            lines++;
            assert_int_equal(bars_of(line, length), report.tables[0].column_count + 1);
        }
        line += length + (line[length] == '\n');
    }
    assert_int_equal(lines, 2 + report.tables[0].row_count);
    assert_non_null(strstr(text.data, "| **12.3 M** (9/10) |"));
    assert_non_null(strstr(text.data, "| **-7** |"));
    assert_non_null(strstr(text.data, "&gt;200 M (0/10)"));
    assert_int_equal(occurrences(&text, " **"), 2);
    base_text_free(&text);
}

TEST(a_report_without_results_says_so) {
    const rep_report report = empty_report();
    base_text text = {0};
    rep_markdown_text(&report, &text);
    assert_string_equal(text.data, "# Nothing yet\n\nThere are no results yet.\n");
    base_text_free(&text);
}
