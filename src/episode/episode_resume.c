/* SPDX-License-Identifier: MIT */
/* Episodes that go on later: see episode_resume.h. */
#include "episode/episode_resume.h"

#include "base/folder.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/problem.h"
#include "cover/coverage.h"
#include "design/design_kind.h"
#include "engine/engine.h"
#include "episode/episode_judge.h"
#include "episode/failure/fingerprint.h"
#include "program/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 8 };

#define NAME "resume.json"

/* ---- Writing. */

static json_t *save_curve(const col_episode *e) {
    json_t *curve = json_array();
    for (size_t i = 0; i < e->curve_count; i++) {
        const col_curve_point *p = &e->curve[i];
        base_json_append(&curve, json_pack("[f, I, I, I, I, I]", p->seconds, (json_int_t)p->tests,
                                           (json_int_t)p->operations, (json_int_t)p->cycles,
                                           (json_int_t)p->structural, (json_int_t)p->functional));
    }
    return curve;
}

static json_t *save_failure(const col_failure *f) {
    char seed[24];
    (void)snprintf(seed, sizeof seed, "%" PRIu64, f->seed);
    return json_pack(
        "{s:i, s:I, s:I, s:s, s:f, s:I, s:o, s:o, s:b, s:I, s:o}", "outcome", (int)f->outcome,
        "test", (json_int_t)f->test, "instance", (json_int_t)f->instance, "seed", seed, "seconds",
        f->seconds, "cycles", (json_int_t)f->cycles, "reason", base_json_text(f->reason), "folder",
        base_json_text(f->folder), "shown_again", (int)f->shown_again, "program_operations",
        (json_int_t)f->operations, "fingerprint", epi_fingerprint_json(&f->fingerprint));
}

static json_t *save_kinds(const col_episode *e) {
    json_t *kinds = json_array();
    for (size_t i = 0; i < e->kind_count; i++)
        base_json_append(&kinds, json_pack("{s:I, s:o}", "count", (json_int_t)e->kinds[i].count,
                                           "smallest", save_failure(&e->kinds[i].smallest)));
    return kinds;
}

/* What is judged and measured, and of what; the engine compares its own settings. */
static json_t *save_settings(const epi_standing *s) {
    const col_episode_settings *settings = s->settings;
    const col_setting *setting = &settings->setting;
    return json_pack("{s:I, s:I, s:s, s:o, s:o, s:o, s:I}", "cores", (json_int_t)s->episode->cores,
                     "instances", (json_int_t)settings->instances, "metric",
                     col_metrics[settings->metric], "model", base_json_text(s->episode->model_name),
                     "options", base_json_text(setting->design.options), "error",
                     base_json_text(setting->design.error), "mutant",
                     (json_int_t)setting->design.mutant);
}

static json_t *save_coverage(const epi_standing *s) {
    base_text text = {0};
    cov_write(s->episode->coverage, &text);
    json_t *coverage = text.failed ? NULL : json_stringn(text.data, text.length);
    base_text_free(&text);
    return coverage;
}

/* Tests by structural point, which has the same number as long as the design is the same. */
static json_t *save_incidence(const epi_standing *s) {
    const uint64_t *tests = cov_tests(s->episode->coverage);
    json_t *incidence = json_array();
    col_point_facts facts;
    for (uint32_t p = 0; col_coverage_point(s->episode->coverage, p, &facts); p++)
        base_json_append(&incidence, json_integer((json_int_t)tests[p]));
    return incidence;
}

/* Empty: the model is built in. */
static void hash_model(const epi_standing *s, char hash[EPI_MODEL_HASH]) {
    hash[0] = '\0';
    if (epi_model_is_cat(s->setting))
        epi_model_hash(s->setting->model_text, hash);
}

static json_t *save_episode(const epi_standing *s) {
    const col_episode *e = s->episode;
    const col_watched *w = &e->watched;
    const duv_identity *identity = s->identity;
    char hash[EPI_MODEL_HASH];
    hash_model(s, hash);
    return json_pack(
        "{s:i, s:o, s:{s:s, s:s, s:s}, s:o, s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:f, s:o, s:o, "
        "s:o, s:o, s:[I, I, I, I, I, f], s:I, s:o, s:o, s:o, s:s*, s:o}",
        "format", FORMAT, "design", base_json_text(e->design), "identity", "file", identity->file,
        "protocol", identity->protocol, "error", identity->error, "settings", save_settings(s),
        "tests", (json_int_t)e->tests, "instances", (json_int_t)e->instances, "undecided",
        (json_int_t)e->undecided, "operations", (json_int_t)e->operations, "cycles",
        (json_int_t)e->cycles, "seconds", e->seconds, "failures", (json_int_t)e->failures,
        "failing_cycles", (json_int_t)e->failing_cycles, "failing_seconds", e->failing_seconds,
        "failure", save_failure(&e->failure), "kinds", save_kinds(e), "kept",
        epi_keeping_save(s->keeping), "curve", save_curve(e), "watched", (json_int_t)w->tests,
        (json_int_t)w->distinct[0], (json_int_t)w->distinct[1], (json_int_t)w->distinct[2],
        (json_int_t)w->outcomes, w->nondeterminism, "brought",
        (json_int_t)col_coverage_brought(e->coverage), "coverage", save_coverage(s), "incidence",
        save_incidence(s), "engine", dir_engine_save(s->engine, s->feedback), "model_hash",
        hash[0] == '\0' ? NULL : hash, "waived", epi_known_json(s->known));
}

col_status epi_resume_write(const epi_standing *s, const char *folder, col_problem *problem) {
    static const char *const names[] = {NAME, NULL};
    char path[PATH_MAX];
    base_stage stage;
    BASE_TRY(base_stage_begin(&stage, folder, problem));
    col_status status = base_path_in(path, stage.path, NAME, problem);
    if (status == COL_OK)
        status = base_json_write_exact(path, save_episode(s), problem);
    const col_status ended = base_stage_end(&stage, status == COL_OK, names, problem);
    return status == COL_OK ? ended : status;
}

/* ---- Reading. */

static void copy_text(char *to, size_t size, const json_t *value, bool *is_good) {
    const char *text = json_string_value(value);
    *is_good = *is_good && text != NULL;
    (void)snprintf(to, size, "%s", text == NULL ? "" : text);
}

static bool take_failure(const json_t *saved, col_failure *f) {
    bool is_good = true;
    char seed[24];
    const json_t *print = json_object_get(saved, "fingerprint");
    const uint64_t outcome = base_json_number_at(saved, "outcome", &is_good);
    f->test = base_json_number_at(saved, "test", &is_good);
    f->instance = (uint32_t)base_json_number_at(saved, "instance", &is_good);
    f->cycles = base_json_number_at(saved, "cycles", &is_good);
    f->seconds = json_number_value(json_object_get(saved, "seconds"));
    f->shown_again = json_is_true(json_object_get(saved, "shown_again"));
    copy_text(seed, sizeof seed, json_object_get(saved, "seed"), &is_good);
    copy_text(f->reason, sizeof f->reason, json_object_get(saved, "reason"), &is_good);
    copy_text(f->folder, sizeof f->folder, json_object_get(saved, "folder"), &is_good);
    f->seed = strtoull(seed, NULL, 10);
    f->operations = (uint32_t)base_json_number_at(saved, "program_operations", &is_good);
    if (json_is_object(print)) {
        copy_text(f->fingerprint.text, sizeof f->fingerprint.text, json_object_get(print, "text"),
                  &is_good);
        copy_text(f->fingerprint.hash, sizeof f->fingerprint.hash, json_object_get(print, "hash"),
                  &is_good);
    }
    if (!is_good || outcome >= COL_INCOMPLETE)
        return false;
    f->outcome = (col_outcome)outcome;
    return true;
}

static col_status take_kinds(const json_t *saved, col_episode *e, bool *is_good,
                             col_problem *problem) {
    const size_t count = json_array_size(saved);
    *is_good = *is_good && json_is_array(saved) && count <= COL_MOST_KINDS;
    if (!*is_good)
        return COL_OK;
    BASE_TRY(base_reserve(&e->kinds, &e->kind_capacity, count + 1, sizeof *e->kinds, problem));
    for (size_t i = 0; i < count; i++) {
        const json_t *kind = json_array_get(saved, i);
        e->kinds[i] = (col_failure_kind){.count = base_json_number_at(kind, "count", is_good)};
        *is_good =
            take_failure(json_object_get(kind, "smallest"), &e->kinds[i].smallest) && *is_good;
        e->kind_count++;
    }
    return COL_OK;
}

static bool take_watched(const json_t *saved, col_watched *w) {
    bool is_good = true;
    w->tests = base_json_number(json_array_get(saved, 0), &is_good);
    for (size_t o = 0; o < COL_OBSERVATION_COUNT; o++)
        w->distinct[o] = base_json_number(json_array_get(saved, 1 + o), &is_good);
    w->outcomes = base_json_number(json_array_get(saved, 4), &is_good);
    w->nondeterminism = json_number_value(json_array_get(saved, 5));
    return is_good;
}

/* Without the last point, which is where the episode ended. */
static col_status take_curve(const json_t *saved, col_episode *e, bool *is_good,
                             col_problem *problem) {
    const size_t count = json_array_size(saved) == 0 ? 0 : json_array_size(saved) - 1;
    BASE_TRY(base_reserve(&e->curve, &e->curve_capacity, count + 1, sizeof *e->curve, problem));
    for (size_t i = 0; i < count; i++) {
        const json_t *p = json_array_get(saved, i);
        e->curve[e->curve_count++] = (col_curve_point){
            .seconds = json_number_value(json_array_get(p, 0)),
            .tests = base_json_number(json_array_get(p, 1), is_good),
            .operations = base_json_number(json_array_get(p, 2), is_good),
            .cycles = base_json_number(json_array_get(p, 3), is_good),
            .structural = (uint32_t)base_json_number(json_array_get(p, 4), is_good),
            .functional = (uint32_t)base_json_number(json_array_get(p, 5), is_good)};
    }
    return COL_OK;
}

/* Tests of a design that was edited meanwhile would not be of one episode. */
static col_status check_identity(const json_t *saved, const epi_standing *s, const char *path,
                                 col_problem *problem) {
    const duv_identity *now = s->identity;
    const duv_kind *kind = duv_kind_of(s->setting->design.name);
    const char *const word = kind->wait != NULL   ? "command"
                             : kind->is_code      ? "plug-in"
                             : kind->has_protocol ? "design file"
                                                  : "machine";
    const struct {
        const char *key, *hash, *what;
    } parts[] = {{"file", now->file, word},
                 {"protocol", now->protocol, "protocol"},
                 {"error", now->error, "design error"}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *was = json_string_value(json_object_get(saved, parts[i].key));
        if (was == NULL)
            return base_refuse_at(problem, path, 1, 1, "this is not where an episode stood");
        if (strcmp(was, parts[i].hash) != 0)
            return base_refuse_at(problem, path, 1, 1,
                                  "the %s has changed since the episode was saved: begin a new "
                                  "episode, or undo the change",
                                  parts[i].what);
    }
    return COL_OK;
}

/* Nor would those that are judged by a model that was edited. */
static col_status check_model(const json_t *root, const epi_standing *s, const char *path,
                              col_problem *problem) {
    char hash[EPI_MODEL_HASH];
    const char *was = json_string_value(json_object_get(root, "model_hash"));
    hash_model(s, hash);
    if (strcmp(was == NULL ? "" : was, hash) == 0)
        return COL_OK;
    return base_refuse_at(problem, path, 1, 1,
                          "the model %.64s has changed since the episode was saved: begin a new "
                          "episode, or undo the change",
                          s->episode->model_name);
}

static col_status take_episode(const json_t *root, const epi_standing *s, const char *path,
                               col_problem *problem) {
    col_episode *e = s->episode;
    const char *design = json_string_value(json_object_get(root, "design"));
    bool is_good = true;
    if (base_json_number_at(root, "format", &is_good) != FORMAT || design == NULL)
        return base_refuse_at(problem, path, 1, 1, "this is not a saved episode of this version");
    json_t *settings = save_settings(s);
    if (settings == NULL)
        return base_out_of_memory(problem);
    const bool is_same =
        strcmp(design, e->design) == 0 && json_equal(settings, json_object_get(root, "settings"));
    json_decref(settings);
    if (!is_same)
        return base_refuse_at(
            problem, path, 1, 1,
            "this is an episode of %.64s with other settings: cores, --instances, "
            "--metric, --model, --options, --error and --mutant must be the same",
            design);
    col_status checked = check_identity(json_object_get(root, "identity"), s, path, problem);
    if (checked == COL_OK)
        checked = check_model(root, s, path, problem);
    if (checked != COL_OK)
        return checked;
    e->tests = base_json_number_at(root, "tests", &is_good);
    e->instances = base_json_number_at(root, "instances", &is_good);
    e->undecided = base_json_number_at(root, "undecided", &is_good);
    e->operations = base_json_number_at(root, "operations", &is_good);
    e->cycles = base_json_number_at(root, "cycles", &is_good);
    e->failures = base_json_number_at(root, "failures", &is_good);
    e->failing_cycles = base_json_number_at(root, "failing_cycles", &is_good);
    e->failing_seconds = json_number_value(json_object_get(root, "failing_seconds"));
    e->seconds = json_number_value(json_object_get(root, "seconds"));
    col_coverage_bring(e->coverage, (uint32_t)base_json_number_at(root, "brought", &is_good));
    is_good = take_failure(json_object_get(root, "failure"), &e->failure) && is_good;
    e->outcome = e->failure.outcome;
    is_good = take_watched(json_object_get(root, "watched"), &e->watched) && is_good;
    BASE_TRY(take_curve(json_object_get(root, "curve"), e, &is_good, problem));
    BASE_TRY(take_kinds(json_object_get(root, "kinds"), e, &is_good, problem));
    BASE_TRY(epi_keeping_restore(s->keeping, json_object_get(root, "kept"), &is_good, problem));
    const json_t *waived = json_object_get(root, "waived");
    if (s->known != NULL && waived != NULL)
        BASE_TRY(epi_known_restore(s->known, waived, &is_good, problem));
    if (!is_good)
        return base_refuse_at(problem, path, 1, 1, "this is not a saved episode of this version");
    return COL_OK;
}

/* A file that was put together by hand may have parts of two moments. */
static col_status take_engine(const json_t *root, const epi_standing *s, const char *path,
                              col_problem *problem) {
    const json_t *engine = json_object_get(root, "engine");
    if (!json_is_object(engine))
        return base_refuse_at(problem, path, 1, 1, "the state of the engine is missing");
    BASE_TRY(dir_engine_restore(s->engine, engine, path, problem));
    const uint64_t tests = dir_engine_kept(s->engine)->tests;
    if (tests != s->episode->tests)
        return base_refuse_at(problem, path, 1, 1,
                              "the engine was saved after %" PRIu64
                              " tests and the episode after %" PRIu64,
                              tests, s->episode->tests);
    return COL_OK;
}

static col_status take_coverage(const json_t *root, const epi_standing *s, const char *path,
                                col_problem *problem) {
    const json_t *text = json_object_get(root, "coverage");
    col_coverage *coverage = s->episode->coverage;
    const col_metric metric = s->settings->metric;
    if (!json_is_string(text))
        return base_refuse_at(problem, path, 1, 1, "the coverage is missing");
    BASE_TRY(col_coverage_read(coverage, json_string_value(text), json_string_length(text), path,
                               problem));
    cov_count_from(coverage, s->episode->tests);
    const col_feedback *kept = dir_engine_kept(s->engine);
    const uint64_t *hits = col_coverage_hits(coverage, metric);
    const uint64_t total =
        col_coverage_of(coverage, COL_CUMULATIVE, metric, COL_ALL_MACHINES).total;
    if (kept->tests == 0 || (kept->total == total &&
                             (total == 0 || memcmp(hits, kept->hits, total * sizeof *hits) == 0)))
        return COL_OK;
    return base_refuse_at(problem, path, 1, 1,
                          "this is not the coverage that the engine was saved with");
}

/* A covered point has been hit in at least one test, and in no more than there were. */
static col_status take_incidence(const json_t *root, const epi_standing *s, const char *path,
                                 col_problem *problem) {
    const json_t *saved = json_object_get(root, "incidence");
    col_coverage *coverage = s->episode->coverage;
    uint64_t *tests = cov_tests(coverage);
    bool is_good = json_is_array(saved);
    col_point_facts facts;
    uint32_t count = 0;
    for (; is_good && col_coverage_point(coverage, count, &facts); count++) {
        tests[count] = base_json_number(json_array_get(saved, count), &is_good);
        is_good =
            is_good && (facts.hits > 0) == (tests[count] > 0) && tests[count] <= s->episode->tests;
    }
    if (is_good && json_array_size(saved) == count)
        return COL_OK;
    return base_refuse_at(problem, path, 1, 1,
                          "the numbers of tests that hit each point do not fit the coverage");
}

col_status epi_resume_read(const epi_standing *s, const char *folder, col_problem *problem) {
    char path[PATH_MAX];
    json_t *root;
    BASE_TRY(base_path_in(path, folder, NAME, problem));
    if (!base_folder_has(folder, NAME))
        return base_refuse(problem, "%.400s has no saved episode; collider run --save leaves one",
                           folder);
    BASE_TRY(base_json_read_in(folder, NAME, &root, problem));
    col_status status = take_episode(root, s, path, problem);
    if (status == COL_OK)
        status = take_engine(root, s, path, problem);
    if (status == COL_OK)
        status = take_coverage(root, s, path, problem);
    if (status == COL_OK)
        status = take_incidence(root, s, path, problem);
    json_decref(root);
    return status;
}
