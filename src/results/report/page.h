/* SPDX-License-Identifier: MIT */
/* The page: a template, which the front end's build makes, with a title and the data put into it.
 */
#pragma once

#include "base/text.h"
#include "results/report/report.h"

/* The built asset of web/, in the binary. */
extern const unsigned char rep_asset[];
extern const size_t rep_asset_size;

/* Bytes that the data of a page may have. */
size_t rep_page_budget(void);

/* Adds the template with its two markers replaced; `data` is JSON without '<'. */
col_status rep_page_compose(base_text *page, const char *template, size_t size, const char *title,
                            const base_text *data, col_problem *problem);

/* The data of a page under way, and its parts. */

typedef struct rep_data {
    const rep_report *report;
    size_t budget; /* bytes; 0: any number */
    base_text *text;
    size_t begin, limit; /* where the data begin; how long the text may get in this part */
    base_text left_out;  /* sentences, as a list */
    uint32_t *numbers;   /* of groups, in the data; REP_NO_GROUP: it is left out */
} rep_data;

/* Members of objects and lists, with the comma before them: a key and a value for each letter of
 * `types`, t a text, w a uint64_t, u a uint32_t, d a double, r as it is; { begins an object that is
 * an item of a list, and } ends it. */
void rep_data_members(base_text *text, const char *types, ...);
void rep_data_begin(base_text *text, const char *key, const char *bracket);
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
void rep_data_plots(rep_data *data);
