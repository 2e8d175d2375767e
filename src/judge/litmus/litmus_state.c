/* SPDX-License-Identifier: MIT */
/* The initial state of a litmus test: registers and memory, with types and values. */
#include "base/memory.h"
#include "judge/litmus/litmus_assembler.h"

#include <ctype.h>
#include <string.h>

/* ---- Names of memory. */

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

static col_status make_array(lit_test *test, uint32_t symbol, uint32_t cells,
                             col_problem *problem) {
    lit_symbol *s = &test->symbols[symbol];
    s->is_array = true;
    if (s->first_cell + 1 == test->cell_count)
        test->cell_count--;
    else
        test->cells[s->first_cell].address = UINT64_MAX; /* nobody's */
    return add_cells(test, symbol, cells, problem);
}

/* ---- Values and types. */

bool lit_type_find(const char *word, size_t length, lit_type *type) {
    static const struct {
        const char *name;
        lit_type type;
    } types[] = {{"int", {4, true}},       {"int8_t", {1, true}},    {"int16_t", {2, true}},
                 {"int32_t", {4, true}},   {"int64_t", {8, true}},   {"uint8_t", {1, false}},
                 {"uint16_t", {2, false}}, {"uint32_t", {4, false}}, {"uint64_t", {8, false}},
                 {"char", {1, true}},      {"short", {2, true}},     {"long", {8, true}},
                 {"intptr_t", {8, true}},  {"uintptr_t", {8, false}}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strlen(types[i].name) != length || memcmp(types[i].name, word, length) != 0)
            continue;
        *type = types[i].type;
        return true;
    }
    return false;
}

bool lit_take_thread(lit_reader *reader, uint32_t *thread) {
    const size_t length = lit_word_length(reader);
    const char *p = reader->at, *end = reader->at + length;
    uint32_t number = 0;
    if (p < end && *p == 'P')
        p++;
    if (p == end || end - p > 4)
        return false;
    for (; p < end; p++) {
        if (!isdigit((unsigned char)*p))
            return false;
        number = number * 10 + (uint32_t)(*p - '0');
    }
    while (p < reader->end && (*p == ' ' || *p == '\t'))
        p++;
    if (p == reader->end || *p != ':')
        return false;
    lit_advance_to(reader, p + 1);
    *thread = number;
    return true;
}

uint32_t lit_read_symbol(lit_reader *reader, bool *is_bracketed) {
    uint32_t symbol = 0;
    *is_bracketed = lit_take(reader, "[");
    const char *name = lit_word(reader);
    if (*is_bracketed)
        lit_expect(reader, "]");
    if (reader->status == COL_OK)
        reader->status = lit_symbol_find(reader->test, name, &symbol, reader->problem);
    return symbol;
}

/* x, x[1] or x+4. */
static uint64_t read_address(lit_reader *reader) {
    uint32_t symbol = 0;
    const char *name = lit_word(reader);
    if (reader->status == COL_OK)
        reader->status = lit_symbol_find(reader->test, name, &symbol, reader->problem);
    if (reader->status != COL_OK)
        return 0;
    const lit_symbol *s = &reader->test->symbols[symbol];
    if (lit_take(reader, "[")) {
        const uint64_t offset = lit_number(reader);
        lit_expect(reader, "]");
        if (offset < s->cell_count)
            return reader->test->cells[s->first_cell + offset].address;
        lit_refuse(reader, "the array is not that long");
    }
    return s->address + (lit_take(reader, "+") ? lit_number(reader) : 0);
}

uint64_t lit_read_value(lit_reader *reader) {
    if (lit_is_number(reader))
        return lit_number(reader);
    if (!lit_take(reader, "&") && lit_word_length(reader) == 0) {
        lit_refuse(reader, "this kind of value is not supported: expected a number or a name");
        return 0;
    }
    const lit_place place = reader->place;
    const uint64_t value = read_address(reader);
    if (lit_peek(reader) == ':')
        lit_refuse_at(reader, place, "%s: this kind of value is not supported", "labels and tags");
    return value;
}

/* What stands before a name: int, uint64_t *, _Atomic int. */
static lit_type read_type(lit_reader *reader) {
    (void)lit_take_word(reader, "_Atomic");
    lit_type type = {0};
    const size_t length = lit_word_length(reader);
    const char *start = reader->at, *behind = start + length;
    const lit_place place = reader->place;
    while (behind < reader->end && isspace((unsigned char)*behind))
        behind++;
    if (lit_take(reader, "*")) /* a pointer to an undeclared type */
        return (lit_type){8, false};
    const bool is_type =
        length > 0 && !isdigit((unsigned char)*start) && behind < reader->end &&
        (isalnum((unsigned char)*behind) || *behind == '_' || *behind == '*' ||
         (*behind == '[' && behind > start + length && lit_type_find(start, length, &type)));
    if (!is_type)
        return (lit_type){0};
    if (!lit_type_find(start, length, &type))
        lit_refuse_at(reader, place, "the type '%s' is not supported", lit_word(reader));
    lit_advance_to(reader, start + length);
    while (lit_take(reader, "*"))
        type = (lit_type){8, false};
    return type;
}

uint8_t lit_read_register(lit_reader *reader, uint32_t thread, uint32_t thread_limit) {
    uint8_t bits;
    const lit_place place = reader->place;
    (void)lit_take(reader, "%");
    const char *word = lit_word(reader);
    const uint8_t number = lit_register_find(reader->test->isa, word, strlen(word), &bits);
    if (thread >= thread_limit)
        lit_refuse_at(reader, place, "%s", "there is no such thread");
    if (number == LIT_NO_REGISTER)
        lit_refuse_at(reader, place, "there is no register '%s'", word);
    return number;
}

static void read_register(lit_reader *reader, uint32_t thread, lit_type type) {
    const uint8_t number = lit_read_register(reader, thread, LIT_MOST_THREADS);
    if (reader->status != COL_OK)
        return;
    lit_register *r = &reader->test->threads[thread].registers[number];
    r->type = type;
    r->is_initialised = true;
    if (lit_take(reader, "="))
        r->initial = lit_read_value(reader);
}

static void read_array(lit_reader *reader, uint32_t symbol) {
    lit_test *test = reader->test;
    const lit_place place = reader->place;
    const uint64_t count = lit_number(reader);
    lit_expect(reader, "]");
    if (count == 0 || count > LIT_MOST_CELLS)
        lit_refuse_at(reader, place, "%s", "an array of this length is not supported");
    if (test->symbols[symbol].is_array)
        lit_refuse_at(reader, place, "the array '%s' is declared twice",
                      test->symbols[symbol].name);
    if (reader->status == COL_OK)
        reader->status = make_array(test, symbol, (uint32_t)count, reader->problem);
    if (!lit_take(reader, "="))
        return;
    lit_expect(reader, "{");
    for (uint32_t i = 0; reader->status == COL_OK && i < count; i++) {
        if (i > 0)
            lit_expect(reader, ",");
        const uint64_t value = lit_read_value(reader);
        test->cells[test->symbols[symbol].first_cell + i].initial = value;
    }
    lit_expect(reader, "}");
}

static void read_memory(lit_reader *reader, lit_type type) {
    lit_test *test = reader->test;
    bool is_bracketed;
    const uint32_t symbol = lit_read_symbol(reader, &is_bracketed);
    if (reader->status != COL_OK)
        return;
    if (type.bytes != 0) {
        test->symbols[symbol].type = type;
        test->cells[test->symbols[symbol].first_cell].bytes = type.bytes;
    }
    if (lit_take(reader, "[")) {
        read_array(reader, symbol);
    } else if (lit_take(reader, "=")) {
        const uint64_t value = lit_read_value(reader);
        test->cells[test->symbols[symbol].first_cell].initial = value;
    }
}

void lit_read_state(lit_reader *reader) {
    while (reader->status == COL_OK && !lit_take(reader, "}")) {
        uint32_t thread = 0;
        if (lit_take(reader, ";"))
            continue;
        const lit_type type = read_type(reader);
        if (lit_take_thread(reader, &thread))
            read_register(reader, thread, type);
        else
            read_memory(reader, type);
        if (lit_peek(reader) != '}')
            lit_expect(reader, ";");
    }
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
