/* SPDX-License-Identifier: MIT */
/* Described designs and lists of hits: see support.h. */
#include "cover/support.h"

#include "cover/toy_design.h"

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint32_t random_upto(base_rng *rng, uint32_t most) {
    return (uint32_t)base_rng_below(rng, (uint64_t)most + 1);
}

static const char *const names[] = {"I", "S",  "M",   "IS_D", "-",         "%",  "%2D",
                                    "#", "a#", "end", "Load", "Store#ack", "\"", "\xc3\xa9"};
enum { NAMES = sizeof names / sizeof *names };

static void fill_machine(base_rng *rng, design *made, uint32_t number) {
    static const char *const machine_names[MOST_MACHINES] = {"L1Cache", "-", "Directory", "L#0"};
    col_duv_description *d = &made->description;
    col_duv_machine *machine = &made->machines[number];
    *machine = (col_duv_machine){.name = machine_names[number],
                                 .is_private = random_upto(rng, 1) == 0,
                                 .controllers = random_upto(rng, MOST_CONTROLLERS),
                                 .first_point = d->point_count,
                                 .point_count = random_upto(rng, MOST_POINTS)};
    if (machine->is_private && machine->controllers > 0)
        machine->controllers = d->cores;
    uint32_t pairs[NAMES * (NAMES + 1)];
    for (uint32_t i = 0; i < NAMES * (NAMES + 1); i++)
        pairs[i] = i;
    base_rng_shuffle(rng, pairs, NAMES * (NAMES + 1));
    for (uint32_t p = 0; p < machine->point_count; p++) {
        const uint32_t event = pairs[p] / NAMES;
        made->points[d->point_count++] = (col_duv_point){.state = names[pairs[p] % NAMES],
                                                         .event = event < NAMES ? names[event] : "",
                                                         .reachable = random_upto(rng, 2) > 0};
    }
}

void random_design(base_rng *rng, design *made) {
    *made = (design){.description = {.name = "a design",
                                     .cores = 1 + random_upto(rng, MOST_CONTROLLERS - 1),
                                     .geometry = {.block_bits = 6},
                                     .machine_count = random_upto(rng, MOST_MACHINES),
                                     .machines = made->machines,
                                     .points = made->points,
                                     .reachable_known = random_upto(rng, 3) > 0}};
    for (uint32_t m = 0; m < made->description.machine_count; m++)
        fill_machine(rng, made, m);
}

void shuffled_design(base_rng *rng, const design *from, design *made) {
    uint32_t machines[MOST_MACHINES], points[MOST_POINTS];
    *made = (design){.description = from->description};
    made->description.machines = made->machines;
    made->description.points = made->points;
    for (uint32_t m = 0; m < from->description.machine_count; m++)
        machines[m] = m;
    base_rng_shuffle(rng, machines, from->description.machine_count);
    uint32_t point_count = 0;
    for (uint32_t m = 0; m < from->description.machine_count; m++) {
        const col_duv_machine *old = &from->machines[machines[m]];
        made->machines[m] = *old;
        made->machines[m].first_point = point_count;
        for (uint32_t p = 0; p < old->point_count; p++)
            points[p] = p;
        base_rng_shuffle(rng, points, old->point_count);
        for (uint32_t p = 0; p < old->point_count; p++)
            made->points[point_count++] = from->points[old->first_point + points[p]];
    }
}

col_coverage *new_coverage(const design *of) {
    col_coverage *coverage;
    col_problem problem;
    if (col_coverage_new(&coverage, &of->description, &problem) != COL_OK)
        fail_msg("%s", problem.message);
    return coverage;
}

/* ---- Lists of hits. */

static bool is_same(col_metric metric, const tuple *a, const tuple *b) {
    return strcmp(a->machine, b->machine) == 0 && strcmp(a->state, b->state) == 0 &&
           strcmp(a->event, b->event) == 0 &&
           (metric == COL_STRUCTURAL || a->controller == b->controller);
}

static tuple *find_tuple(tuples *list, col_metric metric, const tuple *hit) {
    for (uint32_t i = 0; i < list->count; i++)
        if (is_same(metric, &list->items[i], hit))
            return &list->items[i];
    return NULL;
}

bool add_tuple(tuples *list, col_metric metric, const tuple *hit) {
    tuple *old = find_tuple(list, metric, hit);
    if (old != NULL)
        old->hits += hit->hits;
    else
        list->items[list->count++] = *hit;
    return old == NULL;
}

tuple tuple_of(const design *of, uint32_t machine, uint32_t controller, uint32_t point,
               uint64_t hits) {
    return (tuple){.machine = of->machines[machine].name,
                   .state = of->points[point].state,
                   .event = of->points[point].event,
                   .controller = controller,
                   .reachable = of->points[point].reachable,
                   .hits = hits};
}

col_covered tuples_covered(const tuples *list, const design *of, col_metric metric,
                           const char *machine) {
    col_covered result = {.reachable_known = of->description.reachable_known};
    for (uint32_t i = 0; i < list->count; i++) {
        if (machine != NULL && strcmp(list->items[i].machine, machine) != 0)
            continue;
        result.covered++;
        result.reached += list->items[i].reachable;
    }
    for (uint32_t m = 0; m < of->description.machine_count; m++) {
        const col_duv_machine *from = &of->machines[m];
        const uint32_t controllers = metric == COL_FUNCTIONAL ? from->controllers
                                     : from->controllers == 0 ? 0
                                                              : 1;
        for (uint32_t i = 0; i < from->point_count * controllers; i++) {
            if (machine != NULL && strcmp(from->name, machine) != 0)
                continue;
            result.total++;
            result.reachable += of->points[from->first_point + i % from->point_count].reachable;
        }
    }
    result.unexpected = result.covered - result.reached;
    result.fraction = result.total > 0 ? (double)result.covered / result.total : 0;
    result.reached_fraction = result.reachable > 0 ? (double)result.reached / result.reachable : 0;
    if (!result.reachable_known) {
        result.reached = result.reachable = result.unexpected = 0;
        result.reached_fraction = 0;
    }
    return result;
}

/* A controller's points in a row, some of them hit. */
static void hit_controller(base_rng *rng, const design *of, uint32_t machine, uint32_t controller,
                           uint64_t *hits, tuples lists[COL_METRIC_COUNT],
                           tuples own[COL_METRIC_COUNT], col_gain *gain) {
    const col_duv_machine *from = &of->machines[machine];
    const uint32_t rarity = random_upto(rng, 12);
    for (uint32_t p = from->first_point; p < from->first_point + from->point_count; p++) {
        if (random_upto(rng, rarity) != 0)
            continue;
        const uint64_t count = 1 + base_rng_below(rng, 1000);
        const tuple hit = tuple_of(of, machine, controller, p, count);
        hits[col_duv_functional(&of->description, machine, controller, p)] += count;
        for (int metric = 0; lists != NULL && metric < COL_METRIC_COUNT; metric++)
            gain->points[metric] += add_tuple(&lists[metric], (col_metric)metric, &hit);
        for (int metric = 0; own != NULL && metric < COL_METRIC_COUNT; metric++)
            (void)add_tuple(&own[metric], (col_metric)metric, &hit);
    }
}

void random_hits(base_rng *rng, const design *of, uint64_t *hits, tuples lists[COL_METRIC_COUNT],
                 tuples own[COL_METRIC_COUNT], col_gain *gain) {
    for (uint32_t m = 0; m < of->description.machine_count; m++)
        for (uint32_t c = 0; c < of->machines[m].controllers; c++)
            if (random_upto(rng, 2) == 0)
                hit_controller(rng, of, m, c, hits, lists, own, gain);
}

char *text_of(const col_coverage *coverage) {
    base_text text = {0};
    cov_write(coverage, &text);
    assert_false(text.failed);
    return text.data;
}

col_coverage *random_set(base_rng *rng, const design *of) {
    col_coverage *set = new_coverage(of);
    uint64_t *hits = calloc((size_t)col_duv_functional_count(&of->description) + 1, sizeof *hits);
    assert_non_null(hits);
    random_hits(rng, of, hits, NULL, NULL, NULL);
    (void)col_coverage_add(set, hits);
    free(hits);
    return set;
}

void assert_same_text(const col_coverage *a, const col_coverage *b) {
    char *left = text_of(a), *right = text_of(b);
    assert_string_equal(left, right);
    free(left);
    free(right);
}

static void assert_same(const col_covered *a, const col_covered *b) {
    assert_int_equal(a->covered, b->covered);
    assert_int_equal(a->total, b->total);
    assert_true(a->fraction == b->fraction);
    assert_int_equal(a->reachable_known, b->reachable_known);
    assert_int_equal(a->reached, b->reached);
    assert_int_equal(a->reachable, b->reachable);
    assert_true(a->reached_fraction == b->reached_fraction);
    assert_int_equal(a->unexpected, b->unexpected);
    assert_true(a->fraction <= 1 && a->reached_fraction <= 1);
}

static void assert_point(const col_coverage *coverage, col_scope scope, col_metric metric,
                         uint32_t number, const tuple *listed) {
    assert_int_equal(col_coverage_has(coverage, scope, metric, number), listed != NULL);
    const uint64_t hits = listed == NULL ? 0 : listed->hits;
    if (scope == COL_CUMULATIVE)
        assert_int_equal(col_coverage_hits(coverage, metric)[number], hits);
    else if (metric == COL_STRUCTURAL)
        assert_int_equal(col_coverage_own_hits(coverage)[number], hits);
}

void assert_covered(const col_coverage *coverage, col_scope scope, const design *of,
                    const tuples lists[COL_METRIC_COUNT]) {
    for (int i = 0; i < COL_METRIC_COUNT; i++) {
        const col_metric metric = (col_metric)i;
        col_covered ours = col_coverage_of(coverage, scope, metric, COL_ALL_MACHINES);
        col_covered listed = tuples_covered(&lists[i], of, metric, NULL);
        assert_same(&ours, &listed);
        for (uint32_t m = 0; m < of->description.machine_count; m++) {
            ours = col_coverage_of(coverage, scope, metric, m);
            listed = tuples_covered(&lists[i], of, metric, of->machines[m].name);
            assert_same(&ours, &listed);
        }
        static tuples copy;
        copy = lists[i];
        for (uint32_t m = 0; m < of->description.machine_count; m++)
            for (uint32_t c = 0; c < of->machines[m].controllers; c++)
                for (uint32_t p = 0; p < of->machines[m].point_count; p++) {
                    const uint32_t point = of->machines[m].first_point + p;
                    const tuple wanted = tuple_of(of, m, c, point, 0);
                    const uint32_t number = metric == COL_STRUCTURAL
                                                ? point
                                                : col_duv_functional(&of->description, m, c, point);
                    assert_point(coverage, scope, metric, number,
                                 find_tuple(&copy, metric, &wanted));
                }
    }
}

/* ---- The toy. */

col_coverage *new_toy(void) {
    col_coverage *coverage;
    assert_int_equal(col_coverage_new(&coverage, &toy_design, NULL), COL_OK);
    return coverage;
}

/* ---- Texts that are refused. */

void assert_mistake(const mistake *made, const col_problem *problem) {
    if (problem->line != made->line || problem->column != made->column ||
        strncmp(problem->message, made->message, strlen(made->message)) != 0)
        fail_msg("%s\n%u:%u: %s", made->text, problem->line, problem->column, problem->message);
}

void write_temporary(const char *content, char path[64]) {
    (void)snprintf(path, 64, "/tmp/collider-test-XXXXXX");
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, content, strlen(content)), (ssize_t)strlen(content));
    assert_int_equal(close(descriptor), 0);
}
