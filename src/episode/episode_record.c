/* SPDX-License-Identifier: MIT */
/* The record of an episode as JSON. Its fields are a promise: some may be
 * added, none changed. Those that depend on the clock are named seconds, and
 * nothing else does. */
#include "episode/episode_record.h"

#include "base/json.h"
#include "base/path.h"
#include "cover/coverage.h"
#include "cover/holes.h"
#include "episode/failure/fingerprint.h"
#include "episode/suite/corpus.h"
#include "episode/triage/bugs.h"
#include "episode/user_programs.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is not known is left out. */
static void set_here(json_t **object, const char *key, const col_here *here) {
    if (here->known)
        base_json_set(object, key,
                      json_pack("{s:i, s:i, s:f}", "covered", (int)here->covered, "total",
                                (int)here->total, "fraction", here->fraction));
}

static json_t *covered(const col_coverage *coverage, col_metric metric, uint32_t machine) {
    const col_covered all = col_coverage_of(coverage, COL_CUMULATIVE, metric, machine), *c = &all;
    const col_here here = col_coverage_here(coverage, metric, machine);
    const col_here known = col_coverage_known_here(coverage, metric, machine);
    json_t *object = json_pack("{s:i, s:i, s:f}", "covered", (int)c->covered, "total",
                               (int)c->total, "fraction", c->fraction);
    if (c->reachable_known && object != NULL)
        base_json_set(&object, "reachable",
                      json_pack("{s:i, s:i, s:f, s:i}", "covered", (int)c->reached, "total",
                                (int)c->reachable, "fraction", c->reached_fraction, "unexpected",
                                (int)c->unexpected));
    set_here(&object, "here", &here);
    set_here(&object, "known_here", &known);
    return object;
}

static json_t *coverage_of(const col_coverage *coverage, col_metric metric) {
    json_t *machines = json_object();
    json_t *object = covered(coverage, metric, COL_ALL_MACHINES);
    for (uint32_t m = 0; col_coverage_machine(coverage, m) != NULL; m++)
        base_json_set(&machines, col_coverage_machine(coverage, m), covered(coverage, metric, m));
    base_json_set(&object, "by_machine", machines);
    return object;
}

static json_t *holes_of(const col_coverage *coverage) {
    json_t *holes = json_array();
    col_point_facts f;
    for (uint32_t p = 0; col_coverage_point(coverage, p, &f); p++)
        if (f.counts && f.hits == 0)
            base_json_append(&holes, cov_point_json(coverage, p, &f));
    return holes;
}

static json_t *curve_of(const col_episode *episode) {
    json_t *curve = json_array();
    for (size_t i = 0; i < episode->curve_count; i++) {
        const col_curve_point *p = &episode->curve[i];
        base_json_append(&curve,
                         json_pack("{s:f, s:I, s:I, s:I, s:i, s:i}", "seconds", p->seconds, "tests",
                                   (json_int_t)p->tests, "operations", (json_int_t)p->operations,
                                   "cycles", (json_int_t)p->cycles, "structural",
                                   (int)p->structural, "functional", (int)p->functional));
    }
    return curve;
}

/* ---- What is still to be found. */

bool epi_interval_holds(const col_episode *episode) {
    return episode->most_jobs == 0 || episode->most_jobs > episode->test_instances;
}

static json_t *forecast_of(const cov_incidence *n, uint32_t ahead, bool has_interval) {
    const cov_forecast f = cov_forecast_of(n, ahead);
    json_t *interval = has_interval ? json_pack("[i, i]", (int)f.low, (int)f.high) : json_null();
    return json_pack("{s:I, s:f, s:o, s:f}", "tests", (json_int_t)n->tests * (json_int_t)ahead,
                     "expected", f.expected, "interval", interval, "chance", f.chance);
}

static json_t *discovery_of(const col_episode *episode) {
    static const uint32_t ahead[] = {1, 3, COV_MOST_AHEAD};
    const cov_incidence n = cov_incidence_of(episode->coverage, episode->tests);
    json_t *hit_by = json_array(), *forecasts = json_array();
    for (uint32_t k = 0; k < COV_FEW; k++)
        base_json_append(&hit_by, json_integer((json_int_t)n.hit_by[k]));
    for (size_t i = 0; n.tests >= COV_LEAST_TESTS && i < sizeof ahead / sizeof ahead[0]; i++)
        base_json_append(&forecasts, forecast_of(&n, ahead[i], epi_interval_holds(episode)));
    return json_pack("{s:o, s:I, s:i, s:o}", "hit_by", hit_by, "least", (json_int_t)n.least, "left",
                     (int)n.left, "forecasts", forecasts);
}

static json_t *failure_of(const col_episode *episode) {
    const col_failure *f = &episode->failure;
    if (episode->failures == 0)
        return json_null();
    return json_pack(
        "{s:o, s:I, s:I, s:f, s:I, s:o, s:o}", "folder",
        base_json_text(f->folder[0] == '\0' ? NULL : f->folder), "test", (json_int_t)f->test,
        "instance", (json_int_t)f->instance, "seconds", f->seconds, "cycles", (json_int_t)f->cycles,
        "reason", base_json_text(f->reason), "fingerprint", epi_fingerprint_json(&f->fingerprint));
}

/* Failures by their fingerprints, each kind with its smallest example. */
static json_t *kinds_of(const col_episode *episode) {
    json_t *kinds = json_array();
    for (size_t i = 0; i < episode->kind_count; i++) {
        const col_failure_kind *kind = &episode->kinds[i];
        const col_failure *f = &kind->smallest;
        base_json_append(
            &kinds,
            json_pack("{s:o, s:s, s:I, s:{s:o, s:I, s:I, s:I, s:I, s:f, s:o}}", "fingerprint",
                      epi_fingerprint_json(&f->fingerprint), "verdict", col_outcomes[f->outcome],
                      "count", (json_int_t)kind->count, "smallest", "folder",
                      base_json_text(f->folder[0] == '\0' ? NULL : f->folder), "test",
                      (json_int_t)f->test, "instance", (json_int_t)f->instance, "operations",
                      (json_int_t)f->operations, "cycles", (json_int_t)f->cycles, "seconds",
                      f->seconds, "reason", base_json_text(f->reason)));
    }
    return kinds;
}

/* ---- Programs that were given. */

static json_t *outcome_of(const col_seen_outcome *o) {
    json_t *object = json_pack("{s:I}", "count", (json_int_t)o->count);
    json_t *reads = json_array(), *finals = json_array();
    for (uint32_t i = 0; i < o->seen_count; i++) {
        const col_seen *s = &o->seen[i];
        json_t *seen = json_pack("{s:I}", "location", (json_int_t)s->location);
        if (s->operation != COL_FINAL) {
            base_json_set(&seen, "thread", json_integer((json_int_t)s->thread));
            base_json_set(&seen, "operation", json_integer((json_int_t)s->operation));
        }
        base_json_set(&seen, "value", json_integer((json_int_t)(s->word & UINT32_MAX)));
        if (s->word >> 32 != 0)
            base_json_set(&seen, "added", json_integer((json_int_t)(s->word >> 32)));
        base_json_append(s->operation == COL_FINAL ? &finals : &reads, seen);
    }
    const bool is_kept = o->seen != NULL;
    base_json_set(&object, "reads", is_kept ? reads : json_null());
    base_json_set(&object, "final", is_kept ? finals : json_null());
    if (!is_kept) {
        json_decref(reads);
        json_decref(finals);
    }
    return object;
}

static json_t *outcomes_of(const col_given *given) {
    const col_seen_outcome **sorted = epi_given_by_count(given);
    json_t *outcomes = sorted == NULL ? NULL : json_array();
    for (size_t i = 0; i < given->outcome_count && sorted != NULL; i++)
        base_json_append(&outcomes, outcome_of(sorted[i]));
    free(sorted);
    return outcomes;
}

/* null: an engine made the tests. */
static json_t *programs_of(const col_episode *episode) {
    if (episode->given == NULL)
        return json_null();
    json_t *programs = json_array();
    for (size_t i = 0; i < episode->given_count; i++) {
        const col_given *g = &episode->given[i];
        base_json_append(&programs,
                         json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}",
                                   "file", base_json_text(g->path), "threads",
                                   (json_int_t)g->threads, "operations", (json_int_t)g->operations,
                                   "locations", (json_int_t)g->locations, "tests",
                                   (json_int_t)g->tests, "instances", (json_int_t)g->instances,
                                   "failing_tests", (json_int_t)g->failing, "passed",
                                   (json_int_t)g->passed, "distinct", (json_int_t)g->outcome_count,
                                   "others", (json_int_t)g->others, "outcomes", outcomes_of(g)));
    }
    return programs;
}

/* Means over the tests; null if the episode did not watch. */
static json_t *witness_of(const col_episode *episode) {
    const col_watched *w = &episode->watched;
    const double tests = (double)w->tests;
    if (w->tests == 0)
        return json_null();
    return json_pack("{s:{s:f, s:f, s:f}, s:f, s:f}", "distinct", col_observations[COL_OBSERVE_RF],
                     (double)w->distinct[COL_OBSERVE_RF] / tests, col_observations[COL_OBSERVE_CO],
                     (double)w->distinct[COL_OBSERVE_CO] / tests,
                     col_observations[COL_OBSERVE_CORF],
                     (double)w->distinct[COL_OBSERVE_CORF] / tests, "outcomes",
                     (double)w->outcomes / tests, "nondeterminism", w->nondeterminism / tests);
}

static json_t *settings_of(const col_episode_settings *s, const col_episode *e) {
    return json_pack("{s:[I, I], s:[I, I], s:I, s:o, s:o, s:I, s:s, s:o, s:o}", "operations",
                     (json_int_t)e->test_operations.least, (json_int_t)e->test_operations.most,
                     "locations", (json_int_t)s->locations.least, (json_int_t)s->locations.most,
                     "sets", (json_int_t)s->sets, "mix", base_json_text(s->mix), "engine_options",
                     base_json_text(s->engine_options), "instances", (json_int_t)e->test_instances,
                     "metric", col_metrics[s->metric], "options",
                     base_json_text(s->setting.design.options), "model_file",
                     base_json_text(s->setting.model_file));
}

/* How far a triage got, and its bugs. */
static void set_bugs(json_t **record, const epi_triage *t) {
    base_json_set(record, "triage",
                  t == NULL
                      ? json_null()
                      : json_pack("{s:b, s:I, s:f}", "complete", (int)t->is_complete, "unexplained",
                                  (json_int_t)t->unexplained, "seconds", t->seconds));
    base_json_set(record, "bugs", t == NULL ? json_array() : epi_bugs_json(t));
}

static json_t *make_record(const col_episode_settings *s, const col_episode *e,
                           const epi_known *known, const epi_triage *triage) {
    json_t *record = json_pack(
        "{s:o, s:i, s:s, s:I, s:o, s:o, s:o, s:o, s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:I, "
        "s:{s:o, s:o, s:o}, s:o, s:o, "
        "s:o, s:I, s:{s:I, s:I, s:f}, s:o, s:o, s:o, s:o}",
        "design", base_json_text(e->design), "cores", (int)e->cores, "engine", s->engine, "seed",
        (json_int_t)s->seed, "error", base_json_text(s->setting.design.error), "mutant",
        s->setting.design.mutant == 0 ? json_null()
                                      : json_integer((json_int_t)s->setting.design.mutant),
        "model", base_json_text(e->model_name), "settings", settings_of(s, e), "verdict",
        col_outcomes[e->outcome], "ended_by", col_endings[e->ending], "tests", (json_int_t)e->tests,
        "instances", (json_int_t)e->instances, "undecided", (json_int_t)e->undecided, "operations",
        (json_int_t)e->operations, "seconds", e->seconds, "cycles", (json_int_t)e->cycles,
        "coverage", "structural", coverage_of(e->coverage, COL_STRUCTURAL), "functional",
        coverage_of(e->coverage, COL_FUNCTIONAL), "holes", holes_of(e->coverage), "curve",
        curve_of(e), "discovery", e->given == NULL ? discovery_of(e) : json_null(), "witness",
        witness_of(e), "failures", (json_int_t)e->failures, "failing", "tests",
        (json_int_t)e->failures, "cycles", (json_int_t)e->failing_cycles, "seconds",
        e->failing_seconds, "kinds", kinds_of(e), "programs", programs_of(e), "waived",
        epi_known_json(known), "failure", failure_of(e));
    set_bugs(&record, triage);
    return record;
}

col_status col_episode_write(const col_episode_settings *settings, const col_episode *episode,
                             const char *path, col_problem *problem) {
    return base_json_write(path, make_record(settings, episode, NULL, NULL), problem);
}

col_status epi_folder_write(const epi_folder *folder, const col_episode_settings *settings,
                            const col_episode *episode, const char *path, col_problem *problem) {
    return base_json_write(path, make_record(settings, episode, folder->known, folder->triage),
                           problem);
}

col_status col_episode_record(const col_episode_settings *settings, const col_episode *episode,
                              char **text, size_t *length, col_problem *problem) {
    base_text written = {0};
    json_t *record = make_record(settings, episode, NULL, NULL);
    base_json_print(record, BASE_JSON_LAYOUT, &written);
    json_decref(record);
    return base_text_give(&written, text, length, problem);
}

/* The folder of an episode. */

static const char *const records[] = {"coverage.txt", "episode.json", NULL};
static const char *const saved = "resume.json";

enum { ROOM = 64 }; /* for names below the folder */

/* ---- Whose it is. */

/* Where a failure was, by the name of its folder. */
typedef struct failed {
    unsigned long long test;
    unsigned instance;
} failed;

static bool is_failure(const char *name, failed *where) {
    int end = 0;
    return sscanf(name, "failure-%llu-%u%n", &where->test, &where->instance, &end) == 2 &&
           name[end] == '\0';
}

bool epi_folder_failure(const char *path, char name[NAME_MAX + 1]) {
    DIR *entries = opendir(path);
    failed where, first = {0};
    bool found = false;
    for (const struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        if (!is_failure(entry->d_name, &where))
            continue;
        const bool is_first =
            where.test == first.test ? where.instance < first.instance : where.test < first.test;
        if (found && !is_first)
            continue;
        found = true;
        first = where;
        (void)snprintf(name, NAME_MAX + 1, "%s", entry->d_name);
    }
    if (entries != NULL)
        (void)closedir(entries);
    return found;
}

col_status epi_folder_claim(epi_folder *folder, const char *path, const char *resume, bool replace,
                            col_problem *problem) {
    struct stat about;
    *folder = (epi_folder){.path = path, .lock = BASE_LOCK_NONE};
    if (strlen(path) + ROOM > sizeof((col_failure *)0)->folder)
        return base_refuse(problem, "the path of the folder %.100s... is too long", path);
    folder->is_new = stat(path, &about) != 0;
    if (folder->is_new && resume != NULL && strcmp(path, resume) == 0)
        return base_refuse(problem, "%.300s has no saved episode; collider run --save leaves one",
                           path);
    col_status status = base_folder_make(path, problem);
    if (status == COL_OK)
        status = base_folder_lock(&folder->lock, path, problem);
    if (status == COL_OK) {
        base_stage_sweep(path);
        folder->goes_on = resume != NULL && base_path_same(path, resume);
        const bool is_used = base_folder_has(path, records[0]) ||
                             base_folder_has(path, records[1]) || base_folder_has(path, saved);
        if (is_used && !folder->goes_on && !replace)
            status = base_refuse(problem,
                                 "%.300s holds another episode; use --out FOLDER for a new one, or "
                                 "--force to replace it",
                                 path);
    }
    if (status != COL_OK)
        epi_folder_release(folder);
    return status;
}

void epi_folder_release(epi_folder *folder) {
    if (folder->lock.descriptor < 0)
        return;
    base_folder_unlock(&folder->lock);
    if (folder->is_new && !folder->is_used)
        (void)rmdir(folder->path);
}

/* ---- What is in it. */

col_status epi_folder_record(epi_folder *folder, const col_episode_settings *settings,
                             const col_episode *episode, col_problem *problem) {
    base_stage stage;
    char path[PATH_MAX];
    BASE_TRY(base_stage_begin(&stage, folder->path, problem));
    col_status status = base_path_in(path, stage.path, "coverage.txt", problem);
    if (status == COL_OK)
        status = col_coverage_write_file(episode->coverage, path, problem);
    if (status == COL_OK)
        status = base_path_in(path, stage.path, "episode.json", problem);
    if (status == COL_OK)
        status = epi_folder_write(folder, settings, episode, path, problem);
    const col_status ended = base_stage_end(&stage, status == COL_OK, records, problem);
    status = status == COL_OK ? ended : status;
    folder->is_used = folder->is_used || status == COL_OK;
    return status;
}

/* Everything below the folder with such a name. */
static void remove_folders(const char *path, bool (*is_named)(const char *name)) {
    DIR *entries = opendir(path);
    for (const struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;)
        if (is_named(entry->d_name))
            base_folder_remove(path, entry->d_name);
    if (entries != NULL)
        (void)closedir(entries);
}

static bool is_any_failure(const char *name) {
    failed where;
    return is_failure(name, &where);
}

static bool is_bug(const char *name) {
    unsigned number;
    int end = 0;
    return sscanf(name, "bug-%u%n", &number, &end) == 1 && name[end] == '\0';
}

void epi_folder_remove_bugs(const epi_folder *folder) {
    remove_folders(folder->path, is_bug);
}

col_status epi_folder_begin(epi_folder *folder, const col_episode_settings *settings,
                            const col_episode *episode, col_problem *problem) {
    col_episode first = *episode;
    if (folder->goes_on)
        return COL_OK;
    first.outcome = COL_INCOMPLETE; /* what a process that is killed leaves */
    first.ending = COL_ENDED_BY_FAILURE;
    BASE_TRY(epi_folder_record(folder, settings, &first, problem));
    base_folder_remove(folder->path, saved);
    base_folder_remove(folder->path, EPI_CORPUS);
    remove_folders(folder->path, is_any_failure);
    epi_folder_remove_bugs(folder);
    return COL_OK;
}

/* What an engine learned, as CSV. */

/* The rows of an old file: whole lines, up to those that are to be written again. */
static col_status take_old(base_text *text, const char *path, uint64_t last_test,
                           col_problem *problem) {
    base_text old = {0};
    if (access(path, F_OK) != 0)
        return COL_OK; /* the episode had no log before the break */
    col_status status = base_file_read(path, &old, problem);
    if (status == COL_OK && old.data != NULL) {
        const char *row = "", *end;
        if (strncmp(old.data, text->data, text->length) == 0)
            row = old.data + text->length;
        else
            status = base_refuse_at(problem, path, 1, 1,
                                    "this is not the log of this engine; to begin a new one, name "
                                    "another file");
        for (; (end = strchr(row, '\n')) != NULL; row = end + 1)
            if (strtoull(row, NULL, 10) <= last_test)
                base_text_add_bytes(text, row, (size_t)(end + 1 - row));
    }
    base_text_free(&old);
    return status;
}

col_status epi_learning_log_open(epi_learning_log *log, const char *path,
                                 const col_learning *learning, bool goes_on, uint64_t last_test,
                                 col_problem *problem) {
    base_text text = {0};
    if (learning == NULL)
        return base_refuse(problem,
                           "this engine does not learn, so there is no log of its learning");
    if (strcmp(path, "-") == 0)
        return base_refuse(problem, "the log of learning is a file, not '-'");
    base_text_add(&text, "test,cycles,covered,operations,locations,sets,action,random,epsilon,"
                         "reward,loss");
    for (uint32_t a = 0; a < learning->action_count; a++)
        base_text_print(&text, ",value:%s", learning->action_names[a]);
    base_text_add(&text, "\n");
    col_status status = base_text_status(&text, problem);
    if (status == COL_OK && goes_on)
        status = take_old(&text, path, last_test, problem);
    if (status == COL_OK)
        status = base_text_status(&text, problem);
    log->path = path;
    if (status == COL_OK)
        status = base_file_begin(&log->first, path, problem);
    if (status == COL_OK)
        (void)fwrite(text.data, 1, text.length, log->first.stream); /* the end sees if it failed */
    base_text_free(&text);
    return status;
}

col_status epi_learning_log_begin(epi_learning_log *log, col_problem *problem) {
    BASE_TRY(base_file_end(&log->first, true, problem));
    log->file = fopen(log->path, "a");
    return log->file == NULL ? base_fail(problem, "cannot write %.400s", log->path) : COL_OK;
}

col_status epi_learning_log_add(const epi_learning_log *log, const col_learning *learning,
                                uint64_t cycles, uint64_t covered, col_problem *problem) {
    if (log->file == NULL || learning->test == 0)
        return COL_OK;
    FILE *file = log->file;
    (void)fprintf(file, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u,%u,%u,%s,%d,%.9g,%.9g,",
                  learning->test, cycles, covered, learning->point.operations,
                  learning->point.locations, learning->point.sets,
                  learning->action_names[learning->action], (int)learning->is_random,
                  learning->epsilon, learning->reward);
    if (learning->is_trained)
        (void)fprintf(file, "%.9g", learning->loss);
    for (uint32_t a = 0; a < learning->action_count; a++) {
        if (learning->values == NULL)
            (void)fputc(',', file);
        else
            (void)fprintf(file, ",%.9g", (double)learning->values[a]);
    }
    (void)fputc('\n', file);
    return fflush(file) != 0 || ferror(file) ? base_fail(problem, "cannot write %.400s", log->path)
                                             : COL_OK;
}

void epi_learning_log_close(epi_learning_log *log) {
    if (log->first.stream != NULL)
        (void)base_file_end(&log->first, false, NULL);
    if (log->file != NULL)
        (void)fclose(log->file);
    *log = (epi_learning_log){0};
}
