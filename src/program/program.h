/* SPDX-License-Identifier: MIT */
/* Programs in memory: what conditionals turned out to be, and the promises that all of them keep.
 */
#ifndef PROGRAM_PROGRAM_H
#define PROGRAM_PROGRAM_H

#include "base/problem.h"
#include "collider/model.h"
#include "collider/program.h"

/* Memory models by their titles, for sentences: "TSO violation". */
extern const char *const prg_model_titles[COL_MODEL_COUNT];

/*
 * Programs whose conditionals have become what they turned out to be: one that failed is a load,
 * and those that are left have stored. So whoever judges an execution knows no failure, which,
 * whatever its reason, is as good as a load.
 */

bool prg_has_conditionals(const col_program *program);

/* Nothing but a conditional changes. A load has no data to depend on. */
void prg_resolve_conditional(col_operation *operation, bool has_failed);

/*
 * The promises that every program keeps (docs/program.md), checked in one place for the reader and
 * for callers.
 */

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

/* Could the operation of this thread have its dependency? It must have one. */
bool prg_is_sound_dependency(const col_operation *thread, uint32_t place);

/* COL_OK: no fault. COL_BAD_INPUT: `fault` says which. COL_FAILURE: out of memory, in `problem`. */
col_status prg_program_find_fault(const col_program *program, prg_fault *fault,
                                  col_problem *problem);

#endif
