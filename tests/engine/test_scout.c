/* SPDX-License-Identifier: MIT */
/* The engine scout: what pays is chosen, what is rare is kept, and whatever it makes is a program.
 */
#include "engine/scout.h"
#include "synthetic.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <stdio.h>
#include <string.h>

enum { TESTS = 400 };

/* ---- The bandit. */

static dir_scout_bandit two_values(double first, double second) {
    dir_scout_bandit b = {.explore = 0, .keep = 0.99};
    b.counts[DIR_SCOUT_MIX] = 2;
    for (int i = 0; i < 2; i++) {
        b.sizes[DIR_SCOUT_MIX][i] = i == 0 ? first : second;
        b.expected[DIR_SCOUT_MIX][i] = 1;
    }
    return b;
}

static uint32_t count_second(const dir_scout_bandit *b, uint32_t draws) {
    base_rng rng;
    uint32_t count = 0;
    base_rng_seed(&rng, 1, 2);
    for (uint32_t i = 0; i < draws; i++)
        count += dir_scout_choose(b, DIR_SCOUT_MIX, &rng);
    return count;
}

TEST(what_pays_is_chosen) {
    dir_scout_bandit b = two_values(1, 1);
    dir_scout_recipe recipe = {.used = 1U << DIR_SCOUT_MIX};
    assert_in_range(count_second(&b, 1000), 450, 550);
    for (int i = 0; i < 40; i++) {
        recipe.values[DIR_SCOUT_MIX] = (uint8_t)(i % 2);
        dir_scout_pay(&b, &recipe, i % 2 == 1 ? 9 : 1, 1000);
    }
    assert_in_range(count_second(&b, 1000), 900, 999);
    /* And it is forgotten when it pays no more. */
    for (int i = 0; i < 1000; i++) {
        recipe.values[DIR_SCOUT_MIX] = (uint8_t)(i % 2);
        dir_scout_pay(&b, &recipe, i % 2 == 1 ? 1 : 9, 1000);
    }
    assert_in_range(count_second(&b, 1000), 1, 100);
}

/* Of two values that pay alike, the one whose tests take nine times as long is chosen in one test
 * of ten. */
TEST(time_is_divided_not_tests) {
    const dir_scout_bandit b = two_values(1, 9);
    assert_in_range(count_second(&b, 10000), 900, 1100);
}

TEST(choices_that_a_test_did_not_use_are_not_paid) {
    dir_scout_bandit b = two_values(1, 1);
    const dir_scout_recipe recipe = {.used = 1U << DIR_SCOUT_WAY};
    dir_scout_pay(&b, &recipe, 5, 100);
    assert_true(b.arms[DIR_SCOUT_MIX][0].cost == 0);
    assert_true(b.all.cost == 100);
}

/* ---- What is kept. */

TEST(the_rarest_are_kept) {
    uint64_t count[200];
    const dir_scout_rarity rarity = {.total = 200, .tests = 9, .count = count};
    dir_scout_corpus corpus = {.count = 0};
    col_program program = COL_PROGRAM_EMPTY;
    const uint32_t length = 3;
    col_problem problem;
    for (uint32_t i = 0; i < 200; i++)
        count[i] = 1 + i;
    assert_int_equal(col_program_shape(&program, 1, &length, 1, &problem), COL_OK);
    for (uint32_t i = 0; i < 200; i++) {
        const dir_scout_kept found = {
            .program = program, .rare = {199 - i}, .rare_count = 1, .cost = 10};
        assert_int_equal(dir_scout_corpus_add(&corpus, &rarity, &found, &problem), COL_OK);
    }
    assert_int_equal(corpus.count, DIR_SCOUT_CORPUS);
    for (uint32_t i = 0; i < corpus.count; i++)
        assert_true(corpus.kept[i].rare[0] < DIR_SCOUT_CORPUS);
    dir_scout_corpus_free(&corpus);
    col_program_free(&program);
}

/* ---- Configurations. */

/* One key with two values; another one that is always the same. */
static void draw_parity(void *context, uint32_t configuration, uint8_t *values) {
    (void)context;
    values[0] = configuration % 2;
    values[1] = 3;
}

static uint32_t count_odd(const dir_scout_swarm *swarm, const dir_scout_bandit *b) {
    base_rng rng;
    uint32_t count = 0;
    base_rng_seed(&rng, 5, 6);
    for (uint32_t i = 0; i < 1000; i++)
        count += dir_scout_configure(swarm, b, &rng) % 2;
    return count;
}

TEST(configurations_that_pay_are_chosen) {
    const col_engine_settings settings = {.draws = true, .keys = 2, .drawn = draw_parity};
    const dir_scout_recipe recipe = {.used = 0};
    dir_scout_bandit b = two_values(1, 1);
    dir_scout_swarm swarm;
    dir_scout_swarm_open(&swarm, &settings);
    assert_in_range(count_odd(&swarm, &b), 450, 550);
    for (uint32_t i = 0; i < 100; i++) {
        dir_scout_swarm_pay(&swarm, &b, i, i % 2 == 1 ? 4 : 1, 1000);
        dir_scout_pay(&b, &recipe, i % 2 == 1 ? 4 : 1, 1000);
    }
    assert_in_range(count_odd(&swarm, &b), 700, 850); /* four to one */
    b.explore = 1;
    assert_in_range(count_odd(&swarm, &b), 450, 550);
}

/* Of a design that does not say what its numbers draw, any may be chosen. */
TEST(unknown_configurations_are_drawn) {
    const col_engine_settings settings = {.draws = true};
    dir_scout_bandit b = two_values(1, 1);
    dir_scout_swarm swarm;
    b.all.reward = 1;
    dir_scout_swarm_open(&swarm, &settings);
    dir_scout_swarm_pay(&swarm, &b, 7, 1, 1000);
    assert_in_range(count_odd(&swarm, &b), 450, 550);
}

TEST(it_asks_for_instances_within_the_limit) {
    uint32_t counts[6] = {0};
    col_engine_settings s = synthetic_settings((col_range){8, 20}, (col_range){4, 8}, 3);
    s.instances = 5;
    synthetic_walk w = synthetic_start("scout", &s, 5, 3);
    for (uint32_t i = 0; i < TESTS; i++) {
        assert_true(synthetic_step(&w));
        const col_request how = col_engine_request(w.engine);
        assert_in_range(how.instances, 1, 5);
        assert_false(how.is_configured);
        counts[how.instances]++;
        (void)synthetic_run(&w.design, &w.point);
    }
    assert_true(counts[1] > counts[5] && counts[2] > 0 && counts[5] > 0);
    synthetic_end(&w);
    s.instances = 0;
    w = synthetic_start("scout", &s, 5, 3);
    assert_true(synthetic_step(&w));
    assert_int_equal(col_engine_request(w.engine).instances, 0);
    synthetic_end(&w);
}

static bool asks(const char *options, uint32_t *instances) {
    col_engine_settings s = synthetic_settings((col_range){8, 20}, (col_range){4, 8}, 3);
    s.instances = 5;
    s.draws = true;
    s.keys = 2;
    s.drawn = draw_parity;
    s.options = options;
    synthetic_walk w = synthetic_start("scout", &s, 5, 3);
    assert_true(synthetic_step(&w));
    const col_request how = col_engine_request(w.engine);
    synthetic_end(&w);
    *instances = how.instances;
    return how.is_configured;
}

TEST(what_is_left_out_is_the_episodes) {
    uint32_t instances;
    assert_true(asks(NULL, &instances));
    assert_int_equal(instances, 1);
    assert_true(asks("without=instances", &instances));
    assert_int_equal(instances, 0);
    assert_false(asks("without=configuration", &instances));
    assert_int_equal(instances, 1);
}

/* ---- Sizes. */

/* Known answers, from whole numbers of any length. */
TEST(sizes_are_in_equal_ratios) {
    static const struct {
        col_range range;
        uint32_t count, sizes[DIR_SCOUT_MOST_VALUES];
    } cases[] = {
        {{7, 7}, 1, {7}},
        {{9, 10}, 2, {9, 10}},
        {{4, 512}, 8, {4, 8, 16, 32, 64, 128, 256, 512}},
        {{100, 5000}, 6, {100, 219, 478, 1046, 2287, 5000}},
        {{683, 4000000},
         11,
         {683, 1626, 3872, 9220, 21952, 52269, 124453, 296325, 705557, 1679949, 4000000}},
        {{1, 4294967294},
         11,
         {1, 9, 84, 776, 7132, 65536, 602249, 5534417, 50859008, 467373275, 4294967294}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const col_engine_settings s = synthetic_settings(cases[i].range, (col_range){4, 8}, 3);
        dir_scout_space space = {0};
        dir_scout_bandit bandit = {0};
        col_problem problem;
        assert_int_equal(dir_scout_space_open(&space, &bandit, &s, &problem), COL_OK);
        assert_int_equal(space.size_count, cases[i].count);
        assert_memory_equal(space.sizes, cases[i].sizes, cases[i].count * sizeof space.sizes[0]);
        dir_scout_space_close(&space);
    }
}

/* ---- The engine. */

static void check_tests(const col_engine_settings *settings) {
    synthetic_walk w = synthetic_start("scout", settings, 5, 3);
    col_problem problem;
    for (uint32_t i = 0; i < TESTS; i++) {
        assert_true(synthetic_step(&w));
        if (col_program_check(&w.program, &problem) != COL_OK)
            fail_msg("test %u: %s", i, problem.message);
        assert_int_equal(w.program.thread_count, settings->threads);
        assert_in_range(w.program.location_count, 0, settings->locations.most);
        (void)synthetic_run(&w.design, &w.point);
    }
    synthetic_end(&w);
}

TEST(all_it_makes_are_programs) {
    for (uint64_t seed = 1; seed <= 6; seed++) {
        col_engine_settings s = synthetic_settings((col_range){1, 200}, (col_range){1, 40}, seed);
        check_tests(&s);
        s.sets = 2;
        s.locations.least = 2;
        check_tests(&s);
    }
}

static uint32_t count_kind(const col_program *program, col_kind kind) {
    uint32_t count = 0;
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        count += program->operations[o].kind == kind;
    return count;
}

typedef struct extent {
    uint32_t least, most;
} extent;

/* The sizes of some tests that follow one another. */
static extent measure(synthetic_walk *w, uint32_t tests) {
    extent sizes = {UINT32_MAX, 0};
    for (uint32_t i = 0; i < tests; i++) {
        assert_true(synthetic_step(w));
        const uint32_t size = w->point.operations;
        sizes = (extent){size < sizes.least ? size : sizes.least,
                         size > sizes.most ? size : sizes.most};
        (void)synthetic_run(&w->design, &w->point);
    }
    return sizes;
}

TEST(only_the_first_tests_are_short) {
    for (uint64_t seed = 1; seed <= 4; seed++) {
        col_engine_settings s = synthetic_settings((col_range){64, 2048}, (col_range){4, 40}, seed);
        s.options = "vary=no";
        synthetic_walk w = synthetic_start("scout", &s, 5, 3);
        extent sizes = measure(&w, 1);
        assert_in_range(sizes.least, 64, 127);
        sizes = measure(&w, 9);
        assert_in_range(sizes.least, 128, 255);
        sizes = measure(&w, TESTS);
        assert_in_range(sizes.least, 256, 300);
        assert_in_range(sizes.most, 1024, 2048);
        synthetic_end(&w);
    }
}

enum { LONG_TESTS = 4000 };

/* How much of the time goes to long tests, in per cent, and how long the longest is. */
static uint64_t share_of_long(const char *options, uint32_t *longest) {
    col_engine_settings s = synthetic_settings((col_range){64, 1 << 16}, (col_range){4, 40}, 2);
    uint64_t all = 0, of_long = 0;
    s.options = options;
    synthetic_walk w = synthetic_start("scout", &s, 5, 3);
    *longest = 0;
    for (uint32_t i = 0; i < LONG_TESTS; i++) {
        assert_true(synthetic_step(&w));
        const uint32_t size = w.point.operations;
        const uint64_t cycles = synthetic_run(&w.design, &w.point)->cycles;
        all += cycles;
        of_long += size >= DIR_SCOUT_LONG ? cycles : 0;
        *longest = size > *longest ? size : *longest;
    }
    synthetic_end(&w);
    return 100 * of_long / all;
}

TEST(an_eighth_of_the_time_is_for_long_tests) {
    uint32_t longest;
    assert_in_range(share_of_long("vary=no", &longest), 8, 13);
    assert_int_equal(longest, 1 << 16);
    assert_in_range(share_of_long("vary=no,without=long", &longest), 0, 7);
    assert_in_range(longest, 1 << 12, 2 * DIR_SCOUT_LONG - 1);
}

/* Where the episode runs many instances of each test, as on the host, long tests cost as much more:
 * none of 32Ki operations comes before an eighth of the time pays for it. */
TEST(long_tests_wait_for_all_their_instances) {
    enum { INSTANCES = 500, SIZE = 2 * DIR_SCOUT_LONG };
    col_engine_settings s = synthetic_settings((col_range){64, 1 << 16}, (col_range){4, 40}, 2);
    uint64_t all = 0, of_long = 0;
    s.options = "vary=no";
    synthetic_walk w = synthetic_start("scout", &s, 5, 3);
    assert_true(synthetic_step(&w));
    while (w.point.operations < SIZE) {
        (void)synthetic_run(&w.design, &w.point);
        w.design.feedback.operations *= INSTANCES;
        w.design.feedback.cycles = 0;
        all += w.design.feedback.operations;
        of_long += w.point.operations >= DIR_SCOUT_LONG ? w.design.feedback.operations : 0;
        assert_true(synthetic_step(&w));
    }
    assert_true(all >= 8 * (of_long + (uint64_t)SIZE * INSTANCES));
    synthetic_end(&w);
}

/* Tests in which the four locations that are used most have at least two accesses of five. */
static uint32_t count_hot(const char *options) {
    col_engine_settings s = synthetic_settings((col_range){400, 800}, (col_range){32, 40}, 3);
    uint32_t hot = 0;
    s.options = options;
    synthetic_walk w = synthetic_start("scout", &s, 5, 3);
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t uses[40] = {0}, all = 0, most = 0;
        assert_true(synthetic_step(&w));
        for (uint32_t o = 0; o < col_program_operations(&w.program); o++) {
            const col_operation *operation = &w.program.operations[o];
            if (col_kinds[operation->kind].located) {
                uses[operation->location]++;
                all++;
            }
        }
        for (int k = 0; k < 4; k++) {
            uint32_t top = 0;
            for (uint32_t l = 1; l < 40; l++)
                top = uses[l] > uses[top] ? l : top;
            most += uses[top];
            uses[top] = 0;
        }
        hot += 5 * most >= 2 * all;
        (void)synthetic_run(&w.design, &w.point);
    }
    synthetic_end(&w);
    return hot;
}

TEST(some_tests_have_hot_locations) {
    assert_in_range(count_hot("vary=no"), 20, 90);
    assert_int_equal(count_hot("vary=no,without=heat"), 0);
}

/* What most tests hit pays next to nothing, however many such points there are. */
TEST(rare_points_pay) {
    uint64_t count[100];
    const dir_scout_rarity rarity = {.total = 100, .tests = 100, .count = count};
    double common = 0;
    for (uint32_t i = 0; i < 100; i++)
        count[i] = i == 0 ? 1 : 60;
    for (uint64_t i = 1; i < 100; i++)
        common += dir_scout_worth(&rarity, i);
    assert_true(dir_scout_worth(&rarity, 0) > 0.7);
    assert_true(common < 0.001);
}

/* But if the user wants nothing longer, all are. */
TEST(short_tests_can_be_had) {
    col_engine_settings s = synthetic_settings((col_range){8, 200}, (col_range){4, 40}, 3);
    s.options = "vary=no";
    synthetic_walk w = synthetic_start("scout", &s, 5, 3);
    const extent sizes = measure(&w, TESTS);
    assert_in_range(sizes.least, 8, 20);
    assert_in_range(sizes.most, 150, 200);
    synthetic_end(&w);
}

TEST(new_programs_use_all_threads_alike) {
    col_engine_settings s = synthetic_settings((col_range){8, 200}, (col_range){4, 40}, 3);
    s.options = "vary=no";
    synthetic_walk w = synthetic_start("scout", &s, 5, 3);
    for (uint32_t i = 0; i < 50; i++) {
        assert_true(synthetic_step(&w));
        const uint32_t each = col_program_operations(&w.program) / s.threads;
        for (uint32_t t = 0; t < s.threads; t++)
            assert_in_range(w.program.thread_start[t + 1] - w.program.thread_start[t], each,
                            each + 1);
        (void)synthetic_run(&w.design, &w.point);
    }
    synthetic_end(&w);
}

/* New programs have the operations that the user names, and delays. */
TEST(the_users_mix_is_the_only_one) {
    col_engine_settings s = synthetic_settings((col_range){50, 200}, (col_range){4, 40}, 3);
    s.mix = "load=0.7,swap=0.3";
    s.options = "vary=no";
    synthetic_walk w = synthetic_start("scout", &s, 5, 3);
    for (uint32_t i = 0; i < 50; i++) {
        assert_true(synthetic_step(&w));
        assert_int_equal(count_kind(&w.program, COL_LOAD) + count_kind(&w.program, COL_SWAP) +
                             count_kind(&w.program, COL_DELAY),
                         col_program_operations(&w.program));
        (void)synthetic_run(&w.design, &w.point);
    }
    synthetic_end(&w);
}

/* How many programs are kept once the test under way was another program. */
static size_t kept_with(json_t *saved, const char *thread, const col_engine_settings *s) {
    static const uint64_t hits[SYNTHETIC_POINTS] = {1, 1, 1};
    const col_feedback feedback = {.tests = 1, .total = SYNTHETIC_POINTS, .hits = hits};
    json_t *test = json_array_get(json_object_get(saved, "under_way"), 0);
    col_program program = COL_PROGRAM_EMPTY;
    col_point point;
    char text[200];
    col_engine *engine = synthetic_engine("scout", s);
    (void)snprintf(
        text, sizeof text,
        "collider program 1\nlocation a0 0x00000000\n"
        "thread 0\nstore a0 1\nthread 1\n%s\nthread 2\nload a0\nthread 3\nload a0\nend\n",
        thread);
    assert_int_equal(json_object_set_new(test, "program", json_string(text)), 0);
    assert_int_equal(dir_engine_restore(engine, saved, "x", NULL), COL_OK);
    for (int i = 0; i < 2; i++) /* that one again, and the next one, which follows from it */
        assert_int_equal(col_engine_next(engine, &feedback, &program, &point, NULL), COL_OK);
    json_t *after = dir_engine_save(engine, &feedback);
    const size_t kept = json_array_size(json_object_get(json_object_get(after, "state"), "corpus"));
    json_decref(after);
    col_program_free(&program);
    col_engine_free(engine);
    return kept;
}

/* A saved program that waits for a value is not one of ours, and would not survive a variation. */
TEST(foreign_programs_are_not_kept) {
    const col_engine_settings s = synthetic_settings((col_range){8, 20}, (col_range){4, 8}, 3);
    col_engine *engine = synthetic_engine("scout", &s);
    col_program program = COL_PROGRAM_EMPTY;
    col_point point;
    const col_feedback none = {.total = SYNTHETIC_POINTS};
    assert_int_equal(col_engine_next(engine, &none, &program, &point, NULL), COL_OK);
    json_t *saved = dir_engine_save(engine, &none);
    assert_int_equal(kept_with(saved, "load a0", &s), 1);
    assert_int_equal(kept_with(saved, "await a0 1", &s), 0);
    json_decref(saved);
    col_program_free(&program);
    col_engine_free(engine);
}

/* The engine makes as many tests as its window has; before it is told of the first, the next is
 * that one again. */
TEST(a_window_of_tests_is_under_way) {
    enum { FIRST = 10 }; /* eight, and one more for every fourth of them */
    static const uint64_t hits[SYNTHETIC_POINTS] = {1};
    const col_engine_settings s = synthetic_settings((col_range){8, 20}, (col_range){4, 8}, 3);
    col_engine *engine = synthetic_engine("scout", &s);
    col_program programs[2] = {COL_PROGRAM_EMPTY, COL_PROGRAM_EMPTY};
    col_point point;
    col_feedback feedback = {.total = SYNTHETIC_POINTS, .hits = hits};
    for (uint32_t i = 0; i <= FIRST; i++) {
        col_program *program = &programs[i > 0];
        assert_int_equal(col_engine_next(engine, &feedback, program, &point, NULL), COL_OK);
        assert_int_equal(i == 0 || col_program_equal(&programs[0], &programs[1]),
                         i == 0 || i == FIRST);
    }
    col_engine_free(engine);
    col_program_free(&programs[0]);
    col_program_free(&programs[1]);
}
/* What came of a test, from its number and its point alone. */
static dir_result result_of(const dir_test *test, uint64_t *hit) {
    const synthetic design = synthetic_new(7, 40);
    memset(hit, 0, (SYNTHETIC_POINTS / 64 + 1) * sizeof *hit);
    for (uint32_t i = 0; i < SYNTHETIC_POINTS; i++)
        hit[i / 64] |= (uint64_t)synthetic_covers(&design, &test->point, i) << i % 64;
    return (dir_result){.cycles = 10 * (uint64_t)test->point.operations,
                        .operations = test->point.operations,
                        .total = SYNTHETIC_POINTS,
                        .hit = hit};
}

enum { LATE_TESTS = 900, AHEAD = 300 };

/* The hashes of tests that are run by someone who counts the next one with that chance before he
 * makes another, and else only when he must. Returns how many were learned of before they counted.
 */
static uint32_t run_late(double chance, uint64_t *hashes, uint32_t *largest) {
    const col_engine_settings s = synthetic_settings((col_range){8, 4000}, (col_range){4, 8}, 3);
    col_engine *engine = synthetic_engine("scout", &s);
    col_program program = COL_PROGRAM_EMPTY;
    col_feedback feedback = {.total = SYNTHETIC_POINTS};
    dir_test *tests[LATE_TESTS], *test;
    uint64_t hit[SYNTHETIC_POINTS / 64 + 1];
    uint32_t early = 0;
    base_rng rng;
    base_rng_seed(&rng, 4, (uint64_t)(chance * 100));
    assert_int_equal(dir_engine_reserve(engine, DIR_LATE_WINDOW + AHEAD, NULL), COL_OK);
    for (uint32_t made = 0; made < LATE_TESTS;) {
        const bool is_full = made - feedback.tests == DIR_LATE_WINDOW + AHEAD;
        if (feedback.tests < made && (is_full || base_rng_unit(&rng) < chance)) {
            test = tests[feedback.tests++];
            const dir_result result = result_of(test, hit);
            assert_int_equal(dir_engine_tell(test, &result, NULL), COL_OK);
            dir_engine_count(engine);
            continue;
        }
        if ((test = dir_engine_awaits(engine)) != NULL) {
            const dir_result result = result_of(test, hit);
            assert_int_equal(dir_engine_tell(test, &result, NULL), COL_OK);
            early++;
        }
        assert_int_equal(dir_engine_choose(engine, &feedback, &test, NULL), COL_OK);
        assert_int_equal(dir_engine_make(engine, NULL, test, &program, NULL), COL_OK);
        *largest = test->point.operations > *largest ? test->point.operations : *largest;
        hashes[made] = col_program_hash(&program).low;
        tests[made++] = test;
    }
    col_program_free(&program);
    col_engine_free(engine);
    return early;
}

/* Which tests are chosen depends on tests alone, not on when the engine is told of which. */
TEST(tests_do_not_depend_on_when_others_count) {
    static uint64_t first[LATE_TESTS], other[LATE_TESTS];
    uint32_t largest = 0;
    (void)run_late(1, first, &largest);
    assert_true(largest > DIR_LAG * DIR_LATE_WINDOW); /* of which the engine learns much later */
    for (double chance = 0; chance < 0.9; chance += 0.25) {
        const uint32_t early = run_late(chance, other, &largest);
        assert_true(early > 100 || chance > 0);
        assert_memory_equal(first, other, sizeof first);
    }
}
