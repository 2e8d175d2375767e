/* SPDX-License-Identifier: MIT */
/* Is this a canonical dependence chain? An oracle written from the definitions 1 to 4 and the
 * categories 0 to 3 of the thesis (chapter 2.3), and from nothing else. */
#pragma once

#include "collider/generate.h"

/* NULL, or the clause that the chain violates. */
const char *chain_violation(const col_program *program, const col_link *links, uint32_t count,
                            uint8_t category);

/* The same for all chains of a chained program, and: an operation belongs to one chain at most, the
 * kinds are loads, stores and fences, what belongs to no chain is a fence or one of the fillers at
 * the end of a thread, and no more fences were spent than the chains need. */
const char *chained_program_violation(const col_program *program, const col_generated *generated);
