/* SPDX-License-Identifier: MIT */
/* The page: a template, which the front end's build makes, with a title and the data put into it.
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "base/text.h"

#include <stdio.h>

/* The built asset of web/, in the binary. */
extern const unsigned char rep_asset[];
extern const size_t rep_asset_size;

/* Bytes that the data of a page may have. */
size_t rep_page_budget(void);

/* Writes the template with its two markers replaced; `data` is JSON without '<'. What the stream
 * does not take shows when it is closed. */
col_status rep_page_compose(FILE *stream, const char *template, size_t size, const char *title,
                            const base_text *data, col_problem *problem);

#endif
