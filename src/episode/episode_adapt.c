/* SPDX-License-Identifier: MIT */
/* Making an episode fit its design: see episode_adapt.h. */
#include "episode/episode_adapt.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/problem.h"
#include "design/duv.h"
#include "engine/engine.h"
#include "program/generate/program_summary.h"

#include <stdlib.h>

void epi_adapt_settings(col_episode_settings *s, const col_duv_description *design) {
    const dir_engine *engine = dir_engine_find(s->engine);
    if (!s->has_operations && engine != NULL && engine->operations.most > 0)
        s->operations = engine->operations;
    if (!s->has_locations && engine != NULL && engine->locations.most > 0)
        s->locations = engine->locations;
    if (!s->has_operations && design->most_operations > 0)
        s->operations = (col_range){design->least_operations, design->most_operations};
    if (!s->has_instances && design->instances > 0)
        s->instances = design->instances;
}

/* By what plain takes on mesi2; nothing takes less. */
col_status epi_check_room(const col_episode_settings *s, uint64_t room, col_problem *problem) {
    enum { TEST_BYTES = 24, JOB_BYTES = 64 }; /* for each operation */
    const uint64_t operations = s->operations.most;
    return base_room_check(operations * (TEST_BYTES + (uint64_t)JOB_BYTES * s->jobs), room, "--ops",
                           operations, problem);
}

/* ---- Operations. */

static col_status replace_refused(col_program *program, const col_duv_description *design,
                                  col_problem *problem) {
    const uint32_t count = col_program_operations(program);
    uint64_t *stubs = NULL;
    BASE_TRY(duv_find_stubs(program, &stubs, problem));
    for (uint32_t o = 0; o < count; o++) {
        col_operation *operation = &program->operations[o];
        const bool is_refused = !duv_takes(design, operation, stubs);
        const bool writes = col_kinds[operation->kind].writes && operation->kind != COL_STORE;
        if (is_refused && writes && (design->refuses >> COL_STORE & 1) == 0) {
            operation->kind = COL_STORE;
            operation->order &= COL_RELEASE;
        } else if (is_refused) {
            *operation = (col_operation){.kind = COL_DELAY, .location = 1};
        }
        /* What it depended on may read no more. */
        if (operation->dependency != COL_NO_DEPENDENCY &&
            !col_kinds[(operation - operation->distance)->kind].reads) {
            operation->dependency = COL_NO_DEPENDENCY;
            operation->distance = 0;
        }
    }
    free(stubs);
    return COL_OK;
}

/* ---- Addresses. */

/* The upper bits of addresses go; where two meet, the later one moves on to the next free block.
 */
static col_status fold_addresses(col_program *program, const col_duv_description *design,
                                 col_problem *problem) {
    const uint64_t step = UINT64_C(1) << design->geometry.block_bits;
    uint64_t size = step;
    while (size <= design->window / 2)
        size *= 2;
    if (size > design->window || program->location_count > size / step)
        return base_refuse(problem,
                           "%u locations do not fit into the 0x%llx bytes of memory that "
                           "the design %.100s has for tests",
                           program->location_count, (unsigned long long)design->window,
                           design->name);
    base_index taken = {0};
    col_status status = COL_OK;
    for (uint32_t l = 0; l < program->location_count && status == COL_OK; l++) {
        uint64_t address = program->addresses[l] % size;
        while (base_index_find(&taken, base_index_hash(address), NULL, NULL, NULL) !=
               BASE_NO_NUMBER)
            address = (address + step) % size;
        status = base_index_put(&taken, base_index_hash(address), problem);
        program->addresses[l] = address;
    }
    base_index_free(&taken);
    return status;
}

col_status epi_adapt_program(col_program *program, const col_duv_description *design,
                             col_problem *problem) {
    bool is_within = true;
    for (uint32_t l = 0; design->window > 0 && l < program->location_count; l++)
        is_within &= program->addresses[l] < design->window;
    program->is_narrow = design->is_narrow;
    const col_status status = is_within ? COL_OK : fold_addresses(program, design, problem);
    return status == COL_OK && (duv_refused(design) != 0 || design->executes)
               ? replace_refused(program, design, problem)
               : status;
}

/* Which needs of coverage points a test meets: see episode_adapt.h. Everything that it might meet
 * is counted, since a point whose needs no test met is said to be out of reach. */

static uint32_t needs_of(const col_operation *operation) {
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
                                   uint32_t *met, col_problem *problem) {
    const uint32_t others = (*met & COL_NEEDS_FENCES) != 0 ? 1 : 0;
    for (uint32_t l = 0; l < d->geometry.level_count; l++) {
        uint32_t blocks;
        BASE_TRY(gen_level_pressure(program, &d->geometry, l, &blocks, problem));
        if (blocks + others > d->geometry.levels[l].ways)
            *met |= (uint32_t)COL_NEEDS_REPLACEMENT << l;
    }
    return COL_OK;
}

col_status epi_find_needs(const col_duv_description *description, const col_program *program,
                          uint32_t *needs, col_problem *problem) {
    const uint32_t count = col_program_operations(program);
    uint32_t met = 0;
    *needs = 0;
    if (description->needs == NULL)
        return COL_OK;
    for (uint32_t i = 0; i < count; i++)
        met |= needs_of(&program->operations[i]);
    BASE_TRY(add_replacements(description, program, &met, problem));
    *needs = met;
    return COL_OK;
}
