/* SPDX-License-Identifier: MIT */
/* Running one trial: see trial_run.h. */
#include "campaign/trial_run.h"

#include "base/clock.h"
#include "base/stop.h"
#include "campaign/store_parts.h"
#include "campaign/trial.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void cam_row_begin(cam_row *row, const cam_trial *trial, const char *key, const char *design_hash,
                   const char *host) {
    const char *seed = cam_trial_value(trial, "seed");
    *row = (cam_row){.key = key,
                     .kind = trial->kind,
                     .pairs = trial->pairs,
                     .pair_count = trial->pair_count,
                     .seed = seed == NULL ? 0 : strtoull(seed, NULL, 10),
                     .provenance = {.version = col_version(),
                                    .host = host,
                                    .design_hash = design_hash[0] == '\0' ? NULL : design_hash,
                                    .started = (int64_t)time(NULL)}};
}

void cam_outcome_fail(cam_outcome *outcome, const char *reason) {
    cam_row *row = &outcome->row;
    const double seconds = row->seconds;
    *row = (cam_row){.key = row->key,
                     .kind = row->kind,
                     .pairs = row->pairs,
                     .pair_count = row->pair_count,
                     .seed = row->seed,
                     .reason = reason,
                     .provenance = row->provenance,
                     .seconds = seconds};
    outcome->failure_count = 0;
}

bool cam_job_is_stopped(const cam_job *job) {
    return base_is_stopped(job->stop);
}

void cam_trial_run(const cam_job *job, cam_outcome *outcome) {
    static col_status (*const runs[CAM_KIND_COUNT])(const cam_job *, cam_outcome *,
                                                    col_problem *) = {
        [CAM_EPISODE] = cam_run_episode,
        [CAM_TOUR] = cam_run_tour,
        [CAM_LOCATIONS] = cam_run_locations,
    };
    char text[1024];
    col_problem problem = {0};
    const double start = base_seconds();
    cam_row_begin(&outcome->row, job->trial, job->key, job->design_hash, job->host);
    const col_status status = runs[job->trial->kind](job, outcome, &problem);
    if (job->trial->kind != CAM_EPISODE || status != COL_OK)
        outcome->row.seconds = base_seconds() - start;
    outcome->row.is_done = status == COL_OK;
    if (status == COL_OK)
        return;
    (void)col_problem_text(&problem, text, sizeof text);
    const char *reason = base_arena_text(&outcome->arena, text, strlen(text));
    cam_outcome_fail(outcome, reason == NULL ? "out of memory" : reason);
}

void cam_outcome_free(cam_outcome *outcome) {
    col_episode_free(&outcome->episode);
    base_arena_free(&outcome->arena);
    free(outcome->hits);
    free(outcome->first);
    *outcome = (cam_outcome){0};
}

col_status cam_result_set(cam_outcome *outcome, json_t *result, col_problem *problem) {
    base_text text = {0};
    base_json_print(result, JSON_COMPACT | JSON_REAL_PRECISION(9), &text);
    json_decref(result);
    if (!text.failed)
        outcome->row.result = base_arena_text(&outcome->arena, text.data, text.length);
    base_text_free(&text);
    return outcome->row.result == NULL ? base_out_of_memory(problem) : COL_OK;
}

/* ---- The points of a design. */

static col_status store_points(cam_store *store, const col_duv_description *d, const char *hash,
                               col_problem *problem) {
    cam_point *points = calloc((size_t)d->point_count + 1, sizeof *points);
    if (points == NULL)
        return base_out_of_memory(problem);
    for (uint32_t m = 0; m < d->machine_count; m++)
        for (uint32_t i = 0; i < d->machines[m].point_count; i++) {
            const uint32_t point = d->machines[m].first_point + i;
            points[point] = (cam_point){d->machines[m].name, d->points[point].state,
                                        d->points[point].event, d->points[point].reachable};
        }
    const cam_design_row row = {.hash = hash,
                                .name = d->name,
                                .cores = d->cores,
                                .reachable_known = d->reachable_known,
                                .points = points,
                                .point_count = d->point_count};
    const col_status status = cam_store_add_design(store, &row, problem);
    free(points);
    return status;
}

col_status cam_design_store(cam_store *store, const cam_trial *trial, const char *hash,
                            col_problem *problem) {
    bool has = hash[0] == '\0';
    col_duv *duv = NULL;
    col_episode_settings s;
    col_status status = has ? COL_OK : cam_store_has_design(store, hash, &has, problem);
    if (status != COL_OK || has)
        return status;
    status = cam_trial_episode(trial, &s, problem);
    if (status == COL_OK)
        status = epi_design_open(&duv, &s.setting, problem);
    if (status != COL_OK)
        return status;
    status = store_points(store, col_duv_describe(duv), hash, problem);
    col_duv_close(duv);
    return status;
}
