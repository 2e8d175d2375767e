/* SPDX-License-Identifier: MIT */
/* All tables, and those of errors, tours, studies of locations, what engines learned, trials that
 * went wrong, and where all came from. */
#include "results/report/report_maker.h"

#include "base/json.h"
#include "results/store/episode_row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bootstrap intervals of this many trials take too long for a report. */
enum { MOST_INTERVAL_TRIALS = 20000 };

cam_answer rep_ask(rep_maker *m, const cam_question *question, uint32_t group) {
    cam_question q = *question;
    cam_answer answer = {0};
    q.no_interval = m->trial_count > MOST_INTERVAL_TRIALS;
    BASE_THEN(m->status, cam_ask(&q, rep_rows(m, group), rep_member_count(m, group), NULL, 0, 1,
                                 &answer, m->problem));
    return answer;
}

void rep_fill_contenders(rep_maker *m, const rep_pivot *p, const rep_scenario *s,
                         const cam_question *question, rep_cell *cells) {
    const cam_statistic *statistic = cam_statistic_find(question->statistic);
    for (uint32_t i = 0; i < s->group_count; i++) {
        const uint32_t group = s->groups[i];
        const uint32_t column = base_names_find(&p->contenders, m->report->groups[group].contender);
        const cam_answer answer = rep_ask(m, question, group);
        if (m->status != COL_OK)
            return;
        rep_cell_answer(m, &cells[column], &answer, statistic->unit, group);
        if (!rep_can_be_missed(statistic->name))
            cells[column].of = 0;
    }
    rep_mark_best(cells, (uint32_t)p->contenders.count,
                  cam_statistic_less_is_better(statistic->name));
}

static void add_columns(rep_builder *b, const char *const *names, uint32_t count,
                        uint32_t first_number) {
    for (uint32_t i = 0; i < count; i++)
        (void)rep_builder_column(b, names[i], i >= first_number);
}

/* ---- Times to errors. */

static bool is_hunt(const rep_maker *m, const rep_scenario *s) {
    (void)m;
    return s->kind == CAM_EPISODE && s->hunts && s->is_done;
}

/* A table of one statistic: a row for each scenario, a column for each contender. */
static void add_statistic(rep_maker *m, const rep_pivot *p, const rep_table *like,
                          const char *statistic) {
    rep_builder b = {.maker = m, .table = *like};
    const cam_question question = {.statistic = statistic};
    rep_pivot_columns(p, &b);
    rep_pivot_contenders(p, &b);
    for (uint32_t i = 0; i < p->scenario_count && m->status == COL_OK; i++) {
        rep_row *row = rep_pivot_row(p, &b, p->scenarios[i], REP_NO_GROUP);
        if (row != NULL)
            rep_fill_contenders(m, p, p->scenarios[i], &question, row->cells + p->width);
        rep_builder_pack(&b);
    }
    rep_builder_finish(&b);
}

static void add_errors(rep_maker *m) {
    static const char note[] =
        "Medians by Kaplan and Meier; small: trials that found the error, of "
        "all; >: fewer than half of them did, so it is at least this.";
    const rep_table cycles = {
        .id = "time-to-error", .title = "Time to error, in cycles", .note = note};
    const rep_table seconds = {
        .id = "time-to-error-seconds", .title = "Time to error, in seconds", .note = note};
    rep_pivot hunts;
    rep_pivot_make(m, is_hunt, &hunts);
    add_statistic(m, &hunts, &cycles, "cycles-to-error");
    add_statistic(m, &hunts, &seconds, "seconds-to-error");
    base_names_free(&hunts.contenders);
}

/* ---- Which mutants were killed, by whom: all of a design together, and one by one. */

static bool has_mutant(const rep_maker *m, const rep_scenario *s) {
    return s->kind == CAM_EPISODE && s->is_done && m->report->groups[s->groups[0]].mutant != NULL;
}

typedef struct tally {
    uint32_t group; /* the first */
    uint32_t mutants, killed, always;
} tally;

static const char *design_of(rep_maker *m, const rep_group *group) {
    return rep_print(m, "%s, %u core%s", group->design, group->cores, base_plural(group->cores));
}

static void count_group(rep_maker *m, uint32_t g, base_names *names, tally *tallies) {
    const rep_group *group = &m->report->groups[g];
    if (group->done == 0)
        return;
    const char *name = rep_print(m, "%s\x1f%s", design_of(m, group), group->contender);
    tally *t = &tallies[rep_number_of(m, names, name, NULL)];
    if (t->mutants++ == 0)
        t->group = g;
    t->killed += group->found > 0;
    t->always += group->found == group->done;
}

static void add_tally(rep_maker *m, const tally *t, rep_builder *b) {
    static const char *const shared[] = {"design", "cores"};
    const rep_group *group = &m->report->groups[t->group];
    const cam_selector *contender = &m->contenders[t->group];
    const double values[] = {t->mutants, t->killed, t->mutants - t->killed,
                             (double)t->killed / t->mutants, t->always};
    rep_row *row = rep_builder_row(b, REP_NO_GROUP);
    cam_pair *axes = rep_take(m, contender->count + 2, sizeof *axes);
    if (row == NULL || axes == NULL)
        return;
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

/* Of each contender on each design: a mutant is killed if any trial killed it. */
static void add_mutants(rep_maker *m) {
    static const rep_table each = {.id = "mutants-each",
                                   .title = "Mutants one by one",
                                   .note = "The fraction of trials that killed the mutant."};
    rep_pivot p;
    rep_builder b = {.maker = m,
                     .table = {.id = "mutants",
                               .title = "Mutants",
                               .note = "Killed: any trial found it. Always: every trial did."}};
    base_names names = {.arena = &m->report->arena};
    tally *tallies = calloc((size_t)m->report->group_count + 1, sizeof *tallies);
    rep_pivot_make(m, has_mutant, &p);
    for (uint32_t i = 0; i < p.scenario_count && rep_has(m, tallies); i++)
        for (uint32_t k = 0; k < p.scenarios[i]->group_count; k++)
            count_group(m, p.scenarios[i]->groups[k], &names, tallies);
    add_columns(&b,
                (const char *const[]){"design", p.word, "mutants", "killed", "survived",
                                      "killed, fraction", "always"},
                7, 2);
    for (uint32_t i = 0; i < names.count; i++)
        add_tally(m, &tallies[i], &b);
    free(tallies);
    base_names_free(&names);
    rep_builder_finish(&b);
    add_statistic(m, &p, &each, "found");
    base_names_free(&p.contenders);
}

/* ---- Tours of abstract protocols. */

static bool is_tour(const rep_maker *m, const rep_scenario *s) {
    (void)m;
    return s->kind == CAM_TOUR && s->is_done;
}

static const struct {
    const char *name, *statistic, *unit;
} tour_columns[] = {
    {"states", "states", "plain"},        {"transitions", "transitions", "plain"},
    {"operations", "cost", "plain"},      {"per transition", "cost-per-transition", "ratio"},
    {"covered", "coverage", "fraction"},  {"seconds", "tour-seconds", "seconds"},
    {"peak bytes", "peak-bytes", "bytes"}};
enum { TOUR_COLUMNS = sizeof tour_columns / sizeof *tour_columns, COLUMN_OF_COST = 2 };

static void fill_tour(rep_maker *m, uint32_t group, rep_cell *cells) {
    rep_cell_text(&cells[0], m->report->groups[group].contender);
    for (uint32_t i = 0; i < TOUR_COLUMNS; i++) {
        const cam_answer answer =
            rep_ask(m, &(cam_question){.statistic = tour_columns[i].statistic}, group);
        rep_cell_answer(m, &cells[1 + i], &answer, tour_columns[i].unit, group);
        cells[1 + i].of = 0;
        if (answer.is_known && strcmp(tour_columns[i].unit, "plain") == 0) /* exact: in full */
            rep_cell_text(&cells[1 + i], rep_print(m, "%.0f", answer.value));
    }
}

static void add_tours(rep_maker *m) {
    rep_pivot p;
    rep_builder b = {.maker = m,
                     .table = {.id = "tours",
                               .title = "Tours",
                               .note = "Medians over seeds; bold: the fewest operations."}};
    rep_pivot_make(m, is_tour, &p);
    rep_pivot_columns(&p, &b);
    (void)rep_builder_column(&b, p.word, false);
    for (uint32_t i = 0; i < TOUR_COLUMNS; i++)
        (void)rep_builder_column(&b, tour_columns[i].name, true);
    for (uint32_t i = 0; i < p.scenario_count && m->status == COL_OK; i++) {
        const rep_scenario *s = p.scenarios[i];
        const size_t first = b.table.row_count;
        for (uint32_t k = 0; k < s->group_count; k++) {
            rep_row *row = rep_pivot_row(&p, &b, s, s->groups[k]);
            if (row != NULL)
                fill_tour(m, s->groups[k], row->cells + p.width);
        }
        rep_mark_best_row(b.table.rows, first, b.table.row_count, p.width + 1 + COLUMN_OF_COST,
                          true);
    }
    rep_builder_finish(&b);
    base_names_free(&p.contenders);
}

/* ---- Studies of locations. */

static bool is_study(const rep_maker *m, const rep_scenario *s) {
    (void)m;
    return s->kind == CAM_LOCATIONS && s->is_done;
}

/* The machines that a study's result names. */
static void list_machines(rep_maker *m, const char *result, base_names *machines) {
    json_t *root = NULL, *machine;
    size_t i;
    if (result != NULL && m->status == COL_OK)
        m->status = base_json_parse_stored(result, &root, m->problem);
    json_array_foreach(json_object_get(root, "machines"), i, machine) {
        const char *name = json_string_value(json_object_get(machine, "name"));
        if (name != NULL)
            (void)rep_number_of(m, machines, name, NULL);
    }
    json_decref(root);
}

static void add_studies(rep_maker *m) {
    rep_pivot p;
    rep_builder b = {.maker = m,
                     .table = {.id = "location-coverage",
                               .title = "Transition coverage of locations",
                               .note = "The median over pairs of a core and a location, and then "
                                       "over trials."}};
    base_names machines = {.arena = &m->report->arena};
    rep_pivot_make(m, is_study, &p);
    for (uint32_t i = 0; i < p.scenario_count; i++)
        for (uint32_t k = 0; k < p.scenarios[i]->group_count; k++)
            if (rep_member_count(m, p.scenarios[i]->groups[k]) > 0)
                list_machines(m, rep_rows(m, p.scenarios[i]->groups[k])[0]->result, &machines);
    rep_pivot_columns(&p, &b);
    (void)rep_builder_column(&b, "machine", false);
    rep_pivot_contenders(&p, &b);
    for (uint32_t i = 0; i < p.scenario_count; i++)
        for (uint32_t k = 0; k < machines.count; k++) {
            const cam_question question = {.statistic = "location-coverage",
                                           .machine = machines.texts[k]};
            rep_row *row = rep_pivot_row(&p, &b, p.scenarios[i], REP_NO_GROUP);
            if (row == NULL)
                break;
            rep_cell_text(&row->cells[p.width], machines.texts[k]);
            rep_fill_contenders(m, &p, p.scenarios[i], &question, row->cells + p.width + 1);
        }
    base_names_free(&machines);
    rep_builder_finish(&b);
    base_names_free(&p.contenders);
}

/* ---- Trials that could not be done, or not be judged. */

static bool is_any(const rep_maker *m, const rep_scenario *s) {
    (void)m;
    (void)s;
    return true;
}

/* Shown whatever is left out, so it names what it is about itself. */
static bool name_trial_axes(rep_maker *m, const rep_scenario *s, uint32_t group, rep_row *row) {
    const cam_selector *contender = &m->contenders[group];
    cam_pair *axes = rep_take(m, (size_t)s->axis_count + contender->count, sizeof *axes);
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

static const char *tell_waived(rep_maker *m, const cam_row *row) {
    base_text words = {0};
    uint64_t count = 0;
    BASE_THEN(m->status, cam_row_waived(row, &count, &words, m->problem));
    BASE_THEN(m->status, base_text_status(&words, m->problem));
    const char *told = m->status != COL_OK || count == 0 ? NULL : rep_print(m, "%s", words.data);
    base_text_free(&words);
    return told;
}

static void add_told_of(rep_builder *b, const rep_pivot *p, const rep_scenario *s, uint32_t group,
                        tell_of *tell) {
    rep_maker *m = b->maker;
    for (size_t i = 0; i < rep_member_count(m, group); i++) {
        const cam_row *row = rep_rows(m, group)[i];
        const char *reason = tell(m, row);
        if (reason == NULL)
            continue;
        rep_row *entry = rep_pivot_row(p, b, s, REP_NO_GROUP);
        if (entry == NULL || !name_trial_axes(m, s, group, entry))
            return;
        rep_cell_text(&entry->cells[p->width], m->report->groups[group].contender);
        rep_cell_count(m, &entry->cells[p->width + 1], row->seed);
        rep_cell_text(&entry->cells[p->width + 2], reason);
    }
}

static void add_told(rep_maker *m, const rep_pivot *p, const char *id, const char *title,
                     tell_of *tell) {
    rep_builder b = {.maker = m, .table = {.id = id, .title = title}};
    rep_pivot_columns(p, &b);
    (void)rep_builder_column(&b, p->word, false);
    (void)rep_builder_column(&b, "seed", true);
    (void)rep_builder_column(&b, "reason", false);
    for (uint32_t i = 0; i < p->scenario_count; i++)
        for (uint32_t k = 0; k < p->scenarios[i]->group_count; k++)
            add_told_of(&b, p, p->scenarios[i], p->scenarios[i]->groups[k], tell);
    rep_builder_finish(&b);
}

static void add_untold(rep_maker *m) {
    rep_pivot p;
    rep_pivot_make(m, is_any, &p);
    add_told(m, &p, "failed-trials", "Trials that failed", tell_failed);
    add_told(m, &p, "undecided-trials", "Trials that are undecided", tell_undecided);
    add_told(m, &p, "waived-failures", "Failures of known bugs", tell_waived);
    base_names_free(&p.contenders);
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

static void add_learning(rep_maker *m) {
    static const char *const columns[] = {"scenario", "contender", "of", "at first", "at last"};
    rep_builder b = {.maker = m,
                     .table = {.id = "learning",
                               .title = "Learning",
                               .note = "Medians over trials, averaged over the first and the last "
                                       "tenth of the tests."}};
    add_columns(&b, columns, 5, 3);
    for (uint32_t i = 0; i < m->report->plot_count; i++) {
        const rep_plot *plot = &m->report->plots[i];
        for (uint32_t k = 0; strcmp(plot->about, "learning") == 0 && k < plot->series_count; k++) {
            const rep_series *s = &plot->series[k];
            const size_t tenth = (s->count + 9) / 10;
            rep_row *row = rep_builder_row(&b, s->group);
            if (row == NULL)
                return;
            rep_cell_text(&row->cells[0], plot->title);
            rep_cell_text(&row->cells[1], s->name);
            rep_cell_text(&row->cells[2], plot->y_title);
            rep_cell_number(m, &row->cells[3], mean_of(s->median, 0, tenth), "");
            rep_cell_number(m, &row->cells[4], mean_of(s->median, s->count - tenth, s->count), "");
        }
    }
    rep_builder_finish(&b);
}

/* ---- Where all came from. */

static void add_plans(rep_maker *m) {
    static const char *const columns[] = {"plan", "scale", "trials", "done", "failed", "hash"};
    rep_builder b = {.maker = m, .table = {.id = "plans", .title = "Plans"}};
    for (uint32_t i = 0; i < sizeof columns / sizeof *columns; i++)
        (void)rep_builder_column(&b, columns[i], i >= 2 && i <= 4);
    for (uint32_t i = 0; i < m->report->plan_count; i++) {
        const rep_plan *plan = &m->report->plans[i];
        rep_row *row = rep_builder_row(&b, REP_NO_GROUP);
        if (row == NULL)
            return;
        rep_cell_text(&row->cells[0], plan->name);
        rep_cell_text(&row->cells[1], plan->scale[0] == '\0' ? "full" : plan->scale);
        rep_cell_count(m, &row->cells[2], plan->trials);
        rep_cell_count(m, &row->cells[3], plan->done);
        rep_cell_count(m, &row->cells[4], plan->failed);
        rep_cell_text(&row->cells[5], plan->hash);
    }
    rep_builder_finish(&b);
}

static void add_fact(rep_builder *b, const char *what, const char *value) {
    rep_row *row = rep_builder_row(b, REP_NO_GROUP);
    if (row == NULL)
        return;
    rep_cell_text(&row->cells[0], what);
    rep_cell_text(&row->cells[1], value);
}

static void add_provenance(rep_maker *m) {
    const rep_report *r = m->report;
    rep_builder b = {.maker = m, .table = {.id = "provenance", .title = "Provenance"}};
    (void)rep_builder_column(&b, "what", false);
    (void)rep_builder_column(&b, "value", false);
    for (uint32_t i = 0; i < r->version_count; i++)
        add_fact(&b, "version", r->versions[i]);
    for (uint32_t i = 0; i < r->host_count; i++)
        add_fact(&b, "host", r->hosts[i]);
    for (uint32_t i = 0; i < r->design_count; i++)
        add_fact(&b, "design",
                 rep_print(m, "%s, %u core%s: %s", r->designs[i].name, r->designs[i].cores,
                           base_plural(r->designs[i].cores), r->designs[i].hash));
    rep_builder_finish(&b);
}

typedef void (*step)(rep_maker *maker);

/* What is found out of one episode; then nothing is left to compare. */
static const step of_run[] = {
    rep_tables_of_failures, rep_tables_of_run, add_learning, add_untold, add_provenance, NULL};

void rep_make_tables(rep_maker *m) {
    static const step of_study[] = {add_errors,
                                    add_mutants,
                                    rep_tables_of_coverage,
                                    rep_tables_of_comparisons,
                                    add_tours,
                                    add_studies,
                                    rep_tables_of_papers,
                                    rep_tables_of_failures,
                                    add_learning,
                                    add_untold,
                                    add_plans,
                                    add_provenance,
                                    NULL};
    const step *steps = m->report->is_run ? of_run : of_study;
    if (m->settings->paper != NULL) {
        rep_tables_of_papers(m);
        return;
    }
    for (; *steps != NULL && m->status == COL_OK; steps++)
        (*steps)(m);
}
