/* SPDX-License-Identifier: MIT */
/* How states were found: see paths.h. Numbers are written with seven bits a byte. */
#include "explore/paths.h"

#include <stdlib.h>
#include <string.h>

enum { EVERY = EXP_PATHS_RUN, MOST_BYTES = 20 };

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

uint32_t exp_paths_read(const found_paths *p, uint64_t run, found_run *states) {
    const uint64_t rest = p->count - run * EVERY;
    const uint32_t count = rest < EVERY ? (uint32_t)rest : EVERY;
    const uint8_t *at = p->bytes + p->index[run].byte;
    uint64_t parent = p->index[run].parent;
    for (uint32_t i = 0; i < count; i++) {
        parent += get(&at);
        states->parents[i] = parent;
        states->choices[i] = (uint32_t)get(&at);
    }
    return count;
}

/* A number that ends before the end and fits into 63 bits. */
static bool get_checked(const uint8_t **at, const uint8_t *end, uint64_t *number) {
    const uint8_t *last = *at;
    while (last<end && * last> 127)
        last++;
    if (last == end || last - *at >= 9)
        return false;
    *number = get(at);
    return true;
}

bool exp_paths_check(const uint8_t *bytes, uint64_t used, uint64_t count, uint64_t looked_at) {
    const uint8_t *at = bytes, *end = bytes + used;
    uint64_t parent = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t more, choice;
        const uint64_t beyond = i < looked_at ? i : looked_at; /* of its possible parents */
        if (!get_checked(&at, end, &more) || !get_checked(&at, end, &choice) || choice > UINT16_MAX)
            return false;
        if (i == 0 ? more != 0 : more >= beyond - parent)
            return false;
        parent += more;
    }
    return at == end;
}

bool exp_paths_adopt(found_paths *p, uint8_t *bytes, uint64_t used, uint64_t count) {
    const uint8_t *at = bytes;
    uint64_t parent = 0;
    p->index_capacity = count / EVERY + 1;
    p->index = malloc(p->index_capacity * sizeof *p->index);
    if (p->index == NULL)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (i % EVERY == 0)
            p->index[p->index_count++] = (found_index){(uint64_t)(at - bytes), parent};
        parent += get(&at);
        (void)get(&at);
    }
    p->bytes = bytes;
    p->used = p->capacity = used;
    p->count = count;
    p->last_parent = parent;
    return true;
}

uint64_t exp_paths_bytes(const found_paths *p) {
    return p->capacity + p->index_capacity * sizeof *p->index;
}

void exp_paths_free(found_paths *p) {
    free(p->bytes);
    free(p->index);
    *p = (found_paths){0};
}
