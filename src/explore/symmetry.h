/* SPDX-License-Identifier: MIT */
/*
 * Symmetry: states that differ only in which core or block is which have the same future, so
 * one of them is enough (docs/exploration.md). Of all renamings of a state the one with the
 * smallest image stands for all.
 */
#ifndef EXPLORE_SYMMETRY_H
#define EXPLORE_SYMMETRY_H

#include "explore/state.h"

/* What the system treats alike. */
void exp_symmetry_find(const sim_system *system, uint32_t blocks, exp_symmetry *symmetry);

/* Room for renaming; a worker has one. */
typedef struct exp_renamer {
    exp_symmetry may;
    uint8_t *candidate, *best; /* images */
    uint8_t *scratch;          /* what distinguishes a core */
    uint32_t renaming;         /* the last one that was chosen, as exp_renaming_pack has it */
    uint64_t *seen;            /* hashes of states that were renamed lately; NULL: not kept */
} exp_renamer;

/* Running out of memory leaves by the system's escape. */
void exp_renamer_open(exp_renamer *renamer, world *w, const exp_symmetry *may, bool is_exact);

/* Was the state in w->image renamed lately? Then it is known. */
bool exp_renamer_knows(exp_renamer *renamer, const world *w);
/* The world's state, renamed so that its image is the smallest, into w->image. */
void exp_renamer_pack(exp_renamer *renamer, world *w);

#endif
