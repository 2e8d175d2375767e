/* SPDX-License-Identifier: MIT */
/*
 * A trial that is an episode. Failures are written to a temporary folder, from which their story,
 * picture and, if the plan wants that, the shrunk test go into the store.
 */
#include "base/file.h"
#include "base/folder.h"
#include "base/path.h"
#include "campaign/reach.h"
#include "campaign/scratch.h"
#include "campaign/trial.h"
#include "campaign/trial_run.h"
#include "collider/shrink.h"

#include <dirent.h>
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

/* With keep-going one failure is enough: from then on no more are written. */
static void stop_writing(run *r) {
    DIR *list = r->settings.folder == NULL ? NULL : opendir(r->settings.folder);
    for (struct dirent *entry = list == NULL ? NULL : readdir(list); entry != NULL;
         entry = readdir(list))
        if (strncmp(entry->d_name, "failure-", strlen("failure-")) == 0)
            r->settings.folder = NULL;
    if (list != NULL)
        (void)closedir(list);
}

/* Which test was the first to reach a point: those that were new after it. */
static void note_test(void *context, const col_progress *progress) {
    run *r = context;
    uint32_t count = 0;
    const uint32_t *order = col_coverage_order(progress->coverage, COL_STRUCTURAL, &count);
    if (r->outcome->first == NULL) {
        const uint32_t total =
            col_coverage_of(progress->coverage, COL_CUMULATIVE, COL_STRUCTURAL, COL_ALL_MACHINES)
                .total;
        r->outcome->first = calloc((size_t)total + 1, sizeof *r->outcome->first);
        r->is_out_of_memory = r->outcome->first == NULL;
    }
    for (; r->known < count && r->outcome->first != NULL; r->known++)
        r->outcome->first[order[r->known]] = (uint32_t)progress->tests;
    if (r->settings.keep_going)
        stop_writing(r);
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
    row->model = col_models[e->model];
    row->verdict = col_outcomes[e->outcome];
    row->ended_by = col_endings[e->ending];
    row->cores = e->cores;
    row->tests = e->tests;
    row->instances = e->instances;
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
    if (e->outcome == COL_PASS)
        return;
    row->reason = e->failure.reason;
    row->failure_test = e->failure.test;
    row->failure_instance = e->failure.instance;
    row->failure_cycles = e->failure.cycles;
    row->failure_seconds = e->failure.seconds;
}

/* NULL: there is no such file, or nothing in it. */
static col_status read_text(cam_outcome *outcome, const char *folder, const char *name,
                            const char **copy, col_problem *problem) {
    base_text text = {0};
    *copy = NULL;
    if (!base_folder_has(folder, name))
        return COL_OK;
    col_status status = base_file_read_in(folder, name, &text, problem);
    if (status == COL_OK && text.data != NULL) {
        *copy = base_arena_text(&outcome->arena, text.data, strlen(text.data));
        status = *copy == NULL ? base_out_of_memory(problem) : COL_OK;
    }
    base_text_free(&text);
    return status;
}

/* What becomes of a failure: the file of each text. A shrunk one has some anew. */
static col_status take_texts(cam_outcome *outcome, const char *folder, bool is_shrunk,
                             col_problem *problem) {
    cam_failure_row *f = &outcome->failure;
    const struct {
        const char **text, *name;
        bool is_of_shrunk;
    } files[] = {
        {&f->story, "failure.txt", false},         {&f->picture, "failure.svg", false},
        {&f->program, "program.txt", true},        {&f->litmus, "test.riscv.litmus", true},
        {&f->litmus, "test.aarch64.litmus", true}, {&f->litmus, "test.x86-64.litmus", true}};
    col_status status = COL_OK;
    for (size_t i = 0; i < sizeof files / sizeof files[0] && status == COL_OK; i++) {
        const char *text = NULL;
        if (files[i].is_of_shrunk && !is_shrunk)
            continue;
        status = read_text(outcome, folder, files[i].name, &text, problem);
        if (text != NULL)
            *files[i].text = text;
    }
    return status;
}

/* A failure that cannot be shrunk is kept as it is. */
static col_status shrink(const cam_job *job, cam_outcome *outcome, const char *folder,
                         col_problem *problem) {
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
    outcome->failure.threads = shrunk.to.threads;
    outcome->failure.operations = shrunk.to.operations;
    outcome->failure.locations = shrunk.to.locations;
    return take_texts(outcome, shrunk.folder, true, problem);
}

static col_status take_failure(const cam_job *job, cam_outcome *outcome, col_problem *problem) {
    const char *folder = outcome->episode.failure.folder;
    if (folder[0] == '\0')
        return COL_OK;
    outcome->has_failure = true;
    outcome->failure = (cam_failure_row){.key = job->key};
    const col_status status = take_texts(outcome, folder, false, problem);
    return status == COL_OK && job->trial->shrink > 0 ? shrink(job, outcome, folder, problem)
                                                      : status;
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
        status = base_fail(problem, "no test was run: the engine has none to offer");
    if (status == COL_OK) {
        take_numbers(&outcome->row, episode);
        outcome->row.first = outcome->first;
        status = tell_reach(outcome, episode->coverage, problem);
        if (status == COL_OK && job->keeps_failure && episode->outcome != COL_PASS)
            status = take_failure(job, outcome, problem);
        if (status == COL_OK && r.settings.learning_log != NULL)
            status =
                read_text(outcome, job->folder, "learning.csv", &outcome->row.learning, problem);
    }
    /* A stop that came when all was done, or while shrinking, leaves half a result. */
    outcome->was_stopped = cam_job_is_stopped(job);
    cam_scratch_remove(job->folder);
    return status;
}
