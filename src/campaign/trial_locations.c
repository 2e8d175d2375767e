/* SPDX-License-Identifier: MIT */
/*
 * A trial that is a study of locations: the thesis's transition coverage of (core, location) pairs
 * by all tests of one scenario. A scenario is tests of so many operations and locations, by some
 * mixes, taken in turn, and some seeds; what they cover adds up.
 */
#include "base/choice.h"
#include "base/rng.h"
#include "campaign/trial.h"
#include "campaign/trial_run.h"
#include "direct/engine.h"
#include "collider/generate.h"

#include <string.h>

enum { MOST_MIXES = 16, SEEDS_APART = 1 << 24 };

typedef struct study {
    const cam_job *job;
    col_episode_settings settings;
    uint32_t instances;
    uint64_t tests;
    col_generation mixes[MOST_MIXES]; /* the same but for the mix */
    uint32_t mix_count;
    col_duv *duv;
    col_generator *generator;
    col_location_coverage *coverage;
    col_program program;
    uint64_t cycles, operations;
} study;

/* ---- What the tests are made with. */

static col_status read_engine(study *s, col_generation *g, col_error *error) {
    uint32_t choice = 0;
    const col_status status =
        col_choice_read("the engine of a study of ", "locations", dir_undirected_names,
                        s->settings.engine, &choice, error);
    if (status != COL_OK)
        return status;
    const dir_engine *engine = dir_engine_find(dir_undirected_names[choice]);
    g->chained = engine->chained;
    if (engine->biased)
        col_addressing_bias(&g->addressing, s->settings.sets == 0 ? 1 : s->settings.sets);
    return COL_OK;
}

static col_status read_sizes(const study *s, col_generation *g, col_error *error) {
    const col_range *ops = &s->settings.operations, *locations = &s->settings.locations;
    if (ops->least != ops->most || locations->least != locations->most)
        return col_refuse(error, "a study of locations has one number of operations and one of "
                                 "locations, no ranges");
    g->threads = col_duv_describe(s->duv)->cores;
    g->operations = ops->most;
    g->locations = locations->most;
    return COL_OK;
}

/* Several mixes are told apart by " / ". */
static col_status read_mixes(study *s, const col_generation *usual, col_error *error) {
    const char *at = s->settings.mix;
    col_status status = COL_OK;
    uint32_t count = 0;
    s->mixes[0] = *usual;
    s->mix_count = 1;
    while (at != NULL && status == COL_OK) {
        char mix[256];
        const char *end = strstr(at, " / ");
        const size_t length = end == NULL ? strlen(at) : (size_t)(end - at);
        if (count == MOST_MIXES || length >= sizeof mix)
            return col_refuse(error, "a study of locations has at most %d mixes of 255 characters",
                              MOST_MIXES);
        memcpy(mix, at, length);
        mix[length] = '\0';
        col_generation *g = &s->mixes[count++];
        *g = *usual;
        status = g->chained ? col_category_mix_parse(mix, &g->categories, error)
                            : col_instruction_mix_parse(mix, &g->instructions, error);
        at = end == NULL ? NULL : end + strlen(" / ");
        s->mix_count = count;
    }
    return status;
}

static col_status open_design(study *s, col_error *error) {
    const col_setting *setting = &s->settings.setting;
    const col_duv_settings settings = {.cores = setting->cores,
                                       .options = setting->options,
                                       .error = setting->error,
                                       .mutant = setting->mutant,
                                       .own_process = setting->own_process};
    col_status status = col_duv_open(&s->duv, setting->design, &settings, error);
    if (status == COL_OK)
        status = col_location_coverage_new(&s->coverage, col_duv_describe(s->duv), error);
    return status;
}

static col_status begin(study *s, col_error *error) {
    col_generation usual;
    const cam_trial *trial = s->job->trial;
    col_status status = cam_trial_episode(trial, &s->settings, error);
    if (status != COL_OK)
        return status;
    s->tests = s->settings.tests; /* a plan must say how many */
    s->instances = cam_trial_value(trial, "instances") == NULL ? 1 : s->settings.instances;
    s->generator = col_generator_new();
    if (s->generator == NULL)
        return col_out_of_memory(error);
    status = open_design(s, error);
    if (status != COL_OK)
        return status;
    col_generation_default(&usual);
    usual.addressing.geometry = col_duv_describe(s->duv)->geometry;
    status = read_engine(s, &usual, error);
    if (status == COL_OK)
        status = read_sizes(s, &usual, error);
    if (status == COL_OK)
        status = read_mixes(s, &usual, error);
    if (status == COL_OK)
        status = col_location_coverage_begin(s->coverage, usual.locations, error);
    return status;
}

static void end(study *s) {
    col_location_coverage_free(s->coverage);
    col_duv_close(s->duv);
    col_generator_free(s->generator);
    col_program_free(&s->program);
}

/* ---- The tests. */

static col_status run_instance(study *s, uint64_t seed, col_error *error) {
    col_run run;
    const col_observer observer = col_location_coverage_observer(s->coverage);
    const col_status status = col_duv_run(s->duv, seed, &observer, s->job->stop, &run, error);
    if (status != COL_OK || run.end == COL_RUN_STOPPED)
        return status;
    if (run.end != COL_RUN_COMPLETE)
        return col_fail(error, "the design failed in a test: %.400s", run.message);
    s->cycles += run.cycles;
    s->operations += run.operations;
    return COL_OK;
}

static col_status run_test(study *s, uint64_t test, col_error *error) {
    /* Seed 1 takes the seeds from 1 on; others are far away, so that trials share no test. */
    const uint64_t seed = (s->settings.seed - 1) * SEEDS_APART + 1 + test / s->mix_count;
    col_status status =
        col_generate(s->generator, &s->mixes[test % s->mix_count], seed, 0, &s->program, error);
    if (status == COL_OK)
        status = col_location_coverage_load(s->coverage, &s->program, error);
    if (status == COL_OK)
        status = col_duv_load(s->duv, &s->program, error);
    for (uint32_t i = 0; i < s->instances && status == COL_OK; i++) {
        col_rng rng;
        col_rng_seed(&rng, seed, i);
        status = run_instance(s, i == 0 ? seed : col_rng_next(&rng), error);
    }
    return status;
}

/* ---- What they covered. */

static json_t *describe_machine(study *s, uint32_t machine) {
    const col_duv_machine *m = &col_duv_describe(s->duv)->machines[machine];
    const uint64_t *distribution = col_location_coverage_distribution(s->coverage, machine);
    const col_quartiles q = col_quartiles_of(distribution, m->point_count);
    json_t *counts = json_array();
    for (uint32_t i = 0; i <= m->point_count; i++)
        col_json_append(&counts, json_integer((json_int_t)distribution[i]));
    return json_pack("{s:o, s:I, s:f, s:f, s:f, s:o}", "name", col_json_text(m->name), "points",
                     (json_int_t)m->point_count, "lower", q.low, "median", q.median, "upper",
                     q.high, "distribution", counts);
}

static json_t *describe(study *s) {
    const col_duv_description *d = col_duv_describe(s->duv);
    json_t *machines = json_array();
    for (uint32_t m = 0; m < d->machine_count; m++)
        if (d->machines[m].point_count > 0 && d->machines[m].controllers > 0)
            col_json_append(&machines, describe_machine(s, m));
    return json_pack("{s:I, s:I, s:I, s:o}", "tests", (json_int_t)s->tests, "operations",
                     (json_int_t)s->operations, "cycles", (json_int_t)s->cycles, "machines",
                     machines);
}

col_status cam_try_locations(const cam_trial *trial, col_error *error) {
    const cam_job job = {.trial = trial};
    study s = {.job = &job, .program = COL_PROGRAM_EMPTY};
    const col_status status = begin(&s, error);
    end(&s);
    return status;
}

col_status cam_run_locations(const cam_job *job, cam_outcome *outcome, col_error *error) {
    study s = {.job = job, .program = COL_PROGRAM_EMPTY};
    col_status status = begin(&s, error);
    for (uint64_t test = 0; test < s.tests && status == COL_OK && !cam_job_is_stopped(job); test++)
        status = run_test(&s, test, error);
    outcome->was_stopped = cam_job_is_stopped(job);
    if (status == COL_OK && !outcome->was_stopped)
        status = cam_result_set(outcome, describe(&s), error);
    end(&s);
    return status;
}
