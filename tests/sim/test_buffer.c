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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_leave_by_time_and_age),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
