/* SPDX-License-Identifier: MIT */
/*
 * The figures that papers published, to put ours beside: tables whose rows and columns select
 * trials. A selector's values are spelled as those of trials are, so that comparing texts is
 * enough.
 */
#include "base/number.h"
#include "results/plan/plan_parts.h"
#include "results/statistics/statistic.h"

#include <math.h>
#include <string.h>

enum { MOST_CELLS = 100000 };

/* A table that is being read. */
typedef struct table {
    cam_reader *reader;
    cam_published published;
    const base_yaml_node *node, *cells;
    base_place baseline, statistic, at, machine; /* line 0: it does not say */
} table;

static col_status read_decimal(const base_entry *entry, void *member) {
    double *number = member;
    const char *text = base_entry_text(entry);
    const char *end = text == NULL ? NULL : base_decimal_parse(text, number);
    if (end == NULL || *end != '\0' || !isfinite(*number) || *number <= 0)
        return base_refuse_value(entry, "%s is a number above 0, such as 0.9",
                                 base_entry_name(entry));
    return COL_OK;
}

static col_status read_name(const base_entry *entry, void *target) {
    static const base_field field = {BASE_FIELD("name", BASE_TEXT, table, published.name)};
    table *t = target;
    const cam_plan *plan = t->reader->plan;
    const col_status status = base_yaml_value(entry, &field, t);
    const char *name = t->published.name;
    if (status != COL_OK)
        return status;
    if (strpbrk(name, " \t\n/") != NULL)
        return base_refuse_value(entry, "name is one word without '/'");
    for (uint32_t i = 0; i < plan->published_count; i++)
        if (strcmp(plan->published[i].name, name) == 0)
            return base_refuse_value(entry, "there are two with the name '%.60s'", name);
    return COL_OK;
}

/* Names of settings, as a list or with commas; kept with commas. */
static bool is_setting(const char *name) {
    uint32_t place = 0;
    for (int kind = 0; kind < CAM_KIND_COUNT; kind++)
        if (cam_field_find((cam_kind)kind, name, &place) != NULL)
            return true;
    return false;
}

static col_status check_per(table *t, const base_yaml_node *value, const char *names) {
    char name[64];
    for (const char *at = names;; at++) {
        const size_t length = strcspn(at, ",");
        if (length < sizeof name) {
            memcpy(name, at, length);
            name[length] = '\0';
        }
        if (length == 0 || length >= sizeof name || !is_setting(name))
            return base_yaml_refuse(&t->reader->yaml, value,
                                    "per is names of settings, such as ops,locations, not '%.60s'",
                                    names);
        at += length;
        if (*at == '\0')
            return COL_OK;
    }
}

static col_status add_per(const base_entry *entry, void *target) {
    const char *name = base_entry_text(entry);
    if (name == NULL || !is_setting(name))
        return base_refuse_value(entry, "per is names of settings, such as [ops, locations]");
    base_text *names = target;
    base_text_print(names, "%s%s", names->length == 0 ? "" : ",", name);
    return COL_OK;
}

static col_status read_per(const base_entry *entry, void *target) {
    table *t = target;
    if (entry->value->type != YAML_SEQUENCE_NODE) {
        static const base_field per = {BASE_FIELD("per", BASE_TEXT, table, published.per)};
        const col_status status = base_yaml_value(entry, &per, t);
        return status == COL_OK ? check_per(t, entry->value, t->published.per) : status;
    }
    base_text names = {0};
    col_status status = base_yaml_items(entry, add_per, &names);
    if (status == COL_OK && names.length == 0)
        status = base_refuse_value(entry, "per is names of settings, such as [ops, locations]");
    BASE_THEN(status, base_text_status(&names, entry->yaml->problem));
    BASE_THEN(status, cam_keep(t->reader, &t->reader->plan->arena, names.data, &t->published.per));
    base_text_free(&names);
    return status;
}

/* ---- Selectors. */

static cam_pair pair_of(const cam_values *axis, uint32_t value) {
    return (cam_pair){.name = axis->name,
                      .value = axis->values[value] == NULL ? CAM_NONE : axis->values[value]};
}

/* One value of each name. Of what is being read, the document is the first member of the reader. */
static col_status read_selector(const base_entry *entry, void *member) {
    cam_reader *reader = (cam_reader *)entry->yaml;
    const char *what = base_entry_name(entry);
    cam_entries entries;
    col_status status = cam_entries_read(reader, entry->value, what, &entries);
    if (status != COL_OK)
        return status;
    cam_pair *pairs = cam_take(reader, &reader->plan->arena, entries.count + 1, sizeof *pairs);
    if (pairs == NULL)
        return COL_FAILURE;
    for (uint32_t i = 0; i < entries.count && status == COL_OK; i++) {
        cam_values axis;
        status = cam_values_read_any(reader, &entries.items[i], &axis);
        if (status == COL_OK && axis.count != 1)
            return base_yaml_refuse(entry->yaml, entries.items[i].value,
                                    "%s has one value of a setting", what);
        if (status == COL_OK)
            pairs[i] = pair_of(&axis, 0);
    }
    *(cam_selector *)member = (cam_selector){pairs, entries.count};
    return status;
}

/* Rows or columns that grow: every combination of the values of a map, the last name varying
 * fastest. */
static col_status add_lines(const base_entry *entry, void *member) {
    cam_reader *reader = (cam_reader *)entry->yaml;
    cam_selectors *lines = member;
    cam_entries entries;
    uint64_t size = 1;
    col_status status = cam_entries_read(reader, entry->value, base_entry_name(entry), &entries);
    if (status != COL_OK)
        return status;
    cam_values *axes = cam_take(reader, &reader->scratch, entries.count + 1, sizeof *axes);
    if (axes == NULL)
        return COL_FAILURE;
    for (uint32_t i = 0; i < entries.count && status == COL_OK; i++) {
        status = cam_values_read_any(reader, &entries.items[i], &axes[i]);
        if (status == COL_OK && size <= MOST_CELLS)
            size *= axes[i].count;
    }
    if (status == COL_OK && lines->count + size > MOST_CELLS)
        return base_refuse_value(entry, "a table has at most %d cells", MOST_CELLS);
    if (status != COL_OK)
        return status;
    cam_selector *list =
        cam_take(reader, &reader->plan->arena, lines->count + (size_t)size, sizeof *list);
    if (list != NULL && lines->count > 0)
        memcpy(list, lines->list, lines->count * sizeof *list);
    lines->list = list;
    for (uint64_t i = 0; i < size && lines->list != NULL; i++) {
        cam_pair *pairs = cam_take(reader, &reader->plan->arena, entries.count + 1, sizeof *pairs);
        if (pairs == NULL)
            return COL_FAILURE;
        uint64_t rest = i;
        for (uint32_t k = entries.count; k-- > 0; rest /= axes[k].count)
            pairs[k] = pair_of(&axes[k], (uint32_t)(rest % axes[k].count));
        lines->list[lines->count++] = (cam_selector){pairs, entries.count};
    }
    return lines->list == NULL ? COL_FAILURE : COL_OK;
}

static col_status read_lines(const base_entry *entry, void *member) {
    const col_status status = base_yaml_one_or_more(entry, add_lines, member);
    if (status == COL_OK && ((cam_selectors *)member)->count == 0)
        return base_refuse_value(entry, "there are no %s in it", base_entry_name(entry));
    return status;
}

/* ---- Cells. */

/* "(9/10)", the whole rest of the text. */
static bool parse_found(const char *at, cam_cell *cell) {
    double found = 0, of = 0;
    static const double most = 1e9;
    if (*at++ != '(' || (at = base_decimal_parse(at, &found)) == NULL || *at++ != '/' ||
        (at = base_decimal_parse(at, &of)) == NULL || strcmp(at, ")") != 0)
        return false;
    cell->found = found <= most ? (int32_t)found : -1;
    cell->of = of <= most ? (int32_t)of : -1;
    return (double)cell->found == found && (double)cell->of == of && found <= of;
}

/* 12.3, -4, "-", ">3600", each also with a blank and (found/of) behind it. */
static bool parse_cell(const char *text, cam_cell *cell) {
    const char *at = text;
    bool is_negative = false;
    *cell = (cam_cell){.kind = CAM_CELL_VALUE, .found = -1, .of = -1};
    if (*at == '>') {
        cell->kind = CAM_CELL_ABOVE;
        at++;
    }
    if (*at == '-' && cell->kind == CAM_CELL_VALUE) {
        is_negative = true;
        at++;
    }
    if (is_negative && (*at == '\0' || *at == ' '))
        cell->kind = CAM_CELL_NONE;
    else if ((at = base_decimal_parse(at, &cell->value)) == NULL || !isfinite(cell->value))
        return false;
    if (is_negative && cell->kind == CAM_CELL_VALUE)
        cell->value = -cell->value;
    return *at == '\0' || (at[0] == ' ' && parse_found(at + 1, cell));
}

static col_status read_cell(const base_entry *entry, void *target) {
    cam_cell **next = target;
    const char *text = base_entry_text(entry);
    if (text == NULL || !parse_cell(text, *next))
        return base_refuse_value(
            entry,
            "a cell is a number, '-' for none, or '>N', and may end in the count of runs that "
            "found an error, such as '57 (9/10)', not '%.40s'",
            base_entry_shown(entry));
    (*next)++;
    return COL_OK;
}

typedef struct cell_rows {
    table *table;
    cam_cell *next;
} cell_rows;

static col_status read_cell_row(const base_entry *entry, void *target) {
    cell_rows *rows = target;
    const uint32_t wanted = rows->table->published.columns.count;
    if (entry->value->type != YAML_SEQUENCE_NODE || cam_node_size(entry->value) != wanted)
        return base_refuse_value(entry, "this row of cells is a list of %u, one for each column",
                                 wanted);
    return base_yaml_items(entry, read_cell, &rows->next);
}

/* Without rows, or without columns, there is one. */
static bool fill_lines(table *t, cam_selectors *lines) {
    if (lines->count == 0) {
        lines->list = cam_take(t->reader, &t->reader->plan->arena, 1, sizeof *lines->list);
        lines->count = 1;
    }
    return lines->list != NULL;
}

static col_status read_cells(table *t) {
    cam_published *p = &t->published;
    base_yaml *yaml = &t->reader->yaml;
    if (!fill_lines(t, &p->rows) || !fill_lines(t, &p->columns))
        return COL_FAILURE;
    const uint64_t count = (uint64_t)p->rows.count * p->columns.count;
    if (count > MOST_CELLS)
        return base_yaml_refuse(yaml, t->node, "a table has at most %d cells", MOST_CELLS);
    if (t->cells->type != YAML_SEQUENCE_NODE || cam_node_size(t->cells) != p->rows.count)
        return base_yaml_refuse(yaml, t->cells, "cells is a list of %u rows, each a list",
                                p->rows.count);
    p->cells = cam_take(t->reader, &t->reader->plan->arena, (size_t)count, sizeof *p->cells);
    if (p->cells == NULL)
        return COL_FAILURE;
    cell_rows rows = {t, p->cells};
    return base_yaml_items(&(base_entry){yaml, NULL, t->cells}, read_cell_row, &rows);
}

/* ---- Tables. */

#define FIELD(word, form, member) BASE_FIELD(word, form, table, published.member)
#define PLACE(member) .place = offsetof(table, member)

static const base_field fields[] = {
    {.name = "name", .kind = BASE_OWN, .read = read_name},
    {FIELD("title", BASE_TEXT, title)},
    {FIELD("source", BASE_TEXT, source)},
    {FIELD("note", BASE_TEXT, note)},
    {FIELD("statistic", BASE_NAME, statistic), .words = cam_statistics, PLACE(statistic)},
    {FIELD("unit", BASE_TEXT, unit)},
    {FIELD("scale", BASE_OWN, scale), .read = read_decimal},
    {FIELD("at", BASE_OWN, at), .read = read_decimal, PLACE(at)},
    {FIELD("machine", BASE_TEXT, machine), PLACE(machine)},
    {FIELD("metric", BASE_NAME, metric), .words = col_metrics},
    {.name = "per", .kind = BASE_OWN, .read = read_per},
    {FIELD("baseline", BASE_OWN, baseline), .read = read_selector, PLACE(baseline)},
    {FIELD("where", BASE_OWN, where), .read = read_selector},
    {FIELD("rows", BASE_OWN, rows), .read = read_lines},
    {FIELD("columns", BASE_OWN, columns), .read = read_lines},
    {BASE_FIELD("cells", BASE_OWN, table, cells), .read = cam_node_keep},
    BASE_LAST_FIELD,
};

/* What would make every cell meaningless. */
static col_status check_parameters(table *t) {
    const cam_published *p = &t->published;
    const cam_statistic *s = cam_statistic_find(p->statistic);
    if (s->at != CAM_AT_NOTHING && t->at.line == 0)
        return base_yaml_refuse_at(&t->reader->yaml, t->statistic, "%s at what? at is missing",
                                   p->statistic);
    if (s->at == CAM_AT_PART && p->at > 1)
        return base_yaml_refuse_at(&t->reader->yaml, t->at, "at is a fraction here, at most 1");
    if (t->machine.line != 0 && !s->is_of_machines)
        return base_yaml_refuse_at(&t->reader->yaml, t->machine,
                                   "%s is of all machines of the design together", p->statistic);
    return COL_OK;
}

static col_status check(table *t) {
    const cam_published *p = &t->published;
    const char *missing = p->name == NULL        ? "name"
                          : p->title == NULL     ? "title"
                          : p->source == NULL    ? "source"
                          : p->statistic == NULL ? "statistic"
                          : p->unit == NULL      ? "unit"
                          : t->cells == NULL     ? "cells"
                                                 : NULL;
    if (missing != NULL)
        return base_yaml_refuse(&t->reader->yaml, t->node, "this table does not say its %s",
                                missing);
    if (cam_statistic_find(p->statistic)->is_relative && t->baseline.line == 0)
        return base_yaml_refuse_at(
            &t->reader->yaml, t->statistic,
            "%s compares trials with those of a baseline: baseline is missing", p->statistic);
    return check_parameters(t);
}

static col_status read_table(const base_entry *entry, void *target) {
    cam_reader *reader = target;
    table t = {
        .reader = reader, .published = {.scale = 1, .metric = "structural"}, .node = entry->value};
    cam_published *p = &t.published;
    const char **const texts[] = {&p->name, &p->title,   &p->source, &p->note,
                                  &p->unit, &p->machine, &p->per};
    col_status status = base_yaml_map(entry->yaml, entry->value, "a published table", fields, &t);
    BASE_THEN(status, check(&t));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0] && status == COL_OK; i++)
        if (*texts[i] != NULL) /* the document's until here */
            status = cam_keep(reader, &reader->plan->arena, *texts[i], texts[i]);
    BASE_THEN(status, read_cells(&t));
    if (status == COL_OK)
        reader->plan->published[reader->plan->published_count++] = t.published;
    return status;
}

col_status cam_published_read(cam_reader *reader, const base_yaml_node *list) {
    cam_plan *plan = reader->plan;
    if (list->type != YAML_SEQUENCE_NODE)
        return base_yaml_refuse(&reader->yaml, list,
                                "published is a list of maps, each behind a '-'");
    plan->published =
        cam_take(reader, &plan->arena, cam_node_size(list) + 1, sizeof *plan->published);
    if (plan->published == NULL)
        return COL_FAILURE;
    return base_yaml_items(&(base_entry){&reader->yaml, NULL, list}, read_table, reader);
}
