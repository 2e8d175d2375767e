/* SPDX-License-Identifier: MIT */
/* Candidate executions: events, values and sources. See candidate.h. */
#include "judge/litmus/candidate.h"

#include "judge/litmus/litmus_assembler.h"

#include <stdlib.h>
#include <string.h>

col_status lit_candidate_begin(lit_candidate *c, const lit_test *test, bool is_coherent,
                               col_problem *problem) {
    lit_candidate_free(c);
    const size_t threads = test->thread_count + 1;
    c->test = test;
    c->is_coherent = is_coherent;
    const base_part parts[] = {BASE_PART(c->paths, threads),
                               BASE_PART(c->first_access, threads),
                               BASE_PART(c->node_start, threads),
                               BASE_PART(c->cell_start, (size_t)test->part_count + 1),
                               {0}};
    return base_block_divide(&c->by_test, parts, problem);
}

void lit_candidate_free(lit_candidate *c) {
    cat_graph_free(&c->graph);
    free(c->by_test.memory);
    free(c->by_paths.memory);
    *c = (lit_candidate){0};
}

/* ---- Events. */

static bool is_accessed(const lit_candidate *c, uint32_t cell) {
    for (uint32_t t = 0; t < c->test->thread_count; t++)
        for (size_t i = 0; i < c->paths[t]->event_count; i++) {
            const lit_event *e = &c->paths[t]->events[i];
            if (e->memory != LIT_NO_EVENT && e->place == cell)
                return true;
        }
    return false;
}

static void add_access(lit_candidate *c, lit_access access) {
    if (access.reads)
        c->reads[c->read_count++] = c->access_count;
    access.source = LIT_NO_EVENT;
    c->accesses[c->access_count++] = access;
}

static col_status reserve(lit_candidate *c, uint32_t *count, col_problem *problem) {
    size_t total = c->test->part_count, nodes = 0;
    for (uint32_t t = 0; t < c->test->thread_count; t++) {
        total += c->paths[t]->event_count;
        c->node_start[t] = (uint32_t)nodes;
        nodes += c->paths[t]->nodes.count;
    }
    c->node_start[c->test->thread_count] = (uint32_t)nodes;
    *count = (uint32_t)total;
    const base_part parts[] = {BASE_PART(c->values, nodes + 1),   BASE_PART(c->is_known, nodes + 1),
                               BASE_PART(c->accesses, total + 1), BASE_PART(c->reads, total + 1),
                               BASE_PART(c->writes, total + 1),   BASE_PART(c->order, total + 1),
                               BASE_PART(c->before, total + 1),   {0}};
    return base_block_divide(&c->by_paths, parts, problem);
}

/* Of the cell that a part belongs to. */
static const lit_cell *cell_of(const lit_test *test, uint32_t part) {
    const lit_symbol *symbol = &test->symbols[test->parts[part].symbol];
    return &test->cells[symbol->first_cell + test->parts[part].index];
}

static uint32_t parts_of(const lit_test *test, uint32_t part) {
    return test->granule == 0 ? 1 : cell_of(test, part)->bytes / test->granule;
}

static uint32_t first_part_of(const lit_test *test, uint32_t part) {
    return test->granule == 0 ? part : cell_of(test, part)->first_part;
}

static void add_initial_writes(lit_candidate *c) {
    for (uint32_t cell = 0; cell < c->test->part_count; cell++) {
        if (!is_accessed(c, cell))
            continue;
        const uint32_t event = c->access_count;
        add_access(c, (lit_access){.event = event,
                                   .thread = CAT_NO_THREAD,
                                   .inside = cell,
                                   .cell = cell,
                                   .first = first_part_of(c->test, cell),
                                   .count = parts_of(c->test, cell),
                                   .writes = true});
        c->graph.events[event] = (cat_event){.thread = CAT_NO_THREAD,
                                             .location = cell,
                                             .value = c->test->parts[cell].initial,
                                             .kind = CAT_WRITE};
    }
}

static void add_path(lit_candidate *c, uint32_t thread, uint32_t *event) {
    const lit_path *p = c->paths[thread];
    c->first_access[thread] = c->access_count;
    for (size_t i = 0; i < p->event_count; i++, (*event)++) {
        const lit_event *e = &p->events[i];
        c->graph.events[*event] = (cat_event){.thread = thread,
                                              .instance = e->instance,
                                              .location = e->place,
                                              .access = e->access,
                                              .kind = e->kind};
        if (e->memory != LIT_NO_EVENT)
            add_access(c, (lit_access){.event = *event,
                                       .thread = thread,
                                       .inside = (uint32_t)i,
                                       .cell = e->place,
                                       .first = e->first_part,
                                       .count = e->part_count,
                                       .instance = e->instance,
                                       .reads = e->reads,
                                       .writes = e->kind == CAT_WRITE});
    }
}

/* ---- Sets and relations that stay whatever the sources. */

/* From accesses of the thread that `from` names. */
static void relate_all(lit_candidate *c, cat_relation relation, uint32_t thread, uint64_t from,
                       uint32_t to) {
    const uint32_t first = c->first_access[thread];
    for (uint32_t i = 0; from != 0; i++, from >>= 1)
        if ((from & 1) != 0)
            cat_graph_relate(&c->graph, relation, c->accesses[first + i].event, to);
}

static void put_all_names(lit_candidate *c, const lit_event *e, uint32_t event) {
    const uint8_t order = e->memory != LIT_NO_EVENT ? lit_order_of(e, c->test->isa) : 0;
    uint8_t pairs = 0;
    if (e->kind == CAT_FENCE_EVENT)
        (void)lit_fence_pairs(e->sets[0], &pairs);
    cat_graph_put_fence(&c->graph, pairs, event);
    if (e->reads && (order & COL_ACQUIRE) != 0) {
        cat_graph_put(&c->graph, CAT_A, event);
        cat_graph_put(&c->graph, CAT_ACQ, event);
    }
    if (e->kind == CAT_WRITE && (order & COL_RELEASE) != 0) {
        cat_graph_put(&c->graph, CAT_L, event);
        cat_graph_put(&c->graph, CAT_REL, event);
    }
}

static void mark_event(lit_candidate *c, uint32_t thread, const lit_event *e, uint32_t event) {
    const bool is_of_x86 = c->test->isa == LIT_X86 || c->test->isa == LIT_X86_64;
    for (uint32_t s = 0; s < LIT_STEP_SETS && e->sets[s] != LIT_NO_SET; s++)
        if (!c->has_all_names || e->sets[s] != CAT_A || !is_of_x86)
            cat_graph_put(&c->graph, (cat_set)e->sets[s], event);
    if (c->has_all_names)
        put_all_names(c, e, event);
    if (e->kind == CAT_WRITE && e->reads)
        cat_graph_put(&c->graph, CAT_R, event);
    if (e->is_selected && c->graph.status == COL_OK)
        cat_remove(c->graph.sets[CAT_BCC], event);
    relate_all(c, CAT_ADDR, thread, e->address_from, event);
    relate_all(c, CAT_DATA, thread, e->data_from, event);
    relate_all(c, CAT_CTRL, thread, e->control_from, event);
}

static void mark_events(lit_candidate *c, uint32_t event) {
    for (uint32_t t = 0; t < c->test->thread_count; t++) {
        const lit_path *p = c->paths[t];
        for (size_t i = 0; i < p->edge_count; i++)
            cat_graph_relate(&c->graph, p->edges[i].relation, event + p->edges[i].from,
                             event + p->edges[i].to);
        for (size_t i = 0; i < p->event_count; i++)
            mark_event(c, t, &p->events[i], event++);
    }
}

col_status lit_candidate_make(lit_candidate *c, const cat_model *model, col_problem *problem) {
    uint32_t most = 0;
    c->needs_finals = cat_model_uses(model, CAT_O_SET, CAT_FW);
    c->needs_order = model->chooses_co || cat_model_uses(model, CAT_O_RELATION, CAT_CO);
    c->needs_same_values = cat_model_uses(model, CAT_O_RELATION, CAT_SAME_VALUE);
    col_status status = reserve(c, &most, problem);
    if (status != COL_OK)
        return status;
    cat_graph_begin(&c->graph, most, problem);
    if (c->graph.status != COL_OK)
        return c->graph.status;
    c->access_count = c->read_count = 0;
    add_initial_writes(c);
    uint32_t count = c->access_count;
    const uint32_t initial = count;
    for (uint32_t t = 0; t < c->test->thread_count; t++)
        add_path(c, t, &count);
    c->graph.size = cat_size_of(count);
    cat_graph_derive(&c->graph);
    mark_events(c, initial);
    return c->graph.status;
}

/* ---- Values. */

static bool is_between(const lit_candidate *c, const lit_access *first, const lit_access *last) {
    for (uint32_t i = c->first_access[last->thread]; i < c->access_count; i++) {
        const lit_access *a = &c->accesses[i];
        if (a->thread != last->thread || a->instance >= last->instance)
            return false;
        if (a->writes && a->cell == last->cell && a != first &&
            (first->thread != a->thread || a->instance > first->instance))
            return true;
    }
    return false;
}

bool lit_candidate_may_read(const lit_candidate *c, const lit_access *read, uint32_t source) {
    const lit_access *write = &c->accesses[source];
    if (!write->writes || write->cell != read->cell || write == read)
        return false;
    if (!c->is_coherent)
        return true;
    if (write->thread == read->thread)
        return write->instance < read->instance && !is_between(c, write, read);
    return write->thread != CAT_NO_THREAD || !is_between(c, write, read);
}

static bool find_read(lit_candidate *c, uint32_t thread, uint32_t event, uint64_t *value) {
    /* Accesses of a thread are in the order of its events. */
    const uint32_t place = c->first_access[thread] + c->paths[thread]->events[event].memory;
    const uint32_t source = c->accesses[place].source;
    if (source == LIT_NO_EVENT)
        return false;
    const lit_access *write = &c->accesses[source];
    if (write->thread == CAT_NO_THREAD) {
        const lit_cell *cell = &c->test->parts[write->cell];
        *value = lit_typed(cell->initial, (lit_type){cell->bytes, false});
        return true;
    }
    const lit_value node = c->paths[write->thread]->events[write->inside].value;
    *value = lit_candidate_value(c, write->thread, node);
    return c->is_known[c->node_start[write->thread] + node];
}

/* Computes the nodes of a path that can be; true: there were new ones. */
static bool sweep(lit_candidate *c, uint32_t thread) {
    const lit_nodes *nodes = &c->paths[thread]->nodes;
    uint64_t *values = c->values + c->node_start[thread];
    bool *is_known = c->is_known + c->node_start[thread], is_new = false;
    for (size_t i = 0; i < nodes->count; i++) {
        const lit_node *n = &nodes->nodes[i];
        if (is_known[i])
            continue;
        if (n->kind == LIT_KNOWN) {
            values[i] = n->constant;
            is_known[i] = true;
        } else if (n->kind == LIT_FROM_READ) {
            is_known[i] = find_read(c, thread, n->event, &values[i]);
        } else if (is_known[n->a] && is_known[n->b]) {
            values[i] = lit_compute_known((lit_operator)n->operator_, values[n->a], values[n->b]);
            is_known[i] = true;
        }
        is_new = is_new || is_known[i];
    }
    return is_new;
}

bool lit_candidate_compute(lit_candidate *c) {
    bool is_new = true;
    memset(c->is_known, 0, c->node_start[c->test->thread_count] * sizeof *c->is_known);
    while (is_new) {
        is_new = false;
        for (uint32_t t = 0; t < c->test->thread_count; t++)
            is_new = sweep(c, t) || is_new;
    }
    for (uint32_t t = 0; t < c->test->thread_count; t++) {
        const lit_path *p = c->paths[t];
        for (size_t i = 0; i < p->demand_count; i++) {
            const lit_demand *d = &p->demands[i];
            if (c->is_known[c->node_start[t] + d->value] &&
                (lit_candidate_value(c, t, d->value) == 0) != d->is_zero)
                return false;
        }
    }
    return true;
}

bool lit_candidate_is_solved(const lit_candidate *c) {
    const uint32_t count = c->node_start[c->test->thread_count];
    return memchr(c->is_known, 0, count * sizeof *c->is_known) == NULL;
}

col_status lit_candidate_relate_sources(lit_candidate *c) {
    cat_graph_clear(&c->graph, CAT_RF);
    for (uint32_t i = 0; i < c->read_count; i++) {
        const lit_access *read = &c->accesses[c->reads[i]];
        cat_graph_relate(&c->graph, CAT_RF, c->accesses[read->source].event, read->event);
    }
    for (uint32_t i = 0; i < c->access_count; i++) {
        const lit_access *a = &c->accesses[i];
        if (a->thread == CAT_NO_THREAD)
            continue;
        const lit_event *e = &c->paths[a->thread]->events[a->inside];
        c->graph.events[a->event].value =
            lit_candidate_value(c, a->thread, a->writes ? e->value : e->found);
    }
    if (c->needs_same_values)
        cat_graph_compare_values(&c->graph);
    return c->graph.status;
}
