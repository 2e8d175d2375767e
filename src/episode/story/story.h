/* SPDX-License-Identifier: MIT */
/*
 * The story of a failure, for a designer: which axiom broke, which load saw which stale word, whose
 * cache held it, and what the controllers did to that block before. It watches the instance when a
 * failure is run again (failure.c), and is told in words and as a picture.
 */
#ifndef EPISODE_STORY_STORY_H
#define EPISODE_STORY_STORY_H

#include "base/names.h"
#include "base/text.h"
#include "collider/check.h"
#include "collider/duv.h"
#include "collider/episode.h"

typedef struct epi_story epi_story;

/* The design must stay open, and the program as it is, while the story is used. Once `*ended` is
 * not 0, only transitions of the same cycle are a part of the story; may be NULL. */
col_status epi_story_new(epi_story **story, const col_duv_description *design,
                         const col_program *program, const volatile int *ended,
                         col_problem *problem);
void epi_story_free(epi_story *story);
col_observer epi_story_observer(epi_story *story);

/* How the instance ended. */
typedef struct epi_ending {
    col_outcome outcome;
    const char *reason;
    const col_violation *violation; /* NULL: the memory model was not broken */
    const char *model;              /* its name */
    bool is_cat;                    /* the model is a file's: its tests have names of their own */
} epi_ending;

/* Running out of memory, also while watching, shows in the text's status. */
void epi_story_words(const epi_story *story, const epi_ending *ending, base_text *text);
void epi_story_picture(const epi_story *story, const epi_ending *ending, base_text *text); /* SVG */

/* The operation that should not have done what it did; COL_INITIAL: there is none. */
uint32_t epi_story_culprit(const epi_story *story, const epi_ending *ending);

/* ---- The names of messages' types in a recording, each kept once. A design may be anybody's:
 * beyond a few thousand all others are "?". */

enum { EPI_MOST_NAMES = 4096 };

/* Start from zeros. It must not be moved. */
typedef struct epi_names {
    base_arena arena;
    base_names names;
    bool failed; /* there was not enough memory */
} epi_names;

uint32_t epi_name_add(epi_names *names, const char *text); /* NULL: "?" */
const char *epi_name_of(const epi_names *names, uint32_t name);
void epi_names_free(epi_names *names);

#endif
