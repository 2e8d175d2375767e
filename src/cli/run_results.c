/* SPDX-License-Identifier: MIT */
/* The result of an episode, as text: see run_results.h. */
#include "cli/run_results.h"

#include "cli/diagnose.h"
#include "cli/forecast_text.h"
#include "cover/coverage_show.h"
#include "episode/user_programs.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PROGRAMS = 20, MOST_SHOWN = 5, MOST_VALUES = 8, MOST_KINDS = 10 };

/* ---- Outcomes. */

/* "0:1 a1=2" is what operation 1 of thread 0 read; "a1=2" what the location held at the end. */
static void print_outcome(const col_seen_outcome *outcome) {
    base_print(stdout, "  %8llu ", (unsigned long long)outcome->count);
    for (uint32_t i = 0; i < outcome->seen_count; i++) {
        const col_seen *s = &outcome->seen[i];
        base_print(stdout, "%s ", i == 0 ? "" : ",");
        if (s->operation != COL_FINAL)
            base_print(stdout, "%u:%u ", s->thread, s->operation);
        base_print(stdout, "a%u", s->location);
        base_print(stdout, "=%llu", (unsigned long long)(s->word & UINT32_MAX));
        if (s->word >> 32 != 0)
            base_print(stdout, " and %llu added", (unsigned long long)(s->word >> 32));
    }
    base_print(stdout, "%s\n", outcome->seen_count == 0 ? " nothing read or written" : "");
}

static col_status print_given(const col_given *given, col_problem *problem) {
    const char *least = given->others > 0 ? "at least " : "";
    base_print(stdout, "%s: %s%zu outcome%s in %llu instance%s", given->path, least,
               given->outcome_count, base_plural(given->outcome_count),
               (unsigned long long)given->instances, base_plural(given->instances));
    if (given->passed < given->instances)
        base_print(stdout, ", %llu of which failed",
                   (unsigned long long)(given->instances - given->passed));
    base_print(stdout, "\n");
    /* The outcomes themselves where they are short. */
    const col_seen_outcome **sorted = epi_given_by_count(given);
    if (sorted == NULL)
        return base_out_of_memory(problem);
    for (size_t i = 0; i < given->outcome_count; i++) {
        if (sorted[i]->seen == NULL || sorted[i]->seen_count > MOST_VALUES)
            break;
        if (i == MOST_SHOWN) {
            base_print(stdout, "           and %zu more\n", given->outcome_count - i);
            break;
        }
        print_outcome(sorted[i]);
    }
    free(sorted);
    return COL_OK;
}

/* A line or a few for each program; nothing unless programs were given. */
static col_status print_outcomes(const col_episode *episode, col_problem *problem) {
    col_status status = COL_OK;
    for (size_t i = 0; status == COL_OK && i < episode->given_count; i++) {
        if (i == MOST_PROGRAMS) {
            base_print(stdout, "and %zu more programs: --json FILE has all of them\n",
                       episode->given_count - i);
            break;
        }
        if (episode->given[i].tests > 0)
            status = print_given(&episode->given[i], problem);
    }
    return status;
}

/* ---- Kinds of failures. */

static int by_count(const void *a, const void *b) {
    const col_failure_kind *const *x = a, *const *y = b;
    if ((*x)->count != (*y)->count)
        return (*x)->count > (*y)->count ? -1 : 1;
    return *x < *y ? -1 : *x > *y; /* as they came */
}

void cli_run_print_kinds(const col_episode *e) {
    uint64_t told = 0;
    if (e->failures < 2)
        return;
    const col_failure_kind **sorted = calloc(e->kind_count + 1, sizeof *sorted);
    for (size_t i = 0; sorted != NULL && i < e->kind_count; i++) {
        sorted[i] = &e->kinds[i];
        told += e->kinds[i].count;
    }
    base_print(stdout, "%llu failures, %s%zu kind%s\n", (unsigned long long)e->failures,
               told < e->failures ? "at least " : "", e->kind_count, base_plural(e->kind_count));
    if (sorted != NULL)
        qsort(sorted, e->kind_count, sizeof *sorted, by_count);
    for (size_t i = 0; sorted != NULL && i < e->kind_count && i < MOST_KINDS; i++) {
        const col_failure *f = &sorted[i]->smallest;
        base_print(stdout, "  %6llu  %s\n", (unsigned long long)sorted[i]->count,
                   f->fingerprint.text);
        base_print(stdout, "          smallest: %u operation%s, test %llu, instance %u",
                   f->operations, base_plural(f->operations), (unsigned long long)f->test,
                   f->instance);
        if (f->folder[0] != '\0')
            base_print(stdout, ": %s", f->folder);
        base_print(stdout, "\n");
    }
    if (e->kind_count > MOST_KINDS)
        base_print(stdout, "  and %zu more kinds: --json FILE has all of them\n",
                   e->kind_count - MOST_KINDS);
    free(sorted);
}

/* ---- The result. */

/* Of what is defined; of that, what is reachable in the protocol, and what is known to be reachable
 * here or, where nothing is known of that, not ruled out. Denominators that are
 * the same as the one before are not repeated. */
static void print_coverage(const cov_form *form, const char *name, const col_covered *c,
                           const col_here *here, bool taken_known) {
    base_print(stdout, "  %-*s %4u of %4u %s, %5.1f %%", form->width, name, c->covered, c->total,
               form->noun, 100 * c->fraction);
    if (c->reachable_known && c->reachable < c->total)
        base_print(stdout, "; %u of %u reachable ones, %.1f %%", c->reached, c->reachable,
                   100 * c->reached_fraction);
    if (here->known && here->total < (c->reachable_known ? c->reachable : c->total))
        base_print(stdout, "; %u of %u %s, %.1f %%", here->covered, here->total,
                   taken_known ? "known reachable here" : "not ruled out here",
                   100 * here->fraction);
    if (c->unexpected > 0)
        base_print(stdout, "; %u not known to be reachable", c->unexpected);
    base_print(stdout, "\n");
}

static void print_extent(const cov_form *form, const col_coverage *coverage, const char *name,
                         uint32_t machine) {
    const col_covered c = col_coverage_of(coverage, COL_CUMULATIVE, COL_STRUCTURAL, machine);
    const col_here known = col_coverage_known_here(coverage, COL_STRUCTURAL, machine);
    const col_here here =
        known.known ? known : col_coverage_here(coverage, COL_STRUCTURAL, machine);
    if (c.total > 0 || machine == COL_ALL_MACHINES) /* none: the design leaves the machine out */
        print_coverage(form, name, &c, &here, known.known);
}

enum { MOST_HOLES = 12 }; /* of a machine */

/* A few points of the curve, each with at least twice the tests of the one
 * before. */
static void print_rise(const col_episode *episode) {
    uint64_t tests = 0;
    if (episode->tests == 0)
        return;
    base_print(stdout, "  rose to     ");
    for (size_t i = 0; i < episode->curve_count; i++) {
        const col_curve_point *p = &episode->curve[i];
        const bool is_last = i + 1 == episode->curve_count;
        if (p->tests == tests || (p->tests < 2 * tests && !is_last))
            continue;
        base_print(stdout, "%s %u after %llu", tests == 0 ? "" : ",", p->structural,
                   (unsigned long long)p->tests);
        tests = p->tests;
    }
    base_print(stdout, " test%s\n", base_plural(tests));
}

/* What as many tests again would find. */
static void print_forecast(const col_episode *episode) {
    cov_incidence incidence;
    base_text text = {0};
    if (!cli_forecast_begin(episode, episode->tests, &incidence))
        return;
    cli_forecast_again(&text, episode, &incidence);
    base_text_add(&text, "; ");
    cli_forecast_later(&text, &incidence, episode->seconds);
    if (text.data != NULL)
        base_print(stdout, "  to find     %s\n", text.data);
    base_text_free(&text);
}

static void print_verdict(const col_episode *episode, uint64_t waived) {
    if (episode->outcome == COL_PASS) {
        cli_paint(stdout, CLI_GREEN, waived > 0 ? "no new error found" : "no error found");
        base_print(stdout, " (ended by %s)\n", col_endings[episode->ending]);
    } else if (episode->outcome == COL_UNJUDGED) {
        base_print(stdout,
                   "undecided: no error found, but %llu of %llu instances were not judged\n",
                   (unsigned long long)episode->undecided, (unsigned long long)episode->instances);
    } else {
        cli_paint(stdout, CLI_RED, col_outcomes[episode->outcome]);
        base_print(stdout, ": %s\n", episode->failure.reason);
    }
}

col_status cli_run_print_result(const col_episode_settings *settings, const col_episode *episode,
                                uint64_t waived, col_problem *problem) {
    const col_coverage *coverage = episode->coverage;
    base_print(stdout,
               "%s, %u core%s, %s, %s, seed %llu: %llu test%s, %llu instance%s, %llu operation%s, "
               "%llu cycle%s in %.1f s\n",
               episode->design, episode->cores, base_plural(episode->cores), episode->model_name,
               settings->engine, (unsigned long long)settings->seed,
               (unsigned long long)episode->tests, base_plural(episode->tests),
               (unsigned long long)episode->instances, base_plural(episode->instances),
               (unsigned long long)episode->operations, base_plural(episode->operations),
               (unsigned long long)episode->cycles, base_plural(episode->cycles), episode->seconds);
    const cov_form form = cov_form_of(coverage);
    for (uint32_t m = 0; col_coverage_machine(coverage, m) != NULL; m++)
        print_extent(&form, coverage, col_coverage_machine(coverage, m), m);
    print_extent(&form, coverage, "all", COL_ALL_MACHINES);
    const col_covered each =
        col_coverage_of(coverage, COL_CUMULATIVE, COL_FUNCTIONAL, COL_ALL_MACHINES);
    print_rise(episode);
    base_print(stdout, "  %-*s %4u of %4u %s, %5.1f %%\n", form.width, "functional", each.covered,
               each.total, form.noun, 100 * each.fraction);
    print_forecast(episode);
    if (episode->watched.tests > 0)
        base_print(stdout, "  of %u instances of a test %.2f differ; non-determinism %.3f\n",
                   episode->test_instances,
                   (double)episode->watched.outcomes / (double)episode->watched.tests,
                   episode->watched.nondeterminism / (double)episode->watched.tests);
    const col_status status = print_outcomes(episode, problem);
    /* After an error there is something else to look at, and given programs are not for coverage.
     */
    if (episode->ending != COL_ENDED_BY_ERROR && episode->given == NULL) {
        base_text text = {0};
        cov_holes_text(coverage, NULL, MOST_HOLES, &text);
        if (text.failed)
            base_print_lost();
        else if (text.data != NULL)
            base_print(stdout, "never taken:\n%s", text.data);
        base_text_free(&text);
    }
    if (episode->outcome == COL_INCOMPLETE)
        base_print(stdout,
                   "incomplete: no error found, but the episode did not get to its end (ended by "
                   "%s)\n",
                   col_endings[episode->ending]);
    else
        print_verdict(episode, waived);
    return status;
}
