/* SPDX-License-Identifier: MIT */
/* What a program holds, counted in time linear in its operations: see statistics.h. */
#include "generate/statistics.h"

#include "program/geometry.h"

#include <stdlib.h>

/* Accesses of one location: those that write, and those that only read. */
typedef struct tally {
    uint64_t reads, writes;
} tally;

static uint64_t pairs(uint64_t count) {
    return count < 2 ? 0 : count * (count - 1) / 2;
}

static uint64_t collisions(const tally *t) {
    return pairs(t->reads + t->writes);
}

static uint64_t conflicts(const tally *t) {
    return collisions(t) - pairs(t->reads);
}

static const tally *tally_of(const tally *tallies, const col_operation *operation) {
    return &tallies[operation->location];
}

static bool is_access(const col_operation *operation) {
    return col_kinds[operation->kind].reads || col_kinds[operation->kind].writes;
}

static void count(tally *tallies, const col_operation *operation) {
    tally *t = &tallies[operation->location];
    if (col_kinds[operation->kind].writes)
        t->writes++;
    else
        t->reads++;
}

/* One thread: `own` is all 0 before and after. */
static void add_thread(gen_statistics *s, const col_operation *operations, uint32_t length,
                       const tally *all, tally *own) {
    for (uint32_t o = 0; o < length; o++)
        if (is_access(&operations[o]))
            count(own, &operations[o]);
    for (uint32_t o = 0; o < length; o++) {
        if (!is_access(&operations[o]))
            continue;
        const tally *mine = tally_of(own, &operations[o]), *whole = tally_of(all, &operations[o]);
        uint64_t races = whole->writes - mine->writes;
        if (col_kinds[operations[o].kind].writes)
            races += whole->reads - mine->reads;
        s->least_races = races < s->least_races ? races : s->least_races;
        s->most_races = races > s->most_races ? races : s->most_races;
    }
    for (uint32_t o = 0; o < length; o++) {
        if (!is_access(&operations[o]))
            continue;
        tally *mine = &own[operations[o].location];
        s->intra_collisions += collisions(mine);
        s->intra_conflicts += conflicts(mine);
        *mine = (tally){0};
    }
}

static void add_program(gen_statistics *s, const col_program *program, tally *all, tally *own) {
    const uint32_t operations = col_program_operations(program);
    const uint64_t intra_collisions = s->intra_collisions, intra_conflicts = s->intra_conflicts;
    if (s->programs++ == 0)
        s->least_races = UINT64_MAX;
    s->operations += operations;
    for (uint32_t o = 0; o < operations; o++) {
        const col_operation *operation = &program->operations[o];
        s->by_kind[operation->kind]++;
        if (is_access(operation)) {
            s->accesses++;
            count(all, operation);
        }
    }
    for (uint32_t t = 0; t < program->thread_count; t++)
        add_thread(s, program->operations + program->thread_start[t],
                   program->thread_start[t + 1] - program->thread_start[t], all, own);
    for (uint32_t l = 0; l < program->location_count; l++) {
        s->inter_collisions += collisions(&all[l]);
        s->inter_conflicts += conflicts(&all[l]);
    }
    /* So far these count all pairs of the program: those within threads go. */
    s->inter_collisions -= s->intra_collisions - intra_collisions;
    s->inter_conflicts -= s->intra_conflicts - intra_conflicts;
}

col_status gen_statistics_add(gen_statistics *s, const col_program *program,
                              const col_generated *generated, col_problem *problem) {
    tally *tallies = calloc(2 * (size_t)program->location_count + 1, sizeof *tallies);
    if (tallies == NULL)
        return base_out_of_memory(problem);
    add_program(s, program, tallies, tallies + program->location_count);
    free(tallies);
    for (uint32_t c = 0; c < COL_CATEGORIES; c++)
        s->chains[c] += generated->chain_counts[c];
    s->fillers += generated->fillers;
    return COL_OK;
}

double gen_statistics_races(const gen_statistics *s) {
    return s->accesses == 0 ? 0 : 2.0 * (double)s->inter_conflicts / (double)s->accesses;
}

/* (set, block) pairs. */
static int compare_placed(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    if (a[0] != b[0])
        return a[0] < b[0] ? -1 : 1;
    return a[1] < b[1] ? -1 : a[1] > b[1];
}

col_status gen_level_pressure(const col_program *program, const col_geometry *geometry,
                              uint32_t level, uint32_t *blocks, col_problem *problem) {
    const size_t count = program->location_count;
    const uint64_t mask = prg_level_mask(&geometry->levels[level]);
    uint64_t(*placed)[2] = malloc((count + 1) * sizeof *placed);
    if (placed == NULL)
        return base_out_of_memory(problem);
    for (size_t l = 0; l < count; l++) {
        placed[l][0] = program->addresses[l] & mask;
        placed[l][1] = program->addresses[l] >> geometry->block_bits;
    }
    qsort(placed, count, sizeof *placed, compare_placed);
    uint32_t in_set = 0;
    *blocks = 0;
    for (size_t l = 0; l < count; l++) {
        const bool same_set = l > 0 && placed[l][0] == placed[l - 1][0];
        const bool same_block = same_set && placed[l][1] == placed[l - 1][1];
        in_set = same_set ? in_set + !same_block : 1;
        *blocks = in_set > *blocks ? in_set : *blocks;
    }
    free(placed);
    return COL_OK;
}

static int compare_falling(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a > b ? -1 : a < b;
}

col_status gen_pattern_write(const col_generated *generated, uint32_t locations, base_text *text,
                             col_problem *problem) {
    uint32_t *sizes = calloc((size_t)generated->set_count + 1, sizeof *sizes);
    if (sizes == NULL)
        return base_out_of_memory(problem);
    for (uint32_t l = 0; l < locations && generated->set_count > 0; l++)
        sizes[generated->set_of[l]]++;
    qsort(sizes, generated->set_count, sizeof *sizes, compare_falling);
    for (uint32_t set = 0; set < generated->set_count; set++)
        base_text_print(text, "%s%u", set > 0 ? "+" : "", sizes[set]);
    free(sizes);
    return base_text_status(text, problem);
}
