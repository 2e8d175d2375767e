/* SPDX-License-Identifier: MIT */
/*
 * Known bugs: a file (docs/known-bugs.md) that says by what their failures are recognised, and why
 * they are waived. It may be somebody else's, and is data: nothing in it is run, or names a file.
 */
#pragma once

#include "base/field.h"
#include "base/json.h"
#include "collider/duv.h"
#include "collider/episode.h"

enum { EPI_MOST_KNOWN_KINDS = 64, EPI_MOST_MEND = 4096 };

typedef struct epi_known_cell {
    char machine[64], state[64], event[64];
    base_place place;
} epi_known_cell;

typedef struct epi_known_bug {
    char bug[256], design[64], reason[256], link[256]; /* empty: not said */
    char test[17], until[11];                          /* likewise */
    char kinds[EPI_MOST_KNOWN_KINDS][17];
    uint32_t kind_count;
    bool is_expired;
    base_text mend; /* edits of an error file, with semicolons between them */
    epi_known_cell *cells;
    size_t cell_count, cell_capacity;
    base_place place, mend_place; /* in the file; line 0: it came from a saved episode */
    /* Tests with a failure that was waived, and the first of them. */
    uint64_t count, first_test, last_test;
} epi_known_bug;

/* Start from {0}; free it also after an error. */
typedef struct epi_known {
    char path[1024];
    epi_known_bug *bugs; /* as the file has them */
    size_t count, capacity;
    bool is_behind; /* the episode's first failure is recorded with the mends of known bugs */
} epi_known;

col_status epi_known_read(epi_known *known, const char *path, col_problem *problem);
/* The same of a text; `today`, "2027-01-31", decides what has expired. */
col_status epi_known_parse(epi_known *known, const char *text, size_t length, const char *path,
                           const char *today, col_problem *problem);
void epi_known_free(epi_known *known);

/* Is it for this design, and not expired? */
bool epi_known_applies(const epi_known_bug *bug, const char *design);
/* Refuses cells that the design does not have. */
col_status epi_known_check_cells(const epi_known *known, const col_duv_description *design,
                                 col_problem *problem);
/* By its kind, or by the cell of a protocol error, which may be NULL; NULL: none of them. */
epi_known_bug *epi_known_find(const epi_known *known, const col_duv_description *design,
                              const char *kind, const col_duv_cell *cell);

/* By the shape of its smallest test. */
epi_known_bug *epi_known_by_test(const epi_known *known, const char *design, const char *shape);
/* Is the cell one of those that its mend edits? */
bool epi_known_mends(const epi_known_bug *bug, const char *machine, const char *state,
                     const char *event);

/* A failure of the test was waived; of one test, they count once. */
void epi_known_count(epi_known_bug *bug, uint64_t test);
/* Tests with failures that were waived, of all bugs together. */
uint64_t epi_known_waived(const epi_known *known);
/* The list "waived" of records; an empty one of NULL. */
json_t *epi_known_json(const epi_known *known);
/* Takes over the counts that such a list has; of bugs that the file no longer has, too. What is not
 * such a list is not good. */
col_status epi_known_restore(epi_known *known, const json_t *list, bool *is_good,
                             col_problem *problem);
