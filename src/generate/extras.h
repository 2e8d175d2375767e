/* SPDX-License-Identifier: MIT */
/*
 * What chained threads have besides the loads, stores and fences of their chains. Some operations
 * come between those of chains: flushes, fences, delays. Some are what a load or a store of a chain
 * becomes: an atomic, which reads and writes and so keeps the chain's races, or the same access
 * with an order or a dependency.
 */
#ifndef GENERATE_EXTRAS_H
#define GENERATE_EXTRAS_H

#include "base/chooser.h"
#include "base/rng.h"
#include "collider/generate.h"

/* A choice among operations, or of none of them. */
typedef struct gen_palette {
    base_chooser chooser;
    col_operation operations[COL_MAX_TEMPLATES + 1]; /* the last stands for none */
    uint32_t count;                                  /* without it */
} gen_palette;

typedef struct gen_extras {
    gen_palette between, of_loads, of_stores;
} gen_extras;

void gen_extras_make(gen_extras *extras, const col_category_mix *mix);

/* An operation to come next, at a random location; false: none. Draws nothing if there can be none.
 */
bool gen_extras_draw(const gen_extras *extras, base_rng *rng, uint32_t locations,
                     col_operation *operation);

/* Makes some loads and stores of a program what they can become. */
void gen_extras_change(const gen_extras *extras, base_rng *rng, col_program *program);

#endif
