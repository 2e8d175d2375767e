/* SPDX-License-Identifier: MIT */
/* Tables of what is no episode: tours of abstract protocols, and studies of locations. */
#include "report/tables.h"

#include "base/json.h"

#include <string.h>

static bool is_tour(const rep_maker *m, const rep_scenario *s) {
    (void)m;
    return s->kind == CAM_TOUR && s->is_done;
}

static bool is_study(const rep_maker *m, const rep_scenario *s) {
    (void)m;
    return s->kind == CAM_LOCATIONS && s->is_done;
}

/* ---- Tours. */

static const struct {
    const char *name, *statistic, *unit;
} tour_columns[] = {
    {"states", "states", "plain"},        {"transitions", "transitions", "plain"},
    {"operations", "cost", "plain"},      {"per transition", "cost-per-transition", "ratio"},
    {"covered", "coverage", "fraction"},  {"seconds", "tour-seconds", "seconds"},
    {"peak bytes", "peak-bytes", "bytes"}};
enum { TOUR_COLUMNS = sizeof tour_columns / sizeof *tour_columns, COLUMN_OF_COST = 2 };

/* Counts stand in full: they are exact. */
static void fill_figure(rep_maker *m, rep_cell *cell, const cam_answer *answer, const char *unit,
                        uint32_t group) {
    rep_cell_answer(m, cell, answer, unit, group);
    cell->of = 0;
    if (answer->is_known && strcmp(unit, "plain") == 0)
        rep_cell_text(cell, rep_print(m, "%.0f", answer->value));
}

static col_status fill_tour(rep_maker *m, uint32_t group, rep_cell *cells, col_problem *problem) {
    col_status status = COL_OK;
    rep_cell_text(&cells[0], m->report->groups[group].contender);
    for (uint32_t i = 0; i < TOUR_COLUMNS && status == COL_OK; i++) {
        cam_answer answer;
        const cam_question question = {.statistic = tour_columns[i].statistic};
        status = rep_ask(m, &question, group, &answer, problem);
        if (status == COL_OK)
            fill_figure(m, &cells[1 + i], &answer, tour_columns[i].unit, group);
    }
    return status;
}

static col_status add_tours(rep_maker *m, const rep_pivot *p, col_problem *problem) {
    rep_builder b = {.maker = m,
                     .table = {.id = "tours",
                               .title = "Tours",
                               .note = "Medians over seeds; bold: the fewest operations."}};
    const uint32_t width = rep_pivot_width(p);
    col_status status = COL_OK;
    rep_pivot_columns(p, &b);
    rep_builder_column(&b, p->word, false);
    for (uint32_t i = 0; i < TOUR_COLUMNS; i++)
        rep_builder_column(&b, tour_columns[i].name, true);
    for (uint32_t i = 0; i < p->scenario_count && status == COL_OK; i++) {
        const rep_scenario *s = p->scenarios[i];
        const size_t first = b.table.row_count;
        for (uint32_t k = 0; k < s->group_count && status == COL_OK; k++) {
            rep_row *row = rep_pivot_row(p, &b, s, s->groups[k]);
            status = row == NULL ? base_out_of_memory(problem)
                                 : fill_tour(m, s->groups[k], row->cells + width, problem);
        }
        if (status == COL_OK)
            rep_mark_best_row(b.table.rows, first, b.table.row_count, width + 1 + COLUMN_OF_COST,
                              true);
    }
    return status == COL_OK ? rep_builder_finish(&b, problem) : status;
}

/* ---- Studies of locations. */

/* The machines that a study's result names. */
static col_status list_machines(const char *result, base_names *machines, col_problem *problem) {
    json_t *root = NULL, *machine;
    size_t i;
    col_status status = result == NULL ? COL_OK : base_json_parse_stored(result, &root, problem);
    json_array_foreach(json_object_get(root, "machines"), i, machine) {
        const char *name = json_string_value(json_object_get(machine, "name"));
        uint32_t number;
        if (name != NULL && status == COL_OK)
            status = base_names_add(machines, name, &number, NULL, problem);
    }
    json_decref(root);
    return status;
}

static col_status list_all_machines(rep_maker *m, const rep_pivot *p, base_names *machines,
                                    col_problem *problem) {
    col_status status = COL_OK;
    for (uint32_t i = 0; i < p->scenario_count; i++)
        for (uint32_t k = 0; k < p->scenarios[i]->group_count && status == COL_OK; k++)
            if (rep_member_count(m, p->scenarios[i]->groups[k]) > 0)
                status = list_machines(rep_rows(m, p->scenarios[i]->groups[k])[0]->result, machines,
                                       problem);
    return status;
}

static col_status fill_study(rep_maker *m, const rep_pivot *p, const rep_scenario *s,
                             const char *machine, rep_builder *b, col_problem *problem) {
    const uint32_t width = rep_pivot_width(p) + 1;
    const cam_question question = {.statistic = "location-coverage", .machine = machine};
    rep_row *row = rep_pivot_row(p, b, s, REP_NO_GROUP);
    if (row == NULL)
        return base_out_of_memory(problem);
    rep_cell_text(&row->cells[width - 1], machine);
    return rep_fill_contenders(m, p, s, &question, row->cells + width, problem);
}

static col_status add_studies(rep_maker *m, const rep_pivot *p, col_problem *problem) {
    rep_builder b = {.maker = m,
                     .table = {.id = "location-coverage",
                               .title = "Transition coverage of locations",
                               .note = "The median over pairs of a core and a location, and then "
                                       "over trials."}};
    base_names machines = {.arena = &m->report->arena};
    col_status status = list_all_machines(m, p, &machines, problem);
    rep_pivot_columns(p, &b);
    rep_builder_column(&b, "machine", false);
    rep_pivot_contenders(p, &b);
    for (uint32_t i = 0; i < p->scenario_count; i++)
        for (uint32_t k = 0; k < machines.count && status == COL_OK; k++)
            status = fill_study(m, p, p->scenarios[i], machines.texts[k], &b, problem);
    base_names_free(&machines);
    return status == COL_OK ? rep_builder_finish(&b, problem) : status;
}

col_status rep_tables_of_tours(rep_maker *m, col_problem *problem) {
    rep_pivot tours, studies;
    col_status status = rep_pivot_make(m, is_tour, &tours, problem);
    if (status == COL_OK)
        status = add_tours(m, &tours, problem);
    rep_pivot_free(&tours);
    if (status != COL_OK)
        return status;
    status = rep_pivot_make(m, is_study, &studies, problem);
    if (status == COL_OK)
        status = add_studies(m, &studies, problem);
    rep_pivot_free(&studies);
    return status;
}
