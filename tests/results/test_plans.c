/* SPDX-License-Identifier: MIT */
/* ctest: long-sanitized */
/*
 * The plans of the folder plans/: each can be read at both scales, every design, error and engine
 * that it names can be opened, and every figure that a paper published finds trials of the grid to
 * stand beside. The papers' tables are held against what they must satisfy themselves: a slip in
 * copying one figure shows there.
 */
#include "collider/duv.h"
#include "harness.h"
#include "results/plan/plan.h"
#include "results/plan/trial.h"
#include "results/statistics/statistic.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLANS TEST_DATA "/../../plans"
enum { MOST_PLANS = 64, MOST_OPENED = 4096 };
#ifdef REDUCED
enum { FIRST_SCALE = 1 }; /* small ones only: the same errors, fewer sizes */
#else
enum { FIRST_SCALE = 0 };
#endif

static char *names[MOST_PLANS];
static size_t name_count;

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int find_plans(void **state) {
    (void)state;
    DIR *folder = opendir(PLANS);
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".yaml") != 0)
            continue;
        assert_in_range(name_count, 0, MOST_PLANS - 1);
        names[name_count] = strdup(entry->d_name);
        assert_non_null(names[name_count]);
        names[name_count++][dot - entry->d_name] = '\0';
    }
    (void)closedir(folder);
    qsort(names, name_count, sizeof names[0], compare_names);
    return 0;
}

static int forget_plans(void **state) {
    (void)state;
    for (size_t i = 0; i < name_count; i++)
        free(names[i]);
    return 0;
}

static void read_plan(cam_plan *plan, const char *name, const char *scale) {
    char path[512];
    col_problem problem = {0};
    *plan = (cam_plan){0};
    (void)snprintf(path, sizeof path, "%s/%s.yaml", PLANS, name);
    if (cam_plan_read_file(plan, path, scale, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

/* ---- Every plan can be read. */

TEST(plans_are_read) {
    assert_true(name_count >= 15);
    for (size_t i = 0; i < name_count; i++) {
        cam_plan full, small;
        read_plan(&full, names[i], NULL);
        read_plan(&small, names[i], "small");
        assert_string_equal(full.name, names[i]); /* so that a store tells its plan's file */
        assert_string_not_equal(full.title, full.name);
        assert_true(small.trial_count > 0);
        assert_true(small.trial_count <= full.trial_count);
        assert_string_not_equal(full.hash, small.hash);
        cam_plan_free(&full);
        cam_plan_free(&small);
    }
}

/* Reports of several stores find a table by its name alone. */
TEST(published_names_are_unique) {
    char *seen[256];
    size_t count = 0;
    for (size_t i = 0; i < name_count; i++) {
        cam_plan plan;
        read_plan(&plan, names[i], NULL);
        for (uint32_t p = 0; p < plan.published_count; p++) {
            for (size_t s = 0; s < count; s++)
                assert_string_not_equal(seen[s], plan.published[p].name);
            assert_in_range(count, 0, 255);
            seen[count] = strdup(plan.published[p].name);
            assert_non_null(seen[count++]);
        }
        cam_plan_free(&plan);
    }
    while (count > 0)
        free(seen[--count]);
}

/* ---- Every design, error and engine can be opened. */

/* What was opened already, so that each is opened once. */
typedef struct opened {
    char *keys[MOST_OPENED];
    size_t count;
} opened;

static bool is_new(opened *o, const char *key) {
    for (size_t i = 0; i < o->count; i++)
        if (strcmp(o->keys[i], key) == 0)
            return false;
    assert_in_range(o->count, 0, MOST_OPENED - 1);
    o->keys[o->count] = strdup(key);
    assert_non_null(o->keys[o->count++]);
    return true;
}

static void forget(opened *o) {
    while (o->count > 0)
        free(o->keys[--o->count]);
}

static const char *or_none(const char *text) {
    return text == NULL ? "-" : text;
}

static void open_engine(const char *plan, const col_episode_settings *s, const char *mix,
                        const col_duv_description *design) {
    const col_engine_settings settings = {.threads = s->setting.design.cores,
                                          .operations = s->operations,
                                          .locations = s->locations,
                                          .sets = s->sets,
                                          .mix = mix,
                                          .options = s->engine_options,
                                          .cycles = s->cycles,
                                          .geometry = design->geometry,
                                          .seed = 1};
    col_engine *engine = NULL;
    col_problem problem = {0};
    if (col_engine_new(&engine, s->engine, &settings, &problem) != COL_OK)
        fail_msg("%s: %s", plan, problem.message);
    col_engine_free(engine);
}

/* A study of locations may have several mixes, "c0-c1 / c1". */
static void open_engines(const char *plan, const col_episode_settings *s,
                         const col_duv_description *design) {
    if (s->mix == NULL) {
        open_engine(plan, s, NULL, design);
        return;
    }
    char mix[128];
    for (const char *at = s->mix; at != NULL;) {
        const char *end = strstr(at, " / ");
        (void)snprintf(mix, sizeof mix, "%.*s",
                       (int)(end == NULL ? strlen(at) : (size_t)(end - at)), at);
        open_engine(plan, s, mix, design);
        at = end == NULL ? NULL : end + 3;
    }
}

/* The design with the error, and the design's engines: the geometry is that of the design without.
 */
static void open_trial(const char *plan, const cam_trial *trial, opened *designs, opened *engines,
                       opened *errors) {
    char key[512];
    col_problem problem = {0};
    col_episode_settings s;
    if (cam_trial_episode(trial, &s, &problem) != COL_OK)
        fail_msg("%s: %s", plan, problem.message);
    const col_setting *d = &s.setting;
    const bool is_bounded = s.tests > 0 || s.cycles > 0; /* and so the same on any machine */
    assert_true(is_bounded);
    (void)snprintf(key, sizeof key, "%s %u %s", d->design.name, d->design.cores,
                   or_none(d->design.error));
    const bool is_design_new = is_new(designs, key);
    if (d->design.error != NULL)
        (void)is_new(errors, d->design.error);
    (void)snprintf(key, sizeof key, "%s %u %s %s %s %u %u:%u %u:%u", d->design.name,
                   d->design.cores, s.engine, or_none(s.engine_options), or_none(s.mix), s.sets,
                   s.operations.least, s.operations.most, s.locations.least, s.locations.most);
    const bool is_engine_new = is_new(engines, key);
    if (!is_design_new && !is_engine_new)
        return;
    col_duv *duv = NULL;
    if (col_duv_open(&duv, d->design.name, &d->design, &problem) != COL_OK)
        fail_msg("%s: %s", plan, problem.message);
    if (is_engine_new)
        open_engines(plan, &s, col_duv_describe(duv));
    col_duv_close(duv);
}

TEST(designs_engines_and_errors_of_plans_open) {
    opened designs = {.count = 0}, engines = {.count = 0}, errors = {.count = 0};
    for (size_t i = 0; i < name_count; i++)
        for (int scale = FIRST_SCALE; scale < 2; scale++) {
            cam_plan plan;
            read_plan(&plan, names[i], scale == 0 ? NULL : "small");
            for (size_t t = 0; t < plan.trial_count; t++) {
                col_tour_settings tour;
                col_problem problem = {0};
                if (plan.trials[t].kind != CAM_TOUR)
                    open_trial(names[i], &plan.trials[t], &designs, &engines, &errors);
                else if (cam_trial_tour(&plan.trials[t], &tour, &problem) != COL_OK)
                    fail_msg("%s: %s", names[i], problem.message);
            }
            cam_plan_free(&plan);
        }
    /* Tables 3, 11, 15 and 16 of the thesis, and McVerSi's but for those of TSO-CC. */
    assert_true(errors.count >= 10 + 9 + 5 + 5 + 9);
    forget(&designs);
    forget(&engines);
    forget(&errors);
}

/* ---- Every published figure has trials. */

static bool selects(const cam_selector *selector, const cam_trial *trial) {
    return cam_selects(selector, trial->kind, trial->pairs, trial->pair_count);
}

static bool is_of_cell(const cam_published *p, uint32_t row, uint32_t column,
                       const cam_trial *trial) {
    return selects(&p->where, trial) && selects(&p->rows.list[row], trial) &&
           selects(&p->columns.list[column], trial);
}

static size_t count_cell(const cam_plan *plan, const cam_published *p, uint32_t row,
                         uint32_t column) {
    size_t count = 0;
    for (size_t t = 0; t < plan->trial_count; t++)
        count += is_of_cell(p, row, column, &plan->trials[t]);
    return count;
}

static const char *value_of(const cam_selector *selector, const char *name) {
    for (uint32_t i = 0; i < selector->count; i++)
        if (strcmp(selector->pairs[i].name, name) == 0)
            return selector->pairs[i].value;
    return NULL;
}

/* Pairs of the cell, but for those whose names the baseline has. */
static bool is_kept(const cam_published *p, const cam_selector *selector, const cam_trial *trial) {
    for (uint32_t i = 0; i < selector->count; i++) {
        const cam_selector one = {.pairs = &selector->pairs[i], .count = 1};
        if (value_of(&p->baseline, selector->pairs[i].name) == NULL && !selects(&one, trial))
            return false;
    }
    return true;
}

static size_t count_baseline(const cam_plan *plan, const cam_published *p, uint32_t row,
                             uint32_t column) {
    size_t count = 0;
    for (size_t t = 0; t < plan->trial_count; t++) {
        const cam_trial *trial = &plan->trials[t];
        count += selects(&p->baseline, trial) && is_kept(p, &p->where, trial) &&
                 is_kept(p, &p->rows.list[row], trial) &&
                 is_kept(p, &p->columns.list[column], trial);
    }
    return count;
}

/* Without scenarios a cell's trials differ in the seed alone, or the table says what else (the most
 * of all errors' runs, say): all cells of a table have as many. */
static void check_cells(const cam_plan *plan, const cam_published *p) {
    for (uint32_t r = 0; r < p->rows.count; r++)
        for (uint32_t c = 0; c < p->columns.count; c++) {
            const size_t count = count_cell(plan, p, r, c);
            if (count == 0 || (p->baseline.count > 0 && count_baseline(plan, p, r, c) == 0))
                fail_msg("%s: row %u, column %u has no trials", p->name, r + 1, c + 1);
            if (p->baseline.count > 0)
                assert_int_equal(count, count_baseline(plan, p, r, c));
            assert_int_equal(count, count_cell(plan, p, 0, 0));
        }
    for (size_t t = 0; t < plan->trial_count; t++) {
        uint32_t cells = 0;
        for (uint32_t r = 0; r < p->rows.count; r++)
            for (uint32_t c = 0; c < p->columns.count; c++)
                cells += is_of_cell(p, r, c, &plan->trials[t]);
        assert_in_range(cells, 0, 1);
    }
}

/* Coverage by a metric is that of trials whose engines were fed with it. */
static void check_metric(const cam_plan *plan, const cam_published *p) {
    const bool is_functional = p->metric != NULL && strcmp(p->metric, "functional") == 0;
    for (size_t t = 0; t < plan->trial_count && strncmp(p->statistic, "cov", 3) == 0; t++) {
        const char *fed = cam_trial_value(&plan->trials[t], "metric");
        if (is_of_cell(p, 0, 0, &plan->trials[t]))
            assert_int_equal(fed != NULL && strcmp(fed, "functional") == 0, is_functional);
    }
}

TEST(published_figures_have_trials) {
    for (size_t i = 0; i < name_count; i++) {
        cam_plan full, small;
        read_plan(&full, names[i], NULL);
        read_plan(&small, names[i], "small");
        assert_int_equal(full.published_count, small.published_count);
        for (uint32_t p = 0; p < full.published_count; p++) {
            size_t trials = 0;
            check_cells(&full, &full.published[p]);
            check_metric(&full, &full.published[p]);
            for (uint32_t r = 0; r < small.published[p].rows.count; r++)
                for (uint32_t c = 0; c < small.published[p].columns.count; c++)
                    trials += count_cell(&small, &small.published[p], r, c);
            assert_true(trials > 0); /* something to see at small scale, too */
        }
        cam_plan_free(&full);
        cam_plan_free(&small);
    }
}

/* ---- The papers' tables agree with themselves. */

static const cam_published *table(const cam_plan *plan, const char *name) {
    for (uint32_t p = 0; p < plan->published_count; p++)
        if (strcmp(plan->published[p].name, name) == 0)
            return &plan->published[p];
    fail_msg("there is no table %s", name);
    return NULL;
}

static const cam_cell *cell(const cam_published *p, uint32_t row, uint32_t column) {
    assert_true(row < p->rows.count && column < p->columns.count);
    return &p->cells[row * p->columns.count + column];
}

static void assert_near(double a, double b, double distance) {
    if (!(fabs(a - b) <= distance))
        fail_msg("%g is not %g", a, b);
}

/* Both, either or neither of two generators: all scenarios; and each generator's potential. */
TEST(exposures_add_up) {
    cam_plan plan;
    read_plan(&plan, "thesis-tables-5-8", NULL);
    const cam_published *joint = table(&plan, "thesis-table-5-joint");
    const cam_published *first = table(&plan, "thesis-table-5-only-first");
    const cam_published *second = table(&plan, "thesis-table-5-only-second");
    const cam_published *neither = table(&plan, "thesis-table-5-neither");
    const cam_published *potential = table(&plan, "thesis-table-5-potential");
    const cam_published *relative = table(&plan, "thesis-table-6-effectiveness");
    for (uint32_t r = 0; r < joint->rows.count; r++)
        for (uint32_t c = 0; c < joint->columns.count; c++) {
            const double both = cell(joint, r, c)->value;
            const double one = cell(first, r, c)->value, other = cell(second, r, c)->value;
            assert_near(both + one + other + cell(neither, r, c)->value, 1, 1e-9);
            assert_near(both + one, cell(potential, r, c + 1)->value, 1e-9);
            assert_near(both + other, cell(potential, r, 0)->value, 1e-9);
            /* where both expose it, and nowhere else, effectiveness can be compared */
            assert_int_equal(both > 0, cell(relative, r, c)->kind == CAM_CELL_VALUE);
        }
    cam_plan_free(&plan);
}

/* Effectiveness is a share of 60 tests, by which the effort is at most 60 times that of a test. */
TEST(effectiveness_is_a_share_of_sixty_tests) {
    cam_plan plan;
    read_plan(&plan, "thesis-tables-5-8", NULL);
    for (uint32_t p = 0; p < plan.published_count; p++) {
        const cam_published *t = &plan.published[p];
        for (uint32_t i = 0; i < t->rows.count * t->columns.count; i++)
            if (strcmp(t->statistic, "effectiveness") == 0)
                assert_near(t->cells[i].value, round(60 * t->cells[i].value) / 60, 0.0051);
            else if (strcmp(t->statistic, "effort") == 0)
                assert_in_range(t->cells[i].value, 8, 3300);
    }
    cam_plan_free(&plan);
}

/* The later chapter repeats the tables of the earlier one and adds a column. */
TEST(later_tables_repeat_earlier_ones) {
    static const char *const pairs[2][3] = {
        {"thesis-tables-17-19", "thesis-table-17", "thesis-table-19"},
        {"thesis-tables-18-20", "thesis-table-18", "thesis-table-20"}};
    for (int i = 0; i < 2; i++) {
        cam_plan plan;
        read_plan(&plan, pairs[i][0], NULL);
        const cam_published *before = table(&plan, pairs[i][1]), *after = table(&plan, pairs[i][2]);
        for (uint32_t r = 0; r < before->rows.count; r++)
            for (uint32_t c = 0; c < before->columns.count; c++) {
                assert_near(cell(before, r, c)->value, cell(after, r, c)->value, 0);
                assert_int_equal(cell(before, r, c)->found, cell(after, r, c)->found);
            }
        cam_plan_free(&plan);
    }
}

TEST(costs_of_tours_are_per_transition) {
    cam_plan plan;
    read_plan(&plan, "tours-table-1", NULL);
    const cam_published *cost = table(&plan, "tours-table-1-cost");
    const cam_published *per = table(&plan, "tours-table-1-cost-per-transition");
    const cam_published *transitions = table(&plan, "tours-table-1-transitions");
    for (uint32_t r = 0; r < cost->rows.count; r++)
        for (uint32_t c = 0; c < cost->columns.count; c++)
            assert_near(cell(cost, r, c)->value / cell(transitions, r, 0)->value,
                        cell(per, r, c)->value, 0.0501);
    cam_plan_free(&plan);
}

/* A bound is where not even half of the runs found the error. */
TEST(bounds_are_published_where_few_runs_found_the_error) {
    for (size_t i = 0; i < name_count; i++) {
        cam_plan plan;
        read_plan(&plan, names[i], NULL);
        for (uint32_t p = 0; p < plan.published_count; p++) {
            const cam_published *t = &plan.published[p];
            for (uint32_t c = 0; c < t->rows.count * t->columns.count; c++)
                if (t->cells[c].kind == CAM_CELL_ABOVE && t->cells[c].of > 0)
                    assert_true(2 * t->cells[c].found < t->cells[c].of);
        }
        cam_plan_free(&plan);
    }
}

int main(void) {
    return run_all_tests(find_plans, forget_plans);
}
