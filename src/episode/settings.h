/* SPDX-License-Identifier: MIT */
/*
 * Settings by name and text: the options of collider run, the settings of plans. A field says how a
 * text is read and which member of a struct it sets. Texts are not copied: settings point to what
 * the caller gave.
 */
#ifndef EPISODE_SETTINGS_H
#define EPISODE_SETTINGS_H

#include "base/text.h"
#include "collider/engine.h"
#include "collider/episode.h"

typedef enum epi_form {
    EPI_TEXT,     /* const char * */
    EPI_FLAG,     /* yes or no: bool */
    EPI_NUMBER,   /* uint32_t */
    EPI_LARGE,    /* uint64_t */
    EPI_RANGE,    /* N or MIN:MAX, from 1: col_range */
    EPI_SECONDS,  /* 60s: double */
    EPI_FRACTION, /* up to 1: double */
    EPI_CHOICE,   /* its place in a list of words: an int or an enum */
    EPI_WORD,     /* a word of a list itself: const char * */
    EPI_ENGINE,   /* the same, or a plug-in: FILE.so */
    EPI_MODEL     /* the model of a col_setting: a word, or a file: FILE.cat */
} epi_form;

typedef struct epi_field {
    const char *name;
    epi_form form;
    size_t offset; /* of the member */
    uint64_t least, most;
    const char *const *words; /* ended by NULL */
    size_t is_said;           /* the offset of a bool that becomes true when it is read; 0: none */
} epi_field;

/* Of col_episode_settings, in the order in which they are printed; ended by a NULL name. */
extern const epi_field epi_fields[];
const epi_field *epi_field_find(const epi_field *fields, const char *name);

/* Sets the member of `target`. `dashes` are put before the name in errors: "--" of options, or "".
 */
col_status epi_field_read(const epi_field *field, const char *text, const char *dashes,
                          void *target, col_problem *problem);

/* Adds the text that means the same in one spelling: numbers in decimal, ranges of one number as
 * that number. The text must be one that epi_field_read takes. */
void epi_field_spell(const epi_field *field, const char *text, base_text *spelling);

/* Budgets are all off at the start; one of time goes in at the end if there is no other, nor
 * are programs given. */
void epi_settings_begin(col_episode_settings *settings);
void epi_settings_end(col_episode_settings *settings);

/* Opens the design of a setting. */
col_status epi_design_open(col_duv **duv, const col_setting *setting, col_problem *problem);

/* What an episode's engine is made with; threads and geometry are the design's, which is NULL if
 * none is known. */
col_engine_settings epi_engine_settings(const col_episode_settings *settings, uint32_t threads,
                                        col_geometry geometry, const col_duv_description *design);

/* Is the engine a plug-in, native code that a file must not name unless the user allows it? */
bool epi_engine_is_code(const char *engine);

/* Opens the engine as an episode would, and closes it. Without a design: for the usual caches.
 * `learns` may be NULL. */
col_status epi_engine_try(const col_episode_settings *settings, const col_duv_description *design,
                          bool *learns, col_problem *problem);

#endif
