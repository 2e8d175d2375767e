/* SPDX-License-Identifier: MIT */
/* The memory consistency models by name: what a design promises to the programs it runs. */
#ifndef COLLIDER_MODEL_H
#define COLLIDER_MODEL_H

#include <collider/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum col_model {
    COL_SC,    /* sequential consistency */
    COL_TSO,   /* x86, SPARC TSO */
    COL_PSO,   /* SPARC PSO */
    COL_WMO,   /* SPARC RMO without reordered loads of one location */
    COL_ARMV8, /* multi-copy atomic */
    COL_RVWMO, /* RISC-V */
    COL_MODEL_COUNT
} col_model;

/* Their words on the command line and in files, ended by NULL. */
COL_API extern const char *const col_models[COL_MODEL_COUNT + 1];

#ifdef __cplusplus
}
#endif
#endif
