/* SPDX-License-Identifier: MIT */
/* A table for a terminal. */
#ifndef REPORT_TEXT_TABLE_H
#define REPORT_TEXT_TABLE_H

#include "report/report.h"

/* Adds the table in columns that line up: the best with a star, found counts in parentheses. */
void rep_text_table(const rep_table *table, base_text *text);

#endif
