/* SPDX-License-Identifier: MIT */
/*
 * Addresses of a program that is being shrunk. What matters of an address is which other locations
 * share its block, and which share its set at each level of the caches; all else is made as plain
 * as possible: the smallest addresses that have these conflicts, or fewer.
 */
#include "episode/shrink_search.h"
#include "program/geometry.h"
#include "program/reduce.h"

#include <string.h>

enum { MOST_BLOCKS = 1 << 18, MOST_LOCATIONS = 32 };
enum { IN_ONE_BLOCK = INT32_MAX, ALL_LEVELS = INT32_MAX }; /* sets of levels */
enum { ALL_LOCATIONS = INT32_MAX - 1, NO_LOCATION };       /* instead of one */

/* Which levels' sets two addresses share, a bit for each; IN_ONE_BLOCK: the block too. */
static uint32_t conflicts(const col_geometry *geometry, uint64_t a, uint64_t b) {
    uint32_t found = 0;
    if (a >> geometry->block_bits == b >> geometry->block_bits)
        return IN_ONE_BLOCK;
    for (uint32_t l = 0; l < geometry->level_count; l++)
        if (((a ^ b) & prg_level_mask(&geometry->levels[l])) == 0)
            found |= 1U << l;
    return found;
}

/* Does the address conflict with those before it as `wanted` says? */
static bool fits(const col_geometry *geometry, const uint64_t *addresses, uint32_t location,
                 uint64_t address, const uint32_t *wanted) {
    for (uint32_t l = 0; l < location; l++)
        if (address == addresses[l] || conflicts(geometry, address, addresses[l]) != wanted[l])
            return false;
    return true;
}

/* The smallest address that fits; false: there is none that is small. */
static bool find_address(const col_geometry *geometry, uint64_t *addresses, uint32_t location,
                         const uint32_t *wanted) {
    const uint64_t words = (UINT64_C(1) << geometry->block_bits) / COL_WORD_BYTES;
    for (uint64_t block = 1; block <= MOST_BLOCKS; block++) { /* 0 looks like nothing */
        const uint64_t address = block << geometry->block_bits;
        bool shares = false; /* only then do its other words fit better than the first */
        for (uint32_t l = 0; l < location; l++)
            shares |= addresses[l] >> geometry->block_bits == block;
        for (uint64_t word = 0; word < (shares ? words : 1); word++)
            if (fits(geometry, addresses, location, address + word * COL_WORD_BYTES, wanted)) {
                addresses[location] = address + word * COL_WORD_BYTES;
                return true;
            }
    }
    return false;
}

/* What the best program's conflicts become. */
typedef struct conflict_rule {
    uint32_t location; /* whose conflicts change; ALL_LOCATIONS; NO_LOCATION */
    uint32_t ignored;  /* levels at which there are to be none */
    bool splits;       /* it leaves its block; else all that share the block go with it */
} conflict_rule;

static bool is_about(const epi_search *search, const col_geometry *geometry,
                     const conflict_rule *kept, uint32_t location) {
    const uint64_t *addresses = search->best.addresses;
    if (kept->location >= search->best.location_count)
        return kept->location == ALL_LOCATIONS;
    return location == kept->location ||
           (!kept->splits &&
            conflicts(geometry, addresses[location], addresses[kept->location]) == IN_ONE_BLOCK);
}

static uint32_t wanted_conflicts(const epi_search *search, const col_geometry *geometry,
                                 const conflict_rule *kept, uint32_t a, uint32_t b) {
    const uint32_t were = conflicts(geometry, search->best.addresses[a], search->best.addresses[b]);
    if (!is_about(search, geometry, kept, a) && !is_about(search, geometry, kept, b))
        return were;
    if (were == IN_ONE_BLOCK)
        return kept->splits ? 0 : IN_ONE_BLOCK;
    return were & ~kept->ignored;
}

/* Tries the smallest addresses that have these conflicts. */
static bool assign(epi_search *search, const col_geometry *geometry, conflict_rule kept) {
    uint32_t wanted[MOST_LOCATIONS];
    if (search->over ||
        !epi_search_is_fine(search, prg_copy(&search->best, &search->candidate, &search->problem)))
        return false;
    for (uint32_t l = 0; l < search->best.location_count; l++) {
        for (uint32_t k = 0; k < l; k++)
            wanted[k] = wanted_conflicts(search, geometry, &kept, k, l);
        if (!find_address(geometry, search->candidate.addresses, l, wanted))
            return false;
    }
    return epi_search_try(search);
}

static bool has_conflict(const col_program *program, const col_geometry *geometry) {
    for (uint32_t l = 0; l < program->location_count; l++)
        for (uint32_t k = 0; k < l; k++)
            if (conflicts(geometry, program->addresses[k], program->addresses[l]) != 0)
                return true;
    return false;
}

/* From the greatest change to the smallest, while there is something to be gained. */
static bool drop_conflicts(epi_search *search, const col_geometry *geometry) {
    const uint32_t locations = search->best.location_count;
    bool is_changed = false;
    for (uint32_t i = 0; i < 2 * locations + 2 && has_conflict(&search->best, geometry); i++)
        is_changed |= assign(search, geometry,
                             (conflict_rule){.location = i < 2 ? ALL_LOCATIONS : (i - 2) / 2,
                                             .ignored = ALL_LEVELS,
                                             .splits = i % 2 == 0});
    for (uint32_t i = geometry->level_count; i-- > 0 && has_conflict(&search->best, geometry);)
        is_changed |= assign(search, geometry,
                             (conflict_rule){.location = ALL_LOCATIONS, .ignored = 1U << i});
    return is_changed;
}

bool epi_search_addresses(epi_search *search, const col_geometry *geometry) {
    if (search->best.location_count > MOST_LOCATIONS)
        return false;
    const bool is_changed = drop_conflicts(search, geometry);
    return assign(search, geometry, (conflict_rule){.location = NO_LOCATION}) || is_changed;
}
