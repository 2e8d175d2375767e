/* SPDX-License-Identifier: MIT */
/* Holes: points that were never hit, why, and what would reach them; by machine. */
#ifndef COVER_HOLES_H
#define COVER_HOLES_H

#include "base/text.h"
#include "cover/classes.h"
#include "cover/exclude.h"

#include <jansson.h>

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
/* Adds how tests get what is needed: an option of collider run. */
void cov_needs_advice(uint32_t needs, base_text *text);

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

#endif
