/* SPDX-License-Identifier: MIT */
/*
 * The cumulative set and the test's own coverage. Adding is done after every instance: a pass over
 * the hits that skips zeros eight at a time, some nanoseconds for each point that was hit, and
 * more only for points that are new.
 */
#include "cover/coverage.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP = 8 };

const char *const col_metrics[COL_METRIC_COUNT + 1] = {
#define WORD(name, word) [name] = (word),
    COL_METRICS(WORD)
#undef WORD
};

/* ---- Making. */

static col_status make(col_coverage *c, const col_duv_description *description,
                       col_problem *problem) {
    BASE_TRY(cov_points_take(&c->points, description, problem));
    const size_t machines = (size_t)c->points.machine_count + 1;
    base_arena *arena = &c->points.arena;
    for (int metric = 0; metric < COL_METRIC_COUNT; metric++) {
        const size_t count = c->points.count[metric];
        const base_part parts[] = {BASE_PART(c->hits[metric], count),
                                   BASE_PART(c->order[metric], count),
                                   BASE_PART(c->tally[COL_CUMULATIVE].covered[metric], machines),
                                   BASE_PART(c->tally[COL_CUMULATIVE].reached[metric], machines),
                                   BASE_PART(c->tally[COL_OWN].covered[metric], machines),
                                   BASE_PART(c->tally[COL_OWN].reached[metric], machines),
                                   {0}};
        BASE_TRY(base_arena_divide(arena, parts, problem));
    }
    c->own_words = c->points.count[COL_FUNCTIONAL] / 64 + 1;
    const base_part own[] = {BASE_PART(c->own_set, c->own_words),
                             BASE_PART(c->first, c->points.count[COL_FUNCTIONAL]),
                             BASE_PART(c->own_hits, c->points.count[COL_STRUCTURAL]),
                             BASE_PART(c->tests, c->points.count[COL_STRUCTURAL]),
                             {0}};
    return base_arena_divide(arena, own, problem);
}

col_status col_coverage_new(col_coverage **coverage, const col_duv_description *description,
                            col_problem *problem) {
    *coverage = NULL;
    col_coverage *made = NULL;
    BASE_TRY(base_new(&made, 1, sizeof *made, problem));
    const col_status status = make(made, description, problem);
    if (status == COL_OK)
        *coverage = made;
    else
        col_coverage_free(made);
    return status;
}

void col_coverage_free(col_coverage *coverage) {
    if (coverage == NULL)
        return;
    cov_points_free(&coverage->points);
    free(coverage);
}

/* ---- Adding. */

/* A point of this transition is covered for the first time. */
static void count_point(const col_coverage *coverage, col_scope scope, col_metric metric,
                        uint32_t transition) {
    const cov_tally *tally = &coverage->tally[scope];
    const cov_point *point = &coverage->points.points[transition];
    const uint32_t all = coverage->points.machine_count;
    tally->covered[metric][point->machine]++;
    tally->covered[metric][all]++;
    if (!point->reachable)
        return;
    tally->reached[metric][point->machine]++;
    tally->reached[metric][all]++;
}

static void hit_metric(col_coverage *coverage, col_metric metric, uint32_t point,
                       uint32_t transition, uint64_t hits, col_gain *gain) {
    uint64_t *const total = &coverage->hits[metric][point];
    if (*total == 0) {
        const uint32_t *covered = coverage->tally[COL_CUMULATIVE].covered[metric];
        coverage->order[metric][covered[coverage->points.machine_count]] = point;
        count_point(coverage, COL_CUMULATIVE, metric, transition);
        gain->points[metric]++;
    }
    *total = cov_sum(*total, hits);
}

/* The earlier of two; one that is not known counts last. */
static cov_first earlier(cov_first a, cov_first b) {
    const bool is_b = b.test > 0 && (a.test == 0 || b.test < a.test ||
                                     (b.test == a.test && b.instance < a.instance));
    return is_b ? b : a;
}

static void hit(col_coverage *coverage, uint32_t point, uint64_t hits, cov_first first,
                col_gain *gain) {
    coverage->first[point] = earlier(coverage->first[point], first);
    const uint32_t transition = coverage->points.transition_of[point];
    hit_metric(coverage, COL_FUNCTIONAL, point, transition, hits, gain);
    hit_metric(coverage, COL_STRUCTURAL, transition, transition, hits, gain);
}

/* By the test that has begun. */
static void add_own(col_coverage *coverage, uint32_t point, uint64_t hits, col_gain *gain) {
    const uint32_t transition = coverage->points.transition_of[point];
    uint64_t *const word = &coverage->own_set[point / 64], bit = (uint64_t)1 << point % 64;
    if ((*word & bit) == 0)
        count_point(coverage, COL_OWN, COL_FUNCTIONAL, transition);
    *word |= bit;
    uint64_t *const total = &coverage->own_hits[transition];
    if (*total == 0) {
        count_point(coverage, COL_OWN, COL_STRUCTURAL, transition);
        coverage->tests[transition]++;
    }
    *total = cov_sum(*total, hits);
    hit(coverage, point, hits, coverage->now, gain);
}

static void add_group(col_coverage *coverage, uint64_t *hits, uint32_t first, uint32_t count,
                      col_gain *gain) {
    for (uint32_t point = first; point < first + count; point++) {
        if (hits[point] == 0)
            continue;
        add_own(coverage, point, hits[point], gain);
        hits[point] = 0;
    }
}

col_gain cov_add(col_coverage *coverage, const cov_hit *hits, size_t count) {
    col_gain gain = {{0}};
    coverage->now.instance++;
    for (size_t i = 0; i < count; i++)
        add_own(coverage, hits[i].point, hits[i].count, &gain);
    return gain;
}

void cov_mark(const col_coverage *coverage, col_metric metric, const cov_hit *hits, size_t count,
              uint64_t *bits) {
    for (size_t i = 0; i < count; i++) {
        const uint32_t point = metric == COL_FUNCTIONAL
                                   ? hits[i].point
                                   : coverage->points.transition_of[hits[i].point];
        bits[point / 64] |= UINT64_C(1) << point % 64;
    }
}

static bool is_zero(const uint64_t *hits) {
    uint64_t any = 0;
    for (int i = 0; i < GROUP; i++)
        any |= hits[i];
    return any == 0;
}

col_gain col_coverage_add(col_coverage *coverage, uint64_t *hits) {
    const uint32_t count = coverage->points.count[COL_FUNCTIONAL];
    col_gain gain = {{0}};
    uint32_t first = 0;
    coverage->now.instance++;
    for (; first + GROUP <= count; first += GROUP)
        if (!is_zero(hits + first))
            add_group(coverage, hits, first, GROUP, &gain);
    add_group(coverage, hits, first, count - first, &gain);
    return gain;
}

void cov_count_from(col_coverage *coverage, uint64_t tests) {
    coverage->now = (cov_first){.test = tests};
}

cov_first cov_first_of(const col_coverage *coverage, uint32_t point) {
    cov_first least = {0};
    for (uint32_t i = 0; i < coverage->points.count[COL_FUNCTIONAL]; i++)
        if (coverage->points.transition_of[i] == point)
            least = earlier(least, coverage->first[i]);
    return least;
}

void col_coverage_begin(col_coverage *coverage) {
    cov_count_from(coverage, coverage->now.test + 1);
    const size_t machines = (size_t)coverage->points.machine_count + 1;
    for (int metric = 0; metric < COL_METRIC_COUNT; metric++) {
        memset(coverage->tally[COL_OWN].covered[metric], 0, machines * sizeof(uint32_t));
        memset(coverage->tally[COL_OWN].reached[metric], 0, machines * sizeof(uint32_t));
    }
    memset(coverage->own_set, 0, coverage->own_words * sizeof(uint64_t));
    memset(coverage->own_hits, 0, coverage->points.count[COL_STRUCTURAL] * sizeof(uint64_t));
}

/* ---- Merging. */

void cov_merge_hits(col_coverage *coverage, const uint64_t *hits, const cov_first *first,
                    col_gain *gain) {
    for (uint32_t point = 0; point < coverage->points.count[COL_FUNCTIONAL]; point++)
        if (hits[point] > 0)
            hit(coverage, point, hits[point], first[point], gain);
}

/* What was taken in other caches says nothing of these. The same points may have other numbers
 * there: in the order of names they are the same. */
static void forget_unless_same(cov_points *ours, const cov_points *theirs) {
    bool is_same = ours->taken_known == theirs->taken_known;
    for (uint32_t i = 0; i < ours->count[COL_FUNCTIONAL] && is_same; i++)
        is_same = ours->points[ours->transition_of[ours->by_name[i]]].taken_here ==
                  theirs->points[theirs->transition_of[theirs->by_name[i]]].taken_here;
    for (uint32_t p = 0; p < ours->count[COL_STRUCTURAL] && !is_same; p++)
        ours->points[p].taken_here = false;
    ours->taken_known = ours->taken_known && is_same;
}

col_status col_coverage_merge(col_coverage *coverage, const col_coverage *other, col_gain *gain,
                              col_problem *problem) {
    const cov_points *ours = &coverage->points, *theirs = &other->points;
    col_gain unwanted = {{0}};
    gain = gain == NULL ? &unwanted : gain;
    *gain = (col_gain){{0}};
    if (ours->hash.high != theirs->hash.high || ours->hash.low != theirs->hash.low)
        return base_refuse(problem,
                           "coverage of %s with %u core%s does not merge with that of %s with %u: "
                           "they have different points",
                           theirs->design, theirs->cores, base_plural(theirs->cores), ours->design,
                           ours->cores);
    coverage->brought |= other->brought;
    forget_unless_same(&coverage->points, theirs);
    for (uint32_t i = 0; i < ours->count[COL_FUNCTIONAL]; i++) {
        const uint64_t hits = other->hits[COL_FUNCTIONAL][theirs->by_name[i]];
        if (hits > 0)
            hit(coverage, ours->by_name[i], hits, other->first[theirs->by_name[i]], gain);
    }
    return COL_OK;
}

/* ---- Asking. */

/* A machine without controllers is not a part of the design. */
static uint32_t copies_of(const cov_machine *machine, col_metric metric) {
    return metric == COL_FUNCTIONAL ? machine->controllers : machine->controllers > 0;
}

static double fraction_of(uint32_t part, uint32_t whole) {
    return whole == 0 ? 0.0 : (double)part / (double)whole;
}

col_covered col_coverage_of(const col_coverage *coverage, col_scope scope, col_metric metric,
                            uint32_t machine) {
    const cov_points *points = &coverage->points;
    const bool is_all = machine == COL_ALL_MACHINES;
    assert(is_all || machine < points->machine_count);
    const uint32_t first = is_all ? 0 : machine, end = is_all ? points->machine_count : machine + 1;
    const uint32_t place = is_all ? points->machine_count : machine;
    col_covered result = {.covered = coverage->tally[scope].covered[metric][place],
                          .reachable_known = points->reachable_known};
    for (uint32_t m = first; m < end; m++)
        result.total += points->machines[m].point_count * copies_of(&points->machines[m], metric);
    result.fraction = fraction_of(result.covered, result.total);
    if (!result.reachable_known)
        return result;
    result.reached = coverage->tally[scope].reached[metric][place];
    for (uint32_t m = first; m < end; m++)
        result.reachable +=
            points->machines[m].reachable_count * copies_of(&points->machines[m], metric);
    result.reached_fraction = fraction_of(result.reached, result.reachable);
    result.unexpected = result.covered - result.reached;
    return result;
}

bool col_coverage_has(const col_coverage *coverage, col_scope scope, col_metric metric,
                      uint32_t point) {
    assert(point < coverage->points.count[metric]);
    if (scope == COL_CUMULATIVE)
        return coverage->hits[metric][point] > 0;
    if (metric == COL_STRUCTURAL)
        return coverage->own_hits[point] > 0;
    return (coverage->own_set[point / 64] >> point % 64 & 1) != 0;
}

const uint64_t *col_coverage_hits(const col_coverage *coverage, col_metric metric) {
    return coverage->hits[metric];
}

const uint64_t *col_coverage_own_hits(const col_coverage *coverage) {
    return coverage->own_hits;
}

uint64_t *cov_tests(col_coverage *coverage) {
    return coverage->tests;
}

cov_incidence cov_incidence_of(const col_coverage *coverage, uint64_t tests) {
    const col_here here = col_coverage_here(coverage, COL_STRUCTURAL, COL_ALL_MACHINES);
    cov_incidence incidence = {.tests = tests, .left = here.total - here.covered};
    for (uint32_t p = 0; p < coverage->points.count[COL_STRUCTURAL]; p++) {
        const uint64_t n = coverage->tests[p];
        if (n > 0 && (incidence.least == 0 || n < incidence.least))
            incidence.least = n;
        if (n > 0 && n <= COV_FEW)
            incidence.hit_by[n - 1]++;
    }
    return incidence;
}

const uint32_t *col_coverage_order(const col_coverage *coverage, col_metric metric,
                                   uint32_t *count) {
    *count = coverage->tally[COL_CUMULATIVE].covered[metric][coverage->points.machine_count];
    return coverage->order[metric];
}

col_hash col_coverage_points(const col_coverage *coverage) {
    return coverage->points.hash;
}

const char *col_coverage_machine(const col_coverage *coverage, uint32_t machine) {
    return machine < coverage->points.machine_count ? coverage->points.machines[machine].name
                                                    : NULL;
}

/* What can be reached here: by the tests that were run, in the caches that the design has. */

void col_coverage_bring(col_coverage *coverage, uint32_t brought) {
    coverage->brought |= brought;
}

uint32_t col_coverage_brought(const col_coverage *coverage) {
    return coverage->brought;
}

static bool is_here(const col_coverage *coverage, const cov_point *point) {
    return (point->reachable || !coverage->points.reachable_known) &&
           (point->needs & ~coverage->brought) == 0;
}

/* Of all points for which `counts` holds. */
static col_here count_points(const col_coverage *coverage, col_metric metric, uint32_t machine,
                             bool counts(const col_coverage *, const cov_point *)) {
    const cov_points *points = &coverage->points;
    col_here here = {.known = false};
    assert(machine == COL_ALL_MACHINES || machine < points->machine_count);
    for (uint32_t i = 0; i < points->count[metric]; i++) {
        const cov_point *point =
            &points->points[metric == COL_FUNCTIONAL ? points->transition_of[i] : i];
        if ((machine != COL_ALL_MACHINES && machine != point->machine) ||
            points->machines[point->machine].controllers == 0 || !counts(coverage, point))
            continue;
        here.total++;
        here.covered += coverage->hits[metric][i] > 0;
    }
    here.fraction = here.total == 0 ? 0.0 : (double)here.covered / (double)here.total;
    return here;
}

col_here col_coverage_here(const col_coverage *coverage, col_metric metric, uint32_t machine) {
    col_here here = count_points(coverage, metric, machine, is_here);
    here.known = coverage->points.needs_known;
    return here;
}

/* What these tests have taken is known, too. */
static bool is_known_here(const col_coverage *coverage, const cov_point *point) {
    return coverage->hits[COL_STRUCTURAL][point - coverage->points.points] > 0 ||
           (point->taken_here && is_here(coverage, point));
}

col_here col_coverage_known_here(const col_coverage *coverage, col_metric metric,
                                 uint32_t machine) {
    col_here here = count_points(coverage, metric, machine, is_known_here);
    here.known = coverage->points.taken_known;
    return here;
}

bool cov_is_known_here(const col_coverage *coverage, uint32_t point) {
    return is_known_here(coverage, &coverage->points.points[point]);
}

bool col_coverage_point(const col_coverage *coverage, uint32_t number, col_point_facts *facts) {
    const cov_points *points = &coverage->points;
    if (number >= points->count[COL_STRUCTURAL])
        return false;
    const cov_point *point = &points->points[number];
    const cov_machine *machine = &points->machines[point->machine];
    *facts = (col_point_facts){.machine = machine->name,
                               .state = point->state,
                               .event = point->event,
                               .machine_number = point->machine,
                               .hits = coverage->hits[COL_STRUCTURAL][number],
                               .counts = machine->controllers > 0,
                               .reachable = point->reachable || !points->reachable_known,
                               .unmet = point->needs & ~coverage->brought,
                               .file = point->file,
                               .line = point->line};
    return true;
}

const char *col_coverage_level(const col_coverage *coverage, uint32_t level) {
    return level < coverage->points.level_count ? coverage->points.levels[level] : NULL;
}

const char *col_coverage_design(const col_coverage *coverage, uint32_t *cores) {
    *cores = coverage->points.cores;
    return coverage->points.design;
}
