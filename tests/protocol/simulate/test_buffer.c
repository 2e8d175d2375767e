/* SPDX-License-Identifier: MIT */
/* The messages of a buffer, against a list that is sorted anew for every message; and memory. */
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
    q->buffer->count = q->buffer->waiting_end = 0; /* there are no messages to release */
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
    sl_buffer *b = q->buffer;
    assert_int_equal(b->count, q->due_count);
    assert_true(b->first.time == (q->due_count > 0 ? q->due[0].time : UINT64_MAX));
    for (uint32_t i = 0; i < q->due_count; i++)
        assert_int_equal(compare(sl_buffer_at(b, i), &q->due[i]), 0);
    assert_int_equal(b->waiting_count, q->waiting_count);
    assert_int_equal(b->owner->waiting_total, q->waiting_count);
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < b->waiting_end; i++) {
        if (b->waiting[i].is_over)
            continue;
        assert_true(b->waiting[i].address == q->waiting[waiting].address);
        assert_int_equal(compare(&b->waiting[i].slot, &q->waiting[waiting++].slot), 0);
    }
    assert_int_equal(waiting, q->waiting_count);
}

/* Old messages that are due now, as those that waited for a block, among new ones that are due
 * later. */
TEST(messages_leave_by_time_and_age) {
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
            sl_buffer_insert(q.buffer, slot);
            expect(&q, slot);
        }
        assert_as_expected(&q);
    }
    free_queue(&q);
}

/* ---- Messages that wait. */

/* Stalls for one of a few blocks, and wakes of one or of all. */
TEST(messages_wait_until_their_block_is_woken) {
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
            q.waiting[q.waiting_count++] =
                (sl_waiting){.address = address, .slot = expect_taken(&q)};
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

/* ---- Messages that name their receivers: with a route, as while a system runs, and without. */

enum { DELAY = 3, CORES = 3 };

/* Sends one from the first buffer with a route to those of all controllers that are in `chosen`. */
static sim_system *send_to(uint64_t chosen, bool by_route) {
    const run_shape shape = plain_shape(CORES, 10);
    sim_system *s = make_system(sim_built_in_find("msi"), &shape);
    memset(s->base.random, 7, sizeof s->base.random);
    sim_network_start(s);
    if (!by_route)
        sim_network_stop(s);
    assert_true(s->plain_count > 0);
    sl_buffer *from = s->plain[0];
    const sl_route *route = &s->routes[from->network];
    assert_true((from->route != NULL) == by_route);
    uint32_t listener = 0;
    while (route->receivers[listener] == NULL)
        listener++;
    sl_message *m = sl_message_new(&s->base, (uint32_t)route->receivers[listener]->message);
    sl_destination *to = /* it is the message's own */
        (sl_destination *)((char *)m + ((const char *)sim_destination(from, m) - (char *)m));
    to->words[0] = chosen;
    if (setjmp(s->escape) == 0)
        sl_enqueue_to(from, m, to, DELAY);
    return s;
}

TEST(a_route_brings_messages_as_the_network_does) {
    const uint32_t all = UINT32_C(1) << (CORES + 1); /* and the directory */
    uint32_t refused = 0, arrived = 0;
    for (uint64_t chosen = 0; chosen < all; chosen++) {
        sim_system *one = send_to(chosen, true), *other = send_to(chosen, false);
        assert_int_equal(one->base.controller_count, CORES + 1);
        assert_string_equal(one->failure.text, other->failure.text);
        refused += one->failure.happened;
        for (uint32_t c = 0; c < one->base.controller_count; c++)
            for (uint32_t b = 0; b < one->controllers[c]->in_buffer_count; b++) {
                sl_buffer *x = one->controllers[c]->in_buffers[b];
                sl_buffer *y = other->controllers[c]->in_buffers[b];
                assert_int_equal(x->count, y->count);
                assert_true(x->first.time == y->first.time);
                arrived += x->count;
                assert_true(x->count == 0 || x->first.time >= DELAY);
            }
        sim_system_free(one);
        sim_system_free(other);
    }
    assert_true(refused > 0 && arrived > 0);
}

/* ---- Memory: whole blocks and parts of them, and what its answers have. */

enum { BLOCK = 0x1000, SENDER = 7 };

typedef struct fixture {
    sim_system *system;
    sl_buffer to_memory;
} fixture;

static sl_controller *directory_of(const sim_system *s) {
    for (uint32_t i = 0; i < s->base.controller_count; i++)
        if (s->controllers[i]->memory_responses != NULL)
            return s->controllers[i];
    return NULL;
}

static fixture make_fixture(void) {
    const run_shape shape = plain_shape(2, 0);
    fixture f = {.system = make_system(sim_built_in_find("mi"), &shape)};
    f.to_memory =
        (sl_buffer){.system = &f.system->base, .owner = directory_of(f.system), .network = -1};
    assert_non_null(f.to_memory.owner);
    return f;
}

static sl_memory_message ask(fixture *f, int32_t type, uint64_t address, int64_t length,
                             uint8_t fill) {
    sl_memory_message *request = sl_message_new(&f->system->base, SL_MEMORY_MESSAGE);
    const sl_message header = request->header;
    *request = (sl_memory_message){
        .header = header, .addr = address, .Type = type, .Sender = SENDER, .Len = length};
    memset(&request->DataBlk, fill, sizeof request->DataBlk);
    sl_message *answer = sim_memory_answer(&f->to_memory, request);
    const sl_memory_message copy = *(sl_memory_message *)(void *)answer;
    sl_message_release(&f->system->base, answer);
    return copy;
}

static uint8_t byte_of(const sl_memory_message *m, uint32_t i) {
    return ((const uint8_t *)&m->DataBlk)[i];
}

TEST(a_part_of_a_block_is_written) {
    fixture f = make_fixture();
    (void)ask(&f, SL_MEMORY_WB, BLOCK, 0, 0x11);
    const sl_memory_message written = ask(&f, SL_MEMORY_WB, BLOCK + 5, 3, 0x22);
    const sl_memory_message whole = ask(&f, SL_MEMORY_READ, BLOCK, 0, 0x33);
    for (uint32_t i = 0; i < SL_BLOCK_BYTES; i++) {
        assert_int_equal(byte_of(&whole, i), i >= 5 && i < 8 ? 0x22 : 0x11);
        assert_int_equal(byte_of(&written, i), 0); /* an acknowledgement has no data */
    }
    const sl_memory_message part = ask(&f, SL_MEMORY_READ, BLOCK + 4, 2, 0x33);
    assert_int_equal(byte_of(&part, 0), 0x11);
    assert_int_equal(byte_of(&part, 1), 0x22);
    assert_int_equal(byte_of(&part, 2), 0);
    sim_system_free(f.system);
}

TEST(an_answer_names_who_asked) {
    fixture f = make_fixture();
    const sl_memory_message m = ask(&f, SL_MEMORY_READ, BLOCK + 8, 8, 0);
    assert_int_equal(m.addr, BLOCK + 8);
    assert_int_equal(m.Type, SL_MEMORY_READ);
    assert_int_equal(m.OriginalRequestorMachId, SENDER);
    assert_int_equal(m.Sender, f.to_memory.owner->machine_id);
    assert_int_equal(m.Len, 0);
    sim_system_free(f.system);
}

typedef struct senseless {
    int32_t type;
    uint64_t address;
    int64_t length;
    const char *text;
} senseless;

TEST(senseless_requests_are_protocol_errors) {
    static const senseless requests[] = {
        {2, BLOCK, 0, "Directory asks memory but neither reads nor writes"},
        {SL_MEMORY_WB, BLOCK + 60, 8, "Directory asks memory but names bytes outside of the block"},
        {SL_MEMORY_READ, BLOCK, -1, "Directory asks memory but names bytes outside of the block"},
    };
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        const senseless *request = &requests[i];
        fixture f = make_fixture();
        if (setjmp(f.system->escape) == 0) {
            (void)ask(&f, request->type, request->address, request->length, 0);
            fail_msg("%s is not refused", request->text);
        }
        assert_int_equal(f.system->failure.event.kind, COL_PROTOCOL_ERROR);
        assert_string_equal(f.system->failure.text, request->text);
        sim_system_free(f.system);
    }
}
