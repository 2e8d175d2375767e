/* SPDX-License-Identifier: MIT */
/*
 * Transition coverage of locations, the thesis's TC(v, L). Each location has a row of bits for each
 * controller of a private level, and one row for all controllers of a shared level: a bit for each
 * transition that was taken for the location's block. Rows outlive the tests of a scenario; the
 * address map, and so the block of a location, is that of the test. Only loading takes memory.
 */
#include "base/bits.h"
#include "base/memory.h"
#include "collider/cover.h"
#include "duv/duv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NOTHING = UINT32_MAX };

static const uint64_t most_bytes = (uint64_t)1 << 32;

typedef struct transition {
    uint32_t state, event;
    uint32_t bit; /* NOTHING: the entry is unused */
} transition;

typedef struct level {
    uint32_t controllers, rows; /* of each location */
    uint32_t transitions;       /* that there are: the machine's points */
    uint32_t words;             /* of a row */
    bool is_private;
    transition *known; /* a hash table, open addressing: those taken, numbered as they come */
    size_t known_mask;
    uint32_t known_count;
    uint64_t *bits;
    size_t capacity;
    uint64_t *distribution;
} level;

typedef struct block_entry {
    uint64_t block;
    uint32_t first; /* of its locations, by next_location; NOTHING: the entry is unused */
} block_entry;

struct col_location_coverage {
    uint32_t block_bits, level_count, locations;
    level *levels;
    block_entry *blocks; /* a hash table, open addressing */
    uint32_t *next_location;
    size_t block_mask, block_capacity, next_capacity;
    bool loaded; /* a test of the scenario */
    uint64_t unknown;
};

static uint32_t hash(uint64_t key) {
    return (uint32_t)((key * 0x9e3779b97f4a7c15ULL) >> 32);
}

/* A power of two that is at least twice the count: tables stay half empty. */
static size_t table_size(uint32_t count) {
    size_t size = 2;
    while (size < 2 * (size_t)count)
        size *= 2;
    return size;
}

/* ---- Making. */

static bool level_new(level *l, const col_duv_machine *machine) {
    *l = (level){.controllers = machine->controllers,
                 .rows = machine->is_private ? machine->controllers : 1,
                 .transitions = machine->point_count,
                 .words = machine->point_count / 64 + 1,
                 .is_private = machine->is_private,
                 .known_mask = table_size(machine->point_count) - 1};
    l->known = calloc(l->known_mask + 1, sizeof *l->known);
    l->distribution = calloc((size_t)l->transitions + 1, sizeof *l->distribution);
    return l->known != NULL && l->distribution != NULL;
}

col_status col_location_coverage_new(col_location_coverage **coverage,
                                     const col_duv_description *description, col_problem *problem) {
    *coverage = NULL;
    const col_status status = duv_check_description(description, problem);
    if (status != COL_OK)
        return status;
    col_location_coverage *made = calloc(1, sizeof *made);
    if (made == NULL)
        return base_out_of_memory(problem);
    made->block_bits = description->geometry.block_bits;
    made->levels = calloc((size_t)description->machine_count + 1, sizeof *made->levels);
    bool enough = made->levels != NULL;
    for (; enough && made->level_count < description->machine_count; made->level_count++)
        enough =
            level_new(&made->levels[made->level_count], &description->machines[made->level_count]);
    if (!enough) {
        col_location_coverage_free(made);
        return base_out_of_memory(problem);
    }
    *coverage = made;
    return COL_OK;
}

void col_location_coverage_free(col_location_coverage *coverage) {
    if (coverage == NULL)
        return;
    for (uint32_t i = 0; i < coverage->level_count; i++) {
        free(coverage->levels[i].known);
        free(coverage->levels[i].bits);
        free(coverage->levels[i].distribution);
    }
    free(coverage->levels);
    free(coverage->blocks);
    free(coverage->next_location);
    free(coverage);
}

/* ---- A scenario. */

static col_status check_size(const col_location_coverage *coverage, uint32_t locations,
                             col_problem *problem) {
    uint64_t words = 1; /* of one location */
    for (uint32_t i = 0; i < coverage->level_count; i++)
        words += (uint64_t)coverage->levels[i].rows * coverage->levels[i].words;
    if (locations <= most_bytes / 8 / words)
        return COL_OK;
    return base_refuse(
        problem, "the coverage of %u locations takes more than 4 GiB: use fewer locations or cores",
        locations);
}

static col_status level_begin(level *l, uint32_t locations, col_problem *problem) {
    const size_t words = (size_t)l->rows * l->words * locations;
    const col_status status =
        base_reserve(&l->bits, &l->capacity, words + 1, sizeof *l->bits, problem);
    if (status != COL_OK)
        return status;
    memset(l->bits, 0, words * sizeof *l->bits);
    for (size_t i = 0; i <= l->known_mask; i++)
        l->known[i].bit = NOTHING;
    l->known_count = 0;
    return COL_OK;
}

col_status col_location_coverage_begin(col_location_coverage *coverage, uint32_t locations,
                                       col_problem *problem) {
    coverage->loaded = false;
    coverage->unknown = 0;
    coverage->locations = 0;
    col_status status = check_size(coverage, locations, problem);
    for (uint32_t i = 0; status == COL_OK && i < coverage->level_count; i++)
        status = level_begin(&coverage->levels[i], locations, problem);
    if (status == COL_OK)
        coverage->locations = locations;
    return status;
}

/* ---- A test. */

/* The block's entry, or an unused one. */
static block_entry *find_block(const col_location_coverage *coverage, uint64_t block) {
    size_t i = hash(block) & coverage->block_mask;
    while (coverage->blocks[i].first != NOTHING && coverage->blocks[i].block != block)
        i = (i + 1) & coverage->block_mask;
    return &coverage->blocks[i];
}

col_status col_location_coverage_load(col_location_coverage *coverage, const col_program *program,
                                      col_problem *problem) {
    coverage->loaded = false;
    if (program->location_count != coverage->locations)
        return base_refuse(problem,
                           "the program has %u locations, but the scenario's tests have %u",
                           program->location_count, coverage->locations);
    const size_t size = table_size(coverage->locations);
    col_status status = base_reserve(&coverage->blocks, &coverage->block_capacity, size,
                                     sizeof *coverage->blocks, problem);
    if (status == COL_OK)
        status =
            base_reserve(&coverage->next_location, &coverage->next_capacity,
                         (size_t)coverage->locations + 1, sizeof *coverage->next_location, problem);
    if (status != COL_OK)
        return status;
    coverage->block_mask = size - 1;
    for (size_t i = 0; i < size; i++)
        coverage->blocks[i].first = NOTHING;
    for (uint32_t a = 0; a < coverage->locations; a++) {
        const uint64_t block = program->addresses[a] >> coverage->block_bits;
        block_entry *entry = find_block(coverage, block);
        coverage->next_location[a] = entry->first; /* locations may share a block */
        *entry = (block_entry){.block = block, .first = a};
    }
    coverage->loaded = true;
    return COL_OK;
}

/* ---- Events. */

/* The transition's bit; NOTHING if there are more transitions than there can be. */
static uint32_t bit_of(level *l, uint32_t state, uint32_t event) {
    size_t i = hash((uint64_t)state << 32 | event) & l->known_mask;
    for (; l->known[i].bit != NOTHING; i = (i + 1) & l->known_mask)
        if (l->known[i].state == state && l->known[i].event == event)
            return l->known[i].bit;
    if (l->known_count == l->transitions)
        return NOTHING;
    l->known[i] = (transition){.state = state, .event = event, .bit = l->known_count++};
    return l->known[i].bit;
}

static void notice(void *context, const col_event *event) {
    col_location_coverage *coverage = context;
    if (event->kind != COL_TRANSITION || !coverage->loaded)
        return;
    uint32_t location = find_block(coverage, event->block >> coverage->block_bits)->first;
    if (location == NOTHING)
        return;
    level *l = event->machine < coverage->level_count ? &coverage->levels[event->machine] : NULL;
    if (l == NULL || event->controller >= l->controllers) {
        coverage->unknown++;
        return;
    }
    const uint32_t bit = bit_of(l, event->state, event->event);
    if (bit == NOTHING) {
        coverage->unknown++;
        return;
    }
    const uint32_t row = l->is_private ? event->controller : 0;
    for (; location != NOTHING; location = coverage->next_location[location])
        l->bits[((size_t)location * l->rows + row) * l->words + bit / 64] |= (uint64_t)1
                                                                             << bit % 64;
}

col_observer col_location_coverage_observer(col_location_coverage *coverage) {
    return (col_observer){.context = coverage, .notice = notice, .kinds = 1U << COL_TRANSITION};
}

uint64_t col_location_coverage_unknown(const col_location_coverage *coverage) {
    return coverage->unknown;
}

/* ---- Distributions. */

const uint64_t *col_location_coverage_distribution(col_location_coverage *coverage,
                                                   uint32_t machine) {
    assert(machine < coverage->level_count);
    const level *l = &coverage->levels[machine];
    memset(l->distribution, 0, ((size_t)l->transitions + 1) * sizeof *l->distribution);
    /* A machine without controllers takes no part, not even with zeros. */
    const size_t rows = l->controllers == 0 ? 0 : (size_t)l->rows * coverage->locations;
    for (size_t row = 0; row < rows; row++) {
        uint32_t taken = 0;
        for (uint32_t w = 0; w < l->words; w++)
            taken += base_bit_count(l->bits[row * l->words + w]);
        l->distribution[taken]++;
    }
    return l->distribution;
}

/* The value at this place of the sorted list. */
static uint32_t value_at(const uint64_t *distribution, uint64_t place) {
    uint32_t value = 0;
    for (; place >= distribution[value]; value++)
        place -= distribution[value];
    return value;
}

/* The value that `quarters` quarters of the list lie below. */
static double quantile(const uint64_t *distribution, uint64_t count, uint32_t quarters) {
    const uint64_t steps = count - 1; /* quarters of it may lie between two places */
    const uint64_t place = steps / 4 * quarters + steps % 4 * quarters / 4;
    const uint64_t rest = steps % 4 * quarters % 4;
    const double low = value_at(distribution, place);
    return rest == 0 ? low : low + (value_at(distribution, place + 1) - low) * (double)rest / 4;
}

col_quartiles col_quartiles_of(const uint64_t *distribution, uint32_t transitions) {
    uint64_t count = 0;
    for (uint32_t k = 0; k <= transitions; k++)
        count += distribution[k];
    if (count == 0 || transitions == 0)
        return (col_quartiles){0};
    return (col_quartiles){.low = quantile(distribution, count, 1) / transitions,
                           .median = quantile(distribution, count, 2) / transitions,
                           .high = quantile(distribution, count, 3) / transitions};
}
