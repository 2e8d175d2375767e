/* SPDX-License-Identifier: MIT */
/*
 * MCjammer's agents as authors of racy programs: what their tests look like, that what agents
 * remember goes on from test to test and through a file, and that races reach what ordered tests do
 * not.
 */
#include "synthetic.h"

#include "collider/duv.h"
#include "program/geometry.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static col_engine_settings settings_of(uint32_t threads, const char *options) {
    col_engine_settings settings = synthetic_settings((col_range){100, 900}, (col_range){4, 40}, 3);
    settings.threads = threads;
    settings.options = options;
    return settings;
}

/* ---- Programs. */

/* For each set its rivals, then blocks of all sets in turn. */
typedef struct shape {
    uint32_t levels, ways, sets;
} shape;

static uint32_t rivals_of(const shape *s) {
    return s->sets * s->ways;
}

static uint32_t set_of(const shape *s, uint32_t location) {
    if (location < rivals_of(s))
        return location / s->ways;
    const uint32_t sets =
        s->sets > 0 ? s->sets : 1; /* there is one; static analysis cannot see it */
    return (location - rivals_of(s)) % sets;
}

static void check_addresses(const col_program *program, const col_geometry *geometry,
                            const shape *s) {
    assert_true(program->location_count > rivals_of(s));
    for (uint32_t l = 0; l < program->location_count; l++)
        for (uint32_t k = 0; k < l; k++) {
            const uint64_t differ = program->addresses[l] ^ program->addresses[k];
            assert_true(differ >> geometry->block_bits != 0);
            for (uint32_t level = 0; level < s->levels; level++) {
                const bool is_one_set = (differ & prg_level_mask(&geometry->levels[level])) == 0;
                assert_int_equal(is_one_set, set_of(s, l) == set_of(s, k));
            }
        }
}

/* A load of a set's first rival begins an eviction, and the loads of the others follow it. Only
 * fences may come between, and the end of the test. Returns how many are whole. */
static uint32_t check_evictions(const col_program *program, const shape *s) {
    uint32_t whole = 0, cut = 0;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        uint32_t left = 0; /* rivals that must come next */
        for (uint32_t i = program->thread_start[t]; i < program->thread_start[t + 1]; i++) {
            const col_operation *o = &program->operations[i];
            if (o->kind == COL_FENCE)
                continue;
            const bool is_rival = o->location < rivals_of(s);
            assert_true(o->kind == COL_LOAD || (o->kind == COL_STORE && !is_rival));
            assert_true(is_rival || left == 0);
            if (!is_rival)
                continue;
            if (left == 0)
                left = s->ways;
            assert_int_equal(o->location % s->ways, s->ways - left);
            left--;
            whole += left == 0;
        }
        cut += left != 0;
    }
    assert_true(cut <= 1);
    return whole;
}

TEST(programs_fit_the_caches_and_evict) {
    static const struct {
        const char *options;
        uint32_t levels, ways, sets; /* numbers of sets, added up */
    } cases[] = {{"levels=1,protocol=msi", 1, 1, 1 + 2 + 4 + 8 + 16},
                 {"levels=2,protocol=mesi,fences=0", 2, 2, 1 + 2 + 4 + 8},
                 {"levels=3,protocol=moesi,fences=0.3", 3, 8, 1 + 2}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const col_engine_settings settings = settings_of(4, cases[c].options);
        synthetic_walk w = synthetic_start("jammer", &settings, 1, 1000);
        uint32_t evictions = 0, sizes = 0, sets = 0;
        for (uint32_t test = 0; test < 30; test++) {
            assert_true(synthetic_step(&w));
            col_problem problem = {0};
            if (col_program_check(&w.program, &problem) != COL_OK)
                fail_msg("%s", problem.message);
            const uint32_t n = w.point.operations;
            assert_true(n == 100 || n == 200 || n == 400 || n == 800);
            sizes |= n / 100;
            assert_true(w.point.locations <= 32);
            const shape as = {cases[c].levels, cases[c].ways, w.point.sets};
            check_addresses(&w.program, &settings.geometry, &as);
            evictions += check_evictions(&w.program, &as);
            sets |= w.point.sets;
            (void)synthetic_run(&w.design, &w.point);
        }
        assert_int_equal(sizes, 15);
        assert_int_equal(sets, cases[c].sets);
        assert_true(evictions > 30);
        synthetic_end(&w);
    }
}

TEST(si_programs_have_no_stores) {
    const col_engine_settings settings = settings_of(4, "protocol=si");
    synthetic_walk w = synthetic_start("jammer", &settings, 1, 1000);
    assert_true(synthetic_step(&w));
    for (uint32_t i = 0; i < w.point.operations; i++)
        assert_int_not_equal(w.program.operations[i].kind, COL_STORE);
    synthetic_end(&w);
}

/* More cores than an abstract protocol has: all take part, but not all in each block. */
TEST(many_cores_take_part_but_not_in_each_block) {
    enum { CORES = 60, WAYS = 2 };
    col_engine_settings settings = settings_of(CORES, "levels=2");
    settings.operations = (col_range){8192, 8192};
    settings.locations = (col_range){30, 30};
    synthetic_walk w = synthetic_start("jammer", &settings, 1, 1000);
    assert_true(synthetic_step(&w));
    const uint32_t rivals = w.point.sets * WAYS;
    assert_int_equal(w.point.locations, 30);
    for (uint32_t block = rivals; block < 30; block++) {
        uint32_t members = 0;
        for (uint32_t t = 0; t < CORES; t++) {
            bool is_member = false;
            for (uint32_t i = w.program.thread_start[t]; i < w.program.thread_start[t + 1]; i++)
                is_member |= w.program.operations[i].kind != COL_FENCE &&
                             w.program.operations[i].location == block;
            members += is_member;
        }
        assert_int_equal(members, 24);
    }
    for (uint32_t t = 0; t < CORES; t++)
        assert_true(w.program.thread_start[t] < w.program.thread_start[t + 1]);
    synthetic_end(&w);
}

/* ---- What agents remember. */

enum { TESTS = 20 };

static void run_to(synthetic_walk *w, uint32_t first, uint32_t end, col_hash *hashes) {
    for (uint32_t i = first; i < end; i++) {
        assert_true(synthetic_step(w));
        hashes[i] = col_program_hash(&w->program);
        (void)synthetic_run(&w->design, &w->point);
    }
}

/* The program of a test depends on the tests before it, by what agents remember of them. */
TEST(agents_remember_earlier_tests) {
    const col_engine_settings settings = settings_of(4, NULL);
    col_hash hashes[2][2];
    json_t *root = NULL;
    char path[64];
    (void)synthetic_path(path);
    synthetic_walk w = synthetic_start("jammer", &settings, 1, 1000);
    run_to(&w, 0, 1, hashes[0]);
    assert_int_equal(col_engine_save(w.engine, &w.design.feedback, path, NULL), COL_OK);
    run_to(&w, 1, 2, hashes[0]);
    col_engine_free(w.engine);
    /* The same place in the episode, but all is forgotten. */
    root = json_load_file(path, 0, NULL);
    json_t *visits = json_object_get(json_object_get(root, "state"), "visits");
    uint64_t sum = 0;
    for (size_t i = 0; i < json_array_size(visits); i++) {
        sum += (uint64_t)json_integer_value(json_array_get(visits, i));
        (void)json_array_set_new(visits, i, json_integer(0));
    }
    assert_true(sum > 100);
    assert_int_equal(json_dump_file(root, path, 0), 0);
    json_decref(root);
    w.engine = synthetic_engine("jammer", &settings);
    assert_int_equal(col_engine_restore(w.engine, path, NULL), COL_OK);
    run_to(&w, 1, 2, hashes[1]);
    assert_memory_not_equal(&hashes[0][1], &hashes[1][1], sizeof hashes[0][1]);
    synthetic_end(&w);
    (void)remove(path);
}

TEST(every_seed_and_test_gives_a_different_program) {
    col_engine_settings settings = settings_of(4, NULL);
    col_hash hashes[2][TESTS];
    for (uint32_t s = 0; s < 2; s++) {
        settings.seed = s;
        synthetic_walk w = synthetic_start("jammer", &settings, 1, 1000);
        run_to(&w, 0, TESTS, hashes[s]);
        synthetic_end(&w);
    }
    for (uint32_t i = 0; i < TESTS; i++) {
        assert_memory_not_equal(&hashes[0][i], &hashes[1][i], sizeof hashes[0][i]);
        for (uint32_t k = 0; k < i; k++)
            assert_memory_not_equal(&hashes[0][i], &hashes[0][k], sizeof hashes[0][i]);
    }
}

/* ---- On a design. */

static uint32_t covered_by(const char *engine, const char *options, uint32_t tests) {
    const col_duv_settings with = {.cores = 4};
    col_duv *duv;
    col_problem problem = {0};
    if (col_duv_open(&duv, "mesi2", &with, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    const col_duv_description *design = col_duv_describe(duv);
    const uint32_t points = col_duv_functional_count(design);
    uint64_t *hits = calloc(points, sizeof *hits);
    assert_non_null(hits);
    col_engine_settings settings = settings_of(4, options);
    settings.operations = (col_range){4096, 4096};
    settings.geometry = design->geometry;
    synthetic_walk w = synthetic_start(engine, &settings, 1, 1000);
    for (uint32_t i = 0; i < tests && synthetic_step(&w); i++) {
        col_run run;
        assert_int_equal(col_duv_load(duv, &w.program, NULL), COL_OK);
        assert_int_equal(col_duv_run(duv, i, NULL, NULL, &run, NULL), COL_OK);
        assert_int_equal(run.end, COL_RUN_COMPLETE);
        col_duv_collect(duv, hits);
    }
    uint32_t covered = 0;
    for (uint32_t i = 0; i < points; i++)
        covered += hits[i] > 0;
    synthetic_end(&w);
    free(hits);
    col_duv_close(duv);
    return covered;
}

TEST(races_reach_more_points_than_ordered_tours) {
    const uint32_t ordered = covered_by("tour", "protocol=mesi,levels=2", UINT32_MAX);
    const uint32_t racy = covered_by("jammer", "protocol=mesi,levels=2", 3);
    if (racy < ordered + ordered / 2)
        fail_msg("%u points by races, %u in order", racy, ordered);
}

TEST(impossible_settings_are_refused) {
    col_engine *engine = NULL;
    col_problem problem = {0};
    col_engine_settings settings = settings_of(1, NULL);
    assert_int_equal(col_engine_new(&engine, "jammer", &settings, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "two cores or more"));
    settings = settings_of(4, "levels=4");
    assert_int_equal(col_engine_new(&engine, "jammer", &settings, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "has 3 cache levels, not 4"));
    settings = settings_of(4, NULL);
    settings.geometry.level_count = 0;
    assert_int_equal(col_engine_new(&engine, "jammer", &settings, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "does not describe any"));
}
