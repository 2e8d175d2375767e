/* SPDX-License-Identifier: MIT */
/* Every table and plot as a file of its own, read back by a reader of RFC 4180. */
#include "base/file.h"
#include "harness.h"
#include "paths.h"
#include "results/report/report.h"
#include "results/report/writers_sample.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 64, MOST_FIELDS = 32, MOST_FIELD = 200 };

typedef struct csv_sheet {
    char fields[MOST_ROWS][MOST_FIELDS][MOST_FIELD];
    size_t row_count, column_count;
} csv_sheet;

static void read_sheet(const char *folder, const char *name, csv_sheet *sheet) {
    char path[PATH_MAX];
    base_text text = {0};
    memset(sheet, 0, sizeof *sheet);
    assert_int_equal(base_file_read(path_in(path, folder, name), &text, NULL), COL_OK);
    for (const char *at = text.data; *at != '\0'; sheet->row_count++) {
        size_t columns = 0;
        assert_true(sheet->row_count < MOST_ROWS);
        do {
            assert_true(columns < MOST_FIELDS);
            at += columns > 0;
            at = read_csv_field(at, sheet->fields[sheet->row_count][columns++], MOST_FIELD);
        } while (*at == ',');
        assert_int_equal(strncmp(at, "\r\n", 2), 0);
        at += 2;
        if (sheet->row_count == 0)
            sheet->column_count = columns;
        assert_int_equal(columns, sheet->column_count);
    }
    base_text_free(&text);
}

static size_t column_of(const csv_sheet *sheet, const char *name) {
    size_t column = 0;
    while (column < sheet->column_count && strcmp(sheet->fields[0][column], name) != 0)
        column++;
    assert_true(column < sheet->column_count);
    return column;
}

static void assert_number(const char *field, double number) {
    if (!isfinite(number))
        assert_string_equal(field, "");
    else {
        char *end;
        assert_true(strtod(field, &end) == number && *end == '\0' && end > field);
    }
}

/* In a cell there are none but ends of lines. */
static void drop_controls(char *text) {
    char *to = text;
    for (const char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at >= ' ' || *at == '\n' || *at == '\t')
            *to++ = *at;
    *to = '\0';
}

static void check_table(const csv_sheet *sheet, const rep_table *table) {
    assert_int_equal(sheet->row_count, table->row_count + 1);
    for (size_t r = 0; r < table->row_count; r++) {
        const rep_cell *cells = table->rows[r].cells;
        char text[MOST_FIELD];
        (void)snprintf(text, sizeof text, "%s", cells[0].text);
        base_clean_utf8(text);
        drop_controls(text);
        assert_string_equal(sheet->fields[r + 1][column_of(sheet, "error")], text);
        assert_number(sheet->fields[r + 1][column_of(sheet, "htg")], cells[1].value);
        assert_number(sheet->fields[r + 1][column_of(sheet, "htg low")], cells[1].low);
        assert_number(sheet->fields[r + 1][column_of(sheet, "htg high")], cells[1].high);
        assert_number(sheet->fields[r + 1][column_of(sheet, "htg found")],
                      cells[1].of > 0 ? (double)cells[1].found : (double)NAN);
        assert_number(sheet->fields[r + 1][column_of(sheet, "htg of")],
                      cells[1].of > 0 ? (double)cells[1].of : (double)NAN);
    }
    char name[MOST_FIELD] = NASTY " is a bound";
    base_clean_utf8(name);
    drop_controls(name);
    const size_t column = column_of(sheet, name);
    assert_string_equal(sheet->fields[1][column], "yes");
    assert_string_equal(sheet->fields[2][column], "");
    assert_string_equal(sheet->fields[3][column], "no");
}

static void check_lines(const csv_sheet *sheet, const rep_plot *plot) {
    size_t row = 1;
    assert_string_equal(sheet->fields[0][1], "cycles");
    for (uint32_t s = 0; s < plot->series_count; s++)
        for (size_t i = 0; i < plot->series[s].count; i++) {
            if (isnan(plot->series[s].median[i]))
                continue;
            assert_number(sheet->fields[row][1], plot->series[s].x[i]);
            assert_number(sheet->fields[row][2], plot->series[s].lower[i]);
            assert_number(sheet->fields[row][3], plot->series[s].median[i]);
            assert_number(sheet->fields[row][4], plot->series[s].upper[i]);
            row++;
        }
    assert_int_equal(row, sheet->row_count);
}

static void check_heat(const csv_sheet *sheet, const rep_protocol *protocol) {
    static const char *const reach[] = {"unknown", "no", "yes"};
    assert_int_equal(sheet->row_count, protocol->cell_count + 1);
    for (size_t i = 0; i < protocol->cell_count; i++) {
        const rep_protocol_cell *cell = &protocol->cells[i];
        assert_true(strtoull(sheet->fields[i + 1][2], NULL, 10) == cell->hits);
        assert_number(sheet->fields[i + 1][3], cell->first > 0 ? (double)cell->first : (double)NAN);
        assert_number(sheet->fields[i + 1][4], cell->trials);
        assert_string_equal(sheet->fields[i + 1][5], reach[cell->reachable + 1]);
    }
}

static size_t files_in(const char *path) {
    size_t count = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    (void)closedir(folder);
    return count;
}

TEST(files_read_back) {
    const rep_report report = sample_report();
    char folder[64];
    static csv_sheet sheet;
    make_folder(folder, sizeof folder);
    assert_int_equal(rep_write(&report, REP_CSV, folder, NULL), COL_OK);
    assert_int_equal(files_in(folder), report.table_count + report.plot_count + 2);
    read_sheet(folder, "time-to-error.csv", &sheet);
    check_table(&sheet, &report.tables[0]);
    read_sheet(folder, "tours.csv", &sheet);
    assert_int_equal(sheet.row_count, 1);
    read_sheet(folder, "evolution-1-structural-cycles.csv", &sheet);
    check_lines(&sheet, &report.plots[0]);
    read_sheet(folder, "boxes-1.csv", &sheet);
    assert_int_equal(sheet.row_count, 4); /* three boxes */
    assert_string_equal(sheet.fields[2][7], "160");
    read_sheet(folder, "protocol-1.csv", &sheet);
    check_heat(&sheet, &report.protocols[0]);
    read_sheet(folder, "groups.csv", &sheet);
    assert_int_equal(sheet.row_count, report.group_count + 1);
    assert_string_equal(sheet.fields[1][column_of(&sheet, "hunts")], "yes");
    read_sheet(folder, "failures.csv", &sheet);
    assert_int_equal(sheet.row_count, report.failure_count + 1);
    read_sheet(folder, "odd-name.csv", &sheet);
    remove_folder(folder);
}

/* The same report, the same bytes; a folder that cannot be made is one sentence. */
TEST(files_are_reproducible) {
    const rep_report report = sample_report();
    char folder[64], path[PATH_MAX];
    base_text texts[2] = {0};
    col_problem problem = {0};
    make_folder(folder, sizeof folder);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rep_write(&report, REP_CSV, folder, NULL), COL_OK);
        assert_int_equal(
            base_file_read(path_in(path, folder, "time-to-error.csv"), &texts[i], NULL), COL_OK);
    }
    assert_string_equal(texts[0].data, texts[1].data);
    assert_int_equal(rep_write(&report, REP_CSV, path, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "a file is in the way"));
    remove_folder(folder);
    base_text_free(&texts[0]);
    base_text_free(&texts[1]);
}
