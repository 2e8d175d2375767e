/* SPDX-License-Identifier: MIT */
/* Where a tour goes: a file of one operation per line, too long to be kept in memory and yet whole
 * or not there at all, and the curve of what it covered. */
#ifndef CLI_TOUR_OUTPUT_H
#define CLI_TOUR_OUTPUT_H

#include "base/file.h"

#include <collider/tour.h>

enum { TOUR_OUTPUT_CORES = 24 };

typedef struct tour_output {
    const char *path; /* of the operations, or NULL; "-" is standard output */
    col_file file;
    char lines[COL_TOUR_KIND_COUNT][TOUR_OUTPUT_CORES][12]; /* by kind and core */

    bool has_curve;
    const col_tour_results *results; /* so far */
    uint64_t next;                   /* covered transitions that are worth a row of the curve */
    uint64_t row_cost;               /* of the last row */
    col_text curve;                  /* CSV */
} tour_output;

col_status tour_output_begin(tour_output *output, col_error *error);
/* False: it cannot be written. */
bool tour_output_take(tour_output *output, col_tour_operation operation);
/* The file takes its place, or if it is not to be kept goes away. */
col_status tour_output_end(tour_output *output, bool keep, col_error *error);
/* The curve, with its last row. */
col_status tour_output_write_curve(tour_output *output, const char *path, col_error *error);

#endif
