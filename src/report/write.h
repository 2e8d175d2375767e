/* SPDX-License-Identifier: MIT */
/*
 * The report as files: one writer for each format, all from the same model. Every file is written
 * whole or not at all, and the same report gives the same bytes. docs/report-formats.md says what
 * is in them.
 */
#ifndef REPORT_WRITE_H
#define REPORT_WRITE_H

#include "report/report.h"

/* The formats: rows X(NAME, word, what it is, .file = its one file in a folder, or .files = the
 * files that it is in a folder, and .text = what makes its text, or .write = what writes it). */
#define REP_FORMATS(X)                                                                             \
    X(REP_HTML, "html", "one page that needs nothing else, under 5 MB", .file = "report.html",     \
      .write = rep_page_write)                                                                     \
    X(REP_CSV, "csv", "every table and plot, for programs",                                        \
      .files = "ID.csv, groups.csv, failures.csv", .write = rep_csv_write)                         \
    X(REP_JSON, "json", "what the page shows, nothing left out", .file = "report.json",            \
      .write = write_json)                                                                         \
    X(REP_MARKDOWN, "md", "the tables, as GitHub reads them", .file = "report.md",                 \
      .text = rep_markdown_text)                                                                   \
    X(REP_SVG, "svg", "the plots, for papers", .files = "ID.svg", .write = rep_svg_write)          \
    X(REP_UCIS, "ucis", "coverage, for other verification tools", .file = "coverage.ucis.xml",     \
      .text = rep_ucis_text)                                                                       \
    X(REP_JUNIT, "junit", "passed and failed, for continuous integration", .file = "junit.xml",    \
      .text = rep_junit_text)

typedef enum rep_format {
#define REP_FORMAT_NAME(name, ...) name,
    REP_FORMATS(REP_FORMAT_NAME)
#undef REP_FORMAT_NAME
        REP_FORMAT_COUNT
} rep_format;
extern const char *const rep_formats[REP_FORMAT_COUNT + 1]; /* words, ended by NULL */

const char *rep_format_summary(rep_format format);
/* What the format's one file is called in a folder; NULL: it is several files. */
const char *rep_format_file(rep_format format);
/* These files, with commas; NULL: it is one. */
const char *rep_format_files(rep_format format);

/* `path` is a file ("-": standard output), or for formats of several files a folder, which is made
 * if it is not there. */
col_status rep_write(const rep_report *report, rep_format format, const char *path,
                     col_problem *problem);

#endif
