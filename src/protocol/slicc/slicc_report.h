/* SPDX-License-Identifier: MIT */
/*
 * What is wrong with a protocol: several complaints per run, errors or warnings, each with its
 * place and a copy of the source line. A report outlives the tree that it is about; only the
 * sources are kept by reference.
 */
#pragma once

#include "base/text.h"
#include "protocol/slicc/ast.h"

enum { SLICC_MOST_COMPLAINTS = 20 }; /* kept; the rest are counted */

typedef struct slicc_complaint {
    slicc_place place;
    uint32_t source; /* the number of its file */
    bool is_warning;
    const char *message;
    const char *excerpt; /* the line of the source, with a caret; NULL if it is not known */
} slicc_complaint;

typedef struct slicc_report {
    base_arena arena;
    struct slicc_source *sources; /* the newest first */
    uint32_t source_count;
    slicc_complaint complaints[SLICC_MOST_COMPLAINTS]; /* in the order they were made */
    uint32_t kept;
    uint64_t count, warning_count; /* errors; warnings, which are made where there are none */
    bool failed;                   /* out of memory */
    /* Hears of every complaint, also of those that are not kept; the texts last for the call. May
     * be NULL. */
    void (*listener)(void *context, const slicc_complaint *complaint);
    void *context;
} slicc_report;

/* Start from {0}. The text of a file that complaints may be about; it must live as long as
 * complaints are made. */
void slicc_report_source(slicc_report *report, const char *file, const char *text, size_t length);

void slicc_complain(slicc_report *report, slicc_place place, const char *format, ...)
    BASE_PRINTF(3, 4);

/* What is allowed, but hardly meant. */
void slicc_warn(slicc_report *report, slicc_place place, const char *format, ...) BASE_PRINTF(3, 4);

/* The text of a file as it was read, by the name in places; NULL: it is not known. */
const char *slicc_report_text(const slicc_report *report, const char *file, size_t *length);

/* All complaints for a person to read, file by file from the top. Nothing if there are none. */
void slicc_report_write(const slicc_report *report, base_text *text);

/* COL_OK without errors, else COL_BAD_INPUT and the first of them in `problem`. */
col_status slicc_report_status(const slicc_report *report, col_problem *problem);
void slicc_report_free(slicc_report *report);
