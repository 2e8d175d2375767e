/* SPDX-License-Identifier: MIT */
/* Names of memory: see symbols.h. */
#include "litmus/symbols.h"
#include "base/memory.h"

#include <string.h>

/* Symbols are so far apart; an array is smaller, and offsets stay within it. */
static const uint64_t distance = 1 << 16;

static col_status add_cells(lit_test *test, uint32_t symbol, uint32_t count, col_problem *problem) {
    lit_symbol *s = &test->symbols[symbol];
    if (test->cell_count + count > LIT_MOST_CELLS)
        return base_refuse(problem, "more than %d words of memory are too many for a litmus test",
                           LIT_MOST_CELLS);
    const col_status status =
        base_reserve(&test->cells, &test->cell_capacity, (size_t)test->cell_count + count,
                     sizeof *test->cells, problem);
    if (status != COL_OK)
        return status;
    const uint32_t bytes = s->type.bytes == 0 ? 4 : s->type.bytes;
    s->first_cell = test->cell_count;
    s->cell_count = count;
    for (uint32_t i = 0; i < count; i++)
        test->cells[test->cell_count++] = (lit_cell){.symbol = symbol,
                                                     .index = i,
                                                     .address = s->address + (uint64_t)i * bytes,
                                                     .bytes = s->type.bytes};
    return COL_OK;
}

col_status lit_symbol_find(lit_test *test, const char *name, uint32_t *symbol,
                           col_problem *problem) {
    for (uint32_t i = 0; i < test->symbol_count; i++) {
        *symbol = i;
        if (strcmp(test->symbols[i].name, name) == 0)
            return COL_OK;
    }
    if (test->symbol_count == LIT_MOST_SYMBOLS)
        return base_refuse(problem, "more than %d locations are too many for a litmus test",
                           LIT_MOST_SYMBOLS);
    const col_status status =
        base_reserve(&test->symbols, &test->symbol_capacity, (size_t)test->symbol_count + 1,
                     sizeof *test->symbols, problem);
    char *copy = base_arena_text(&test->arena, name, strlen(name));
    if (status != COL_OK || copy == NULL)
        return status != COL_OK ? status : base_out_of_memory(problem);
    *symbol = test->symbol_count++;
    test->symbols[*symbol] =
        (lit_symbol){.name = copy, .address = distance * ((uint64_t)*symbol + 1)};
    return add_cells(test, *symbol, 1, problem);
}

col_status lit_symbol_extend(lit_test *test, uint32_t symbol, uint32_t cells,
                             col_problem *problem) {
    lit_symbol *s = &test->symbols[symbol];
    s->is_array = true;
    if (s->first_cell + 1 == test->cell_count)
        test->cell_count--;
    else
        test->cells[s->first_cell].address = UINT64_MAX; /* nobody's */
    return add_cells(test, symbol, cells, problem);
}

uint32_t lit_cell_at(const lit_test *test, uint64_t address) {
    const uint64_t symbol = address / distance;
    if (symbol == 0 || symbol > test->symbol_count)
        return test->cell_count;
    const lit_symbol *s = &test->symbols[symbol - 1];
    for (uint32_t i = 0; i < s->cell_count; i++)
        if (test->cells[s->first_cell + i].address == address)
            return s->first_cell + i;
    return test->cell_count;
}

/* ---- Parts. */

void lit_parts_are_cells(lit_test *test) {
    for (uint32_t i = 0; i < test->cell_count; i++)
        test->cells[i].first_part = i;
    test->parts = test->cells;
    test->part_count = test->cell_count;
}

uint32_t lit_part_at(const lit_test *test, uint64_t address) {
    const uint64_t symbol = address / distance;
    if (test->granule == 0)
        return lit_cell_at(test, address);
    for (uint32_t i = 0; i < test->part_count; i++)
        if (test->parts[i].address == address && test->parts[i].symbol + 1 == symbol)
            return i;
    return test->part_count;
}

static uint32_t smallest_access(const lit_test *test) {
    uint32_t least = 8;
    for (uint32_t t = 0; t < test->thread_count; t++)
        for (uint32_t i = 0; i < test->threads[t].instruction_count; i++) {
            const lit_instruction *instruction = &test->threads[t].instructions[i];
            for (uint32_t s = 0; s < instruction->step_count; s++) {
                const lit_step *step = &instruction->steps[s];
                const bool is_access =
                    step->kind == LIT_READ || step->kind == LIT_WRITE || step->kind == LIT_UPDATE;
                if (is_access && step->bytes < least)
                    least = step->bytes;
            }
        }
    return least;
}

/* Of a cell that is not declared: an int, as for herd7. */
static uint32_t bytes_of(const lit_test *test, const lit_cell *cell) {
    const uint32_t declared = test->symbols[cell->symbol].type.bytes;
    return declared == 0 ? 4 : declared;
}

col_status lit_test_split(lit_test *test, col_problem *problem) {
    const uint32_t granule = smallest_access(test);
    uint32_t count = 0;
    lit_cell *parts =
        base_arena_take(&test->arena, ((size_t)test->cell_count * 8 + 1) * sizeof *parts);
    if (parts == NULL)
        return base_out_of_memory(problem);
    for (uint32_t i = 0; i < test->cell_count; i++) {
        lit_cell *cell = &test->cells[i];
        cell->bytes = (uint8_t)bytes_of(test, cell);
        cell->first_part = count;
        for (uint32_t offset = 0; offset + granule <= cell->bytes; offset += granule) {
            parts[count] = *cell;
            parts[count].bytes = (uint8_t)granule;
            parts[count].address = cell->address + offset;
            parts[count++].initial =
                lit_typed(cell->initial >> (8 * offset), (lit_type){(uint8_t)granule, false});
        }
    }
    test->parts = parts;
    test->part_count = count;
    test->granule = granule;
    return COL_OK;
}

uint64_t lit_typed(uint64_t value, lit_type type) {
    const uint32_t bits = type.bytes * 8U;
    if (bits == 0 || bits >= 64)
        return value;
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    value &= mask;
    return type.is_signed && (value >> (bits - 1)) != 0 ? value | ~mask : value;
}
