/* SPDX-License-Identifier: MIT */
/* Do counts follow given probabilities? For tests of chance with fixed seeds. */
#pragma once

#include <stdint.h>

/* Pearson's chi-square against probabilities that sum to 1; fails the test where chance would go
 * so far once in about thirty thousand times. Cells of probability 0 must be empty. */
void assert_distributed(const uint64_t *counts, const double *probabilities, uint32_t cells);
