/* SPDX-License-Identifier: MIT */
/* The data of a page under way, and its parts. */
#ifndef REPORT_PAGE_DATA_H
#define REPORT_PAGE_DATA_H

#include "report/report.h"

typedef struct rep_data {
    const rep_report *report;
    size_t budget; /* bytes; 0: any number */
    base_text *text;
    size_t begin, limit; /* where the data begin; how long the text may get in this part */
    base_text left_out;  /* sentences, as a list */
    uint32_t *numbers;   /* of groups, in the data; REP_NO_GROUP: it is left out */
} rep_data;

/* Members of objects and lists, with the comma before them. */
void rep_data_next(base_text *text);
void rep_data_text(base_text *text, const char *key, const char *value);
void rep_data_value(base_text *text, const char *key, double value);
void rep_data_whole(base_text *text, const char *key, uint64_t value);
void rep_data_begin(base_text *text, const char *key, const char *bracket);
void rep_data_number(base_text *text, double number);
void rep_data_numbers(base_text *text, const char *key, const double *numbers, size_t count);
void rep_data_axes(base_text *text, const cam_pair *axes, uint32_t count);
void rep_data_group(const rep_data *data, const char *key, uint32_t group);
bool rep_data_has(const rep_data *data, uint32_t group);

/* The next part may take this part of what is left. */
void rep_data_share(rep_data *data, double part);
/* False: what came after the mark was too much, and is gone. */
bool rep_data_fits(rep_data *data, size_t mark);
/* Says that this many of them were left out; nothing if none was. */
void rep_data_leave_out(rep_data *data, uint64_t count, const char *what);

void rep_data_tables(rep_data *data);
void rep_data_failures(rep_data *data);
void rep_data_learning(rep_data *data);
void rep_data_boxes(rep_data *data);
void rep_data_evolutions(rep_data *data);

#endif
