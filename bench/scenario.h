/* SPDX-License-Identifier: MIT */
/*
 * The thesis's verification scenarios: a scenario (p, n, s) is all tests of p threads, n operations
 * and s locations, by 4 mixes and some seeds, made by one of four generators.
 */
#ifndef BENCH_SCENARIO_H
#define BENCH_SCENARIO_H

#include "collider/generate.h"

enum { MIXES = 4, SIZES = 5, LOCATIONS = 4, SCENARIOS = SIZES * LOCATIONS, KINDS = 4 };

/* plain, chain, plain-bias, chain-bias: PLAIN-, CHAIN-, PLAIN+, CHAIN+. */
extern const char *const kind_names[KINDS];

/* The settings of a scenario's tests, but for the mix. The locations of biased ones compete for so
 * many sets. */
void scenario_make(col_generation *generation, uint32_t kind, uint32_t scenario, uint32_t cores,
                   uint32_t sets, const col_geometry *geometry);
void scenario_mix(col_generation *generation, uint32_t mix);

uint32_t scenario_operations(uint32_t scenario);
uint32_t scenario_locations(uint32_t scenario);

#endif
