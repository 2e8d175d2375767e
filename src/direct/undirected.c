/* SPDX-License-Identifier: MIT */
/*
 * Random test generation without direction: the thesis's PLAIN-, PLAIN+, CHAIN- and CHAIN+. Each
 * test is made at a point of the space that is drawn at random: operations and locations double
 * from one value to the next, and so do the sets that the locations of a biased test compete for.
 */
#include "base/rng.h"
#include "direct/engine.h"

#include <stdlib.h>

enum { DOUBLINGS = 32 };

typedef struct undirected {
    col_engine_settings settings;
    col_generation generation;
    col_generator *generator;
    bool biased;
    uint64_t test;
    /* Of the locations that tests can have, and for each the sets that these can compete for. Not
     * all can: sets divide the locations, and caches and address space have their sizes. */
    uint32_t locations[DOUBLINGS], location_count;
    uint32_t sets[DOUBLINGS][DOUBLINGS], set_count[DOUBLINGS];
} undirected;

static uint32_t doublings(uint32_t least, uint32_t most) {
    uint32_t count = 0;
    while (least <= most / 2) {
        least *= 2;
        count++;
    }
    return count;
}

static uint32_t draw(col_rng *rng, uint32_t least, uint32_t most) {
    return least << col_rng_below(rng, (uint64_t)doublings(least, most) + 1);
}

/* Can addresses be assigned? A program of one load shows it. */
static bool is_possible(undirected *u, uint32_t locations, uint32_t sets, col_program *program,
                        col_error *error) {
    col_generation trial;
    col_generation_default(&trial);
    trial.addressing.geometry = u->settings.geometry;
    trial.threads = 1;
    trial.operations = 1;
    trial.locations = locations;
    if (sets != 0)
        col_addressing_bias(&trial.addressing, sets);
    return col_generate(u->generator, &trial, u->settings.seed, 0, program, error) == COL_OK;
}

static void find_sets(undirected *u, uint32_t locations, col_program *program, col_error *error) {
    const uint32_t place = u->location_count;
    const uint32_t fixed = u->settings.sets;
    uint32_t *count = &u->set_count[place];
    *count = 0;
    for (uint32_t sets = fixed != 0 ? fixed : 1; sets <= locations; sets *= 2) {
        if (is_possible(u, locations, sets, program, error))
            u->sets[place][(*count)++] = sets;
        if (fixed != 0 || sets > UINT32_MAX / 2)
            break;
    }
}

/* All numbers of locations that a test can have. If there are none, the error says why not. */
static col_status find_points(undirected *u, col_error *error) {
    const col_range range = u->settings.locations;
    col_program program = COL_PROGRAM_EMPTY;
    if (u->settings.sets > range.most)
        return col_refuse(error, "%u locations cannot compete for %u sets", range.most,
                          u->settings.sets);
    for (uint32_t i = 0; i <= doublings(range.least, range.most); i++) {
        const uint32_t locations = range.least << i;
        if (u->biased)
            find_sets(u, locations, &program, error);
        if (u->biased ? u->set_count[u->location_count] > 0
                      : is_possible(u, locations, 0, &program, error))
            u->locations[u->location_count++] = locations;
    }
    col_program_free(&program);
    return u->location_count > 0 ? COL_OK : COL_BAD_INPUT;
}

static col_status set_mix(undirected *u, col_error *error) {
    if (u->settings.mix == NULL)
        return COL_OK;
    return u->generation.chained
               ? col_category_mix_parse(u->settings.mix, &u->generation.categories, error)
               : col_instruction_mix_parse(u->settings.mix, &u->generation.instructions, error);
}

static void close_engine(void *state) {
    undirected *u = state;
    col_generator_free(u->generator);
    free(u);
}

static col_status open_engine(const dir_engine *kind, void **state,
                              const col_engine_settings *settings, col_error *error) {
    if (settings->sets != 0 && !kind->biased)
        return col_refuse(error, "sets are for engines that bias addresses; %s does not",
                          kind->name);
    undirected *u = calloc(1, sizeof *u);
    if (u == NULL)
        return col_out_of_memory(error);
    u->settings = *settings;
    u->biased = kind->biased;
    u->generator = col_generator_new();
    col_generation_default(&u->generation);
    u->generation.chained = kind->chained;
    u->generation.threads = settings->threads;
    u->generation.addressing.geometry = settings->geometry;
    col_status status = u->generator == NULL ? col_out_of_memory(error) : set_mix(u, error);
    if (status == COL_OK)
        status = find_points(u, error);
    if (status != COL_OK) {
        close_engine(u);
        return status;
    }
    *state = u;
    return COL_OK;
}

static col_status next_test(void *state, const col_feedback *feedback, col_program *program,
                            col_point *point, col_error *error) {
    undirected *u = state;
    col_rng rng;
    (void)feedback;
    col_rng_seed(&rng, u->settings.seed, u->test);
    point->operations = draw(&rng, u->settings.operations.least, u->settings.operations.most);
    const uint64_t place = col_rng_below(&rng, u->location_count);
    point->locations = u->locations[place];
    point->sets = 0;
    if (u->biased) {
        point->sets = u->sets[place][col_rng_below(&rng, u->set_count[place])];
        col_addressing_bias(&u->generation.addressing, point->sets);
    }
    u->generation.operations = point->operations;
    u->generation.locations = point->locations;
    return col_generate(u->generator, &u->generation, u->settings.seed, u->test++, program, error);
}

#define UNDIRECTED .open = open_engine, .close = close_engine, .next = next_test

const dir_engine dir_plain = {
    .name = "plain", .summary = "independent operations, unconstrained addresses", UNDIRECTED};
const dir_engine dir_plain_bias = {.name = "plain-bias",
                                   .summary = "independent operations, competing locations",
                                   .biased = true,
                                   UNDIRECTED};
const dir_engine dir_chain = {.name = "chain",
                              .summary = "dependence chains, unconstrained addresses",
                              .chained = true,
                              UNDIRECTED};
const dir_engine dir_chain_bias = {.name = "chain-bias",
                                   .summary = "dependence chains, competing locations",
                                   .chained = true,
                                   .biased = true,
                                   UNDIRECTED};
