/* SPDX-License-Identifier: MIT */
/*
 * Random genes and the programs that genes make. Locations are the places of McVerSi's test memory:
 * multiples of the stride in partitions that lie far apart, so that their blocks compete for cache
 * sets. A program has all of them as locations, used or not: a17 is one address in all tests.
 */
#include "base/number.h"
#include "engine/engine.h"
#include "engine/mtg.h"
#include "program/generate/generator.h"

#include <stdlib.h>
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
    if (status == COL_OK) {
        double weights[COL_MAX_TEMPLATES];
        uint32_t count = 0;
        space->located = 0;
        for (uint32_t t = 0; t < gen_template_count; t++) {
            if (!(mix.weights[t] > 0))
                continue;
            weights[count] = mix.weights[t];
            space->templates[count++] = (uint8_t)t;
            space->located |= (uint32_t)col_kinds[gen_templates[t].operation.kind].located << t;
        }
        base_chooser_build(&space->chooser, weights, count);
    }
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

/* A dependent operation hangs on the nearest read before it; without one it is independent. */
static void hang_on_read(col_operation *operation, uint32_t place, uint32_t last_read) {
    if (operation->dependency == COL_NO_DEPENDENCY)
        return;
    if (last_read == NO_READ)
        operation->dependency = COL_NO_DEPENDENCY;
    else
        operation->distance = place - last_read;
}

col_status dir_mtg_write_program(const dir_mtg_space *space, const dir_mtg_gene *genes,
                                 uint32_t *scratch, col_program *program, col_problem *problem) {
    uint32_t *next = scratch, *last_read = scratch + space->threads;
    for (uint32_t t = 0; t < space->threads; t++)
        next[t] = 0;
    for (uint32_t i = 0; i < space->operations; i++)
        next[genes[i].thread]++;
    BASE_TRY(col_program_shape(program, space->threads, next, space->locations, problem));
    for (uint32_t t = 0; t < space->threads; t++) {
        next[t] = program->thread_start[t];
        last_read[t] = NO_READ;
    }
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
    for (uint32_t l = 0; l < space->locations; l++)
        program->addresses[l] = (uint64_t)(l / space->places) * space->distance +
                                (uint64_t)(l % space->places) * space->stride;
    gen_synthesise(program);
    return COL_OK;
}

/*
 * The genetic engine's state as JSON. Genes are text of twelve hexadecimal digits each: six of the
 * location, four of the thread, two of the template.
 */

enum { LOCATION_DIGITS = 6, THREAD_DIGITS = 4, TEMPLATE_DIGITS = 2, GENE_DIGITS = 12 };

/* ---- Saving. */

json_t *dir_mtg_save_genes(const dir_mtg_space *space, const dir_mtg_gene *genes) {
    const size_t length = (size_t)space->operations * GENE_DIGITS;
    char *text = malloc(length + 1);
    if (text == NULL)
        return NULL;
    char *at = text;
    for (uint32_t i = 0; i < space->operations; i++) {
        at = base_put_hexadecimal(at, genes[i].location, LOCATION_DIGITS);
        at = base_put_hexadecimal(at, genes[i].thread, THREAD_DIGITS);
        at = base_put_hexadecimal(at, genes[i].template, TEMPLATE_DIGITS);
    }
    json_t *value = json_stringn(text, length);
    free(text);
    return value;
}

static json_t *save_fit(const dir_mtg_space *space, const bool *is_fit) {
    json_t *list = json_array();
    for (uint32_t l = 0; l < space->locations; l++)
        if (is_fit[l])
            base_json_append(&list, json_integer(l));
    return list;
}

static json_t *save_population(const dir_mtg_engine *e) {
    json_t *list = json_array();
    for (uint32_t age = 0; age < e->population.count; age++) {
        const dir_mtg_test *test = dir_mtg_population_test(&e->population, age);
        base_json_append(
            &list, json_pack("{s:o, s:o, s:f}", "genes", dir_mtg_save_genes(&e->space, test->genes),
                             "fit", save_fit(&e->space, test->is_fit), "fitness", test->fitness));
    }
    return list;
}

static json_t *save_numbers(const uint64_t *numbers, uint64_t count) {
    json_t *list = json_array();
    for (uint64_t i = 0; i < count; i++)
        base_json_append(&list, json_integer((json_int_t)numbers[i]));
    return list;
}

static json_t *save_candidates(const dir_mtg_engine *e) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < e->population.under_way; i++)
        base_json_append(
            &list, dir_mtg_save_genes(&e->space, dir_mtg_candidate(&e->population, i)->genes));
    return list;
}

json_t *dir_mtg_save(const void *state) {
    const dir_mtg_engine *e = state;
    return json_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:o}", "random", dir_chance_save(&e->rng),
                     "candidates", save_candidates(e), "population", save_population(e), "cutoff",
                     (json_int_t)e->coverage.cutoff, "stalled", (json_int_t)e->coverage.stalled,
                     "tests", (json_int_t)e->coverage.tests, "hits",
                     save_numbers(e->coverage.hits, e->coverage.total), "seen",
                     save_numbers(e->coverage.seen, e->coverage.total));
}

/* ---- Restoring: nothing in the file is taken on trust. */

static bool has_template(const dir_mtg_space *space, uint64_t template) {
    for (uint32_t i = 0; i < space->chooser.count; i++)
        if (space->templates[i] == template)
            return true;
    return false;
}

static bool read_gene(const dir_mtg_space *space, const char **at, dir_mtg_gene *gene) {
    uint64_t location = 0, thread = 0, template = 0;
    if (!base_take_hexadecimal(at, LOCATION_DIGITS, &location) ||
        !base_take_hexadecimal(at, THREAD_DIGITS, &thread) ||
        !base_take_hexadecimal(at, TEMPLATE_DIGITS, &template) || thread >= space->threads ||
        !has_template(space, template))
        return false;
    *gene = (dir_mtg_gene){(uint32_t)location, (uint16_t)thread, (uint8_t) template};
    return location < (dir_mtg_is_located(space, gene) ? space->locations : 1);
}

bool dir_mtg_restore_genes(const dir_mtg_space *space, const json_t *saved, dir_mtg_gene *genes) {
    const char *at = json_string_value(saved);
    if (at == NULL || json_string_length(saved) != (size_t)space->operations * GENE_DIGITS)
        return false;
    for (uint32_t i = 0; i < space->operations; i++)
        if (!read_gene(space, &at, &genes[i]))
            return false;
    return true;
}

static bool restore_test(const dir_mtg_space *space, const json_t *saved, dir_mtg_test *test) {
    const json_t *fit = json_object_get(saved, "fit"), *item;
    const json_t *fitness = json_object_get(saved, "fitness");
    size_t i;
    if (!dir_mtg_restore_genes(space, json_object_get(saved, "genes"), test->genes) ||
        !json_is_array(fit) || !json_is_number(fitness))
        return false;
    memset(test->is_fit, 0, space->locations * sizeof *test->is_fit);
    json_array_foreach(fit, i, item) {
        const json_int_t location = json_integer_value(item);
        if (!json_is_integer(item) || location < 0 || location >= (json_int_t)space->locations)
            return false;
        test->is_fit[location] = true;
    }
    test->fitness = json_number_value(fitness);
    return test->fitness >= 0 && test->fitness <= 1;
}

static bool restore_population(dir_mtg_engine *e, const json_t *saved) {
    const json_t *item;
    size_t i;
    if (!json_is_array(saved) || json_array_size(saved) > e->population.size)
        return false;
    json_array_foreach(saved, i, item) {
        e->population.under_way = 1;
        if (!restore_test(&e->space, item, dir_mtg_candidate(&e->population, 0)))
            return false;
        dir_mtg_population_add(&e->population);
    }
    return true;
}

static bool restore_candidates(dir_mtg_engine *e, const json_t *saved) {
    const json_t *item;
    size_t i;
    if (!json_is_array(saved) || json_array_size(saved) > e->population.window)
        return false;
    json_array_foreach(saved, i, item) {
        const uint32_t number = e->population.under_way++;
        if (!dir_mtg_restore_genes(&e->space, item,
                                   dir_mtg_candidate(&e->population, number)->genes))
            return false;
    }
    return true;
}

static bool restore_numbers(const json_t *saved, uint64_t *numbers) {
    const json_t *item;
    size_t i;
    json_array_foreach(saved, i, item) {
        if (!json_is_integer(item))
            return false;
        numbers[i] = (uint64_t)json_integer_value(item);
    }
    return true;
}

col_status dir_mtg_restore(void *state, const json_t *saved, col_problem *problem) {
    dir_mtg_engine *e = state;
    dir_mtg_population *p = &e->population;
    p->count = p->oldest = p->under_way = p->first = 0;
    if (!dir_chance_restore(json_object_get(saved, "random"), &e->rng))
        return base_refuse(problem, "the state of the engine has no state of chance");
    if (!restore_population(e, json_object_get(saved, "population")))
        return base_refuse(problem,
                           "the state of the engine has no population of tests of its size");
    if (!restore_candidates(e, json_object_get(saved, "candidates")))
        return base_refuse(problem, "the state of the engine has no valid tests under way");
    const json_t *hits = json_object_get(saved, "hits"), *seen = json_object_get(saved, "seen");
    const uint64_t least = e->coverage.cutoff; /* it only ever doubles */
    if (!json_is_array(hits) || !json_is_array(seen) ||
        json_array_size(hits) != json_array_size(seen) ||
        !base_json_take(saved, "cutoff", &e->coverage.cutoff) || e->coverage.cutoff < least ||
        !base_json_take(saved, "stalled", &e->coverage.stalled) ||
        !base_json_take(saved, "tests", &e->coverage.tests))
        return base_refuse(problem, "the state of the engine has no valid coverage");
    BASE_TRY(dir_mtg_coverage_shape(&e->coverage, json_array_size(hits), problem));
    if (!restore_numbers(hits, e->coverage.hits) || !restore_numbers(seen, e->coverage.seen))
        return base_refuse(problem, "the state of the engine has no valid coverage");
    return COL_OK;
}
