/* SPDX-License-Identifier: MIT */
/*
 * Graphs of test programs: see program.h.
 *
 * Some models find all dependencies themselves, from the registers that instructions read and
 * write. For those a read that others depend on writes a register of its own, and what depends on
 * it reads that one; a control dependency is a branch that stands before its operation, and the
 * loop of an await a branch behind it. An operation has SLOTS instances of program order for that;
 * the write of a conditional, an instruction of its own, has one, too.
 */
#include "cat/program.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4, BEFORE = 0, ITSELF = 1, PAIRED = 2, BEHIND = 3 };

typedef struct maker {
    cat_program_graph *made;
    const cat_execution *execution;
    const col_program *program;
    const cat_model *model;
    bool with_registers; /* dependencies are found from registers */
    bool with_names;     /* fences have the names of instruction sets, not only their pairs */
    bool with_acquires;  /* A and L are Arm's */
    uint32_t *is_needed; /* by operation: others depend on its value; with registers */
    uint32_t count;      /* events so far */
    uint32_t thread, place;
    bool counts_only;
    col_status status;
    col_problem *problem;
} maker;

static bool is_absent(const maker *m, uint32_t operation) {
    return m->execution->is_absent != NULL && m->execution->is_absent[operation];
}

/* What is left out does as much as a delay. */
static const col_kind_traits *traits_of(const maker *m, uint32_t operation) {
    return &col_kinds[is_absent(m, operation) ? COL_DELAY : m->program->operations[operation].kind];
}

/* It depends on a read that happened. */
static bool depends(const maker *m, uint32_t operation, col_dependency how) {
    const col_operation *o = &m->program->operations[operation];
    return o->dependency == how && !is_absent(m, operation - o->distance);
}

/* ---- Bits. Failing is remembered. */

static void put(maker *m, cat_set set, uint32_t event) {
    if (m->counts_only || m->status != COL_OK)
        return;
    uint64_t *members = cat_graph_set(&m->made->graph, set, m->problem);
    if (members == NULL)
        m->status = COL_FAILURE;
    else
        cat_put(members, event);
}

static void relate(maker *m, cat_relation relation, uint32_t from, uint32_t to) {
    if (m->counts_only || m->status != COL_OK)
        return;
    uint64_t *rows = cat_graph_relation(&m->made->graph, relation, m->problem);
    if (rows == NULL)
        m->status = COL_FAILURE;
    else
        cat_relate(rows, m->made->graph.size, from, to);
}

/* ---- Events. */

static uint32_t add_event(maker *m, cat_event_kind kind, uint32_t slot, uint32_t location,
                          uint32_t owner) {
    const uint32_t event = m->count++;
    if (!m->counts_only)
        m->made->graph.events[event] = (cat_event){.thread = m->thread,
                                                   .instance = SLOTS * m->place + slot,
                                                   .location = location,
                                                   .owner = owner,
                                                   .kind = (uint8_t)kind};
    return event;
}

/* The instance in this slot reads the register of `source`. */
static uint32_t add_register_read(maker *m, uint32_t slot, uint32_t source, uint32_t owner) {
    return add_event(m, CAT_READ_REGISTER, slot, source, owner);
}

static void add_branch(maker *m, uint32_t slot, uint32_t source, uint32_t owner) {
    const uint32_t read = add_register_read(m, slot, source, owner);
    relate(m, CAT_IICO_DATA, read, add_event(m, CAT_BRANCH, slot, 0, owner));
}

static void add_attributes(maker *m, uint32_t operation, uint32_t event, bool is_read) {
    const col_operation *o = &m->program->operations[operation];
    const bool is_pair = o->kind == COL_CONDITIONAL;
    const bool is_amo =
        traits_of(m, operation)->reads && traits_of(m, operation)->writes && !is_pair;
    const bool acquires = (o->order & COL_ACQUIRE) != 0 && (is_read || !is_pair);
    const bool releases = (o->order & COL_RELEASE) != 0 && (!is_read || !is_pair);
    if (is_pair)
        put(m, CAT_EX, event);
    if (is_amo) {
        put(m, CAT_X, event);
        put(m, CAT_RMW, event);
    }
    if (m->with_acquires && acquires && is_read)
        put(m, CAT_A, event);
    if (m->with_acquires && releases && !is_read)
        put(m, CAT_L, event);
    if (acquires || releases)
        put(m, acquires && releases ? CAT_ACQ_REL : acquires ? CAT_ACQ : CAT_REL, event);
}

static void add_access(maker *m, uint32_t operation) {
    const col_operation *o = &m->program->operations[operation];
    const col_kind_traits *traits = traits_of(m, operation);
    const uint32_t source = operation - o->distance;
    const bool reads_register = m->with_registers && (depends(m, operation, COL_ADDRESS) ||
                                                      depends(m, operation, COL_DATA));
    const uint32_t slot = o->kind == COL_CONDITIONAL ? PAIRED : ITSELF; /* of the write */
    const uint32_t port = reads_register ? add_register_read(m, ITSELF, source, operation) : 0;
    const uint32_t write_port =
        reads_register && slot != ITSELF ? add_register_read(m, slot, source, operation) : port;
    uint32_t read = 0, write = 0;
    if (traits->reads) {
        read = add_event(m, CAT_READ, ITSELF, o->location, operation);
        add_attributes(m, operation, read, true);
    }
    if (traits->writes) {
        write = add_event(m, CAT_WRITE, slot, o->location, operation);
        add_attributes(m, operation, write, false);
    }
    if (o->kind == COL_ADD)
        relate(m, CAT_IICO_DATA, read, write);
    if (reads_register) {
        const cat_set set = o->dependency == COL_ADDRESS ? CAT_ADDRESS_PORT : CAT_DATA_PORT;
        put(m, set, port);
        put(m, set, write_port);
        if (traits->reads && o->dependency == COL_ADDRESS)
            relate(m, CAT_IICO_DATA, port, read);
        if (traits->writes)
            relate(m, CAT_IICO_DATA, write_port, write);
    }
    if (m->with_registers && m->is_needed[operation] != 0)
        relate(m, CAT_IICO_DATA, read,
               add_event(m, CAT_WRITE_REGISTER, ITSELF, operation, operation));
    if (m->counts_only)
        return;
    m->made->read[operation] = read;
    m->made->write[operation] = write;
}

/* The weakest fence of each instruction set that orders these pairs. */
static void add_fence(maker *m, uint32_t operation) {
    static const struct {
        uint8_t pair;
        cat_set set;
    } pairs[] = {{COL_READ_READ, CAT_FENCE_R_R},
                 {COL_READ_WRITE, CAT_FENCE_R_W},
                 {COL_WRITE_READ, CAT_FENCE_W_R},
                 {COL_WRITE_WRITE, CAT_FENCE_W_W}};
    const uint8_t fence = m->program->operations[operation].fence;
    const uint32_t event = add_event(m, CAT_FENCE_EVENT, ITSELF, 0, operation);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if ((fence & pairs[i].pair) != 0)
            put(m, pairs[i].set, event);
    if (!m->with_names || fence == 0)
        return;
    const bool is_full = (fence & COL_WRITE_READ) != 0;
    if (is_full)
        put(m, CAT_MFENCE, event);
    put(m, is_full ? CAT_SYNC : CAT_LWSYNC, event);
    if (is_full)
        put(m, CAT_DMB_SY, event);
    if ((fence & (COL_READ_READ | COL_READ_WRITE)) != 0)
        put(m, CAT_DMB_LD, event);
    if ((fence & COL_WRITE_WRITE) != 0)
        put(m, CAT_DMB_ST, event);
}

/* Nothing in a thread is ordered with what a DMA engine does: that is a thread by itself. */
static void add_dma_access(maker *m, uint32_t operation) {
    const uint32_t thread = m->thread;
    m->thread = m->program->thread_count + operation;
    add_access(m, operation);
    m->thread = thread;
}

static void add_operation(maker *m, uint32_t operation) {
    const col_operation *o = &m->program->operations[operation];
    const col_kind_traits *traits = traits_of(m, operation);
    if (traits->dma) {
        add_dma_access(m, operation);
        return;
    }
    if (m->with_registers && depends(m, operation, COL_CONTROL))
        add_branch(m, BEFORE, operation - o->distance, operation);
    if (traits->reads || traits->writes)
        add_access(m, operation);
    else if (o->kind == COL_FENCE)
        add_fence(m, operation);
    if (m->with_registers && o->kind == COL_AWAIT && !is_absent(m, operation))
        add_branch(m, BEHIND, operation, operation);
}

static void add_initial_writes(maker *m) {
    m->thread = CAT_NO_THREAD;
    m->place = 0;
    for (uint32_t l = 0; l < m->program->location_count; l++) {
        const uint32_t event = add_event(m, CAT_WRITE, ITSELF, l, COL_INITIAL);
        if (!m->counts_only)
            m->made->initial[l] = event;
    }
}

static void add_events(maker *m) {
    m->count = 0;
    add_initial_writes(m);
    for (m->thread = 0; m->thread < m->program->thread_count; m->thread++) {
        const uint32_t start = m->program->thread_start[m->thread];
        for (m->place = 0; start + m->place < m->program->thread_start[m->thread + 1]; m->place++)
            add_operation(m, start + m->place);
    }
}

/* ---- Relations. */

/* To what an operation does, and with `is_write` to its write alone. */
static void relate_operation(maker *m, cat_relation relation, uint32_t from, uint32_t operation,
                             bool writes_only) {
    if (traits_of(m, operation)->reads && !writes_only)
        relate(m, relation, from, m->made->read[operation]);
    if (traits_of(m, operation)->writes)
        relate(m, relation, from, m->made->write[operation]);
}

static void relate_in_thread(maker *m, cat_relation relation, uint32_t from, uint32_t operation) {
    if (!traits_of(m, operation)->dma)
        relate_operation(m, relation, from, operation, false);
}

static void relate_dependency(maker *m, uint32_t operation, uint32_t end) {
    const col_operation *o = &m->program->operations[operation];
    const uint32_t source = operation - o->distance;
    if (depends(m, operation, COL_ADDRESS))
        relate_operation(m, CAT_ADDR, m->made->read[source], operation, false);
    if (depends(m, operation, COL_DATA))
        relate_operation(m, CAT_DATA, m->made->read[source], operation, true);
    for (uint32_t i = operation; depends(m, operation, COL_CONTROL) && i < end; i++)
        relate_in_thread(m, CAT_CTRL, m->made->read[source], i);
    for (uint32_t i = operation + 1; o->kind == COL_AWAIT && !is_absent(m, operation) && i < end;
         i++)
        relate_in_thread(m, CAT_CTRL, m->made->read[operation], i);
}

/* What an operation begins after: reads that had ended when it, or one before it, began. */
static void relate_times(maker *m, uint32_t start, uint32_t end) {
    const int64_t *begin = m->execution->begin, *ends = m->execution->end;
    int64_t now = COL_NO_TIME;
    for (uint32_t i = start; i < end; i++) {
        if (traits_of(m, i)->dma || (!traits_of(m, i)->reads && !traits_of(m, i)->writes))
            continue;
        now = begin[i] != COL_NO_TIME ? begin[i] : now;
        for (uint32_t k = start; k < i && now != COL_NO_TIME; k++)
            if (traits_of(m, k)->reads && !traits_of(m, k)->dma && ends[k] != COL_NO_TIME &&
                ends[k] < now)
                relate_operation(m, CAT_TIMED, m->made->read[k], i, false);
    }
}

static void relate_threads(maker *m) {
    for (uint32_t t = 0; t < m->program->thread_count && m->status == COL_OK; t++) {
        const uint32_t start = m->program->thread_start[t], end = m->program->thread_start[t + 1];
        for (uint32_t i = start; i < end; i++)
            relate_dependency(m, i, end);
        if (m->execution->begin != NULL && m->execution->end != NULL)
            relate_times(m, start, end);
    }
}

static void relate_sources(maker *m) {
    const uint32_t count = col_program_operations(m->program);
    for (uint32_t i = 0; i < count && m->status == COL_OK; i++) {
        const uint32_t source = m->execution->source[i];
        if (!traits_of(m, i)->reads)
            continue;
        relate(m, CAT_RF,
               source == COL_INITIAL ? m->made->initial[m->program->operations[i].location]
                                     : m->made->write[source],
               m->made->read[i]);
    }
}

static void relate_writes(maker *m) {
    const cat_graph *graph = &m->made->graph;
    const uint32_t *place = m->execution->place;
    for (uint32_t a = 0; a < graph->size.events && m->status == COL_OK; a++) {
        const cat_event *first = &graph->events[a];
        for (uint32_t b = 0; first->kind == CAT_WRITE && b < graph->size.events; b++) {
            const cat_event *second = &graph->events[b];
            if (second->kind != CAT_WRITE || second->location != first->location ||
                second->thread == CAT_NO_THREAD)
                continue;
            if (first->thread == CAT_NO_THREAD ||
                (place != NULL && place[first->owner] < place[second->owner]))
                relate(m, CAT_CO, a, b);
        }
    }
}

/* ---- The whole. */

static void find_needed(maker *m) {
    for (uint32_t i = 0; i < col_program_operations(m->program); i++) {
        const col_operation *o = &m->program->operations[i];
        if (o->dependency != COL_NO_DEPENDENCY)
            m->is_needed[i - o->distance] = 1;
        if (o->kind == COL_AWAIT)
            m->is_needed[i] = 1;
    }
}

static col_status make_arrays(maker *m) {
    cat_program_graph *made = m->made;
    const size_t count = (size_t)col_program_operations(m->program) + 1;
    col_status status =
        base_reserve(&made->read, &made->capacities[0], count, sizeof *made->read, m->problem);
    if (status == COL_OK)
        status = base_reserve(&made->write, &made->capacities[1], count, sizeof *made->write,
                              m->problem);
    if (status == COL_OK)
        status =
            base_reserve(&made->initial, &made->capacities[2],
                         (size_t)m->program->location_count + 1, sizeof *made->initial, m->problem);
    if (status != COL_OK)
        return status;
    memset(made->read, 0, count * sizeof *made->read);
    memset(made->write, 0, count * sizeof *made->write);
    return COL_OK;
}

static void make(maker *m) {
    cat_graph *graph = &m->made->graph;
    find_needed(m);
    m->counts_only = true;
    add_events(m);
    m->status = cat_graph_begin(graph, m->count, m->problem);
    m->counts_only = false;
    if (m->status != COL_OK)
        return;
    add_events(m);
    if (m->status == COL_OK)
        m->status = cat_graph_derive(graph, m->problem);
    relate_threads(m);
    relate_sources(m);
    relate_writes(m);
    if (m->status == COL_OK)
        m->status = cat_graph_find_finals(graph, m->problem);
}

col_status cat_program_graph_make(cat_program_graph *made, const cat_execution *execution,
                                  const cat_model *model, col_problem *problem) {
    maker m = {
        .made = made,
        .execution = execution,
        .program = execution->program,
        .model = model,
        .with_registers = model->finds_dependencies && !cat_model_uses_relation(model, CAT_ADDR),
        .with_names = !cat_model_uses_set(model, CAT_FENCE_R_R),
        .with_acquires = !cat_model_uses_set(model, CAT_MFENCE) || cat_model_uses_set(model, CAT_L),
        .problem = problem};
    const uint32_t operations = col_program_operations(execution->program);
    if (operations > CAT_MOST_OPERATIONS)
        return base_refuse(problem,
                           "%u operations are too many for a cat model that is none of the "
                           "built-in ones: the limit is %d",
                           operations, CAT_MOST_OPERATIONS);
    m.status = make_arrays(&m);
    if (m.status != COL_OK)
        return m.status;
    m.is_needed = calloc((size_t)operations + 1, sizeof *m.is_needed);
    if (m.is_needed == NULL)
        return base_out_of_memory(problem);
    make(&m);
    free(m.is_needed);
    return m.status;
}

void cat_program_graph_free(cat_program_graph *made) {
    cat_graph_free(&made->graph);
    free(made->read);
    free(made->write);
    free(made->initial);
    *made = (cat_program_graph){0};
}
