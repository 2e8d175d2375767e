/* SPDX-License-Identifier: MIT */
/*
 * A study of locations: the thesis's transition coverage of (core, location) pairs by all tests of
 * one scenario. A scenario is tests of this many operations and locations, by some mixes, taken in
 * turn, and some seeds; what they cover adds up. Nothing is judged: the tests are there to cover.
 */
#pragma once

#include "collider/episode.h"

typedef struct epi_study epi_study;

/* Opens the design, and refuses what a study cannot do: of the settings, an engine that is directed
 * and ranges. Several mixes are told apart by " / ". Texts must stay as they are. */
col_status epi_study_open(epi_study **study, const col_episode_settings *settings,
                          col_problem *problem);
void epi_study_close(epi_study *study);

/* All its tests, unless the settings' stop comes before; a test in which the design fails is an
 * error. */
col_status epi_study_run(epi_study *study, col_problem *problem);

typedef struct epi_study_results {
    uint64_t tests; /* that were asked for */
    uint64_t operations, cycles;
    const col_duv_description *design;
    col_location_coverage *coverage;
} epi_study_results;

/* As long as the study is open. */
epi_study_results epi_study_look(const epi_study *study);
