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
#include "base/memory.h"
#include "cycle/test.h"
#include "direct/engine.h"
#include "direct/parameters.h"
#include "direct/rtg.h"
#include "direct/tour.h"

#include <stdlib.h>
#include <string.h>

typedef struct litmus_parameters {
    uint64_t up_to, copies, stride, model;
    char relaxations[DIR_MOST_TEXT];
} litmus_parameters;

static const dir_parameter parameters[] = {
    {DIR_PARAMETER(litmus_parameters, up_to), .kind = DIR_WHOLE, .initial = 6, .least = 2,
     .most = CYC_MOST, .meaning = "the longest cycle, in relaxations"},
    {DIR_PARAMETER(litmus_parameters, copies), .kind = DIR_WHOLE, .initial = 0, .least = 1,
     .most = COL_MAX_LOCATIONS,
     .meaning = "cells of an array; as many as the locations allow unless given"},
    {DIR_PARAMETER(litmus_parameters, stride), .kind = DIR_WHOLE, .initial = 4, .least = 1,
     .most = 1 << 20, .meaning = "cells from one copy to the next"},
    {DIR_PARAMETER(litmus_parameters, model), .kind = DIR_WORD, .initial = COL_TSO,
     .words = col_models, .meaning = "whose relaxations the cycles have"},
    {DIR_PARAMETER(litmus_parameters, relaxations), .kind = DIR_TEXT,
     .meaning = "other ones, separated by blanks"},
    {.name = NULL}};

typedef struct litmus {
    litmus_parameters parameters;
    col_engine_settings settings; /* without its texts */
    cyc_list list;                /* those that the cores can run */
    uint64_t test;
    cyc_test shape;
    dir_step *steps;
    size_t step_capacity;
    uint32_t step_count;
    uint32_t *order, *scratch; /* of threads */
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

static bool fits(const litmus *l, const cyc_cycle *cycle) {
    return thread_count(cycle) <= l->settings.threads &&
           location_count(cycle) <= l->settings.locations.most &&
           operation_count(cycle) <= l->settings.operations.most;
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
        if (fits(l, &l->list.cycles[i]))
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
static void add_copy(litmus *l, uint32_t copy, uint32_t cell, uint32_t cells, uint32_t *values) {
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
            if (operation.kind == COL_STORE)
                operation.value = ++*values;
            l->steps[l->step_count++] = (dir_step){thread, operation};
        }
    }
}

/* Arrays begin at blocks. */
static void place_locations(const litmus *l, uint32_t cells, col_program *program) {
    const uint64_t block = UINT64_C(1) << at_least(l->settings.geometry.block_bits, 3);
    const uint64_t size = ((uint64_t)cells * COL_WORD_BYTES + block - 1) / block * block;
    for (uint32_t a = 0; a < program->location_count; a++)
        program->addresses[a] = a / cells * size + (uint64_t)(a % cells) * COL_WORD_BYTES;
}

/* How many copies there are, and on how many cells. */
typedef struct packing {
    uint32_t copies, cells;
} packing;

static packing draw_packing(const litmus *l, const cyc_cycle *cycle, base_rng *rng) {
    const uint32_t size = operation_count(cycle), variables = location_count(cycle);
    const uint32_t copies = at_least(dir_draw_size(l->settings.operations, rng), size) / size;
    uint32_t cells = at_least(dir_draw_size(l->settings.locations, rng), variables) / variables;
    if (l->parameters.copies != 0 && l->parameters.copies < cells)
        cells = (uint32_t)l->parameters.copies;
    return (packing){copies, at_least(cells < copies ? cells : copies, 1)};
}

static col_status pack(litmus *l, packing p, base_rng *rng, col_problem *problem) {
    const size_t count = (size_t)p.copies * col_program_operations(&l->shape.program);
    uint32_t values = 0;
    const col_status status =
        base_reserve(&l->steps, &l->step_capacity, count, sizeof *l->steps, problem);
    if (status != COL_OK)
        return status;
    for (uint32_t t = 0; t < l->settings.threads; t++)
        l->order[t] = t;
    base_rng_shuffle(rng, l->order, l->settings.threads);
    l->step_count = 0;
    for (uint32_t copy = 0; copy < p.copies; copy++)
        add_copy(l, copy, cell_of(copy, p.cells, (uint32_t)l->parameters.stride), p.cells, &values);
    return COL_OK;
}

static col_status next_test(void *state, const col_feedback *feedback, col_program *program,
                            col_point *point, col_problem *problem) {
    litmus *l = state;
    base_rng rng;
    (void)feedback;
    base_rng_seed(&rng, l->settings.seed, l->test);
    const cyc_cycle *cycle = &l->list.cycles[l->test % l->list.count];
    const packing p = draw_packing(l, cycle, &rng);
    const uint32_t locations = location_count(cycle) * p.cells;
    col_status status = cyc_test_make(&l->shape, cycle, problem);
    if (status == COL_OK)
        status = pack(l, p, &rng, problem);
    if (status == COL_OK)
        status = dir_steps_write(l->steps, l->step_count, l->settings.threads, locations,
                                 l->scratch, program, problem);
    if (status != COL_OK)
        return status;
    place_locations(l, p.cells, program);
    l->test++;
    *point = (col_point){.operations = l->step_count, .locations = locations};
    return COL_OK;
}

/* ---- The engine. */

static void close_engine(void *state) {
    litmus *l = state;
    cyc_list_free(&l->list);
    cyc_test_free(&l->shape);
    free(l->steps);
    free(l->order);
    free(l->scratch);
    free(l);
}

static col_status prepare(litmus *l, const char *engine, const col_engine_settings *settings,
                          col_problem *problem) {
    if (settings->sets != 0)
        return base_refuse(problem, "%s places its locations itself: leave out the sets", engine);
    if (settings->mix != NULL && strcmp(settings->mix, "published") != 0)
        return base_refuse(problem, "%s chooses operations by its cycles, not by a mix", engine);
    l->settings = *settings;
    l->settings.mix = l->settings.options = NULL;
    l->order = calloc(settings->threads, sizeof *l->order);
    l->scratch = calloc(settings->threads, sizeof *l->scratch);
    if (l->order == NULL || l->scratch == NULL)
        return base_out_of_memory(problem);
    return find_shapes(l, engine, problem);
}

static col_status open_engine(const dir_engine *kind, void **state,
                              const col_engine_settings *settings, col_problem *problem) {
    litmus *l = calloc(1, sizeof *l);
    if (l == NULL)
        return base_out_of_memory(problem);
    col_status status =
        dir_parameters_read(parameters, kind->name, settings->options, &l->parameters, problem);
    if (status == COL_OK)
        status = prepare(l, kind->name, settings, problem);
    if (status != COL_OK) {
        close_engine(l);
        return status;
    }
    *state = l;
    return COL_OK;
}

/* Tests follow from their numbers. */
static json_t *save_engine(const void *state) {
    return dir_rtg_save(((const litmus *)state)->test);
}

static col_status restore_engine(void *state, const json_t *saved, col_problem *problem) {
    return dir_rtg_restore(saved, &((litmus *)state)->test, problem);
}

const dir_functions dir_litmus = {.open = open_engine,
                                  .close = close_engine,
                                  .next = next_test,
                                  .save = save_engine,
                                  .restore = restore_engine};
