/* SPDX-License-Identifier: MIT */
/*
 * The engine scout: looks everywhere in the space of tests, stays where something rare is hit, and
 * moves on when it is rare no more. docs/engines/scout.md explains it; scout.h has its parts.
 */
#include "direct/scout.h"
#include "direct/parameters.h"
#include "direct/scout_state.h"
#include "program/reduce.h"

#include <math.h>
#include <stdlib.h>

static const char *const words[] = {"no", "yes", NULL};

/* What can be left to its first value, or to the episode. */
static const char *const parts[] = {"nothing",   "level",         "mix",  "pace", "sets", "sharing",
                                    "instances", "configuration", "heat", "long", NULL};
static const dir_scout_choice choices[] = {
    [1] = DIR_SCOUT_LEVEL, [2] = DIR_SCOUT_MIX,     [3] = DIR_SCOUT_PACE,
    [4] = DIR_SCOUT_SETS,  [5] = DIR_SCOUT_SHARING, [8] = DIR_SCOUT_HEAT};
enum { WITHOUT_INSTANCES = 6, WITHOUT_CONFIGURATION = 7, WITHOUT_LONG = 9 };

static const dir_parameter parameters[] = {
    {DIR_PARAMETER(dir_scout_parameters, explore), .kind = DIR_REAL, .initial = 0.1, .least = 0,
     .most = 1, .meaning = "the chance of any value of a choice, whatever it paid"},
    {DIR_PARAMETER(dir_scout_parameters, forget), .kind = DIR_REAL, .initial = 0.003, .least = 0,
     .most = 0.9, .meaning = "the part of past rewards that a test forgets"},
    {DIR_PARAMETER(dir_scout_parameters, vary), .kind = DIR_WORD, .initial = 1, .words = words,
     .meaning = "programs that hit something rare are kept and varied: yes, no"},
    {DIR_PARAMETER(dir_scout_parameters, without), .kind = DIR_WORD, .initial = 0, .words = parts,
     .meaning = "what is not chosen, to see what the choice is worth: nothing, level, mix, pace, "
                "sets, sharing, instances, configuration, heat, long"},
    {.name = NULL}};

static void close_engine(void *state) {
    dir_scout *s = state;
    dir_scout_space_close(&s->space);
    dir_scout_corpus_free(&s->corpus);
    free(s->rarity.hits);
    free(s->rarity.count);
    col_program_free(&s->pending);
    free(s);
}

/* An ablation: the choice has one value. */
static void leave_out(dir_scout *s, uint64_t part) {
    if (part == WITHOUT_INSTANCES) {
        s->space.settings.instances = 0;
        s->bandit.counts[DIR_SCOUT_INSTANCES] = 1;
    } else if (part == WITHOUT_CONFIGURATION) {
        s->swarm = (dir_scout_swarm){.draws = false};
    } else if (part != 0 && part != WITHOUT_LONG) {
        s->bandit.counts[choices[part]] = 1;
    }
}

static col_status open_engine(const dir_engine *kind, void **state,
                              const col_engine_settings *settings, col_problem *problem) {
    dir_scout *s = calloc(1, sizeof *s);
    if (s == NULL)
        return base_out_of_memory(problem);
    col_status status =
        dir_parameters_read(parameters, kind->name, settings->options, &s->parameters, problem);
    if (status == COL_OK)
        status = dir_scout_space_open(&s->space, &s->bandit, settings, problem);
    dir_scout_swarm_open(&s->swarm, settings);
    leave_out(s, s->parameters.without);
    s->bandit.explore = s->parameters.explore;
    s->bandit.keep = 1 - s->parameters.forget;
    if (status != COL_OK) {
        close_engine(s);
        return status;
    }
    *state = s;
    return COL_OK;
}

/* ---- What came of a test. */

col_status dir_scout_expect(dir_scout_rarity *r, uint64_t total, col_problem *problem) {
    if (r->hits != NULL && r->total != total)
        return base_refuse(problem, "the metric has %llu coverage points, not %llu as before",
                           (unsigned long long)total, (unsigned long long)r->total);
    if (r->hits != NULL)
        return COL_OK;
    r->hits = calloc((size_t)total + 1, sizeof *r->hits);
    r->count = calloc((size_t)total + 1, sizeof *r->count);
    if (r->hits == NULL || r->count == NULL)
        return base_out_of_memory(problem);
    r->total = total;
    return COL_OK;
}

/* By multiplication: pow() need not round alike everywhere. */
static double thirtieth_power(double x) {
    const double x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
    return x8 * x8 * x8 * x4 * x2;
}

/* The fewer tests have hit a point, the more it is worth. A point that one test in ten hits is
 * worth next to nothing; otherwise the many common points would outweigh the few rare ones. */
double dir_scout_worth(const dir_scout_rarity *r, uint64_t point) {
    const double tests = (double)r->tests, count = (double)r->count[point];
    const double others = count < tests ? tests - count : 0;
    return thirtieth_power((others + 1) / (tests + 1)) / sqrt(count);
}

static double take_hits(dir_scout_rarity *r, const col_feedback *feedback, dir_scout_kept *found) {
    double reward = 0;
    r->tests++;
    for (uint64_t i = 0; i < feedback->total; i++) {
        if (feedback->hits[i] == r->hits[i])
            continue;
        r->hits[i] = feedback->hits[i];
        r->count[i]++;
        reward += dir_scout_worth(r, i);
        if (r->count[i] <= DIR_SCOUT_FEW && found->rare_count < DIR_SCOUT_RARE)
            found->rare[found->rare_count++] = i;
    }
    return reward;
}

static bool is_long(const dir_scout *s) {
    return col_program_operations(&s->pending) >= DIR_SCOUT_LONG;
}

/* A long test has one instance, so the cost of an operation is that of one execution of it; where
 * the episode decides how many instances there are, it is that of all of them. */
static void note_cost(dir_scout *s, uint64_t cost, uint64_t performed) {
    const bool is_ours = s->space.settings.instances > 0;
    s->reserve.cost += cost;
    s->reserve.operations += is_ours ? performed : col_program_operations(&s->pending);
    s->reserve.used += is_long(s) ? cost : 0;
}

static col_status take_feedback(dir_scout *s, const col_feedback *feedback, col_problem *problem) {
    dir_scout_kept found = {.program = s->pending, .recipe = s->recipe};
    if (feedback->total > 0 && feedback->hits == NULL)
        return base_refuse(problem, "the feedback does not say how often points were hit");
    col_status status = dir_scout_expect(&s->rarity, feedback->total, problem);
    if (status != COL_OK)
        return status;
    const double reward = take_hits(&s->rarity, feedback, &found);
    const uint64_t cost = feedback->cycles > 0 ? feedback->cycles : feedback->operations;
    found.cost = cost == 0 ? 1 : cost;
    note_cost(s, found.cost, feedback->operations);
    dir_scout_swarm_pay(&s->swarm, &s->bandit, s->recipe.configuration, reward, (double)found.cost);
    dir_scout_pay(&s->bandit, &s->recipe, reward, (double)found.cost);
    return s->parameters.vary != 0 ? dir_scout_corpus_add(&s->corpus, &s->rarity, &found, problem)
                                   : COL_OK;
}

/* ---- The next test. */

/* Not all ways are open: nothing may be kept yet, and a mix may be for one kind of programs. */
static void choose_way(const dir_scout *s, dir_scout_recipe *recipe, base_rng *rng) {
    uint8_t way = recipe->values[DIR_SCOUT_WAY];
    if (way > DIR_SCOUT_PLAIN && s->corpus.count == 0)
        way = (uint8_t)base_rng_below(rng, 2);
    if (way == DIR_SCOUT_CHAIN && !s->space.has_chained)
        way = DIR_SCOUT_PLAIN;
    if (way == DIR_SCOUT_PLAIN && !s->space.has_plain)
        way = DIR_SCOUT_CHAIN;
    recipe->values[DIR_SCOUT_WAY] = way;
}

/* An eighth of the time is for long tests, each twice as long as the one before up to the limit. */
enum { RESERVED = 8 };

static uint8_t next_long(const dir_scout *s) {
    const uint64_t doublings = s->reserve.tests < 16 ? s->reserve.tests : 16;
    return dir_scout_size(&s->space, (uint32_t)DIR_SCOUT_LONG << doublings);
}

static bool is_long_due(const dir_scout *s) {
    const dir_scout_reserve *r = &s->reserve;
    const double operations = s->space.sizes[next_long(s)];
    if (s->parameters.without == WITHOUT_LONG || operations < DIR_SCOUT_LONG || r->operations == 0)
        return false;
    const double cost = operations * (double)r->cost / (double)r->operations;
    return RESERVED * ((double)r->used + cost) <= (double)r->cost;
}

static void make_long(dir_scout *s, base_rng *rng) {
    uint8_t *values = s->recipe.values;
    values[DIR_SCOUT_OPERATIONS] = next_long(s);
    values[DIR_SCOUT_INSTANCES] = 0;
    if (values[DIR_SCOUT_WAY] > DIR_SCOUT_PLAIN)
        values[DIR_SCOUT_WAY] = (uint8_t)base_rng_below(rng, 2);
    s->reserve.tests++;
}

/* As one that was kept, but for one choice in eight. */
static void retry(dir_scout *s, base_rng *rng) {
    const dir_scout_kept *kept = dir_scout_corpus_pick(&s->corpus, &s->rarity, rng);
    for (uint32_t c = 0; c < DIR_SCOUT_CHOICES; c++)
        if (base_rng_below(rng, 8) != 0 && c != DIR_SCOUT_WAY)
            s->recipe.values[c] = kept->recipe.values[c];
    if (base_rng_below(rng, 4) != 0)
        s->recipe.configuration = kept->recipe.configuration;
}

/* The first tests. A short one, for what is easy to find; one with hot locations among others that
 * compete for a few sets; chains on a handful of locations, and on many that compete; then others
 * that papers found to be good. Operations are given as a power of two. */
#define OPENING(way, operations, locations, sets, heat, sharing)                                   \
    {                                                                                              \
        [DIR_SCOUT_WAY] = (way), [DIR_SCOUT_OPERATIONS] = (operations),                            \
        [DIR_SCOUT_LOCATIONS] = (locations), [DIR_SCOUT_SETS] = (sets), [DIR_SCOUT_HEAT] = (heat), \
        [DIR_SCOUT_SHARING] = (sharing)                                                            \
    }
static const uint8_t openings[][DIR_SCOUT_CHOICES] = {
    OPENING(DIR_SCOUT_CHAIN, 6, 4, 3, 0, COL_TRUE_SHARING),
    OPENING(DIR_SCOUT_PLAIN, 9, 4, 3, 3, COL_TRUE_SHARING),
    OPENING(DIR_SCOUT_CHAIN, 9, 4, 3, 0, COL_TRUE_SHARING),
    OPENING(DIR_SCOUT_CHAIN, 9, 0, 0, 0, COL_TRUE_SHARING),
    OPENING(DIR_SCOUT_PLAIN, 7, 0, 0, 0, COL_TRUE_SHARING),
    OPENING(DIR_SCOUT_PLAIN, 7, 3, 2, 0, COL_TRUE_SHARING),
    OPENING(DIR_SCOUT_CHAIN, 10, 3, 3, 0, COL_TRUE_SHARING),
    OPENING(DIR_SCOUT_PLAIN, 10, 2, 2, 0, COL_TRUE_SHARING),
    OPENING(DIR_SCOUT_PLAIN, 10, 6, 4, 0, COL_FALSE_SHARING),
    OPENING(DIR_SCOUT_CHAIN, 10, 1, 1, 0, COL_MIXED_SHARING)};
#undef OPENING
enum { OPENINGS = sizeof openings / sizeof openings[0] };

static uint8_t open_with(const dir_scout *s, uint32_t choice) {
    const uint8_t value = openings[s->test][choice];
    return choice == DIR_SCOUT_OPERATIONS ? dir_scout_size(&s->space, 1U << value) : value;
}

static void choose(dir_scout *s, base_rng *rng) {
    s->recipe = (dir_scout_recipe){.used = 0};
    for (uint32_t c = 0; c < DIR_SCOUT_CHOICES; c++) {
        const uint8_t last = (uint8_t)(s->bandit.counts[c] - 1);
        uint8_t value = dir_scout_choose(&s->bandit, (dir_scout_choice)c, rng);
        if (s->test < OPENINGS)
            value = open_with(s, c);
        s->recipe.values[c] = value < last ? value : last;
    }
    if (s->test >= OPENINGS && is_long_due(s))
        make_long(s, rng);
    choose_way(s, &s->recipe, rng);
    if (s->swarm.draws)
        s->recipe.configuration = dir_scout_configure(&s->swarm, &s->bandit, rng);
}

static col_status make_pending(dir_scout *s, col_problem *problem) {
    base_rng rng;
    base_rng_seed(&rng, s->space.settings.seed, s->test);
    choose(s, &rng);
    if (s->recipe.values[DIR_SCOUT_WAY] == DIR_SCOUT_RETRY)
        retry(s, &rng);
    return s->recipe.values[DIR_SCOUT_WAY] > DIR_SCOUT_RETRY
               ? dir_scout_vary(&s->space, &s->corpus, &s->rarity, &s->recipe, &rng, &s->pending,
                                &s->point, problem)
               : dir_scout_make(&s->space, &s->recipe, &rng, &s->pending, &s->point, problem);
}

static col_status next_test(void *state, const col_feedback *feedback, col_program *program,
                            col_point *point, col_problem *problem) {
    dir_scout *s = state;
    col_status status = COL_OK;
    const bool is_judged = s->is_pending && feedback->tests > s->told;
    if (is_judged)
        status = take_feedback(s, feedback, problem);
    if (status == COL_OK && (is_judged || !s->is_pending))
        status = make_pending(s, problem);
    if (status != COL_OK)
        return status;
    s->test += is_judged || !s->is_pending;
    s->is_pending = true;
    s->told = feedback->tests;
    *point = s->point;
    return prg_copy(&s->pending, program, problem);
}

static col_request ask(const void *state) {
    const dir_scout *s = state;
    return (col_request){.instances = dir_scout_instances(&s->recipe, s->space.settings.instances),
                         .is_configured = s->swarm.draws,
                         .configuration = s->recipe.configuration};
}

const dir_functions dir_scout_engine = {.open = open_engine,
                                        .close = close_engine,
                                        .next = next_test,
                                        .save = dir_scout_save,
                                        .restore = dir_scout_restore,
                                        .request = ask};
