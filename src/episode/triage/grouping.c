/* SPDX-License-Identifier: MIT */
/* The design under triage: see grouping.h. */
#include "episode/triage/grouping.h"

#include "base/random.h"
#include "design/design_kind.h"
#include "design/duv.h"

#include <string.h>

bool epi_grouping_is_over(const epi_grouping *g) {
    return base_is_stopped(base_timer_stop(g->timer));
}

bool epi_grouping_mends(const epi_grouping *g, size_t bug) {
    const epi_bug *b = &g->triage->bugs[bug];
    return b->mend[0] != '\0' && g->triage->cases[b->first].design == g->design;
}

void epi_grouping_close(epi_grouping *g) {
    if (g->is_open)
        epi_worker_close(&g->worker);
    g->is_open = false;
}

col_status epi_grouping_open(epi_grouping *g, size_t without, col_problem *problem) {
    const epi_triage *t = g->triage;
    const char *own = t->cases[g->design].recorded.error;
    epi_grouping_close(g);
    g->wrong.length = 0;
    base_text_add(&g->wrong, own == NULL ? "" : own);
    for (size_t b = 0; b < t->bug_count; b++)
        if (b != without && epi_grouping_mends(g, b))
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

bool epi_grouping_has(const epi_grouping *g, const epi_case *c) {
    return c->design == g->design && c->bug == EPI_NO_BUG && !c->is_mended;
}

static uint64_t seed_of(const epi_grouping *g, const epi_case *c, uint64_t number) {
    uint64_t state = c->was.seed + number;
    return number == 0
               ? c->was.seed
               : epi_seed_like(col_duv_describe(g->worker.duv), base_splitmix(&state), c->was.seed);
}

static bool is_same(const epi_case *c, const epi_instance *instance) {
    return instance->seed == c->was.seed && instance->outcome == c->was.outcome &&
           instance->cycles == c->was.cycles && strcmp(instance->reason, c->was.reason) == 0;
}

static col_status note_look(epi_grouping *g, uint64_t look, col_problem *problem) {
    const bool is_known = base_index_find(&g->looks, look, NULL, NULL, NULL) != BASE_NO_NUMBER;
    g->like += look == g->look;
    g->unknown += look != g->look && !is_known;
    return is_known || g->has_looks ? COL_OK : base_index_put(&g->looks, look, problem);
}

col_status epi_grouping_count(epi_grouping *g, epi_case *c, uint32_t *failing,
                              col_problem *problem) {
    epi_instance instance = {0};
    *failing = 0;
    c->is_same = false;
    BASE_TRY(epi_worker_load(&g->worker, &c->recorded.program, problem));
    for (uint64_t i = 0; i < EPI_CASE_RUNS && !epi_grouping_is_over(g); i++) {
        instance.seed = seed_of(g, c, i);
        epi_worker_run(&g->worker, &instance);
        epi_instance_free(&instance);
        if (instance.status != COL_OK) {
            *problem = instance.problem;
            return instance.status;
        }
        if (i == 0 && c->was.cycles == 0) /* the first time, in the design as it was */
            c->was.cycles = instance.cycles;
        if (!instance.done || instance.outcome == COL_PASS)
            continue;
        BASE_TRY(note_look(g, epi_look(&instance), problem));
        if (*failing == 0) {
            c->seed = instance.seed;
            c->outcome = instance.outcome;
            c->is_same = is_same(c, &instance);
        }
        ++*failing;
    }
    return COL_OK;
}
