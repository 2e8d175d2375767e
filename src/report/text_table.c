/* SPDX-License-Identifier: MIT */
/* A table for a terminal: see text_table.h. */
#include "report/text_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WIDTH = 60, MOST_COLUMNS = 64 };

/* Characters, not bytes, of UTF-8. */
static size_t width_of(const char *text) {
    size_t width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static void write_cell(const rep_cell *cell, char *buffer, size_t size) {
    char found[32] = "";
    if (cell->of > 0)
        (void)snprintf(found, sizeof found, " (%u/%u)", cell->found, cell->of);
    (void)snprintf(buffer, size, "%s%s%s", cell->text, found, cell->best ? " *" : "");
    for (char *at = buffer; *at != '\0'; at++) /* one line, whatever it says */
        if ((unsigned char)*at < ' ')
            *at = ' ';
}

static void add_spaces(base_text *text, size_t count) {
    for (; count > 0; count--)
        base_text_add(text, " ");
}

static void end_line(base_text *text) {
    while (text->length > 0 && !text->failed && text->data[text->length - 1] == ' ')
        text->data[--text->length] = '\0';
    base_text_add(text, "\n");
}

/* Numbers to the right. The last column is not filled up. */
static void add_field(base_text *text, const char *field, size_t width, bool is_number,
                      bool is_last) {
    const size_t used = width_of(field), rest = used < width ? width - used : 0;
    if (is_number)
        add_spaces(text, rest);
    base_text_add(text, field);
    if (!is_number && !is_last)
        add_spaces(text, rest);
    if (is_last)
        end_line(text);
    else
        base_text_add(text, "  ");
}

static void add_table(const rep_table *table, uint32_t columns, rep_cell *room, base_text *text) {
    size_t widths[MOST_COLUMNS];
    char buffer[1024];
    for (uint32_t i = 0; i < columns; i++)
        widths[i] = width_of(table->columns[i].name);
    for (size_t k = 0; k < table->row_count; k++) {
        const rep_cell *cells = rep_row_cells(table, &table->rows[k], room);
        for (uint32_t i = 0; i < columns; i++) {
            write_cell(&cells[i], buffer, sizeof buffer);
            const size_t width = width_of(buffer);
            if (width > widths[i])
                widths[i] = width < MOST_WIDTH ? width : MOST_WIDTH;
        }
    }
    for (uint32_t i = 0; i < columns; i++)
        add_field(text, table->columns[i].name, widths[i], table->columns[i].is_number,
                  i + 1 == columns);
    for (size_t k = 0; k < table->row_count; k++) {
        const rep_cell *cells = rep_row_cells(table, &table->rows[k], room);
        for (uint32_t i = 0; i < columns; i++) {
            write_cell(&cells[i], buffer, sizeof buffer);
            add_field(text, buffer, widths[i], table->columns[i].is_number, i + 1 == columns);
        }
    }
}

void rep_text_table(const rep_table *table, base_text *text) {
    rep_cell *room = rep_row_room(table);
    if (room != NULL)
        add_table(table, table->column_count < MOST_COLUMNS ? table->column_count : MOST_COLUMNS,
                  room, text);
    text->failed |= room == NULL;
    free(room);
}
