/* SPDX-License-Identifier: MIT */
/*
 * Grouping failures into bugs: see triage.h. One failure is shrunk and the change that mends it is
 * sought; with that change in the design, the failures that remain are of other bugs, and the next
 * of them is shrunk, until none remains. Whose a failure is, is then seen by taking one change out
 * at a time: it fails again without the one that it needs.
 */
#include "episode/triage/triage.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "design/design_kind.h"
#include "design/duv.h"
#include "episode/shrink/shrink_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUNS = 6,       /* of a case: with its own seed, and with others */
    CANDIDATES = 8, /* suspects that are weighed against each other */
    WEIGHED = 24,   /* cases that they are weighed by */
    SHARES = 8,     /* of the time that is left, to shrink one failure; but */
    FEW_SECONDS = 2 /* at least */
};

typedef struct grouping {
    const epi_triage_settings *settings;
    epi_triage *triage;
    base_timer *timer;
    double began;
    uint32_t design;     /* whose cases are grouped: a case of it */
    base_text wrong;     /* its errors, with the mends of bugs behind them */
    col_setting setting; /* its own, with these */
    epi_worker worker;
    bool is_open;
} grouping;

#define NO_LIMIT 1e9

static double seconds_left(const grouping *g) {
    const double most = g->settings->seconds, spent = base_seconds() - g->began;
    return most == 0 ? NO_LIMIT : spent < most ? most - spent : 0;
}

static bool is_over(const grouping *g) {
    return base_is_stopped(base_timer_stop(g->timer));
}

/* ---- The design with mends. */

static void close_design(grouping *g) {
    if (g->is_open)
        epi_worker_close(&g->worker);
    g->is_open = false;
}

/* With the mends of all bugs of the design but one. */
static col_status open_design(grouping *g, size_t without, col_problem *problem) {
    const epi_triage *t = g->triage;
    const char *own = t->cases[g->design].recorded.error;
    close_design(g);
    g->wrong.length = 0;
    base_text_add(&g->wrong, own == NULL ? "" : own);
    for (size_t b = 0; b < t->bug_count; b++)
        if (b != without && t->bugs[b].mend[0] != '\0' &&
            t->cases[t->bugs[b].first].design == g->design)
            base_text_print(&g->wrong, "%s%s", g->wrong.length == 0 ? "" : ";", t->bugs[b].mend);
    BASE_TRY(base_text_status(&g->wrong, problem));
    g->setting = t->cases[g->design].recorded.setting;
    g->setting.design.error = g->wrong.length == 0 ? NULL : g->wrong.data;
    if (duv_kind_of(g->setting.design.name)->bench != NULL) /* changes are made in this process */
        g->setting.design.own_process = false;
    g->worker = (epi_worker){0};
    g->is_open = true;
    BASE_TRY(epi_worker_open(&g->worker, &g->setting, problem));
    return epi_worker_time(&g->worker, g->timer, problem);
}

static uint64_t seed_of(const grouping *g, const epi_case *c, uint64_t number) {
    uint64_t state = c->was.seed + number;
    return number == 0
               ? c->was.seed
               : epi_seed_like(col_duv_describe(g->worker.duv), base_splitmix(&state), c->was.seed);
}

/* How many of a few runs of the case fail, as the design is now. The first that does is noted in
 * the case. */
static col_status count_failing(grouping *g, epi_case *c, uint32_t *failing, col_problem *problem) {
    epi_instance instance = {0};
    *failing = 0;
    BASE_TRY(epi_worker_load(&g->worker, &c->recorded.program, problem));
    for (uint64_t i = 0; i < RUNS && !is_over(g); i++) {
        instance.seed = seed_of(g, c, i);
        epi_worker_run(&g->worker, &instance);
        epi_instance_free(&instance);
        if (instance.status != COL_OK) {
            *problem = instance.problem;
            return instance.status;
        }
        if (!instance.done || instance.outcome == COL_PASS)
            continue;
        if (*failing == 0) {
            c->seed = instance.seed;
            c->outcome = instance.outcome;
        }
        ++*failing;
    }
    return COL_OK;
}

/* ---- One bug. */

static bool is_open_case(const grouping *g, const epi_case *c) {
    return c->design == g->design && c->bug == EPI_NO_BUG && !c->is_mended;
}

/* Which cases still fail? */
static col_status look_again(grouping *g, col_problem *problem) {
    BASE_TRY(open_design(g, EPI_NO_BUG, problem));
    for (size_t i = 0; i < g->triage->case_count; i++) {
        epi_case *c = &g->triage->cases[i];
        uint32_t failing = 0;
        if (!is_open_case(g, c))
            continue;
        BASE_TRY(count_failing(g, c, &failing, problem));
        c->is_mended = failing == 0 && !is_over(g);
    }
    return COL_OK;
}

/* The case to look at next: of the kind that most of those that fail are of, the smallest program.
 */
static size_t next_case(const grouping *g) {
    const epi_triage *t = g->triage;
    size_t best = EPI_NO_BUG, most = 0;
    for (size_t i = 0; i < t->case_count; i++) {
        const epi_case *c = &t->cases[i];
        size_t alike = 0;
        for (size_t k = 0; is_open_case(g, c) && k < t->case_count; k++)
            alike += is_open_case(g, &t->cases[k]) &&
                     strcmp(t->cases[k].was.fingerprint.hash, c->was.fingerprint.hash) == 0;
        if (alike == 0 || alike < most ||
            (alike == most && c->was.operations >= t->cases[best].was.operations))
            continue;
        best = i;
        most = alike;
    }
    return best;
}

static col_status shrink(grouping *g, epi_bug *bug, size_t number, col_problem *problem) {
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

/* How many runs of some of the cases pass with the suspect's change? */
static col_status weigh(grouping *g, const epi_suspect *suspect, uint32_t *passing,
                        col_problem *problem) {
    epi_triage *t = g->triage;
    size_t open = 0, seen = 0;
    for (size_t i = 0; i < t->case_count; i++)
        open += is_open_case(g, &t->cases[i]);
    *passing = 0;
    for (size_t i = 0; open > 0 && i < t->case_count && !is_over(g); i++) {
        epi_case c = t->cases[i];
        uint32_t failing;
        if (!is_open_case(g, &c) || (seen++ * WEIGHED) % open >= WEIGHED)
            continue;
        if (col_duv_describe(g->worker.duv)->draws) /* a change lasts for one configuration */
            BASE_TRY(count_failing(g, &c, &failing, problem));
        BASE_TRY(duv_change_make(g->worker.duv, &suspect->change, problem));
        const col_status status = count_failing(g, &c, &failing, problem);
        duv_change_undo(g->worker.duv, 0);
        if (status != COL_OK)
            return status;
        *passing += RUNS - failing;
    }
    return COL_OK;
}

/* The first of the suspects with which nearly as many runs pass as with any becomes the first of
 * all: what mends most may mend by a detour, which comes late in their order. */
static col_status choose(grouping *g, epi_suspects *s, col_problem *problem) {
    uint32_t passing[CANDIDATES] = {0}, most = 0;
    const size_t count = s->count < CANDIDATES ? s->count : CANDIDATES;
    size_t best = 0;
    for (size_t i = 0; count > 1 && i < count; i++) {
        BASE_TRY(weigh(g, &s->list[i], &passing[i], problem));
        most = passing[i] > most ? passing[i] : most;
    }
    while (best < count && passing[best] * 10 < most * 9)
        best++;
    if (best == 0 || best == count)
        return COL_OK;
    const epi_suspect chosen = s->list[best];
    memmove(&s->list[1], &s->list[0], best * sizeof chosen);
    s->list[0] = chosen;
    return COL_OK;
}

static col_status tell(const grouping *g, epi_bug *bug, col_problem *problem) {
    if (bug->suspects.count == 0)
        return COL_OK;
    const duv_change *change = &bug->suspects.list[0].change;
    base_text says = {0}, mend = {0};
    duv_change_say(g->worker.duv, change, &says);
    duv_change_write(g->worker.duv, change, &mend);
    if (!says.failed && !mend.failed && mend.length < sizeof bug->mend) {
        (void)snprintf(bug->says, sizeof bug->says, "%s", says.data);
        (void)snprintf(bug->mend, sizeof bug->mend, "%s", mend.data);
    }
    const col_status status = base_text_status(&mend, problem);
    base_text_free(&says);
    base_text_free(&mend);
    return status;
}

static bool is_mended_by(const grouping *g, const duv_change *change, const epi_known_bug *known) {
    const col_duv_description *d = col_duv_describe(g->worker.duv);
    const col_duv_names *n = &d->names[change->machine];
    return epi_known_mends(known, d->machines[change->machine].name, n->states[change->state],
                           n->events[change->event]);
}

/* A cell has one mend, so that each can be taken out without the others. */
static void drop_mended(const grouping *g, epi_bug *bug) {
    const epi_triage *t = g->triage;
    size_t kept = 0;
    for (size_t i = 0; i < bug->suspects.count; i++) {
        const duv_change *change = &bug->suspects.list[i].change;
        bool is_mended = false;
        for (size_t b = 0; b + 1 < t->bug_count; b++)
            is_mended |= t->bugs[b].mend[0] != '\0' &&
                         t->cases[t->bugs[b].first].design == g->design &&
                         (t->bugs[b].known != NULL
                              ? is_mended_by(g, change, t->bugs[b].known)
                              : duv_change_is_of(change, &t->bugs[b].suspects.list[0].change));
        if (!is_mended)
            bug->suspects.list[kept++] = bug->suspects.list[i];
    }
    bug->suspects.count = kept;
}

static col_status suspect(grouping *g, epi_bug *bug, col_problem *problem) {
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
                                     .larger_seed = c->seed};
        status = epi_test_shape(&small.program, bug->shape, problem);
        if (status == COL_OK)
            status = epi_suspects_find(&bug->suspects, &g->worker, &symptom, problem);
    }
    epi_recorded_free(&small);
    drop_mended(g, bug);
    return status;
}

/* Failures that no change mends: those whose smallest tests have the same shape are one bug, and so
 * are those that look alike. */
static void take_alike(grouping *g, size_t number) {
    epi_triage *t = g->triage;
    const epi_bug *bug = &t->bugs[number];
    size_t same = 0;
    while (same < number &&
           (t->bugs[same].mend[0] != '\0' || t->cases[t->bugs[same].first].design != g->design ||
            strcmp(bug->shape, t->bugs[same].shape) != 0))
        same++;
    const char *hash = t->cases[bug->first].was.fingerprint.hash;
    for (size_t i = 0; i < t->case_count; i++)
        if (is_open_case(g, &t->cases[i]) && strcmp(t->cases[i].was.fingerprint.hash, hash) == 0)
            t->cases[i].bug = same;
    if (same == number)
        return;
    epi_suspects_free(&t->bugs[number].suspects);
    t->bug_count--;
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

static col_status find_bug(grouping *g, size_t first, col_problem *problem) {
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
    if (shrunk != COL_OK && (is_over(g) || base_is_out_of_memory(problem)))
        return is_over(g) ? COL_OK : shrunk;
    t->bug_count++;
    if (shrunk == COL_OK) {
        BASE_TRY(suspect(g, bug, problem));
        BASE_TRY(choose(g, &bug->suspects, problem));
        BASE_TRY(tell(g, bug, problem));
    } else {
        BASE_TRY(take_as_it_is(t, bug, problem));
    }
    if (bug->mend[0] != '\0' && open_design(g, EPI_NO_BUG, problem) == COL_BAD_INPUT)
        bug->mend[0] = bug->says[0] = '\0'; /* it cannot be written as an edit */
    if (g->settings->known != NULL)
        bug->known = epi_known_by_test(g->settings->known, bug->design, bug->shape);
    if (bug->mend[0] == '\0')
        take_alike(g, number);
    return COL_OK;
}

/* ---- Whose a failure is. */

/* A case that fails without one mend alone is that bug's; with several, the one without which it
 * fails as it was recorded, and most often. */
static col_status take_out(grouping *g, size_t number, uint32_t *most, col_problem *problem) {
    epi_triage *t = g->triage;
    BASE_TRY(open_design(g, number, problem));
    for (size_t i = 0; i < t->case_count && !is_over(g); i++) {
        epi_case *c = &t->cases[i];
        uint32_t failing;
        if (c->design != g->design || !c->is_mended)
            continue;
        BASE_TRY(count_failing(g, c, &failing, problem));
        const bool is_as_recorded = c->seed == c->was.seed && c->outcome == c->was.outcome;
        const uint32_t weight = failing == 0 ? 0 : failing + (is_as_recorded ? RUNS : 0U);
        if (weight > most[i]) {
            most[i] = weight;
            c->bug = number;
        }
    }
    return COL_OK;
}

static col_status assign(grouping *g, col_problem *problem) {
    epi_triage *t = g->triage;
    uint32_t *most = calloc(t->case_count + 1, sizeof *most);
    col_status status = most == NULL ? base_out_of_memory(problem) : COL_OK;
    for (size_t b = 0; b < t->bug_count && status == COL_OK && !is_over(g); b++)
        if (t->bugs[b].mend[0] != '\0' && t->cases[t->bugs[b].first].design == g->design)
            status = take_out(g, b, most, problem);
    for (size_t i = 0; i < t->case_count; i++) /* each of several mends is enough for it */
        for (size_t b = 0;
             b < t->bug_count && t->cases[i].is_mended && most != NULL && most[i] == 0; b++)
            if (t->bugs[b].first == i && t->bugs[b].known == NULL &&
                t->cases[i].design == g->design)
                t->cases[i].bug = b;
    free(most);
    return status;
}

/* Known bugs come first. */
static col_status waive(grouping *g, col_problem *problem) {
    if (g->settings->known == NULL)
        return COL_OK;
    BASE_TRY(open_design(g, EPI_NO_BUG, problem));
    const epi_waiver_of of = {.known = g->settings->known,
                              .setting = &g->setting,
                              .design = col_duv_describe(g->worker.duv),
                              .jobs = 1,
                              .timer = g->timer};
    return epi_triage_waive(g->triage, &of, &g->worker, g->design, problem);
}

static col_status group(grouping *g, col_problem *problem) {
    BASE_TRY(waive(g, problem));
    BASE_TRY(look_again(g, problem));
    for (size_t i; !is_over(g) && (i = next_case(g)) != EPI_NO_BUG;) {
        BASE_TRY(find_bug(g, i, problem));
        BASE_TRY(look_again(g, problem));
        if (g->triage->cases[i].bug == EPI_NO_BUG && !g->triage->cases[i].is_mended)
            g->triage->cases[i].bug = g->triage->bug_count - 1; /* it is more than this */
        g->triage->seconds = base_seconds() - g->began;
        if (g->settings->progress != NULL)
            g->settings->progress(g->settings->context, g->triage);
    }
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
    for (size_t i = 0; has_room && i < t->case_count; i++)
        if (t->cases[i].bug != EPI_NO_BUG && t->bugs[t->cases[i].bug].count++ == 0)
            t->bugs[t->cases[i].bug].earliest = i;
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
        epi_suspects_free(&sorted[b].suspects);
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
    grouping g = {.settings = settings, .triage = triage, .began = base_seconds()};
    BASE_TRY(base_timer_new(&g.timer, settings->stop, problem));
    base_timer_set(g.timer, settings->seconds);
    col_status status = epi_triage_read(settings, triage, problem);
    for (; g.design < triage->case_count && status == COL_OK && !is_over(&g); g.design++)
        if (triage->cases[g.design].design == g.design)
            status = group(&g, problem);
    triage->is_complete = !is_over(&g);
    if (status == COL_OK)
        status = sort_bugs(triage, problem);
    if (status == COL_OK)
        epi_triage_count_waived(triage);
    close_design(&g);
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
