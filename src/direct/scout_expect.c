/* SPDX-License-Identifier: MIT */
/*
 * What values of choices are expected to pay before any test was made: what they paid, beside the
 * average, on mesi3, mesi2 and the two that vary, where all values were drawn evenly (seeds from
 * 1101). Caches whose sizes vary are often small, so that nothing need compete for them.
 */
#include "direct/scout.h"

/* 0 is 1. Locations: from 4 on, from 8 on, and so on. */
typedef const double table[DIR_SCOUT_CHOICES][DIR_SCOUT_MOST_VALUES];

#define WAYS                                                                                       \
    { 1.4, 1.2, 0.8, 0.25, 0.2, 0.25, 0.25, 0.25, 0.2 }

static table fixed = {[DIR_SCOUT_WAY] = WAYS,
                      [DIR_SCOUT_LOCATIONS] = {0.25, 0.35, 0.85, 1.5, 1.7, 1.5, 1, 0.9},
                      [DIR_SCOUT_SETS] = {0.2, 2.5, 1.2, 0.7, 0.35, 0.15},
                      [DIR_SCOUT_SHARING] = {0.85, 1.25, 0.9},
                      [DIR_SCOUT_HEAT] = {1.4, 0.7, 0.9, 1.1},
                      [DIR_SCOUT_MIX] = {0.75, 0.9, 0.75, 1.5, 0.65, 1.9, 1.05, 0.95},
                      [DIR_SCOUT_PACE] = {1.2, 1, 0.85, 1},
                      [DIR_SCOUT_INSTANCES] = {1.2, 1.1, 0.7}};

static table varying = {[DIR_SCOUT_WAY] = WAYS,
                        [DIR_SCOUT_LOCATIONS] = {1.2, 1.2, 1.15, 1.5, 0.9, 0.7, 1.2, 0.55},
                        [DIR_SCOUT_SETS] = {1.6, 0.65, 0.9, 1.3, 1.2, 0.9},
                        [DIR_SCOUT_SHARING] = {0.85, 1.1, 1.1},
                        [DIR_SCOUT_HEAT] = {0.7, 0.9, 1.15, 1.3},
                        [DIR_SCOUT_MIX] = {0.8, 0.9, 0.5, 1.25, 0.75, 2.3, 0.7, 1.1},
                        [DIR_SCOUT_PACE] = {0.85, 1, 1, 1.1},
                        [DIR_SCOUT_INSTANCES] = {1.2, 1.15, 0.6}};

/* Of tests with fewer operations than these. */
static const struct {
    uint32_t operations;
    double expected;
} sizes[] = {{512, 1.5}, {1024, 1.7}, {2048, 1.1}, {4096, 0.8}, {8192, 0.6}, {UINT32_MAX, 0.4}};

static double expect_size(uint32_t operations) {
    uint32_t i = 0;
    while (operations >= sizes[i].operations && sizes[i].operations < UINT32_MAX)
        i++;
    return sizes[i].expected;
}

static uint32_t place_of(uint32_t locations) {
    uint32_t place = 0;
    while (place < 7 && locations >> (place + 3) != 0)
        place++;
    return place;
}

/* Competing for the sets of all levels at once, or of the last one, pays most. */
static double expect_level(uint32_t level, uint32_t levels) {
    return levels < 2 ? 1 : level == 0 ? 1.5 : level == levels ? 1.4 : 0.3;
}

double dir_scout_expected(const dir_scout_space *space, dir_scout_choice choice, uint32_t value) {
    const bool varies = space->settings.draws;
    if (choice == DIR_SCOUT_OPERATIONS)
        return expect_size(space->sizes[value]);
    if (choice == DIR_SCOUT_LEVEL && !varies)
        return expect_level(value, space->settings.geometry.level_count);
    if (choice == DIR_SCOUT_LOCATIONS)
        value = place_of(space->locations[value]);
    const double e = varies ? varying[choice][value] : fixed[choice][value];
    return e > 0 ? e : 1;
}
