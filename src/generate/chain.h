/* SPDX-License-Identifier: MIT */
/* Chained threads: canonical dependence chains of categories 0 to 3, built across threads. */
#ifndef GENERATE_CHAIN_H
#define GENERATE_CHAIN_H

#include "base/rng.h"
#include "collider/generate.h"

/* Chains as they were built. Start from {0}. */
typedef struct col_chain_list {
    col_chain *chains;
    col_link *links;
    size_t chain_count, chain_capacity, link_count, link_capacity;
} col_chain_list;

/* Memory kept between programs. Start from {0}. */
typedef struct col_chainer {
    uint32_t *next; /* where each thread goes on */
    uint32_t *deck; /* threads to draw from, by length */
    size_t next_capacity, deck_capacity;
} col_chainer;

typedef struct col_chain_settings {
    col_category_mix mix;
    bool exact_fences;
} col_chain_settings;

/* Fills the operations of a shaped program. `list` may be NULL. Counts the chains of each category
 * and the operations that belong to none. */
col_status col_generate_chained(col_chainer *chainer, const col_chain_settings *settings,
                                col_rng *rng, col_program *program, col_chain_list *list,
                                col_generated *generated, col_error *error);

void col_chainer_free(col_chainer *chainer);
void col_chain_list_free(col_chain_list *list);

#endif
