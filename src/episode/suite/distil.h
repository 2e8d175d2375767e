/* SPDX-License-Identifier: MIT */
/* From the corpora of episodes, and from suites, the fewest programs that cover all that these
 * cover, each with the fewest of its instances. */
#pragma once

#include "episode/suite/suite.h"

typedef struct epi_distil_settings {
    const char *const *inputs; /* folders of episodes or of suites */
    uint32_t input_count;
    const char *out; /* a new folder, or that of a suite, which is replaced */
    uint32_t metric; /* a col_metric: which points are kept */
} epi_distil_settings;

/* Start from {0}; free also after a problem. */
typedef struct epi_distilled {
    epi_suite suite;          /* what was written */
    uint32_t inputs, from;    /* programs that there were */
    uint32_t points;          /* that they cover */
    uint32_t least;           /* fewer programs do not */
    uint32_t least_instances; /* of these programs */
    uint32_t missing;         /* points of the episodes that no corpus has */
} epi_distilled;

col_status epi_distil(const epi_distil_settings *settings, epi_distilled *distilled,
                      col_problem *problem);
void epi_distilled_free(epi_distilled *distilled);
