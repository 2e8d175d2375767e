/* SPDX-License-Identifier: MIT */
/* Known bugs, read from a file and found by what a failure shows: see known_bugs.h. */
#include "episode/failure/known_bugs.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/yaml.h"
#include "design/design_kind.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_BUGS = 1000 };

/* ---- Values. */

/* Printed in one line, wherever that is. */
static col_status check_line(const base_entry *entry, void *member) {
    char *text = member;
    size_t length = strlen(text);
    while (length > 0 && strchr(" \n", text[length - 1]) != NULL)
        text[--length] = '\0';
    for (const char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return base_refuse_value(entry, "%s is one line of printable text",
                                     base_entry_name(entry));
    return COL_OK;
}

static col_status check_hash(const base_entry *entry, void *member) {
    const char *text = member;
    if (strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16)
        return COL_OK;
    return base_refuse_value(entry, "%s is 16 digits of lowercase hexadecimal, not '%.40s'",
                             base_entry_name(entry), text);
}

static bool is_date(const char *text) {
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    for (int i = 0; i < 10; i++)
        if (i == 4 || i == 7 ? text[i] != '-' : isdigit((unsigned char)text[i]) == 0)
            return false;
    const int year = atoi(text), month = atoi(text + 5), day = atoi(text + 8);
    const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month >= 1 && month <= 12 && day >= 1 &&
           day <= days[month - 1] - (month == 2 && !is_leap ? 1 : 0);
}

static col_status check_date(const base_entry *entry, void *member) {
    const char *text = member;
    return strlen(text) == 10 && is_date(text)
               ? COL_OK
               : base_refuse_value(entry, "%s is a date, such as 2027-01-31, not '%.40s'",
                                   base_entry_name(entry), text);
}

static col_status read_reason(const base_entry *entry, void *member) {
    const base_field field = {.name = "reason",
                              .kind = BASE_STRING,
                              .size = sizeof((epi_known_bug *)NULL)->reason,
                              .read = check_line};
    const char *text = base_entry_text(entry);
    if (text != NULL &&
        (text[strspn(text, " \n")] == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0))
        return base_refuse_value(entry, "write why this bug is waived: reason: fixed in the next "
                                        "release");
    return base_yaml_value(entry, &field, member);
}

static col_status read_kind(const base_entry *entry, void *member) {
    epi_known_bug *b = member;
    if (b->kind_count == EPI_MOST_KNOWN_KINDS)
        return base_refuse_value(entry, "a bug has at most %d kinds", EPI_MOST_KNOWN_KINDS);
    const base_field field = {
        .name = "kind", .kind = BASE_STRING, .size = sizeof b->kinds[0], .read = check_hash};
    return base_yaml_value(entry, &field, b->kinds[b->kind_count++]);
}

/* "MACHINE/STATE/EVENT", as in an edit. */
static col_status read_cell(const base_entry *entry, void *member) {
    epi_known_bug *b = member;
    const char *text = base_entry_text(entry);
    char rest = '\0';
    BASE_TRY(base_reserve(&b->cells, &b->cell_capacity, b->cell_count + 1, sizeof *b->cells,
                          entry->yaml->problem));
    epi_known_cell *c = &b->cells[b->cell_count];
    *c = (epi_known_cell){.place = base_entry_place(entry)};
    if (text == NULL ||
        sscanf(text, "%63[^/]/%63[^/]/%63[^/]%c", c->machine, c->state, c->event, &rest) != 3)
        return base_refuse_value(entry, "a cell is written MACHINE/STATE/EVENT, not '%.100s'",
                                 base_entry_shown(entry));
    b->cell_count++;
    return COL_OK;
}

static col_status read_edit(const base_entry *entry, void *member) {
    epi_known_bug *b = member;
    if (b->mend.length > 0)
        base_text_add(&b->mend, ";");
    BASE_TRY(duv_edit_read(entry, &b->mend));
    return b->mend.length < EPI_MOST_MEND
               ? COL_OK
               : base_refuse_value(entry, "the edits of a mend are at most %d bytes together",
                                   EPI_MOST_MEND - 1);
}

static col_status read_mend(const base_entry *entry, void *member) {
    epi_known_bug *b = member;
    b->mend_place = base_entry_place(entry);
    return base_yaml_one_or_more(entry, read_edit, member);
}

/* ---- An entry. */

#define LINE(word)                                                                                 \
    { BASE_FIELD(#word, BASE_STRING, epi_known_bug, word), .read = check_line }
#define CHECKED(word, check)                                                                       \
    { BASE_FIELD(#word, BASE_STRING, epi_known_bug, word), .read = (check) }

static const base_field bug_fields[] = {
    LINE(bug),
    LINE(design),
    {.name = "mend", .kind = BASE_OWN, .read = read_mend},
    {.name = "cells", .kind = BASE_ONE_OR_MORE, .read = read_cell},
    {.name = "kind", .kind = BASE_ONE_OR_MORE, .read = read_kind},
    CHECKED(test, check_hash),
    {.name = "reason",
     .kind = BASE_OWN,
     .offset = offsetof(epi_known_bug, reason),
     .read = read_reason},
    LINE(link),
    CHECKED(until, check_date),
    BASE_LAST_FIELD,
};

/* What is missing in an entry; NULL: nothing. */
static const char *complain(const epi_known_bug *b) {
    if (b->bug[0] == '\0')
        return "an entry needs the name of its bug: bug: ...";
    if (b->reason[0] == '\0')
        return "an entry says why its bug is waived: write a reason, such as reason: fixed in the "
               "next release";
    return b->mend.length == 0 && b->cell_count == 0 && b->kind_count == 0 && b->test[0] == '\0'
               ? "an entry needs a way to recognise the failures of its bug: mend, cells, kind or "
                 "test"
               : NULL;
}

static epi_known_bug *find_bug(const epi_known *known, const char *bug, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(known->bugs[i].bug, bug) == 0)
            return &known->bugs[i];
    return NULL;
}

static col_status add_bug(epi_known *known, epi_known_bug **bug, col_problem *problem) {
    BASE_TRY(base_reserve(&known->bugs, &known->capacity, known->count + 1, sizeof *known->bugs,
                          problem));
    *bug = &known->bugs[known->count++];
    **bug = (epi_known_bug){.count = 0};
    return COL_OK;
}

static col_status read_bug(const base_entry *entry, void *member) {
    epi_known *known = member;
    epi_known_bug *b;
    if (known->count == MOST_BUGS)
        return base_refuse_value(entry, "a file has at most %d known bugs", MOST_BUGS);
    BASE_TRY(add_bug(known, &b, entry->yaml->problem));
    b->place = base_entry_place(entry);
    BASE_TRY(base_yaml_map(entry->yaml, entry->value, "a known bug", bug_fields, b));
    BASE_TRY(base_text_status(&b->mend, entry->yaml->problem));
    if (complain(b) != NULL)
        return base_refuse_value(entry, "%s", complain(b));
    return find_bug(known, b->bug, known->count - 1) == NULL
               ? COL_OK
               : base_refuse_value(entry, "there are two entries for the bug '%.100s'", b->bug);
}

/* ---- The file. */

static const base_field file_fields[] = {
    {.name = "known", .kind = BASE_ITEMS, .read = read_bug},
    BASE_LAST_FIELD,
};

col_status epi_known_parse(epi_known *known, const char *text, size_t length, const char *path,
                           const char *today, col_problem *problem) {
    base_yaml yaml;
    if (strlen(path) >= sizeof known->path)
        return base_refuse(problem, "the path '%.60s...' is too long", path);
    (void)snprintf(known->path, sizeof known->path, "%s", path);
    BASE_TRY(base_yaml_read(&yaml, text, length, path, problem));
    const base_yaml_node *root = base_yaml_root(&yaml);
    col_status status = base_yaml_map(&yaml, root, "a file of known bugs", file_fields, known);
    if (status == COL_OK && known->count == 0)
        status = base_yaml_refuse(&yaml, root,
                                  "the file has no known bugs; known: is a list of "
                                  "them");
    base_yaml_free(&yaml);
    for (size_t i = 0; i < known->count; i++) {
        epi_known_bug *b = &known->bugs[i];
        b->is_expired = b->until[0] != '\0' && strcmp(today, b->until) > 0;
    }
    return status;
}

col_status epi_known_read(epi_known *known, const char *path, col_problem *problem) {
    base_text text = {0};
    char today[sizeof "9999-12-31"] = "";
    struct tm parts;
    const time_t now = time(NULL);
    if (gmtime_r(&now, &parts) != NULL)
        (void)strftime(today, sizeof today, "%Y-%m-%d", &parts);
    col_status status = base_file_read_regular(path, &text, problem);
    BASE_THEN(status, epi_known_parse(known, text.data == NULL ? "" : text.data, text.length, path,
                                      today, problem));
    base_text_free(&text);
    return status;
}

void epi_known_free(epi_known *known) {
    for (size_t i = 0; i < known->count; i++) {
        base_text_free(&known->bugs[i].mend);
        free(known->bugs[i].cells);
    }
    free(known->bugs);
    *known = (epi_known){.count = 0};
}

/* ---- Finding them. */

bool epi_known_applies(const epi_known_bug *bug, const char *design) {
    return !bug->is_expired && bug->place.line > 0 &&
           (bug->design[0] == '\0' || strcmp(bug->design, design) == 0);
}

static uint32_t place_of(const char *name, const char *const *names, uint32_t count) {
    uint32_t i = 0;
    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

/* What of the cell's names the design does not have; NULL: the cell is found. */
static const char *find_cell(const epi_known_cell *c, const col_duv_description *d,
                             col_duv_cell *found) {
    found->machine = 0;
    while (d->names != NULL && found->machine < d->machine_count &&
           strcmp(d->machines[found->machine].name, c->machine) != 0)
        found->machine++;
    if (d->names == NULL || found->machine == d->machine_count)
        return c->machine;
    const col_duv_names *n = &d->names[found->machine];
    found->state = place_of(c->state, n->states, n->state_count);
    found->event = place_of(c->event, n->events, n->event_count);
    return found->state == n->state_count   ? c->state
           : found->event == n->event_count ? c->event
                                            : NULL;
}

col_status epi_known_check_cells(const epi_known *known, const col_duv_description *design,
                                 col_problem *problem) {
    col_duv_cell cell;
    for (size_t i = 0; i < known->count; i++) {
        const epi_known_bug *b = &known->bugs[i];
        for (size_t c = 0; c < b->cell_count && epi_known_applies(b, design->name); c++) {
            const epi_known_cell *k = &b->cells[c];
            const char *missing = find_cell(k, design, &cell);
            if (missing != NULL)
                return base_refuse_at(
                    problem, known->path, k->place.line, k->place.column,
                    "%.64s has no cell %s/%s/%s: there is no '%s'; if the bug is of "
                    "another design, say design: NAME",
                    design->name, k->machine, k->state, k->event, missing);
        }
    }
    return COL_OK;
}

static bool is_kind(const epi_known_bug *b, const char *kind) {
    for (uint32_t i = 0; i < b->kind_count; i++)
        if (strcmp(b->kinds[i], kind) == 0)
            return true;
    return false;
}

static bool is_in(const epi_known_bug *b, const col_duv_description *design,
                  const col_duv_cell *cell) {
    for (size_t i = 0; i < b->cell_count; i++) {
        col_duv_cell own = {0};
        if (find_cell(&b->cells[i], design, &own) == NULL && own.machine == cell->machine &&
            own.state == cell->state && own.event == cell->event)
            return true;
    }
    return false;
}

epi_known_bug *epi_known_find(const epi_known *known, const col_duv_description *design,
                              const char *kind, const col_duv_cell *cell) {
    for (size_t i = 0; i < known->count; i++) {
        epi_known_bug *b = &known->bugs[i];
        if (epi_known_applies(b, design->name) &&
            (is_kind(b, kind) || (cell != NULL && is_in(b, design, cell))))
            return b;
    }
    return NULL;
}

epi_known_bug *epi_known_by_test(const epi_known *known, const char *design, const char *shape) {
    for (size_t i = 0; i < known->count; i++)
        if (epi_known_applies(&known->bugs[i], design) && known->bugs[i].test[0] != '\0' &&
            strcmp(known->bugs[i].test, shape) == 0)
            return &known->bugs[i];
    return NULL;
}

bool epi_known_mends(const epi_known_bug *bug, const char *machine, const char *state,
                     const char *event) {
    char at[256];
    (void)snprintf(at, sizeof at, "at: %.64s/%.64s/%.64s,", machine, state, event);
    return bug->mend.data != NULL && strstr(bug->mend.data, at) != NULL;
}

/* ---- What was waived. */

void epi_known_count(epi_known_bug *bug, uint64_t test) {
    if (bug->count == 0)
        bug->first_test = test;
    bug->count += bug->last_test != test;
    bug->last_test = test;
}

uint64_t epi_known_waived(const epi_known *known) {
    uint64_t count = 0;
    for (size_t i = 0; known != NULL && i < known->count; i++)
        count += known->bugs[i].count;
    return count;
}

json_t *epi_known_json(const epi_known *known) {
    json_t *list = json_array();
    for (size_t i = 0; known != NULL && i < known->count; i++) {
        const epi_known_bug *b = &known->bugs[i];
        base_json_append(
            &list, json_pack("{s:o, s:I, s:o, s:o, s:o, s:b}", "bug", base_json_text(b->bug),
                             "count", (json_int_t)b->count, "first_test",
                             b->count == 0 ? json_null() : json_integer((json_int_t)b->first_test),
                             "reason", base_json_text(b->reason), "link",
                             base_json_text(b->link[0] == '\0' ? NULL : b->link), "expired",
                             (int)b->is_expired));
    }
    return list;
}

static bool take(char *field, size_t size, const json_t *value) {
    const char *text = json_string_value(value);
    (void)snprintf(field, size, "%s", text == NULL ? "" : text);
    return text != NULL && strlen(text) < size;
}

/* A bug that the file no longer has. */
static col_status add_saved(epi_known *known, const json_t *saved, epi_known_bug **bug,
                            bool *is_good, col_problem *problem) {
    BASE_TRY(add_bug(known, bug, problem));
    epi_known_bug *b = *bug;
    *is_good = take(b->bug, sizeof b->bug, json_object_get(saved, "bug")) &&
               take(b->reason, sizeof b->reason, json_object_get(saved, "reason")) && *is_good;
    (void)take(b->link, sizeof b->link, json_object_get(saved, "link"));
    return COL_OK;
}

col_status epi_known_restore(epi_known *known, const json_t *list, bool *is_good,
                             col_problem *problem) {
    *is_good = *is_good && json_is_array(list) && json_array_size(list) <= MOST_BUGS;
    for (size_t i = 0; *is_good && i < json_array_size(list); i++) {
        const json_t *saved = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(saved, "bug"));
        const uint64_t count = base_json_number_at(saved, "count", is_good);
        *is_good = *is_good && name != NULL;
        epi_known_bug *b = *is_good ? find_bug(known, name, known->count) : NULL;
        if (!*is_good || count == 0)
            continue;
        if (b == NULL)
            BASE_TRY(add_saved(known, saved, &b, is_good, problem));
        b->count = count;
        b->first_test = base_json_number_at(saved, "first_test", is_good);
    }
    return COL_OK;
}
