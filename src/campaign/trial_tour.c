/* SPDX-License-Identifier: MIT */
/* A trial that is a tour: the figures of collider tour, and at what cost each hundredth of the
 * transitions was covered. */
#include "campaign/trial.h"
#include "campaign/trial_run.h"

typedef struct tour {
    const cam_job *job;
    col_tour_results results;
    json_t *curve;
    uint32_t next; /* hundredth that is not covered yet */
} tour;

static bool take(void *context, col_tour_operation operation) {
    tour *t = context;
    const col_tour_results *r = &t->results;
    (void)operation;
    while (t->next <= 100 && r->is_counted && r->covered * 100 >= t->next * r->transitions) {
        base_json_append(&t->curve, json_pack("[f, I]", t->next / 100.0, (json_int_t)r->cost));
        t->next++;
    }
    return !cam_job_is_stopped(t->job);
}

static json_t *number_or_null(bool is_known, uint64_t number) {
    return is_known ? json_integer((json_int_t)number) : json_null();
}

static json_t *describe(const tour *t) {
    const col_tour_results *r = &t->results;
    return json_pack(
        "{s:I, s:I, s:I, s:f, s:o, s:o, s:f, s:I, s:I, s:O}", "states", (json_int_t)r->states,
        "transitions", (json_int_t)r->transitions, "cost", (json_int_t)r->cost,
        "cost_per_transition", (double)r->cost / (double)r->transitions, "covered",
        number_or_null(r->is_counted, r->covered), "optimum",
        number_or_null(r->optimum > 0, r->optimum), "seconds", r->seconds, "peak_bytes",
        (json_int_t)r->peak_bytes, "count_bytes", (json_int_t)r->count_bytes, "curve", t->curve);
}

col_status cam_run_tour(const cam_job *job, cam_outcome *outcome, col_problem *problem) {
    col_tour_settings settings;
    tour t = {.job = job, .curve = json_array(), .next = 1};
    col_status status = cam_trial_tour(job->trial, &settings, problem);
    settings.take = take;
    settings.context = &t;
    if (status == COL_OK)
        status = col_tour(&settings, &t.results, problem);
    outcome->was_stopped = cam_job_is_stopped(job);
    if (status == COL_OK && !outcome->was_stopped)
        status = cam_result_set(outcome, describe(&t), problem);
    json_decref(t.curve);
    return status;
}
