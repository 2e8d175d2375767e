/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * Witnesses of a search and the tests made of them: every reached transition has a shortest way,
 * tests along these ways take it in the simulator, random programs take what no such test does; and
 * drawings.
 */
#include "protocol/explore/witness_test.h"
#include "protocol/simulate/edits.h"
#include "protocol/simulate/transition_table.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */
#include "protocol/explore/tiny.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every transition that the search reaches has one, and none is longer than the search is deep. */
TEST(every_reached_transition_has_a_witness) {
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        const exp_exploration_settings settings = {
            .workers = 2, .use_symmetry = symmetric == 1, .wants_witnesses = true};
        sim_system *system = timed_system("msi", 2);
        uint32_t reached = 0;
        exp_exploration found = tiny_explore(system, &settings);
        exp_cell cell = {0};
        do
            reached += sim_was_reached(system, cell.machine, cell.state, cell.event);
        while (exp_cell_next(system->protocol, &cell));
        assert_int_equal(found.witnesses.count, reached);
        for (uint32_t i = 0; i < reached; i++) {
            assert_true(found.witnesses.list[i].count <= found.depth + 1);
            assert_int_equal(found.witnesses.list[i].steps[0].kind, EXP_ACCESS);
        }
        tiny_end(system, &found);
    }
}

/* What the search says is reachable, the simulator reaches: with clocks, by the accesses of the
 * witness and delays. */
TEST(witnesses_become_tests) {
    const exp_exploration_settings settings = {.use_symmetry = true, .wants_witnesses = true};
    sim_system *system = timed_system("mi", 2);
    col_problem problem;
    uint32_t tried = 0, taken = 0;
    exp_exploration found = tiny_explore(system, &settings);
    for (uint32_t i = 0; i < found.witnesses.count; i += 3, tried++) {
        exp_emission emission;
        assert_int_equal(
            exp_emit(system, &found.witnesses.list[i], 1, 0, NULL, &emission, &problem), COL_OK);
        assert_int_equal(col_program_check(&emission.program, &problem), COL_OK);
        taken += emission.hits > 0;
        col_program_free(&emission.program);
    }
    assert_true(taken * 10 >= tried * 9); /* some need messages that overtake each other by far */
    tiny_end(system, &found);
}

#ifndef REDUCED /* it takes thousands of runs */
/* Two requests, sent after a writeback and because of one another, arrive before it. */
TEST(a_late_message_gets_a_slow_network_of_its_own) {
    sim_system *system = timed_system("mi", 2);
    const sl_protocol *p = system->protocol;
    const exp_cell late = tiny_cell(p, "Directory", "IM", "PutM_Stale");
    exp_emission emission;
    col_problem problem;
    const exp_exploration_settings settings = {.use_symmetry = true, .goal = &late};
    exp_exploration found = tiny_explore(system, &settings);
    assert_int_equal(found.witnesses.count, 1);
    assert_int_equal(exp_emit(system, &found.witnesses.list[0], 1, 0, NULL, &emission, &problem),
                     COL_OK);
    assert_true(emission.hits > 0);
    assert_true(emission.network.number >= 0 && emission.network.jitter > system->wiring.jitter);
    col_program_free(&emission.program);
    tiny_end(system, &found);
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
TEST(tests_are_emitted_within_a_budget) {
    enum { FEW = 3000 };
    const exp_exploration_settings settings = {.use_symmetry = true, .wants_witnesses = true};
    sim_system *system = timed_system("mi", 2);
    exp_exploration found = tiny_explore(system, &settings);
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
    tiny_end(system, &found);
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
TEST(random_programs_take_what_no_witness_does) {
    enum { PROGRAMS = 150 };
    sim_system *system = timed_system("moesi2", 2);
    const sl_protocol *p = system->protocol;
    const exp_cell waits = tiny_cell(p, "L2Cache", "IW", "L1_GETS");
    exp_emission emission;
    col_problem problem;
    const exp_exploration_settings settings = {.goal = &waits};
    exp_exploration found = tiny_explore(system, &settings);
    assert_int_equal(found.witnesses.count, 1);
    const exp_witnesses none = {.list = NULL, .count = 0};
    const taken_cells a = emit_with(system, &none, 0, PROGRAMS);
    const taken_cells b = emit_with(system, &none, 0, PROGRAMS);
    assert_int_equal(emit_with(system, &none, 0, 0).without_path, 0);
    assert_in_range(a.without_path, 200, 290); /* of 314 known, not all with two cores */
    assert_int_equal(a.along + a.by_chance, 0);
    assert_int_equal(a.without_path, b.without_path);
    assert_int_equal(a.programs.high, b.programs.high);
    assert_int_equal(a.programs.low, b.programs.low);
    assert_true(emit_with(system, &none, 100, PROGRAMS).without_path < a.without_path);
    assert_int_equal(exp_emit(system, &found.witnesses.list[0], 1, 0, NULL, &emission, &problem),
                     COL_OK);
    assert_true(emission.hits > 0);
    col_program_free(&emission.program);
    tiny_end(system, &found);
}

#endif

/* What was reached before a mistake has witnesses, too. */
TEST(a_broken_search_has_witnesses) {
    const exp_exploration_settings settings = {.use_symmetry = true, .wants_witnesses = true};
    sim_system *system = timed_system("msi", 2);
    const edit mistake = {"msi", "L1Cache", "S", "Inv", "S", NULL};
    edit_apply(system, &mistake);
    exp_exploration found = tiny_explore(system, &settings);
    assert_true(found.broken);
    assert_true(found.witnesses.count > 5);
    base_text_free(&found.trace);
    tiny_end(system, &found);
}

/* The last step takes the transition; an access that is refused comes before one that is taken. */
TEST(witnesses_say_what_their_steps_take) {
    const exp_exploration_settings settings = {
        .blocks = 2, .use_symmetry = true, .wants_witnesses = true, .most_states = 20000};
    sim_system *system = timed_system("mesi2", 2);
    uint32_t refused = 0;
    exp_exploration found = tiny_explore(system, &settings);
    for (uint32_t i = 0; i < found.witnesses.count; i++) {
        const exp_witness *w = &found.witnesses.list[i];
        const exp_path_step *last = &w->steps[w->count - 1];
        assert_true(last->takes);
        assert_memory_equal(&last->cell, &w->cell, sizeof w->cell);
        for (uint32_t j = 0; j < w->count; j++)
            refused += w->steps[j].is_refused;
    }
    assert_true(refused > 0); /* accesses that make room first */
    tiny_end(system, &found);
}

/* A goal ends the search, at the same length as in the whole one. */
TEST(a_goal_ends_the_search) {
    const exp_exploration_settings whole = {.wants_witnesses = true};
    sim_system *system = timed_system("mesi2", 2);
    exp_exploration found = tiny_explore(system, &whole);
    for (uint32_t i = 0; i < found.witnesses.count; i += 17) {
        const exp_witness *witness = &found.witnesses.list[i];
        const exp_exploration_settings settings = {.goal = &witness->cell};
        exp_exploration ended = tiny_explore(system, &settings);
        assert_string_equal(ended.limit, "reach");
        assert_int_equal(ended.witnesses.count, 1);
        assert_int_equal(ended.witnesses.list[0].count, witness->count);
        exp_witnesses_free(&ended.witnesses);
    }
    tiny_end(system, &found);
}

/* ---- Drawings. */

/* Every state but the first is where a step leads from one that was found before, and there are as
 * many of both as the search counts. */
TEST(a_drawing_has_all_states_and_steps) {
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        const exp_exploration_settings settings = {.use_symmetry = symmetric == 1, .draws = true};
        sim_system *system = timed_system("mi", 2);
        exp_exploration found = tiny_explore(system, &settings);
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
        tiny_end(system, &found);
    }
}
