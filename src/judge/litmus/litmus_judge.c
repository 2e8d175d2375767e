/* SPDX-License-Identifier: MIT */
/* All candidate executions of a litmus test, judged: see litmus_judge.h. */
#include "judge/litmus/litmus_judge.h"

#include "base/clock.h"
#include "judge/litmus/candidate.h"

#include <stdlib.h>
#include <string.h>

/* The model as it reads with a variant. */
typedef struct reading {
    cat_model model;
    cat_run *run; /* NULL: not read yet */
    bool is_coherent;
} reading;

struct lit_judge {
    reading plain;
    reading mixed; /* for tests that access parts of locations */
    reading *now;
    char *path;
    cat_sources sources;
    lit_candidate candidate;
    lit_paths *paths; /* by thread, of the test */
    lit_test *test;
    lit_outcomes *outcomes;
    uint64_t *state;
    bool as_designs;
    base_timer *timer; /* of the budget */
    col_status status; /* of the test: the first problem ends it */
    col_problem *problem;
};

static col_status read_model(reading *r, const char *path, const cat_sources *sources,
                             col_problem *problem) {
    col_status status = cat_model_read_file(&r->model, path, sources, problem);
    if (status == COL_OK)
        status = cat_run_new(&r->run, &r->model, problem);
    return status == COL_OK ? lit_is_coherent(r->run, &r->is_coherent, problem) : status;
}

static void free_reading(reading *r) {
    cat_run_free(r->run);
    cat_model_free(&r->model);
}

/* As herd7's -variant mixed. */
static void read_mixed(lit_judge *j) {
    static const char *const variants[] = {"mixed", NULL};
    cat_sources sources = j->sources;
    sources.variants = variants;
    j->now = &j->mixed;
    if (j->mixed.run == NULL)
        j->status = read_model(&j->mixed, j->path, &sources, j->problem);
}

col_status lit_judge_new(lit_judge **judge, const char *path, const cat_sources *sources,
                         col_problem *problem) {
    *judge = calloc(1, sizeof **judge);
    if (*judge == NULL)
        return base_out_of_memory(problem);
    (*judge)->path = strdup(path);
    if (sources != NULL)
        (*judge)->sources = *sources;
    col_status status = (*judge)->path != NULL
                            ? read_model(&(*judge)->plain, path, sources, problem)
                            : base_out_of_memory(problem);
    if (status == COL_OK)
        status = base_timer_new(&(*judge)->timer, NULL, problem);
    if (status == COL_OK)
        return COL_OK;
    lit_judge_free(*judge);
    *judge = NULL;
    return status;
}

void lit_judge_free(lit_judge *judge) {
    if (judge == NULL)
        return;
    lit_candidate_free(&judge->candidate);
    free_reading(&judge->plain);
    free_reading(&judge->mixed);
    base_timer_free(judge->timer);
    free(judge->path);
    free(judge);
}

void lit_judge_as_designs(lit_judge *judge) {
    judge->as_designs = true;
}

static bool goes_on(const lit_judge *j) {
    return j->status == COL_OK && !base_is_stopped(base_timer_stop(j->timer));
}

/* ---- From the inside out: an order of writes, sources, paths. */

static bool is_allowed(lit_judge *j, cat_level level) {
    cat_verdict verdict = {.is_allowed = false};
    j->status = cat_run_judge(j->now->run, level, &verdict, j->problem);
    return j->status == COL_OK && verdict.is_allowed;
}

static void add_outcome(lit_judge *j) {
    j->status = lit_outcomes_add(j->outcomes, j->test, j->state, 1, NULL, j->problem);
}

/* Each way in which the model chooses orders of its own is an execution. */
static void judge_choices(lit_judge *j) {
    bool is_there = false;
    j->status = cat_run_choose_first(j->now->run, &is_there, j->problem);
    while (goes_on(j) && is_there) {
        if (is_allowed(j, CAT_WITH_ALL))
            add_outcome(j);
        if (j->status == COL_OK)
            j->status = cat_run_choose_next(j->now->run, &is_there, j->problem);
    }
}

static void judge_order(lit_judge *j) {
    j->status = lit_candidate_relate_order(&j->candidate);
    cat_run_change(j->now->run, CAT_WITH_CO);
    if (j->status != COL_OK || !is_allowed(j, CAT_WITH_CO))
        return;
    lit_candidate_state(&j->candidate, j->state);
    if (j->now->model.choice_count > 0)
        judge_choices(j);
    else
        add_outcome(j);
}

/* The sources are chosen. */
static void judge_sources(lit_judge *j) {
    lit_candidate *c = &j->candidate;
    if (!lit_candidate_is_solved(c) || !lit_candidate_first_order(c))
        return;
    j->status = lit_candidate_relate_sources(c);
    cat_run_change(j->now->run, CAT_WITH_RF);
    do {
        if (j->status == COL_OK && lit_candidate_ends_whole(c))
            judge_order(j);
    } while (goes_on(j) && lit_candidate_next_order(c));
}

/* Chooses the source of one read after the other; those that contradict a path are left at once. */
static void choose_sources(lit_judge *j, uint32_t number) {
    lit_candidate *c = &j->candidate;
    if (number == c->read_count) {
        judge_sources(j);
        return;
    }
    lit_access *read = &c->accesses[c->reads[number]];
    for (uint32_t i = 0; i < c->access_count && goes_on(j); i++) {
        if (!lit_candidate_may_read(c, read, i))
            continue;
        read->source = i;
        if (lit_candidate_is_whole(c, c->reads[number]) && lit_candidate_compute(c))
            choose_sources(j, number + 1);
    }
    read->source = LIT_NO_EVENT;
}

static void choose_paths(lit_judge *j, uint32_t thread) {
    lit_candidate *c = &j->candidate;
    const lit_paths *paths = &j->paths[thread];
    if (thread == j->test->thread_count) {
        j->status = lit_candidate_make(c, &j->now->model, j->problem);
        if (j->status == COL_OK)
            j->status = cat_run_load(j->now->run, &c->graph, j->problem);
        if (j->status == COL_OK && lit_candidate_compute(c))
            choose_sources(j, 0);
        return;
    }
    for (size_t i = 0; i < paths->count && goes_on(j); i++) {
        c->paths[thread] = &paths->paths[i];
        choose_paths(j, thread + 1);
    }
}

/* ---- The whole. */

static void free_paths(lit_judge *j) {
    for (uint32_t t = 0; j->paths != NULL && t < j->test->thread_count; t++)
        lit_paths_free(&j->paths[t]);
}

static void make_paths(lit_judge *j) {
    const lit_path_settings settings = {.with_registers = j->now->model.finds_dependencies,
                                        .splits_atomics = j->as_designs};
    for (uint32_t t = 0; j->paths != NULL && j->status == COL_OK && t < j->test->thread_count;
         t++) {
        j->status = lit_paths_make(&j->paths[t], j->test, t, settings, j->problem);
        if (j->as_designs)
            lit_paths_drop_failed(&j->paths[t]);
        j->outcomes->is_cut = j->outcomes->is_cut || j->paths[t].is_cut;
    }
}

/* With whole locations, or with parts of them if an access asks for these. */
static void judge_all(lit_judge *j) {
    j->now = &j->plain;
    if (j->test->granule == 0)
        make_paths(j);
    if (j->test->needs_parts) {
        free_paths(j);
        j->status = j->test->granule == 0 ? lit_test_split(j->test, j->problem) : COL_OK;
        if (j->status == COL_OK)
            read_mixed(j);
        make_paths(j);
    }
    if (j->status == COL_OK)
        j->status = lit_candidate_begin(&j->candidate, j->test, j->now->is_coherent, j->problem);
    j->candidate.has_all_names = j->as_designs;
    if (j->status == COL_OK)
        choose_paths(j, 0);
    lit_outcomes_sort(j->outcomes);
}

col_status lit_judge_test(lit_judge *judge, lit_test *test, double budget, lit_outcomes *outcomes,
                          bool *is_complete, col_problem *problem) {
    judge->test = test;
    judge->outcomes = outcomes;
    judge->problem = problem;
    base_timer_set(judge->timer, budget);
    judge->paths = calloc((size_t)test->thread_count + 1, sizeof *judge->paths);
    judge->state = calloc((size_t)test->item_count + 1, sizeof *judge->state);
    lit_outcomes_begin(outcomes);
    judge->status =
        judge->paths != NULL && judge->state != NULL ? COL_OK : base_out_of_memory(problem);
    if (judge->status == COL_OK)
        judge_all(judge);
    free_paths(judge);
    lit_candidate_free(&judge->candidate);
    free(judge->paths);
    free(judge->state);
    *is_complete = !base_is_stopped(base_timer_stop(judge->timer));
    base_timer_set(judge->timer, 0);
    return judge->status;
}
