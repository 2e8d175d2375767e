/* SPDX-License-Identifier: MIT */
/* Valid random programs: see random_program.h. */
#include "random_program.h"

#include "harness.h"
#include "program/program.h"

/* Numbers that never repeat: an odd multiplier permutes the integers modulo a power of two. */
typedef struct distinct {
    uint64_t next, multiplier, mask;
} distinct;

static distinct start_distinct(base_rng *rng) {
    if (random_between(rng, 0, 3) == 0)
        return (distinct){.next = 1, .multiplier = 1};
    return (distinct){.next = base_rng_next(rng),
                      .multiplier = base_rng_next(rng) | 1,
                      .mask = base_rng_next(rng)};
}

static uint64_t draw_distinct(distinct *numbers) {
    return (numbers->next++ * numbers->multiplier) ^ numbers->mask;
}

static uint32_t draw_value(distinct *values) {
    uint32_t value;
    do
        value = (uint32_t)draw_distinct(values);
    while (value == 0);
    return value;
}

uint32_t random_between(base_rng *rng, uint32_t low, uint32_t high) {
    return low + (uint32_t)base_rng_below(rng, (uint64_t)high - low + 1);
}

/* Tries to make the operation at `place` of its thread depend on an earlier read. */
static void add_dependency(base_rng *rng, col_operation *thread, uint32_t place) {
    col_operation *operation = &thread[place];
    if (!col_kinds[operation->kind].located || col_kinds[operation->kind].dma ||
        operation->kind == COL_PREFETCH || place == 0)
        return;
    const uint32_t distance = random_between(rng, 1, place);
    if (!col_kinds[thread[place - distance].kind].reads ||
        col_kinds[thread[place - distance].kind].dma)
        return;
    do
        operation->dependency =
            (uint8_t)random_between(rng, COL_NO_DEPENDENCY, COL_DEPENDENCY_COUNT - 1);
    while (operation->dependency == COL_DATA && !col_kinds[operation->kind].writes);
    operation->distance = operation->dependency == COL_NO_DEPENDENCY ? 0 : distance;
}

/* Any kind but await, which needs to know the writes. */
static col_operation draw_operation(base_rng *rng, uint32_t locations, distinct *values) {
    col_operation operation = {0};
    do
        operation.kind = (uint8_t)random_between(rng, 0, COL_KIND_COUNT - 1);
    while (operation.kind == COL_AWAIT || (locations == 0 && col_kinds[operation.kind].located));
    const col_kind_traits *traits = &col_kinds[operation.kind];
    if (traits->located)
        operation.location = random_between(rng, 0, locations - 1);
    else if (operation.kind == COL_DELAY)
        operation.location = (uint32_t)(base_rng_next(rng) >> random_between(rng, 32, 63));
    else
        operation.fence = (uint8_t)random_between(rng, 1, COL_FULL_FENCE);
    if (traits->writes)
        operation.value = draw_value(values);
    if (traits->dma)
        return operation;
    if (traits->reads && random_between(rng, 0, 3) == 0)
        operation.order |= COL_ACQUIRE;
    if (traits->writes && random_between(rng, 0, 3) == 0)
        operation.order |= COL_RELEASE;
    return operation;
}

/* A load becomes an await when a few guesses find a write, further up in the program (so that
 * awaits never wait for each other), that leaves a value for it. */
static void turn_into_await(base_rng *rng, const col_program *program, uint32_t index) {
    col_operation *load = &program->operations[index];
    for (int guess = 0; guess < 4 && index > 0; guess++) {
        const col_operation *write = &program->operations[random_between(rng, 0, index - 1)];
        if (write->kind != COL_STORE && write->kind != COL_SWAP)
            continue;
        load->kind = COL_AWAIT;
        load->location = write->location;
        load->value = write->value;
        return;
    }
}

void random_content(base_rng *rng, col_program *program) {
    distinct addresses = start_distinct(rng), values = start_distinct(rng);
    for (uint32_t l = 0; l < program->location_count; l++)
        program->addresses[l] = draw_distinct(&addresses) << 3;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const uint32_t start = program->thread_start[t];
        for (uint32_t o = start; o < program->thread_start[t + 1]; o++) {
            program->operations[o] = draw_operation(rng, program->location_count, &values);
            add_dependency(rng, &program->operations[start], o - start);
        }
    }
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        if (program->operations[o].kind == COL_LOAD && random_between(rng, 0, 1) == 0)
            turn_into_await(rng, program, o);
}

void perhaps_narrow(base_rng *rng, col_program *program) {
    bool fits = true;
    for (uint32_t o = 0; o < col_program_operations(program); o++)
        fits = fits && (program->operations[o].kind == COL_ADD ||
                        program->operations[o].value >> COL_NARROW_VALUE_BITS == 0);
    program->is_narrow = fits && random_between(rng, 0, 1) == 0;
}

void random_program(base_rng *rng, col_program *program) {
    uint32_t lengths[6];
    const uint32_t threads = random_between(rng, 1, 6);
    for (uint32_t t = 0; t < threads; t++)
        lengths[t] = random_between(rng, 0, 16);
    col_problem problem;
    assert_int_equal(
        col_program_shape(program, threads, lengths, random_between(rng, 0, 9), &problem), COL_OK);
    random_content(rng, program);
}

void write_program(const col_program *program, base_text *text) {
    text->length = 0;
    prg_program_write(program, text);
    assert_int_equal(base_text_status(text, NULL), COL_OK);
}

void read_program(col_program *program, const base_text *text) {
    col_problem problem;
    if (col_program_read(program, text->data, text->length, "text", &problem) != COL_OK)
        fail_msg("%u:%u: %s in\n%s", problem.line, problem.column, problem.message, text->data);
}
