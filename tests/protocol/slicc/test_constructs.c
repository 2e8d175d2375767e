/* SPDX-License-Identifier: MIT */
/* ctest: long */
/*
 * The language, construct by construct. Files of tests/data/slicc-run are compiled; their lines
 * "// expect FACT" are facts about the protocol ("cell I Load -> M defined: take,load,pop") or the
 * end of a run on one core ("run ok"). Files of tests/data/slicc-refused have mistakes; their lines
 * "// expect LINE:COLUMN: error: message" are all the complaints, as "warning: message" are those
 * of files of tests/data/slicc-warned, which are translated all the same.
 */
#include "protocol/slicc/translate.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */
#include "protocol/slicc/slicc_helpers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A protocol in words. */

static void describe_cell(const sl_machine *machine, uint32_t state, uint32_t event,
                          base_text *text) {
    const sl_cell *cell = &machine->cells[state * machine->event_count + event];
    base_text_print(text, "cell %s %s", machine->states[state], machine->events[event]);
    if ((cell->flags & SL_DEFINED) == 0) {
        base_text_add(text, " undefined\n");
        return;
    }
    base_text_print(text, " -> %s defined", machine->states[cell->next]);
    base_text_add(text, (cell->flags & SL_STALL) != 0 ? " stall" : "");
    base_text_add(text, (cell->flags & SL_NEXT_BY_FUNCTION) != 0 ? " by-function" : "");
    base_text_add(text, (cell->flags & SL_CHECK_TBE) != 0 ? " check-tbe" : "");
    for (uint32_t i = 0; i < cell->resource_count; i++) {
        const sl_resource *r = &machine->resources[cell->first_resource + i];
        for (uint32_t m = 0; m < machine->member_count; m++)
            if (machine->members[m].offset == r->buffer)
                base_text_print(text, " needs %s %u", machine->members[m].name, r->slots);
    }
    base_text_add(text, ":");
    for (uint32_t i = 0; i < cell->action_count; i++)
        base_text_print(text, "%s%s", i == 0 ? " " : ",",
                        machine->actions[machine->action_list[cell->first_action + i]]);
    base_text_add(text, "\n");
}

static void describe_member(const sl_protocol *protocol, const sl_member *m, base_text *text) {
    static const char *const kinds[] = {
        [SL_MEMBER_BUFFER] = "buffer",   [SL_MEMBER_CACHE] = "cache",
        [SL_MEMBER_TBES] = "tbes",       [SL_MEMBER_TABLE] = "table",
        [SL_MEMBER_TIMER] = "timer",     [SL_MEMBER_PERSISTENT] = "persistent",
        [SL_MEMBER_NUMBER] = "number",   [SL_MEMBER_SEQUENCER] = "sequencer",
        [SL_MEMBER_PERFECT] = "perfect", [SL_MEMBER_VALUE] = "value",
    };
    base_text_print(text, "member %s %s", m->name, kinds[m->kind]);
    if (m->kind == SL_MEMBER_BUFFER)
        base_text_print(text, " network %d", m->network);
    base_text_add(text, m->to_network ? " to" : "");
    base_text_add(text, m->from_network ? " from" : "");
    base_text_add(text, m->ordered == 1 ? " ordered" : "");
    base_text_add(text, m->in_port ? " in" : "");
    base_text_add(text, m->out_port ? " out" : "");
    if (m->kind == SL_MEMBER_BUFFER && m->message >= 0)
        base_text_print(text, " message %s", protocol->messages[m->message].name);
    if (m->has_initial)
        base_text_print(text, " initial %lld", (long long)m->initial);
    if (m->has_least)
        base_text_print(text, " least %lld", (long long)m->least);
    if (m->has_most)
        base_text_print(text, " most %lld", (long long)m->most);
    base_text_add(text, m->above_cores ? " above cores" : "");
    base_text_add(text, m->same ? " same" : "");
    if (m->bits_of != NULL)
        base_text_print(text, " bits of %s", m->bits_of);
    if (m->ring_length != NULL)
        base_text_print(text, " ring of %s %s", m->ring_length,
                        m->ring_group == NULL ? "" : m->ring_group);
    base_text_add(text, m->parameter ? " parameter\n" : "\n");
}

static void describe_names(const char *what, const char *const *names, uint32_t count,
                           base_text *text) {
    base_text_add(text, what);
    for (uint32_t i = 0; i < count; i++)
        base_text_print(text, " %s", names[i]);
    base_text_add(text, "\n");
}

static void describe(const sl_protocol *protocol, base_text *text) {
    assert_int_equal(protocol->machine_count, 1);
    const sl_machine *machine = protocol->machines[0];
    describe_names("states", machine->states, machine->state_count, text);
    describe_names("events", machine->events, machine->event_count, text);
    base_text_add(text, "permissions");
    for (uint32_t i = 0; i < machine->state_count; i++)
        base_text_print(text, " %u", machine->permissions[i]);
    base_text_add(text, "\n");
    base_text_print(text, "flushes %s\n", sl_takes(machine, SL_FLUSH) ? "taken" : "not taken");
    base_text_print(text, "acquires %s\n", sl_takes(machine, SL_ACQUIRE) ? "taken" : "not taken");
    base_text_print(text, "fetches %s\n", sl_takes(machine, SL_IFETCH) ? "taken" : "not taken");
    for (uint32_t state = 0; state < machine->state_count; state++)
        for (uint32_t event = 0; event < machine->event_count; event++)
            describe_cell(machine, state, event, text);
    for (uint32_t i = 0; i < machine->member_count; i++)
        describe_member(protocol, &machine->members[i], text);
}

/* ---- A run on one core. */

static void run(const sl_protocol *protocol, base_text *text) {
    static const char source[] =
        "collider program 1\nlocation a0 0x40\nlocation a1 0x88\nthread 0\n load a0\n store a0 1\n"
        " load a0\n store a1 2\n load a1\n load a0\nend\n";
    base_text said = {0};
    run_program(protocol, source, &said);
    /* Up to the block and the cycle, which are of no interest. */
    const char *end = strstr(said.data, ", block");
    base_text_print(text, "run %.*s\n", end != NULL ? (int)(end - said.data) : 400, said.data);
    base_text_free(&said);
}

static void check_files(const char *folder, void (*test)(const char *path)) {
    wrong_files = 0;
    (void)for_each_protocol(folder, test);
    assert_int_equal(wrong_files, 0);
}

static bool has_line(const char *text, const char *line, size_t length) {
    for (const char *at = text; (at = strstr(at, line)) != NULL; at++)
        if ((at == text || at[-1] == '\n') && at[length] == '\n')
            return true;
    return false;
}

static void check_good(const char *path) {
    sim_plugin plugin;
    base_text complaints = {0}, expected = {0}, facts = {0};
    col_problem problem;
    if (sim_plugin_compile(&plugin, path, &complaints, &problem) != COL_OK) {
        print_error("%s: %s\n%s", path, problem.message,
                    complaints.data != NULL ? complaints.data : "");
        wrong_files++;
        base_text_free(&complaints);
        return;
    }
    expectations(path, &expected);
    describe(plugin.protocol, &facts);
    if (strstr(expected.data, "run ") != NULL)
        run(plugin.protocol, &facts);
    for (char *line = strtok(expected.data, "\n"); line != NULL; line = strtok(NULL, "\n"))
        if (!has_line(facts.data, line, strlen(line))) {
            print_error("%s: expected\n%s\namong\n%s", path, line, facts.data);
            wrong_files++;
            break;
        }
    base_text_free(&facts);
    base_text_free(&expected);
    base_text_free(&complaints);
    sim_plugin_close(&plugin);
}

static void constructs_mean_what_they_say(void **state) {
    (void)state;
    check_files(TEST_DATA "/slicc-run", check_good);
}

/* A protocol is compiled once: the second time it comes from the cache. */
static void plugins_are_kept(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        sim_plugin plugin;
        compile(TEST_DATA "/slicc-run/table.sm", &plugin);
        if (i == 1)
            assert_false(plugin.compiled);
        sim_plugin_close(&plugin);
    }
}

/* ---- Mistakes. */

static void check_complaints(const char *path, col_status wanted_status) {
    base_text c = {0}, complaints = {0}, expected = {0}, got = {0};
    char name[SLICC_MOST_NAME];
    col_problem problem;
    expectations(path, &expected);
    assert_int_equal(slicc_translate(path, NULL, &c, name, &complaints, &problem), wanted_status);
    complaints_of(&complaints, path, NULL, &got);
    expect_text(path, &expected, &got);
    base_text_free(&c);
    base_text_free(&complaints);
    base_text_free(&expected);
    base_text_free(&got);
}

static void check_refused(const char *path) {
    check_complaints(path, COL_BAD_INPUT);
}

static void check_warned(const char *path) {
    check_complaints(path, COL_OK);
}

static void unused_parts_are_warned_about(void **state) {
    (void)state;
    check_files(TEST_DATA "/slicc-warned", check_warned);
}

static void mistakes_are_named(void **state) {
    (void)state;
    check_files(TEST_DATA "/slicc-refused", check_refused);
}

static void a_protocol_without_a_machine_is_refused(void **state) {
    (void)state;
    base_text c = {0}, complaints = {0};
    char name[SLICC_MOST_NAME];
    col_problem problem;
    assert_int_equal(
        slicc_translate(TEST_DATA "/slicc/empty.sm", NULL, &c, name, &complaints, &problem),
        COL_BAD_INPUT);
    assert_string_equal(problem.message, "the protocol has no machine");
    base_text_free(&c);
    base_text_free(&complaints);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constructs_mean_what_they_say),
        cmocka_unit_test(plugins_are_kept),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(unused_parts_are_warned_about),
        cmocka_unit_test(a_protocol_without_a_machine_is_refused),
    };
    return cmocka_run_group_tests(tests, make_cache, remove_cache);
}
