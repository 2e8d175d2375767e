/* SPDX-License-Identifier: MIT */
/* One copy of every name of a tree, in a hash table of open addresses that lives in its arena. */
#include "slicc/parse.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { FIRST_CAPACITY = 256 };

typedef struct slot {
    const char *text;
    size_t length;
    uint64_t hash;
} slot;

struct slicc_names {
    slot *slots;
    size_t count, capacity; /* a power of two, at most half full */
};

static slot *find(const struct slicc_names *names, const char *text, size_t length, uint64_t hash) {
    size_t i = hash & (names->capacity - 1);
    while (names->slots[i].text != NULL &&
           (names->slots[i].hash != hash || names->slots[i].length != length ||
            memcmp(names->slots[i].text, text, length) != 0))
        i = (i + 1) & (names->capacity - 1);
    return &names->slots[i];
}

/* The old table stays in the arena: all of them together are as large as the last one. */
static bool grow(slicc_tree *tree) {
    const struct slicc_names old = *tree->names;
    const size_t capacity = old.capacity == 0 ? FIRST_CAPACITY : old.capacity * 2;
    slot *slots = col_arena_take(&tree->arena, capacity * sizeof *slots);
    if (slots == NULL)
        return false;
    *tree->names = (struct slicc_names){.slots = slots, .count = old.count, .capacity = capacity};
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].text != NULL)
            *find(tree->names, old.slots[i].text, old.slots[i].length, old.slots[i].hash) =
                old.slots[i];
    return true;
}

const char *slicc_intern(slicc_tree *tree, const char *text, size_t length) {
    if (tree->names == NULL)
        tree->names = col_arena_take(&tree->arena, sizeof *tree->names);
    if (tree->names == NULL || (tree->names->count * 2 >= tree->names->capacity && !grow(tree)))
        return NULL;
    const uint64_t hash = XXH3_64bits(text, length);
    slot *place = find(tree->names, text, length, hash);
    if (place->text != NULL)
        return place->text;
    const char *copy = col_arena_text(&tree->arena, text, length);
    if (copy == NULL)
        return NULL;
    *place = (slot){.text = copy, .length = length, .hash = hash};
    tree->names->count++;
    return copy;
}
