/* SPDX-License-Identifier: MIT */
/*
 * The paths of a thread: see path.h. A path is executed from the start, with a list of choices; the
 * next one changes the last choice that has an alternative left.
 */
#include "litmus/path.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CHOICES = 256, MOST_INSTANCES = 4096 };

typedef struct choice {
    uint32_t taken, count;
} choice;

/* A temporary, or a register. */
typedef struct holder {
    lit_value value;
    uint64_t from;    /* events of memory that the value depends on */
    uint64_t sources; /* of a temporary: events of this instruction, from its first one */
    uint32_t writer;  /* of a register: the event; or NONE */
} holder;

enum { NONE = UINT32_MAX };

typedef struct maker {
    lit_test *test;
    const lit_thread *thread;
    bool with_registers;
    choice choices[MOST_CHOICES];
    uint32_t choice_count, next_choice;
    lit_path *path;
    holder registers[LIT_REGISTERS], temporaries[LIT_TEMPORARIES];
    const lit_instruction *instruction;
    uint32_t instance;  /* instructions so far */
    size_t first_event; /* of the instruction */
    uint32_t selector;  /* the event that what follows in the instruction depends on, or NONE */
    uint64_t control;   /* what control depends on */
    uint32_t next;      /* instruction */
    uint32_t jumps[LIT_MOST_INSTRUCTIONS]; /* backwards, by where to */
    bool has_chosen; /* between executions: a store-conditional that fails may fail again */
    bool is_impossible, is_cut;
    col_status status;
    col_problem *problem;
} maker;

static void refuse(maker *m, const char *what) {
    if (m->status == COL_OK)
        m->status =
            base_refuse_at(m->problem, m->test->file, m->instruction->place.line,
                           m->instruction->place.column, "%s: '%s'", what, m->instruction->text);
}

/* One of `count` ways to go on. */
static uint32_t choose(maker *m, uint32_t count) {
    if (m->next_choice == m->choice_count) {
        if (m->choice_count == MOST_CHOICES) {
            refuse(m, "the thread has too many ways to go");
            return 0;
        }
        m->choices[m->choice_count++] = (choice){0, count};
    }
    return m->choices[m->next_choice++].taken;
}

static bool is_known(const maker *m, lit_value value) {
    return m->path->nodes.nodes[value].kind == LIT_KNOWN;
}

static uint64_t constant(const maker *m, lit_value value) {
    return m->path->nodes.nodes[value].constant;
}

static void demand(maker *m, lit_value value, bool is_zero) {
    lit_path *p = m->path;
    if (m->status != COL_OK)
        return;
    if (is_known(m, value)) {
        m->is_impossible = m->is_impossible || (constant(m, value) == 0) != is_zero;
        return;
    }
    m->status = base_reserve(&p->demands, &p->demand_capacity, p->demand_count + 1,
                             sizeof *p->demands, m->problem);
    if (m->status == COL_OK)
        p->demands[p->demand_count++] = (lit_demand){value, is_zero};
}

/* Is the value 0? If that is not known, either. */
static bool is_zero(maker *m, lit_value value) {
    if (m->status != COL_OK)
        return false;
    if (is_known(m, value))
        return constant(m, value) == 0;
    const bool zero = choose(m, 2) == 0;
    demand(m, value, zero);
    return zero;
}

/* ---- Events. */

static void add_edge(maker *m, uint32_t from, uint32_t to, cat_relation relation) {
    lit_path *p = m->path;
    if (m->status == COL_OK)
        m->status = base_reserve(&p->edges, &p->edge_capacity, p->edge_count + 1, sizeof *p->edges,
                                 m->problem);
    if (m->status == COL_OK)
        p->edges[p->edge_count++] = (lit_edge){from, to, relation};
}

/* The event depends on `sources` of its instruction. Returns its number. */
static uint32_t add_event(maker *m, const lit_step *step, cat_event_kind kind, uint32_t place,
                          uint64_t sources) {
    lit_path *p = m->path;
    const uint32_t number = (uint32_t)p->event_count;
    if (m->status == COL_OK && p->event_count - m->first_event >= 64)
        refuse(m, "the instruction has too many events");
    if (m->status == COL_OK)
        m->status = base_reserve(&p->events, &p->event_capacity, p->event_count + 1,
                                 sizeof *p->events, m->problem);
    if (m->status != COL_OK)
        return 0;
    lit_event *e = &p->events[p->event_count++];
    *e = (lit_event){.kind = (uint8_t)kind,
                     .instance = m->instance,
                     .place = place,
                     .memory = NONE,
                     .control_from = m->control};
    memcpy(e->sets, step->sets, sizeof e->sets);
    for (uint32_t i = 0; i < 64 && m->first_event + i < number; i++)
        if ((sources >> i & 1) != 0)
            add_edge(m, (uint32_t)m->first_event + i, number, CAT_IICO_DATA);
    if (m->selector != NONE && m->with_registers)
        add_edge(m, m->selector, number, CAT_IICO_CTRL);
    return number;
}

static uint64_t itself(const maker *m, uint32_t event) {
    return UINT64_C(1) << ((event - m->first_event) & 63);
}

/* ---- Steps. */

static void get(maker *m, const lit_step *s) {
    const holder *r = &m->registers[s->a];
    holder *t = &m->temporaries[s->to];
    *t = (holder){.value = r->value, .from = r->from};
    if (!m->with_registers)
        return;
    const uint32_t event = add_event(m, s, CAT_READ_REGISTER, s->a, 0);
    if (m->status != COL_OK)
        return;
    if (s->port != LIT_NO_PORT)
        m->path->events[event].sets[0] =
            s->port == LIT_ADDRESS_PORT ? CAT_ADDRESS_PORT : CAT_DATA_PORT;
    t->sources = itself(m, event);
    if (r->writer != NONE)
        add_edge(m, r->writer, event, CAT_RF_REG);
}

static void put(maker *m, const lit_step *s) {
    const holder *t = &m->temporaries[s->a];
    holder *r = &m->registers[s->to];
    *r = (holder){.value = t->value, .from = t->from, .writer = NONE};
    if (m->with_registers)
        r->writer = add_event(m, s, CAT_WRITE_REGISTER, s->to, t->sources);
}

static void compute(maker *m, const lit_step *s) {
    const holder *a = &m->temporaries[s->a], *b = &m->temporaries[s->b];
    m->temporaries[s->to] = (holder){
        .value = lit_value_compute(&m->path->nodes, (lit_operator)s->operator_, a->value, b->value),
        .from = a->from | b->from,
        .sources = a->sources | b->sources};
}

/* The cell at an address; where that depends on reads, one after the other is tried. */
static uint32_t find_cell(maker *m, lit_value address) {
    if (m->status != COL_OK || m->test->cell_count == 0)
        return m->test->cell_count;
    if (is_known(m, address))
        return lit_cell_at(m->test, constant(m, address));
    const uint32_t cell = choose(m, m->test->cell_count);
    if (m->status != COL_OK)
        return m->test->cell_count;
    lit_nodes *nodes = &m->path->nodes;
    const lit_value expected = lit_value_known(nodes, m->test->cells[cell].address);
    demand(m, lit_value_compute(nodes, LIT_EQUAL, address, expected), false);
    return cell;
}

static uint32_t add_access(maker *m, const lit_step *s, cat_event_kind kind, uint64_t sources) {
    const holder *address = &m->temporaries[s->a];
    const bool is_constant = m->status == COL_OK && is_known(m, address->value);
    const uint32_t number = find_cell(m, address->value);
    if (m->status != COL_OK)
        return 0;
    if (number == m->test->cell_count) {
        refuse(m, "there is no location at this address; accesses of parts of a location are not "
                  "supported");
        return 0;
    }
    lit_cell *cell = &m->test->cells[number];
    if (cell->bytes == 0)
        cell->bytes = s->bytes;
    if (cell->bytes != s->bytes && is_constant)
        refuse(m, "accesses of parts of a location are not supported");
    m->is_impossible = m->is_impossible || cell->bytes != s->bytes;
    if (m->path->memory_count == LIT_MOST_MEMORY_EVENTS)
        refuse(m, "the thread accesses memory too often");
    const uint32_t event = add_event(m, s, kind, number, sources);
    if (m->status != COL_OK)
        return 0;
    m->path->events[event].memory = m->path->memory_count++;
    m->path->events[event].address_from = address->from;
    return event;
}

static uint64_t memory_bit(const maker *m, uint32_t event) {
    return UINT64_C(1) << (m->path->events[event].memory & 63);
}

static void read_memory(maker *m, const lit_step *s) {
    const uint32_t event = add_access(m, s, CAT_READ, m->temporaries[s->a].sources);
    if (m->status != COL_OK)
        return;
    const lit_value value = lit_value_read(&m->path->nodes, event, s->bytes * 8U);
    m->path->events[event].reads = true;
    m->path->events[event].found = value;
    m->temporaries[s->to] =
        (holder){.value = value, .from = memory_bit(m, event), .sources = itself(m, event)};
}

static lit_value cut(maker *m, lit_value value, lit_operator how, uint32_t bytes) {
    lit_nodes *nodes = &m->path->nodes;
    return lit_value_compute(nodes, how, value, lit_value_known(nodes, UINT64_C(8) * bytes));
}

static void write_memory(maker *m, const lit_step *s) {
    const holder *a = &m->temporaries[s->a], *b = &m->temporaries[s->b];
    const uint32_t event = add_access(m, s, CAT_WRITE, a->sources | b->sources);
    if (m->status != COL_OK)
        return;
    m->path->events[event].data_from = b->from;
    m->path->events[event].value = cut(m, b->value, LIT_TRUNCATE, s->bytes);
    if (!s->has_result)
        return;
    m->temporaries[s->to].from = memory_bit(m, event) | a->from;
    m->temporaries[s->to].sources = itself(m, event) | a->sources;
}

static void update_memory(maker *m, const lit_step *s) {
    const holder *a = &m->temporaries[s->a], *b = &m->temporaries[s->b];
    lit_nodes *nodes = &m->path->nodes;
    const uint32_t event = add_access(m, s, CAT_WRITE, a->sources | b->sources);
    if (m->status != COL_OK)
        return;
    const bool is_signed = s->operator_ == LIT_MINIMUM || s->operator_ == LIT_MAXIMUM;
    const lit_operator how = is_signed ? LIT_SIGN_EXTEND : LIT_TRUNCATE;
    const lit_value old = lit_value_read(nodes, event, s->bytes * 8U);
    const lit_value made =
        lit_value_compute(nodes, (lit_operator)s->operator_, cut(m, old, how, s->bytes),
                          cut(m, b->value, how, s->bytes));
    const lit_value value = cut(m, made, LIT_TRUNCATE, s->bytes);
    m->path->events[event].reads = true;
    m->path->events[event].found = old;
    m->path->events[event].value = value;
    m->path->events[event].data_from = b->from;
    m->temporaries[s->to] =
        (holder){.value = old, .from = memory_bit(m, event), .sources = itself(m, event)};
}

/* A loop whose end is known (not is_open) is followed to it. */
static void jump(maker *m, uint32_t target, bool is_open) {
    const uint32_t here = (uint32_t)(m->instruction - m->thread->instructions);
    const bool counts = is_open && target <= here;
    m->is_cut = (counts && m->jumps[target]++ == LIT_UNROLL) || m->instance > MOST_INSTANCES;
    m->next = target;
}

static void branch(maker *m, const lit_step *s) {
    const holder *t = &m->temporaries[s->a];
    const uint64_t from = t->from;
    const lit_value value = t->value;
    (void)add_event(m, s, CAT_BRANCH, 0, t->sources);
    m->control |= from;
    const bool is_open = m->has_chosen || (m->status == COL_OK && !is_known(m, value));
    if (!is_zero(m, value))
        jump(m, s->target, is_open);
}

static void commit(maker *m, const lit_step *s) {
    const uint32_t event = add_event(m, s, CAT_BRANCH, 0, m->temporaries[s->a].sources);
    if (m->status != COL_OK)
        return;
    m->path->events[event].is_selected = true;
    m->selector = event;
}

/* Returns how many steps to skip behind this one. */
static uint32_t do_step(maker *m, const lit_step *s) {
    switch ((lit_step_kind)s->kind) {
    case LIT_CONSTANT:
        m->temporaries[s->to] = (holder){.value = lit_value_known(&m->path->nodes, s->value)};
        return 0;
    case LIT_GET:
        get(m, s);
        return 0;
    case LIT_PUT:
        put(m, s);
        return 0;
    case LIT_COMPUTE:
        compute(m, s);
        return 0;
    case LIT_READ:
        read_memory(m, s);
        return 0;
    case LIT_WRITE:
        write_memory(m, s);
        return 0;
    case LIT_UPDATE:
        update_memory(m, s);
        return 0;
    case LIT_FENCE:
        (void)add_event(m, s, CAT_FENCE_EVENT, 0, 0);
        return 0;
    case LIT_BRANCH:
        branch(m, s);
        return 0;
    case LIT_JUMP:
        jump(m, s->target, true);
        return 0;
    case LIT_WHEN:
        return is_zero(m, m->temporaries[s->a].value) ? s->target : 0;
    case LIT_COMMIT:
        commit(m, s);
        return 0;
    case LIT_EITHER:
        m->has_chosen = true;
        return choose(m, 2) == 0 ? 0 : s->target;
    case LIT_ASSUME:
        demand(m, m->temporaries[s->a].value, false);
        return 0;
    case LIT_SKIP:
        return s->target;
    }
    return 0;
}

/* ---- Paths. */

static void begin(maker *m) {
    lit_path *p = m->path;
    *p = (lit_path){.nodes = {.problem = m->problem}};
    for (uint32_t i = 0; i < LIT_REGISTERS; i++)
        m->registers[i] = (holder){
            .value = lit_value_known(&p->nodes, m->thread->registers[i].initial), .writer = NONE};
    memset(m->jumps, 0, sizeof m->jumps);
    m->control = 0;
    m->next = m->instance = m->next_choice = 0;
    m->is_impossible = m->is_cut = m->has_chosen = false;
}

static bool goes_on(const maker *m) {
    return m->status == COL_OK && m->path->nodes.status == COL_OK && !m->is_impossible &&
           !m->is_cut;
}

static void execute(maker *m) {
    begin(m);
    while (goes_on(m) && m->next < m->thread->instruction_count) {
        m->instruction = &m->thread->instructions[m->next++];
        m->first_event = m->path->event_count;
        m->selector = NONE;
        for (uint32_t i = 0; i < m->instruction->step_count && goes_on(m); i++)
            i += do_step(m, &m->instruction->steps[i]);
        m->instance++;
    }
    if (m->status == COL_OK)
        m->status = m->path->nodes.status;
    for (uint32_t i = 0; i < LIT_REGISTERS; i++)
        m->path->registers[i] = m->registers[i].value;
}

static void free_path(lit_path *p) {
    free(p->nodes.nodes);
    free(p->events);
    free(p->edges);
    free(p->demands);
}

/* The next list of choices; false: there is none. */
static bool advance(maker *m) {
    m->choice_count = m->next_choice;
    while (m->choice_count > 0) {
        choice *last = &m->choices[m->choice_count - 1];
        if (++last->taken < last->count)
            return true;
        m->choice_count--;
    }
    return false;
}

static col_status make_all(maker *m, lit_paths *paths) {
    uint32_t tries = 0;
    do {
        if (++tries > 64 * LIT_MOST_PATHS || paths->count == LIT_MOST_PATHS)
            return base_refuse(m->problem, "%s: a thread has more than %d ways to go",
                               m->test->file, LIT_MOST_PATHS);
        const col_status status = base_reserve(&paths->paths, &paths->capacity, paths->count + 1,
                                               sizeof *paths->paths, m->problem);
        if (status != COL_OK)
            return status;
        m->path = &paths->paths[paths->count];
        execute(m);
        paths->is_cut = paths->is_cut || m->is_cut;
        if (goes_on(m))
            paths->count++;
        else
            free_path(m->path);
    } while (m->status == COL_OK && advance(m));
    return m->status;
}

col_status lit_paths_make(lit_paths *paths, lit_test *test, uint32_t thread, bool with_registers,
                          col_problem *problem) {
    maker *m = calloc(1, sizeof *m);
    if (m == NULL)
        return base_out_of_memory(problem);
    m->test = test;
    m->thread = &test->threads[thread];
    m->with_registers = with_registers;
    m->problem = problem;
    const col_status status = make_all(m, paths);
    free(m);
    return status;
}

void lit_paths_free(lit_paths *paths) {
    for (size_t i = 0; i < paths->count; i++)
        free_path(&paths->paths[i]);
    free(paths->paths);
    *paths = (lit_paths){0};
}
