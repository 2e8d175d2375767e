/* SPDX-License-Identifier: MIT */
/*
 * Classes of transitions, such as the thesis's three (section 4.2.1): a file of lines MACHINE EVENT
 * CLASS says which class the transitions of an event are in. They part what is covered further than
 * machines do.
 */
#pragma once

#include "base/text.h"
#include "cover/coverage.h"

#include <jansson.h>

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

/*
 * Points that are left out of coverage, each for a reason that a person gave: a file of lines
 * MACHINE STATE EVENT reason. They leave the denominators, covered or not.
 */

typedef struct cov_exclusions {
    base_arena arena;
    const char **reasons; /* of each structural point; NULL: it is not excluded */
    uint32_t count;
} cov_exclusions;

/* Start from {0}; free also after a problem. A line without a reason, or of a point that the design
 * has not or that has a line already, is refused at its place. */
col_status cov_exclusions_read(cov_exclusions *exclusions, const col_coverage *coverage,
                               const char *path, col_problem *problem);
void cov_exclusions_free(cov_exclusions *exclusions);

/* Why a point is excluded; NULL: it is not. `exclusions` may be NULL. */
const char *cov_excluded(const cov_exclusions *exclusions, uint32_t point);

/* Holes: points that were never hit, why, and what would reach them; by machine. */

/* How much of a machine, or of all, is covered, by the three denominators. Points that are excluded
 * are in `excluded` alone. */
typedef struct cov_extent {
    uint32_t defined, covered;
    uint32_t reachable, reached; /* in the protocol */
    uint32_t here, here_covered; /* not ruled out by these tests and caches */
    uint32_t known_here;         /* known to be reachable with them; those covered are */
    uint32_t excluded;
    bool reachable_known, here_known, taken_known; /* else nothing is left out for that */
} cov_extent;
cov_extent cov_extent_of(const col_coverage *coverage, const cov_exclusions *exclusions,
                         uint32_t machine);
/* The same of one class, or of the points without any (COV_NO_CLASS). */
cov_extent cov_extent_of_class(const col_coverage *coverage, const cov_exclusions *exclusions,
                               uint32_t machine, const cov_classes *classes, uint32_t number);

/* Adds what a set of needs stands for: "flushes", "replacements in L2"; several with "and". */
void cov_needs_words(const col_coverage *coverage, uint32_t needs, base_text *text);

/* A point with its names, hits, whether it is reachable and here, and what it needs; NULL: out of
 * memory. */
json_t *cov_point_json(const col_coverage *coverage, uint32_t point, const col_point_facts *facts);

/* Between a state and an event; nothing if the point has no event. */
const char *cov_slash(const char *event);
/* The event; a set calls that of a point without one "-". */
const char *cov_event(const char *event);

/* Adds the holes of each machine: the first `most`, and how many more; below, what they need. */
void cov_holes_text(const col_coverage *coverage, const cov_exclusions *exclusions, uint32_t most,
                    base_text *text);
