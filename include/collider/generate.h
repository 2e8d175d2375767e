/* SPDX-License-Identifier: MIT */
/*
 * Random test generation: settings in, program out. A thread generator (plain, or chained by
 * canonical dependence chains) writes the operations, an address assigner (unconstrained, or
 * biased) gives every location an address, and the synthesiser numbers the written values.
 * docs/generation.md explains the terms.
 */
#ifndef COLLIDER_GENERATE_H
#define COLLIDER_GENERATE_H

#include <collider/geometry.h>
#include <collider/program.h>

COL_C_BEGIN

/* ---- Address assignment: the thesis's biasing constraints abc, sbc and cbc = (kappa, chi). */

typedef enum col_sharing {
    COL_TRUE_SHARING,  /* a block holds at most one location */
    COL_MIXED_SHARING, /* a block may happen to hold several */
    COL_FALSE_SHARING, /* locations that map to the same set share blocks, at least two in each
                          (except in the last, if blocks have room for two and their number is odd)
                        */
    COL_SHARING_COUNT
} col_sharing;

typedef struct col_addressing {
    col_geometry geometry;
    uint64_t base;           /* where the address subspace starts; a multiple of its size */
    uint32_t space_bits;     /* 25: the subspace has 2^25 bytes */
    uint32_t alignment_bits; /* abc: addresses are multiples of 2^abc */
    col_sharing sharing;     /* sbc */
    uint32_t sets;    /* kappa: cache sets that the locations compete for; 0: unconstrained */
    uint32_t largest; /* chi: locations in the fullest set; 0: locations / sets, uniform */
} col_addressing;

/* Competition for `sets` sets as in the thesis: uniform, block-aligned, true sharing. */
COL_API void col_addressing_bias(col_addressing *addressing, uint32_t sets);

/* ---- Mixes. */

enum { COL_MAX_TEMPLATES = 32, COL_CATEGORIES = 4 };

/* Weights of the operation templates from which a plain thread is made (docs/generation.md lists
 * them). Filled in by col_instruction_mix_parse. */
typedef struct col_instruction_mix {
    double weights[COL_MAX_TEMPLATES];
} col_instruction_mix;

/* Weights of the chain categories 0 to 3, and the extras of chained threads: for each template, the
 * probability that an operation is turned into it (a load into a swap, say) or, for flushes and
 * templates that access nothing, is preceded by it. */
typedef struct col_category_mix {
    double weights[COL_CATEGORIES];
    double loads; /* how many of the operations whose kind a category leaves open are loads, up to
                     1; 0: three in four */
    double extras[COL_MAX_TEMPLATES];
} col_category_mix;

/* A built-in name ("full", "balanced", "c1-c2") or weights ("load=3,store=1", "c1=0.8,c3=0.2",
 * "c1=1,flush=0.01"). "published": the mix of the generator's own paper. */
COL_API col_status col_instruction_mix_parse(const char *text, col_instruction_mix *mix,
                                             col_problem *problem);
COL_API col_status col_category_mix_parse(const char *text, col_category_mix *mix,
                                          col_problem *problem);

/* ---- Generation. */

typedef struct col_generation {
    bool chained; /* dependence chains (CHAIN) or independent choice (PLAIN) */
    uint32_t threads;
    uint32_t operations; /* of the whole program, fences included */
    uint32_t locations;
    const uint32_t *lengths; /* of each thread; NULL: equal, the remainder spread */
    bool random_lengths;     /* uneven lengths by the seed; `lengths` must be NULL */
    bool exact_fences;       /* a chain's barrier orders only the pair that needs it */
    col_instruction_mix instructions;
    col_category_mix categories;
    col_addressing addressing;
} col_generation;

/* 8 threads, 1Ki operations, 16 locations, the mixes "full", unconstrained
 * addresses, the caches of the three-level design mesi3. */
COL_API void col_generation_default(col_generation *generation);

/* One operation of a chain. */
typedef struct col_link {
    uint32_t operation; /* index into the program's operations */
    bool between;       /* the store between two loads in significant conflict order */
} col_link;

typedef struct col_chain {
    uint32_t first, count; /* its links */
    uint8_t category;
} col_chain;

/* What is known about the last program besides the program itself. */
typedef struct col_generated {
    uint64_t chain_counts[COL_CATEGORIES];
    uint32_t fillers;       /* operations at the ends of threads that belong to no chain */
    uint32_t set_count;     /* classes of the competition pattern; 0: unconstrained */
    const uint32_t *set_of; /* the class of each location, when set_count > 0 */
    /* The chains themselves, if col_generator_keep_chains asked for them. */
    const col_chain *chains;
    const col_link *links;
    size_t chain_total;
} col_generated;

typedef struct col_generator col_generator;

/* NULL when out of memory. */
COL_API col_generator *col_generator_new(void);
COL_API void col_generator_free(col_generator *generator);
COL_API void col_generator_keep_chains(col_generator *generator, bool keep);

/* Makes test number `test` of `seed`. The same settings, seed and number give the same program. */
COL_API col_status col_generate(col_generator *generator, const col_generation *generation,
                                uint64_t seed, uint64_t test, col_program *program,
                                col_problem *problem);

/* About the last program; valid until the next. */
COL_API const col_generated *col_generator_last(const col_generator *generator);

COL_C_END
#endif
