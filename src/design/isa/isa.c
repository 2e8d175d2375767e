/* SPDX-License-Identifier: MIT */
/* The instruction sets that there are: see isa.h. */
#include "design/isa/isa.h"

#include "base/memory.h"
#include "design/isa/instruction_set.h"

#include <stdlib.h>
#include <string.h>

const char *const isa_log_words[ISA_LOG_COUNT + 1] = {"tap", "store", "registers", NULL};

static const char *const riscv_registers[] = {
    "x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
    "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
    "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "x31"};

static const char *const aarch64_registers[] = {
    "x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10",
    "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
    "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp"};

static const char *const x86_64_registers[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp",
                                               "rsi", "rdi", "r8",  "r9",  "r10", "r11",
                                               "r12", "r13", "r14", "r15"};

static const isa_target targets[] = {
    /* name, registers, bytes of an address and of words, alignment, number of ELF */
    {"rv32", riscv_registers, 32, 4, 4, 4, ISA_EM_RISCV, COL_RVWMO, &isa_riscv},
    {"rv64", riscv_registers, 32, 8, 4 | 8, 4, ISA_EM_RISCV, COL_RVWMO, &isa_riscv},
    {"aarch64", aarch64_registers, 32, 8, 4 | 8, 4, ISA_EM_AARCH64, COL_ARMV8, &isa_aarch64},
    {"x86-64", x86_64_registers, 16, 8, 4 | 8, 1, ISA_EM_X86_64, COL_TSO, &isa_x86_64},
};

const isa_target *const isa_targets[] = {&targets[0], &targets[1], &targets[2], &targets[3], NULL};

const isa_target *isa_find(const char *name) {
    for (const isa_target *const *target = isa_targets; *target != NULL; target++)
        if (strcmp((*target)->name, name) == 0)
            return *target;
    return NULL;
}

/* Where fetches go. */

enum { UNITS = ISA_STUB_BLOCK / ISA_STUB_BYTES };

/* A location, to be sorted by its address. */
typedef struct located {
    uint64_t address;
    uint32_t location;
} located;

/* Of locations, or of addresses alone. */
static int by_address(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The units of their block that locations have: bit u for unit u. */
static uint32_t find_used(const located *list, size_t count, uint32_t bytes) {
    uint32_t used = 0;
    for (size_t i = 0; i < count; i++)
        for (uint32_t at = 0; at < bytes; at += ISA_STUB_BYTES)
            used |= UINT32_C(1) << (list[i].address + at) % ISA_STUB_BLOCK / ISA_STUB_BYTES;
    return used;
}

static uint64_t find_place(uint64_t address, uint32_t used) {
    const uint64_t block = address / ISA_STUB_BLOCK;
    const uint32_t own = address % ISA_STUB_BLOCK / ISA_STUB_BYTES;
    for (uint32_t distance = 1; distance < UNITS; distance++) { /* by the smallest common block */
        const uint32_t unit = own ^ distance;
        if ((used >> unit & 1) == 0)
            return block * ISA_STUB_BLOCK + (uint64_t)unit * ISA_STUB_BYTES;
    }
    return ISA_NO_STUB;
}

/* All locations, block by block. */
static void find_places(located *list, size_t count, uint32_t bytes, uint64_t *places) {
    qsort(list, count, sizeof *list, by_address);
    for (size_t first = 0, end; first < count; first = end) {
        const uint64_t block = list[first].address / ISA_STUB_BLOCK;
        end = first + 1;
        while (end < count && list[end].address / ISA_STUB_BLOCK == block)
            end++;
        const uint32_t used = find_used(list + first, end - first, bytes);
        for (size_t i = first; i < end; i++)
            places[list[i].location] = find_place(list[i].address, used);
    }
}

static bool has_fetch(const col_program *program, uint32_t first, uint32_t end) {
    while (first < end && program->operations[first].kind != COL_FETCH)
        first++;
    return first < end;
}

col_status isa_stub_places(const col_program *program, uint32_t first, uint32_t end,
                           uint64_t **places, col_problem *problem) {
    const uint32_t count = program->location_count;
    *places = NULL;
    if (!has_fetch(program, first, end))
        return COL_OK;
    located *list = calloc((size_t)count + 1, sizeof *list);
    *places = calloc((size_t)count + 1, sizeof **places);
    if (list == NULL || *places == NULL) {
        free(list);
        free(*places);
        *places = NULL;
        return base_out_of_memory(problem);
    }
    for (uint32_t l = 0; l < count; l++)
        list[l] = (located){program->addresses[l], l};
    find_places(list, count, col_program_word_bytes(program), *places);
    free(list);
    return COL_OK;
}

col_status isa_stub_list(const col_program *program, uint64_t **places, uint32_t *count,
                         col_problem *problem) {
    const uint32_t operations = col_program_operations(program);
    uint64_t *of_locations = NULL;
    uint32_t found = 0, kept = 0;
    *places = NULL;
    *count = 0;
    const col_status status = isa_stub_places(program, 0, operations, &of_locations, problem);
    if (status != COL_OK)
        return status;
    uint64_t *list = calloc((size_t)operations + 1, sizeof *list);
    if (list == NULL) {
        free(of_locations);
        return base_out_of_memory(problem);
    }
    for (uint32_t o = 0; o < operations && of_locations != NULL; o++) {
        const col_operation *operation = &program->operations[o];
        if (operation->kind == COL_FETCH && of_locations[operation->location] != ISA_NO_STUB)
            list[found++] = of_locations[operation->location];
    }
    free(of_locations);
    qsort(list, found, sizeof *list, by_address);
    for (uint32_t i = 0; i < found; i++)
        if (i == 0 || list[i] != list[i - 1])
            list[kept++] = list[i];
    *places = list;
    *count = kept;
    return COL_OK;
}

uint32_t isa_stub_word(const isa_target *target) {
    return target->machine->stub;
}
