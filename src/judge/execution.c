/* SPDX-License-Identifier: MIT */
/* What has been seen of an execution: see execution.h. */
#include "judge/execution.h"

#include <stdlib.h>
#include <string.h>

col_status chk_execution_reset(chk_execution *execution, const chk_order *order,
                               col_problem *problem) {
    const size_t count = (size_t)order->operation_count + order->program->location_count;
    const uint32_t threads = order->thread_count;
    const base_part parts[] = {BASE_PART(execution->seen, count + 1),
                               BASE_PART(execution->furthest, (size_t)threads + 1),
                               {0}};
    const col_status status = base_block_divide(&execution->block, parts, problem);
    if (status != COL_OK)
        return status;
    execution->order = order;
    memset(execution->seen, 0xFF, count * sizeof *execution->seen);
    memset(execution->furthest, 0, threads * sizeof *execution->furthest);
    return COL_OK;
}

/* Which write left a word. */

static int compare_values(const void *a, const void *b) {
    const chk_value *x = a, *y = b;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* Of what stores a value; else 0, which is no value. */
static uint32_t value_left(const col_operation *operation) {
    return col_kinds[operation->kind].writes && operation->kind != COL_ADD ? operation->value : 0;
}

static void count_values(chk_words *words, uint32_t count) {
    words->value_count = words->most_value = words->add_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const col_operation *operation = &words->program->operations[i];
        const uint32_t value = value_left(operation);
        words->add_count += operation->kind == COL_ADD;
        words->value_count += value != 0;
        if (value > words->most_value)
            words->most_value = value;
    }
}

/* Adds count in the upper half of the word, so that words do not repeat; unless they overflow it.
 */
static col_status check_sums(const chk_words *words, uint32_t count, col_problem *problem) {
    const uint32_t locations = words->program->location_count;
    const uint64_t most =
        words->program->is_narrow ? UINT32_MAX >> COL_NARROW_VALUE_BITS : UINT32_MAX;
    uint64_t *sums = calloc((size_t)locations + 1, sizeof *sums);
    col_status status = COL_OK;
    if (sums == NULL)
        return base_out_of_memory(problem);
    for (uint32_t i = 0; i < count && status == COL_OK; i++) {
        const col_operation *operation = &words->program->operations[i];
        if (operation->kind != COL_ADD)
            continue;
        sums[operation->location] += col_program_operand(words->program, operation) >> 32;
        if (sums[operation->location] > most)
            status = base_refuse(
                problem,
                "the adds at a%u sum to more than %llu, so that values repeat and do not tell "
                "which write they came from",
                operation->location, (unsigned long long)most);
    }
    free(sums);
    return status;
}

static void fill_table(chk_words *words, uint32_t count) {
    memset(words->by_value, 0xFF, ((size_t)words->most_value + 1) * sizeof *words->by_value);
    for (uint32_t i = 0; i < count; i++)
        words->by_value[value_left(&words->program->operations[i])] = i;
    words->by_value[0] = CHK_NONE;
}

static void fill_list(chk_words *words, uint32_t count) {
    uint32_t place = 0;
    for (uint32_t i = 0; i < count; i++)
        if (value_left(&words->program->operations[i]) != 0)
            words->values[place++] = (chk_value){words->program->operations[i].value, i};
    qsort(words->values, words->value_count, sizeof *words->values, compare_values);
}

col_status chk_words_load(chk_words *words, const col_program *program, col_problem *problem) {
    const uint32_t count = col_program_operations(program);
    words->program = program;
    count_values(words, count);
    words->is_dense = words->most_value / 4 <= words->value_count;
    words->sum_mask = 1;
    while (words->sum_mask < 2 * (uint64_t)words->add_count)
        words->sum_mask = 2 * words->sum_mask + 1;
    const base_part parts[] = {
        BASE_PART(words->by_value, words->is_dense ? (size_t)words->most_value + 1 : 0),
        BASE_PART(words->values, words->is_dense ? 0 : (size_t)words->value_count),
        BASE_PART(words->sums, (size_t)words->sum_mask + 1),
        BASE_PART(words->latest, (size_t)program->location_count + 1),
        {0}};
    col_status status = words->add_count == 0 ? COL_OK : check_sums(words, count, problem);
    if (status == COL_OK)
        status = base_block_divide(&words->block, parts, problem);
    if (status != COL_OK)
        return status;
    if (words->is_dense)
        fill_table(words, count);
    else
        fill_list(words, count);
    chk_words_reset(words);
    return COL_OK;
}

void chk_words_reset(chk_words *words) {
    words->sum_count = 0;
    memset(words->latest, 0xFF, words->program->location_count * sizeof *words->latest);
    memset(words->sums, 0xFF, ((size_t)words->sum_mask + 1) * sizeof *words->sums);
}

static uint32_t find_value(const chk_words *words, uint32_t value) {
    if (words->is_dense)
        return value <= words->most_value ? words->by_value[value] : CHK_NONE;
    const chk_value key = {value, 0};
    const chk_value *found =
        bsearch(&key, words->values, words->value_count, sizeof key, compare_values);
    return found == NULL ? CHK_NONE : found->write;
}

chk_sum *chk_words_sum(chk_words *words, uint32_t location, uint64_t word) {
    uint64_t place =
        (word ^ location * UINT64_C(0xC2B2AE3D27D4EB4F)) * UINT64_C(0x9E3779B97F4A7C15);
    for (place >>= 32;; place++) {
        chk_sum *sum = &words->sums[place & words->sum_mask];
        if (sum->word == word && sum->location == location)
            return sum;
        if (sum->location != CHK_NONE)
            continue;
        if (words->sum_count == words->add_count)
            return NULL;
        words->sum_count++;
        sum->word = word;
        sum->location = location;
        return sum;
    }
}

uint32_t chk_words_search(chk_words *words, uint32_t location, uint64_t word, chk_sum **sum) {
    const uint32_t value = (uint32_t)word;
    const uint32_t write = value == 0 ? CHK_NONE : find_value(words, value);
    if (value != 0 && (write == CHK_NONE || words->program->operations[write].location != location))
        return CHK_NOBODY;
    if (word >> 32 == 0)
        return value == 0 ? col_program_operations(words->program) + location : write;
    *sum = words->add_count == 0 ? NULL : chk_words_sum(words, location, word);
    return *sum == NULL ? CHK_NOBODY : (*sum)->write;
}
