/* SPDX-License-Identifier: MIT */
/*
 * Which cells of a design's tables were reached by the runs or searches of a system, and the file
 * in which they are kept beside a protocol: a line `MACHINE STATE EVENT` for each.
 */
#ifndef SIM_REACHED_H
#define SIM_REACHED_H

#include "sim/system.h"

bool sim_was_reached(const sim_system *system, uint32_t machine, uint32_t state, uint32_t event);

/* Adds the cells of the system to those in the file; sorted as in the
 * tables. The file need not exist. */
col_status sim_reached_add(const sim_system *system, const char *path, col_problem *problem);

#endif
