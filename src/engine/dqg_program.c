/* SPDX-License-Identifier: MIT */
/*
 * The programs that the agent's actions lead through: equal threads of operations of the
 * instruction mix, on the points of the space of random test generation. Addresses follow from a
 * number, so that a program is small to keep and its addresses can be drawn anew.
 */
#include "engine/dqg.h"

#include "base/memory.h"
#include "program/generate/generator.h"

#include <stdlib.h>
#include <string.h>

/* Plain threads with a few of the genetic engine's atomics, but no flushes and delays: the engines
 * that this one is compared with have none. */
#define PUBLISHED_MIX "load=0.48,store=0.46,swap=0.02,fence=0.04"

/* ---- What operations are drawn from. */

static void make_choice(dir_dqg_choice *choice, const dir_dqg_space *space,
                        const col_instruction_mix *mix, uint32_t kinds) {
    double weights[COL_MAX_TEMPLATES];
    choice->count = 0;
    for (uint32_t t = 0; t < gen_template_count; t++)
        if (mix->weights[t] > 0 && (kinds >> space->kind_of[t] & 1) != 0) {
            weights[choice->count] = mix->weights[t];
            choice->templates[choice->count++] = (uint8_t)t;
        }
    if (choice->count > 0)
        base_chooser_build(&choice->chooser, weights, choice->count);
}

/* The template of a kind without any attribute, if the mix has it. */
static bool find_plain(dir_dqg_space *space, const col_instruction_mix *mix, col_kind kind,
                       uint8_t fence) {
    for (uint32_t t = 0; t < gen_template_count; t++) {
        const col_operation *o = &gen_templates[t].operation;
        if (o->kind != kind || o->order != 0 || o->dependency != COL_NO_DEPENDENCY ||
            o->fence != fence || !(mix->weights[t] > 0))
            continue;
        space->chain_templates[kind] = (uint8_t)t;
        return true;
    }
    return false;
}

/* The genetic engine's genes; its memory is not ours. */
static col_status set_genes(dir_dqg_space *space, const col_engine_settings *settings,
                            col_problem *problem) {
    const dir_mtg_parameters memory = {.memory = COL_WORD_BYTES,
                                       .stride = COL_WORD_BYTES,
                                       .partition = COL_WORD_BYTES,
                                       .distance = COL_WORD_BYTES};
    col_instruction_mix mix;
    BASE_TRY(dir_mtg_space_make(&space->genes, &memory, settings, problem));
    BASE_TRY(col_instruction_mix_parse(settings->mix, &mix, problem));
    for (uint32_t t = 0; t < gen_template_count; t++) {
        const uint8_t kind = gen_templates[t].operation.kind;
        space->kind_of[t] = kind == COL_LOAD    ? DIR_DQG_LOAD
                            : kind == COL_STORE ? DIR_DQG_STORE
                                                : DIR_DQG_OTHER;
    }
    make_choice(&space->load, space, &mix, 1U << DIR_DQG_LOAD);
    make_choice(&space->store, space, &mix, 1U << DIR_DQG_STORE);
    make_choice(&space->plain, space, &mix, 1U << DIR_DQG_LOAD | 1U << DIR_DQG_STORE);
    make_choice(&space->other, space, &mix, 1U << DIR_DQG_OTHER);
    /* Chains are made of loads, stores and full fences. Without fences there are the categories
     * that need none; one thread has those that need no other. */
    const bool has_fence = find_plain(space, &mix, COL_FENCE, COL_FULL_FENCE);
    const char *categories = space->genes.threads == 1 ? "c0=1" : has_fence ? "c1-c2" : "c0-c1";
    const bool has_load = find_plain(space, &mix, COL_LOAD, 0);
    space->has_chains = find_plain(space, &mix, COL_STORE, 0) && has_load;
    (void)col_category_mix_parse(categories, &space->chain_settings.mix, NULL);
    return COL_OK;
}

/* ---- Beginning and end. */

static uint32_t most_operations(const dir_dqg_space *space) {
    return space->rtg.sizes[space->rtg.size_count - 1];
}

static col_status make_room(dir_dqg_space *space, col_problem *problem) {
    const uint32_t locations = space->rtg.pairs[space->rtg.pair_count - 1].locations;
    BASE_TRY(base_new(&space->threads, 2 * (size_t)space->genes.threads, sizeof *space->threads,
                      problem));
    BASE_TRY(base_new(&space->locations, locations, sizeof *space->locations, problem));
    BASE_TRY(base_new(&space->spare, most_operations(space), sizeof *space->spare, problem));
    return base_new(&space->before, most_operations(space), sizeof *space->before, problem);
}

col_status dir_dqg_space_open(dir_dqg_space *space, const dir_engine *kind,
                              const col_engine_settings *settings, col_problem *problem) {
    col_engine_settings with_mix = *settings;
    if (with_mix.mix == NULL)
        with_mix.mix = gen_default_mix(settings->fetches, settings->dma);
    else if (strcmp(with_mix.mix, "published") == 0)
        with_mix.mix = PUBLISHED_MIX;
    *space = (dir_dqg_space){.chains = COL_PROGRAM_EMPTY};
    col_status status = set_genes(space, &with_mix, problem);
    if (status == COL_OK)
        status = dir_rtg_open(&space->rtg, kind, DIR_RTG_UNASKED, &with_mix, problem);
    if (status == COL_OK)
        status = make_room(space, problem);
    if (status != COL_OK)
        dir_dqg_space_close(space);
    return status;
}

void dir_dqg_space_close(dir_dqg_space *space) {
    dir_rtg_close(&space->rtg);
    gen_assigner_free(&space->assigner);
    gen_chainer_free(&space->chainer);
    col_program_free(&space->chains);
    free(space->threads);
    free(space->locations);
    free(space->spare);
    free(space->before);
    *space = (dir_dqg_space){.chains = COL_PROGRAM_EMPTY};
}

col_status dir_dqg_program_new(dir_dqg_program *program, const dir_dqg_space *space,
                               col_problem *problem) {
    *program = (dir_dqg_program){0};
    return base_new(&program->genes, most_operations(space), sizeof *program->genes, problem);
}

void dir_dqg_program_free(dir_dqg_program *program) {
    free(program->genes);
    *program = (dir_dqg_program){0};
}

/* ---- Programs. */

col_point dir_dqg_point(const dir_dqg_space *space, const dir_dqg_program *program) {
    const dir_pair pair = space->rtg.pairs[program->pair];
    return (col_point){space->rtg.sizes[program->size], pair.locations, pair.sets};
}

col_point dir_dqg_take_up(dir_dqg_space *space, const dir_dqg_program *program) {
    const col_point point = dir_dqg_point(space, program);
    space->genes.operations = point.operations;
    space->genes.locations = point.locations;
    return point;
}

void dir_dqg_count_kinds(const dir_dqg_space *space, const dir_dqg_program *program,
                         uint32_t counts[DIR_DQG_KIND_COUNT]) {
    const uint32_t operations = space->rtg.sizes[program->size];
    for (uint32_t kind = 0; kind < DIR_DQG_KIND_COUNT; kind++)
        counts[kind] = 0;
    for (uint32_t i = 0; i < operations; i++)
        counts[space->kind_of[program->genes[i].template]]++;
}

void dir_dqg_swap_genes(dir_dqg_space *space, dir_dqg_program *program) {
    dir_mtg_gene *genes = program->genes;
    program->genes = space->spare;
    space->spare = genes;
}

dir_mtg_gene dir_dqg_draw(const dir_dqg_space *space, uint32_t thread, base_rng *rng) {
    dir_mtg_gene gene = dir_mtg_random_gene(&space->genes, rng);
    gene.thread = (uint16_t)thread;
    return gene;
}

void dir_dqg_first(dir_dqg_space *space, base_rng *rng, dir_dqg_program *program) {
    const uint32_t run = (uint32_t)base_rng_below(rng, space->rtg.location_count);
    const uint32_t first = space->rtg.runs[run], end = space->rtg.runs[run + 1];
    program->size = 0;
    program->pair = first + (uint32_t)base_rng_below(rng, end - first);
    program->layout = base_rng_next(rng) >> 1;
    const col_point point = dir_dqg_take_up(space, program);
    for (uint32_t t = 0; t < space->genes.threads; t++)
        for (uint32_t i = dir_dqg_start(space, point.operations, t);
             i < dir_dqg_start(space, point.operations, t + 1); i++)
            program->genes[i] = dir_dqg_draw(space, t, rng);
}

col_status dir_dqg_write(dir_dqg_space *space, const dir_dqg_program *program, col_program *written,
                         col_problem *problem) {
    const col_point point = dir_dqg_take_up(space, program);
    BASE_TRY(
        dir_mtg_write_program(&space->genes, program->genes, space->threads, written, problem));
    col_addressing addressing = space->rtg.generation.addressing;
    addressing.sets = point.sets;
    base_rng rng;
    base_rng_seed(&rng, space->rtg.seed, program->layout);
    return gen_assign(&space->assigner, &addressing, point.locations, &rng, written->addresses,
                      problem);
}
