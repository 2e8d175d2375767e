/* SPDX-License-Identifier: MIT */
/* The judge of instances: see judge.h. */
#include "episode/judge.h"
#include "base/memory.h"
#include "cat/judge.h"
#include "episode/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JUDGING_SECONDS = 10, MOST_ALLOWED = 1 << 14 };

col_status epi_judge_open(epi_judge *judge, const col_setting *setting,
                          const col_duv_description *design, col_problem *problem) {
    *judge = (epi_judge){.model = setting->model >= 0 ? (col_model)setting->model : design->model,
                         .sees_reads = design->shows == COL_SHOWS_READS,
                         .budget = setting->judging > 0 ? setting->judging : JUDGING_SECONDS};
    const char *name = epi_model_name(setting, design->model);
    (void)snprintf(judge->name, sizeof judge->name, "%s", name);
    if (epi_model_is_cat(setting))
        return cat_judge_new_whole(&judge->cat, setting->model_text, name, problem);
    return col_checker_new(&judge->checker, judge->model, problem);
}

void epi_judge_close(epi_judge *judge) {
    col_checker_free(judge->checker);
    cat_judge_free(judge->cat);
    chk_returned_free(&judge->returned);
    chk_quick_free(&judge->quick);
    col_violation_free(&judge->violation);
    free(judge->allowed);
    *judge = (epi_judge){0};
}

static col_status load_reads(epi_judge *judge, const col_program *program, col_problem *problem) {
    col_status status = chk_returned_load(&judge->returned, program, problem);
    if (status == COL_OK && judge->cat == NULL)
        status = chk_quick_load(&judge->quick, program, chk_model_of(judge->model), problem);
    if (status == COL_OK)
        status = base_reserve(&judge->allowed, &judge->allowed_capacity, MOST_ALLOWED,
                              sizeof *judge->allowed, problem);
    if (status != COL_OK)
        return status;
    judge->allowed_count = 0;
    memset(judge->allowed, 0, MOST_ALLOWED * sizeof *judge->allowed);
    return COL_OK;
}

col_status epi_judge_load(epi_judge *judge, const col_program *program, col_problem *problem) {
    judge->is_forbidden = judge->is_undecided = judge->is_trace = false;
    if (judge->sees_reads)
        return load_reads(judge, program, problem);
    return judge->cat != NULL ? cat_judge_load(judge->cat, program, problem)
                              : col_checker_load(judge->checker, program, problem);
}

void epi_judge_restart(epi_judge *judge) {
    judge->is_forbidden = judge->is_undecided = judge->is_trace = false;
    if (judge->sees_reads)
        chk_returned_restart(&judge->returned);
    else if (judge->cat != NULL)
        cat_judge_restart(judge->cat);
    else
        col_checker_restart(judge->checker);
}

bool epi_judge_notice(epi_judge *judge, const col_event *event) {
    if (judge->sees_reads)
        chk_returned_notice(&judge->returned, event);
    else if (judge->cat == NULL)
        return col_checker_notice(judge->checker, event);
    else
        cat_judge_notice(judge->cat, event);
    return true;
}

/* ---- What reads returned. */

/* The place of a hash in the set: it is there, or it is free. */
static uint64_t *find_allowed(const epi_judge *judge, uint64_t hash) {
    size_t place = (size_t)(hash % MOST_ALLOWED);
    while (judge->allowed[place] != 0 && judge->allowed[place] != hash)
        place = (place + 1) % MOST_ALLOWED;
    return &judge->allowed[place];
}

/* The same values were allowed before, and so they are again. */
static bool was_allowed(const epi_judge *judge, uint64_t hash) {
    return *find_allowed(judge, hash) == hash;
}

static void note_allowed(epi_judge *judge, uint64_t hash) {
    if (judge->allowed_count >= MOST_ALLOWED / 2)
        return;
    *find_allowed(judge, hash) = hash;
    judge->allowed_count++;
}

static col_status judge_values(epi_judge *judge, bool complete, col_problem *problem) {
    const uint64_t hash = chk_returned_hash(&judge->returned) | 1;
    col_verdict verdict = COL_ALLOWED;
    if (complete && judge->returned.what == NULL && was_allowed(judge, hash))
        return COL_OK;
    chk_returned_finish(&judge->returned, complete);
    judge->is_trace = true;
    if (judge->returned.what != NULL) {
        chk_returned_explain(&judge->returned, &judge->violation);
        judge->is_forbidden = true;
        return COL_OK;
    }
    if (judge->cat == NULL && judge->returned.is_plain &&
        chk_quick_finds(&judge->quick, judge->returned.trace.source, judge->returned.trace.final)) {
        note_allowed(judge, hash);
        return COL_OK;
    }
    const col_trace_settings settings = {.model = judge->model, .budget = judge->budget};
    col_status status = COL_OK;
    if (judge->cat == NULL)
        status = col_trace_check(&judge->returned.trace, &settings, &verdict, &judge->violation,
                                 problem);
    else if (judge->returned.trace.unfinished_count == 0) /* else it failed otherwise anyway */
        status = cat_judge_trace(judge->cat, &judge->returned.trace, &settings, &verdict, problem);
    judge->is_trace = judge->cat == NULL;
    judge->is_undecided = status == COL_OK && verdict == COL_UNDECIDED;
    judge->is_forbidden = status == COL_OK && verdict == COL_FORBIDDEN;
    if (status == COL_OK && verdict == COL_ALLOWED && complete)
        note_allowed(judge, hash);
    return status;
}

col_status epi_judge_print(const epi_judge *judge, base_text *text, col_problem *problem) {
    return chk_returned_print(&judge->returned, text, problem);
}

/* ---- The end of an instance. */

col_status epi_judge_finish(epi_judge *judge, bool complete, bool *is_allowed,
                            col_problem *problem) {
    col_status status = COL_OK;
    *is_allowed = true;
    if (judge->sees_reads) {
        status = judge_values(judge, complete, problem);
        *is_allowed = !judge->is_forbidden;
        return status;
    }
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
    if (judge->is_trace)
        return &judge->violation;
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
