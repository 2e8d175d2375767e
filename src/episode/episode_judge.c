/* SPDX-License-Identifier: MIT */
/* The judge of instances: see episode_judge.h. */
#include "episode/episode_judge.h"

#include "base/hash.h"
#include "base/path.h"
#include "base/problem.h"
#include "judge/cat/cat_judge.h"
#include "judge/cat/cat_model.h"
#include "judge/runtime/runtime_checker.h"
#include "judge/trace/trace.h"

#include <stdio.h>
#include <string.h>

enum { JUDGING_SECONDS = 10 };

col_status epi_judge_open(epi_judge *judge, const col_setting *setting,
                          const col_duv_description *design, col_problem *problem) {
    *judge = (epi_judge){.model = setting->model >= 0 ? (col_model)setting->model : design->model,
                         .sees_reads = design->shows == COL_SHOWS_READS};
    judge->box.model = judge->model;
    judge->box.budget = setting->judging > 0 ? setting->judging : JUDGING_SECONDS;
    const char *name = epi_model_name(setting, design->model);
    (void)snprintf(judge->name, sizeof judge->name, "%s", name);
    if (epi_model_is_cat(setting))
        return cat_judge_new(&judge->cat, setting->model_text, name, NULL, problem);
    return col_checker_new(&judge->checker, judge->model, problem);
}

void epi_judge_interrupt(epi_judge *judge, const volatile int *stop) {
    judge->box.stop = stop;
    if (judge->cat != NULL)
        judge->cat->stop = stop;
}

void epi_judge_close(epi_judge *judge) {
    col_checker_free(judge->checker);
    cat_judge_free(judge->cat);
    chk_black_box_free(&judge->box);
    *judge = (epi_judge){0};
}

col_status epi_judge_load(epi_judge *judge, const col_program *program, col_problem *problem) {
    judge->is_forbidden = judge->is_undecided = judge->is_strange = false;
    if (judge->sees_reads)
        return chk_black_box_load(&judge->box, program, problem);
    return judge->cat != NULL ? cat_judge_load(judge->cat, program, problem)
                              : col_checker_load(judge->checker, program, problem);
}

void epi_judge_restart(epi_judge *judge) {
    judge->is_forbidden = judge->is_undecided = judge->is_strange = false;
    if (judge->sees_reads)
        chk_returned_restart(&judge->box.returned);
    else if (judge->cat != NULL)
        cat_judge_restart(judge->cat);
    else
        col_checker_restart(judge->checker);
}

bool epi_judge_notice(epi_judge *judge, const col_event *event) {
    if (judge->sees_reads)
        chk_returned_notice(&judge->box.returned, event);
    else if (judge->cat == NULL)
        return col_checker_notice(judge->checker, event);
    else
        cat_judge_notice(judge->cat, event);
    return true;
}

/* ---- What reads returned. */

/* One that is not complete failed otherwise anyway, and a cat model takes it for what it is. */
static col_status judge_by_cat(void *context, const col_trace *trace, col_verdict *verdict,
                               col_problem *problem) {
    const epi_judge *judge = context;
    const col_trace_settings settings = {.budget = judge->box.budget};
    *verdict = COL_ALLOWED;
    return trace->unfinished_count > 0
               ? COL_OK
               : cat_judge_trace(judge->cat, trace, &settings, verdict, problem);
}

col_status epi_judge_print(const epi_judge *judge, base_text *text, col_problem *problem) {
    return chk_returned_print(&judge->box.returned, text, problem);
}

/* ---- The end of an instance. */

col_status epi_judge_finish(epi_judge *judge, bool complete, bool *is_allowed,
                            col_problem *problem) {
    col_status status = COL_OK;
    *is_allowed = true;
    if (judge->sees_reads) {
        col_verdict verdict = COL_ALLOWED;
        status =
            chk_black_box_finish(&judge->box, complete, judge->cat != NULL ? judge_by_cat : NULL,
                                 judge, &verdict, &judge->is_strange, problem);
        judge->is_undecided = status == COL_OK && verdict == COL_UNDECIDED;
        judge->is_forbidden = status == COL_OK && verdict == COL_FORBIDDEN;
        *is_allowed = !judge->is_forbidden;
    } else if (judge->cat != NULL) {
        status = cat_judge_finish(judge->cat, complete, is_allowed, problem);
        judge->is_forbidden = status == COL_OK && !*is_allowed;
    } else {
        *is_allowed = col_checker_finish(judge->checker, complete);
        judge->is_forbidden = !*is_allowed;
        if (judge->is_forbidden && judge->checker->ran_out)
            return base_out_of_memory(problem);
    }
    const col_violation *violation = epi_judge_violation(judge);
    return status == COL_OK && violation != NULL && violation->is_cut ? base_out_of_memory(problem)
                                                                      : status;
}

const col_violation *epi_judge_violation(const epi_judge *judge) {
    if (!judge->is_forbidden)
        return NULL;
    if (judge->sees_reads && (judge->cat == NULL || judge->is_strange))
        return &judge->box.violation;
    return judge->cat != NULL ? &judge->cat->violation : col_checker_violation(judge->checker);
}

col_status epi_judge_trace(epi_judge *judge, const col_trace *trace,
                           const col_trace_settings *settings, col_verdict *verdict,
                           col_problem *problem) {
    if (judge->cat != NULL)
        return cat_judge_trace(judge->cat, trace, settings, verdict, problem);
    col_trace_settings by_model = *settings;
    by_model.model = judge->model;
    return chk_trace_check(trace, &by_model, judge->box.stop, verdict, NULL, problem);
}

/* The memory model of a setting. */

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
    BASE_TRY(cat_whole(text, setting->model_file, &sources, problem));
    base_clean_utf8(text->data); /* comments may be in anything, JSON is not */
    return COL_OK;
}

col_status epi_model_read(col_setting *setting, base_text *text, col_problem *problem) {
    cat_judge *judge = NULL;
    col_model built_in = COL_SC;
    if (!epi_model_is_cat(setting) || setting->model_text != NULL)
        return COL_OK;
    BASE_TRY(read_whole(setting, text, problem));
    BASE_TRY(cat_judge_new(&judge, text->data, setting->model_file, NULL, problem));
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
