/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * From settings to results: the same tour for who listens and for who counts, again the same for
 * the same seed, memory that does not grow with the states where that is promised, and refusals.
 */
#include "engine/tour/tour.h"
#include "harness.h"

#include <collider/tour.h>
#include <stdlib.h>
#include <string.h>

/* A hash of what was heard, and how much that was. */
typedef struct listener {
    uint64_t heard, hash, enough;
} listener;

static bool listen(void *context, col_tour_operation operation) {
    listener *l = context;
    l->hash = (l->hash ^ (operation.kind * 64u + operation.core)) * UINT64_C(0x9E3779B97F4A7C15);
    return ++l->heard != l->enough;
}

static col_tour_settings settings_of(col_tour_protocol protocol, col_tour_method method,
                                     uint32_t cores) {
    col_tour_settings s;
    col_tour_default(&s);
    s.protocol = protocol;
    s.method = method;
    s.cores = cores;
    return s;
}

static col_tour_results run(const col_tour_settings *settings) {
    col_tour_results r;
    col_problem problem = {0};
    if (col_tour(settings, &r, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return r;
}

static void every_method_covers_everything(void **unused) {
    (void)unused;
    for (uint32_t protocol = 0; protocol < COL_TOUR_PROTOCOL_COUNT; protocol++)
        for (uint32_t method = 0; method < COL_TOUR_METHOD_COUNT; method++) {
            listener l = {0};
            col_tour_settings s =
                settings_of((col_tour_protocol)protocol, (col_tour_method)method, 3);
            s.take = listen;
            s.context = &l;
            const col_tour_results r = run(&s);
            assert_true(r.is_counted);
            assert_int_equal(r.covered, r.transitions);
            assert_int_equal(r.cost, l.heard);
            assert_true(r.optimum >= r.transitions && r.optimum <= r.cost);
        }
}

static void two_levels_are_covered(void **unused) {
    (void)unused;
    for (int inclusive = 0; inclusive < 2; inclusive++)
        for (int mesi = 0; mesi < 2; mesi++)
            for (int postman = 0; postman < 2; postman++) {
                col_tour_settings s = settings_of(mesi ? COL_TOUR_MESI : COL_TOUR_SI,
                                                  postman ? COL_TOUR_POSTMAN : COL_TOUR_EULER, 4);
                s.clusters = 2;
                s.inclusive = inclusive == 1;
                const col_tour_results r = run(&s);
                assert_int_equal(r.covered, r.transitions);
                assert_true(r.optimum <= r.cost);
            }
}

static void random_tours_follow_from_the_seed(void **unused) {
    (void)unused;
    for (uint32_t method = COL_TOUR_RANDOM; method <= COL_TOUR_JAMMER; method++) {
        listener l[3] = {{0}};
        for (uint32_t i = 0; i < 3; i++) {
            col_tour_settings s = settings_of(COL_TOUR_MOESI, (col_tour_method)method, 6);
            s.seed = i < 2 ? 5 : 6;
            s.most_operations = 500;
            s.take = listen;
            s.context = &l[i];
            assert_int_equal(run(&s).cost, 500);
        }
        assert_int_equal(l[0].hash, l[1].hash);
        assert_int_not_equal(l[0].hash, l[2].hash);
    }
}

/* The tours that are made as they go take the same for 2^14 times as many states; the search does
 * not. */
static void memory_does_not_depend_on_the_number_of_states(void **unused) {
    (void)unused;
    for (uint32_t method = COL_TOUR_EULER; method <= COL_TOUR_POSTMAN; method++)
        for (uint32_t cores = 4; cores <= 14; cores += 5) {
            const col_tour_settings s = settings_of(COL_TOUR_MESI, (col_tour_method)method, cores);
            assert_true(run(&s).peak_bytes <= 4096);
        }
    const col_tour_settings s = settings_of(COL_TOUR_MESI, COL_TOUR_BFS, 14);
    assert_true(run(&s).peak_bytes >= 4 << 14);
}

/* Whatever was taken from the heap before. */
static void equal_tours_use_equal_memory(void **unused) {
    (void)unused;
    for (uint32_t method = 0; method < COL_TOUR_METHOD_COUNT; method++) {
        const col_tour_settings s = settings_of(COL_TOUR_MESI, (col_tour_method)method, 4);
        const uint64_t bytes = run(&s).peak_bytes;
#ifdef SANITIZED /* which has things of its own on the stack */
        if (method != COL_TOUR_BFS && method != COL_TOUR_JAMMER)
            continue;
#endif
        assert_true(bytes > 0);
        for (size_t i = 1; i < 4; i++) {
            void *others = malloc(i * 1000);
            assert_int_equal(run(&s).peak_bytes, bytes);
            free(others);
        }
    }
}

static void a_walk_ends_when_the_listener_returns_false(void **unused) {
    (void)unused;
    for (uint32_t method = 0; method < COL_TOUR_METHOD_COUNT; method++) {
        listener l = {.enough = 17};
        col_tour_settings s = settings_of(COL_TOUR_MOSI, (col_tour_method)method, 4);
        s.take = listen;
        s.context = &l;
        assert_int_equal(run(&s).cost, 17);
        assert_int_equal(l.heard, 17);
    }
}

static void too_large_is_not_counted(void **unused) {
    (void)unused;
    col_tour_settings s = settings_of(COL_TOUR_MESI, COL_TOUR_EULER, 8);
    s.most_bytes = 816; /* 272 states of 24 bits */
    assert_true(run(&s).is_counted);
    s.most_bytes--;
    const col_tour_results r = run(&s);
    assert_false(r.is_counted);
    assert_int_equal(r.covered, 0);
    assert_true(r.cost > r.transitions);
}

static void wrong_settings_are_refused(void **unused) {
    (void)unused;
    static const struct {
        col_tour_settings settings;
        const char *sentence;
    } rows[] = {
        {{.cores = 1}, "2 to 24 cores, not 1"},
        {{.cores = 25}, "2 to 24 cores, not 25"},
        {{.cores = 4, .inclusive = true}, "no second level"},
        {{.cores = 4, .method = COL_TOUR_BFS, .clusters = 2}, "not by bfs"},
        {{.cores = 4, .method = COL_TOUR_EULER, .clusters = 1}, "2 to 8"},
        {{.cores = 18, .method = COL_TOUR_EULER, .clusters = 9}, "2 to 8"},
        {{.cores = 5, .method = COL_TOUR_EULER, .clusters = 2}, "at least 2"},
        {{.cores = 4, .method = COL_TOUR_EULER, .clusters = 4}, "at least 2"},
        {{.protocol = COL_TOUR_MESI, .method = COL_TOUR_POSTMAN, .cores = 24, .clusters = 8},
         "for up to 100000 states"},
        {{.cores = 4, .protocol = COL_TOUR_PROTOCOL_COUNT}, "no such protocol"},
        {{.cores = 4, .method = COL_TOUR_METHOD_COUNT}, "no such protocol or method"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        col_problem problem = {0};
        col_tour_results r;
        assert_int_equal(col_tour(&rows[i].settings, &r, &problem), COL_BAD_INPUT);
        if (strstr(problem.message, rows[i].sentence) == NULL)
            fail_msg("'%s' does not say '%s'", problem.message, rows[i].sentence);
    }
}

/* ---- Measuring a stack. */

static void fill(void *context) {
    const size_t size = *(const size_t *)context;
    volatile unsigned char block[64 << 10];
    for (size_t i = 0; i < size; i++)
        block[sizeof block - 1 - i] = (unsigned char)i;
}

/* A function that writes into the far end of its block was that deep, within what a call takes. */
static void stacks_are_measured(void **unused) {
    (void)unused;
#ifndef SANITIZED /* which keeps blocks elsewhere */
    const size_t sizes[] = {100, 5000, 60000};
    uint64_t bytes[3];
    for (int i = 0; i < 3; i++)
        assert_int_equal(tour_measure_stack(fill, (void *)&sizes[i], &bytes[i], NULL), COL_OK);
    assert_true(bytes[1] - bytes[0] == sizes[1] - sizes[0]);
    assert_true(bytes[2] - bytes[1] == sizes[2] - sizes[1]);
#else
    (void)fill;
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_covers_everything),
        cmocka_unit_test(two_levels_are_covered),
        cmocka_unit_test(random_tours_follow_from_the_seed),
        cmocka_unit_test(memory_does_not_depend_on_the_number_of_states),
        cmocka_unit_test(equal_tours_use_equal_memory),
        cmocka_unit_test(a_walk_ends_when_the_listener_returns_false),
        cmocka_unit_test(too_large_is_not_counted),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(stacks_are_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
