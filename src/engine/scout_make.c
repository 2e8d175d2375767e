/* SPDX-License-Identifier: MIT */
/* New programs by a recipe: see scout.h. */
#include "direct/scout.h"
#include "generate/mix.h"
#include "generate/synthesise.h"
#include "program/reduce.h"

#include <math.h>
#include <stdlib.h>

enum { WORD_BITS = 3 };

/* ---- What operations do. */

#define DEPENDENCIES                                                                               \
    "load-address=0.1,load-control=0.06,store-address=0.05,store-data=0.08,store-control=0.05"
#define ORDERED "load-acquire=0.08,store-release=0.08,fence-acquire=0.02,fence-release=0.02"

typedef struct mix_pair {
    const char *plain, *chained;
} mix_pair;

/* Behind the default mix, which the design's cores decide. */
static const mix_pair mixes[] = {
    {"load=0.5,store=0.5", "c1=0.8,c2=0.2"},
    {"load=0.2,store=0.76,fence=0.04", "c0=0.4,c1=0.6"},
    {"load=0.8,store=0.16,fence=0.04", "c1=0.8,c3=0.2"},
    {"load=0.4,store=0.3,swap=0.1,add=0.1,swap-both=0.05,add-both=0.05", "c1=1,swap=0.15,add=0.15"},
    {"load=0.4,store=0.4,flush=0.15,fence=0.05", "c1=0.8,c2=0.2,flush=0.12,fence-tso=0.02"},
    {"load=0.25,store=0.2,fence=0.03," DEPENDENCIES "," ORDERED,
     "c1=0.8,c2=0.2," DEPENDENCIES "," ORDERED},
};
enum { MIXES = sizeof mixes / sizeof mixes[0], DRAWN = 1 }; /* the last one is drawn */
_Static_assert((int)(1 + MIXES + DRAWN) <= (int)DIR_SCOUT_MOST_VALUES, "each mix is an arm");

static col_status parse_own(dir_scout_space *space, const col_engine_settings *s,
                            col_problem *problem) {
    const char *usual = gen_default_mix(s->fetches, s->dma);
    col_status status = COL_OK;
    space->has_plain = space->has_chained = true;
    for (uint32_t i = 0; i <= MIXES + DRAWN && status == COL_OK; i++) {
        const bool is_usual = i == 0 || i > MIXES;
        status = col_instruction_mix_parse(is_usual ? usual : mixes[i - 1].plain, &space->plain[i],
                                           problem);
        if (status == COL_OK)
            status = col_category_mix_parse(is_usual ? usual : mixes[i - 1].chained,
                                            &space->chained[i], problem);
    }
    space->mix_count = 1 + MIXES + DRAWN;
    return status;
}

/* A mix that the user names is the only one; it may be for one kind of programs alone. */
static col_status parse_given(dir_scout_space *space, const char *mix, col_problem *problem) {
    space->mix_count = 1;
    space->has_chained = col_category_mix_parse(mix, &space->chained[0], NULL) == COL_OK;
    const col_status status = col_instruction_mix_parse(mix, &space->plain[0], problem);
    space->has_plain = status == COL_OK;
    return space->has_chained ? COL_OK : status;
}

/* Some operations not at all, others often. */
static void draw_weights(double *weights, uint32_t count, base_rng *rng) {
    static const double factors[] = {0, 0, 0.25, 1, 1, 4, 16};
    for (uint32_t i = 0; i < count; i++)
        weights[i] *= factors[base_rng_below(rng, sizeof factors / sizeof factors[0])];
}

static bool is_any(const double *weights, uint32_t count) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += weights[i];
    return sum > 0;
}

static void set_mix(const dir_scout_space *space, uint32_t mix, base_rng *rng,
                    col_generation *generation) {
    generation->instructions = space->plain[mix];
    generation->categories = space->chained[mix];
    if (space->mix_count == 1 || mix != 1 + MIXES)
        return;
    draw_weights(generation->instructions.weights, gen_template_count, rng);
    if (!is_any(generation->instructions.weights, gen_template_count))
        generation->instructions = space->plain[mix];
    draw_weights(generation->categories.weights, COL_CATEGORIES, rng);
    if (!is_any(generation->categories.weights, COL_CATEGORIES))
        for (uint32_t c = 0; c < COL_CATEGORIES; c++)
            generation->categories.weights[c] = space->chained[mix].weights[c];
    draw_weights(generation->categories.extras, gen_template_count, rng);
    for (uint32_t i = 0; i < gen_template_count; i++)
        if (generation->categories.extras[i] > 0.5)
            generation->categories.extras[i] = 0.5;
}

/* ---- Sizes. */

/* By multiplication: pow() need not round alike everywhere. */
static double power(double x, uint32_t exponent) {
    double product = 1;
    for (uint32_t i = 0; i < exponent; i++)
        product *= x;
    return product;
}

/* The greatest number whose power is not above `x`, which is 1 or more. */
static double root(double x, uint32_t exponent) {
    double low = 1, high = x;
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            return low;
        *(power(middle, exponent) <= x ? &low : &high) = middle;
    }
}

/* From least to most in equal ratios; returns how many there are. */
static uint32_t spread(col_range range, uint32_t *values) {
    const double ratio = (double)range.most / range.least;
    uint32_t steps = 0;
    while (steps + 1 < DIR_SCOUT_MOST_VALUES && (double)(2U << steps) <= ratio)
        steps++;
    if (steps == 0 && range.most > range.least)
        steps = 1;
    const double factor = steps == 0 ? 1 : root(ratio, steps);
    for (uint32_t i = 0; i <= steps; i++)
        values[i] = (uint32_t)(range.least * power(factor, i) + 0.5);
    return steps + 1;
}

uint8_t dir_scout_size(const dir_scout_space *space, uint32_t operations) {
    uint32_t i = 0;
    while (i + 1 < space->size_count && space->sizes[i + 1] <= operations)
        i++;
    return (uint8_t)i;
}

/* Anything between a value and the next one. */
static uint32_t draw_between(const uint32_t *values, uint32_t count, uint32_t i, base_rng *rng) {
    if (i + 1 >= count)
        return values[i];
    return values[i] + (uint32_t)base_rng_below(rng, values[i + 1] - values[i]);
}

/* ---- Where locations lie. */

static const uint32_t set_counts[] = {0, 1, 2, 4, 8, UINT32_MAX};
enum { SET_COUNTS = sizeof set_counts / sizeof set_counts[0] };

/* Sets divide the locations. */
static uint32_t choose_sets(const dir_scout_space *space, const dir_scout_recipe *recipe,
                            uint32_t locations) {
    const uint32_t asked = space->settings.sets;
    uint32_t sets = asked != 0 ? asked : set_counts[recipe->values[DIR_SCOUT_SETS]];
    if (sets > locations)
        sets = locations;
    while (sets > 1 && locations % sets != 0)
        sets--;
    return sets;
}

static void set_addressing(const dir_scout_space *space, const dir_scout_recipe *recipe,
                           uint32_t locations, col_addressing *addressing) {
    const col_geometry *geometry = &space->settings.geometry;
    const uint32_t level = recipe->values[DIR_SCOUT_LEVEL];
    addressing->geometry = *geometry;
    if (level > 0 && level <= geometry->level_count) { /* 0: all of them */
        addressing->geometry.level_count = 1;
        addressing->geometry.levels[0] = geometry->levels[level - 1];
    }
    addressing->sharing = (col_sharing)recipe->values[DIR_SCOUT_SHARING];
    addressing->alignment_bits =
        addressing->sharing == COL_TRUE_SHARING ? geometry->block_bits : WORD_BITS;
    addressing->sets = geometry->level_count == 0 ? 0 : choose_sets(space, recipe, locations);
}

static void place_anywhere(col_addressing *addressing) {
    addressing->sets = 0;
    addressing->sharing = COL_MIXED_SHARING;
    addressing->alignment_bits = WORD_BITS;
}

col_status dir_scout_place(dir_scout_space *space, dir_scout_recipe *recipe, base_rng *rng,
                           uint32_t locations, uint64_t *addresses, uint32_t *sets,
                           col_problem *problem) {
    col_generation one;
    col_generation_default(&one);
    one.threads = one.operations = 1;
    one.locations = locations;
    set_addressing(space, recipe, locations, &one.addressing);
    const uint64_t seed = base_rng_next(rng);
    col_status status = col_generate(space->generator, &one, seed, 0, &space->trial, problem);
    if (status == COL_BAD_INPUT) {
        place_anywhere(&one.addressing);
        status = col_generate(space->generator, &one, seed, 0, &space->trial, problem);
    }
    if (status != COL_OK)
        return status;
    for (uint32_t l = 0; l < locations; l++)
        addresses[l] = space->trial.addresses[l];
    *sets = one.addressing.sets;
    recipe->used |= 1U << DIR_SCOUT_SETS | 1U << DIR_SCOUT_LEVEL | 1U << DIR_SCOUT_SHARING;
    return COL_OK;
}

/* ---- Delays. */

typedef enum pace { AS_MADE, UNEVEN, SKEWED, SLOW, PACES } pace;

static uint32_t draw_delay(base_rng *rng, uint32_t bits) {
    const uint32_t most = 2U << base_rng_below(rng, bits);
    return 1 + (uint32_t)base_rng_below(rng, most);
}

static void become_delay(col_operation *operation, uint32_t cycles) {
    *operation = (col_operation){.kind = COL_DELAY, .location = cycles};
}

void dir_scout_pace(const dir_scout_recipe *recipe, base_rng *rng, col_program *program) {
    const pace p = (pace)recipe->values[DIR_SCOUT_PACE];
    if (p == AS_MADE)
        return;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const uint32_t first = program->thread_start[t], end = program->thread_start[t + 1];
        for (uint32_t o = first; o < end; o++) {
            col_operation *operation = &program->operations[o];
            if (operation->kind == COL_DELAY || (p == SLOW && base_rng_below(rng, 16) == 0))
                become_delay(operation, draw_delay(rng, 9));
        }
        if (p == SKEWED && first < end)
            become_delay(&program->operations[first], draw_delay(rng, 11));
    }
}

/* ---- Hot locations. */

static const uint32_t hot_counts[] = {0, 1, 2, 4};
enum { HOT_COUNTS = sizeof hot_counts / sizeof hot_counts[0] };

/* Each location is itself or, with a chance of one half, one of the few that are hot: whatever goes
 * to one location still does, so chains stay chains. */
static void draw_aliases(uint32_t *aliases, uint32_t count, uint32_t hot, base_rng *rng) {
    const uint32_t first = (uint32_t)base_rng_below(rng, count);
    for (uint32_t l = 0; l < count; l++)
        aliases[l] =
            base_rng_below(rng, 2) == 0 ? l : (first + (uint32_t)base_rng_below(rng, hot)) % count;
}

static void heat(dir_scout_space *space, const dir_scout_recipe *recipe, base_rng *rng,
                 col_program *program) {
    const uint32_t hot = hot_counts[recipe->values[DIR_SCOUT_HEAT]];
    if (hot == 0 || program->location_count <= 2 * hot)
        return;
    draw_aliases(space->aliases, program->location_count, hot, rng);
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        col_operation *operation = &program->operations[o];
        if (col_kinds[operation->kind].located)
            operation->location = space->aliases[operation->location];
    }
}

/* ---- The program. */

/* So many that the sets, if they are few, divide them. */
static uint32_t choose_locations(const dir_scout_space *space, const dir_scout_recipe *recipe,
                                 base_rng *rng) {
    const uint32_t drawn = draw_between(space->locations, space->location_count,
                                        recipe->values[DIR_SCOUT_LOCATIONS], rng);
    const uint32_t asked = space->settings.sets;
    const uint32_t sets = asked != 0 ? asked : set_counts[recipe->values[DIR_SCOUT_SETS]];
    return sets > 1 && sets < drawn ? drawn - drawn % sets : drawn;
}

static void fill_generation(dir_scout_space *space, dir_scout_recipe *recipe, base_rng *rng,
                            col_generation *generation) {
    const uint8_t *values = recipe->values;
    col_generation_default(generation);
    generation->chained = values[DIR_SCOUT_WAY] == DIR_SCOUT_CHAIN ||
                          (values[DIR_SCOUT_WAY] == DIR_SCOUT_RETRY && space->has_chained &&
                           (!space->has_plain || base_rng_below(rng, 2) == 0));
    generation->threads = space->settings.threads;
    generation->operations =
        draw_between(space->sizes, space->size_count, values[DIR_SCOUT_OPERATIONS], rng);
    generation->locations = choose_locations(space, recipe, rng);
    set_mix(space, values[DIR_SCOUT_MIX], rng, generation);
    set_addressing(space, recipe, generation->locations, &generation->addressing);
    recipe->used = (1U << DIR_SCOUT_CHOICES) - 1;
}

/* The program keeps its promises although operations have become delays or gone elsewhere. */
static col_status finish(col_program *program, col_problem *problem) {
    const col_status status = prg_mend(program, problem);
    if (status == COL_OK)
        gen_synthesise(program);
    return status;
}

col_status dir_scout_make(dir_scout_space *space, dir_scout_recipe *recipe, base_rng *rng,
                          col_program *program, col_point *point, col_problem *problem) {
    col_generation generation;
    fill_generation(space, recipe, rng, &generation);
    const uint64_t seed = base_rng_next(rng);
    col_status status = col_generate(space->generator, &generation, seed, 0, program, problem);
    if (status == COL_BAD_INPUT) {
        place_anywhere(&generation.addressing);
        status = col_generate(space->generator, &generation, seed, 0, program, problem);
    }
    if (status != COL_OK)
        return status;
    heat(space, recipe, rng, program);
    dir_scout_pace(recipe, rng, program);
    if (recipe->values[DIR_SCOUT_HEAT] != 0 || recipe->values[DIR_SCOUT_PACE] != AS_MADE)
        status = finish(program, problem);
    *point =
        (col_point){generation.operations, program->location_count, generation.addressing.sets};
    return status;
}

/* ---- Instances. */

static const uint32_t instance_counts[] = {1, 2, UINT32_MAX};
enum { INSTANCE_COUNTS = sizeof instance_counts / sizeof instance_counts[0] };

uint32_t dir_scout_instances(const dir_scout_recipe *recipe, uint32_t most) {
    const uint32_t asked = instance_counts[recipe->values[DIR_SCOUT_INSTANCES]];
    return most == 0 ? 0 : asked < most ? asked : most;
}

/* ---- The space. */

/* Tests of up to this many operations are for the openings, unless there are no longer ones; those
 * of more than DIR_SCOUT_LONG are for the time that is set aside for them. */
enum { SHORT = 256 };

static bool is_short(const dir_scout_space *space, uint32_t value) {
    return space->settings.operations.most > SHORT && value + 1 < space->size_count &&
           space->sizes[value + 1] <= SHORT;
}

/* A value whose size is infinite is never drawn. */
static double size_of(const dir_scout_space *space, dir_scout_choice choice, uint32_t value) {
    if (choice == DIR_SCOUT_OPERATIONS)
        return is_short(space, value) || space->sizes[value] > DIR_SCOUT_LONG ? HUGE_VAL
                                                                              : space->sizes[value];
    const uint32_t most = space->settings.instances;
    if (choice == DIR_SCOUT_INSTANCES && most > 0)
        return instance_counts[value] < most ? instance_counts[value] : most;
    return 1;
}

static void count_values(const dir_scout_space *space, dir_scout_bandit *bandit) {
    const col_engine_settings *s = &space->settings;
    const uint32_t levels = s->geometry.level_count;
    const uint32_t counts[DIR_SCOUT_CHOICES] = {
        [DIR_SCOUT_WAY] = DIR_SCOUT_WAYS,
        [DIR_SCOUT_OPERATIONS] = space->size_count,
        [DIR_SCOUT_LOCATIONS] = space->location_count,
        [DIR_SCOUT_SETS] = s->sets != 0 || levels == 0 ? 1 : SET_COUNTS,
        [DIR_SCOUT_LEVEL] =
            levels < DIR_SCOUT_MOST_VALUES ? levels + 1 : (uint32_t)DIR_SCOUT_MOST_VALUES,
        [DIR_SCOUT_SHARING] = COL_SHARING_COUNT,
        [DIR_SCOUT_HEAT] = HOT_COUNTS,
        [DIR_SCOUT_MIX] = space->mix_count,
        [DIR_SCOUT_PACE] = PACES,
        [DIR_SCOUT_INSTANCES] = s->instances > 2    ? INSTANCE_COUNTS
                                : s->instances == 2 ? 2
                                                    : 1};
    for (uint32_t c = 0; c < DIR_SCOUT_CHOICES; c++) {
        bandit->counts[c] = counts[c];
        for (uint32_t i = 0; i < counts[c]; i++)
            bandit->sizes[c][i] = size_of(space, (dir_scout_choice)c, i);
        for (uint32_t i = 0; i < counts[c]; i++)
            bandit->expected[c][i] = dir_scout_expected(space, (dir_scout_choice)c, i);
    }
}

col_status dir_scout_space_open(dir_scout_space *space, dir_scout_bandit *bandit,
                                const col_engine_settings *settings, col_problem *problem) {
    *space = (dir_scout_space){.settings = *settings, .trial = COL_PROGRAM_EMPTY};
    space->settings.mix = space->settings.options = NULL;
    if (settings->sets > settings->locations.most)
        return base_refuse(problem, "%u locations cannot compete for %u sets",
                           settings->locations.most, settings->sets);
    space->generator = col_generator_new();
    space->plain = calloc(DIR_SCOUT_MOST_VALUES, sizeof *space->plain);
    space->chained = calloc(DIR_SCOUT_MOST_VALUES, sizeof *space->chained);
    space->lengths = calloc(settings->threads, sizeof *space->lengths);
    space->order = calloc(settings->threads, sizeof *space->order);
    space->aliases = calloc(settings->locations.most, sizeof *space->aliases);
    if (space->generator == NULL || space->plain == NULL || space->chained == NULL ||
        space->lengths == NULL || space->order == NULL || space->aliases == NULL)
        return base_out_of_memory(problem);
    space->size_count = spread(settings->operations, space->sizes);
    space->location_count = spread(settings->locations, space->locations);
    const col_status status = settings->mix == NULL ? parse_own(space, settings, problem)
                                                    : parse_given(space, settings->mix, problem);
    count_values(space, bandit);
    return status;
}

void dir_scout_space_close(dir_scout_space *space) {
    col_generator_free(space->generator);
    free(space->plain);
    free(space->chained);
    free(space->lengths);
    free(space->order);
    free(space->aliases);
    col_program_free(&space->trial);
}
