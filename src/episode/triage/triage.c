/* SPDX-License-Identifier: MIT */
/*
 * Grouping failures into bugs: see triage.h. One failure is shrunk and the change that mends it is
 * sought; with that change in the design, the failures that remain are of other bugs, and the next
 * of them is shrunk, until none remains. Whose a failure is, is then seen by taking one change out
 * at a time: it fails again without the one that it needs.
 */
#include "episode/triage/grouping.h"

#include "base/folder.h"
#include "base/memory.h"
#include "episode/shrink/shrink_trial.h"
#include "episode/triage/bugs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHARES = 8,      /* of the time that is left, to shrink one failure; but */
    FEW_SECONDS = 2, /* at least */
    MOST_TRIES = 2   /* to find a mend for failures of a kind, while others may have one */
};

#define NO_LIMIT 1e9

static double seconds_left(const epi_grouping *g) {
    const double most = g->settings->seconds, spent = base_seconds() - g->began;
    return most == 0 ? NO_LIMIT : spent < most ? most - spent : 0;
}

/* ---- One bug. */

/* Which cases still fail? */
static col_status look_again(epi_grouping *g, col_problem *problem) {
    BASE_TRY(epi_grouping_open(g, EPI_NO_BUG, problem));
    for (size_t i = 0; i < g->triage->case_count; i++) {
        epi_case *c = &g->triage->cases[i];
        uint32_t failing = 0;
        if (!epi_grouping_has(g, c))
            continue;
        BASE_TRY(epi_grouping_count(g, c, &failing, problem));
        c->is_mended = failing == 0 && !epi_grouping_is_over(g);
        c->mended_by = g->triage->bug_count > 0 ? g->triage->bug_count - 1 : EPI_NO_BUG;
    }
    return COL_OK;
}

static bool is_alike(const epi_case *a, const epi_case *b) {
    return strcmp(a->was.fingerprint.hash, b->was.fingerprint.hash) == 0;
}

/* The case to look at next: of the kind that most of those that fail are of, the smallest program.
 */
static size_t next_case(const epi_grouping *g) {
    const epi_triage *t = g->triage;
    size_t best = EPI_NO_BUG, most = 0;
    for (size_t i = 0; i < t->case_count; i++) {
        const epi_case *c = &t->cases[i];
        size_t alike = 0;
        for (size_t k = 0; epi_grouping_has(g, c) && k < t->case_count; k++)
            alike += epi_grouping_has(g, &t->cases[k]) && is_alike(&t->cases[k], c);
        if (alike == 0 || alike < most ||
            (alike == most && c->was.operations >= t->cases[best].was.operations))
            continue;
        best = i;
        most = alike;
    }
    return best;
}

static col_status shrink(epi_grouping *g, epi_bug *bug, size_t number, col_problem *problem) {
    char out[1024];
    const epi_case *c = &g->triage->cases[bug->first];
    const double share = seconds_left(g) / SHARES;
    col_failure was = c->was;
    col_shrink_settings settings;
    col_shrink_default(&settings);
    if (snprintf(out, sizeof out, "%s/bug-%zu", g->settings->out, number) >= (int)sizeof out)
        return base_refuse(problem, "the path %.400s is too long", g->settings->out);
    was.seed = c->seed;
    was.outcome = c->outcome;
    settings.out = out;
    settings.seconds = share > FEW_SECONDS ? share : FEW_SECONDS;
    settings.jobs = g->settings->jobs;
    settings.seed = g->settings->seed;
    settings.stop = g->settings->stop;
    return epi_shrink(&settings, &g->setting, &c->recorded.program, &was, &bug->shrunk, problem);
}

static col_status suspect(epi_grouping *g, epi_bug *bug, bool allows_others, col_problem *problem) {
    const epi_case *c = &g->triage->cases[bug->first];
    epi_recorded small = {.program = COL_PROGRAM_EMPTY};
    col_failure was;
    col_status status =
        epi_failure_read(bug->shrunk.folder, g->settings->allow_code, &small, &was, problem);
    if (status == COL_OK) {
        const epi_symptom symptom = {.program = &small.program,
                                     .seed = was.seed,
                                     .outcome = was.outcome,
                                     .larger = &c->recorded.program,
                                     .larger_seed = c->seed,
                                     .looks = g->looks.hashes,
                                     .look_count = g->looks.count,
                                     .allows_others = allows_others};
        status = epi_test_shape(&small.program, bug->shape, problem);
        if (status == COL_OK)
            status = epi_suspects_find(&bug->suspects, &g->worker, &symptom, problem);
    }
    epi_recorded_free(&small);
    return status;
}

/* It has no failures: another bug has them. */
static void drop(epi_bug *bug) {
    if (bug->is_shrunk)
        base_folder_remove_path(bug->shrunk.folder);
    epi_suspects_free(&bug->suspects);
}

/* Is the smallest test of both the same? One that fails with every seed hides what else is wrong:
 * then it must fail in the same way, too, as must the failures that it is of, wrong values, which
 * have many shapes. */
static bool has_same_test(const epi_triage *t, const epi_bug *a, const epi_bug *b) {
    const bool hides = b->shrunk.failing == b->shrunk.tried;
    const bool are_values = t->cases[a->first].was.outcome == COL_VIOLATION &&
                            t->cases[b->first].was.outcome == COL_VIOLATION;
    return strcmp(a->shape, b->shape) == 0 &&
           (!hides || (are_values && a->suspects.look == b->suspects.look));
}

/* Failures that no change mends: those whose smallest tests are the same are one bug, and so are
 * those that look alike. */
static void take_alike(epi_grouping *g, size_t number) {
    epi_triage *t = g->triage;
    const epi_bug *bug = &t->bugs[number];
    const epi_case *first = &t->cases[bug->first];
    size_t same = 0;
    while (same < number &&
           (t->bugs[same].mend[0] != '\0' || t->cases[t->bugs[same].first].design != g->design ||
            !has_same_test(t, &t->bugs[same], bug)))
        same++;
    for (size_t i = 0; i < t->case_count; i++)
        if (epi_grouping_has(g, &t->cases[i]) && is_alike(&t->cases[i], first)) {
            t->cases[i].bug = same;
            t->cases[i].tries++;
        }
    if (same == number)
        return;
    drop(&t->bugs[number]);
    t->bug_count--;
}

/* One more bug is mended: what hid behind it may be mended by one change now. */
static void try_again(const epi_grouping *g) {
    epi_triage *t = g->triage;
    for (size_t i = 0; i < t->case_count; i++) {
        epi_case *c = &t->cases[i];
        if (c->design != g->design || c->bug == EPI_NO_BUG || c->tries >= MOST_TRIES ||
            t->bugs[c->bug].mend[0] != '\0' || t->bugs[c->bug].known != NULL)
            continue;
        t->bugs[c->bug].shape[0] = '\0'; /* it takes no more */
        c->bug = EPI_NO_BUG;
    }
}

/* A failure that cannot be shrunk: it varies, or one run takes too long. */
static col_status take_as_it_is(const epi_triage *t, epi_bug *bug, col_problem *problem) {
    const epi_case *c = &t->cases[bug->first];
    bug->shrunk = (col_shrunk){.from = epi_size(&c->recorded.program), .outcome = c->was.outcome};
    bug->shrunk.to = bug->shrunk.from;
    base_sentence(bug->shrunk.reason, sizeof bug->shrunk.reason, "%s", c->was.reason);
    memcpy(bug->shrunk.folder, c->folder, sizeof bug->shrunk.folder);
    return epi_test_shape(&c->recorded.program, bug->shape, problem);
}

static col_status find_bug(epi_grouping *g, size_t first, col_problem *problem) {
    epi_triage *t = g->triage;
    BASE_TRY(base_reserve(&t->bugs, &t->bug_capacity, t->bug_count + 1, sizeof *t->bugs, problem));
    const size_t number = t->bug_count;
    epi_bug *bug = &t->bugs[number];
    *bug = (epi_bug){.first = first};
    size_t own = 1; /* of those that are not known */
    for (size_t b = 0; b < number; b++)
        own += t->bugs[b].known == NULL;
    (void)snprintf(bug->design, sizeof bug->design, "%s", col_duv_describe(g->worker.duv)->name);
    const col_status shrunk = shrink(g, bug, own, problem);
    if (shrunk != COL_OK && (epi_grouping_is_over(g) || base_is_out_of_memory(problem)))
        return epi_grouping_is_over(g) ? COL_OK : shrunk;
    t->bug_count++;
    if (shrunk == COL_OK) {
        bug->is_shrunk = true;
        for (int others = 0; others < 2 && bug->mend[0] == '\0'; others++) {
            BASE_TRY(suspect(g, bug, others != 0, problem));
            BASE_TRY(epi_mend_choose(g, number, problem));
        }
    } else {
        BASE_TRY(take_as_it_is(t, bug, problem));
    }
    if (g->settings->known != NULL)
        bug->known = epi_known_by_test(g->settings->known, bug->design, bug->shape);
    if (bug->known != NULL && bug->is_shrunk) { /* it is waived; the next one has its name */
        base_folder_remove_path(bug->shrunk.folder);
        bug->shrunk.folder[0] = '\0';
        bug->is_shrunk = false;
    }
    if (bug->mend[0] == '\0')
        take_alike(g, number);
    else
        try_again(g);
    return COL_OK;
}

/* ---- Whose a failure is. */

enum { LIKELY = 100, SAME = 1000 }; /* weigh more than any number of runs */

/* How much speaks for it that the case is of what is wrong in the design now. */
static col_status weigh(epi_grouping *g, epi_case *c, uint32_t *weight, col_problem *problem) {
    uint32_t failing;
    BASE_TRY(epi_grouping_count(g, c, &failing, problem));
    const bool is_at_once = c->seed == c->was.seed; /* otherwise chance has a part in it */
    const bool is_as_recorded = is_at_once && c->outcome == c->was.outcome;
    *weight = failing == 0 ? 0
                           : failing + (c->is_same ? SAME : 0U) + (is_at_once ? LIKELY : 0U) +
                                 (is_as_recorded ? LIKELY : 0U);
    return COL_OK;
}

/* A case that fails without one mend alone is that bug's; with several, the one without which it
 * fails exactly as it was recorded, and most often. One that fails in spite of all mends is of a
 * bug without one, unless it was recorded as it fails without one mend. */
static col_status take_out(epi_grouping *g, size_t number, uint32_t *most, col_problem *problem) {
    epi_triage *t = g->triage;
    BASE_TRY(epi_grouping_open(g, number, problem));
    for (size_t i = 0; i < t->case_count && !epi_grouping_is_over(g); i++) {
        epi_case *c = &t->cases[i];
        uint32_t weight;
        if (c->design != g->design)
            continue;
        BASE_TRY(weigh(g, c, &weight, problem));
        if (weight <= most[i] || (!c->is_mended && weight < SAME))
            continue;
        most[i] = weight;
        c->bug = number;
    }
    return COL_OK;
}

/* Each of several mends is enough for it: it goes where most that look like it are. */
static void follow(epi_triage *t, size_t number) {
    epi_case *c = &t->cases[number];
    size_t most = 0;
    for (size_t b = 0; b < t->bug_count; b++) {
        size_t alike = 0;
        for (size_t i = 0; i < t->case_count; i++)
            alike += i != number && t->cases[i].design == c->design && t->cases[i].bug == b &&
                     is_alike(&t->cases[i], c);
        if (t->bugs[b].mend[0] != '\0' && t->bugs[b].known == NULL &&
            t->cases[t->bugs[b].first].design == c->design &&
            (alike > most || t->bugs[b].first == number)) {
            most = t->bugs[b].first == number ? SIZE_MAX : alike;
            c->bug = b;
        }
    }
}

static col_status assign(epi_grouping *g, col_problem *problem) {
    epi_triage *t = g->triage;
    uint32_t *most = calloc(t->case_count + 1, sizeof *most);
    col_status status = most == NULL ? base_out_of_memory(problem) : COL_OK;
    if (status == COL_OK)
        status = epi_grouping_open(g, EPI_NO_BUG, problem);
    for (size_t i = 0; i < t->case_count && status == COL_OK; i++)
        if (t->cases[i].design == g->design && !t->cases[i].is_mended)
            status = weigh(g, &t->cases[i], &most[i], problem);
    for (size_t b = 0; b < t->bug_count && status == COL_OK && !epi_grouping_is_over(g); b++)
        if (epi_grouping_mends(g, b))
            status = take_out(g, b, most, problem);
    for (size_t i = 0; i < t->case_count && status == COL_OK; i++)
        if (t->cases[i].design == g->design && t->cases[i].is_mended && most[i] == 0)
            follow(t, i);
    free(most);
    return status;
}

/* Known bugs come first. */
static col_status waive(epi_grouping *g, col_problem *problem) {
    if (g->settings->known == NULL)
        return COL_OK;
    BASE_TRY(epi_grouping_open(g, EPI_NO_BUG, problem));
    const epi_waiver_of of = {.known = g->settings->known,
                              .setting = &g->setting,
                              .design = col_duv_describe(g->worker.duv),
                              .jobs = 1,
                              .timer = g->timer};
    return epi_triage_waive(g->triage, &of, &g->worker, g->design, problem);
}

static col_status group(epi_grouping *g, col_problem *problem) {
    BASE_TRY(waive(g, problem));
    base_index_clear(&g->looks);
    g->has_looks = false;
    BASE_TRY(look_again(g, problem));
    g->has_looks = true;
    for (size_t i; !epi_grouping_is_over(g) && (i = next_case(g)) != EPI_NO_BUG;) {
        BASE_TRY(find_bug(g, i, problem));
        BASE_TRY(look_again(g, problem));
        if (epi_grouping_has(g, &g->triage->cases[i]) && g->triage->cases[i].tries++ > MOST_TRIES)
            g->triage->cases[i].bug = g->triage->bug_count - 1; /* it is more than this */
        g->triage->seconds = base_seconds() - g->began;
        if (g->settings->progress != NULL)
            g->settings->progress(g->settings->context, g->triage);
    }
    BASE_TRY(epi_mends_refine(g, problem));
    return assign(g, problem);
}

/* ---- All. */

static int by_count(const void *left, const void *right) {
    const epi_bug *a = *(const epi_bug *const *)left, *b = *(const epi_bug *const *)right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* The bugs that have failures, most failures first. */
static col_status sort_bugs(epi_triage *t, col_problem *problem) {
    const epi_bug **order = calloc(t->bug_count + 1, sizeof *order);
    epi_bug *sorted = calloc(t->bug_count + 1, sizeof *sorted);
    size_t *places = calloc(t->bug_count + 1, sizeof *places), kept = 0;
    const bool has_room = order != NULL && sorted != NULL && places != NULL;
    for (size_t b = 0; has_room && b < t->bug_count; b++)
        order[b] = &t->bugs[b];
    if (has_room && t->bug_count > 1)
        qsort(order, t->bug_count, sizeof(const epi_bug *), by_count);
    for (size_t b = 0; has_room && b < t->bug_count; b++) {
        places[order[b] - t->bugs] = b;
        sorted[b] = *order[b];
        kept += sorted[b].count > 0;
    }
    for (size_t i = 0; has_room && i < t->case_count; i++)
        if (t->cases[i].bug != EPI_NO_BUG)
            t->cases[i].bug = places[t->cases[i].bug];
    for (size_t b = kept; has_room && b < t->bug_count; b++)
        drop(&sorted[b]);
    free(order);
    free(places);
    if (!has_room) {
        free(sorted);
        return base_out_of_memory(problem);
    }
    free(t->bugs);
    t->bugs = sorted;
    t->bug_count = kept;
    return COL_OK;
}

col_status epi_triage_run(const epi_triage_settings *settings, epi_triage *triage,
                          col_problem *problem) {
    epi_grouping g = {.settings = settings, .triage = triage, .began = base_seconds()};
    BASE_TRY(base_timer_new(&g.timer, settings->stop, problem));
    base_timer_set(g.timer, settings->seconds);
    col_status status = epi_triage_read(settings, triage, problem);
    for (; g.design < triage->case_count && status == COL_OK && !epi_grouping_is_over(&g);
         g.design++)
        if (triage->cases[g.design].design == g.design)
            status = group(&g, problem);
    triage->is_complete = !epi_grouping_is_over(&g);
    BASE_THEN(status, epi_bugs_count(settings, triage, problem));
    BASE_THEN(status, sort_bugs(triage, problem));
    if (status == COL_OK)
        epi_triage_count_waived(triage);
    epi_grouping_close(&g);
    base_index_free(&g.looks);
    base_text_free(&g.wrong);
    base_timer_free(g.timer);
    return status;
}

void epi_triage_free(epi_triage *t) {
    for (size_t i = 0; i < t->case_count; i++)
        epi_recorded_free(&t->cases[i].recorded);
    for (size_t i = 0; i < t->bug_count; i++)
        epi_suspects_free(&t->bugs[i].suspects);
    free(t->cases);
    free(t->bugs);
}
