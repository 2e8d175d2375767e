/* SPDX-License-Identifier: MIT */
/* Random test generation as engines steer it: see rtg.h. */
#include "direct/rtg.h"

#include "direct/rtg_loads.h"
#include "generate/mix.h"

#include "base/memory.h"
#include "base/plural.h"

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
static col_status try_pair(dir_rtg *rtg, dir_pair pair, col_program *program,
                           col_problem *problem) {
    col_generation trial;
    col_generation_default(&trial);
    trial.addressing = rtg->generation.addressing;
    trial.addressing.sets = pair.sets;
    trial.threads = 1;
    trial.operations = 1;
    trial.locations = pair.locations;
    return col_generate(rtg->generator, &trial, rtg->seed, 0, program, problem);
}

static col_status add_if_possible(dir_rtg *rtg, dir_pair pair, col_program *program,
                                  col_problem *problem) {
    col_status status = try_pair(rtg, pair, program, problem);
    if (status == COL_BAD_INPUT)
        return COL_OK;
    if (status == COL_OK)
        status = base_reserve(&rtg->pairs, &rtg->pair_capacity, (size_t)rtg->pair_count + 1,
                              sizeof *rtg->pairs, problem);
    if (status == COL_OK)
        rtg->pairs[rtg->pair_count++] = pair;
    return status;
}

/* The pairs of one number of locations: with all sets that divide it, or the one that is asked for.
 */
static col_status add_run(dir_rtg *rtg, bool biased, uint32_t sets, uint32_t locations,
                          col_program *program, col_problem *problem) {
    const uint32_t first = rtg->pair_count;
    col_status status = COL_OK;
    if (!biased || sets != 0)
        status = add_if_possible(rtg, (dir_pair){locations, sets}, program, problem);
    else
        for (uint32_t k = 1; k <= locations && status == COL_OK; k++)
            if (locations % k == 0)
                status = add_if_possible(rtg, (dir_pair){locations, k}, program, problem);
    if (status != COL_OK || rtg->pair_count == first)
        return status;
    status = base_reserve(&rtg->runs, &rtg->run_capacity, (size_t)rtg->location_count + 2,
                          sizeof *rtg->runs, problem);
    if (status != COL_OK)
        return status;
    rtg->runs[rtg->location_count++] = first;
    rtg->runs[rtg->location_count] = rtg->pair_count;
    return COL_OK;
}

/* The runs from a number of locations up to its double. Small numbers have fewer steps. */
static col_status add_octave(dir_rtg *rtg, bool biased, const col_engine_settings *settings,
                             uint32_t base, col_program *program, col_problem *problem) {
    col_status status = COL_OK;
    uint32_t last = 0;
    for (uint32_t i = 0; i < rtg->location_steps && status == COL_OK; i++) {
        const uint32_t locations = base + (uint32_t)((uint64_t)base * i / rtg->location_steps);
        if (locations != last && locations <= settings->locations.most)
            status = add_run(rtg, biased, settings->sets, locations, program, problem);
        last = locations;
    }
    return status;
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

static col_status set_mix(dir_rtg *rtg, const col_engine_settings *settings, double loads,
                          col_problem *problem) {
    const char *mix =
        settings->mix == NULL ? gen_default_mix(settings->fetches, settings->dma) : settings->mix;
    const col_status status =
        rtg->generation.chained
            ? col_category_mix_parse(mix, &rtg->generation.categories, problem)
            : col_instruction_mix_parse(mix, &rtg->generation.instructions, problem);
    return status == COL_OK && loads != DIR_LOADS_OF_MIX
               ? dir_rtg_set_loads(rtg->generator, &rtg->generation, loads, problem)
               : status;
}

static col_sharing sharing_of(const dir_engine *kind, const dir_rtg_parameters *p) {
    return p->sharing != COL_SHARING_COUNT ? (col_sharing)p->sharing
           : kind->biased                  ? COL_TRUE_SHARING
                                           : COL_MIXED_SHARING;
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
    const bool is_asked = parameters.sharing != COL_SHARING_COUNT || parameters.align != 0;
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

static uint32_t doubling_move(const dir_rtg *rtg, dir_pair p, dir_move move) {
    const dir_pair to[DIR_MOVE_COUNT] = {
        [DIR_MORE_LOCATIONS] = {2 * p.locations, p.sets}, /* at most twice COL_MAX_LOCATIONS */
        [DIR_FEWER_LOCATIONS] = {halved(p.locations), p.sets},
        [DIR_MORE_SETS] = {p.locations, 2 * p.sets},
        [DIR_FEWER_SETS] = {p.locations, halved(p.sets)}};
    return find_pair(rtg, to[move]);
}

uint32_t dir_rtg_move(const dir_rtg *rtg, uint32_t pair, dir_move move) {
    const dir_pair from = rtg->pairs[pair];
    const bool rises = move == DIR_MORE_LOCATIONS || move == DIR_MORE_SETS;
    const bool keeps_sets = move == DIR_MORE_LOCATIONS || move == DIR_FEWER_LOCATIONS;
    if (rtg->location_steps == 1)
        return doubling_move(rtg, from, move);
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

/* ---- What engines know that need to know no more. */

json_t *dir_rtg_save(uint64_t test) {
    return json_pack("{s:I}", "test", (json_int_t)test);
}

col_status dir_rtg_restore(const json_t *saved, uint64_t *test, col_problem *problem) {
    if (!base_json_take(saved, "test", test))
        return base_refuse(problem, "the state of the engine has no number of tests");
    return COL_OK;
}
