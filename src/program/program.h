/* SPDX-License-Identifier: MIT */
/* Programs: what conditionals turned out to be, the promises that all of them keep, and their text.
 */
#pragma once

#include "base/text.h"
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

/* ---- Programs and single operations as text (program_text.c). */

void prg_program_write(const col_program *program, base_text *text);
void prg_operation_write(const col_operation *operation, base_text *text);

/* The words of the text form that reader and writer share, besides the names of kinds. */

#define PRG_PROGRAM_VERSION 1

static const char *const prg_dependency_words[COL_DEPENDENCY_COUNT + 1] = {
    [COL_NO_DEPENDENCY] = "none",
    [COL_ADDRESS] = "address",
    [COL_DATA] = "data",
    [COL_CONTROL] = "control",
};

/* Every set of pairs has one canonical word. Products of a predecessor and a successor set are
 * written in RISC-V's way; the rest as a sum of pairs, in SPARC's spirit. */
static const char *const prg_fence_words[COL_FULL_FENCE + 1] = {
    [0] = "",
    [COL_READ_READ] = "r,r",
    [COL_READ_WRITE] = "r,w",
    [COL_READ_READ | COL_READ_WRITE] = "r,rw",
    [COL_WRITE_READ] = "w,r",
    [COL_READ_READ | COL_WRITE_READ] = "rw,r",
    [COL_READ_WRITE | COL_WRITE_READ] = "rw+wr",
    [COL_READ_READ | COL_READ_WRITE | COL_WRITE_READ] = "rr+rw+wr",
    [COL_WRITE_WRITE] = "w,w",
    [COL_READ_READ | COL_WRITE_WRITE] = "rr+ww",
    [COL_READ_WRITE | COL_WRITE_WRITE] = "rw,w",
    [COL_READ_READ | COL_READ_WRITE | COL_WRITE_WRITE] = "rr+rw+ww",
    [COL_WRITE_READ | COL_WRITE_WRITE] = "w,rw",
    [COL_READ_READ | COL_WRITE_READ | COL_WRITE_WRITE] = "rr+wr+ww",
    [COL_READ_WRITE | COL_WRITE_READ | COL_WRITE_WRITE] = "rw+wr+ww",
    [COL_FULL_FENCE] = "rw,rw",
};

/* The set that a word such as r,rw or rr+ww names, in any spelling; 0 if it names none. */
uint8_t prg_fence_pairs(const char *text, size_t length);
