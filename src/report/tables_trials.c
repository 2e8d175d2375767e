/* SPDX-License-Identifier: MIT */
/* Tables of the trials themselves: what engines learned, which could not be done and why, and where
 * all came from. */
#include "base/plural.h"
#include "campaign/verdict.h"
#include "report/learned.h"
#include "report/tables.h"

#include <math.h>
#include <string.h>

static bool is_any(const rep_maker *m, const rep_scenario *s) {
    (void)m;
    (void)s;
    return true;
}

/* ---- Trials that could not be done, or not be judged. */

/* Shown whatever is left out, so it names what it is about itself. */
static bool name_axes(rep_maker *m, const rep_scenario *s, uint32_t group, rep_row *row) {
    const cam_selector *contender = &m->contenders[group];
    cam_pair *axes = base_arena_take(&m->report->arena,
                                     ((size_t)s->axis_count + contender->count + 1) * sizeof *axes);
    if (axes == NULL)
        return false;
    if (s->axis_count > 0)
        memcpy(axes, s->axes, s->axis_count * sizeof *axes);
    row->axes = axes;
    row->axis_count = s->axis_count;
    for (uint32_t i = 0; i < contender->count; i++)
        axes[row->axis_count++] = contender->pairs[i];
    return true;
}

/* NULL: nothing is the matter with it. */
typedef const char *tell_of(rep_maker *m, const cam_row *row);

static const char *tell_failed(rep_maker *m, const cam_row *row) {
    (void)m;
    return row->is_done ? NULL : row->reason == NULL ? "no reason was kept" : row->reason;
}

static const char *tell_undecided(rep_maker *m, const cam_row *row) {
    return cam_row_is_undecided(row)
               ? rep_print(m, "%llu of %llu instances could not be judged in time",
                           (unsigned long long)row->undecided, (unsigned long long)row->instances)
               : NULL;
}

static col_status add_told_of(rep_maker *m, const rep_pivot *p, const rep_scenario *s,
                              uint32_t group, tell_of *tell, rep_builder *b, col_problem *problem) {
    const uint32_t width = rep_pivot_width(p);
    for (size_t i = 0; i < rep_member_count(m, group); i++) {
        const cam_row *row = rep_rows(m, group)[i];
        const char *reason = tell(m, row);
        if (reason == NULL)
            continue;
        rep_row *entry = rep_pivot_row(p, b, s, REP_NO_GROUP);
        if (entry == NULL || !name_axes(m, s, group, entry))
            return base_out_of_memory(problem);
        rep_cell_text(&entry->cells[width], m->report->groups[group].contender);
        entry->cells[width + 1].value = (double)row->seed;
        entry->cells[width + 1].text = rep_print(m, "%llu", (unsigned long long)row->seed);
        rep_cell_text(&entry->cells[width + 2], reason);
    }
    return COL_OK;
}

static col_status add_told(rep_maker *m, const rep_pivot *p, const char *id, const char *title,
                           tell_of *tell, col_problem *problem) {
    rep_builder b = {.maker = m, .table = {.id = id, .title = title}};
    col_status status = COL_OK;
    rep_pivot_columns(p, &b);
    rep_builder_column(&b, p->word, false);
    rep_builder_column(&b, "seed", true);
    rep_builder_column(&b, "reason", false);
    for (uint32_t i = 0; i < p->scenario_count; i++)
        for (uint32_t k = 0; k < p->scenarios[i]->group_count && status == COL_OK; k++)
            status =
                add_told_of(m, p, p->scenarios[i], p->scenarios[i]->groups[k], tell, &b, problem);
    return status == COL_OK ? rep_builder_finish(&b, problem) : status;
}

/* ---- Learning: from the plots, their first and last tenth. */

static double mean_of(const double *values, size_t from, size_t to) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = from; i < to; i++)
        if (!isnan(values[i])) {
            sum += values[i];
            count++;
        }
    return count == 0 ? NAN : sum / (double)count;
}

static col_status add_learning(rep_maker *m, col_problem *problem) {
    static const char *const columns[] = {"scenario", "contender", "of", "at first", "at last"};
    rep_builder b = {.maker = m,
                     .table = {.id = "learning",
                               .title = "Learning",
                               .note = "Medians over trials, averaged over the first and the last "
                                       "tenth of the tests."}};
    for (uint32_t i = 0; i < sizeof columns / sizeof *columns; i++)
        rep_builder_column(&b, columns[i], i >= 3);
    for (uint32_t i = 0; i < m->report->plot_count; i++) {
        const rep_plot *plot = &m->report->plots[i];
        for (uint32_t k = 0; strcmp(plot->about, "learning") == 0 && k < plot->series_count; k++) {
            const rep_series *s = &plot->series[k];
            const size_t tenth = (s->count + 9) / 10;
            rep_row *row = rep_builder_row(&b, s->group);
            if (row == NULL)
                return base_out_of_memory(problem);
            rep_cell_text(&row->cells[0], plot->title);
            rep_cell_text(&row->cells[1], s->name);
            rep_cell_text(&row->cells[2], plot->y_title);
            rep_cell_number(m, &row->cells[3], mean_of(s->median, 0, tenth), "");
            rep_cell_number(m, &row->cells[4], mean_of(s->median, s->count - tenth, s->count), "");
        }
    }
    return rep_builder_finish(&b, problem);
}

/* ---- Where all came from. */

static col_status add_plans(rep_maker *m, col_problem *problem) {
    static const char *const columns[] = {"plan", "scale", "trials", "done", "failed", "hash"};
    rep_builder b = {.maker = m, .table = {.id = "plans", .title = "Plans"}};
    for (uint32_t i = 0; i < sizeof columns / sizeof *columns; i++)
        rep_builder_column(&b, columns[i], i >= 2 && i <= 4);
    for (uint32_t i = 0; i < m->report->plan_count; i++) {
        const rep_plan *plan = &m->report->plans[i];
        const double counts[] = {(double)plan->trials, (double)plan->done, (double)plan->failed};
        rep_row *row = rep_builder_row(&b, REP_NO_GROUP);
        if (row == NULL)
            return base_out_of_memory(problem);
        rep_cell_text(&row->cells[0], plan->name);
        rep_cell_text(&row->cells[1], plan->scale[0] == '\0' ? "full" : plan->scale);
        for (uint32_t k = 0; k < 3; k++) {
            row->cells[2 + k].value = counts[k];
            row->cells[2 + k].text = rep_print(m, "%.0f", counts[k]);
        }
        rep_cell_text(&row->cells[5], plan->hash);
    }
    return rep_builder_finish(&b, problem);
}

static col_status add_provenance(rep_maker *m, col_problem *problem) {
    const rep_report *r = m->report;
    rep_builder b = {.maker = m, .table = {.id = "provenance", .title = "Provenance"}};
    rep_builder_column(&b, "what", false);
    rep_builder_column(&b, "value", false);
    for (uint32_t i = 0; i < r->version_count + r->host_count + r->design_count; i++) {
        const uint32_t host = i - r->version_count, design = host - r->host_count;
        const bool is_version = i < r->version_count, is_host = !is_version && host < r->host_count;
        rep_row *row = rep_builder_row(&b, REP_NO_GROUP);
        if (row == NULL)
            return base_out_of_memory(problem);
        rep_cell_text(&row->cells[0], is_version ? "version" : is_host ? "host" : "design");
        rep_cell_text(&row->cells[1],
                      is_version ? r->versions[i]
                      : is_host  ? r->hosts[host]
                                 : rep_print(m, "%s, %u core%s: %s", r->designs[design].name,
                                             r->designs[design].cores,
                                             base_plural(r->designs[design].cores),
                                             r->designs[design].hash));
    }
    return rep_builder_finish(&b, problem);
}

col_status rep_tables_of_trials(rep_maker *m, col_problem *problem) {
    rep_pivot p;
    col_status status = add_learning(m, problem);
    if (status == COL_OK)
        status = rep_pivot_make(m, is_any, &p, problem);
    else
        return status;
    if (status == COL_OK)
        status = add_told(m, &p, "failed-trials", "Trials that failed", tell_failed, problem);
    if (status == COL_OK)
        status = add_told(m, &p, "undecided-trials", "Trials that are undecided", tell_undecided,
                          problem);
    rep_pivot_free(&p);
    if (status == COL_OK)
        status = add_plans(m, problem);
    return status == COL_OK ? add_provenance(m, problem) : status;
}
