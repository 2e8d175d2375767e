/* SPDX-License-Identifier: MIT */
/*
 * The address assigner. The bits of an address inside the subspace fall into three groups: index
 * bits (they select a set at some cache level), free block bits (they tell apart the blocks of a
 * set) and offset bits (inside a block). A class of the competition pattern gets its index bits
 * once; its locations get distinct free bits, or share them where blocks are shared.
 */
#include "program/generate/generator.h"

#include "base/memory.h"
#include "base/number.h"
#include "program/geometry.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *const gen_sharings[COL_SHARING_COUNT + 1] = {
    [COL_TRUE_SHARING] = "true", [COL_MIXED_SHARING] = "mixed", [COL_FALSE_SHARING] = "false"};

/* The usable address bits of one assignment. */
typedef struct layout {
    uint64_t index_mask; /* of the level with the most sets; 0 when unconstrained */
    uint64_t free_mask;
    uint32_t free_bits;   /* blocks of a set: 2^free_bits */
    uint32_t offset_low;  /* alignment, at least a word */
    uint32_t offset_bits; /* places in a block: 2^offset_bits */
} layout;

static uint64_t low_mask(uint32_t bits) {
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

void col_addressing_bias(col_addressing *addressing, uint32_t sets) {
    addressing->sets = sets;
    addressing->largest = 0;
    addressing->sharing = COL_TRUE_SHARING;
    addressing->alignment_bits = addressing->geometry.block_bits;
}

uint32_t gen_addressing_largest(const col_addressing *addressing, uint32_t locations) {
    if (addressing->largest != 0 || addressing->sets == 0)
        return addressing->largest;
    return locations / addressing->sets;
}

static col_status check_space(const col_addressing *addressing, col_problem *problem) {
    if (addressing->space_bits < 3 || addressing->space_bits > 48)
        return base_refuse(problem, "the address subspace has 2^3 to 2^48 bytes");
    if ((addressing->base & low_mask(addressing->space_bits)) != 0)
        return base_refuse(problem,
                           "the address subspace must start at a multiple of its size, 2^%u",
                           addressing->space_bits);
    if (addressing->base > UINT64_MAX - low_mask(addressing->space_bits))
        return base_refuse(problem, "the address subspace does not fit into 64 bits");
    if (addressing->alignment_bits < 3 || addressing->alignment_bits > addressing->space_bits)
        return base_refuse(problem, "the alignment is 2^3 (a word) to 2^%u (the address subspace)",
                           addressing->space_bits);
    if (addressing->sharing >= COL_SHARING_COUNT)
        return base_refuse(problem, "unknown kind of sharing");
    return prg_geometry_check(&addressing->geometry, problem);
}

static col_status check_competition(const col_addressing *addressing, const layout *l,
                                    uint32_t locations, col_problem *problem) {
    const col_geometry *geometry = &addressing->geometry;
    if (geometry->level_count == 0)
        return base_refuse(problem, "competition for cache sets needs a cache level to compete in");
    if (addressing->largest == 0 && locations % addressing->sets != 0)
        return base_refuse(problem,
                           "uniform competition needs a number of sets that divides the %u "
                           "locations; %u does not",
                           locations, addressing->sets);
    const uint32_t largest = gen_addressing_largest(addressing, locations);
    BASE_TRY(gen_cbc_check(locations, addressing->sets, largest, problem));
    const uint32_t index_bits = base_bit_count(l->index_mask);
    if (addressing->sets > low_mask(index_bits) + 1)
        return base_refuse(problem,
                           "no cache level has %u sets within an address subspace of 2^%u bytes "
                           "aligned to 2^%u; there are 2^%u",
                           addressing->sets, addressing->space_bits, addressing->alignment_bits,
                           index_bits);
    return COL_OK;
}

/* How many blocks a class of `size` locations takes, at least. */
static uint64_t blocks_needed(const col_addressing *addressing, const layout *l, uint32_t size) {
    if (addressing->sharing == COL_TRUE_SHARING)
        return size;
    return (size + low_mask(l->offset_bits)) >> l->offset_bits;
}

static col_status check_room(const col_addressing *addressing, const layout *l, uint32_t locations,
                             col_problem *problem) {
    const bool biased = addressing->sets > 0;
    const uint32_t most = biased ? gen_addressing_largest(addressing, locations) : locations;
    if (addressing->sharing == COL_FALSE_SHARING && l->offset_bits == 0)
        return base_refuse(problem, "false sharing needs an alignment below the block size");
    if (addressing->sharing == COL_FALSE_SHARING && most < 2)
        return base_refuse(problem, "false sharing needs two locations in one cache set");
    if (blocks_needed(addressing, l, most) > low_mask(l->free_bits) + 1)
        return base_refuse(problem,
                           "%u locations do not fit into the 2^%u blocks that the address subspace "
                           "of 2^%u bytes has for %s; widen the subspace",
                           most, l->free_bits, addressing->space_bits,
                           biased ? "a cache set" : "them");
    return COL_OK;
}

static col_status reserve_all(gen_assigner *a, uint32_t locations, col_problem *problem) {
    const size_t count = locations;
    size_t table = 4;
    while (table < 2 * count)
        table *= 2;
    BASE_TRY(base_reserve(&a->memory, &a->capacity, table + 3 * count + (3 * count + 1) / 2 + 1,
                          sizeof *a->memory, problem));
    a->seen = a->memory;
    a->index_of = a->seen + table;
    a->blocks = a->index_of + count;
    a->places = a->blocks + count;
    a->set_of = (uint32_t *)(a->places + count);
    a->order = a->set_of + count;
    a->start = a->order + count;
    return COL_OK;
}

/* Adds `number` to a hash set of `mask` + 1 places (0 is empty); false if it was there. */
static bool note_new(uint64_t *seen, uint64_t mask, uint64_t number) {
    const uint64_t key = number + 1;
    uint64_t place = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & mask;
    while (seen[place] != 0) {
        if (seen[place] == key)
            return false;
        place = (place + 1) & mask;
    }
    seen[place] = key;
    return true;
}

/* `count` different numbers below 2^bits in random order, every choice equally likely (Floyd). */
static void draw_distinct(gen_assigner *a, base_rng *rng, uint32_t bits, uint32_t count,
                          uint64_t *out) {
    uint64_t places = 4;
    while (places < 2 * (uint64_t)count)
        places *= 2;
    memset(a->seen, 0, places * sizeof *a->seen);
    const uint64_t limit = low_mask(bits) + 1;
    assert(count <= limit);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t last = limit - count + i;
        const uint64_t drawn = base_rng_below(rng, last + 1);
        out[i] = note_new(a->seen, places - 1, drawn) ? drawn : last;
        if (out[i] == last)
            (void)note_new(a->seen, places - 1, last);
    }
    for (uint32_t i = count; i > 1; i--) {
        const uint64_t j = base_rng_below(rng, i);
        const uint64_t swapped = out[i - 1];
        out[i - 1] = out[j];
        out[j] = swapped;
    }
}

/* The index bits that level n adds to those of the levels with fewer sets. */
static uint64_t added_bits(const col_geometry *geometry, uint64_t usable, uint32_t n) {
    const uint64_t before = n == 0 ? 0 : prg_level_mask(prg_geometry_ordered(geometry, n - 1));
    return prg_level_mask(prg_geometry_ordered(geometry, n)) & ~before & usable;
}

/*
 * Gives the classes index bits, from the level with the fewest sets up. At each level the classes
 * that agree so far are spread over the sets that the level's further bits tell apart: to different
 * sets while there are enough, evenly otherwise.
 */
static void spread(gen_assigner *a, const col_geometry *geometry, uint64_t usable, uint32_t n,
                   uint64_t prefix, const uint32_t *classes, uint32_t count, base_rng *rng) {
    if (count == 0)
        return;
    if (count == 1 || n == geometry->level_count) {
        uint64_t rest = 0;
        for (uint32_t level = n; level < geometry->level_count; level++)
            rest |= added_bits(geometry, usable, level);
        const uint64_t random = base_rng_next(rng);
        for (uint32_t i = 0; i < count; i++)
            a->index_of[classes[i]] = prefix | (random & rest);
        return;
    }
    const uint64_t mask = added_bits(geometry, usable, n);
    const uint32_t bits = base_bit_count(mask);
    const uint64_t choices = low_mask(bits) + 1;
    if (count <= choices) {
        draw_distinct(a, rng, bits, count, a->places);
        for (uint32_t i = 0; i < count; i++)
            a->index_of[classes[i]] = prefix | base_scatter_bits(a->places[i], mask);
        for (uint32_t i = 0; i < count; i++)
            spread(a, geometry, usable, n + 1, a->index_of[classes[i]], classes + i, 1, rng);
        return;
    }
    /* More classes than sets: every set takes its share, a random choice of sets one more. */
    const uint64_t flip = base_rng_below(rng, choices);
    uint32_t first = 0;
    for (uint64_t i = 0; i < choices; i++) {
        const uint32_t share = (uint32_t)(count / choices + (i < count % choices ? 1 : 0));
        spread(a, geometry, usable, n + 1, prefix | base_scatter_bits(i ^ flip, mask),
               classes + first, share, rng);
        first += share;
    }
}

/* Locations that share their index bits: all of a class, or all of the program. */
typedef struct group {
    uint64_t index; /* address bits that all have */
    const uint32_t *members;
    uint32_t count;
} group;

/* How many of `left` locations the next of `blocks` blocks takes: two or more, leaving neither one
 * alone nor more than the other blocks have places for. */
static uint32_t draw_share(const layout *l, uint32_t left, uint64_t blocks, base_rng *rng) {
    const uint64_t places = low_mask(l->offset_bits) + 1;
    const uint64_t most = left < places ? left : places;
    uint64_t least = left < 2 ? left : 2;
    if (left > (blocks - 1) * places && left - (blocks - 1) * places > least)
        least = left - (blocks - 1) * places;
    uint64_t share = least + base_rng_below(rng, most - least + 1);
    if (left - share == 1 && share < most)
        share++;
    else if (left - share == 1 && share > least)
        share--;
    return (uint32_t)share;
}

static void place(gen_assigner *a, const col_addressing *addressing, const layout *l,
                  const group *g, base_rng *rng, uint64_t *addresses) {
    switch (addressing->sharing) {
    case COL_TRUE_SHARING:
        /* True sharing: a block for each. */
        draw_distinct(a, rng, l->free_bits, g->count, a->blocks);
        for (uint32_t i = 0; i < g->count; i++) {
            const uint64_t offset = base_rng_below(rng, low_mask(l->offset_bits) + 1)
                                    << l->offset_low;
            addresses[g->members[i]] =
                g->index | base_scatter_bits(a->blocks[i], l->free_mask) | offset;
        }
        break;
    case COL_MIXED_SHARING:
        /* Any different places will do. */
        draw_distinct(a, rng, l->free_bits + l->offset_bits, g->count, a->places);
        for (uint32_t i = 0; i < g->count; i++) {
            const uint64_t offset = a->places[i] & low_mask(l->offset_bits);
            addresses[g->members[i]] =
                g->index | base_scatter_bits(a->places[i] >> l->offset_bits, l->free_mask) |
                offset << l->offset_low;
        }
        break;
    case COL_FALSE_SHARING: { /* blocks of two or more */
        const uint64_t available = low_mask(l->free_bits) + 1;
        const uint32_t pairs = g->count / 2 + g->count % 2;
        const uint32_t blocks = available < pairs ? (uint32_t)available : pairs;
        draw_distinct(a, rng, l->free_bits, blocks, a->blocks);
        uint32_t placed = 0;
        for (uint32_t b = 0; placed < g->count; b++) {
            const uint32_t share = draw_share(l, g->count - placed, blocks - b, rng);
            const uint64_t block = g->index | base_scatter_bits(a->blocks[b], l->free_mask);
            draw_distinct(a, rng, l->offset_bits, share, a->places);
            for (uint32_t i = 0; i < share; i++)
                addresses[g->members[placed + i]] = block | a->places[i] << l->offset_low;
            placed += share;
        }
        break;
    }
    case COL_SHARING_COUNT:
        break; /* refused before */
    }
}

/* Sorts the locations by class: order[start[c]..start[c+1]-1] are the members of class c. */
static void sort_by_class(gen_assigner *a, uint32_t locations, uint32_t sets) {
    memset(a->start, 0, ((size_t)sets + 1) * sizeof *a->start);
    for (uint32_t location = 0; location < locations; location++)
        a->start[a->set_of[location] + 1]++;
    for (uint32_t set = 0; set < sets; set++)
        a->start[set + 1] += a->start[set];
    for (uint32_t location = locations; location-- > 0;)
        a->order[--a->start[a->set_of[location] + 1]] = location;
    /* Now start[c + 1] is where class c begins: move the starts down by one. */
    memmove(a->start, a->start + 1, sets * sizeof *a->start);
    a->start[sets] = locations;
}

static col_status assign_biased(gen_assigner *a, const col_addressing *addressing, const layout *l,
                                uint32_t locations, base_rng *rng, uint64_t *addresses,
                                col_problem *problem) {
    const uint32_t sets = addressing->sets;
    BASE_TRY(gen_pattern_prepare(&a->pattern, locations, sets,
                                 gen_addressing_largest(addressing, locations), problem));
    gen_pattern_draw(&a->pattern, rng, a->order, a->set_of);

    for (uint32_t set = 0; set < sets; set++)
        a->order[set] = set;
    base_rng_shuffle(rng, a->order, sets);
    spread(a, &addressing->geometry, l->index_mask, 0, addressing->base, a->order, sets, rng);

    sort_by_class(a, locations, sets);
    for (uint32_t set = 0; set < sets; set++) {
        const group g = {.index = a->index_of[set],
                         .members = a->order + a->start[set],
                         .count = a->start[set + 1] - a->start[set]};
        place(a, addressing, l, &g, rng, addresses);
    }
    return COL_OK;
}

col_status gen_assign(gen_assigner *a, const col_addressing *addressing, uint32_t locations,
                      base_rng *rng, uint64_t *addresses, col_problem *problem) {
    BASE_TRY(check_space(addressing, problem));
    const col_geometry *geometry = &addressing->geometry;
    const uint32_t block_bits = geometry->block_bits, alignment = addressing->alignment_bits;
    const uint64_t usable = low_mask(addressing->space_bits) & ~low_mask(alignment);
    layout l = {.offset_low = alignment,
                .offset_bits = alignment < block_bits ? block_bits - alignment : 0};
    if (addressing->sets > 0 && geometry->level_count > 0)
        l.index_mask =
            usable & prg_level_mask(prg_geometry_ordered(geometry, geometry->level_count - 1));
    l.free_mask = usable & ~low_mask(block_bits) & ~l.index_mask;
    l.free_bits = base_bit_count(l.free_mask);
    /* A subspace smaller than a block is one block. */
    if (addressing->space_bits < block_bits)
        l.offset_bits = addressing->space_bits - alignment;
    if (addressing->sets > 0)
        BASE_TRY(check_competition(addressing, &l, locations, problem));
    BASE_TRY(check_room(addressing, &l, locations, problem));
    BASE_TRY(reserve_all(a, locations, problem));
    if (addressing->sets > 0)
        return assign_biased(a, addressing, &l, locations, rng, addresses, problem);
    for (uint32_t location = 0; location < locations; location++)
        a->order[location] = location;
    const group all = {.index = addressing->base, .members = a->order, .count = locations};
    place(a, addressing, &l, &all, rng, addresses);
    return COL_OK;
}

void gen_assigner_free(gen_assigner *a) {
    gen_pattern_free(&a->pattern);
    free(a->memory);
    *a = (gen_assigner){0};
}
