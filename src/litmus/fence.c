/* SPDX-License-Identifier: MIT */
/* What fences order: see fence.h. */
#include "litmus/fence.h"

#include <stddef.h>

bool lit_fence_pairs(uint32_t set, uint8_t *pairs) {
    enum { READ = COL_READ_READ | COL_READ_WRITE, WRITE = COL_WRITE_READ | COL_WRITE_WRITE };
    static const struct {
        uint8_t set, pairs;
    } fences[] = {{CAT_MFENCE, COL_FULL_FENCE},
                  {CAT_LFENCE, READ},
                  {CAT_SFENCE, COL_WRITE_WRITE},
                  {CAT_DMB_SY, COL_FULL_FENCE},
                  {CAT_DMB_LD, READ},
                  {CAT_DMB_ST, COL_WRITE_WRITE},
                  {CAT_DMB_ISH, COL_FULL_FENCE},
                  {CAT_DMB_ISHLD, READ},
                  {CAT_DMB_ISHST, COL_WRITE_WRITE},
                  {CAT_DMB_OSH, COL_FULL_FENCE},
                  {CAT_DMB_OSHLD, READ},
                  {CAT_DMB_OSHST, COL_WRITE_WRITE},
                  {CAT_DMB_NSH, 0},
                  {CAT_DMB_NSHLD, 0},
                  {CAT_DMB_NSHST, 0},
                  {CAT_DSB_SY, COL_FULL_FENCE},
                  {CAT_DSB_LD, READ},
                  {CAT_DSB_ST, WRITE},
                  {CAT_DSB_ISH, COL_FULL_FENCE},
                  {CAT_DSB_ISHLD, READ},
                  {CAT_DSB_ISHST, WRITE},
                  {CAT_DSB_OSH, COL_FULL_FENCE},
                  {CAT_DSB_OSHLD, READ},
                  {CAT_DSB_OSHST, WRITE},
                  {CAT_DSB_NSH, 0},
                  {CAT_DSB_NSHLD, 0},
                  {CAT_DSB_NSHST, 0},
                  {CAT_FENCE_I, 0},
                  {CAT_FENCE_R_R, COL_READ_READ},
                  {CAT_FENCE_R_W, COL_READ_WRITE},
                  {CAT_FENCE_R_RW, READ},
                  {CAT_FENCE_W_R, COL_WRITE_READ},
                  {CAT_FENCE_W_W, COL_WRITE_WRITE},
                  {CAT_FENCE_W_RW, WRITE},
                  {CAT_FENCE_RW_R, COL_READ_READ | COL_WRITE_READ},
                  {CAT_FENCE_RW_W, COL_READ_WRITE | COL_WRITE_WRITE},
                  {CAT_FENCE_RW_RW, COL_FULL_FENCE},
                  {CAT_FENCE_TSO, READ | COL_WRITE_WRITE}};
    for (size_t i = 0; i < sizeof fences / sizeof fences[0]; i++)
        if (set == fences[i].set) {
            *pairs = fences[i].pairs;
            return true;
        }
    return false;
}

bool lit_has_set(const lit_event *event, cat_set set) {
    for (uint32_t i = 0; i < LIT_STEP_SETS && event->sets[i] != LIT_NO_SET; i++)
        if (event->sets[i] == set)
            return true;
    return false;
}

/* To x86 the set A is that of atomics. */
uint8_t lit_order_of(const lit_event *event, lit_isa isa) {
    const bool is_x86 = isa == LIT_X86 || isa == LIT_X86_64;
    const bool both = lit_has_set(event, CAT_ACQ_REL);
    const bool acquires = !is_x86 && (lit_has_set(event, CAT_A) || lit_has_set(event, CAT_Q));
    return (uint8_t)((both || acquires || lit_has_set(event, CAT_ACQ) ? COL_ACQUIRE : 0) |
                     (both || lit_has_set(event, CAT_L) || lit_has_set(event, CAT_REL) ? COL_RELEASE
                                                                                       : 0));
}
