/* SPDX-License-Identifier: MIT */
/* The instruction sets that there are, machine code that grows, and stubs of fetches: see isa.h. */
#include "design/isa/isa.h"

#include "base/memory.h"
#include "design/isa/instruction_set.h"

#include <stdarg.h>
#include <stdio.h>
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

/* ---- Machine code that grows. */

void isa_code_free(isa_code *code) {
    free(code->bytes);
    free(code->sites);
    free(code->labels);
    free(code->fixups);
    *code = (isa_code)ISA_CODE_EMPTY;
}

void isa_code_clear(isa_code *code) {
    code->size = code->site_count = code->label_count = code->fixup_count = 0;
    code->status = COL_OK;
}

void isa_code_refuse(isa_code *code, const char *format, ...) {
    if (code->status != COL_OK)
        return;
    char message[sizeof code->problem.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    code->status = base_refuse(&code->problem, "%s", message);
}

/* Room for one more, or the problem sticks. */
static bool make_room(isa_code *code, void *array, size_t *capacity, size_t count,
                      size_t item_size) {
    if (code->status == COL_OK)
        code->status = base_reserve(array, capacity, count, item_size, &code->problem);
    return code->status == COL_OK;
}

void isa_emit(isa_code *code, const void *bytes, size_t size) {
    if (size > UINT32_MAX / 2 - code->size) {
        isa_code_refuse(code, "the machine code is larger than 2 GB");
        return;
    }
    if (!make_room(code, &code->bytes, &code->capacity, code->size + size, 1))
        return;
    memcpy(code->bytes + code->size, bytes, size);
    code->size += size;
}

void isa_emit_number(isa_code *code, uint64_t number, uint32_t bytes) {
    uint8_t encoded[8];
    for (uint32_t i = 0; i < bytes; i++)
        encoded[i] = (uint8_t)(number >> (8 * i));
    isa_emit(code, encoded, bytes);
}

void isa_pad(isa_code *code, uint64_t size) {
    while (code->status == COL_OK && code->size < size)
        isa_emit(code, "", 1);
}

void isa_align(isa_code *code, uint32_t alignment) {
    isa_pad(code, ((uint64_t)code->size + alignment - 1) / alignment * alignment);
}

isa_label isa_new_label(isa_code *code) {
    if (!make_room(code, &code->labels, &code->label_capacity, code->label_count + 1,
                   sizeof *code->labels))
        return 0;
    code->labels[code->label_count] = ISA_NONE;
    return (isa_label)code->label_count++;
}

void isa_bind(isa_code *code, isa_label label) {
    if (code->status == COL_OK)
        code->labels[label] = isa_here(code);
}

isa_label isa_label_here(isa_code *code) {
    const isa_label label = isa_new_label(code);
    isa_bind(code, label);
    return label;
}

void isa_refer(isa_code *code, isa_label label, uint32_t kind, isa_patch *patch) {
    if (make_room(code, &code->fixups, &code->fixup_capacity, code->fixup_count + 1,
                  sizeof *code->fixups))
        code->fixups[code->fixup_count++] =
            (isa_fixup){.offset = isa_here(code), .label = label, .kind = kind, .patch = patch};
}

void isa_set_bits(uint8_t *at, uint32_t bits) {
    for (int i = 0; i < 4; i++)
        at[i] |= (uint8_t)(bits >> (8 * i));
}

static uint32_t number_bits(isa_code *code, const char *mnemonic, const isa_operand *field,
                            int64_t value) {
    if (value < (int64_t)field->low * field->step || value > (int64_t)field->high * field->step ||
        value % field->step != 0)
        isa_code_refuse(code, "%lld is out of range for '%s'", (long long)value, mnemonic);
    const uint32_t number = (uint32_t)(value / field->step);
    return field->kind == ISA_SPLIT ? (number & 0x1f) << 7 | number >> 5 << 25
                                    : number << field->shift;
}

void isa_emit_word(isa_code *code, const char *mnemonic, uint32_t bits,
                   const isa_operand format[ISA_OPERANDS], const int64_t operands[ISA_OPERANDS],
                   isa_patch *patch) {
    for (int i = 0; i < ISA_OPERANDS; i++) {
        const isa_operand *field = &format[i];
        const int64_t value = operands[i];
        switch (field->kind) {
        case ISA_NO_OPERAND:
            break;
        case ISA_NUMBER:
        case ISA_SPLIT:
            bits |= number_bits(code, mnemonic, field, value);
            break;
        case ISA_ORDER: /* COL_ACQUIRE is 1 */
            bits |= (uint32_t)(value & 1) << (field->shift + 1) | (uint32_t)(value >> 1 & 1)
                                                                      << field->shift;
            break;
        case ISA_LABEL:
            isa_refer(code, (isa_label)value, (uint32_t)field->low, patch);
            break;
        }
    }
    isa_emit_number(code, bits, 4);
}

void isa_add_site(isa_code *code, const isa_site *site) {
    if (make_room(code, &code->sites, &code->site_capacity, code->site_count + 1,
                  sizeof *code->sites))
        code->sites[code->site_count++] = *site;
}

void isa_code_resolve(isa_code *code, size_t first) {
    size_t kept = first;
    for (size_t f = first; f < code->fixup_count && code->status == COL_OK; f++) {
        const isa_fixup fixup = code->fixups[f];
        const uint32_t target = code->labels[fixup.label];
        if (target == ISA_NONE)
            code->fixups[kept++] = fixup;
        else if (!fixup.patch(code->bytes + fixup.offset, fixup.kind,
                              (int64_t)target - fixup.offset))
            isa_code_refuse(code,
                            "the branch at offset 0x%x of the machine code does not reach 0x%x",
                            (unsigned)fixup.offset, (unsigned)target);
    }
    if (code->status == COL_OK)
        code->fixup_count = kept;
}

col_status isa_code_finish(isa_code *code, col_problem *problem) {
    isa_code_resolve(code, 0);
    if (code->fixup_count > 0)
        isa_code_refuse(code, "a branch of the machine code leads nowhere");
    if (code->status != COL_OK && problem != NULL)
        *problem = code->problem;
    return code->status;
}

/* ---- Where fetches go. */

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
