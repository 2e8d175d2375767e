/* SPDX-License-Identifier: MIT */
/*
 * What an engine learned, test by test, as CSV: for plots of loss and reward, and of what it came
 * to prefer. A row is in the file as soon as it is known; docs/learning.md has the columns.
 */
#ifndef EPISODE_LEARNING_LOG_H
#define EPISODE_LEARNING_LOG_H

#include "base/file.h"
#include "collider/engine.h"

/* Start from {0}. */
typedef struct epi_learning_log {
    base_file first; /* until it begins: what it will begin with */
    FILE *file;
    const char *path; /* the caller's */
} epi_learning_log;

/* Checks that there can be a log, and changes nothing. The file is new, or goes on: then rows of
 * tests after the last known one will be dropped from it. */
col_status epi_learning_log_open(epi_learning_log *log, const char *path,
                                 const col_learning *learning, bool goes_on, uint64_t last_test,
                                 col_problem *problem);
col_status epi_learning_log_begin(epi_learning_log *log, col_problem *problem);
/* A row, if there is something to tell: with the cycles and the coverage after the test. */
col_status epi_learning_log_add(const epi_learning_log *log, const col_learning *learning,
                                uint64_t cycles, uint64_t covered, col_problem *problem);
void epi_learning_log_close(epi_learning_log *log);

#endif
