/* SPDX-License-Identifier: MIT */
/* What `collider check` found out, as JSON. */
#ifndef CLI_CHECK_RESULTS_H
#define CLI_CHECK_RESULTS_H

#include "collider/check.h"

#include <jansson.h>

/* The words of verdicts, on standard output and in JSON. */
extern const char *const cli_check_verdicts[COL_UNDECIDED + 1];

typedef struct cli_check_result {
    const char *file;
    uint32_t number; /* of the trace in its file, from 1 */
    const col_trace *trace;
    col_verdict verdict;
    const col_violation *violation; /* of what is forbidden */
    double seconds;
} cli_check_result;

/* Adds to a list of results; false if it cannot be said in JSON. */
bool cli_check_results_add(json_t *list, const cli_check_result *result);

/* Writes and releases the list. `ended_by` is what kept further traces from being judged, or NULL.
 */
col_status cli_check_results_write(json_t *list, const char *model, const col_problem *ended_by,
                                   const char *path, col_problem *problem);

#endif
