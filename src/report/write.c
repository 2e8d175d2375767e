/* SPDX-License-Identifier: MIT */
/* The formats of the report and their writers: see write.h. */
#include "report/write.h"

#include "base/file.h"
#include "base/path.h"
#include "report/escape.h"
#include "report/writers.h"

const char *const rep_formats[] = {"html", "csv", "json", "md", "svg", "ucis", "junit", NULL};

const char *rep_format_file(rep_format format) {
    static const char *const files[REP_FORMAT_COUNT] = {
        [REP_HTML] = "report.html",       [REP_JSON] = "report.json", [REP_MARKDOWN] = "report.md",
        [REP_UCIS] = "coverage.ucis.xml", [REP_JUNIT] = "junit.xml",
    };
    return files[format];
}

col_status rep_write_part(const col_text *text, const char *folder, const char *name,
                          const char *extension, col_error *error) {
    char path[PATH_MAX];
    col_text file = {0};
    rep_file_name(&file, name);
    col_text_print(&file, ".%s", extension);
    col_status status = col_text_status(text, error);
    if (status == COL_OK)
        status = col_text_status(&file, error);
    if (status == COL_OK)
        status = col_path_in(path, folder, file.data, error);
    if (status == COL_OK)
        status = col_file_write(path, text->data == NULL ? "" : text->data, text->length, error);
    col_text_free(&file);
    return status;
}

static col_status make_json(const rep_report *report, col_text *text, col_error *error) {
    const col_status status = rep_page_data(report, 0, text, error);
    col_text_add(text, "\n");
    return status;
}

static col_status make_text(const rep_report *report, rep_format format, col_text *text,
                            col_error *error) {
    switch (format) {
    case REP_JSON:
        return make_json(report, text, error);
    case REP_MARKDOWN:
        rep_markdown_text(report, text);
        break;
    case REP_UCIS:
        rep_ucis_text(report, text);
        break;
    default:
        rep_junit_text(report, text);
    }
    return COL_OK;
}

col_status rep_write(const rep_report *report, rep_format format, const char *path,
                     col_error *error) {
    if (format == REP_HTML)
        return rep_page_write(report, path, error);
    if (format == REP_CSV)
        return rep_csv_write(report, path, error);
    if (format == REP_SVG)
        return rep_svg_write(report, path, error);
    col_text text = {0};
    col_status status = make_text(report, format, &text, error);
    if (status == COL_OK)
        status = col_text_status(&text, error);
    if (status == COL_OK)
        status = col_file_write(path, text.data, text.length, error);
    col_text_free(&text);
    return status;
}
