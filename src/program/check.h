/* SPDX-License-Identifier: MIT */
/* The promises that every program keeps, checked in one place for the reader and for callers. */
#ifndef PROGRAM_CHECK_H
#define PROGRAM_CHECK_H

#include "base/problem.h"
#include "collider/program.h"

/* The part of an operation or a location's declaration that is at fault. */
typedef enum prg_part {
    PRG_PART_KIND,
    PRG_PART_LOCATION,
    PRG_PART_VALUE,
    PRG_PART_FENCE,
    PRG_PART_ACQUIRE,
    PRG_PART_RELEASE,
    PRG_PART_DEPENDENCY
} prg_part;

typedef struct prg_fault {
    bool in_map; /* `index` names a location, otherwise an operation of the whole program */
    uint32_t index;
    prg_part part;
    char message[256];
} prg_fault;

/* COL_OK: no fault. COL_BAD_INPUT: `fault` says which. COL_FAILURE: out of memory, in `problem`. */
col_status prg_program_find_fault(const col_program *program, prg_fault *fault,
                                  col_problem *problem);

#endif
