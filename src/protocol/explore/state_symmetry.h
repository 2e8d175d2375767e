/* SPDX-License-Identifier: MIT */
/*
 * Renaming states: those that differ only in which core or block is which have the same future, so
 * one of them is enough (README.md). Of all renamings of a state one with the smallest
 * image, by an order of its parts, stands for all.
 */
#pragma once

#include "protocol/explore/search_state.h"

/* So many renamings are all compared; more are sorted. */
enum { EXP_FEW = 24 };
enum { EXP_KNOWLEDGE_BYTES = EXP_MOST_BLOCKS * (1 + 2 * EXP_MOST_CORES) + EXP_MOST_CORES };

/* Bytes of a part of an image. */
typedef struct exp_kept {
    const uint8_t *bytes;
    uint32_t count;
    uint64_t stamp; /* of what they are; 0: of nothing */
} exp_kept;

/* A state that was renamed, and what it became: hashes. */
typedef struct exp_renamed {
    uint64_t from, to;
} exp_renamed;

/* Room for renaming; a worker has one. */
typedef struct exp_renamer {
    exp_symmetry may;
    uint32_t renaming;         /* the last one that was chosen, as exp_renaming_pack has it */
    exp_renamed *seen;         /* states that were renamed lately; NULL: not kept */
    exp_renamed *last;         /* of these: that was looked for */
    uint8_t *candidate, *best; /* images, or parts of them */
    uint8_t *scratch;          /* what distinguishes a core */
    uint8_t places[MOST_FLIGHTS];

    /* If there are few renamings: all of them. */
    exp_renaming *names; /* NULL: there are many */
    uint32_t count;
    /* Of each renaming, with the origin's number: its controllers, memory and messages. */
    exp_kept *segments, *flights;
    uint8_t *store;
    size_t used;
    uint8_t codes[EXP_MOST_CORES][EXP_MOST_BLOCKS][2]; /* what is known of cores, as in images */
    uint64_t origin;
    /* And with the number of the call: the controller that the step touched, and memory. */
    exp_kept *fresh;
    uint8_t *fresh_store;
    size_t fresh_used;
    uint64_t call;
} exp_renamer;

/* Running out of memory leaves by the system's escape. */
void exp_renamer_open(exp_renamer *renamer, world *w, const exp_symmetry *may, bool is_exact);

/* What became of the hash of a state when it was renamed lately, so that it is known; 0: it was
 * not. Then exp_renamer_learn says what it becomes. */
uint64_t exp_renamer_knows(exp_renamer *renamer, uint64_t hash);
void exp_renamer_learn(exp_renamer *renamer, uint64_t hash);
/* States that were renamed lately may not be known any more. */
void exp_renamer_forget(exp_renamer *renamer);
/* The world's state, renamed so that its image is the smallest, into w->image. */
void exp_renamer_pack(exp_renamer *renamer, world *w);

/* A renaming in a number: three bits for each core, then two for each block. */
uint32_t exp_renaming_pack(const exp_renaming *names, uint32_t cores, uint32_t blocks);
static inline uint32_t exp_renamed_core(uint32_t renaming, uint32_t core) {
    return renaming >> 3 * core & 7;
}
static inline uint32_t exp_renamed_block(uint32_t renaming, uint32_t block) {
    return renaming >> (3 * EXP_MOST_CORES + 2 * block) & 3;
}

/* Symmetry: what a system treats alike, so that it can be renamed (state_symmetry.h). */

/* `takes_any`: of any member where the smallest one is asked for (search_step.h). */
void exp_symmetry_find(const sim_system *system, uint32_t blocks, bool takes_any,
                       exp_symmetry *symmetry);
