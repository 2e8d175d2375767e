/* SPDX-License-Identifier: MIT */
/*
 * The folder of an episode: its record, its coverage, what was saved, its failures. It belongs to
 * one process at a time, and an episode that is there is replaced only on request, and only when
 * the new one has begun.
 */
#pragma once

#include "base/file.h"
#include "base/folder.h"
#include "collider/engine.h"
#include "collider/episode.h"
#include "episode/failure/known_bugs.h"

#include <limits.h>

/* Does the interval of forecasts hold as often as it should (docs/discovery.md)? Not for engines
 * that make each test from the last one. */
bool epi_interval_holds(const col_episode *episode);

typedef struct epi_folder {
    const char *path; /* the caller's */
    base_lock lock;
    bool is_new;                     /* it was not there before */
    bool goes_on;                    /* with the episode that is there */
    bool is_used;                    /* this episode has written to it */
    const epi_known *known;          /* of the episode; may be NULL */
    const struct epi_triage *triage; /* of its failures, to be recorded, too; NULL: none was made */
} epi_folder;
#define EPI_FOLDER_NONE                                                                            \
    { .lock = BASE_LOCK_NONE }

/* Takes the folder and changes nothing that is in it. Refused while another process has it; unless
 * `replace` also if it holds an episode other than the one to `resume` (may be NULL). */
col_status epi_folder_claim(epi_folder *folder, const char *path, const char *resume, bool replace,
                            col_problem *problem);
/* The episode begins: a first record, and nothing is left of another one. */
col_status epi_folder_begin(epi_folder *folder, const col_episode_settings *settings,
                            const col_episode *episode, col_problem *problem);
/* Nothing is left of an earlier triage. */
void epi_folder_remove_bugs(const epi_folder *folder);
/* Its record and its coverage, as they are now. */
col_status epi_folder_record(epi_folder *folder, const col_episode_settings *settings,
                             const col_episode *episode, col_problem *problem);
/* The record alone, as col_episode_write, with the folder's triage. */
col_status epi_folder_write(const epi_folder *folder, const col_episode_settings *settings,
                            const col_episode *episode, const char *path, col_problem *problem);
/* The name of the first failure in an episode's folder; false: it has none. */
bool epi_folder_failure(const char *path, char name[NAME_MAX + 1]);
/* Lets go of it. A new one that nothing was written to is removed. */
void epi_folder_release(epi_folder *folder);

/*
 * What an engine learned, test by test, as CSV: for plots of loss and reward, and of what it came
 * to prefer. A row is in the file as soon as it is known; docs/learning.md has the columns.
 */

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
