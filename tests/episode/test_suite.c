/* SPDX-License-Identifier: MIT */
/* The index of a suite: what is written is read back; what is wrong is refused at its place, also
 * when any part of a good text is damaged. */
#include "../cover/toy_design.h"
#include "base/random.h"
#include "cover/coverage.h"
#include "episode/suite/suite.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { POINTS = 11 }; /* of the toy: two digits and three bits */

static void make(base_rng *rng, col_coverage *points, epi_suite *suite) {
    const uint64_t programs = base_rng_below(rng, 4);
    epi_suite_begin(suite, points);
    for (uint64_t p = 0; p < programs; p++) {
        char file[32];
        (void)snprintf(file, sizeof file, "test-%04u.txt", (unsigned)p);
        const epi_suite_program program = {.file = file,
                                           .episode = p % 2 == 0 ? "-" : "a%20night",
                                           .test = base_rng_below(rng, 9) + p * 10 + 1,
                                           .operations = base_rng_below(rng, 100)};
        assert_int_equal(epi_suite_add(suite, &program, NULL), COL_OK);
        const uint64_t instances = 1 + base_rng_below(rng, 3);
        for (uint64_t i = 0; i < instances; i++) {
            const uint64_t covered = base_rng_below(rng, 1 << POINTS);
            assert_int_equal(epi_suite_add_instance(suite, base_rng_next(rng), &covered, NULL),
                             COL_OK);
        }
    }
}

static col_coverage *new_points(void) {
    col_coverage *points;
    assert_int_equal(col_coverage_new(&points, &toy_design, NULL), COL_OK);
    return points;
}

static void assert_same(const epi_suite *a, const epi_suite *b) {
    assert_int_equal(a->program_count, b->program_count);
    assert_int_equal(a->instance_count, b->instance_count);
    for (size_t p = 0; p < a->program_count; p++) {
        const epi_suite_program *x = &a->programs[p], *y = &b->programs[p];
        assert_string_equal(x->file, y->file);
        assert_string_equal(x->episode, y->episode);
        assert_int_equal(x->test, y->test);
        assert_int_equal(x->operations, y->operations);
        assert_int_equal(x->first_instance, y->first_instance);
        assert_int_equal(x->instance_count, y->instance_count);
    }
    for (size_t i = 0; i < a->instance_count; i++) {
        assert_true(a->instances[i].seed == b->instances[i].seed);
        assert_int_equal(a->instances[i].points[0], b->instances[i].points[0]);
    }
}

TEST(what_is_written_is_read_back) {
    base_rng rng;
    for (uint64_t i = 0; i < 300; i++) {
        epi_suite suite = {0}, again = {0};
        base_text text = {0}, rewritten = {0};
        col_coverage *points = new_points();
        col_problem problem;
        base_rng_seed(&rng, 6, i);
        make(&rng, points, &suite);
        epi_suite_print(&suite, &text);
        if (epi_suite_read(&again, text.data, text.length, "suite.txt", &problem) != COL_OK)
            fail_msg("%u:%u: %s", problem.line, problem.column, problem.message);
        assert_same(&suite, &again);
        epi_suite_print(&again, &rewritten);
        assert_string_equal(text.data, rewritten.data);
        base_text_free(&text);
        base_text_free(&rewritten);
        epi_suite_free(&suite);
        epi_suite_free(&again);
        col_coverage_free(points);
    }
}

TEST(a_cut_suite_has_the_tests_up_to_the_last_one) {
    epi_suite suite = {0};
    col_coverage *points = new_points();
    const uint64_t none = 0;
    epi_suite_begin(&suite, points);
    for (uint64_t test = 3; test <= 9; test += 3) {
        const epi_suite_program program = {.file = "test-1.txt", .episode = "-", .test = test};
        assert_int_equal(epi_suite_add(&suite, &program, NULL), COL_OK);
        assert_int_equal(epi_suite_add_instance(&suite, test, &none, NULL), COL_OK);
        assert_int_equal(epi_suite_add_instance(&suite, test, &none, NULL), COL_OK);
    }
    epi_suite_cut(&suite, 6);
    assert_int_equal(suite.program_count, 2);
    assert_int_equal(suite.instance_count, 4);
    epi_suite_cut(&suite, 2);
    assert_int_equal(suite.program_count, 0);
    assert_int_equal(suite.instance_count, 0);
    epi_suite_free(&suite);
    col_coverage_free(points);
}

#define PROGRAM "program test-1.txt 4 1 -\n"
#define INSTANCE "instance 7 003\n"
static const struct {
    const char *lines; /* behind the points */
    uint32_t line, column;
    const char *says;
} wrong[] = {
    {"", 1, 1, "expected 'collider suite 1' behind the points"},
    {"collider coverage 1\n", 0, 1, "expected 'collider suite 1' behind the points"},
    {"collider suite 2\nend\n", 0, 16, "this version of Collider reads suites of version 1"},
    {"collider suite 1\n", 1, 1, "the file is cut: it has no 'end'"},
    {"collider suite 1\nend\nend\n", 2, 1, "nothing is expected after 'end'"},
    {"collider suite 1\nnonsense\nend\n", 1, 1, "expected program, instance or end"},
    {"collider suite 1\n" INSTANCE "end\n", 1, 1,
     "expected a line 'program FILE OPERATIONS TEST EPISODE' before it"},
    {"collider suite 1\n" PROGRAM "end\n", 2, 1,
     "expected a line 'instance SEED POINTS' for test-1.txt"},
    {"collider suite 1\nprogram ../test-1.txt 4 1 -\n", 1, 9,
     "a program of a suite is named test-NUMBER.txt, not '../test-1.txt'"},
    {"collider suite 1\nprogram test-a.txt 4 1 -\n", 1, 9,
     "a program of a suite is named test-NUMBER.txt, not 'test-a.txt'"},
    {"collider suite 1\nprogram test-.txt 4 1 -\n", 1, 9,
     "a program of a suite is named test-NUMBER.txt, not 'test-.txt'"},
    {"collider suite 1\n" PROGRAM INSTANCE PROGRAM, 3, 9, "this program has a line further up"},
    {"collider suite 1\n" PROGRAM "instance 7 03\n", 2, 12,
     "expected 3 hexadecimal digits, a bit for each of 11 points"},
    {"collider suite 1\n" PROGRAM "instance 7 0g3\n", 2, 13, "expected a hexadecimal digit"},
    {"collider suite 1\n" PROGRAM "instance 7 008\n", 2, 14, "the design has no more points"},
};

TEST(what_is_wrong_is_refused_at_its_place) {
    col_coverage *points = new_points();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        epi_suite suite = {0};
        base_text text = {0};
        col_problem problem = {0};
        uint32_t head = 1;
        cov_write_points(points, false, &text);
        for (const char *c = text.data; *c != '\0'; c++)
            head += *c == '\n';
        base_text_add(&text, wrong[i].lines);
        assert_int_equal(epi_suite_read(&suite, text.data, text.length, "s", &problem),
                         COL_BAD_INPUT);
        assert_string_equal(problem.message, wrong[i].says);
        if (wrong[i].lines[0] != '\0')
            assert_int_equal(problem.line, head + wrong[i].line);
        assert_int_equal(problem.column, wrong[i].column);
        epi_suite_free(&suite);
        base_text_free(&text);
    }
    col_coverage_free(points);
}

TEST(a_suite_is_coverage_of_its_programs_as_tests) {
    col_coverage *points = new_points();
    epi_suite suite = {0};
    const uint64_t covers[] = {1, 3, 4};
    epi_suite_begin(&suite, points);
    for (int p = 0; p < 2; p++) {
        const epi_suite_program program = {.file = "test-1.txt", .episode = "-", .test = 9};
        assert_int_equal(epi_suite_add(&suite, &program, NULL), COL_OK);
        assert_int_equal(epi_suite_add_instance(&suite, 1, &covers[p], NULL), COL_OK);
        assert_int_equal(epi_suite_add_instance(&suite, 1, &covers[p + 1], NULL), COL_OK);
    }
    assert_int_equal(epi_suite_cover(&suite, NULL), COL_OK);
    const uint32_t *by_name = points->points.by_name;
    static const struct {
        uint64_t hits, test;
        uint32_t instance;
    } expected[] = {{3, 1, 1}, {2, 1, 2}, {1, 2, 2}, {0, 0, 0}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(points->hits[COL_FUNCTIONAL][by_name[i]], expected[i].hits);
        assert_int_equal(points->first[by_name[i]].test, expected[i].test);
        assert_int_equal(points->first[by_name[i]].instance, expected[i].instance);
    }
    epi_suite_free(&suite);
    col_coverage_free(points);
}
