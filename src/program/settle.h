/* SPDX-License-Identifier: MIT */
/*
 * Programs whose conditionals have become what they turned out to be: one that failed is a load,
 * and those that are left have stored. So whoever judges an execution knows no failure, which,
 * whatever its reason, is as good as a load.
 */
#ifndef PROGRAM_SETTLE_H
#define PROGRAM_SETTLE_H

#include "collider/program.h"

bool prg_has_conditionals(const col_program *program);

/* Nothing but a conditional changes. A load has no data to depend on. */
void prg_settle(col_operation *operation, bool has_failed);

#endif
