/* SPDX-License-Identifier: MIT */
/*
 * The judge of instances: the checker of a built-in model, which judges while an instance runs, or
 * a model in cat, which judges at its end.
 */
#ifndef EPISODE_JUDGE_H
#define EPISODE_JUDGE_H

#include "collider/episode.h"

typedef struct epi_judge {
    col_checker *checker;  /* or */
    struct cat_judge *cat; /* NULL: the model is built in */
    col_model model;       /* if it is */
    char name[128];        /* the model's */
    bool is_forbidden;     /* the last instance was not allowed */
} epi_judge;

/* The setting was read (model.h). `of_design` is the model that the design promises. */
col_status epi_judge_open(epi_judge *judge, const col_setting *setting, col_model of_design,
                          col_problem *problem);
void epi_judge_close(epi_judge *judge);

/* As with a col_checker. */
col_status epi_judge_load(epi_judge *judge, const col_program *program, col_problem *problem);
void epi_judge_restart(epi_judge *judge);
bool epi_judge_notice(epi_judge *judge, const col_event *event);
col_status epi_judge_finish(epi_judge *judge, bool complete, bool *is_allowed,
                            col_problem *problem);

/* Of the last instance; NULL: it was allowed. */
const col_violation *epi_judge_violation(const epi_judge *judge);

/* Of something else than the instances: load the program anew before the next one. */
col_status epi_judge_trace(epi_judge *judge, const col_trace *trace,
                           const col_trace_settings *settings, col_verdict *verdict,
                           col_problem *problem);

#endif
