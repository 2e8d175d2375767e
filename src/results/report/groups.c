/* SPDX-License-Identifier: MIT */
/* Trials by groups: all of a plan that differ in the seed alone, in the order in which the plan
 * names them. */
#include "results/report/report_maker.h"

#include "base/memory.h"
#include "base/text.h"
#include "results/report/tables.h"
#include "results/store/episode_row.h"

#include <stdlib.h>
#include <string.h>

/* ---- Which trials belong together. */

static bool is_seed(const cam_pair *pair) {
    return strcmp(pair->name, "seed") == 0;
}

/* All but the seed; where that comes last, as in most plans, they are the trial's own. */
static const cam_pair *pairs_of(rep_maker *m, const cam_row *row, uint32_t *count) {
    uint32_t first = 0;
    *count = 0;
    while (first < row->pair_count && !is_seed(&row->pairs[first]))
        first++;
    if (first + 1 >= row->pair_count) {
        *count = first;
        return row->pairs;
    }
    cam_pair *pairs = base_arena_take(&m->report->arena, (row->pair_count + 1) * sizeof *pairs);
    for (uint32_t i = 0; i < row->pair_count && pairs != NULL; i++)
        if (!is_seed(&row->pairs[i]))
            pairs[(*count)++] = row->pairs[i];
    return pairs;
}

static col_status begin_group(rep_maker *m, const rep_trial *trial, col_problem *problem) {
    rep_report *r = m->report;
    const col_status status = base_reserve(&m->groups, &m->group_capacity,
                                           (size_t)r->group_count + 1, sizeof *m->groups, problem);
    uint32_t pair_count;
    const cam_pair *pairs = pairs_of(m, &trial->row, &pair_count);
    if (status != COL_OK || pairs == NULL)
        return base_out_of_memory(problem);
    r->groups = m->groups;
    rep_group *group = &r->groups[r->group_count++];
    *group = (rep_group){
        .plan = trial->plan, .kind = trial->row.kind, .pairs = pairs, .pair_count = pair_count};
    group->error = rep_value(pairs, group->pair_count, rep_keep(m, "error"));
    group->mutant = rep_value(pairs, group->pair_count, rep_keep(m, "mutant"));
    group->hunts = cam_trial_hunts(
        &(cam_trial){.kind = group->kind, .pairs = pairs, .pair_count = group->pair_count});
    const char *design = rep_value(pairs, group->pair_count, rep_keep(m, "design"));
    group->design = design == NULL ? "" : design;
    return COL_OK;
}

/* Plan by plan, whichever store a trial came from: groups of a plan follow each other. */
static col_status assign(rep_maker *m, col_problem *problem) {
    base_text identity = {0};
    base_arena arena = {0};
    base_names groups = {.arena = &arena};
    col_status status = COL_OK;
    for (uint32_t plan = 0; plan < m->report->plan_count; plan++)
        for (size_t i = 0; i < m->trial_count && status == COL_OK; i++)
            if (m->trials[i].plan == plan) {
                rep_trial *trial = &m->trials[i];
                bool is_new = false;
                identity.length = 0;
                base_text_print(&identity, "%u\x1f%d", plan, (int)trial->row.kind);
                for (uint32_t k = 0; k < trial->row.pair_count; k++)
                    if (!is_seed(&trial->row.pairs[k])) {
                        base_text_add(&identity, "\x1f");
                        base_text_add(&identity, trial->row.pairs[k].name);
                        base_text_add(&identity, "\x1e");
                        base_text_add(&identity, trial->row.pairs[k].value);
                    }
                status = base_text_status(&identity, problem);
                if (status == COL_OK)
                    status =
                        base_names_add(&groups, identity.data, &trial->group, &is_new, problem);
                if (status == COL_OK && is_new)
                    status = begin_group(m, trial, problem);
            }
    base_names_free(&groups);
    base_arena_free(&arena);
    base_text_free(&identity);
    return status;
}

/* ---- What became of them. */

static void count_trial(rep_report *r, const rep_trial *trial) {
    rep_group *group = &r->groups[trial->group];
    const cam_row *row = &trial->row;
    group->trials++;
    group->seconds += row->seconds;
    if (!row->is_done) {
        group->failed++;
        r->plans[trial->plan].failed++;
        if (group->reason == NULL) {
            group->reason = row->reason == NULL ? "no reason was kept" : row->reason;
            group->reason_seed = row->seed;
        }
        return;
    }
    group->done++;
    r->plans[trial->plan].done++;
    if (row->design != NULL && row->design[0] != '\0')
        group->design = row->design;
    if (row->cores != 0)
        group->cores = row->cores;
    if (cam_row_is_undecided(row)) {
        group->undecided++;
        group->unjudged += row->undecided;
    }
    if (!cam_row_has_error(row))
        return;
    group->found++;
    if (group->verdict == NULL) {
        group->verdict = row->verdict;
        group->finding = row->reason == NULL ? "" : row->reason;
        group->finding_seed = row->seed;
    }
}

/* Groups of a scenario follow each other: where there is room for some only, those that can be
 * compared are together. */
static col_status renumber(rep_maker *m, col_problem *problem) {
    rep_report *r = m->report;
    uint32_t *numbers = calloc((size_t)r->group_count + 1, sizeof *numbers), next = 0;
    rep_group *groups = base_arena_take(&r->arena, ((size_t)r->group_count + 1) * sizeof *groups);
    cam_selector *contenders =
        base_arena_take(&r->arena, ((size_t)r->group_count + 1) * sizeof *contenders);
    if (numbers == NULL || groups == NULL || contenders == NULL) {
        free(numbers);
        return base_out_of_memory(problem);
    }
    for (uint32_t s = 0; s < m->scenario_count; s++)
        for (uint32_t i = 0; i < m->scenarios[s].group_count; i++) {
            const uint32_t old = m->scenarios[s].groups[i];
            groups[next] = r->groups[old];
            contenders[next] = m->contenders[old];
            m->scenarios[s].groups[i] = numbers[old] = next;
            next++;
        }
    for (size_t i = 0; i < m->trial_count; i++)
        m->trials[i].group = numbers[m->trials[i].group];
    r->groups = groups;
    free(m->groups);
    m->groups = NULL;
    m->contenders = contenders;
    free(numbers);
    return COL_OK;
}

/* Members of a group stay in their order. */
static col_status sort_members(rep_maker *m, col_problem *problem) {
    const uint32_t count = m->report->group_count;
    size_t *next = calloc((size_t)count + 1, sizeof *next);
    m->begins = calloc((size_t)count + 1, sizeof *m->begins);
    m->members = calloc(m->trial_count + 1, sizeof *m->members);
    m->rows = calloc(m->trial_count + 1, sizeof *m->rows);
    if (next == NULL || m->begins == NULL || m->members == NULL || m->rows == NULL) {
        free(next);
        return base_out_of_memory(problem);
    }
    for (uint32_t i = 0; i < count; i++)
        m->begins[i + 1] = m->begins[i] + m->report->groups[i].trials;
    memcpy(next, m->begins, (size_t)count * sizeof *next);
    for (size_t i = 0; i < m->trial_count; i++) {
        const size_t place = next[m->trials[i].group]++;
        m->members[place] = &m->trials[i];
        m->rows[place] = &m->trials[i].row;
    }
    free(next);
    return COL_OK;
}

/* ---- Failures were read with the number of their trial, in no order that means anything. */

static int by_group_and_seed(const void *a, const void *b) {
    const rep_failure *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->seed != y->seed)
        return x->seed < y->seed ? -1 : 1;
    return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/* ---- Versions and hosts, in the order of the alphabet. */

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static col_status list_texts(rep_maker *m, size_t offset, const char *const **list, uint32_t *count,
                             col_problem *problem) {
    base_names found = {.arena = &m->report->arena};
    col_status status = COL_OK;
    for (size_t i = 0; i < m->trial_count && status == COL_OK; i++) {
        const char *const *text =
            (const char *const *)((const char *)&m->trials[i].row.provenance + offset);
        uint32_t number;
        if (*text != NULL)
            status = base_names_add(&found, *text, &number, NULL, problem);
    }
    const char **texts = base_arena_take(&m->report->arena, (found.count + 1) * sizeof *texts);
    if (texts == NULL) {
        base_names_free(&found);
        return base_out_of_memory(problem);
    }
    for (size_t i = 0; i < found.count; i++)
        texts[i] = found.texts[i];
    qsort(texts, found.count, sizeof *texts, by_text);
    *list = texts;
    *count = (uint32_t)found.count;
    base_names_free(&found);
    return status;
}

col_status rep_arrange(rep_maker *m, col_problem *problem) {
    rep_report *r = m->report;
    col_status status = assign(m, problem);
    if (status != COL_OK)
        return status;
    for (size_t i = 0; i < m->trial_count; i++)
        count_trial(r, &m->trials[i]);
    status = rep_find_axes(m, problem);
    if (status == COL_OK)
        status = rep_find_scenarios(m, problem);
    if (status == COL_OK)
        status = renumber(m, problem);
    if (status == COL_OK)
        status = sort_members(m, problem);
    if (status != COL_OK)
        return status;
    status = rep_sort_kinds(m, problem);
    if (status != COL_OK)
        return status;
    for (uint32_t i = 0; i < r->failure_count; i++) {
        const rep_trial *trial = &m->trials[r->failures[i].group];
        r->failures[i].group = trial->group;
        r->failures[i].seed = trial->row.seed;
    }
    if (r->failure_count > 0)
        qsort(r->failures, r->failure_count, sizeof *r->failures, by_group_and_seed);
    status =
        list_texts(m, offsetof(cam_provenance, version), &r->versions, &r->version_count, problem);
    if (status == COL_OK)
        status = list_texts(m, offsetof(cam_provenance, host), &r->hosts, &r->host_count, problem);
    return status == COL_OK && m->failed ? base_out_of_memory(problem) : status;
}

/* Failures by kind. */

/* ---- Commands. */

const char *rep_command(rep_maker *m, uint32_t store, const char *failure) {
    base_text text = {0}, place = {0};
    const char *path = m->settings->stores[store];
    const char *slash = strrchr(path, '/');
    const bool is_episode = cam_is_episode(path);
    if (is_episode)
        base_text_print(&place, "%s%s%s", path, slash != NULL && slash[1] == '\0' ? "" : "/",
                        failure);
    else
        base_text_add(&place, slash == NULL ? path : slash + 1);
    const char *name = place.data == NULL ? "" : place.data;
    base_text_add(&text, name[0] == '-' ? "collider replay ./" : "collider replay ");
    base_text_add_shell(&text, name);
    if (!is_episode)
        base_text_print(&text, " --failure %s", failure);
    base_text_free_part(&place, &text);
    const char *kept = text.failed ? NULL : rep_keep(m, text.data);
    m->failed |= text.failed;
    base_text_free(&text);
    return kept;
}

/* ---- Kinds in order. */

col_status rep_sort_kinds(rep_maker *m, col_problem *problem) {
    rep_report *r = m->report;
    const size_t count = m->kinds.count;
    uint32_t *places = calloc(count + 1, sizeof *places);
    r->kinds = base_arena_take(&r->arena, (count + 1) * sizeof *r->kinds);
    if (places == NULL || r->kinds == NULL) {
        free(places);
        return base_out_of_memory(problem);
    }
    cam_failure_kinds_sort(&m->kinds);
    for (size_t i = 0; i < count; i++) {
        places[m->kinds.list[i].number] = (uint32_t)i;
        const cam_failure_kind *k = &m->kinds.list[i];
        r->kinds[i] = (rep_kind){.fingerprint = k->fingerprint,
                                 .hash = k->hash,
                                 .count = k->count,
                                 .trials = k->trials,
                                 .operations = k->operations,
                                 .is_shrunk = k->is_shrunk,
                                 .command = k->is_kept ? rep_command(m, k->store, k->name) : NULL};
    }
    r->kind_count = (uint32_t)count;
    for (uint32_t i = 0; i < r->failure_count; i++)
        r->failures[i].kind = places[r->failures[i].kind];
    free(places);
    return m->failed ? base_out_of_memory(problem) : COL_OK;
}

/* ---- As a table. */

col_status rep_tables_of_failures(rep_maker *m, col_problem *problem) {
    static const char *const columns[] = {"failures", "trials",  "operations",
                                          "kind",     "command", "what went wrong"};
    rep_builder b = {
        .maker = m,
        .table = {.id = "failure-kinds",
                  .title = rep_print(m, "%llu failure%s, %u kind%s",
                                     (unsigned long long)m->kinds.failures,
                                     base_plural(m->kinds.failures), m->report->kind_count,
                                     base_plural(m->report->kind_count)),
                  .note = "Failures with the same fingerprint are one kind. The "
                          "command replays the smallest of them, and its operations "
                          "are counted."}};
    for (uint32_t i = 0; i < sizeof columns / sizeof *columns; i++)
        rep_builder_column(&b, columns[i], i < 3);
    for (uint32_t i = 0; i < m->report->kind_count; i++) {
        const rep_kind *kind = &m->report->kinds[i];
        rep_row *row = rep_builder_row(&b, REP_NO_GROUP);
        if (row == NULL)
            return base_out_of_memory(problem);
        const uint64_t counts[] = {kind->count, kind->trials, kind->operations};
        for (int k = 0; k < (kind->operations > 0 ? 3 : 2); k++) {
            row->cells[k].value = (double)counts[k];
            row->cells[k].text = rep_print(m, "%llu", (unsigned long long)counts[k]);
        }
        if (kind->is_shrunk)
            row->cells[2].text = rep_print(m, "%u, shrunk", kind->operations);
        rep_cell_text(&row->cells[3], rep_print(m, "%.8s", kind->hash));
        rep_cell_text(&row->cells[4], kind->command == NULL ? "" : kind->command);
        rep_cell_text(&row->cells[5], kind->fingerprint);
    }
    return rep_builder_finish(&b, problem);
}
