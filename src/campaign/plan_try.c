/* SPDX-License-Identifier: MIT */
/* Opening what a plan needs: see plan_try.h. */
#include "campaign/plan_try.h"

#include "base/error.h"
#include "base/number.h"
#include "campaign/plan_distinct.h"
#include "campaign/trial.h"
#include "campaign/trial_run.h"

#include <stdio.h>
#include <string.h>

/* Says which trial it is about. */
static col_status blame(const cam_trial *trial, const char *const *names, col_error *error) {
    base_text text = {0};
    char sentence[600];
    for (const char *const *name = names; *name != NULL; name++) {
        const char *value = cam_trial_value(trial, *name);
        if (value != NULL)
            base_text_print(&text, " %s=%s", *name, value);
    }
    const col_status status = base_refuse(error, "trials with%.160s cannot run: %.330s",
                                          text.failed || text.data == NULL ? "" : text.data,
                                          col_error_text(error, sentence, sizeof sentence));
    base_text_free(&text);
    return status;
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
        status = epi_design_open(&duv, &settings.setting, error);
    if (status == COL_OK)
        col_duv_close(duv);
    return status == COL_BAD_INPUT ? blame(trial, blamed, error) : status;
}

static uint64_t mutant_of(const cam_trial *trial) {
    uint64_t mutant = 0;
    const char *value = cam_trial_value(trial, "mutant");
    return value != NULL && base_number_parse(value, &mutant) ? mutant : 0;
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

/* The design of the last engine: the next one is mostly for the same. */
typedef struct opened {
    const cam_trial *trial; /* that it was opened for */
    col_duv *duv;
} opened;

static bool has_same_design(const cam_trial *a, const cam_trial *b) {
    static const char *const names[] = {"design", "cores", "options", "own-process"};
    bool same = true;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && same; i++) {
        const char *x = cam_trial_value(a, names[i]), *y = cam_trial_value(b, names[i]);
        same = x == NULL || y == NULL ? x == y : strcmp(x, y) == 0;
    }
    return same;
}

static col_status open_again(opened *last, const cam_trial *trial, const col_setting *setting,
                             col_error *error) {
    col_setting plain = *setting;
    plain.error = NULL;
    plain.mutant = 0;
    if (last->duv != NULL && has_same_design(last->trial, trial))
        return COL_OK;
    col_duv_close(last->duv);
    *last = (opened){.trial = trial};
    return epi_design_open(&last->duv, &plain, error);
}

static col_status make_engine(const col_episode_settings *s, const col_duv *duv, col_error *error) {
    col_engine *engine = NULL;
    const col_duv_description *design = col_duv_describe(duv);
    const col_engine_settings settings = epi_engine_settings(s, design->cores, design->geometry);
    const col_status status = col_engine_new(&engine, s->engine, &settings, error);
    col_engine_free(engine);
    return status;
}

static col_status try_engine(const cam_trial *trial, opened *last, col_error *error) {
    col_episode_settings settings;
    col_status status = cam_trial_episode(trial, &settings, error);
    if (status == COL_OK)
        status = open_again(last, trial, &settings.setting, error);
    return status == COL_OK ? make_engine(&settings, last->duv, error) : status;
}

/* ---- All kinds. */

static col_status try_tour(const cam_trial *trial, opened *unused, col_error *error) {
    col_tour_settings settings;
    (void)unused;
    const col_status status = cam_trial_tour(trial, &settings, error);
    return status == COL_OK ? col_tour_check(&settings, error) : status;
}

static col_status try_locations(const cam_trial *trial, opened *unused, col_error *error) {
    (void)unused;
    return cam_try_locations(trial, error);
}

/* What may be refused depends on these settings alone. */
static const struct attempt {
    const char *names[10];
    col_status (*try)(const cam_trial *trial, opened *last, col_error *error);
} attempts[CAM_KIND_COUNT] = {
    [CAM_EPISODE] = {{"design", "cores", "options", "engine", "engine-options", "ops", "locations",
                      "sets", "mix"},
                     try_engine},
    [CAM_TOUR] = {{"protocol", "cores", "method", "clusters", "inclusive"}, try_tour},
    [CAM_LOCATIONS] = {{"design", "cores", "options", "engine", "ops", "locations", "sets", "mix"},
                       try_locations},
};

static col_status try_kind(const cam_plan *plan, cam_kind kind, col_error *error) {
    const struct attempt *attempt = &attempts[kind];
    cam_distinct distinct = {0};
    opened last = {NULL, NULL};
    col_status status = cam_distinct_find(&distinct, plan, attempt->names, error);
    for (size_t i = 0; i < distinct.count && status == COL_OK; i++) {
        const cam_trial *trial = &plan->trials[distinct.positions[i]];
        if (trial->kind != kind)
            continue;
        status = attempt->try(trial, &last, error);
        if (status == COL_BAD_INPUT)
            status = blame(trial, attempt->names, error);
    }
    col_duv_close(last.duv);
    cam_distinct_free(&distinct);
    return status;
}

col_status cam_plan_try(const cam_plan *plan, col_error *error) {
    col_status status = try_designs(plan, error);
    for (int kind = 0; kind < CAM_KIND_COUNT && status == COL_OK; kind++)
        status = try_kind(plan, (cam_kind)kind, error);
    return status;
}
