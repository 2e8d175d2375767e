/* SPDX-License-Identifier: MIT */
/*
 * Atomics as a read that locks the block and a write, on the protocol mi changed so that its ports
 * hold back what others want of a locked block: they are atomic, and no longer if one port lets
 * forwards through, or if a request may replace the block.
 */
#include "changed.h"
#include "runs.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#ifdef REDUCED
enum { SYSTEMS = 10 };
#else
enum { SYSTEMS = 80 };
#endif

enum { FORWARDS = 1, REPLACEMENTS = 2 }; /* what is held back */

static void compile(sim_plugin *plugin, uint32_t held_back) {
    /* Forwards that come early wait, too: mi passes a block on as soon as its store is done. */
    const change changes[] = {
        {"transition(IM, Fwd_GetM, IMI) {\n    noteNext;\n    popForward;\n  }",
         "action(holdForward, \"hf\", desc=\"\") { stall_and_wait(forward_in, address); }\n"
         "transition(IM, Fwd_GetM) { holdForward; }"},
        {"peek(response_in, ResponseMsg)", "peek(response_in, ResponseMsg, block_on=\"addr\")"},
        {"peek(mandatory_in, RubyRequest)",
         "peek(mandatory_in, RubyRequest, block_on=\"LineAddress\")"},
        {"peek(forward_in, RequestMsg)", (held_back & FORWARDS) != 0
                                             ? "peek(forward_in, RequestMsg, block_on=\"addr\")"
                                             : "peek(forward_in, RequestMsg)"},
        {"trigger(Event:Replacement", (held_back & REPLACEMENTS) != 0
                                          ? "check_on_cache_probe(mandatory_in, victim);\n"
                                            "trigger(Event:Replacement"
                                          : "trigger(Event:Replacement"},
    };
    compile_changed(plugin, changes, sizeof changes / sizeof changes[0]);
}

/* Runs that go wrong, of cores that make atomics this way. */
static uint32_t count_errors(const sl_protocol *protocol, sim_way way, bool may_fail) {
    col_program program = COL_PROGRAM_EMPTY;
    uint32_t errors = 0;
    base_rng rng;
    base_rng_seed(&rng, 26, 2);
    for (uint32_t i = 0; i < SYSTEMS; i++) {
        run_shape shape = random_shape(&rng, 4, 300);
        shape.mode = i % 4 == 0 ? SIM_SIMPLE : SIM_SC;
        shape.monitors = false;
        shape.atomics = way;
        shape.mix = "load=0.2,store=0.2,swap=0.3,add=0.3";
        sim_system *system = make_system(protocol, &shape);
        make_program(&shape, i, &program);
        const col_model model = shape.mode == SIM_SIMPLE ? COL_RVWMO : COL_SC;
        errors += !run_judged(system, &program, i, model, may_fail);
        for (uint32_t c = 0; c < system->base.controller_count; c++)
            assert_true(may_fail || system->controllers[c]->lock_count == 0);
        sim_system_free(system);
    }
    col_program_free(&program);
    return errors;
}

static void locked_atomics_are_atomic(void **state) {
    sim_plugin plugin;
    (void)state;
    compile(&plugin, FORWARDS | REPLACEMENTS);
    assert_int_equal(count_errors(plugin.protocol, SIM_LOCKED, false), 0);
    assert_int_equal(count_errors(plugin.protocol, SIM_ANY_WAY, false), 0);
    sim_plugin_close(&plugin);
}

static void a_port_that_lets_messages_through_is_found(void **state) {
    static const uint32_t held_back[] = {FORWARDS, REPLACEMENTS};
    sim_plugin plugin;
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        compile(&plugin, held_back[i]);
        assert_true(count_errors(plugin.protocol, SIM_LOCKED, true) >= SYSTEMS / 4);
        assert_int_equal(count_errors(plugin.protocol, SIM_SINGLE, false), 0);
        sim_plugin_close(&plugin);
    }
}

/* The ways of making atomics that a protocol takes are seen from its ports and request types. */
static void protocols_take_pairs_if_their_ports_hold_back(void **state) {
    sim_plugin plugin;
    (void)state;
    assert_int_equal(sim_ways_of(sim_built_in_find("mi")->machines[0]), 1U << SIM_SINGLE);
    compile(&plugin, FORWARDS | REPLACEMENTS);
    assert_int_equal(sim_ways_of(plugin.protocol->machines[0]),
                     1U << SIM_SINGLE | 1U << SIM_LOCKED);
    sim_plugin_close(&plugin);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locked_atomics_are_atomic),
        cmocka_unit_test(a_port_that_lets_messages_through_is_found),
        cmocka_unit_test(protocols_take_pairs_if_their_ports_hold_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
