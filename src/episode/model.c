/* SPDX-License-Identifier: MIT */
/* The memory model of a setting: see model.h. */
#include "episode/model.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/problem.h"
#include "cat/judge.h"
#include "cat/whole.h"

#include <stdio.h>
#include <string.h>

bool epi_model_is_file(const char *value) {
    return base_path_ends(value, ".cat");
}

bool epi_model_is_own(const char *value) {
    size_t length;
    return cat_own_file(value, &length) != NULL;
}

bool epi_model_is_cat(const col_setting *setting) {
    return setting->model < 0 && setting->model_file != NULL;
}

const char *epi_model_name(const col_setting *setting, col_model of_design) {
    if (setting->model >= 0)
        return col_models[setting->model];
    return setting->model_file != NULL ? base_path_name(setting->model_file)
                                       : col_models[of_design];
}

static col_status read_whole(const col_setting *setting, base_text *text, col_problem *problem) {
    const cat_sources sources = {.path = setting->model_include};
    const col_status status = cat_whole(text, setting->model_file, &sources, problem);
    if (status == COL_OK)
        base_clean_utf8(text->data); /* comments may be in anything, JSON is not */
    return status;
}

col_status epi_model_read(col_setting *setting, base_text *text, col_problem *problem) {
    cat_judge *judge = NULL;
    col_model built_in = COL_SC;
    if (!epi_model_is_cat(setting) || setting->model_text != NULL)
        return COL_OK;
    col_status status = read_whole(setting, text, problem);
    if (status == COL_OK)
        status = cat_judge_new_whole(&judge, text->data, setting->model_file, problem);
    if (status != COL_OK)
        return status;
    if (cat_judge_is_built_in(judge, &built_in))
        setting->model = (int)built_in;
    else
        setting->model_text = text->data;
    cat_judge_free(judge);
    return COL_OK;
}

void epi_model_hash(const char *text, char hash[EPI_MODEL_HASH]) {
    const XXH128_hash_t digest = XXH3_128bits(text, strlen(text));
    (void)snprintf(hash, EPI_MODEL_HASH, "%016llx%016llx", (unsigned long long)digest.high64,
                   (unsigned long long)digest.low64);
}

col_status epi_model_hash_file(const col_setting *setting, char hash[EPI_MODEL_HASH],
                               col_problem *problem) {
    base_text text = {0};
    hash[0] = '\0';
    const col_status status =
        epi_model_is_cat(setting) ? read_whole(setting, &text, problem) : COL_OK;
    if (status == COL_OK && text.data != NULL)
        epi_model_hash(text.data, hash);
    base_text_free(&text);
    return status;
}

col_status epi_model_check(const col_setting *setting, col_range operations, col_problem *problem) {
    if (!epi_model_is_cat(setting) || operations.most <= CAT_MOST_OPERATIONS)
        return COL_OK;
    return base_refuse(problem,
                       "a test of %u operations is too large for %.200s, which is none of the "
                       "built-in models: the limit is %d, so give --ops 4Ki or less",
                       operations.most, setting->model_file, CAT_MOST_OPERATIONS);
}
