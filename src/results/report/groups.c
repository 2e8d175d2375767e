/* SPDX-License-Identifier: MIT */
/* Trials by groups: all of a plan that differ in the seed alone, in the order in which the plan
 * names them. */
#include "results/report/report_maker.h"

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
    cam_pair *pairs = rep_take(m, row->pair_count, sizeof *pairs);
    for (uint32_t i = 0; i < row->pair_count && pairs != NULL; i++)
        if (!is_seed(&row->pairs[i]))
            pairs[(*count)++] = row->pairs[i];
    return pairs;
}

static void begin_group(rep_maker *m, const rep_trial *trial) {
    rep_report *r = m->report;
    uint32_t count;
    const cam_pair *pairs = pairs_of(m, &trial->row, &count);
    if (!rep_reserve(m, &m->groups, &m->group_capacity, (size_t)r->group_count + 1,
                     sizeof *m->groups))
        return;
    const char *design = rep_value(pairs, count, rep_keep(m, "design"));
    r->groups = m->groups;
    r->groups[r->group_count++] =
        (rep_group){.plan = trial->plan,
                    .kind = trial->row.kind,
                    .pairs = pairs,
                    .pair_count = count,
                    .error = rep_value(pairs, count, rep_keep(m, "error")),
                    .mutant = rep_value(pairs, count, rep_keep(m, "mutant")),
                    .hunts = cam_trial_hunts(
                        &(cam_trial){.kind = trial->row.kind, .pairs = pairs, .pair_count = count}),
                    .design = design == NULL ? "" : design};
}

/* Plan by plan, whichever store a trial came from: groups of a plan follow each other. */
static void assign(rep_maker *m) {
    base_text identity = {0};
    base_arena arena = {0};
    base_names groups = {.arena = &arena};
    for (uint32_t plan = 0; plan < m->report->plan_count; plan++)
        for (size_t i = 0; i < m->trial_count && m->status == COL_OK; i++)
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
                if (rep_has(m, identity.failed ? NULL : identity.data))
                    trial->group = rep_number_of(m, &groups, identity.data, &is_new);
                if (is_new)
                    begin_group(m, trial);
            }
    base_names_free(&groups);
    base_arena_free(&arena);
    base_text_free(&identity);
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
static void renumber(rep_maker *m) {
    rep_report *r = m->report;
    uint32_t *numbers = calloc((size_t)r->group_count + 1, sizeof *numbers), next = 0;
    rep_group *groups = rep_take(m, r->group_count, sizeof *groups);
    cam_selector *contenders = rep_take(m, r->group_count, sizeof *contenders);
    for (size_t s = 0; s < m->scenario_count && rep_has(m, numbers) && m->status == COL_OK; s++)
        for (uint32_t i = 0; i < m->scenarios[s].group_count; i++) {
            const uint32_t old = m->scenarios[s].groups[i];
            groups[next] = r->groups[old];
            contenders[next] = m->contenders[old];
            m->scenarios[s].groups[i] = numbers[old] = next;
            next++;
        }
    for (size_t i = 0; i < m->trial_count && m->status == COL_OK; i++)
        m->trials[i].group = numbers[m->trials[i].group];
    r->groups = groups;
    free(m->groups);
    m->groups = NULL;
    m->contenders = contenders;
    free(numbers);
}

/* Members of a group stay in their order. */
static void sort_members(rep_maker *m) {
    const uint32_t count = m->report->group_count;
    size_t *next = calloc((size_t)count + 1, sizeof *next);
    m->begins = calloc((size_t)count + 1, sizeof *m->begins);
    m->members = calloc(m->trial_count + 1, sizeof *m->members);
    m->rows = calloc(m->trial_count + 1, sizeof *m->rows);
    if (rep_has(m, next) && rep_has(m, m->begins) && rep_has(m, m->members) &&
        rep_has(m, m->rows)) {
        for (uint32_t i = 0; i < count; i++)
            next[i + 1] = m->begins[i + 1] = m->begins[i] + m->report->groups[i].trials;
        for (size_t i = 0; i < m->trial_count; i++) {
            const size_t place = next[m->trials[i].group]++;
            m->members[place] = &m->trials[i];
            m->rows[place] = &m->trials[i].row;
        }
    }
    free(next);
}

/* ---- Failures by kind. */

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
    const char *kept = rep_has(m, text.failed ? NULL : text.data) ? rep_keep(m, text.data) : NULL;
    base_text_free(&text);
    return kept;
}

/* The report's kinds, the most frequent first, from those that were counted; failures get their
 * places. */
static void sort_kinds(rep_maker *m) {
    rep_report *r = m->report;
    const size_t count = m->kinds.count;
    uint32_t *places = calloc(count + 1, sizeof *places);
    r->kinds = rep_take(m, count, sizeof *r->kinds);
    cam_failure_kinds_sort(&m->kinds);
    for (size_t i = 0; i < count && rep_has(m, places) && m->status == COL_OK; i++) {
        const cam_failure_kind *k = &m->kinds.list[i];
        places[k->number] = (uint32_t)i;
        r->kinds[i] = (rep_kind){.fingerprint = k->fingerprint,
                                 .hash = k->hash,
                                 .count = k->count,
                                 .trials = k->trials,
                                 .operations = k->operations,
                                 .is_shrunk = k->is_shrunk,
                                 .command = k->is_kept ? rep_command(m, k->store, k->name) : NULL};
    }
    r->kind_count = (uint32_t)count;
    for (uint32_t i = 0; i < r->failure_count && m->status == COL_OK; i++)
        r->failures[i].kind = places[r->failures[i].kind];
    free(places);
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

static void list_texts(rep_maker *m, size_t offset, const char *const **list, uint32_t *count) {
    base_names found = {.arena = &m->report->arena};
    for (size_t i = 0; i < m->trial_count; i++) {
        const char *const *text =
            (const char *const *)((const char *)&m->trials[i].row.provenance + offset);
        if (*text != NULL)
            (void)rep_number_of(m, &found, *text, NULL);
    }
    const char **texts = rep_texts(m, &found);
    *list = texts;
    *count = texts == NULL ? 0 : (uint32_t)found.count;
    if (*count > 0)
        qsort(texts, *count, sizeof *texts, by_text);
    base_names_free(&found);
}

void rep_arrange(rep_maker *m) {
    static void (*const steps[])(rep_maker *) = {rep_find_axes, rep_find_scenarios, renumber,
                                                 sort_members, sort_kinds};
    rep_report *r = m->report;
    assign(m);
    for (size_t i = 0; i < m->trial_count && m->status == COL_OK; i++)
        count_trial(r, &m->trials[i]);
    r->is_run = r->group_count == 1 && r->plan_count == 1 && r->plans[0].trials == 1 &&
                r->groups[0].kind == CAM_EPISODE && r->groups[0].done == 1;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && m->status == COL_OK; i++)
        steps[i](m);
    if (m->status != COL_OK)
        return;
    for (uint32_t i = 0; i < r->group_count; i++)
        for (size_t k = 1; k < rep_member_count(m, i); k++)
            r->has_seeds |= rep_rows(m, i)[k]->seed != rep_rows(m, i)[0]->seed;
    for (uint32_t i = 0; i < r->failure_count; i++) {
        const rep_trial *trial = &m->trials[r->failures[i].group];
        r->failures[i].group = trial->group;
        r->failures[i].seed = trial->row.seed;
    }
    if (r->failure_count > 0)
        qsort(r->failures, r->failure_count, sizeof *r->failures, by_group_and_seed);
    list_texts(m, offsetof(cam_provenance, version), &r->versions, &r->version_count);
    list_texts(m, offsetof(cam_provenance, host), &r->hosts, &r->host_count);
}

/* Failures of no bug have a row, too; it has no test. */
static uint32_t count_kinds(const rep_report *r) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->kind_count; i++)
        count += !r->has_bugs || r->kinds[i].operations > 0;
    return count;
}

void rep_tables_of_failures(rep_maker *m) {
    const uint32_t count = count_kinds(m->report);
    const char *const word = m->report->has_bugs ? "bug" : "kind";
    const char *const columns[] = {"failures", "trials",  "operations",
                                   word,       "command", "what went wrong"};
    rep_builder b = {
        .maker = m,
        .table = {.id = "failure-kinds",
                  .title =
                      rep_print(m, "%llu failure%s, %u %s%s", (unsigned long long)m->kinds.failures,
                                base_plural(m->kinds.failures), count, word, base_plural(count)),
                  .note = m->report->has_bugs
                              ? "Failures that one change of the design mends are one bug; the "
                                "command replays its smallest test."
                              : "Failures with the same fingerprint are one kind. The command "
                                "replays the smallest of them, and its operations are counted."}};
    for (uint32_t i = 0; i < sizeof columns / sizeof *columns; i++)
        (void)rep_builder_column(&b, columns[i], i < 3);
    for (uint32_t i = 0; i < m->report->kind_count; i++) {
        const rep_kind *kind = &m->report->kinds[i];
        rep_row *row = rep_builder_row(&b, REP_NO_GROUP);
        if (row == NULL)
            return;
        rep_cell_count(m, &row->cells[0], kind->count);
        rep_cell_count(m, &row->cells[1], kind->trials);
        if (kind->operations > 0)
            rep_cell_count(m, &row->cells[2], kind->operations);
        if (kind->is_shrunk)
            row->cells[2].text = rep_print(m, "%u, shrunk", kind->operations);
        rep_cell_text(&row->cells[3], rep_print(m, "%.8s", kind->hash));
        rep_cell_text(&row->cells[4], kind->command);
        rep_cell_text(&row->cells[5], kind->fingerprint);
    }
    rep_builder_finish(&b);
}
