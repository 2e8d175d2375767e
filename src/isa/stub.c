/* SPDX-License-Identifier: MIT */
/* Where fetches go: see stub.h. */
#include "isa/stub.h"

#include "base/memory.h"
#include "isa/emitter.h"

#include <stdlib.h>

enum { UNITS = ISA_STUB_BLOCK / ISA_STUB_BYTES };

/* The units of the location's block that locations have: bit u for unit u. */
static uint32_t find_used(const col_program *program, uint64_t block) {
    const uint32_t bytes = col_program_word_bytes(program);
    uint32_t used = 0;
    for (uint32_t l = 0; l < program->location_count; l++) {
        const uint64_t address = program->addresses[l];
        if (address / ISA_STUB_BLOCK != block)
            continue;
        for (uint32_t at = 0; at < bytes; at += ISA_STUB_BYTES)
            used |= UINT32_C(1) << (address + at) % ISA_STUB_BLOCK / ISA_STUB_BYTES;
    }
    return used;
}

bool isa_stub_place(const col_program *program, uint32_t location, uint64_t *place) {
    const uint64_t block = program->addresses[location] / ISA_STUB_BLOCK;
    const uint32_t used = find_used(program, block);
    const uint32_t own = program->addresses[location] % ISA_STUB_BLOCK / ISA_STUB_BYTES;
    for (uint32_t distance = 1; distance < UNITS; distance++) { /* by the smallest common block */
        const uint32_t unit = own ^ distance;
        if ((used >> unit & 1) != 0)
            continue;
        *place = block * ISA_STUB_BLOCK + (uint64_t)unit * ISA_STUB_BYTES;
        return true;
    }
    return false;
}

static int compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

col_status isa_stub_list(const col_program *program, uint64_t **places, uint32_t *count,
                         col_problem *problem) {
    const uint32_t operations = col_program_operations(program);
    uint64_t *list = calloc((size_t)operations + 1, sizeof *list);
    uint32_t found = 0, kept = 0;
    if (list == NULL)
        return base_out_of_memory(problem);
    for (uint32_t o = 0; o < operations; o++)
        if (program->operations[o].kind == COL_FETCH &&
            isa_stub_place(program, program->operations[o].location, &list[found]))
            found++;
    qsort(list, found, sizeof *list, compare);
    for (uint32_t i = 0; i < found; i++)
        if (i == 0 || list[i] != list[i - 1])
            list[kept++] = list[i];
    *places = list;
    *count = kept;
    return COL_OK;
}

uint32_t isa_stub_word(const isa_target *target) {
    return target->emitter->stub;
}
