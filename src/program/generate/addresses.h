/* SPDX-License-Identifier: MIT */
/* The address assigner: every location gets an address that keeps the biasing constraints. */
#ifndef PROGRAM_GENERATE_ADDRESSES_H
#define PROGRAM_GENERATE_ADDRESSES_H

#include "base/random.h"
#include "collider/generate.h"
#include "program/generate/competition.h"

/* The words of the sharings, ended by NULL. */
extern const char *const gen_sharings[COL_SHARING_COUNT + 1];

/* Memory kept between assignments. Start from {0}. */
typedef struct gen_assigner {
    gen_pattern_table pattern;
    uint32_t *set_of;          /* the class of each location */
    uint32_t *order, *start;   /* the locations sorted by class */
    uint64_t *index_of;        /* the index bits of each class */
    uint64_t *blocks, *places; /* drawn numbers */
    uint64_t *seen;            /* a hash set */
    size_t set_of_capacity, order_capacity, start_capacity, index_capacity, blocks_capacity,
        places_capacity, seen_capacity;
} gen_assigner;

/* Fills addresses[0..locations-1]; with a competition constraint also assigner->set_of. */
col_status gen_assign(gen_assigner *assigner, const col_addressing *addressing, uint32_t locations,
                      base_rng *rng, uint64_t *addresses, col_problem *problem);
void gen_assigner_free(gen_assigner *assigner);

/* The size of the largest class that `addressing` asks for: its own chi, or the uniform one. */
uint32_t gen_addressing_largest(const col_addressing *addressing, uint32_t locations);

#endif
