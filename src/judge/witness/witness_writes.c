/* SPDX-License-Identifier: MIT */
/* Which write a word comes from: see witness.h. */
#include "judge/witness/witness.h"

#include <string.h>

/* The finaliser of splitmix64. Weights do not depend on the program. */
static uint64_t weight_of(uint64_t number) {
    uint64_t x = (number + 1) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/* ---- The table. The place 0 is the initial value's. */

static uint32_t home(const wit_writes *writes, uint32_t value) {
    if (value < writes->size)
        return value;
    const uint32_t hash = value * UINT32_C(0x9E3779B1);
    return 1 + (uint32_t)(((uint64_t)hash * (writes->size - 1)) >> 32);
}

/* The place of the value, or where it would be. There is always one that is empty, or all values
 * have their own. */
static uint32_t find(const wit_writes *writes, uint32_t value) {
    uint32_t place = home(writes, value);
    while (writes->table[place].value != value && writes->table[place].value != 0)
        place = place + 1 < writes->size ? place + 1 : 1;
    return place;
}

static void enter(wit_writes *writes, uint32_t value, uint32_t thread) {
    const uint32_t place = find(writes, value);
    writes->table[place] = (wit_write){.weight = weight_of(value), .value = value};
    writes->thread[place] = thread;
}

/* As many places as values, if they are dense; else twice as many, to be hashed to. */
static void choose_size(wit_writes *writes, const col_program *program) {
    uint32_t count = 0, most = 0;
    writes->add_count = 0;
    for (uint32_t i = 0; i < col_program_operations(program); i++) {
        const col_operation *operation = &program->operations[i];
        const uint32_t writes_value = col_kinds[operation->kind].writes ? operation->value : 0;
        count += writes_value != 0;
        most = writes_value > most ? writes_value : most;
        writes->add_count += operation->kind == COL_ADD;
    }
    writes->is_dense = most <= 2 * count;
    writes->size = writes->is_dense ? most + 1 : 2 * count + 2;
}

static col_status make_tables(wit_writes *writes, col_problem *problem) {
    writes->sum_mask = 1;
    while (writes->sum_mask < 2 * writes->add_count)
        writes->sum_mask = 2 * writes->sum_mask + 1;
    const size_t places = (size_t)writes->size + 1, sums = (size_t)writes->sum_mask + 1;
    const base_part parts[] = {BASE_PART(writes->table, places),
                               BASE_PART(writes->thread, places),
                               BASE_PART(writes->sums, sums),
                               {0}};
    const col_status status = base_block_divide(&writes->block, parts, problem);
    if (status != COL_OK)
        return status;
    memset(writes->table, 0, places * sizeof *writes->table);
    memset(writes->sums, 0, sums * sizeof *writes->sums);
    return COL_OK;
}

col_status wit_writes_load(wit_writes *writes, const col_program *program, col_problem *problem) {
    choose_size(writes, program);
    const col_status status = make_tables(writes, problem);
    if (status != COL_OK)
        return status;
    writes->table[WIT_INITIAL].weight = weight_of(0);
    writes->table[wit_nobody(writes)].weight = weight_of(UINT64_C(1) << 32); /* of no value */
    writes->thread[WIT_INITIAL] = writes->thread[wit_nobody(writes)] = WIT_NO_THREAD;
    for (uint32_t t = 0; t < program->thread_count; t++)
        for (uint32_t i = program->thread_start[t]; i < program->thread_start[t + 1]; i++)
            if (col_kinds[program->operations[i].kind].writes)
                enter(writes, program->operations[i].value, t);
    wit_writes_begin(writes, UINT32_MAX); /* there is no such instance */
    return COL_OK;
}

void wit_writes_clear(wit_writes *writes) {
    for (uint32_t place = 0; place <= writes->size; place++)
        writes->table[place].mark = 0;
}

/* ---- Words that adds left. */

void wit_writes_begin(wit_writes *writes, uint32_t instance) {
    writes->instance = instance;
    writes->sum_count = 0;
}

/* Where the word is, or would be. There is always an empty place. */
static uint32_t find_sum(const wit_writes *writes, uint32_t location, uint64_t word) {
    const uint64_t mixed =
        (word ^ location * UINT64_C(0xC2B2AE3D27D4EB4F)) * UINT64_C(0x9E3779B97F4A7C15);
    for (uint32_t place = (uint32_t)(mixed >> 32);; place++) {
        const wit_sum *sum = &writes->sums[place & writes->sum_mask];
        if (sum->instance != writes->instance || (sum->word == word && sum->location == location))
            return place & writes->sum_mask;
    }
}

void wit_writes_add(wit_writes *writes, uint32_t location, uint64_t word, uint32_t value) {
    wit_sum *sum = &writes->sums[find_sum(writes, location, word)];
    /* More words than adds: a design that performs one twice. A word twice: the first add's. */
    if (writes->sum_count == writes->add_count || sum->instance == writes->instance)
        return;
    writes->sum_count++;
    *sum = (wit_sum){word, location, find(writes, value), writes->instance};
}

uint32_t wit_writes_search(const wit_writes *writes, uint32_t location, uint64_t word) {
    if (word >> 32 != 0) {
        const wit_sum *sum = &writes->sums[find_sum(writes, location, word)];
        return sum->instance == writes->instance ? sum->write : wit_nobody(writes);
    }
    if (writes->is_dense)
        return wit_is_own_place(writes, word) ? (uint32_t)word : wit_nobody(writes);
    const uint32_t place = find(writes, (uint32_t)word);
    return writes->table[place].value == word ? place : wit_nobody(writes);
}
