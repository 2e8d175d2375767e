/* SPDX-License-Identifier: MIT */
/*
 * Waiving failures: see waiver.h. The mends are made in designs of their own: the first has the
 * mend of the first known bug, the second those of the first two, and so on to the last, which has
 * all. A failure is of the bug whose mend is the last one that it takes. These designs are opened
 * when they are first needed, but for one of the last, which shows that all mends can be made.
 */
#include "episode/failure/waiver.h"

#include "base/memory.h"
#include "base/random.h"
#include "episode/episode_settings.h"
#include "episode/failure/fingerprint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 4 }; /* in the design with all mends: with the failure's seed, and with others */

/* The design with the mends of the known bugs up to this one. */
typedef struct mended {
    epi_known_bug *bug;
    base_text wrong; /* the errors of the setting, with these mends behind them */
    col_setting setting;
    epi_pool *pool; /* NULL: not yet */
} mended;

struct epi_waiver {
    epi_waiver_of of;
    mended *designs;
    size_t count;
    epi_instance instances[RUNS];
};

/* ---- Designs with mends. */

static col_status add_mended(epi_waiver *w, epi_known_bug *bug, col_problem *problem) {
    const mended *before = w->count == 0 ? NULL : &w->designs[w->count - 1];
    const char *wrong = before == NULL ? w->of.setting->design.error : before->wrong.data;
    mended *m = &w->designs[w->count++];
    *m = (mended){.bug = bug, .setting = *w->of.setting};
    base_text_print(&m->wrong, "%s%s%s", wrong == NULL ? "" : wrong, wrong == NULL ? "" : ";",
                    bug->mend.data);
    m->setting.design.error = m->wrong.data;
    return base_text_status(&m->wrong, problem);
}

static col_status try_design(const mended *m, col_problem *problem) {
    col_duv *duv = NULL;
    BASE_TRY(epi_design_open(&duv, &m->setting, problem));
    col_duv_close(duv);
    return COL_OK;
}

/* If not all mends can be made, the first that cannot says so. */
static col_status check_mends(const epi_waiver *w, col_problem *problem) {
    col_problem found;
    if (w->count == 0 || try_design(&w->designs[w->count - 1], &found) == COL_OK)
        return COL_OK;
    for (size_t i = 0; i < w->count; i++) {
        const col_status status = try_design(&w->designs[i], &found);
        const epi_known_bug *b = w->designs[i].bug;
        if (status == COL_BAD_INPUT && b != NULL)
            return base_refuse_at(problem, w->of.known->path, b->mend_place.line,
                                  b->mend_place.column,
                                  "the mend cannot be made in %.64s: %.300s; if the bug is of "
                                  "another design, say design: NAME",
                                  w->of.design->name, found.message);
        if (status != COL_OK) {
            *problem = found;
            return status;
        }
    }
    return COL_OK;
}

col_status epi_waiver_new(epi_waiver **waiver, const epi_waiver_of *of, col_problem *problem) {
    epi_waiver *w = calloc(1, sizeof *w);
    if (w == NULL)
        return base_out_of_memory(problem);
    w->of = *of;
    *waiver = w;
    BASE_TRY(epi_known_check_cells(of->known, of->design, problem));
    w->designs = calloc(of->known->count + 1, sizeof *w->designs);
    if (w->designs == NULL)
        return base_out_of_memory(problem);
    for (size_t i = 0; i < of->known->count; i++)
        if (of->known->bugs[i].mend.length > 0 &&
            epi_known_applies(&of->known->bugs[i], of->design->name))
            BASE_TRY(add_mended(w, &of->known->bugs[i], problem));
    return check_mends(w, problem);
}

void epi_waiver_free(epi_waiver *waiver) {
    if (waiver == NULL)
        return;
    for (size_t i = 0; i < waiver->count; i++) {
        epi_pool_free(waiver->designs[i].pool);
        base_text_free(&waiver->designs[i].wrong);
    }
    for (int i = 0; i < RUNS; i++)
        epi_instance_free(&waiver->instances[i]);
    free(waiver->designs);
    free(waiver);
}

/* ---- Judging. */

/* By its kind, as it would be without mends, or by its cell. */
static col_status recognise(const epi_waiver *w, const epi_instance *failed, epi_known_bug **bug,
                            col_problem *problem) {
    col_fingerprint print;
    if (!epi_fingerprint(w->of.design->name, w->of.setting, failed->shape, &print))
        return base_out_of_memory(problem);
    *bug = epi_known_find(w->of.known, w->of.design, print.hash,
                          failed->has_cell ? &failed->cell : NULL);
    return COL_OK;
}

/* Runs of the program in a design, the first with the failure's seed; all of them are done. */
static col_status run(epi_waiver *w, mended *m, const col_program *program, uint64_t seed,
                      uint32_t count, col_problem *problem) {
    if (m->pool == NULL)
        BASE_TRY(epi_pool_new(&m->pool, &m->setting, w->of.jobs < RUNS ? w->of.jobs : RUNS,
                              w->of.timer, problem));
    uint64_t state = seed;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t other = i == 0 ? seed : base_splitmix(&state);
        w->instances[i].seed = epi_seed_like(epi_pool_describe(m->pool), other, seed);
    }
    return epi_pool_run(m->pool, program, w->instances, count, false, problem);
}

/* In the design with all mends: is there anything new? `bug` is what is left of the failure itself,
 * if that is known; NULL: it is mended. */
static col_status look(epi_waiver *w, const col_program *program, uint64_t seed, epi_judged *judged,
                       col_problem *problem) {
    mended *all = &w->designs[w->count - 1];
    BASE_TRY(run(w, all, program, seed, RUNS, problem));
    judged->answer = EPI_KNOWN;
    for (int i = 0; i < RUNS && judged->answer == EPI_KNOWN; i++) {
        const epi_instance *instance = &w->instances[i];
        epi_known_bug *bug = NULL;
        if (!instance->done)
            judged->answer = EPI_TOO_LATE;
        else if (i == 0 && instance->is_undecided) /* nobody knows whether it is mended */
            judged->answer = EPI_NEW;
        if (!instance->done || instance->outcome == COL_PASS)
            continue;
        BASE_TRY(recognise(w, instance, &bug, problem));
        judged->bug = i == 0 ? bug : judged->bug;
        if (bug != NULL)
            continue;
        judged->answer = EPI_NEW;
        judged->setting = &all->setting;
        judged->instance = instance;
    }
    return COL_OK;
}

/* The first design in which the failure is gone has the mend that it takes. */
static col_status find_mend(epi_waiver *w, const col_program *program, uint64_t seed,
                            epi_judged *judged, col_problem *problem) {
    for (size_t i = 0; i < w->count && judged->bug == NULL; i++) {
        const bool is_last = i + 1 == w->count;
        if (!is_last)
            BASE_TRY(run(w, &w->designs[i], program, seed, 1, problem));
        if (!is_last && !w->instances[0].done)
            judged->answer = EPI_TOO_LATE;
        if (judged->answer == EPI_TOO_LATE)
            return COL_OK;
        if (is_last || (w->instances[0].outcome == COL_PASS && !w->instances[0].is_undecided))
            judged->bug = w->designs[i].bug;
    }
    return COL_OK;
}

col_status epi_waiver_judge(epi_waiver *waiver, const col_program *program,
                            const epi_instance *failed, epi_judged *judged, col_problem *problem) {
    *judged = (epi_judged){.answer = EPI_NEW};
    BASE_TRY(recognise(waiver, failed, &judged->bug, problem));
    if (judged->bug != NULL)
        judged->answer = EPI_KNOWN;
    if (judged->bug != NULL || waiver->count == 0)
        return COL_OK;
    BASE_TRY(look(waiver, program, failed->seed, judged, problem));
    return judged->answer == EPI_KNOWN ? find_mend(waiver, program, failed->seed, judged, problem)
                                       : COL_OK;
}
