/* SPDX-License-Identifier: MIT */
/*
 * Transition coverage of locations, the thesis's TC(v, L). Each location has a row of bits for each
 * controller of a private level, and one row for all controllers of a shared level: a bit for each
 * transition that was taken for the location's block. Rows outlive the tests of a scenario; the
 * address map, and so the block of a location, is that of the test. Only loading takes memory.
 */
#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"
#include "collider/cover.h"
#include "design/duv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NOTHING = UINT32_MAX };

static const uint64_t most_bytes = (uint64_t)1 << 32;

typedef struct level {
    uint32_t controllers, rows; /* of each location */
    uint32_t transitions;       /* that there are: the machine's points */
    uint32_t words;             /* of a row */
    bool is_private;
    base_index known; /* transitions that were taken: their numbers are their bits */
    uint64_t *bits;
    size_t capacity;
    uint64_t *distribution;
} level;

struct col_location_coverage {
    uint32_t block_bits, level_count, locations;
    level *levels;
    base_index blocks;        /* that the test's locations are in */
    uint32_t *first_location; /* of each block, by its number */
    uint32_t *next_location;  /* in the block, of each location */
    size_t first_capacity, next_capacity;
    bool loaded; /* a test of the scenario */
    uint64_t unknown;
};

/* ---- Making. */

col_status col_location_coverage_new(col_location_coverage **coverage,
                                     const col_duv_description *description, col_problem *problem) {
    *coverage = NULL;
    BASE_TRY(duv_check_description(description, problem));
    col_location_coverage *made = NULL;
    BASE_TRY(base_new(&made, 1, sizeof *made, problem));
    made->block_bits = description->geometry.block_bits;
    made->levels = calloc((size_t)description->machine_count + 1, sizeof *made->levels);
    bool enough = made->levels != NULL;
    for (; enough && made->level_count < description->machine_count; made->level_count++) {
        level *l = &made->levels[made->level_count];
        const col_duv_machine *machine = &description->machines[made->level_count];
        *l = (level){.controllers = machine->controllers,
                     .rows = machine->is_private ? machine->controllers : 1,
                     .transitions = machine->point_count,
                     .words = machine->point_count / 64 + 1,
                     .is_private = machine->is_private};
        l->distribution = calloc((size_t)l->transitions + 1, sizeof *l->distribution);
        enough = base_index_reserve(&l->known, l->transitions, NULL) == COL_OK &&
                 l->distribution != NULL;
    }
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
    for (uint32_t i = 0; coverage->levels != NULL && i < coverage->level_count; i++) {
        base_index_free(&coverage->levels[i].known);
        free(coverage->levels[i].bits);
        free(coverage->levels[i].distribution);
    }
    free(coverage->levels);
    base_index_free(&coverage->blocks);
    free(coverage->first_location);
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
    BASE_TRY(base_reserve(&l->bits, &l->capacity, words + 1, sizeof *l->bits, problem));
    memset(l->bits, 0, words * sizeof *l->bits);
    base_index_clear(&l->known);
    return COL_OK;
}

col_status col_location_coverage_begin(col_location_coverage *coverage, uint32_t locations,
                                       col_problem *problem) {
    coverage->loaded = false;
    coverage->unknown = 0;
    coverage->locations = 0;
    BASE_TRY(check_size(coverage, locations, problem));
    for (uint32_t i = 0; i < coverage->level_count; i++)
        BASE_TRY(level_begin(&coverage->levels[i], locations, problem));
    coverage->locations = locations;
    return COL_OK;
}

/* ---- A test. */

static uint64_t hash_block(const col_location_coverage *coverage, uint64_t address) {
    return base_index_hash(address >> coverage->block_bits);
}

col_status col_location_coverage_load(col_location_coverage *coverage, const col_program *program,
                                      col_problem *problem) {
    coverage->loaded = false;
    if (program->location_count != coverage->locations)
        return base_refuse(problem,
                           "the program has %u locations, but the scenario's tests have %u",
                           program->location_count, coverage->locations);
    const size_t count = (size_t)coverage->locations + 1;
    BASE_TRY(base_index_reserve(&coverage->blocks, count, problem));
    BASE_TRY(base_reserve(&coverage->first_location, &coverage->first_capacity, count,
                          sizeof *coverage->first_location, problem));
    BASE_TRY(base_reserve(&coverage->next_location, &coverage->next_capacity, count,
                          sizeof *coverage->next_location, problem));
    base_index_clear(&coverage->blocks);
    for (uint32_t a = 0; a < coverage->locations; a++) {
        const uint64_t hash = hash_block(coverage, program->addresses[a]);
        uint32_t block = base_index_find(&coverage->blocks, hash, NULL, NULL, NULL);
        if (block == BASE_NO_NUMBER) {
            block = (uint32_t)coverage->blocks.count;
            coverage->first_location[block] = NOTHING;
            (void)base_index_put(&coverage->blocks, hash, NULL); /* there is room */
        }
        coverage->next_location[a] = coverage->first_location[block];
        coverage->first_location[block] = a;
    }
    coverage->loaded = true;
    return COL_OK;
}

/* ---- Events. */

static void notice(void *context, const col_event *event) {
    col_location_coverage *coverage = context;
    if (event->kind != COL_TRANSITION || !coverage->loaded)
        return;
    const uint32_t block =
        base_index_find(&coverage->blocks, hash_block(coverage, event->block), NULL, NULL, NULL);
    if (block == BASE_NO_NUMBER)
        return;
    level *l = event->machine < coverage->level_count ? &coverage->levels[event->machine] : NULL;
    if (l == NULL || event->controller >= l->controllers) {
        coverage->unknown++;
        return;
    }
    const uint64_t hash = base_index_hash((uint64_t)event->state << 32 | event->event);
    uint32_t bit = base_index_find(&l->known, hash, NULL, NULL, NULL);
    if (bit == BASE_NO_NUMBER && l->known.count == l->transitions) {
        coverage->unknown++;
        return;
    }
    if (bit == BASE_NO_NUMBER) {
        bit = (uint32_t)l->known.count;
        (void)base_index_put(&l->known, hash, NULL); /* there is room */
    }
    const uint32_t row = l->is_private ? event->controller : 0;
    for (uint32_t location = coverage->first_location[block]; location != NOTHING;
         location = coverage->next_location[location])
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
