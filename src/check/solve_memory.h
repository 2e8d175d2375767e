/* SPDX-License-Identifier: MIT */
/* Running out of memory inside the SAT solver. It is C++ and throws, which C cannot catch. */
#ifndef CHECK_SOLVE_MEMORY_H
#define CHECK_SOLVE_MEMORY_H

#include <stdbool.h>

/* Calls work(context). Returns false when C++ ran out of memory in it: the frames that it called
 * are unwound, their destructors run, and the rest of it is not done. Calls do not nest. */
bool chk_guard_memory(void (*work)(void *context), void *context);

#endif
