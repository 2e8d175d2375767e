/* SPDX-License-Identifier: MIT */
/*
 * The programs that the agent's actions lead through: equal threads of operations of the
 * instruction mix, on the points of the space of random test generation. Addresses follow from a
 * number, so that a program is small to keep and its addresses can be drawn anew.
 */
#include "direct/dqg.h"

#include "generate/mix.h"

#include <stdlib.h>

/* Plain threads with a few of the genetic engine's atomics: flushes and delays are left to --mix,
 * since the engines that this one is compared with have none by default. */
#define DEFAULT_MIX "load=0.48,store=0.46,swap=0.02,fence=0.04"

/* ---- What operations are drawn from. */

static void make_choice(dqg_choice *choice, const dqg_space *space, const col_instruction_mix *mix,
                        uint32_t kinds) {
    double weights[COL_MAX_TEMPLATES];
    choice->count = 0;
    for (uint32_t t = 0; t < col_template_count; t++)
        if (mix->weights[t] > 0 && (kinds >> space->kind_of[t] & 1) != 0) {
            weights[choice->count] = mix->weights[t];
            choice->templates[choice->count++] = (uint8_t)t;
        }
    if (choice->count > 0)
        col_chooser_build(&choice->chooser, weights, choice->count);
}

static void make_choices(dqg_space *space, const col_instruction_mix *mix) {
    for (uint32_t t = 0; t < col_template_count; t++) {
        const uint8_t kind = col_templates[t].operation.kind;
        space->kind_of[t] = kind == COL_LOAD ? DQG_LOAD : kind == COL_STORE ? DQG_STORE : DQG_OTHER;
    }
    make_choice(&space->load, space, mix, 1U << DQG_LOAD);
    make_choice(&space->store, space, mix, 1U << DQG_STORE);
    make_choice(&space->plain, space, mix, 1U << DQG_LOAD | 1U << DQG_STORE);
    make_choice(&space->other, space, mix, 1U << DQG_OTHER);
}

/* The template of a kind without any attribute, if the mix has it. */
static bool find_plain(dqg_space *space, const col_instruction_mix *mix, col_kind kind,
                       uint8_t fence) {
    for (uint32_t t = 0; t < col_template_count; t++) {
        const col_operation *o = &col_templates[t].operation;
        if (o->kind != kind || o->order != 0 || o->dependency != COL_NO_DEPENDENCY ||
            o->fence != fence || !(mix->weights[t] > 0))
            continue;
        space->chain_templates[kind] = (uint8_t)t;
        return true;
    }
    return false;
}

/* Chains are made of loads, stores and full fences. Without fences there are the categories that
 * need none; one thread has those that need no other. */
static void set_chains(dqg_space *space, const col_instruction_mix *mix) {
    const bool has_fence = find_plain(space, mix, COL_FENCE, COL_FULL_FENCE);
    const char *categories = space->genes.threads == 1 ? "c0=1" : has_fence ? "c1-c2" : "c0-c1";
    const bool has_load = find_plain(space, mix, COL_LOAD, 0);
    space->has_chains = find_plain(space, mix, COL_STORE, 0) && has_load;
    (void)col_category_mix_parse(categories, &space->chain_settings.mix, NULL);
}

/* The genetic engine's genes; its memory is not ours. */
static col_status set_genes(dqg_space *space, const col_engine_settings *settings,
                            col_error *error) {
    const mtg_parameters memory = {.memory = COL_WORD_BYTES,
                                   .stride = COL_WORD_BYTES,
                                   .partition = COL_WORD_BYTES,
                                   .distance = COL_WORD_BYTES};
    col_instruction_mix mix;
    col_status status = mtg_space_make(&space->genes, &memory, settings, error);
    if (status == COL_OK)
        status = col_instruction_mix_parse(settings->mix, &mix, error);
    if (status != COL_OK)
        return status;
    make_choices(space, &mix);
    set_chains(space, &mix);
    return COL_OK;
}

/* ---- Beginning and end. */

static uint32_t most_operations(const dqg_space *space) {
    return space->rtg.sizes[space->rtg.size_count - 1];
}

static uint32_t most_locations(const dqg_space *space) {
    return space->rtg.pairs[space->rtg.pair_count - 1].locations;
}

static col_status make_room(dqg_space *space, col_error *error) {
    space->threads = calloc(2 * (size_t)space->genes.threads, sizeof *space->threads);
    space->locations = calloc(most_locations(space), sizeof *space->locations);
    space->spare = calloc(most_operations(space), sizeof *space->spare);
    space->before = calloc(most_operations(space), sizeof *space->before);
    return space->threads == NULL || space->locations == NULL || space->spare == NULL ||
                   space->before == NULL
               ? col_out_of_memory(error)
               : COL_OK;
}

col_status dqg_space_open(dqg_space *space, const dir_engine *kind,
                          const col_engine_settings *settings, col_error *error) {
    col_engine_settings with_mix = *settings;
    if (with_mix.mix == NULL)
        with_mix.mix = DEFAULT_MIX;
    *space = (dqg_space){.chains = COL_PROGRAM_EMPTY};
    col_status status = set_genes(space, &with_mix, error);
    if (status == COL_OK)
        status = dir_rtg_open(&space->rtg, kind, dir_placing_of(kind), &with_mix, error);
    if (status == COL_OK)
        status = make_room(space, error);
    if (status != COL_OK)
        dqg_space_close(space);
    return status;
}

void dqg_space_close(dqg_space *space) {
    dir_rtg_close(&space->rtg);
    col_assigner_free(&space->assigner);
    col_chainer_free(&space->chainer);
    col_program_free(&space->chains);
    free(space->threads);
    free(space->locations);
    free(space->spare);
    free(space->before);
    *space = (dqg_space){.chains = COL_PROGRAM_EMPTY};
}

col_status dqg_program_new(dqg_program *program, const dqg_space *space, col_error *error) {
    *program = (dqg_program){.genes = calloc(most_operations(space), sizeof *program->genes)};
    return program->genes == NULL ? col_out_of_memory(error) : COL_OK;
}

void dqg_program_free(dqg_program *program) {
    free(program->genes);
    *program = (dqg_program){0};
}

/* ---- Programs. */

col_point dqg_point(const dqg_space *space, const dqg_program *program) {
    const dir_pair pair = space->rtg.pairs[program->pair];
    return (col_point){space->rtg.sizes[program->size], pair.locations, pair.sets};
}

col_point dqg_take_up(dqg_space *space, const dqg_program *program) {
    const col_point point = dqg_point(space, program);
    space->genes.operations = point.operations;
    space->genes.locations = point.locations;
    return point;
}

void dqg_count_kinds(const dqg_space *space, const dqg_program *program,
                     uint32_t counts[DQG_KIND_COUNT]) {
    const uint32_t operations = space->rtg.sizes[program->size];
    for (uint32_t kind = 0; kind < DQG_KIND_COUNT; kind++)
        counts[kind] = 0;
    for (uint32_t i = 0; i < operations; i++)
        counts[space->kind_of[program->genes[i].template]]++;
}

void dqg_swap_genes(dqg_space *space, dqg_program *program) {
    mtg_gene *genes = program->genes;
    program->genes = space->spare;
    space->spare = genes;
}

mtg_gene dqg_draw(const dqg_space *space, uint32_t thread, col_rng *rng) {
    mtg_gene gene = mtg_random_gene(&space->genes, rng);
    gene.thread = (uint16_t)thread;
    return gene;
}

void dqg_first(dqg_space *space, col_rng *rng, dqg_program *program) {
    const uint32_t run = (uint32_t)col_rng_below(rng, space->rtg.location_count);
    const uint32_t first = space->rtg.runs[run], end = space->rtg.runs[run + 1];
    program->size = 0;
    program->pair = first + (uint32_t)col_rng_below(rng, end - first);
    program->layout = col_rng_next(rng) >> 1;
    const col_point point = dqg_take_up(space, program);
    for (uint32_t t = 0; t < space->genes.threads; t++)
        for (uint32_t i = dqg_start(space, point.operations, t);
             i < dqg_start(space, point.operations, t + 1); i++)
            program->genes[i] = dqg_draw(space, t, rng);
}

col_status dqg_write(dqg_space *space, const dqg_program *program, col_program *written,
                     col_error *error) {
    const col_point point = dqg_take_up(space, program);
    const col_status status =
        mtg_write_program(&space->genes, program->genes, space->threads, written, error);
    if (status != COL_OK)
        return status;
    col_addressing addressing = space->rtg.generation.addressing;
    addressing.sets = point.sets;
    col_rng rng;
    col_rng_seed(&rng, space->rtg.seed, program->layout);
    return col_assign(&space->assigner, &addressing, point.locations, &rng, written->addresses,
                      error);
}
