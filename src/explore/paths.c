/* SPDX-License-Identifier: MIT */
/* How states were found: see paths.h. Numbers are written with seven bits a byte. */
#include "explore/paths.h"

#include <stdlib.h>
#include <string.h>

enum { EVERY = 1024, MOST_BYTES = 20 };

static bool reserve(void **list, uint64_t *capacity, uint64_t needed, size_t size) {
    if (needed <= *capacity)
        return true;
    const uint64_t larger =
        *capacity + *capacity / 4 + 65536 > needed ? *capacity + *capacity / 4 + 65536 : needed;
    void *grown = realloc(*list, larger * size);
    if (grown == NULL)
        return false;
    *list = grown;
    *capacity = larger;
    return true;
}

static void put(found_paths *p, uint64_t number) {
    for (; number > 127; number >>= 7)
        p->bytes[p->used++] = (uint8_t)(number | 128);
    p->bytes[p->used++] = (uint8_t)number;
}

static uint64_t get(const uint8_t **at) {
    uint64_t number = 0;
    uint32_t shift = 0;
    for (; **at > 127; shift += 7)
        number |= (uint64_t)(*(*at)++ & 127) << shift;
    return number | (uint64_t) * (*at)++ << shift;
}

bool exp_paths_add(found_paths *p, uint64_t parent, uint32_t choice) {
    void *bytes = p->bytes, *index = p->index;
    const bool has_room =
        reserve(&bytes, &p->capacity, p->used + MOST_BYTES, 1) &&
        reserve(&index, &p->index_capacity, p->count / EVERY + 1, sizeof *p->index);
    p->bytes = bytes;
    p->index = index;
    if (!has_room)
        return false;
    if (p->count % EVERY == 0)
        p->index[p->index_count++] = (found_index){p->used, p->last_parent};
    put(p, parent - p->last_parent);
    put(p, choice);
    p->last_parent = parent;
    p->count++;
    return true;
}

static void find(const found_paths *p, uint64_t number, uint64_t *parent, uint32_t *choice) {
    const found_index *from = &p->index[number / EVERY];
    const uint8_t *at = p->bytes + from->byte;
    *parent = from->parent;
    for (uint64_t i = number / EVERY * EVERY; i <= number; i++) {
        *parent += get(&at);
        *choice = (uint32_t)get(&at);
    }
}

uint16_t *exp_paths_to(const found_paths *p, uint64_t number, uint32_t *length) {
    uint64_t parent = 0;
    uint32_t choice = 0;
    *length = 0;
    for (uint64_t i = number; i != 0; i = parent, ++*length)
        find(p, i, &parent, &choice);
    uint16_t *choices = calloc((size_t)*length + 1, sizeof *choices);
    uint32_t place = *length;
    for (uint64_t i = number; i != 0 && choices != NULL; i = parent) {
        find(p, i, &parent, &choice);
        choices[--place] = (uint16_t)choice;
    }
    return choices;
}

uint64_t exp_paths_bytes(const found_paths *p) {
    return p->capacity + p->index_capacity * sizeof *p->index;
}

void exp_paths_free(found_paths *p) {
    free(p->bytes);
    free(p->index);
    *p = (found_paths){0};
}
