/* SPDX-License-Identifier: MIT */
/* Evolution of coverage: see evolution.h. */
#include "campaign/evolution.h"

#include "campaign/store_parts.h"

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

static double place_of(const col_curve_point *point, cam_axis axis) {
    return axis == CAM_CYCLES    ? (double)point->cycles
           : axis == CAM_SECONDS ? point->seconds
                                 : (double)point->tests;
}

static cam_step step_of(const col_curve_point *point, cam_axis axis, col_metric metric) {
    return (cam_step){.x = place_of(point, axis),
                      .covered = metric == COL_STRUCTURAL ? point->structural : point->functional};
}

cam_curve cam_row_curve(const cam_row *row, cam_axis axis, col_metric metric, cam_step *steps) {
    cam_store_bytes bytes = {row->packed,
                             row->packed == NULL ? NULL : row->packed + row->packed_size};
    col_curve_point point = {0};
    uint64_t microseconds = 0;
    for (size_t i = 0; i < row->curve_count; i++)
        if (row->packed == NULL)
            steps[i] = step_of(&row->curve[i], axis, metric);
        else if (cam_store_unpack_point(&bytes, &point, &microseconds))
            steps[i] = step_of(&point, axis, metric);
    return (cam_curve){.steps = steps,
                       .count = row->curve_count,
                       .end = cam_row_end(row, axis),
                       .after = cam_row_after(row, metric)};
}

/* ---- One curve. */

static bool is_left_out(const cam_curve *curve, double x) {
    return curve->after == CAM_STOPPED && x > curve->end;
}

bool cam_curve_at(const cam_curve *curve, double x, uint32_t *covered) {
    *covered = 0;
    for (size_t i = 0; i < curve->count && curve->steps[i].x <= x; i++)
        *covered = curve->steps[i].covered;
    return !is_left_out(curve, x);
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

void cam_grid(double *x, size_t count, double end) {
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

double cam_known_to(const cam_curve *curves, size_t count) {
    double known_to = INFINITY;
    for (size_t i = 0; i < count; i++)
        if (curves[i].after != CAM_STAYS)
            known_to = fmin(known_to, curves[i].end);
    return known_to;
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
        values[place * count + i] = is_left_out(curve, x[place]) ? LEFT_OUT : covered;
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
