/* SPDX-License-Identifier: MIT */
/* Where a tour goes: a file of one operation per line, too long to be kept in memory and yet whole
 * or not there at all, and the curve of what it covered. */
#ifndef CLI_TOUR_OUTPUT_H
#define CLI_TOUR_OUTPUT_H

#include "base/file.h"

#include <collider/tour.h>

enum { CLI_TOUR_OUTPUT_CORES = 24 };

typedef struct cli_tour_output {
    const char *path; /* of the operations, or NULL; "-" is standard output */
    base_file file;
    char lines[COL_TOUR_KIND_COUNT][CLI_TOUR_OUTPUT_CORES][12]; /* by kind and core */

    bool has_curve;
    const col_tour_results *results; /* so far */
    uint64_t next;                   /* covered transitions that are worth a row of the curve */
    uint64_t row_cost;               /* of the last row */
    base_text curve;                 /* CSV */
} cli_tour_output;

col_status cli_tour_output_begin(cli_tour_output *output, col_problem *problem);
/* False: it cannot be written. */
bool cli_tour_output_take(cli_tour_output *output, col_tour_operation operation);
/* The file takes its place, or if it is not to be kept goes away. */
col_status cli_tour_output_end(cli_tour_output *output, bool keep, col_problem *problem);
/* The curve, with its last row. */
col_status cli_tour_output_write_curve(cli_tour_output *output, const char *path,
                                       col_problem *problem);

#endif
