/* SPDX-License-Identifier: MIT */
/* The formats of the report and their writers: see write.h. */
#include "report/write.h"

#include "base/file.h"
#include "base/path.h"
#include "report/escape.h"
#include "report/writers.h"

col_status rep_write_part(const base_text *text, const char *folder, const char *name,
                          const char *extension, col_problem *problem) {
    char path[PATH_MAX];
    base_text file = {0};
    rep_file_name(&file, name);
    base_text_print(&file, ".%s", extension);
    col_status status = base_text_status(text, problem);
    if (status == COL_OK)
        status = base_text_status(&file, problem);
    if (status == COL_OK)
        status = base_path_in(path, folder, file.data, problem);
    if (status == COL_OK)
        status =
            base_file_write_anew(path, text->data == NULL ? "" : text->data, text->length, problem);
    base_text_free(&file);
    return status;
}

static col_status write_text(const base_text *text, const char *path, col_problem *problem) {
    const col_status status = base_text_status(text, problem);
    return status == COL_OK ? base_file_write(path, text->data, text->length, problem) : status;
}

static col_status write_json(const rep_report *report, const char *path, col_problem *problem) {
    base_text text = {0};
    col_status status = rep_page_data(report, 0, &text, problem);
    base_text_add(&text, "\n");
    if (status == COL_OK)
        status = write_text(&text, path, problem);
    base_text_free(&text);
    return status;
}

/* ---- The formats. */

typedef struct format {
    const char *summary, *file, *files;
    void (*text)(const rep_report *report, base_text *text);
    col_status (*write)(const rep_report *report, const char *path, col_problem *problem);
} format;

#define WORD(name, word, ...) [name] = (word),
#define ROW(name, word, about, ...) [name] = {.summary = (about), __VA_ARGS__},
const char *const rep_formats[REP_FORMAT_COUNT + 1] = {REP_FORMATS(WORD)};
static const format formats[REP_FORMAT_COUNT] = {REP_FORMATS(ROW)};

const char *rep_format_summary(rep_format place) {
    return formats[place].summary;
}

const char *rep_format_file(rep_format place) {
    return formats[place].file;
}

const char *rep_format_files(rep_format place) {
    return formats[place].files;
}

col_status rep_write(const rep_report *report, rep_format place, const char *path,
                     col_problem *problem) {
    const format *f = &formats[place];
    if (f->text == NULL)
        return f->write(report, path, problem);
    base_text text = {0};
    f->text(report, &text);
    const col_status status = write_text(&text, path, problem);
    base_text_free(&text);
    return status;
}
