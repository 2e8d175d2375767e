/* SPDX-License-Identifier: MIT */
/* The parts of the random test generator: mixes, competition patterns, addresses and chains. */
#pragma once

#include "base/random.h"
#include "base/text.h"
#include "collider/generate.h"

/* ---- Mixes by name or by weights, and the operation templates that instruction mixes weigh. */

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

/*
 * ---- Competition patterns. A pattern is a partition of the locations into classes, one class for
 * each cache set in use. A competition biasing constraint cbc = (kappa, chi) allows the patterns
 * with exactly kappa classes whose largest has exactly chi locations, so that each pattern belongs
 * to one cbc. src/program/generate/README.md has the counting behind the uniform draw.
 */

enum { GEN_PATTERN_MOST_LOCATIONS = 1024 }; /* where competition is not uniform */

/* Is (sets, largest) feasible for this many locations? If not, the error says why. */
col_status gen_cbc_check(uint32_t locations, uint32_t sets, uint32_t largest, col_problem *problem);

/* For 1 <= sets <= locations the feasible values of `largest` are least..most, all of them. */
void gen_cbc_range(uint32_t locations, uint32_t sets, uint32_t *least, uint32_t *most);

/* The counts that a draw needs, kept for the next draw of the same cbc. Start from {0}. */
typedef struct gen_pattern_table {
    uint32_t locations, sets, largest;
    double *sums;    /* [m][r]: weight of m classes below `largest` with r locations in all */
    double *weights; /* [j]: weight of a class of j locations */
    double *sizes;   /* [j]: scratch, below `largest` */
    double *fullest; /* [t]: weight of t classes of size `largest` */
    size_t capacity; /* of sums, with the others behind it */
} gen_pattern_table;

col_status gen_pattern_prepare(gen_pattern_table *table, uint32_t locations, uint32_t sets,
                               uint32_t largest, col_problem *problem);
void gen_pattern_free(gen_pattern_table *table);

/* Draws one of the patterns that the prepared cbc allows, each with the same probability: the class
 * of each location. `scratch` has room for `locations` numbers. */
void gen_pattern_draw(const gen_pattern_table *table, base_rng *rng, uint32_t *scratch,
                      uint32_t *set_of);

/* ---- Addresses: every location gets one that keeps the biasing constraints. */

/* The words of the sharings, ended by NULL. */
extern const char *const gen_sharings[COL_SHARING_COUNT + 1];

/* Memory kept between assignments. Start from {0}. */
typedef struct gen_assigner {
    gen_pattern_table pattern;
    uint32_t *set_of;          /* the class of each location */
    uint32_t *order, *start;   /* the locations sorted by class */
    uint64_t *index_of;        /* the index bits of each class */
    uint64_t *blocks, *places; /* drawn numbers */
    uint64_t *seen;            /* a hash set */
    uint64_t *memory;          /* of all of them */
    size_t capacity;
} gen_assigner;

/* Fills addresses[0..locations-1]; with a competition constraint also assigner->set_of. */
col_status gen_assign(gen_assigner *assigner, const col_addressing *addressing, uint32_t locations,
                      base_rng *rng, uint64_t *addresses, col_problem *problem);
void gen_assigner_free(gen_assigner *assigner);

/* The size of the largest class that `addressing` asks for: its own chi, or the uniform one. */
uint32_t gen_addressing_largest(const col_addressing *addressing, uint32_t locations);

/* ---- Chained threads: canonical dependence chains of categories 0 to 3, built across threads. */

/* Chains as they were built. Start from {0}. */
typedef struct gen_chain_list {
    col_chain *chains;
    col_link *links;
    size_t chain_count, chain_capacity, link_count, link_capacity;
} gen_chain_list;

/* Memory kept between programs. Start from {0}. */
typedef struct gen_chainer {
    uint32_t *next;  /* where each thread goes on */
    size_t capacity; /* of `next`, with threads to draw from behind it */
} gen_chainer;

typedef struct gen_chain_settings {
    col_category_mix mix;
    bool exact_fences;
} gen_chain_settings;

/* Fills the operations of a shaped program. `list` may be NULL. Counts the chains of each category
 * and the operations that belong to none. */
col_status gen_generate_chained(gen_chainer *chainer, const gen_chain_settings *settings,
                                base_rng *rng, col_program *program, gen_chain_list *list,
                                col_generated *generated, col_problem *problem);

void gen_chainer_free(gen_chainer *chainer);
void gen_chain_list_free(gen_chain_list *list);

/* Which chain each operation of a program belongs to, and the chains' letters: for charts and
 * pictures. */

#define GEN_NO_CHAIN UINT32_MAX

/* chain_of[o] for each operation: the index of its chain or GEN_NO_CHAIN. A barrier before an
 * operation of a chain is marked with it. `chain_of` has room for all operations. */
void gen_mark_chains(const col_program *program, const col_generated *generated,
                     uint32_t *chain_of);

/* A, B, ... Z, AA, AB, ... */
void gen_chain_letters(uint32_t chain, char letters[8]);
