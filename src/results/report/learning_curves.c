/* SPDX-License-Identifier: MIT */
/* Learning curves: of each trial the mean in each bin of tests, and the quartiles of these over the
 * trials of a group. */
#include "report/learned.h"
#include "report/plots.h"

#include "statistics/significance.h"

#include <math.h>
#include <stdlib.h>

/* The mean of a trial in bin `bin` of `width` tests, which its own bins divide; NAN: nothing. */
static double mean_in(const rep_learned *l, uint32_t column, uint32_t width, uint32_t bin) {
    const uint32_t ratio = width / l->width;
    double sum = 0;
    uint64_t count = 0;
    for (uint64_t i = (uint64_t)bin * ratio; i < (uint64_t)(bin + 1) * ratio && i < l->count; i++) {
        sum += (double)l->sums[column][i];
        count += l->counts[column][i];
    }
    return count == 0 ? NAN : sum / (double)count;
}

/* The widest bins of the group's trials, and how many of them the longest takes. */
static uint32_t shape_of(const rep_maker *m, uint32_t group, uint32_t *width) {
    const rep_trial *const *trials = rep_members(m, group);
    const size_t count = rep_member_count(m, group);
    uint32_t bins = 0;
    *width = 1;
    for (size_t i = 0; i < count; i++)
        if (trials[i]->learned != NULL && trials[i]->learned->width > *width)
            *width = trials[i]->learned->width;
    for (size_t i = 0; i < count; i++) {
        const rep_learned *l = trials[i]->learned;
        const uint32_t ratio = l == NULL ? 1 : *width / l->width;
        const uint32_t needed = l == NULL ? 0 : (l->count + ratio - 1) / ratio;
        if (needed > bins)
            bins = needed;
    }
    return bins;
}

/* The quartiles of one bin; false: no trial has anything there. */
static bool quartiles_in(const rep_maker *m, uint32_t group, uint32_t column, uint32_t width,
                         uint32_t bin, double *values, sta_quartiles *quartiles) {
    const rep_trial *const *trials = rep_members(m, group);
    size_t count = 0;
    for (size_t i = 0; i < rep_member_count(m, group); i++) {
        if (trials[i]->learned == NULL)
            continue;
        const double mean = mean_in(trials[i]->learned, column, width, bin);
        if (!isnan(mean))
            values[count++] = mean;
    }
    if (count == 0)
        return false;
    *quartiles = sta_summarise(values, count);
    return true;
}

static col_status fill_line(rep_maker *m, uint32_t group, uint32_t column, rep_series *series,
                            col_problem *problem) {
    uint32_t width;
    const uint32_t bins = shape_of(m, group, &width);
    double *numbers = base_arena_take(&m->report->arena, (4 * (size_t)bins + 1) * sizeof *numbers);
    double *values = malloc((rep_member_count(m, group) + 1) * sizeof *values);
    if (numbers == NULL || values == NULL) {
        free(values);
        return base_out_of_memory(problem);
    }
    double *x = numbers, *lower = x + bins, *median = lower + bins, *upper = median + bins;
    series->x = x;
    series->lower = lower;
    series->median = median;
    series->upper = upper;
    for (uint32_t bin = 0; bin < bins; bin++) {
        sta_quartiles q;
        if (!quartiles_in(m, group, column, width, bin, values, &q))
            continue;
        const size_t place = series->count++;
        x[place] = bin * (double)width + (width - 1) / 2.0;
        lower[place] = q.lower;
        median[place] = q.median;
        upper[place] = q.upper;
    }
    free(values);
    return COL_OK;
}

static bool has_learned(const rep_maker *m, uint32_t group) {
    for (size_t i = 0; i < rep_member_count(m, group); i++)
        if (rep_members(m, group)[i]->learned != NULL)
            return true;
    return false;
}

static col_status draw(rep_maker *m, const rep_scenario *s, uint32_t column, uint32_t subject,
                       size_t *capacity, col_problem *problem) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->group_count; i++)
        count += has_learned(m, s->groups[i]);
    if (count == 0)
        return COL_OK;
    rep_series *series = base_arena_take(&m->report->arena, count * sizeof *series);
    if (series == NULL)
        return base_out_of_memory(problem);
    col_status status = COL_OK;
    count = 0;
    for (uint32_t i = 0; i < s->group_count && status == COL_OK; i++) {
        if (!has_learned(m, s->groups[i]))
            continue;
        series[count] =
            (rep_series){.name = m->report->groups[s->groups[i]].contender, .group = s->groups[i]};
        status = fill_line(m, s->groups[i], column, &series[count++], problem);
    }
    if (status != COL_OK)
        return status;
    rep_plot *plot = rep_add_plot(m, capacity);
    if (plot == NULL)
        return base_out_of_memory(problem);
    plot->id = rep_print(m, "learning-%u-%s", subject + 1, rep_learned_names[column]);
    plot->title = rep_scenario_title(m, s);
    plot->about = "learning";
    plot->kind = REP_LINES;
    plot->x_title = "tests";
    plot->unit = "tests";
    plot->y_title = rep_learned_names[column];
    plot->subject = subject;
    plot->first_group = s->groups[0];
    plot->axes = s->axes;
    plot->axis_count = s->axis_count;
    plot->series = series;
    plot->series_count = count;
    plot->series_group = series[0].group;
    return COL_OK;
}

col_status rep_draw_learning(rep_maker *m, size_t *capacity, col_problem *problem) {
    col_status status = COL_OK;
    uint32_t subject = 0;
    for (uint32_t i = 0; i < m->scenario_count && status == COL_OK; i++) {
        const uint32_t before = m->report->plot_count;
        for (uint32_t column = 0; column < REP_LEARNED_COUNT && status == COL_OK; column++)
            status = draw(m, &m->scenarios[i], column, subject, capacity, problem);
        subject += m->report->plot_count > before;
    }
    return status;
}
