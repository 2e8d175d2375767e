/* SPDX-License-Identifier: MIT */
/*
 * The paths of a thread: see thread_paths.h. A path is executed from the start, with a list of
 * choices; the next one changes the last choice that has an alternative left.
 */
#include "judge/litmus/thread_paths.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- Values. */

static lit_value add(lit_nodes *nodes, lit_node node) {
    if (nodes->status == COL_OK && nodes->count == LIT_MOST_NODES)
        nodes->status =
            base_refuse(nodes->problem, "a thread of the litmus test computes too much");
    if (nodes->status == COL_OK)
        nodes->status = base_reserve(&nodes->nodes, &nodes->capacity, nodes->count + 1,
                                     sizeof *nodes->nodes, nodes->problem);
    if (nodes->status != COL_OK)
        return 0;
    nodes->nodes[nodes->count] = node;
    return (lit_value)nodes->count++;
}

static uint8_t width(uint64_t value) {
    uint8_t bits = 0;
    for (; value != 0; value >>= 1)
        bits++;
    return bits;
}

static lit_value known(lit_nodes *nodes, uint64_t constant) {
    return add(nodes, (lit_node){.kind = LIT_KNOWN, .constant = constant, .bits = width(constant)});
}

static lit_value read_of(lit_nodes *nodes, uint32_t event, uint32_t bits) {
    return add(nodes, (lit_node){.kind = LIT_FROM_READ, .event = event, .bits = (uint8_t)bits});
}

static uint64_t mask_of(uint64_t bits) {
    return bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
}

static uint64_t extend(uint64_t value, uint64_t bits) {
    const uint64_t mask = mask_of(bits);
    if (bits == 0 || bits >= 64)
        return value;
    value &= mask;
    return (value >> (bits - 1)) != 0 ? value | ~mask : value;
}

/* Signed comparison without a signed type. */
static bool is_less(uint64_t a, uint64_t b) {
    const uint64_t sign = UINT64_C(1) << 63;
    return (a ^ sign) < (b ^ sign);
}

static uint64_t shift_right(uint64_t a, uint64_t b, bool is_signed) {
    if (b == 0)
        return a;
    const uint64_t fill = is_signed && (a >> 63) != 0 ? ~UINT64_C(0) : 0;
    return b >= 64 ? fill : a >> b | (fill & ~mask_of(64 - b));
}

uint64_t lit_compute_known(lit_operator operator_, uint64_t a, uint64_t b) {
    switch (operator_) {
    case LIT_ADD:
        return a + b;
    case LIT_SUBTRACT:
        return a - b;
    case LIT_MULTIPLY:
        return a * b;
    case LIT_AND:
        return a & b;
    case LIT_OR:
        return a | b;
    case LIT_XOR:
        return a ^ b;
    case LIT_AND_NOT:
        return a & ~b;
    case LIT_SHIFT_LEFT:
        return b >= 64 ? 0 : a << b;
    case LIT_SHIFT_RIGHT:
        return shift_right(a, b, false);
    case LIT_SHIFT_RIGHT_SIGNED:
        return shift_right(a, b, true);
    case LIT_EQUAL:
        return a == b;
    case LIT_NOT_EQUAL:
        return a != b;
    case LIT_LESS:
        return is_less(a, b);
    case LIT_LESS_UNSIGNED:
        return a < b;
    case LIT_NOT_LESS:
        return !is_less(a, b);
    case LIT_NOT_LESS_UNSIGNED:
        return a >= b;
    case LIT_MINIMUM:
        return is_less(a, b) ? a : b;
    case LIT_MAXIMUM:
        return is_less(a, b) ? b : a;
    case LIT_MINIMUM_UNSIGNED:
        return a < b ? a : b;
    case LIT_MAXIMUM_UNSIGNED:
        return a < b ? b : a;
    case LIT_SECOND:
        return b;
    case LIT_TRUNCATE:
        return a & mask_of(b);
    case LIT_SIGN_EXTEND:
        return extend(a, b);
    }
    return 0;
}

/* What follows although a or b is not known. */
static bool simplify(lit_nodes *nodes, lit_operator operator_, lit_value a, lit_value b,
                     lit_value *result) {
    const lit_node x = nodes->nodes[a], y = nodes->nodes[b];
    const bool x_is_zero = x.kind == LIT_KNOWN && x.constant == 0;
    const bool y_is_zero = y.kind == LIT_KNOWN && y.constant == 0;
    *result = a;
    if (operator_ == LIT_SECOND) {
        *result = b;
        return true;
    }
    if (operator_ == LIT_TRUNCATE)
        return x.bits <= y.constant;
    if (operator_ == LIT_SIGN_EXTEND)
        return x.bits < y.constant || y.constant >= 64;
    if (a == b && (operator_ == LIT_AND || operator_ == LIT_OR))
        return true;
    if (y_is_zero &&
        (operator_ == LIT_ADD || operator_ == LIT_SUBTRACT || operator_ == LIT_OR ||
         operator_ == LIT_XOR || operator_ == LIT_SHIFT_LEFT || operator_ == LIT_SHIFT_RIGHT))
        return true;
    if (x_is_zero && (operator_ == LIT_ADD || operator_ == LIT_OR || operator_ == LIT_XOR)) {
        *result = b;
        return true;
    }
    if ((a == b &&
         (operator_ == LIT_XOR || operator_ == LIT_SUBTRACT || operator_ == LIT_NOT_EQUAL ||
          operator_ == LIT_AND_NOT || operator_ == LIT_LESS || operator_ == LIT_LESS_UNSIGNED)) ||
        ((x_is_zero || y_is_zero) && (operator_ == LIT_AND || operator_ == LIT_MULTIPLY))) {
        *result = known(nodes, 0);
        return true;
    }
    if (a == b && (operator_ == LIT_EQUAL || operator_ == LIT_NOT_LESS ||
                   operator_ == LIT_NOT_LESS_UNSIGNED)) {
        *result = known(nodes, 1);
        return true;
    }
    return false;
}

static uint8_t result_bits(lit_operator operator_, const lit_node *x, const lit_node *y) {
    switch (operator_) {
    case LIT_AND:
        return x->bits < y->bits ? x->bits : y->bits;
    case LIT_OR:
    case LIT_XOR:
        return x->bits > y->bits ? x->bits : y->bits;
    case LIT_TRUNCATE:
        return (uint8_t)y->constant;
    case LIT_EQUAL:
    case LIT_NOT_EQUAL:
    case LIT_LESS:
    case LIT_LESS_UNSIGNED:
    case LIT_NOT_LESS:
    case LIT_NOT_LESS_UNSIGNED:
        return 1;
    default:
        return 64;
    }
}

/* What is known is computed, and so is what follows whatever the reads return, such as a xor a. */
static lit_value compute_value(lit_nodes *nodes, lit_operator operator_, lit_value a, lit_value b) {
    lit_value result;
    if (nodes->status != COL_OK)
        return 0;
    const lit_node x = nodes->nodes[a], y = nodes->nodes[b];
    if (x.kind == LIT_KNOWN && y.kind == LIT_KNOWN)
        return known(nodes, lit_compute_known(operator_, x.constant, y.constant));
    if (simplify(nodes, operator_, a, b, &result))
        return result;
    return add(nodes, (lit_node){.kind = LIT_COMPUTED,
                                 .operator_ = (uint8_t)operator_,
                                 .bits = result_bits(operator_, &x, &y),
                                 .a = a,
                                 .b = b});
}

/* ---- The path under way. */

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
    bool with_registers, splits_atomics;
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
        .value = compute_value(&m->path->nodes, (lit_operator)s->operator_, a->value, b->value),
        .from = a->from | b->from,
        .sources = a->sources | b->sources};
}

/* The part at an address; where that depends on reads, one after the other is tried. */
static uint32_t find_part(maker *m, lit_value address) {
    if (m->status != COL_OK || m->test->part_count == 0)
        return m->test->part_count;
    if (is_known(m, address))
        return lit_part_at(m->test, constant(m, address));
    const uint32_t part = choose(m, m->test->part_count);
    if (m->status != COL_OK)
        return m->test->part_count;
    lit_nodes *nodes = &m->path->nodes;
    const lit_value expected = known(nodes, m->test->parts[part].address);
    demand(m, compute_value(nodes, LIT_EQUAL, address, expected), false);
    return part;
}

/* The events of an access: one, or one for each part of a cell. */
typedef struct span {
    uint32_t first, count;
    uint32_t bytes; /* of each */
} span;

/* Is there memory for as many bytes, from this part on? A part of a cell may be asked for while
 * events access whole cells. */
static bool fits(maker *m, uint32_t part, const lit_step *s, span *made) {
    lit_test *test = m->test;
    lit_cell *cell = &test->parts[part];
    if (test->granule == 0) {
        if (cell->bytes == 0)
            cell->bytes = s->bytes;
        *made = (span){.count = 1, .bytes = s->bytes};
        return cell->bytes == s->bytes;
    }
    *made = (span){.count = s->bytes / test->granule, .bytes = test->granule};
    for (uint32_t i = 1; i < made->count; i++)
        if (part + i >= test->part_count ||
            test->parts[part + i].address != cell->address + (uint64_t)i * test->granule)
            return false;
    return true;
}

static void refuse_part(maker *m, const char *what) {
    m->test->needs_parts = true;
    refuse(m, what);
}

static span add_access(maker *m, const lit_step *s, cat_event_kind kind, uint64_t sources) {
    const holder *address = &m->temporaries[s->a];
    const bool is_constant = m->status == COL_OK && is_known(m, address->value);
    const uint32_t number = find_part(m, address->value);
    span made = {0};
    if (m->status != COL_OK)
        return made;
    if (number == m->test->part_count) {
        refuse_part(m, "there is no location at this address");
        return made;
    }
    if (!fits(m, number, s, &made)) {
        if (is_constant)
            refuse_part(m, "this accesses a part of a location, or more than a location");
        m->is_impossible = true;
        made.count = 1;
    }
    if (m->path->memory_count + made.count > LIT_MOST_MEMORY_EVENTS)
        refuse(m, "the thread accesses memory too often");
    for (uint32_t i = 0; i < made.count && m->status == COL_OK; i++) {
        const uint32_t event = add_event(m, s, kind, number + i, sources);
        if (m->status != COL_OK)
            break;
        made.first = i == 0 ? event : made.first;
        m->path->events[event].memory = m->path->memory_count++;
        m->path->events[event].address_from = address->from;
        m->path->events[event].access = made.count > 1 ? made.first + 1 : 0;
        m->path->events[event].first_part = number;
        m->path->events[event].part_count = made.count;
    }
    return made;
}

/* What depends on the access depends on all of its events. */
static holder holder_of(const maker *m, span access, lit_value value) {
    holder h = {.value = value};
    for (uint32_t event = access.first; event < access.first + access.count; event++) {
        h.from |= UINT64_C(1) << (m->path->events[event].memory & 63);
        h.sources |= itself(m, event);
    }
    return h;
}

static lit_value with_number(maker *m, lit_operator how, lit_value value, uint64_t number) {
    lit_nodes *nodes = &m->path->nodes;
    return compute_value(nodes, how, value, known(nodes, number));
}

static lit_value cut(maker *m, lit_value value, lit_operator how, uint32_t bytes) {
    return with_number(m, how, value, UINT64_C(8) * bytes);
}

/* What the events find, as one value; lower addresses have the lower bits. */
static lit_value find(maker *m, span access) {
    lit_nodes *nodes = &m->path->nodes;
    lit_value whole = 0;
    for (uint32_t i = 0; i < access.count; i++) {
        lit_event *e = &m->path->events[access.first + i];
        const lit_value part = read_of(nodes, access.first + i, access.bytes * 8);
        e->reads = true;
        e->found = part;
        whole = i == 0 ? part
                       : compute_value(
                             nodes, LIT_OR, whole,
                             with_number(m, LIT_SHIFT_LEFT, part, UINT64_C(8) * access.bytes * i));
    }
    return whole;
}

static void leave(maker *m, span access, lit_value value, uint64_t from) {
    for (uint32_t i = 0; i < access.count; i++) {
        const lit_value rest =
            i == 0 ? value : with_number(m, LIT_SHIFT_RIGHT, value, UINT64_C(8) * access.bytes * i);
        m->path->events[access.first + i].value = cut(m, rest, LIT_TRUNCATE, access.bytes);
        m->path->events[access.first + i].data_from = from;
    }
}

static void read_memory(maker *m, const lit_step *s) {
    const span access = add_access(m, s, CAT_READ, m->temporaries[s->a].sources);
    if (m->status == COL_OK)
        m->temporaries[s->to] = holder_of(m, access, find(m, access));
}

static void write_memory(maker *m, const lit_step *s) {
    const holder *a = &m->temporaries[s->a], *b = &m->temporaries[s->b];
    const span access = add_access(m, s, CAT_WRITE, a->sources | b->sources);
    if (m->status != COL_OK)
        return;
    leave(m, access, b->value, b->from);
    if (!s->has_result)
        return;
    const holder result = holder_of(m, access, 0);
    m->temporaries[s->to].from = result.from | a->from;
    m->temporaries[s->to].sources = result.sources | a->sources;
}

static void update_memory(maker *m, const lit_step *s) {
    const holder *a = &m->temporaries[s->a], *b = &m->temporaries[s->b];
    span access = {0}, read;
    if (m->splits_atomics)
        read = add_access(m, s, CAT_READ, a->sources);
    else
        read = access = add_access(m, s, CAT_WRITE, a->sources | b->sources);
    if (m->status != COL_OK)
        return;
    const bool is_signed = s->operator_ == LIT_MINIMUM || s->operator_ == LIT_MAXIMUM;
    const lit_operator how = is_signed ? LIT_SIGN_EXTEND : LIT_TRUNCATE;
    const lit_value old = find(m, read);
    const holder found = holder_of(m, read, old);
    const uint64_t sources =
        a->sources | b->sources | (s->operator_ != LIT_SECOND ? found.sources : 0);
    if (m->splits_atomics)
        access = add_access(m, s, CAT_WRITE, sources);
    if (m->status != COL_OK)
        return;
    const lit_value made =
        compute_value(&m->path->nodes, (lit_operator)s->operator_, cut(m, old, how, s->bytes),
                      cut(m, b->value, how, s->bytes));
    leave(m, access, made, b->from);
    m->temporaries[s->to] = found;
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
        m->temporaries[s->to] = (holder){.value = known(&m->path->nodes, s->value)};
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
    case LIT_TRY:
        m->has_chosen = true;
        if (choose(m, 2) == 0)
            return 0;
        m->path->has_failed = m->path->has_failed || s->kind == LIT_TRY;
        return s->target;
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
        m->registers[i] =
            (holder){.value = known(&p->nodes, m->thread->registers[i].initial), .writer = NONE};
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
        paths->is_cut_well = paths->is_cut_well || (m->is_cut && !m->path->has_failed);
        if (goes_on(m))
            paths->count++;
        else
            free_path(m->path);
    } while (m->status == COL_OK && advance(m));
    return m->status;
}

col_status lit_paths_make(lit_paths *paths, lit_test *test, uint32_t thread,
                          lit_path_settings settings, col_problem *problem) {
    maker *m = calloc(1, sizeof *m);
    if (m == NULL)
        return base_out_of_memory(problem);
    m->test = test;
    m->thread = &test->threads[thread];
    m->with_registers = settings.with_registers;
    m->splits_atomics = settings.splits_atomics;
    m->problem = problem;
    const col_status status = make_all(m, paths);
    free(m);
    return status;
}

void lit_paths_drop_failed(lit_paths *paths) {
    size_t kept = 0;
    for (size_t i = 0; i < paths->count; i++)
        kept += !paths->paths[i].has_failed;
    if (kept == 0)
        return;
    kept = 0;
    for (size_t i = 0; i < paths->count; i++) {
        if (paths->paths[i].has_failed)
            free_path(&paths->paths[i]);
        else
            paths->paths[kept++] = paths->paths[i];
    }
    paths->count = kept;
    paths->is_cut = paths->is_cut_well;
}

void lit_paths_free(lit_paths *paths) {
    for (size_t i = 0; i < paths->count; i++)
        free_path(&paths->paths[i]);
    free(paths->paths);
    *paths = (lit_paths){0};
}
