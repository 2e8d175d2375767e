/* SPDX-License-Identifier: MIT */
#include "protocol/explore/tiny.h"

#include "protocol/simulate/protocol_library.h"
#include "protocol/simulate/transition_table.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

static void size_caches(sim_wiring *wiring, uint32_t private_ways, uint32_t shared_ways) {
    for (uint32_t m = 0; m < SIM_MOST_MACHINES; m++)
        for (uint32_t i = 0; i < wiring->machines[m].cache_count; i++) {
            const uint32_t ways = wiring->machines[m].is_private ? private_ways : shared_ways;
            wiring->machines[m].caches[i].ways = ways;
            wiring->machines[m].caches[i].bytes = (uint64_t)ways * SL_BLOCK_BYTES;
        }
}

sim_wiring tiny_wiring(const sl_protocol *p, uint32_t cores, uint32_t ways) {
    sim_wiring wiring;
    col_problem problem;
    assert_int_equal(sim_wiring_infer(&wiring, p, cores, &problem), COL_OK);
    size_caches(&wiring, ways, 1);
    return wiring;
}

sim_system *tiny_system_of(const char *protocol, uint32_t cores, uint32_t blocks) {
    sim_system *system = NULL;
    col_problem problem;
    const sl_protocol *p = sim_built_in_find(protocol);
    sim_wiring wiring = tiny_wiring(p, cores, 1);
    size_caches(&wiring, blocks, blocks);
    wiring.core.mode = SIM_SIMPLE;
    assert_int_equal(sim_system_new(&system, p, &wiring, &problem), COL_OK);
    return system;
}

sim_system *tiny_system(const char *protocol, uint32_t cores) {
    return tiny_system_of(protocol, cores, 1);
}

sim_system *timed_system(const char *protocol, uint32_t cores) {
    sim_system *system = NULL;
    col_problem problem;
    const sl_protocol *p = sim_built_in_find(protocol);
    sim_wiring wiring = tiny_wiring(p, cores, 1);
    wiring.core.mode = SIM_SIMPLE;
    wiring.core.outstanding = 1;
    wiring.core.jitter = 40;
    wiring.jitter = 60;
    assert_int_equal(sim_system_new(&system, p, &wiring, &problem), COL_OK);
    return system;
}

exp_exploration tiny_explore(sim_system *system, const exp_exploration_settings *settings) {
    exp_exploration_settings usual = *settings;
    exp_exploration found;
    col_problem problem;
    usual.blocks = settings->blocks == 0 ? 1 : settings->blocks;
    usual.outstanding = settings->outstanding == 0 ? 1 : settings->outstanding;
    if (exp_explore(system, &usual, &found, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return found;
}

void tiny_end(sim_system *system, exp_exploration *found) {
    sim_system_free(system);
    base_text_free(&found->trace);
    base_text_free(&found->drawing);
    exp_witnesses_free(&found->witnesses);
}

exp_cell tiny_cell(const sl_protocol *p, const char *machine, const char *state,
                   const char *event) {
    exp_cell cell;
    col_problem problem;
    assert_int_equal(sim_find_machine(p, machine, &cell.machine, &problem), COL_OK);
    const sl_machine *m = p->machines[cell.machine];
    assert_int_equal(sim_find_state(m, state, &cell.state, &problem), COL_OK);
    assert_int_equal(sim_find_event(m, event, &cell.event, &problem), COL_OK);
    return cell;
}

void expect_reached_too(const sim_system *fewer, const sim_system *more) {
    exp_cell cell = {0};
    do {
        const sl_machine *m = fewer->protocol->machines[cell.machine];
        if (sim_was_reached(fewer, cell.machine, cell.state, cell.event) &&
            !sim_was_reached(more, cell.machine, cell.state, cell.event))
            fail_msg("%s %s %s is not reached", m->name, m->states[cell.state],
                     m->events[cell.event]);
    } while (exp_cell_next(fewer->protocol, &cell));
}

void expect_same_cells(const sim_system *a, const sim_system *b) {
    expect_reached_too(a, b);
    expect_reached_too(b, a);
}

void expect_same_bounds(const exp_exploration *a, const exp_exploration *b) {
    assert_int_equal(a->bound_count, b->bound_count);
    for (uint32_t i = 0; i < a->bound_count; i++)
        assert_int_equal(a->bounds[i].most, b->bounds[i].most);
}
