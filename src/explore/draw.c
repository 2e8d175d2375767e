/* SPDX-License-Identifier: MIT */
/*
 * Drawings: see draw.h. A search that can be drawn is small: each state is found again from the
 * beginning, and its steps are taken again, with a trace.
 */
#include "explore/draw.h"
#include "explore/trace.h"

#include <stdlib.h>
#include <string.h>

typedef struct drawing {
    search *search;
    worker *worker;
    state_graph graph;
    base_text label;   /* of the step at hand */
    base_text labels;  /* of the steps, one after the other, each with its end */
    uint8_t *image;    /* of the state that steps are taken from */
    uint32_t *flights; /* of each state: messages under way */
} drawing;

static uint64_t print_renamed(worker *w) {
    if (w->renames)
        exp_renamer_pack(&w->renamer, &w->steps.world);
    return exp_known_print(w->steps.world.image, w->steps.world.image_bytes);
}

/* A step of the present state; the search has taken it before, so it does not fail. */
static bool add_step(drawing *d, uint32_t choice) {
    worker *w = d->worker;
    d->label.length = 0;
    w->steps.trace = &d->label;
    const bool changes = exp_worker_step(w, choice, false);
    w->steps.trace = NULL;
    bool is_added = !d->label.failed;
    if (changes && is_added) {
        is_added = exp_graph_add_step(&d->graph, print_renamed(w), w->plain_renaming);
        base_text_add_bytes(&d->labels, d->label.data, d->label.length);
        base_text_add_bytes(&d->labels, "", 1);
    }
    exp_world_undo(&w->steps.world);
    return is_added && !d->labels.failed;
}

static bool add_steps(drawing *d) {
    worker *w = d->worker;
    uint16_t choices[EXP_MOST_LISTED];
    if (setjmp(w->system->escape) != 0) {
        w->steps.trace = NULL;
        w->strays = !w->system->failure.out_of_memory;
        return false;
    }
    const uint32_t count = exp_step_list(&w->steps, choices);
    for (uint32_t i = 0; i < count; i++)
        if (!add_step(d, choices[i]))
            return false;
    return true;
}

static bool add_state(drawing *d, uint64_t number) {
    uint32_t length;
    uint16_t *way = exp_paths_to(&d->search->paths, number, &length);
    uint64_t print;
    const bool is_there = way != NULL && exp_trace_follow(d->worker, way, length, d->image, &print);
    free(way);
    if (!is_there || !exp_graph_add_state(&d->graph, print))
        return false;
    d->flights[number] = d->worker->steps.world.flight_count;
    return add_steps(d) && exp_graph_look_at(&d->graph, 0);
}

/* Lines of a label; the places of text that DOT takes for its own are escaped. */
static void write_label(const char *label, base_text *text) {
    for (const char *at = label; *at != '\0'; at++) {
        if (*at == '\n')
            base_text_add(text, "\\l");
        else if (*at == '"' || *at == '\\')
            base_text_print(text, "\\%c", *at);
        else
            base_text_add_bytes(text, at, 1);
    }
}

static void write_all(const drawing *d, base_text *text) {
    const state_graph *g = &d->graph;
    const char *label = d->labels.data;
    base_text_print(text, "digraph \"%s\" {\n  node [shape=circle];\n",
                    d->worker->system->protocol->name);
    for (uint64_t s = 0; s < g->count; s++)
        base_text_print(text, "  %llu [tooltip=\"%u in flight\"%s];\n", (unsigned long long)s,
                        d->flights[s], s == 0 ? ", shape=doublecircle" : "");
    for (uint64_t s = 0; s < g->count; s++)
        for (uint64_t i = exp_graph_first(g, s); i < exp_graph_first(g, s + 1); i++) {
            base_text_print(text, "  %llu -> %llu [label=\"", (unsigned long long)s,
                            (unsigned long long)g->targets[i]);
            write_label(label, text);
            base_text_add(text, "\"];\n");
            label += strlen(label) + 1;
        }
    base_text_add(text, "}\n");
}

static bool draw(drawing *d, base_text *text) {
    for (uint64_t s = 0; s < d->search->paths.count; s++)
        if (!add_state(d, s))
            return false;
    if (!exp_graph_number(&d->graph, &d->worker->strays))
        return false;
    write_all(d, text);
    return !text->failed;
}

bool exp_draw(search *x, base_text *text) {
    drawing d = {.search = x, .worker = &x->workers[0]};
    d.image = malloc(d.worker->steps.world.image_capacity);
    d.flights = calloc(x->paths.count + 1, sizeof *d.flights);
    const bool watched = d.worker->system->base.watch_transitions;
    d.worker->system->base.watch_transitions = true;
    const bool is_drawn = d.image != NULL && d.flights != NULL && draw(&d, text);
    d.worker->system->base.watch_transitions = watched;
    exp_graph_free(&d.graph);
    base_text_free(&d.label);
    base_text_free(&d.labels);
    free(d.image);
    free(d.flights);
    return is_drawn;
}
