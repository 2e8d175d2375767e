/* SPDX-License-Identifier: MIT */
/*
 * Which configuration a test runs in, of a design that has several: see scout.h. A number stands
 * for a configuration, and what it stands for can only be asked; so some numbers are drawn, and the
 * one whose values have paid is the likeliest.
 */
#include "direct/scout.h"

enum { CANDIDATES = 48 };

/* One value of one key says no more than this of a configuration. */
#define MOST_RATIO 4.0

void dir_scout_swarm_open(dir_scout_swarm *swarm, const col_engine_settings *settings) {
    const bool is_known = settings->drawn != NULL && settings->keys <= DIR_SCOUT_KEYS;
    *swarm = (dir_scout_swarm){.draws = settings->draws,
                               .keys = settings->draws && is_known ? settings->keys : 0,
                               .drawn = settings->drawn,
                               .context = settings->context};
}

/* What is expected of a configuration, beside the average. */
static double worth_of(const dir_scout_swarm *swarm, const dir_scout_bandit *b,
                       uint32_t configuration) {
    const dir_scout_arm unknown = {.reward = 0};
    const double average = dir_scout_rate(b, &unknown, 1);
    uint8_t values[DIR_SCOUT_KEYS] = {0};
    double worth = 1;
    swarm->drawn(swarm->context, configuration, values);
    for (uint32_t k = 0; k < swarm->keys; k++) {
        const double ratio = dir_scout_rate(b, &swarm->arms[k][values[k]], 1) / average;
        worth *= ratio > MOST_RATIO ? MOST_RATIO : ratio < 1 / MOST_RATIO ? 1 / MOST_RATIO : ratio;
    }
    return worth;
}

uint32_t dir_scout_configure(const dir_scout_swarm *swarm, const dir_scout_bandit *b,
                             base_rng *rng) {
    uint32_t numbers[CANDIDATES];
    double weights[CANDIDATES], sum = 0;
    for (uint32_t i = 0; i < CANDIDATES; i++)
        numbers[i] = (uint32_t)base_rng_next(rng);
    if (swarm->keys == 0 || !(b->all.reward > 0) || base_rng_unit(rng) < b->explore)
        return numbers[0];
    for (uint32_t i = 0; i < CANDIDATES; i++)
        sum += weights[i] = worth_of(swarm, b, numbers[i]);
    double left = base_rng_unit(rng) * sum;
    uint32_t i = 0;
    while (i + 1 < CANDIDATES && left >= weights[i])
        left -= weights[i++];
    return numbers[i];
}

void dir_scout_swarm_pay(dir_scout_swarm *swarm, const dir_scout_bandit *b, uint32_t configuration,
                         double reward, double cost) {
    uint8_t values[DIR_SCOUT_KEYS] = {0};
    if (swarm->keys == 0)
        return;
    swarm->drawn(swarm->context, configuration, values);
    for (uint32_t k = 0; k < swarm->keys; k++) {
        for (uint32_t v = 0; v < COL_KEY_VALUES; v++)
            dir_scout_age(&swarm->arms[k][v], b->keep);
        swarm->arms[k][values[k]].reward += reward;
        swarm->arms[k][values[k]].cost += cost;
    }
}
