/* SPDX-License-Identifier: MIT */
/* Buffers with limits at both ends of the network: they are kept, order is kept, everything gets
 * done, and what deadlocks because of them is explained. */
#include "runs.h"

#include "protocol/simulate/system.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>
#include <string.h>

enum { CORES = 6, OPERATIONS = 1500 };

static sim_system *make_finite(const char *protocol, uint32_t room, uint32_t interval) {
    const run_shape shape = plain_shape(CORES, OPERATIONS);
    sim_system *system = make_system(sim_built_in_find(protocol), &shape);
    sim_wiring *wiring = malloc(sizeof *wiring);
    col_problem problem;
    *wiring = system->wiring;
    sim_system_free(system);
    wiring->network_buffers = room;
    wiring->interval = interval;
    wiring->deadlock_cycles = 20000;
    assert_int_equal(sim_system_new(&system, sim_built_in_find(protocol), wiring, &problem),
                     COL_OK);
    free(wiring);
    return system;
}

/* ---- What is looked at after every event. */

typedef struct looking {
    sim_system *system;
    uint32_t held; /* the most at once */
    col_observer witness;
} looking;

static void look(void *context, const col_event *event) {
    looking *l = context;
    const sim_system *s = l->system;
    for (uint32_t i = 0; i < s->base.controller_count; i++)
        for (uint32_t b = 0; b < s->controllers[i]->in_buffer_count; b++) {
            const sl_buffer *buffer = s->controllers[i]->in_buffers[b];
            assert_true(buffer->capacity == 0 ||
                        buffer->count + buffer->waiting_count <= buffer->capacity);
        }
    for (uint32_t i = 0; i < s->held_count; i++) /* it has a slot where it was sent */
        assert_true(s->held[i].from->capacity == 0 || s->held[i].from->count > 0);
    l->held = s->held_count > l->held ? s->held_count : l->held;
    if ((l->witness.kinds >> event->kind & 1) != 0)
        l->witness.notice(l->witness.context, event);
}

static uint32_t run_looking(sim_system *system, uint64_t seed, uint64_t *hash, uint64_t *cycles) {
    const run_shape shape = plain_shape(CORES, OPERATIONS);
    col_program program = COL_PROGRAM_EMPTY;
    witness w = {0};
    sim_result result;
    make_program(&shape, seed, &program);
    witness_start(&w, &program);
    looking l = {.system = system, .witness = witness_observer(&w)};
    const col_observer observer = {&l, look, l.witness.kinds | 1U << COL_TRANSITION};
    assert_int_equal(sim_system_run(system, &program, seed, false, &observer, &result, NULL),
                     COL_OK);
    if (!system->failure.happened)
        assert_complete(&w);
    *hash = w.hash;
    *cycles = result.cycles;
    witness_end(&w);
    col_program_free(&program);
    return l.held;
}

TEST(limits_are_kept_and_everything_gets_done) {
    static const char *const protocols[] = {"mi", "msi", "mesi2", "moesi2"};
    for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++) {
        sim_system *system = make_finite(protocols[i], 2, 0);
        uint64_t first, second, cycles;
        uint32_t held = 0;
        for (uint64_t seed = 1; seed <= 3; seed++) {
            held += run_looking(system, seed, &first, &cycles);
            assert_false(system->failure.happened);
            (void)run_looking(system, seed, &second, &cycles);
            assert_int_equal(first, second); /* an instance leaves nothing behind */
        }
        assert_true(held > 0);
        sim_system_free(system);
    }
}

TEST(a_link_takes_one_message_after_the_other) {
    sim_system *fast = make_finite("mesi2", 0, 0), *slow = make_finite("mesi2", 0, 20);
    uint64_t hash, quick, late;
    (void)run_looking(fast, 1, &hash, &quick);
    (void)run_looking(slow, 1, &hash, &late);
    assert_false(fast->failure.happened || slow->failure.happened);
    assert_true(late > quick * 3 / 2);
    sim_system_free(fast);
    sim_system_free(slow);
}

/* mesi3 with room for one message: a request and a forward fill the queues of each other. */
TEST(a_deadlock_of_full_queues_is_explained) {
    sim_system *system = make_finite("mesi3", 1, 0);
    uint64_t hash, cycles;
    for (uint64_t seed = 1; seed < 20 && !system->failure.happened; seed++)
        (void)run_looking(system, seed, &hash, &cycles);
    assert_true(system->failure.happened);
    assert_int_equal(system->failure.event.kind, COL_DEADLOCK);
    const char *text = system->failure.text;
    if (strstr(text, "cycle of waits: ") == NULL || strstr(text, " has no room") == NULL)
        fail_msg("%s", text);
    sim_system_free(system);
    system = make_finite("mesi3", 16, 0);
    for (uint64_t seed = 1; seed < 6; seed++) {
        (void)run_looking(system, seed, &hash, &cycles);
        assert_false(system->failure.happened);
    }
    sim_system_free(system);
}
