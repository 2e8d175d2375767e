/* SPDX-License-Identifier: MIT */
/* Steps between states: see graph.h. */
#include "explore/graph.h"

#include <stdlib.h>
#include <string.h>

uint32_t exp_renaming_pack(const exp_renaming *names, uint32_t cores, uint32_t blocks) {
    uint32_t packed = 0;
    for (uint32_t c = 0; c < cores; c++)
        packed |= (uint32_t)names->core[c] << 3 * c;
    for (uint32_t b = 0; b < blocks; b++)
        packed |= (uint32_t)names->block[b] << (3 * EXP_MOST_CORES + 2 * b);
    return packed;
}

/* `list` with room for one more, or NULL, and then it is as it was. */
static void *reserve(void *list, uint64_t *capacity, uint64_t count, size_t size) {
    if (count < *capacity)
        return list;
    const uint64_t larger = *capacity + *capacity / 2 + 4096;
    void *grown = realloc(list, larger * size);
    if (grown != NULL)
        *capacity = larger;
    return grown;
}

bool exp_graph_add_state(state_graph *g, uint64_t print) {
    uint64_t *prints = reserve(g->prints, &g->capacity, g->count, sizeof *prints);
    if (prints == NULL)
        return false;
    g->prints = prints;
    g->prints[g->count++] = print;
    return true;
}

bool exp_graph_add_step(state_graph *g, uint64_t target, uint32_t renaming) {
    uint64_t *targets = reserve(g->targets, &g->targets_capacity, g->steps, sizeof *targets);
    if (targets == NULL)
        return false;
    g->targets = targets;
    uint32_t *renamings =
        reserve(g->renamings, &g->renamings_capacity, g->steps, sizeof *renamings);
    if (renamings == NULL)
        return false;
    g->renamings = renamings;
    g->targets[g->steps] = target;
    g->renamings[g->steps++] = renaming;
    return true;
}

bool exp_graph_look_at(state_graph *g, uint64_t marks) {
    uint64_t *firsts = reserve(g->firsts, &g->firsts_capacity, g->looked_at + 1, sizeof *firsts);
    if (firsts == NULL)
        return false;
    g->firsts = firsts;
    uint64_t *grown = reserve(g->marks, &g->marks_capacity, g->looked_at, sizeof *grown);
    if (grown == NULL)
        return false;
    g->marks = grown;
    g->firsts[0] = 0;
    g->marks[g->looked_at++] = marks;
    g->firsts[g->looked_at] = g->steps;
    return true;
}

/* ---- Numbers of states by their hashes. */

static uint64_t *make_table(const state_graph *g, uint64_t *mask) {
    uint64_t size = 2;
    while (size < g->count * 2)
        size *= 2;
    uint64_t *places = calloc(size, sizeof *places);
    *mask = size - 1;
    for (uint64_t i = 0; i < g->count && places != NULL; i++) {
        uint64_t place = g->prints[i] & *mask;
        while (places[place] != 0)
            place = (place + 1) & *mask;
        places[place] = i + 1;
    }
    return places;
}

bool exp_graph_number(state_graph *g, bool *strays) {
    uint64_t mask;
    uint64_t *places = make_table(g, &mask);
    *strays = false;
    for (uint64_t i = 0; i < g->steps && places != NULL && !*strays; i++) {
        uint64_t place = g->targets[i] & mask;
        while (places[place] != 0 && g->prints[places[place] - 1] != g->targets[i])
            place = (place + 1) & mask;
        *strays = places[place] == 0;
        g->targets[i] = places[place] - 1;
    }
    const bool is_done = places != NULL && !*strays;
    free(places);
    return is_done;
}

uint64_t exp_graph_bytes(const state_graph *g) {
    return (g->capacity + g->firsts_capacity + g->marks_capacity + g->targets_capacity) *
               sizeof(uint64_t) +
           g->renamings_capacity * sizeof(uint32_t);
}

void exp_graph_free(state_graph *g) {
    free(g->prints);
    free(g->firsts);
    free(g->marks);
    free(g->targets);
    free(g->renamings);
    *g = (state_graph){0};
}
