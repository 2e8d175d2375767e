/* SPDX-License-Identifier: MIT */
/*
 * Shapes of tests: see test_shape.h. Threads, locations and blocks get colours that say nothing of
 * their names; each is refined by the colours of what it meets until no more are told apart. Where
 * threads still look alike, each of them in turn is marked and the colours are refined again.
 */
#include "episode/triage/test_shape.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_BITS = 6,   /* locations of a block are of one 64-byte block, whatever the design's are */
    MOST_MARKED = 64, /* threads; a test with more is no shrunk one */
    NONE = UINT32_MAX
};

typedef struct colours {
    const col_program *program;
    uint32_t operations, blocks;
    uint32_t *block;   /* of each location */
    uint32_t *awaited; /* of each operation: the write that it waits for, or NONE */
    bool *is_used;     /* of each location */
    uint64_t *thread, *location, *operation;
    uint64_t *met_operation, *met_location, *met_block; /* what they meet in this round */
    uint64_t *sorted;
} colours;

/* In arithmetic alone: bytes of memory differ between machines. */
static uint64_t mix(uint64_t colour, uint64_t more) {
    uint64_t state = colour * UINT64_C(0x9e3779b97f4a7c15) + more;
    return base_splitmix(&state);
}

static bool is_empty(const col_program *p, uint32_t thread) {
    return p->thread_start[thread] == p->thread_start[thread + 1];
}

/* ---- What meets what. */

/* The number of `thing`, counted in the order of first appearance. */
static col_status number_of(base_index *index, uint64_t thing, uint32_t *number,
                            col_problem *problem) {
    *number = base_index_find(index, thing, NULL, NULL, NULL);
    if (*number != BASE_NO_NUMBER)
        return COL_OK;
    *number = (uint32_t)index->count;
    return base_index_put(index, thing, problem);
}

static col_status find_blocks(colours *c, base_index *index, col_problem *problem) {
    for (uint32_t l = 0; l < c->program->location_count; l++)
        BASE_TRY(number_of(index, c->program->addresses[l] >> BLOCK_BITS, &c->block[l], problem));
    c->blocks = (uint32_t)index->count;
    return COL_OK;
}

/* `writes` by number. */
static col_status find_awaited(colours *c, base_index *index, uint32_t *writes,
                               col_problem *problem) {
    const col_operation *operations = c->program->operations;
    for (uint32_t o = 0; o < c->operations; o++) {
        uint32_t number;
        c->awaited[o] = NONE;
        if (!col_kinds[operations[o].kind].writes)
            continue;
        BASE_TRY(number_of(index, operations[o].value, &number, problem));
        writes[number] = o;
    }
    for (uint32_t o = 0; o < c->operations; o++) {
        const uint32_t number = operations[o].kind == COL_AWAIT
                                    ? base_index_find(index, operations[o].value, NULL, NULL, NULL)
                                    : BASE_NO_NUMBER;
        if (number != BASE_NO_NUMBER)
            c->awaited[o] = writes[number];
    }
    return COL_OK;
}

static col_status find_relations(colours *c, col_problem *problem) {
    base_index blocks = {0}, values = {0};
    uint32_t *writes = malloc(((size_t)c->operations + 1) * sizeof *writes);
    col_status status = writes == NULL ? base_out_of_memory(problem) : COL_OK;
    if (status == COL_OK)
        status = find_blocks(c, &blocks, problem);
    if (status == COL_OK)
        status = find_awaited(c, &values, writes, problem);
    for (uint32_t o = 0; status == COL_OK && o < c->operations; o++)
        if (col_kinds[c->program->operations[o].kind].located)
            c->is_used[c->program->operations[o].location] = true;
    base_index_free(&blocks);
    base_index_free(&values);
    free(writes);
    return status;
}

/* ---- Colours. */

static uint64_t colour_of(const col_operation *o) {
    const uint64_t words = (uint64_t)o->kind | (uint64_t)o->order << 8 |
                           (uint64_t)o->dependency << 16 | (uint64_t)o->fence << 24;
    return mix(words, o->distance);
}

/* An operation has the colour of its thread and of its location, and then of the write that it
 * waits for, or of those that wait for it. */
static void colour_operations(const colours *c) {
    const col_program *p = c->program;
    for (uint32_t t = 0; t < p->thread_count; t++)
        for (uint32_t o = p->thread_start[t]; o < p->thread_start[t + 1]; o++) {
            const col_operation *operation = &p->operations[o];
            const bool located = col_kinds[operation->kind].located;
            const uint64_t place = mix(c->thread[t], o - p->thread_start[t]);
            c->operation[o] = mix(mix(place, colour_of(operation)),
                                  located ? c->location[operation->location] : 0);
        }
    memset(c->met_operation, 0, c->operations * sizeof *c->met_operation);
    for (uint32_t o = 0; o < c->operations; o++)
        if (c->awaited[o] != NONE) {
            c->met_operation[o] += mix(c->operation[c->awaited[o]], 1);
            c->met_operation[c->awaited[o]] += mix(c->operation[o], 2);
        }
    for (uint32_t o = 0; o < c->operations; o++)
        c->operation[o] = mix(c->operation[o], c->met_operation[o]);
}

/* Sums do not depend on the order of their terms. */
static void refine(const colours *c) {
    const col_program *p = c->program;
    colour_operations(c);
    memset(c->met_location, 0, p->location_count * sizeof *c->met_location);
    memset(c->met_block, 0, c->blocks * sizeof *c->met_block);
    for (uint32_t o = 0; o < c->operations; o++)
        if (col_kinds[p->operations[o].kind].located)
            c->met_location[p->operations[o].location] += c->operation[o];
    for (uint32_t t = 0; t < p->thread_count; t++)
        for (uint32_t o = p->thread_start[t]; o < p->thread_start[t + 1]; o++)
            c->thread[t] = mix(c->thread[t], c->operation[o]);
    for (uint32_t l = 0; l < p->location_count; l++) {
        c->location[l] = mix(c->location[l], c->met_location[l]);
        c->met_block[c->block[l]] += c->is_used[l] ? c->location[l] : 0;
    }
    for (uint32_t l = 0; l < p->location_count; l++)
        c->location[l] = mix(c->location[l], c->met_block[c->block[l]]);
}

static int by_colour(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* How many colours do threads that are not empty, and locations that are used, have? */
static uint32_t count_colours(const colours *c, bool of_locations) {
    const col_program *p = c->program;
    uint32_t count = 0, different = 0;
    for (uint32_t t = 0; t < p->thread_count; t++)
        if (!is_empty(p, t))
            c->sorted[count++] = c->thread[t];
    for (uint32_t l = 0; of_locations && l < p->location_count; l++)
        if (c->is_used[l])
            c->sorted[count++] = c->location[l];
    if (count > 1)
        qsort(c->sorted, count, sizeof *c->sorted, by_colour);
    for (uint32_t i = 0; i < count; i++)
        different += i == 0 || c->sorted[i] != c->sorted[i - 1];
    return different;
}

/* All that refining tells apart, beginning with one thread marked, or none; as one number. */
static uint64_t refine_all(const colours *c, uint32_t marked) {
    const col_program *p = c->program;
    uint32_t before, now = 0;
    uint64_t sum = 0;
    for (uint32_t t = 0; t < p->thread_count; t++)
        c->thread[t] = t == marked;
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) -- they were opened */
    memset(c->location, 0, p->location_count * sizeof *c->location);
    do {
        before = now;
        refine(c);
        now = count_colours(c, true);
    } while (now > before);
    for (uint32_t t = 0; t < p->thread_count; t++)
        sum += is_empty(p, t) ? 0 : mix(c->thread[t], 1);
    for (uint32_t l = 0; l < p->location_count; l++)
        sum += c->is_used[l] ? mix(c->location[l], 2) : 0;
    return sum;
}

static uint64_t find_shape(const colours *c) {
    const col_program *p = c->program;
    uint32_t threads = 0;
    uint64_t sum = refine_all(c, NONE);
    for (uint32_t t = 0; t < p->thread_count; t++)
        threads += !is_empty(p, t);
    if (threads > MOST_MARKED || count_colours(c, false) == threads)
        return sum;
    for (uint32_t t = 0; t < p->thread_count; t++)
        if (!is_empty(p, t))
            sum += mix(refine_all(c, t), 3);
    return sum;
}

/* ---- All. */

static col_status open(colours *c, col_problem *problem) {
    const size_t threads = c->program->thread_count, locations = c->program->location_count;
    const size_t operations = c->operations;
    uint64_t *wide = calloc(2 * (threads + 2 * locations + operations) + 1, sizeof *wide);
    uint32_t *narrow = calloc(locations + operations + 1, sizeof *narrow);
    c->is_used = calloc(locations + 1, sizeof *c->is_used);
    c->thread = wide;
    c->block = narrow;
    if (wide == NULL || narrow == NULL || c->is_used == NULL)
        return base_out_of_memory(problem);
    c->location = c->thread + threads;
    c->operation = c->location + locations;
    c->met_operation = c->operation + operations;
    c->met_location = c->met_operation + operations;
    c->met_block = c->met_location + locations;
    c->sorted = c->met_block + locations;
    c->awaited = narrow + locations;
    return find_relations(c, problem);
}

col_status epi_test_shape(const col_program *program, char shape[EPI_SHAPE_SIZE],
                          col_problem *problem) {
    colours c = {.program = program, .operations = col_program_operations(program)};
    const col_status status = open(&c, problem);
    if (status == COL_OK)
        (void)snprintf(shape, EPI_SHAPE_SIZE, "%016llx", (unsigned long long)find_shape(&c));
    free(c.thread);
    free(c.block);
    free(c.is_used);
    return status;
}
