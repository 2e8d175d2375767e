/* SPDX-License-Identifier: MIT */
/*
 * Random genes and the programs that genes make. Locations are the places of McVerSi's test memory:
 * multiples of the stride in partitions that lie far apart, so that their blocks compete for cache
 * sets. A program has all of them as locations, used or not: a17 is one address in all tests.
 */
#include "direct/mtg.h"
#include "generate/mix.h"

#include "generate/synthesise.h"
#include <string.h>

#define NO_READ UINT32_MAX

static col_status set_memory(dir_mtg_space *space, const dir_mtg_parameters *p,
                             col_problem *problem) {
    if (p->stride % COL_WORD_BYTES != 0)
        return base_refuse(problem, "the stride is a multiple of %d bytes, not %llu",
                           COL_WORD_BYTES, (unsigned long long)p->stride);
    if (p->stride > p->partition || p->partition % p->stride != 0)
        return base_refuse(problem, "a partition of %llu bytes cannot be cut by a stride of %llu",
                           (unsigned long long)p->partition, (unsigned long long)p->stride);
    if (p->memory % p->partition != 0)
        return base_refuse(problem,
                           "a memory of %llu bytes is not made of partitions of %llu bytes",
                           (unsigned long long)p->memory, (unsigned long long)p->partition);
    if (p->distance < p->partition || p->distance % COL_WORD_BYTES != 0)
        return base_refuse(problem,
                           "partitions of %llu bytes cannot start at distances of %llu bytes",
                           (unsigned long long)p->partition, (unsigned long long)p->distance);
    space->stride = p->stride;
    space->distance = p->distance;
    space->places = (uint32_t)(p->partition / p->stride);
    space->locations = (uint32_t)(p->memory / p->stride);
    return COL_OK;
}

static void set_templates(dir_mtg_space *space, const col_instruction_mix *mix) {
    double weights[COL_MAX_TEMPLATES];
    uint32_t count = 0;
    space->located = 0;
    for (uint32_t t = 0; t < gen_template_count; t++) {
        if (!(mix->weights[t] > 0))
            continue;
        weights[count] = mix->weights[t];
        space->templates[count++] = (uint8_t)t;
        space->located |= (uint32_t)col_kinds[gen_templates[t].operation.kind].located << t;
    }
    base_chooser_build(&space->chooser, weights, count);
}

col_status dir_mtg_space_make(dir_mtg_space *space, const dir_mtg_parameters *parameters,
                              const col_engine_settings *settings, col_problem *problem) {
    col_instruction_mix mix;
    if (settings->threads == 0 || settings->threads > COL_MAX_THREADS)
        return base_refuse(problem, "a test has 1 to %d threads, not %u", COL_MAX_THREADS,
                           settings->threads);
    space->threads = settings->threads;
    space->operations = settings->operations.least;
    col_status status = set_memory(space, parameters, problem);
    const char *name =
        settings->mix == NULL ? gen_default_mix(settings->fetches, settings->dma) : settings->mix;
    if (status == COL_OK)
        status = col_instruction_mix_parse(strcmp(name, "published") == 0 ? "mcversi" : name, &mix,
                                           problem);
    if (status == COL_OK)
        set_templates(space, &mix);
    return status;
}

/* ---- Genes. */

/* With its place among `count` locations. */
static inline dir_mtg_gene draw(const dir_mtg_space *space, base_rng *rng, uint32_t count) {
    const uint32_t chosen = base_chooser_pick(&space->chooser, base_rng_next(rng));
    const uint64_t bits = base_rng_next(rng);
    dir_mtg_gene gene = {.thread = (uint16_t)base_scale((uint32_t)bits, space->threads),
                         .template = space->templates[chosen]};
    if (dir_mtg_is_located(space, &gene))
        gene.location = base_scale((uint32_t)(bits >> 32), count);
    return gene;
}

dir_mtg_gene dir_mtg_random_gene(const dir_mtg_space *space, base_rng *rng) {
    return draw(space, rng, space->locations);
}

dir_mtg_gene dir_mtg_random_gene_at(const dir_mtg_space *space, base_rng *rng,
                                    const uint32_t *locations, uint32_t count) {
    dir_mtg_gene gene = draw(space, rng, count);
    if (dir_mtg_is_located(space, &gene))
        gene.location = locations[gene.location];
    return gene;
}

void dir_mtg_random_genes(const dir_mtg_space *space, base_rng *rng, dir_mtg_gene *genes) {
    for (uint32_t i = 0; i < space->operations; i++)
        genes[i] = dir_mtg_random_gene(space, rng);
}

/* ---- Programs. */

static void write_addresses(const dir_mtg_space *space, col_program *program) {
    for (uint32_t l = 0; l < space->locations; l++)
        program->addresses[l] = (uint64_t)(l / space->places) * space->distance +
                                (uint64_t)(l % space->places) * space->stride;
}

/* A dependent operation hangs on the nearest read before it; without one it is independent. */
static void hang_on_read(col_operation *operation, uint32_t place, uint32_t last_read) {
    if (operation->dependency == COL_NO_DEPENDENCY)
        return;
    if (last_read == NO_READ)
        operation->dependency = COL_NO_DEPENDENCY;
    else
        operation->distance = place - last_read;
}

static void write_operations(const dir_mtg_space *space, const dir_mtg_gene *genes, uint32_t *next,
                             uint32_t *last_read, col_program *program) {
    for (uint32_t i = 0; i < space->operations; i++) {
        const dir_mtg_gene *gene = &genes[i];
        const uint32_t place = next[gene->thread]++;
        col_operation *operation = &program->operations[place];
        *operation = gen_templates[gene->template].operation;
        operation->location += gene->location;
        hang_on_read(operation, place, last_read[gene->thread]);
        if (col_kinds[operation->kind].reads && !col_kinds[operation->kind].dma)
            last_read[gene->thread] = place;
    }
}

col_status dir_mtg_write_program(const dir_mtg_space *space, const dir_mtg_gene *genes,
                                 uint32_t *scratch, col_program *program, col_problem *problem) {
    uint32_t *next = scratch, *last_read = scratch + space->threads;
    for (uint32_t t = 0; t < space->threads; t++)
        next[t] = 0;
    for (uint32_t i = 0; i < space->operations; i++)
        next[genes[i].thread]++;
    const col_status status =
        col_program_shape(program, space->threads, next, space->locations, problem);
    if (status != COL_OK)
        return status;
    for (uint32_t t = 0; t < space->threads; t++) {
        next[t] = program->thread_start[t];
        last_read[t] = NO_READ;
    }
    write_operations(space, genes, next, last_read, program);
    write_addresses(space, program);
    gen_synthesise(program);
    return COL_OK;
}
