/* SPDX-License-Identifier: MIT */
/* Do addresses keep the biasing constraints abc, sbc and cbc, and could any? */
#include "address_oracle.h"

#include <stdlib.h>

/* How many values an address can take in the bits from..to-1, as the power of two: bits below the
 * alignment are 0, and bits above the subspace are those of its base. */
static uint32_t varying(const col_addressing *a, uint32_t from, uint32_t to) {
    const uint32_t low = from > a->alignment_bits ? from : a->alignment_bits;
    const uint32_t high = to < a->space_bits ? to : a->space_bits;
    return high > low ? high - low : 0;
}

static uint32_t varying_index(const col_addressing *a, const col_cache_level *level) {
    return varying(a, level->index_low, level->index_low + level->index_bits);
}

static const col_cache_level *largest_level(const col_geometry *geometry) {
    const col_cache_level *largest = &geometry->levels[0];
    for (uint32_t n = 1; n < geometry->level_count; n++)
        if (geometry->levels[n].index_bits > largest->index_bits)
            largest = &geometry->levels[n];
    return largest;
}

static uint64_t words_of_block(const col_addressing *a) {
    return 1ull << varying(a, 0, a->geometry.block_bits);
}

const char *infeasibility(const col_addressing *a, uint32_t locations) {
    const uint32_t block_bits = a->geometry.block_bits;
    uint32_t most = locations, block_choices = varying(a, block_bits, 64);
    if (a->sets > 0) {
        if (a->geometry.level_count == 0)
            return "no level to compete in";
        if (a->sets > locations)
            return "more sets than locations";
        if (a->largest == 0 && locations % a->sets != 0)
            return "not uniform";
        most = a->largest == 0 ? locations / a->sets : a->largest;
        if ((uint64_t)most * a->sets < locations || most > locations - a->sets + 1)
            return "no partition has this cbc";
        const uint32_t index_bits = varying_index(a, largest_level(&a->geometry));
        if (a->sets > 1ull << index_bits)
            return "more sets than any level has";
        block_choices -= index_bits;
    }
    const uint64_t words = words_of_block(a);
    if (a->sharing == COL_FALSE_SHARING && words < 2)
        return "a block holds one location";
    if (a->sharing == COL_FALSE_SHARING && most < 2)
        return "no two locations in one set";
    const uint64_t in_block = a->sharing == COL_TRUE_SHARING ? 1 : words;
    return most > (1ull << block_choices) * in_block ? "too many locations for a set" : NULL;
}

/* ---- Groups: what an array of keys is equal in. */

typedef struct keyed {
    uint64_t key;
    uint32_t item;
} keyed;

static int compare_keys(const void *left, const void *right) {
    const keyed *a = left, *b = right;
    return (a->key > b->key) - (a->key < b->key);
}

/* Numbers equal keys alike, 0 and up; counts[g] is how many keys group g has. */
static uint32_t group(const uint64_t *keys, uint32_t count, keyed *scratch, uint32_t *group_of,
                      uint32_t *counts) {
    uint32_t groups = 0;
    for (uint32_t i = 0; i < count; i++)
        scratch[i] = (keyed){keys[i], i};
    qsort(scratch, count, sizeof *scratch, compare_keys);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || scratch[i].key != scratch[i - 1].key)
            counts[groups++] = 0;
        group_of[scratch[i].item] = groups - 1;
        counts[groups - 1]++;
    }
    return groups;
}

typedef struct reading {
    const col_addressing *addressing;
    uint32_t locations;
    const uint64_t *addresses;
    const uint32_t *set_of;
    uint64_t *keys;
    keyed *scratch;
    uint32_t *group_of, *counts, *classes, *first;
} reading;

static const char *places(const reading *r) {
    const col_addressing *a = r->addressing;
    const uint32_t align = a->alignment_bits > 3 ? a->alignment_bits : 3;
    for (uint32_t i = 0; i < r->locations; i++) {
        if (r->addresses[i] % (1ull << align) != 0)
            return "an address is not aligned";
        if ((r->addresses[i] ^ a->base) >> a->space_bits != 0)
            return "an address is outside of the subspace";
    }
    return group(r->addresses, r->locations, r->scratch, r->group_of, r->counts) == r->locations
               ? NULL
               : "two locations have one address";
}

static const char *sharing(const reading *r) {
    const col_addressing *a = r->addressing;
    for (uint32_t i = 0; i < r->locations; i++)
        r->keys[i] = r->addresses[i] >> a->geometry.block_bits;
    const uint32_t blocks = group(r->keys, r->locations, r->scratch, r->group_of, r->counts);
    if (a->sharing == COL_TRUE_SHARING)
        return blocks == r->locations ? NULL : "two locations share a block";
    if (a->sharing != COL_FALSE_SHARING)
        return NULL;
    /* Locations alone in their block, by class: none, or the odd one where blocks hold two. */
    for (uint32_t i = 0; i < r->locations; i++)
        r->classes[i] = r->first[i] = 0;
    for (uint32_t i = 0; i < r->locations; i++) {
        const uint32_t class = r->set_of == NULL ? 0 : r->set_of[i];
        r->classes[class]++;
        r->first[class] += r->counts[r->group_of[i]] == 1;
    }
    for (uint32_t c = 0; c < r->locations; c++) {
        const bool odd_one = words_of_block(a) == 2 && r->classes[c] % 2 == 1;
        if (r->classes[c] >= 2 && r->first[c] > (odd_one ? 1u : 0u))
            return "a location is alone in its block";
    }
    return NULL;
}

/* kappa classes, the largest of chi locations. */
static const char *competition(const reading *r) {
    const col_addressing *a = r->addressing;
    const uint32_t chi = a->largest == 0 ? r->locations / a->sets : a->largest;
    if (r->set_of == NULL)
        return "there is no pattern";
    for (uint32_t i = 0; i < r->locations; i++)
        r->keys[i] = r->set_of[i];
    uint32_t largest = 0;
    const uint32_t classes = group(r->keys, r->locations, r->scratch, r->group_of, r->counts);
    for (uint32_t c = 0; c < classes; c++)
        largest = r->counts[c] > largest ? r->counts[c] : largest;
    if (classes != a->sets)
        return "not kappa classes";
    return largest == chi ? NULL : "the largest class is not chi";
}

/* Sets of a level against classes: the same partition if the level has enough sets, else each set
 * takes as many classes as any other, give or take one. */
static const char *level_violation(const reading *r, const col_cache_level *level) {
    const col_addressing *a = r->addressing;
    const uint64_t reachable = 1ull << varying_index(a, level);
    for (uint32_t i = 0; i < r->locations; i++)
        r->keys[i] = (r->addresses[i] >> level->index_low) % (1ull << level->index_bits);
    const uint32_t sets = group(r->keys, r->locations, r->scratch, r->group_of, r->counts);
    uint32_t *set_of_class = r->first, *classes_of_set = r->classes;
    for (uint32_t i = 0; i < r->locations; i++) {
        set_of_class[i] = UINT32_MAX;
        classes_of_set[i] = 0;
    }
    for (uint32_t i = 0; i < r->locations; i++) {
        uint32_t *set = &set_of_class[r->set_of[i]];
        if (*set == UINT32_MAX)
            classes_of_set[ *set = r->group_of[i]]++;
        if (*set != r->group_of[i])
            return "a class lies in two sets of a level";
    }
    if (reachable >= a->sets)
        return sets == a->sets ? NULL : "two classes lie in one set of a level";
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t s = 0; s < sets; s++) {
        least = classes_of_set[s] < least ? classes_of_set[s] : least;
        most = classes_of_set[s] > most ? classes_of_set[s] : most;
    }
    return sets == reachable && most - least <= 1 ? NULL
                                                  : "classes are spread unevenly over a level";
}

static const char *check_all(const reading *r) {
    for (uint32_t i = 0; r->set_of != NULL && i < r->locations; i++)
        if (r->set_of[i] >= r->locations)
            return "a class is out of range";
    const char *wrong = places(r);
    if (wrong == NULL)
        wrong = sharing(r);
    if (wrong != NULL || r->addressing->sets == 0)
        return wrong;
    wrong = competition(r);
    const col_geometry *geometry = &r->addressing->geometry;
    for (uint32_t n = 0; n < geometry->level_count && wrong == NULL; n++)
        wrong = level_violation(r, &geometry->levels[n]);
    return wrong;
}

const char *address_violation(const col_addressing *addressing, uint32_t locations,
                              const uint64_t *addresses, const uint32_t *set_of) {
    uint64_t *keys = malloc(locations * sizeof *keys);
    keyed *scratch = malloc(locations * sizeof *scratch);
    uint32_t *numbers = malloc((size_t)locations * 4 * sizeof *numbers);
    const char *wrong = "out of memory";
    if (keys != NULL && scratch != NULL && numbers != NULL) {
        const reading r = {addressing,
                           locations,
                           addresses,
                           set_of,
                           keys,
                           scratch,
                           numbers,
                           numbers + locations,
                           numbers + 2 * (size_t)locations,
                           numbers + 3 * (size_t)locations};
        wrong = check_all(&r);
    }
    free(keys);
    free(scratch);
    free(numbers);
    return wrong;
}
