/* SPDX-License-Identifier: MIT */
/* Making an episode fit its design: see fit.h. */
#include "episode/fit.h"

#include "base/problem.h"
#include "base/room.h"
#include "direct/engine.h"
#include "duv/duv.h"

#include <stdlib.h>

void epi_fit_settings(col_episode_settings *s, const col_duv_description *design) {
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
col_status epi_fit_room(const col_episode_settings *s, uint64_t room, col_problem *problem) {
    enum { TEST_BYTES = 24, JOB_BYTES = 64 }; /* for each operation */
    const uint64_t operations = s->operations.most;
    return base_room_check(operations * (TEST_BYTES + (uint64_t)JOB_BYTES * s->jobs), room, "--ops",
                           operations, problem);
}

/* ---- Operations. */

static void replace(const col_duv_description *design, col_operation *operation) {
    const bool writes = col_kinds[operation->kind].writes && operation->kind != COL_STORE;
    const col_operation delay = {.kind = COL_DELAY, .location = 1};
    if (writes && (design->refuses >> COL_STORE & 1) == 0) {
        operation->kind = COL_STORE;
        operation->order &= COL_RELEASE;
    } else {
        *operation = delay;
    }
}

static col_status replace_refused(col_program *program, const col_duv_description *design,
                                  col_problem *problem) {
    const uint32_t count = col_program_operations(program);
    uint64_t *stubs = NULL;
    const col_status status = duv_find_stubs(program, &stubs, problem);
    if (status != COL_OK)
        return status;
    for (uint32_t o = 0; o < count; o++) {
        col_operation *operation = &program->operations[o];
        if (!duv_takes(design, operation, stubs))
            replace(design, operation);
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

static int compare(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static bool is_taken(const uint64_t *sorted, size_t count, uint64_t address) {
    return count > 0 && bsearch(&address, sorted, count, sizeof *sorted, compare) != NULL;
}

static void insert(uint64_t *sorted, size_t count, uint64_t address) {
    size_t place = count;
    for (; place > 0 && sorted[place - 1] > address; place--)
        sorted[place] = sorted[place - 1];
    sorted[place] = address;
}

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
    uint64_t *taken = malloc(((size_t)program->location_count + 1) * sizeof *taken);
    if (taken == NULL)
        return base_out_of_memory(problem);
    for (uint32_t l = 0; l < program->location_count; l++) {
        uint64_t address = program->addresses[l] % size;
        while (is_taken(taken, l, address))
            address = (address + step) % size;
        insert(taken, l, address);
        program->addresses[l] = address;
    }
    free(taken);
    return COL_OK;
}

static bool is_within(const col_program *program, uint64_t window) {
    for (uint32_t l = 0; window > 0 && l < program->location_count; l++)
        if (program->addresses[l] >= window)
            return false;
    return true;
}

col_status epi_fit_program(col_program *program, const col_duv_description *design,
                           col_problem *problem) {
    program->is_narrow = design->is_narrow;
    const col_status status =
        is_within(program, design->window) ? COL_OK : fold_addresses(program, design, problem);
    return status == COL_OK && (duv_refused(design) != 0 || design->executes)
               ? replace_refused(program, design, problem)
               : status;
}
