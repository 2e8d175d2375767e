/* SPDX-License-Identifier: MIT */
/* Samples: see sample.h. */
#include "sample.h"
#include "units.h"

#include <stdlib.h>
#include <time.h>

const char *const designs[DESIGNS] = {"mesi3", "moesi2"};
const char *const errors[DESIGNS][ERRORS] = {{"E.5.1", "E.5.2", "E.5.3", "E.5.4", "E.5.5"},
                                             {"e.5.1", "e.5.2", "e.5.3", "e.5.4", "e.5.5"}};

/* Of this thread, which runs the whole episode. */
static double processor_seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void sample_take(const trial *t, sample *result) {
    const contender *c = t->contender;
    const double start = processor_seconds();
    col_episode_settings s;
    col_episode episode = {0};
    col_problem problem;
    col_episode_default(&s);
    s.setting.design.name = t->design;
    s.setting.design.cores = t->cores;
    s.setting.design.error = t->error;
    s.engine = c->engine;
    s.engine_options = c->options;
    s.mix = c->mix;
    if (c->operations.most != 0)
        s.operations = c->operations;
    s.metric = t->metric;
    s.seed = t->seed;
    s.seconds = 0;
    s.cycles = t->cycles;
    s.repeat = true;
    if (col_episode_run(&s, &episode, &problem) != COL_OK)
        give_up(problem.message);
    *result = (sample){.outcome = episode.outcome,
                       .cycles = episode.cycles,
                       .tests = episode.tests,
                       .seconds = episode.seconds,
                       .processor_seconds = processor_seconds() - start,
                       .curve = episode.curve,
                       .count = episode.curve_count};
    for (int m = 0; m < COL_METRIC_COUNT; m++)
        result->total[m] =
            col_coverage_of(episode.coverage, COL_CUMULATIVE, (col_metric)m, COL_ALL_MACHINES)
                .total;
    episode.curve = NULL;
    col_episode_free(&episode);
}

void sample_free(sample *s) {
    free(s->curve);
    s->curve = NULL;
}

uint32_t sample_covered(const col_curve_point *point, col_metric metric) {
    return metric == COL_STRUCTURAL ? point->structural : point->functional;
}

double sample_covered_at(const sample *s, col_metric metric, uint64_t cycles) {
    uint32_t covered = 0;
    for (size_t i = 0; i < s->count && s->curve[i].cycles <= cycles; i++)
        covered = sample_covered(&s->curve[i], metric);
    return 100.0 * covered / s->total[metric];
}
