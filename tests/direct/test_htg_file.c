/* SPDX-License-Identifier: MIT */
/* The hybrid engine's files: its state, the solution in it, and starting solutions. */
#include "synthetic.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <string.h>

/* ---- The solution in the saved state. */

static json_t *saved_by(const synthetic_walk *w, const char *path) {
    assert_int_equal(col_engine_save(w->engine, &w->design.feedback, path, NULL), COL_OK);
    json_t *root = json_load_file(path, 0, NULL);
    assert_non_null(root);
    return root;
}

static col_point point_of(const json_t *object) {
    return (col_point){(uint32_t)json_integer_value(json_object_get(object, "operations")),
                       (uint32_t)json_integer_value(json_object_get(object, "locations")),
                       (uint32_t)json_integer_value(json_object_get(object, "sets"))};
}

/* All that was covered is covered by points of the solution. */
static void check_solution(const synthetic_walk *w, const char *path, size_t *size) {
    json_t *root = saved_by(w, path);
    const json_t *list = json_object_get(json_object_get(root, "state"), "solution");
    assert_true(json_is_array(list));
    *size = json_array_size(list);
    for (uint32_t c = 0; c < SYNTHETIC_POINTS; c++) {
        bool covered = w->design.hits[c] == 0;
        for (size_t i = 0; i < *size && !covered; i++) {
            const col_point p = point_of(json_array_get(list, i));
            covered = synthetic_covers(&w->design, &p, c);
        }
        assert_true(covered);
    }
    json_decref(root);
}

static void the_saved_solution_covers_what_was_covered(void **state) {
    char path[64];
    (void)state;
    (void)synthetic_path(path);
    for (uint64_t seed = 0; seed < 12; seed++) {
        col_engine_settings settings =
            synthetic_settings((col_range){64, 256}, (col_range){4, 16}, seed);
        settings.repeat = seed % 2 == 1;
        synthetic_walk w = synthetic_start("htg", &settings, seed, 8 + 12 * (uint32_t)seed);
        size_t size = 0;
        for (uint32_t test = 0; test < 100 && synthetic_step(&w); test++) {
            (void)synthetic_run(&w.design, &w.point);
            if (test % 4 == seed % 4)
                check_solution(&w, path, &size);
        }
        assert_true(size < 36); /* of all points */
        synthetic_end(&w);
    }
    (void)remove(path);
}

/* Saved after any test, restored, and gone on: as if it had never stopped. */
static void a_restored_engine_continues_identically(void **state) {
    enum { TESTS = 70 };
    col_hash hashes[TESTS] = {{0}};
    json_t *whole = NULL;
    char path[64];
    col_engine_settings settings = synthetic_settings((col_range){64, 256}, (col_range){4, 16}, 5);
    (void)state;
    settings.repeat = true;
    (void)synthetic_path(path);
    for (uint32_t stop = TESTS; stop <= TESTS; stop--) { /* the first run is whole */
        synthetic_walk w = synthetic_start("htg", &settings, 9, 100);
        for (uint32_t i = 0; i < TESTS; i++) {
            if (i == stop) {
                assert_int_equal(col_engine_save(w.engine, &w.design.feedback, path, NULL), COL_OK);
                col_engine_free(w.engine);
                w.engine = synthetic_engine("htg", &settings);
                col_problem problem = {0};
                if (col_engine_restore(w.engine, path, &problem) != COL_OK)
                    fail_msg("after %u tests: %s", stop, problem.message);
            }
            assert_true(synthetic_step(&w));
            const col_hash hash = col_program_hash(&w.program);
            if (stop == TESTS)
                hashes[i] = hash;
            assert_memory_equal(&hash, &hashes[i], sizeof hash);
            (void)synthetic_run(&w.design, &w.point);
        }
        json_t *root = saved_by(&w, path);
        if (whole == NULL)
            whole = json_incref(root);
        assert_true(json_equal(root, whole));
        json_decref(root);
        synthetic_end(&w);
    }
    json_decref(whole);
    (void)remove(path);
}

/* ---- Starting solutions. */

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void a_search_starts_from_the_given_solution(void **state) {
    static const col_point expected[] = {{128, 8, 1}, {64, 4, 4}, {64, 4, 2}};
    char path[64], options[80];
    col_engine_settings settings = synthetic_settings((col_range){64, 256}, (col_range){4, 16}, 5);
    (void)state;
    (void)snprintf(options, sizeof options, "start=%s", synthetic_path(path));
    settings.options = options;
    write_text(path, "{\"solution\": [{\"operations\": 64, \"locations\": 4, \"sets\": 2},\n"
                     "{\"operations\": 64, \"locations\": 4, \"sets\": 4},\n"
                     "{\"operations\": 128, \"locations\": 8, \"sets\": 1}]}");
    synthetic_walk w = synthetic_start("htg", &settings, 4, 100);
    for (uint32_t i = 0; i < 30; i++) {
        assert_true(synthetic_step(&w));
        if (i < 3)
            assert_memory_equal(&w.point, &expected[i], sizeof w.point);
        (void)synthetic_run(&w.design, &w.point);
    }
    /* What it saves is a start again, in the order that it is written in. */
    json_t *root = saved_by(&w, path);
    const json_t *list = json_object_get(json_object_get(root, "state"), "solution");
    synthetic_walk again = synthetic_start("htg", &settings, 4, 100);
    assert_true(json_array_size(list) > 1);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const col_point point = point_of(json_array_get(list, i));
        assert_true(synthetic_step(&again));
        assert_memory_equal(&again.point, &point, sizeof point);
        (void)synthetic_run(&again.design, &again.point);
    }
    json_decref(root);
    synthetic_end(&again);
    synthetic_end(&w);
    (void)remove(path);
}

/* 12 locations: doubling and halving never lead from 3, 6 and 12 sets to 1, 2 and 4. */
static void unconnected_parts_of_a_space_are_all_visited(void **state) {
    char path[64], options[80];
    col_engine_settings settings = synthetic_settings((col_range){64, 128}, (col_range){12, 12}, 5);
    (void)state;
    (void)snprintf(options, sizeof options, "start=%s", synthetic_path(path));
    settings.options = options;
    write_text(path, "{\"solution\": [{\"operations\": 64, \"locations\": 12, \"sets\": 3}]}");
    synthetic_walk w = synthetic_start("htg", &settings, 4, 100);
    uint32_t tests = 0;
    for (; synthetic_step(&w); tests++)
        (void)synthetic_run(&w.design, &w.point);
    assert_int_equal(tests, 12);
    synthetic_end(&w);
    (void)remove(path);
}

typedef struct refusal {
    const char *text, *says;
} refusal;

static void bad_starting_solutions_are_refused(void **state) {
    static const refusal refusals[] = {
        {"{\"solution\": [", ":1:"},
        {"[1, 2]", "there is no \"solution\" in it"},
        {"{\"solution\": 3}", "the solution is not a list of points"},
        {"{\"solution\": [{\"operations\": 64, \"locations\": 4}]}",
         "point 1 of the solution needs"},
        {"{\"solution\": [{\"operations\": 64, \"locations\": 4, \"sets\": 4},"
         "{\"operations\": -1, \"locations\": 4, \"sets\": 4}]}",
         "point 2 of the solution needs"},
        {"{\"solution\": [{\"operations\": 4294967360, \"locations\": 4, \"sets\": 4}]}",
         "point 1 of the solution needs"},
        {"{\"solution\": [{\"operations\": 64.5, \"locations\": 4, \"sets\": 4}]}",
         "point 1 of the solution needs"},
        {"{\"solution\": [7]}", "point 1 of the solution needs"},
        {"{\"solution\": [{\"operations\": 65, \"locations\": 4, \"sets\": 4}]}",
         "65 operations on 4 locations in 4 sets, is not in the space"},
        {"{\"solution\": [{\"operations\": 64, \"locations\": 4, \"sets\": 4},"
         "{\"operations\": 64, \"locations\": 4, \"sets\": 4}]}",
         "point 2 of the solution is in it twice"},
    };
    char path[64], options[80], text[900];
    col_engine_settings settings = synthetic_settings((col_range){64, 256}, (col_range){4, 16}, 5);
    col_engine *engine = NULL;
    col_problem problem = {0};
    (void)state;
    (void)snprintf(options, sizeof options, "start=%s", synthetic_path(path));
    settings.options = options;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        write_text(path, refusals[i].text);
        assert_int_equal(col_engine_new(&engine, "htg", &settings, &problem), COL_BAD_INPUT);
        (void)col_problem_text(&problem, text, sizeof text);
        if (strstr(text, refusals[i].says) == NULL || strncmp(text, path, strlen(path)) != 0)
            fail_msg("'%s' does not say '%s'", text, refusals[i].says);
    }
    (void)remove(path);
    assert_int_equal(col_engine_new(&engine, "htg", &settings, &problem), COL_BAD_INPUT);
    assert_non_null(strstr(problem.message, "cannot read"));
    settings.options = "selection=2";
    assert_int_equal(col_engine_new(&engine, "htg", &settings, &problem), COL_BAD_INPUT);
}

/* ---- Damaged states are refused, one value at a time. */

static const char *const damages[][2] = {
    {"test", "-1"},
    {"test", "\"3\""},
    {"draws", "null"},
    {"told", "[]"},
    {"through", "0"},
    {"current", "null"},
    {"current", "[{\"operations\": 1, \"locations\": 1, \"sets\": 1}]"},
    {"neighbour", "{}"},
    {"queue", "7"},
    {"pending", "7"},
    {"known", "[{\"operations\": 64, \"locations\": 4, \"sets\": 1}]"},
    {"known", "{}"},
    {"known", "[]"},
    {"hits", "[1, 2, 3]"},
    {"hits", "\"\""},
    {"hits", "null"},
    {"hits", "[null]"},
};

static void damaged_states_are_refused(void **state) {
    const col_engine_settings settings =
        synthetic_settings((col_range){64, 256}, (col_range){4, 16}, 5);
    synthetic_walk w = synthetic_start("htg", &settings, 4, 100);
    char path[64];
    (void)state;
    (void)synthetic_path(path);
    for (uint32_t i = 0; i < 20; i++) {
        assert_true(synthetic_step(&w));
        (void)synthetic_run(&w.design, &w.point);
    }
    json_t *root = saved_by(&w, path);
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        col_engine *engine = synthetic_engine("htg", &settings);
        json_t *copy = json_deep_copy(root);
        col_problem problem = {0};
        json_object_set_new(json_object_get(copy, "state"), damages[i][0],
                            json_loads(damages[i][1], JSON_DECODE_ANY, NULL));
        assert_int_equal(json_dump_file(copy, path, 0), 0);
        if (col_engine_restore(engine, path, &problem) != COL_BAD_INPUT ||
            problem.message[0] == '\0')
            fail_msg("%s: %s was taken", damages[i][0], damages[i][1]);
        json_decref(copy);
        col_engine_free(engine);
    }
    json_decref(root);
    synthetic_end(&w);
    (void)remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_saved_solution_covers_what_was_covered),
        cmocka_unit_test(a_restored_engine_continues_identically),
        cmocka_unit_test(a_search_starts_from_the_given_solution),
        cmocka_unit_test(unconnected_parts_of_a_space_are_all_visited),
        cmocka_unit_test(bad_starting_solutions_are_refused),
        cmocka_unit_test(damaged_states_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
