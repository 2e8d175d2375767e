/* SPDX-License-Identifier: MIT */
/* Random test generation as engines steer it, and the engines that do not: see rtg.h. */
#include "engine/rtg.h"

#include "base/memory.h"
#include "base/problem.h"
#include "base/random.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>

enum { WORD_BITS = 3 };

static uint32_t doublings(col_range range) {
    uint32_t count = 0;
    for (uint32_t value = range.least; value <= range.most / 2; value *= 2)
        count++;
    return count;
}

/* Can addresses be assigned? A program of one load shows it; if not, the error says why. */
static col_status add_if_possible(dir_rtg *rtg, dir_pair pair, col_program *program,
                                  col_problem *problem) {
    col_generation trial;
    col_generation_default(&trial);
    trial.addressing = rtg->generation.addressing;
    trial.addressing.sets = pair.sets;
    trial.threads = 1;
    trial.operations = 1;
    trial.locations = pair.locations;
    const col_status status = col_generate(rtg->generator, &trial, rtg->seed, 0, program, problem);
    if (status != COL_OK)
        return status == COL_BAD_INPUT ? COL_OK : status;
    BASE_TRY(base_reserve(&rtg->pairs, &rtg->pair_capacity, (size_t)rtg->pair_count + 1,
                          sizeof *rtg->pairs, problem));
    rtg->pairs[rtg->pair_count++] = pair;
    return COL_OK;
}

/* The pairs of one number of locations: with all sets that divide it, or the one that is asked for.
 */
static col_status add_run(dir_rtg *rtg, bool biased, uint32_t sets, uint32_t locations,
                          col_program *program, col_problem *problem) {
    const uint32_t first = rtg->pair_count;
    if (!biased || sets != 0)
        BASE_TRY(add_if_possible(rtg, (dir_pair){locations, sets}, program, problem));
    else
        for (uint32_t k = 1; k <= locations; k++)
            if (locations % k == 0)
                BASE_TRY(add_if_possible(rtg, (dir_pair){locations, k}, program, problem));
    if (rtg->pair_count == first)
        return COL_OK;
    BASE_TRY(base_reserve(&rtg->runs, &rtg->run_capacity, (size_t)rtg->location_count + 2,
                          sizeof *rtg->runs, problem));
    rtg->runs[rtg->location_count++] = first;
    rtg->runs[rtg->location_count] = rtg->pair_count;
    return COL_OK;
}

/* The runs from a number of locations up to its double. Small numbers have fewer steps. */
static col_status add_octave(dir_rtg *rtg, bool biased, const col_engine_settings *settings,
                             uint32_t base, col_program *program, col_problem *problem) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < rtg->location_steps; i++) {
        const uint32_t locations = base + (uint32_t)((uint64_t)base * i / rtg->location_steps);
        if (locations != last && locations <= settings->locations.most)
            BASE_TRY(add_run(rtg, biased, settings->sets, locations, program, problem));
        last = locations;
    }
    return COL_OK;
}

/* If there is no pair at all, the error says why the last one is not possible. */
static col_status find_space(dir_rtg *rtg, bool biased, const col_engine_settings *settings,
                             col_problem *problem) {
    col_program program = COL_PROGRAM_EMPTY;
    col_status status = COL_OK;
    for (uint32_t i = 0; i <= doublings(settings->operations); i++)
        rtg->sizes[rtg->size_count++] = settings->operations.least << i;
    for (uint32_t i = 0; i <= doublings(settings->locations) && status == COL_OK; i++)
        status =
            add_octave(rtg, biased, settings, settings->locations.least << i, &program, problem);
    col_program_free(&program);
    return status == COL_OK && rtg->pair_count == 0 ? COL_BAD_INPUT : status;
}

/*
 * How many of the loads and stores of random tests are loads. Independent operations are drawn by
 * weights, which are scaled. Chains say of many operations what they are, and of the open ones a
 * mix says how many are loads: how many that must be is found by making programs.
 */

enum { SAMPLE_OPERATIONS = 1 << 15, SAMPLE_LOCATIONS = 32, HALVINGS = 14 };
static const double close_enough = 0.01; /* several standard deviations of the sample */

/* ---- Independent operations. */

static double sum_of(const col_instruction_mix *mix, uint8_t kind) {
    double sum = 0;
    for (uint32_t t = 0; t < gen_template_count; t++)
        if (gen_templates[t].operation.kind == kind)
            sum += mix->weights[t];
    return sum;
}

static void scale(col_instruction_mix *mix, uint8_t kind, double factor) {
    for (uint32_t t = 0; t < gen_template_count; t++)
        if (gen_templates[t].operation.kind == kind)
            mix->weights[t] *= factor;
}

static col_status weigh(col_instruction_mix *mix, double loads, col_problem *problem) {
    const double load_sum = sum_of(mix, COL_LOAD), store_sum = sum_of(mix, COL_STORE);
    if (!(load_sum > 0) || !(store_sum > 0))
        return base_refuse(problem, "the parameter loads needs a mix with loads and stores");
    scale(mix, COL_LOAD, loads * (load_sum + store_sum) / load_sum);
    scale(mix, COL_STORE, (1 - loads) * (load_sum + store_sum) / store_sum);
    return COL_OK;
}

/* ---- Chains. */

typedef struct sample {
    col_generator *generator;
    col_generation generation;
    col_program program;
} sample;

/* The part that loads are if this part of the open kinds are. */
static col_status measure(sample *s, double open, double *loads, col_problem *problem) {
    uint32_t counts[COL_KIND_COUNT] = {0};
    s->generation.categories.loads = open;
    BASE_TRY(col_generate(s->generator, &s->generation, 1, 0, &s->program, problem));
    for (uint32_t i = 0; i < col_program_operations(&s->program); i++)
        counts[s->program.operations[i].kind]++;
    const uint32_t all = counts[COL_LOAD] + counts[COL_STORE];
    *loads = all == 0 ? 0 : (double)counts[COL_LOAD] / all;
    return COL_OK;
}

static col_status search(sample *s, double loads, double *open, col_problem *problem) {
    double low = 1e-9, high = 1, least = 0, most = 0; /* 0 means that the mix does not say it */
    BASE_TRY(measure(s, low, &least, problem));
    BASE_TRY(measure(s, high, &most, problem));
    if (loads < least - close_enough || loads > most + close_enough)
        return base_refuse(problem,
                           "chains of this mix have %.0f to %.0f %% loads, so the parameter loads "
                           "cannot be %.3g",
                           100 * least, 100 * most, loads);
    for (int i = 0; i < HALVINGS; i++) {
        double part = 0;
        *open = (low + high) / 2;
        BASE_TRY(measure(s, *open, &part, problem));
        *(part < loads ? &low : &high) = *open;
    }
    return COL_OK;
}

static col_status open_kinds(col_generator *generator, col_generation *generation, double loads,
                             col_problem *problem) {
    sample s = {.generator = generator, .program = COL_PROGRAM_EMPTY};
    col_generation_default(&s.generation);
    s.generation.chained = true;
    s.generation.threads = generation->threads;
    s.generation.operations = SAMPLE_OPERATIONS;
    s.generation.locations = SAMPLE_LOCATIONS;
    s.generation.categories = generation->categories;
    const col_status status = search(&s, loads, &generation->categories.loads, problem);
    col_program_free(&s.program);
    return status;
}

/* Changes the mix so that this part of all loads and stores are loads. Atomic operations and what
 * is neither stay as they are. */
static col_status set_loads(col_generator *generator, col_generation *generation, double loads,
                            col_problem *problem) {
    return generation->chained ? open_kinds(generator, generation, loads, problem)
                               : weigh(&generation->instructions, loads, problem);
}

static col_status set_mix(dir_rtg *rtg, const col_engine_settings *settings, double loads,
                          col_problem *problem) {
    const char *mix =
        settings->mix == NULL ? gen_default_mix(settings->fetches, settings->dma) : settings->mix;
    BASE_TRY(rtg->generation.chained
                 ? col_category_mix_parse(mix, &rtg->generation.categories, problem)
                 : col_instruction_mix_parse(mix, &rtg->generation.instructions, problem));
    return loads == DIR_LOADS_OF_MIX ? COL_OK
                                     : set_loads(rtg->generator, &rtg->generation, loads, problem);
}

static col_sharing sharing_of(const dir_engine *kind, const dir_rtg_parameters *p) {
    return p->says_sharing ? p->sharing : kind->biased ? COL_TRUE_SHARING : COL_MIXED_SHARING;
}

static col_status set_addressing(col_addressing *addressing, const dir_engine *kind,
                                 const dir_rtg_parameters *p, const col_geometry *geometry,
                                 col_problem *problem) {
    if ((p->align & (p->align - 1)) != 0)
        return base_refuse(problem, "addresses are aligned to a power of two, not to %llu byte%s",
                           (unsigned long long)p->align, base_plural(p->align));
    addressing->geometry = *geometry;
    addressing->sharing = sharing_of(kind, p);
    if (p->align == 0) {
        addressing->alignment_bits =
            addressing->sharing == COL_TRUE_SHARING ? geometry->block_bits : WORD_BITS;
        return COL_OK;
    }
    addressing->alignment_bits = 0;
    while (UINT64_C(1) << addressing->alignment_bits < p->align)
        addressing->alignment_bits++;
    return COL_OK;
}

col_status dir_rtg_open(dir_rtg *rtg, const dir_engine *kind, dir_rtg_parameters parameters,
                        const col_engine_settings *settings, col_problem *problem) {
    const bool is_asked = parameters.says_sharing || parameters.align != 0;
    *rtg = (dir_rtg){.seed = settings->seed,
                     .packs = settings->packs && !is_asked &&
                              sharing_of(kind, &parameters) == COL_TRUE_SHARING,
                     .location_steps = (uint32_t)parameters.location_steps};
    if (settings->sets != 0 && !kind->biased)
        return base_refuse(problem, "sets are for engines that bias addresses; %s does not",
                           kind->name);
    if (settings->sets > settings->locations.most)
        return base_refuse(problem, "%u location%s cannot compete for %u set%s",
                           settings->locations.most, base_plural(settings->locations.most),
                           settings->sets, base_plural(settings->sets));
    rtg->generator = col_generator_new();
    if (rtg->generator == NULL)
        return base_out_of_memory(problem);
    col_generation_default(&rtg->generation);
    rtg->generation.chained = kind->chained;
    rtg->generation.threads = settings->threads;
    col_status status = set_addressing(&rtg->generation.addressing, kind, &parameters,
                                       &settings->geometry, problem);
    if (status == COL_OK)
        status = set_mix(rtg, settings, parameters.loads, problem);
    if (status == COL_OK)
        status = find_space(rtg, kind->biased, settings, problem);
    if (status != COL_OK)
        dir_rtg_close(rtg);
    return status;
}

typedef struct parameters_alone {
    dir_rtg_parameters rtg;
} parameters_alone;

col_status dir_rtg_open_alone(dir_rtg *rtg, const dir_engine *kind,
                              const col_engine_settings *settings, col_problem *problem) {
    static const base_field parameters[] = {DIR_RTG_ROWS(parameters_alone, rtg), {.name = NULL}};
    parameters_alone p = {0};
    BASE_TRY(dir_parameters_read(parameters, kind->name, settings->options, &p, problem));
    return dir_rtg_open(rtg, kind, p.rtg, settings, problem);
}

void dir_rtg_close(dir_rtg *rtg) {
    col_generator_free(rtg->generator);
    free(rtg->pairs);
    free(rtg->runs);
    *rtg = (dir_rtg){0};
}

/* The root of two times a size, rounded up; 0 if it is beyond any size. */
static uint32_t half_doubled(uint32_t size) {
    static const uint32_t most = 3037000499; /* whose square, doubled, has 64 bits */
    if (size > most)
        return 0;
    const uint64_t square = 2 * (uint64_t)size * size;
    uint64_t root =
        (uint64_t)sqrt((double)square); /* off by a little where a double is too short */
    while (root * root < square)
        root++;
    while ((root - 1) * (root - 1) >= square)
        root--;
    return (uint32_t)root;
}

void dir_rtg_halve_doublings(dir_rtg *rtg, col_range operations) {
    const uint32_t steps = doublings(operations);
    rtg->size_count = 0;
    for (uint32_t i = 0; i <= steps; i++) {
        const uint32_t size = operations.least << i, between = half_doubled(size);
        rtg->sizes[rtg->size_count++] = size;
        /* Of one operation the half-doubling is two. */
        if (between > size && between <= operations.most && between / 2 < size)
            rtg->sizes[rtg->size_count++] = between;
    }
}

col_status dir_rtg_make(dir_rtg *rtg, const col_point *point, uint64_t test, col_program *program,
                        col_problem *problem) {
    rtg->generation.operations = point->operations;
    rtg->generation.locations = point->locations;
    rtg->generation.addressing.sets = point->sets;
    col_generation packed = rtg->generation;
    packed.addressing.sharing = COL_FALSE_SHARING;
    packed.addressing.alignment_bits = WORD_BITS;
    /* Not every point allows that: a set may have one location. */
    if (rtg->packs && test % 2 == 1 &&
        col_generate(rtg->generator, &packed, rtg->seed, test, program, NULL) == COL_OK)
        return COL_OK;
    return col_generate(rtg->generator, &rtg->generation, rtg->seed, test, program, problem);
}

col_status dir_rtg_make_chosen(dir_rtg *rtg, dir_test *test, col_problem *problem) {
    const dir_rtg_plan *plan = test->plan;
    return dir_rtg_make(rtg, &test->point, plan->test, &test->program, problem);
}

/* ---- Points by number. */

uint32_t dir_rtg_count(const dir_rtg *rtg) {
    return rtg->size_count * rtg->pair_count;
}

col_point dir_rtg_point(const dir_rtg *rtg, uint32_t number) {
    const dir_pair pair = rtg->pairs[number % rtg->pair_count];
    return (col_point){rtg->sizes[number / rtg->pair_count], pair.locations, pair.sets};
}

static int compare_pairs(const void *a, const void *b) {
    const dir_pair *x = a, *y = b;
    if (x->locations != y->locations)
        return x->locations < y->locations ? -1 : 1;
    return x->sets < y->sets ? -1 : x->sets > y->sets;
}

/* Its place, or the count of pairs. */
static uint32_t find_pair(const dir_rtg *rtg, dir_pair pair) {
    const dir_pair *found = bsearch(&pair, rtg->pairs, rtg->pair_count, sizeof pair, compare_pairs);
    return found == NULL ? rtg->pair_count : (uint32_t)(found - rtg->pairs);
}

/* Halves of what is odd are no number of anything. */
static uint32_t halved(uint32_t number) {
    return number % 2 == 0 ? number / 2 : 0;
}

uint32_t dir_rtg_move(const dir_rtg *rtg, uint32_t pair, dir_move move) {
    const dir_pair from = rtg->pairs[pair];
    const bool rises = move == DIR_MORE_LOCATIONS || move == DIR_MORE_SETS;
    const bool keeps_sets = move == DIR_MORE_LOCATIONS || move == DIR_FEWER_LOCATIONS;
    if (rtg->location_steps == 1) {
        const dir_pair to[DIR_MOVE_COUNT] = {
            [DIR_MORE_LOCATIONS] = {2 * from.locations,
                                    from.sets}, /* at most twice COL_MAX_LOCATIONS */
            [DIR_FEWER_LOCATIONS] = {halved(from.locations), from.sets},
            [DIR_MORE_SETS] = {from.locations, 2 * from.sets},
            [DIR_FEWER_SETS] = {from.locations, halved(from.sets)}};
        return find_pair(rtg, to[move]);
    }
    for (uint32_t i = pair; rises ? ++i < rtg->pair_count : i-- > 0;)
        if (keeps_sets ? rtg->pairs[i].sets == from.sets
                       : rtg->pairs[i].locations == from.locations)
            return i;
    return rtg->pair_count;
}

uint32_t dir_rtg_number(const dir_rtg *rtg, col_point point) {
    uint32_t size = 0;
    while (size < rtg->size_count && rtg->sizes[size] != point.operations)
        size++;
    const uint32_t pair = find_pair(rtg, (dir_pair){point.locations, point.sets});
    if (size == rtg->size_count || pair == rtg->pair_count)
        return dir_rtg_count(rtg);
    return size * rtg->pair_count + pair;
}

uint32_t dir_rtg_run(const dir_rtg *rtg, uint32_t pair) {
    uint32_t run = 0;
    while (rtg->runs[run + 1] <= pair)
        run++;
    return run;
}

float dir_fraction(uint32_t place, uint32_t count) {
    return count > 1 ? (float)place / (float)(count - 1) : 0;
}

/* The order in which points are visited. */

/* P*: of the pairs that are left, those with as many sets at least. */
typedef struct choice {
    const dir_pair *pairs;
    const bool *left;
    uint32_t count, least_sets;
} choice;

static bool is_better(dir_turn turn, dir_pair a, dir_pair b) {
    if (turn == DIR_REPLACEMENTS)
        return a.sets != b.sets ? a.sets < b.sets : a.locations > b.locations;
    return a.locations != b.locations ? a.locations < b.locations : a.sets > b.sets;
}

/* (s*, k*), or the count if there is none. */
static uint32_t choose(const choice *c, dir_turn turn) {
    uint32_t best = c->count;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->left[i] && c->pairs[i].sets >= c->least_sets &&
            (best == c->count || is_better(turn, c->pairs[i], c->pairs[best])))
            best = i;
    return best;
}

uint32_t dir_order_plane(const dir_pair *pairs, uint32_t count, uint32_t variant, bool *left,
                         dir_turn *turn, uint32_t *order) {
    /* A single set never favours collisions. */
    const choice all = {pairs, left, count, .least_sets = 0};
    const choice colliding = {pairs, left, count, .least_sets = 2};
    uint32_t adopted = 0;
    for (uint32_t i = 0; i < count; i++) {
        /* The sub-range of k that a variant adopts for s. */
        left[i] = left[i] && (variant == 1 || pairs[i].sets == 1 ||
                              (variant == 2 && pairs[i].sets == pairs[i].locations));
        adopted += left[i];
    }
    for (uint32_t done = 0; done < adopted; done++) {
        uint32_t chosen = *turn == DIR_COLLISIONS ? choose(&colliding, DIR_COLLISIONS) : count;
        const bool collides = chosen != count;
        /* The thesis's spaces have enough pairs for collisions. Where one has not, what is left are
         * tests for replacements. */
        if (!collides)
            chosen = choose(&all, DIR_REPLACEMENTS);
        *turn = collides || variant == 3 ? DIR_REPLACEMENTS : DIR_COLLISIONS;
        left[chosen] = false;
        order[done] = chosen;
    }
    return adopted;
}

/* The smallest test of a pair that is wanted, or the count of the points. */
static uint32_t smallest(const dir_rtg *rtg, const bool *wanted, uint32_t pair) {
    uint32_t number = pair;
    while (number < dir_rtg_count(rtg) && !wanted[number])
        number += rtg->pair_count;
    return number < dir_rtg_count(rtg) ? number : dir_rtg_count(rtg);
}

uint32_t dir_order_points(const dir_rtg *rtg, bool *wanted, bool *left, uint32_t *order) {
    const choice all = {rtg->pairs, left, rtg->pair_count, .least_sets = 0};
    const uint32_t none = dir_rtg_count(rtg);
    dir_turn turn = DIR_REPLACEMENTS;
    uint32_t done = 0;
    for (uint32_t before = none; before != done;) {
        before = done;
        for (uint32_t i = 0; i < rtg->pair_count; i++)
            left[i] = smallest(rtg, wanted, i) != none;
        for (uint32_t pair; (pair = choose(&all, turn)) != rtg->pair_count;) {
            const uint32_t number = smallest(rtg, wanted, pair);
            left[pair] = false;
            wanted[number] = false;
            order[done++] = number;
            turn = turn == DIR_REPLACEMENTS ? DIR_COLLISIONS : DIR_REPLACEMENTS;
        }
    }
    return done;
}

/*
 * Random test generation without direction: the thesis's PLAIN-, PLAIN+, CHAIN- and CHAIN+. Each
 * test is made at a point of the generation space that is drawn at random: any operations, any
 * locations and, of a biased test, any sets that these can compete for.
 */

typedef struct undirected {
    dir_rtg rtg;
    uint64_t test;
} undirected;

static void close_engine(void *state) {
    dir_rtg_close(&((undirected *)state)->rtg);
}

static col_status open_engine(void *state, const dir_engine *kind,
                              const col_engine_settings *settings, col_problem *problem) {
    return dir_rtg_open_alone(&((undirected *)state)->rtg, kind, settings, problem);
}

static col_status choose_test(void *state, const col_feedback *feedback, dir_test *test,
                              col_problem *problem) {
    undirected *u = state;
    const dir_rtg *rtg = &u->rtg;
    base_rng rng;
    (void)feedback;
    (void)problem;
    base_rng_seed(&rng, rtg->seed, u->test);
    const uint32_t operations = rtg->sizes[base_rng_below(&rng, rtg->size_count)];
    const uint32_t *run = &rtg->runs[base_rng_below(&rng, rtg->location_count)];
    const dir_pair pair = rtg->pairs[run[0] + base_rng_below(&rng, run[1] - run[0])];
    test->point = (col_point){operations, pair.locations, pair.sets};
    *(dir_rtg_plan *)test->plan = (dir_rtg_plan){u->test++};
    return COL_OK;
}

static col_status make_test(void *state, dir_test *test, col_problem *problem) {
    return dir_rtg_make_chosen(&((undirected *)state)->rtg, test, problem);
}

const dir_functions dir_undirected = {.size = sizeof(undirected),
                                      .open = open_engine,
                                      .close = close_engine,
                                      .plan = sizeof(dir_rtg_plan),
                                      .choose = choose_test,
                                      .make = make_test,
                                      .test = offsetof(undirected, test)};
