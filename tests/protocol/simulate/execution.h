/* SPDX-License-Identifier: MIT */
/*
 * Long executions judged by the axioms of a mode, pair by pair: slow, and plainly what the mode
 * promises. Programs have no adds, so that a word names its write.
 */
#pragma once

#include "protocol/simulate/system.h"

typedef struct execution {
    const col_program *program;
    uint64_t *read, *replaced; /* by operation */
    uint32_t *thread;          /* of each operation */
    uint32_t *writer;          /* of each value */
    uint32_t *next_write;      /* of each write: the one that replaces it; NO_OPERATION: none */
    uint32_t *first_write;     /* of each location */
    uint8_t *color;            /* of the search for cycles */
} execution;

enum { NO_OPERATION = UINT32_MAX / 2 };

void execution_start(execution *e, const col_program *program);
void execution_free(execution *e);
col_observer execution_observer(execution *e);

/* Is the program's execution one that the mode may show? */
bool execution_is_allowed(execution *e, sim_mode mode);
