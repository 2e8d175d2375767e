/* SPDX-License-Identifier: MIT */
/* The messages of a buffer, against a list that is sorted anew for every message. */
#include "runs.h"

#include "base/rng.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>
#include <string.h>

enum { MOST = 200, STEPS = 20000 };

static int compare(const void *a, const void *b) {
    const sl_slot *x = a, *y = b;
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
                              : (x->order > y->order) - (x->order < y->order);
}

/* Old messages that are due now, as those that waited for a block, among new ones that are due
 * later. */
static void messages_leave_by_time_and_age(void **state) {
    const run_shape shape = plain_shape(2, 10);
    sim_system *system = make_system(sim_built_in_find("msi"), &shape);
    sl_buffer *buffer = system->controllers[0]->in_buffers[0];
    sl_slot expected[MOST];
    uint32_t count = 0;
    base_rng rng;
    (void)state;
    base_rng_seed(&rng, 7, 0);
    for (uint32_t step = 0; step < STEPS; step++) {
        system->base.now += base_rng_below(&rng, 3);
        if (count > 0 && (count == MOST || base_rng_below(&rng, 2) == 0)) {
            const sl_slot taken = sl_buffer_take(buffer);
            assert_true(taken.time == expected[0].time && taken.order == expected[0].order);
            memmove(expected, expected + 1, --count * sizeof *expected);
        } else {
            const bool waited = base_rng_below(&rng, 2) == 0;
            const uint64_t age = waited ? base_rng_below(&rng, step + 1) : 0;
            const uint64_t delay = waited ? 0 : base_rng_below(&rng, 50);
            const sl_slot slot = {.time = system->base.now + delay,
                                  .order = (uint64_t)STEPS * (step - age) + step};
            (waited ? sl_buffer_insert_due : sl_buffer_insert)(buffer, slot);
            expected[count++] = slot;
            qsort(expected, count, sizeof *expected, compare);
        }
        assert_int_equal(buffer->count, count);
        assert_true(buffer->ready_at == (count > 0 ? expected[0].time : UINT64_MAX));
    }
    while (count-- > 0)
        (void)sl_buffer_take(buffer); /* they have no messages to release */
    sim_system_free(system);
}

/* ---- Messages that wait. */

typedef struct waiting_list {
    sl_waiting items[MOST];
    uint32_t count;
} waiting_list;

static void wake_expected(waiting_list *waiting, sl_slot *expected, uint32_t *count, uint64_t now,
                          sl_address address, bool all) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < waiting->count; i++)
        if (all || waiting->items[i].address == address) {
            expected[*count] = waiting->items[i].slot;
            expected[(*count)++].time = now;
        } else {
            waiting->items[kept++] = waiting->items[i];
        }
    waiting->count = kept;
    qsort(expected, *count, sizeof *expected, compare);
}

/* Stalls for one of a few blocks, and wakes of one or of all, against the same without cunning. */
static void messages_wait_until_their_block_is_woken(void **state) {
    const run_shape shape = plain_shape(2, 10);
    sim_system *system = make_system(sim_built_in_find("msi"), &shape);
    sl_buffer *buffer = system->controllers[0]->in_buffers[0];
    static waiting_list waiting;
    sl_slot expected[MOST];
    uint32_t count = 0;
    base_rng rng;
    (void)state;
    base_rng_seed(&rng, 8, 0);
    for (uint32_t step = 0; step < STEPS; step++) {
        const sl_address address = base_rng_below(&rng, 4) * SL_BLOCK_BYTES;
        const uint64_t now = system->base.now += base_rng_below(&rng, 3);
        if (base_rng_below(&rng, 8) == 0) {
            const bool all = base_rng_below(&rng, 8) == 0;
            sl_buffer_wake(buffer, address, all);
            wake_expected(&waiting, expected, &count, now, address, all);
        } else if (count > 0 && base_rng_below(&rng, 2) == 0) {
            sl_stall_and_wait(buffer, address);
            waiting.items[waiting.count++] = (sl_waiting){address, expected[0]};
            memmove(expected, expected + 1, --count * sizeof *expected);
        } else if (count > 0 && (count + waiting.count == MOST || base_rng_below(&rng, 2) == 0)) {
            (void)sl_buffer_take(buffer);
            memmove(expected, expected + 1, --count * sizeof *expected);
        } else if (count + waiting.count < MOST) {
            const sl_slot slot = {.time = now + base_rng_below(&rng, 50), .order = step};
            sl_buffer_insert(buffer, slot);
            expected[count++] = slot;
            qsort(expected, count, sizeof *expected, compare);
        }
        assert_int_equal(buffer->count, count);
        assert_int_equal(buffer->waiting_count, waiting.count);
        assert_int_equal(buffer->owner->waiting_total, waiting.count);
        for (uint32_t i = 0; i < count; i++)
            assert_true(compare(sl_buffer_at(buffer, i), &expected[i]) == 0);
        for (uint32_t i = 0; i < waiting.count; i++)
            assert_true(buffer->waiting[i].address == waiting.items[i].address &&
                        compare(&buffer->waiting[i].slot, &waiting.items[i].slot) == 0);
    }
    buffer->count = buffer->waiting_count = 0; /* they have no messages to release */
    sim_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_leave_by_time_and_age),
        cmocka_unit_test(messages_wait_until_their_block_is_woken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
