/* SPDX-License-Identifier: MIT */
/* The judge of instances: see judge.h. */
#include "episode/judge.h"
#include "cat/judge.h"
#include "episode/model.h"

#include <stdio.h>

col_status epi_judge_open(epi_judge *judge, const col_setting *setting, col_model of_design,
                          col_problem *problem) {
    *judge = (epi_judge){.model = setting->model >= 0 ? (col_model)setting->model : of_design};
    const char *name = epi_model_name(setting, of_design);
    (void)snprintf(judge->name, sizeof judge->name, "%s", name);
    if (epi_model_is_cat(setting))
        return cat_judge_new_whole(&judge->cat, setting->model_text, name, problem);
    return col_checker_new(&judge->checker, judge->model, problem);
}

void epi_judge_close(epi_judge *judge) {
    col_checker_free(judge->checker);
    cat_judge_free(judge->cat);
    *judge = (epi_judge){0};
}

col_status epi_judge_load(epi_judge *judge, const col_program *program, col_problem *problem) {
    judge->is_forbidden = false;
    return judge->cat != NULL ? cat_judge_load(judge->cat, program, problem)
                              : col_checker_load(judge->checker, program, problem);
}

void epi_judge_restart(epi_judge *judge) {
    judge->is_forbidden = false;
    if (judge->cat != NULL)
        cat_judge_restart(judge->cat);
    else
        col_checker_restart(judge->checker);
}

bool epi_judge_notice(epi_judge *judge, const col_event *event) {
    if (judge->cat == NULL)
        return col_checker_notice(judge->checker, event);
    cat_judge_notice(judge->cat, event);
    return true;
}

col_status epi_judge_finish(epi_judge *judge, bool complete, bool *is_allowed,
                            col_problem *problem) {
    col_status status = COL_OK;
    if (judge->cat != NULL)
        status = cat_judge_finish(judge->cat, complete, is_allowed, problem);
    else
        *is_allowed = col_checker_finish(judge->checker, complete);
    judge->is_forbidden = status == COL_OK && !*is_allowed;
    return status;
}

const col_violation *epi_judge_violation(const epi_judge *judge) {
    if (!judge->is_forbidden)
        return NULL;
    return judge->cat != NULL ? cat_judge_violation(judge->cat)
                              : col_checker_violation(judge->checker);
}

col_status epi_judge_trace(epi_judge *judge, const col_trace *trace,
                           const col_trace_settings *settings, col_verdict *verdict,
                           col_problem *problem) {
    if (judge->cat != NULL)
        return cat_judge_trace(judge->cat, trace, settings, verdict, problem);
    col_trace_settings by_model = *settings;
    by_model.model = judge->model;
    return col_trace_check(trace, &by_model, verdict, NULL, problem);
}
