/* SPDX-License-Identifier: MIT */
/*
 * A plan: which trials to run, as a YAML file. A trial is one cell of a grid: an episode (or a
 * tour, or a study of locations) with all its settings and a seed. Settings have the names and the
 * syntax of the options of collider run. docs/campaigns.md has the format.
 */
#pragma once

#include "base/memory.h"
#include "base/path.h"
#include "base/problem.h"

#include <limits.h>
#include <stdbool.h>

typedef enum cam_kind {
    CAM_EPISODE,
    CAM_TOUR,      /* of an abstract protocol: collider tour */
    CAM_LOCATIONS, /* coverage of (core, location) pairs by undirected tests of one size */
    CAM_KIND_COUNT
} cam_kind;
extern const char *const cam_kinds[CAM_KIND_COUNT + 1];

typedef struct cam_pair {
    const char *name, *value;
    const char *path; /* of a file that is named relative to the plan's folder; else NULL */
    uint32_t at;      /* which character of the plan the value begins with, from 1; 0: none */
} cam_pair;

/* What a trial is follows from its pairs and its kind alone. They are in the order of the table of
 * settings, and hold every setting that was given, in the plan's spelling but for numbers (64Ki is
 * 65536) and ranges (5:5 is 5). */
typedef struct cam_trial {
    cam_kind kind;
    const cam_pair *pairs;
    uint32_t pair_count;
    double shrink; /* seconds that shrinking each of its failures may take; 0: it is not shrunk. Not
                      part of its identity */
} cam_trial;

/* The value of a setting; NULL: it was not given. */
const char *cam_pair_value(const cam_pair *pairs, uint32_t count, const char *name);
const char *cam_trial_value(const cam_trial *trial, const char *name);

/* A known error was put into its design: to find it is what the trial is for. */
bool cam_trial_hunts(const cam_trial *trial);

/* Figures that a paper published, to put ours beside: a matrix of cells. Each row and each column
 * selects trials by pairs; `where` goes for all cells. */
typedef struct cam_selector {
    const cam_pair *pairs;
    uint32_t count;
} cam_selector;

typedef struct cam_selectors {
    cam_selector *list;
    uint32_t count;
} cam_selectors;

/* In a plan: the setting is not given. */
#define CAM_NONE "none"

/* Every pair of the selector is one of the trial's; the name `kind` selects by kind, the value
 * `none` what is not given. */
bool cam_selects(const cam_selector *selector, cam_kind kind, const cam_pair *pairs,
                 uint32_t count);

typedef enum cam_cell_kind {
    CAM_CELL_NONE, /* the paper has no figure here */
    CAM_CELL_VALUE,
    CAM_CELL_ABOVE /* censored: more than the value, such as an error not found in this many seconds
                    */
} cam_cell_kind;

typedef struct cam_cell {
    cam_cell_kind kind;
    double value;
    int32_t found, of; /* how many runs found the error, of how many; -1: not said */
} cam_cell;

typedef struct cam_published {
    const char *name;      /* a word: table-12 */
    const char *title;     /* "Table 12: ..." in our words */
    const char *source;    /* the document: "thesis", "mcversi", ... */
    const char *note;      /* what differs between the paper's setting and ours; may be NULL */
    const char *statistic; /* what the cells are: a name of results/statistics/statistic.h */
    const char *unit;      /* the paper's */
    double scale;          /* what ours is multiplied by to be in the paper's unit; 1 */
    double at;             /* a parameter of the statistic, such as a fraction of coverage; 0 */
    const char *machine;   /* of the statistic; may be NULL */
    const char *metric;    /* structural unless given */
    const char *per;       /* settings, "ops,locations", whose combinations are scenarios; NULL */
    cam_selector where, baseline; /* baseline: replaces selectors of a cell for relative statistics;
                                     count 0: none */
    cam_selectors rows, columns;
    cam_cell *cells; /* by rows */
} cam_published;

typedef struct cam_plan {
    const char *name, *title, *scale; /* scale: NULL: full size */
    const char *file, *text;          /* its name, and the file as it was read */
    size_t text_length;
    char hash[33];     /* of the name, the scale and the trials: 128 bits in hexadecimal */
    cam_trial *trials; /* no two the same */
    size_t trial_count;
    cam_published *published;
    uint32_t published_count;
    bool allows_code;  /* set before reading: its designs may be native code */
    bool omits_trials; /* likewise: its grids are read, but no trials are made of them */
    base_arena arena;  /* owns all of it */
} cam_plan;

/* `scale` is NULL or the name of a scale of the plan. `file` names the text in errors; relative
 * names of files in the plan are relative to its folder. Start from {0}; free also after an error.
 * A plan is somebody's file: unless `allows_code`, which is the user's word, one that names native
 * code is refused, so that whoever has a plan may open its designs. */
col_status cam_plan_read(cam_plan *plan, const char *text, size_t length, const char *file,
                         const char *scale, col_problem *problem);
col_status cam_plan_read_file(cam_plan *plan, const char *path, const char *scale,
                              col_problem *problem);
void cam_plan_free(cam_plan *plan);

/* Opens everything that the trials of a plan need, once, so that a misspelt design is reported
 * before the first trial runs and not at three in the morning. Reading a plan opens nothing. Each
 * design with its cores, options and errors; each engine on it with its bounds; each study of
 * locations with its mixes; whether there are such tours. Of mutants, which may have to be
 * compiled, the one with the greatest number. */
col_status cam_plan_try(const cam_plan *plan, col_problem *problem);

/* What --where says, a map of settings and their values as in a plan: "engine: htg" or
 * "{engine: [htg, ctg1], seed: 1..3}". Clears chosen[i] of the trials that it does not match;
 * refused if none is left. */
col_status cam_plan_choose(cam_plan *plan, const char *text, bool *chosen, col_problem *problem);

/* The file of a plan that is named by its path or, as designs are, by its name. */

/* What is not a YAML file, a path or a file at all is a name: that of a plan in the folder of
 * COLLIDER_PLANS, among the installed plans or in the source tree. */
col_status cam_plan_find(char path[PATH_MAX], const char *what, col_problem *problem);
