/* SPDX-License-Identifier: MIT */
/* The promises that every program keeps, checked in one place for the reader and for callers. */
#ifndef PROGRAM_CHECK_H
#define PROGRAM_CHECK_H

#include "base/error.h"
#include "collider/program.h"

/* The part of an operation or a location's declaration that is at fault. */
typedef enum col_part {
    COL_PART_KIND,
    COL_PART_LOCATION,
    COL_PART_VALUE,
    COL_PART_FENCE,
    COL_PART_ACQUIRE,
    COL_PART_RELEASE,
    COL_PART_DEPENDENCY
} col_part;

typedef struct col_fault {
    bool in_map; /* `index` names a location, otherwise an operation of the whole program */
    uint32_t index;
    col_part part;
    char message[256];
} col_fault;

/* COL_OK: no fault. COL_BAD_INPUT: `fault` says which. COL_FAILURE: out of memory, in `error`. */
col_status col_program_find_fault(const col_program *program, col_fault *fault, col_error *error);

#endif
