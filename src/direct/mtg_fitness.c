/* SPDX-License-Identifier: MIT */
/*
 * Fitness: McVerSi's adaptive coverage counts rare points alone, those that all tests before hit
 * less often than a cut-off says. When tests cover too few of them for too long, the cut-off
 * doubles: the goals move with the population.
 */
#include "base/memory.h"
#include "direct/mtg.h"

#include <stdlib.h>
#include <string.h>

col_status dir_mtg_coverage_shape(dir_mtg_coverage *coverage, uint64_t total,
                                  col_problem *problem) {
    col_status status = base_reserve(&coverage->hits, &coverage->hits_capacity, total,
                                     sizeof *coverage->hits, problem);
    if (status == COL_OK)
        status = base_reserve(&coverage->seen, &coverage->seen_capacity, total,
                              sizeof *coverage->seen, problem);
    if (status != COL_OK)
        return status;
    coverage->total = total;
    for (uint64_t i = 0; i < total; i++)
        coverage->hits[i] = coverage->seen[i] = 0;
    return COL_OK;
}

void dir_mtg_coverage_free(dir_mtg_coverage *coverage) {
    free(coverage->hits);
    free(coverage->seen);
}

/* A feedback that does not count on from the last one is of another episode. */
static void notice_episode(dir_mtg_coverage *coverage, const col_feedback *feedback) {
    if (feedback->tests <= coverage->tests)
        for (uint64_t i = 0; i < coverage->total; i++)
            coverage->seen[i] = 0;
    coverage->tests = feedback->tests;
}

/* Of the rare points, those that the last test covered. Its hits are added only afterwards: what
 * is rare does not depend on the test. */
static double take_hits(dir_mtg_coverage *coverage, const uint64_t *hits) {
    uint64_t rare = 0, covered = 0;
    for (uint64_t i = 0; i < coverage->total; i++) {
        const uint64_t own = hits[i] - coverage->seen[i];
        const bool is_rare = coverage->hits[i] < coverage->cutoff;
        rare += is_rare;
        covered += is_rare && own > 0;
        coverage->hits[i] += own;
        coverage->seen[i] = hits[i];
    }
    return rare == 0 ? 0 : (double)covered / (double)rare;
}

static void adapt(dir_mtg_coverage *coverage, const dir_mtg_parameters *parameters,
                  double fraction) {
    coverage->stalled = fraction < parameters->stall_below ? coverage->stalled + 1 : 0;
    if (coverage->stalled < parameters->stall_tests)
        return;
    coverage->stalled = 0;
    if (coverage->cutoff <= UINT64_MAX / 4)
        coverage->cutoff *= 2;
}

col_status dir_mtg_measure_coverage(dir_mtg_coverage *coverage,
                                    const dir_mtg_parameters *parameters,
                                    const col_feedback *feedback, double *fraction,
                                    col_problem *problem) {
    if (feedback->total > 0 && feedback->hits == NULL)
        return base_refuse(problem, "the feedback does not say how often points were hit");
    if (coverage->total == 0) {
        const col_status status = dir_mtg_coverage_shape(coverage, feedback->total, problem);
        if (status != COL_OK)
            return status;
    }
    if (coverage->total != feedback->total)
        return base_refuse(
            problem, "the feedback is of %llu coverage points, not of %llu as before",
            (unsigned long long)feedback->total, (unsigned long long)coverage->total);
    notice_episode(coverage, feedback);
    *fraction = take_hits(coverage, feedback->hits);
    adapt(coverage, parameters, *fraction);
    return COL_OK;
}

/* Each instance shows at most one more predecessor of an event. */
double dir_mtg_normalise(double nondeterminism, uint32_t instances) {
    if (instances < 2 || nondeterminism <= 1)
        return 0;
    return (nondeterminism - 1) / (instances - 1);
}
