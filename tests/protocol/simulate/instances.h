/* SPDX-License-Identifier: MIT */
/*
 * Running small programs many times on cores of a mode, each time perturbed in another way, and
 * taking down what every operation read and replaced.
 */
#pragma once

#include "oracle.h"
#include "protocol/simulate/protocol_library.h"
#include "protocol/simulate/system.h"

enum { VARIANTS = 4, MOST_CORES = 4 };

/* The same cores in systems whose networks, caches and queues differ. */
typedef struct variants {
    sim_system *systems[VARIANTS];
} variants;

void variants_make(variants *all, const char *protocol, sim_mode mode, uint32_t without);
void variants_free(variants *all);

/* One instance; the seed decides the variant, and whether caches stay warm. Fails the test when the
 * design fails, or when an operation does not perform exactly once. */
void variants_run(variants *all, const col_program *program, uint64_t seed, outcome *seen);

/* Do all models that the mode promises to keep allow the outcome? */
bool mode_allows(sim_mode mode, const col_program *program, const outcome *seen);
