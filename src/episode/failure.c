/* SPDX-License-Identifier: MIT */
/*
 * Failures, kept and shown again. An instance follows from design, program and
 * seed, so a failure is written by running it once more, with the recorder on:
 * in the episode nothing has to be kept for the case that something goes wrong.
 */
#include "episode/failure.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "episode/story.h"
#include "episode/worker.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FORMAT = 1 };

static bool is_file(const char *design, char path[PATH_MAX]) {
    return strchr(design, '.') != NULL && realpath(design, path) != NULL;
}

/* IDs of errors have dots in them, too. */
static bool is_error_file(const char *wrong, char path[PATH_MAX]) {
    static const char ending[] = ".yaml";
    const size_t length = wrong == NULL ? 0 : strlen(wrong);
    return length >= sizeof ending && strcmp(wrong + length - (sizeof ending - 1), ending) == 0 &&
           is_file(wrong, path);
}

/* ---- Writing. */

static json_t *describe(const col_episode_settings *settings, const col_failure *failure,
                        col_model model) {
    char path[PATH_MAX], error_path[PATH_MAX], seed[24];
    const col_setting *s = &settings->setting;
    (void)snprintf(seed, sizeof seed, "%" PRIu64, failure->seed);
    return json_pack(
        "{s:i, s:o, s:i, s:o, s:o, s:I, s:b, s:f, s:s, s:s, s:I, s:I, s:s, s:o, s:{s:s, s:I}, s:b}",
        "format", FORMAT, "design", col_json_text(is_file(s->design, path) ? path : s->design),
        "cores", (int)s->cores, "options", col_json_text(s->options), "error",
        col_json_text(is_error_file(s->error, error_path) ? error_path : s->error), "mutant",
        (json_int_t)s->mutant, "own_process", (int)s->own_process, "limit", s->limit, "model",
        col_models[model], "seed", seed, "test", (json_int_t)failure->test, "instance",
        (json_int_t)failure->instance, "verdict", col_outcomes[failure->outcome], "reason",
        col_json_text(failure->reason), "episode", "engine", settings->engine, "seed",
        (json_int_t)settings->seed, "shown_again", (int)failure->shown_again);
}

typedef struct rerun {
    epi_worker worker;
    col_recorder *recorder;
    epi_story *story;
    epi_instance instance;
} rerun;

static void end_rerun(rerun *r) {
    epi_story_free(r->story);
    epi_worker_close(&r->worker);
    col_recorder_free(r->recorder);
}

/* One instance by itself, with its story, and recorded if there is a recorder. */
static col_status run_again(rerun *r, const col_setting *setting, const col_program *program,
                            uint64_t seed, col_error *error) {
    r->instance.seed = seed;
    col_status status = epi_worker_open(&r->worker, setting, error);
    if (status == COL_OK)
        status = epi_worker_load(&r->worker, program, error);
    if (status == COL_OK && r->recorder != NULL)
        status = col_recorder_load(r->recorder, program, error);
    if (status == COL_OK)
        status = epi_story_new(&r->story, col_duv_describe(r->worker.duv), program,
                               &r->worker.ended, error);
    if (status != COL_OK)
        return status;
    col_observer observer;
    if (r->recorder != NULL) {
        observer = col_recorder_observer(r->recorder);
        r->worker.also[0] = &observer;
    }
    const col_observer watcher = epi_story_observer(r->story);
    r->worker.also[1] = &watcher;
    epi_worker_run(&r->worker, &r->instance);
    r->worker.also[0] = r->worker.also[1] = NULL;
    if (r->instance.status != COL_OK) {
        *error = r->instance.error;
        return r->instance.status;
    }
    if (r->recorder != NULL)
        col_recorder_finish(r->recorder, r->instance.outcome == COL_PASS);
    return COL_OK;
}

/* What an earlier failure of the same name may have left. */
static void remove_old(const char *folder) {
    static const char *const names[] = {"violation.txt", "violation.dot", "violation.svg"};
    char path[1100];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        (void)unlink(col_path_in(path, sizeof path, folder, names[i]));
}

static col_status write_violation(const col_violation *violation, const char *folder,
                                  col_error *error) {
    static const char *const names[] = {
        [COL_WORDS] = "violation.txt", [COL_DOT] = "violation.dot", [COL_SVG] = "violation.svg"};
    char path[1100];
    col_status status = COL_OK;
    for (int i = COL_WORDS; i <= COL_SVG && status == COL_OK; i++)
        status = col_violation_write_file(violation, (col_violation_format)i,
                                          col_path_in(path, sizeof path, folder, names[i]), error);
    return status;
}

static epi_ending ending_of(const rerun *r, const col_setting *setting) {
    return (epi_ending){.outcome = r->instance.outcome,
                        .reason = r->instance.reason,
                        .violation = col_checker_violation(r->worker.checker),
                        .model = epi_worker_model(&r->worker, setting)};
}

static col_status write_text(col_text *text, const char *path, col_error *error) {
    col_status status = col_text_status(text, error);
    if (status == COL_OK)
        status = col_file_write(path, text->data, text->length, error);
    col_text_free(text);
    return status;
}

static col_status write_story(const rerun *r, const col_setting *setting, const char *folder,
                              col_error *error) {
    const epi_ending ending = ending_of(r, setting);
    col_text words = {0}, picture = {0};
    char path[1100];
    epi_story_words(r->story, &ending, &words);
    col_status status =
        write_text(&words, col_path_in(path, sizeof path, folder, "failure.txt"), error);
    if (status != COL_OK)
        return status;
    epi_story_picture(r->story, &ending, &picture);
    return write_text(&picture, col_path_in(path, sizeof path, folder, "failure.svg"), error);
}

static col_status write_files(const col_episode_settings *settings, const col_program *program,
                              col_failure *failure, rerun *r, col_error *error) {
    char path[1100];
    const char *folder = failure->folder;
    const col_violation *violation = col_checker_violation(r->worker.checker);
    failure->shown_again =
        r->instance.outcome == failure->outcome && strcmp(r->instance.reason, failure->reason) == 0;
    remove_old(folder);
    col_status status = col_program_write_file(
        program, col_path_in(path, sizeof path, folder, "program.txt"), error);
    if (status == COL_OK)
        status = col_recorder_write_file(
            r->recorder, col_path_in(path, sizeof path, folder, "events.trace"), error);
    if (status == COL_OK && violation != NULL)
        status = write_violation(violation, folder, error);
    if (status == COL_OK)
        status = write_story(r, &settings->setting, folder, error);
    if (status == COL_OK)
        status = col_json_write(
            col_path_in(path, sizeof path, folder, "failure.json"),
            describe(settings, failure, epi_worker_model(&r->worker, &settings->setting)), error);
    return status;
}

col_status epi_failure_write(const col_episode_settings *settings, const col_program *program,
                             col_failure *failure, col_error *error) {
    const int length =
        snprintf(failure->folder, sizeof failure->folder, "%s/failure-%" PRIu64 "-%u",
                 settings->folder, failure->test, failure->instance);
    if (length < 0 || (size_t)length >= sizeof failure->folder)
        return col_refuse(error, "the folder's name is too long");
    return epi_failure_write_here(settings, program, failure, error);
}

col_status epi_failure_write_here(const col_episode_settings *settings, const col_program *program,
                                  col_failure *failure, col_error *error) {
    rerun r = {0};
    col_status status = col_folder_make(failure->folder, error);
    if (status == COL_OK)
        status = col_recorder_new(&r.recorder, error);
    if (status == COL_OK)
        status = run_again(&r, &settings->setting, program, failure->seed, error);
    if (status == COL_OK)
        status = write_files(settings, program, failure, &r, error);
    end_rerun(&r);
    return status;
}

/* ---- Reading, and showing again. */

void epi_recorded_free(epi_recorded *r) {
    free(r->design);
    free(r->options);
    free(r->error);
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

/* Takes what the file says; false: it is not what we wrote. */
static bool take_values(const json_t *root, epi_recorded *r, col_failure *was) {
    const char *design = text_at(root, "design"), *options = text_at(root, "options");
    const char *wrong = text_at(root, "error");
    const json_int_t mutant =
        json_object_get(root, "mutant") == NULL ? 0 : number_at(root, "mutant"); /* 0: none */
    const char *model = text_at(root, "model"), *seed = text_at(root, "seed");
    const char *reason = text_at(root, "reason");
    const json_int_t cores = number_at(root, "cores"), test = number_at(root, "test");
    const json_int_t instance = number_at(root, "instance");
    const int outcome = find_word(text_at(root, "verdict"), col_outcomes, COL_OUTCOME_COUNT);
    const int model_place = find_word(model, col_models, COL_MODEL_COUNT);
    if (number_at(root, "format") != FORMAT || design == NULL || !is_digits(seed) ||
        reason == NULL || !is_text_or_null(root, "options") || !is_text_or_null(root, "error") ||
        cores < 0 || cores > COL_MAX_THREADS || test < 0 || instance < 0 || instance > UINT32_MAX ||
        outcome < 0 || mutant < 0 || mutant > UINT32_MAX || (model != NULL && model_place < 0))
        return false;
    was->seed = strtoull(seed, NULL, 10);
    was->outcome = (col_outcome)outcome;
    was->test = (uint64_t)test;
    was->instance = (uint32_t)instance;
    (void)snprintf(was->reason, sizeof was->reason, "%s", reason);
    r->design = strdup(design);
    r->options = options == NULL ? NULL : strdup(options);
    r->error = wrong == NULL ? NULL : strdup(wrong);
    r->setting = (col_setting){
        .design = r->design,
        .cores = (uint32_t)cores,
        .options = r->options,
        .error = r->error,
        .mutant = (uint32_t)mutant,
        .model = model_place,
        .own_process = json_is_true(json_object_get(root, "own_process")),
        .limit = json_number_value(json_object_get(root, "limit")),
    };
    return r->design != NULL && (options == NULL || r->options != NULL) &&
           (wrong == NULL || r->error != NULL);
}

col_status epi_failure_read(const char *folder, epi_recorded *r, col_failure *was,
                            col_error *error) {
    char path[1100];
    json_error_t problem;
    (void)col_path_in(path, sizeof path, folder, "failure.json");
    json_t *root = json_load_file(path, 0, &problem);
    if (root == NULL && problem.line < 0)
        return col_refuse(error, "%.400s is no folder of a failure: it has no failure.json",
                          folder);
    if (root == NULL)
        return col_refuse_at(error, path, (uint32_t)problem.line, (uint32_t)problem.column,
                             "%.160s", problem.text);
    const bool is_good = take_values(root, r, was);
    json_decref(root);
    if (!is_good)
        return col_refuse_at(error, path, 1, 1, "this is not the description of a failure");
    return col_program_read_file(&r->program, col_path_in(path, sizeof path, folder, "program.txt"),
                                 error);
}

static col_status copy_violation(const col_violation *from, col_violation *to, col_error *error) {
    col_violation copy = *from;
    copy.mentions = malloc((from->mention_count + 1) * sizeof *copy.mentions);
    copy.steps = malloc((from->step_count + 1) * sizeof *copy.steps);
    if (copy.mentions == NULL || copy.steps == NULL) {
        free(copy.mentions);
        free(copy.steps);
        return col_out_of_memory(error);
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

static col_status tell(const rerun *r, const col_setting *setting, col_text *words,
                       col_error *error) {
    const epi_ending ending = ending_of(r, setting);
    epi_story_words(r->story, &ending, words);
    return col_text_status(words, error);
}

col_status epi_replay(const char *folder, col_failure *was, col_failure *is,
                      col_violation *violation, col_text *words, col_error *error) {
    epi_recorded recording = {.program = COL_PROGRAM_EMPTY};
    rerun r = {0};
    *was = (col_failure){0};
    *is = (col_failure){0};
    col_status status = epi_failure_read(folder, &recording, was, error);
    if (status == COL_OK)
        status = run_again(&r, &recording.setting, &recording.program, was->seed, error);
    if (status == COL_OK) {
        *is = (col_failure){.outcome = r.instance.outcome,
                            .test = was->test,
                            .instance = was->instance,
                            .seed = was->seed,
                            .cycles = r.instance.cycles};
        (void)snprintf(is->reason, sizeof is->reason, "%s", r.instance.reason);
        const col_violation *found = col_checker_violation(r.worker.checker);
        if (found != NULL && violation != NULL)
            status = copy_violation(found, violation, error);
    }
    if (status == COL_OK && words != NULL)
        status = tell(&r, &recording.setting, words, error);
    end_rerun(&r);
    epi_recorded_free(&recording);
    return status;
}

col_status col_replay(const char *folder, col_failure *was, col_failure *is,
                      col_violation *violation, col_error *error) {
    return epi_replay(folder, was, is, violation, NULL, error);
}
