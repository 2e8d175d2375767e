/* SPDX-License-Identifier: MIT */
/*
 * Tables of coverage: what it took to get there, and what it came to. Trials that hunt an error end
 * when they find it, so they tell of coverage only where there are no others and none was ended so.
 */
#include "results/report/report_maker.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Errors did not end its trials. */
static bool is_whole(const rep_maker *m, const rep_scenario *s) {
    for (uint32_t i = 0; i < s->group_count; i++)
        for (size_t k = 0; k < rep_member_count(m, s->groups[i]); k++) {
            const cam_row *row = rep_rows(m, s->groups[i])[k];
            if (row->is_done && row->ended_by != NULL && strcmp(row->ended_by, "error") == 0)
                return false;
        }
    return s->kind == CAM_EPISODE && s->is_done;
}

static bool tells_of_coverage(const rep_maker *m, const rep_scenario *s) {
    return m->has_quiet ? rep_is_quiet(s) : is_whole(m, s);
}

/* ---- What there was to cover. */

typedef struct goal {
    uint32_t total, points; /* points: reachable ones if they are known, else the most covered */
    bool is_known;
} goal;

static goal goal_of(const rep_maker *m, const rep_scenario *s, col_metric metric) {
    uint32_t reachable = 0, most = 0;
    goal g = {0};
    for (uint32_t i = 0; i < s->group_count; i++)
        for (size_t k = 0; k < rep_member_count(m, s->groups[i]); k++) {
            const cam_row *row = rep_rows(m, s->groups[i])[k];
            const cam_extent *e = &row->coverage[metric];
            if (!row->is_done)
                continue;
            g.is_known |= e->reachable_known;
            g.total = e->total > g.total ? e->total : g.total;
            most = e->covered > most ? e->covered : most;
            reachable = e->reachable_known && e->reachable > reachable ? e->reachable : reachable;
        }
    g.points = g.is_known ? reachable : most;
    return g;
}

/* ---- Times. */

static const uint32_t levels[] = {50, 75, 90, 95};
enum { LEVELS = sizeof levels / sizeof *levels };

typedef struct subject {
    const char *id, *title, *statistic;
    col_metric metric;
} subject;

static void fill_level(rep_builder *b, const rep_pivot *p, const rep_scenario *s,
                       const subject *what, uint32_t level) {
    rep_maker *m = b->maker;
    const goal g = goal_of(m, s, what->metric);
    const double points = ceil(g.points * (level / 100.0) - 1e-9);
    if (g.total == 0 || points < 1)
        return;
    const cam_question question = {
        .statistic = what->statistic, .metric = what->metric, .at = points / g.total};
    rep_row *row = rep_pivot_row(p, b, s, REP_NO_GROUP);
    if (row == NULL)
        return;
    rep_cell_text(&row->cells[p->width], rep_brief(m, "%u %%: %.0f of %u%s", level, points,
                                                   g.points, g.is_known ? "" : " reached"));
    rep_fill_contenders(m, p, s, &question, row->cells + p->width + 1);
    rep_builder_pack(b);
}

static void add_times(rep_maker *m, const rep_pivot *p, const subject *what) {
    rep_builder b = {
        .maker = m,
        .table = {.id = what->id,
                  .title = what->title,
                  .note = "Until this part was covered of what is known to be reachable, or else "
                          "of the most that any trial covered; small: trials that got there."}};
    rep_pivot_columns(p, &b);
    (void)rep_builder_column(&b, "points", false);
    rep_pivot_contenders(p, &b);
    for (uint32_t i = 0; i < p->scenario_count && m->status == COL_OK; i++)
        for (uint32_t k = 0; k < LEVELS; k++)
            fill_level(&b, p, p->scenarios[i], what, levels[k]);
    rep_builder_finish(&b);
}

/* ---- At the end. */

static const char *const final_columns[] = {"contender", "trials",         "points",
                                            "median",    "lower quartile", "upper quartile",
                                            "least",     "most",           "of reachable"};
enum { FINAL_COLUMNS = sizeof final_columns / sizeof *final_columns };

/* What each trial that was done covered; how many there are. */
static size_t list_covered(const rep_maker *m, uint32_t group, col_metric metric, double *values) {
    const cam_row *const *rows = rep_rows(m, group);
    size_t count = 0;
    for (size_t i = 0; i < rep_member_count(m, group); i++)
        if (rows[i]->is_done && rows[i]->coverage[metric].total > 0)
            values[count++] = rows[i]->coverage[metric].covered;
    return count;
}

static void fill_group(rep_maker *m, uint32_t group, uint32_t total, col_metric metric,
                       rep_cell *cells) {
    const char *const statistics[] = {"coverage", "reached"};
    double *values = malloc((rep_member_count(m, group) + 1) * sizeof *values);
    if (!rep_has(m, values))
        return;
    const size_t count = list_covered(m, group, metric, values);
    rep_cell_text(&cells[0], m->report->groups[group].contender);
    rep_cell_number(m, &cells[1], (double)count, "");
    if (count > 0) {
        const sta_quartiles q = sta_summarise(values, count);
        const double parts[] = {q.lower, q.upper, q.least, q.most};
        rep_cell_number(m, &cells[2], q.median, "points");
        for (uint32_t i = 0; i < sizeof parts / sizeof *parts; i++)
            rep_cell_number(m, &cells[4 + i], parts[i] / total, "fraction");
    }
    free(values);
    for (uint32_t i = 0; i < 2; i++) {
        cam_answer answer =
            rep_ask(m, &(cam_question){.statistic = statistics[i], .metric = metric}, group);
        answer.of = 0; /* the number of trials has its own column */
        rep_cell_answer(m, &cells[i == 0 ? 3 : FINAL_COLUMNS - 1], &answer, "fraction", group);
    }
}

static void add_finals(rep_maker *m, const rep_pivot *p, const subject *what) {
    rep_builder b = {
        .maker = m,
        .table = {.id = what->id,
                  .title = what->title,
                  .note = "Of all points that are defined; the last column, of those known to be "
                          "reachable."}};
    rep_pivot_columns(p, &b);
    for (uint32_t i = 0; i < FINAL_COLUMNS; i++)
        (void)rep_builder_column(&b, i == 0 ? p->word : final_columns[i], i > 0);
    for (uint32_t i = 0; i < p->scenario_count && m->status == COL_OK; i++) {
        const rep_scenario *s = p->scenarios[i];
        const uint32_t total = goal_of(m, s, what->metric).total;
        const size_t first = b.table.row_count;
        for (uint32_t k = 0; k < s->group_count && total > 0; k++) {
            rep_row *row = rep_pivot_row(p, &b, s, s->groups[k]);
            if (row != NULL)
                fill_group(m, s->groups[k], total, what->metric, row->cells + p->width);
        }
        rep_mark_best_row(b.table.rows, first, b.table.row_count, p->width + 3, false);
        rep_builder_pack(&b);
    }
    rep_builder_finish(&b);
}

void rep_tables_of_coverage(rep_maker *m) {
    static const subject times[] = {
        {"time-to-coverage", "Time to coverage, in cycles", "cycles-to-coverage", COL_STRUCTURAL},
        {"time-to-coverage-seconds", "Time to coverage, in seconds", "seconds-to-coverage",
         COL_STRUCTURAL},
        {"time-to-coverage-functional", "Time to functional coverage, in cycles",
         "cycles-to-coverage", COL_FUNCTIONAL}};
    static const subject finals[] = {
        {"final-coverage", "Final coverage, structural", NULL, COL_STRUCTURAL},
        {"final-coverage-functional", "Final coverage, functional", NULL, COL_FUNCTIONAL}};
    rep_pivot p;
    rep_pivot_make(m, tells_of_coverage, &p);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        add_times(m, &p, &times[i]);
    for (size_t i = 0; i < sizeof finals / sizeof *finals; i++)
        add_finals(m, &p, &finals[i]);
    base_names_free(&p.contenders);
}

/*
 * Comparisons of contenders in each scenario, two by two: Mann and Whitney's test, Holm's
 * correction over all pairs of the scenario, and Vargha and Delaney's effect size. Of times to
 * errors a trial that did not find it ranks last, where all had the same budget; else the log-rank
 * test takes each for as long as it was watched.
 */

/* Beyond this many contenders each is compared with the best alone; also where all pairs would take
 * too long. */
enum { MOST_CONTENDERS = 12, MOST_PERMUTED_TRIALS = 20000 };
static const double level = 0.05;

typedef struct sample {
    uint32_t group;
    double *values;                /* never: infinite */
    sta_observation *observations; /* of times */
    size_t count;
    double median;
} sample;

typedef struct pair {
    uint32_t first, second; /* of samples */
    sta_comparison comparison;
    double p;
} pair;

typedef struct contest {
    sample *samples;
    uint32_t sample_count;
    pair *pairs;
    uint32_t pair_count;
    double *p, *corrected;
    bool is_fair; /* all had the same budget, so that not to have found it ranks last */
} contest;

typedef struct measure {
    const char *name, *better;
    rep_choice choice;
    bool less_is_better; /* a time to an error; else points of a metric */
    col_metric metric;
} measure;

/* ---- Samples. */

static size_t take_times(const rep_maker *m, uint32_t group, sample *s) {
    const cam_row *const *rows = rep_rows(m, group);
    size_t count = 0;
    for (size_t i = 0; i < rep_member_count(m, group); i++) {
        const cam_row *row = rows[i];
        const bool is_found = row->failure_test != 0;
        const bool is_through = row->ended_by != NULL && strcmp(row->ended_by, "engine") == 0;
        if (!row->is_done)
            continue;
        s->values[count] = is_found ? (double)row->failure_cycles : INFINITY;
        s->observations[count++] = (sta_observation){
            is_found || !is_through ? (double)(is_found ? row->failure_cycles : row->cycles)
                                    : INFINITY,
            is_found};
    }
    return count;
}

/* Those that did not find it were all given the same number of cycles, or were through. */
static bool is_fair(rep_maker *m, const rep_scenario *s) {
    const char *name = rep_keep(m, "cycles");
    const rep_group *first = &m->report->groups[s->groups[0]];
    const char *budget = rep_value(first->pairs, first->pair_count, name);
    for (uint32_t i = 0; i < s->group_count; i++) {
        const rep_group *group = &m->report->groups[s->groups[i]];
        if (budget == NULL || rep_value(group->pairs, group->pair_count, name) != budget)
            return false;
        for (size_t k = 0; k < rep_member_count(m, s->groups[i]); k++) {
            const cam_row *row = rep_rows(m, s->groups[i])[k];
            if (row->is_done && row->failure_test == 0 &&
                (row->ended_by == NULL ||
                 (strcmp(row->ended_by, "cycles") != 0 && strcmp(row->ended_by, "engine") != 0)))
                return false;
        }
    }
    return true;
}

static double median_of(const sample *s) {
    double median = NAN;
    double *copy = malloc((s->count + 1) * sizeof *copy);
    for (size_t i = 0; i < s->count && copy != NULL; i++) /* never is later than anything */
        copy[i] = isinf(s->values[i]) ? DBL_MAX / 4 : s->values[i];
    if (copy != NULL)
        median = sta_summarise(copy, s->count).median;
    free(copy);
    return median;
}

static void free_contest(contest *c) {
    for (uint32_t i = 0; i < c->sample_count; i++) {
        free(c->samples[i].values);
        free(c->samples[i].observations);
    }
    free(c->samples);
    free(c->pairs);
    free(c->p);
    free(c->corrected);
}

static void take_samples(rep_maker *m, const rep_scenario *s, const measure *what, contest *c) {
    c->samples = calloc(s->group_count + 1, sizeof *c->samples);
    for (uint32_t i = 0; i < s->group_count && rep_has(m, c->samples); i++) {
        if (m->report->groups[s->groups[i]].done == 0)
            continue;
        sample *t = &c->samples[c->sample_count++];
        t->group = s->groups[i];
        const size_t most = rep_member_count(m, t->group) + 1;
        t->values = malloc(most * sizeof *t->values);
        t->observations = malloc(most * sizeof *t->observations);
        if (!rep_has(m, t->values) || !rep_has(m, t->observations))
            return;
        t->count = what->less_is_better ? take_times(m, t->group, t)
                                        : list_covered(m, t->group, what->metric, t->values);
        if (t->count == 0) {
            free(t->values);
            free(t->observations);
            c->sample_count--;
            continue;
        }
        t->median = median_of(t);
    }
}

/* ---- Pairs. */

static void list_pairs(const rep_maker *m, contest *c, bool less_is_better) {
    const bool is_slow = m->trial_count > MOST_PERMUTED_TRIALS && !c->is_fair;
    const bool all = c->sample_count <= MOST_CONTENDERS && !is_slow;
    uint32_t best = 0;
    for (uint32_t i = 1; i < c->sample_count; i++)
        if (less_is_better ? c->samples[i].median < c->samples[best].median
                           : c->samples[i].median > c->samples[best].median)
            best = i;
    for (uint32_t i = 0; i < c->sample_count; i++)
        for (uint32_t k = i + 1; k < c->sample_count; k++)
            if (all || i == best || k == best)
                c->pairs[c->pair_count++] = (pair){.first = i, .second = k};
}

/* With unequal budgets ranks of what was not found mean nothing: the log-rank test. */
static void compare_pair(rep_maker *m, const contest *c, bool of_times, pair *p) {
    const sample *a = &c->samples[p->first], *b = &c->samples[p->second];
    sta_log_rank rank;
    m->status = sta_compare(a->values, a->count, b->values, b->count, &p->comparison, m->problem);
    p->p = p->comparison.p;
    if (m->status != COL_OK || !of_times || c->is_fair)
        return;
    m->status = sta_compare_survival(a->observations, a->count, b->observations, b->count, 1, &rank,
                                     m->problem);
    p->p = rank.p;
}

static void compare(rep_maker *m, contest *c, bool less_is_better) {
    const size_t most = (size_t)c->sample_count * c->sample_count;
    c->pairs = calloc(most + 1, sizeof *c->pairs);
    c->p = calloc(most + 1, sizeof *c->p);
    c->corrected = calloc(most + 1, sizeof *c->corrected);
    if (!rep_has(m, c->pairs) || !rep_has(m, c->p) || !rep_has(m, c->corrected))
        return;
    list_pairs(m, c, less_is_better);
    for (uint32_t i = 0; i < c->pair_count && m->status == COL_OK; i++) {
        compare_pair(m, c, less_is_better, &c->pairs[i]);
        c->p[i] = c->pairs[i].p;
    }
    if (m->status == COL_OK)
        sta_correct(c->p, c->pair_count, c->corrected);
}

/* ---- The table. */

static const char *const columns[] = {"measure", "first",        "second", "trials", "test",
                                      "p",       "p, corrected", "Â12",    "result"};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void fill_pair(rep_builder *b, const rep_pivot *pivot, const rep_scenario *s,
                      const contest *c, uint32_t number, const measure *what) {
    rep_maker *m = b->maker;
    const pair *p = &c->pairs[number];
    const sample *first = &c->samples[p->first], *second = &c->samples[p->second];
    rep_row *row = rep_pivot_row(pivot, b, s, REP_NO_GROUP);
    if (row == NULL)
        return;
    rep_cell *cells = row->cells + pivot->width;
    rep_cell_text(&cells[0], what->name);
    rep_cell_text(&cells[1], m->report->groups[first->group].contender);
    cells[1].group = first->group;
    rep_cell_text(&cells[2], m->report->groups[second->group].contender);
    cells[2].group = second->group;
    rep_cell_text(&cells[3], rep_brief(m, "%zu, %zu", first->count, second->count));
    rep_cell_text(&cells[4], what->less_is_better && !c->is_fair ? "log-rank" : "U");
    rep_cell_number(m, &cells[5], p->p, "p");
    rep_cell_number(m, &cells[6], c->corrected[number], "p");
    cells[6].best = c->corrected[number] <= level;
    rep_cell_number(m, &cells[7], p->comparison.advantage, "advantage");
    /* Who is better, and how clearly: Vargha and Delaney's words for effect sizes. */
    const double advantage = p->comparison.advantage, size = fabs(advantage - 0.5);
    const sample *winner = (advantage > 0.5) != what->less_is_better ? first : second;
    rep_cell_text(&cells[8],
                  !(c->corrected[number] <= level)
                      ? "no difference shown"
                      : rep_brief(m, "%s %s (%s effect)",
                                  m->report->groups[winner->group].contender, what->better,
                                  size >= 0.21   ? "large"
                                  : size >= 0.14 ? "medium"
                                                 : "small"));
}

static void add_scenario(rep_builder *b, const rep_pivot *pivot, const rep_scenario *s,
                         const measure *what) {
    rep_maker *m = b->maker;
    contest c = {.is_fair = !what->less_is_better || is_fair(m, s)};
    take_samples(m, s, what, &c);
    if (m->status == COL_OK && c.sample_count > 1)
        compare(m, &c, what->less_is_better);
    for (uint32_t i = 0; i < c.pair_count && m->status == COL_OK; i++)
        fill_pair(b, pivot, s, &c, i, what);
    rep_builder_pack(b);
    free_contest(&c);
}

static bool is_compared(const rep_maker *m, const rep_scenario *s) {
    return s->group_count > 1 && s->kind == CAM_EPISODE && s->is_done &&
           (s->hunts || tells_of_coverage(m, s));
}

static bool hunts(const rep_maker *m, const rep_scenario *s) {
    (void)m;
    return s->hunts;
}

void rep_tables_of_comparisons(rep_maker *m) {
    static const measure measures[] = {
        {"final coverage", "covers more", tells_of_coverage, .metric = COL_STRUCTURAL},
        {"final functional coverage", "covers more", tells_of_coverage, .metric = COL_FUNCTIONAL},
        {"cycles to error", "finds it sooner", hunts, .less_is_better = true}};
    rep_pivot p;
    rep_builder b = {
        .maker = m,
        .table = {
            .id = "comparisons",
            .title = "Comparisons",
            .note = "Two-sided, corrected by Holm for all pairs of a scenario; bold: at most 0.05. "
                    "U: Mann and Whitney's test, with trials that did not find the error "
                    "last; log-rank: where budgets differ. Â12 is the chance that a trial "
                    "of the first comes to more than one of the second (0.5: no "
                    "difference); of times to errors, more is later."}};
    if (!m->report->has_seeds)
        return;
    rep_pivot_make(m, is_compared, &p);
    rep_pivot_columns(&p, &b);
    for (uint32_t i = 0; i < COLUMNS; i++)
        (void)rep_builder_column(&b, columns[i], i >= 5 && i <= 7);
    for (uint32_t i = 0; i < p.scenario_count; i++)
        for (size_t k = 0; k < sizeof measures / sizeof *measures && m->status == COL_OK; k++)
            if (measures[k].choice(m, p.scenarios[i]))
                add_scenario(&b, &p, p.scenarios[i], &measures[k]);
    rep_builder_finish(&b);
    base_names_free(&p.contenders);
}
