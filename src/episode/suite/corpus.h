/* SPDX-License-Identifier: MIT */
/*
 * The corpus of an episode: a suite below its folder, of the tests that covered anything new. Their
 * programs are there at once, the index follows within seconds.
 */
#pragma once

#include "episode/suite/suite.h"
#include "episode/worker_pool.h"

#include <limits.h>

#define EPI_CORPUS "corpus"

/* Start from {0}. */
typedef struct epi_corpus {
    char folder[PATH_MAX];
    epi_suite suite;
    uint32_t *place;  /* of a point: in the order of names */
    uint64_t *points; /* of the instance at hand */
    double written;   /* when the index was */
    bool is_behind;   /* the index lacks programs */
} epi_corpus;

/* In an episode's folder, which is this process's. If the episode `goes_on`, the corpus does, too,
 * after that many tests. The episode must outlive it. */
col_status epi_corpus_begin(epi_corpus *corpus, const char *folder, const col_episode *episode,
                            bool goes_on, col_problem *problem);
/* A test that is over; its number is that of the episode's last one. */
col_status epi_corpus_add(epi_corpus *corpus, const col_episode *episode, const epi_test *test,
                          col_problem *problem);
/* Brings the index up to date. */
col_status epi_corpus_end(epi_corpus *corpus, col_problem *problem);
void epi_corpus_free(epi_corpus *corpus);
