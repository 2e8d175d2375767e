/* SPDX-License-Identifier: MIT */
/* The log of learning (docs/learning.md) of a trial, in bins; however long it was it takes little
 * room. */
#ifndef REPORT_LEARNED_H
#define REPORT_LEARNED_H

#include "report/maker.h"

enum { REP_LEARNED_BINS = 128 };

extern const char *const rep_learned_names[REP_LEARNED_COUNT];

/* `*learned` is NULL if the text has no rows. What is no number is left out. False: out of memory.
 */
bool rep_learned_read(base_arena *arena, const char *csv, const rep_learned **learned);

#endif
