/* SPDX-License-Identifier: MIT */
/* The test program in memory: its shape, its kinds of operation, equality. */
#include "collider/program.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(col_operation) == 16, "an operation takes 16 bytes");

const col_kind_traits col_kinds[COL_KIND_COUNT] = {
    [COL_LOAD] = {.name = "load", .reads = true, .located = true},
    [COL_AWAIT] = {.name = "await", .reads = true, .located = true},
    [COL_STORE] = {.name = "store", .writes = true, .located = true},
    [COL_SWAP] = {.name = "swap", .reads = true, .writes = true, .located = true},
    [COL_ADD] = {.name = "add", .reads = true, .writes = true, .located = true},
    [COL_FENCE] = {.name = "fence"},
    [COL_FLUSH] = {.name = "flush", .located = true},
    [COL_FETCH] = {.name = "fetch", .located = true},
    [COL_DELAY] = {.name = "delay"},
    [COL_PREFETCH] = {.name = "prefetch", .located = true},
    [COL_DMA_READ] = {.name = "dma-read", .reads = true, .located = true, .dma = true},
    [COL_DMA_WRITE] = {.name = "dma-write", .writes = true, .located = true, .dma = true},
    [COL_CONDITIONAL] =
        {.name = "conditional", .reads = true, .writes = true, .located = true, .fails = true},
};

col_status col_program_shape(col_program *program, uint32_t threads, const uint32_t *lengths,
                             uint32_t locations, col_problem *problem) {
    if (threads > COL_MAX_THREADS)
        return base_refuse(problem, "a program has at most %d threads", COL_MAX_THREADS);
    if (locations > COL_MAX_LOCATIONS)
        return base_refuse(problem, "a program has at most %d locations", COL_MAX_LOCATIONS);
    uint64_t operations = 0;
    for (uint32_t t = 0; t < threads; t++)
        operations += lengths[t];
    if (operations >= UINT32_MAX)
        return base_refuse(problem, "a program has fewer than 2^32 - 1 operations");

    col_status status = base_reserve(&program->thread_start, &program->thread_capacity,
                                     (size_t)threads + 1, sizeof *program->thread_start, problem);
    if (status == COL_OK)
        status = base_reserve(&program->operations, &program->operation_capacity, operations,
                              sizeof *program->operations, problem);
    if (status == COL_OK)
        status = base_reserve(&program->addresses, &program->location_capacity, locations,
                              sizeof *program->addresses, problem);
    if (status != COL_OK)
        return status;

    program->thread_count = threads;
    program->location_count = locations;
    program->is_narrow = false;
    program->thread_start[0] = 0;
    for (uint32_t t = 0; t < threads; t++)
        program->thread_start[t + 1] = program->thread_start[t] + lengths[t];
    if (operations > 0)
        memset(program->operations, 0, operations * sizeof *program->operations);
    if (locations > 0)
        memset(program->addresses, 0, locations * sizeof *program->addresses);
    return COL_OK;
}

void col_program_free(col_program *program) {
    free(program->thread_start);
    free(program->operations);
    free(program->addresses);
    *program = (col_program)COL_PROGRAM_EMPTY;
}

uint32_t col_program_operations(const col_program *program) {
    return program->thread_count == 0 ? 0 : program->thread_start[program->thread_count];
}

uint32_t col_program_thread_of(const col_program *program, uint32_t index) {
    uint32_t low = 0, high = program->thread_count; /* start[low] <= index < start[high] */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (program->thread_start[middle] <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool same_bytes(const void *a, const void *b, size_t size) {
    return size == 0 || memcmp(a, b, size) == 0;
}

bool col_program_equal(const col_program *a, const col_program *b) {
    if (a->thread_count != b->thread_count || a->location_count != b->location_count ||
        a->is_narrow != b->is_narrow)
        return false;
    return same_bytes(a->thread_start, b->thread_start,
                      a->thread_count * sizeof *a->thread_start) &&
           col_program_operations(a) == col_program_operations(b) &&
           same_bytes(a->operations, b->operations,
                      col_program_operations(a) * sizeof *a->operations) &&
           same_bytes(a->addresses, b->addresses, a->location_count * sizeof *a->addresses);
}

uint32_t col_program_word_bytes(const col_program *program) {
    return program->is_narrow ? COL_NARROW_BYTES : COL_WORD_BYTES;
}

uint64_t col_program_operand(const col_program *program, const col_operation *operation) {
    if (operation->kind != COL_ADD)
        return operation->value;
    return (uint64_t)(program->is_narrow ? 1 : operation->value) << 32;
}

uint64_t col_program_from_memory(const col_program *program, uint64_t held) {
    const uint64_t values = (UINT64_C(1) << COL_NARROW_VALUE_BITS) - 1;
    if (!program->is_narrow)
        return held;
    return (held & UINT32_MAX) >> COL_NARROW_VALUE_BITS << 32 | (held & values);
}

uint64_t col_program_to_memory(const col_program *program, uint64_t word) {
    if (!program->is_narrow)
        return word;
    return (word >> 32 << COL_NARROW_VALUE_BITS | (word & UINT32_MAX)) & UINT32_MAX;
}
