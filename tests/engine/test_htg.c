/* SPDX-License-Identifier: MIT */
/*
 * The hybrid engine: Figure 12 step by step, then whole runs with synthetic coverage, where each
 * promise of the Explorer is checked by brute force.
 */
#include "engine/htg.h"
#include "synthetic.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <string.h>

enum { MOST_POINTS = 512 };

/* The point whose test is under way. */
static uint32_t under_way(const htg *h) {
    assert_int_equal(h->queue_next, h->queue_told + 1);
    return h->queue[h->queue_told];
}

static htg open_htg(const col_engine_settings *settings) {
    htg h = {0};
    col_problem problem = {0};
    if (dir_htg.open(&h, dir_engine_find("htg"), settings, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return h;
}

static void set_points(const htg *h, bool *points, const col_point *list, uint32_t count) {
    memset(points, 0, h->count * sizeof *points);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t number = dir_rtg_number(&h->rtg, list[i]);
        assert_true(number < h->count);
        points[number] = true;
    }
}

static void expect_order(const htg *h, const bool *points, const col_point *expected,
                         uint32_t count) {
    assert_int_equal(dir_htg_drive(h, points), count);
    for (uint32_t i = 0; i < count; i++) {
        const col_point p = dir_rtg_point(&h->rtg, h->order[i]);
        if (memcmp(&p, &expected[i], sizeof p) != 0)
            fail_msg("place %u: (%u, %u, %u), not (%u, %u, %u)", i + 1, p.operations, p.locations,
                     p.sets, expected[i].operations, expected[i].locations, expected[i].sets);
    }
}

/* ---- Figure 12: 1Ki to 8Ki operations, 4 to 32 locations. Its marks are lost in our copy; this is
 * an example of the same kind, worked out by hand. Points are in the Driver's order. */

static const col_point solution_12a[] = {{4096, 16, 1}, {1024, 4, 4},  {1024, 4, 1},
                                         {1024, 8, 2},  {2048, 32, 8}, {1024, 32, 32},
                                         {8192, 16, 1}, {2048, 4, 4}};
/* A neighbour of it: the last one is in the solution, so the Driver is not given it. */
static const col_point neighbour_12b[] = {{4096, 8, 1},   {1024, 4, 2},  {2048, 4, 1},
                                          {1024, 8, 4},   {4096, 16, 2}, {2048, 8, 2},
                                          {1024, 32, 16}, {2048, 4, 4}};

static void cover(htg *h, col_point point, uint64_t cycles, uint64_t bits) {
    const uint32_t number = dir_rtg_number(&h->rtg, point);
    h->visited[number] = true;
    h->cycles[number] = cycles;
    h->covered[number * h->words] = bits;
}

TEST(figure_12_is_reproduced) {
    const col_engine_settings settings =
        synthetic_settings((col_range){1024, 8192}, (col_range){4, 32}, 1);
    static const col_point solution_12c[] = {
        {4096, 8, 1}, {1024, 4, 2}, {2048, 4, 1}, {1024, 32, 32}};
    htg h = open_htg(&settings);
    bool open[MOST_POINTS];
    assert_int_equal(h.count, 4 * 18);
    assert_int_equal(dir_htg_expect(&h, 20, NULL), COL_OK);
    set_points(&h, h.solution, solution_12a, 8);
    expect_order(&h, h.solution, solution_12a, 8); /* a */
    set_points(&h, h.neighbour, neighbour_12b, 8);
    for (uint32_t i = 0; i < h.count; i++)
        open[i] = h.neighbour[i] && !h.solution[i];
    expect_order(&h, open, neighbour_12b, 7); /* b */
    /* c: the coverage of both, by fewer and cheaper points. */
    for (uint32_t i = 0; i < 8; i++) {
        cover(&h, solution_12a[i], UINT64_C(100) * solution_12a[i].operations, 0x1);
        cover(&h, neighbour_12b[i], UINT64_C(100) * neighbour_12b[i].operations, 0x1);
    }
    cover(&h, (col_point){1024, 32, 32}, 9, 0x1);     /* the cheapest */
    cover(&h, (col_point){1024, 4, 2}, 10, 0x6);      /* a little more */
    cover(&h, (col_point){1024, 8, 2}, 11, 0x7);      /* nothing new */
    cover(&h, (col_point){2048, 4, 1}, 12, 0xf00);    /* of the neighbour */
    cover(&h, (col_point){4096, 16, 1}, 14, 0x30f00); /* as much as the next, but dearer */
    cover(&h, (col_point){4096, 8, 1}, 13, 0x30000);  /* so this one stays */
    dir_htg_reduce(&h);
    expect_order(&h, h.kept, solution_12c, 4);
    dir_htg.close(&h);
}

/* Definition 5, on all points. */
TEST(moves_are_those_of_definition_5) {
    const col_engine_settings settings =
        synthetic_settings((col_range){1024, 65536}, (col_range){4, 128}, 1);
    htg h = open_htg(&settings);
    assert_int_equal(h.count, 7 * 33);
    for (uint32_t i = 0; i < h.count; i++) {
        const col_point p = dir_rtg_point(&h.rtg, i);
        const uint32_t n = p.operations, s = p.locations, k = p.sets;
        const col_point expected[DIR_HTG_MOVES] = {{2 * n, s, k}, {n / 2, s, k}, {n, 2 * s, k},
                                                   {n, s, 2 * k}, {n, s / 2, k}, {n, s, k / 2}};
        for (uint32_t move = 0; move < DIR_HTG_MOVES; move++) {
            const col_point e = expected[move];
            const bool is_in = e.operations >= 1024 && e.operations <= 65536 && e.locations >= 4 &&
                               e.locations <= 128 && e.sets >= 1 && e.sets <= e.locations;
            const uint32_t number = dir_htg_perturb(&h, i, move);
            assert_int_equal(number < h.count, is_in);
            if (is_in)
                assert_int_equal(number, dir_rtg_number(&h.rtg, e));
        }
    }
    dir_htg.close(&h);
}

/* Algorithms 5 and 6: only points next to the solution, each by one toss of a coin, however many
 * points of the solution it is next to. */
TEST(neighbours_are_chosen_by_one_coin_each) {
    const col_engine_settings settings =
        synthetic_settings((col_range){1024, 8192}, (col_range){4, 32}, 7);
    enum { TOSSES = 2000 };
    htg h = open_htg(&settings);
    uint32_t next_to[MOST_POINTS] = {0}, selected[MOST_POINTS] = {0};
    set_points(&h, h.solution, solution_12a, 8);
    for (uint32_t i = 0; i < h.count; i++)
        for (uint32_t move = 0; h.solution[i] && move < DIR_HTG_MOVES; move++)
            if (dir_htg_perturb(&h, i, move) < h.count)
                next_to[dir_htg_perturb(&h, i, move)]++;
    for (uint32_t toss = 0; toss < TOSSES; toss++) {
        dir_htg_generate_neighbour(&h, h.solution, h.neighbour);
        for (uint32_t i = 0; i < h.count; i++)
            selected[i] += h.neighbour[i];
    }
    uint32_t shared = 0;
    for (uint32_t i = 0; i < h.count; i++) {
        shared += next_to[i] > 1;
        if (next_to[i] == 0)
            assert_int_equal(selected[i], 0);
        else /* six standard deviations */
            assert_true(selected[i] > TOSSES / 2 - 135 && selected[i] < TOSSES / 2 + 135);
    }
    assert_true(shared >= 3);
    dir_htg.close(&h);
}

/* ---- Algorithm 4 on random instances of set cover. */

static uint64_t coverage_of(const htg *h, const bool *points) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < h->count; i++)
        if (points[i])
            sum |= h->covered[i * h->words];
    return sum;
}

TEST(reduction_keeps_coverage_by_the_cheapest_points) {
    const col_engine_settings settings =
        synthetic_settings((col_range){64, 128}, (col_range){4, 16}, 1);
    htg h = open_htg(&settings);
    assert_int_equal(dir_htg_expect(&h, 63, NULL), COL_OK);
    for (uint64_t seed = 0; seed < 2000; seed++) {
        bool both[MOST_POINTS], one_less[MOST_POINTS];
        uint64_t before = 0;
        base_rng rng;
        base_rng_seed(&rng, seed, 0);
        const uint64_t density = base_rng_below(&rng, 5) + 1;
        for (uint32_t i = 0; i < h.count; i++) {
            h.covered[i] = UINT64_MAX >> 1;
            for (uint64_t d = 0; d < density; d++)
                h.covered[i] &= base_rng_next(&rng);
            h.cycles[i] = base_rng_below(&rng, 20);
            h.solution[i] = base_rng_below(&rng, 2) == 0;
            h.neighbour[i] = base_rng_below(&rng, 2) == 0;
            both[i] = h.solution[i] || h.neighbour[i];
        }
        dir_htg_reduce(&h);
        assert_true(coverage_of(&h, h.kept) == coverage_of(&h, both));
        for (uint32_t i = 0; i < h.count; i++) {
            assert_true(!h.kept[i] || both[i]);
            /* Who was left out adds nothing to the cheaper ones that stayed; who stayed does. */
            for (uint32_t j = 0; j < h.count; j++)
                one_less[j] = h.kept[j] &&
                              (h.cycles[j] < h.cycles[i] || (h.cycles[j] == h.cycles[i] && j < i));
            before = coverage_of(&h, one_less);
            if (both[i])
                assert_int_equal((h.covered[i] & ~before) != 0, h.kept[i]);
        }
    }
    dir_htg.close(&h);
}

/* ---- Whole runs. */

/* The first tests: smallest, with up to a random number of locations, all sets (Algorithm 2). Then
 * all others, none twice, and the end. */
TEST(each_point_is_visited_once) {
    static const col_range operations = {64, 512}, locations = {4, 32};
    bool starts[4] = {false};
    for (uint64_t seed = 0; seed < 40; seed++) {
        const col_engine_settings settings = synthetic_settings(operations, locations, seed);
        synthetic_walk w = synthetic_start("htg", &settings, seed, 400);
        htg h = open_htg(&settings);
        bool seen[MOST_POINTS] = {false};
        uint32_t first = 0, count = 0;
        while (first < h.count && h.solution[first])
            first++;
        for (uint32_t i = first; i < h.count; i++)
            assert_false(h.solution[i]);
        assert_true(first == 3 || first == 7 || first == 12 || first == 18);
        starts[first == 3 ? 0 : first == 7 ? 1 : first == 12 ? 2 : 3] = true;
        for (; synthetic_step(&w); count++) {
            const uint32_t number = dir_rtg_number(&h.rtg, w.point);
            assert_true(number < h.count && !seen[number]);
            seen[number] = true;
            assert_int_equal(number < first, count < first);
            (void)synthetic_run(&w.design, &w.point);
        }
        assert_int_equal(count, h.count);
        assert_false(synthetic_step(&w));
        dir_htg.close(&h);
        synthetic_end(&w);
    }
    for (int i = 0; i < 4; i++)
        assert_true(starts[i]);
}

/* Every test of a neighbour is one move away from a point of the solution before it or, if all of
 * those were visited, from any visited point. */
TEST(tests_are_one_move_from_what_was_visited) {
    const col_engine_settings settings =
        synthetic_settings((col_range){64, 512}, (col_range){4, 32}, 11);
    dir_rtg_plan plan;
    dir_test test = {.plan = &plan};
    synthetic design = synthetic_new(5, 50);
    htg h = open_htg(&settings);
    uint32_t jumps = 0, neighbours = 0;
    uint64_t cycles[MOST_POINTS] = {0};
    while (dir_htg.choose(&h, &design.feedback, &test, NULL) == COL_OK &&
           test.point.operations != 0) {
        bool near_solution = !h.exploring, near_visited = !h.exploring;
        for (uint32_t move = 0; h.exploring && move < DIR_HTG_MOVES; move++) {
            const uint32_t p = dir_htg_perturb(&h, under_way(&h), move);
            near_solution = near_solution || (p < h.count && h.solution[p]);
            near_visited = near_visited || (p < h.count && h.visited[p]);
        }
        assert_true(near_visited || near_solution);
        assert_true(!h.exploring || h.neighbour[under_way(&h)]);
        jumps += !near_solution;
        neighbours += h.exploring;
        const uint32_t number = under_way(&h);
        const col_feedback *feedback = synthetic_run(&design, &test.point);
        cycles[number] = feedback->cycles;
        assert_int_equal(dir_htg.learn(&h, feedback, &test, NULL), COL_OK);
    }
    assert_memory_equal(h.cycles, cycles, h.count * sizeof *cycles); /* the second objective */
    assert_true(neighbours > 40 && jumps < neighbours);
    dir_htg.close(&h);
}

/* The turns of the tests: each Driver begins with replacements, and they alternate. */
TEST(each_driver_follows_its_order) {
    for (uint64_t seed = 0; seed < 20; seed++) {
        const col_engine_settings settings =
            synthetic_settings((col_range){64, 512}, (col_range){4, 32}, seed);
        dir_rtg_plan plan;
        dir_test test = {.plan = &plan};
        synthetic design = synthetic_new(seed, 60);
        htg h = open_htg(&settings);
        bool due[MOST_POINTS];
        uint32_t order[MOST_POINTS], count = 0, place = 0;
        while (dir_htg.choose(&h, &design.feedback, &test, NULL) == COL_OK &&
               test.point.operations != 0) {
            if (place == count) { /* a Driver has just begun: what it is to visit */
                for (uint32_t i = 0; i < h.count; i++)
                    due[i] = (h.exploring ? h.neighbour[i] : h.solution[i]) &&
                             (!h.visited[i] || i == under_way(&h));
                count = dir_htg_drive(&h, due);
                memcpy(order, h.order, sizeof *order * count);
                place = 0;
            }
            assert_true(place < count);
            assert_int_equal(under_way(&h), order[place++]);
            assert_int_equal(dir_htg.learn(&h, synthetic_run(&design, &test.point), &test, NULL),
                             COL_OK);
        }
        assert_int_equal(place, count);
        dir_htg.close(&h);
    }
}

/* ---- Endings, and starting over. */

TEST(full_coverage_ends_the_search) {
    const col_engine_settings settings =
        synthetic_settings((col_range){64, 512}, (col_range){4, 32}, 1);
    synthetic_walk w = synthetic_start("htg", &settings, 3, 4);
    uint32_t tests = 0;
    for (; synthetic_step(&w); tests++)
        (void)synthetic_run(&w.design, &w.point);
    assert_int_equal(w.design.feedback.covered, SYNTHETIC_POINTS);
    assert_true(w.design.feedback.gained > 0 && tests < 72);
    synthetic_end(&w);
}

/* Round after round all points, by new programs. */
TEST(each_round_visits_all_points_by_new_programs) {
    enum { ROUND = 2 * 7, ROUNDS = 4 };
    col_hash hashes[ROUND * ROUNDS];
    col_engine_settings settings = synthetic_settings((col_range){64, 128}, (col_range){4, 8}, 2);
    settings.repeat = true;
    for (uint32_t one_in = 2; one_in < 10000; one_in *= 20) { /* all, some and nothing is covered */
        synthetic_walk w = synthetic_start("htg", &settings, 3, one_in);
        for (uint32_t round = 0; round < ROUNDS; round++) {
            col_point seen[ROUND];
            for (uint32_t i = 0; i < ROUND; i++) {
                const uint32_t test = round * ROUND + i;
                assert_true(synthetic_step(&w));
                seen[i] = w.point;
                for (uint32_t j = 0; j < i; j++)
                    assert_memory_not_equal(&seen[i], &seen[j], sizeof seen[i]);
                hashes[test] = col_program_hash(&w.program);
                for (uint32_t j = 0; j < test; j++)
                    assert_memory_not_equal(&hashes[test], &hashes[j], sizeof hashes[test]);
                (void)synthetic_run(&w.design, &w.point);
            }
        }
        synthetic_end(&w);
    }
}

/* A test that was not counted comes again. */
TEST(a_test_that_was_not_counted_is_repeated) {
    const col_engine_settings settings =
        synthetic_settings((col_range){64, 256}, (col_range){4, 16}, 5);
    synthetic_walk w = synthetic_start("htg", &settings, 9, 100);
    for (uint32_t i = 0; i < 36; i++) {
        assert_true(synthetic_step(&w));
        const col_point point = w.point;
        const col_hash hash = col_program_hash(&w.program);
        if (i % 5 == 0) {
            assert_true(synthetic_step(&w));
            const col_hash again = col_program_hash(&w.program);
            assert_memory_equal(&w.point, &point, sizeof point);
            assert_memory_equal(&again, &hash, sizeof hash);
        }
        (void)synthetic_run(&w.design, &w.point);
    }
    assert_false(synthetic_step(&w));
    synthetic_end(&w);
}

/* The hybrid engine's files: its state, the solution in it, and starting solutions. */

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

TEST(the_saved_solution_covers_what_was_covered) {
    char path[64];
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

/* ---- Starting solutions. */

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

TEST(a_search_starts_from_the_given_solution) {
    static const col_point expected[] = {{128, 8, 1}, {64, 4, 4}, {64, 4, 2}};
    char path[64], options[80];
    col_engine_settings settings = synthetic_settings((col_range){64, 256}, (col_range){4, 16}, 5);
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
TEST(unconnected_parts_of_a_space_are_all_visited) {
    char path[64], options[80];
    col_engine_settings settings = synthetic_settings((col_range){64, 128}, (col_range){12, 12}, 5);
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

TEST(bad_starting_solutions_are_refused) {
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
    {"test", "-1"},        {"test", "\"3\""},
    {"draws", "null"},     {"through", "0"},
    {"current", "null"},   {"current", "[{\"operations\": 1, \"locations\": 1, \"sets\": 1}]"},
    {"neighbour", "{}"},   {"queue", "7"},
    {"under_way", "7"},    {"known", "[{\"operations\": 64, \"locations\": 4, \"sets\": 1}]"},
    {"known", "{}"},       {"known", "[]"},
    {"hits", "[1, 2, 3]"}, {"hits", "\"\""},
    {"hits", "null"},      {"hits", "[null]"},
};

TEST(damaged_states_are_refused) {
    const col_engine_settings settings =
        synthetic_settings((col_range){64, 256}, (col_range){4, 16}, 5);
    synthetic_walk w = synthetic_start("htg", &settings, 4, 100);
    char path[64];
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
