/* SPDX-License-Identifier: MIT */
/*
 * Classes of transitions, such as the thesis's three (section 4.2.1): a file of lines MACHINE EVENT
 * CLASS says which class the transitions of an event are in. They part what is covered further than
 * machines do.
 */
#ifndef COVER_CLASSES_H
#define COVER_CLASSES_H

#include "cover/coverage.h"

enum { COV_MOST_CLASSES = 32, COV_NO_CLASS = COV_MOST_CLASSES };

typedef struct cov_classes {
    base_arena arena;
    const char *names[COV_MOST_CLASSES]; /* in the order of the file */
    uint32_t count;
    uint8_t *of_point; /* of each structural point; COV_NO_CLASS: no line is about its event */
} cov_classes;

/* Start from {0}; free also after a problem. An event that ends with * is every event that begins
 * so; the closest match counts. A line of an event that the design does not have, or that has a
 * line already, is refused at its place. */
col_status cov_classes_read(cov_classes *classes, const col_coverage *coverage, const char *path,
                            col_problem *problem);
void cov_classes_free(cov_classes *classes);

#endif
