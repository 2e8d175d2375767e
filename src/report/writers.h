/* SPDX-License-Identifier: MIT */
/* The writers behind rep_write, one for each format. A writer of one file makes its text; those of
 * several files write them into a folder. */
#ifndef REPORT_WRITERS_H
#define REPORT_WRITERS_H

#include "base/text.h"
#include "report/report.h"

col_status rep_page_write(const rep_report *report, const char *path, col_problem *problem);
col_status rep_csv_write(const rep_report *report, const char *folder, col_problem *problem);
col_status rep_svg_write(const rep_report *report, const char *folder, col_problem *problem);

/* Failures to get memory are remembered by the text. */
void rep_markdown_text(const rep_report *report, base_text *text);
void rep_ucis_text(const rep_report *report, base_text *text);
void rep_junit_text(const rep_report *report, base_text *text);
/* One table, as it is in the files. */
void rep_markdown_table(const rep_table *table, base_text *text);
void rep_csv_table(const rep_table *table, base_text *text);
/* One plot as a drawing of its own. */
void rep_svg_plot(const rep_plot *plot, base_text *text);

/* Writes FOLDER/NAME.EXTENSION, whatever characters the name has. */
col_status rep_write_part(const base_text *text, const char *folder, const char *name,
                          const char *extension, col_problem *problem);

#endif
