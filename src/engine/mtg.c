/* SPDX-License-Identifier: MIT */
/*
 * The genetic engine (McVerSi): a population of tests from which tests are bred that collide more
 * and reach what is rare. mtg is McVerSi-ALL, mtg-standard McVerSi-Std.XO and mtg-random
 * McVerSi-RAND. Tests have one size and one memory; docs/engines/mtg.md maps the paper to the code.
 */
#include "engine/mtg.h"

#include "base/memory.h"
#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

#define ROW(word, form, member, value, text)                                                       \
    BASE_FIELD(word, form, dir_mtg_parameters, member), .initial = (value), .help = (text)
#define REAL(word, member, value, text)                                                            \
    { ROW(word, BASE_REAL, member, #value, text), .high = 1 }
#define WHOLE(word, member, value, from, to, text)                                                 \
    { ROW(word, BASE_NUMBER, member, #value, text), .least = (from), .most = (to) }

static const char *const fitnesses[] = {"coverage", "constant", NULL};

/* Each variant has a row and those after it. The paper has no numbers for the last three of the
 * standard one: they are ours. */
static const base_field parameter_rows[] = {
#define ALL_ROWS 0
    REAL("unconditional", unconditional, 0.2,
         "P_USEL: an operation at an unfit address is selected"),
    REAL("fit-bias", fit_bias, 0.05, "P_BFA: a new operation is at a fit address"),
#define STANDARD_ROWS 2
    WHOLE("population", population, 100, 2, 1e6, "tests to breed from"),
    WHOLE("tournament", tournament, 2, 1, DIR_MTG_MOST_TOURNAMENT,
          "tests that compete to be a parent"),
    REAL("mutation", mutation, 0.005, "P_MUT: a gene becomes a random one"),
    REAL("crossover", crossover, 1, "a child has two parents"),
    WHOLE("cutoff", cutoff, 4, 1, 1e15, "points with fewer hits are rare, at first"),
    WHOLE("stall-tests", stall_tests, 10, 1, 1e9, "the cut-off doubles after N tests in a row"),
    REAL("stall-below", stall_below, 0.05, "that covered less than this of the rare points"),
    {ROW("fitness", BASE_WORD, fitness, "coverage",
         "what makes a test a parent: what it covers, or nothing"),
     .words = fitnesses},
    WHOLE("window", window, 1, 1, DIR_WINDOW,
          "tests under way: one is bred without knowing of the last N - 1; 1 is the paper's"),
#define RANDOM_ROWS 11
    WHOLE("memory", memory, 8192, 8, 1 << 20, "bytes of test memory"),
    WHOLE("stride", stride, 16, 8, 1 << 20, "bytes from one location to the next"),
    WHOLE("partition", partition, 512, 8, 1 << 20, "bytes of memory without a gap"),
    WHOLE("distance", distance, 1048576, 8, 1ULL << 32,
          "bytes from one partition's start to the next"),
    {.name = NULL},
};

static const base_field *const rows[] = {
    [DIR_MTG_ALL] = &parameter_rows[ALL_ROWS],
    [DIR_MTG_STANDARD] = &parameter_rows[STANDARD_ROWS],
    [DIR_MTG_RANDOM] = &parameter_rows[RANDOM_ROWS],
};

/* ---- Beginning and end. */

static void close_engine(void *state) {
    dir_mtg_engine *e = state;
    dir_mtg_population_free(&e->population);
    dir_mtg_coverage_free(&e->coverage);
    free(e->thread_scratch);
    free(e->location_scratch);
}

/* Random tests are independent: nothing is kept of them. */
static uint32_t window_of(const dir_mtg_engine *e) {
    return e->variant == DIR_MTG_RANDOM ? 1 : (uint32_t)e->parameters.window;
}

static uint32_t find_window(const void *state) {
    return window_of(state);
}

static col_status open_engine(void *state, const dir_engine *kind,
                              const col_engine_settings *settings, col_problem *problem) {
    dir_mtg_engine *e = state;
    const dir_mtg_parameters *p = &e->parameters;
    if (settings->sets != 0)
        return base_refuse(problem, "sets are for engines that bias addresses; %s does not",
                           kind->name);
    e->variant = (dir_mtg_variant)kind->variant;
    base_rng_seed(&e->rng, settings->seed, 0);
    BASE_TRY(dir_parameters_read(rows[e->variant], kind->name, settings->options, &e->parameters,
                                 problem));
    BASE_TRY(dir_mtg_space_make(&e->space, p, settings, problem));
    if (e->variant != DIR_MTG_RANDOM && p->population < 2 * p->tournament)
        return base_refuse(problem, "a population of %llu is too small for two tournaments of %llu",
                           (unsigned long long)p->population, (unsigned long long)p->tournament);
    e->coverage.cutoff = p->cutoff;
    e->thread_scratch = calloc(2 * (size_t)e->space.threads, sizeof *e->thread_scratch);
    e->location_scratch = calloc(e->space.locations, sizeof *e->location_scratch);
    if (e->thread_scratch == NULL || e->location_scratch == NULL)
        return base_out_of_memory(problem);
    return dir_mtg_population_make(&e->population, (uint32_t)p->population, window_of(e), &e->space,
                                   problem);
}

/* ---- What came of a test. */

/* A test's fitness is found once and stays. */
static col_status learn(void *state, const col_feedback *feedback, const dir_test *test,
                        col_problem *problem) {
    dir_mtg_engine *e = state;
    const col_witness_results *witness = feedback->witness;
    double fitness = 0;
    (void)test; /* the first candidate */
    if (e->population.under_way == 0)
        return base_refuse(problem, "the engine has handed out no test that this could be of");
    BASE_TRY(dir_mtg_measure_coverage(&e->coverage, &e->parameters, feedback, &fitness, problem));
    dir_mtg_test *candidate = dir_mtg_candidate(&e->population, 0);
    memset(candidate->is_fit, 0, e->space.locations * sizeof *candidate->is_fit);
    for (uint32_t i = 0; i < witness->fit_count; i++)
        if (witness->fit_locations[i] < e->space.locations)
            candidate->is_fit[witness->fit_locations[i]] = true;
    if (e->variant == DIR_MTG_STANDARD)
        fitness =
            0.5 * fitness + 0.5 * dir_mtg_normalise(witness->nondeterminism, witness->instances);
    candidate->fitness = e->parameters.fitness == DIR_MTG_CONSTANT ? 1 : fitness;
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

/* The first tests are random, as many as the population has. */
static col_status next_test(void *state, const col_feedback *feedback, col_program *program,
                            col_point *point, col_problem *problem) {
    dir_mtg_engine *e = state;
    dir_mtg_population *p = &e->population;
    dir_mtg_gene *genes = dir_mtg_candidate(p, p->under_way)->genes;
    (void)feedback;
    if (p->under_way == p->window)
        return base_refuse(problem, "the engine has more tests under way than were handed out");
    if (e->variant == DIR_MTG_RANDOM || p->count + p->under_way < p->size)
        dir_mtg_random_genes(&e->space, &e->rng, genes);
    else
        breed(e, genes);
    p->under_way += e->variant != DIR_MTG_RANDOM;
    *point = (col_point){.operations = e->space.operations, .locations = e->space.locations};
    return dir_mtg_write_program(&e->space, genes, e->thread_scratch, program, problem);
}

const dir_functions dir_mtg = {.size = sizeof(dir_mtg_engine),
                               .open = open_engine,
                               .close = close_engine,
                               .next = next_test,
                               .learn = learn,
                               .window = find_window,
                               .save = dir_mtg_save,
                               .restore = dir_mtg_restore};

/*
 * The population of a steady-state genetic algorithm: each new test replaces the oldest one,
 * however fit. Tests are identified by their age, so that nothing depends on where the ring begins.
 */

col_status dir_mtg_population_make(dir_mtg_population *population, uint32_t size, uint32_t window,
                                   const dir_mtg_space *space, col_problem *problem) {
    const size_t count = (size_t)size + window;
    if (space->operations > SIZE_MAX / sizeof(dir_mtg_gene) / count)
        return base_out_of_memory(problem);
    *population = (dir_mtg_population){.size = size, .window = window};
    population->tests = calloc(count, sizeof *population->tests);
    population->genes = calloc(count * space->operations, sizeof *population->genes);
    population->is_fit = calloc(count * space->locations, sizeof *population->is_fit);
    if (population->tests == NULL || population->genes == NULL || population->is_fit == NULL) {
        dir_mtg_population_free(population);
        return base_out_of_memory(problem);
    }
    for (size_t i = 0; i < count; i++)
        population->tests[i] = (dir_mtg_test){.genes = population->genes + i * space->operations,
                                              .is_fit = population->is_fit + i * space->locations};
    return COL_OK;
}

void dir_mtg_population_free(dir_mtg_population *population) {
    free(population->tests);
    free(population->genes);
    free(population->is_fit);
    *population = (dir_mtg_population){0};
}

dir_mtg_test *dir_mtg_candidate(const dir_mtg_population *population, uint32_t number) {
    return &population->tests[population->size + (population->first + number) % population->window];
}

dir_mtg_test *dir_mtg_population_test(const dir_mtg_population *population, uint32_t age) {
    return &population->tests[(population->oldest + age) % population->size];
}

static void swap(dir_mtg_test *a, dir_mtg_test *b) {
    const dir_mtg_test test = *a;
    *a = *b;
    *b = test;
}

void dir_mtg_population_add(dir_mtg_population *population) {
    dir_mtg_test *candidate = dir_mtg_candidate(population, 0);
    if (population->count < population->size) {
        swap(dir_mtg_population_test(population, population->count++), candidate);
    } else if (population->size > 0) {
        swap(dir_mtg_population_test(population, 0), candidate);
        population->oldest = (population->oldest + 1) % population->size;
    }
    population->first = (population->first + 1) % population->window;
    population->under_way--;
}

/* ---- Selection. */

static bool is_among(uint32_t age, const uint32_t *ages, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (ages[i] == age)
            return true;
    return false;
}

/* Of equally fit ones the first wins; they come in random order. */
static const dir_mtg_test *find_winner(const dir_mtg_population *population, const uint32_t *ages,
                                       uint32_t count) {
    const dir_mtg_test *winner = dir_mtg_population_test(population, ages[0]);
    for (uint32_t i = 1; i < count; i++) {
        const dir_mtg_test *test = dir_mtg_population_test(population, ages[i]);
        if (test->fitness > winner->fitness)
            winner = test;
    }
    return winner;
}

/* Nobody is in both tournaments: a test has no child with itself. */
void dir_mtg_select_parents(const dir_mtg_population *population, uint32_t tournament,
                            base_rng *rng, const dir_mtg_test *parents[2]) {
    uint32_t ages[2 * DIR_MTG_MOST_TOURNAMENT] = {0}, count = 0;
    while (count < 2 * tournament) {
        const uint32_t age = (uint32_t)base_rng_below(rng, population->count);
        if (!is_among(age, ages, count))
            ages[count++] = age;
    }
    parents[0] = find_winner(population, ages, tournament);
    parents[1] = find_winner(population, ages + tournament, tournament);
}

/*
 * Fitness: McVerSi's adaptive coverage counts rare points alone, those that all tests before hit
 * less often than a cut-off says. When tests cover too few of them for too long, the cut-off
 * doubles: the goals move with the population.
 */

col_status dir_mtg_coverage_shape(dir_mtg_coverage *coverage, uint64_t total,
                                  col_problem *problem) {
    BASE_TRY(base_reserve(&coverage->hits, &coverage->hits_capacity, total, sizeof *coverage->hits,
                          problem));
    BASE_TRY(base_reserve(&coverage->seen, &coverage->seen_capacity, total, sizeof *coverage->seen,
                          problem));
    coverage->total = total;
    for (uint64_t i = 0; i < total; i++)
        coverage->hits[i] = coverage->seen[i] = 0;
    return COL_OK;
}

void dir_mtg_coverage_free(dir_mtg_coverage *coverage) {
    free(coverage->hits);
    free(coverage->seen);
}

static void adapt(dir_mtg_coverage *coverage, const dir_mtg_parameters *parameters,
                  double fraction) {
    coverage->stalled = fraction < parameters->stall_below ? coverage->stalled + 1 : 0;
    if (coverage->stalled < parameters->stall_tests)
        return;
    coverage->stalled = 0;
    if (coverage->cutoff <= UINT64_MAX / 4)
        coverage->cutoff *= 2;
}

col_status dir_mtg_measure_coverage(dir_mtg_coverage *coverage,
                                    const dir_mtg_parameters *parameters,
                                    const col_feedback *feedback, double *fraction,
                                    col_problem *problem) {
    if (feedback->total > 0 && feedback->hits == NULL)
        return base_refuse(problem, "the feedback does not say how often points were hit");
    if (coverage->total == 0) {
        BASE_TRY(dir_mtg_coverage_shape(coverage, feedback->total, problem));
    }
    if (coverage->total != feedback->total)
        return base_refuse(
            problem, "the feedback is of %llu coverage points, not of %llu as before",
            (unsigned long long)feedback->total, (unsigned long long)coverage->total);
    /* A feedback that does not count on from the last one is of another episode. */
    if (feedback->tests <= coverage->tests)
        for (uint64_t i = 0; i < coverage->total; i++)
            coverage->seen[i] = 0;
    coverage->tests = feedback->tests;
    /* Of the rare points, those that the last test covered. Its hits are added only afterwards:
     * what is rare does not depend on the test. */
    uint64_t rare = 0, covered = 0;
    for (uint64_t i = 0; i < coverage->total; i++) {
        const uint64_t own = feedback->hits[i] - coverage->seen[i];
        const bool is_rare = coverage->hits[i] < coverage->cutoff;
        rare += is_rare;
        covered += is_rare && own > 0;
        coverage->hits[i] += own;
        coverage->seen[i] = feedback->hits[i];
    }
    *fraction = rare == 0 ? 0 : (double)covered / (double)rare;
    adapt(coverage, parameters, *fraction);
    return COL_OK;
}

/* Each instance shows at most one more predecessor of an event. */
double dir_mtg_normalise(double nondeterminism, uint32_t instances) {
    if (instances < 2 || nondeterminism <= 1)
        return 0;
    return (nondeterminism - 1) / (instances - 1);
}

/*
 * Offspring: McVerSi's selective crossover with its mutation (Algorithm 1), and the single-point
 * crossover that it was compared with. A gene keeps its place in the list, so that what came late
 * in a thread comes late in the child.
 */

/* A probability as a bound for 32 random bits. */
static uint64_t chance_of(double probability) {
    return (uint64_t)(probability * 0x1p32 + 0.5);
}

/* A parent, and with which chance its genes are selected: those at fit addresses always. */
typedef struct side {
    const dir_mtg_test *test;
    uint64_t unfit, unlocated;
} side;

/* Operations without an address are selected as often as those with one, on average. */
static side make_side(const dir_mtg_space *space, double unconditional, const dir_mtg_test *test) {
    /* Which part of the memory operations is at fit addresses: selected in any case. */
    uint32_t located = 0, fit = 0;
    for (uint32_t i = 0; i < space->operations; i++) {
        const dir_mtg_gene *gene = &test->genes[i];
        const uint32_t is_located = dir_mtg_is_located(space, gene);
        located += is_located;
        fit += is_located & (uint32_t)test->is_fit[gene->location];
    }
    const double fraction = located == 0 ? 0 : (double)fit / located;
    return (side){.test = test,
                  .unfit = chance_of(unconditional),
                  .unlocated = chance_of(fraction + unconditional - fraction * unconditional)};
}

static inline bool is_selected(const dir_mtg_space *space, const side *s, uint32_t i,
                               uint32_t bits) {
    const dir_mtg_gene *gene = &s->test->genes[i];
    if (!dir_mtg_is_located(space, gene))
        return bits < s->unlocated;
    return bits < s->unfit || s->test->is_fit[gene->location];
}

void dir_mtg_cross_selectively(const dir_mtg_space *space, const dir_mtg_parameters *parameters,
                               const dir_mtg_test *const parents[2], base_rng *rng, uint32_t *list,
                               dir_mtg_gene *child) {
    const side first = make_side(space, parameters->unconditional, parents[0]);
    const side second = make_side(space, parameters->unconditional, parents[1]);
    uint32_t fit_count = 0;
    for (uint32_t l = 0; l < space->locations; l++) {
        list[fit_count] = l;
        fit_count += (uint32_t)(parents[0]->is_fit[l] || parents[1]->is_fit[l]);
    }
    /* Without fit addresses there is nothing to be biased to. */
    const uint64_t fit_chance = fit_count == 0 ? 0 : chance_of(parameters->fit_bias);
    uint32_t mutations = 0;
    for (uint32_t i = 0; i < space->operations; i++) {
        const uint64_t bits = base_rng_next(rng);
        if (is_selected(space, &first, i, (uint32_t)bits))
            child[i] = parents[0]->genes[i];
        else if (is_selected(space, &second, i, (uint32_t)(bits >> 32)))
            child[i] = parents[1]->genes[i];
        else {
            mutations++;
            child[i] = (uint32_t)base_rng_next(rng) < fit_chance
                           ? dir_mtg_random_gene_at(space, rng, list, fit_count)
                           : dir_mtg_random_gene(space, rng);
        }
    }
    if ((double)mutations / space->operations < parameters->mutation)
        dir_mtg_mutate(space, parameters->mutation, rng, child);
}

void dir_mtg_cross_at_a_point(const dir_mtg_space *space, const dir_mtg_parameters *parameters,
                              const dir_mtg_test *const parents[2], base_rng *rng,
                              dir_mtg_gene *child) {
    const uint32_t count = space->operations;
    /* Both have a part in it, if there are two. */
    const uint32_t cut = count < 2 ? count : 1 + (uint32_t)base_rng_below(rng, count - 1);
    memcpy(child, parents[0]->genes, cut * sizeof *child);
    memcpy(child + cut, parents[1]->genes + cut, (count - cut) * sizeof *child);
    dir_mtg_mutate(space, parameters->mutation, rng, child);
}

void dir_mtg_mutate(const dir_mtg_space *space, double probability, base_rng *rng,
                    dir_mtg_gene *genes) {
    const uint64_t chance = chance_of(probability);
    for (uint32_t i = 0; i < space->operations; i++)
        if ((uint32_t)base_rng_next(rng) < chance)
            genes[i] = dir_mtg_random_gene(space, rng);
}
