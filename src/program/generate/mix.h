/* SPDX-License-Identifier: MIT */
/* Mixes by name or by weights, and the operation templates that instruction mixes weigh. */
#ifndef PROGRAM_GENERATE_MIX_H
#define PROGRAM_GENERATE_MIX_H

#include "base/text.h"
#include "collider/generate.h"

typedef struct gen_template {
    const char *name;
    col_operation operation; /* location, value and distance are filled in by the generator */
} gen_template;

extern const gen_template gen_templates[];
extern const uint32_t gen_template_count;

/* The words of the chain categories, ended by NULL. */
extern const char *const gen_categories[COL_CATEGORIES + 1];

/* The mixes that have a name, ended by one without. */
typedef struct gen_named_mix {
    const char *name, *weights, *source;
} gen_named_mix;
extern const gen_named_mix gen_instruction_mixes[], gen_category_mixes[];

/* The mix that is meant if none is named; cores that fetch instructions have one of their own, and
 * so have designs with DMA. */
const char *gen_default_mix(bool fetches, bool dma);

/* Numbers the values that a program writes, 1, 2, 3, ... thread by thread (generator.c). The
 * program must have no awaits. */
void gen_synthesise(col_program *program);

/* "balanced, ..." for help texts: the names of the built-in mixes. */
void gen_mix_names(bool chained, base_text *text);

#endif
