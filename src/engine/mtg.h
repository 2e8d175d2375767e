/* SPDX-License-Identifier: MIT */
/*
 * The parts of the genetic engine (McVerSi). A test is a list of genes: operations, each with its
 * thread; the order of the list is the program order of each thread. Programs are made from genes
 * and never read back, so that whatever crossover and mutation make is a valid program.
 */
#pragma once

#include "base/json.h"
#include "base/problem.h"
#include "base/random.h"
#include "collider/engine.h"
#include "collider/generate.h"

#include <stdbool.h>

enum { DIR_MTG_BY_COVERAGE, DIR_MTG_CONSTANT };

typedef struct dir_mtg_parameters {
    double unconditional, fit_bias;               /* selective crossover: P_USEL, P_BFA */
    uint64_t population, tournament, window;      /* tests */
    double mutation, crossover;                   /* P_MUT, and the probability of crossover */
    uint64_t cutoff, stall_tests;                 /* adaptive coverage */
    double stall_below;                           /* ... */
    uint64_t fitness;                             /* a word */
    uint64_t memory, stride, partition, distance; /* the test memory, in bytes */
} dir_mtg_parameters;

/* ---- The space of genes (mtg_genes.c). */

typedef struct dir_mtg_gene {
    uint32_t location; /* 0 if the operation has none */
    uint16_t thread;
    uint8_t template; /* of gen_templates */
} dir_mtg_gene;

typedef struct dir_mtg_space {
    uint32_t threads, operations; /* of each test */
    uint32_t locations;           /* all places of the test memory */
    uint32_t places;              /* of a partition */
    uint64_t stride, distance;
    base_chooser chooser; /* among the templates of the mix */
    uint8_t templates[COL_MAX_TEMPLATES];
    uint32_t located; /* a set of templates: those that have a location */
} dir_mtg_space;

col_status dir_mtg_space_make(dir_mtg_space *space, const dir_mtg_parameters *parameters,
                              const col_engine_settings *settings, col_problem *problem);

static inline bool dir_mtg_is_located(const dir_mtg_space *space, const dir_mtg_gene *gene) {
    return (space->located >> gene->template & 1U) != 0;
}

/* Of all genes, or of those whose location, if they have one, is in the list. */
dir_mtg_gene dir_mtg_random_gene(const dir_mtg_space *space, base_rng *rng);
dir_mtg_gene dir_mtg_random_gene_at(const dir_mtg_space *space, base_rng *rng,
                                    const uint32_t *locations, uint32_t count);
void dir_mtg_random_genes(const dir_mtg_space *space, base_rng *rng, dir_mtg_gene *genes);

/* `scratch` has room for two numbers for each thread. */
col_status dir_mtg_write_program(const dir_mtg_space *space, const dir_mtg_gene *genes,
                                 uint32_t *scratch, col_program *program, col_problem *problem);

/* ---- Tests with what is known of them, the oldest deleted (mtg.c). */

typedef struct dir_mtg_test {
    dir_mtg_gene *genes;
    bool *is_fit; /* by location */
    double fitness;
} dir_mtg_test;

typedef struct dir_mtg_population {
    dir_mtg_test *tests; /* a ring, and behind it a ring of candidates: the tests under way */
    dir_mtg_gene *genes;
    bool *is_fit;
    uint32_t size, count, oldest;
    uint32_t window, under_way, first; /* of candidates */
} dir_mtg_population;

col_status dir_mtg_population_make(dir_mtg_population *population, uint32_t size, uint32_t window,
                                   const dir_mtg_space *space, col_problem *problem);
void dir_mtg_population_free(dir_mtg_population *population);

/* By number, the one that was handed out first first; the number `under_way` is the next one. */
dir_mtg_test *dir_mtg_candidate(const dir_mtg_population *population, uint32_t number);
/* By age, the oldest first. */
dir_mtg_test *dir_mtg_population_test(const dir_mtg_population *population, uint32_t age);
/* The first candidate becomes the youngest, and the oldest goes if they are too many. */
void dir_mtg_population_add(dir_mtg_population *population);

enum { DIR_MTG_MOST_TOURNAMENT = 32 };

/* Two different tests, each the winner of a tournament. The population has room for both. */
void dir_mtg_select_parents(const dir_mtg_population *population, uint32_t tournament,
                            base_rng *rng, const dir_mtg_test *parents[2]);

/* ---- Offspring (mtg.c). */

/* Algorithm 1. `list` has room for all locations. */
void dir_mtg_cross_selectively(const dir_mtg_space *space, const dir_mtg_parameters *parameters,
                               const dir_mtg_test *const parents[2], base_rng *rng, uint32_t *list,
                               dir_mtg_gene *child);
/* Single-point crossover, and mutation. */
void dir_mtg_cross_at_a_point(const dir_mtg_space *space, const dir_mtg_parameters *parameters,
                              const dir_mtg_test *const parents[2], base_rng *rng,
                              dir_mtg_gene *child);
/* Each gene becomes a random one with this probability. */
void dir_mtg_mutate(const dir_mtg_space *space, double probability, base_rng *rng,
                    dir_mtg_gene *genes);

/* ---- Fitness (mtg.c). */

typedef struct dir_mtg_coverage {
    uint64_t cutoff;  /* points with fewer hits are rare */
    uint64_t stalled; /* tests in a row that covered too few of them */
    uint64_t tests;   /* of the last feedback's episode */
    uint64_t total;
    uint64_t *hits; /* by point, of all tests before the last one */
    uint64_t *seen; /* of these, by the present episode: what feedback said last */
    size_t hits_capacity, seen_capacity;
} dir_mtg_coverage;

/* Room for this many points, all without a hit. */
col_status dir_mtg_coverage_shape(dir_mtg_coverage *coverage, uint64_t total, col_problem *problem);
void dir_mtg_coverage_free(dir_mtg_coverage *coverage);

/* The adaptive coverage of the last test. */
col_status dir_mtg_measure_coverage(dir_mtg_coverage *coverage,
                                    const dir_mtg_parameters *parameters,
                                    const col_feedback *feedback, double *fraction,
                                    col_problem *problem);

/* Non-determinism from 0, none, to 1, the most that this many instances can show. */
double dir_mtg_normalise(double nondeterminism, uint32_t instances);

/* ---- The engine (mtg.c) and its state (mtg_genes.c). */

typedef enum dir_mtg_variant { DIR_MTG_ALL, DIR_MTG_STANDARD, DIR_MTG_RANDOM } dir_mtg_variant;

typedef struct dir_mtg_engine {
    dir_mtg_variant variant;
    dir_mtg_parameters parameters;
    dir_mtg_space space;
    dir_mtg_population population;
    dir_mtg_coverage coverage;
    base_rng rng;
    uint32_t *thread_scratch, *location_scratch;
} dir_mtg_engine;

/* A test's genes as text. Restoring leaves nothing unchecked; false: it is not valid. */
json_t *dir_mtg_save_genes(const dir_mtg_space *space, const dir_mtg_gene *genes);
bool dir_mtg_restore_genes(const dir_mtg_space *space, const json_t *saved, dir_mtg_gene *genes);

json_t *dir_mtg_save(const void *state);
col_status dir_mtg_restore(void *state, const json_t *saved, col_problem *problem);
