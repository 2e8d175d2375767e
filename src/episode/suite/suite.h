/* SPDX-License-Identifier: MIT */
/*
 * A suite: a folder of programs and its index, suite.txt, which says with which seeds each is run
 * and what each of these instances covered. An episode keeps one of its tests that covered anything
 * new (its corpus); collider distil makes a small one of several. docs/regression.md has the form.
 */
#pragma once

#include "base/memory.h"
#include "base/text.h"
#include "collider/cover.h"

#define EPI_SUITE_INDEX "suite.txt"

typedef struct epi_suite_instance {
    uint64_t seed;
    uint64_t *points; /* a bit for each functional point, in the order of names */
} epi_suite_instance;

typedef struct epi_suite_program {
    const char *file;    /* in the suite's folder: test-....txt */
    const char *episode; /* that it is of, as a word of the index; "-": that of the corpus */
    uint64_t test;       /* of the episode, from 1 */
    uint64_t operations;
    uint32_t first_instance, instance_count;
} epi_suite_program;

/* Start from {0}; free also after a problem. */
typedef struct epi_suite {
    base_arena arena;
    col_coverage *points; /* of the design, without any coverage */
    bool is_borrowed;     /* they are somebody else's, who may have coverage */
    size_t words;         /* of the points of an instance */
    epi_suite_program *programs;
    epi_suite_instance *instances;
    size_t program_count, program_room, instance_count, instance_room;
} epi_suite;

/* An empty suite of the points of a set, which must outlive it. */
void epi_suite_begin(epi_suite *suite, col_coverage *points);
/* Both copy what they are given. The instance is one of the newest program's. */
col_status epi_suite_add(epi_suite *suite, const epi_suite_program *program, col_problem *problem);
col_status epi_suite_add_instance(epi_suite *suite, uint64_t seed, const uint64_t *points,
                                  col_problem *problem);

/* Those whose test is a later one are not among its programs any more. */
void epi_suite_cut(epi_suite *suite, uint64_t last_test);

void epi_suite_print(const epi_suite *suite, base_text *text);
col_status epi_suite_read(epi_suite *suite, const char *text, size_t length, const char *file,
                          col_problem *problem);
/* The index of a folder, which may be somebody else's. */
col_status epi_suite_read_folder(epi_suite *suite, const char *folder, col_problem *problem);
/* Adds what its programs cover to its points, as if each were a test of an episode. */
col_status epi_suite_cover(const epi_suite *suite, col_problem *problem);
/* That of a folder, as a set. */
col_status epi_suite_coverage(col_coverage **coverage, const char *folder, col_problem *problem);
void epi_suite_free(epi_suite *suite);
