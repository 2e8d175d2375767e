/* SPDX-License-Identifier: MIT */
/* Logs of learning, in bins: see report_maker.h. */
#include "results/report/report_maker.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const learned_names[REP_LEARNED_COUNT] = {"reward", "loss"};

enum { COLUMN_TEST = REP_LEARNED_COUNT, COLUMN_COUNT };

/* Where each column is; UINT32_MAX: it is not there. */
static void read_header(const char *line, uint32_t columns[COLUMN_COUNT]) {
    static const char *const names[COLUMN_COUNT] = {
        [REP_REWARD] = "reward", [REP_LOSS] = "loss", [COLUMN_TEST] = "test"};
    for (uint32_t i = 0; i < COLUMN_COUNT; i++)
        columns[i] = UINT32_MAX;
    for (uint32_t column = 0;; column++) {
        const size_t length = strcspn(line, ",\r\n");
        for (uint32_t i = 0; i < COLUMN_COUNT; i++)
            if (strlen(names[i]) == length && memcmp(names[i], line, length) == 0)
                columns[i] = column;
        if (line[length] != ',')
            return;
        line += length + 1;
    }
}

/* The fields of a line that are wanted; has[i]: there is a number. Returns where the next begins.
 */
static const char *read_line(const char *line, const uint32_t columns[COLUMN_COUNT],
                             double numbers[COLUMN_COUNT], bool has[COLUMN_COUNT]) {
    memset(has, 0, COLUMN_COUNT * sizeof *has);
    for (uint32_t column = 0;; column++) {
        const size_t length = strcspn(line, ",\r\n");
        for (uint32_t i = 0; i < COLUMN_COUNT; i++)
            if (columns[i] == column) {
                const bool is_negative = *line == '-';
                has[i] = length > 0 && base_decimal_parse(line + is_negative, &numbers[i]) != NULL;
                if (has[i] && is_negative)
                    numbers[i] = -numbers[i];
            }
        line += length;
        if (*line != ',')
            break;
        line++;
    }
    line += strspn(line, "\r\n");
    return line;
}

/* Two bins become one. */
static void widen(rep_learned *l) {
    const size_t half = REP_LEARNED_BINS / 2;
    for (uint32_t c = 0; c < REP_LEARNED_COUNT; c++) {
        float *sums = l->sums[c];
        uint32_t *counts = l->counts[c];
        for (size_t i = 0; i < half; i++) {
            sums[i] = sums[2 * i] + sums[2 * i + 1];
            counts[i] = counts[2 * i] + counts[2 * i + 1];
        }
        memset(sums + half, 0, half * sizeof *sums);
        memset(counts + half, 0, half * sizeof *counts);
    }
    l->width *= 2;
    l->count = (l->count + 1) / 2;
}

const rep_learned *rep_learned_read(rep_maker *m, const char *csv) {
    const double most_test = 1e15;
    uint32_t columns[COLUMN_COUNT];
    double numbers[COLUMN_COUNT] = {0};
    bool has[COLUMN_COUNT];
    read_header(csv, columns);
    const char *line = csv + strcspn(csv, "\n");
    line += *line == '\n';
    if (columns[COLUMN_TEST] == UINT32_MAX || *line == '\0')
        return NULL;
    rep_learned *l = rep_take(m, 1, sizeof *l);
    if (l == NULL)
        return NULL;
    l->width = 1;
    for (uint32_t c = 0; c < REP_LEARNED_COUNT; c++) {
        l->sums[c] = rep_take(m, REP_LEARNED_BINS, sizeof *l->sums[c]);
        l->counts[c] = rep_take(m, REP_LEARNED_BINS, sizeof *l->counts[c]);
        if (l->sums[c] == NULL || l->counts[c] == NULL)
            return NULL;
    }
    while (*line != '\0') {
        line = read_line(line, columns, numbers, has);
        if (!has[COLUMN_TEST] || !(numbers[COLUMN_TEST] >= 0) ||
            !(numbers[COLUMN_TEST] < most_test))
            continue;
        const uint64_t test = (uint64_t)numbers[COLUMN_TEST];
        while (test / l->width >= REP_LEARNED_BINS)
            widen(l);
        const uint32_t bin = (uint32_t)(test / l->width);
        for (uint32_t c = 0; c < REP_LEARNED_COUNT; c++)
            if (has[c]) {
                l->sums[c][bin] += (float)numbers[c];
                l->counts[c][bin]++;
            }
        l->count = bin >= l->count ? bin + 1 : l->count;
    }
    return l->count == 0 ? NULL : l;
}

/* Learning curves: of each trial the mean in each bin of tests, and the quartiles of these over the
 * trials of a group. */

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

static const rep_trial *const *members_of(const rep_maker *m, uint32_t group) {
    return m->members + m->begins[group];
}

/* The widest bins of the group's trials, and how many of them the longest takes. */
static uint32_t shape_of(const rep_maker *m, uint32_t group, uint32_t *width) {
    const rep_trial *const *trials = members_of(m, group);
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
    const rep_trial *const *trials = members_of(m, group);
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

static void fill_line(rep_maker *m, uint32_t group, uint32_t column, rep_series *series) {
    uint32_t width;
    const uint32_t bins = shape_of(m, group, &width);
    double *numbers = rep_take(m, 4 * (size_t)bins, sizeof *numbers);
    if (numbers == NULL)
        return;
    double *values = malloc((rep_member_count(m, group) + 1) * sizeof *values);
    double *x = numbers, *lower = x + bins, *median = lower + bins, *upper = median + bins;
    series->x = x;
    series->lower = lower;
    series->median = median;
    series->upper = upper;
    for (uint32_t bin = 0; bin < bins && rep_has(m, values); bin++) {
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
}

static void draw(rep_maker *m, const rep_scenario *s, uint32_t column, uint32_t subject) {
    uint32_t count = 0;
    rep_series *series = NULL;
    for (uint32_t i = 0; i < s->group_count; i++) {
        const uint32_t group = s->groups[i];
        bool has_learned = false;
        for (size_t k = 0; k < rep_member_count(m, group); k++)
            has_learned |= members_of(m, group)[k]->learned != NULL;
        if (!has_learned)
            continue;
        if (series == NULL)
            series = rep_take(m, s->group_count - i, sizeof *series);
        if (series == NULL)
            return;
        series[count] = (rep_series){.name = m->report->groups[group].contender, .group = group};
        fill_line(m, group, column, &series[count++]);
    }
    rep_plot *plot = count == 0 ? NULL : rep_add_plot(m);
    if (plot == NULL)
        return;
    *plot = (rep_plot){.id = rep_print(m, "learning-%u-%s", subject + 1, learned_names[column]),
                       .title = rep_scenario_title(m, s),
                       .about = "learning",
                       .kind = REP_LINES,
                       .x_title = "tests",
                       .unit = "tests",
                       .y_title = learned_names[column],
                       .subject = subject,
                       .axes = s->axes,
                       .axis_count = s->axis_count,
                       .series = series,
                       .series_count = count,
                       .series_group = series[0].group,
                       .total = NAN,
                       .reachable = NAN};
}

void rep_draw_learning(rep_maker *m) {
    uint32_t subject = 0;
    for (size_t i = 0; i < m->scenario_count && m->status == COL_OK; i++) {
        const uint32_t before = m->report->plot_count;
        for (uint32_t column = 0; column < REP_LEARNED_COUNT; column++)
            draw(m, &m->scenarios[i], column, subject);
        subject += m->report->plot_count > before;
    }
}
