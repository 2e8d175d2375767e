/* SPDX-License-Identifier: MIT */
/* One line of a trace in text. Nothing is known here of other lines. */
#pragma once

#include "judge/trace/trace.h"

typedef enum chk_line_kind { CHK_NOTHING, CHK_OPERATION, CHK_LAST_VALUE, CHK_CHECK } chk_line_kind;

typedef struct chk_scan {
    const char *file;
    const char *start, *end; /* of the line, without the character that ends it */
    uint32_t line;
    col_status status; /* the first problem stays */
    col_problem *problem;
    const char *at;

    /* What the line says. */
    chk_line_kind kind;
    col_operation operation; /* but its location; a COL_FLUSH is a branch */
    uint8_t bits;            /* of the word; 0: not said */
    bool is_unfinished, has_replaced;
    uint64_t thread, address, read, written, replaced;
    int64_t begin, end_time;
    /* Where it says so. */
    const char *part_at[CHK_PART_COUNT];
} chk_scan;

/* Reads the line between `start` and `end`. */
col_status chk_scan_line(chk_scan *scan);

/* The thread's number alone, if the line begins with one that is good. */
bool chk_scan_thread(const char *start, const char *end, uint64_t *thread);

/* Does the line begin with that word? */
bool chk_scan_word(const char *start, const char *end, const char *word);

/* Refuses what stands at `place`. */
#define CHK_REFUSE(scan, place, ...)                                                               \
    base_refuse_at((scan)->problem, (scan)->file, (scan)->line,                                    \
                   (uint32_t)((place) - (scan)->start) + 1, __VA_ARGS__)
