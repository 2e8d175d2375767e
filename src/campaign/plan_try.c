/* SPDX-License-Identifier: MIT */
/* Opening what a plan needs: see plan_try.h. */
#include "campaign/plan_try.h"

#include "base/error.h"
#include "base/number.h"
#include "campaign/plan_distinct.h"
#include "campaign/trial.h"

#include <stdio.h>
#include <string.h>

/* Says which trial it is about. */
static col_status blame(const cam_trial *trial, const char *const *names, col_error *error) {
    col_text text = {0};
    char sentence[600];
    for (const char *const *name = names; *name != NULL; name++) {
        const char *value = cam_trial_value(trial, *name);
        if (value != NULL)
            col_text_print(&text, " %s=%s", *name, value);
    }
    const col_status status = col_refuse(error, "trials with%.160s cannot run: %.330s",
                                         text.failed || text.data == NULL ? "" : text.data,
                                         col_error_text(error, sentence, sizeof sentence));
    col_text_free(&text);
    return status;
}

static col_status open_design(const col_setting *setting, col_duv **duv, col_error *error) {
    const col_duv_settings settings = {.cores = setting->cores,
                                       .options = setting->options,
                                       .error = setting->error,
                                       .mutant = setting->mutant,
                                       .own_process = setting->own_process};
    return col_duv_open(duv, setting->design, &settings, error);
}

/* ---- Designs. */

static col_status try_design(const cam_trial *trial, bool has_mutant, col_error *error) {
    static const char *const blamed[] = {"design", "cores", "options", "error", "mutant", NULL};
    col_episode_settings settings;
    col_duv *duv = NULL;
    col_status status = cam_trial_episode(trial, &settings, error);
    if (!has_mutant)
        settings.setting.mutant = 0;
    if (status == COL_OK)
        status = open_design(&settings.setting, &duv, error);
    if (status == COL_OK)
        col_duv_close(duv);
    return status == COL_BAD_INPUT ? blame(trial, blamed, error) : status;
}

static uint64_t mutant_of(const cam_trial *trial) {
    uint64_t mutant = 0;
    const char *value = cam_trial_value(trial, "mutant");
    return value != NULL && col_number_parse(value, &mutant) ? mutant : 0;
}

static col_status try_mutants(const cam_plan *plan, const cam_distinct *mutants, col_error *error) {
    static const char *const names[] = {"design", NULL};
    cam_distinct designs = {0};
    col_status status = cam_distinct_find(&designs, plan, names, error);
    for (size_t d = 0; d < designs.count && status == COL_OK; d++) {
        const cam_trial *greatest = &plan->trials[designs.positions[d]];
        for (size_t i = 0; i < mutants->count; i++) {
            const cam_trial *trial = &plan->trials[mutants->positions[i]];
            if (cam_distinct_place(&designs, trial) == d && mutant_of(trial) > mutant_of(greatest))
                greatest = trial;
        }
        if (mutant_of(greatest) > 0)
            status = try_design(greatest, true, error);
    }
    cam_distinct_free(&designs);
    return status;
}

static col_status try_designs(const cam_plan *plan, col_error *error) {
    static const char *const design_names[] = {"design", "cores",       "options",
                                               "error",  "own-process", NULL};
    static const char *const mutant_names[] = {"design", "mutant", NULL};
    cam_distinct designs = {0}, mutants = {0};
    col_status status = cam_distinct_find(&designs, plan, design_names, error);
    for (size_t i = 0; i < designs.count && status == COL_OK; i++)
        if (plan->trials[designs.positions[i]].kind != CAM_TOUR)
            status = try_design(&plan->trials[designs.positions[i]], false, error);
    if (status == COL_OK)
        status = cam_distinct_find(&mutants, plan, mutant_names, error);
    if (status == COL_OK)
        status = try_mutants(plan, &mutants, error);
    cam_distinct_free(&designs);
    cam_distinct_free(&mutants);
    return status;
}

/* ---- Engines. */

static const char *const engine_names[] = {
    "design", "cores", "engine", "engine-options", "mix", "ops", "locations", "sets", NULL};

static col_status make_engine(const col_episode_settings *s, col_error *error) {
    col_duv *duv = NULL;
    col_engine *engine = NULL;
    col_setting plain = s->setting;
    plain.error = NULL;
    plain.mutant = 0;
    col_status status = open_design(&plain, &duv, error);
    if (status != COL_OK)
        return status;
    const col_duv_description *design = col_duv_describe(duv);
    const col_engine_settings settings = {.threads = design->cores,
                                          .operations = s->operations,
                                          .locations = s->locations,
                                          .sets = s->sets,
                                          .mix = s->mix,
                                          .options = s->engine_options,
                                          .repeat = s->repeat,
                                          .cycles = s->cycles,
                                          .seconds = s->seconds,
                                          .geometry = design->geometry,
                                          .seed = s->seed};
    status = col_engine_new(&engine, s->engine, &settings, error);
    col_engine_free(engine);
    col_duv_close(duv);
    return status;
}

static col_status try_engines(const cam_plan *plan, col_error *error) {
    cam_distinct engines = {0};
    col_status status = cam_distinct_find(&engines, plan, engine_names, error);
    for (size_t i = 0; i < engines.count && status == COL_OK; i++) {
        const cam_trial *trial = &plan->trials[engines.positions[i]];
        col_episode_settings settings;
        if (trial->kind != CAM_EPISODE)
            continue; /* a study of locations has several mixes */
        status = cam_trial_episode(trial, &settings, error);
        if (status == COL_OK)
            status = make_engine(&settings, error);
        if (status == COL_BAD_INPUT)
            status = blame(trial, engine_names, error);
    }
    cam_distinct_free(&engines);
    return status;
}

col_status cam_plan_try(const cam_plan *plan, col_error *error) {
    const col_status status = try_designs(plan, error);
    return status == COL_OK ? try_engines(plan, error) : status;
}
