/* SPDX-License-Identifier: MIT */
/* The results of collider litmus as JSON. */
#ifndef CLI_LITMUS_RESULTS_H
#define CLI_LITMUS_RESULTS_H

#include "base/json.h"
#include "litmus/run.h"

/* Judged by this model, or, if `runs` is not NULL, run on a design. */
col_status cli_litmus_results_add(json_t **results, const lit_test *test,
                                  const lit_outcomes *outcomes, const char *model,
                                  const lit_runs *runs, col_problem *problem);

/* Releases the results. Of model and design, what was not named is NULL. */
col_status cli_litmus_results_write(json_t *results, const char *model, const char *design,
                                    const char *path, col_problem *problem);

#endif
