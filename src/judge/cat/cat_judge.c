/* SPDX-License-Identifier: MIT */
/*
 * Judging an instance: what its events showed becomes the sources of reads and the order of writes.
 * Words name their writes, so a word that nobody left, or that two writes replaced, is wrong
 * whatever the model says.
 */
#include "judge/cat/cat_judge.h"

#include "judge/violation.h"
#include "program/program.h"
#include "program/reshape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Making and freeing. */

static col_status make(cat_judge *judge, const char *text, const char *path,
                       const cat_sources *sources, col_problem *problem) {
    static const cat_sources whole = {.is_whole = true};
    col_status status =
        text == NULL ? cat_model_read_file(&judge->model, path, sources, problem)
                     : cat_model_read(&judge->model, text, strlen(text), path, &whole, problem);
    if (status == COL_OK && judge->model.choice_count > 0) {
        const cat_choice *choice = &judge->model.choices[0];
        status =
            base_refuse_at(problem, choice->place.file, choice->place.line, choice->place.column,
                           "the model chooses '%.60s' for each execution: 'collider litmus' "
                           "tries all orders, for small tests alone",
                           choice->name);
    }
    if (status == COL_OK)
        status =
            cat_model_is_built_in(&judge->model, &judge->is_built_in, &judge->built_in, problem);
    return status == COL_OK ? cat_run_new(&judge->run, &judge->model, problem) : status;
}

col_status cat_judge_new(cat_judge **made, const char *text, const char *path,
                         const cat_sources *sources, col_problem *problem) {
    *made = calloc(1, sizeof **made);
    if (*made == NULL)
        return base_out_of_memory(problem);
    const col_status status = make(*made, text, path, sources, problem);
    if (status != COL_OK) {
        cat_judge_free(*made);
        *made = NULL;
    }
    return status;
}

void cat_judge_free(cat_judge *judge) {
    if (judge == NULL)
        return;
    cat_run_free(judge->run);
    cat_program_graph_free(&judge->graph);
    cat_model_free(&judge->model);
    col_violation_free(&judge->violation);
    free(judge->block.memory);
    col_program_free(&judge->resolved);
    free(judge);
}

bool cat_judge_is_built_in(const cat_judge *judge, col_model *which) {
    if (judge->is_built_in)
        *which = judge->built_in;
    return judge->is_built_in;
}

/* ---- Watching. */

col_status cat_judge_reserve(cat_judge *judge, const col_program *program, col_problem *problem) {
    const uint32_t count = col_program_operations(program);
    if (count > CAT_MOST_OPERATIONS)
        return base_refuse(problem,
                           "%u operations are too many for a cat model that is none of the "
                           "built-in ones: the limit is %d",
                           count, CAT_MOST_OPERATIONS);
    const size_t most = (size_t)count + 1;
    const base_part parts[] = {BASE_PART(judge->seen, most),  BASE_PART(judge->source, most),
                               BASE_PART(judge->place, most), BASE_PART(judge->is_absent, most),
                               BASE_PART(judge->words, most), {0}};
    const col_status status = base_block_divide(&judge->block, parts, problem);
    if (status != COL_OK)
        return status;
    judge->program = judge->original = program;
    judge->count = count;
    return COL_OK;
}

col_status cat_judge_load(cat_judge *judge, const col_program *program, col_problem *problem) {
    const col_status status = cat_judge_reserve(judge, program, problem);
    if (status == COL_OK)
        cat_judge_restart(judge);
    return status;
}

void cat_judge_restart(cat_judge *judge) {
    judge->program = judge->original;
    memset(judge->seen, 0, judge->count * sizeof *judge->seen);
}

void cat_judge_notice(cat_judge *judge, const col_event *event) {
    if ((event->kind != COL_LOAD_PERFORMED && event->kind != COL_STORE_PERFORMED) ||
        event->operation >= judge->count)
        return;
    const bool is_load = event->kind == COL_LOAD_PERFORMED;
    judge->seen[event->operation] = (cat_seen){.read = is_load ? event->word : event->read,
                                               .left = event->word,
                                               .replaced = event->overwritten,
                                               .is_performed = true,
                                               .is_load = is_load};
}

/* ---- What is wrong by itself. */

static const col_kind_traits *traits_of(const cat_judge *judge, uint32_t operation) {
    return &col_kinds[judge->program->operations[operation].kind];
}

static void fill_texts(cat_judge *judge) {
    for (uint32_t i = 0; i < judge->violation.mention_count; i++) {
        col_mention *m = &judge->violation.mentions[i];
        chk_describe(&judge->program->operations[m->operation], &judge->seen[m->operation].read,
                     m->text, sizeof m->text);
    }
}

/* One or two operations, and what is wrong with them. Returns false. */
static bool blame(cat_judge *judge, uint32_t one, uint32_t other, const char *what) {
    char texts[2][96];
    const uint32_t operations[2] = {one, other};
    chk_violation_clear(&judge->violation);
    for (uint32_t i = 0; i < 2; i++) {
        chk_describe(&judge->program->operations[operations[i]], &judge->seen[operations[i]].read,
                     texts[i], sizeof texts[i]);
        (void)chk_mention_in(&judge->violation, judge->program, operations[i]);
    }
    if (one == other)
        (void)snprintf(judge->violation.reason, sizeof judge->violation.reason,
                       "thread %u: '%s' %s", col_program_thread_of(judge->program, one), texts[0],
                       what);
    else
        (void)snprintf(judge->violation.reason, sizeof judge->violation.reason,
                       "thread %u: '%s' and thread %u: '%s' %s",
                       col_program_thread_of(judge->program, one), texts[0],
                       col_program_thread_of(judge->program, other), texts[1], what);
    fill_texts(judge);
    return false;
}

/* ---- From words to writes. */

static int compare_words(const void *first, const void *second) {
    const cat_word *a = first, *b = second;
    if (a->location != b->location)
        return a->location < b->location ? -1 : 1;
    return (a->word > b->word) - (a->word < b->word);
}

static const cat_word *find_word(const cat_judge *judge, size_t count, uint32_t location,
                                 uint64_t word) {
    const cat_word wanted = {.location = location, .word = word};
    return count == 0 ? NULL : bsearch(&wanted, judge->words, count, sizeof wanted, compare_words);
}

/* Performed writes by what they replaced; or all writes whose word is known, by what they left. */
static size_t sort_writes(cat_judge *judge, bool by_left) {
    size_t count = 0;
    for (uint32_t i = 0; i < judge->count; i++) {
        const col_operation *o = &judge->program->operations[i];
        const cat_seen *seen = &judge->seen[i];
        if (!traits_of(judge, i)->writes ||
            (!seen->is_performed && (!by_left || o->kind == COL_ADD)))
            continue;
        const uint64_t left =
            seen->is_performed ? seen->left : col_program_operand(judge->program, o);
        judge->words[count++] = (cat_word){
            .word = by_left ? left : seen->replaced, .location = o->location, .write = i};
    }
    qsort(judge->words, count, sizeof *judge->words, compare_words);
    return count;
}

/* At each location writes replace each other, from the initial word on. A write that has not
 * performed comes after all that have: its place is the last. */
static bool order_writes(cat_judge *judge) {
    const size_t count = sort_writes(judge, false);
    size_t placed = 0;
    for (uint32_t i = 0; i < judge->count; i++)
        judge->place[i] = UINT32_MAX;
    for (size_t i = 1; i < count; i++)
        if (compare_words(&judge->words[i - 1], &judge->words[i]) == 0)
            return blame(judge, judge->words[i - 1].write, judge->words[i].write,
                         "replaced the same value: one of them was lost");
    for (uint32_t l = 0; l < judge->program->location_count; l++) {
        uint64_t word = 0;
        uint32_t place = 0;
        const cat_word *next = find_word(judge, count, l, word);
        while (next != NULL && judge->place[next->write] == UINT32_MAX) {
            judge->place[next->write] = place++;
            placed++;
            word = judge->seen[next->write].left;
            next = find_word(judge, count, l, word);
        }
    }
    for (size_t i = 0; placed < count && i < count; i++)
        if (judge->place[judge->words[i].write] == UINT32_MAX)
            return blame(judge, judge->words[i].write, judge->words[i].write,
                         "replaced a value that was not the last one written");
    return true;
}

/* A write that was read from is there, even if it has not performed. */
static bool find_sources(cat_judge *judge) {
    const size_t count = sort_writes(judge, true);
    for (uint32_t i = 0; i < judge->count; i++)
        judge->is_absent[i] = !judge->seen[i].is_performed &&
                              (traits_of(judge, i)->reads || traits_of(judge, i)->writes);
    for (uint32_t i = 0; i < judge->count; i++) {
        const uint64_t word = judge->seen[i].read;
        judge->source[i] = COL_INITIAL;
        if (!judge->seen[i].is_performed || !traits_of(judge, i)->reads || word == 0)
            continue;
        const cat_word *found =
            find_word(judge, count, judge->program->operations[i].location, word);
        if (found == NULL)
            return blame(judge, i, i, "returned a value that no operation stored there");
        judge->source[i] = found->write;
        if (!traits_of(judge, found->write)->reads)
            judge->is_absent[found->write] = false;
        else if (judge->is_absent[found->write])
            return blame(judge, i, i, "returned the value of an atomic that has not performed");
    }
    return true;
}

static bool all_performed(cat_judge *judge) {
    for (uint32_t i = 0; i < judge->count; i++)
        if (!judge->seen[i].is_performed &&
            (traits_of(judge, i)->reads || traits_of(judge, i)->writes))
            return blame(judge, i, i, "never performed");
    return true;
}

/* ---- Verdicts. */

col_status cat_judge_explain(cat_judge *judge, uint32_t check, const cat_execution *execution,
                             col_problem *problem) {
    const col_status status = cat_program_explain(judge->run, check, &judge->graph, execution,
                                                  &judge->model, &judge->violation, problem);
    if (status == COL_OK)
        fill_texts(judge);
    return status;
}

static col_status judge_graph(cat_judge *judge, const cat_execution *execution, bool complete,
                              bool *is_allowed, col_problem *problem) {
    cat_verdict verdict = {0};
    col_status status = cat_program_graph_make(&judge->graph, execution, &judge->model, problem);
    if (status == COL_OK)
        status = cat_run_load(judge->run, &judge->graph.graph, problem);
    if (status == COL_OK)
        status = cat_run_judge(judge->run, complete ? CAT_WITH_CO : CAT_WITH_PART_OF_CO, &verdict,
                               problem);
    *is_allowed = verdict.is_allowed;
    if (status != COL_OK || verdict.is_allowed)
        return status;
    return cat_judge_explain(judge, verdict.check, execution, problem);
}

static col_status resolve_conditionals(cat_judge *judge, col_problem *problem) {
    if (!prg_has_conditionals(judge->original))
        return COL_OK;
    const col_status status = prg_copy(judge->original, &judge->resolved, problem);
    for (uint32_t i = 0; status == COL_OK && i < judge->count; i++)
        prg_resolve_conditional(&judge->resolved.operations[i], judge->seen[i].is_load);
    judge->program = status == COL_OK ? &judge->resolved : judge->original;
    return status;
}

col_status cat_judge_finish(cat_judge *judge, bool complete, bool *is_allowed,
                            col_problem *problem) {
    const col_status resolved = resolve_conditionals(judge, problem);
    if (resolved != COL_OK)
        return resolved;
    const cat_execution execution = {.program = judge->program,
                                     .source = judge->source,
                                     .place = judge->place,
                                     .is_absent = judge->is_absent};
    *is_allowed = (!complete || all_performed(judge)) && order_writes(judge) && find_sources(judge);
    if (!*is_allowed)
        return judge->violation.is_cut ? base_out_of_memory(problem) : COL_OK;
    return judge_graph(judge, &execution, complete, is_allowed, problem);
}
