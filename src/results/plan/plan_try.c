/* SPDX-License-Identifier: MIT */
/* Opening what a plan needs before the first trial runs. */
#include "base/number.h"
#include "base/yaml.h"
#include "episode/episode_judge.h"
#include "episode/failure/waiver.h"
#include "results/plan/trial.h"
#include "results/trial_run.h"

#include <stdio.h>
#include <string.h>

/* The design of the last engine: the next one is mostly for the same. */
typedef struct opened {
    const cam_trial *trial; /* that it was opened for */
    col_duv *duv;
} opened;

/* What may be refused depends on these settings alone, the first of them most of all. */
typedef struct attempt {
    const char *names[10];
    uint32_t blamed; /* those before it may be at fault; 0: all */
    uint32_t kinds;  /* of trials, as bits */
    col_status (*try)(const cam_trial *trial, opened *last, col_problem *problem);
} attempt;

static uint32_t count_blamed(const attempt *a) {
    uint32_t count = 0;
    while (a->names[count] != NULL && (a->blamed == 0 || count < a->blamed))
        count++;
    return count;
}

/* ---- Whose fault it is. */

/* The last setting without which the trial could run; else the first, which may be needed. */
static const cam_pair *find_culprit(const attempt *a, const cam_trial *trial) {
    enum { MOST_PAIRS = 64 };
    const cam_pair *culprit = NULL;
    for (uint32_t count = count_blamed(a); count-- > 0;) {
        cam_pair rest[MOST_PAIRS];
        cam_trial other = {.kind = trial->kind, .pairs = rest};
        const cam_pair *pair = NULL;
        opened last = {NULL, NULL};
        col_problem unused;
        for (uint32_t i = 0; i < trial->pair_count && other.pair_count < MOST_PAIRS; i++)
            if (pair == NULL && strcmp(trial->pairs[i].name, a->names[count]) == 0)
                pair = &trial->pairs[i];
            else
                rest[other.pair_count++] = trial->pairs[i];
        if (pair == NULL)
            continue;
        culprit = pair;
        const bool can_run = count > 0 && a->try(&other, &last, &unused) == COL_OK;
        col_duv_close(last.duv);
        if (can_run)
            break;
    }
    return culprit;
}

/* Says which trials it is about, and where the plan has the setting. */
static col_status blame(const cam_plan *plan, const attempt *a, const cam_trial *trial,
                        col_problem *problem) {
    const cam_pair *culprit = find_culprit(a, trial);
    base_text text = {0};
    base_place place = {0, 0};
    char sentence[600];
    for (uint32_t i = 0; i < count_blamed(a); i++) {
        const char *value = cam_trial_value(trial, a->names[i]);
        if (value != NULL)
            base_text_print(&text, " %s=%s", a->names[i], value);
    }
    if (culprit != NULL && culprit->at > 0)
        place = base_yaml_place_in(plan->text, plan->text_length, culprit->at - 1);
    const col_status status = base_refuse_at(problem, plan->file, place.line, place.column,
                                             "trials with%.160s cannot run: %.330s",
                                             text.failed || text.data == NULL ? "" : text.data,
                                             col_problem_text(problem, sentence, sizeof sentence));
    base_text_free(&text);
    return status;
}

static col_status try(const cam_plan *plan, const attempt *a, const cam_trial *trial, opened *last,
                      col_problem *problem) {
    const col_status status = a->try(trial, last, problem);
    return status == COL_BAD_INPUT ? blame(plan, a, trial, problem) : status;
}

/* ---- Designs. */

static col_status open_design(const cam_trial *trial, bool has_mutant, col_problem *problem) {
    col_episode_settings settings;
    col_duv *duv = NULL;
    col_status status = cam_trial_episode(trial, &settings, problem);
    if (!has_mutant)
        settings.setting.design.mutant = 0;
    BASE_THEN(status, epi_design_open(&duv, &settings.setting, problem));
    if (status == COL_OK)
        col_duv_close(duv);
    return status;
}

static col_status try_design(const cam_trial *trial, opened *unused, col_problem *problem) {
    (void)unused;
    return open_design(trial, false, problem);
}

static col_status try_mutant(const cam_trial *trial, opened *unused, col_problem *problem) {
    (void)unused;
    return open_design(trial, true, problem);
}

/* ---- Engines. */

static col_status open_again(opened *last, const cam_trial *trial, const col_setting *setting,
                             col_problem *problem) {
    col_setting plain = *setting;
    plain.design.error = NULL;
    plain.design.mutant = 0;
    static const char *const names[] = {"design", "cores", "options", "own-process", "reads-only"};
    bool is_same = last->duv != NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && is_same; i++)
        is_same = cam_trials_share(last->trial, trial, names[i]);
    if (is_same)
        return COL_OK;
    col_duv_close(last->duv);
    *last = (opened){.trial = trial};
    return epi_design_open(&last->duv, &plain, problem);
}

static col_status try_engine(const cam_trial *trial, opened *last, col_problem *problem) {
    col_episode_settings settings;
    BASE_TRY(cam_trial_episode(trial, &settings, problem));
    BASE_TRY(open_again(last, trial, &settings.setting, problem));
    return epi_engine_try(&settings, col_duv_describe(last->duv), NULL, problem);
}

/* Known bugs, whose mends can be made in the design. */
static col_status try_known(const cam_trial *trial, opened *last, col_problem *problem) {
    col_episode_settings settings;
    epi_known known = {0};
    epi_waiver *waiver = NULL;
    if (cam_trial_known(trial) == NULL)
        return COL_OK;
    BASE_TRY(cam_trial_episode(trial, &settings, problem));
    BASE_TRY(open_again(last, trial, &settings.setting, problem));
    settings.setting.design.mutant = 0; /* mends are of tables, which a compiled mutant has, too */
    const epi_waiver_of of = {&known, &settings.setting, col_duv_describe(last->duv), 1, NULL};
    col_status status = epi_known_read(&known, cam_trial_known(trial), problem);
    BASE_THEN(status, epi_waiver_new(&waiver, &of, problem));
    epi_waiver_free(waiver);
    epi_known_free(&known);
    return status;
}

static col_status try_model(const cam_trial *trial, opened *unused, col_problem *problem) {
    col_episode_settings settings;
    base_text text = {0};
    (void)unused;
    col_status status = cam_trial_episode(trial, &settings, problem);
    BASE_THEN(status, epi_model_read(&settings.setting, &text, problem));
    BASE_THEN(status, epi_model_check(&settings.setting, settings.operations, problem));
    base_text_free(&text);
    return status;
}

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

/* ---- All of them. */

enum { OF_EPISODE = 1 << CAM_EPISODE, OF_TOUR = 1 << CAM_TOUR, OF_LOCATIONS = 1 << CAM_LOCATIONS };

static const attempt of_design = {
    {"design", "cores", "options", "error", "own-process", "reads-only"},
    4,
    OF_EPISODE | OF_LOCATIONS,
    try_design};
static const attempt of_mutant = {
    {"design", "cores", "options", "error", "mutant"}, 0, OF_EPISODE, try_mutant};
static const attempt others[] = {
    {{"model", "include", "ops"}, 0, OF_EPISODE, try_model},
    {{"design", "cores", "options", "engine", "engine-options", "ops", "locations", "sets", "mix"},
     0,
     OF_EPISODE,
     try_engine},
    {{"design", "known", "cores", "options", "error"}, 0, OF_EPISODE, try_known},
    {{"protocol", "cores", "method", "clusters", "inclusive"}, 0, OF_TOUR, try_tour},
    {{"design", "cores", "options", "engine", "ops", "locations", "sets", "mix"},
     0,
     OF_LOCATIONS,
     try_locations}};

static col_status try_all(const cam_plan *plan, const attempt *a, col_problem *problem) {
    cam_distinct distinct = {0};
    opened last = {NULL, NULL};
    col_status status = cam_distinct_find(&distinct, plan, a->names, problem);
    for (size_t i = 0; i < distinct.count && status == COL_OK; i++) {
        const cam_trial *trial = &plan->trials[distinct.positions[i]];
        if ((a->kinds >> trial->kind & 1) != 0)
            status = try(plan, a, trial, &last, problem);
    }
    col_duv_close(last.duv);
    cam_distinct_free(&distinct);
    return status;
}

static uint64_t mutant_of(const cam_trial *trial) {
    uint64_t mutant = 0;
    const char *value = cam_trial_value(trial, "mutant");
    return value != NULL && base_number_parse(value, &mutant) ? mutant : 0;
}

/* Of each design the trial with the greatest one. */
static col_status try_mutants(const cam_plan *plan, col_problem *problem) {
    static const char *const names[] = {"design", NULL};
    cam_distinct designs = {0};
    col_status status = cam_distinct_find(&designs, plan, names, problem);
    for (size_t i = 0; i < plan->trial_count && status == COL_OK; i++) {
        const cam_trial *trial = &plan->trials[i];
        size_t *greatest = &designs.positions[cam_distinct_place(&designs, trial)];
        if (mutant_of(trial) > mutant_of(&plan->trials[*greatest]))
            *greatest = i;
    }
    for (size_t d = 0; d < designs.count && status == COL_OK; d++)
        if (mutant_of(&plan->trials[designs.positions[d]]) > 0)
            status = try(plan, &of_mutant, &plan->trials[designs.positions[d]], NULL, problem);
    cam_distinct_free(&designs);
    return status;
}

col_status cam_plan_try(const cam_plan *plan, col_problem *problem) {
    col_status status = try_all(plan, &of_design, problem);
    BASE_THEN(status, try_mutants(plan, problem));
    for (size_t i = 0; i < sizeof others / sizeof others[0] && status == COL_OK; i++)
        status = try_all(plan, &others[i], problem);
    return status;
}
