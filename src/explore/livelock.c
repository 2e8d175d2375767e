/* SPDX-License-Identifier: MIT */
/*
 * Livelocks: see livelock.h. What a state can get to is what its own steps complete and what the
 * states after it can get to, with the names that cores and blocks have there. States are swept
 * from the last to the first until nothing changes: most steps lead to states found later.
 */
#include "explore/livelock.h"
#include "explore/trace.h"

#include <stdio.h>
#include <stdlib.h>

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
    for (uint64_t s = g->looked_at; s-- > 0;) {
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
    exp_step_tell_flights(&w->steps, &x->result->trace, "has");
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
    for (uint64_t s = 0; s < x->graph.looked_at; s++)
        if (x->graph.marks[s] != m.all)
            return report(x, &m, s);
    return true;
}
