/* SPDX-License-Identifier: MIT */
/*
 * What a design behind the serve protocol says (docs/serve.md), line by line. Nothing that it says
 * is trusted: what comes out keeps the promises of duv.h, and all else becomes a sentence.
 */
#pragma once

#include "base/text.h"
#include "design/own_process.h"

enum {
    DUV_SERVE_VERSION = 1,
    DUV_SERVE_DESCRIPTION = 1 << 24, /* bytes of the longest one */
    DUV_SERVE_OTHERS = 1 << 26       /* lines of an instance that are no operation's */
};

/* ---- Words of a line. */

typedef struct duv_words {
    const char *at; /* ends with 0 */
} duv_words;

/* The next word; its length is 0 if there is none. */
const char *duv_words_next(duv_words *words, size_t *length);
/* The next word is a number, decimal or 0x. */
bool duv_words_number(duv_words *words, uint64_t *number);
bool duv_words_end(const duv_words *words);
/* What is left of the line, without blanks before it. */
const char *duv_words_rest(const duv_words *words);
bool duv_word_is(const char *word, size_t length, const char *expected);

/* Is there nothing to hear, a comment or blanks? */
bool duv_serve_is_comment(const char *line);

/* A line as it can be quoted in a sentence: printable, and cut. */
enum { DUV_QUOTE = 64 };
void duv_serve_quote(char quote[DUV_QUOTE], const char *line);

/* ---- The answer to `describe`: all lines before `end`, each with its end. The text is changed:
 * its words become the names of the description. */

/* Can the line be one of them, by its first word? */
bool duv_serve_describes(const char *line);
col_status duv_serve_describe(base_text *text, duv_copy *copy, col_problem *problem);

/* ---- An instance. */

typedef enum duv_said {
    DUV_SAID_NOTHING, /* to anybody else */
    DUV_SAID_EVENT,
    DUV_SAID_END,
    DUV_SAID_WRONG /* what cannot be: the sentence says it */
} duv_said;

typedef struct duv_hearing {
    const col_duv_description *description;
    const col_program *program;
    uint64_t *hits;    /* by functional point, are added to */
    uint32_t instance; /* counts from 1 */
    uint32_t
        *answered; /* of each operation: the last instance that said what it read, or merged it */
    uint32_t *finals;    /* of each location: the last one that said what it holds */
    uint64_t cycle;      /* of the instance, like what follows */
    uint64_t operations; /* told of */
    uint32_t others;     /* lines that told of none */
    col_event event;
    col_run run;
    size_t answered_capacity, finals_capacity;
} duv_hearing;

/* A program that the design takes. */
col_status duv_hearing_load(duv_hearing *hearing, const col_program *program, col_problem *problem);
void duv_hearing_begin(duv_hearing *hearing);
/* Of what is wrong `run.message` has the sentence, and of an end `run` all. */
duv_said duv_hearing_line(duv_hearing *hearing, const char *line);
void duv_hearing_free(duv_hearing *hearing);
