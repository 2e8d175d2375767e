/* SPDX-License-Identifier: MIT */
/*
 * Rows of tables, packed: a table of 100,000 scenarios has millions of cells, and most of them say
 * little. A cell is a byte that says what it has, and that: the text with its end, then numbers as
 * they are in memory.
 */
#include "report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HAS_TEXT = 1, HAS_VALUE = 2, HAS_FOUND = 4, HAS_INTERVAL = 8, HAS_GROUP = 16 };
enum { IS_BEST = 32, IS_CENSORED = 64 };

static unsigned char what_of(const rep_cell *cell) {
    return (unsigned char)((cell->text[0] != '\0' ? HAS_TEXT : 0) |
                           (!isnan(cell->value) ? HAS_VALUE : 0) |
                           (cell->found != 0 || cell->of != 0 ? HAS_FOUND : 0) |
                           (!isnan(cell->low) || !isnan(cell->high) ? HAS_INTERVAL : 0) |
                           (cell->group != REP_NO_GROUP ? HAS_GROUP : 0) |
                           (cell->best ? IS_BEST : 0) | (cell->censored ? IS_CENSORED : 0));
}

static void pack_cell(const rep_cell *cell, base_text *bytes) {
    const unsigned char what = what_of(cell);
    base_text_add_bytes(bytes, (const char *)&what, 1);
    const struct {
        unsigned is_there;
        const void *from;
        size_t size;
    } parts[] = {{what & HAS_TEXT, cell->text, strlen(cell->text) + 1},
                 {what & HAS_VALUE, &cell->value, sizeof cell->value},
                 {what & HAS_FOUND, &cell->found, sizeof cell->found},
                 {what & HAS_FOUND, &cell->of, sizeof cell->of},
                 {what & HAS_INTERVAL, &cell->low, sizeof cell->low},
                 {what & HAS_INTERVAL, &cell->high, sizeof cell->high},
                 {what & HAS_GROUP, &cell->group, sizeof cell->group}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].is_there != 0)
            base_text_add_bytes(bytes, parts[i].from, parts[i].size);
}

static const unsigned char *take(const unsigned char *at, unsigned is_there, void *to,
                                 size_t size) {
    if (is_there == 0)
        return at;
    memcpy(to, at, size);
    return at + size;
}

static const unsigned char *unpack_cell(const unsigned char *at, rep_cell *cell) {
    const unsigned what = *at++;
    *cell = rep_no_cell;
    cell->best = (what & IS_BEST) != 0;
    cell->censored = (what & IS_CENSORED) != 0;
    if ((what & HAS_TEXT) != 0) {
        cell->text = (const char *)at;
        at += strlen(cell->text) + 1;
    }
    at = take(at, what & HAS_VALUE, &cell->value, sizeof cell->value);
    at = take(at, what & HAS_FOUND, &cell->found, sizeof cell->found);
    at = take(at, what & HAS_FOUND, &cell->of, sizeof cell->of);
    at = take(at, what & HAS_INTERVAL, &cell->low, sizeof cell->low);
    at = take(at, what & HAS_INTERVAL, &cell->high, sizeof cell->high);
    return take(at, what & HAS_GROUP, &cell->group, sizeof cell->group);
}

const rep_cell rep_no_cell = {
    .text = "", .value = NAN, .low = NAN, .high = NAN, .group = REP_NO_GROUP};

bool rep_row_pack(rep_row *row, uint32_t columns, base_arena *arena, base_text *bytes) {
    bytes->length = 0;
    for (uint32_t i = 0; i < columns; i++)
        pack_cell(&row->cells[i], bytes);
    unsigned char *packed = bytes->failed ? NULL : base_arena_take(arena, bytes->length + 1);
    if (packed == NULL)
        return false;
    if (bytes->length > 0)
        memcpy(packed, bytes->data, bytes->length);
    row->packed = packed;
    row->cells = NULL;
    return true;
}

const rep_cell *rep_row_cells(const rep_table *table, const rep_row *row, rep_cell *room) {
    const unsigned char *at = row->packed;
    if (row->cells != NULL)
        return row->cells;
    for (uint32_t i = 0; i < table->column_count; i++)
        at = unpack_cell(at, &room[i]);
    return room;
}

rep_cell *rep_row_room(const rep_table *table) {
    return calloc((size_t)table->column_count + 1, sizeof(rep_cell));
}
