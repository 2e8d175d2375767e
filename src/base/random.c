/* SPDX-License-Identifier: MIT */
/* The one source of chance: see random.h. */
#include "base/random.h"

#include "base/number.h"

#include <assert.h>

uint64_t base_splitmix(uint64_t *x) {
    uint64_t z = (*x += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void base_rng_seed(base_rng *rng, uint64_t seed, uint64_t stream) {
    uint64_t x = seed;
    uint64_t y = base_splitmix(&x) ^ stream;
    uint64_t z = base_splitmix(&y);
    for (int i = 0; i < 4; i++)
        rng->state[i] = base_splitmix(&z);
}

uint64_t base_rng_below(base_rng *rng, uint64_t bound) {
    assert(bound > 0);
    /* Reject the few lowest values that would make the remainders uneven. */
    const uint64_t uneven = (0 - bound) % bound;
    uint64_t bits;
    do
        bits = base_rng_next(rng);
    while (bits < uneven);
    return bits % bound;
}

double base_rng_unit(base_rng *rng) {
    return (double)(base_rng_next(rng) >> 11) * 0x1p-53;
}

uint32_t base_rng_pick(base_rng *rng, uint64_t set) {
    for (uint64_t before = base_rng_below(rng, base_bit_count(set)); before > 0; before--)
        set &= set - 1;
    return base_lowest_bit(set);
}

void base_rng_shuffle(base_rng *rng, uint32_t *items, uint32_t count) {
    for (uint32_t i = count; i > 1; i--) {
        const uint64_t j = base_rng_below(rng, i);
        const uint32_t item = items[i - 1];
        items[i - 1] = items[j];
        items[j] = item;
    }
}

/* Weighted choice in constant time. */

void base_chooser_build(base_chooser *chooser, const double *weights, uint32_t count) {
    assert(count > 0 && count <= BASE_CHOOSER_MOST);
    double sum = 0;
    uint32_t heaviest = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += weights[i];
        if (weights[i] > weights[heaviest])
            heaviest = i;
    }
    assert(sum > 0);

    double share[BASE_CHOOSER_MOST]; /* of a slot; the mean is 1 */
    uint32_t small[BASE_CHOOSER_MOST] = {0}, large[BASE_CHOOSER_MOST] = {0};
    uint32_t small_count = 0, large_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        share[i] = weights[i] * count / sum;
        if (share[i] < 1)
            small[small_count++] = i;
        else
            large[large_count++] = i;
    }

    chooser->count = count;
    while (small_count > 0 && large_count > 0) {
        const uint32_t poor = small[--small_count];
        const uint32_t rich = large[large_count - 1];
        chooser->keep[poor] = (uint64_t)(share[poor] * 0x1p32);
        chooser->other[poor] = rich;
        share[rich] -= 1 - share[poor];
        if (share[rich] < 1) {
            large_count--;
            small[small_count++] = rich;
        }
    }
    /* What is left over is full but for rounding; an alternative of weight 0 must stay impossible.
     */
    while (large_count + small_count > 0) {
        const uint32_t rest = large_count > 0 ? large[--large_count] : small[--small_count];
        chooser->keep[rest] = weights[rest] > 0 ? UINT64_C(1) << 32 : 0;
        chooser->other[rest] = heaviest;
    }
}
