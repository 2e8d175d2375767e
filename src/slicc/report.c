/* SPDX-License-Identifier: MIT */
/* Complaints about a protocol: see report.h. */
#include "slicc/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SHOWN = 160, SHOWN_BEFORE = 100, MOST_MESSAGE = 512 };

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
    const struct slicc_source *source = report->sources;
    while (source != NULL && source->file != file)
        source = source->next;
    if (source != NULL)
        return source;
    source = report->sources;
    while (source != NULL && strcmp(source->file, file) != 0)
        source = source->next;
    return source;
}

/* The line without its end; NULL if the text is shorter. */
static const char *find_line(const struct slicc_source *source, uint32_t line, size_t *length) {
    const char *start = source->text, *const end = source->text + source->length;
    for (uint32_t number = 1; number < line; number++) {
        const char *newline = start == end ? NULL : memchr(start, '\n', (size_t)(end - start));
        if (newline == NULL)
            return NULL;
        start = newline + 1;
    }
    const char *newline = start == end ? NULL : memchr(start, '\n', (size_t)(end - start));
    *length = (size_t)((newline == NULL ? end : newline) - start);
    if (*length > 0 && start[*length - 1] == '\r')
        --*length;
    return start;
}

/* What a terminal would obey must not reach it. */
static char printable(char c) {
    const bool obeyed = c != '\t' && ((unsigned char)c < ' ' || c == 0x7f);
    return (char)(obeyed ? '?' : c);
}

/* Of a long line, what surrounds the column. */
static void show_line(slicc_report *report, slicc_complaint *complaint, const char *line,
                      size_t length) {
    const size_t column = complaint->place.column == 0 ? 0 : complaint->place.column - 1;
    const size_t before = column < length ? column : length;
    const size_t first = length > MOST_SHOWN && before > SHOWN_BEFORE ? before - SHOWN_BEFORE : 0;
    const size_t count = length - first > MOST_SHOWN ? MOST_SHOWN : length - first;
    char *shown = base_arena_text(&report->arena, line + first, count);
    char *caret = base_arena_take(&report->arena, before - first + 2);
    if (shown == NULL || caret == NULL) {
        report->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++)
        shown[i] = printable(shown[i]);
    size_t width = 0;
    for (size_t i = 0; i < before - first; i++)
        if ((shown[i] & 0xc0) != 0x80) /* one column for all bytes of a UTF-8 character */
            caret[width++] = shown[i] == '\t' ? '\t' : ' ';
    caret[width] = '^';
    complaint->line = shown;
    complaint->caret = caret;
}

static char *copy_text(slicc_report *report, const char *text) {
    char *copy = base_arena_text(&report->arena, text, strlen(text));
    if (copy == NULL)
        report->failed = true;
    else
        for (char *c = copy; *c != '\0'; c++)
            *c = (char)(*c == '\t' ? ' ' : printable(*c));
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

void slicc_complain(slicc_report *report, slicc_place place, const char *format, ...) {
    char message[MOST_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const struct slicc_source *source = place.file == NULL ? NULL : find_source(report, place.file);
    if (is_repeated(report, source, place, message))
        return;
    report->count++;
    if (report->kept == SLICC_MOST_COMPLAINTS)
        return;

    slicc_complaint *complaint = &report->complaints[report->kept];
    *complaint = (slicc_complaint){.place = place, .source = UINT32_MAX};
    complaint->message = copy_text(report, message);
    complaint->place.file = copy_text(report, place.file == NULL ? "" : place.file);
    if (complaint->message == NULL || complaint->place.file == NULL)
        return;
    report->kept++;
    if (source == NULL)
        return;
    complaint->source = source->number;
    size_t length;
    const char *line = find_line(source, place.line, &length);
    if (line != NULL)
        show_line(report, complaint, line, length);
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
        base_text_print(text, "%s:%" PRIu32 ":%" PRIu32 ": %s\n", complaint->place.file,
                        complaint->place.line, complaint->place.column, complaint->message);
        if (complaint->line != NULL)
            base_text_print(text, "    %s\n    %s\n", complaint->line, complaint->caret);
    }
    if (report->count > report->kept)
        base_text_print(text, "%" PRIu64 " errors; %" PRIu64 " of them are not shown\n",
                        report->count, report->count - report->kept);
    else if (report->count > 1)
        base_text_print(text, "%" PRIu64 " errors\n", report->count);
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
