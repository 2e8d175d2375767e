/* SPDX-License-Identifier: MIT */
/* Stores with made-up results, and reports of them. */
#pragma once

#include "results/plan/trial.h"
#include "results/report/report.h"
#include "results/store/store.h"

/* The points of the made-up design, and how many of them can be reached. */
enum { MADE_POINTS = 12, MADE_REACHABLE = 10, MADE_FUNCTIONAL = 24 };

/* What the fields of a row are before `fill` is asked: an episode of 1000 cycles and 2 seconds that
 * passed its 10 tests and covered nothing. A fill that returns false leaves the trial out. */
typedef bool (*made_fill)(const cam_trial *trial, size_t place, cam_row *row);

/* A new folder, removed with all that is in it at the end. */
typedef struct made_folder {
    char path[64];
} made_folder;
void made_folder_begin(made_folder *folder);
void made_folder_end(const made_folder *folder);

/* Adds the plan with its rows to the store, which is made if it is not there. */
void made_store(const char *path, const char *plan, const char *scale, made_fill fill);
/* Keeps a failure of the trial of this place, with a story and a picture. */
void made_failure(const char *path, const char *plan, size_t place);

/* The report of one store. */
void made_report(rep_report *report, const char *path);
/* With a price of each test, in cycles, and the cycle at which episodes are cut off; 0: none. */
void made_report_of(rep_report *report, const char *path, double price, uint64_t until);

const char *made_value(const cam_trial *trial, const char *name); /* "none" */
const rep_table *made_table(const rep_report *report, const char *id);
/* The cell in the row whose first cells read so (ended by NULL) and the column of this name. */
/* The cells of the last few calls can be looked at together. */
const rep_cell *made_cell_of(const rep_table *table, size_t row, uint32_t column);
const rep_cell *made_cell(const rep_table *table, const char *column, const char *const *words);

/* A curve that covers `covered` points from `cycles` on, and nothing before. */
void made_step(cam_row *row, uint64_t cycles, uint32_t covered);
