/* SPDX-License-Identifier: MIT */
/* Opening what a plan needs: see plan_try.h. */
#include "campaign/plan_try.h"

#include "base/number.h"
#include "base/problem.h"
#include "campaign/plan_distinct.h"
#include "campaign/trial.h"
#include "campaign/trial_run.h"
#include "episode/model.h"

#include <stdio.h>
#include <string.h>

/* Says which trial it is about. */
static col_status blame(const cam_trial *trial, const char *const *names, col_problem *problem) {
    base_text text = {0};
    char sentence[600];
    for (const char *const *name = names; *name != NULL; name++) {
        const char *value = cam_trial_value(trial, *name);
        if (value != NULL)
            base_text_print(&text, " %s=%s", *name, value);
    }
    const col_status status = base_refuse(problem, "trials with%.160s cannot run: %.330s",
                                          text.failed || text.data == NULL ? "" : text.data,
                                          col_problem_text(problem, sentence, sizeof sentence));
    base_text_free(&text);
    return status;
}

/* ---- Designs. */

static col_status try_design(const cam_trial *trial, bool has_mutant, col_problem *problem) {
    static const char *const blamed[] = {"design", "cores", "options", "error", "mutant", NULL};
    col_episode_settings settings;
    col_duv *duv = NULL;
    col_status status = cam_trial_episode(trial, &settings, problem);
    if (!has_mutant)
        settings.setting.design.mutant = 0;
    if (status == COL_OK)
        status = epi_design_open(&duv, &settings.setting, problem);
    if (status == COL_OK)
        col_duv_close(duv);
    return status == COL_BAD_INPUT ? blame(trial, blamed, problem) : status;
}

static uint64_t mutant_of(const cam_trial *trial) {
    uint64_t mutant = 0;
    const char *value = cam_trial_value(trial, "mutant");
    return value != NULL && base_number_parse(value, &mutant) ? mutant : 0;
}

static col_status try_mutants(const cam_plan *plan, const cam_distinct *mutants,
                              col_problem *problem) {
    static const char *const names[] = {"design", NULL};
    cam_distinct designs = {0};
    col_status status = cam_distinct_find(&designs, plan, names, problem);
    for (size_t d = 0; d < designs.count && status == COL_OK; d++) {
        const cam_trial *greatest = &plan->trials[designs.positions[d]];
        for (size_t i = 0; i < mutants->count; i++) {
            const cam_trial *trial = &plan->trials[mutants->positions[i]];
            if (cam_distinct_place(&designs, trial) == d && mutant_of(trial) > mutant_of(greatest))
                greatest = trial;
        }
        if (mutant_of(greatest) > 0)
            status = try_design(greatest, true, problem);
    }
    cam_distinct_free(&designs);
    return status;
}

static col_status try_designs(const cam_plan *plan, col_problem *problem) {
    static const char *const design_names[] = {"design",      "cores",      "options", "error",
                                               "own-process", "reads-only", NULL};
    static const char *const mutant_names[] = {"design", "mutant", NULL};
    cam_distinct designs = {0}, mutants = {0};
    col_status status = cam_distinct_find(&designs, plan, design_names, problem);
    for (size_t i = 0; i < designs.count && status == COL_OK; i++)
        if (plan->trials[designs.positions[i]].kind != CAM_TOUR)
            status = try_design(&plan->trials[designs.positions[i]], false, problem);
    if (status == COL_OK)
        status = cam_distinct_find(&mutants, plan, mutant_names, problem);
    if (status == COL_OK)
        status = try_mutants(plan, &mutants, problem);
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
    static const char *const names[] = {"design", "cores", "options", "own-process", "reads-only"};
    bool same = true;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && same; i++) {
        const char *x = cam_trial_value(a, names[i]), *y = cam_trial_value(b, names[i]);
        same = x == NULL || y == NULL ? x == y : strcmp(x, y) == 0;
    }
    return same;
}

static col_status open_again(opened *last, const cam_trial *trial, const col_setting *setting,
                             col_problem *problem) {
    col_setting plain = *setting;
    plain.design.error = NULL;
    plain.design.mutant = 0;
    if (last->duv != NULL && has_same_design(last->trial, trial))
        return COL_OK;
    col_duv_close(last->duv);
    *last = (opened){.trial = trial};
    return epi_design_open(&last->duv, &plain, problem);
}

static col_status try_engine(const cam_trial *trial, opened *last, col_problem *problem) {
    col_episode_settings settings;
    col_status status = cam_trial_episode(trial, &settings, problem);
    if (status == COL_OK)
        status = open_again(last, trial, &settings.setting, problem);
    if (status == COL_OK)
        status = epi_engine_try(&settings, col_duv_describe(last->duv), NULL, problem);
    return status;
}

/* ---- Models. */

static col_status try_model(const cam_trial *trial, const char *const *names,
                            col_problem *problem) {
    col_episode_settings settings;
    base_text text = {0};
    col_status status = cam_trial_episode(trial, &settings, problem);
    if (status == COL_OK)
        status = epi_model_read(&settings.setting, &text, problem);
    if (status == COL_OK)
        status = epi_model_check(&settings.setting, settings.operations, problem);
    base_text_free(&text);
    return status == COL_BAD_INPUT ? blame(trial, names, problem) : status;
}

static col_status try_models(const cam_plan *plan, col_problem *problem) {
    static const char *const names[] = {"model", "include", "ops", NULL};
    cam_distinct distinct = {0};
    col_status status = cam_distinct_find(&distinct, plan, names, problem);
    for (size_t i = 0; i < distinct.count && status == COL_OK; i++)
        if (plan->trials[distinct.positions[i]].kind == CAM_EPISODE)
            status = try_model(&plan->trials[distinct.positions[i]], names, problem);
    cam_distinct_free(&distinct);
    return status;
}

/* ---- All kinds. */

static col_status try_tour(const cam_trial *trial, opened *unused, col_problem *problem) {
    col_tour_settings settings;
    (void)unused;
    const col_status status = cam_trial_tour(trial, &settings, problem);
    return status == COL_OK ? col_tour_check(&settings, problem) : status;
}

static col_status try_locations(const cam_trial *trial, opened *unused, col_problem *problem) {
    (void)unused;
    return cam_try_locations(trial, problem);
}

/* What may be refused depends on these settings alone. */
static const struct attempt {
    const char *names[10];
    col_status (*try)(const cam_trial *trial, opened *last, col_problem *problem);
} attempts[CAM_KIND_COUNT] = {
    [CAM_EPISODE] = {{"design", "cores", "options", "engine", "engine-options", "ops", "locations",
                      "sets", "mix"},
                     try_engine},
    [CAM_TOUR] = {{"protocol", "cores", "method", "clusters", "inclusive"}, try_tour},
    [CAM_LOCATIONS] = {{"design", "cores", "options", "engine", "ops", "locations", "sets", "mix"},
                       try_locations},
};

static col_status try_kind(const cam_plan *plan, cam_kind kind, col_problem *problem) {
    const struct attempt *attempt = &attempts[kind];
    cam_distinct distinct = {0};
    opened last = {NULL, NULL};
    col_status status = cam_distinct_find(&distinct, plan, attempt->names, problem);
    for (size_t i = 0; i < distinct.count && status == COL_OK; i++) {
        const cam_trial *trial = &plan->trials[distinct.positions[i]];
        if (trial->kind != kind)
            continue;
        status = attempt->try(trial, &last, problem);
        if (status == COL_BAD_INPUT)
            status = blame(trial, attempt->names, problem);
    }
    col_duv_close(last.duv);
    cam_distinct_free(&distinct);
    return status;
}

col_status cam_plan_try(const cam_plan *plan, col_problem *problem) {
    col_status status = try_designs(plan, problem);
    if (status == COL_OK)
        status = try_models(plan, problem);
    for (int kind = 0; kind < CAM_KIND_COUNT && status == COL_OK; kind++)
        status = try_kind(plan, (cam_kind)kind, problem);
    return status;
}
