/* SPDX-License-Identifier: MIT */
/*
 * Offspring: McVerSi's selective crossover with its mutation (Algorithm 1), and the single-point
 * crossover that it was compared with. A gene keeps its place in the list, so that what came late
 * in a thread comes late in the child.
 */
#include "direct/mtg.h"

#include <string.h>

/* A probability as a bound for 32 random bits. */
static uint64_t chance_of(double probability) {
    return (uint64_t)(probability * 0x1p32 + 0.5);
}

/* A parent, and with which chance its genes are selected: those at fit addresses always. */
typedef struct side {
    const dir_mtg_test *test;
    uint64_t unfit, unlocated;
} side;

/* Which part of the memory operations is at fit addresses: selected in any case. */
static double fit_fraction(const dir_mtg_space *space, const dir_mtg_test *test) {
    uint32_t located = 0, fit = 0;
    for (uint32_t i = 0; i < space->operations; i++) {
        const dir_mtg_gene *gene = &test->genes[i];
        const uint32_t is_located = dir_mtg_is_located(space, gene);
        located += is_located;
        fit += is_located & (uint32_t)test->is_fit[gene->location];
    }
    return located == 0 ? 0 : (double)fit / located;
}

/* Operations without an address are selected as often as those with one, on average. */
static side make_side(const dir_mtg_space *space, double unconditional, const dir_mtg_test *test) {
    const double fraction = fit_fraction(space, test);
    return (side){.test = test,
                  .unfit = chance_of(unconditional),
                  .unlocated = chance_of(fraction + unconditional - fraction * unconditional)};
}

static inline bool is_selected(const dir_mtg_space *space, const side *s, uint32_t i,
                               uint32_t bits) {
    const dir_mtg_gene *gene = &s->test->genes[i];
    if (!dir_mtg_is_located(space, gene))
        return bits < s->unlocated;
    return bits < s->unfit || s->test->is_fit[gene->location];
}

/* The fit addresses of either parent. */
static uint32_t list_fit(const dir_mtg_space *space, const dir_mtg_test *const parents[2],
                         uint32_t *list) {
    uint32_t count = 0;
    for (uint32_t l = 0; l < space->locations; l++) {
        list[count] = l;
        count += (uint32_t)(parents[0]->is_fit[l] || parents[1]->is_fit[l]);
    }
    return count;
}

void dir_mtg_cross_selectively(const dir_mtg_space *space, const dir_mtg_parameters *parameters,
                               const dir_mtg_test *const parents[2], base_rng *rng, uint32_t *list,
                               dir_mtg_gene *child) {
    const side first = make_side(space, parameters->unconditional, parents[0]);
    const side second = make_side(space, parameters->unconditional, parents[1]);
    const uint32_t fit_count = list_fit(space, parents, list);
    /* Without fit addresses there is nothing to be biased to. */
    const uint64_t fit_chance = fit_count == 0 ? 0 : chance_of(parameters->fit_bias);
    uint32_t mutations = 0;
    for (uint32_t i = 0; i < space->operations; i++) {
        const uint64_t bits = base_rng_next(rng);
        if (is_selected(space, &first, i, (uint32_t)bits))
            child[i] = parents[0]->genes[i];
        else if (is_selected(space, &second, i, (uint32_t)(bits >> 32)))
            child[i] = parents[1]->genes[i];
        else {
            mutations++;
            child[i] = (uint32_t)base_rng_next(rng) < fit_chance
                           ? dir_mtg_random_gene_at(space, rng, list, fit_count)
                           : dir_mtg_random_gene(space, rng);
        }
    }
    if ((double)mutations / space->operations < parameters->mutation)
        dir_mtg_mutate(space, parameters->mutation, rng, child);
}

void dir_mtg_cross_at_a_point(const dir_mtg_space *space, const dir_mtg_parameters *parameters,
                              const dir_mtg_test *const parents[2], base_rng *rng,
                              dir_mtg_gene *child) {
    const uint32_t count = space->operations;
    /* Both have a part in it, if there are two. */
    const uint32_t cut = count < 2 ? count : 1 + (uint32_t)base_rng_below(rng, count - 1);
    memcpy(child, parents[0]->genes, cut * sizeof *child);
    memcpy(child + cut, parents[1]->genes + cut, (count - cut) * sizeof *child);
    dir_mtg_mutate(space, parameters->mutation, rng, child);
}

void dir_mtg_mutate(const dir_mtg_space *space, double probability, base_rng *rng,
                    dir_mtg_gene *genes) {
    const uint64_t chance = chance_of(probability);
    for (uint32_t i = 0; i < space->operations; i++)
        if ((uint32_t)base_rng_next(rng) < chance)
            genes[i] = dir_mtg_random_gene(space, rng);
}
