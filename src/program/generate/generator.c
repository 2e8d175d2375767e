/* SPDX-License-Identifier: MIT */
/* The random test generator as a whole: lengths, threads, addresses, values. */
#include "program/generate/generator.h"
#include "base/memory.h"
#include "base/random.h"
#include "program/geometry.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct col_generator {
    gen_assigner assigner;
    gen_chainer chainer;
    gen_chain_list list;
    bool keep_chains;
    uint32_t *lengths;
    size_t length_capacity;
    col_generated last;
};

void col_generation_default(col_generation *generation) {
    *generation = (col_generation){
        .threads = 8,
        .operations = 1024,
        .locations = 16,
        .addressing = {.space_bits = 25, .alignment_bits = 3, .sharing = COL_MIXED_SHARING},
    };
    prg_geometry_default(&generation->addressing.geometry);
    (void)col_instruction_mix_parse(gen_default_mix(false, false), &generation->instructions, NULL);
    (void)col_category_mix_parse(gen_default_mix(false, false), &generation->categories, NULL);
}

col_generator *col_generator_new(void) {
    return calloc(1, sizeof(col_generator));
}

void col_generator_free(col_generator *generator) {
    if (generator == NULL)
        return;
    gen_assigner_free(&generator->assigner);
    gen_chainer_free(&generator->chainer);
    gen_chain_list_free(&generator->list);
    free(generator->lengths);
    free(generator);
}

void col_generator_keep_chains(col_generator *generator, bool keep) {
    generator->keep_chains = keep;
}

const col_generated *col_generator_last(const col_generator *generator) {
    return &generator->last;
}

static col_status check_weights(const double *weights, uint32_t count, const char *what,
                                col_problem *problem) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!isfinite(weights[i]) || weights[i] < 0)
            return base_refuse(problem, "a weight of the %s mix is negative or no number", what);
        sum += weights[i];
    }
    if (!(sum > 0) || !isfinite(sum))
        return base_refuse(problem, "the weights of the %s mix must sum to a number above 0", what);
    return COL_OK;
}

static col_status check_settings(const col_generation *generation, col_problem *problem) {
    if (generation->threads == 0 || generation->threads > COL_MAX_THREADS)
        return base_refuse(problem, "a program has 1 to %d threads", COL_MAX_THREADS);
    if (generation->locations == 0 || generation->locations > COL_MAX_LOCATIONS)
        return base_refuse(problem, "a program has 1 to %d locations", COL_MAX_LOCATIONS);
    if (generation->operations == 0)
        return base_refuse(problem, "a program needs at least one operation");
    if (generation->random_lengths && generation->lengths != NULL)
        return base_refuse(problem, "lengths are either given or random, not both");
    if (generation->chained &&
        !(generation->categories.loads >= 0 && generation->categories.loads <= 1))
        return base_refuse(problem, "the part of loads among open kinds is from 0 to 1");
    if (generation->chained)
        return check_weights(generation->categories.weights, COL_CATEGORIES, "category", problem);
    return check_weights(generation->instructions.weights, gen_template_count, "instruction",
                         problem);
}

static int compare_numbers(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Breaks the operations at random points: lengths[t] becomes the length of thread t. */
static void break_at_random(const col_generation *generation, base_rng *rng, uint32_t *lengths) {
    const uint32_t threads = generation->threads;
    for (uint32_t t = 0; t + 1 < threads; t++)
        lengths[t] = (uint32_t)base_rng_below(rng, (uint64_t)generation->operations + 1);
    lengths[threads - 1] = generation->operations;
    qsort(lengths, threads, sizeof *lengths, compare_numbers);
    for (uint32_t t = threads - 1; t > 0; t--)
        lengths[t] -= lengths[t - 1];
}

static col_status choose_lengths(col_generator *g, const col_generation *generation, base_rng *rng,
                                 col_problem *problem) {
    const uint64_t threads = generation->threads, operations = generation->operations;
    BASE_TRY(base_reserve(&g->lengths, &g->length_capacity, threads, sizeof *g->lengths, problem));
    if (generation->random_lengths) {
        break_at_random(generation, rng, g->lengths);
        return COL_OK;
    }
    uint64_t sum = 0;
    for (uint64_t t = 0; t < threads; t++) {
        /* n/p operations a thread, the remainder spread. */
        g->lengths[t] = generation->lengths != NULL
                            ? generation->lengths[t]
                            : (uint32_t)((t + 1) * operations / threads - t * operations / threads);
        sum += g->lengths[t];
    }
    if (sum != operations)
        return base_refuse(problem,
                           "the lengths of the threads sum to %llu, not to %llu operations",
                           (unsigned long long)sum, (unsigned long long)operations);
    return COL_OK;
}

/* ---- Plain threads (the thesis's PLAIN generators): kind and location of each operation drawn
 * independently. */

/* The templates with a weight, and what to do with each. */
typedef struct palette {
    base_chooser chooser;
    col_operation operations[COL_MAX_TEMPLATES];
    uint32_t bound[COL_MAX_TEMPLATES]; /* of the random location; 0: the template's own */
    uint32_t is_read[COL_MAX_TEMPLATES];
    bool any_dependency;
} palette;

static void fill_palette(palette *p, const col_instruction_mix *mix, uint32_t locations) {
    double weights[COL_MAX_TEMPLATES];
    uint32_t count = 0;
    p->any_dependency = false;
    for (uint32_t t = 0; t < gen_template_count; t++) {
        if (!(mix->weights[t] > 0))
            continue;
        const col_operation *operation = &gen_templates[t].operation;
        weights[count] = mix->weights[t];
        p->operations[count] = *operation;
        p->bound[count] = col_kinds[operation->kind].located ? locations : 0;
        p->is_read[count] = col_kinds[operation->kind].reads && !col_kinds[operation->kind].dma;
        p->any_dependency |= operation->dependency != COL_NO_DEPENDENCY;
        count++;
    }
    base_chooser_build(&p->chooser, weights, count);
}

static inline uint32_t draw(const palette *p, base_rng *rng, col_operation *operation) {
    const uint32_t chosen = base_chooser_pick(&p->chooser, base_rng_next(rng));
    const uint32_t location = base_scale((uint32_t)(base_rng_next(rng) >> 32), p->bound[chosen]);
    col_operation drawn = p->operations[chosen];
    drawn.location += location;
    *operation = drawn;
    return chosen;
}

/* Dependent operations hang on the nearest read before them; without one they are independent. */
static void fill_dependent(const palette *p, base_rng *rng, col_operation *thread,
                           uint32_t length) {
    uint32_t last_read = UINT32_MAX;
    for (uint32_t place = 0; place < length; place++) {
        col_operation *operation = &thread[place];
        const uint32_t chosen = draw(p, rng, operation);
        if (operation->dependency != COL_NO_DEPENDENCY && last_read != UINT32_MAX)
            operation->distance = place - last_read;
        else
            operation->dependency = COL_NO_DEPENDENCY;
        if (p->is_read[chosen])
            last_read = place;
    }
}

static void generate_plain(const col_instruction_mix *mix, base_rng *rng, col_program *program) {
    palette p;
    fill_palette(&p, mix, program->location_count);
    if (!p.any_dependency) {
        base_rng local = *rng; /* its state stays in registers: nothing else points to it */
        const uint32_t count = col_program_operations(program);
        for (uint32_t o = 0; o < count; o++)
            (void)draw(&p, &local, &program->operations[o]);
        *rng = local;
        return;
    }
    for (uint32_t t = 0; t < program->thread_count; t++)
        fill_dependent(&p, rng, program->operations + program->thread_start[t],
                       program->thread_start[t + 1] - program->thread_start[t]);
}

static col_status make_threads(col_generator *g, const col_generation *generation, base_rng *rng,
                               col_program *program, col_problem *problem) {
    if (!generation->chained) {
        generate_plain(&generation->instructions, rng, program);
        return COL_OK;
    }
    const gen_chain_settings settings = {.mix = generation->categories,
                                         .exact_fences = generation->exact_fences};
    g->list.chain_count = 0;
    g->list.link_count = 0;
    const col_status status = gen_generate_chained(
        &g->chainer, &settings, rng, program, g->keep_chains ? &g->list : NULL, &g->last, problem);
    if (g->keep_chains) {
        g->last.chains = g->list.chains;
        g->last.links = g->list.links;
        g->last.chain_total = g->list.chain_count;
    }
    return status;
}

col_status col_generate(col_generator *g, const col_generation *generation, uint64_t seed,
                        uint64_t test, col_program *program, col_problem *problem) {
    /* Threads and addresses have streams of their own, so that biasing leaves the threads as they
     * are and the other way round. */
    base_rng threads, addresses;
    base_rng_seed(&threads, seed, 2 * test);
    base_rng_seed(&addresses, seed, 2 * test + 1);
    g->last = (col_generated){0};

    col_status status = check_settings(generation, problem);
    if (status == COL_OK)
        status = choose_lengths(g, generation, &threads, problem);
    if (status == COL_OK)
        status = col_program_shape(program, generation->threads, g->lengths, generation->locations,
                                   problem);
    if (status == COL_OK)
        status = gen_assign(&g->assigner, &generation->addressing, generation->locations,
                            &addresses, program->addresses, problem);
    if (status == COL_OK && generation->addressing.sets > 0) {
        g->last.set_count = generation->addressing.sets;
        g->last.set_of = g->assigner.set_of;
    }
    if (status == COL_OK)
        status = make_threads(g, generation, &threads, program, problem);
    if (status != COL_OK) {
        program->thread_count = 0;
        program->location_count = 0;
        return status;
    }
    gen_synthesise(program);
    return COL_OK;
}

void gen_synthesise(col_program *program) {
    /* One bit for each kind that writes, so that the loop needs no table. */
    uint32_t writers = 0;
    for (uint32_t kind = 0; kind < COL_KIND_COUNT; kind++)
        writers |= (uint32_t)col_kinds[kind].writes << kind;

    const uint32_t count = col_program_operations(program);
    uint32_t value = 0;
    for (uint32_t o = 0; o < count; o++) {
        col_operation *operation = &program->operations[o];
        assert(operation->kind != COL_AWAIT);
        const uint32_t writes = writers >> operation->kind & 1;
        value += writes;
        operation->value = value & (0 - writes);
    }
}
