/* SPDX-License-Identifier: MIT */
/*
 * From recorded failures to bugs: failures that one change of the design would mend are one bug.
 * Where no such change is known, those whose smallest tests are the same. docs/triage.md explains.
 */
#pragma once

#include "collider/shrink.h"
#include "episode/failure/failure.h"
#include "episode/failure/waiver.h"
#include "episode/triage/suspect.h"
#include "episode/triage/test_shape.h"

typedef struct epi_case {
    char folder[1024];
    epi_recorded recorded;
    col_failure was;
    uint32_t design;     /* the first case of the same design, options, error and model */
    size_t bug;          /* EPI_NO_BUG: not known */
    bool is_mended;      /* by the mends of the bugs so far */
    size_t mended_by;    /* the bug whose mend was the last; EPI_NO_BUG: none was needed */
    uint64_t seed;       /* with which it fails in spite of them */
    col_outcome outcome; /* and how */
    bool is_same;        /* to the cycle: as it was recorded */

    uint32_t tries; /* to find a mend for it */
} epi_case;
#define EPI_NO_BUG SIZE_MAX

typedef struct epi_bug {
    size_t first;             /* the case that was shrunk */
    size_t earliest;          /* of its cases, by their tests */
    uint64_t count;           /* failures, with those that have no folder */
    epi_suspects suspects;    /* the first one names the bug; there may be none */
    char says[256];           /* "L0Cache E Store needs mark_dirty"; empty: no suspect */
    char mend[EPI_MOST_MEND]; /* the same as an edit of an error file */
    char design[64];
    epi_known_bug *known; /* which it is, and so waived: nothing is shrunk; NULL: it is new */
    col_shrunk shrunk;
    bool is_shrunk;             /* to a folder of its own */
    char shape[EPI_SHAPE_SIZE]; /* of the shrunk test */
} epi_bug;

typedef struct epi_triage {
    epi_case *cases;
    size_t case_count, case_capacity;
    epi_bug *bugs; /* most failures first */
    size_t bug_count, bug_capacity;
    uint64_t failures;    /* of all bugs, with those that have no folder */
    uint64_t unexplained; /* of these, those of no bug */
    bool is_complete;     /* no limit and no stop ended it: every case has its bug */
    double seconds;       /* so far */
    bool has_known_file;  /* OUT/known.yaml was written, not left with the reasons in it */
} epi_triage;

typedef struct epi_triage_settings {
    const char *const *folders; /* of failures, or of episodes */
    size_t folder_count;
    /* Those whose failures count although they have no folder, as the record of the episode says.
     */
    const char *const *episodes;
    size_t episode_count;
    bool allow_code;
    const char *out; /* a folder for each bug goes there: bug-1, bug-2, ... */
    double seconds;  /* 0: no limit */
    uint32_t jobs;
    uint64_t seed;
    epi_known *known; /* gets the counts of what is waived; may be NULL */
    /* After each step, with what is known so far; may be NULL. */
    void (*progress)(void *context, const epi_triage *triage);
    void *context;
    const volatile int *stop; /* may be NULL */
} epi_triage_settings;

/* Start from {0}; free it also after an error. */
col_status epi_triage_run(const epi_triage_settings *settings, epi_triage *triage,
                          col_problem *problem);
void epi_triage_free(epi_triage *triage);

/* OUT/known.yaml, with an entry for each bug that is not known. One in which somebody wrote reasons
 * is left as it is. */
col_status epi_triage_write_known(const epi_triage_settings *settings, epi_triage *triage,
                                  col_problem *problem);

/* The steps. */
col_status epi_triage_read(const epi_triage_settings *settings, epi_triage *triage,
                           col_problem *problem);
/* Known bugs of the design of that case, which the worker has as it was recorded: they become bugs,
 * and get the cases that are recognised by a kind or a cell. */
col_status epi_triage_waive(epi_triage *triage, const epi_waiver_of *of, epi_worker *worker,
                            uint32_t design, col_problem *problem);
/* At the end: known bugs get their counts. */
void epi_triage_count_waived(const epi_triage *triage);
