/* SPDX-License-Identifier: MIT */
/*
 * Litmus tests packed into programs: every program is made of whole copies of one cycle's test, on
 * cells that are walked through with the stride; cycles come in turn; and on a design the outcomes
 * that its model allows are seen.
 */
#include "synthetic.h"

#include "collider/check.h"
#include "collider/duv.h"
#include "program/cycle/cycle.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdlib.h>
#include <string.h>

#define FEW "relaxations=Pod** Rfe Fre Coe"

static col_engine_settings settings_of(uint32_t threads, const char *options) {
    col_engine_settings settings = synthetic_settings((col_range){100, 900}, (col_range){4, 40}, 3);
    settings.threads = threads;
    settings.options = options;
    return settings;
}

static void list_few(cyc_list *list, uint32_t up_to) {
    cyc_relaxation *relaxations = NULL;
    uint32_t count = 0;
    *list = (cyc_list){0};
    assert_int_equal(cyc_relaxations_read("Pod** Rfe Fre Coe", &relaxations, &count, NULL), COL_OK);
    assert_int_equal(cyc_list_make(list, relaxations, count, up_to, NULL), COL_OK);
    free(relaxations);
}

/* ---- Copies. */

enum { MOST_CELLS = 64 };

/* Is the operation that of the shape, in this cell? */
static bool is_copy_of(const col_operation *o, const col_operation *of, uint32_t cells,
                       uint32_t cell) {
    return o->kind == of->kind && o->location == of->location * cells + cell &&
           o->order == of->order && o->dependency == of->dependency && o->distance == of->distance;
}

/* The thread of the shape that stands at this place of the program, in a cell. */
static bool find_part(const col_program *program, uint32_t at, uint32_t end, const cyc_test *shape,
                      uint32_t cells, uint32_t *thread, uint32_t *cell) {
    const col_program *s = &shape->program;
    for (*thread = 0; *thread < s->thread_count; ++*thread) {
        const uint32_t first = s->thread_start[*thread];
        const uint32_t length = s->thread_start[*thread + 1] - first;
        const uint32_t location = program->operations[at].location;
        bool is_part = location / cells == s->operations[first].location && at + length <= end;
        *cell = location % cells;
        for (uint32_t i = 0; i < length && is_part; i++)
            is_part =
                is_copy_of(&program->operations[at + i], &s->operations[first + i], cells, *cell);
        if (is_part)
            return true;
    }
    return false;
}

/* Threads fall into parts of the shape, and every cell has each part as often as the others. */
static void expect_copies(const col_program *program, const cyc_test *shape, uint32_t copies) {
    const uint32_t variables = shape->program.location_count;
    const uint32_t cells = program->location_count / variables;
    uint32_t parts[CYC_MOST][MOST_CELLS] = {{0}};
    assert_int_equal(program->location_count % variables, 0);
    assert_true(cells <= MOST_CELLS);
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const uint32_t end = program->thread_start[t + 1];
        for (uint32_t at = program->thread_start[t]; at < end;) {
            uint32_t thread = 0, cell = 0;
            if (!find_part(program, at, end, shape, cells, &thread, &cell))
                fail_msg("%s: thread %u, operation %u", shape->name.data, t, at);
            parts[thread][cell]++;
            at += shape->program.thread_start[thread + 1] - shape->program.thread_start[thread];
        }
    }
    uint32_t sum = 0;
    for (uint32_t c = 0; c < cells; c++) {
        for (uint32_t t = 1; t < shape->program.thread_count; t++)
            assert_int_equal(parts[t][c], parts[0][c]);
        assert_true(parts[0][c] >= copies / cells && parts[0][c] <= copies / cells + 1);
        sum += parts[0][c];
    }
    assert_int_equal(sum, copies);
}

/* Cells of an array lie side by side, arrays in other blocks. */
static void expect_arrays(const col_program *program, uint32_t variables, uint32_t block_bits) {
    const uint32_t cells = program->location_count / variables;
    for (uint32_t l = 1; l < program->location_count; l++)
        if (l % cells != 0)
            assert_int_equal(program->addresses[l], program->addresses[l - 1] + COL_WORD_BYTES);
        else
            assert_true(program->addresses[l] >> block_bits > program->addresses[l - 1] >>
                        block_bits);
}

/* No thread has much more to do than another. */
static void expect_balance(const col_program *program, const cyc_test *shape) {
    uint32_t least = UINT32_MAX, most = 0;
    const uint32_t used =
        program->thread_count / shape->program.thread_count * shape->program.thread_count;
    uint32_t idle = 0;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const uint32_t length = program->thread_start[t + 1] - program->thread_start[t];
        idle += length == 0;
        least = length > 0 && length < least ? length : least;
        most = length > most ? length : most;
    }
    assert_int_equal(idle, program->thread_count - used);
    assert_true(most - least <= 2 * CYC_MOST);
}

TEST(programs_are_copies_of_each_cycle_in_turn) {
    static const uint32_t threads[] = {2, 4, 7, 8};
    for (size_t n = 0; n < sizeof threads / sizeof threads[0]; n++) {
        const col_engine_settings settings = settings_of(threads[n], FEW ",up-to=6");
        synthetic_walk w = synthetic_start("litmus", &settings, 1, 1000);
        cyc_list list;
        cyc_test shape = {0};
        uint32_t seen = 0;
        list_few(&list, 6);
        for (uint32_t i = 0; i < 2 * list.count; i++) {
            col_problem problem = {0};
            assert_int_equal(cyc_test_make(&shape, &list.cycles[i % list.count], NULL), COL_OK);
            if (shape.program.thread_count > threads[n])
                continue; /* it has no cores for it */
            assert_true(synthetic_step(&w));
            if (col_program_check(&w.program, &problem) != COL_OK)
                fail_msg("%s", problem.message);
            assert_int_equal(w.program.thread_count, threads[n]);
            assert_true(w.point.locations <= 40 && w.point.operations <= 900);
            expect_copies(&w.program, &shape,
                          w.point.operations / col_program_operations(&shape.program));
            expect_arrays(&w.program, shape.program.location_count, settings.geometry.block_bits);
            expect_balance(&w.program, &shape);
            (void)synthetic_run(&w.design, &w.point);
            seen++;
        }
        assert_true(seen >= 2 * 6);
        assert_true(threads[n] < 4 || seen == 2 * list.count);
        cyc_test_free(&shape);
        cyc_list_free(&list);
        synthetic_end(&w);
    }
}

/* Copies come in the order of litmus7: with a stride of 3 the cells 0, 3, 6, 1, 4, 7, 2, 5. */
TEST(cells_are_walked_with_the_stride) {
    static const uint32_t walk[] = {0, 3, 6, 1, 4, 7, 2, 5};
    const col_engine_settings settings =
        settings_of(2, "relaxations=PodWR Fre,up-to=4,copies=8,stride=3");
    synthetic_walk w = synthetic_start("litmus", &settings, 1, 1000);
    uint32_t checked = 0;
    while (checked == 0) {
        assert_true(synthetic_step(&w));
        (void)synthetic_run(&w.design, &w.point);
        if (w.program.location_count != 16)
            continue;
        for (uint32_t o = 0; o < 25; o++) /* thread 0: a store, a load, and again */
            assert_int_equal(w.program.operations[o].location % 8, walk[o / 2 % 8]);
        checked++;
    }
    synthetic_end(&w);
}

TEST(every_seed_gives_different_programs) {
    col_engine_settings settings = settings_of(4, NULL);
    uint32_t equal = 0;
    synthetic_walk a = synthetic_start("litmus", &settings, 1, 1000);
    settings.seed = 9;
    synthetic_walk b = synthetic_start("litmus", &settings, 1, 1000);
    for (uint32_t i = 0; i < 20; i++) {
        assert_true(synthetic_step(&a) && synthetic_step(&b));
        equal += col_program_equal(&a.program, &b.program);
        (void)synthetic_run(&a.design, &a.point);
        (void)synthetic_run(&b.design, &b.point);
    }
    assert_true(equal <= 2); /* chance may draw the same */
    synthetic_end(&a);
    synthetic_end(&b);
}

/* ---- On a design. */

typedef struct words {
    uint64_t read[1024];
} words;

static void note_load(void *context, const col_event *event) {
    words *seen = context;
    if (event->kind == COL_LOAD_PERFORMED && event->operation < 1024)
        seen->read[event->operation] = event->word;
}

/* Both loads of a copy of store buffering returned the initial word. */
static uint32_t count_weak(const col_program *p, const words *seen) {
    uint32_t weak = 0, fresh[MOST_CELLS] = {0};
    const uint32_t cells = p->location_count / 2;
    for (uint32_t o = 0; o < col_program_operations(p); o++)
        if (p->operations[o].kind == COL_LOAD && seen->read[o] == 0)
            fresh[p->operations[o].location % cells]++;
    for (uint32_t c = 0; c < cells; c++)
        weak += fresh[c] == 2;
    return weak;
}

TEST(store_buffering_is_seen) {
    const col_duv_settings with = {.cores = 2};
    col_engine_settings settings = settings_of(2, "relaxations=PodWR Fre,up-to=4");
    col_duv *duv = NULL;
    col_problem problem = {0};
    static words seen;
    uint32_t weak = 0;
    const col_observer observer = {&seen, note_load, 1U << COL_LOAD_PERFORMED};
    if (col_duv_open(&duv, "mesi2", &with, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    settings.operations = (col_range){128, 128};
    settings.locations = (col_range){64, 64}; /* as many as there are copies: none is used twice */
    settings.geometry = col_duv_describe(duv)->geometry;
    synthetic_walk w = synthetic_start("litmus", &settings, 1, 1000);
    for (uint64_t i = 0; i < 10; i++) {
        col_run run;
        assert_true(synthetic_step(&w));
        (void)synthetic_run(&w.design, &w.point);
        assert_int_equal(col_program_operations(&w.program), 128);
        assert_int_equal(w.program.location_count, 64);
        memset(&seen, 0, sizeof seen);
        assert_int_equal(col_duv_load(duv, &w.program, NULL), COL_OK);
        assert_int_equal(col_duv_run(duv, i, &observer, NULL, &run, NULL), COL_OK);
        weak += count_weak(&w.program, &seen);
    }
    assert_true(weak > 10);
    synthetic_end(&w);
    col_duv_close(duv);
}

TEST(acquiring_reads_are_swaps_as_often_as_asked) {
    static const struct {
        const char *options;
        bool has_loads, has_swaps;
    } rows[] = {{"relaxations=PodWWPL Rfe PodRRAP Fre,swaps=0", true, false},
                {"relaxations=PodWWPL Rfe PodRRAP Fre,swaps=100", false, true},
                {"relaxations=PodWWPL Rfe PodRRAP Fre", true, true}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const col_engine_settings settings = settings_of(4, rows[r].options);
        synthetic_walk w = synthetic_start("litmus", &settings, 1, 1000);
        uint32_t acquiring[COL_KIND_COUNT] = {0};
        assert_true(synthetic_step(&w));
        assert_int_equal(col_program_check(&w.program, NULL), COL_OK);
        for (uint32_t o = 0; o < col_program_operations(&w.program); o++)
            if (w.program.operations[o].order == COL_ACQUIRE)
                acquiring[w.program.operations[o].kind]++;
        assert_int_equal(acquiring[COL_LOAD] > 0, rows[r].has_loads);
        assert_int_equal(acquiring[COL_SWAP] > 0, rows[r].has_swaps);
        synthetic_end(&w);
    }
}

/* ---- What is refused. */

static void expect_refused(const col_engine_settings *settings, const char *why) {
    col_engine *engine = NULL;
    col_problem problem = {0};
    assert_int_equal(col_engine_new(&engine, "litmus", settings, &problem), COL_BAD_INPUT);
    if (strstr(problem.message, why) == NULL)
        fail_msg("%s", problem.message);
}

TEST(impossible_settings_are_refused) {
    col_engine_settings settings = settings_of(1, NULL);
    expect_refused(&settings, "litmus needs two cores or more");
    settings = settings_of(4, "relaxations=PodWR");
    expect_refused(&settings, "no cycle");
    settings = settings_of(4, "relaxations=PodXY");
    expect_refused(&settings, "'PodXY' is not a relaxation");
    settings = settings_of(4, "up-to=17");
    expect_refused(&settings, "up-to is a number from 2 to 16");
    settings = settings_of(4, NULL);
    settings.sets = 2;
    expect_refused(&settings, "sets");
    settings = settings_of(4, NULL);
    settings.mix = "balanced";
    expect_refused(&settings, "mix");
}
