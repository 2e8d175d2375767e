/* SPDX-License-Identifier: MIT */
/*
 * Graphs of test programs: see program_graph.h.
 *
 * Some models find all dependencies themselves, from the registers that instructions read and
 * write. For those a read that others depend on writes a register of its own, and what depends on
 * it reads that one; a control dependency is a branch that stands before its operation, and the
 * loop of an await a branch behind it. An operation has SLOTS instances of program order for that;
 * the write of a conditional, an instruction of its own, has one, too.
 */
#include "judge/cat/program_graph.h"

#include "base/path.h"
#include "judge/violation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4, BEFORE = 0, ITSELF = 1, PAIRED = 2, BEHIND = 3 };

typedef struct maker {
    cat_program_graph *made;
    const cat_execution *execution;
    const col_program *program;
    bool with_registers; /* dependencies are found from registers */
    bool with_names;     /* fences have the names of instruction sets, not only their pairs */
    bool with_acquires;  /* A and L are Arm's */
    uint32_t *is_needed; /* by operation: others depend on its value; with registers */
    uint32_t count;      /* events so far */
    uint32_t thread, place;
    bool counts_only;
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

static void put(maker *m, cat_set set, uint32_t event) {
    if (!m->counts_only)
        cat_graph_put(&m->made->graph, set, event);
}

static void relate(maker *m, cat_relation relation, uint32_t from, uint32_t to) {
    if (!m->counts_only)
        cat_graph_relate(&m->made->graph, relation, from, to);
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
    const uint8_t fence = m->program->operations[operation].fence;
    const uint32_t event = add_event(m, CAT_FENCE_EVENT, ITSELF, 0, operation);
    if (!m->counts_only)
        cat_graph_put_fence(&m->made->graph, fence, event);
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

static void add_operation(maker *m, uint32_t operation) {
    const col_operation *o = &m->program->operations[operation];
    const col_kind_traits *traits = traits_of(m, operation);
    if (traits->dma) {
        /* Nothing in a thread is ordered with what a DMA engine does: that is a thread by itself.
         */
        const uint32_t thread = m->thread;
        m->thread = m->program->thread_count + operation;
        add_access(m, operation);
        m->thread = thread;
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

static void add_events(maker *m) {
    m->count = 0;
    m->thread = CAT_NO_THREAD;
    m->place = 0;
    for (uint32_t l = 0; l < m->program->location_count; l++) {
        const uint32_t event = add_event(m, CAT_WRITE, ITSELF, l, COL_INITIAL);
        if (!m->counts_only)
            m->made->initial[l] = event;
    }
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
    for (uint32_t t = 0; t < m->program->thread_count; t++) {
        const uint32_t start = m->program->thread_start[t], end = m->program->thread_start[t + 1];
        for (uint32_t i = start; i < end; i++)
            relate_dependency(m, i, end);
        if (m->execution->begin != NULL && m->execution->end != NULL)
            relate_times(m, start, end);
    }
}

static void relate_sources(maker *m) {
    const uint32_t count = col_program_operations(m->program);
    for (uint32_t i = 0; i < count; i++) {
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
    for (uint32_t a = 0; a < graph->size.events; a++) {
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

static col_status make_arrays(cat_program_graph *made, const col_program *program,
                              col_problem *problem) {
    const size_t count = (size_t)col_program_operations(program) + 1;
    const base_part parts[] = {BASE_PART(made->read, count),
                               BASE_PART(made->write, count),
                               BASE_PART(made->initial, (size_t)program->location_count + 1),
                               {0}};
    const col_status status = base_block_divide(&made->block, parts, problem);
    if (status == COL_OK) {
        memset(made->read, 0, count * sizeof *made->read);
        memset(made->write, 0, count * sizeof *made->write);
    }
    return status;
}

col_status cat_program_graph_make(cat_program_graph *made, const cat_execution *execution,
                                  const cat_model *model, col_problem *problem) {
    cat_graph *graph = &made->graph;
    maker m = {.made = made,
               .execution = execution,
               .program = execution->program,
               .with_registers =
                   model->finds_dependencies && !cat_model_uses(model, CAT_O_RELATION, CAT_ADDR),
               .with_names = !cat_model_uses(model, CAT_O_SET, CAT_FENCE_R_R),
               .with_acquires = !cat_model_uses(model, CAT_O_SET, CAT_MFENCE) ||
                                cat_model_uses(model, CAT_O_SET, CAT_L),
               .counts_only = true};
    const uint32_t operations = col_program_operations(execution->program);
    if (operations > CAT_MOST_OPERATIONS)
        return base_refuse(problem,
                           "%u operations are too many for a cat model that is none of the "
                           "built-in ones: the limit is %d",
                           operations, CAT_MOST_OPERATIONS);
    if (make_arrays(made, execution->program, problem) != COL_OK)
        return COL_FAILURE;
    m.is_needed = calloc((size_t)operations + 1, sizeof *m.is_needed);
    if (m.is_needed == NULL)
        return base_out_of_memory(problem);
    find_needed(&m);
    add_events(&m);
    cat_graph_begin(graph, m.count, problem);
    m.counts_only = false;
    if (graph->status == COL_OK) {
        add_events(&m);
        cat_graph_derive(graph);
        relate_threads(&m);
        relate_sources(&m);
        relate_writes(&m);
        cat_graph_find_finals(graph);
    }
    free(m.is_needed);
    return graph->status;
}

void cat_program_graph_free(cat_program_graph *made) {
    cat_graph_free(&made->graph);
    free(made->block.memory);
    *made = (cat_program_graph){0};
}

/* The steps of an explanation between events, as steps between operations of a program. */

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
    return chk_mention_in(t->violation, t->program, operation);
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
            cat_model_uses(model, CAT_O_SET, set))
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
