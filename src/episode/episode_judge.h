/* SPDX-License-Identifier: MIT */
/*
 * The judge of instances: the checker of a built-in model, which judges while an instance runs, or
 * a model in cat, which judges at its end. Of designs that show reads alone, what they returned is
 * a trace, judged at the end by either; that may take too long, and is given up.
 */
#pragma once

#include "base/text.h"
#include "collider/episode.h"
#include "judge/trace/black_box.h"

typedef struct epi_judge {
    col_checker *checker;  /* or */
    struct cat_judge *cat; /* NULL: the model is built in */
    col_model model;       /* if it is */
    char name[128];        /* the model's */
    bool is_forbidden;     /* the last instance was not allowed */
    bool is_undecided;     /* nor was it found to be allowed: its budget was spent */
    bool sees_reads;       /* the design shows nothing else */
    chk_black_box box;     /* if so */
    bool is_strange;       /* what was forbidden last is described by the box */
} epi_judge;

/* The setting was read (episode_judge.h). */
col_status epi_judge_open(epi_judge *judge, const col_setting *setting,
                          const col_duv_description *design, col_problem *problem);
/* What judging searches for is not found, either, once `stop` is not 0. */
void epi_judge_interrupt(epi_judge *judge, const volatile int *stop);
void epi_judge_close(epi_judge *judge);

/* As with a col_checker. */
col_status epi_judge_load(epi_judge *judge, const col_program *program, col_problem *problem);
void epi_judge_restart(epi_judge *judge);
bool epi_judge_notice(epi_judge *judge, const col_event *event);
col_status epi_judge_finish(epi_judge *judge, bool complete, bool *is_allowed,
                            col_problem *problem);

/* Of the last instance; NULL: it was allowed, or is undecided. */
const col_violation *epi_judge_violation(const epi_judge *judge);

/* What reads returned, as a text for collider check; only of designs that show reads. */
col_status epi_judge_print(const epi_judge *judge, base_text *text, col_problem *problem);

/* Of something else than the instances: load the program anew before the next one. */
col_status epi_judge_trace(epi_judge *judge, const col_trace *trace,
                           const col_trace_settings *settings, col_verdict *verdict,
                           col_problem *problem);

/*
 * The memory model of a setting: a built-in one, or a file in cat. Such a file is read once, with
 * what it includes, and what is judged by is its text: an episode is not changed by somebody who
 * edits the file, and a failure takes the text along.
 */

enum { EPI_MODEL_HASH = 33 }; /* 128 bits in hexadecimal, with its end */

/* Is this value of `model` the name of a file? */
bool epi_model_is_file(const char *value);

/* Is it the name of one of our own files, such as power.cat? */
bool epi_model_is_own(const char *value);

/* Reads the file of a setting, if it has one and its text is not there yet. `text` is for the
 * setting's; a file that says what a built-in model says becomes that model. Free the text also
 * after an error. */
col_status epi_model_read(col_setting *setting, base_text *text, col_problem *problem);

/* Of the file and what it includes, whatever these say; empty if the setting has none. */
col_status epi_model_hash_file(const col_setting *setting, char hash[EPI_MODEL_HASH],
                               col_problem *problem);
void epi_model_hash(const char *text, char hash[EPI_MODEL_HASH]);

/* Of settings that were read: a cat model takes no large tests. */
col_status epi_model_check(const col_setting *setting, col_range operations, col_problem *problem);

/* Is it judged by a text in cat? */
bool epi_model_is_cat(const col_setting *setting);

/* A word of col_models or the name of a file, without its folder. */
const char *epi_model_name(const col_setting *setting, col_model of_design);
