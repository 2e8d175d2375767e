/* SPDX-License-Identifier: MIT */
/*
 * The memory model of a setting: a built-in one, or a file in cat. Such a file is read once, with
 * what it includes, and what is judged by is its text: an episode is not changed by somebody who
 * edits the file, and a failure takes the text along.
 */
#ifndef EPISODE_MODEL_H
#define EPISODE_MODEL_H

#include "base/text.h"
#include "collider/episode.h"

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

#endif
