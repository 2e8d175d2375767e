/* SPDX-License-Identifier: MIT */
/* What a test brings: see brought.h. Everything that it might is counted, since a point that needs
 * what no test brought is said to be out of reach. */
#include "episode/brought.h"

#include "generate/statistics.h"

static uint32_t brought_by(const col_operation *operation) {
    switch ((col_kind)operation->kind) {
    case COL_LOAD:
    case COL_AWAIT:
        return COL_NEEDS_LOADS;
    case COL_STORE:
        return COL_NEEDS_STORES;
    case COL_SWAP: /* a core may read first and write then */
    case COL_ADD:
    case COL_CONDITIONAL:
        return COL_NEEDS_LOADS | COL_NEEDS_STORES | COL_NEEDS_ATOMICS;
    case COL_FLUSH:
        return COL_NEEDS_FLUSHES;
    case COL_FETCH:
        return COL_NEEDS_FETCHES;
    case COL_PREFETCH:
        return COL_NEEDS_LOADS | COL_NEEDS_STORES | COL_NEEDS_FETCHES | COL_NEEDS_PREFETCHES;
    case COL_DMA_READ: /* or the core does what an engine does not take */
        return COL_NEEDS_DMA | COL_NEEDS_LOADS;
    case COL_DMA_WRITE:
        return COL_NEEDS_DMA | COL_NEEDS_STORES;
    case COL_FENCE:
        return (operation->fence & COL_WRITE_READ) != 0 ? COL_NEEDS_FENCES : 0;
    default:
        return 0;
    }
}

/* A level is out of room when a set has more blocks than ways. A fence may name a block that is no
 * location's. */
static col_status add_replacements(const col_duv_description *d, const col_program *program,
                                   uint32_t *brought, col_problem *problem) {
    const uint32_t others = (*brought & COL_NEEDS_FENCES) != 0 ? 1 : 0;
    for (uint32_t l = 0; l < d->geometry.level_count; l++) {
        uint32_t blocks;
        const col_status status = gen_level_pressure(program, &d->geometry, l, &blocks, problem);
        if (status != COL_OK)
            return status;
        if (blocks + others > d->geometry.levels[l].ways)
            *brought |= (uint32_t)COL_NEEDS_REPLACEMENT << l;
    }
    return COL_OK;
}

col_status epi_bring(col_coverage *coverage, const col_duv_description *description,
                     const col_program *program, col_problem *problem) {
    uint32_t brought = 0;
    if (description->needs == NULL)
        return COL_OK;
    for (uint32_t i = 0; i < col_program_operations(program); i++)
        brought |= brought_by(&program->operations[i]);
    const col_status status = add_replacements(description, program, &brought, problem);
    if (status == COL_OK)
        col_coverage_bring(coverage, brought);
    return status;
}
