/* SPDX-License-Identifier: MIT */
/* Chained threads: canonical dependence chains of categories 0 to 3, built across threads. */
#ifndef PROGRAM_GENERATE_CHAIN_H
#define PROGRAM_GENERATE_CHAIN_H

#include "base/random.h"
#include "collider/generate.h"

/* Chains as they were built. Start from {0}. */
typedef struct gen_chain_list {
    col_chain *chains;
    col_link *links;
    size_t chain_count, chain_capacity, link_count, link_capacity;
} gen_chain_list;

/* Memory kept between programs. Start from {0}. */
typedef struct gen_chainer {
    uint32_t *next; /* where each thread goes on */
    uint32_t *deck; /* threads to draw from, by length */
    size_t next_capacity, deck_capacity;
} gen_chainer;

typedef struct gen_chain_settings {
    col_category_mix mix;
    bool exact_fences;
} gen_chain_settings;

/* Fills the operations of a shaped program. `list` may be NULL. Counts the chains of each category
 * and the operations that belong to none. */
col_status gen_generate_chained(gen_chainer *chainer, const gen_chain_settings *settings,
                                base_rng *rng, col_program *program, gen_chain_list *list,
                                col_generated *generated, col_problem *problem);

void gen_chainer_free(gen_chainer *chainer);
void gen_chain_list_free(gen_chain_list *list);

/* Which chain each operation of a program belongs to, and the chains' letters: for charts and
 * pictures. */

#define GEN_NO_CHAIN UINT32_MAX

/* chain_of[o] for each operation: the index of its chain or GEN_NO_CHAIN. A barrier before an
 * operation of a chain is marked with it. `chain_of` has room for all operations. */
void gen_mark_chains(const col_program *program, const col_generated *generated,
                     uint32_t *chain_of);

/* A, B, ... Z, AA, AB, ... */
void gen_chain_letters(uint32_t chain, char letters[8]);

#endif
