/* SPDX-License-Identifier: MIT */
/* Mixes by name or by weights, and the operation templates that instruction mixes weigh. */
#ifndef GENERATE_MIX_H
#define GENERATE_MIX_H

#include "base/text.h"
#include "collider/generate.h"

typedef struct col_template {
    const char *name;
    col_operation operation; /* location, value and distance are filled in by the generator */
} col_template;

extern const col_template col_templates[];
extern const uint32_t col_template_count;

/* The words of the chain categories, ended by NULL. */
extern const char *const col_categories[COL_CATEGORIES + 1];

/* The mixes that have a name, ended by one without; the first is the default. */
typedef struct col_named_mix {
    const char *name, *weights, *source;
} col_named_mix;
extern const col_named_mix col_instruction_mixes[], col_category_mixes[];

/* "balanced, ..." for help texts: the names of the built-in mixes. */
void col_mix_names(bool chained, col_text *text);

#endif
