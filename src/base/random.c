/* SPDX-License-Identifier: MIT */
/* Weighted choice in constant time: see chooser.h. */
#include "base/chooser.h"

#include <assert.h>

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
