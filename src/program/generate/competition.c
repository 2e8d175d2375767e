/* SPDX-License-Identifier: MIT */
/*
 * Drawing a competition pattern uniformly, by counting.
 *
 * The set partitions with classes of sizes j1..jk number s!/(j1!...jk!) when the classes are told
 * apart, so giving a class of size j the weight 1/j! and drawing sizes by weight, then dealing the
 * shuffled locations, draws every partition equally often. Weights c * q^j / j! give the same
 * distribution (the factors multiply to a constant); q is chosen so that the typical case has a
 * weight near 1 and nothing that matters underflows. Only + - * / and exact scaling are used, so
 * that the draw is the same on every machine.
 */
#include "program/generate/generator.h"

#include "base/memory.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

void gen_cbc_range(uint32_t locations, uint32_t sets, uint32_t *least, uint32_t *most) {
    assert(sets >= 1 && sets <= locations);
    *least = (locations + sets - 1) / sets;
    *most = locations - sets + 1;
}

col_status gen_cbc_check(uint32_t locations, uint32_t sets, uint32_t largest,
                         col_problem *problem) {
    if (sets == 0)
        return base_refuse(problem, "competition for 0 cache sets leaves no place for a location");
    if (sets > locations)
        return base_refuse(problem,
                           "%u locations cannot occupy %u cache sets: there are more sets than "
                           "locations",
                           locations, sets);
    uint32_t least, most;
    gen_cbc_range(locations, sets, &least, &most);
    if (largest < least)
        return base_refuse(problem,
                           "%u locations in %u cache sets put at least %u into one set, more than "
                           "the %u asked for",
                           locations, sets, least, largest);
    if (largest > most)
        return base_refuse(problem,
                           "%u locations that occupy %u cache sets put at most %u into one set, "
                           "fewer than the %u asked for",
                           locations, sets, most, largest);
    return COL_OK;
}

static double *row_of(const gen_pattern_table *table, uint32_t classes) {
    return table->sums + (size_t)classes * (table->locations + 1);
}

/* weights[1..limit] = c * q^j / j!, summing to 1. Returns the mean size. */
static double weigh(double *weights, uint32_t limit, double q) {
    double weight = 1, sum = 0, mean = 0;
    for (uint32_t j = 1; j <= limit; j++) {
        weights[j] = weight;
        sum += weight;
        mean += weight * j;
        weight = weight * q / (j + 1);
        if (sum > 1e200) {
            for (uint32_t i = 1; i <= j; i++)
                weights[i] *= 1e-200;
            weight *= 1e-200;
            sum *= 1e-200;
            mean *= 1e-200;
        }
    }
    for (uint32_t j = 1; j <= limit; j++)
        weights[j] /= sum;
    return mean / sum;
}

/* Finds q by bisection so that the mean size of a class is about `mean`, and weighs with it. */
static double weigh_for_mean(double *weights, uint32_t limit, double mean) {
    double low = 1e-3, high = 4.0 * limit + 4;
    for (int step = 0; step < 60; step++) {
        const double middle = (low + high) / 2;
        if (weigh(weights, limit, middle) < mean)
            low = middle;
        else
            high = middle;
    }
    (void)weigh(weights, limit, low);
    return low;
}

/* Classes that must have the largest size, since the rest hold `largest - 1` at most. At least one.
 */
static uint32_t least_fullest(const gen_pattern_table *table) {
    const uint64_t below = (uint64_t)table->sets * (table->largest - 1);
    return table->locations > below ? (uint32_t)(table->locations - below) : 1;
}

/*
 * Weighs the sizes below the largest, and the largest in proportion to them. If a typical class of
 * mean size s / kappa is of the largest size now and then, this mean is the one to aim at. If not,
 * the largest class is an exception, and the mean of the others is.
 */
static void weigh_sizes(const gen_pattern_table *table) {
    const uint32_t sets = table->sets, largest = table->largest, least = least_fullest(table);
    double *weights = table->weights;
    double q = weigh_for_mean(weights, largest, (double)table->locations / sets);
    if (weights[largest] * sets < 0.5)
        q = weigh_for_mean(weights, largest - 1,
                           (double)(table->locations - least * largest) / (sets - least));
    else
        (void)weigh(weights, largest - 1, q);
    weights[largest] = weights[largest - 1] * q / largest;
}

static void fill_sums(const gen_pattern_table *table, uint32_t classes) {
    const uint32_t s = table->locations, limit = table->largest - 1;
    double *first = row_of(table, 0);
    first[0] = 1;
    for (uint32_t r = 1; r <= s; r++)
        first[r] = 0;
    for (uint32_t m = 1; m <= classes; m++) {
        const double *fewer = row_of(table, m - 1);
        double *row = row_of(table, m);
        for (uint32_t r = 0; r <= s; r++) {
            double sum = 0;
            for (uint32_t j = 1; j <= limit && j <= r; j++)
                sum += table->weights[j] * fewer[r - j];
            row[r] = sum;
        }
    }
}

/* A number of any magnitude: mantissa * 2^exponent. */
typedef struct scaled {
    double mantissa;
    int exponent;
} scaled;

static scaled scale_by(scaled number, double factor) {
    int shift;
    number.mantissa = frexp(number.mantissa * factor, &shift);
    number.exponent += shift;
    return number;
}

/* Weights of t classes of the largest size, C(sets, t) * w^t * sums[sets - t][rest], relative to
 * the greatest of them. */
static void fill_fullest(const gen_pattern_table *table, uint32_t least) {
    int greatest = INT_MIN;
    for (int pass = 0; pass < 2; pass++) {
        scaled factor = {.mantissa = 1}; /* C(sets, t) * w^t over its value at t = least */
        for (uint32_t t = 0; t <= table->sets; t++) {
            const uint64_t full = (uint64_t)t * table->largest;
            table->fullest[t] = 0;
            if (t < least || full > table->locations)
                continue;
            const scaled weight =
                scale_by(factor, row_of(table, table->sets - t)[table->locations - full]);
            if (weight.mantissa > 0 && weight.exponent > greatest)
                greatest = weight.exponent;
            table->fullest[t] = ldexp(weight.mantissa, weight.exponent - greatest);
            factor = scale_by(factor, table->weights[table->largest] * (table->sets - t) / (t + 1));
        }
    }
}

static bool is_uniform(const gen_pattern_table *table) {
    return (uint64_t)table->sets * table->largest == table->locations;
}

static col_status count_patterns(gen_pattern_table *table, col_problem *problem) {
    const size_t sums = ((size_t)table->locations + 1) * table->sets;
    BASE_TRY(base_reserve(&table->sums, &table->capacity,
                          sums + 2 * (size_t)table->largest + table->sets + 2, sizeof *table->sums,
                          problem));
    table->weights = table->sums + sums;
    table->sizes = table->weights + table->largest + 1;
    table->fullest = table->sizes + table->largest;
    const uint32_t least = least_fullest(table);
    weigh_sizes(table);
    fill_sums(table, table->sets - least);
    fill_fullest(table, least);
    return COL_OK;
}

col_status gen_pattern_prepare(gen_pattern_table *table, uint32_t locations, uint32_t sets,
                               uint32_t largest, col_problem *problem) {
    if (table->locations == locations && table->sets == sets && table->largest == largest)
        return COL_OK;
    BASE_TRY(gen_cbc_check(locations, sets, largest, problem));
    table->locations = locations;
    table->sets = sets;
    table->largest = largest;
    if (is_uniform(table))
        return COL_OK;
    const col_status status =
        locations <= GEN_PATTERN_MOST_LOCATIONS
            ? count_patterns(table, problem)
            : base_refuse(problem,
                          "competition that is not uniform is for at most %d locations; choose a "
                          "number of sets that divides %u",
                          GEN_PATTERN_MOST_LOCATIONS, locations);
    if (status != COL_OK)
        table->locations = 0; /* nothing is prepared */
    return status;
}

void gen_pattern_free(gen_pattern_table *table) {
    free(table->sums);
    *table = (gen_pattern_table){0};
}

/* One of 1..count by its weight. */
static uint32_t draw(base_rng *rng, const double *weights, uint32_t count) {
    double sum = 0;
    for (uint32_t i = 1; i <= count; i++)
        sum += weights[i];
    double rest = base_rng_unit(rng) * sum;
    uint32_t chosen = 0;
    for (uint32_t i = 1; i <= count; i++) {
        if (weights[i] <= 0)
            continue;
        chosen = i;
        if (rest < weights[i])
            break;
        rest -= weights[i];
    }
    return chosen;
}

/* The size of one of m classes that hold r locations together. */
static uint32_t draw_size(const gen_pattern_table *table, base_rng *rng, uint32_t m, uint32_t r) {
    const double *fewer = row_of(table, m - 1);
    const uint32_t most = table->largest - 1 < r ? table->largest - 1 : r;
    for (uint32_t j = 1; j <= most; j++)
        table->sizes[j] = table->weights[j] * fewer[r - j];
    return draw(rng, table->sizes, most);
}

static uint32_t deal(uint32_t *next, uint32_t size, uint32_t set, uint32_t *set_of) {
    for (uint32_t i = 0; i < size; i++)
        set_of[next[i]] = set;
    return size;
}

void gen_pattern_draw(const gen_pattern_table *table, base_rng *rng, uint32_t *scratch,
                      uint32_t *set_of) {
    for (uint32_t l = 0; l < table->locations; l++)
        scratch[l] = l;
    base_rng_shuffle(rng, scratch, table->locations);
    const uint32_t full = is_uniform(table) ? table->sets : draw(rng, table->fullest, table->sets);
    uint32_t dealt = 0, set = 0;
    for (; set < full; set++)
        dealt += deal(scratch + dealt, table->largest, set, set_of);
    for (; set < table->sets; set++) {
        const uint32_t size = draw_size(table, rng, table->sets - set, table->locations - dealt);
        dealt += deal(scratch + dealt, size, set, set_of);
    }
    assert(dealt == table->locations);
}
