/* SPDX-License-Identifier: MIT */
/*
 * Atomics in two steps, on the protocol mi changed. As a load-linked and a store-conditional, where
 * it tells store-conditionals from stores: they are atomic, and no longer if the core does not hear
 * of lost blocks; and they end even if no cache keeps a block from one step to the next. As a read
 * that locks the block and a write, where its ports hold back what others want of a locked block:
 * they are atomic, and no longer if one port lets forwards through, or if a request may replace the
 * block.
 */
#include "runs.h"

#include "base/file.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef REDUCED
enum { SYSTEMS = 10 };
#else
enum { SYSTEMS = 80 };
#endif

/* ---- The protocol mi with its cache changed. */

typedef struct change {
    const char *old, *new; /* every occurrence; there is one at least */
} change;

static void replace_all(base_text *text, const change *c) {
    base_text changed = {0};
    uint32_t count = 0;
    const char *at = text->data;
    for (const char *found; (found = strstr(at, c->old)) != NULL;
         at = found + strlen(c->old), count++) {
        base_text_add_bytes(&changed, at, (size_t)(found - at));
        base_text_add(&changed, c->new);
    }
    assert_true(count > 0);
    base_text_add(&changed, at);
    base_text_free(text);
    *text = changed;
}

static void compile_changed(sim_plugin *plugin, const change *changes, uint32_t count) {
    static const char *const names[] = {"mi.slicc", "mi-msg.sm", "mi-cache.sm", "mi-dir.sm"};
    char folder[] = "/tmp/collider-changed-XXXXXX", path[1024];
    col_problem problem;
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        base_text text = {0};
        const char *root = strrchr(README_FILE, '/');
        (void)snprintf(path, sizeof path, "%.*s/protocols/mi/%s", (int)(root - README_FILE),
                       README_FILE, names[i]);
        assert_int_equal(base_file_read(path, &text, &problem), COL_OK);
        for (uint32_t c = 0; strcmp(names[i], "mi-cache.sm") == 0 && c < count; c++)
            replace_all(&text, &changes[c]);
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(base_file_write(path, text.data, text.length, &problem), COL_OK);
        base_text_free(&text);
    }
    (void)snprintf(path, sizeof path, "%s/mi.slicc", folder);
    compile_protocol(plugin, path);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

enum variant { AS_IT_IS, DEAF, LOSING };

static void compile(sim_plugin *plugin, enum variant variant) {
    const change changes[] = {
        {"in_msg.Type == RubyRequestType:ST)", "in_msg.Type == RubyRequestType:ST ||\n"
                                               "in_msg.Type == RubyRequestType:Store_Conditional)"},
        variant == DEAF
            ? (change){"sequencer.evictionCallback(address);", ""}
            : (change){"  sequencer.writeCallback(",
                       "  sequencer.evictionCallback(address); sequencer.writeCallback("},
    };
    compile_changed(plugin, changes, variant == AS_IT_IS ? 1 : 2);
}

/* Runs that go wrong, of cores that make atomics this way. */
static uint32_t count_errors(const sl_protocol *protocol, sim_way way, bool may_fail) {
    col_program program = COL_PROGRAM_EMPTY;
    uint32_t errors = 0;
    base_rng rng;
    base_rng_seed(&rng, 26, 2);
    for (uint32_t i = 0; i < SYSTEMS; i++) {
        run_shape shape = random_shape(&rng, 4, 300);
        shape.mode = i % 4 == 0 ? SIM_SIMPLE : SIM_SC; /* loads by turns: none is squashed late */
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

TEST(linked_atomics_are_atomic) {
    sim_plugin plugin;
    compile(&plugin, AS_IT_IS);
    assert_int_equal(count_errors(plugin.protocol, SIM_ANY_WAY, false), 0);
    sim_plugin_close(&plugin);
}

/* No store-conditional succeeds: after some, the atomic is made in one step. */
TEST(atomics_whose_link_is_always_lost_end) {
    sim_plugin plugin;
    compile(&plugin, LOSING);
    assert_int_equal(count_errors(plugin.protocol, SIM_ANY_WAY, false), 0);
    sim_plugin_close(&plugin);
}

TEST(a_core_that_is_not_told_of_lost_blocks_is_found) {
    sim_plugin plugin;
    compile(&plugin, DEAF);
    assert_true(count_errors(plugin.protocol, SIM_ANY_WAY, true) >= SYSTEMS / 4);
    sim_plugin_close(&plugin);
}

/* ---- Conditionals: pairs that are tried once. */

typedef struct tally {
    col_observer to; /* a checker's */
    const col_program *program;
    uint32_t stored, failed;
} tally;

static void count(void *context, const col_event *e) {
    tally *t = context;
    const bool is_conditional = t->program->operations[e->operation].kind == COL_CONDITIONAL;
    t->stored += is_conditional && e->kind == COL_STORE_PERFORMED;
    t->failed += is_conditional && e->kind == COL_LOAD_PERFORMED;
    t->to.notice(t->to.context, e);
}

/* Returns whether the run was good. */
static bool run_conditionals(const sl_protocol *protocol, uint64_t seed, base_rng *rng, tally *t) {
    col_program program = COL_PROGRAM_EMPTY;
    col_checker *checker = NULL;
    sim_result result;
    col_problem problem;
    run_shape shape = random_shape(rng, 4, 300);
    shape.mode = seed % 4 == 0 ? SIM_SIMPLE : SIM_SC;
    shape.monitors = true;
    shape.mix = "load=0.3,store=0.2,conditional=0.5";
    sim_system *system = make_system(protocol, &shape);
    make_program(&shape, seed, &program);
    assert_int_equal(
        col_checker_new(&checker, shape.mode == SIM_SIMPLE ? COL_RVWMO : COL_SC, &problem), COL_OK);
    assert_int_equal(col_checker_load(checker, &program, &problem), COL_OK);
    t->to = col_checker_observer(checker);
    t->program = &program;
    const col_observer observer = {.context = t, .notice = count, .kinds = t->to.kinds};
    assert_int_equal(sim_system_run(system, &program, seed, false, &observer, &result, &problem),
                     COL_OK);
    const bool is_good = col_checker_finish(checker, true) && !system->failure.happened;
    col_checker_free(checker);
    sim_system_free(system);
    col_program_free(&program);
    return is_good;
}

static tally run_many(enum variant variant, uint32_t *good) {
    static tally t;
    sim_plugin plugin;
    base_rng rng;
    base_rng_seed(&rng, 26, 3);
    t = (tally){.stored = 0};
    *good = 0;
    compile(&plugin, variant);
    for (uint32_t i = 0; i < SYSTEMS; i++)
        *good += run_conditionals(plugin.protocol, i, &rng, &t);
    sim_plugin_close(&plugin);
    return t;
}

TEST(conditionals_store_or_write_nothing) {
    uint32_t good;
    const tally t = run_many(AS_IT_IS, &good);
    assert_int_equal(good, SYSTEMS);
    assert_true(t.stored > 100 && t.failed > 10);
}

/* Not tried again: where every link is lost, all fail, and that is no error. */
TEST(conditionals_may_always_fail) {
    uint32_t good;
    const tally t = run_many(LOSING, &good);
    assert_int_equal(good, SYSTEMS);
    assert_int_equal(t.stored, 0);
    assert_true(t.failed > 1000);
}

TEST(a_conditional_that_stores_over_another_value_is_found) {
    uint32_t good;
    (void)run_many(DEAF, &good);
    assert_true(good <= SYSTEMS - SYSTEMS / 4);
}

/* ---- Locks. */

enum { FORWARDS = 1, REPLACEMENTS = 2 }; /* what is held back */

static void compile_locking(sim_plugin *plugin, uint32_t held_back) {
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

TEST(locked_atomics_are_atomic) {
    sim_plugin plugin;
    compile_locking(&plugin, FORWARDS | REPLACEMENTS);
    assert_int_equal(count_errors(plugin.protocol, SIM_LOCKED, false), 0);
    assert_int_equal(count_errors(plugin.protocol, SIM_ANY_WAY, false), 0);
    sim_plugin_close(&plugin);
}

TEST(a_port_that_lets_messages_through_is_found) {
    static const uint32_t held_back[] = {FORWARDS, REPLACEMENTS};
    sim_plugin plugin;
    for (uint32_t i = 0; i < 2; i++) {
        compile_locking(&plugin, held_back[i]);
        assert_true(count_errors(plugin.protocol, SIM_LOCKED, true) >= SYSTEMS / 4);
        assert_int_equal(count_errors(plugin.protocol, SIM_SINGLE, false), 0);
        sim_plugin_close(&plugin);
    }
}

/* The ways of making atomics that a protocol takes are seen from its ports and request types. */
TEST(protocols_take_pairs_if_their_ports_hold_back) {
    sim_plugin plugin;
    assert_int_equal(sim_ways_of(sim_built_in_find("mi")->machines[0]), 1U << SIM_SINGLE);
    compile(&plugin, AS_IT_IS);
    assert_int_equal(sim_ways_of(plugin.protocol->machines[0]),
                     1U << SIM_SINGLE | 1U << SIM_LINKED);
    sim_plugin_close(&plugin);
    compile_locking(&plugin, FORWARDS | REPLACEMENTS);
    assert_int_equal(sim_ways_of(plugin.protocol->machines[0]),
                     1U << SIM_SINGLE | 1U << SIM_LOCKED);
    sim_plugin_close(&plugin);
}
