/* SPDX-License-Identifier: MIT */
/* When the median coverage of the trials comes to be above the baseline's: see statistic_sample.h.
 */
#include "base/memory.h"
#include "campaign/statistic_sample.h"

#include <math.h>
#include <stdlib.h>

/* The curves of all trials of both groups, and the places at which one of them rises. */
typedef struct contest {
    cam_curve *curves; /* ours, then the baseline's */
    size_t ours, theirs;
    cam_step *steps; /* of all curves */
    double *places;
    size_t place_count;
    cam_band *bands; /* ours at every place, then the baseline's */
} contest;

static size_t count_steps(const cam_row *const *rows, size_t count) {
    size_t steps = 0;
    for (size_t i = 0; i < count; i++)
        steps += rows[i]->curve_count;
    return steps;
}

static size_t add_curves(const cam_asking *asking, const cam_row *const *rows, size_t count,
                         cam_curve *curves, cam_step **room) {
    const col_metric metric = asking->question.metric;
    size_t added = 0;
    for (size_t i = 0; i < count; i++) {
        const cam_row *row = rows[i];
        if (!row->is_done || row->kind != CAM_EPISODE || row->coverage[metric].total == 0)
            continue;
        curves[added] = cam_row_curve(row, asking->statistic->axis, metric, *room);
        curves[added++].after = CAM_STAYS; /* a median of what grows must not fall */
        *room += row->curve_count;
    }
    return added;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void add_places(contest *c) {
    for (size_t i = 0; i < c->ours + c->theirs; i++)
        for (size_t j = 0; j < c->curves[i].count; j++)
            c->places[c->place_count++] = c->curves[i].steps[j].x;
    qsort(c->places, c->place_count, sizeof *c->places, compare);
}

static col_status prepare(const cam_asking *asking, contest *c, col_problem *problem) {
    const size_t trials = asking->count + asking->baseline_count;
    const size_t steps = count_steps(asking->rows, asking->count) +
                         count_steps(asking->baseline, asking->baseline_count);
    c->curves = calloc(trials + 1, sizeof *c->curves);
    c->steps = calloc(steps + 1, sizeof *c->steps);
    c->places = calloc(steps + 1, sizeof *c->places);
    c->bands = calloc(2 * steps + 1, sizeof *c->bands);
    if (c->curves == NULL || c->steps == NULL || c->places == NULL || c->bands == NULL)
        return base_out_of_memory(problem);
    cam_step *room = c->steps;
    c->ours = add_curves(asking, asking->rows, asking->count, c->curves, &room);
    c->theirs =
        add_curves(asking, asking->baseline, asking->baseline_count, c->curves + c->ours, &room);
    add_places(c);
    return COL_OK;
}

static void release(contest *c) {
    free(c->curves);
    free(c->steps);
    free(c->places);
    free(c->bands);
}

/* From the last place at which the baseline is above, the first at which the trials are; there is
 * none (`place_count`) if the baseline is above, or both are level, to the end. */
static size_t find_place(const contest *c) {
    const cam_band *ours = c->bands, *theirs = c->bands + c->place_count;
    size_t place = c->place_count;
    for (size_t i = c->place_count; i-- > 0 && !(theirs[i].median > ours[i].median);)
        if (ours[i].median > theirs[i].median)
            place = i;
    return place;
}

static col_status settle(contest *c, cam_answer *answer, col_problem *problem) {
    col_status status =
        cam_evolve(c->curves, c->ours, c->places, c->place_count, c->bands, problem);
    if (status == COL_OK)
        status = cam_evolve(c->curves + c->ours, c->theirs, c->places, c->place_count,
                            c->bands + c->place_count, problem);
    if (status != COL_OK)
        return status;
    const size_t place = find_place(c);
    answer->is_known = true;
    answer->is_censored = place == c->place_count;
    answer->value =
        answer->is_censored ? cam_longest(c->curves, c->ours + c->theirs) : c->places[place];
    answer->low = answer->high = answer->value;
    answer->found = answer->is_censored ? 0 : (uint32_t)c->ours;
    answer->of = (uint32_t)c->ours;
    return COL_OK;
}

/* There is no interval: places that are drawn again can be anywhere. */
col_status cam_ask_overtake(cam_asking *asking, cam_answer *answer, col_problem *problem) {
    contest c = {0};
    col_status status = prepare(asking, &c, problem);
    if (status == COL_OK && c.ours > 0 && c.theirs > 0 && c.place_count > 0)
        status = settle(&c, answer, problem);
    release(&c);
    return status;
}
