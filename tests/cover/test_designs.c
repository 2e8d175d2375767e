/* SPDX-License-Identifier: MIT */
/* Coverage of the built-in designs, against all transitions that an observer wrote down: both
 * metrics, machine by machine, and the transition coverage of locations. */
#include "base/memory.h"
#include "collider/generate.h"
#include "cover/support.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { TESTS = 3, INSTANCES = 2, CORES = 4, LOCATIONS = 12 };

/* A transition for a location (NOWHERE: of any block), by any controller or by one. */
enum { NOWHERE = 1000, ANYBODY = 1000 };
typedef struct taken {
    uint32_t location, machine, controller, state, event;
} taken;

typedef struct journal {
    const col_program *program;
    const col_duv_description *description;
    col_observer locations; /* told the same */
    taken *items;
    size_t count, capacity;
    uint64_t events;
} journal;

static void write_down(journal *j, taken what) {
    assert_int_equal(base_reserve(&j->items, &j->capacity, j->count + 1, sizeof *j->items, NULL),
                     COL_OK);
    j->items[j->count++] = what;
}

static void notice(void *context, const col_event *event) {
    journal *j = context;
    taken what = {NOWHERE, event->machine, event->controller, event->state, event->event};
    j->events++;
    write_down(j, what); /* functional */
    what.controller = ANYBODY;
    write_down(j, what); /* structural */
    if (j->description->machines[event->machine].is_private)
        what.controller = event->controller;
    for (uint32_t a = 0; a < j->program->location_count; a++) {
        what.location = a;
        if (j->program->addresses[a] / 64 == event->block / 64)
            write_down(j, what);
    }
    j->locations.notice(j->locations.context, event);
}

static int compare(const void *left, const void *right) {
    return memcmp(left, right, sizeof(taken));
}

static uint32_t count(const journal *j, uint32_t location, uint32_t machine, uint32_t controller) {
    uint32_t found = 0;
    for (size_t i = 0; i < j->count; i++)
        found += j->items[i].location == location && j->items[i].machine == machine &&
                 j->items[i].controller == controller;
    return found;
}

static uint64_t all_hits(const col_coverage *coverage, col_metric metric) {
    uint64_t sum = 0;
    for (uint32_t p = 0; p < coverage->points.count[metric]; p++)
        sum += col_coverage_hits(coverage, metric)[p];
    return sum;
}

/* ---- A design with all that watches it. */

typedef struct watched {
    col_duv *duv;
    col_coverage *coverage;
    col_location_coverage *locations;
    journal journal;
    uint64_t *hits;
} watched;

static void run_instances(watched *w, const col_program *program, uint64_t seed) {
    const col_observer observer = {
        .context = &w->journal, .notice = notice, .kinds = w->journal.locations.kinds};
    col_problem problem;
    col_run run;
    w->journal.program = program;
    assert_int_equal(col_location_coverage_load(w->locations, program, &problem), COL_OK);
    assert_int_equal(col_duv_load(w->duv, program, &problem), COL_OK);
    for (uint64_t i = 0; i < INSTANCES; i++) {
        assert_int_equal(col_duv_run(w->duv, seed + i, &observer, NULL, &run, &problem), COL_OK);
        assert_int_equal(run.end, COL_RUN_COMPLETE);
        col_duv_collect(w->duv, w->hits);
        (void)col_coverage_add(w->coverage, w->hits);
    }
}

static void run_programs(watched *w) {
    col_generator *generator = col_generator_new();
    col_program program = COL_PROGRAM_EMPTY;
    col_generation generation;
    col_problem problem;
    col_generation_default(&generation);
    generation.threads = CORES;
    generation.operations = 200;
    generation.locations = LOCATIONS;
    generation.addressing.sharing = COL_MIXED_SHARING;
    generation.addressing.space_bits = 9; /* eight blocks: some are shared */
    for (uint64_t t = 0; t < TESTS; t++) {
        if (col_generate(generator, &generation, 1, t, &program, &problem) != COL_OK)
            fail_msg("%s", problem.message);
        run_instances(w, &program, t * 100);
    }
    col_program_free(&program);
    col_generator_free(generator);
}

static void cover_design(const char *name) {
    watched w;
    col_problem problem;
    w = (watched){0};
    if (col_duv_open(&w.duv, name, &(col_duv_settings){.cores = CORES}, &problem) != COL_OK)
        fail_msg("%s: %s", name, problem.message);
    const col_duv_description *description = col_duv_describe(w.duv);
    assert_int_equal(col_coverage_new(&w.coverage, description, &problem), COL_OK);
    assert_int_equal(col_location_coverage_new(&w.locations, description, &problem), COL_OK);
    assert_int_equal(col_location_coverage_begin(w.locations, LOCATIONS, &problem), COL_OK);
    w.journal = (journal){.description = description,
                          .locations = col_location_coverage_observer(w.locations)};
    w.hits = calloc(col_duv_functional_count(description), sizeof *w.hits);
    assert_non_null(w.hits);
    run_programs(&w);
    /* Each transition once. */
    size_t kept = 0;
    qsort(w.journal.items, w.journal.count, sizeof *w.journal.items, compare);
    for (size_t i = 0; i < w.journal.count; i++)
        if (kept == 0 || compare(&w.journal.items[kept - 1], &w.journal.items[i]) != 0)
            w.journal.items[kept++] = w.journal.items[i];
    w.journal.count = kept;
    assert_true(w.journal.events > 1000);
    assert_int_equal(all_hits(w.coverage, COL_STRUCTURAL), w.journal.events);
    assert_int_equal(all_hits(w.coverage, COL_FUNCTIONAL), w.journal.events);
    assert_int_equal(col_location_coverage_unknown(w.locations), 0);
    for (uint32_t m = 0; m < w.journal.description->machine_count; m++) {
        uint32_t functional = 0;
        for (uint32_t c = 0; c < w.journal.description->machines[m].controllers; c++)
            functional += count(&w.journal, NOWHERE, m, c);
        assert_int_equal(col_coverage_of(w.coverage, COL_CUMULATIVE, COL_STRUCTURAL, m).covered,
                         count(&w.journal, NOWHERE, m, ANYBODY));
        assert_int_equal(col_coverage_of(w.coverage, COL_CUMULATIVE, COL_FUNCTIONAL, m).covered,
                         functional);
        const col_duv_machine *level = &w.journal.description->machines[m];
        const uint64_t *distribution = col_location_coverage_distribution(w.locations, m);
        uint64_t *counted = calloc((size_t)level->point_count + 1, sizeof *counted);
        assert_non_null(counted);
        for (uint32_t a = 0; a < LOCATIONS; a++) {
            if (!level->is_private && level->controllers > 0)
                counted[count(&w.journal, a, m, ANYBODY)]++;
            for (uint32_t c = 0; level->is_private && c < level->controllers; c++)
                counted[count(&w.journal, a, m, c)]++;
        }
        assert_memory_equal(counted, distribution, (level->point_count + 1) * sizeof *counted);
        free(counted);
    }
    free(w.hits);
    free(w.journal.items);
    col_location_coverage_free(w.locations);
    col_coverage_free(w.coverage);
    col_duv_close(w.duv);
}

TEST(built_in_designs_cover_what_they_do) {
    static const char *const names[] = {"msi", "mesi2", "moesi2", "mesi3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cover_design(names[i]);
}
