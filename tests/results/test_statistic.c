/* SPDX-License-Identifier: MIT */
/*
 * Statistics by name, from rows: small cells whose answers can be told by hand, and random ones
 * against going through the rows for each answer.
 */
#include "base/random.h"
#include "harness.h"
#include "results/statistics/evolution.h"
#include "results/statistics/significance.h"
#include "results/statistics/statistic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 128, TOTAL = 100 };

typedef struct cell {
    cam_row rows[MOST];
    const cam_row *list[MOST];
    size_t count;
} cell;

static cam_row *add(cell *c) {
    cam_row *row = &c->rows[c->count];
    *row = (cam_row){.key = "key",
                     .kind = CAM_EPISODE,
                     .is_done = true,
                     .ended_by = "cycles",
                     .coverage = {{.total = TOTAL}, {.total = 2 * TOTAL}}};
    c->list[c->count++] = row;
    return row;
}

static cam_answer ask_all(const cam_question *question, const cell *c, const cell *baseline) {
    cam_answer answer;
    col_problem problem = {0};
    const col_status status =
        cam_ask(question, c->list, c->count, baseline == NULL ? NULL : baseline->list,
                baseline == NULL ? 0 : baseline->count, 1, &answer, &problem);
    if (status != COL_OK)
        fail_msg("%s: %s", question->statistic, problem.message);
    if (answer.is_known)
        assert_true(answer.low <= answer.value && answer.value <= answer.high);
    return answer;
}

static cam_answer ask(const char *statistic, double at, const cell *c, const cell *baseline) {
    return ask_all(&(cam_question){.statistic = statistic, .at = at}, c, baseline);
}

static void assert_near(double is, double expected) {
    if (!(fabs(is - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g is not %.17g", is, expected);
}

static void assert_answer(cam_answer answer, double value, uint32_t found, uint32_t of) {
    assert_true(answer.is_known && !answer.is_censored);
    assert_near(answer.value, value);
    assert_int_equal(answer.found, found);
    assert_int_equal(answer.of, of);
}

/* ---- The table. */

TEST(statistics_have_units) {
    static cell none;
    size_t count = 0;
    for (; cam_statistics[count] != NULL; count++) {
        const char *name = cam_statistics[count];
        const cam_statistic *s = cam_statistic_find(name);
        assert_true(s != NULL && s->unit != NULL);
        assert_int_equal(s->is_relative && strcmp(s->unit, "fraction") != 0 &&
                             strcmp(s->unit, "cycles") != 0,
                         strcmp(s->unit, "ratio") == 0);
        assert_false(ask(name, 0.5, &none, &none).is_known);
        for (size_t i = 0; i < count; i++)
            assert_string_not_equal(name, cam_statistics[i]);
    }
    assert_true(count > 35);
    assert_null(cam_statistic_find("luck"));
    assert_true(cam_statistic_less_is_better("effort"));
    assert_false(cam_statistic_less_is_better("relative-effort"));
    assert_true(cam_statistic_less_is_better("cycles-to-overtake"));
    assert_int_equal(cam_statistic_find("coverage-at")->parts, CAM_CURVES);
    assert_int_equal(cam_statistic_find("coverage")->parts, 0);
}

TEST(unknown_names_are_refused) {
    static cell c;
    static const cam_question bad[] = {{.statistic = "luck"},
                                       {.statistic = "coverage", .at = NAN},
                                       {.statistic = "coverage", .metric = COL_METRIC_COUNT},
                                       {.statistic = "potential", .per = ""},
                                       {.statistic = "potential", .per = "ops,,cores"},
                                       {.statistic = "potential", .per = "a,b,c,d,e,f,g,h,i"},
                                       {.statistic = "coverage", .machine = "L1Cache"},
                                       {.statistic = "cost"}};
    cam_answer answer;
    col_problem problem;
    add(&c)->kind = CAM_TOUR;
    c.rows[0].result = "{broken";
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(cam_ask(&bad[i], c.list, 1, NULL, 0, 1, &answer, &problem), COL_BAD_INPUT);
        assert_true(strlen(problem.message) > 10);
    }
}

/* ---- Times to error. */

static void add_hunt(cell *c, uint64_t cycles, bool is_found, const char *ended_by) {
    cam_row *row = add(c);
    row->cycles = cycles;
    row->tests = cycles / 10;
    row->seconds = (double)cycles / 1000;
    row->ended_by = ended_by;
    if (!is_found)
        return;
    row->failure_test = row->tests;
    row->failure_cycles = cycles;
    row->failure_seconds = row->seconds;
}

TEST(errors_found_by_half_have_a_median_time) {
    static cell c;
    add_hunt(&c, 300, true, "error");
    add_hunt(&c, 1000, false, "cycles");
    add_hunt(&c, 100, true, "error");
    add_hunt(&c, 1000, false, "cycles");
    add(&c)->is_done = false; /* nothing came of it */
    assert_answer(ask("cycles-to-error", 0, &c, NULL), 300, 2, 4);
    assert_answer(ask("seconds-to-error", 0, &c, NULL), 0.3, 2, 4);
    assert_answer(ask("tests-to-error", 0, &c, NULL), 30, 2, 4);
    assert_answer(ask("found", 0, &c, NULL), 0.5, 2, 4);
    assert_answer(ask("mean-cycles-to-error", 0, &c, NULL), 200, 2, 4);
    assert_true(isinf(ask("cycles-to-error", 0, &c, NULL).high));
    add_hunt(&c, 500, true, "error"); /* a plain median from here on */
    assert_answer(ask("cycles-to-error", 0, &c, NULL), 500, 3, 5);
}

TEST(times_to_rarely_found_errors_are_censored) {
    static cell c;
    add_hunt(&c, 1000, false, "cycles");
    add_hunt(&c, 1040, false, "cycles");
    cam_answer a = ask("cycles-to-error", 0, &c, NULL);
    assert_true(a.is_known && a.is_censored && a.value == 1040 && isinf(a.high));
    a = ask("mean-cycles-to-error", 0, &c, NULL);
    assert_true(a.is_known && a.is_censored && a.value == 1020 && isinf(a.high));
    assert_answer(ask("found", 0, &c, NULL), 0, 0, 2);
    assert_true(ask("found", 0, &c, NULL).high > 0.5);
    add_hunt(&c, 10, true, "error");
    a = ask("cycles-to-error", 0, &c, NULL);
    assert_true(a.is_censored && a.value == 1040 && a.low == 10 && a.found == 1 && a.of == 3);
}

/* A short budget says little; an engine that was through says that it would never find it. */
TEST(an_exhausted_engine_is_not_a_spent_budget) {
    static cell spent, through;
    for (int i = 0; i < 3; i++) {
        add_hunt(&spent, 50, false, "tests");
        add_hunt(&through, 50, false, "engine");
    }
    add_hunt(&spent, 100, true, "error");
    add_hunt(&through, 100, true, "error");
    assert_answer(ask("cycles-to-error", 0, &spent, NULL), 100, 1, 4);
    const cam_answer a = ask("cycles-to-error", 0, &through, NULL);
    assert_true(a.is_censored && a.value == 100);
}

TEST(ratios_say_how_much_better) {
    static cell fast, slow, lost;
    for (int i = 0; i < 5; i++) {
        add_hunt(&fast, 100, true, "error");
        add_hunt(&slow, 300, true, "error");
        add_hunt(&lost, 1000, false, "cycles");
    }
    assert_answer(ask("relative-cycles-to-error", 0, &fast, &slow), 3, 5, 5);
    assert_answer(ask("relative-seconds-to-error", 0, &slow, &fast), 1 / 3.0, 5, 5);
    assert_true(ask("relative-tests-to-error", 0, &fast, &slow).high == 3);
    const cam_answer bound = ask("relative-cycles-to-error", 0, &fast, &lost);
    assert_true(bound.is_known && bound.is_censored && bound.value == 10 && isinf(bound.high));
    assert_false(ask("relative-cycles-to-error", 0, &lost, &fast).is_known);
    assert_false(ask("relative-cycles-to-error", 0, &fast, NULL).is_known);
    add_hunt(&fast, 400, true, "error");
    add_hunt(&fast, 900, true, "error");
    /* Against itself: the two are drawn one by one. */
    const cam_answer same = ask("relative-cycles-to-error", 0, &fast, &fast);
    assert_true(same.value == 1 && same.low < 1 && same.high > 1);
}

TEST(scenarios_have_errors_found) {
    static const cam_pair errors[] = {{.name = "error", .value = "D1"},
                                      {.name = "error", .value = "D2"},
                                      {.name = "error", .value = "D3"}};
    static cell c;
    for (size_t i = 0; i < 30; i++) {
        /* D1: 9 of 10, D2: 2 of 10, D3: none */
        add_hunt(&c, 100, i % 3 == 0 ? i > 0 : i % 3 == 1 ? i < 6 : false, "cycles");
        c.rows[i].pairs = &errors[i % 3];
        c.rows[i].pair_count = 1;
    }
    *add(&c) = (cam_row){.kind = CAM_EPISODE, .pairs = errors, .pair_count = 1};
    add_hunt(&c, 100, false, "cycles"); /* no error was put in: not a scenario */
    assert_answer(ask("scenarios-found", 0, &c, NULL), 2 / 3.0, 2, 3);
    assert_answer(ask("scenarios-found", 0.2, &c, NULL), 2 / 3.0, 2, 3);
    assert_answer(ask("scenarios-found", 0.9, &c, NULL), 1 / 3.0, 1, 3);
    assert_answer(ask("scenarios-found", 1, &c, NULL), 0, 0, 3);
}

/* ---- Coverage. */

enum { MOST_POINTS = 12 };
static col_curve_point curves[2][MOST][MOST_POINTS];

/* Random episodes; curves rise by whole points, ends are at the last point or later. */
static void make_cell(cell *c, size_t count, base_rng *rng, col_curve_point to[MOST][MOST_POINTS]) {
    static const char *const endings[] = {"cycles", "cycles", "tests", "engine", "error"};
    c->count = 0;
    for (size_t i = 0; i < count; i++) {
        cam_row *row = add(c);
        col_curve_point p = {0};
        const size_t points = 1 + (size_t)base_rng_below(rng, MOST_POINTS);
        for (size_t j = 0; j < points; j++) {
            p.cycles += 1 + base_rng_below(rng, 1000);
            p.seconds += base_rng_unit(rng);
            p.tests++;
            p.structural += (uint32_t)base_rng_below(rng, 9);
            p.functional += (uint32_t)base_rng_below(rng, 17);
            to[i][j] = p;
        }
        row->curve = to[i];
        row->curve_count = points;
        row->cycles = p.cycles + base_rng_below(rng, 100);
        row->seconds = p.seconds;
        row->tests = p.tests;
        row->coverage[0].covered = p.structural;
        row->coverage[1].covered = p.functional;
        row->ended_by = endings[base_rng_below(rng, 5)];
    }
}

static uint32_t covered_at(const cam_row *row, col_metric metric, size_t i) {
    return metric == COL_STRUCTURAL ? row->curve[i].structural : row->curve[i].functional;
}

static void check_final(const cell *c, col_metric metric) {
    double values[MOST];
    for (size_t i = 0; i < c->count; i++)
        values[i] = c->rows[i].coverage[metric].covered;
    const sta_quartiles q = sta_summarise(values, c->count);
    const double total = c->rows[0].coverage[metric].total;
    const cam_question covered = {.statistic = "covered", .metric = metric};
    const cam_question coverage = {.statistic = "coverage", .metric = metric};
    const cam_question most = {.statistic = "coverage-max", .metric = metric};
    assert_near(ask_all(&covered, c, NULL).value, q.median);
    assert_near(ask_all(&coverage, c, NULL).value, q.median / total);
    assert_near(ask_all(&most, c, NULL).value, q.most / total);
}

static void check_at(const cell *c, double cycles) {
    double values[MOST];
    size_t known = 0, exact = 0;
    for (size_t i = 0; i < c->count; i++) {
        const cam_row *row = &c->rows[i];
        const bool is_over = cycles > (double)row->cycles;
        if (is_over && strcmp(row->ended_by, "error") == 0)
            continue;
        values[known] = 0;
        for (size_t j = 0; j < row->curve_count; j++)
            if ((double)row->curve[j].cycles <= cycles)
                values[known] = covered_at(row, COL_STRUCTURAL, j) / (double)TOTAL;
        known++;
        exact += !is_over || strcmp(row->ended_by, "engine") == 0;
    }
    const cam_answer a = ask("coverage-at", cycles, c, NULL);
    assert_int_equal(a.is_known, known > 0);
    assert_int_equal(a.of, known);
    if (known == 0)
        return;
    assert_near(a.value, sta_summarise(values, known).median);
    assert_int_equal(a.found, exact);
    assert_int_equal(a.is_censored, 2 * (known - exact) > known);
}

static void check_to(const cell *c, uint32_t goal) {
    sta_observation o[MOST];
    size_t found = 0;
    double longest = 0;
    for (size_t i = 0; i < c->count; i++) {
        const cam_row *row = &c->rows[i];
        o[i] = (sta_observation){
            strcmp(row->ended_by, "engine") == 0 ? INFINITY : (double)row->cycles, false};
        for (size_t j = row->curve_count; j-- > 0;)
            if (row->curve[j].structural >= goal)
                o[i] = (sta_observation){(double)row->curve[j].cycles, true};
        found += o[i].is_event;
        longest = fmax(longest, (double)row->cycles);
    }
    sta_sort_observations(o, c->count);
    const double median = sta_event_quantile(o, NULL, c->count, 0.5);
    const cam_answer a = ask("cycles-to-coverage", (double)goal / TOTAL, c, NULL);
    assert_int_equal(a.is_censored, isinf(median));
    assert_near(a.value, isinf(median) ? longest : median);
    assert_int_equal(a.found, found);
}

/* From the definition: the goal, and who gets there when. */
static void check_speedup(const cell *c, const cell *base) {
    const double goal =
        fmin(ask("coverage", 0, c, NULL).value, ask("coverage", 0, base, NULL).value);
    const cam_answer a = ask("speedup-to-coverage", 0, c, base);
    if (!(goal > 0)) {
        assert_false(a.is_known);
        return;
    }
    const cam_answer ours = ask("cycles-to-coverage", goal, c, NULL);
    const cam_answer theirs = ask("cycles-to-coverage", goal, base, NULL);
    assert_int_equal(a.is_known, !ours.is_censored);
    assert_int_equal(a.is_known && a.is_censored, a.is_known && theirs.is_censored);
    if (a.is_known)
        assert_near(a.value, theirs.value / ours.value);
}

/* The median over trials of what was covered when x cycles were spent; ended ones stay. */
static double median_at(const cell *c, double x) {
    double values[MOST];
    for (size_t i = 0; i < c->count; i++) {
        const cam_row *row = &c->rows[i];
        values[i] = 0;
        for (size_t j = 0; j < row->curve_count && (double)row->curve[j].cycles <= x; j++)
            values[i] = row->curve[j].structural;
        for (size_t j = i; j > 0 && values[j - 1] > values[j]; j--) {
            const double higher = values[j - 1];
            values[j - 1] = values[j];
            values[j] = higher;
        }
    }
    return (values[(c->count - 1) / 2] + values[c->count / 2]) / 2;
}

/* From the definition, at every place where a curve rises. */
static void check_overtake(const cell *c, const cell *base) {
    const cell *both[] = {c, base};
    double below = -1, above = INFINITY;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < c->count + base->count; i++) {
            const cell *of = both[i >= c->count];
            const cam_row *row = &of->rows[i >= c->count ? i - c->count : i];
            for (size_t j = 0; j < row->curve_count; j++) {
                const double x = (double)row->curve[j].cycles;
                const double ours = median_at(c, x), theirs = median_at(base, x);
                if (pass == 0 && theirs > ours)
                    below = fmax(below, x);
                else if (pass == 1 && ours > theirs && x > below)
                    above = fmin(above, x);
            }
        }
    const cam_answer a = ask("cycles-to-overtake", 0, c, base);
    if (!a.is_known) {
        assert_true(isinf(above));
        return;
    }
    assert_int_equal(a.is_censored, isinf(above));
    if (!a.is_censored)
        assert_near(a.value, above);
}

TEST(coverage_is_what_the_rows_say) {
    enum { ROUNDS = 150 };
    static cell c, base;
    base_rng rng;
    base_rng_seed(&rng, 1, 0);
    for (int round = 0; round < ROUNDS; round++) {
        make_cell(&c, 1 + (size_t)base_rng_below(&rng, 12), &rng, curves[0]);
        make_cell(&base, 1 + (size_t)base_rng_below(&rng, 12), &rng, curves[1]);
        check_final(&c, COL_STRUCTURAL);
        check_final(&c, COL_FUNCTIONAL);
        check_at(&c, (double)base_rng_below(&rng, 8000));
        check_to(&c, 1 + (uint32_t)base_rng_below(&rng, 60));
        check_speedup(&c, &base);
        check_overtake(&c, &base);
    }
}

TEST(coverage_is_known_by_time_tests_and_budget) {
    static const col_curve_point points[] = {{0.5, 1, 0, 1000, 10, 20}, {2, 7, 0, 7000, 40, 90}};
    static const cam_pair budget = {.name = "cycles", .value = "10000"};
    static cell c;
    cam_row *row = add(&c);
    row->curve = points;
    row->curve_count = 2;
    row->cycles = 10020;
    row->tests = 9;
    row->seconds = 4;
    row->pairs = &budget;
    row->pair_count = 1;
    row->coverage[0] = (cam_extent){40, TOTAL, true, 38, 76};
    assert_answer(ask("coverage-at-seconds", 1.9, &c, NULL), 0.1, 1, 1);
    assert_answer(ask("seconds-to-coverage", 0.1, &c, NULL), 0.5, 1, 1);
    assert_answer(ask("tests-to-coverage", 0.4, &c, NULL), 7, 1, 1);
    assert_answer(ask("coverage-at-part", 0.1, &c, NULL), 0.1, 1, 1);
    assert_answer(ask("coverage-at-part", 0.7, &c, NULL), 0.4, 1, 1);
    assert_answer(ask("coverage-at-part", 1, &c, NULL), 0.4, 1, 1);
    assert_answer(ask("reached", 0, &c, NULL), 0.5, 1, 1);
    const cam_answer one = ask("coverage", 0, &c, NULL);
    assert_true(one.low == one.value && one.high == one.value);
}

/* ---- The thesis's metrics. */

static const char *const sizes[] = {"1024", "2048", "4096"};
static const char *const places[] = {"4", "8", "16", "32"};
static cam_pair pairs[2][MOST][3];

/* Each scenario has several rows, one by each mix; the last one is missing in the baseline. */
static void make_scenarios(cell *c, base_rng *rng, bool is_base) {
    c->count = 0;
    for (size_t s = 0; s < 12 - (is_base ? 1 : 0); s++)
        for (size_t mix = 0; mix < 3; mix++) {
            cam_pair *p = pairs[is_base][c->count];
            p[0] = (cam_pair){.name = "ops", .value = sizes[s / 4]};
            p[1] = (cam_pair){.name = "mix", .value = mix == 0 ? "a" : mix == 1 ? "b" : "c"};
            p[2] = (cam_pair){.name = "locations", .value = places[s % 4]};
            cam_row *row = add(c);
            row->pairs = p;
            row->pair_count = 3;
            row->tests = 10;
            row->cycles = 1000 + base_rng_below(rng, 1000);
            row->seconds = (double)row->cycles / 1e6;
            row->failing_tests = s % 3 == 0 ? 0 : base_rng_below(rng, 4);
            row->failing_cycles = row->failing_tests * 90;
            row->failing_seconds = (double)row->failing_cycles / 1e6;
        }
}

static cam_exposure sum_of(const cell *c, size_t s) {
    cam_exposure e = {0};
    for (size_t i = 0; i < c->count; i++) {
        if (strcmp(c->rows[i].pairs[0].value, sizes[s / 4]) != 0 ||
            strcmp(c->rows[i].pairs[2].value, places[s % 4]) != 0)
            continue;
        e.tests += c->rows[i].tests;
        e.failing_tests += c->rows[i].failing_tests;
        e.cost += (double)c->rows[i].cycles;
        e.failing_cost += (double)c->rows[i].failing_cycles;
    }
    return e;
}

static void check_alone(const cell *c) {
    cam_exposure e[12];
    uint32_t exposing = 0;
    for (size_t s = 0; s < 12; s++) {
        e[s] = sum_of(c, s);
        exposing += cam_is_exposing(&e[s]);
    }
    assert_answer(ask("potential", 0, c, NULL), exposing / 12.0, exposing, 12);
    assert_answer(ask("effectiveness", 0, c, NULL),
                  cam_mean_of(cam_effectiveness, false, e, NULL, NULL, 12), exposing, 12);
    const cam_answer effort = ask("effort", 0, c, NULL);
    assert_true(effort.is_censored); /* some scenarios have no more than a bound */
    assert_true(fabs(effort.value - cam_mean_of(cam_effort, false, e, NULL, NULL, 12)) <
                1e-9 * effort.value);
    assert_true(fabs(ask("effort-seconds", 0, c, NULL).value * 1e6 - effort.value) < 1e-6);
}

static void check_together(const cell *c, const cell *base) {
    static const struct {
        const char *name;
        cam_measure *measure;
    } labels[] = {{"joint", cam_joint},
                  {"only-first", cam_only_first},
                  {"only-second", cam_only_second},
                  {"neither", cam_neither}};
    cam_exposure e[11], b[11];
    for (size_t s = 0; s < 11; s++) {
        e[s] = sum_of(c, s);
        b[s] = sum_of(base, s);
    }
    for (size_t i = 0; i < 4; i++)
        assert_near(ask(labels[i].name, 0, c, base).value,
                    cam_mean_of(labels[i].measure, false, e, b, NULL, 11));
    const cam_answer effort = ask("relative-effort", 0, c, base);
    uint32_t joint = 0;
    for (size_t s = 0; s < 11; s++)
        joint += cam_is_exposing(&e[s]) && cam_is_exposing(&b[s]);
    assert_int_equal(effort.of, 11);
    assert_int_equal(effort.found, joint);
    assert_true(fabs(effort.value / cam_mean_of(cam_relative_effort, true, e, b, NULL, 11) - 1) <
                1e-9);
    assert_true(fabs(ask("relative-effort-seconds", 0, c, base).value / effort.value - 1) < 1e-9);
    assert_true(fabs(ask("relative-effectiveness", 0, c, base).value /
                         cam_mean_of(cam_relative_effectiveness, true, e, b, NULL, 11) -
                     1) < 1e-9);
}

TEST(scenarios_are_those_of_the_thesis) {
    static cell c, base;
    base_rng rng;
    base_rng_seed(&rng, 2, 0);
    for (int round = 0; round < 20; round++) {
        make_scenarios(&c, &rng, false);
        make_scenarios(&base, &rng, true);
        check_alone(&c);
        check_together(&c, &base);
        /* By size alone: three scenarios. */
        assert_int_equal(
            ask_all(&(cam_question){.statistic = "potential", .per = "ops"}, &c, NULL).of, 3);
        assert_int_equal(
            ask_all(&(cam_question){.statistic = "potential", .per = "mix,ops"}, &c, NULL).of, 9);
    }
}

/* ---- Tours and locations. */

static void add_result(cell *c, cam_kind kind, const char *result) {
    cam_row *row = add(c);
    row->kind = kind;
    row->result = result;
}

TEST(tours_are_read) {
    static cell c, base;
    add_result(&c, CAM_TOUR,
               "{\"states\": 264, \"transitions\": 5000, \"cost\": 11479, \"covered\": 4000,"
               "\"cost_per_transition\": 2.25, \"seconds\": 0.5, \"peak_bytes\": 584,"
               "\"curve\": [[0.5, 3000], [0.7, 6000], [1, 11479]]}");
    add_result(&base, CAM_TOUR, "{\"cost\": 22958, \"curve\": [[0.5, 3000]]}");
    assert_answer(ask("states", 0, &c, NULL), 264, 1, 1);
    assert_answer(ask("transitions", 0, &c, NULL), 5000, 1, 1);
    assert_answer(ask("cost", 0, &c, NULL), 11479, 1, 1);
    assert_answer(ask("cost-per-transition", 0, &c, NULL), 2.25, 1, 1);
    assert_answer(ask("tour-seconds", 0, &c, NULL), 0.5, 1, 1);
    assert_answer(ask("peak-bytes", 0, &c, NULL), 584, 1, 1);
    assert_answer(ask("coverage", 0, &c, NULL), 0.8, 1, 1);
    assert_answer(ask("cost-at", 0.7, &c, NULL), 6000, 1, 1);
    assert_answer(ask("cost-at", 0.6, &c, NULL), 6000, 1, 1);
    assert_answer(ask("relative-cost", 0, &c, &base), 2, 1, 1);
    const cam_answer never = ask("cost-at", 0.7, &base, NULL);
    assert_true(never.is_known && never.is_censored && never.value == 22958 && never.found == 0);
    assert_false(ask("states", 0, &base, NULL).is_known);
    assert_false(ask("cycles-to-error", 0, &c, NULL).is_known);
}

/* The median over scenarios of the medians of their trials, and the ratio of two such. */
TEST(locations_are_read) {
    static const double medians[] = {0.1, 0.2, 0.9, 0.4, 0.5, 0.3};
    static char texts[2][6][128];
    static cell c, base;
    for (size_t i = 0; i < 12; i++) {
        cell *to = i < 6 ? &c : &base;
        (void)snprintf(texts[i / 6][i % 6], 128,
                       "{\"machines\": [{\"name\": \"L0Cache\", \"median\": 0.5},"
                       "{\"name\": \"L1Cache\", \"median\": %g}]}",
                       medians[i % 6] * (i < 6 ? 1 : 0.5));
        add_result(to, CAM_LOCATIONS, texts[i / 6][i % 6]);
        pairs[0][i][0] = (cam_pair){.name = "ops", .value = sizes[i % 6 / 2]};
        to->rows[i % 6].pairs = pairs[0][i];
        to->rows[i % 6].pair_count = 1;
    }
    cam_question q = {.statistic = "location-coverage", .machine = "L1Cache", .per = "ops"};
    assert_answer(ask_all(&q, &c, NULL), 0.4, 3, 3); /* of 0.15, 0.65 and 0.4 */
    q.per = NULL;
    assert_answer(ask_all(&q, &c, NULL), 0.35, 6, 6);
    q.statistic = "relative-location-coverage";
    assert_near(ask_all(&q, &c, &base).value, 2);
    q.per = "ops";
    assert_near(ask_all(&q, &c, &base).value, 2);
    q.machine = "L2Cache";
    assert_false(ask_all(&q, &c, &base).is_known);
    q.machine = NULL;
    assert_near(ask_all(&q, &c, &base).value, 1);
}

/* ---- Intervals. */

TEST(intervals_follow_from_the_seed) {
    static cell c;
    base_rng rng;
    base_rng_seed(&rng, 3, 0);
    make_cell(&c, 12, &rng, curves[0]);
    cam_question q = {.statistic = "coverage"};
    cam_answer one, same, quick;
    assert_int_equal(cam_ask(&q, c.list, c.count, NULL, 0, 7, &one, NULL), COL_OK);
    assert_int_equal(cam_ask(&q, c.list, c.count, NULL, 0, 7, &same, NULL), COL_OK);
    assert_true(one.value == same.value && one.low == same.low && one.high == same.high);
    assert_true(one.low < one.value && one.value < one.high);
    q.no_interval = true;
    assert_int_equal(cam_ask(&q, c.list, c.count, NULL, 0, 7, &quick, NULL), COL_OK);
    assert_true(quick.value == one.value && quick.low == one.value && quick.high == one.value);
}
