/* SPDX-License-Identifier: MIT */
/* The tables of one episode: what was run, and what it covered and left out, machine by machine. */
#include "results/report/report_maker.h"

#include <string.h>

/* ---- Coverage. */

/* A hole is a point that no test took and that nothing rules out. */
static bool is_hole(const rep_protocol_cell *cell) {
    return cell->excluded == NULL && cell->hits == 0 && cell->reachable != 0 && cell->here != 0;
}

static bool is_known_reachable(const rep_protocol_cell *cell) {
    return cell->excluded == NULL && cell->reachable == 1;
}

static void list_holes(rep_maker *m, const rep_protocol *p, uint64_t count, rep_cell *cell) {
    enum { MOST_HOLES = 12 };
    base_text text = {0};
    uint64_t told = 0;
    for (size_t i = 0; i < p->cell_count && told < MOST_HOLES; i++) {
        const rep_protocol_cell *c = &p->cells[i];
        if (!is_hole(c))
            continue;
        base_text_print(&text, "%s%s/%s", told++ == 0 ? "" : ", ", p->states[c->state],
                        p->events[c->event]);
    }
    if (count > told)
        base_text_print(&text, " and %llu more", (unsigned long long)(count - told));
    if (rep_has(m, text.failed ? NULL : &text))
        rep_cell_text(cell, rep_brief(m, "%s", text.data == NULL ? "" : text.data));
    base_text_free(&text);
}

static void add_machine(rep_builder *b, const rep_protocol *p) {
    uint64_t covered = 0, all = 0, reachable = 0, holes = 0;
    rep_maker *m = b->maker;
    rep_row *row = rep_builder_row(b, REP_NO_GROUP);
    if (row == NULL)
        return;
    for (size_t i = 0; i < p->cell_count; i++) {
        const rep_protocol_cell *c = &p->cells[i];
        all += c->excluded == NULL;
        covered += c->excluded == NULL && c->hits > 0;
        reachable += is_known_reachable(c);
        holes += is_hole(c);
    }
    rep_cell_text(&row->cells[0], p->machine);
    rep_cell_count(m, &row->cells[1], covered);
    rep_cell_count(m, &row->cells[2], all);
    if (all > 0)
        rep_cell_number(m, &row->cells[3], (double)covered / (double)all, "fraction");
    if (reachable > 0)
        rep_cell_count(m, &row->cells[4], reachable);
    rep_cell_count(m, &row->cells[5], holes);
    list_holes(m, p, holes, &row->cells[6]);
}

static void add_coverage(rep_maker *m) {
    static const char *const columns[] = {"machine",   "covered", "of",         "share",
                                          "reachable", "holes",   "never taken"};
    rep_builder b = {.maker = m,
                     .table = {.id = "coverage",
                               .title = "Coverage and holes",
                               .note = "Transitions of each machine. A hole is one that no test "
                                       "took and that is not known to be unreachable."}};
    for (uint32_t i = 0; i < sizeof columns / sizeof *columns; i++)
        (void)rep_builder_column(&b, columns[i], i >= 1 && i <= 5);
    for (uint32_t i = 0; i < m->report->protocol_count; i++)
        add_machine(&b, &m->report->protocols[i]);
    rep_builder_finish(&b);
}

/* ---- What was run. */

static rep_cell *add_fact(rep_builder *b, const char *what) {
    rep_row *row = rep_builder_row(b, REP_NO_GROUP);
    if (row == NULL)
        return NULL;
    rep_cell_text(&row->cells[0], what);
    return &row->cells[1];
}

static void add_text(rep_builder *b, const char *what, const char *value) {
    rep_cell *cell = value == NULL || value[0] == '\0' ? NULL : add_fact(b, what);
    if (cell != NULL)
        rep_cell_text(cell, value);
}

static void add_count(rep_builder *b, const char *what, uint64_t value) {
    rep_cell *cell = add_fact(b, what);
    if (cell != NULL)
        rep_cell_count(b->maker, cell, value);
}

static void add_run(rep_maker *m) {
    const cam_row *row = &m->trials[0].row;
    const rep_group *group = &m->report->groups[0];
    rep_builder b = {.maker = m, .table = {.id = "run", .title = "The run"}};
    (void)rep_builder_column(&b, "what", false);
    (void)rep_builder_column(&b, "value", false);
    add_text(&b, "verdict", row->verdict);
    add_text(&b, "ended by", row->ended_by);
    add_text(&b, "design", group->design);
    add_count(&b, "cores", group->cores);
    add_text(&b, "injected error", group->error);
    add_text(&b, "mutant", group->mutant);
    add_text(&b, "engine", rep_value(group->pairs, group->pair_count, rep_keep(m, "engine")));
    add_count(&b, "seed", row->seed);
    add_count(&b, "tests", row->tests);
    add_count(&b, "operations", row->operations);
    add_count(&b, "cycles", row->cycles);
    rep_cell *seconds = add_fact(&b, "time");
    if (seconds != NULL)
        rep_cell_number(m, seconds, row->seconds, "seconds");
    rep_builder_finish(&b);
}

void rep_tables_of_run(rep_maker *m) {
    add_coverage(m);
    if (m->trials[0].row.tests > 0) /* else it is coverage alone, from anywhere */
        add_run(m);
}
