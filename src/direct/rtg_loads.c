/* SPDX-License-Identifier: MIT */
/*
 * How many of the loads and stores of random tests are loads. Independent operations are drawn by
 * weights, which are scaled. Chains say of many operations what they are, and of the open ones a
 * mix says how many are loads: how many that must be is found by making programs.
 */
#include "direct/rtg_loads.h"

#include "base/problem.h"
#include "generate/mix.h"

enum { SAMPLE_OPERATIONS = 1 << 15, SAMPLE_LOCATIONS = 32, HALVINGS = 14 };
static const double close_enough = 0.01; /* several standard deviations of the sample */

/* ---- Independent operations. */

static double sum_of(const col_instruction_mix *mix, uint8_t kind) {
    double sum = 0;
    for (uint32_t t = 0; t < gen_template_count; t++)
        if (gen_templates[t].operation.kind == kind)
            sum += mix->weights[t];
    return sum;
}

static void scale(col_instruction_mix *mix, uint8_t kind, double factor) {
    for (uint32_t t = 0; t < gen_template_count; t++)
        if (gen_templates[t].operation.kind == kind)
            mix->weights[t] *= factor;
}

static col_status weigh(col_instruction_mix *mix, double loads, col_problem *problem) {
    const double load_sum = sum_of(mix, COL_LOAD), store_sum = sum_of(mix, COL_STORE);
    if (!(load_sum > 0) || !(store_sum > 0))
        return base_refuse(problem, "the parameter loads needs a mix with loads and stores");
    scale(mix, COL_LOAD, loads * (load_sum + store_sum) / load_sum);
    scale(mix, COL_STORE, (1 - loads) * (load_sum + store_sum) / store_sum);
    return COL_OK;
}

/* ---- Chains. */

typedef struct sample {
    col_generator *generator;
    col_generation generation;
    col_program program;
} sample;

/* The part that loads are if this part of the open kinds are. */
static col_status measure(sample *s, double open, double *loads, col_problem *problem) {
    uint32_t counts[COL_KIND_COUNT] = {0};
    s->generation.categories.loads = open;
    const col_status status =
        col_generate(s->generator, &s->generation, 1, 0, &s->program, problem);
    if (status != COL_OK)
        return status;
    for (uint32_t i = 0; i < col_program_operations(&s->program); i++)
        counts[s->program.operations[i].kind]++;
    const uint32_t all = counts[COL_LOAD] + counts[COL_STORE];
    *loads = all == 0 ? 0 : (double)counts[COL_LOAD] / all;
    return COL_OK;
}

static col_status search(sample *s, double loads, double *open, col_problem *problem) {
    double low = 1e-9, high = 1, least = 0, most = 0; /* 0 means that the mix does not say it */
    col_status status = measure(s, low, &least, problem);
    if (status == COL_OK)
        status = measure(s, high, &most, problem);
    if (status == COL_OK && (loads < least - close_enough || loads > most + close_enough))
        return base_refuse(problem,
                           "chains of this mix have %.0f to %.0f %% loads, so the parameter loads "
                           "cannot be %.3g",
                           100 * least, 100 * most, loads);
    for (int i = 0; i < HALVINGS && status == COL_OK; i++) {
        double part = 0;
        *open = (low + high) / 2;
        status = measure(s, *open, &part, problem);
        *(part < loads ? &low : &high) = *open;
    }
    return status;
}

static col_status open_kinds(col_generator *generator, col_generation *generation, double loads,
                             col_problem *problem) {
    sample s = {.generator = generator, .program = COL_PROGRAM_EMPTY};
    col_generation_default(&s.generation);
    s.generation.chained = true;
    s.generation.threads = generation->threads;
    s.generation.operations = SAMPLE_OPERATIONS;
    s.generation.locations = SAMPLE_LOCATIONS;
    s.generation.categories = generation->categories;
    const col_status status = search(&s, loads, &generation->categories.loads, problem);
    col_program_free(&s.program);
    return status;
}

col_status dir_rtg_set_loads(col_generator *generator, col_generation *generation, double loads,
                             col_problem *problem) {
    return generation->chained ? open_kinds(generator, generation, loads, problem)
                               : weigh(&generation->instructions, loads, problem);
}
