/* SPDX-License-Identifier: MIT */
/* All tables, and those of errors: how long it took to find what was put in, and which mutants were
 * killed. */
#include "results/report/tables.h"

#include "base/json.h"
#include "base/text.h"
#include "results/report/report_maker.h"
#include "results/store/episode_row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bootstrap intervals of this many trials take too long for a report. */
enum { MOST_INTERVAL_TRIALS = 20000 };

col_status rep_ask(rep_maker *m, const cam_question *question, uint32_t group, cam_answer *answer,
                   col_problem *problem) {
    cam_question q = *question;
    q.no_interval = m->trial_count > MOST_INTERVAL_TRIALS;
    return cam_ask(&q, rep_rows(m, group), rep_member_count(m, group), NULL, 0, 1, answer, problem);
}

col_status rep_fill_contenders(rep_maker *m, const rep_pivot *p, const rep_scenario *s,
                               const cam_question *question, rep_cell *cells,
                               col_problem *problem) {
    const char *statistic = question->statistic;
    for (uint32_t i = 0; i < s->group_count; i++) {
        const uint32_t group = s->groups[i];
        const uint32_t column = base_names_find(&p->contenders, m->report->groups[group].contender);
        cam_answer answer;
        const col_status status = rep_ask(m, question, group, &answer, problem);
        if (status != COL_OK)
            return status;
        rep_cell_answer(m, &cells[column], &answer, cam_statistic_find(statistic)->unit, group);
        if (!rep_can_be_missed(statistic))
            cells[column].of = 0;
    }
    rep_mark_best(cells, (uint32_t)p->contenders.count, cam_statistic_less_is_better(statistic));
    return COL_OK;
}

/* ---- Times to errors. */

static bool is_hunt(const rep_maker *m, const rep_scenario *s) {
    (void)m;
    return s->kind == CAM_EPISODE && s->hunts && s->is_done;
}

/* A table of one statistic: a row for each scenario, a column for each contender. */
static col_status add_statistic(rep_maker *m, const rep_pivot *p, const rep_table *like,
                                const char *statistic, col_problem *problem) {
    rep_builder b = {.maker = m, .table = *like};
    const cam_question question = {.statistic = statistic};
    col_status status = COL_OK;
    rep_pivot_columns(p, &b);
    rep_pivot_contenders(p, &b);
    for (uint32_t i = 0; i < p->scenario_count && status == COL_OK; i++) {
        const rep_scenario *s = p->scenarios[i];
        rep_row *row = rep_pivot_row(p, &b, s, REP_NO_GROUP);
        if (row == NULL)
            return base_out_of_memory(problem);
        status = rep_fill_contenders(m, p, s, &question, row->cells + rep_pivot_width(p), problem);
        rep_builder_pack(&b);
    }
    return status == COL_OK ? rep_builder_finish(&b, problem) : status;
}

col_status rep_tables_of_errors(rep_maker *m, col_problem *problem) {
    static const char note[] =
        "Medians by Kaplan and Meier; small: trials that found the error, of "
        "all; >: fewer than half of them did, so it is at least this.";
    const rep_table cycles = {
        .id = "time-to-error", .title = "Time to error, in cycles", .note = note};
    const rep_table seconds = {
        .id = "time-to-error-seconds", .title = "Time to error, in seconds", .note = note};
    rep_pivot hunts;
    col_status status = rep_pivot_make(m, is_hunt, &hunts, problem);
    if (status == COL_OK)
        status = add_statistic(m, &hunts, &cycles, "cycles-to-error", problem);
    if (status == COL_OK)
        status = add_statistic(m, &hunts, &seconds, "seconds-to-error", problem);
    rep_pivot_free(&hunts);
    return status == COL_OK ? rep_tables_of_mutants(m, problem) : status;
}

/* ---- All. */

typedef col_status (*step)(rep_maker *maker, col_problem *problem);

static const step steps[] = {
    rep_tables_of_errors, rep_tables_of_coverage, rep_tables_of_comparisons, rep_tables_of_tours,
    rep_tables_of_papers, rep_tables_of_failures, rep_tables_of_trials};

col_status rep_make_tables(rep_maker *m, col_problem *problem) {
    col_status status = COL_OK;
    if (m->settings->paper != NULL)
        return rep_tables_of_papers(m, problem);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == COL_OK; i++)
        status = steps[i](m, problem);
    return status;
}

/* Which mutants were killed, by whom: all of a design together, and one by one. */

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
        static const char *const shared[] = {"design", "cores"};
        const tally *t = &tallies[i];
        const rep_group *group = &m->report->groups[t->group];
        const cam_selector *contender = &m->contenders[t->group];
        const double values[] = {t->mutants, t->killed, t->mutants - t->killed,
                                 (double)t->killed / t->mutants, t->always};
        rep_row *row = rep_builder_row(&b, REP_NO_GROUP);
        cam_pair *axes =
            base_arena_take(&m->report->arena, ((size_t)contender->count + 2) * sizeof *axes);
        if (row == NULL || axes == NULL) {
            status = base_out_of_memory(problem);
            break;
        }
        row->axes = axes; /* what all of the row's groups share: filters by them act on it */
        for (uint32_t k = 0; k < 2; k++) {
            const char *name = rep_keep(m, shared[k]);
            const char *value = rep_value(group->pairs, group->pair_count, name);
            if (value != NULL)
                axes[row->axis_count++] = (cam_pair){.name = name, .value = value};
        }
        for (uint32_t k = 0; k < contender->count; k++)
            axes[row->axis_count++] = contender->pairs[k];
        rep_cell_text(&row->cells[0], design_of(m, group));
        rep_cell_text(&row->cells[1], group->contender);
        for (uint32_t k = 0; k < sizeof values / sizeof *values; k++)
            rep_cell_number(m, &row->cells[2 + k], values[k], k == 3 ? "fraction" : "");
    }
    free(tallies);
    base_names_free(&names);
    return status == COL_OK ? rep_builder_finish(&b, problem) : status;
}

/* ---- One by one. */

col_status rep_tables_of_mutants(rep_maker *m, col_problem *problem) {
    rep_pivot p;
    col_status status = rep_pivot_make(m, has_mutant, &p, problem);
    if (status == COL_OK)
        status = add_mutants(m, &p, problem);
    if (status == COL_OK)
        status = add_statistic(m, &p,
                               &(rep_table){.id = "mutants-each",
                                            .title = "Mutants one by one",
                                            .note = "The fraction of trials that killed the "
                                                    "mutant."},
                               "found", problem);
    rep_pivot_free(&p);
    return status;
}

/* Tables of what is no episode: tours of abstract protocols, and studies of locations. */

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

static col_status fill_tour(rep_maker *m, uint32_t group, rep_cell *cells, col_problem *problem) {
    col_status status = COL_OK;
    rep_cell_text(&cells[0], m->report->groups[group].contender);
    for (uint32_t i = 0; i < TOUR_COLUMNS && status == COL_OK; i++) {
        cam_answer answer;
        const cam_question question = {.statistic = tour_columns[i].statistic};
        status = rep_ask(m, &question, group, &answer, problem);
        if (status != COL_OK)
            break;
        rep_cell_answer(m, &cells[1 + i], &answer, tour_columns[i].unit, group);
        cells[1 + i].of = 0;
        if (answer.is_known && strcmp(tour_columns[i].unit, "plain") == 0) /* exact: in full */
            rep_cell_text(&cells[1 + i], rep_print(m, "%.0f", answer.value));
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

static col_status add_studies(rep_maker *m, const rep_pivot *p, col_problem *problem) {
    rep_builder b = {.maker = m,
                     .table = {.id = "location-coverage",
                               .title = "Transition coverage of locations",
                               .note = "The median over pairs of a core and a location, and then "
                                       "over trials."}};
    base_names machines = {.arena = &m->report->arena};
    col_status status = COL_OK;
    for (uint32_t i = 0; i < p->scenario_count; i++)
        for (uint32_t k = 0; k < p->scenarios[i]->group_count && status == COL_OK; k++)
            if (rep_member_count(m, p->scenarios[i]->groups[k]) > 0)
                status = list_machines(rep_rows(m, p->scenarios[i]->groups[k])[0]->result,
                                       &machines, problem);
    rep_pivot_columns(p, &b);
    rep_builder_column(&b, "machine", false);
    rep_pivot_contenders(p, &b);
    for (uint32_t i = 0; i < p->scenario_count; i++)
        for (uint32_t k = 0; k < machines.count && status == COL_OK; k++) {
            const uint32_t width = rep_pivot_width(p) + 1;
            const cam_question question = {.statistic = "location-coverage",
                                           .machine = machines.texts[k]};
            rep_row *row = rep_pivot_row(p, &b, p->scenarios[i], REP_NO_GROUP);
            status = row == NULL ? base_out_of_memory(problem) : COL_OK;
            if (row == NULL)
                break;
            rep_cell_text(&row->cells[width - 1], machines.texts[k]);
            status =
                rep_fill_contenders(m, p, p->scenarios[i], &question, row->cells + width, problem);
        }
    base_names_free(&machines);
    return status == COL_OK ? rep_builder_finish(&b, problem) : status;
}

col_status rep_tables_of_tours(rep_maker *m, col_problem *problem) {
    rep_pivot p;
    col_status status = rep_pivot_make(m, is_tour, &p, problem);
    if (status == COL_OK)
        status = add_tours(m, &p, problem);
    rep_pivot_free(&p);
    if (status != COL_OK)
        return status;
    status = rep_pivot_make(m, is_study, &p, problem);
    if (status == COL_OK)
        status = add_studies(m, &p, problem);
    rep_pivot_free(&p);
    return status;
}

/* Tables of the trials themselves: what engines learned, which could not be done and why, and where
 * all came from. */

static bool is_any(const rep_maker *m, const rep_scenario *s) {
    (void)m;
    (void)s;
    return true;
}

/* ---- Trials that could not be done, or not be judged. */

/* Shown whatever is left out, so it names what it is about itself. */
static bool name_trial_axes(rep_maker *m, const rep_scenario *s, uint32_t group, rep_row *row) {
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
        if (entry == NULL || !name_trial_axes(m, s, group, entry))
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
