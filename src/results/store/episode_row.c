/* SPDX-License-Identifier: MIT */
/* Episodes as rows: see episode_row.h. A folder may be somebody else's: links are not followed, and
 * what is not as it should be is refused or left out. */
#include "results/store/episode_row.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/hash.h"
#include "base/json.h"
#include "cover/coverage.h"
#include "episode/shrink/shrink_trial.h"
#include "results/plan/trial.h"
#include "results/store/store.h"
#include "results/store/store_coverage.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define RECORD "episode.json"
#define COVERAGE "coverage.txt"

bool cam_is_episode(const char *folder) {
    return base_folder_has(folder, RECORD) && base_folder_has(folder, COVERAGE);
}

col_status cam_episode_coverage(col_coverage **coverage, const char *folder, col_problem *problem) {
    char path[PATH_MAX];
    base_text text = {0}, record = {0};
    *coverage = NULL;
    col_status status = base_path_in(path, folder, COVERAGE, problem);
    BASE_THEN(status, base_file_read_in(folder, COVERAGE, &text, problem));
    if (status == COL_OK) /* an input, too, which no output may take the place of */
        status = base_file_read_in(folder, RECORD, &record, problem);
    BASE_THEN(status, cov_read_whole(coverage, text.data, text.length, path, problem));
    base_text_free(&record);
    base_text_free(&text);
    return status;
}

/* ---- Coverage. */

static col_status take_points(cam_episode_row *r, const col_coverage *coverage,
                              col_problem *problem) {
    uint32_t count = 0;
    col_point_facts f;
    while (col_coverage_point(coverage, count, &f))
        count++;
    cam_point *points = base_arena_take(&r->arena, (count + 1) * sizeof *points);
    if (points == NULL)
        return base_out_of_memory(problem);
    for (uint32_t i = 0; col_coverage_point(coverage, i, &f); i++)
        points[i] = (cam_point){f.machine, f.state, f.event, f.reachable};
    const col_hash hash = col_coverage_points(coverage);
    (void)snprintf(r->hash, sizeof r->hash, "%016llx%016llx", (unsigned long long)hash.high,
                   (unsigned long long)hash.low);
    r->design = (cam_design_row){.hash = r->hash, .points = points, .point_count = count};
    r->design.name = col_coverage_design(coverage, &r->design.cores);
    r->row.hits = col_coverage_hits(coverage, COL_STRUCTURAL);
    r->row.point_count = count;
    for (int m = 0; m < COL_METRIC_COUNT; m++)
        r->row.coverage[m] = cam_extent_of(coverage, (col_metric)m);
    r->design.reachable_known = r->row.coverage[COL_STRUCTURAL].reachable_known;
    base_text text = {0};
    json_t *result = cam_result_json(coverage, json_object_get(r->record, "waived"));
    if (json_is_null(result)) /* nothing is known */
        base_text_add(&text, "{}");
    else
        base_json_print(result, JSON_COMPACT, &text);
    json_decref(result);
    if (!text.failed)
        r->row.result = base_arena_text(&r->arena, text.data, text.length);
    base_text_free(&text);
    return r->row.result == NULL ? base_out_of_memory(problem) : COL_OK;
}

static col_status begin(cam_episode_row *r, const col_coverage *coverage, const char *title,
                        col_problem *problem) {
    const char *kept = base_arena_text(&r->arena, title, strlen(title));
    if (kept == NULL)
        return base_out_of_memory(problem);
    r->plan = (cam_plan_row){
        .hash = "episodes", .name = "episodes", .title = kept, .scale = "", .text = ""};
    r->row = (cam_row){.key = r->key,
                       .kind = CAM_EPISODE,
                       .pairs = r->pairs,
                       .is_done = true,
                       .provenance = {.version = col_version(), .host = "", .design_hash = r->hash},
                       .model = "",
                       .verdict = "pass",
                       .ended_by = ""};
    const col_status status = take_points(r, coverage, problem);
    r->row.design = r->design.name;
    r->row.cores = r->design.cores;
    return status;
}

static void add_pair(cam_episode_row *r, const char *name, const char *value) {
    if (value != NULL && r->row.pair_count < CAM_EPISODE_PAIRS)
        r->pairs[r->row.pair_count++] = (cam_pair){.name = name, .value = value};
}

col_status cam_episode_row_of(cam_episode_row *r, const col_coverage *coverage, const char *title,
                              col_problem *problem) {
    const col_status status = begin(r, coverage, title, problem);
    (void)snprintf(r->key, sizeof r->key, "%s", r->hash);
    add_pair(r, "design", r->design.name);
    return status;
}

/* ---- The record. */

static uint64_t whole_at(const json_t *object, const char *key) {
    bool is_good = true;
    return base_json_number_at(object, key, &is_good);
}

/* A setting in the words of a plan; NULL: it was not given. */
static const char *setting_text(cam_episode_row *r, const json_t *value) {
    char text[64] = "";
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_integer(value))
        (void)snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
    else if (json_array_size(value) == 2) {
        const long long least = json_integer_value(json_array_get(value, 0));
        const long long most = json_integer_value(json_array_get(value, 1));
        (void)snprintf(text, sizeof text, least == most ? "%lld" : "%lld:%lld", least, most);
    }
    return text[0] == '\0' ? NULL : base_arena_text(&r->arena, text, strlen(text));
}

/* In the order of plans. */
static void take_pairs(cam_episode_row *r) {
    static const struct {
        const char *name, *key;
        bool is_setting;
    } known[] = {{"design", "design", false},
                 {"cores", "cores", false},
                 {"error", "error", false},
                 {"mutant", "mutant", false},
                 {"model", "model", false},
                 {"engine", "engine", false},
                 {"ops", "operations", true},
                 {"locations", "locations", true},
                 {"mix", "mix", true},
                 {"engine-options", "engine_options", true},
                 {"instances", "instances", true},
                 {"options", "options", true},
                 {"seed", "seed", false}};
    const json_t *settings = json_object_get(r->record, "settings");
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        add_pair(r, known[i].name,
                 setting_text(
                     r, json_object_get(known[i].is_setting ? settings : r->record, known[i].key)));
}

static void take_failure(cam_episode_row *r) {
    const json_t *failing = json_object_get(r->record, "failing");
    const json_t *failure = json_object_get(r->record, "failure");
    r->row.failing_tests = whole_at(failing, "tests");
    r->row.failing_cycles = whole_at(failing, "cycles");
    r->row.failing_seconds = json_number_value(json_object_get(failing, "seconds"));
    if (!json_is_object(failure))
        return;
    r->row.reason = json_string_value(json_object_get(failure, "reason"));
    r->row.failure_test = whole_at(failure, "test");
    r->row.failure_instance = (uint32_t)whole_at(failure, "instance");
    r->row.failure_cycles = whole_at(failure, "cycles");
    r->row.failure_seconds = json_number_value(json_object_get(failure, "seconds"));
}

/* ---- Failures. */

/* The shrunk test in the folder. A program that cannot be read is as good as none. */
static col_status take_shrunk(cam_episode_row *r, cam_failure_row *f, const char *folder,
                              col_problem *problem) {
    col_program program = {0};
    col_problem unread = {0};
    cam_failure_row shrunk = *f;
    const col_status status = cam_failure_texts(&shrunk, &r->arena, folder, true, problem);
    if (status != COL_OK || shrunk.shrunk == NULL)
        return status;
    if (col_program_read(&program, shrunk.shrunk, strlen(shrunk.shrunk), folder, &unread) ==
        COL_OK) {
        const col_size size = epi_size(&program);
        *f = shrunk;
        f->threads = size.threads;
        f->operations = size.operations;
        f->locations = size.locations;
    }
    col_program_free(&program);
    return base_is_out_of_memory(&unread) ? base_out_of_memory(problem) : COL_OK;
}

static bool is_folder(const char *above, const char *name, char path[PATH_MAX]) {
    struct stat about;
    return base_path_in(path, above, name, NULL) == COL_OK && lstat(path, &about) == 0 &&
           S_ISDIR(about.st_mode);
}

/* The failure's folder, by its name: the episode's may be elsewhere by now. False: it was not kept,
 * or is not a folder that we wrote. */
static bool find_folder(cam_failure_row *f, const char *episode, char folder[PATH_MAX]) {
    const char *slash = f->folder == NULL ? NULL : strrchr(f->folder, '/');
    f->folder = slash == NULL ? f->folder : slash + 1;
    if (f->folder != NULL && f->folder[0] != '.' && strlen(f->folder) < CAM_FAILURE_NAME &&
        is_folder(episode, f->folder, folder))
        return true;
    f->folder = NULL;
    return false;
}

static col_status take_kind(cam_episode_row *r, const char *episode, const json_t *kind,
                            col_problem *problem) {
    const json_t *fingerprint = json_object_get(kind, "fingerprint");
    const json_t *smallest = json_object_get(kind, "smallest");
    cam_failure_row *f = &r->failures[r->failure_count++];
    char folder[PATH_MAX], shrunk[PATH_MAX];
    *f = (cam_failure_row){.key = r->key,
                           .folder = json_string_value(json_object_get(smallest, "folder")),
                           .kind = r->failure_count,
                           .hash = json_string_value(json_object_get(fingerprint, "hash")),
                           .fingerprint = json_string_value(json_object_get(fingerprint, "text")),
                           .count = whole_at(kind, "count"),
                           .verdict = json_string_value(json_object_get(kind, "verdict")),
                           .reason = json_string_value(json_object_get(smallest, "reason")),
                           .test = whole_at(smallest, "test"),
                           .instance = (uint32_t)whole_at(smallest, "instance"),
                           .size = (uint32_t)whole_at(smallest, "operations"),
                           .cycles = whole_at(smallest, "cycles"),
                           .seconds = json_number_value(json_object_get(smallest, "seconds")),
                           .design = r->row.design};
    if (!find_folder(f, episode, folder))
        return COL_OK;
    col_status status = cam_failure_texts(f, &r->arena, folder, false, problem);
    if (status == COL_OK && is_folder(folder, "shrunk", shrunk))
        status = take_shrunk(r, f, shrunk, problem);
    return status;
}

/* What triage found. The folder of a bug has its smallest test, unless nothing could be shrunk. */
static col_status take_bug(cam_episode_row *r, const char *episode, const json_t *bug,
                           col_problem *problem) {
    cam_failure_row *f = &r->failures[r->failure_count++];
    char folder[PATH_MAX];
    *f = (cam_failure_row){.key = r->key,
                           .folder = json_string_value(json_object_get(bug, "folder")),
                           .kind = r->failure_count,
                           .count = whole_at(bug, "count"),
                           .verdict = json_string_value(json_object_get(bug, "verdict")),
                           .reason = json_string_value(json_object_get(bug, "reason")),
                           .test = whole_at(bug, "first_test"),
                           .size = (uint32_t)whole_at(bug, "operations"),
                           .design = r->row.design,
                           .is_bug = true,
                           .suspect = json_string_value(json_object_get(bug, "suspect")),
                           .mend = json_string_value(json_object_get(bug, "mend"))};
    f->fingerprint = f->suspect != NULL ? f->suspect : f->reason;
    if (!find_folder(f, episode, folder))
        return COL_OK;
    const bool is_shrunk = strncmp(f->folder, "bug-", strlen("bug-")) == 0;
    f->hash = is_shrunk ? f->folder : NULL;
    const col_status status = cam_failure_texts(f, &r->arena, folder, false, problem);
    return status == COL_OK && is_shrunk ? take_shrunk(r, f, folder, problem) : status;
}

/* The failures by bug, if the episode was triaged; else by kind. */
static col_status take_failures(cam_episode_row *r, const char *folder, col_problem *problem) {
    const json_t *bugs = json_object_get(r->record, "bugs");
    const bool has_bugs = json_array_size(bugs) > 0;
    const json_t *list = has_bugs ? bugs : json_object_get(r->record, "kinds");
    const size_t count = json_array_size(list);
    const json_t *triage = json_object_get(r->record, "triage");
    const bool is_complete = json_is_true(json_object_get(triage, "complete"));
    const uint64_t rest = whole_at(triage, "unexplained");
    r->failures = base_arena_take(&r->arena, (count + 2) * sizeof *r->failures);
    if (r->failures == NULL)
        return base_out_of_memory(problem);
    for (size_t i = 0; i < count; i++)
        BASE_TRY((has_bugs ? take_bug : take_kind)(r, folder, json_array_get(list, i), problem));
    if (!has_bugs || rest == 0)
        return COL_OK;
    r->failures[r->failure_count] = (cam_failure_row){
        .key = r->key,
        .kind = r->failure_count + 1,
        .count = rest,
        .fingerprint = is_complete ? "did not fail again"
                                   : "not assigned to a bug yet: collider triage goes on",
        .design = r->row.design,
        .is_bug = true};
    r->failure_count++;
    return COL_OK;
}

/* ---- All of it. */

static col_status take_record(cam_episode_row *r, const char *path, col_problem *problem) {
    cam_row *row = &r->row;
    row->model = json_string_value(json_object_get(r->record, "model"));
    row->verdict = json_string_value(json_object_get(r->record, "verdict"));
    row->ended_by = json_string_value(json_object_get(r->record, "ended_by"));
    if (row->model == NULL || row->verdict == NULL || row->ended_by == NULL)
        return base_refuse_at(problem, path, 1, 1, "this is not the record of an episode");
    row->seed = whole_at(r->record, "seed");
    row->tests = whole_at(r->record, "tests");
    row->instances = whole_at(r->record, "instances");
    row->undecided = whole_at(r->record, "undecided");
    row->operations = whole_at(r->record, "operations");
    row->cycles = whole_at(r->record, "cycles");
    row->seconds = json_number_value(json_object_get(r->record, "seconds"));
    take_pairs(r);
    take_failure(r);
    const json_t *list = json_object_get(r->record, "curve");
    const size_t count = json_array_size(list);
    col_curve_point *curve = base_arena_take(&r->arena, (count + 1) * sizeof *curve);
    if (curve == NULL)
        return base_out_of_memory(problem);
    for (size_t i = 0; i < count; i++) {
        const json_t *p = json_array_get(list, i);
        curve[i] = (col_curve_point){.seconds = json_number_value(json_object_get(p, "seconds")),
                                     .tests = whole_at(p, "tests"),
                                     .operations = whole_at(p, "operations"),
                                     .cycles = whole_at(p, "cycles"),
                                     .structural = (uint32_t)whole_at(p, "structural"),
                                     .functional = (uint32_t)whole_at(p, "functional")};
    }
    row->curve = curve;
    row->curve_count = count;
    return COL_OK;
}

col_status cam_episode_row_read(cam_episode_row *r, const char *folder, col_problem *problem) {
    char path[PATH_MAX];
    struct stat about;
    col_status status = base_path_in(path, folder, RECORD, problem);
    BASE_THEN(status, base_json_read_in(folder, RECORD, &r->record, problem));
    BASE_THEN(status, cam_episode_coverage(&r->own, folder, problem));
    BASE_THEN(status, begin(r, r->own, "Episodes", problem));
    BASE_THEN(status, take_record(r, path, problem));
    if (status == COL_OK) { /* the same episode has the same key, wherever its folder is */
        base_text text = {0};
        base_json_print(r->record, JSON_COMPACT | JSON_SORT_KEYS, &text);
        status = base_text_status(&text, problem);
        if (status == COL_OK)
            cam_hash_print(XXH3_128bits(text.data, text.length), r->key);
        base_text_free(&text);
    }
    BASE_THEN(status, take_failures(r, folder, problem));
    if (status == COL_OK && stat(path, &about) == 0)
        r->row.provenance.started = (int64_t)about.st_mtime;
    return status;
}

void cam_episode_row_free(cam_episode_row *r) {
    json_decref(r->record);
    col_coverage_free(r->own);
    base_arena_free(&r->arena);
    *r = (cam_episode_row){0};
}

/* Verdicts of rows. */

static bool is(const cam_row *row, col_outcome outcome) {
    return strcmp(row->verdict, col_outcomes[outcome]) == 0;
}

bool cam_row_has_error(const cam_row *row) {
    return row->is_done && row->verdict != NULL && !is(row, COL_PASS) && !is(row, COL_UNJUDGED) &&
           !is(row, COL_INCOMPLETE);
}

bool cam_row_is_undecided(const cam_row *row) {
    return row->is_done && row->verdict != NULL && is(row, COL_UNJUDGED);
}

col_status cam_row_waived(const cam_row *row, uint64_t *count, base_text *words,
                          col_problem *problem) {
    json_t *result = NULL;
    *count = 0;
    if (row->kind != CAM_EPISODE || row->result == NULL)
        return COL_OK;
    BASE_TRY(base_json_parse_stored(row->result, &result, problem));
    const json_t *list = json_object_get(result, "waived");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *bug = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(bug, "bug"));
        const char *reason = json_string_value(json_object_get(bug, "reason"));
        const uint64_t own = whole_at(bug, "count");
        if (own == 0 || name == NULL || reason == NULL)
            continue;
        if (words != NULL)
            base_text_print(words, "%s%llu failure%s of '%s' (%s)", *count == 0 ? "" : "; ",
                            (unsigned long long)own, base_plural(own), name, reason);
        *count += own;
    }
    json_decref(result);
    return COL_OK;
}
