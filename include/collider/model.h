/* SPDX-License-Identifier: MIT */
/* The memory consistency models by name: what a design promises to its programs. */
#ifndef COLLIDER_MODEL_H
#define COLLIDER_MODEL_H

#include <collider/problem.h>

COL_C_BEGIN

/* Rows X(NAME, word, what it is). A model is a row here and chk_WORD in
 * src/judge/memory_models.c: docs/models.md. */
#define COL_MODELS(X)                                                                              \
    X(COL_SC, sc, "sequential consistency")                                                        \
    X(COL_TSO, tso, "total store order: x86, SPARC TSO")                                           \
    X(COL_PSO, pso, "partial store order: SPARC PSO")                                              \
    X(COL_WMO, wmo, "weak memory order: SPARC RMO, but loads of one location stay in order")       \
    X(COL_ARMV8, armv8, "Arm's model, multi-copy atomic")                                          \
    X(COL_RVWMO, rvwmo, "RISC-V's model")

typedef enum col_model {
#define COL_MODEL_NAME(name, word, summary) name,
    COL_MODELS(COL_MODEL_NAME)
#undef COL_MODEL_NAME
        COL_MODEL_COUNT
} col_model;

/* Their names on the command line and in files, ended by NULL. */
COL_API extern const char *const col_models[COL_MODEL_COUNT + 1];

COL_C_END
#endif
