/* SPDX-License-Identifier: MIT */
/* Numbers of texts by open addressing: see index.h. */
#include "report/index.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { FIRST_SLOTS = 64 };

/* The slot of the text, or the free one where it belongs. */
static size_t slot_of(const rep_index *index, const char *text, uint64_t hash) {
    const size_t mask = index->slot_count - 1;
    size_t slot = (size_t)hash & mask;
    for (; index->slots[slot] != 0; slot = (slot + 1) & mask) {
        const uint32_t number = index->slots[slot] - 1;
        if (index->hashes[number] == hash && strcmp(index->texts[number], text) == 0)
            break;
    }
    return slot;
}

static col_status grow(rep_index *index, col_error *error) {
    const size_t wanted = index->slot_count == 0 ? FIRST_SLOTS : index->slot_count * 2;
    uint32_t *slots = calloc(wanted, sizeof *slots);
    if (slots == NULL)
        return col_out_of_memory(error);
    for (size_t i = 0; i < index->count; i++) {
        size_t slot = (size_t)index->hashes[i] & (wanted - 1);
        while (slots[slot] != 0)
            slot = (slot + 1) & (wanted - 1);
        slots[slot] = (uint32_t)i + 1;
    }
    free(index->slots);
    index->slots = slots;
    index->slot_count = wanted;
    return COL_OK;
}

static col_status append(rep_index *index, const char *text, uint64_t hash, col_error *error) {
    col_status status = col_reserve(&index->texts, &index->text_capacity, index->count + 1,
                                    sizeof *index->texts, error);
    if (status == COL_OK)
        status = col_reserve(&index->hashes, &index->hash_capacity, index->count + 1,
                             sizeof *index->hashes, error);
    if (status != COL_OK)
        return status;
    const char *copy = col_arena_text(index->arena, text, strlen(text));
    if (copy == NULL)
        return col_out_of_memory(error);
    index->texts[index->count] = copy;
    index->hashes[index->count++] = hash;
    return COL_OK;
}

col_status rep_index_add(rep_index *index, const char *text, uint32_t *number, bool *is_new,
                         col_error *error) {
    if (index->slot_count < 2 * (index->count + 1)) {
        const col_status status = grow(index, error);
        if (status != COL_OK)
            return status;
    }
    const uint64_t hash = XXH3_64bits(text, strlen(text));
    const size_t slot = slot_of(index, text, hash);
    const bool is_there = index->slots[slot] != 0;
    if (is_new != NULL)
        *is_new = !is_there;
    if (!is_there) {
        const col_status status = append(index, text, hash, error);
        if (status != COL_OK)
            return status;
        index->slots[slot] = (uint32_t)index->count;
    }
    *number = index->slots[slot] - 1;
    return COL_OK;
}

uint32_t rep_index_find(const rep_index *index, const char *text) {
    if (index->slot_count == 0)
        return UINT32_MAX;
    return index->slots[slot_of(index, text, XXH3_64bits(text, strlen(text)))] - 1;
}

void rep_index_free(rep_index *index) {
    free(index->texts);
    free(index->hashes);
    free(index->slots);
    *index = (rep_index){.arena = index->arena};
}
