/* SPDX-License-Identifier: MIT */
/* ctest: long unsanitized */
/*
 * Chips in Verilog that boot once for many instances: an instance follows from its program and seed
 * alone, whatever ran before it in the same process. In a design that has just been opened it goes
 * on from the boot itself, later from what was kept of it.
 */
#include "watch.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>
#include <string.h>

#define CORES TEST_DATA "/../../rtl/cores/"

enum { PROGRAMS = 2, SEEDS = 8 };

/* The boot itself, instances that go on from it, one from another boot, one that boots alone. */
static const uint64_t seeds[SEEDS] = {7,
                                      UINT64_C(1) << 32,
                                      (UINT64_C(1) << 32) + 1,
                                      9,
                                      (UINT64_C(1) << 32) + 3,
                                      UINT64_C(5) << 32 | 64,
                                      (UINT64_C(1) << 32) + 1,
                                      8};

typedef struct seen {
    uint64_t hash, events, cycles;
    col_run_end end;
    uint64_t *hits;
} seen;

static seen look(trial *t, uint64_t seed) {
    const size_t count = col_duv_functional_count(t->watch.description);
    seen s = {.hits = calloc(count, sizeof *s.hits)};
    assert_non_null(s.hits);
    const col_run run = trial_run(t, seed);
    col_duv_collect(t->duv, s.hits);
    s.hash = t->watch.hash;
    s.events = t->watch.events;
    s.cycles = run.cycles;
    s.end = run.end;
    assert_int_equal(run.end, COL_RUN_COMPLETE);
    return s;
}

static void make(trial *t, uint64_t number) {
    program_make(&t->program, t->watch.description, number == 0 ? 12 : 100, 4, number);
    t->program.is_narrow = true;
    for (uint32_t l = 0; l < t->program.location_count; l++)
        t->program.addresses[l] = (uint64_t)64 * l;
    trial_load(t);
}

static void compare(const char *design) {
    trial kept;
    trial_start(&kept, duv_open(design, 0, NULL, false), NULL);
    assert_true(col_duv_describe(kept.duv)->boots);
    const size_t count = col_duv_functional_count(kept.watch.description);
    for (uint64_t p = 0; p < PROGRAMS; p++) {
        make(&kept, p);
        for (int i = 0; i < SEEDS; i++) {
            trial fresh;
            trial_start(&fresh, duv_open(design, 0, NULL, false), NULL);
            make(&fresh, p);
            seen a = look(&kept, seeds[i]), b = look(&fresh, seeds[i]);
            assert_int_equal(a.hash, b.hash);
            assert_int_equal(a.events, b.events);
            assert_int_equal(a.cycles, b.cycles);
            assert_memory_equal(a.hits, b.hits, count * sizeof *a.hits);
            free(a.hits);
            free(b.hits);
            trial_end(&fresh);
        }
    }
    trial_end(&kept);
}

static void what_ran_before_does_not_matter_with_events(void **state) {
    (void)state;
    compare(CORES "cores.yaml");
}

static void what_ran_before_does_not_matter_with_a_log(void **state) {
    (void)state;
    compare(CORES "cores-axi4.yaml");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_ran_before_does_not_matter_with_events),
        cmocka_unit_test(what_ran_before_does_not_matter_with_a_log),
    };
    if (!has_verilator()) {
        print_message("skipped: there is no Verilator (package verilator)\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, begin_cache, end_cache);
}
