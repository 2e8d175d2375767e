/* SPDX-License-Identifier: MIT */
/* The messages of a buffer, against a list that is sorted anew for every message. */
#include "runs.h"

#include "base/random.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>
#include <string.h>

enum { MOST = 200, STEPS = 20000 };

static int compare(const void *a, const void *b) {
    const sl_slot *x = a, *y = b;
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
                              : (x->order > y->order) - (x->order < y->order);
}

/* A buffer of a system, and what it should hold: sorted anew after every change. */
typedef struct queue {
    sim_system *system;
    sl_buffer *buffer;
    sl_slot due[MOST];
    sl_waiting waiting[MOST];
    uint32_t due_count, waiting_count;
    base_rng rng;
} queue;

static queue make_queue(uint64_t seed) {
    const run_shape shape = plain_shape(2, 10);
    queue q = {.system = make_system(sim_built_in_find("msi"), &shape)};
    q.buffer = q.system->controllers[0]->in_buffers[0];
    base_rng_seed(&q.rng, seed, 0);
    return q;
}

static void free_queue(queue *q) {
    q->buffer->count = q->buffer->waiting_count = 0; /* there are no messages to release */
    sim_system_free(q->system);
}

static void expect(queue *q, sl_slot slot) {
    q->due[q->due_count++] = slot;
    qsort(q->due, q->due_count, sizeof *q->due, compare);
}

static sl_slot expect_taken(queue *q) {
    const sl_slot first = q->due[0];
    memmove(q->due, q->due + 1, --q->due_count * sizeof *q->due);
    return first;
}

static void assert_as_expected(const queue *q) {
    const sl_buffer *b = q->buffer;
    assert_int_equal(b->count, q->due_count);
    assert_true(b->ready_at == (q->due_count > 0 ? q->due[0].time : UINT64_MAX));
    for (uint32_t i = 0; i < q->due_count; i++)
        assert_int_equal(compare(sl_buffer_at(b, i), &q->due[i]), 0);
    assert_int_equal(b->waiting_count, q->waiting_count);
    assert_int_equal(b->owner->waiting_total, q->waiting_count);
    for (uint32_t i = 0; i < q->waiting_count; i++) {
        assert_true(b->waiting[i].address == q->waiting[i].address);
        assert_int_equal(compare(&b->waiting[i].slot, &q->waiting[i].slot), 0);
    }
}

/* Old messages that are due now, as those that waited for a block, among new ones that are due
 * later. */
static void messages_leave_by_time_and_age(void **state) {
    queue q = make_queue(7);
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint64_t now = q.system->base.now += base_rng_below(&q.rng, 3);
        if (q.due_count > 0 && (q.due_count == MOST || base_rng_below(&q.rng, 2) == 0)) {
            const sl_slot taken = sl_buffer_take(q.buffer), first = expect_taken(&q);
            assert_int_equal(compare(&taken, &first), 0);
        } else {
            const bool waited = base_rng_below(&q.rng, 2) == 0;
            const uint64_t age = waited ? base_rng_below(&q.rng, step + 1) : 0;
            const uint64_t delay = waited ? 0 : base_rng_below(&q.rng, 50);
            const sl_slot slot = {.time = now + delay,
                                  .order = (uint64_t)STEPS * (step - age) + step};
            (waited ? sl_buffer_insert_due : sl_buffer_insert)(q.buffer, slot);
            expect(&q, slot);
        }
        assert_as_expected(&q);
    }
    free_queue(&q);
}

/* ---- Messages that wait. */

/* Stalls for one of a few blocks, and wakes of one or of all. */
static void messages_wait_until_their_block_is_woken(void **state) {
    queue q = make_queue(8);
    for (uint32_t step = 0; step < STEPS; step++) {
        const sl_address address = base_rng_below(&q.rng, 4) * SL_BLOCK_BYTES;
        const uint64_t now = q.system->base.now += base_rng_below(&q.rng, 3);
        const uint32_t held = q.due_count + q.waiting_count;
        if (base_rng_below(&q.rng, 32) == 0) {
            const bool all = base_rng_below(&q.rng, 8) == 0;
            sl_buffer_wake(q.buffer, address, all);
            uint32_t kept = 0;
            for (uint32_t i = 0; i < q.waiting_count; i++) {
                sl_slot slot = q.waiting[i].slot;
                slot.time = q.system->base.now;
                if (all || q.waiting[i].address == address)
                    expect(&q, slot);
                else
                    q.waiting[kept++] = q.waiting[i];
            }
            q.waiting_count = kept;
        } else if (q.due_count > 0 && base_rng_below(&q.rng, 2) == 0) {
            sl_stall_and_wait(q.buffer, address);
            q.waiting[q.waiting_count++] = (sl_waiting){address, expect_taken(&q)};
        } else if (q.due_count > 0 && (held == MOST || base_rng_below(&q.rng, 4) == 0)) {
            (void)sl_buffer_take(q.buffer);
            (void)expect_taken(&q);
        } else if (held < MOST) {
            const sl_slot slot = {.time = now + base_rng_below(&q.rng, 50), .order = step};
            sl_buffer_insert(q.buffer, slot);
            expect(&q, slot);
        }
        assert_as_expected(&q);
    }
    free_queue(&q);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_leave_by_time_and_age),
        cmocka_unit_test(messages_wait_until_their_block_is_woken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
