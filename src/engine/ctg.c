/* SPDX-License-Identifier: MIT */
/*
 * The model-based engine of the thesis, CTG, in its three variants: Algorithm 1. It visits planes
 * of growing test size, each by steep coverage ascent, and needs no feedback but whether all is
 * covered. So the order of all tests is known from the start.
 */
#include "engine/rtg.h"

#include <stdlib.h>

typedef struct ctg {
    dir_rtg rtg;
    bool repeat;
    uint64_t test;
    uint32_t *order, count; /* the points of all planes, by their numbers */
} ctg;

static void close_engine(void *state) {
    ctg *c = state;
    dir_rtg_close(&c->rtg);
    free(c->order);
}

/* All planes; x, the turn, is not reset between them. */
static col_status order_planes(ctg *c, const dir_engine *kind, col_problem *problem) {
    const dir_rtg *rtg = &c->rtg;
    bool *left = calloc(rtg->pair_count, sizeof *left);
    c->order = calloc(dir_rtg_count(rtg), sizeof *c->order);
    if (left == NULL || c->order == NULL) {
        free(left);
        return base_out_of_memory(problem);
    }
    dir_turn turn = DIR_REPLACEMENTS;
    for (uint32_t size = 0; size < rtg->size_count; size++) {
        uint32_t *plane = &c->order[c->count];
        for (uint32_t i = 0; i < rtg->pair_count; i++)
            left[i] = true;
        const uint32_t count =
            dir_order_plane(rtg->pairs, rtg->pair_count, kind->variant, left, &turn, plane);
        for (uint32_t i = 0; i < count; i++)
            plane[i] += size * rtg->pair_count;
        c->count += count;
    }
    free(left);
    if (c->count == 0)
        return base_refuse(problem,
                           "%s has no point in this space: it wants locations to compete for one "
                           "set%s, which the ranges, the sets asked for or the caches exclude",
                           kind->name, kind->variant == 2 ? " or for as many as they are" : "");
    return COL_OK;
}

static col_status open_engine(void *state, const dir_engine *kind,
                              const col_engine_settings *settings, col_problem *problem) {
    ctg *c = state;
    c->repeat = settings->repeat;
    const col_status status = dir_rtg_open_alone(&c->rtg, kind, settings, problem);
    return status == COL_OK ? order_planes(c, kind, problem) : status;
}

static col_status choose_test(void *state, const col_feedback *feedback, dir_test *test,
                              col_problem *problem) {
    ctg *c = state;
    (void)problem;
    const bool full =
        feedback->tests > 0 && feedback->total > 0 && feedback->covered == feedback->total;
    if (!c->repeat && (full || c->test >= c->count)) {
        test->point = (col_point){0};
        return COL_OK;
    }
    /* Starting over, the number of the test makes new programs. */
    test->point = dir_rtg_point(&c->rtg, c->order[c->test % c->count]);
    *(dir_rtg_plan *)test->plan = (dir_rtg_plan){c->test++};
    return COL_OK;
}

static col_status make_test(void *state, dir_test *test, col_problem *problem) {
    return dir_rtg_make_chosen(&((ctg *)state)->rtg, test, problem);
}

const dir_functions dir_ctg = {.size = sizeof(ctg),
                               .open = open_engine,
                               .close = close_engine,
                               .plan = sizeof(dir_rtg_plan),
                               .choose = choose_test,
                               .make = make_test,
                               .test = offsetof(ctg, test)};
