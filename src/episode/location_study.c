/* SPDX-License-Identifier: MIT */
/* A study of locations: see location_study.h. */
#include "episode/location_study.h"

#include "base/clock.h"
#include "base/names.h"
#include "base/random.h"
#include "collider/generate.h"
#include "engine/engine.h"
#include "episode/episode_settings.h"
#include "episode/worker_pool.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MIXES = 16, SEEDS_APART = 1 << 24 };

struct epi_study {
    col_episode_settings settings;
    col_generation mixes[MOST_MIXES]; /* the same but for the mix */
    uint32_t mix_count;
    col_duv *duv;
    col_generator *generator;
    col_location_coverage *coverage;
    col_program program;
    uint64_t cycles, operations;
};

/* ---- What the tests are made with. */

static col_status read_engine(epi_study *s, col_generation *g, col_problem *problem) {
    uint32_t choice = 0;
    BASE_TRY(base_choice_read("the engine of a study of ", "locations", dir_undirected_names,
                              s->settings.engine, &choice, problem));
    const dir_engine *engine = dir_engine_find(dir_undirected_names[choice]);
    g->chained = engine->chained;
    if (engine->biased)
        col_addressing_bias(&g->addressing, s->settings.sets == 0 ? 1 : s->settings.sets);
    return COL_OK;
}

static col_status read_sizes(const epi_study *s, col_generation *g, col_problem *problem) {
    const col_range *ops = &s->settings.operations, *locations = &s->settings.locations;
    if (ops->least != ops->most || locations->least != locations->most)
        return base_refuse(problem, "a study of locations has one number of operations and one of "
                                    "locations, no ranges");
    g->threads = col_duv_describe(s->duv)->cores;
    g->operations = ops->most;
    g->locations = locations->most;
    return COL_OK;
}

/* Several mixes are told apart by " / ". */
static col_status read_mixes(epi_study *s, const col_generation *usual, col_problem *problem) {
    const char *at = s->settings.mix;
    uint32_t count = 0;
    s->mixes[0] = *usual;
    s->mix_count = 1;
    while (at != NULL) {
        char mix[256];
        const char *end = strstr(at, " / ");
        const size_t length = end == NULL ? strlen(at) : (size_t)(end - at);
        if (count == MOST_MIXES || length >= sizeof mix)
            return base_refuse(
                problem, "a study of locations has at most %d mixes of 255 characters", MOST_MIXES);
        memcpy(mix, at, length);
        mix[length] = '\0';
        col_generation *g = &s->mixes[count++];
        *g = *usual;
        s->mix_count = count;
        BASE_TRY(g->chained ? col_category_mix_parse(mix, &g->categories, problem)
                            : col_instruction_mix_parse(mix, &g->instructions, problem));
        at = end == NULL ? NULL : end + strlen(" / ");
    }
    return COL_OK;
}

static col_status begin(epi_study *s, col_problem *problem) {
    col_generation usual;
    s->generator = col_generator_new();
    if (s->generator == NULL)
        return base_out_of_memory(problem);
    BASE_TRY(epi_design_open(&s->duv, &s->settings.setting, problem));
    BASE_TRY(col_location_coverage_new(&s->coverage, col_duv_describe(s->duv), problem));
    col_generation_default(&usual);
    usual.addressing.geometry = col_duv_describe(s->duv)->geometry;
    BASE_TRY(read_engine(s, &usual, problem));
    BASE_TRY(read_sizes(s, &usual, problem));
    BASE_TRY(read_mixes(s, &usual, problem));
    return col_location_coverage_begin(s->coverage, usual.locations, problem);
}

col_status epi_study_open(epi_study **study, const col_episode_settings *settings,
                          col_problem *problem) {
    epi_study *s = calloc(1, sizeof *s);
    *study = NULL;
    if (s == NULL)
        return base_out_of_memory(problem);
    s->settings = *settings;
    s->program = (col_program)COL_PROGRAM_EMPTY;
    const col_status status = begin(s, problem);
    if (status == COL_OK)
        *study = s;
    else
        epi_study_close(s);
    return status;
}

void epi_study_close(epi_study *s) {
    if (s == NULL)
        return;
    col_location_coverage_free(s->coverage);
    col_duv_close(s->duv);
    col_generator_free(s->generator);
    col_program_free(&s->program);
    free(s);
}

/* ---- The tests. */

static col_status run_instance(epi_study *s, uint64_t seed, col_problem *problem) {
    col_run run;
    const col_observer observer = col_location_coverage_observer(s->coverage);
    BASE_TRY(col_duv_run(s->duv, seed, &observer, s->settings.stop, &run, problem));
    if (run.end == COL_RUN_STOPPED)
        return COL_OK;
    if (run.end != COL_RUN_COMPLETE)
        return base_fail(problem, "the design failed in a test: %.400s", run.message);
    s->cycles += run.cycles;
    s->operations += run.operations;
    return COL_OK;
}

static col_status run_test(epi_study *s, uint64_t test, col_problem *problem) {
    /* Seed 1 takes the seeds from 1 on; others are far away, so that trials share no test. */
    const uint64_t seed = (s->settings.seed - 1) * SEEDS_APART + 1 + test / s->mix_count;
    BASE_TRY(
        col_generate(s->generator, &s->mixes[test % s->mix_count], seed, 0, &s->program, problem));
    BASE_TRY(col_location_coverage_load(s->coverage, &s->program, problem));
    BASE_TRY(col_duv_load(s->duv, &s->program, problem));
    for (uint32_t i = 0; i < s->settings.instances; i++) {
        base_rng rng;
        base_rng_seed(&rng, seed, i);
        BASE_TRY(run_instance(
            s, i == 0 ? seed : epi_seed_like(col_duv_describe(s->duv), base_rng_next(&rng), seed),
            problem));
    }
    return COL_OK;
}

col_status epi_study_run(epi_study *s, col_problem *problem) {
    const col_episode_settings *asked = &s->settings;
    for (uint64_t test = 0; test < asked->tests && !base_is_stopped(asked->stop); test++)
        BASE_TRY(run_test(s, test, problem));
    return COL_OK;
}

epi_study_results epi_study_look(const epi_study *s) {
    return (epi_study_results){.tests = s->settings.tests,
                               .operations = s->operations,
                               .cycles = s->cycles,
                               .design = col_duv_describe(s->duv),
                               .coverage = s->coverage};
}
