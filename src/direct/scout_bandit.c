/* SPDX-License-Identifier: MIT */
/* Which values of a choice pay: see scout.h. */
#include "direct/scout.h"

#include <math.h>

/* Of a value that was tried little one expects what it paid elsewhere: as if this many more tests
 * had been made with it, at the average cost, and had paid that. */
#define DOUBT 4.0

double dir_scout_rate(const dir_scout_bandit *b, const dir_scout_arm *arm, double expected) {
    const double unit = b->tests > 0 ? DOUBT * b->all.cost / b->tests : 1;
    const double average = b->all.cost > 0 ? b->all.reward / b->all.cost : 1;
    return (arm->reward + expected * average * unit) / (arm->cost + unit);
}

/* Time, not tests, is divided among the values: by the cube of what they pay or, to explore,
 * evenly. */
uint8_t dir_scout_choose(const dir_scout_bandit *b, dir_scout_choice choice, base_rng *rng) {
    const uint32_t count = b->counts[choice];
    double weights[DIR_SCOUT_MOST_VALUES], sum = 0;
    if (count < 2)
        return 0;
    const bool explores = base_rng_unit(rng) < b->explore;
    for (uint32_t i = 0; i < count; i++) {
        const double r =
            explores ? 1 : dir_scout_rate(b, &b->arms[choice][i], b->expected[choice][i]);
        sum += weights[i] = r * r * r / b->sizes[choice][i];
    }
    if (!(sum > 0) || !isfinite(sum))
        return (uint8_t)base_rng_below(rng, count);
    double left = base_rng_unit(rng) * sum;
    uint32_t i = 0;
    while (i + 1 < count && left >= weights[i])
        left -= weights[i++];
    return (uint8_t)i;
}

void dir_scout_age(dir_scout_arm *arm, double keep) {
    arm->reward *= keep;
    arm->cost *= keep;
}

static void add(dir_scout_arm *arm, double reward, double cost) {
    arm->reward += reward;
    arm->cost += cost;
}

void dir_scout_pay(dir_scout_bandit *b, const dir_scout_recipe *recipe, double reward,
                   double cost) {
    for (uint32_t c = 0; c < DIR_SCOUT_CHOICES; c++) {
        for (uint32_t i = 0; i < b->counts[c]; i++)
            dir_scout_age(&b->arms[c][i], b->keep);
        if ((recipe->used >> c & 1) != 0)
            add(&b->arms[c][recipe->values[c]], reward, cost);
    }
    dir_scout_age(&b->all, b->keep);
    add(&b->all, reward, cost);
    b->tests = b->tests * b->keep + 1;
}
