/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * The exhaustive search: it ends on small systems, reaches what simulation reaches, says the same
 * each time, and finds each kind of mistake with the steps that lead to it.
 */
#include "collider/generate.h"
#include "explore/emit.h"
#include "explore/explore.h"
#include "sim/edit.h"
#include "sim/edits.h"
#include "sim/protocols.h"
#include "sim/reached.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One set in every cache: of this many ways in private ones, of one in shared ones. */
static sim_wiring wire_tiny(const sl_protocol *p, uint32_t cores, uint32_t ways) {
    sim_wiring wiring;
    col_problem problem;
    assert_int_equal(sim_wiring_infer(&wiring, p, cores, &problem), COL_OK);
    for (uint32_t m = 0; m < p->machine_count; m++)
        for (uint32_t i = 0; i < wiring.machines[m].cache_count; i++) {
            const uint32_t blocks = wiring.machines[m].is_private ? ways : 1;
            wiring.machines[m].caches[i].ways = blocks;
            wiring.machines[m].caches[i].bytes = (uint64_t)blocks * SL_BLOCK_BYTES;
        }
    return wiring;
}

static sim_system *make_tiny(const char *protocol, uint32_t cores, sim_mode mode) {
    sim_system *system = NULL;
    col_problem problem;
    const sl_protocol *p = sim_built_in_find(protocol);
    sim_wiring wiring = wire_tiny(p, cores, 1);
    wiring.core.mode = mode;
    wiring.core.outstanding = 1;
    wiring.core.jitter = 40;
    wiring.jitter = 60;
    assert_int_equal(sim_system_new(&system, p, &wiring, &problem), COL_OK);
    return system;
}

static exp_exploration explore(sim_system *system, uint32_t blocks, uint64_t most) {
    const exp_exploration_settings settings = {
        .blocks = blocks, .outstanding = 1, .most_states = most};
    exp_exploration found;
    col_problem problem;
    if (exp_explore(system, &settings, &found, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return found;
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

static void small_systems_are_explored_exhaustively(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        sim_system *system = make_tiny(cases[i].protocol, cases[i].cores, SIM_SIMPLE);
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
    col_generator *generator = col_generator_new();
    col_generation settings;
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    col_generation_default(&settings);
    settings.threads = system->wiring.cores;
    settings.operations = 400;
    settings.locations = blocks;
    for (uint64_t seed = 0; seed < 60; seed++) {
        sim_result result;
        assert_int_equal(col_generate(generator, &settings, seed, 0, &program, &problem), COL_OK);
        for (uint32_t l = 0; l < blocks; l++)
            program.addresses[l] = UINT64_C(0x100000) * (l + 1);
        assert_int_equal(
            sim_system_run(system, &program, seed, seed % 2 == 1, NULL, &result, &problem), COL_OK);
        assert_false(system->failure.happened);
    }
    col_program_free(&program);
    col_generator_free(generator);
}

static void the_search_reaches_what_simulation_reaches(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        sim_system *searched = make_tiny(cases[i].protocol, cases[i].cores, SIM_SIMPLE);
        sim_system *simulated = make_tiny(cases[i].protocol, cases[i].cores, SIM_SIMPLE);
        assert_true(explore(searched, cases[i].blocks, 0).complete);
        simulate(simulated, cases[i].blocks);
        uint32_t reached = 0;
        for (uint32_t m = 0; m < searched->protocol->machine_count; m++) {
            const sl_machine *machine = searched->protocol->machines[m];
            for (uint32_t s = 0; s < machine->state_count; s++)
                for (uint32_t e = 0; e < machine->event_count; e++) {
                    if (!sim_was_reached(simulated, m, s, e))
                        continue;
                    reached++;
                    if (!sim_was_reached(searched, m, s, e))
                        fail_msg("%s: the search did not reach %s at %s", cases[i].protocol,
                                 machine->states[s], machine->events[e]);
                }
        }
        assert_true(reached > 10);
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

static void mistakes_are_found_with_their_steps(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        const struct mistake *m = &mistakes[i];
        sim_system *system = make_tiny(m->edit.protocol, 2, SIM_SIMPLE);
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
        base_text_free(&found.trace);
        sim_system_free(system);
    }
}

/* ---- TBEs and buffers of finite number. */

static exp_exploration explore_two_under_way(const sl_protocol *p, const sim_wiring *wiring,
                                             uint32_t blocks, uint64_t most) {
    const exp_exploration_settings settings = {
        .blocks = blocks, .outstanding = 2, .most_states = most};
    sim_system *system = NULL;
    exp_exploration found;
    col_problem problem;
    assert_int_equal(sim_system_new(&system, p, wiring, &problem), COL_OK);
    if (exp_explore(system, &settings, &found, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    sim_system_free(system);
    return found;
}

/* Three blocks, two accesses under way, one place in the shared cache: it takes back a block that
 * the core has while the core waits for the two others. Of mesi3 this is a deadlock after 193,316
 * states if what the L0 answers waits behind a request that finds no TBE. */
static void one_tbe_is_enough(void **state) {
    (void)state;
    for (const sl_protocol *const *p = sim_built_in; *p != NULL; p++) {
        sim_wiring wiring = wire_tiny(*p, 1, 3);
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
static void fewer_tbes_reach_fewer_states(void **state) {
    (void)state;
    uint64_t states[4] = {0};
    const sl_protocol *p = sim_built_in_find("mi");
    sim_wiring wiring = wire_tiny(p, 1, 1);
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
static void full_queues_block_the_sender(void **state) {
    (void)state;
    const sl_protocol *p = sim_built_in_find("moesi2");
    sim_wiring wiring = wire_tiny(p, 1, 2);
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
static void a_full_buffer_is_a_deadlock(void **state) {
    (void)state;
    const sl_protocol *p = sim_built_in_find("mesi3");
    sim_wiring wiring = wire_tiny(p, 1, 1);
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
static void the_bounds_of_queues_are_what_they_need(void **state) {
    (void)state;
    static const char *const protocols[] = {"mi", "msi", "mesi2"};
    for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++) {
        exp_exploration_settings settings = {.blocks = 1, .outstanding = 1};
        sim_system *system = make_tiny(protocols[i], 2, SIM_SIMPLE);
        exp_exploration endless, found;
        col_problem problem;
        assert_int_equal(exp_explore(system, &settings, &endless, &problem), COL_OK);
        const uint32_t most = most_messages(&endless);
        assert_true(most > 1);
        for (settings.slots = most + 1; settings.slots > 0; settings.slots--) {
            assert_int_equal(exp_explore(system, &settings, &found, &problem), COL_OK);
            assert_true(found.complete);
            assert_int_equal(found.states == endless.states, settings.slots >= most);
            assert_int_equal(found.steps == endless.steps, settings.slots >= most);
            assert_true(most_messages(&found) <= settings.slots);
        }
        sim_system_free(system);
    }
}

/* A flush of mesi3 sends two messages over one wire. */
static void a_queue_that_never_has_room_is_a_mistake(void **state) {
    (void)state;
    const exp_exploration_settings settings = {.blocks = 1, .outstanding = 1, .slots = 1};
    sim_system *system = make_tiny("mesi3", 1, SIM_SIMPLE);
    exp_exploration found;
    col_problem problem;
    assert_int_equal(exp_explore(system, &settings, &found, &problem), COL_OK);
    assert_true(found.broken);
    assert_non_null(strstr(found.trace.data, "a request is refused though nothing is under way"));
    base_text_free(&found.trace);
    sim_system_free(system);
}

/* Asked to stop, it says that it did not end. */
static void a_stopped_search_is_not_complete(void **state) {
    (void)state;
    const volatile int stop = 1;
    const exp_exploration_settings settings = {.blocks = 1, .outstanding = 1, .stop = &stop};
    sim_system *system = make_tiny("mi", 2, SIM_SIMPLE);
    exp_exploration found;
    col_problem problem;
    assert_int_equal(exp_explore(system, &settings, &found, &problem), COL_OK);
    assert_false(found.complete || found.broken);
    assert_string_equal(found.limit, "stop");
    sim_system_free(system);
}

/* ---- Witnesses. */

/* Every transition that the search reaches has one, and none is longer than the search is deep. */
static void every_reached_transition_has_a_witness(void **state) {
    (void)state;
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        const exp_exploration_settings settings = {.blocks = 1,
                                                   .outstanding = 1,
                                                   .workers = 2,
                                                   .use_symmetry = symmetric == 1,
                                                   .wants_witnesses = true};
        sim_system *system = make_tiny("msi", 2, SIM_SIMPLE);
        exp_exploration found;
        col_problem problem;
        uint32_t reached = 0;
        assert_int_equal(exp_explore(system, &settings, &found, &problem), COL_OK);
        for (uint32_t m = 0; m < system->protocol->machine_count; m++) {
            const sl_machine *machine = system->protocol->machines[m];
            for (uint32_t s = 0; s < machine->state_count; s++)
                for (uint32_t e = 0; e < machine->event_count; e++)
                    reached += sim_was_reached(system, m, s, e);
        }
        assert_int_equal(found.witnesses.count, reached);
        for (uint32_t i = 0; i < reached; i++) {
            assert_true(found.witnesses.list[i].count <= found.depth + 1);
            assert_int_equal(found.witnesses.list[i].steps[0].kind, EXP_ACCESS);
        }
        exp_witnesses_free(&found.witnesses);
        sim_system_free(system);
    }
}

/* What the search says is reachable, the simulator reaches: with clocks, by the accesses of the
 * witness and delays. */
static void witnesses_become_tests(void **state) {
    (void)state;
    const exp_exploration_settings settings = {
        .blocks = 1, .outstanding = 1, .use_symmetry = true, .wants_witnesses = true};
    sim_system *system = make_tiny("mi", 2, SIM_SIMPLE);
    exp_exploration found;
    col_problem problem;
    uint32_t tried = 0, taken = 0;
    assert_int_equal(exp_explore(system, &settings, &found, &problem), COL_OK);
    for (uint32_t i = 0; i < found.witnesses.count; i += 3, tried++) {
        exp_emission emission;
        assert_int_equal(
            exp_emit(system, &found.witnesses.list[i], 1, 0, NULL, &emission, &problem), COL_OK);
        assert_int_equal(col_program_check(&emission.program, &problem), COL_OK);
        taken += emission.hits > 0;
        col_program_free(&emission.program);
    }
    assert_true(taken * 10 >= tried * 9); /* some need messages that overtake each other by far */
    exp_witnesses_free(&found.witnesses);
    sim_system_free(system);
}

#ifndef REDUCED /* it takes thousands of runs */
/* Two requests, sent after a writeback and because of one another, arrive before it. */
static void a_late_message_gets_a_slow_network_of_its_own(void **state) {
    (void)state;
    sim_system *system = make_tiny("mi", 2, SIM_SIMPLE);
    const sl_protocol *p = system->protocol;
    exp_cell late;
    exp_exploration found;
    exp_emission emission;
    col_problem problem;
    assert_int_equal(sim_find_machine(p, "Directory", &late.machine, &problem), COL_OK);
    const sl_machine *m = p->machines[late.machine];
    assert_int_equal(sim_find_state(m, "IM", &late.state, &problem), COL_OK);
    assert_int_equal(sim_find_event(m, "PutM_Stale", &late.event, &problem), COL_OK);
    const exp_exploration_settings settings = {
        .blocks = 1, .outstanding = 1, .use_symmetry = true, .goal = &late};
    assert_int_equal(exp_explore(system, &settings, &found, &problem), COL_OK);
    assert_int_equal(found.witnesses.count, 1);
    assert_int_equal(exp_emit(system, &found.witnesses.list[0], 1, 0, NULL, &emission, &problem),
                     COL_OK);
    assert_true(emission.hits > 0);
    assert_true(emission.network.number >= 0 && emission.network.jitter > system->wiring.jitter);
    col_program_free(&emission.program);
    exp_witnesses_free(&found.witnesses);
    sim_system_free(system);
}
#endif

/* Tests that were asked for: how many, and the last. */
typedef struct received {
    uint32_t machine; /* whose transitions are wanted */
    uint32_t count, asked;
    bool is_own; /* the network of each */
    col_program last;
} received;

static bool is_of_machine(void *context, const exp_cell *cell) {
    received *r = context;
    r->asked++;
    return cell->machine == r->machine;
}

static col_status receive(void *context, const exp_cell *cell, bool has_witness,
                          exp_emission *emission, col_problem *problem) {
    received *r = context;
    (void)problem;
    assert_int_equal(cell->machine, r->machine);
    assert_true(has_witness);
    r->count++;
    r->is_own = r->is_own && exp_network_is_own(&emission->network);
    col_program_free(&r->last);
    r->last = emission->program;
    emission->program = (col_program)COL_PROGRAM_EMPTY;
    return COL_OK;
}

static received emit_directory(const sim_system *system, const exp_witnesses *witnesses,
                               uint64_t most_runs) {
    received r = {.machine = 1, .is_own = true, .last = COL_PROGRAM_EMPTY};
    const exp_aims aims = {.seed = 5,
                           .most_runs = most_runs,
                           .keeps_network = true,
                           .wants = is_of_machine,
                           .take = receive,
                           .context = &r};
    col_problem problem;
    assert_int_equal(exp_emit_all(system, witnesses, &aims, &problem), COL_OK);
    return r;
}

/* What an engine asks for at run time: tests of some transitions, within a number of runs, the same
 * ones whenever it asks. */
static void tests_are_emitted_within_a_budget(void **state) {
    (void)state;
    enum { FEW = 3000 };
    const exp_exploration_settings settings = {
        .blocks = 1, .outstanding = 1, .use_symmetry = true, .wants_witnesses = true};
    sim_system *system = make_tiny("mi", 2, SIM_SIMPLE);
    exp_exploration found;
    col_problem problem;
    assert_int_equal(exp_explore(system, &settings, &found, &problem), COL_OK);
    received a = emit_directory(system, &found.witnesses, FEW);
    received b = emit_directory(system, &found.witnesses, FEW);
    received one = emit_directory(system, &found.witnesses, 1);
    assert_true(a.count > 1 && a.count < 11); /* of the directory's, all reachable */
    assert_true(a.asked < found.witnesses.count);
    assert_int_equal(one.count, 1); /* what was begun is counted out */
    assert_true(a.is_own);
    assert_int_equal(a.count, b.count);
    assert_true(col_program_equal(&a.last, &b.last));
    col_program_free(&a.last);
    col_program_free(&b.last);
    col_program_free(&one.last);
    exp_witnesses_free(&found.witnesses);
    sim_system_free(system);
}

#ifndef REDUCED /* it takes thousands of runs */
/* Of the seeds that emissions are counted with: those that take the transition, by the events of a
 * system that is built for the emission's network. */
typedef struct sighting {
    exp_cell cell;
    bool is_seen;
} sighting;

static void look_for(void *context, const col_event *event) {
    sighting *s = context;
    s->is_seen = s->is_seen || (event->machine == s->cell.machine &&
                                event->state == s->cell.state && event->event == s->cell.event);
}

static uint32_t count_again(const sim_system *like, const exp_cell *cell,
                            const exp_emission *emission) {
    const exp_network *n = &emission->network;
    sim_wiring wiring = like->wiring;
    sim_system *system = NULL;
    sighting sight = {.cell = *cell};
    const col_observer observer = {
        .context = &sight, .notice = look_for, .kinds = 1U << COL_TRANSITION};
    uint32_t hits = 0;
    if (n->latency != SIM_AS_OTHERS)
        *(n->number < 0 ? &wiring.network_latency : &wiring.virtual_networks[n->number].latency) =
            n->latency;
    if (n->jitter != SIM_AS_OTHERS)
        *(n->number < 0 ? &wiring.jitter : &wiring.virtual_networks[n->number].jitter) = n->jitter;
    assert_int_equal(sim_system_new(&system, like->protocol, &wiring, NULL), COL_OK);
    for (uint64_t seed = 1; seed <= EXP_EMISSION_SEEDS; seed++) {
        sim_result run;
        sight.is_seen = false;
        assert_int_equal(
            sim_system_run(system, &emission->program, seed, false, &observer, &run, NULL), COL_OK);
        hits += sight.is_seen;
    }
    sim_system_free(system);
    return hits;
}

/* How many transitions have a test that takes them, and which tests. */
typedef struct taken_cells {
    const sim_system *system;
    uint32_t along, by_chance, without_path;
    col_hash programs;
} taken_cells;

static col_status note_taken(void *context, const exp_cell *cell, bool has_witness,
                             exp_emission *emission, col_problem *problem) {
    taken_cells *t = context;
    if (emission->hits == 0)
        return COL_OK;
    if (t->without_path % 40 == 0)
        assert_int_equal(count_again(t->system, cell, emission), emission->hits);
    t->along += has_witness && !emission->is_random;
    t->by_chance += has_witness && emission->is_random;
    t->without_path += !has_witness;
    assert_true(has_witness || emission->is_random);
    const col_hash hash = col_program_hash(&emission->program);
    t->programs.high ^= hash.high;
    t->programs.low ^= hash.low;
    return col_program_check(&emission->program, problem);
}

static taken_cells emit_with(const sim_system *system, const exp_witnesses *witnesses,
                             uint64_t most_runs, uint32_t random_programs) {
    taken_cells taken = {.system = system};
    const exp_aims aims = {.seed = 1,
                           .most_runs = most_runs,
                           .random_programs = random_programs,
                           .take = note_taken,
                           .context = &taken};
    col_problem problem;
    assert_int_equal(exp_emit_all(system, witnesses, &aims, &problem), COL_OK);
    return taken;
}

/* The L2 of moesi2 waits in IW for the last reader's copy. A request comes there while a message of
 * another network than its own is late; no test along the witness takes that. Replacements need two
 * blocks, so a search with one has no witness of them. Random programs take all of these, and the
 * same ones each time. */
static void random_programs_take_what_no_witness_does(void **state) {
    (void)state;
    enum { PROGRAMS = 150 };
    sim_system *system = make_tiny("moesi2", 2, SIM_SIMPLE);
    const sl_protocol *p = system->protocol;
    exp_cell waits;
    exp_exploration found;
    exp_emission emission;
    col_problem problem;
    assert_int_equal(sim_find_machine(p, "L2Cache", &waits.machine, &problem), COL_OK);
    const sl_machine *m = p->machines[waits.machine];
    assert_int_equal(sim_find_state(m, "IW", &waits.state, &problem), COL_OK);
    assert_int_equal(sim_find_event(m, "L1_GETS", &waits.event, &problem), COL_OK);
    const exp_exploration_settings settings = {.blocks = 1, .outstanding = 1, .goal = &waits};
    assert_int_equal(exp_explore(system, &settings, &found, &problem), COL_OK);
    assert_int_equal(found.witnesses.count, 1);
    const exp_witnesses none = {.list = NULL, .count = 0};
    const taken_cells a = emit_with(system, &none, 0, PROGRAMS);
    const taken_cells b = emit_with(system, &none, 0, PROGRAMS);
    assert_int_equal(emit_with(system, &none, 0, 0).without_path, 0);
    assert_in_range(a.without_path, 200, 290); /* of 314 known, not all with two cores */
    assert_int_equal(a.along + a.by_chance, 0);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(emit_with(system, &none, 100, PROGRAMS).without_path < a.without_path);
    assert_int_equal(exp_emit(system, &found.witnesses.list[0], 1, 0, NULL, &emission, &problem),
                     COL_OK);
    assert_true(emission.hits > 0);
    col_program_free(&emission.program);
    exp_witnesses_free(&found.witnesses);
    sim_system_free(system);
}

#endif

/* What was reached before a mistake has witnesses, too. */
static void a_broken_search_has_witnesses(void **state) {
    (void)state;
    const exp_exploration_settings settings = {
        .blocks = 1, .outstanding = 1, .use_symmetry = true, .wants_witnesses = true};
    sim_system *system = make_tiny(mistakes[0].edit.protocol, 2, SIM_SIMPLE);
    exp_exploration found;
    col_problem problem;
    edit_apply(system, &mistakes[0].edit);
    assert_int_equal(exp_explore(system, &settings, &found, &problem), COL_OK);
    assert_true(found.broken);
    assert_true(found.witnesses.count > 5);
    base_text_free(&found.trace);
    exp_witnesses_free(&found.witnesses);
    sim_system_free(system);
}

/* The last step takes the transition; an access that is refused comes before one that is taken. */
static void witnesses_say_what_their_steps_take(void **state) {
    (void)state;
    const exp_exploration_settings settings = {.blocks = 2,
                                               .outstanding = 1,
                                               .use_symmetry = true,
                                               .wants_witnesses = true,
                                               .most_states = 20000};
    sim_system *system = make_tiny("mesi2", 2, SIM_SIMPLE);
    exp_exploration found;
    col_problem problem;
    uint32_t refused = 0;
    assert_int_equal(exp_explore(system, &settings, &found, &problem), COL_OK);
    for (uint32_t i = 0; i < found.witnesses.count; i++) {
        const exp_witness *w = &found.witnesses.list[i];
        const exp_path_step *last = &w->steps[w->count - 1];
        assert_true(last->takes);
        assert_memory_equal(&last->cell, &w->cell, sizeof w->cell);
        for (uint32_t j = 0; j < w->count; j++)
            refused += w->steps[j].is_refused;
    }
    assert_true(refused > 0); /* accesses that make room first */
    exp_witnesses_free(&found.witnesses);
    sim_system_free(system);
}

/* A goal ends the search, at the same length as in the whole one. */
static void a_goal_ends_the_search(void **state) {
    (void)state;
    const exp_exploration_settings whole = {.blocks = 1, .outstanding = 1, .wants_witnesses = true};
    sim_system *system = make_tiny("mesi2", 2, SIM_SIMPLE);
    exp_exploration found, ended;
    col_problem problem;
    assert_int_equal(exp_explore(system, &whole, &found, &problem), COL_OK);
    for (uint32_t i = 0; i < found.witnesses.count; i += 17) {
        const exp_witness *witness = &found.witnesses.list[i];
        const exp_exploration_settings settings = {
            .blocks = 1, .outstanding = 1, .goal = &witness->cell};
        assert_int_equal(exp_explore(system, &settings, &ended, &problem), COL_OK);
        assert_string_equal(ended.limit, "reach");
        assert_int_equal(ended.witnesses.count, 1);
        assert_int_equal(ended.witnesses.list[0].count, witness->count);
        exp_witnesses_free(&ended.witnesses);
    }
    exp_witnesses_free(&found.witnesses);
    sim_system_free(system);
}

/* ---- Drawings. */

/* Every state but the first is where a step leads from one that was found before, and there are as
 * many of both as the search counts. */
static void a_drawing_has_all_states_and_steps(void **state) {
    (void)state;
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        const exp_exploration_settings settings = {
            .blocks = 1, .outstanding = 1, .use_symmetry = symmetric == 1, .draws = true};
        sim_system *system = make_tiny("mi", 2, SIM_SIMPLE);
        exp_exploration found;
        col_problem problem;
        assert_int_equal(exp_explore(system, &settings, &found, &problem), COL_OK);
        uint8_t *entered = calloc(found.states, 1);
        uint64_t states = 0, steps = 0;
        for (char *line = strtok(found.drawing.data, "\n"); line != NULL;
             line = strtok(NULL, "\n")) {
            unsigned from, to;
            states += strstr(line, "[tooltip=") != NULL;
            if (sscanf(line, " %u -> %u [label=", &from, &to) != 2)
                continue;
            assert_true(from < found.states && to < found.states);
            entered[to] |= from < to;
            steps++;
        }
        assert_int_equal(states, found.states);
        assert_int_equal(steps, found.steps);
        for (uint64_t i = 1; i < found.states; i++)
            assert_int_equal(entered[i], 1);
        free(entered);
        base_text_free(&found.drawing);
        sim_system_free(system);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_systems_are_explored_exhaustively),
        cmocka_unit_test(the_search_reaches_what_simulation_reaches),
        cmocka_unit_test(mistakes_are_found_with_their_steps),
        cmocka_unit_test(one_tbe_is_enough),
        cmocka_unit_test(fewer_tbes_reach_fewer_states),
#ifndef REDUCED
        cmocka_unit_test(full_queues_block_the_sender),
#endif
        cmocka_unit_test(a_full_buffer_is_a_deadlock),
        cmocka_unit_test(the_bounds_of_queues_are_what_they_need),
        cmocka_unit_test(a_queue_that_never_has_room_is_a_mistake),
        cmocka_unit_test(a_stopped_search_is_not_complete),
        cmocka_unit_test(every_reached_transition_has_a_witness),
        cmocka_unit_test(witnesses_become_tests),
#ifndef REDUCED
        cmocka_unit_test(a_late_message_gets_a_slow_network_of_its_own),
#endif
        cmocka_unit_test(tests_are_emitted_within_a_budget),
#ifndef REDUCED
        cmocka_unit_test(random_programs_take_what_no_witness_does),
#endif
        cmocka_unit_test(a_broken_search_has_witnesses),
        cmocka_unit_test(witnesses_say_what_their_steps_take),
        cmocka_unit_test(a_goal_ends_the_search),
        cmocka_unit_test(a_drawing_has_all_states_and_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
