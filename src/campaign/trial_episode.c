/* SPDX-License-Identifier: MIT */
/*
 * A trial that is an episode. The smallest failure of each kind is written to a temporary folder,
 * from which its program, story, picture and, if the plan wants that, the shrunk test go into the
 * store.
 */
#include "base/folder.h"
#include "base/path.h"
#include "campaign/failure_texts.h"
#include "campaign/reach.h"
#include "campaign/running.h"
#include "campaign/scratch.h"
#include "campaign/trial.h"
#include "campaign/trial_run.h"
#include "collider/shrink.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct run {
    const cam_job *job;
    cam_outcome *outcome;
    col_episode_settings settings;
    char log[PATH_MAX];
    uint32_t known; /* structural points whose first test is noted */
    bool is_out_of_memory;
} run;

/* ---- While it runs. */

/* Which test was the first to reach a point: those that were new after it. */
static void note_test(void *context, const col_progress *progress) {
    run *r = context;
    uint32_t count = 0;
    const uint32_t *order = col_coverage_order(progress->coverage, COL_STRUCTURAL, &count);
    if (r->outcome->first == NULL && !r->is_out_of_memory) {
        const uint32_t total =
            col_coverage_of(progress->coverage, COL_CUMULATIVE, COL_STRUCTURAL, COL_ALL_MACHINES)
                .total;
        r->outcome->first = calloc((size_t)total + 1, sizeof *r->outcome->first);
        r->is_out_of_memory = r->outcome->first == NULL;
    }
    for (; r->known < count && r->outcome->first != NULL; r->known++)
        r->outcome->first[order[r->known]] = (uint32_t)progress->tests;
    if (r->job->pulse != NULL)
        cam_pulse_take(r->job->pulse, progress);
}

/* Only some engines learn; to ask the others for a log is refused. */
static bool learns(const col_episode_settings *s) {
    bool does = false;
    return epi_engine_try(s, NULL, &does, NULL) == COL_OK && does;
}

static col_status begin(run *r, col_problem *problem) {
    const cam_job *job = r->job;
    col_status status = cam_trial_episode(job->trial, &r->settings, problem);
    if (status != COL_OK)
        return status;
    const bool has_log = cam_trial_learns(job->trial) && learns(&r->settings);
    r->settings.progress = note_test;
    r->settings.context = r;
    r->settings.stop = job->stop;
    r->settings.jobs = 1;
    r->settings.keeps_smallest = true;
    if (job->keeps_failure)
        r->settings.folder = job->folder;
    if (has_log) {
        status = base_path_in(r->log, job->folder, "learning.csv", problem);
        if (status != COL_OK)
            return status;
        r->settings.learning_log = r->log;
    }
    return job->keeps_failure || has_log ? base_folder_make(job->folder, problem) : COL_OK;
}

/* ---- What came of it. */

static cam_extent extent_of(const col_coverage *coverage, col_metric metric) {
    const col_covered all = col_coverage_of(coverage, COL_CUMULATIVE, metric, COL_ALL_MACHINES);
    return (cam_extent){.covered = all.covered,
                        .total = all.total,
                        .reachable_known = all.reachable_known,
                        .reached = all.reached,
                        .reachable = all.reachable};
}

static void take_numbers(cam_row *row, const col_episode *e) {
    row->design = e->design;
    row->model = e->model_name;
    row->verdict = col_outcomes[e->outcome];
    row->ended_by = col_endings[e->ending];
    row->cores = e->cores;
    row->tests = e->tests;
    row->instances = e->instances;
    row->undecided = e->undecided;
    row->operations = e->operations;
    row->cycles = e->cycles;
    row->seconds = e->seconds;
    row->failing_tests = e->failures;
    row->failing_cycles = e->failing_cycles;
    row->failing_seconds = e->failing_seconds;
    for (int m = 0; m < COL_METRIC_COUNT; m++)
        row->coverage[m] = extent_of(e->coverage, (col_metric)m);
    row->curve = e->curve;
    row->curve_count = e->curve_count;
    row->hits = col_coverage_hits(e->coverage, COL_STRUCTURAL);
    row->point_count = row->coverage[COL_STRUCTURAL].total;
    if (e->outcome == COL_PASS || e->outcome == COL_UNJUDGED)
        return;
    row->reason = e->failure.reason;
    row->failure_test = e->failure.test;
    row->failure_instance = e->failure.instance;
    row->failure_cycles = e->failure.cycles;
    row->failure_seconds = e->failure.seconds;
}

/* A failure that cannot be shrunk is kept as it is. */
static col_status shrink(const cam_job *job, cam_outcome *outcome, cam_failure_row *f,
                         const char *folder, col_problem *problem) {
    col_shrink_settings settings;
    col_shrunk shrunk;
    col_problem inner = {0};
    col_shrink_default(&settings);
    settings.folder = folder;
    settings.allow_code = true; /* it has just run */
    settings.seconds = job->trial->shrink;
    settings.jobs = 1;
    settings.stop = job->stop;
    if (col_shrink(&settings, &shrunk, &inner) != COL_OK)
        return base_is_out_of_memory(&inner) ? base_out_of_memory(problem) : COL_OK;
    f->threads = shrunk.to.threads;
    f->operations = shrunk.to.operations;
    f->locations = shrunk.to.locations;
    return cam_failure_texts(f, &outcome->arena, shrunk.folder, true, problem);
}

static void take_kind(const cam_job *job, const col_failure_kind *kind, cam_failure_row *f) {
    const col_failure *smallest = &kind->smallest;
    *f = (cam_failure_row){.key = job->key,
                           .hash = smallest->fingerprint.hash,
                           .fingerprint = smallest->fingerprint.text,
                           .count = kind->count,
                           .verdict = col_outcomes[smallest->outcome],
                           .reason = smallest->reason,
                           .test = smallest->test,
                           .instance = smallest->instance,
                           .cycles = smallest->cycles,
                           .seconds = smallest->seconds,
                           .size = smallest->operations};
}

/* The smallest of each kind, shrunk if the plan wants that. */
static col_status take_failures(const cam_job *job, cam_outcome *outcome, col_problem *problem) {
    const col_episode *e = &outcome->episode;
    col_status status = COL_OK;
    for (size_t i = 0; i < e->kind_count && i < CAM_MOST_FAILURES && status == COL_OK; i++) {
        const char *folder = e->kinds[i].smallest.folder;
        cam_failure_row *f = &outcome->failures[outcome->failure_count++];
        take_kind(job, &e->kinds[i], f);
        f->kind = outcome->failure_count;
        if (folder[0] == '\0')
            continue;
        status = cam_failure_texts(f, &outcome->arena, folder, false, problem);
        if (status == COL_OK && job->trial->shrink > 0)
            status = shrink(job, outcome, f, folder, problem);
    }
    return status;
}

/* A design that does not know what its points need has nothing to tell. */
static col_status tell_reach(cam_outcome *outcome, const col_coverage *coverage,
                             col_problem *problem) {
    json_t *reach = cam_reach_json(coverage);
    if (!json_is_null(reach))
        return cam_result_set(outcome, reach, problem);
    json_decref(reach);
    return COL_OK;
}

col_status cam_run_episode(const cam_job *job, cam_outcome *outcome, col_problem *problem) {
    run r = {.job = job, .outcome = outcome};
    col_episode *episode = &outcome->episode;
    col_status status = begin(&r, problem);
    if (status == COL_OK)
        status = col_episode_run(&r.settings, episode, problem);
    if (status == COL_OK && r.is_out_of_memory)
        status = base_out_of_memory(problem);
    if (status == COL_OK && episode->outcome == COL_INCOMPLETE) /* by a stop there is no row */
        status = base_fail(problem, episode->ending == COL_ENDED_BY_TIME
                                        ? "no test was done within its time"
                                        : "no test was run: the engine has none to offer");
    if (status == COL_OK) {
        take_numbers(&outcome->row, episode);
        outcome->row.first = outcome->first;
        status = tell_reach(outcome, episode->coverage, problem);
        if (status == COL_OK)
            status = take_failures(job, outcome, problem);
        if (status == COL_OK && r.settings.learning_log != NULL)
            status = cam_text_read(&outcome->arena, job->folder, "learning.csv",
                                   &outcome->row.learning, problem);
    }
    /* A stop that came when all was done, or while shrinking, leaves half a result. */
    outcome->was_stopped = cam_job_is_stopped(job);
    base_folder_remove_path(job->folder);
    return status;
}
