/* SPDX-License-Identifier: MIT */
/* A coverage set for people and programs: how much of each machine, the holes, what is excluded. */
#pragma once

#include "cover/holes.h"

/* How figures of points are printed: in columns, whatever the machines are called, and as
 * transitions, unless some points are anything else. */
typedef struct cov_form {
    int width;
    const char *noun;
} cov_form;
cov_form cov_form_of(const col_coverage *coverage);

typedef struct cov_view {
    const col_coverage *coverage;
    const cov_exclusions *exclusions; /* NULL: none */
    const cov_classes *classes;       /* NULL: they are not told apart */
    const char *sources; /* of lcov: the folder of the protocol's files; NULL: not said */
} cov_view;

/* Each adds to the text. */
void cov_show_text(const cov_view *view, base_text *text);
void cov_show_markdown(const cov_view *view, base_text *text);
void cov_show_json(const cov_view *view, base_text *text);
void cov_show_lcov(const cov_view *view, base_text *text);

/* What one set has and the other has not; both of the same points. */
typedef struct cov_pair {
    const col_coverage *sets[2];
    const char *names[2];
    const cov_exclusions *exclusions; /* NULL: none */
    bool losses_first;                /* in the text: what the first set alone has */
} cov_pair;
/* The points that the first set alone has: lost, if the second is the newer. */
uint32_t cov_diff_lost(const cov_pair *pair);
void cov_diff_text(const cov_pair *pair, base_text *text);
void cov_diff_json(const cov_pair *pair, base_text *text);
