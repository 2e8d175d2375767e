/* SPDX-License-Identifier: MIT */
/* Which chain each operation of a program belongs to, and the chains' letters: for charts and
 * pictures. */
#ifndef GENERATE_MARKS_H
#define GENERATE_MARKS_H

#include "collider/generate.h"

#define GEN_NO_CHAIN UINT32_MAX

/* chain_of[o] for each operation: the index of its chain or GEN_NO_CHAIN. A barrier before an
 * operation of a chain is marked with it. `chain_of` has room for all operations. */
void gen_mark_chains(const col_program *program, const col_generated *generated,
                     uint32_t *chain_of);

/* A, B, ... Z, AA, AB, ... */
void gen_chain_letters(uint32_t chain, char letters[8]);

#endif
