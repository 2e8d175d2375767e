/* SPDX-License-Identifier: MIT */
/* Durations as people write them: 90, 90s, 500ms, 2m, 1h30m. */
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

#include "base/problem.h"

#include <stdbool.h>

/* What a duration may be, for sentences that refuse another one. */
#define BASE_DURATION_FORMS "a duration such as 90, 90s, 2m or 1h30m"

/* The whole text: a number of seconds, or numbers with units (h, m, s, ms) from the largest to the
 * smallest, each at most once. */
bool base_duration_parse(const char *text, double *seconds);

/* The same; refuses what is not a duration, and what is not above 0 and at most `most` seconds, in
 * a sentence that names the setting: the prefix "--" and the name "time". */
col_status base_duration_read(const char *prefix, const char *name, const char *text, double most,
                              bool takes_zero, double *seconds, col_problem *problem);

#endif
