/* SPDX-License-Identifier: MIT */
/*
 * The shape of a test: threads, their operations and dependencies, which of them use the same
 * location, the same block or wait for the same write. The order of threads, the names of
 * locations, values, addresses, the cycles of delays, and empty threads are not part of it, so two
 * tests that shrinking led to by different ways have the same shape if they are the same test.
 *
 * The shape is told by a hash, which is the same on every machine and in every later version.
 * Equal shapes have equal hashes. Unequal ones have unequal hashes but for chance and programs of
 * a symmetry that tests do not have (more than two refinements of colours see).
 */
#pragma once

#include "collider/program.h"

enum { EPI_SHAPE_SIZE = 17 }; /* 16 hexadecimal digits */

col_status epi_test_shape(const col_program *program, char shape[EPI_SHAPE_SIZE],
                          col_problem *problem);
