/* SPDX-License-Identifier: MIT */
/* Where blocks lie that are to be evicted one by one, and how to get to a state of the space. */
#include "base/bits.h"
#include "base/problem.h"
#include "direct/tour.h"
#include "program/geometry.h"

#include <string.h>

/* ---- Addresses. */

enum { ADDRESS_BITS = 48 };

/* Takes as many low bits of the number as the mask has, and spreads them over it. */
static uint64_t take_bits(uint64_t *number, uint64_t mask) {
    const uint64_t low = *number;
    *number >>= base_bit_count(mask); /* a mask has 48 bits at most */
    return base_scatter_bits(low, mask);
}

col_status dir_layout_check(const char *engine, const col_engine_settings *settings,
                            col_problem *problem) {
    if (settings->sets != 0)
        return base_refuse(problem, "%s chooses the sets of its blocks itself", engine);
    if (settings->mix != NULL && strcmp(settings->mix, "published") != 0)
        return base_refuse(problem, "%s chooses operations by its protocol, not by a mix", engine);
    return COL_OK;
}

col_status dir_layout_make(dir_layout *layout, const col_geometry *geometry, uint32_t levels,
                           col_problem *problem) {
    const uint32_t count = geometry->level_count;
    if (count == 0)
        return base_refuse(problem,
                           "evictions by conflicting addresses need to know the caches, and "
                           "the design does not describe any");
    const col_status status = prg_geometry_check(geometry, problem);
    if (status != COL_OK)
        return status;
    if (levels > count)
        return base_refuse(problem, "the design has %u cache levels, not %u", count, levels);
    const uint32_t reached = levels > 0 ? levels : count > 1 ? count - 1 : 1;
    uint64_t every = 0;
    *layout = (dir_layout){.near_mask = UINT64_MAX};
    for (uint32_t l = 0; l < reached; l++) {
        const uint64_t mask = prg_level_mask(&geometry->levels[l]);
        every |= mask;
        if (base_bit_count(mask) < base_bit_count(layout->near_mask))
            layout->near_mask = mask;
        if (geometry->levels[l].ways > layout->ways)
            layout->ways = geometry->levels[l].ways;
    }
    const uint64_t blocks = ((UINT64_C(1) << ADDRESS_BITS) - 1) >> geometry->block_bits
                                                                       << geometry->block_bits;
    layout->far_mask = every & ~layout->near_mask;
    layout->tag_mask = blocks & ~every;
    return COL_OK;
}

uint64_t dir_layout_sets(const dir_layout *layout) {
    return UINT64_C(1) << base_bit_count(layout->near_mask);
}

uint64_t dir_layout_address(const dir_layout *layout, uint64_t set, uint64_t tag) {
    const uint64_t near = take_bits(&set, layout->near_mask);
    const uint64_t far = take_bits(&set, layout->far_mask);
    return near | far | take_bits(&tag, layout->tag_mask);
}

/* ---- Walks. */

typedef struct walker {
    const tour_space *space;
    tour_operation *walk;
    tour_state state;
    uint32_t count;
} walker;

static void go(walker *w, tour_kind kind, uint32_t core) {
    const tour_operation operation = {(uint8_t)kind, (uint8_t)core};
    w->walk[w->count++] = operation;
    w->state = tour_after(w->space, &w->state, operation);
}

static bool is_there(const walker *w, const tour_state *to) {
    return w->state.holders == to->holders && w->state.holding == to->holding &&
           w->state.owner == to->owner;
}

uint32_t dir_tour_walk(const tour_space *space, const tour_state *to,
                       tour_operation walk[DIR_MOST_WALK]) {
    walker w = {.space = space, .walk = walk, .state = TOUR_INITIAL};
    if (to->holding == TOUR_MODIFIED || to->holding == TOUR_OWNED)
        go(&w, TOUR_STORE, to->owner);
    for (uint32_t core = 0; core < space->cores; core++)
        if (((to->holders & ~w.state.holders) >> core & 1) != 0)
            go(&w, TOUR_LOAD, core);
    if (is_there(&w, to))
        return w.count;
    /* A single holder that has to share: with one that leaves again. */
    const uint32_t guest = (to->holders & 1) != 0 ? 1 : 0;
    go(&w, TOUR_LOAD, guest);
    go(&w, TOUR_EVICT, guest);
    return w.count;
}

col_status dir_steps_write(const dir_step *steps, uint32_t count, uint32_t threads,
                           uint32_t locations, uint32_t *scratch, col_program *program,
                           col_problem *problem) {
    memset(scratch, 0, threads * sizeof *scratch);
    for (uint32_t i = 0; i < count; i++)
        scratch[steps[i].thread]++;
    const col_status status = col_program_shape(program, threads, scratch, locations, problem);
    if (status != COL_OK)
        return status;
    memcpy(scratch, program->thread_start, threads * sizeof *scratch);
    for (uint32_t i = 0; i < count; i++)
        program->operations[scratch[steps[i].thread]++] = steps[i].operation;
    return COL_OK;
}

uint32_t dir_draw_size(col_range range, base_rng *rng) {
    uint32_t count = 1;
    for (uint64_t size = range.least; size * 2 <= range.most; size *= 2)
        count++;
    return range.least << base_rng_below(rng, count);
}
