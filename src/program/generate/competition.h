/* SPDX-License-Identifier: MIT */
/*
 * Competition patterns. A pattern is a partition of the locations into classes, one class for each
 * cache set in use. A competition biasing constraint cbc = (kappa, chi) allows the patterns with
 * exactly kappa classes whose largest has exactly chi locations, so that each pattern belongs to
 * one cbc. docs/competition.md has the counting behind the uniform draw.
 */
#ifndef PROGRAM_GENERATE_COMPETITION_H
#define PROGRAM_GENERATE_COMPETITION_H

#include "base/problem.h"
#include "base/random.h"

enum { GEN_PATTERN_MOST_LOCATIONS = 1024 }; /* where competition is not uniform */

/* Is (sets, largest) feasible for this many locations? If not, the error says why. */
col_status gen_cbc_check(uint32_t locations, uint32_t sets, uint32_t largest, col_problem *problem);

/* For 1 <= sets <= locations the feasible values of `largest` are least..most, all of them. */
void gen_cbc_range(uint32_t locations, uint32_t sets, uint32_t *least, uint32_t *most);

/* The counts that a draw needs, kept for the next draw of the same cbc. Start from {0}. */
typedef struct gen_pattern_table {
    uint32_t locations, sets, largest;
    double *sums;    /* [m][r]: weight of m classes below `largest` with r locations in all */
    double *weights; /* [j]: weight of a class of j locations */
    double *fullest; /* [t]: weight of t classes of size `largest` */
    size_t sums_capacity, weights_capacity, fullest_capacity;
} gen_pattern_table;

col_status gen_pattern_prepare(gen_pattern_table *table, uint32_t locations, uint32_t sets,
                               uint32_t largest, col_problem *problem);
void gen_pattern_free(gen_pattern_table *table);

/* Draws one of the patterns that the prepared cbc allows, each with the same probability: the class
 * of each location. `scratch` has room for `locations` numbers. */
void gen_pattern_draw(const gen_pattern_table *table, base_rng *rng, uint32_t *scratch,
                      uint32_t *set_of);

#endif
