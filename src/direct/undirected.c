/* SPDX-License-Identifier: MIT */
/*
 * Random test generation without direction: the thesis's PLAIN-, PLAIN+, CHAIN- and CHAIN+. Each
 * test is made at a point of the space that is drawn at random: operations and locations double
 * from one value to the next, and so do the sets that the locations of a biased test compete for.
 */
#include "base/rng.h"
#include "direct/engine.h"

#include <stdlib.h>

typedef struct undirected {
    col_engine_settings settings;
    col_generation generation;
    col_generator *generator;
    bool biased;
    uint64_t test;
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

/* Uniform competition: the sets divide the locations. */
static uint32_t draw_sets(col_rng *rng, uint32_t locations) {
    uint32_t most = 1;
    while (locations % (2 * most) == 0)
        most *= 2;
    return draw(rng, 1, most);
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
    const col_status status = u->generator == NULL ? col_out_of_memory(error) : set_mix(u, error);
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
    const col_range operations = u->settings.operations, locations = u->settings.locations;
    point->operations = draw(&rng, operations.least, operations.most);
    point->locations = draw(&rng, locations.least, locations.most);
    point->sets = 0;
    if (u->biased) {
        point->sets = u->settings.sets != 0 ? u->settings.sets : draw_sets(&rng, point->locations);
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
