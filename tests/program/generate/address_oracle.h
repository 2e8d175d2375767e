/* SPDX-License-Identifier: MIT */
/* Do addresses keep the biasing constraints abc, sbc and cbc, and could any? Read back from the
 * addresses and the geometry by shifting and masking. */
#pragma once

#include "collider/generate.h"

/* NULL if some assignment keeps the constraints (of a well-formed addressing), or why none does. */
const char *infeasibility(const col_addressing *addressing, uint32_t locations);

/* NULL, or which constraint the addresses break. `set_of` is the class that each location is said
 * to have; NULL when unconstrained. */
const char *address_violation(const col_addressing *addressing, uint32_t locations,
                              const uint64_t *addresses, const uint32_t *set_of);
