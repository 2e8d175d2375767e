/* SPDX-License-Identifier: MIT */
/*
 * Cycles in what was seen of an execution, step by step and by brute force: is an explanation that
 * a checker gives true, and had the checker to know by now that something is wrong?
 */
#pragma once

#include "candidates.h"

/* NULL if the steps are a cycle that the model forbids and each holds in the execution; else what
 * is wrong with them. */
const char *cycle_fault(oracle_model model, const col_program *program, const candidate *c,
                        const col_violation *violation);

/* The same for a trace. Two writes are in order if a thread saw it, or it follows from atomics,
 * from the last writes or from other orders; anything goes where the reason says that the order of
 * writes was tried only. */
const char *trace_cycle_fault(oracle_model model, const small_trace *t,
                              const col_violation *violation);

/* Is there a cycle in what the events of these operations, a set, show by themselves: the writes
 * whose words they met, the order of these writes, and what the model keeps? Who left an add's word
 * is not known before the add's event, and which write replaced a word not before that write's. */
bool prefix_has_cycle(oracle_model model, const col_program *program, const candidate *c,
                      uint64_t performed);
