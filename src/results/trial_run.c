/* SPDX-License-Identifier: MIT */
/* Running one trial: see trial_run.h. */
#include "results/trial_run.h"

#include "base/clock.h"
#include "base/folder.h"
#include "base/json.h"
#include "collider/shrink.h"
#include "episode/episode_run.h"
#include "episode/location_study.h"
#include "results/plan/trial.h"
#include "results/store/store.h"
#include "results/store/store_coverage.h"
#include "results/store/store_parts.h"
#include "results/trial_worker.h"

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

void cam_outcome_free(cam_outcome *outcome) {
    col_episode_free(&outcome->episode);
    base_arena_free(&outcome->arena);
    free(outcome->hits);
    free(outcome->first);
    *outcome = (cam_outcome){0};
}

/* Prints and releases a result; NULL: it could not be made. */
static col_status set_result(cam_outcome *outcome, json_t *result, col_problem *problem) {
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
    cam_point *points = NULL;
    BASE_TRY(base_new(&points, (size_t)d->point_count + 1, sizeof *points, problem));
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
    BASE_THEN(status, epi_design_open(&duv, &s.setting, problem));
    if (status != COL_OK)
        return status;
    status = store_points(store, col_duv_describe(duv), hash, problem);
    col_duv_close(duv);
    return status;
}

/*
 * A trial that is an episode. The smallest failure of each kind is written to a temporary folder,
 * from which its program, story, picture and, if the plan wants that, the shrunk test go into the
 * store.
 */

typedef struct run {
    const cam_job *job;
    cam_outcome *outcome;
    col_episode_settings settings;
    char log[PATH_MAX];
    uint32_t known; /* structural points whose first test is noted */
    bool is_out_of_memory;
} run;

/* ---- While it runs. */

/* NULL: there was no test yet. */
static void set_pulse(cam_pulse *pulse, const col_progress *p) {
    atomic_store(&pulse->tests, p == NULL ? 0 : p->tests);
    atomic_store(&pulse->cycles, p == NULL ? 0 : p->cycles);
    for (int m = 0; m < COL_METRIC_COUNT; m++) {
        col_covered all = {0};
        if (p != NULL)
            all = col_coverage_of(p->coverage, COL_CUMULATIVE, (col_metric)m, COL_ALL_MACHINES);
        atomic_store(&pulse->covered[m], all.covered);
        atomic_store(&pulse->total[m], all.total);
    }
}

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
        set_pulse(r->job->pulse, progress);
}

static col_status begin(run *r, col_problem *problem) {
    const cam_job *job = r->job;
    col_status status = cam_trial_episode(job->trial, &r->settings, problem);
    if (status != COL_OK)
        return status;
    bool learns = false; /* only some engines do; to ask the others for a log is refused */
    const bool has_log = cam_trial_learns(job->trial) &&
                         epi_engine_try(&r->settings, NULL, &learns, NULL) == COL_OK && learns;
    r->settings.progress = note_test;
    r->settings.context = r;
    r->settings.stop = job->stop;
    r->settings.jobs = 1;
    r->settings.keep = 1;
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
        row->coverage[m] = cam_extent_of(e->coverage, (col_metric)m);
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

/* The smallest of each kind, shrunk if the plan wants that. */
static col_status take_failures(const cam_job *job, cam_outcome *outcome, col_problem *problem) {
    const col_episode *e = &outcome->episode;
    col_status status = COL_OK;
    for (size_t i = 0; i < e->kind_count && i < CAM_MOST_FAILURES && status == COL_OK; i++) {
        const col_failure *smallest = &e->kinds[i].smallest;
        const char *folder = smallest->folder;
        cam_failure_row *f = &outcome->failures[outcome->failure_count++];
        *f = (cam_failure_row){.key = job->key,
                               .kind = outcome->failure_count,
                               .hash = smallest->fingerprint.hash,
                               .fingerprint = smallest->fingerprint.text,
                               .count = e->kinds[i].count,
                               .verdict = col_outcomes[smallest->outcome],
                               .reason = smallest->reason,
                               .test = smallest->test,
                               .instance = smallest->instance,
                               .cycles = smallest->cycles,
                               .seconds = smallest->seconds,
                               .size = smallest->operations};
        if (folder[0] == '\0')
            continue;
        status = cam_failure_texts(f, &outcome->arena, folder, false, problem);
        if (status == COL_OK && job->trial->shrink > 0)
            status = shrink(job, outcome, f, folder, problem);
    }
    return status;
}

static col_status run_episode(const cam_job *job, cam_outcome *outcome, col_problem *problem) {
    run r = {.job = job, .outcome = outcome};
    epi_known known = {0};
    const char *path = cam_trial_known(job->trial);
    col_episode *episode = &outcome->episode;
    col_status status = path == NULL ? COL_OK : epi_known_read(&known, path, problem);
    BASE_THEN(status, begin(&r, problem));
    BASE_THEN(status, epi_run(&r.settings, path == NULL ? NULL : &known, NULL, episode, problem));
    if (status == COL_OK && r.is_out_of_memory)
        status = base_out_of_memory(problem);
    if (status == COL_OK && episode->outcome == COL_INCOMPLETE) /* by a stop there is no row */
        status = base_fail(problem, episode->ending == COL_ENDED_BY_TIME
                                        ? "no test was done within its time"
                                        : "no test was run: the engine has none to offer");
    if (status == COL_OK) {
        take_numbers(&outcome->row, episode);
        outcome->row.first = outcome->first;
        json_t *waived = epi_known_json(&known);
        json_t *result = cam_result_json(episode->coverage, waived);
        json_decref(waived);
        if (!json_is_null(result))
            status = set_result(outcome, result, problem);
        else
            json_decref(result);
        BASE_THEN(status, take_failures(job, outcome, problem));
        if (status == COL_OK && r.settings.learning_log != NULL)
            status = cam_text_read(&outcome->arena, job->folder, "learning.csv",
                                   &outcome->row.learning, problem);
    }
    /* A stop that came when all was done, or while shrinking, leaves half a result. */
    outcome->was_stopped = base_is_stopped(job->stop);
    base_folder_remove_path(job->folder);
    epi_known_free(&known);
    return status;
}

/* A trial that is a study of locations (episode/location_study.h): what the tests covered, as JSON.
 */

static json_t *describe(const epi_study_results *r) {
    json_t *machines = json_array();
    for (uint32_t k = 0; k < r->design->machine_count; k++) {
        const col_duv_machine *m = &r->design->machines[k];
        if (m->point_count == 0 || m->controllers == 0)
            continue;
        const uint64_t *distribution = col_location_coverage_distribution(r->coverage, k);
        const col_quartiles q = col_quartiles_of(distribution, m->point_count);
        json_t *counts = json_array();
        for (uint32_t i = 0; i <= m->point_count; i++)
            base_json_append(&counts, json_integer((json_int_t)distribution[i]));
        base_json_append(&machines, json_pack("{s:o, s:I, s:f, s:f, s:f, s:o}", "name",
                                              base_json_text(m->name), "points",
                                              (json_int_t)m->point_count, "lower", q.low, "median",
                                              q.median, "upper", q.high, "distribution", counts));
    }
    return json_pack("{s:I, s:I, s:I, s:o}", "tests", (json_int_t)r->tests, "operations",
                     (json_int_t)r->operations, "cycles", (json_int_t)r->cycles, "machines",
                     machines);
}

/* A plan must say how many tests there are; of each there is one instance unless it says more. */
static col_status open_study(const cam_job *job, epi_study **study, col_problem *problem) {
    col_episode_settings settings;
    BASE_TRY(cam_trial_episode(job->trial, &settings, problem));
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

static col_status run_locations(const cam_job *job, cam_outcome *outcome, col_problem *problem) {
    epi_study *study = NULL;
    col_status status = open_study(job, &study, problem);
    BASE_THEN(status, epi_study_run(study, problem));
    outcome->was_stopped = base_is_stopped(job->stop);
    if (status == COL_OK && !outcome->was_stopped) {
        const epi_study_results results = epi_study_look(study);
        status = set_result(outcome, describe(&results), problem);
    }
    epi_study_close(study);
    return status;
}

/* A trial that is a tour: the figures of collider tour, and at what cost each hundredth of the
 * transitions was covered. */

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
    return !base_is_stopped(t->job->stop);
}

static json_t *describe_tour(const tour *t) {
    const col_tour_results *r = &t->results;
    return json_pack("{s:I, s:I, s:I, s:f, s:o, s:o, s:f, s:I, s:I, s:O}", "states",
                     (json_int_t)r->states, "transitions", (json_int_t)r->transitions, "cost",
                     (json_int_t)r->cost, "cost_per_transition",
                     (double)r->cost / (double)r->transitions, "covered",
                     r->is_counted ? json_integer((json_int_t)r->covered) : json_null(), "optimum",
                     r->optimum > 0 ? json_integer((json_int_t)r->optimum) : json_null(), "seconds",
                     r->seconds, "peak_bytes", (json_int_t)r->peak_bytes, "count_bytes",
                     (json_int_t)r->count_bytes, "curve", t->curve);
}

static col_status run_tour(const cam_job *job, cam_outcome *outcome, col_problem *problem) {
    col_tour_settings settings;
    tour t = {.job = job, .curve = json_array(), .next = 1};
    col_status status = cam_trial_tour(job->trial, &settings, problem);
    settings.take = take;
    settings.context = &t;
    BASE_THEN(status, col_tour(&settings, &t.results, problem));
    outcome->was_stopped = base_is_stopped(job->stop);
    if (status == COL_OK && !outcome->was_stopped)
        status = set_result(outcome, describe_tour(&t), problem);
    json_decref(t.curve);
    return status;
}

void cam_trial_run(const cam_job *job, cam_outcome *outcome) {
    static col_status (*const runs[CAM_KIND_COUNT])(const cam_job *, cam_outcome *,
                                                    col_problem *) = {
        [CAM_EPISODE] = run_episode,
        [CAM_TOUR] = run_tour,
        [CAM_LOCATIONS] = run_locations,
    };
    char text[1024];
    col_problem problem = {0};
    const double start = base_seconds();
    if (job->pulse != NULL)
        set_pulse(job->pulse, NULL);
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
