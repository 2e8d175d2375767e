/* SPDX-License-Identifier: MIT */
/* Building tables, packing their rows, and tables for a terminal: see report_maker.h. */
#include "results/report/report_maker.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Columns and rows. */

rep_column *rep_builder_column(rep_builder *b, const char *name, bool is_number) {
    static rep_column none;
    rep_table *t = &b->table;
    if (!rep_grow(b->maker, &t->columns, &b->column_capacity, t->column_count, sizeof *t->columns))
        return &none;
    t->columns[t->column_count] = (rep_column){.name = name, .is_number = is_number};
    return &t->columns[t->column_count++];
}

rep_row *rep_builder_row(rep_builder *b, uint32_t group) {
    rep_table *t = &b->table;
    rep_maker *m = b->maker;
    rep_cell *cells = base_arena_take(&m->brief, (t->column_count + 1) * sizeof *cells);
    if (!rep_has(m, cells) ||
        !rep_reserve(m, &m->table_rows, &m->table_row_capacity, t->row_count + 1, sizeof *t->rows))
        return NULL;
    for (uint32_t i = 0; i < t->column_count; i++)
        cells[i] = rep_no_cell;
    t->rows = m->table_rows;
    t->rows[t->row_count] = (rep_row){.group = group, .cells = cells};
    return &t->rows[t->row_count++];
}

static void pack(rep_builder *b) {
    rep_maker *m = b->maker;
    base_text bytes = {0};
    for (; b->packed < b->table.row_count && m->status == COL_OK; b->packed++)
        if (!rep_row_pack(&b->table.rows[b->packed], b->table.column_count, &m->report->arena,
                          &bytes))
            m->status = base_out_of_memory(m->problem);
    base_text_free(&bytes);
    base_arena_free(&m->brief);
}

void rep_builder_pack(rep_builder *b) {
    enum { MANY = 100 };
    if (b->table.row_count - b->packed >= MANY)
        pack(b);
}

void rep_builder_finish(rep_builder *b) {
    rep_maker *m = b->maker;
    rep_report *r = m->report;
    pack(b);
    if (m->status != COL_OK || b->table.row_count == 0)
        return;
    b->table.room = rep_take(m, b->table.column_count, sizeof *b->table.room);
    if (!rep_grow(m, &r->tables, &m->table_capacity, r->table_count, sizeof *r->tables))
        return;
    r->tables[r->table_count++] = b->table; /* which has the rows now */
    m->table_rows = NULL;
    m->table_row_capacity = 0;
}

/* ---- Figures. */

/* Three digits, whole numbers below a thousand as they are. */
static const char *three_digits(rep_maker *m, double value, const char *suffix) {
    const double size = fabs(value);
    const int decimals = value == floor(value) && size < 1000 ? 0
                         : size >= 99.95                      ? 0
                         : size >= 9.995                      ? 1
                         : size >= 0.9995 || size == 0        ? 2
                                                              : 3;
    return size > 0 && size < 0.0995 ? rep_brief(m, "%.2g%s", value, suffix)
                                     : rep_brief(m, "%.*f%s", decimals, value, suffix);
}

static const char *duration(rep_maker *m, double seconds) {
    static const struct {
        double from, size;
        const char *suffix;
    } units[] = {
        {7200, 3600, " h"}, {120, 60, " min"}, {0.9995, 1, " s"}, {0.9995e-3, 1e-3, " ms"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (seconds >= units[i].from)
            return three_digits(m, seconds / units[i].size, units[i].suffix);
    return seconds == 0 ? "0 s" : three_digits(m, seconds / 1e-6, " µs");
}

/* Words for a figure. */
static const char *figure(rep_maker *m, double value, const char *unit) {
    static const struct {
        double size;
        const char *suffix;
    } sizes[] = {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}};
    if (isnan(value))
        return "";
    if (isinf(value))
        return "never";
    if (strcmp(unit, "fraction") == 0)
        return rep_brief(m, "%.1f %%", 100 * value);
    if (strcmp(unit, "p") == 0)
        return value < 0.0001 ? "<0.0001" : rep_brief(m, "%.4f", value);
    if (strcmp(unit, "advantage") == 0)
        return rep_brief(m, "%.2f", value);
    if (strcmp(unit, "seconds") == 0)
        return duration(m, value);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (fabs(value) >= 0.9995 * sizes[i].size &&
            !(sizes[i].size < 1e4 && value == floor(value) && fabs(value) < 1e4))
            return three_digits(m, value / sizes[i].size, sizes[i].suffix);
    return value == floor(value) ? rep_brief(m, "%.0f", value) : three_digits(m, value, "");
}

void rep_cell_text(rep_cell *cell, const char *text) {
    cell->text = text == NULL ? "" : text;
}

void rep_cell_number(rep_maker *m, rep_cell *cell, double value, const char *unit) {
    cell->text = figure(m, value, unit);
    cell->value = value;
}

void rep_cell_count(rep_maker *m, rep_cell *cell, uint64_t count) {
    cell->text = rep_print(m, "%llu", (unsigned long long)count);
    cell->value = (double)count;
}

void rep_cell_answer(rep_maker *m, rep_cell *cell, const cam_answer *answer, const char *unit,
                     uint32_t group) {
    cell->group = group;
    if (!answer->is_known)
        return;
    rep_cell_number(m, cell, answer->value, unit);
    cell->censored = answer->is_censored;
    if (answer->is_censored)
        cell->text = rep_brief(m, ">%s", cell->text);
    cell->found = answer->found;
    cell->of = answer->of;
    if (answer->low != answer->value || answer->high != answer->value) {
        cell->low = answer->low;
        cell->high = answer->high;
    }
}

bool rep_can_be_missed(const char *statistic) {
    return strstr(statistic, "-to-") != NULL || strstr(statistic, "found") != NULL;
}

/* What figures are compared with, one by one. */
typedef struct race {
    double best;
    uint32_t competitors;
    bool less_is_better;
} race;

static bool is_won(const race *r, const rep_cell *cell) {
    return r->competitors > 1 && !cell->censored && cell->value == r->best;
}

static void enter(race *r, const rep_cell *cell) {
    if (isnan(cell->value))
        return;
    r->competitors++;
    if (!cell->censored &&
        (isnan(r->best) || (r->less_is_better ? cell->value < r->best : cell->value > r->best)))
        r->best = cell->value;
}

void rep_mark_best(rep_cell *cells, uint32_t count, bool less_is_better) {
    race r = {.best = NAN, .less_is_better = less_is_better};
    for (uint32_t i = 0; i < count; i++)
        enter(&r, &cells[i]);
    for (uint32_t i = 0; i < count; i++)
        cells[i].best = is_won(&r, &cells[i]);
}

void rep_mark_best_row(rep_row *rows, size_t first, size_t end, uint32_t column,
                       bool less_is_better) {
    race r = {.best = NAN, .less_is_better = less_is_better};
    for (size_t i = first; i < end; i++)
        enter(&r, &rows[i].cells[column]);
    for (size_t i = first; i < end; i++)
        rows[i].cells[column].best = is_won(&r, &rows[i].cells[column]);
}

/* ---- Scenarios as rows. */

static bool is_listed(const char *const *names, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (names[i] == name)
            return true;
    return false;
}

/* A setting that some scenarios have not given counts as a value of its own. */
static bool varies(const rep_pivot *p, const char *name) {
    const rep_scenario *first = p->scenarios[0];
    const char *value = rep_value(first->axes, first->axis_count, name);
    for (uint32_t i = 1; i < p->scenario_count; i++) {
        const rep_scenario *s = p->scenarios[i];
        const char *other = rep_value(s->axes, s->axis_count, name);
        if ((value == NULL) != (other == NULL) || (value != NULL && strcmp(value, other) != 0))
            return true;
    }
    return false;
}

/* What names them, at the least by their first setting: a table without names says nothing. The
 * same setting of all scenarios is looked at once: there may be 100,000 of them. */
static void find_axes(rep_pivot *p) {
    const char *alike[REP_MOST_AXES];
    uint32_t alike_count = 0;
    if (p->scenario_count == 0)
        return;
    for (uint32_t i = 0; i < p->scenario_count; i++) {
        const rep_scenario *s = p->scenarios[i];
        p->names_plans |= s->plan != p->scenarios[0]->plan;
        for (uint32_t k = 0; k < s->axis_count && p->axis_count < REP_MOST_AXES; k++) {
            const char *name = s->axes[k].name;
            if (is_listed(p->axes, p->axis_count, name) || is_listed(alike, alike_count, name))
                continue;
            if (varies(p, name))
                p->axes[p->axis_count++] = name;
            else if (alike_count < REP_MOST_AXES)
                alike[alike_count++] = name;
        }
    }
    if (p->axis_count == 0 && p->scenarios[0]->axis_count > 0)
        p->axes[p->axis_count++] = p->scenarios[0]->axes[0].name;
}

static const char *find_word(const rep_maker *m, const rep_pivot *p) {
    const char *word = NULL;
    for (uint32_t i = 0; i < p->scenario_count; i++)
        for (uint32_t k = 0; k < p->scenarios[i]->group_count; k++) {
            const cam_selector *axes = &m->contenders[p->scenarios[i]->groups[k]];
            if (axes->count == 0 || (word != NULL && word != axes->pairs[0].name))
                return "contender";
            word = axes->pairs[0].name;
        }
    return word == NULL ? "contender" : word;
}

void rep_pivot_make(rep_maker *m, rep_choice choice, rep_pivot *p) {
    *p = (rep_pivot){.contenders.arena = &m->report->arena,
                     .scenarios = rep_take(m, m->scenario_count, sizeof *p->scenarios)};
    for (uint32_t i = 0; i < m->scenario_count && m->status == COL_OK; i++)
        if (choice(m, &m->scenarios[i]))
            p->scenarios[p->scenario_count++] = &m->scenarios[i];
    find_axes(p);
    p->width = p->axis_count + p->names_plans;
    p->word = find_word(m, p);
    for (uint32_t i = 0; i < p->scenario_count; i++)
        for (uint32_t k = 0; k < p->scenarios[i]->group_count; k++)
            (void)rep_number_of(m, &p->contenders,
                                m->report->groups[p->scenarios[i]->groups[k]].contender, NULL);
}

void rep_pivot_columns(const rep_pivot *p, rep_builder *b) {
    if (p->names_plans)
        (void)rep_builder_column(b, "plan", false);
    for (uint32_t i = 0; i < p->axis_count; i++)
        (void)rep_builder_column(b, p->axes[i], false);
}

rep_row *rep_pivot_row(const rep_pivot *p, rep_builder *b, const rep_scenario *s, uint32_t group) {
    rep_row *row = rep_builder_row(b, group);
    if (row == NULL)
        return NULL;
    row->axes = s->axes;
    row->axis_count = s->axis_count;
    uint32_t column = 0;
    const rep_plan *plan = &b->maker->report->plans[s->plan];
    if (p->names_plans)
        rep_cell_text(&row->cells[column++],
                      plan->scale[0] == '\0'
                          ? plan->name
                          : rep_brief(b->maker, "%s (%s)", plan->name, plan->scale));
    for (uint32_t i = 0; i < p->axis_count; i++) {
        const char *value = rep_value(s->axes, s->axis_count, p->axes[i]);
        rep_cell_text(&row->cells[column++], value == NULL ? "none" : value);
    }
    return row;
}

void rep_pivot_contenders(const rep_pivot *p, rep_builder *b) {
    for (uint32_t i = 0; i < p->contenders.count; i++) {
        cam_selector axes = {0};
        for (uint32_t s = 0; s < p->scenario_count && axes.count == 0; s++)
            for (uint32_t k = 0; k < p->scenarios[s]->group_count && axes.count == 0; k++) {
                const uint32_t group = p->scenarios[s]->groups[k];
                if (strcmp(b->maker->report->groups[group].contender, p->contenders.texts[i]) == 0)
                    axes = b->maker->contenders[group];
            }
        rep_column *column = rep_builder_column(b, p->contenders.texts[i], true);
        column->axes = axes.pairs;
        column->axis_count = axes.count;
    }
}

/*
 * Rows of tables, packed: a table of 100,000 scenarios has millions of cells, and most of them say
 * little. A cell is a byte that says what it has, and that: the text with its end, then numbers as
 * they are in memory.
 */

enum { HAS_TEXT = 1, HAS_VALUE = 2, HAS_FOUND = 4, HAS_INTERVAL = 8, HAS_GROUP = 16 };
enum { IS_BEST = 32, IS_CENSORED = 64 };

static void pack_cell(const rep_cell *cell, base_text *bytes) {
    const unsigned char what =
        (unsigned char)((cell->text[0] != '\0' ? HAS_TEXT : 0) |
                        (!isnan(cell->value) ? HAS_VALUE : 0) |
                        (cell->found != 0 || cell->of != 0 ? HAS_FOUND : 0) |
                        (!isnan(cell->low) || !isnan(cell->high) ? HAS_INTERVAL : 0) |
                        (cell->group != REP_NO_GROUP ? HAS_GROUP : 0) | (cell->best ? IS_BEST : 0) |
                        (cell->censored ? IS_CENSORED : 0));
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

const rep_cell *rep_row_cells(const rep_table *table, const rep_row *row) {
    const unsigned char *at = row->packed;
    if (row->cells != NULL)
        return row->cells;
    for (uint32_t i = 0; i < table->column_count; i++)
        at = unpack_cell(at, &table->room[i]);
    return table->room;
}

/* A table for a terminal. */

enum { MOST_WIDTH = 60, MOST_COLUMNS = 64 };

static void write_cell(const rep_cell *cell, char *buffer, size_t size) {
    char found[32] = "";
    if (cell->of > 0)
        (void)snprintf(found, sizeof found, " (%u/%u)", cell->found, cell->of);
    (void)snprintf(buffer, size, "%s%s%s", cell->text, found, cell->best ? " *" : "");
    for (char *at = buffer; *at != '\0'; at++) /* one line, whatever it says */
        if ((unsigned char)*at < ' ')
            *at = ' ';
}

/* Numbers to the right. The last column is not filled up. */
static void add_field(base_text *text, const char *field, size_t width, bool is_number,
                      bool is_last) {
    const size_t used = base_characters(field);
    const int rest = used < width ? (int)(width - used) : 0;
    base_text_print(text, "%*s", is_number ? rest : 0, "");
    base_text_add(text, field);
    if (!is_last) {
        base_text_print(text, "%*s  ", is_number ? 0 : rest, "");
        return;
    }
    while (text->length > 0 && !text->failed && text->data[text->length - 1] == ' ')
        text->data[--text->length] = '\0';
    base_text_add(text, "\n");
}

void rep_text_table(const rep_table *table, base_text *text) {
    const uint32_t columns =
        table->column_count < MOST_COLUMNS ? table->column_count : MOST_COLUMNS;
    size_t widths[MOST_COLUMNS];
    char buffer[1024];
    for (uint32_t i = 0; i < columns; i++)
        widths[i] = base_characters(table->columns[i].name);
    for (size_t k = 0; k < table->row_count; k++) {
        const rep_cell *cells = rep_row_cells(table, &table->rows[k]);
        for (uint32_t i = 0; i < columns; i++) {
            write_cell(&cells[i], buffer, sizeof buffer);
            const size_t width = base_characters(buffer);
            if (width > widths[i])
                widths[i] = width < MOST_WIDTH ? width : MOST_WIDTH;
        }
    }
    for (uint32_t i = 0; i < columns; i++)
        add_field(text, table->columns[i].name, widths[i], table->columns[i].is_number,
                  i + 1 == columns);
    for (size_t k = 0; k < table->row_count; k++) {
        const rep_cell *cells = rep_row_cells(table, &table->rows[k]);
        for (uint32_t i = 0; i < columns; i++) {
            write_cell(&cells[i], buffer, sizeof buffer);
            add_field(text, buffer, widths[i], table->columns[i].is_number, i + 1 == columns);
        }
    }
}
