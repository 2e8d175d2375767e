/* SPDX-License-Identifier: MIT */
/*
 * Atomics as a load-linked and a store-conditional, on the protocol mi changed so that it tells
 * store-conditionals from stores: they are atomic, and no longer if the core does not hear of lost
 * blocks; and they end even if no cache keeps a block from one step to the next.
 */
#include "runs.h"

#include "base/file.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SANITIZED
enum { SYSTEMS = 10 };
#else
enum { SYSTEMS = 80 };
#endif

static void replace_all(base_text *text, const char *old, const char *new) {
    base_text changed = {0};
    uint32_t count = 0;
    const char *at = text->data;
    for (const char *found; (found = strstr(at, old)) != NULL; at = found + strlen(old), count++) {
        base_text_add_bytes(&changed, at, (size_t)(found - at));
        base_text_add(&changed, new);
    }
    assert_true(count > 0);
    base_text_add(&changed, at);
    base_text_free(text);
    *text = changed;
}

static void in_protocol(char *path, size_t size, const char *name) {
    const char *root = strrchr(README_FILE, '/');
    (void)snprintf(path, size, "%.*s/protocols/mi/%s", (int)(root - README_FILE), README_FILE,
                   name);
}

enum variant { AS_IT_IS, DEAF, LOSING };

static void compile(sim_plugin *plugin, enum variant variant) {
    static const char *const names[] = {"mi.slicc", "mi-msg.sm", "mi-cache.sm", "mi-dir.sm"};
    char folder[] = "/tmp/collider-linked-XXXXXX", path[1024];
    col_problem problem;
    base_text complaints = {0};
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        base_text text = {0};
        in_protocol(path, sizeof path, names[i]);
        assert_int_equal(base_file_read(path, &text, &problem), COL_OK);
        if (strcmp(names[i], "mi-cache.sm") == 0) {
            replace_all(&text, "in_msg.Type == RubyRequestType:ST)",
                        "in_msg.Type == RubyRequestType:ST ||\n"
                        "in_msg.Type == RubyRequestType:Store_Conditional)");
            if (variant == DEAF)
                replace_all(&text, "sequencer.evictionCallback(address);", "");
            if (variant == LOSING)
                replace_all(&text, "  sequencer.writeCallback(",
                            "  sequencer.evictionCallback(address); sequencer.writeCallback(");
        }
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(base_file_write(path, text.data, text.length, &problem), COL_OK);
        base_text_free(&text);
    }
    (void)snprintf(path, sizeof path, "%s/mi.slicc", folder);
    if (sim_plugin_compile(plugin, path, &complaints, &problem) != COL_OK)
        fail_msg("%s %s", problem.message, complaints.data == NULL ? "" : complaints.data);
    base_text_free(&complaints);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

static uint32_t count_errors(const sl_protocol *protocol, bool may_fail) {
    col_program program = COL_PROGRAM_EMPTY;
    uint32_t errors = 0;
    base_rng rng;
    base_rng_seed(&rng, 26, 2);
    for (uint32_t i = 0; i < SYSTEMS; i++) {
        run_shape shape = random_shape(&rng, 4, 300);
        shape.mode = i % 4 == 0 ? SIM_SIMPLE : SIM_SC; /* loads by turns: none is squashed late */
        shape.monitors = false;
        shape.mix = "load=0.2,store=0.2,swap=0.3,add=0.3";
        sim_system *system = make_system(protocol, &shape);
        assert_true(system->cores[0].links);
        make_program(&shape, i, &program);
        const col_model model = shape.mode == SIM_SIMPLE ? COL_RVWMO : COL_SC;
        errors += !run_judged(system, &program, i, model, may_fail);
        sim_system_free(system);
    }
    col_program_free(&program);
    return errors;
}

static void linked_atomics_are_atomic(void **state) {
    sim_plugin plugin;
    (void)state;
    compile(&plugin, AS_IT_IS);
    assert_int_equal(count_errors(plugin.protocol, false), 0);
    sim_plugin_close(&plugin);
}

/* No store-conditional succeeds: after some, the atomic is made in one step. */
static void atomics_whose_link_is_always_lost_end(void **state) {
    sim_plugin plugin;
    (void)state;
    compile(&plugin, LOSING);
    assert_int_equal(count_errors(plugin.protocol, false), 0);
    sim_plugin_close(&plugin);
}

static void a_core_that_is_not_told_of_lost_blocks_is_found(void **state) {
    sim_plugin plugin;
    (void)state;
    compile(&plugin, DEAF);
    assert_true(count_errors(plugin.protocol, true) >= SYSTEMS / 4);
    sim_plugin_close(&plugin);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linked_atomics_are_atomic),
        cmocka_unit_test(atomics_whose_link_is_always_lost_end),
        cmocka_unit_test(a_core_that_is_not_told_of_lost_blocks_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
