/* SPDX-License-Identifier: MIT */
/* What `collider generate` made: collected program by program, printed, written as JSON. */
#ifndef CLI_GENERATE_RESULTS_H
#define CLI_GENERATE_RESULTS_H

#include "generate/statistics.h"

#include <jansson.h>

typedef struct cli_generate_results {
    const char *engine;
    const col_generation *generation;
    uint64_t seed;
    gen_statistics statistics;
    base_text pattern;                 /* of the first program */
    uint32_t pressure[COL_MAX_LEVELS]; /* the most of all programs */
    json_t *programs;                  /* one entry each; NULL: no JSON is wanted */
} cli_generate_results;

/* `path` is where the program went; NULL: nowhere. */
col_status cli_generate_results_add(cli_generate_results *results, const col_program *program,
                                    const col_generated *generated, const char *path,
                                    col_problem *problem);
void cli_generate_results_print(const cli_generate_results *results);
col_status cli_generate_results_write(const cli_generate_results *results, const char *file,
                                      col_problem *problem);
void cli_generate_results_free(cli_generate_results *results);

#endif
