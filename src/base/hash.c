/* SPDX-License-Identifier: MIT */
#define XXH_IMPLEMENTATION
#include "base/hash.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of things by their hashes. */

enum { FIRST_SLOTS = 64 };

uint32_t base_index_find(const base_index *index, uint64_t hash, base_index_test test,
                         const void *things, const void *wanted) {
    if (index->slot_count == 0)
        return BASE_NO_NUMBER;
    const size_t mask = index->slot_count - 1;
    for (size_t slot = (size_t)hash & mask; index->slots[slot] != 0; slot = (slot + 1) & mask) {
        const uint32_t number = index->slots[slot] - 1;
        if (index->hashes[number] == hash && (test == NULL || test(things, number, wanted)))
            return number;
    }
    return BASE_NO_NUMBER;
}

static void enter(uint32_t *slots, size_t slot_count, uint64_t hash, size_t number) {
    size_t slot = (size_t)hash & (slot_count - 1);
    while (slots[slot] != 0)
        slot = (slot + 1) & (slot_count - 1);
    slots[slot] = (uint32_t)number + 1;
}

col_status base_index_reserve(base_index *index, size_t count, col_problem *problem) {
    size_t wanted = index->slot_count == 0 ? FIRST_SLOTS : index->slot_count;
    while (wanted < 2 * count)
        wanted *= 2;
    const col_status status =
        base_reserve(&index->hashes, &index->capacity, count, sizeof *index->hashes, problem);
    if (status != COL_OK || wanted == index->slot_count)
        return status;
    uint32_t *slots = calloc(wanted, sizeof *slots);
    if (slots == NULL)
        return base_out_of_memory(problem);
    for (size_t i = 0; i < index->count; i++)
        enter(slots, wanted, index->hashes[i], i);
    free(index->slots);
    index->slots = slots;
    index->slot_count = wanted;
    return COL_OK;
}

col_status base_index_put(base_index *index, uint64_t hash, col_problem *problem) {
    BASE_TRY(base_index_reserve(index, index->count + 1, problem));
    enter(index->slots, index->slot_count, hash, index->count);
    index->hashes[index->count++] = hash;
    return COL_OK;
}

void base_index_clear(base_index *index) {
    if (index->slot_count > 0)
        memset(index->slots, 0, index->slot_count * sizeof *index->slots);
    index->count = 0;
}

void base_index_free(base_index *index) {
    free(index->slots);
    free(index->hashes);
    *index = (base_index){0};
}
