/* SPDX-License-Identifier: MIT */
/* JUnit's XML as Jenkins, GitLab and others read it, whatever its cases are about. */
#pragma once

#include "base/text.h"

typedef struct rep_junit_tally {
    uint32_t tests, failures, errors, skipped;
    double seconds;
} rep_junit_tally;

/* What a case ended with. */
typedef enum rep_junit_end { REP_PASSED, REP_FAILED, REP_ERROR, REP_SKIPPED } rep_junit_end;

typedef struct rep_junit_case {
    const char *class_name, *scale; /* "collider.NAME", with "-SCALE" unless that is empty */
    const char *name;
    double seconds;
    rep_junit_end end;
    const char *type, *message; /* of what did not pass: a word, a sentence */
    const char *text;           /* in full; of a case that passed: what it printed. NULL: nothing */
} rep_junit_case;

typedef struct rep_junit_suite {
    const char *name, *scale;
    rep_junit_tally tally;
    const char *timestamp; /* 2026-11-19T20:41:00, NULL: not known */
    const char *host;      /* NULL: not known */
} rep_junit_suite;

void rep_junit_count(rep_junit_tally *tally, rep_junit_end end, double seconds);

/* The document is begun, then each suite, then its cases; and ended in turn. */
void rep_junit_begin(base_text *text, const char *title, const rep_junit_tally *tally);
void rep_junit_begin_suite(base_text *text, const rep_junit_suite *suite);
void rep_junit_add(base_text *text, const rep_junit_case *of);
void rep_junit_end_suite(base_text *text);
void rep_junit_finish(base_text *text);
