/* SPDX-License-Identifier: MIT */
/*
 * Random test generation without direction: the thesis's PLAIN-, PLAIN+, CHAIN- and CHAIN+. Each
 * test is made at a point of the generation space that is drawn at random: any operations, any
 * locations and, of a biased test, any sets that these can compete for.
 */
#include "base/random.h"
#include "engine/rtg.h"

#include <stdlib.h>

typedef struct undirected {
    dir_rtg rtg;
    uint64_t test;
} undirected;

typedef struct undirected_parameters {
    dir_rtg_parameters rtg;
} undirected_parameters;

static const base_field parameters[] = {
    DIR_RTG_ROWS(undirected_parameters, rtg),
    {.name = NULL},
};

static void close_engine(void *state) {
    undirected *u = state;
    dir_rtg_close(&u->rtg);
}

static col_status open_engine(void *state, const dir_engine *kind,
                              const col_engine_settings *settings, col_problem *problem) {
    undirected *u = state;
    undirected_parameters p = {0};
    col_status status = dir_parameters_read(parameters, kind->name, settings->options, &p, problem);
    if (status == COL_OK)
        status = dir_rtg_open(&u->rtg, kind, p.rtg, settings, problem);
    return status;
}

static col_status next_test(void *state, const col_feedback *feedback, col_program *program,
                            col_point *point, col_problem *problem) {
    undirected *u = state;
    const dir_rtg *rtg = &u->rtg;
    base_rng rng;
    (void)feedback;
    base_rng_seed(&rng, rtg->seed, u->test);
    const uint32_t operations = rtg->sizes[base_rng_below(&rng, rtg->size_count)];
    const uint32_t *run = &rtg->runs[base_rng_below(&rng, rtg->location_count)];
    const dir_pair pair = rtg->pairs[run[0] + base_rng_below(&rng, run[1] - run[0])];
    *point = (col_point){operations, pair.locations, pair.sets};
    return dir_rtg_make(&u->rtg, point, u->test++, program, problem);
}

const dir_functions dir_undirected = {.size = sizeof(undirected),
                                      .open = open_engine,
                                      .close = close_engine,
                                      .next = next_test,
                                      .test = offsetof(undirected, test)};
