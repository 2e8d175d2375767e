/* SPDX-License-Identifier: MIT */
/*
 * Litmus tests of cycles, packed into programs as litmus7 packs them: a test of the episode has
 * many copies of one litmus test, on locations of their own, and as many side by side as there are
 * cores. The next test has the next cycle; after the last comes the first again.
 *
 * A variable of the litmus test is an array with a cell for each copy, and threads walk through the
 * arrays with a stride. When all cells were used, they are used again: values are unique, so that
 * what comes of it is judged like everything else.
 */
#include "engine/engine.h"
#include "engine/rtg.h"
#include "engine/tour_engine.h"
#include "program/cycle/cycle.h"

#include <stdlib.h>
#include <string.h>

typedef struct litmus_parameters {
    uint64_t up_to, copies, stride, model, swaps;
    char relaxations[BASE_MOST_PAIR];
} litmus_parameters;

static const base_field parameters[] = {
    {BASE_FIELD("up-to", BASE_NUMBER, litmus_parameters, up_to), .initial = "6", .least = 2,
     .most = CYC_MOST, .help = "the longest cycle, in relaxations"},
    {BASE_FIELD("copies", BASE_NUMBER, litmus_parameters, copies), .least = 1,
     .most = COL_MAX_LOCATIONS,
     .help = "cells of an array; as many as the locations allow unless given"},
    {BASE_FIELD("stride", BASE_NUMBER, litmus_parameters, stride), .initial = "4", .least = 1,
     .most = 1 << 20, .help = "cells from one copy to the next"},
    {BASE_FIELD("model", BASE_WORD, litmus_parameters, model), .initial = "tso",
     .words = col_models, .help = "whose relaxations the cycles have"},
    {BASE_FIELD("relaxations", BASE_STRING, litmus_parameters, relaxations),
     .help = "other ones, separated by blanks"},
    {BASE_FIELD("swaps", BASE_NUMBER, litmus_parameters, swaps), .initial = "50", .most = 100,
     .help = "percent of the acquiring reads that are swaps"},
    {.name = NULL}};

typedef struct litmus {
    litmus_parameters parameters;
    col_engine_settings settings; /* without its texts */
    cyc_list list;                /* those that the cores can run */
    uint64_t test;
    cyc_test shape;
    dir_steps steps;
    uint32_t *order; /* of threads */
} litmus;

/* ---- The shapes. */

static uint32_t thread_count(const cyc_cycle *cycle) {
    uint32_t threads = 0;
    for (uint32_t i = 0; i < cycle->count; i++)
        threads += cycle->edges[i].is_external;
    return threads;
}

static uint32_t location_count(const cyc_cycle *cycle) {
    uint32_t locations = 0;
    for (uint32_t i = 0; i < cycle->count; i++)
        locations += cycle->edges[i].moves;
    return locations == 0 ? 1 : locations;
}

static uint32_t operation_count(const cyc_cycle *cycle) {
    uint32_t operations = cycle->count;
    for (uint32_t i = 0; i < cycle->count; i++)
        operations += cycle->edges[i].kind == CYC_FENCED;
    return operations;
}

static col_status find_shapes(litmus *l, const char *engine, col_problem *problem) {
    const char *text = l->parameters.relaxations[0] != '\0'
                           ? l->parameters.relaxations
                           : cyc_model_relaxations[l->parameters.model];
    cyc_relaxation *relaxations = NULL;
    uint32_t count = 0, kept = 0;
    col_status status = cyc_relaxations_read(text, &relaxations, &count, problem);
    if (status == COL_OK)
        status =
            cyc_list_make(&l->list, relaxations, count, (uint32_t)l->parameters.up_to, problem);
    free(relaxations);
    if (status != COL_OK)
        return status;
    for (uint32_t i = 0; i < l->list.count; i++)
        if (thread_count(&l->list.cycles[i]) <= l->settings.threads &&
            location_count(&l->list.cycles[i]) <= l->settings.locations.most &&
            operation_count(&l->list.cycles[i]) <= l->settings.operations.most)
            l->list.cycles[kept++] = l->list.cycles[i];
    l->list.count = kept;
    return kept > 0 ? COL_OK
                    : base_refuse(problem,
                                  "%s has no cycle of up to %u relaxations for %u threads, %u "
                                  "locations and %u operations",
                                  engine, (uint32_t)l->parameters.up_to, l->settings.threads,
                                  l->settings.locations.most, l->settings.operations.most);
}

/* ---- A test. */

/* Never less than a shape needs, which the most allows. */
static uint32_t at_least(uint32_t size, uint32_t needed) {
    return size < needed ? needed : size;
}

/* The cell of a copy: with a stride of 4 these are 0, 4, 8, ..., 1, 5, 9, ... */
static uint32_t cell_of(uint32_t copy, uint32_t cells, uint32_t stride) {
    uint32_t place = copy % cells, first = 0;
    for (; first < stride; first++) {
        const uint32_t in_walk = first < cells ? (cells - first + stride - 1) / stride : 0;
        if (place < in_walk)
            break;
        place -= in_walk;
    }
    return first + place * stride;
}

/* Threads of the litmus test take turns on the cores of a group, so that none is ahead for long. */
static void add_copy(litmus *l, uint32_t copy, uint32_t cell, uint32_t cells, base_rng *rng,
                     uint32_t *values) {
    const col_program *shape = &l->shape.program;
    const uint32_t threads = shape->thread_count;
    const uint32_t groups = at_least(l->settings.threads / at_least(threads, 1), 1);
    const uint32_t *group = l->order + (size_t)(copy % groups) * threads;
    for (uint32_t t = 0; t < threads; t++) {
        const uint32_t thread = group[(t + copy / groups) % threads];
        for (uint32_t o = shape->thread_start[t]; o < shape->thread_start[t + 1]; o++) {
            col_operation operation = shape->operations[o];
            if (operation.kind != COL_FENCE)
                operation.location = operation.location * cells + cell;
            /* RISC-V acquires by atomics, and by nothing else. */
            if (operation.kind == COL_LOAD && operation.order == COL_ACQUIRE &&
                base_rng_below(rng, 100) < l->parameters.swaps)
                operation.kind = COL_SWAP;
            if (operation.kind == COL_STORE || operation.kind == COL_SWAP)
                operation.value = ++*values;
            l->steps.items[l->steps.count++] = (dir_step){thread, operation};
        }
    }
}

static col_status pack(litmus *l, uint32_t copies, uint32_t cells, base_rng *rng,
                       col_problem *problem) {
    const size_t count = (size_t)copies * col_program_operations(&l->shape.program);
    uint32_t values = 0;
    BASE_TRY(dir_steps_reserve(&l->steps, count, problem));
    for (uint32_t t = 0; t < l->settings.threads; t++)
        l->order[t] = t;
    base_rng_shuffle(rng, l->order, l->settings.threads);
    l->steps.count = 0;
    for (uint32_t copy = 0; copy < copies; copy++)
        add_copy(l, copy, cell_of(copy, cells, (uint32_t)l->parameters.stride), cells, rng,
                 &values);
    return COL_OK;
}

static col_status next_test(void *state, const col_feedback *feedback, col_program *program,
                            col_point *point, col_problem *problem) {
    litmus *l = state;
    base_rng rng;
    (void)feedback;
    base_rng_seed(&rng, l->settings.seed, l->test);
    const cyc_cycle *cycle = &l->list.cycles[l->test % l->list.count];
    const uint32_t size = operation_count(cycle), variables = location_count(cycle);
    const uint32_t copies = at_least(dir_draw_size(l->settings.operations, &rng), size) / size;
    uint32_t cells = at_least(dir_draw_size(l->settings.locations, &rng), variables) / variables;
    if (l->parameters.copies != 0 && l->parameters.copies < cells)
        cells = (uint32_t)l->parameters.copies;
    cells = at_least(cells < copies ? cells : copies, 1);
    const uint32_t locations = variables * cells;
    BASE_TRY(cyc_test_make(&l->shape, cycle, problem));
    BASE_TRY(pack(l, copies, cells, &rng, problem));
    BASE_TRY(dir_steps_write(&l->steps, l->settings.threads, locations, program, problem));
    /* Arrays begin at blocks. */
    const uint64_t block = UINT64_C(1) << at_least(l->settings.geometry.block_bits, 3);
    const uint64_t array = ((uint64_t)cells * COL_WORD_BYTES + block - 1) / block * block;
    for (uint32_t a = 0; a < program->location_count; a++)
        program->addresses[a] = a / cells * array + (uint64_t)(a % cells) * COL_WORD_BYTES;
    l->test++;
    *point = (col_point){.operations = l->steps.count, .locations = locations};
    return COL_OK;
}

/* ---- The engine. */

static void close_engine(void *state) {
    litmus *l = state;
    cyc_list_free(&l->list);
    cyc_test_free(&l->shape);
    dir_steps_free(&l->steps);
    free(l->order);
}

static col_status open_engine(void *state, const dir_engine *kind,
                              const col_engine_settings *settings, col_problem *problem) {
    litmus *l = state;
    BASE_TRY(
        dir_parameters_read(parameters, kind->name, settings->options, &l->parameters, problem));
    if (settings->sets != 0)
        return base_refuse(problem, "%s places its locations itself: leave out the sets",
                           kind->name);
    if (settings->mix != NULL && strcmp(settings->mix, "published") != 0)
        return base_refuse(problem, "%s chooses operations by its cycles, not by a mix",
                           kind->name);
    l->settings = *settings;
    l->settings.mix = l->settings.options = NULL;
    l->order = calloc(settings->threads, sizeof *l->order);
    return l->order == NULL ? base_out_of_memory(problem) : find_shapes(l, kind->name, problem);
}

const dir_functions dir_litmus = {.size = sizeof(litmus),
                                  .open = open_engine,
                                  .close = close_engine,
                                  .next = next_test,
                                  .test = offsetof(litmus, test)};
