/* SPDX-License-Identifier: MIT */
/*
 * The report as files: one writer for each format, all from the same model. Every file is written
 * whole or not at all, and the same report gives the same bytes. docs/report-formats.md says what
 * is in them.
 */
#ifndef REPORT_WRITE_H
#define REPORT_WRITE_H

#include "report/report.h"

typedef enum rep_format {
    REP_HTML,
    REP_CSV,
    REP_JSON,
    REP_MARKDOWN,
    REP_SVG,
    REP_UCIS,
    REP_JUNIT,
    REP_FORMAT_COUNT
} rep_format;
extern const char *const rep_formats[REP_FORMAT_COUNT + 1]; /* html, csv, ... and NULL */

/* What the format's one file is called in a folder; NULL: it is several files. */
const char *rep_format_file(rep_format format);

/* `path` is a file ("-": standard output), or for formats of several files a folder, which is made
 * if it is not there. */
col_status rep_write(const rep_report *report, rep_format format, const char *path,
                     col_error *error);

#endif
