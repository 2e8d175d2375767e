/* SPDX-License-Identifier: MIT */
/* Evolution of coverage: see evolution.h. */
#include "results/statistics/evolution.h"

#include "results/store/store_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const cam_axes[CAM_AXIS_COUNT + 1] = {"cycles", "seconds", "tests", NULL};

/* Of a trial that was stopped: above all numbers of points. */
#define LEFT_OUT UINT32_MAX

/* ---- From rows. */

double cam_row_end(const cam_row *row, cam_axis axis) {
    return axis == CAM_CYCLES    ? (double)row->cycles
           : axis == CAM_SECONDS ? row->seconds
                                 : (double)row->tests;
}

cam_after cam_row_after(const cam_row *row, col_metric metric) {
    const cam_extent *extent = &row->coverage[metric];
    const char *ended_by = row->ended_by == NULL ? "" : row->ended_by;
    if (strcmp(ended_by, col_endings[COL_ENDED_BY_ENGINE]) == 0 ||
        strcmp(ended_by, col_endings[COL_ENDED_BY_PROGRAMS]) == 0 ||
        (extent->total > 0 && extent->covered >= extent->total))
        return CAM_STAYS;
    for (int i = COL_ENDED_BY_ERROR; i < COL_ENDING_COUNT; i++)
        if (strcmp(ended_by, col_endings[i]) == 0)
            return CAM_STOPPED;
    return CAM_SPENT;
}

cam_curve cam_row_curve(const cam_row *row, cam_axis axis, col_metric metric, cam_step *steps) {
    cam_store_bytes bytes = {row->packed,
                             row->packed == NULL ? NULL : row->packed + row->packed_size};
    col_curve_point point = {0};
    uint64_t microseconds = 0;
    for (size_t i = 0; i < row->curve_count; i++) {
        if (row->packed == NULL)
            point = row->curve[i];
        else if (!cam_store_unpack_point(&bytes, &point, &microseconds))
            break;
        steps[i] =
            (cam_step){.x = axis == CAM_CYCLES    ? (double)point.cycles
                            : axis == CAM_SECONDS ? point.seconds
                                                  : (double)point.tests,
                       .covered = metric == COL_STRUCTURAL ? point.structural : point.functional};
    }
    return (cam_curve){.steps = steps,
                       .count = row->curve_count,
                       .end = cam_row_end(row, axis),
                       .after = cam_row_after(row, metric)};
}

/* ---- One curve. */

bool cam_curve_at(const cam_curve *curve, double x, uint32_t *covered) {
    *covered = 0;
    for (size_t i = 0; i < curve->count && curve->steps[i].x <= x; i++)
        *covered = curve->steps[i].covered;
    return curve->after != CAM_STOPPED || x <= curve->end;
}

sta_observation cam_curve_reaches(const cam_curve *curve, uint32_t covered) {
    if (covered == 0)
        return (sta_observation){.time = 0, .is_event = true};
    for (size_t i = 0; i < curve->count; i++)
        if (curve->steps[i].covered >= covered)
            return (sta_observation){.time = curve->steps[i].x, .is_event = true};
    return (sta_observation){.time = curve->after == CAM_STAYS ? INFINITY : curve->end};
}

/* ---- The grid. */

void cam_places(double *x, size_t count, double end) {
    for (size_t i = 0; i < count; i++) {
        const double share = count > 1 ? (double)i / (double)(count - 1) : 1;
        x[i] = end * share * share;
    }
}

double cam_longest(const cam_curve *curves, size_t count) {
    double longest = 0;
    for (size_t i = 0; i < count; i++)
        longest = fmax(longest, curves[i].end);
    return longest;
}

/* ---- Quartiles. */

static int compare(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void sort_few(uint32_t *values, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const uint32_t value = values[i];
        size_t j = i;
        for (; j > 0 && values[j - 1] > value; j--)
            values[j] = values[j - 1];
        values[j] = value;
    }
}

/* Numbers of points are close to each other: with many trials counting is faster than comparing. */
static void sort_by_counting(uint32_t *values, size_t count, uint32_t least, uint32_t *room,
                             size_t range) {
    memset(room, 0, range * sizeof *room);
    for (size_t i = 0; i < count; i++)
        room[values[i] - least]++;
    for (size_t value = 0, i = 0; value < range; value++)
        for (uint32_t j = room[value]; j > 0; j--)
            values[i++] = least + (uint32_t)value;
}

enum { FEW = 32 };

static void sort_values(uint32_t *values, size_t count, uint32_t *room, size_t room_size) {
    if (count <= FEW) {
        sort_few(values, count);
        return;
    }
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    if (most - least < room_size)
        sort_by_counting(values, count, least, room, (size_t)(most - least) + 1);
    else
        qsort(values, count, sizeof *values, compare);
}

/* The definition of sta_summarise. */
static double quartile(const uint32_t *sorted, size_t count, size_t q) {
    const size_t place = (count - 1) * q, i = place / 4, rest = place % 4;
    return rest == 0 ? sorted[i]
                     : sorted[i] + (double)(sorted[i + 1] - sorted[i]) * (double)rest / 4;
}

static cam_band summarise(uint32_t *values, size_t count, uint32_t *room, size_t room_size) {
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (values[i] != LEFT_OUT)
            values[known++] = values[i];
    if (known == 0)
        return (cam_band){.lower = NAN, .median = NAN, .upper = NAN};
    sort_values(values, known, room, room_size);
    return (cam_band){.lower = quartile(values, known, 1),
                      .median = quartile(values, known, 2),
                      .upper = quartile(values, known, 3),
                      .trials = known};
}

/* values[place * count + i]: one pass over the curve and the grid together. */
static void lay_out(const cam_curve *curve, size_t i, size_t count, const double *x, size_t places,
                    uint32_t *values) {
    size_t step = 0;
    uint32_t covered = 0;
    for (size_t place = 0; place < places; place++) {
        for (; step < curve->count && curve->steps[step].x <= x[place]; step++)
            covered = curve->steps[step].covered;
        values[place * count + i] =
            (curve->after == CAM_STOPPED && x[place] > curve->end) ? LEFT_OUT : covered;
    }
}

col_status cam_evolve(const cam_curve *curves, size_t count, const double *x, size_t places,
                      cam_band *bands, col_problem *problem) {
    const size_t room_size = count > FEW ? 8 * count : 1;
    if (places > 0 && count > SIZE_MAX / 16 / places)
        return base_out_of_memory(problem);
    uint32_t *values = malloc((places * count + 1) * sizeof *values);
    uint32_t *room = malloc(room_size * sizeof *room);
    const bool is_there = values != NULL && room != NULL;
    for (size_t i = 0; is_there && i < count; i++)
        lay_out(&curves[i], i, count, x, places, values);
    for (size_t place = 0; is_there && place < places; place++)
        bands[place] = summarise(&values[place * count], count, room, room_size);
    free(values);
    free(room);
    return is_there ? COL_OK : base_out_of_memory(problem);
}

/* The thesis's metrics. */

bool cam_is_exposing(const cam_exposure *scenario) {
    return scenario->failing_tests > 0;
}

double cam_exposes(const cam_exposure *first, const cam_exposure *second) {
    (void)second;
    return cam_is_exposing(first);
}

double cam_effectiveness(const cam_exposure *first, const cam_exposure *second) {
    (void)second;
    return (double)first->failing_tests / (double)first->tests;
}

double cam_effort(const cam_exposure *first, const cam_exposure *second) {
    const uint64_t failing = first->failing_tests, passing = first->tests - failing;
    (void)second;
    if (failing == 0)
        return first->tests > 0 ? first->cost : NAN;
    /* Whole numbers: 1 / (1 / 49.0) is more than 49, and would be rounded up to 50. */
    const uint64_t before = (first->tests - 1) / failing;
    const double average = passing > 0 ? (first->cost - first->failing_cost) / (double)passing : 0;
    return (double)before * average + first->failing_cost / (double)failing;
}

double cam_joint(const cam_exposure *first, const cam_exposure *second) {
    return cam_is_exposing(first) && cam_is_exposing(second);
}

double cam_only_first(const cam_exposure *first, const cam_exposure *second) {
    return cam_is_exposing(first) && !cam_is_exposing(second);
}

double cam_only_second(const cam_exposure *first, const cam_exposure *second) {
    return cam_only_first(second, first);
}

double cam_neither(const cam_exposure *first, const cam_exposure *second) {
    return !cam_is_exposing(first) && !cam_is_exposing(second);
}

double cam_relative_effectiveness(const cam_exposure *first, const cam_exposure *second) {
    return cam_is_exposing(first) && cam_is_exposing(second)
               ? cam_effectiveness(first, NULL) / cam_effectiveness(second, NULL)
               : NAN;
}

double cam_relative_effort(const cam_exposure *first, const cam_exposure *second) {
    return cam_effort(second, NULL) / cam_effort(first, NULL);
}

/* The mean of those values that there are. */
double cam_mean_of(cam_measure *measure, bool is_geometric, const cam_exposure *first,
                   const cam_exposure *second, const uint32_t *counts, size_t count) {
    double sum = 0, weight = 0;
    for (size_t i = 0; i < count; i++) {
        const double value = measure(&first[i], second == NULL ? NULL : &second[i]);
        const double here = is_geometric ? log(value) : value,
                     times = counts == NULL ? 1 : counts[i];
        if (!isfinite(here) || !(times > 0))
            continue;
        sum += here * times;
        weight += times;
    }
    return is_geometric ? exp(sum / weight) : sum / weight; /* NAN of none */
}

/* Other budgets. */

/* A foreign store may hold any numbers. */
static uint64_t whole(double number) {
    return number < 0x1p63 ? (uint64_t)number : UINT64_MAX / 2;
}

uint64_t cam_paid(uint64_t cycles, double price, uint64_t tests) {
    return cycles + whole(price * (double)tests);
}

void cam_charge(cam_row *row, double price, col_curve_point *curve) {
    row->cycles = cam_paid(row->cycles, price, row->tests);
    row->failing_cycles = cam_paid(row->failing_cycles, price, row->failing_tests);
    row->failure_cycles = cam_paid(row->failure_cycles, price, row->failure_test);
    for (size_t i = 0; curve != NULL && i < row->curve_count; i++)
        curve[i].cycles = cam_paid(curve[i].cycles, price, curve[i].tests);
}

static uint64_t between(uint64_t from, uint64_t to, double part) {
    return to > from ? from + whole(part * (double)(to - from)) : from;
}

void cam_end_after(cam_row *row, uint64_t cycles) {
    if (row->kind != CAM_EPISODE || !row->is_done || row->cycles <= cycles)
        return;
    if (row->curve_count == 0) {
        row->is_done = false;
        row->reason = "the store has no curve of its coverage";
        return;
    }
    size_t kept = 0;
    while (kept < row->curve_count && row->curve[kept].cycles <= cycles)
        kept++;
    const col_curve_point last = {.seconds = row->seconds,
                                  .tests = row->tests,
                                  .operations = row->operations,
                                  .cycles = row->cycles};
    const col_curve_point from = kept > 0 ? row->curve[kept - 1] : (col_curve_point){0};
    const col_curve_point to = kept < row->curve_count ? row->curve[kept] : last;
    const double part = (double)(cycles - from.cycles) / (double)(to.cycles - from.cycles);
    const uint64_t all = row->tests;
    row->seconds = from.seconds + part * (to.seconds - from.seconds);
    row->tests = between(from.tests, to.tests, part);
    row->operations = between(from.operations, to.operations, part);
    row->instances = all == 0 ? 0 : between(0, row->instances, (double)row->tests / (double)all);
    row->cycles = cycles;
    row->curve_count = kept;
    row->ended_by = col_endings[COL_ENDED_BY_CYCLES];
    /* A curve does not say which points are reachable: it is known only if everything covered in
     * the end was. */
    for (int m = 0; m < COL_METRIC_COUNT; m++) {
        cam_extent *extent = &row->coverage[m];
        extent->reachable_known = extent->reachable_known && extent->reached == extent->covered;
        extent->covered = m == COL_STRUCTURAL ? from.structural : from.functional;
        extent->reached = extent->covered;
    }
    if (row->failure_cycles <= cycles)
        return;
    row->verdict = col_outcomes[row->undecided > 0 ? COL_UNJUDGED : COL_PASS];
    row->reason = NULL;
    row->failing_tests = row->failing_cycles = 0;
    row->failing_seconds = 0;
    row->failure_test = row->failure_cycles = 0;
    row->failure_instance = 0;
    row->failure_seconds = 0;
}
