/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * The exhaustive search: it ends on small systems, reaches what simulation reaches, says the same
 * each time, and finds each kind of mistake with the steps that lead to it.
 */
#include "protocol/explore/search.h"
#include "protocol/simulate/edits.h"
#include "protocol/simulate/runs.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */
#include "protocol/explore/tiny.h"

#include <stdlib.h>
#include <string.h>

static exp_exploration explore(sim_system *system, uint32_t blocks, uint64_t most) {
    const exp_exploration_settings settings = {.blocks = blocks, .most_states = most};
    return tiny_explore(system, &settings);
}

static const struct {
    const char *protocol;
    uint32_t cores, blocks;
} cases[] = {{"mi", 2, 1},    {"mi", 3, 1},     {"msi", 1, 2},   {"msi", 2, 1},
             {"mesi2", 2, 1}, {"moesi2", 2, 1}, {"mesi2", 1, 2}, {"mesi3", 2, 1}};

#ifdef REDUCED
enum { CASES = 4, MESI3_STATES = 10000 };
#else
enum { CASES = sizeof cases / sizeof cases[0], MESI3_STATES = 200000 };
#endif

TEST(small_systems_are_explored_exhaustively) {
    for (size_t i = 0; i < CASES; i++) {
        sim_system *system = timed_system(cases[i].protocol, cases[i].cores);
        const exp_exploration found = explore(system, cases[i].blocks, 0);
        if (found.broken)
            fail_msg("%s", found.trace.data);
        assert_true(found.complete && found.states > 50 && found.steps > found.states);
        const exp_exploration again = explore(system, cases[i].blocks, 0);
        assert_int_equal(again.states, found.states);
        assert_int_equal(again.steps, found.steps);
        assert_int_equal(again.depth, found.depth);
        sim_system_free(system);
    }
}

/* Random programs on the same blocks, one access at a time per core. */
static void simulate(sim_system *system, uint32_t blocks) {
    col_generation settings;
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    col_generation_default(&settings);
    settings.threads = system->wiring.cores;
    settings.operations = 400;
    settings.locations = blocks;
    for (uint64_t seed = 0; seed < 60; seed++) {
        sim_result result;
        generate(&settings, seed, &program);
        for (uint32_t l = 0; l < blocks; l++)
            program.addresses[l] = UINT64_C(0x100000) * (l + 1);
        assert_int_equal(
            sim_system_run(system, &program, seed, seed % 2 == 1, NULL, &result, &problem), COL_OK);
        assert_false(system->failure.happened);
    }
    col_program_free(&program);
}

TEST(the_search_reaches_what_simulation_reaches) {
    for (size_t i = 0; i < CASES; i++) {
        sim_system *searched = timed_system(cases[i].protocol, cases[i].cores);
        sim_system *simulated = timed_system(cases[i].protocol, cases[i].cores);
        assert_true(explore(searched, cases[i].blocks, 0).complete);
        simulate(simulated, cases[i].blocks);
        expect_reached_too(simulated, searched);
        sim_system_free(searched);
        sim_system_free(simulated);
    }
}

static const struct mistake {
    edit edit;
    uint32_t blocks;
    const char *text; /* part of the last line of the trace */
} mistakes[] = {
    {{"msi", "L1Cache", "S", "Inv", "S", NULL}, 1, "one core may write"},
    {{"msi", "L1Cache", "M", "Fwd_GetS", "M", NULL}, 1, "one core may write"},
    {{"msi", "L1Cache", "S", "Inv", NULL, "tellCore"}, 1, "not told"},
    {{"msi", "L1Cache", "IS_D_I", "Data", NULL, "tellCore"}, 1, "not told"},
    {{"msi", "L1Cache", "M", "Fwd_GetM", NULL, "tellCore"}, 1, "not told"},
    {{"msi", "L1Cache", "SM_AD", "Inv", NULL, "tellCore"}, 1, "not told"},
    {{"msi", "L1Cache", "S", "Replacement", NULL, "tellCore"}, 2, "not told"},
    {{"msi", "L1Cache", "S", "Inv", NULL, "acknowledge"}, 1, "deadlock"},
    {{"msi", "L1Cache", "IM_AD", "Data", NULL, "takeData"}, 1, "a store replaces a value"},
    {{"msi", "L1Cache", "IS_D_I", "Data", NULL, "takeData"}, 2, "a load returns a value"},
    {{"msi", "Directory", "S_D", "Data", "S", NULL}, 1, "Directory"},
    {{"mi", "L1Cache", "MI", "Put_Nack", "I", NULL}, 1, "no transition"},
    {{"mi", "Directory", "MI", "Memory_Ack", "MI", NULL}, 1, "deadlock"},
};

TEST(mistakes_are_found_with_their_steps) {
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        const struct mistake *m = &mistakes[i];
        sim_system *system = timed_system(m->edit.protocol, 2);
        edit_apply(system, &m->edit);
        exp_exploration found = explore(system, m->blocks, 2000000);
        if (!found.broken)
            fail_msg("%s at %s: not found in %llu states", m->edit.state, m->edit.event,
                     (unsigned long long)found.states);
        const char *last = found.trace.data == NULL ? "" : found.trace.data;
        for (const char *line = last; (line = strchr(line, '\n')) != NULL && line[1] != '\0';)
            last = ++line;
        if (strstr(last, m->text) == NULL)
            fail_msg("%s at %s: '%s' instead of '%s'", m->edit.state, m->edit.event, last, m->text);
        tiny_end(system, &found);
    }
}

/* ---- TBEs and buffers of finite number. */

static exp_exploration explore_two_under_way(const sl_protocol *p, const sim_wiring *wiring,
                                             uint32_t blocks, uint64_t most) {
    const exp_exploration_settings settings = {
        .blocks = blocks, .outstanding = 2, .most_states = most};
    sim_system *system = NULL;
    assert_int_equal(sim_system_new(&system, p, wiring, NULL), COL_OK);
    const exp_exploration found = tiny_explore(system, &settings);
    sim_system_free(system);
    return found;
}

/* Three blocks, two accesses under way, one place in the shared cache: it takes back a block that
 * the core has while the core waits for the two others. Of mesi3 this is a deadlock after 193,316
 * states if what the L0 answers waits behind a request that finds no TBE. */
TEST(one_tbe_is_enough) {
    for (const sl_protocol *const *p = sim_built_in; *p != NULL; p++) {
        sim_wiring wiring = tiny_wiring(*p, 1, 3);
        wiring.tbes = 1;
        const bool is_mesi3 = strcmp((*p)->name, "mesi3") == 0;
        const exp_exploration few =
            explore_two_under_way(*p, &wiring, 3, is_mesi3 ? MESI3_STATES : 20000);
        if (few.broken)
            fail_msg("%s: %s", (*p)->name, few.trace.data);
        assert_true(few.states > 1000);
    }
}

/* The number of TBEs is part of the system that is searched. */
TEST(fewer_tbes_reach_fewer_states) {
    uint64_t states[4] = {0};
    const sl_protocol *p = sim_built_in_find("mi");
    sim_wiring wiring = tiny_wiring(p, 1, 1);
    for (wiring.tbes = 1; wiring.tbes < 4; wiring.tbes++) {
        const exp_exploration found = explore_two_under_way(p, &wiring, 2, 0);
        assert_true(found.complete && !found.broken);
        states[wiring.tbes] = found.states;
    }
    assert_true(states[1] < states[2]);
    assert_int_equal(states[2], states[3]); /* there are but two blocks */
}

#ifndef REDUCED
/* What is under way to a queue takes up its room: without a limit there are 290,238 states. */
TEST(full_queues_block_the_sender) {
    const sl_protocol *p = sim_built_in_find("moesi2");
    sim_wiring wiring = tiny_wiring(p, 1, 2);
    for (uint32_t m = 0; m < p->machine_count; m++) {
        sim_machine_wiring *w = &wiring.machines[m];
        if (strcmp(p->machines[m]->name, "L1Cache") == 0)
            sim_wiring_buffer(w, "triggerQueue", 1);
        for (uint32_t i = 0; i < w->cache_count; i++) {
            w->caches[i].ways = 2;
            w->caches[i].bytes = (uint64_t)2 * SL_BLOCK_BYTES;
        }
    }
    const exp_exploration limited = explore_two_under_way(p, &wiring, 2, 0);
    assert_true(limited.complete && !limited.broken);
    assert_int_equal(limited.states, 289626);
}
#endif

/* A message that never fits into its buffer. */
TEST(a_full_buffer_is_a_deadlock) {
    const sl_protocol *p = sim_built_in_find("mesi3");
    sim_wiring wiring = tiny_wiring(p, 1, 1);
    for (uint32_t m = 0; m < p->machine_count; m++)
        if (strcmp(p->machines[m]->name, "L0Cache") == 0)
            sim_wiring_buffer(&wiring.machines[m], "bufferToL1", 1); /* a flush sends two */
    exp_exploration found = explore_two_under_way(p, &wiring, 1, 0);
    assert_true(found.broken);
    assert_non_null(strstr(found.trace.data, "a request is refused though nothing is under way"));
    base_text_free(&found.trace);
}

static uint32_t most_messages(const exp_exploration *found) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < found->bound_count; i++)
        most = found->bounds[i].most > most ? found->bounds[i].most : most;
    return most;
}

/* Queues with room for what they ever have are as good as endless ones; smaller ones hold senders
 * back, and are never fuller than they may be. */
TEST(the_bounds_of_queues_are_what_they_need) {
    static const char *const protocols[] = {"mi", "msi", "mesi2"};
    for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++) {
        exp_exploration_settings settings = {0};
        sim_system *system = timed_system(protocols[i], 2);
        const exp_exploration endless = tiny_explore(system, &settings);
        const uint32_t most = most_messages(&endless);
        assert_true(most > 1);
        for (settings.slots = most + 1; settings.slots > 0; settings.slots--) {
            const exp_exploration found = tiny_explore(system, &settings);
            assert_true(found.complete);
            assert_int_equal(found.states == endless.states, settings.slots >= most);
            assert_int_equal(found.steps == endless.steps, settings.slots >= most);
            assert_true(most_messages(&found) <= settings.slots);
        }
        sim_system_free(system);
    }
}

/* A flush of mesi3 sends two messages over one wire. */
TEST(a_queue_that_never_has_room_is_a_mistake) {
    const exp_exploration_settings settings = {.slots = 1};
    sim_system *system = timed_system("mesi3", 1);
    exp_exploration found = tiny_explore(system, &settings);
    assert_true(found.broken);
    assert_non_null(strstr(found.trace.data, "a request is refused though nothing is under way"));
    tiny_end(system, &found);
}

/* Asked to stop, it says that it did not end. */
TEST(a_stopped_search_is_not_complete) {
    const volatile int stop = 1;
    const exp_exploration_settings settings = {.stop = &stop};
    sim_system *system = timed_system("mi", 2);
    const exp_exploration found = tiny_explore(system, &settings);
    assert_false(found.complete || found.broken);
    assert_string_equal(found.limit, "stop");
    sim_system_free(system);
}
