/* SPDX-License-Identifier: MIT */
/* Design errors: a wrong cell of a transition table is found, and the report says where. */
#include "edits.h"
#include "runs.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A transition goes to a wrong state, or leaves an action out. */

/* What a wrong cell leads to. */
typedef struct expectation {
    edit edit;
    col_event_kind found;
    const char *message; /* part of it */
} expectation;

static const expectation expectations[] = {
    {{"msi", "L1Cache", "S", "Inv", "S", NULL}, COL_INVARIANT_BROKEN, "may still access it"},
    {{"msi", "L1Cache", "M", "Fwd_GetM", "M", NULL}, COL_INVARIANT_BROKEN, "may still access it"},
    {{"msi", "L1Cache", "M", "Fwd_GetM", "S", NULL}, COL_INVARIANT_BROKEN, "may still access it"},
    {{"msi", "L1Cache", "M", "Fwd_GetS", "M", NULL}, COL_INVARIANT_BROKEN, "may still access it"},
    {{"msi", "L1Cache", "IS_D", "Inv", "IS_D", NULL}, COL_INVARIANT_BROKEN, "may still access it"},
    {{"msi", "L1Cache", "IM_AD", "Data_Acks", "M", NULL}, COL_PROTOCOL_ERROR, "L1Cache"},
    {{"msi", "L1Cache", "S", "Inv", NULL, "acknowledge"},
     COL_DEADLOCK,
     "no operation has completed"},
    {{"msi", "L1Cache", "IM_AD", "Data", NULL, "takeData"}, COL_INVARIANT_BROKEN, "replaces"},
    {{"msi", "L1Cache", "M", "Replacement", NULL, "moveToTBE"}, COL_INVARIANT_BROKEN, "cycle"},
    {{"msi", "Directory", "S", "GetM", NULL, "invalidateOthers"}, COL_DEADLOCK, "core"},
    {{"msi", "Directory", "S_D", "Data", "S", NULL}, COL_PROTOCOL_ERROR, "Directory"},
    {{"msi", "Directory", "M", "GetM", "S", NULL}, COL_PROTOCOL_ERROR, "assertion"},
    {{"mi", "L1Cache", "M", "Fwd_GetM", "M", NULL}, COL_INVARIANT_BROKEN, "may still access it"},
    {{"mi", "L1Cache", "MI", "Put_Nack", "I", NULL}, COL_PROTOCOL_ERROR, "L1Cache"},
    {{"mi", "L1Cache", "IM", "Fwd_GetM", NULL, "noteNext"}, COL_PROTOCOL_ERROR, ""},
    {{"mi", "Directory", "MI", "Memory_Ack", "MI", NULL}, COL_DEADLOCK, "waits in MI; no message"},
    {{"mi", "Directory", "M", "GetM", NULL, "setOwner"}, COL_PROTOCOL_ERROR, "L1Cache"},
};

static void check_edit(const expectation *e) {
    run_shape shape = plain_shape(4, 4096);
    shape.cache_bytes = 256;
    shape.outstanding = 4;
    shape.memory_latency = 1;
    sim_system *system = make_system(sim_built_in_find(e->edit.protocol), &shape);
    edit_apply(system, &e->edit);
    const char *text = run_until_failure(system, &shape, 30) ? system->failure.text : "not found";
    if (!system->failure.happened || system->failure.event.kind != e->found ||
        strstr(text, e->message) == NULL)
        fail_msg("%s %s: %s by %s to %s without %s: kind %d, %s", e->edit.protocol, e->edit.machine,
                 e->edit.state, e->edit.event, e->edit.next ? e->edit.next : "-",
                 e->edit.dropped ? e->edit.dropped : "-", system->failure.event.kind, text);
    sim_system_free(system);
}

TEST(wrong_cells_are_found) {
    for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++)
        check_edit(&expectations[i]);
}

/* ---- A transition is missing. */

/* Takes away every cell that a run uses, one at a time: the same run must name it. */
static void check_missing(const sl_protocol *protocol) {
    run_shape shape = plain_shape(3, 512);
    shape.cache_bytes = 128;
    uint32_t first[SIM_MOST_MACHINES], cells = 0;
    for (uint32_t m = 0; m < protocol->machine_count; m++) {
        first[m] = cells;
        cells += protocol->machines[m]->state_count * protocol->machines[m]->event_count;
    }
    sim_system *system = make_system(protocol, &shape);
    col_program program = COL_PROGRAM_EMPTY;
    make_program(&shape, 1, &program);
    witness w = {
        .taken = calloc((size_t)cells + 1, sizeof *w.taken), .first = first, .protocol = protocol};
    run_instance(system, &program, 1, false, &w);
    assert_false(system->failure.happened);
    witness_end(&w);
    uint32_t checked = 0;
    for (uint32_t m = 0; m < protocol->machine_count; m++) {
        const sl_machine *machine = protocol->machines[m];
        for (uint32_t i = 0; i < machine->state_count * machine->event_count; i++) {
            if (w.taken[first[m] + i] == 0)
                continue;
            char expected[256];
            const char *state = machine->states[i / machine->event_count];
            const char *event = machine->events[i % machine->event_count];
            (void)snprintf(expected, sizeof expected, "in state %s at event %s,", state, event);
            system->cells[m][i].flags &= (uint8_t)~SL_DEFINED;
            witness again = {0};
            run_instance(system, &program, 1, false, &again);
            witness_end(&again);
            system->cells[m][i].flags |= SL_DEFINED;
            assert_true(system->failure.happened);
            assert_int_equal(system->failure.event.kind, COL_PROTOCOL_ERROR);
            assert_int_equal(system->failure.event.machine, m);
            assert_int_equal(system->failure.event.state, i / machine->event_count);
            assert_int_equal(system->failure.event.event, i % machine->event_count);
            assert_non_null(strstr(system->failure.text, "the protocol defines no transition"));
            assert_non_null(strstr(system->failure.text, machine->name));
            assert_non_null(strstr(system->failure.text, expected));
            checked++;
        }
    }
    assert_true(checked > 15);
    /* Put right, the system runs as before. */
    const uint64_t hash = w.hash;
    witness right = {0};
    run_instance(system, &program, 1, false, &right);
    assert_false(system->failure.happened);
    assert_int_equal(right.hash, hash);
    witness_end(&right);
    free(w.taken);
    sim_system_free(system);
    col_program_free(&program);
}

TEST(missing_transitions_are_named) {
    for (const sl_protocol *const *p = sim_built_in; *p != NULL; p++)
        check_missing(*p);
}

/* Cells with the actions, the next state and the flags of other cells: whatever happens, the run
 * ends with a verdict or with all operations done, and nothing is corrupted (the sanitizers watch).
 */
TEST(any_edit_ends_in_a_verdict) {
    enum { EDITS = 60 };
    base_rng rng;
    base_rng_seed(&rng, 77, 0);
    for (const sl_protocol *const *p = sim_built_in; *p != NULL; p++) {
        const run_shape shape = plain_shape(4, 400);
        sim_system *system = make_system(*p, &shape);
        col_program program = COL_PROGRAM_EMPTY;
        make_program(&shape, 5, &program);
        system->wiring.deadlock_cycles = 20000;
        uint32_t failures = 0;
        for (uint64_t i = 0; i < EDITS; i++) {
            const uint32_t m = (uint32_t)base_rng_below(&rng, (*p)->machine_count);
            const sl_machine *machine = (*p)->machines[m];
            const uint32_t cells = machine->state_count * machine->event_count;
            const uint32_t to = (uint32_t)base_rng_below(&rng, cells);
            const sl_cell old = system->cells[m][to];
            system->cells[m][to] = system->cells[m][base_rng_below(&rng, cells)];
            sim_result result;
            col_problem problem;
            assert_int_equal(sim_system_run(system, &program, i, false, NULL, &result, &problem),
                             COL_OK);
            assert_true(system->failure.happened || result.operations == 400);
            assert_true(!system->failure.happened || system->failure.text[0] != '\0');
            failures += system->failure.happened;
            system->cells[m][to] = old;
        }
        assert_true(failures > 0);
        (void)run_well(system, &program, 1, false, NULL); /* all edits are undone */
        col_program_free(&program);
        sim_system_free(system);
    }
}
