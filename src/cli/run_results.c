/* SPDX-License-Identifier: MIT */
/* Outcomes and kinds of failures on the screen: see run_results.h. */
#include "cli/run_results.h"

#include "base/plural.h"
#include "base/text.h"
#include "episode/given.h"

#include <stdlib.h>

enum { MOST_PROGRAMS = 20, MOST_SHOWN = 5, MOST_VALUES = 8, MOST_KINDS = 10 };

/* ---- Outcomes. */

static void print_word(uint64_t word) {
    base_print(stdout, "=%llu", (unsigned long long)(word & UINT32_MAX));
    if (word >> 32 != 0)
        base_print(stdout, " and %llu added", (unsigned long long)(word >> 32));
}

/* "0:1 a1=2" is what operation 1 of thread 0 read; "a1=2" what the location held at the end. */
static void print_outcome(const col_seen_outcome *outcome) {
    base_print(stdout, "  %8llu ", (unsigned long long)outcome->count);
    for (uint32_t i = 0; i < outcome->seen_count; i++) {
        const col_seen *s = &outcome->seen[i];
        base_print(stdout, "%s ", i == 0 ? "" : ",");
        if (s->operation != COL_FINAL)
            base_print(stdout, "%u:%u ", s->thread, s->operation);
        base_print(stdout, "a%u", s->location);
        print_word(s->word);
    }
    base_print(stdout, "%s\n", outcome->seen_count == 0 ? " nothing read or written" : "");
}

/* The outcomes themselves where they are short. */
static col_status print_frequent(const col_given *given, col_problem *problem) {
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

static col_status print_given(const col_given *given, col_problem *problem) {
    const char *least = given->others > 0 ? "at least " : "";
    base_print(stdout, "%s: %s%zu outcome%s in %llu instance%s", given->path, least,
               given->outcome_count, base_plural(given->outcome_count),
               (unsigned long long)given->instances, base_plural(given->instances));
    if (given->passed < given->instances)
        base_print(stdout, ", %llu of which failed",
                   (unsigned long long)(given->instances - given->passed));
    base_print(stdout, "\n");
    return print_frequent(given, problem);
}

col_status cli_print_outcomes(const col_episode *episode, col_problem *problem) {
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

static void print_kind(const col_failure_kind *kind) {
    const col_failure *f = &kind->smallest;
    base_print(stdout, "  %6llu  %s\n", (unsigned long long)kind->count, f->fingerprint.text);
    base_print(stdout, "          smallest: %u operation%s, test %llu, instance %u", f->operations,
               base_plural(f->operations), (unsigned long long)f->test, f->instance);
    if (f->folder[0] != '\0')
        base_print(stdout, ": %s", f->folder);
    base_print(stdout, "\n");
}

void cli_print_kinds(const col_episode *e) {
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
    for (size_t i = 0; sorted != NULL && i < e->kind_count && i < MOST_KINDS; i++)
        print_kind(sorted[i]);
    if (e->kind_count > MOST_KINDS)
        base_print(stdout, "  and %zu more kinds: --json FILE has all of them\n",
                   e->kind_count - MOST_KINDS);
    free(sorted);
}
