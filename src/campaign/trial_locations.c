/* SPDX-License-Identifier: MIT */
/* A trial that is a study of locations (episode/study.h): what the tests covered, as JSON. */
#include "campaign/trial.h"
#include "campaign/trial_run.h"
#include "episode/study.h"

static json_t *describe_machine(const epi_study_results *r, uint32_t machine) {
    const col_duv_machine *m = &r->design->machines[machine];
    const uint64_t *distribution = col_location_coverage_distribution(r->coverage, machine);
    const col_quartiles q = col_quartiles_of(distribution, m->point_count);
    json_t *counts = json_array();
    for (uint32_t i = 0; i <= m->point_count; i++)
        base_json_append(&counts, json_integer((json_int_t)distribution[i]));
    return json_pack("{s:o, s:I, s:f, s:f, s:f, s:o}", "name", base_json_text(m->name), "points",
                     (json_int_t)m->point_count, "lower", q.low, "median", q.median, "upper",
                     q.high, "distribution", counts);
}

static json_t *describe(const epi_study_results *r) {
    json_t *machines = json_array();
    for (uint32_t m = 0; m < r->design->machine_count; m++)
        if (r->design->machines[m].point_count > 0 && r->design->machines[m].controllers > 0)
            base_json_append(&machines, describe_machine(r, m));
    return json_pack("{s:I, s:I, s:I, s:o}", "tests", (json_int_t)r->tests, "operations",
                     (json_int_t)r->operations, "cycles", (json_int_t)r->cycles, "machines",
                     machines);
}

/* A plan must say how many tests there are; of each there is one instance unless it says more. */
static col_status open_study(const cam_job *job, epi_study **study, col_problem *problem) {
    col_episode_settings settings;
    const col_status status = cam_trial_episode(job->trial, &settings, problem);
    if (status != COL_OK)
        return status;
    if (cam_trial_value(job->trial, "instances") == NULL)
        settings.instances = 1;
    settings.stop = job->stop;
    return epi_study_open(study, &settings, problem);
}

col_status cam_try_locations(const cam_trial *trial, col_problem *problem) {
    epi_study *study = NULL;
    const col_status status = open_study(&(cam_job){.trial = trial}, &study, problem);
    epi_study_close(study);
    return status;
}

col_status cam_run_locations(const cam_job *job, cam_outcome *outcome, col_problem *problem) {
    epi_study *study = NULL;
    col_status status = open_study(job, &study, problem);
    if (status == COL_OK)
        status = epi_study_run(study, problem);
    outcome->was_stopped = cam_job_is_stopped(job);
    if (status == COL_OK && !outcome->was_stopped) {
        const epi_study_results results = epi_study_look(study);
        status = cam_result_set(outcome, describe(&results), problem);
    }
    epi_study_close(study);
    return status;
}
