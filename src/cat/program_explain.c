/* SPDX-License-Identifier: MIT */
/* The steps of an explanation between events, as steps between operations of a program. */
#include "base/path.h"
#include "cat/program.h"
#include "check/violation.h"

#include <stdio.h>
#include <string.h>

/* What the relations' names mean to the checkers, by how they begin. */
static col_relation relation_of(const char *name) {
    static const struct {
        const char *beginning;
        col_relation relation;
    } rows[] = {{"rf", COL_READS_FROM},    {"co", COL_COHERENCE},   {"fr", COL_FROM_READ},
                {"addr", COL_DEPENDENT},   {"data", COL_DEPENDENT}, {"ctrl", COL_DEPENDENT},
                {"iico", COL_DEPENDENT},   {"rmw", COL_ATOMIC},     {"amo", COL_ATOMIC},
                {"lxsx", COL_ATOMIC},      {"timed", COL_TIMED},    {"po-loc", COL_SAME_LOCATION},
                {"loc", COL_SAME_LOCATION}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strncmp(name, rows[i].beginning, strlen(rows[i].beginning)) == 0)
            return rows[i].relation;
    return COL_PROGRAM_ORDER;
}

typedef struct teller {
    const cat_program_graph *made;
    const col_program *program;
    col_violation *violation;
    col_problem *problem;
} teller;

static uint32_t mention(const teller *t, uint32_t operation) {
    const uint32_t place = chk_mention(t->violation, operation);
    if (place == COL_NO_MENTION)
        return place;
    col_mention *m = &t->violation->mentions[place];
    m->thread = col_program_thread_of(t->program, operation);
    m->place = operation - t->program->thread_start[m->thread];
    return place;
}

static col_status add_step(const teller *t, uint32_t from, uint32_t to, col_relation relation) {
    const col_step step = {mention(t, from), mention(t, to), relation, COL_NO_MENTION};
    if (step.from == COL_NO_MENTION || step.to == COL_NO_MENTION)
        return base_out_of_memory(t->problem);
    return from == to ? COL_OK : chk_step(t->violation, step, t->problem);
}

/* A way through an initial write, back along rf and on along co, is one step: from-read. */
static col_status add_steps(const teller *t, const cat_explanation *why) {
    const cat_event *events = t->made->graph.events;
    uint32_t start = COL_INITIAL;
    col_status status = COL_OK;
    for (size_t i = 0; i < why->count && status == COL_OK; i++) {
        const cat_step *step = &why->steps[i];
        const cat_event *from = &events[step->from], *to = &events[step->to];
        if (to->owner == COL_INITIAL) {
            start = from->owner;
            continue;
        }
        const bool fenced = from->kind == CAT_FENCE_EVENT || to->kind == CAT_FENCE_EVENT;
        if (from->owner != COL_INITIAL)
            status =
                add_step(t, from->owner, to->owner, fenced ? COL_FENCED : relation_of(step->name));
        else if (start != COL_INITIAL)
            status = add_step(t, start, to->owner, COL_FROM_READ);
    }
    return status;
}

/* What the model calls a fence: the first of its names that the model speaks of. */
static const char *fence_name(const cat_graph *graph, const cat_model *model, uint32_t event) {
    for (cat_set set = CAT_MFENCE; set <= CAT_FENCE_I; set++)
        if (graph->sets[set] != NULL && cat_has(graph->sets[set], event) &&
            cat_model_uses_set(model, set))
            return cat_set_names[set];
    return "F";
}

/* "po; [SYNC]; po; fre" */
static void list_names(const cat_graph *graph, const cat_model *model, const cat_explanation *why,
                       char *text, size_t size) {
    enum { MOST = 100 }; /* of one step */
    size_t length = 0, i = 0;
    text[0] = '\0';
    for (; i < why->count && length + MOST < size; i++) {
        const cat_step *step = &why->steps[i];
        const bool fenced = graph->events[step->to].kind == CAT_FENCE_EVENT;
        const int added =
            snprintf(text + length, size - length, "%s%.40s%s%s%s%s", i == 0 ? "" : "; ",
                     step->name, step->is_inverse ? "^-1" : "", fenced ? "; [" : "",
                     fenced ? fence_name(graph, model, step->to) : "", fenced ? "]" : "");
        length += added > 0 ? (size_t)added : 0;
    }
    if (i < why->count)
        (void)snprintf(text + length, size - length, "; ...");
}

static void say(const cat_graph *graph, const cat_model *model, const cat_check *check,
                const cat_explanation *why, char *reason, size_t size) {
    static const char *const wanted[] = {"acyclic", "irreflexive", "empty"};
    char names[320], axiom[100];
    list_names(graph, model, why, names, sizeof names);
    if (check->name != NULL)
        (void)snprintf(axiom, sizeof axiom, "'%.80s'", check->name);
    else
        (void)snprintf(axiom, sizeof axiom, "line %u", check->place.line);
    const char *title = model->title != NULL ? model->title : base_path_name(model->path);
    if (why->is_cycle)
        (void)snprintf(reason, size, "%.60s violation: these operations form a cycle in %s (%s)",
                       title, axiom, names);
    else if (why->count > 0)
        (void)snprintf(reason, size, "%.60s violation: %s must be empty, but holds (%s)", title,
                       axiom, names);
    else
        (void)snprintf(reason, size, "%.60s violation: %s must %sbe %s", title, axiom,
                       check->is_negated ? "not " : "", wanted[check->test]);
}

col_status cat_program_explain(cat_run *run, uint32_t number, const cat_program_graph *made,
                               const cat_execution *execution, const cat_model *model,
                               col_violation *violation, col_problem *problem) {
    const teller t = {made, execution->program, violation, problem};
    cat_explanation why = {0};
    chk_violation_clear(violation);
    col_status status = cat_run_explain(run, number, &why, problem);
    if (status == COL_OK)
        say(&made->graph, model, &model->checks[number], &why, violation->reason,
            sizeof violation->reason);
    if (status == COL_OK && why.is_cycle)
        status = add_steps(&t, &why);
    for (size_t i = 0; status == COL_OK && !why.is_cycle && i < why.count; i++) {
        const uint32_t ends[2] = {made->graph.events[why.steps[i].from].owner,
                                  made->graph.events[why.steps[i].to].owner};
        for (uint32_t k = 0; k < 2; k++)
            if (ends[k] != COL_INITIAL && mention(&t, ends[k]) == COL_NO_MENTION)
                status = base_out_of_memory(problem);
    }
    cat_explanation_free(&why);
    return status;
}
