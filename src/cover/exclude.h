/* SPDX-License-Identifier: MIT */
/*
 * Points that are left out of coverage, each for a reason that a person gave: a file of lines
 * MACHINE STATE EVENT reason. They leave the denominators, covered or not.
 */
#ifndef COVER_EXCLUDE_H
#define COVER_EXCLUDE_H

#include "cover/coverage.h"

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

#endif
