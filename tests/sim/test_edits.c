/* SPDX-License-Identifier: MIT */
/* Design errors: a wrong cell of a transition table is found, and the report says where. */
#include "runs.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t index_of(const char *const *names, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fail_msg("there is no %s", name);
    return 0;
}

static uint32_t machine_of(const sl_protocol *protocol, const char *name) {
    for (uint32_t m = 0; m < protocol->machine_count; m++)
        if (strcmp(protocol->machines[m]->name, name) == 0)
            return m;
    fail_msg("there is no machine %s", name);
    return 0;
}

/* ---- A transition goes to a wrong state, or leaves an action out. */

typedef struct edit {
    const char *protocol, *machine, *state, *event;
    const char *next;    /* the wrong state; NULL: right */
    const char *dropped; /* an action left out; NULL: none */
    col_event_kind found;
    const char *message; /* part of it */
} edit;

static const edit edits[] = {
    {"msi", "L1Cache", "S", "Inv", "S", NULL, COL_INVARIANT_BROKEN, "may still access it"},
    {"msi", "L1Cache", "M", "Fwd_GetM", "M", NULL, COL_INVARIANT_BROKEN, "may still access it"},
    {"msi", "L1Cache", "M", "Fwd_GetM", "S", NULL, COL_INVARIANT_BROKEN, "may still access it"},
    {"msi", "L1Cache", "M", "Fwd_GetS", "M", NULL, COL_INVARIANT_BROKEN, "may still access it"},
    {"msi", "L1Cache", "IS_D", "Inv", "IS_D", NULL, COL_INVARIANT_BROKEN, "may still access it"},
    {"msi", "L1Cache", "IM_AD", "Data_Acks", "M", NULL, COL_PROTOCOL_ERROR, "L1Cache"},
    {"msi", "L1Cache", "S", "Inv", NULL, "acknowledge", COL_DEADLOCK, "no operation completes"},
    {"msi", "L1Cache", "IM_AD", "Data", NULL, "takeData", COL_INVARIANT_BROKEN, "replaces"},
    {"msi", "L1Cache", "M", "Replacement", NULL, "moveToTBE", COL_INVARIANT_BROKEN, "cycle"},
    {"msi", "Directory", "S", "GetM", NULL, "invalidateOthers", COL_DEADLOCK, "core"},
    {"msi", "Directory", "S_D", "Data", "S", NULL, COL_PROTOCOL_ERROR, "Directory"},
    {"msi", "Directory", "M", "GetM", "S", NULL, COL_PROTOCOL_ERROR, "assertion"},
    {"mi", "L1Cache", "M", "Fwd_GetM", "M", NULL, COL_INVARIANT_BROKEN, "may still access it"},
    {"mi", "L1Cache", "MI", "Put_Nack", "I", NULL, COL_PROTOCOL_ERROR, "L1Cache"},
    {"mi", "L1Cache", "IM", "Fwd_GetM", NULL, "noteNext", COL_PROTOCOL_ERROR, ""},
    {"mi", "Directory", "MI", "Memory_Ack", "MI", NULL, COL_DEADLOCK, "messages in"},
    {"mi", "Directory", "M", "GetM", NULL, "setOwner", COL_PROTOCOL_ERROR, "L1Cache"},
};

/* Leaves one action of a cell out: the others move up in a list of the machine's own. */
static void drop_action(sl_controller *c, sl_cell *cell, const char *name, uint16_t *list) {
    const sl_machine *machine = c->machine;
    const uint32_t action = index_of(machine->actions, machine->action_count, name);
    uint8_t kept = 0;
    for (uint32_t i = 0; i < cell->action_count; i++)
        if (machine->action_list[cell->first_action + i] != action)
            list[kept++] = machine->action_list[cell->first_action + i];
    assert_int_equal(kept + 1, cell->action_count);
    cell->action_count = kept;
    cell->sequence = 0;
}

static void apply(sim_system *system, const edit *e, uint16_t *list) {
    const uint32_t m = machine_of(system->protocol, e->machine);
    const sl_machine *machine = system->protocol->machines[m];
    const uint32_t state = index_of(machine->states, machine->state_count, e->state);
    const uint32_t event = index_of(machine->events, machine->event_count, e->event);
    sl_cell *cell = &system->cells[m][state * machine->event_count + event];
    assert_true((cell->flags & SL_DEFINED) != 0);
    if (e->next != NULL)
        cell->next = (uint16_t)index_of(machine->states, machine->state_count, e->next);
    if (e->dropped == NULL)
        return;
    /* All controllers of the machine read their actions from a copy of the list. */
    memcpy(list, machine->action_list, machine->action_list_count * sizeof *list);
    const uint32_t first = cell->first_action;
    for (uint32_t i = 0; i < system->base.controller_count; i++) {
        sl_controller *c = system->controllers[i];
        if (c->machine != machine)
            continue;
        c->action_list = list;
        if (c->number == 0)
            drop_action(c, cell, e->dropped, list + first);
    }
}

static void check_edit(const edit *e) {
    run_shape shape = plain_shape(4, 4096);
    shape.cache_bytes = 256;
    shape.outstanding = 4;
    shape.memory_latency = 1;
    uint16_t list[2048];
    sim_system *system = make_system(sim_built_in_find(e->protocol), &shape);
    col_program program = COL_PROGRAM_EMPTY;
    apply(system, e, list);
    for (uint64_t seed = 0; seed < 30 && !system->failure.happened; seed++) {
        witness w = {0};
        make_program(&shape, seed, &program);
        run_instance(system, &program, seed, false, &w);
        witness_end(&w);
    }
    const char *text = system->failure.happened ? system->failure.text : "not found";
    if (!system->failure.happened || system->failure.event.kind != e->found ||
        strstr(text, e->message) == NULL)
        fail_msg("%s %s: %s by %s to %s without %s: kind %d, %s", e->protocol, e->machine, e->state,
                 e->event, e->next ? e->next : "-", e->dropped ? e->dropped : "-",
                 system->failure.event.kind, text);
    sim_system_free(system);
    col_program_free(&program);
}

static void wrong_cells_are_found(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++)
        check_edit(&edits[i]);
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

static void missing_transitions_are_named(void **state) {
    (void)state;
    for (const sl_protocol *const *p = sim_built_in; *p != NULL; p++)
        check_missing(*p);
}

/* Cells with the actions, the next state and the flags of other cells: whatever happens, the run
 * ends with a verdict or with all operations done, and nothing is corrupted (the sanitizers watch).
 */
static void any_edit_ends_in_a_verdict(void **state) {
    (void)state;
    enum { EDITS = 60 };
    col_rng rng;
    col_rng_seed(&rng, 77, 0);
    for (const sl_protocol *const *p = sim_built_in; *p != NULL; p++) {
        const run_shape shape = plain_shape(4, 400);
        sim_system *system = make_system(*p, &shape);
        col_program program = COL_PROGRAM_EMPTY;
        make_program(&shape, 5, &program);
        system->wiring.deadlock_cycles = 20000;
        uint32_t failures = 0;
        for (uint64_t i = 0; i < EDITS; i++) {
            const uint32_t m = (uint32_t)col_rng_below(&rng, (*p)->machine_count);
            const sl_machine *machine = (*p)->machines[m];
            const uint32_t cells = machine->state_count * machine->event_count;
            const uint32_t to = (uint32_t)col_rng_below(&rng, cells);
            const sl_cell old = system->cells[m][to];
            system->cells[m][to] = system->cells[m][col_rng_below(&rng, cells)];
            sim_result result;
            col_error error;
            assert_int_equal(sim_system_run(system, &program, i, false, NULL, &result, &error),
                             COL_OK);
            assert_true(system->failure.happened || result.operations == 400);
            assert_true(!system->failure.happened || system->failure.text[0] != '\0');
            failures += system->failure.happened;
            system->cells[m][to] = old;
        }
        assert_true(failures > 0);
        sim_result result;
        col_error error;
        assert_int_equal(sim_system_run(system, &program, 1, false, NULL, &result, &error), COL_OK);
        assert_false(system->failure.happened); /* all edits are undone */
        col_program_free(&program);
        sim_system_free(system);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_cells_are_found),
        cmocka_unit_test(missing_transitions_are_named),
        cmocka_unit_test(any_edit_ends_in_a_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
