/* SPDX-License-Identifier: MIT */
/*
 * Which of a bug's suspects is its mend? Each of them makes the smallest test pass. A mend makes
 * all failures of the bug pass, in large programs, too; a detour around the wrong cell does not, or
 * makes others fail. How sure that is depends on what else is wrong in the design, so mends are
 * chosen again when the other bugs have theirs.
 */
#include "episode/triage/grouping.h"

#include "base/memory.h"
#include "design/duv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CANDIDATES = 24,   /* suspects that are weighed against each other, and */
    REFINED = 96,      /* when all other bugs have mends */
    WEIGHED = 24,      /* cases that they are weighed by; of these at most */
    MOST_FAILING = 18, /* that fail, while there are others */
    LIKE = 4,          /* scores of a run that fails as the bug does; and */
    UNKNOWN = 2,       /* in a way that was not known; others: 1 */
    ROUNDS = 2         /* of refinement */
};

/* ---- Weighing. */

typedef struct scale {
    size_t cases[WEIGHED];
    uint32_t count;
    uint32_t score, like; /* without any change */
} scale;

/* Every so-manieth of the cases that fail now, and of those that do not: a mend must not break
 * them. */
static void add_cases(scale *s, const uint32_t *failing, const epi_grouping *g, bool fails,
                      uint32_t room) {
    uint32_t all = 0, seen = 0, added = 0;
    for (size_t i = 0; i < g->triage->case_count; i++)
        all += failing[i] != UINT32_MAX && (failing[i] > 0) == fails;
    for (size_t i = 0; i < g->triage->case_count && added < room; i++) {
        if (failing[i] == UINT32_MAX || (failing[i] > 0) != fails)
            continue;
        if ((uint64_t)seen++ * room / all < added && all > room)
            continue;
        s->cases[s->count++] = i;
        added++;
    }
}

static col_status make_scale(epi_grouping *g, scale *s, col_problem *problem) {
    const size_t count = g->triage->case_count;
    uint32_t *failing = NULL;
    col_status status = base_new(&failing, count + 1, sizeof *failing, problem);
    *s = (scale){.count = 0};
    for (size_t i = 0; i < count && status == COL_OK && failing != NULL; i++) {
        epi_case c = g->triage->cases[i];
        failing[i] = UINT32_MAX;
        if (c.design == g->design)
            status = epi_grouping_count(g, &c, &failing[i], problem);
    }
    if (status == COL_OK && failing != NULL) {
        uint32_t all = 0;
        for (size_t i = 0; i < count; i++)
            all += failing[i] != UINT32_MAX && failing[i] == 0;
        const uint32_t others = all < WEIGHED - MOST_FAILING ? all : WEIGHED - MOST_FAILING;
        add_cases(s, failing, g, true, WEIGHED - others);
        add_cases(s, failing, g, false, WEIGHED - s->count);
    }
    free(failing);
    return status;
}

/* How bad the design is with the change, or NULL; above `most`, it does not matter how bad. A run
 * that fails as the bug does speaks against the change, and one that fails in a way that was not
 * known may do; any other may be another bug's. */
static col_status weigh(epi_grouping *g, const scale *s, const duv_change *change, uint32_t most,
                        uint32_t *score, uint32_t *like, col_problem *problem) {
    *score = *like = 0;
    for (uint32_t i = 0; i < s->count && *score <= most && !epi_grouping_is_over(g); i++) {
        epi_case c = g->triage->cases[s->cases[i]];
        uint32_t now;
        if (col_duv_describe(g->worker.duv)->draws) /* a change lasts for one configuration */
            BASE_TRY(epi_grouping_count(g, &c, &now, problem));
        if (change != NULL)
            BASE_TRY(duv_change_make(g->worker.duv, change, problem));
        g->like = g->unknown = 0;
        const col_status status = epi_grouping_count(g, &c, &now, problem);
        duv_change_undo(g->worker.duv, 0);
        if (status != COL_OK)
            return status;
        *like += g->like;
        *score += now + (LIKE - 1) * g->like + (UNKNOWN - 1) * g->unknown;
    }
    return COL_OK;
}

typedef struct weighed {
    uint32_t score, like;
} weighed;

/* Is it nearly as good as the best? What other bugs do makes a difference, too, if they do
 * anything. While there are some without mends, one with which no run fails as this bug does may
 * leave more: what hides the others, too, would be better than the mend. */
static bool is_good(const scale *base, uint32_t least, bool others, weighed w) {
    const uint32_t gain = least >= base->score ? 0 : base->score - least;
    const uint32_t most = (others && w.like == 0) || gain / 10 < least ? gain / 10 : least;
    return w.score <= least + most;
}

/* Of the first suspects, the first that is nearly as good as any of them: what mends most may mend
 * by a detour, which comes late in their order. `count`: with none is it better than without, or
 * most runs still fail as the bug does. */
static size_t best_of(const weighed *w, size_t count, const scale *base, bool others) {
    uint32_t least = UINT32_MAX;
    size_t best = 0;
    for (size_t i = 0; i < count; i++)
        least = w[i].score < least ? w[i].score : least;
    if (count == 0 || (base->score > 0 && least >= base->score))
        return count;
    while (!is_good(base, least, others, w[best]))
        best++;
    return base->like > 0 && w[best].like * 2 > base->like ? count : best;
}

/* Those that lose nothing come first. */
static size_t lossless_of(const epi_suspects *s, size_t count) {
    size_t lossless = 0;
    while (lossless < count && s->list[lossless].lost == 0)
        lossless++;
    return lossless;
}

/* The best suspect becomes the first of all; none is left if none will do. Those that lose cells
 * are only asked if the others do not do: what avoids a state avoids the failures of other bugs,
 * too. */
static col_status choose(epi_grouping *g, epi_suspects *s, size_t most, col_problem *problem) {
    weighed w[REFINED];
    const size_t all = s->count < most ? s->count : most;
    size_t best = 0, count = 0;
    uint32_t least = UINT32_MAX;
    scale base;
    if (all == 0)
        return COL_OK;
    g->look = s->look;
    BASE_TRY(make_scale(g, &base, problem));
    BASE_TRY(weigh(g, &base, NULL, UINT32_MAX, &base.score, &base.like, problem));
    for (size_t end = lossless_of(s, all); best == count && count < all; end = all) {
        for (; count < end; count++) {
            const uint32_t limit =
                least >= base.score ? UINT32_MAX : least + (base.score - least) / 10;
            BASE_TRY(weigh(g, &base, &s->list[count].change, limit, &w[count].score, &w[count].like,
                           problem));
            least = w[count].score < least ? w[count].score : least;
        }
        best = best_of(w, count, &base, most == CANDIDATES);
    }
    if (epi_grouping_is_over(g)) /* runs that were cut short say nothing */
        return COL_OK;
    if (best == count) {
        s->count = 0;
        return COL_OK;
    }
    const epi_suspect chosen = s->list[best];
    memmove(&s->list[1], &s->list[0], best * sizeof chosen);
    s->list[0] = chosen;
    return COL_OK;
}

/* ---- The bug's. */

static col_status tell(const epi_grouping *g, epi_bug *bug, col_problem *problem) {
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

static bool is_mended_by(const epi_grouping *g, const duv_change *change,
                         const epi_known_bug *known) {
    const col_duv_description *d = col_duv_describe(g->worker.duv);
    if (change->machine >= d->machine_count) /* of the cores */
        return false;
    const col_duv_names *n = &d->names[change->machine];
    return epi_known_mends(known, d->machines[change->machine].name, n->states[change->state],
                           n->events[change->event]);
}

/* A cell has one mend, so that each can be taken out without the others. */
static void drop_mended(const epi_grouping *g, size_t number) {
    const epi_triage *t = g->triage;
    epi_bug *bug = &t->bugs[number];
    size_t kept = 0;
    for (size_t i = 0; i < bug->suspects.count; i++) {
        const duv_change *change = &bug->suspects.list[i].change;
        bool is_mended = false;
        for (size_t b = 0; b < t->bug_count; b++)
            is_mended |= b != number && epi_grouping_mends(g, b) &&
                         (t->bugs[b].known != NULL
                              ? is_mended_by(g, change, t->bugs[b].known)
                              : duv_change_is_of(change, &t->bugs[b].suspects.list[0].change));
        if (!is_mended)
            bug->suspects.list[kept++] = bug->suspects.list[i];
    }
    bug->suspects.count = kept;
}

col_status epi_mend_choose(epi_grouping *g, size_t number, col_problem *problem) {
    epi_bug *bug = &g->triage->bugs[number];
    drop_mended(g, number);
    BASE_TRY(choose(g, &bug->suspects, CANDIDATES, problem));
    BASE_TRY(tell(g, bug, problem));
    const col_status status =
        bug->mend[0] == '\0' ? COL_OK : epi_grouping_open(g, EPI_NO_BUG, problem);
    if (status != COL_BAD_INPUT)
        return status;
    bug->mend[0] = bug->says[0] = '\0'; /* it cannot be written as an edit */
    return epi_grouping_open(g, EPI_NO_BUG, problem);
}

/* ---- Again, with the mends of the others. */

static bool is_own(const epi_grouping *g, size_t bug) {
    return epi_grouping_mends(g, bug) && g->triage->bugs[bug].known == NULL;
}

static col_status refine(epi_grouping *g, size_t number, bool *changes, col_problem *problem) {
    epi_bug *bug = &g->triage->bugs[number];
    char before[sizeof bug->mend], said[sizeof bug->says];
    memcpy(before, bug->mend, sizeof before);
    memcpy(said, bug->says, sizeof said);
    BASE_TRY(epi_grouping_open(g, number, problem));
    drop_mended(g, number);
    const size_t count = bug->suspects.count;
    epi_suspects_sort(&bug->suspects);
    BASE_TRY(choose(g, &bug->suspects, REFINED, problem));
    bug->suspects.count = count;
    BASE_TRY(tell(g, bug, problem));
    if (strcmp(before, bug->mend) == 0)
        return COL_OK;
    *changes = true;
    const col_status status = epi_grouping_open(g, EPI_NO_BUG, problem);
    if (status != COL_BAD_INPUT)
        return status;
    memcpy(bug->mend, before, sizeof before);
    memcpy(bug->says, said, sizeof said);
    return epi_grouping_open(g, EPI_NO_BUG, problem);
}

/* How many runs of all cases fail, as the design is now; and does one fail as it was recorded? */
static col_status count_all(epi_grouping *g, uint64_t *failing, bool *is_same,
                            col_problem *problem) {
    *failing = 0;
    *is_same = false;
    for (size_t i = 0; i < g->triage->case_count; i++) {
        epi_case c = g->triage->cases[i];
        uint32_t now = 0;
        if (c.design != g->design)
            continue;
        BASE_TRY(epi_grouping_count(g, &c, &now, problem));
        *failing += now;
        *is_same = *is_same || c.is_same;
    }
    return COL_OK;
}

/* Is any failure there again without the bug's mend? */
static col_status is_needed(epi_grouping *g, size_t number, bool *is, col_problem *problem) {
    uint64_t with, without;
    bool same, again;
    BASE_TRY(epi_grouping_open(g, EPI_NO_BUG, problem));
    BASE_TRY(count_all(g, &with, &same, problem));
    BASE_TRY(epi_grouping_open(g, number, problem));
    BASE_TRY(count_all(g, &without, &again, problem));
    *is = without > with || (again && !same) || epi_grouping_is_over(g);
    return COL_OK;
}

col_status epi_mends_refine(epi_grouping *g, col_problem *problem) {
    bool changes = true;
    for (int round = 0; round < ROUNDS && changes; round++) {
        changes = false;
        for (size_t b = 0; b < g->triage->bug_count && !epi_grouping_is_over(g); b++)
            if (is_own(g, b))
                BASE_TRY(refine(g, b, &changes, problem));
        for (size_t b = g->triage->bug_count; b-- > 0 && !epi_grouping_is_over(g);) {
            bool is = true;
            if (is_own(g, b))
                BASE_TRY(is_needed(g, b, &is, problem));
            if (is)
                continue;
            g->triage->bugs[b].mend[0] = g->triage->bugs[b].says[0] = '\0';
            changes = true;
        }
    }
    return COL_OK;
}
