/* SPDX-License-Identifier: MIT */
/* The initial state of a litmus test: registers and memory, with types and values. */
#include "litmus/reader.h"
#include "litmus/registers.h"
#include "litmus/symbols.h"

#include <ctype.h>
#include <string.h>

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

/* x, x[1] or x+4. */
static col_status read_address(lit_reader *reader, uint64_t *value) {
    const char *name = NULL;
    uint32_t symbol = 0;
    uint64_t offset = 0;
    col_status status = lit_word(reader, &name);
    if (status == COL_OK)
        status = lit_symbol_find(reader->test, name, &symbol, reader->problem);
    if (status != COL_OK)
        return status;
    const lit_symbol *s = &reader->test->symbols[symbol];
    *value = s->address;
    if (lit_take(reader, "[")) {
        status = lit_number(reader, &offset);
        if (status == COL_OK)
            status = lit_expect(reader, "]");
        if (status == COL_OK && offset >= s->cell_count)
            return lit_refuse(reader, "the array is not that long");
        if (status != COL_OK)
            return status;
        *value = reader->test->cells[s->first_cell + offset].address;
    } else if (lit_take(reader, "+")) {
        status = lit_number(reader, &offset);
        *value += offset;
    }
    return status;
}

col_status lit_read_value(lit_reader *reader, uint64_t *value) {
    if (lit_is_number(reader))
        return lit_number(reader, value);
    if (lit_take(reader, "&") || lit_word_length(reader) > 0) {
        const lit_place place = reader->place;
        const col_status status = read_address(reader, value);
        if (status == COL_OK && lit_peek(reader) == ':')
            return lit_refuse_at(reader, place, "%s: this kind of value is not supported",
                                 "labels and tags");
        return status;
    }
    return lit_refuse(reader, "this kind of value is not supported: expected a number or a name");
}

/* What stands before a name: int, uint64_t *, _Atomic int. */
static col_status read_type(lit_reader *reader, lit_type *type) {
    (void)lit_take_word(reader, "_Atomic");
    const size_t length = lit_word_length(reader);
    const char *start = reader->at, *behind = start + length;
    const lit_place place = reader->place;
    while (behind < reader->end && isspace((unsigned char)*behind))
        behind++;
    const bool is_pointer = lit_take(reader, "*"); /* a pointer to an undeclared type */
    const bool is_type =
        !is_pointer && length > 0 && !isdigit((unsigned char)*start) && behind < reader->end &&
        (isalnum((unsigned char)*behind) || *behind == '_' || *behind == '*' ||
         (*behind == '[' && behind > start + length && lit_type_find(start, length, type)));
    *type = (lit_type){is_pointer ? 8 : 0, false};
    if (!is_type)
        return COL_OK;
    if (!lit_type_find(start, length, type)) {
        char *word = base_arena_text(&reader->test->arena, start, length);
        return word == NULL ? base_out_of_memory(reader->problem)
                            : lit_refuse_at(reader, place, "the type '%s' is not supported", word);
    }
    lit_advance_to(reader, start + length);
    while (lit_take(reader, "*"))
        *type = (lit_type){8, false};
    return COL_OK;
}

static col_status read_register(lit_reader *reader, uint32_t thread, lit_type type) {
    lit_test *test = reader->test;
    const char *word = NULL;
    uint8_t bits;
    const lit_place place = reader->place;
    (void)lit_take(reader, "%");
    col_status status = lit_word(reader, &word);
    if (status != COL_OK)
        return status;
    const uint8_t number = lit_register_find(test->isa, word, strlen(word), &bits);
    if (number == LIT_NO_REGISTER)
        return lit_refuse_at(reader, place, "there is no register '%s'", word);
    if (thread >= LIT_MOST_THREADS)
        return lit_refuse_at(reader, place, "%s", "there is no such thread");
    lit_register *r = &test->threads[thread].registers[number];
    r->type = type;
    r->is_initialised = true;
    return lit_take(reader, "=") ? lit_read_value(reader, &r->initial) : COL_OK;
}

static col_status read_list(lit_reader *reader, const lit_symbol *s) {
    col_status status = lit_expect(reader, "{");
    for (uint32_t i = 0; status == COL_OK && i < s->cell_count; i++) {
        const uint32_t cell = s->first_cell + i;
        uint64_t value = 0;
        if (i > 0)
            status = lit_expect(reader, ",");
        if (status == COL_OK)
            status = lit_read_value(reader, &value);
        reader->test->cells[cell].initial = value;
    }
    return status == COL_OK ? lit_expect(reader, "}") : status;
}

static col_status read_array(lit_reader *reader, uint32_t symbol) {
    uint64_t count = 0;
    const lit_place place = reader->place;
    col_status status = lit_number(reader, &count);
    if (status == COL_OK)
        status = lit_expect(reader, "]");
    if (status != COL_OK)
        return status;
    if (count == 0 || count > LIT_MOST_CELLS)
        return lit_refuse_at(reader, place, "%s", "an array of this length is not supported");
    if (reader->test->symbols[symbol].is_array)
        return lit_refuse_at(reader, place, "the array '%s' is declared twice",
                             reader->test->symbols[symbol].name);
    status = lit_symbol_extend(reader->test, symbol, (uint32_t)count, reader->problem);
    if (status == COL_OK && lit_take(reader, "=")) {
        const lit_symbol s = reader->test->symbols[symbol];
        status = read_list(reader, &s);
    }
    return status;
}

static col_status read_memory(lit_reader *reader, lit_type type) {
    lit_test *test = reader->test;
    const bool is_bracketed = lit_take(reader, "[");
    const char *name = NULL;
    uint32_t symbol = 0;
    col_status status = lit_word(reader, &name);
    if (status == COL_OK && is_bracketed)
        status = lit_expect(reader, "]");
    if (status == COL_OK)
        status = lit_symbol_find(test, name, &symbol, reader->problem);
    if (status != COL_OK)
        return status;
    if (type.bytes != 0) {
        test->symbols[symbol].type = type;
        test->cells[test->symbols[symbol].first_cell].bytes = type.bytes;
    }
    if (lit_take(reader, "["))
        return read_array(reader, symbol);
    if (!lit_take(reader, "="))
        return COL_OK;
    uint64_t value = 0;
    status = lit_read_value(reader, &value);
    test->cells[test->symbols[symbol].first_cell].initial = value;
    return status;
}

col_status lit_read_state(lit_reader *reader) {
    col_status status = COL_OK;
    while (status == COL_OK && !lit_take(reader, "}")) {
        lit_type type;
        uint32_t thread = 0;
        if (lit_take(reader, ";"))
            continue;
        status = lit_skip(reader);
        if (status == COL_OK)
            status = read_type(reader, &type);
        if (status == COL_OK)
            status = lit_take_thread(reader, &thread) ? read_register(reader, thread, type)
                                                      : read_memory(reader, type);
        if (status == COL_OK && lit_peek(reader) != '}')
            status = lit_expect(reader, ";");
    }
    return status;
}
