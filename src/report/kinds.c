/* SPDX-License-Identifier: MIT */
/* Failures by kind: see kinds.h. */
#include "report/kinds.h"

#include "base/plural.h"
#include "campaign/episode_row.h"
#include "report/tables.h"

#include <stdlib.h>
#include <string.h>

/* ---- Commands. */

const char *rep_command(rep_maker *m, uint32_t store, const char *failure) {
    base_text text = {0}, place = {0};
    const char *path = m->settings->stores[store];
    const char *slash = strrchr(path, '/');
    const bool is_episode = cam_is_episode(path);
    if (is_episode)
        base_text_print(&place, "%s%s%s", path, slash != NULL && slash[1] == '\0' ? "" : "/",
                        failure);
    else
        base_text_add(&place, slash == NULL ? path : slash + 1);
    const char *name = place.data == NULL ? "" : place.data;
    base_text_add(&text, name[0] == '-' ? "collider replay ./" : "collider replay ");
    base_text_add_shell(&text, name);
    if (!is_episode)
        base_text_print(&text, " --failure %s", failure);
    base_text_free_part(&place, &text);
    const char *kept = text.failed ? NULL : rep_keep(m, text.data);
    m->failed |= text.failed;
    base_text_free(&text);
    return kept;
}

/* ---- Kinds in order. */

static rep_kind kind_of(rep_maker *m, const cam_failure_kind *k) {
    return (rep_kind){.fingerprint = k->fingerprint,
                      .hash = k->hash,
                      .count = k->count,
                      .trials = k->trials,
                      .operations = k->operations,
                      .is_shrunk = k->is_shrunk,
                      .command = k->is_kept ? rep_command(m, k->store, k->name) : NULL};
}

col_status rep_settle_kinds(rep_maker *m, col_problem *problem) {
    rep_report *r = m->report;
    const size_t count = m->kinds.count;
    uint32_t *places = calloc(count + 1, sizeof *places);
    r->kinds = base_arena_take(&r->arena, (count + 1) * sizeof *r->kinds);
    if (places == NULL || r->kinds == NULL) {
        free(places);
        return base_out_of_memory(problem);
    }
    cam_failure_kinds_sort(&m->kinds);
    for (size_t i = 0; i < count; i++) {
        places[m->kinds.list[i].number] = (uint32_t)i;
        r->kinds[i] = kind_of(m, &m->kinds.list[i]);
    }
    r->kind_count = (uint32_t)count;
    for (uint32_t i = 0; i < r->failure_count; i++)
        r->failures[i].kind = places[r->failures[i].kind];
    free(places);
    return m->failed ? base_out_of_memory(problem) : COL_OK;
}

/* ---- As a table. */

static void fill_count(rep_maker *m, rep_cell *cell, uint64_t count) {
    cell->value = (double)count;
    cell->text = rep_print(m, "%llu", (unsigned long long)count);
}

col_status rep_tables_of_failures(rep_maker *m, col_problem *problem) {
    static const char *const columns[] = {"failures", "trials",  "operations",
                                          "kind",     "command", "what went wrong"};
    rep_builder b = {
        .maker = m,
        .table = {.id = "failure-kinds",
                  .title = rep_print(m, "%llu failure%s, %u kind%s",
                                     (unsigned long long)m->kinds.failures,
                                     base_plural(m->kinds.failures), m->report->kind_count,
                                     base_plural(m->report->kind_count)),
                  .note = "Failures with the same fingerprint are one kind. The "
                          "command replays the smallest of them, and its operations "
                          "are counted."}};
    for (uint32_t i = 0; i < sizeof columns / sizeof *columns; i++)
        rep_builder_column(&b, columns[i], i < 3);
    for (uint32_t i = 0; i < m->report->kind_count; i++) {
        const rep_kind *kind = &m->report->kinds[i];
        rep_row *row = rep_builder_row(&b, REP_NO_GROUP);
        if (row == NULL)
            return base_out_of_memory(problem);
        fill_count(m, &row->cells[0], kind->count);
        fill_count(m, &row->cells[1], kind->trials);
        if (kind->operations > 0)
            fill_count(m, &row->cells[2], kind->operations);
        if (kind->is_shrunk)
            row->cells[2].text = rep_print(m, "%u, shrunk", kind->operations);
        rep_cell_text(&row->cells[3], rep_print(m, "%.8s", kind->hash));
        rep_cell_text(&row->cells[4], kind->command == NULL ? "" : kind->command);
        rep_cell_text(&row->cells[5], kind->fingerprint);
    }
    return rep_builder_finish(&b, problem);
}
