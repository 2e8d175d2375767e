/* SPDX-License-Identifier: MIT */
/* Steps between states: see search_parts.h. */
#include "protocol/explore/search_parts.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool grow(void *list, uint64_t *capacity, uint64_t count, size_t size) {
    return exp_reserve(list, capacity, count + 1, size, *capacity / 2 + 4096);
}

bool exp_graph_add_state(state_graph *g, uint64_t hash) {
    if (!grow(&g->hashes, &g->capacity, g->count, sizeof *g->hashes))
        return false;
    g->hashes[g->count++] = hash;
    return true;
}

bool exp_graph_add_step(state_graph *g, uint64_t target, uint32_t renaming) {
    if (!grow(&g->targets, &g->targets_capacity, g->steps, sizeof *g->targets) ||
        !grow(&g->renamings, &g->renamings_capacity, g->steps, sizeof *g->renamings))
        return false;
    g->targets[g->steps] = target;
    g->renamings[g->steps++] = renaming;
    return true;
}

bool exp_graph_end_state(state_graph *g, uint64_t marks) {
    if (!grow(&g->firsts, &g->firsts_capacity, g->expanded + 1, sizeof *g->firsts) ||
        !grow(&g->marks, &g->marks_capacity, g->expanded, sizeof *g->marks))
        return false;
    g->firsts[0] = 0;
    g->marks[g->expanded++] = marks;
    g->firsts[g->expanded] = g->steps;
    return true;
}

bool exp_graph_number(state_graph *g, bool *strays) {
    base_index states = {0};
    *strays = false;
    bool has_memory = g->count < BASE_NO_NUMBER; /* 100 GB before that */
    for (uint64_t i = 0; i < g->count && has_memory; i++)
        has_memory = base_index_put(&states, g->hashes[i], NULL) == COL_OK;
    for (uint64_t i = 0; i < g->steps && has_memory && !*strays; i++) {
        const uint32_t state = base_index_find(&states, g->targets[i], NULL, NULL, NULL);
        *strays = state == BASE_NO_NUMBER;
        g->targets[i] = state;
    }
    base_index_free(&states);
    return has_memory && !*strays;
}

uint64_t exp_graph_bytes(const state_graph *g) {
    return (g->capacity + g->firsts_capacity + g->marks_capacity + g->targets_capacity) *
               sizeof(uint64_t) +
           g->renamings_capacity * sizeof(uint32_t);
}

void exp_graph_free(state_graph *g) {
    free(g->hashes);
    free(g->firsts);
    free(g->marks);
    free(g->targets);
    free(g->renamings);
    *g = (state_graph){0};
}

/*
 * Livelocks: see search_parts.h. What a state can get to is what its own steps complete and what
 * the states after it can get to, with the names that cores and blocks have there. States are swept
 * from the last to the first until nothing changes: most steps lead to states found later.
 */

typedef struct marker {
    state_graph *graph;
    uint32_t cores, blocks;
    uint64_t all;
} marker;

/* Marks of the state that a step leads to, by the names before it. */
static uint64_t rename_back(const marker *m, uint64_t marks, uint32_t renaming) {
    const uint64_t quiet = exp_mark_quiet(m->cores, m->blocks);
    uint64_t old = marks & quiet;
    if (marks == m->all)
        return marks;
    for (uint32_t c = 0; c < m->cores; c++)
        for (uint32_t b = 0; b < m->blocks; b++) {
            const uint32_t place =
                exp_renamed_core(renaming, c) * m->blocks + exp_renamed_block(renaming, b);
            old |= (marks >> place * 2 & 3) << (c * m->blocks + b) * 2;
        }
    return old;
}

static bool sweep(const marker *m) {
    state_graph *g = m->graph;
    bool has_changed = false;
    for (uint64_t s = g->expanded; s-- > 0;) {
        uint64_t marks = g->marks[s];
        const uint64_t end = exp_graph_first(g, s + 1);
        for (uint64_t i = exp_graph_first(g, s); i < end && marks != m->all; i++)
            marks |= rename_back(m, g->marks[g->targets[i]], g->renamings[i]);
        has_changed = has_changed || marks != g->marks[s];
        g->marks[s] = marks;
    }
    return has_changed;
}

/* ---- What is told of it. */

/* How many states can follow, this one included; 0: no memory. */
static uint64_t count_after(const state_graph *g, uint64_t state) {
    uint64_t *stack = malloc(g->count * sizeof *stack);
    uint8_t *seen = calloc(g->count, 1);
    uint64_t depth = 0, count = 0;
    if (stack != NULL && seen != NULL) {
        stack[depth++] = state;
        seen[state] = 1;
    }
    while (depth > 0) {
        const uint64_t s = stack[--depth];
        count++;
        for (uint64_t i = exp_graph_first(g, s); i < exp_graph_first(g, s + 1); i++)
            if (seen[g->targets[i]] == 0) {
                seen[g->targets[i]] = 1;
                stack[depth++] = g->targets[i];
            }
    }
    free(stack);
    free(seen);
    return count;
}

/* The world is in the state; its names are those of the trace. */
static void name_missing(worker *w, const marker *m, uint64_t marks, uint64_t after, char *text,
                         size_t bytes) {
    uint32_t renaming = exp_renaming_pack(&w->steps.world.plain, m->cores, m->blocks);
    if (w->renames) {
        exp_renamer_pack(&w->renamer, &w->steps.world);
        renaming = w->renamer.renaming;
    }
    marks = rename_back(m, marks, renaming);
    for (uint32_t c = 0; c < m->cores; c++)
        for (uint32_t b = 0; b < m->blocks; b++)
            for (uint32_t is_store = 0; is_store < 2; is_store++)
                if ((marks & exp_mark(m->blocks, c, b, is_store != 0)) == 0) {
                    (void)snprintf(text, bytes,
                                   "livelock: from here on core %u never completes a %s block "
                                   "0x%llx, in any of %llu states that can follow",
                                   c, is_store != 0 ? "store to" : "load of",
                                   (unsigned long long)exp_block_address(b),
                                   (unsigned long long)after);
                    return;
                }
    (void)snprintf(text, bytes,
                   "livelock: from here on there is always a message under way, in any of %llu "
                   "states that can follow",
                   (unsigned long long)after);
}

static bool report(search *x, const marker *m, uint64_t state) {
    worker *w = &x->workers[0];
    sim_failure *failure = &w->system->failure;
    uint32_t length;
    const uint64_t after = count_after(m->graph, state);
    uint16_t *choices = exp_paths_to(&x->paths, state, &length);
    const bool is_told = after > 0 && choices != NULL &&
                         exp_trace_walk(w, choices, length, EXP_NO_CHOICE, &x->result->trace);
    free(choices);
    if (!is_told)
        return false;
    exp_trace_flights(w, &x->result->trace, "has");
    name_missing(w, m, m->graph->marks[state], after, failure->text, sizeof failure->text);
    failure->happened = true;
    failure->event = (col_event){.kind = COL_DEADLOCK, .message = failure->text};
    base_text_print(&x->result->trace, "%s\n", failure->text);
    x->result->broken = true;
    x->result->complete = false;
    return !x->result->trace.failed;
}

static marker make_marker(state_graph *graph, uint32_t cores, uint32_t blocks) {
    return (marker){graph, cores, blocks, exp_mark_quiet(cores, blocks) * 2 - 1};
}

void exp_livelock_mark(state_graph *graph, uint32_t cores, uint32_t blocks) {
    const marker m = make_marker(graph, cores, blocks);
    while (sweep(&m))
        ;
}

bool exp_livelock_find(search *x) {
    const world *w = &x->workers[0].steps.world;
    const marker m = make_marker(&x->graph, w->cores, w->blocks);
    if (!exp_graph_number(&x->graph, &x->workers[0].strays))
        return false;
    exp_livelock_mark(&x->graph, w->cores, w->blocks);
    for (uint64_t s = 0; s < x->graph.expanded; s++)
        if (x->graph.marks[s] != m.all)
            return report(x, &m, s);
    return true;
}

/*
 * Drawings: see search_parts.h. A search that can be drawn is small: each state is found again from
 * the beginning, and its steps are taken again, with a trace.
 */

typedef struct drawing {
    search *search;
    worker *worker;
    state_graph graph;
    base_text label;   /* of the step at hand */
    base_text labels;  /* of the steps, one after the other, each with its end */
    uint8_t *image;    /* of the state that steps are taken from */
    uint32_t *flights; /* of each state: messages under way */
} drawing;

/* A step of the present state; the search has taken it before, so it does not fail. */
static bool add_step(drawing *d, uint32_t choice) {
    worker *w = d->worker;
    d->label.length = 0;
    w->steps.trace = &d->label;
    const bool changes = exp_worker_step(w, choice, false);
    w->steps.trace = NULL;
    bool is_added = !d->label.failed;
    if (changes && is_added) {
        is_added = exp_graph_add_step(&d->graph, exp_worker_hash(w), w->plain_renaming);
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
    uint64_t hash;
    const bool is_there = way != NULL && exp_trace_follow(d->worker, way, length, d->image, &hash);
    free(way);
    if (!is_there || !exp_graph_add_state(&d->graph, hash))
        return false;
    d->flights[number] = d->worker->steps.world.flight_count;
    return add_steps(d) && exp_graph_end_state(&d->graph, 0);
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
            for (const char *at = label; *at != '\0'; at++) {
                if (*at == '\n')
                    base_text_add(text, "\\l");
                else if (*at == '"' || *at == '\\')
                    base_text_print(text, "\\%c", *at);
                else
                    base_text_add_bytes(text, at, 1);
            }
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
