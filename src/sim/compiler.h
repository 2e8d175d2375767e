/* SPDX-License-Identifier: MIT */
/* The system's C compiler: $CC, or cc. */
#ifndef SIM_COMPILER_H
#define SIM_COMPILER_H

#include "base/patience.h"
#include "base/text.h"

/* How hard it tries: -O2, or what a user says who compiles much and runs little. */
const char *sim_compiler_optimisation(void);

/* Everything that decides what it makes of a text: its version, and our flags. */
col_status sim_compiler_describe(base_text *description, col_problem *problem);

/* Compiles FOLDER/protocol.c into FOLDER/protocol.so; what it writes besides stays in the folder.
 */
col_status sim_compiler_run(const char *folder, base_patience *patience, col_problem *problem);

#endif
