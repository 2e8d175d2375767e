/* SPDX-License-Identifier: MIT */
/* Pairs side by side: see contrast.h. */
#include "contrast.h"
#include "units.h"

#include <math.h>
#include <stdio.h>

static const double level = 0.05;

/* ---- Comparing. */

static finding compare(const contrast *c, const pair *p, uint32_t column) {
    double first[MOST_SEEDS] = {0}, second[MOST_SEEDS] = {0};
    sta_comparison comparison;
    col_problem problem;
    c->gather(c->context, p->first, column, first);
    c->gather(c->context, p->second, column, second);
    if (sta_compare(first, c->seeds, second, c->seeds, &comparison, &problem) != COL_OK)
        give_up(problem.message);
    return (finding){.difference = sta_summarise(first, c->seeds).median -
                                   sta_summarise(second, c->seeds).median,
                     .p = comparison.p,
                     .advantage =
                         c->less_is_better ? 1 - comparison.advantage : comparison.advantage};
}

void contrast_find(const contrast *c, findings *found) {
    const uint32_t columns = c->column_count, count = c->pair_count * columns;
    double p[MOST_PAIRS * MOST_COLUMNS] = {0}, corrected[MOST_PAIRS * MOST_COLUMNS];
    for (uint32_t i = 0; i < count; i++) {
        finding *f = &found->of[i / columns][i % columns];
        *f = compare(c, &c->pairs[i / columns], i % columns);
        p[i] = f->p;
    }
    sta_correct(p, count, corrected);
    for (uint32_t i = 0; i < count; i++)
        found->of[i / columns][i % columns].corrected = corrected[i];
}

/* ---- The table. */

static void print_head(const contrast *c, const char *first, const char *rest) {
    (void)printf("\n| first, second |");
    for (uint32_t i = 0; i < c->column_count; i++)
        (void)printf(" %s: %s |%s", c->columns[i], first, rest);
    (void)printf("\n| --- |");
    for (uint32_t i = 0; i < c->column_count; i++)
        (void)printf(" --: | --: | --: |");
    (void)printf("\n");
}

static void print_finding(const finding *f) {
    if (isfinite(f->difference))
        (void)printf(" %+.1f |", f->difference);
    else
        (void)printf(" – |");
    (void)printf(" %.2g%s | %.2f |", f->p,
                 f->corrected < level ? " \\*\\*"
                 : f->p < level       ? " \\*"
                                      : "",
                 f->advantage);
}

void contrast_print(const contrast *c, const findings *found) {
    if (c->pair_count == 0)
        return;
    print_head(c, "difference", " p | A12 |");
    for (uint32_t i = 0; i < c->pair_count; i++) {
        (void)printf("| %s, %s |", c->pairs[i].first->label, c->pairs[i].second->label);
        for (uint32_t j = 0; j < c->column_count; j++)
            print_finding(&found->of[i][j]);
        (void)printf("\n");
    }
}

/* ---- Several tables. */

void tally_add(tally *t, const contrast *c, const findings *found) {
    t->tables++;
    for (uint32_t i = 0; i < c->pair_count; i++)
        for (uint32_t j = 0; j < c->column_count; j++) {
            const finding *f = &found->of[i][j];
            const bool is_better = f->advantage > 0.5;
            t->of[i][j].better += f->p < level && is_better;
            t->of[i][j].worse += f->p < level && !is_better;
            t->of[i][j].surely_better += f->corrected < level && is_better;
            t->of[i][j].surely_worse += f->corrected < level && !is_better;
            t->of[i][j].advantages += f->advantage;
        }
}

void tally_print(const tally *t, const contrast *c) {
    if (c->pair_count == 0 || t->tables == 0)
        return;
    print_head(c, "better", " worse | A12 |");
    for (uint32_t i = 0; i < c->pair_count; i++) {
        (void)printf("| %s, %s |", c->pairs[i].first->label, c->pairs[i].second->label);
        for (uint32_t j = 0; j < c->column_count; j++)
            (void)printf(" %u (%u) | %u (%u) | %.2f |", t->of[i][j].surely_better,
                         t->of[i][j].better, t->of[i][j].surely_worse, t->of[i][j].worse,
                         t->of[i][j].advantages / t->tables);
        (void)printf("\n");
    }
}
