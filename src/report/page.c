/* SPDX-License-Identifier: MIT */
/* The report as one page that needs nothing else: see page.h. */
#include "report/page.h"

#include "base/file.h"
#include "report/escape.h"
#include "report/writers.h"

#include <string.h>

/* A page of more bytes is slow to open, and more than mail takes. The data's budget is not met to
 * the byte. */
enum { MOST_BYTES = 5000000, SLACK = 50000, LEAST_DATA = 500000 };

static const char title_marker[] = "%collider-report-title%";
static const char data_marker[] = "%collider-report-data%";

typedef struct part {
    const char *data;
    size_t length;
} part;

/* The marker's place in the rest of the template; what comes before it is written. */
static bool write_before(FILE *stream, part *rest, const char *marker) {
    const size_t length = strlen(marker);
    for (size_t i = 0; i + length <= rest->length; i++)
        if (rest->data[i] == marker[0] && memcmp(rest->data + i, marker, length) == 0) {
            (void)fwrite(rest->data, 1, i, stream);
            *rest = (part){rest->data + i + length, rest->length - i - length};
            return true;
        }
    return false;
}

col_status rep_page_compose(FILE *stream, const char *template, size_t size, const char *title,
                            const base_text *data, col_problem *problem) {
    part rest = {template, size};
    base_text escaped = {0};
    rep_xml(&escaped, title);
    col_status status = base_text_status(&escaped, problem);
    if (status == COL_OK && !write_before(stream, &rest, title_marker))
        status = base_fail(problem, "the report's page was built without a place for its title");
    if (status == COL_OK)
        (void)fwrite(escaped.data == NULL ? "" : escaped.data, 1, escaped.length, stream);
    if (status == COL_OK && !write_before(stream, &rest, data_marker))
        status = base_fail(problem, "the report's page was built without a place for its data");
    if (status == COL_OK) {
        (void)fwrite(data->data, 1, data->length, stream);
        (void)fwrite(rest.data, 1, rest.length, stream);
    }
    base_text_free(&escaped);
    return status;
}

size_t rep_page_budget(void) {
    const size_t asset = rep_asset_size + SLACK;
    return asset + LEAST_DATA < MOST_BYTES ? MOST_BYTES - asset : LEAST_DATA;
}

col_status rep_page_write(const rep_report *report, const char *path, col_problem *problem) {
    base_text data = {0};
    base_file file;
    col_status status = rep_page_data(report, rep_page_budget(), &data, problem);
    if (status == COL_OK)
        status = base_text_status(&data, problem);
    if (status == COL_OK)
        status = base_file_begin(&file, path, problem);
    if (status == COL_OK) {
        status = rep_page_compose(file.stream, (const char *)rep_asset, rep_asset_size,
                                  report->title, &data, problem);
        const col_status end = base_file_end(&file, status == COL_OK, problem);
        status = status == COL_OK ? end : status;
    }
    base_text_free(&data);
    return status;
}
