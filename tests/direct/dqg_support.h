/* SPDX-License-Identifier: MIT */
/* Spaces of programs and the programs themselves, for tests of what an agent's actions do. */
#ifndef TESTS_DIRECT_DQG_SUPPORT_H
#define TESTS_DIRECT_DQG_SUPPORT_H

#include "direct/dqg.h"

typedef struct dqg_shape {
    uint32_t threads;
    col_range operations, locations;
    const char *mix; /* NULL: the default */
} dqg_shape;

/* The caches are those of mesi3. */
dqg_space dqg_space_of(dqg_shape shape, uint64_t seed);
dqg_program dqg_program_in(const dqg_space *space);
void dqg_copy(const dqg_space *space, const dqg_program *from, dqg_program *to);
bool dqg_equal_genes(const dqg_space *space, const dqg_program *a, const dqg_program *b);
void dqg_act(dqg_space *space, dqg_action action, col_rng *rng, dqg_program *program);
/* One of the allowed, all with the same chance. */
dqg_action dqg_any_action(dqg_space *space, const dqg_program *program, col_rng *rng);

/* Operations, by what their templates say. */
typedef bool dqg_is_kind(const mtg_gene *gene);
const col_operation *dqg_operation_of(const mtg_gene *gene);
bool dqg_is_located(const mtg_gene *gene);
bool dqg_is_same_operation(const mtg_gene *a, const mtg_gene *b);
bool dqg_is_load(const mtg_gene *gene);
bool dqg_is_store(const mtg_gene *gene);
bool dqg_is_plain(const mtg_gene *gene);
bool dqg_is_other(const mtg_gene *gene);

#endif
