/* SPDX-License-Identifier: MIT */
/*
 * Mutants: their numbering against a list that is written down in the plainest way, what each does
 * to the tables, and what becomes of some of them.
 */
#include "collider/duv.h"
#include "collider/generate.h"
#include "protocol/simulate/transition_table.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Numbering. */

static bool is_busy(const sl_machine *m, uint32_t state) {
    return m->permissions[state] == 7 || m->permissions[state] == 4;
}

typedef struct numbering {
    const sl_protocol *protocol;
    uint32_t machine, cell;
    uint32_t number;
} numbering;

static void expect(numbering *n, sim_mutant_kind kind, uint32_t next_or_place) {
    const sl_machine *m = n->protocol->machines[n->machine];
    sim_mutant mutant;
    assert_true(sim_table_mutant(n->protocol, ++n->number, &mutant));
    assert_int_equal(mutant.number, n->number);
    assert_int_equal(mutant.kind, kind);
    assert_int_equal(mutant.machine, n->machine);
    assert_int_equal(mutant.state * m->event_count + mutant.event, n->cell);
    assert_int_equal(kind == SIM_MUTANT_NEXT ? mutant.next : mutant.place, next_or_place);
}

TEST(table_mutants_are_numbered_by_cell_and_fault) {
    for (const sl_protocol *const *p = sim_built_in; *p != NULL; p++) {
        numbering n = {.protocol = (*p)};
        sim_mutant none;
        for (; n.machine < (*p)->machine_count; n.machine++) {
            const sl_machine *m = (*p)->machines[n.machine];
            for (n.cell = 0; n.cell < m->state_count * m->event_count; n.cell++)
                if ((m->cells[n.cell].flags & (SL_DEFINED | SL_STALL)) == SL_DEFINED) {
                    const sl_cell *cell = &m->cells[n.cell];
                    const bool by_function = (cell->flags & SL_NEXT_BY_FUNCTION) != 0;
                    const bool busy =
                        is_busy(m, by_function ? n.cell / m->event_count : cell->next);
                    for (uint32_t s = 0; s < m->state_count; s++)
                        if (is_busy(m, s) == busy && (by_function || s != cell->next))
                            expect(&n, SIM_MUTANT_NEXT, s);
                    for (uint32_t s = 0; s < m->state_count; s++)
                        if (is_busy(m, s) != busy)
                            expect(&n, SIM_MUTANT_NEXT, s);
                    for (uint32_t a = 0; a < cell->action_count; a++)
                        expect(&n, SIM_MUTANT_DROP, a);
                }
        }
        assert_int_equal(sim_table_mutant_count(*p), n.number);
        assert_false(sim_table_mutant(*p, n.number + 1, &none));
        assert_false(sim_table_mutant(*p, 0, &none));
    }
}

/* ---- Equivalent ones, on a protocol with two cells whose data is made up. */

TEST(faults_in_unreached_cells_are_equivalent) {
    static const char *const names[] = {"A", "B"};
    static const uint8_t permissions[] = {5, 1};
    static const uint16_t list[] = {0, 0};
    sl_cell cells[2] = {{.next = 1, .flags = SL_DEFINED | SL_REACHED, .action_count = 2},
                        {.next = 0, .flags = SL_DEFINED}};
    const sl_machine machine = {.name = "M",
                                .state_count = 2,
                                .event_count = 1,
                                .states = names,
                                .events = names,
                                .actions = names,
                                .permissions = permissions,
                                .cells = cells,
                                .action_list = list};
    const sl_machine *const machines[] = {&machine};
    const sl_protocol protocol = {.name = "p", .machines = machines, .machine_count = 1};
    base_text text = {0};
    sim_mutant m;
    assert_int_equal(sim_table_mutant_count(&protocol), 4);
    for (uint32_t k = 1; k <= 4; k++) {
        assert_true(sim_table_mutant(&protocol, k, &m));
        assert_int_equal(m.equivalent, k == 4);
        sim_mutant_describe(&protocol, &m, &text);
        base_text_add(&text, "; ");
    }
    assert_string_equal(text.data, "leads to A instead of B; without A (1 of 2); without A (2 of "
                                   "2); leads to B instead of A; ");
    cells[0].flags = SL_DEFINED; /* nothing is known */
    assert_true(sim_table_mutant(&protocol, 4, &m));
    assert_false(m.equivalent);
    assert_false(sim_reached_is_known(&protocol));
    base_text_free(&text);
}

/* ---- What a mutant does to the tables: its own cell, and nothing else. */

static void check_actions(const sim_system *s, uint32_t machine, const sl_cell *now,
                          const sl_cell *was, uint32_t left_out) {
    const sl_machine *m = s->protocol->machines[machine];
    uint32_t place = 0;
    assert_int_equal(now->action_count + (left_out != UINT32_MAX), was->action_count);
    for (uint32_t a = 0; a < was->action_count; a++)
        if (a != left_out)
            assert_int_equal(s->action_lists[machine][now->first_action + place++],
                             m->action_list[was->first_action + a]);
}

static void check_tables(const sim_system *s, const sim_mutant *mutant) {
    for (uint32_t i = 0; i < s->protocol->machine_count; i++) {
        const sl_machine *m = s->protocol->machines[i];
        for (uint32_t c = 0; c < m->state_count * m->event_count; c++) {
            const sl_cell *now = &s->cells[i][c], *was = &m->cells[c];
            const bool own =
                i == mutant->machine && c == mutant->state * m->event_count + mutant->event;
            const bool moved = own && mutant->kind == SIM_MUTANT_NEXT;
            const bool dropped = own && mutant->kind == SIM_MUTANT_DROP;
            assert_int_equal(now->next, moved ? mutant->next : was->next);
            assert_int_equal(now->flags, moved ? was->flags & ~SL_NEXT_BY_FUNCTION : was->flags);
            assert_int_equal(now->sequence, dropped ? 0 : was->sequence);
            check_actions(s, i, now, was, dropped ? mutant->place : UINT32_MAX);
        }
    }
}

TEST(a_mutant_changes_only_its_own_cell) {
    for (const sl_protocol *const *p = sim_built_in; *p != NULL; p++) {
        static sim_design opened, *const design = &opened;
        col_problem problem;
        assert_int_equal(sim_design_open(design, (*p)->name, 2, NULL, &problem), COL_OK);
        const uint32_t count = sim_table_mutant_count(design->protocol);
        for (uint32_t k = 1; k <= count; k += 1 + count / 40) {
            sim_system *system;
            sim_plugin plugin;
            sim_mutant mutant;
            assert_int_equal(sim_mutant_prepare(design, k, &plugin, &mutant, &problem), COL_OK);
            assert_int_equal(sim_system_new(&system, design->protocol, &design->wiring, &problem),
                             COL_OK);
            assert_int_equal(sim_mutant_apply(system, &mutant, &problem), COL_OK);
            check_tables(system, &mutant);
            sim_system_free(system);
        }
        sim_design_close(design);
    }
}

/* ---- What becomes of them. */

static uint32_t find_mutant(const sim_mutants *mutants, const char *wanted) {
    uint32_t found = 0;
    for (uint32_t k = 1; k <= mutants->count && found == 0; k++) {
        sim_mutant m;
        base_text text = {0};
        sim_mutant_find(mutants, k, &m);
        const sl_machine *machine = mutants->protocol->machines[m.machine];
        base_text_print(&text, "%s %s %s: ", machine->name,
                        m.mutation != NULL ? m.mutation->within : machine->states[m.state],
                        m.mutation != NULL ? m.mutation->name : machine->events[m.event]);
        sim_mutant_describe(mutants->protocol, &m, &text);
        found = strcmp(text.data, wanted) == 0 ? k : 0;
        base_text_free(&text);
    }
    if (found == 0)
        fail_msg("there is no mutant '%s'", wanted);
    return found;
}

static col_run_end run_mutant(const char *design, uint32_t number, const col_observer *observer,
                              col_run *run) {
    const col_duv_settings settings = {.cores = 4, .mutant = number, .options = "monitors=on"};
    col_generator *generator = col_generator_new();
    col_generation generation;
    col_program program = COL_PROGRAM_EMPTY;
    col_duv *duv;
    col_problem problem;
    if (col_duv_open(&duv, design, &settings, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    assert_non_null(generator);
    col_generation_default(&generation);
    (void)col_instruction_mix_parse("balanced", &generation.instructions, NULL);
    generation.addressing.geometry = col_duv_describe(duv)->geometry;
    generation.threads = 4;
    generation.operations = 1024;
    generation.locations = 4;
    run->end = COL_RUN_COMPLETE;
    for (uint64_t test = 0; test < 10 && run->end == COL_RUN_COMPLETE; test++) {
        assert_int_equal(col_generate(generator, &generation, 1, test, &program, &problem), COL_OK);
        assert_int_equal(col_duv_load(duv, &program, &problem), COL_OK);
        assert_int_equal(col_duv_run(duv, test, observer, NULL, run, &problem), COL_OK);
    }
    col_generator_free(generator);
    col_program_free(&program);
    col_duv_close(duv);
    return run->end;
}

typedef struct expectation {
    const char *design, *mutant;
    col_run_end end;
    const char *message; /* part of it */
} expectation;

static const expectation expectations[] = {
    {"msi", "L1Cache S Inv: leads to S instead of I", COL_RUN_INVARIANT, "may still access"},
    {"msi", "L1Cache S Inv: without acknowledge", COL_RUN_DEADLOCK, "no operation has completed"},
    {"msi", "Directory M GetM: leads to S instead of M", COL_RUN_PROTOCOL_ERROR, "assertion"},
    {"mesi3", "L1Cache M L0_Invalidate_Else: leads to M instead of M_IL0", COL_RUN_PROTOCOL_ERROR,
     "flooded"},
    {"mi",
     "Directory in_port request_in: mi-dir.sm:86:25: !(in_msg.Type == RequestType:GetM) instead of "
     "in_msg.Type == RequestType:GetM",
     COL_RUN_PROTOCOL_ERROR, "no transition"},
};

TEST(mutants_end_as_expected) {
    for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++) {
        const expectation *e = &expectations[i];
        static sim_design opened, *const design = &opened;
        sim_mutants mutants;
        col_problem problem;
        col_run run = {.message = ""};
        assert_int_equal(sim_design_open(design, e->design, 4, NULL, &problem), COL_OK);
        assert_int_equal(sim_mutants_open(&mutants, design, &problem), COL_OK);
        const uint32_t number = find_mutant(&mutants, e->mutant);
        if (run_mutant(e->design, number, NULL, &run) != e->end || !strstr(run.message, e->message))
            fail_msg("%s %u, %s: ended %d, %s", e->design, number, e->mutant, (int)run.end,
                     run.message);
        sim_mutants_close(&mutants);
        sim_design_close(design);
    }
}

TEST(mutants_beyond_the_last_are_refused) {
    const col_duv_settings settings = {.cores = 2, .mutant = 1000000};
    col_duv *duv;
    col_problem problem;
    assert_int_equal(col_duv_open(&duv, "mi", &settings, &problem), COL_BAD_INPUT);
    assert_string_equal(problem.message,
                        "the protocol mi has 305 mutants; there is no mutant 1000000");
}

static int run_shell(const char *command) {
    return system(command); /* NOLINT(concurrency-mt-unsafe,cert-env33-c) */
}

/* Mutants of the source are of what is built in, and not of any file that has its name. */
TEST(another_source_of_the_protocol_is_refused) {
    char folder[] = "/tmp/collider-mutant-XXXXXX", command[1200];
    const col_duv_settings settings = {.cores = 2, .mutant = 300};
    col_duv *duv;
    col_problem problem;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(command, sizeof command,
                   "mkdir %s/mi && cp %s/*.sm %s/mi && cp %s/msi.slicc %s/mi/mi.slicc", folder,
                   TEST_DATA "/../../protocols/msi", folder, TEST_DATA "/../../protocols/msi",
                   folder);
    assert_int_equal(run_shell(command), 0);
    (void)setenv("COLLIDER_PROTOCOLS", folder, 1);
    assert_int_equal(col_duv_open(&duv, "mi", &settings, &problem), COL_BAD_INPUT);
    (void)unsetenv("COLLIDER_PROTOCOLS");
    assert_non_null(strstr(problem.message, "mi.slicc is not the protocol mi as it was built"));
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(run_shell(command), 0);
}

static void keep_event(void *context, const col_event *event) {
    *(col_event *)context = *event;
}

/* An error outside the tables, too, is that of the controller whose turn it was. */
TEST(errors_outside_tables_name_their_controller) {
    static sim_design opened, *const design = &opened;
    sim_mutants mutants;
    col_problem problem;
    col_run run = {.message = ""};
    col_event event = {0};
    const col_observer observer = {&event, keep_event, 1U << COL_PROTOCOL_ERROR};
    assert_int_equal(sim_design_open(design, "moesi2", 4, NULL, &problem), COL_OK);
    assert_int_equal(sim_mutants_open(&mutants, design, &problem), COL_OK);
    const uint32_t number =
        find_mutant(&mutants, "L2Cache ILX L1_GETS: leads to ILS instead of IFLOXX");
    assert_int_equal(run_mutant("moesi2", number, &observer, &run), COL_RUN_PROTOCOL_ERROR);
    assert_string_equal(run.message,
                        "a machine type or machine ID names no machine of this system (cycle 76)");
    const sl_machine *machine = design->protocol->machines[event.machine];
    assert_string_equal(machine->name, "L2Cache");
    assert_string_equal(machine->states[event.state], "ILS");
    assert_int_not_equal(event.block, 0);
    sim_mutants_close(&mutants);
    sim_design_close(design);
}

int main(void) {
    (void)setenv("COLLIDER_OPTIMISATION", "-O0", 0);
    return run_all_tests(NULL, NULL);
}
