/* SPDX-License-Identifier: MIT */
/*
 * Failures, kept and shown again. An instance follows from design, program and
 * seed, so a failure is written by running it once more, with the recorder on:
 * in the episode nothing has to be kept for the case that something goes wrong.
 */
#include "episode/failure.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hexadecimal.h"
#include "base/json.h"
#include "base/path.h"
#include "base/problem.h"
#include "base/sentence.h"
#include "duv/kind.h"
#include "duv/waves.h"
#include "episode/fingerprint.h"
#include "episode/folder.h"
#include "episode/model.h"
#include "episode/story.h"
#include "episode/waves.h"
#include "episode/worker.h"
#include "program/model.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FORMAT = 1 };

static const char *const names[] = {"violation.txt",
                                    "violation.dot",
                                    "violation.svg",
                                    "failure.txt",
                                    "failure.svg",
                                    "test.riscv.litmus",
                                    "test.aarch64.litmus",
                                    "test.x86-64.litmus",
                                    "program.txt",
                                    "events.trace",
                                    "reads.txt",
                                    "model.cat",
                                    "output.txt",
                                    "waves.fst",
                                    "waves.gtkw",
                                    "failure.json",
                                    NULL};

/* ---- Writing. */

/* A file's name is kept from the root, so that the failure shows again wherever one is. */
static const char *whole_path(const char *name, bool is_file, char path[PATH_MAX]) {
    return is_file && realpath(name, path) != NULL ? path : name;
}

/* JSON is UTF-8 and paths are bytes: those that are not UTF-8 are kept in hexadecimal, too. */
static bool keep_bytes(json_t *root, const char *key, const char *path) {
    if (path == NULL || base_is_utf8(path))
        return true;
    char digits[2 * PATH_MAX], *at = digits;
    for (size_t i = 0; i < PATH_MAX - 1 && path[i] != '\0'; i++)
        at = base_put_hexadecimal(at, (unsigned char)path[i], 2);
    return json_object_set_new(root, key, json_stringn(digits, (size_t)(at - digits))) == 0;
}

/* A model in cat is a part of the failure: stores keep this description and the program alone. */
static bool keep_model(json_t *root, const col_setting *setting) {
    char hash[EPI_MODEL_HASH];
    if (!epi_model_is_cat(setting))
        return true;
    epi_model_hash(setting->model_text, hash);
    return json_object_set_new(root, "model_hash", json_string(hash)) == 0 &&
           json_object_set_new(root, "model_text", base_json_text(setting->model_text)) == 0;
}

static json_t *describe(const col_episode_settings *settings, const col_setting *s,
                        const col_failure *failure, uint32_t cores, const char *model) {
    char design_path[PATH_MAX], error_path[PATH_MAX], seed[24];
    const char *design =
        whole_path(s->design.name, duv_kind_of(s->design.name)->is_file, design_path);
    const bool has_file = s->design.error != NULL && duv_error_is_file(s->design.error);
    const char *wrong = whole_path(s->design.error, has_file, error_path);
    (void)snprintf(seed, sizeof seed, "%" PRIu64, failure->seed);
    json_t *root = json_pack(
        "{s:i, s:o, s:i, s:o, s:o, s:I, s:b, s:b, s:f, s:o, s:s, s:I, s:I, s:s, s:o, s:o, s:{s:s, "
        "s:I}, "
        "s:b}",
        "format", FORMAT, "design", base_json_text(design), "cores", (int)cores, "options",
        base_json_text(s->design.options), "error", base_json_text(wrong), "mutant",
        (json_int_t)s->design.mutant, "own_process", (int)s->design.own_process, "reads_only",
        (int)s->design.reads_only, "limit", s->limit, "model", base_json_text(model), "seed", seed,
        "test", (json_int_t)failure->test, "instance", (json_int_t)failure->instance, "verdict",
        col_outcomes[failure->outcome], "reason", base_json_text(failure->reason), "fingerprint",
        epi_fingerprint_json(&failure->fingerprint), "episode", "engine", settings->engine, "seed",
        (json_int_t)settings->seed, "shown_again", (int)failure->shown_again);
    if (root != NULL && keep_bytes(root, "design_bytes", design) &&
        keep_bytes(root, "error_bytes", wrong) && keep_model(root, s))
        return root;
    json_decref(root);
    return NULL;
}

/* Of a design that varies, to see how often it fails: until it failed often enough. */
enum { MOST_RUNS = 1000, ENOUGH_SHOWN = 20 };
#define MOST_SECONDS 10.0

typedef struct rerun {
    epi_worker worker;
    col_recorder *recorder;
    epi_story *story;
    epi_timeline *timeline;
    const epi_filter *filter; /* of the timeline; NULL: there is none */
    epi_instance instance;
    epi_instance past; /* of a design that varies: the first run that failed */
    uint64_t runs, shown;
} rerun;

static void end_rerun(rerun *r) {
    epi_timeline_free(r->timeline);
    epi_story_free(r->story);
    epi_worker_close(&r->worker);
    col_recorder_free(r->recorder);
    epi_instance_free(&r->past);
    epi_instance_free(&r->instance);
}

/* Runs a design that varies again and again, to see how often it fails as it did. */
static col_status find_again(rerun *r, const col_failure *was, col_problem *problem) {
    const double start = base_seconds();
    epi_instance instance = {.keeps_events = true};
    for (; r->runs < MOST_RUNS && r->shown < ENOUGH_SHOWN && base_seconds() - start < MOST_SECONDS;
         r->runs++) {
        instance.seed = was->seed + r->runs;
        epi_worker_run(&r->worker, &instance);
        if (instance.status != COL_OK || !instance.done)
            break;
        if (instance.outcome != was->outcome)
            continue;
        if (r->shown++ == 0) {
            r->past = instance;
            instance = (epi_instance){.keeps_events = true};
        }
    }
    *problem = instance.problem;
    epi_instance_free(&instance);
    r->worker.retold = r->shown > 0 ? &r->past : NULL;
    return instance.status;
}

/* One instance by itself, with its story, and recorded if there is a recorder. A design that varies
 * need not do the same again: of the past instance, if it is there, the events are shown instead.
 */
static col_status run_again(rerun *r, const col_setting *setting, const col_program *program,
                            const col_failure *was, const epi_instance *past,
                            col_problem *problem) {
    r->instance.seed = was->seed;
    col_status status = epi_worker_open(&r->worker, setting, problem);
    if (status == COL_OK && col_duv_describe(r->worker.duv)->varies)
        r->worker.retold = past;
    if (status == COL_OK)
        status = epi_worker_load(&r->worker, program, problem);
    if (status == COL_OK && past == NULL && col_duv_describe(r->worker.duv)->varies)
        status = find_again(r, was, problem);
    if (status == COL_OK && r->recorder != NULL)
        status = col_recorder_load(r->recorder, program, problem);
    if (status == COL_OK)
        status = epi_story_new(&r->story, col_duv_describe(r->worker.duv), program,
                               &r->worker.ended, problem);
    if (status == COL_OK && r->filter != NULL)
        status = epi_timeline_new(&r->timeline, r->story, r->filter, EPI_MOST_MOMENTS,
                                  &r->worker.ended, problem);
    if (status != COL_OK)
        return status;
    col_observer observer, clerk;
    if (r->recorder != NULL) {
        observer = col_recorder_observer(r->recorder);
        r->worker.also[0] = &observer;
    }
    const col_observer watcher = epi_story_observer(r->story);
    r->worker.also[1] = &watcher;
    if (r->timeline != NULL) {
        clerk = epi_timeline_observer(r->timeline);
        r->worker.also[2] = &clerk;
    }
    epi_worker_run(&r->worker, &r->instance);
    r->worker.also[0] = r->worker.also[1] = r->worker.also[2] = NULL;
    if (r->instance.status != COL_OK) {
        *problem = r->instance.problem;
        return r->instance.status;
    }
    if (r->recorder != NULL)
        col_recorder_finish(r->recorder, r->instance.outcome == COL_PASS);
    return COL_OK;
}

static col_status write_violation(const col_violation *violation, const char *folder,
                                  col_problem *problem) {
    static const char *const files[] = {
        [COL_WORDS] = "violation.txt", [COL_DOT] = "violation.dot", [COL_SVG] = "violation.svg"};
    char path[PATH_MAX];
    col_status status = COL_OK;
    for (int i = COL_WORDS; i <= COL_SVG && status == COL_OK; i++) {
        status = base_path_in(path, folder, files[i], problem);
        if (status == COL_OK)
            status = col_violation_write_file(violation, (col_violation_format)i, path, problem);
    }
    return status;
}

static epi_ending ending_of(const rerun *r) {
    const epi_judge *judge = &r->worker.judge;
    return (epi_ending){.outcome = r->instance.outcome,
                        .reason = r->instance.reason,
                        .violation = epi_judge_violation(judge),
                        .model = judge->cat != NULL ? judge->name : prg_model_titles[judge->model],
                        .is_cat = judge->cat != NULL};
}

static col_status write_text(base_text *text, const char *folder, const char *name,
                             col_problem *problem) {
    char path[PATH_MAX];
    col_status status = base_text_status(text, problem);
    if (status == COL_OK)
        status = base_path_in(path, folder, name, problem);
    if (status == COL_OK)
        status = base_file_write(path, text->data, text->length, problem);
    base_text_free(text);
    return status;
}

/* For people, and for collider check. */
static col_status write_model(const col_setting *setting, const char *folder,
                              col_problem *problem) {
    char path[PATH_MAX];
    if (!epi_model_is_cat(setting))
        return COL_OK;
    const col_status status = base_path_in(path, folder, "model.cat", problem);
    return status == COL_OK
               ? base_file_write(path, setting->model_text, strlen(setting->model_text), problem)
               : status;
}

/* What the design printed, in this instance or in all that it ran together with. */
static col_status write_output(const rerun *r, const char *folder, col_problem *problem) {
    base_text text = {0};
    if (r->instance.output == NULL)
        return COL_OK;
    base_text_add(&text, r->instance.output);
    return write_text(&text, folder, "output.txt", problem);
}

/* The waveforms that there are, or how to get them. */
static void say_waves(const col_setting *setting, const col_failure *failure, base_text *words) {
    if (setting->design.waves != NULL) {
        base_text_add(words, "\nWaveform: waves.fst (gtkwave waves.fst waves.gtkw)\n");
    } else if (duv_has_waves(setting->design.name)) {
        base_text_add(words, "\nWaveform: collider replay ");
        base_text_add_shell(words, failure->folder[0] != '\0' ? failure->folder : "FOLDER");
        base_text_add(words, " --allow-code --waves waves.fst\n");
    }
}

static col_status write_waves(const rerun *r, const col_setting *setting, col_problem *problem) {
    const epi_ending ending = ending_of(r);
    if (setting->design.waves == NULL)
        return COL_OK;
    return epi_waves_write(r->story, &ending, r->worker.duv, setting->design.waves,
                           r->instance.cycles, problem);
}

static col_status write_story(const rerun *r, const col_setting *setting,
                              const col_failure *failure, const char *folder,
                              col_problem *problem) {
    const epi_ending ending = ending_of(r);
    base_text words = {0}, picture = {0};
    epi_story_words(r->story, &ending, &words);
    say_waves(setting, failure, &words);
    const col_status status = write_text(&words, folder, "failure.txt", problem);
    if (status != COL_OK)
        return status;
    epi_story_picture(r->story, &ending, &picture);
    return write_text(&picture, folder, "failure.svg", problem);
}

static col_status take_fingerprint(const rerun *r, const col_setting *setting, col_failure *failure,
                                   col_problem *problem) {
    return r->instance.outcome == COL_PASS ||
                   epi_fingerprint(col_duv_describe(r->worker.duv)->name, setting,
                                   r->instance.shape, &failure->fingerprint)
               ? COL_OK
               : base_out_of_memory(problem);
}

/* What was seen, for collider check: events in their order, or what reads returned. */
static col_status write_recording(const rerun *r, const char *folder, col_problem *problem) {
    char path[PATH_MAX];
    base_text text = {0};
    if (r->worker.judge.sees_reads) {
        const col_status printed = epi_judge_print(&r->worker.judge, &text, problem);
        if (printed == COL_OK)
            return write_text(&text, folder, "reads.txt", problem);
        base_text_free(&text); /* such values cannot be written as a trace: the reason says why */
        return printed == COL_BAD_INPUT ? COL_OK : printed;
    }
    const col_status status = base_path_in(path, folder, "events.trace", problem);
    return status == COL_OK ? col_recorder_write_file(r->recorder, path, problem) : status;
}

static col_status write_files(const col_episode_settings *settings, const col_setting *setting,
                              const col_program *program, col_failure *failure, const rerun *r,
                              const char *folder, col_problem *problem) {
    char path[PATH_MAX];
    const col_violation *violation = epi_judge_violation(&r->worker.judge);
    failure->shown_again =
        r->instance.outcome == failure->outcome && strcmp(r->instance.reason, failure->reason) == 0;
    col_status status = COL_OK;
    if (failure->fingerprint.hash[0] == '\0')
        status = take_fingerprint(r, setting, failure, problem);
    if (status == COL_OK)
        status = base_path_in(path, folder, "program.txt", problem);
    if (status == COL_OK)
        status = col_program_write_file(program, path, problem);
    if (status == COL_OK)
        status = write_recording(r, folder, problem);
    if (status == COL_OK && violation != NULL)
        status = write_violation(violation, folder, problem);
    if (status == COL_OK)
        status = write_story(r, setting, failure, folder, problem);
    if (status == COL_OK)
        status = write_waves(r, setting, problem);
    if (status == COL_OK)
        status = write_model(setting, folder, problem);
    if (status == COL_OK)
        status = write_output(r, folder, problem);
    if (status == COL_OK)
        status = base_path_in(path, folder, "failure.json", problem);
    if (status == COL_OK)
        status =
            base_json_write(path,
                            describe(settings, setting, failure,
                                     col_duv_describe(r->worker.duv)->cores, r->worker.judge.name),
                            problem);
    return status;
}

col_status epi_failure_write_files(const col_episode_settings *settings, const col_setting *setting,
                                   const col_program *program, const epi_instance *past,
                                   col_failure *failure, const char *folder, col_problem *problem) {
    rerun r = {0};
    col_setting own = *setting;
    char waves[PATH_MAX];
    col_status status = col_recorder_new(&r.recorder, problem);
    if (status == COL_OK && settings->waves) {
        status = base_path_in(waves, folder, "waves.fst", problem);
        own.design.waves = waves;
    }
    if (status == COL_OK)
        status = run_again(&r, &own, program, failure, past, problem);
    if (status == COL_OK)
        status = write_files(settings, &own, program, failure, &r, folder, problem);
    end_rerun(&r);
    return status;
}

static bool is_empty(const char *folder) {
    DIR *entries = opendir(folder);
    bool is_bare = entries != NULL;
    for (const struct dirent *entry; is_bare && (entry = readdir(entries)) != NULL;)
        is_bare = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (entries != NULL)
        (void)closedir(entries);
    return is_bare;
}

col_status epi_failure_check(const char *folder, col_problem *problem) {
    struct stat about;
    if (lstat(folder, &about) != 0)
        return COL_OK;
    if (!S_ISDIR(about.st_mode))
        return base_refuse(problem, "%.400s is not a folder", folder);
    if (is_empty(folder) || base_folder_has(folder, "failure.json"))
        return COL_OK;
    return base_refuse(problem, "%.400s is not empty and not a failure folder; name another one",
                       folder);
}

col_status epi_failure_stage(base_stage *stage, const char *folder, col_problem *problem) {
    stage->path[0] = '\0';
    const col_status status = epi_failure_check(folder, problem);
    return status == COL_OK ? base_stage_begin(stage, folder, problem) : status;
}

col_status epi_failure_keep(base_stage *stage, col_status status, col_problem *problem) {
    const col_status ended = base_stage_end(stage, status == COL_OK, names, problem);
    return status == COL_OK ? ended : status;
}

col_status epi_failure_write(const col_episode_settings *settings, const col_setting *setting,
                             const col_program *program, const epi_instance *past,
                             col_failure *failure, col_problem *problem) {
    base_stage stage;
    const int length =
        snprintf(failure->folder, sizeof failure->folder, "%s/failure-%" PRIu64 "-%u",
                 settings->folder, failure->test, failure->instance);
    if (length < 0 || (size_t)length >= sizeof failure->folder)
        return base_refuse(problem, "the path of the folder %.100s... is too long",
                           settings->folder);
    col_status status = epi_failure_stage(&stage, failure->folder, problem);
    if (status == COL_OK)
        status =
            epi_failure_write_files(settings, setting, program, past, failure, stage.path, problem);
    return epi_failure_keep(&stage, status, problem);
}

/* ---- Reading, and showing again. */

void epi_recorded_free(epi_recorded *r) {
    free(r->design);
    free(r->options);
    free(r->error);
    free(r->model);
    free(r->model_text);
    col_program_free(&r->program);
}

static int find_word(const char *word, const char *const *words, int count) {
    for (int i = 0; i < count; i++)
        if (word != NULL && strcmp(word, words[i]) == 0)
            return i;
    return -1;
}

static const char *text_at(const json_t *root, const char *key) {
    return json_string_value(json_object_get(root, key)); /* NULL: null, or no string */
}

static bool is_text_or_null(const json_t *root, const char *key) {
    const json_t *value = json_object_get(root, key);
    return value == NULL || json_is_null(value) || json_is_string(value);
}

static bool is_digits(const char *text) {
    return text != NULL && text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static json_int_t number_at(const json_t *root, const char *key) {
    const json_t *value = json_object_get(root, key);
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

static bool is_bytes(const char *digits) {
    uint64_t byte;
    for (const char *at = digits; at != NULL && *at != '\0';)
        if (!base_take_hexadecimal(&at, 2, &byte) || byte == 0)
            return false;
    return true;
}

/* A path: its bytes if they are there, else its text. */
static char *copy_path(const json_t *root, const char *key, const char *bytes_key) {
    const char *text = text_at(root, key), *digits = text_at(root, bytes_key);
    if (digits == NULL)
        return text == NULL ? NULL : strdup(text);
    char *path = calloc(strlen(digits) / 2 + 1, 1);
    uint64_t byte;
    for (char *to = path; path != NULL && *digits != '\0'; to++) {
        (void)base_take_hexadecimal(&digits, 2, &byte);
        *to = (char)byte;
    }
    return path;
}

/* A built-in one, or one whose text is there: no file is read for it, wherever one of its name
 * lies.
 */
static bool is_model(const json_t *root) {
    const char *model = text_at(root, "model"), *text = text_at(root, "model_text");
    char hash[EPI_MODEL_HASH];
    if (model == NULL || find_word(model, col_models, COL_MODEL_COUNT) >= 0)
        return text == NULL;
    if (!epi_model_is_file(model) || text == NULL || text_at(root, "model_hash") == NULL)
        return false;
    epi_model_hash(text, hash);
    return strcmp(hash, text_at(root, "model_hash")) == 0;
}

static bool is_description(const json_t *root) {
    const json_int_t cores = number_at(root, "cores"), instance = number_at(root, "instance");
    const json_int_t mutant =
        json_object_get(root, "mutant") == NULL ? 0 : number_at(root, "mutant"); /* 0: none */
    return number_at(root, "format") == FORMAT && text_at(root, "design") != NULL &&
           is_digits(text_at(root, "seed")) && text_at(root, "reason") != NULL &&
           is_bytes(text_at(root, "design_bytes")) && is_bytes(text_at(root, "error_bytes")) &&
           is_text_or_null(root, "options") && is_text_or_null(root, "error") && cores >= 0 &&
           cores <= COL_MAX_THREADS && number_at(root, "test") >= 0 && instance >= 0 &&
           instance <= UINT32_MAX && mutant >= 0 && mutant <= UINT32_MAX &&
           find_word(text_at(root, "verdict"), col_outcomes, COL_INCOMPLETE) >= 0 && is_model(root);
}

/* Folders of versions before there were fingerprints have none. */
static void read_fingerprint(const json_t *root, col_fingerprint *fingerprint) {
    const json_t *saved = json_object_get(root, "fingerprint");
    const char *text = text_at(saved, "text"), *hash = text_at(saved, "hash");
    if (text == NULL || hash == NULL || strlen(hash) >= sizeof fingerprint->hash)
        return;
    base_sentence(fingerprint->text, sizeof fingerprint->text, "%s", text);
    (void)snprintf(fingerprint->hash, sizeof fingerprint->hash, "%s", hash);
}

/* Of a description that is one. */
static col_status take_values(const json_t *root, epi_recorded *r, col_failure *was,
                              col_problem *problem) {
    const char *options = text_at(root, "options"), *wrong = text_at(root, "error");
    const char *text = text_at(root, "model_text"),
               *model = text == NULL ? NULL : text_at(root, "model");
    const json_int_t mutant = number_at(root, "mutant");
    was->seed = strtoull(text_at(root, "seed"), NULL, 10);
    was->outcome = (col_outcome)find_word(text_at(root, "verdict"), col_outcomes, COL_INCOMPLETE);
    was->test = (uint64_t)number_at(root, "test");
    was->instance = (uint32_t)number_at(root, "instance");
    base_sentence(was->reason, sizeof was->reason, "%s", text_at(root, "reason"));
    read_fingerprint(root, &was->fingerprint);
    r->design = copy_path(root, "design", "design_bytes");
    r->options = options == NULL ? NULL : strdup(options);
    r->error = copy_path(root, "error", "error_bytes");
    r->model = model == NULL ? NULL : strdup(model);
    r->model_text = text == NULL ? NULL : strdup(text);
    r->setting = (col_setting){
        .design.cores = (uint32_t)number_at(root, "cores"),
        .design.mutant = mutant < 0 ? 0 : (uint32_t)mutant,
        .model = find_word(text_at(root, "model"), col_models, COL_MODEL_COUNT),
        .design.own_process = json_is_true(json_object_get(root, "own_process")),
        .design.reads_only = json_is_true(json_object_get(root, "reads_only")),
        .limit = json_number_value(json_object_get(root, "limit")),
    };
    if (r->design == NULL || (options != NULL && r->options == NULL) ||
        (wrong != NULL && r->error == NULL) ||
        (text != NULL && (r->model == NULL || r->model_text == NULL)))
        return base_out_of_memory(problem);
    return COL_OK;
}

/* A relative name is relative to the folder that has it, in which links lead nowhere. */
static col_status resolve(char **name, bool is_file, const char *file, col_problem *problem) {
    char path[PATH_MAX];
    if (*name == NULL || !is_file)
        return COL_OK;
    if ((*name)[0] == '/')
        return base_file_check_regular(*name, true, problem);
    col_status status = base_path_beside(path, file, *name, problem);
    if (status == COL_OK)
        status = base_file_check_regular(path, false, problem);
    if (status != COL_OK)
        return status;
    char *whole = strdup(path);
    if (whole == NULL)
        return base_out_of_memory(problem);
    free(*name);
    *name = whole;
    return COL_OK;
}

/* Whoever made the folder chose the design; code of theirs runs only if the user says so. */
static col_status check_design(epi_recorded *r, const char *path, bool allow_code,
                               col_problem *problem) {
    col_status status = resolve(&r->design, duv_kind_of(r->design)->is_file, path, problem);
    if (status == COL_OK && r->error != NULL)
        status = resolve(&r->error, duv_error_is_file(r->error), path, problem);
    r->setting.design.name = r->design;
    r->setting.design.options = r->options;
    r->setting.design.error = r->error;
    r->setting.model_file = r->model;
    r->setting.model_text = r->model_text;
    if (status == COL_OK && !allow_code && duv_kind_of(r->design)->is_code)
        return base_refuse_at(problem, path, 1, 1,
                              "the design %.200s is native code; add --allow-code to run it",
                              r->design);
    return status;
}

static col_status is_no_failure(const char *folder, col_problem *problem) {
    char name[NAME_MAX + 1];
    if (!epi_folder_failure(folder, name))
        return base_refuse(problem, "%.400s is not a failure folder: it has no failure.json",
                           folder);
    const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
    return base_refuse(problem,
                       "%.400s is the folder of an episode; its first failure is %.400s%s%s",
                       folder, folder, slash, name);
}

col_status epi_failure_read(const char *folder, bool allow_code, epi_recorded *r, col_failure *was,
                            col_problem *problem) {
    char path[PATH_MAX];
    base_text text = {0};
    json_t *root;
    if (!base_folder_has(folder, "failure.json"))
        return is_no_failure(folder, problem);
    col_status status = base_path_in(path, folder, "failure.json", problem);
    if (status == COL_OK)
        status = base_json_read_in(folder, "failure.json", &root, problem);
    if (status != COL_OK)
        return status;
    if (!is_description(root)) {
        json_decref(root);
        return base_refuse_at(problem, path, 1, 1, "this is not the description of a failure");
    }
    status = take_values(root, r, was, problem);
    json_decref(root);
    if (status == COL_OK)
        status = check_design(r, path, allow_code, problem);
    if (status == COL_OK)
        status = base_path_in(path, folder, "program.txt", problem);
    if (status == COL_OK)
        status = base_file_read_in(folder, "program.txt", &text, problem);
    if (status == COL_OK)
        status = col_program_read(&r->program, text.data == NULL ? "" : text.data, text.length,
                                  path, problem);
    base_text_free(&text);
    return status;
}

static col_status copy_violation(const col_violation *from, col_violation *to,
                                 col_problem *problem) {
    col_violation copy = *from;
    copy.mentions = malloc((from->mention_count + 1) * sizeof *copy.mentions);
    copy.steps = malloc((from->step_count + 1) * sizeof *copy.steps);
    if (copy.mentions == NULL || copy.steps == NULL) {
        free(copy.mentions);
        free(copy.steps);
        return base_out_of_memory(problem);
    }
    if (from->mention_count > 0)
        memcpy(copy.mentions, from->mentions, from->mention_count * sizeof *copy.mentions);
    if (from->step_count > 0)
        memcpy(copy.steps, from->steps, from->step_count * sizeof *copy.steps);
    copy.mention_capacity = from->mention_count + 1;
    copy.step_capacity = from->step_count + 1;
    *to = copy;
    return COL_OK;
}

static col_status tell(const rerun *r, base_text *words, col_problem *problem) {
    const epi_ending ending = ending_of(r);
    epi_story_words(r->story, &ending, words);
    return base_text_status(words, problem);
}

/* The filter's location becomes its block. */
static col_status find_block(const epi_recorded *recording, const epi_watch *watch,
                             epi_filter *filter, col_problem *problem) {
    *filter = watch->filter;
    if (!watch->has_location)
        return COL_OK;
    if (recording->program.location_count == 0)
        return base_refuse(problem, "the program has no locations");
    if (watch->location >= recording->program.location_count)
        return base_refuse(problem, "the program has no location a%u; it has a0 to a%u",
                           watch->location, recording->program.location_count - 1);
    filter->has_block = true;
    filter->block = recording->program.addresses[watch->location];
    return COL_OK;
}

static col_status show(const rerun *r, const epi_watch *watch, col_problem *problem) {
    const epi_ending ending = ending_of(r);
    const col_status status = epi_timeline_status(r->timeline, problem);
    return status == COL_OK ? watch->show(watch->context, r->timeline, &ending, problem) : status;
}

/* Of the run that failed, or of the last one. */
static col_status tell_output(const rerun *r, base_text *output, col_problem *problem) {
    const base_text *last = &r->worker.output;
    if (r->instance.output != NULL)
        base_text_add(output, r->instance.output);
    else if (last->length > 0)
        base_text_add_bytes(output, last->data, last->length);
    return base_text_status(output, problem);
}

col_status epi_replay(const char *folder, bool allow_code, col_failure *was, col_failure *is,
                      col_violation *violation, epi_told *told, const epi_watch *watch,
                      const char *waves, col_problem *problem) {
    epi_recorded recording = {.program = COL_PROGRAM_EMPTY};
    epi_filter filter = {0};
    rerun r = {.filter = watch == NULL ? NULL : &filter};
    *was = (col_failure){0};
    *is = (col_failure){0};
    col_status status = epi_failure_read(folder, allow_code, &recording, was, problem);
    if (status == COL_OK && watch != NULL)
        status = find_block(&recording, watch, &filter, problem);
    recording.setting.design.waves = waves;
    if (status == COL_OK)
        status = run_again(&r, &recording.setting, &recording.program, was, NULL, problem);
    if (status == COL_OK) {
        *is = (col_failure){.outcome = r.instance.outcome,
                            .test = was->test,
                            .instance = was->instance,
                            .seed = was->seed,
                            .cycles = r.instance.cycles,
                            .shown = r.shown,
                            .runs = r.runs};
        (void)snprintf(is->reason, sizeof is->reason, "%s", r.instance.reason);
        was->operations = is->operations = col_program_operations(&recording.program);
        status = take_fingerprint(&r, &recording.setting, is, problem);
        const col_violation *found = epi_judge_violation(&r.worker.judge);
        if (status == COL_OK && found != NULL && violation != NULL)
            status = copy_violation(found, violation, problem);
    }
    if (status == COL_OK && told != NULL)
        status = tell(&r, &told->words, problem);
    if (status == COL_OK && told != NULL)
        status = tell_output(&r, &told->output, problem);
    if (status == COL_OK && watch != NULL)
        status = show(&r, watch, problem);
    if (status == COL_OK)
        status = write_waves(&r, &recording.setting, problem);
    end_rerun(&r);
    epi_recorded_free(&recording);
    return status;
}

col_status col_replay(const char *folder, bool allow_code, col_failure *was, col_failure *is,
                      col_violation *violation, col_problem *problem) {
    return epi_replay(folder, allow_code, was, is, violation, NULL, NULL, NULL, problem);
}
