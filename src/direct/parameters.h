/* SPDX-License-Identifier: MIT */
/*
 * The parameters of an engine: one table each, with the values of its paper as defaults, set by
 * text "key=value,key=value".
 */
#ifndef DIRECT_PARAMETERS_H
#define DIRECT_PARAMETERS_H

#include "base/problem.h"

#include <stddef.h>
#include <stdint.h>

typedef enum dir_parameter_kind {
    DIR_REAL,  /* a double */
    DIR_WHOLE, /* a uint64_t; Ki and Mi are understood */
    DIR_WORD,  /* a uint64_t: which of `words` */
    DIR_TEXT   /* a char[DIR_MOST_TEXT]; empty unless it is given */
} dir_parameter_kind;

enum { DIR_MOST_TEXT = 512 };

typedef struct dir_parameter {
    const char *name;
    dir_parameter_kind kind;
    size_t offset;            /* in the engine's structure of parameters */
    double initial;           /* of a word: its place */
    double least, most;       /* of numbers */
    const char *const *words; /* ended by NULL */
    const char *meaning;      /* for lists of parameters: a few words */
} dir_parameter;

/* A row's beginning: DIR_PARAMETER(struct, member). */
#define DIR_PARAMETER(type, member) .name = #member, .offset = offsetof(type, member)

/* Sets all of them: as the text says, else as the table does. The table ends with a NULL name;
 * `options` may be NULL. A key is a parameter's name with '-' for '_'. */
col_status dir_parameters_read(const dir_parameter *table, const char *engine, const char *options,
                               void *parameters, col_problem *problem);

#endif
