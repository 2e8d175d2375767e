/* SPDX-License-Identifier: MIT */
/* Spaces of programs and the programs themselves, for tests of what an agent's actions do. */
#pragma once

#include "engine/dqg.h"

typedef struct dqg_shape {
    uint32_t threads;
    col_range operations, locations;
    const char *mix; /* NULL: the default */
} dqg_shape;

/* The caches are those of mesi3. */
dir_dqg_space dqg_space_of(dqg_shape shape, uint64_t seed);
dir_dqg_program dqg_program_in(const dir_dqg_space *space);
void dqg_copy(const dir_dqg_space *space, const dir_dqg_program *from, dir_dqg_program *to);
bool dqg_equal_genes(const dir_dqg_space *space, const dir_dqg_program *a,
                     const dir_dqg_program *b);
void dqg_act(dir_dqg_space *space, dir_dqg_action action, base_rng *rng, dir_dqg_program *program);
/* One of the allowed, all with the same chance. */
dir_dqg_action dqg_any_action(dir_dqg_space *space, const dir_dqg_program *program, base_rng *rng);

/* Operations, by what their templates say. */
typedef bool dqg_is_kind(const dir_mtg_gene *gene);
const col_operation *dqg_operation_of(const dir_mtg_gene *gene);
bool dqg_is_located(const dir_mtg_gene *gene);
bool dqg_is_same_operation(const dir_mtg_gene *a, const dir_mtg_gene *b);
bool dqg_is_load(const dir_mtg_gene *gene);
bool dqg_is_store(const dir_mtg_gene *gene);
bool dqg_is_plain(const dir_mtg_gene *gene);
bool dqg_is_other(const dir_mtg_gene *gene);
