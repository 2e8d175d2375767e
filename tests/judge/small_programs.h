/* SPDX-License-Identifier: MIT */
/* Small random programs, and executions of them of which some are allowed and some are not. */
#ifndef TESTS_CHECK_SMALL_PROGRAMS_H
#define TESTS_CHECK_SMALL_PROGRAMS_H

#include "base/random.h"
#include "collider/event.h"
#include "collider/program.h"

enum { MOST_SMALL_OPERATIONS = 24 };

/* 3 threads, 10 operations and 3 locations. */
void draw_small_program(const char *mix, uint64_t seed, col_program *program);

/* Operations nearly in the order of the program, one after the other in one memory; conditionals
 * fail by chance. Returns the number of events. */
uint32_t execute_nearly_in_order(const col_program *program, base_rng *rng, col_event *events);

#endif
