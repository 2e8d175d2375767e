/* SPDX-License-Identifier: MIT */
/* What can be reached here: by the tests that were run, in the caches that the design has. */
#include "cover/coverage.h"

#include <assert.h>

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

static bool is_of(uint32_t machine, const cov_point *point) {
    return machine == COL_ALL_MACHINES || machine == point->machine;
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
        if (!is_of(machine, point) || points->machines[point->machine].controllers == 0 ||
            !counts(coverage, point))
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
