/* SPDX-License-Identifier: MIT */
/*
 * The engine scout: looks everywhere in the space of tests, stays where something rare is hit, and
 * moves on when it is rare no more. docs/engines/scout.md explains it; scout.h has its parts.
 */
#include "engine/scout.h"

#include "program/reshape.h"

#include <math.h>
#include <stdlib.h>

/* What can be left to its first value, or to the episode. */
static const char *const parts[] = {"nothing",   "level",         "mix",  "pace", "sets", "sharing",
                                    "instances", "configuration", "heat", "long", NULL};
static const dir_scout_choice choices[] = {
    [1] = DIR_SCOUT_LEVEL, [2] = DIR_SCOUT_MIX,     [3] = DIR_SCOUT_PACE,
    [4] = DIR_SCOUT_SETS,  [5] = DIR_SCOUT_SHARING, [8] = DIR_SCOUT_HEAT};
enum { WITHOUT_INSTANCES = 6, WITHOUT_CONFIGURATION = 7, WITHOUT_LONG = 9 };

static const base_field parameters[] = {
    {BASE_FIELD("explore", BASE_REAL, dir_scout_parameters, explore), .initial = "0.1", .high = 1,
     .help = "the chance of any value of a choice, whatever it paid"},
    {BASE_FIELD("forget", BASE_REAL, dir_scout_parameters, forget), .initial = "0.003", .high = 0.9,
     .help = "the part of past rewards that a test forgets"},
    {BASE_FIELD("vary", BASE_WORD, dir_scout_parameters, vary), .initial = "yes",
     .words = base_no_yes, .help = "programs that hit something rare are kept and varied: yes, no"},
    {BASE_FIELD("without", BASE_WORD, dir_scout_parameters, without), .initial = "nothing",
     .words = parts,
     .help = "what is not chosen, to see what the choice is worth: nothing, level, mix, pace, "
             "sets, sharing, instances, configuration, heat, long"},
    {.name = NULL}};

static void close_engine(void *state) {
    dir_scout *s = state;
    dir_scout_space_close(&s->space);
    dir_scout_corpus_free(&s->corpus);
    free(s->rarity.count);
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

static col_status open_engine(void *state, const dir_engine *kind,
                              const col_engine_settings *settings, col_problem *problem) {
    dir_scout *s = state;
    col_status status =
        dir_parameters_read(parameters, kind->name, settings->options, &s->parameters, problem);
    if (status == COL_OK)
        status = dir_scout_space_open(&s->space, &s->bandit, settings, problem);
    dir_scout_swarm_open(&s->swarm, settings);
    leave_out(s, s->parameters.without);
    s->bandit.explore = s->parameters.explore;
    s->bandit.keep = 1 - s->parameters.forget;
    return status;
}

/* ---- What came of a test. */

col_status dir_scout_expect(dir_scout_rarity *r, uint64_t total, col_problem *problem) {
    if (r->count != NULL && r->total != total)
        return base_refuse(problem, "the metric has %llu coverage points, not %llu as before",
                           (unsigned long long)total, (unsigned long long)r->total);
    if (r->count != NULL)
        return COL_OK;
    r->count = calloc((size_t)total + 1, sizeof *r->count);
    if (r->count == NULL)
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

static double take_hits(dir_scout_rarity *r, const dir_result *result, dir_scout_kept *found) {
    double reward = 0;
    r->tests++;
    for (uint64_t i = 0; i < result->total; i++) {
        if ((result->hit[i / 64] >> i % 64 & 1) == 0)
            continue;
        r->count[i]++;
        reward += dir_scout_worth(r, i);
        if (r->count[i] <= DIR_SCOUT_FEW && found->rare_count < DIR_SCOUT_RARE)
            found->rare[found->rare_count++] = i;
    }
    return reward;
}

static col_status learn(void *state, const col_feedback *feedback, const dir_test *test,
                        col_problem *problem) {
    (void)feedback; /* of another test, maybe */
    dir_scout *s = state;
    const dir_result *result = &test->result;
    if (s->told == s->test)
        return base_refuse(problem, "a scout is told of a test that it did not make");
    const col_program *program = &test->program;
    const dir_scout_plan *plan = test->plan;
    const dir_scout_recipe *recipe = &plan->recipe;
    s->told++;
    dir_scout_kept found = {.program = *program, .recipe = *recipe};
    col_status status = dir_scout_expect(&s->rarity, result->total, problem);
    if (status != COL_OK)
        return status;
    const double reward = take_hits(&s->rarity, result, &found);
    const uint64_t cost = result->cycles > 0 ? result->cycles : result->operations;
    found.cost = cost == 0 ? 1 : cost;
    /* A long test has one instance, so the cost of an operation is that of one execution of it;
     * where the episode decides how many instances there are, it is that of all of them. */
    const bool is_ours = s->space.settings.instances > 0;
    s->reserve.cost += found.cost;
    s->reserve.operations += is_ours ? result->operations : col_program_operations(program);
    if (col_program_operations(program) >= DIR_SCOUT_LONG)
        s->reserve.used += found.cost;
    s->reserve.promised -= plan->promised;
    dir_scout_swarm_pay(&s->swarm, &s->bandit, recipe->configuration, reward, (double)found.cost);
    dir_scout_pay(&s->bandit, recipe, reward, (double)found.cost);
    return s->parameters.vary != 0 ? dir_scout_corpus_add(&s->corpus, &s->rarity, &found, problem)
                                   : COL_OK;
}

/* ---- The next test. */

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
    const double promised = operations + (double)r->promised;
    const double cost = promised * (double)r->cost / (double)r->operations;
    return RESERVED * ((double)r->used + cost) <= (double)r->cost;
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

static void choose(dir_scout *s, dir_scout_recipe *recipe, base_rng *rng) {
    *recipe = (dir_scout_recipe){.used = 0};
    for (uint32_t c = 0; c < DIR_SCOUT_CHOICES; c++) {
        const uint8_t last = (uint8_t)(s->bandit.counts[c] - 1);
        uint8_t value = dir_scout_choose(&s->bandit, (dir_scout_choice)c, rng);
        if (s->test < OPENINGS) {
            value = openings[s->test][c];
            if (c == DIR_SCOUT_OPERATIONS)
                value = dir_scout_size(&s->space, 1U << value);
        }
        recipe->values[c] = value < last ? value : last;
    }
    if (s->test >= OPENINGS && is_long_due(s)) {
        uint8_t *values = recipe->values;
        values[DIR_SCOUT_OPERATIONS] = next_long(s);
        values[DIR_SCOUT_INSTANCES] = 0;
        if (values[DIR_SCOUT_WAY] > DIR_SCOUT_PLAIN)
            values[DIR_SCOUT_WAY] = (uint8_t)base_rng_below(rng, 2);
        s->reserve.tests++;
    }
    /* Not all ways are open: nothing may be kept yet, and a mix may be for one kind of programs. */
    uint8_t way = recipe->values[DIR_SCOUT_WAY];
    if (way > DIR_SCOUT_PLAIN && s->corpus.count == 0)
        way = (uint8_t)base_rng_below(rng, 2);
    if (way == DIR_SCOUT_CHAIN && !s->space.has_chained)
        way = DIR_SCOUT_PLAIN;
    if (way == DIR_SCOUT_PLAIN && !s->space.has_plain)
        way = DIR_SCOUT_CHAIN;
    recipe->values[DIR_SCOUT_WAY] = way;
    if (s->swarm.draws)
        recipe->configuration = dir_scout_configure(&s->swarm, &s->bandit, rng);
}

static col_status choose_test(void *state, const col_feedback *feedback, dir_test *test,
                              col_problem *problem) {
    (void)feedback; /* it was told by `learn` */
    dir_scout *s = state;
    dir_scout_plan *plan = test->plan;
    dir_scout_recipe *recipe = &plan->recipe;
    base_rng *rng = &plan->rng;
    base_rng_seed(rng, s->space.settings.seed, s->test);
    choose(s, recipe, rng);
    if (recipe->values[DIR_SCOUT_WAY] == DIR_SCOUT_RETRY) {
        /* As one that was kept, but for one choice in eight. */
        const dir_scout_kept *kept = dir_scout_corpus_pick(&s->corpus, &s->rarity, rng);
        for (uint32_t c = 0; c < DIR_SCOUT_CHOICES; c++)
            if (base_rng_below(rng, 8) != 0 && c != DIR_SCOUT_WAY)
                recipe->values[c] = kept->recipe.values[c];
        if (base_rng_below(rng, 4) != 0)
            recipe->configuration = kept->recipe.configuration;
    }
    col_status status = COL_OK;
    if (recipe->values[DIR_SCOUT_WAY] > DIR_SCOUT_RETRY) {
        status = dir_scout_pick(&s->corpus, &s->rarity, recipe, rng, test, problem);
    } else {
        base_rng first = *rng;
        bool is_chained;
        test->point.operations = dir_scout_operations(&s->space, recipe, &first, &is_chained);
    }
    if (status != COL_OK)
        return status;
    test->request =
        (col_request){.instances = dir_scout_instances(recipe, s->space.settings.instances),
                      .is_configured = s->swarm.draws,
                      .configuration = recipe->configuration};
    s->test++;
    plan->promised = test->point.operations >= DIR_SCOUT_LONG ? test->point.operations : 0;
    s->reserve.promised += plan->promised;
    return COL_OK;
}

static col_status make_test(void *state, dir_test *test, col_problem *problem) {
    dir_scout_space *space = &((dir_scout *)state)->space;
    dir_scout_plan *plan = test->plan;
    return plan->recipe.values[DIR_SCOUT_WAY] > DIR_SCOUT_RETRY
               ? dir_scout_vary(space, &plan->recipe, &plan->rng, test, problem)
               : dir_scout_make(space, &plan->recipe, &plan->rng, &test->program, &test->point,
                                problem);
}

const dir_functions dir_scout_engine = {.size = sizeof(dir_scout),
                                        .open = open_engine,
                                        .close = close_engine,
                                        .plan = sizeof(dir_scout_plan),
                                        .choose = choose_test,
                                        .make = make_test,
                                        .learn = learn,
                                        .save = dir_scout_save,
                                        .restore = dir_scout_restore,
                                        .save_plan = dir_scout_save_plan,
                                        .restore_plan = dir_scout_restore_plan};

/* Which values of a choice pay. */

/* Of a value that was tried little one expects what it paid elsewhere: as if this many more tests
 * had been made with it, at the average cost, and had paid that. */
#define DOUBT 4.0

/* What an arm pays per cycle; little is known of it, it pays `expected` of the average. */
static double rate_of(const dir_scout_bandit *b, const dir_scout_arm *arm, double expected) {
    const double unit = b->tests > 0 ? DOUBT * b->all.cost / b->tests : 1;
    const double average = b->all.cost > 0 ? b->all.reward / b->all.cost : 1;
    return (arm->reward + expected * average * unit) / (arm->cost + unit);
}

/* Time, not tests, is divided among the values: by the cube of what they pay or, to explore,
 * evenly. */
uint8_t dir_scout_choose(const dir_scout_bandit *b, dir_scout_choice choice, base_rng *rng) {
    const uint32_t count = b->counts[choice];
    double weights[DIR_SCOUT_MOST_VALUES], sum = 0;
    if (count < 2)
        return 0;
    const bool explores = base_rng_unit(rng) < b->explore;
    for (uint32_t i = 0; i < count; i++) {
        const double r = explores ? 1 : rate_of(b, &b->arms[choice][i], b->expected[choice][i]);
        sum += weights[i] = r * r * r / b->sizes[choice][i];
    }
    if (!(sum > 0) || !isfinite(sum))
        return (uint8_t)base_rng_below(rng, count);
    double left = base_rng_unit(rng) * sum;
    uint32_t i = 0;
    while (i + 1 < count && left >= weights[i])
        left -= weights[i++];
    return (uint8_t)i;
}

/* What is left of what an arm was paid once another test is paid. */
static void age(dir_scout_arm *arm, double keep) {
    arm->reward *= keep;
    arm->cost *= keep;
}

static void add(dir_scout_arm *arm, double reward, double cost) {
    arm->reward += reward;
    arm->cost += cost;
}

void dir_scout_pay(dir_scout_bandit *b, const dir_scout_recipe *recipe, double reward,
                   double cost) {
    for (uint32_t c = 0; c < DIR_SCOUT_CHOICES; c++) {
        for (uint32_t i = 0; i < b->counts[c]; i++)
            age(&b->arms[c][i], b->keep);
        if ((recipe->used >> c & 1) != 0)
            add(&b->arms[c][recipe->values[c]], reward, cost);
    }
    age(&b->all, b->keep);
    add(&b->all, reward, cost);
    b->tests = b->tests * b->keep + 1;
}

/*
 * Which configuration a test runs in, of a design that has several: see scout.h. A number stands
 * for a configuration, and what it stands for can only be asked; so some numbers are drawn, and the
 * one whose values have paid is the likeliest.
 */

enum { CANDIDATES = 48 };

/* One value of one key says no more than this of a configuration. */
#define MOST_RATIO 4.0

void dir_scout_swarm_open(dir_scout_swarm *swarm, const col_engine_settings *settings) {
    const bool is_known = settings->drawn != NULL && settings->keys <= DIR_SCOUT_KEYS;
    *swarm = (dir_scout_swarm){.draws = settings->draws,
                               .keys = settings->draws && is_known ? settings->keys : 0,
                               .drawn = settings->drawn,
                               .context = settings->context};
}

/* What is expected of a configuration, beside the average. */
static double worth_of(const dir_scout_swarm *swarm, const dir_scout_bandit *b,
                       uint32_t configuration) {
    const dir_scout_arm unknown = {.reward = 0};
    const double average = rate_of(b, &unknown, 1);
    uint8_t values[DIR_SCOUT_KEYS] = {0};
    double worth = 1;
    swarm->drawn(swarm->context, configuration, values);
    for (uint32_t k = 0; k < swarm->keys; k++) {
        const double ratio = rate_of(b, &swarm->arms[k][values[k]], 1) / average;
        worth *= ratio > MOST_RATIO ? MOST_RATIO : ratio < 1 / MOST_RATIO ? 1 / MOST_RATIO : ratio;
    }
    return worth;
}

uint32_t dir_scout_configure(const dir_scout_swarm *swarm, const dir_scout_bandit *b,
                             base_rng *rng) {
    uint32_t numbers[CANDIDATES];
    double weights[CANDIDATES], sum = 0;
    for (uint32_t i = 0; i < CANDIDATES; i++)
        numbers[i] = (uint32_t)base_rng_next(rng);
    if (swarm->keys == 0 || !(b->all.reward > 0) || base_rng_unit(rng) < b->explore)
        return numbers[0];
    for (uint32_t i = 0; i < CANDIDATES; i++)
        sum += weights[i] = worth_of(swarm, b, numbers[i]);
    double left = base_rng_unit(rng) * sum;
    uint32_t i = 0;
    while (i + 1 < CANDIDATES && left >= weights[i])
        left -= weights[i++];
    return numbers[i];
}

void dir_scout_swarm_pay(dir_scout_swarm *swarm, const dir_scout_bandit *b, uint32_t configuration,
                         double reward, double cost) {
    uint8_t values[DIR_SCOUT_KEYS] = {0};
    if (swarm->keys == 0)
        return;
    swarm->drawn(swarm->context, configuration, values);
    for (uint32_t k = 0; k < swarm->keys; k++) {
        for (uint32_t v = 0; v < COL_KEY_VALUES; v++)
            age(&swarm->arms[k][v], b->keep);
        swarm->arms[k][values[k]].reward += reward;
        swarm->arms[k][values[k]].cost += cost;
    }
}

/* Programs that hit something rare. */

bool dir_scout_takes(const col_program *program) {
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        if (program->operations[o].kind == COL_AWAIT)
            return false;
    return true;
}

void dir_scout_corpus_free(dir_scout_corpus *corpus) {
    for (uint32_t i = 0; i < corpus->count; i++)
        col_program_free(&corpus->kept[i].program);
    corpus->count = 0;
}

/* What its points are worth now: each is shared with all tests that hit it since. */
static double worth_of_kept(const dir_scout_kept *kept, const dir_scout_rarity *rarity) {
    double sum = 0;
    for (uint32_t i = 0; i < kept->rare_count; i++) {
        const uint64_t point = kept->rare[i];
        if (point < rarity->total && rarity->count[point] > 0)
            sum += 1.0 / (double)rarity->count[point];
    }
    return sum;
}

col_status dir_scout_corpus_add(dir_scout_corpus *corpus, const dir_scout_rarity *rarity,
                                const dir_scout_kept *found, col_problem *problem) {
    if (found->rare_count == 0 || col_program_operations(&found->program) > DIR_SCOUT_LONGEST ||
        !dir_scout_takes(&found->program))
        return COL_OK;
    uint32_t place = corpus->count;
    if (place == DIR_SCOUT_CORPUS) {
        place = 0;
        for (uint32_t i = 1; i < corpus->count; i++)
            if (worth_of_kept(&corpus->kept[i], rarity) <
                worth_of_kept(&corpus->kept[place], rarity))
                place = i;
        if (worth_of_kept(&corpus->kept[place], rarity) >= worth_of_kept(found, rarity))
            return COL_OK;
    }
    dir_scout_kept *kept = &corpus->kept[place];
    col_program program = kept->program;
    const col_status status = prg_copy(&found->program, &program, problem);
    *kept = *found;
    kept->program = program;
    corpus->count += place == corpus->count;
    return status;
}

dir_scout_kept *dir_scout_corpus_pick(dir_scout_corpus *corpus, const dir_scout_rarity *rarity,
                                      base_rng *rng) {
    double weights[DIR_SCOUT_CORPUS], sum = 0;
    uint32_t i = 0;
    for (uint32_t k = 0; k < corpus->count; k++) {
        const dir_scout_kept *kept = &corpus->kept[k];
        sum += weights[k] =
            worth_of_kept(kept, rarity) / (double)(1 + kept->picks) / (double)kept->cost;
    }
    double left = base_rng_unit(rng) * sum;
    while (i + 1 < corpus->count && left >= weights[i])
        left -= weights[i++];
    corpus->kept[i].picks++;
    return &corpus->kept[i];
}

/*
 * What values of choices are expected to pay before any test was made: what they paid, beside the
 * average, on mesi3, mesi2 and the two that vary, where all values were drawn evenly (seeds from
 * 1101). Caches whose sizes vary are often small, so that nothing need compete for them.
 */

/* 0 is 1. Locations: from 4 on, from 8 on, and so on. */
typedef const double table[DIR_SCOUT_CHOICES][DIR_SCOUT_MOST_VALUES];

#define WAYS                                                                                       \
    { 1.4, 1.2, 0.8, 0.25, 0.2, 0.25, 0.25, 0.25, 0.2 }

static table fixed = {[DIR_SCOUT_WAY] = WAYS,
                      [DIR_SCOUT_LOCATIONS] = {0.25, 0.35, 0.85, 1.5, 1.7, 1.5, 1, 0.9},
                      [DIR_SCOUT_SETS] = {0.2, 2.5, 1.2, 0.7, 0.35, 0.15},
                      [DIR_SCOUT_SHARING] = {0.85, 1.25, 0.9},
                      [DIR_SCOUT_HEAT] = {1.4, 0.7, 0.9, 1.1},
                      [DIR_SCOUT_MIX] = {0.75, 0.9, 0.75, 1.5, 0.65, 1.9, 1.05, 0.95},
                      [DIR_SCOUT_PACE] = {1.2, 1, 0.85, 1},
                      [DIR_SCOUT_INSTANCES] = {1.2, 1.1, 0.7}};

static table varying = {[DIR_SCOUT_WAY] = WAYS,
                        [DIR_SCOUT_LOCATIONS] = {1.2, 1.2, 1.15, 1.5, 0.9, 0.7, 1.2, 0.55},
                        [DIR_SCOUT_SETS] = {1.6, 0.65, 0.9, 1.3, 1.2, 0.9},
                        [DIR_SCOUT_SHARING] = {0.85, 1.1, 1.1},
                        [DIR_SCOUT_HEAT] = {0.7, 0.9, 1.15, 1.3},
                        [DIR_SCOUT_MIX] = {0.8, 0.9, 0.5, 1.25, 0.75, 2.3, 0.7, 1.1},
                        [DIR_SCOUT_PACE] = {0.85, 1, 1, 1.1},
                        [DIR_SCOUT_INSTANCES] = {1.2, 1.15, 0.6}};

/* Of tests with fewer operations than these. */
static const struct {
    uint32_t operations;
    double expected;
} sizes[] = {{512, 1.5}, {1024, 1.7}, {2048, 1.1}, {4096, 0.8}, {8192, 0.6}, {UINT32_MAX, 0.4}};

double dir_scout_expected(const dir_scout_space *space, dir_scout_choice choice, uint32_t value) {
    const bool varies = space->settings.draws;
    if (choice == DIR_SCOUT_OPERATIONS) {
        uint32_t i = 0;
        while (space->sizes[value] >= sizes[i].operations && sizes[i].operations < UINT32_MAX)
            i++;
        return sizes[i].expected;
    }
    /* Competing for the sets of all levels at once, or of the last one, pays most. */
    if (choice == DIR_SCOUT_LEVEL && !varies)
        return space->settings.geometry.level_count < 2        ? 1
               : value == 0                                    ? 1.5
               : value == space->settings.geometry.level_count ? 1.4
                                                               : 0.3;
    if (choice == DIR_SCOUT_LOCATIONS) {
        uint32_t place = 0;
        while (place < 7 && space->locations[value] >> (place + 3) != 0)
            place++;
        value = place;
    }
    const double e = varies ? varying[choice][value] : fixed[choice][value];
    return e > 0 ? e : 1;
}
