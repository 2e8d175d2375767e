/* SPDX-License-Identifier: MIT */
/* Complaints about a protocol: see slicc_report.h. */
#include "protocol/slicc/slicc_report.h"

#include "base/lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_MESSAGE = 512 };

struct slicc_source {
    const char *file;
    const char *text;
    size_t length;
    uint32_t number;
    struct slicc_source *next;
};

void slicc_report_source(slicc_report *report, const char *file, const char *text, size_t length) {
    struct slicc_source *source = base_arena_take(&report->arena, sizeof *source);
    if (source == NULL) {
        report->failed = true;
        return;
    }
    *source = (struct slicc_source){.file = file,
                                    .text = text,
                                    .length = length,
                                    .number = report->source_count++,
                                    .next = report->sources};
    report->sources = source;
}

/* Two texts may have one name: the same pointer is better than the same letters. */
static const struct slicc_source *find_source(const slicc_report *report, const char *file) {
    const struct slicc_source *found = NULL;
    for (const struct slicc_source *source = report->sources; source != NULL; source = source->next)
        if (source->file == file)
            return source;
        else if (found == NULL && strcmp(source->file, file) == 0)
            found = source;
    return found;
}

const char *slicc_report_text(const slicc_report *report, const char *file, size_t *length) {
    const struct slicc_source *source = find_source(report, file);
    *length = source == NULL ? 0 : source->length;
    return source == NULL ? NULL : source->text;
}

static char *copy_text(slicc_report *report, const char *text) {
    char *copy = base_arena_text(&report->arena, text, strlen(text));
    if (copy == NULL)
        report->failed = true;
    else
        base_make_printable(copy, false);
    return copy;
}

/* A type that is looked up several times is complained about once. */
static bool is_repeated(const slicc_report *report, const struct slicc_source *source,
                        slicc_place place, const char *message) {
    for (uint32_t i = 0; source != NULL && i < report->kept; i++) {
        const slicc_complaint *c = &report->complaints[i];
        if (c->source == source->number && c->place.line == place.line &&
            c->place.column == place.column && strcmp(c->message, message) == 0)
            return true;
    }
    return false;
}

static void keep(slicc_report *report, const slicc_complaint *wanted, const char *message,
                 const struct slicc_source *source) {
    if (report->kept == SLICC_MOST_COMPLAINTS)
        return;
    slicc_complaint *complaint = &report->complaints[report->kept];
    *complaint = *wanted;
    complaint->message = copy_text(report, message);
    complaint->place.file = copy_text(report, wanted->place.file == NULL ? "" : wanted->place.file);
    if (complaint->message == NULL || complaint->place.file == NULL)
        return;
    report->kept++;
    if (source == NULL)
        return;
    complaint->source = source->number;
    base_text excerpt = {0};
    base_excerpt_add(&excerpt, source->text, source->length, complaint->place.line,
                     complaint->place.column);
    if (excerpt.length > 0)
        complaint->excerpt = base_arena_text(&report->arena, excerpt.data, excerpt.length);
    report->failed =
        report->failed || excerpt.failed || (excerpt.length > 0 && complaint->excerpt == NULL);
    base_text_free(&excerpt);
}

static void note(slicc_report *report, slicc_place place, bool is_warning, const char *format,
                 va_list arguments) {
    char message[MOST_MESSAGE];
    (void)vsnprintf(message, sizeof message, format, arguments);
    const struct slicc_source *source = place.file == NULL ? NULL : find_source(report, place.file);
    if (is_repeated(report, source, place, message))
        return;
    *(is_warning ? &report->warning_count : &report->count) += 1;
    slicc_complaint complaint = {.place = place, .source = UINT32_MAX, .is_warning = is_warning};
    keep(report, &complaint, message, source);
    if (report->listener == NULL)
        return;
    base_make_printable(message, false);
    complaint.message = message;
    report->listener(report->context, &complaint);
}

void slicc_complain(slicc_report *report, slicc_place place, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    note(report, place, false, format, arguments);
    va_end(arguments);
}

void slicc_warn(slicc_report *report, slicc_place place, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    note(report, place, true, format, arguments);
    va_end(arguments);
}

static bool comes_before(const slicc_complaint *first, const slicc_complaint *second) {
    if (first->source != second->source)
        return first->source < second->source;
    if (first->place.line != second->place.line)
        return first->place.line < second->place.line;
    return first->place.column < second->place.column;
}

/* By insertion: they are few, nearly sorted, and those at one place stay as they were made. */
static void sort(const slicc_report *report, const slicc_complaint *sorted[SLICC_MOST_COMPLAINTS]) {
    for (uint32_t i = 0; i < report->kept; i++) {
        uint32_t at = i;
        for (; at > 0 && comes_before(&report->complaints[i], sorted[at - 1]); at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = &report->complaints[i];
    }
}

void slicc_report_write(const slicc_report *report, base_text *text) {
    const slicc_complaint *sorted[SLICC_MOST_COMPLAINTS];
    sort(report, sorted);
    for (uint32_t i = 0; i < report->kept; i++) {
        const slicc_complaint *complaint = sorted[i];
        if (complaint->excerpt != NULL)
            base_text_add(text, complaint->excerpt);
        base_text_print(text, "%s:%" PRIu32 ":%" PRIu32 ": %s: %s\n", complaint->place.file,
                        complaint->place.line, complaint->place.column,
                        complaint->is_warning ? "warning" : "error", complaint->message);
    }
    const uint64_t more = report->count + report->warning_count - report->kept;
    if (more > 0)
        base_text_print(text, "%" PRIu64 " more %s%s not shown\n", more,
                        report->count > 0 ? "error" : "warning", more == 1 ? " is" : "s are");
}

col_status slicc_report_status(const slicc_report *report, col_problem *problem) {
    /* Without memory complaints may be about what is missing for this reason. */
    if (report->failed || (report->count > 0 && report->kept == 0))
        return base_out_of_memory(problem);
    if (report->count == 0)
        return COL_OK;
    const slicc_complaint *sorted[SLICC_MOST_COMPLAINTS];
    sort(report, sorted);
    return base_refuse_at(problem, sorted[0]->place.file, sorted[0]->place.line,
                          sorted[0]->place.column, "%s", sorted[0]->message);
}

void slicc_report_free(slicc_report *report) {
    base_arena_free(&report->arena);
    *report = (slicc_report){0};
}
