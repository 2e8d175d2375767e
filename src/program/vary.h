/* SPDX-License-Identifier: MIT */
/*
 * Programs of another shape: operations that move, or come in. What reduce.h says of promises holds
 * here too; only awaits are the caller's business, for which another order may matter.
 */
#ifndef PROGRAM_VARY_H
#define PROGRAM_VARY_H

#include "collider/program.h"

/* Operation `operation` goes to thread `thread`, where it becomes the one at `place`, counted
 * without itself. Dependencies that still can be stay; mended. */
col_status prg_move(const col_program *from, uint32_t operation, uint32_t thread, uint32_t place,
                    col_program *to, col_problem *problem);

/* The added operation becomes the one at `place` of the thread. */
col_status prg_insert(const col_program *from, const col_operation *added, uint32_t thread,
                      uint32_t place, col_program *to, col_problem *problem);

/* A value that the program does not use yet. */
uint32_t prg_unused_value(const col_program *program);

#endif
