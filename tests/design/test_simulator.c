/* SPDX-License-Identifier: MIT */
/* The built-in simulator behind the design interface: its points, hits, chance, stop and options.
 */
#include "watch.h"

#include "collider/check.h"
#include "protocol/simulate/design_show.h"
#include "protocol/simulate/system.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef REDUCED
enum { OPERATIONS = 512, SEEDS = 3 };
#else
enum { OPERATIONS = 2048, SEEDS = 10 };
#endif

static const char *const designs[] = {"mi",     "msi",          "mesi2",      "mesi3",
                                      "moesi2", "mcversi-mesi", "mesi2-rvwmo"};
enum { DESIGNS = sizeof designs / sizeof designs[0] };

/* The tables as the simulator has them, apart from the interface. */
static void open_tables(sim_design *design, const char *what, uint32_t cores,
                        names found[SIM_MOST_MACHINES]) {
    base_text complaints = {0};
    col_problem problem;
    assert_int_equal(sim_design_open(design, what, cores, &complaints, &problem), COL_OK);
    base_text_free(&complaints);
    for (uint32_t m = 0; m < design->protocol->machine_count; m++)
        found[m] =
            (names){design->protocol->machines[m]->states, design->protocol->machines[m]->events};
}

/* ---- Points. */

static void check_points(const char *what) {
    sim_design design;
    names found[SIM_MOST_MACHINES];
    open_tables(&design, what, 3, found);
    col_duv *duv = duv_open(what, 3, NULL, false);
    const col_duv_description *d = col_duv_describe(duv);
    uint32_t point = 0, functional = 0, known = 0;
    assert_string_equal(d->name, what);
    assert_int_equal(d->cores, 3);
    assert_int_equal(d->machine_count, design.protocol->machine_count);
    for (uint32_t m = 0; m < d->machine_count; m++) {
        const sl_machine *machine = design.protocol->machines[m];
        const sim_counts counts = sim_count(machine);
        assert_string_equal(d->machines[m].name, machine->name);
        assert_int_equal(d->machines[m].first_point, point);
        assert_int_equal(d->machines[m].point_count, counts.transitions - counts.stalls);
        assert_int_equal(d->machines[m].controllers, design.wiring.machines[m].count);
        for (uint32_t c = 0; c < d->machines[m].controllers; c++)
            for (uint32_t p = 0; p < d->machines[m].point_count; p++)
                assert_int_equal(col_duv_functional(d, m, c, point + p), functional++);
        for (uint32_t s = 0; s < machine->state_count; s++)
            for (uint32_t e = 0; e < machine->event_count; e++) {
                const sl_cell *cell = sim_cell(machine, s, e);
                if (cell == NULL || (cell->flags & SL_STALL) != 0)
                    continue;
                assert_string_equal(d->points[point].state, machine->states[s]);
                assert_string_equal(d->points[point].event, machine->events[e]);
                assert_int_equal(d->points[point].reachable, (cell->flags & SL_REACHED) != 0);
                known += d->points[point++].reachable;
            }
    }
    assert_int_equal(d->point_count, point);
    assert_int_equal(col_duv_functional_count(d), functional);
    assert_int_equal(d->reachable_known, known > 0);
    col_duv_close(duv);
    sim_design_close(&design);
}

TEST(points_are_transitions) {
    for (size_t i = 0; i < DESIGNS; i++)
        check_points(designs[i]);
}

/* ---- Hits, chance. */

TEST(hits_are_what_an_observer_counts) {
    for (size_t i = 0; i < DESIGNS; i++) {
        sim_design design;
        names found[SIM_MOST_MACHINES];
        open_tables(&design, designs[i], 4, found);
        trial t;
        trial_start(&t, duv_open(designs[i], 4, NULL, false), found);
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            trial_make(&t, OPERATIONS, 16, seed);
            assert_int_equal(trial_run(&t, seed).end, COL_RUN_COMPLETE);
            if (seed % 2 == 1) /* what two instances add up to */
                watch_compare_hits(&t.watch, t.duv);
        }
        watch_compare_hits(&t.watch, t.duv);
        watch_compare_hits(&t.watch, t.duv); /* nothing has happened since */
        trial_end(&t);
        sim_design_close(&design);
    }
}

TEST(an_instance_follows_from_program_and_seed) {
    for (size_t i = 0; i < DESIGNS; i++) {
        trial one, other;
        uint64_t last = 0;
        trial_start(&one, duv_open(designs[i], 4, NULL, false), NULL);
        trial_start(&other, duv_open(designs[i], 4, NULL, false), NULL);
        trial_make(&one, OPERATIONS, 16, 1);
        trial_make(&other, OPERATIONS, 16, 1);
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            const col_run a = trial_run(&one, seed);
            (void)trial_run(&other, seed + 100); /* of no consequence */
            const col_run b = trial_run(&other, seed);
            assert_int_equal(one.watch.hash, other.watch.hash);
            assert_int_equal(one.watch.events, other.watch.events);
            assert_int_equal(a.cycles, b.cycles);
            assert_int_equal(a.operations, OPERATIONS);
            assert_int_equal(b.operations, OPERATIONS);
            assert_true(one.watch.hash != last);
            last = one.watch.hash;
        }
        trial_end(&one);
        trial_end(&other);
    }
}

/* ---- Geometry, model. */

static void check_level(const col_geometry *g, uint32_t level, const char *name, uint32_t bits,
                        uint32_t ways) {
    assert_true(level < g->level_count);
    assert_string_equal(g->levels[level].name, name);
    assert_int_equal(g->levels[level].index_low, 6);
    assert_int_equal(g->levels[level].index_bits, bits);
    assert_int_equal(g->levels[level].ways, ways);
}

TEST(caches_are_described) {
    col_duv *duv = duv_open("mesi3", 0, NULL, false);
    const col_duv_description *d = col_duv_describe(duv);
    assert_int_equal(d->geometry.block_bits, 6);
    assert_int_equal(d->geometry.level_count, 3);
    check_level(&d->geometry, 0, "L0", 6, 1);
    check_level(&d->geometry, 1, "L1", 9, 2);
    check_level(&d->geometry, 2, "L2", 12, 8);
    assert_int_equal(d->model, COL_TSO);
    assert_int_equal(d->cores, 8);
    col_duv_close(duv);
    duv = duv_open("mcversi-mesi", 0, NULL, false); /* eight tiles: three bits select one */
    d = col_duv_describe(duv);
    assert_int_equal(d->geometry.level_count, 2);
    check_level(&d->geometry, 0, "L1", 7, 4);
    check_level(&d->geometry, 1, "L2", 12, 4);
    col_duv_close(duv);
    duv = duv_open("mesi2-rvwmo", 5, NULL, false);
    assert_int_equal(col_duv_describe(duv)->model, COL_RVWMO);
    assert_int_equal(col_duv_describe(duv)->cores, 5);
    col_duv_close(duv);
}

/* ---- Stopping. */

TEST(a_run_stops_on_request) {
    static const uint64_t after[] = {1, 50, 777};
    trial t;
    trial_start(&t, duv_open("mesi3", 4, NULL, false), NULL);
    trial_make(&t, OPERATIONS, 16, 1);
    assert_int_equal(trial_run(&t, 5).end, COL_RUN_COMPLETE);
    const uint64_t whole = t.watch.hash;
    for (size_t i = 0; i < sizeof after / sizeof after[0]; i++) {
        t.watch.stop_after = after[i];
        const col_run run = trial_run(&t, 5);
        assert_int_equal(run.end, COL_RUN_STOPPED);
        assert_int_equal(run.cycles, t.watch.cycle_of_stop); /* not a cycle later */
        assert_int_equal(t.watch.last_cycle, t.watch.cycle_of_stop);
        assert_true(run.message[0] != '\0');
        t.watch.stop_after = 0;
        assert_int_equal(trial_run(&t, 5).end, COL_RUN_COMPLETE);
        assert_int_equal(t.watch.hash, whole); /* nothing is left of it */
    }
    trial_end(&t);
}

/* The simulator itself can keep its caches warm, but not those of a run that was stopped: what was
 * under way belongs to a program that may be gone. */
TEST(a_stopped_run_leaves_no_warm_caches) {
    sim_design design;
    names found[SIM_MOST_MACHINES];
    sim_system *system;
    sim_result cold, warm, after;
    const volatile int now = 1;
    open_tables(&design, "mesi3", 4, found);
    col_duv *duv = duv_open("mesi3", 4, NULL, false);
    col_program program = COL_PROGRAM_EMPTY, other = COL_PROGRAM_EMPTY;
    program_make(&program, col_duv_describe(duv), OPERATIONS, 16, 1);
    program_make(&other, col_duv_describe(duv), OPERATIONS, 16, 2);
    assert_int_equal(sim_system_new(&system, design.protocol, &design.wiring, NULL), COL_OK);
    assert_int_equal(sim_system_run(system, &program, 1, false, NULL, &cold, NULL), COL_OK);
    assert_int_equal(sim_system_run(system, &program, 1, true, NULL, &warm, NULL), COL_OK);
    assert_true(warm.cycles != cold.cycles);
    system->stop = &now;
    assert_int_equal(sim_system_run(system, &other, 1, true, NULL, &after, NULL), COL_OK);
    assert_true(system->stopped && after.operations == 0);
    col_program_free(&other);
    system->stop = NULL;
    assert_int_equal(sim_system_run(system, &program, 1, true, NULL, &after, NULL), COL_OK);
    assert_false(system->stopped);
    assert_int_equal(after.cycles, cold.cycles);
    assert_int_equal(after.operations, OPERATIONS);
    sim_system_free(system);
    col_duv_close(duv);
    col_program_free(&program);
    sim_design_close(&design);
}

/* ---- Options. */

/* Instances until one of them fails; what the checker says counts as COL_RUN_COMPLETE. */
static bool find_error(const char *what, const char *options, const char *error, bool *is_violation,
                       col_run *run) {
    col_duv *duv = duv_open_wrong(what, 4, options, error, false);
    col_program program = COL_PROGRAM_EMPTY;
    col_checker *checker;
    bool is_found = false;
    assert_int_equal(col_checker_new(&checker, col_duv_describe(duv)->model, NULL), COL_OK);
    const col_observer observer = col_checker_observer(checker);
    for (uint64_t seed = 0; seed < 40 && !is_found; seed++) {
        program_make(&program, col_duv_describe(duv), OPERATIONS, seed % 2 == 0 ? 4 : 64, seed);
        assert_int_equal(col_checker_load(checker, &program, NULL), COL_OK);
        assert_int_equal(col_duv_load(duv, &program, NULL), COL_OK);
        assert_int_equal(col_duv_run(duv, seed, &observer, NULL, run, NULL), COL_OK);
        *is_violation = !col_checker_finish(checker, run->end == COL_RUN_COMPLETE);
        is_found = *is_violation || run->end != COL_RUN_COMPLETE;
    }
    col_checker_free(checker);
    col_duv_close(duv);
    col_program_free(&program);
    return is_found;
}

TEST(design_errors_are_found) {
    static const struct {
        const char *options, *error;
        col_run_end end;
    } cases[] = {
        {"monitors=on", "msi-stays-shared", COL_RUN_INVARIANT},
        {NULL, "msi-no-acknowledgement", COL_RUN_DEADLOCK},
        {NULL, "msi-owner-forgotten", COL_RUN_PROTOCOL_ERROR},
        {NULL, "msi-no-invalidation", COL_RUN_DEADLOCK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        col_run run;
        bool is_violation;
        assert_true(find_error("msi", cases[i].options, cases[i].error, &is_violation, &run));
        if (run.end != cases[i].end)
            fail_msg("%s: %s, %s", cases[i].error, col_run_ends[run.end], run.message);
        assert_true(run.message[0] != '\0');
    }
}

TEST(the_checker_finds_what_the_design_does_not_notice) {
    static const struct {
        const char *design, *options, *error;
    } cases[] = {
        {"msi", NULL, "msi-core-not-told"},
        {"mesi3", NULL, "mesi3-core-not-told"},
        {"msi", "without=squash", NULL},
        {"mesi2", "without=fifo+squash", NULL},
    };
    col_run run;
    bool is_violation;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (!find_error(cases[i].design, cases[i].options, cases[i].error, &is_violation, &run) ||
            !is_violation)
            fail_msg("%s: no violation; %s, %s", cases[i].error ? cases[i].error : cases[i].options,
                     col_run_ends[run.end], run.message);
    assert_false(find_error("msi", "monitors=on", NULL, &is_violation, &run));
    assert_false(find_error("mesi3", NULL, NULL, &is_violation, &run));
}

TEST(senseless_options_are_refused) {
    static const struct {
        const char *design, *options, *sentence;
    } cases[] = {
        {"nothing", NULL, "there is no design 'nothing'"},
        {"msi", "monitors", "key=value"},
        {"msi", "=x", "key=value"},
        {"msi", "colour=blue", "there is no option of the simulator 'colour'; there are without,"},
        {"msi", "L1Cache.cache.ways=0", "L1Cache.cache.ways is a number from 1 to 64, not '0'"},
        {"msi", "L1Cache.cache.ways=3", "the cache cache of 4096 bytes in 3 ways has no power"},
        {"msi", "without=squash+hope", "without is squash, "},
        {"msi", "without=", "mechanisms are written"},
        {"msi", "without=squash+", "mechanisms are written"},
        {"msi", "monitors=yes", "monitors is off or on, not 'yes'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const col_duv_settings settings = {.cores = 2, .options = cases[i].options};
        duv_refuses(cases[i].design, &settings, cases[i].sentence);
    }
}

static void check_edited(const col_duv_settings *settings, const char *const *cells,
                         uint32_t count) {
    col_duv *duv;
    col_problem problem;
    assert_int_equal(col_duv_open(&duv, "mesi3", settings, &problem), COL_OK);
    const col_duv_description *d = col_duv_describe(duv);
    assert_int_equal(d->edited_count, count);
    for (uint32_t i = 0; i < count; i++) {
        const col_duv_cell *cell = &d->edited[i];
        char text[200];
        (void)snprintf(text, sizeof text, "%s %s %s", d->machines[cell->machine].name,
                       d->names[cell->machine].states[cell->state],
                       d->names[cell->machine].events[cell->event]);
        assert_string_equal(text, cells[i]);
    }
    col_duv_close(duv);
}

TEST(edited_cells_are_described) {
    static const char *const of_error[] = {"L1Cache E L0_Invalidate_when_GETX",
                                           "L1Cache I WriteBack", "L1Cache S WriteBack"};
    static const char *const of_mutant[] = {"L0Cache I Load"};
    static const char *const of_all[] = {"L0Cache E Store", "L1Cache IS_I DataS_fromL1",
                                         "L0Cache E Load", "L0Cache I Load"};
    for (int own = 0; own < 2; own++) {
        col_duv_settings settings = {.cores = 2, .own_process = own != 0};
        check_edited(&settings, NULL, 0);
        settings.error = "LQ+no-TSO";
        check_edited(&settings, NULL, 0);
        settings.error = "D2";
        check_edited(&settings, of_error, 3);
        settings.error = NULL;
        settings.mutant = 1;
        check_edited(&settings, of_mutant, 1);
        settings.error = "D4;D9;{ at: L0Cache/E/Load, plus: [mark_dirty] }";
        check_edited(&settings, of_all, 4);
    }
}

TEST(programs_must_fit) {
    col_duv *duv = duv_open("msi", 2, NULL, false);
    col_duv *large = duv_open("msi", 3, NULL, false);
    col_program program = COL_PROGRAM_EMPTY;
    col_run run;
    col_problem problem;
    assert_int_equal(col_duv_run(duv, 1, NULL, NULL, &run, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "no program"));
    program_make(&program, col_duv_describe(large), 64, 4, 1);
    assert_int_equal(col_duv_load(duv, &program, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "3 threads"));
    assert_int_equal(col_duv_run(duv, 1, NULL, NULL, &run, &problem), COL_BAD_INPUT);
    assert_int_equal(col_duv_load(large, &program, &problem), COL_OK);
    assert_int_equal(col_duv_run(large, 1, NULL, NULL, &run, &problem), COL_OK);
    assert_int_equal(run.operations, 64);
    col_duv_close(duv);
    col_duv_close(large);
    col_program_free(&program);
}
