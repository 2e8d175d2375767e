/* SPDX-License-Identifier: MIT */
/* New programs by a recipe: see scout.h. */
#include "engine/scout.h"
#include "program/generate/generator.h"
#include "program/reshape.h"

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

/* Addresses for this many locations, as the recipe says or, where that is impossible, anywhere. */
static col_status place(dir_scout_space *space, dir_scout_recipe *recipe, base_rng *rng,
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

static void pace_threads(const dir_scout_recipe *recipe, base_rng *rng, col_program *program) {
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

static void heat(dir_scout_space *space, const dir_scout_recipe *recipe, base_rng *rng,
                 col_program *program) {
    const uint32_t hot = hot_counts[recipe->values[DIR_SCOUT_HEAT]];
    if (hot == 0 || program->location_count <= 2 * hot)
        return;
    /* Each location is itself or, with a chance of one half, one of the few that are hot: whatever
     * goes to one location still does, so chains stay chains. */
    const uint32_t first = (uint32_t)base_rng_below(rng, program->location_count);
    for (uint32_t l = 0; l < program->location_count; l++)
        space->aliases[l] =
            base_rng_below(rng, 2) == 0
                ? l
                : (first + (uint32_t)base_rng_below(rng, hot)) % program->location_count;
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        col_operation *operation = &program->operations[o];
        if (col_kinds[operation->kind].located)
            operation->location = space->aliases[operation->location];
    }
}

/* ---- The program. */

uint32_t dir_scout_operations(const dir_scout_space *space, const dir_scout_recipe *recipe,
                              base_rng *rng, bool *is_chained) {
    const uint8_t *values = recipe->values;
    *is_chained = values[DIR_SCOUT_WAY] == DIR_SCOUT_CHAIN ||
                  (values[DIR_SCOUT_WAY] == DIR_SCOUT_RETRY && space->has_chained &&
                   (!space->has_plain || base_rng_below(rng, 2) == 0));
    return draw_between(space->sizes, space->size_count, values[DIR_SCOUT_OPERATIONS], rng);
}

col_status dir_scout_make(dir_scout_space *space, dir_scout_recipe *recipe, base_rng *rng,
                          col_program *program, col_point *point, col_problem *problem) {
    col_generation generation;
    const uint8_t *values = recipe->values;
    col_generation_default(&generation);
    generation.threads = space->settings.threads;
    generation.operations = dir_scout_operations(space, recipe, rng, &generation.chained);
    /* So many that the sets, if they are few, divide them. */
    const uint32_t drawn = draw_between(space->locations, space->location_count,
                                        recipe->values[DIR_SCOUT_LOCATIONS], rng);
    const uint32_t asked = space->settings.sets;
    const uint32_t sets = asked != 0 ? asked : set_counts[recipe->values[DIR_SCOUT_SETS]];
    generation.locations = sets > 1 && sets < drawn ? drawn - drawn % sets : drawn;
    set_mix(space, values[DIR_SCOUT_MIX], rng, &generation);
    set_addressing(space, recipe, generation.locations, &generation.addressing);
    recipe->used = (1U << DIR_SCOUT_CHOICES) - 1;
    const uint64_t seed = base_rng_next(rng);
    col_status status = col_generate(space->generator, &generation, seed, 0, program, problem);
    if (status == COL_BAD_INPUT) {
        place_anywhere(&generation.addressing);
        status = col_generate(space->generator, &generation, seed, 0, program, problem);
    }
    if (status != COL_OK)
        return status;
    heat(space, recipe, rng, program);
    pace_threads(recipe, rng, program);
    if (recipe->values[DIR_SCOUT_HEAT] != 0 || recipe->values[DIR_SCOUT_PACE] != AS_MADE) {
        /* The program keeps its promises although operations have become delays or gone elsewhere.
         */
        status = prg_mend(program, problem);
        if (status == COL_OK)
            gen_synthesise(program);
    }
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

/* A value whose size is infinite is never drawn. */
static double size_of(const dir_scout_space *space, dir_scout_choice choice, uint32_t value) {
    if (choice == DIR_SCOUT_OPERATIONS)
        return (space->settings.operations.most > SHORT && value + 1 < space->size_count &&
                space->sizes[value + 1] <= SHORT) ||
                       space->sizes[value] > DIR_SCOUT_LONG
                   ? HUGE_VAL
                   : space->sizes[value];
    const uint32_t most = space->settings.instances;
    if (choice == DIR_SCOUT_INSTANCES && most > 0)
        return instance_counts[value] < most ? instance_counts[value] : most;
    return 1;
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

/* Variations of programs that were kept. */

typedef struct variation {
    dir_scout_space *space;
    const col_program *other; /* to be spliced with */
    dir_scout_recipe *recipe;
    base_rng *rng;
    uint32_t sets; /* that the locations were placed in, if they were */
} variation;

static bool is_located(const col_operation *operation) {
    return col_kinds[operation->kind].located;
}

static col_status relocate(variation *v, col_program *program, col_problem *problem) {
    return place(v->space, v->recipe, v->rng, program->location_count, program->addresses, &v->sets,
                 problem);
}

/* Threads of this program and of another, in the places that they had; the locations of the one
 * with more of them. */
static col_status splice(variation *v, col_program *program, col_problem *problem) {
    const col_program *other = v->other;
    const uint32_t threads = program->thread_count;
    if (other->thread_count != threads)
        return COL_OK;
    const col_program *wider = other->location_count > program->location_count ? other : program;
    uint64_t from_other = base_rng_next(v->rng);
    col_program *child = &v->space->trial;
    for (uint32_t t = 0; t < threads; t++) {
        const col_program *from = (from_other >> t % 64 & 1) != 0 ? other : program;
        v->space->lengths[t] = from->thread_start[t + 1] - from->thread_start[t];
    }
    BASE_TRY(col_program_shape(child, threads, v->space->lengths, wider->location_count, problem));
    for (uint32_t l = 0; l < wider->location_count; l++)
        child->addresses[l] = wider->addresses[l];
    for (uint32_t t = 0; t < threads; t++) {
        const col_program *from = (from_other >> t % 64 & 1) != 0 ? other : program;
        for (uint32_t i = 0; i < v->space->lengths[t]; i++)
            child->operations[child->thread_start[t] + i] =
                from->operations[from->thread_start[t] + i];
    }
    return col_program_operations(child) == 0 ? COL_OK : prg_copy(child, program, problem);
}

static col_status focus(variation *v, col_program *program, col_problem *problem) {
    const uint32_t few = 1U << base_rng_below(v->rng, 4);
    const uint32_t first = (uint32_t)base_rng_below(v->rng, program->location_count);
    (void)problem;
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        col_operation *operation = &program->operations[o];
        if (is_located(operation))
            operation->location = (first + operation->location % few) % program->location_count;
    }
    return COL_OK;
}

static col_status repeat(variation *v, col_program *program, col_problem *problem) {
    const uint32_t shift = (uint32_t)base_rng_below(v->rng, program->location_count);
    const double from = base_rng_unit(v->rng),
                 part = 1.0 / (double)(2U << base_rng_below(v->rng, 4));
    (void)problem;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const uint32_t first = program->thread_start[t];
        const uint32_t length = program->thread_start[t + 1] - first;
        const uint32_t window = (uint32_t)(length * part);
        if (window == 0)
            continue;
        const uint32_t start = (uint32_t)((length - window) * from);
        col_operation *thread = &program->operations[first];
        /* From the window's end on, and then before it: what is copied is not overwritten. */
        for (uint32_t i = 1; i + window <= length; i++) {
            const uint32_t to = (start + window + i - 1) % length;
            const uint32_t offset = (i - 1) % window, round = 1 + (i - 1) / window;
            thread[to] = thread[start + offset];
            if (is_located(&thread[to]))
                thread[to].location = (uint32_t)((thread[to].location + (uint64_t)round * shift) %
                                                 program->location_count);
            if (thread[to].distance > to || thread[to].distance > offset) {
                thread[to].dependency = COL_NO_DEPENDENCY;
                thread[to].distance = 0;
            }
        }
    }
    return COL_OK;
}

/* One operation in eight, or in a hundred, becomes another. */
static col_status scramble(variation *v, col_program *program, col_problem *problem) {
    const uint64_t rate = base_rng_below(v->rng, 2) == 0 ? 8 : 100;
    const col_kind kinds[] = {COL_LOAD, COL_STORE, COL_LOAD, COL_STORE,
                              COL_SWAP, COL_ADD,   COL_FLUSH};
    (void)problem;
    for (uint32_t o = 0; o < col_program_operations(program); o++) {
        if (base_rng_below(v->rng, rate) != 0)
            continue;
        const col_kind kind = kinds[base_rng_below(v->rng, sizeof kinds / sizeof kinds[0])];
        program->operations[o] =
            (col_operation){.kind = (uint8_t)kind,
                            .location = (uint32_t)base_rng_below(v->rng, program->location_count)};
    }
    return COL_OK;
}

static col_status repace(variation *v, col_program *program, col_problem *problem) {
    col_program *child = &v->space->trial;
    for (uint32_t t = 0; t < program->thread_count; t++)
        v->space->order[t] = t;
    base_rng_shuffle(v->rng, v->space->order, program->thread_count);
    pace_threads(v->recipe, v->rng, program);
    v->recipe->used |= 1U << DIR_SCOUT_PACE;
    BASE_TRY(prg_arrange(program, v->space->order, program->thread_count, child, problem));
    return prg_copy(child, program, problem);
}

typedef col_status vary(variation *v, col_program *program, col_problem *problem);

static vary *const ways[DIR_SCOUT_WAYS] = {
    [DIR_SCOUT_RELOCATE] = relocate, [DIR_SCOUT_SPLICE] = splice,     [DIR_SCOUT_FOCUS] = focus,
    [DIR_SCOUT_REPEAT] = repeat,     [DIR_SCOUT_SCRAMBLE] = scramble, [DIR_SCOUT_REPACE] = repace};

col_status dir_scout_pick(dir_scout_corpus *corpus, const dir_scout_rarity *rarity,
                          dir_scout_recipe *recipe, base_rng *rng, dir_test *test,
                          col_problem *problem) {
    const dir_scout_kept *kept = dir_scout_corpus_pick(corpus, rarity, rng);
    const col_program *program = &kept->program;
    recipe->used = 1U << DIR_SCOUT_WAY | 1U << DIR_SCOUT_INSTANCES;
    if (base_rng_below(rng, 4) != 0)
        recipe->configuration = kept->recipe.configuration;
    test->point = (col_point){col_program_operations(program), program->location_count, 0};
    const col_status status = prg_copy(program, &test->program, problem);
    if (status != COL_OK || recipe->values[DIR_SCOUT_WAY] != DIR_SCOUT_SPLICE ||
        program->location_count == 0)
        return status;
    return prg_copy(&dir_scout_corpus_pick(corpus, rarity, rng)->program, &test->other, problem);
}

col_status dir_scout_vary(dir_scout_space *space, dir_scout_recipe *recipe, base_rng *rng,
                          dir_test *test, col_problem *problem) {
    variation v = {space, &test->other, recipe, rng, 0};
    col_program *program = &test->program;
    if (program->location_count > 0)
        BASE_TRY(ways[recipe->values[DIR_SCOUT_WAY]](&v, program, problem));
    BASE_TRY(prg_mend(program, problem));
    gen_synthesise(program);
    test->point = (col_point){col_program_operations(program), program->location_count, v.sets};
    return COL_OK;
}
