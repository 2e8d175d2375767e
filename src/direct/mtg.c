/* SPDX-License-Identifier: MIT */
/*
 * The genetic engine (McVerSi): a population of tests from which tests are bred that collide more
 * and reach what is rare. mtg is McVerSi-ALL, mtg-standard McVerSi-Std.XO and mtg-random
 * McVerSi-RAND. Tests have one size and one memory; docs/engines/mtg.md maps the paper to the code.
 */
#include "direct/mtg.h"
#include "direct/engine.h"
#include "direct/parameters.h"

#include <stdlib.h>
#include <string.h>

#define ROW(member) DIR_PARAMETER(dir_mtg_parameters, member)
#define REAL(member, value, text)                                                                  \
    { ROW(member), .kind = DIR_REAL, .initial = (value), .least = 0, .most = 1, .meaning = (text) }
#define WHOLE(member, value, from, to, text)                                                       \
    {                                                                                              \
        ROW(member), .kind = DIR_WHOLE, .initial = (value), .least = (from), .most = (to),         \
                     .meaning = (text)                                                             \
    }

static const char *const fitnesses[] = {"coverage", "constant", NULL};

/* Each variant has a row and those after it. The paper has no numbers for the last three of the
 * standard one: they are ours. */
static const dir_parameter parameters[] = {
#define ALL_ROWS 0
    REAL(unconditional, 0.2, "P_USEL: an operation at an unfit address is selected"),
    REAL(fit_bias, 0.05, "P_BFA: a new operation is at a fit address"),
#define STANDARD_ROWS 2
    WHOLE(population, 100, 2, 1e6, "tests to breed from"),
    WHOLE(tournament, 2, 1, DIR_MTG_MOST_TOURNAMENT, "tests that compete to be a parent"),
    REAL(mutation, 0.005, "P_MUT: a gene becomes a random one"),
    REAL(crossover, 1, "a child has two parents"),
    WHOLE(cutoff, 4, 1, 1e15, "points with fewer hits are rare, at first"),
    WHOLE(stall_tests, 10, 1, 1e9, "the cut-off doubles after N tests in a row"),
    REAL(stall_below, 0.05, "that covered less than this of the rare points"),
    {ROW(fitness), .kind = DIR_WORD, .initial = DIR_MTG_BY_COVERAGE, .words = fitnesses,
     .meaning = "what makes a test a parent: what it covers, or nothing"},
#define RANDOM_ROWS 10
    WHOLE(memory, 8192, 8, 1 << 20, "bytes of test memory"),
    WHOLE(stride, 16, 8, 1 << 20, "bytes from one location to the next"),
    WHOLE(partition, 512, 8, 1 << 20, "bytes of memory without a gap"),
    WHOLE(distance, 1 << 20, 8, 1ULL << 32, "bytes from one partition's start to the next"),
    {.name = NULL},
};

static const dir_parameter *const rows[] = {
    [DIR_MTG_ALL] = &parameters[ALL_ROWS],
    [DIR_MTG_STANDARD] = &parameters[STANDARD_ROWS],
    [DIR_MTG_RANDOM] = &parameters[RANDOM_ROWS],
};

/* ---- Beginning and end. */

static void close_engine(void *state) {
    dir_mtg_engine *e = state;
    dir_mtg_population_free(&e->population);
    dir_mtg_coverage_free(&e->coverage);
    free(e->thread_scratch);
    free(e->location_scratch);
    free(e);
}

static col_status make_parts(dir_mtg_engine *e, const char *name,
                             const col_engine_settings *settings, col_problem *problem) {
    const dir_mtg_parameters *p = &e->parameters;
    col_status status =
        dir_parameters_read(rows[e->variant], name, settings->options, &e->parameters, problem);
    if (status == COL_OK)
        status = dir_mtg_space_make(&e->space, p, settings, problem);
    if (status != COL_OK)
        return status;
    if (e->variant != DIR_MTG_RANDOM && p->population < 2 * p->tournament)
        return base_refuse(problem, "a population of %llu is too small for two tournaments of %llu",
                           (unsigned long long)p->population, (unsigned long long)p->tournament);
    e->coverage.cutoff = p->cutoff;
    e->thread_scratch = calloc(2 * (size_t)e->space.threads, sizeof *e->thread_scratch);
    e->location_scratch = calloc(e->space.locations, sizeof *e->location_scratch);
    if (e->thread_scratch == NULL || e->location_scratch == NULL)
        return base_out_of_memory(problem);
    return dir_mtg_population_make(&e->population, (uint32_t)p->population, &e->space, problem);
}

static col_status open_engine(const dir_engine *kind, void **state,
                              const col_engine_settings *settings, col_problem *problem) {
    if (settings->sets != 0)
        return base_refuse(problem, "sets are for engines that bias addresses; %s does not",
                           kind->name);
    dir_mtg_engine *e = calloc(1, sizeof *e);
    if (e == NULL)
        return base_out_of_memory(problem);
    e->variant = (dir_mtg_variant)kind->variant;
    base_rng_seed(&e->rng, settings->seed, 0);
    const col_status status = make_parts(e, kind->name, settings, problem);
    if (status != COL_OK) {
        close_engine(e);
        return status;
    }
    *state = e;
    return COL_OK;
}

/* ---- What came of a test. */

static void take_fit_locations(dir_mtg_engine *e, const col_witness_results *witness) {
    bool *is_fit = dir_mtg_candidate(&e->population)->is_fit;
    memset(is_fit, 0, e->space.locations * sizeof *is_fit);
    for (uint32_t i = 0; i < witness->fit_count; i++)
        if (witness->fit_locations[i] < e->space.locations)
            is_fit[witness->fit_locations[i]] = true;
}

/* A test's fitness is found once and stays. */
static col_status judge(dir_mtg_engine *e, const col_feedback *feedback, col_problem *problem) {
    const col_witness_results *witness = feedback->witness;
    double fitness = 0;
    const col_status status =
        dir_mtg_measure_coverage(&e->coverage, &e->parameters, feedback, &fitness, problem);
    if (status != COL_OK)
        return status;
    take_fit_locations(e, witness);
    if (e->variant == DIR_MTG_STANDARD)
        fitness =
            0.5 * fitness + 0.5 * dir_mtg_normalise(witness->nondeterminism, witness->instances);
    dir_mtg_candidate(&e->population)->fitness =
        e->parameters.fitness == DIR_MTG_CONSTANT ? 1 : fitness;
    dir_mtg_population_add(&e->population);
    return COL_OK;
}

/* ---- The next test. */

static void breed(dir_mtg_engine *e, dir_mtg_gene *child) {
    const dir_mtg_test *parents[2];
    dir_mtg_select_parents(&e->population, (uint32_t)e->parameters.tournament, &e->rng, parents);
    if (base_rng_unit(&e->rng) >= e->parameters.crossover) {
        memcpy(child, parents[0]->genes, e->space.operations * sizeof *child);
        dir_mtg_mutate(&e->space, e->parameters.mutation, &e->rng, child);
    } else if (e->variant == DIR_MTG_STANDARD)
        dir_mtg_cross_at_a_point(&e->space, &e->parameters, parents, &e->rng, child);
    else
        dir_mtg_cross_selectively(&e->space, &e->parameters, parents, &e->rng, e->location_scratch,
                                  child);
}

static void make_candidate(dir_mtg_engine *e, dir_mtg_gene *genes) {
    const bool is_first_generation = e->population.count < e->population.size;
    if (e->variant == DIR_MTG_RANDOM || is_first_generation)
        dir_mtg_random_genes(&e->space, &e->rng, genes);
    else
        breed(e, genes);
}

static col_status next_test(void *state, const col_feedback *feedback, col_program *program,
                            col_point *point, col_problem *problem) {
    dir_mtg_engine *e = state;
    /* Without feedback a test that was handed out is handed out again: nobody ran it. */
    if (feedback->tests > 0 && e->has_candidate) {
        const col_status status =
            e->variant == DIR_MTG_RANDOM ? COL_OK : judge(e, feedback, problem);
        if (status != COL_OK)
            return status;
        e->has_candidate = false;
    }
    dir_mtg_gene *genes = dir_mtg_candidate(&e->population)->genes;
    if (!e->has_candidate)
        make_candidate(e, genes);
    e->has_candidate = true;
    *point = (col_point){.operations = e->space.operations, .locations = e->space.locations};
    return dir_mtg_write_program(&e->space, genes, e->thread_scratch, program, problem);
}

const dir_functions dir_mtg = {.open = open_engine,
                               .close = close_engine,
                               .next = next_test,
                               .save = dir_mtg_save,
                               .restore = dir_mtg_restore};
