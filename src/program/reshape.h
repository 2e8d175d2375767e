/* SPDX-License-Identifier: MIT */
/*
 * Programs with less in them: operations left out, threads put in another order, names given anew.
 * Whatever is taken away, a program that kept its promises (docs/program.md) keeps them.
 */
#pragma once

#include "collider/program.h"

col_status prg_copy(const col_program *from, col_program *to, col_problem *problem);

/* After operations were changed: dependencies that have lost their read go, awaits that have lost
 * their write become loads, and locations that nothing refers to leave the address map. */
col_status prg_mend(col_program *program, col_problem *problem);

/* The operations marked in `keeps`, mended. Threads stay where they are, empty ones too. */
col_status prg_keep(const col_program *from, const bool *keeps, col_program *to,
                    col_problem *problem);

/* The same, not mended: locations keep their numbers. */
col_status prg_take(const col_program *from, const bool *keeps, col_program *to,
                    col_problem *problem);

/* Thread t becomes thread order[t] of `from`; threads that are not named go. Mended. */
col_status prg_arrange(const col_program *from, const uint32_t *order, uint32_t threads,
                       col_program *to, col_problem *problem);

/* Numbers locations by their first use, and values from 1, in the order of operations. Addresses
 * stay with their locations. */
col_status prg_rename(col_program *program, col_problem *problem);

/* An order of programs that does not look at addresses: fewer and longer threads first, then those
 * that write first. */
int prg_compare(const col_program *a, const col_program *b);

/* Operations that move, or come in. Here awaits are the caller's business, for which another order
 * may matter. */

/* Operation `operation` goes to thread `thread`, where it becomes the one at `place`, counted
 * without itself. Dependencies that still can be stay; mended. */
col_status prg_move(const col_program *from, uint32_t operation, uint32_t thread, uint32_t place,
                    col_program *to, col_problem *problem);

/* The added operation becomes the one at `place` of the thread. */
col_status prg_insert(const col_program *from, const col_operation *added, uint32_t thread,
                      uint32_t place, col_program *to, col_problem *problem);

/* A value that the program does not use yet. */
uint32_t prg_unused_value(const col_program *program);
