/* SPDX-License-Identifier: MIT */
/* ctest: long */
/*
 * The designs that are shipped with their protocols: random programs run on them without an alarm
 * of the invariant monitors, and do what the design's cores may do. With caches as they are, and so
 * small that everything is replaced all the time.
 */
#include "design/command/command_file.h"
#include "design/design_kind.h"
#include "execution.h"
#include "runs.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>
#include <string.h>

#ifdef REDUCED
enum { PROGRAMS = 3 };
#else
enum { PROGRAMS = 30 };
#endif

typedef struct trial {
    const char *design;
    uint32_t cores;
    bool tiny;
} trial;

static void shrink(sim_wiring *w, uint32_t machines) {
    for (uint32_t m = 0; m < machines; m++)
        for (uint32_t i = 0; i < w->machines[m].cache_count; i++) {
            sim_cache_shape *cache = &w->machines[m].caches[i];
            cache->ways = w->machines[m].has_sequencer ? 1 : 2;
            cache->bytes = (uint64_t)cache->ways * SL_BLOCK_BYTES;
        }
}

static void make_sharing(const trial *t, uint64_t seed, col_program *program) {
    col_generation settings;
    col_problem problem;
    col_generation_default(&settings);
    settings.threads = t->cores;
    settings.operations = 1000;
    settings.locations = 2 + (uint32_t)(seed % 7) * 2;
    assert_int_equal(col_instruction_mix_parse("load=0.4,store=0.4,swap=0.1,fence=0.05,flush=0.05",
                                               &settings.instructions, &problem),
                     COL_OK);
    generate(&settings, seed, program);
    for (uint32_t l = 0; l < program->location_count; l++) /* some share blocks */
        program->addresses[l] = UINT64_C(0x40) * (l / 2 + 1) + (l % 2 == 0      ? 0
                                                                : seed % 3 == 0 ? 8
                                                                                : 0x1000);
}

static void run_trial(const trial *t) {
    static sim_design opened, *const design = &opened;
    sim_system *system = NULL;
    col_program program = COL_PROGRAM_EMPTY;
    col_problem problem;
    assert_int_equal(sim_design_open(design, t->design, t->cores, NULL, &problem), COL_OK);
    if (t->tiny)
        shrink(&design->wiring, design->protocol->machine_count);
    design->wiring.monitors = true;
    design->wiring.jitter += t->tiny ? 20 : 0;
    assert_int_equal(sim_system_new(&system, design->protocol, &design->wiring, &problem), COL_OK);
    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        execution e;
        sim_result result;
        make_sharing(t, seed, &program);
        execution_start(&e, &program);
        const col_observer observer = execution_observer(&e);
        assert_int_equal(
            sim_system_run(system, &program, seed, seed % 2 == 1, &observer, &result, &problem),
            COL_OK);
        if (system->failure.happened)
            fail_msg("%s, %u cores: %s", t->design, t->cores, system->failure.text);
        if (!execution_is_allowed(&e, design->wiring.core.mode))
            fail_msg("%s, %u cores, seed %u: a forbidden execution", t->design, t->cores,
                     (uint32_t)seed);
        execution_free(&e);
    }
    sim_system_free(system);
    sim_design_close(design);
    col_program_free(&program);
}

/* Commands and Verilog have no protocol: tests/design has them. */
static bool is_elsewhere(const char *path) {
    return duv_is_command_file(path) || duv_is_verilog(path);
}

TEST(shipped_designs_run_without_an_alarm) {
    base_library list;
    col_problem problem;
    uint32_t tried = 0;
    assert_int_equal(sim_design_list_make(&list, &problem), COL_OK);
    for (size_t i = 0; i < list.count; i++) {
        const char *name = list.entries[i].name;
        if (strncmp(name, "gem5-", 5) == 0 || is_elsewhere(list.entries[i].path))
            continue;
        if (strstr(name, "-vary") != NULL) /* undrawn, the same as another one */
            continue;
        for (uint32_t cores = 2; cores <= 8; cores *= 2) {
            run_trial(&(trial){name, cores, false});
            run_trial(&(trial){name, cores, true});
        }
        tried++;
    }
    assert_true(tried >= 5);
    base_library_free(&list);
}
