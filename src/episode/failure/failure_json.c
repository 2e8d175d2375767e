/* SPDX-License-Identifier: MIT */
/* failure.json: what a failure is, and what it takes to see it again. docs/failures.md has the
 * format. */
#include "base/file.h"
#include "base/folder.h"
#include "base/number.h"
#include "base/path.h"
#include "base/problem.h"
#include "design/design_kind.h"
#include "episode/episode_judge.h"
#include "episode/episode_record.h"
#include "episode/failure/failure.h"
#include "episode/failure/fingerprint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1 };

/* ---- Writing. */

/* A file's name is kept from the root, so that the failure shows again wherever one is. */
static const char *whole_path(const char *name, bool is_file, char path[PATH_MAX]) {
    return is_file && realpath(name, path) != NULL ? path : name;
}

col_status epi_errors_rename(const char *names,
                             col_status (*rename)(const void *context, char **name,
                                                  col_problem *problem),
                             const void *context, char **renamed, col_problem *problem) {
    base_text text = {0};
    col_status status = COL_OK;
    for (size_t length; names != NULL && status == COL_OK;
         names = names[length] == '\0' ? NULL : names + length + 1) {
        length = duv_error_length(names);
        char *name = strndup(names, length);
        status = name == NULL ? base_out_of_memory(problem) : rename(context, &name, problem);
        base_text_print(&text, "%s%s", text.length == 0 ? "" : ";", name == NULL ? "" : name);
        free(name);
    }
    if (status == COL_OK)
        status = base_text_status(&text, problem);
    if (status == COL_OK)
        *renamed = text.data;
    else
        base_text_free(&text);
    return status;
}

static col_status make_whole(const void *context, char **name, col_problem *problem) {
    char path[PATH_MAX];
    (void)context;
    const char *whole = whole_path(*name, duv_error_is_file(*name), path);
    if (whole == *name)
        return COL_OK;
    free(*name);
    *name = strdup(whole);
    return *name == NULL ? base_out_of_memory(problem) : COL_OK;
}

/* JSON is UTF-8 and paths are bytes: those that are not UTF-8 are kept in hexadecimal, too. */
static bool keep_bytes(json_t *root, const char *key, const char *path) {
    if (path == NULL || base_is_utf8(path))
        return true;
    char *digits = malloc(2 * strlen(path) + 1), *at = digits;
    for (size_t i = 0; digits != NULL && path[i] != '\0'; i++)
        at = base_put_hexadecimal(at, (unsigned char)path[i], 2);
    const bool is_kept =
        digits != NULL &&
        json_object_set_new(root, key, json_stringn(digits, (size_t)(at - digits))) == 0;
    free(digits);
    return is_kept;
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

json_t *epi_failure_describe(const col_episode_settings *settings, const col_setting *s,
                             const col_failure *failure, uint32_t cores, const char *model) {
    char design_path[PATH_MAX], seed[24];
    char *wrong = NULL;
    col_problem problem;
    const char *design =
        whole_path(s->design.name, duv_kind_of(s->design.name)->is_file, design_path);
    if (epi_errors_rename(s->design.error, make_whole, NULL, &wrong, &problem) != COL_OK)
        return NULL;
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
    const bool is_kept = root != NULL && keep_bytes(root, "design_bytes", design) &&
                         keep_bytes(root, "error_bytes", wrong) && keep_model(root, s);
    free(wrong);
    if (is_kept)
        return root;
    json_decref(root);
    return NULL;
}

/* ---- Reading. */

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
    BASE_TRY(base_path_beside(path, file, *name, problem));
    BASE_TRY(base_file_check_regular(path, false, problem));
    char *whole = strdup(path);
    if (whole == NULL)
        return base_out_of_memory(problem);
    free(*name);
    *name = whole;
    return COL_OK;
}

static col_status resolve_error(const void *file, char **name, col_problem *problem) {
    return resolve(name, duv_error_is_file(*name), file, problem);
}

/* Whoever made the folder chose the design; code of theirs runs only if the user says so. */
static col_status check_design(epi_recorded *r, const char *path, bool allow_code,
                               col_problem *problem) {
    char *whole = NULL;
    BASE_TRY(resolve(&r->design, duv_kind_of(r->design)->is_file, path, problem));
    BASE_TRY(epi_errors_rename(r->error, resolve_error, path, &whole, problem));
    free(r->error);
    r->error = whole;
    r->setting.design.name = r->design;
    r->setting.design.options = r->options;
    r->setting.design.error = r->error;
    r->setting.model_file = r->model;
    r->setting.model_text = r->model_text;
    if (!allow_code && duv_kind_of(r->design)->is_code)
        return base_refuse_at(problem, path, 1, 1,
                              "the design %.200s is native code; add --allow-code to run it",
                              r->design);
    return COL_OK;
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
    BASE_TRY(base_path_in(path, folder, "failure.json", problem));
    BASE_TRY(base_json_read_in(folder, "failure.json", &root, problem));
    if (!is_description(root)) {
        json_decref(root);
        return base_refuse_at(problem, path, 1, 1, "this is not the description of a failure");
    }
    col_status status = take_values(root, r, was, problem);
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
