/* SPDX-License-Identifier: MIT */
/*
 * The results of campaigns: an SQLite database (write-ahead log), so that any number of processes
 * can write and read it at once and a crash loses nothing that was committed. docs/store.md
 * documents the schema and its version.
 */
#pragma once

#include "base/names.h"
#include "collider/episode.h"
#include "results/plan/plan.h"

typedef struct cam_store cam_store;

/* Reading a database that is not there, of another schema, damaged, or no database at all is
 * refused in one sentence. A store may be somebody else's: reading it writes nothing, and no store
 * runs code or makes its reader hang. */
col_status cam_store_create(cam_store **store, const char *path,
                            col_problem *problem); /* or open, to write */
col_status cam_store_open(cam_store **store, const char *path, col_problem *problem); /* to read */
/* After reading, what came of it: nothing, if the store was changed meanwhile by a campaign that
 * began. */
col_status cam_store_check_unchanged(const cam_store *store, col_status status,
                                     col_problem *problem);
void cam_store_close(cam_store *store);
/* Both; of none, if it could not be opened. */
col_status cam_store_end(cam_store *store, col_status status, col_problem *problem);

/* ---- What is in it: rows. Texts and arrays belong to the store and last until the visit ends. */

typedef struct cam_extent {
    uint32_t covered, total;
    bool reachable_known;
    uint32_t reached, reachable;
} cam_extent;

/* The word for a metric, as rows and plans have it. */
const char *cam_metric_name(col_metric metric);

/* Where a trial came from. */
typedef struct cam_provenance {
    const char *version, *host, *design_hash;
    int64_t started; /* seconds since 1970 */
} cam_provenance;

/* What came of a trial. Unless `is_done` all but its key, kind, pairs, seed, reason and provenance
 * is 0 or NULL. */
typedef struct cam_row {
    const char *key; /* 128 bits in hexadecimal, of kind, pairs and design hash */
    cam_kind kind;
    const cam_pair *pairs;
    uint32_t pair_count;
    uint64_t seed;
    bool is_done;
    const char *reason; /* why it could not be done, or of the first failure; may be NULL */
    cam_provenance provenance;

    /* Of episodes. Times depend on the machine; all else does not. */
    const char *design, *model, *verdict, *ended_by;
    uint32_t cores;
    uint64_t tests, instances, operations, cycles;
    uint64_t undecided; /* instances that were not judged in time */
    double seconds;
    cam_extent coverage[COL_METRIC_COUNT];
    uint64_t failing_tests,
        failing_cycles; /* of tests that exposed an error, with keep-going all of them */
    double failing_seconds;
    uint64_t failure_test, failure_cycles; /* of the first; 0: none */
    uint32_t failure_instance;
    double failure_seconds;

    const col_curve_point *curve; /* CAM_CURVES */
    size_t curve_count;
    const unsigned char *packed; /* CAM_PACKED: instead of `curve`, as the store has it: a fifth */
    size_t packed_size;
    const uint64_t *hits;  /* CAM_HITS: of each structural point */
    const uint32_t *first; /* the test that reached it first, from 1; 0: none did */
    size_t point_count;
    const char *learning; /* CAM_LEARNING: the CSV of docs/learning.md; may be NULL */
    const char *result;   /* of tours and studies of locations: JSON, as docs/store.md says */
} cam_row;

enum { CAM_CURVES = 1, CAM_HITS = 2, CAM_LEARNING = 4, CAM_PACKED = 8 };

/* Visits rows in the order of their plan's grid (of `plan`, a hash; NULL: each row once, by key). A
 * visit that returns something else than COL_OK ends it. */
typedef col_status (*cam_visit)(void *context, const cam_row *row, col_problem *problem);
col_status cam_store_each(cam_store *store, const char *plan, unsigned parts, cam_visit visit,
                          void *context, col_problem *problem);

/* The plans whose trials are in it, in the order of their names and scales. */
typedef struct cam_plan_row {
    const char *hash, *name, *title, *scale; /* scale: "" at full size */
    const char *text;                        /* the plan as it was read: cam_plan_read takes it */
    uint64_t trials, done, failed;
} cam_plan_row;
typedef col_status (*cam_visit_plan)(void *context, const cam_plan_row *plan, col_problem *problem);
col_status cam_store_plans(cam_store *store, cam_visit_plan visit, void *context,
                           col_problem *problem);

/* The coverage points of a design: machine by machine, in the order of hits. */
typedef struct cam_point {
    const char *machine, *state, *event;
    bool is_reachable;
} cam_point;
typedef struct cam_design_row {
    const char *hash, *name;
    uint32_t cores;
    bool reachable_known;
    const cam_point *points;
    size_t point_count;
} cam_design_row;
typedef col_status (*cam_visit_design)(void *context, const cam_design_row *design,
                                       col_problem *problem);
col_status cam_store_designs(cam_store *store, cam_visit_design visit, void *context,
                             col_problem *problem);

/* The failures of trials, one for each kind that a trial met. Texts that there are not are NULL. A
 * failure is named by the number of its trial in the store and its kind: 17, or 17.2. */
typedef struct cam_failure_row {
    const char *key;    /* of the trial */
    const char *folder; /* of an episode that is not in a store: its name in the episode's folder */
    uint64_t number; /* of the trial: its place in the grids of all plans, from 1; 0: none has it */
    uint32_t kind;   /* from 1, in the order in which the trial met them */
    uint32_t size;   /* operations of the smallest; 0: not known */
    const char *hash, *fingerprint; /* NULL: an earlier version kept it */
    uint64_t count;                 /* tests of the trial that failed so */
    const char *verdict, *reason;
    uint64_t test, cycles; /* of the smallest */
    double seconds;
    const char *record;  /* failure.json */
    const char *program; /* program.txt; it and the record are what a replay takes */
    const char *story;   /* failure.txt, of the shrunk failure if it was shrunk */
    const char *picture; /* failure.svg */
    const char *shrunk;  /* the shrunk program; NULL: not shrunk */
    const char *litmus;  /* of the shrunk one, x86-64 or what there is */
    uint32_t threads, operations, locations; /* of the shrunk one */
    uint32_t instance;                       /* of the smallest */
    /* Of an episode that is not in a store, and was triaged: */
    bool is_bug;                /* the failures of a bug, with its smallest test; the text of the
                                 * fingerprint is what names it */
    const char *suspect, *mend; /* the change that mends it, in words and as an edit; NULL: none */
    /* Of the trial, when it is read: */
    const char *design, *engine, *error, *options;
    uint32_t mutant; /* 0: none */
} cam_failure_row;
/* Was an error or a mutant put into the design, or a mechanism left out? */
bool cam_failure_is_expected(const cam_failure_row *failure);
/* As it is written: "17", "17.2". */
enum { CAM_FAILURE_NAME = 32 };
void cam_failure_name(const cam_failure_row *failure, char name[CAM_FAILURE_NAME]);
typedef col_status (*cam_visit_failure)(void *context, const cam_failure_row *failure,
                                        col_problem *problem);
/* In the order of their numbers (of `plan`, a hash; NULL: each once). */
col_status cam_store_failures(cam_store *store, const char *plan, cam_visit_failure visit,
                              void *context, col_problem *problem);

/* Writes what a replay needs, failure.json and program.txt, into an existing folder. Refuses
 * unknown failures, and those of which only the fingerprint was kept. */
col_status cam_store_extract(cam_store *store, const char *name, const char *folder,
                             col_problem *problem);

/* ---- Writing: each call is one transaction. */

/* Registers a plan and its grid; trials of other plans that are the same are shared. */
col_status cam_store_add_plan(cam_store *store, const cam_plan *plan, col_problem *problem);

/* What a worker hands over. The row's key must have been made by cam_key. A row that is there
 * already stays (whoever came first counts) unless it failed. */
col_status cam_store_add(cam_store *store, const cam_row *row, const cam_failure_row *failures,
                         uint32_t failure_count, col_problem *problem);
col_status cam_store_add_design(cam_store *store, const cam_design_row *design,
                                col_problem *problem);

/* Many writes as one transaction, which is far faster: all of them are committed, or none. A write
 * that fails takes back those before it. */
col_status cam_store_begin(cam_store *store, col_problem *problem);
col_status cam_store_commit(cam_store *store, col_problem *problem);

/* How far a plan has got: statuses[position] for each of its trials. */
typedef enum cam_status { CAM_OPEN, CAM_DONE, CAM_FAILED } cam_status;
col_status cam_store_status(cam_store *store, const char *plan, uint8_t *statuses, size_t count,
                            col_problem *problem);

/* ---- Failures by their fingerprints: how many there are of each kind, and which is the smallest:
 * a shrunk one, or else the one with the fewest operations. */

typedef struct cam_failure_kind {
    uint32_t number;  /* in the order in which kinds came, from 0 */
    const char *hash; /* "": kept by a version before there were fingerprints */
    const char *fingerprint;
    uint64_t count; /* tests that failed so */
    uint32_t trials;
    uint32_t store;              /* where the example is, as the caller numbers stores */
    char name[CAM_FAILURE_NAME]; /* of the example: see cam_failure_name */
    bool is_shrunk, is_kept;     /* the example: kept failures come first */
    uint32_t operations;         /* of the example; 0: not known */
} cam_failure_kind;

/* Start from {.names.arena = ...}, which must last as long. */
typedef struct cam_failure_kinds {
    base_names names;
    cam_failure_kind *list;
    size_t count, capacity;
    uint64_t failures; /* of all kinds */
} cam_failure_kinds;

/* `kind` (may be NULL) is the number of its kind, in the order in which they came. */
col_status cam_failure_kinds_add(cam_failure_kinds *kinds, const cam_failure_row *failure,
                                 uint32_t store, uint32_t *kind, col_problem *problem);
/* The most frequent first; numbers mean nothing any more. */
void cam_failure_kinds_sort(cam_failure_kinds *kinds);
void cam_failure_kinds_free(cam_failure_kinds *kinds);

/* The folder of a failure as the texts of its row. A shrunk one has some of them anew. */

/* NULL: there is no such file, or nothing in it. */
col_status cam_text_read(base_arena *arena, const char *folder, const char *name, const char **text,
                         col_problem *problem);

col_status cam_failure_texts(cam_failure_row *failure, base_arena *arena, const char *folder,
                             bool is_shrunk, col_problem *problem);

/* ---- Merging: the shards of a campaign become one store. A trial has one row, whatever is merged
 * how often and in which order: one that is done counts, else the first that failed. Where a row
 * comes from (campaign, host, version, time) comes along. */

typedef struct cam_merge_summary {
    uint64_t added;   /* rows that were not there, or replaced one that failed */
    uint64_t present; /* rows that were there */
    uint64_t trials;  /* of all plans of the store, afterwards */
    uint64_t done, failed;
} cam_merge_summary;

/* One or more into `out`, which is made or goes on; none is enough if it is there. All of them are
 * looked at before anything is written: stores of different plans, designs or versions are refused.
 * Each store is one transaction; what is made is there whole or not at all. */
col_status cam_merge(const char *out, char *const *in, size_t count, cam_merge_summary *summary,
                     col_problem *problem);

/* Whether results of this version, of that plan alone and of its designs as they are, can be merged
 * into the store; hashes as a store has them. */
col_status cam_merge_fits(const char *out, const char *plan, const char *grid,
                          col_problem *problem);
