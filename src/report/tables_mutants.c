/* SPDX-License-Identifier: MIT */
/* Which mutants were killed, by whom: all of a design together, and one by one. */
#include "base/plural.h"
#include "report/tables.h"

#include <stdlib.h>

static bool has_mutant(const rep_maker *m, const rep_scenario *s) {
    return s->kind == CAM_EPISODE && s->is_done && m->report->groups[s->groups[0]].mutant != NULL;
}

/* ---- Together. */

typedef struct tally {
    uint32_t group; /* the first */
    uint32_t mutants, killed, always;
} tally;

static const char *design_of(rep_maker *m, const rep_group *group) {
    return rep_print(m, "%s, %u core%s", group->design, group->cores, base_plural(group->cores));
}

static col_status count_group(rep_maker *m, uint32_t g, base_names *names, tally *tallies,
                              col_problem *problem) {
    const rep_group *group = &m->report->groups[g];
    uint32_t number;
    if (group->done == 0)
        return COL_OK;
    const char *name = rep_print(m, "%s\x1f%s", design_of(m, group), group->contender);
    const col_status status = base_names_add(names, name, &number, NULL, problem);
    if (status != COL_OK)
        return status;
    tally *t = &tallies[number];
    if (t->mutants++ == 0)
        t->group = g;
    t->killed += group->found > 0;
    t->always += group->found == group->done;
    return COL_OK;
}

/* The settings that all of the row's groups share: filters by them act on it. */
static bool name_axes(rep_maker *m, const tally *t, rep_row *row) {
    static const char *const shared[] = {"design", "cores"};
    const rep_group *group = &m->report->groups[t->group];
    const cam_selector *contender = &m->contenders[t->group];
    cam_pair *axes =
        base_arena_take(&m->report->arena, ((size_t)contender->count + 2) * sizeof *axes);
    if (axes == NULL)
        return false;
    row->axes = axes;
    for (uint32_t i = 0; i < 2; i++) {
        const char *name = rep_keep(m, shared[i]);
        const char *value = rep_value(group->pairs, group->pair_count, name);
        if (value != NULL)
            axes[row->axis_count++] = (cam_pair){.name = name, .value = value};
    }
    for (uint32_t i = 0; i < contender->count; i++)
        axes[row->axis_count++] = contender->pairs[i];
    return true;
}

static void fill_tally(rep_maker *m, const tally *t, rep_row *row) {
    const rep_group *group = &m->report->groups[t->group];
    const double values[] = {t->mutants, t->killed, t->mutants - t->killed,
                             (double)t->killed / t->mutants, t->always};
    rep_cell_text(&row->cells[0], design_of(m, group));
    rep_cell_text(&row->cells[1], group->contender);
    for (uint32_t k = 0; k < sizeof values / sizeof *values; k++)
        rep_cell_number(m, &row->cells[2 + k], values[k], k == 3 ? "fraction" : "");
}

/* Of each contender on each design: a mutant is killed if any trial killed it. */
static col_status add_mutants(rep_maker *m, const rep_pivot *p, col_problem *problem) {
    static const char *const columns[] = {"design",   "contender",        "mutants", "killed",
                                          "survived", "killed, fraction", "always"};
    rep_builder b = {.maker = m,
                     .table = {.id = "mutants",
                               .title = "Mutants",
                               .note = "Killed: any trial found it. Always: every trial did."}};
    base_names names = {.arena = &m->report->arena};
    tally *tallies = calloc((size_t)m->report->group_count + 1, sizeof *tallies);
    if (tallies == NULL)
        return base_out_of_memory(problem);
    col_status status = COL_OK;
    for (uint32_t i = 0; i < p->scenario_count; i++)
        for (uint32_t k = 0; k < p->scenarios[i]->group_count && status == COL_OK; k++)
            status = count_group(m, p->scenarios[i]->groups[k], &names, tallies, problem);
    for (uint32_t i = 0; i < sizeof columns / sizeof *columns; i++)
        rep_builder_column(&b, i == 1 ? p->word : columns[i], i >= 2);
    for (uint32_t i = 0; i < names.count && status == COL_OK; i++) {
        rep_row *row = rep_builder_row(&b, REP_NO_GROUP);
        if (row == NULL || !name_axes(m, &tallies[i], row))
            status = base_out_of_memory(problem);
        else
            fill_tally(m, &tallies[i], row);
    }
    free(tallies);
    base_names_free(&names);
    return status == COL_OK ? rep_builder_finish(&b, problem) : status;
}

/* ---- One by one. */

/* How many trials of each contender found the mutant. */
static col_status fill_mutant(rep_maker *m, const rep_pivot *p, const rep_scenario *s,
                              rep_builder *b, col_problem *problem) {
    const cam_question question = {.statistic = "found"};
    rep_row *row = rep_pivot_row(p, b, s, REP_NO_GROUP);
    if (row == NULL)
        return base_out_of_memory(problem);
    return rep_fill_contenders(m, p, s, &question, row->cells + rep_pivot_width(p), problem);
}

static col_status add_each(rep_maker *m, const rep_pivot *p, col_problem *problem) {
    rep_builder b = {.maker = m,
                     .table = {.id = "mutants-each",
                               .title = "Mutants one by one",
                               .note = "The fraction of trials that killed the mutant."}};
    col_status status = COL_OK;
    rep_pivot_columns(p, &b);
    rep_pivot_contenders(p, &b);
    for (uint32_t i = 0; i < p->scenario_count && status == COL_OK; i++)
        status = fill_mutant(m, p, p->scenarios[i], &b, problem);
    return status == COL_OK ? rep_builder_finish(&b, problem) : status;
}

col_status rep_tables_of_mutants(rep_maker *m, col_problem *problem) {
    rep_pivot p;
    col_status status = rep_pivot_make(m, has_mutant, &p, problem);
    if (status == COL_OK)
        status = add_mutants(m, &p, problem);
    if (status == COL_OK)
        status = add_each(m, &p, problem);
    rep_pivot_free(&p);
    return status;
}
