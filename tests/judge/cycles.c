/* SPDX-License-Identifier: MIT */
/*
 * Cycles: see cycles.h. An event is the read or the write of an operation; sets of events are pairs
 * of masks. For all models but ARMv8 the two events of an atomic are one.
 */
#include "cycles.h"

#include "protocol/simulate/oracle_parts.h"

#include <string.h>

typedef oracle_events events;

/* What comes after each event. */
typedef struct graph {
    events after_read[ORACLE_OPERATIONS], after_write[ORACLE_OPERATIONS];
} graph;

typedef struct view {
    oracle_model model;
    oracle_shape shape;
    const candidate *c;
    const oracle_times *times;
    graph kept;                              /* within threads, with all that follows from it */
    uint64_t replaced_by[ORACLE_OPERATIONS]; /* of each write: later ones that need no reason */
    uint64_t seen_later[ORACLE_OPERATIONS];  /* those, and others that threads saw */
} view;

static bool has(uint64_t set, uint32_t operation) {
    return (set & oracle_bit(operation)) != 0;
}

static events joined(events a, events b) {
    return (events){a.reads | b.reads, a.writes | b.writes};
}

/* Is it an atomic that is one event? */
static bool is_one(const view *v, uint32_t i) {
    return has(v->shape.reads & v->shape.writes, i) && v->model != ORACLE_ARMV8 &&
           v->shape.program->operations[i].kind != COL_CONDITIONAL;
}

/* The atomics among these: what holds for one event holds for the other. */
static events merged(const view *v, events e) {
    for (uint32_t i = 0; i < v->shape.count; i++)
        if (is_one(v, i) && has(e.reads | e.writes, i))
            e = joined(e, (events){oracle_bit(i), oracle_bit(i)});
    return e;
}

static void merge(const view *v, graph *g) {
    for (uint32_t i = 0; i < v->shape.count; i++) {
        g->after_read[i] = merged(v, g->after_read[i]);
        g->after_write[i] = merged(v, g->after_write[i]);
        if (is_one(v, i))
            g->after_read[i] = g->after_write[i] = joined(g->after_read[i], g->after_write[i]);
    }
}

/* Adds all that follows. */
static void close_graph(const view *v, graph *g) {
    const uint32_t count = v->shape.count;
    for (uint32_t k = 0; k < 2 * count; k++) {
        const events after = k < count ? g->after_read[k] : g->after_write[k - count];
        for (uint32_t i = 0; i < count; i++) {
            if (k < count ? has(g->after_read[i].reads, k)
                          : has(g->after_read[i].writes, k - count))
                g->after_read[i] = joined(g->after_read[i], after);
            if (k < count ? has(g->after_write[i].reads, k)
                          : has(g->after_write[i].writes, k - count))
                g->after_write[i] = joined(g->after_write[i], after);
        }
    }
}

static bool is_cyclic(const view *v, const graph *g) {
    for (uint32_t i = 0; i < v->shape.count; i++)
        if (has(g->after_read[i].reads, i) || has(g->after_write[i].writes, i))
            return true;
    return false;
}

/* ---- What threads saw of the order of writes. */

static uint32_t word_left(const view *v, uint32_t i) {
    return has(v->shape.writes, i) ? i : v->c->source[i];
}

/* A thread that met one word of a location and then, reading or writing, another one. */
static void note_seen(view *v, uint64_t performed, uint64_t known) {
    for (uint32_t i = 0; i < v->shape.count; i++) {
        const uint32_t left = word_left(v, i);
        const bool is_known = has(v->shape.writes, i) || has(performed & known, i);
        if (v->shape.same_location[i] == 0 || !is_known || left == COL_INITIAL)
            continue;
        for (uint32_t j = i + 1; j < v->shape.count; j++) {
            if (!has(v->shape.same_location[i] & v->shape.same_thread[i], j))
                continue;
            const uint32_t read = v->c->source[j];
            if (has(v->shape.reads & performed & known, j) && read != COL_INITIAL && read != left)
                v->seen_later[left] |= oracle_bit(read);
            if (has(v->shape.writes, j) && j != left)
                v->seen_later[left] |= oracle_bit(j);
        }
    }
}

static void close_writes(const view *v, uint64_t *later) {
    for (uint32_t k = 0; k < v->shape.count; k++)
        for (uint32_t i = 0; i < v->shape.count; i++)
            later[i] |= has(later[i], k) ? later[k] : 0;
}

/* ---- An explanation. */

static void add_order_of_writes(view *v) {
    for (uint32_t i = 0; i < v->shape.count; i++) {
        uint64_t others = v->shape.writes & v->shape.same_location[i];
        for (; has(v->shape.writes, i) && others != 0; others &= others - 1) {
            const uint32_t j = (uint32_t)__builtin_ctzll(others);
            if (v->c->place[j] > v->c->place[i])
                v->replaced_by[i] |= oracle_bit(j);
        }
        v->seen_later[i] |= v->replaced_by[i];
    }
}

/* The writes that a read comes before. */
static uint64_t overtaken_by(const view *v, const uint64_t *later, uint32_t read) {
    const uint32_t source = v->c->source[read];
    const uint64_t all = v->shape.writes & v->shape.same_location[read];
    return (source == COL_INITIAL ? all : later[source]) & ~oracle_bit(read);
}

/* What the model keeps within threads, and the order of accesses to one location. */
static void find_kept(view *v) {
    oracle_kept kept;
    oracle_kept_order(v->model, v->shape.program, v->c->source, v->times, &kept);
    for (uint32_t i = 0; i < v->shape.count; i++) {
        const uint64_t own = v->shape.same_thread[i];
        v->kept.after_read[i] = kept.after_read[i];
        v->kept.after_write[i] = kept.after_write[i];
        if (has(v->shape.writes, i))
            v->kept.after_write[i].writes |= v->seen_later[i] & own;
        if (has(v->shape.reads, i))
            v->kept.after_read[i].writes |= overtaken_by(v, v->seen_later, i) & own;
    }
    merge(v, &v->kept);
    close_graph(v, &v->kept);
}

/* Is there something between the two, or in one of them, that the relation speaks of? */
static bool is_grounded(const view *v, uint32_t from, uint32_t to, col_relation relation) {
    for (uint32_t i = from; i <= to; i++) {
        const col_operation *o = &v->shape.program->operations[i];
        switch (relation) {
        case COL_PROGRAM_ORDER:
            return v->model <= ORACLE_PSO;
        case COL_FENCED:
            if (o->kind == COL_FENCE)
                return true;
            break;
        case COL_ACQUIRED:
            if ((o->order & COL_ACQUIRE) != 0 && i < to)
                return true;
            break;
        case COL_RELEASED:
            if ((o->order & COL_RELEASE) != 0)
                return true;
            break;
        case COL_DEPENDENT:
            if ((o->dependency != COL_NO_DEPENDENCY && i - o->distance >= from) ||
                (o->kind == COL_AWAIT && i < to))
                return true;
            break;
        case COL_ATOMIC:
            if (has(v->shape.reads & v->shape.writes, i))
                return true;
            break;
        case COL_TIMED:
            if (v->times != NULL &&
                (oracle_ended(&v->shape, v->times, i) & ~(oracle_bit(from) - 1)) != 0)
                return true;
            break;
        default:
            return has(v->shape.same_location[from], to);
        }
    }
    return false;
}

static uint64_t all_later(const view *v, uint64_t writes) {
    uint64_t later = 0;
    for (; writes != 0; writes &= writes - 1)
        later |= v->replaced_by[__builtin_ctzll(writes)];
    return later;
}

/* The writes behind one of these. One pair may be in order only because the noted operation saw the
 * second one's word, or wrote it, after its thread had met the first one's. */
static uint64_t later_writes(const view *v, uint64_t writes, uint32_t note) {
    uint64_t later = all_later(v, writes), met = 0;
    if (note == COL_INITIAL)
        return later;
    uint64_t earlier =
        v->shape.same_thread[note] & v->shape.same_location[note] & (oracle_bit(note) - 1);
    for (; earlier != 0; earlier &= earlier - 1) {
        const uint32_t word = word_left(v, (uint32_t)__builtin_ctzll(earlier));
        met |= word == COL_INITIAL ? 0 : oracle_bit(word);
    }
    if (((writes | later) & met) == 0)
        return later;
    uint64_t seen = oracle_bit(note) & v->shape.writes;
    if (has(v->shape.reads, note) && v->c->source[note] != COL_INITIAL)
        seen |= oracle_bit(v->c->source[note]);
    return later | seen | all_later(v, seen);
}

/* Where a step that starts at these events of its operation leads to: events of the other one. */
static events follow(const view *v, uint32_t from, events at, uint32_t to, col_relation relation,
                     uint32_t note) {
    const uint64_t bit = oracle_bit(to);
    events reached = {0, 0};
    uint64_t later;
    switch (relation) {
    case COL_READS_FROM:
        if (at.writes != 0 && has(v->shape.reads & ~v->shape.same_thread[from], to) &&
            v->c->source[to] == from)
            reached.reads = bit;
        break;
    case COL_COHERENCE:
        reached.writes = at.writes != 0 ? later_writes(v, oracle_bit(from), note) & bit : 0;
        break;
    case COL_FROM_READ:
        later = overtaken_by(v, v->replaced_by, from);
        reached.writes = at.reads != 0 ? (later | later_writes(v, later, note)) & bit : 0;
        break;
    default:
        if (!has(v->shape.same_thread[from], to) || from >= to ||
            !is_grounded(v, from, to, relation))
            break;
        if (at.reads != 0)
            reached = v->kept.after_read[from];
        if (at.writes != 0)
            reached = joined(reached, v->kept.after_write[from]);
        reached = (events){reached.reads & bit, reached.writes & bit};
    }
    return merged(v, reached);
}

/* An atomic's write comes after its read. */
static events moved_on(const view *v, events at) {
    at.writes |= at.reads & v->shape.writes;
    return at;
}

static bool leads_back(const view *v, const col_violation *violation, events start) {
    events at = start;
    for (uint32_t s = 0; s < violation->step_count; s++) {
        const col_step *step = &violation->steps[s];
        const uint32_t from = violation->mentions[step->from].operation;
        const uint32_t to = violation->mentions[step->to].operation;
        const uint32_t note =
            step->note == COL_NO_MENTION ? COL_INITIAL : violation->mentions[step->note].operation;
        at = moved_on(v, follow(v, from, at, to, step->relation, note));
        if ((at.reads | at.writes) == 0)
            return false;
    }
    return (at.reads & start.reads) != 0 || (at.writes & start.writes) != 0;
}

/* At one location all of program order counts, and reads of own words too. */
static bool is_incoherent(const view *v, const col_violation *violation) {
    for (uint32_t s = 0; s < violation->step_count; s++) {
        const col_step *step = &violation->steps[s];
        const uint32_t from = violation->mentions[step->from].operation;
        const uint32_t to = violation->mentions[step->to].operation;
        if (!has(v->shape.same_location[from], to))
            return false;
        const bool reads = has(v->shape.reads, from), writes = has(v->shape.writes, from);
        const bool holds =
            step->relation == COL_READS_FROM  ? has(v->shape.reads, to) && v->c->source[to] == from
            : step->relation == COL_COHERENCE ? writes && has(v->replaced_by[from], to)
            : step->relation == COL_FROM_READ
                ? reads && has(overtaken_by(v, v->replaced_by, from), to)
                : has(v->shape.same_thread[from], to) && from < to;
        if (!holds)
            return false;
    }
    return true;
}

static const char *form_fault(const col_program *program, const col_violation *violation) {
    if (violation->step_count < 2)
        return "fewer than two steps";
    for (uint32_t m = 0; m < violation->mention_count; m++) {
        const col_mention *mention = &violation->mentions[m];
        if (mention->operation >= col_program_operations(program) || mention->text[0] == '\0')
            return "a mention of nothing";
        if (mention->thread != col_program_thread_of(program, mention->operation) ||
            mention->place != mention->operation - program->thread_start[mention->thread])
            return "a mention in the wrong place";
    }
    for (uint32_t s = 0; s < violation->step_count; s++) {
        const col_step *step = &violation->steps[s];
        if (step->from >= violation->mention_count || step->to >= violation->mention_count ||
            (step->note != COL_NO_MENTION && step->note >= violation->mention_count))
            return "a step from or to nothing";
        if (step->to != violation->steps[(s + 1) % violation->step_count].from)
            return "the steps are not closed";
    }
    return NULL;
}

static const char *fault_of(const view *v, const col_violation *violation) {
    const uint64_t first = oracle_bit(violation->mentions[violation->steps[0].from].operation);
    const events read = merged(v, (events){first & v->shape.reads, 0});
    const events write = merged(v, (events){0, first & v->shape.writes});
    if (leads_back(v, violation, read) || leads_back(v, violation, write) ||
        is_incoherent(v, violation))
        return NULL;
    return "a step does not hold";
}

const char *cycle_fault(oracle_model model, const col_program *program, const candidate *c,
                        const col_violation *violation) {
    view v = {.model = model, .c = c};
    const char *fault = form_fault(program, violation);
    if (fault != NULL)
        return fault;
    oracle_shape_of(program, &v.shape);
    add_order_of_writes(&v);
    note_seen(&v, UINT64_MAX, UINT64_MAX);
    close_writes(&v, v.seen_later);
    find_kept(&v);
    return fault_of(&v, violation);
}

/* ---- Traces. */

static bool add_pair(view *v, uint32_t earlier, uint32_t later) {
    if (earlier == later || has(v->seen_later[earlier], later))
        return false;
    v->seen_later[earlier] |= oracle_bit(later);
    return true;
}

/* A write comes directly behind the one that it is known to have replaced. Returns true if this
 * tells more. */
static bool keep_together(view *v, const small_trace *t) {
    bool more = false;
    for (uint64_t all = v->shape.writes; all != 0; all &= all - 1) {
        const uint32_t write = (uint32_t)__builtin_ctzll(all);
        const uint32_t replaced = small_trace_replaced(t, write);
        uint64_t others = v->shape.writes & v->shape.same_location[write] & ~oracle_bit(write);
        for (; replaced != COL_NOT_SAID && others != 0; others &= others - 1) {
            const uint32_t other = (uint32_t)__builtin_ctzll(others);
            if (replaced == COL_INITIAL ||
                (other != replaced && has(v->seen_later[replaced], other)))
                more |= add_pair(v, write, other);
            if (replaced != COL_INITIAL && has(v->seen_later[other], write))
                more |= add_pair(v, other, replaced);
        }
    }
    return more;
}

static bool follows(const graph *g, uint32_t write, uint32_t operation, bool read) {
    return has(read ? g->after_write[write].reads : g->after_write[write].writes, operation);
}

/* Writes that come before each other; or before a read of another write of their location, and so
 * before that one. */
static bool infer_order(view *v, const graph *g) {
    bool more = false;
    for (uint32_t i = 0; i < v->shape.count; i++) {
        uint64_t writes = v->shape.writes & v->shape.same_location[i] & ~oracle_bit(i);
        for (; writes != 0; writes &= writes - 1) {
            const uint32_t write = (uint32_t)__builtin_ctzll(writes), source = v->c->source[i];
            if (has(v->shape.writes, i) && follows(g, write, i, false))
                more |= add_pair(v, write, i);
            if (has(v->shape.reads, i) && source != COL_INITIAL && follows(g, write, i, true))
                more |= add_pair(v, write, source);
        }
    }
    return more;
}

static void make_graph(const view *v, graph *g) {
    *g = v->kept;
    for (uint32_t i = 0; i < v->shape.count; i++) {
        const uint32_t source = v->c->source[i];
        if (has(v->shape.writes, i))
            g->after_write[i].writes |= v->seen_later[i];
        if (!has(v->shape.reads, i))
            continue;
        g->after_read[i].writes |= overtaken_by(v, v->seen_later, i);
        if (source != COL_INITIAL && !has(v->shape.same_thread[i], source))
            g->after_write[source].reads |= oracle_bit(i);
    }
    merge(v, g);
    close_graph(v, g);
}

/* All that follows about the order of writes without trying one. */
static void infer_all(view *v, const small_trace *t) {
    const uint32_t *final = t->trace.final;
    note_seen(v, UINT64_MAX, UINT64_MAX);
    for (uint32_t i = 0; i < v->shape.count; i++) {
        const uint32_t replaced = small_trace_replaced(t, i);
        if (replaced < COL_NOT_SAID)
            (void)add_pair(v, replaced, i);
        const uint32_t last =
            final == NULL ? COL_NOT_SAID : final[v->shape.program->operations[i].location];
        if (has(v->shape.writes, i) && last < COL_NOT_SAID)
            (void)add_pair(v, i, last);
    }
    for (bool more = true; more;) {
        graph g;
        close_writes(v, v->seen_later);
        find_kept(v);
        make_graph(v, &g);
        more = infer_order(v, &g);
        more |= keep_together(v, t);
    }
    for (uint32_t i = 0; i < v->shape.count; i++)
        v->replaced_by[i] = v->seen_later[i];
}

const char *trace_cycle_fault(oracle_model model, const small_trace *t,
                              const col_violation *violation) {
    const col_program *program = &t->trace.program;
    candidate c = {0};
    const oracle_times times = {t->times.begin, t->times.end};
    view v = {.model = model, .c = &c, .times = t->trace.begin != NULL ? &times : NULL};
    const char *fault = form_fault(program, violation);
    if (fault != NULL)
        return fault;
    for (uint32_t i = 0; i < col_program_operations(program); i++)
        c.source[i] = col_kinds[program->operations[i].kind].reads ? t->source[i] : COL_INITIAL;
    oracle_shape_of(program, &v.shape);
    infer_all(&v, t);
    for (uint32_t i = 0; strstr(violation->reason, "tried") != NULL && i < v.shape.count; i++) {
        const uint64_t all = v.shape.writes & v.shape.same_location[i] & ~oracle_bit(i);
        v.replaced_by[i] = v.seen_later[i] = has(v.shape.writes, i) ? all : 0;
    }
    return fault_of(&v, violation);
}

/* ---- Prefixes. */

/* The write that is known to have replaced the word that a read returned; all as a set. */
static uint64_t next_write(const view *v, uint64_t performed, uint32_t read) {
    const uint32_t source = v->c->source[read];
    const uint32_t place = source == COL_INITIAL ? 0 : v->c->place[source];
    for (uint32_t i = 0; i < v->shape.count; i++)
        if (has(v->shape.writes & performed & v->shape.same_location[read], i) &&
            v->c->place[i] == place + 1)
            return oracle_bit(i);
    return 0;
}

static void add_communication(const view *v, uint64_t performed, uint64_t known, graph *g) {
    for (uint32_t i = 0; i < v->shape.count; i++) {
        const uint32_t source = v->c->source[i];
        if (has(v->shape.reads & performed & known, i) && source != COL_INITIAL &&
            !has(v->shape.same_thread[i], source))
            g->after_write[source].reads |= oracle_bit(i);
        g->after_write[i].writes |= v->seen_later[i];
        if (has(v->shape.reads & performed & known, i))
            g->after_read[i].writes |= next_write(v, performed, i) & ~oracle_bit(i);
    }
}

/* A read of the own thread's future, and a word from before one that the thread has met already. */
static bool is_absurd(const view *v, uint64_t performed, uint64_t known) {
    for (uint32_t i = 0; i < v->shape.count; i++) {
        if (!has(v->shape.reads & performed & known, i))
            continue;
        const uint32_t source = v->c->source[i];
        if (source != COL_INITIAL && has(v->shape.same_thread[i], source) && source >= i)
            return true;
        uint64_t earlier =
            v->shape.same_thread[i] & v->shape.same_location[i] & (oracle_bit(i) - 1);
        for (; source == COL_INITIAL && earlier != 0; earlier &= earlier - 1) {
            const uint32_t j = (uint32_t)__builtin_ctzll(earlier);
            if (has(v->shape.writes, j) ||
                (has(performed & known, j) && v->c->source[j] != COL_INITIAL))
                return true;
        }
    }
    return false;
}

/* Reads that performed and whose sources are known. */
static uint64_t known_reads(const view *v, uint64_t performed) {
    uint64_t known = 0;
    for (uint32_t i = 0; i < v->shape.count; i++) {
        const uint32_t source = v->c->source[i];
        if (has(v->shape.reads & performed, i) &&
            (source == COL_INITIAL || v->shape.program->operations[source].kind != COL_ADD ||
             has(performed, source)))
            known |= oracle_bit(i);
    }
    return known;
}

/* A write that performed follows the one that it replaced, if that one's word is known. */
static void note_replaced(view *v, uint64_t performed) {
    for (uint32_t i = 0; i < v->shape.count; i++) {
        const bool is_known = v->shape.program->operations[i].kind != COL_ADD || has(performed, i);
        uint64_t others = v->shape.writes & performed & v->shape.same_location[i];
        for (; has(v->shape.writes, i) && is_known && others != 0; others &= others - 1) {
            const uint32_t j = (uint32_t)__builtin_ctzll(others);
            if (v->c->place[j] == v->c->place[i] + 1)
                v->seen_later[i] |= oracle_bit(j);
        }
    }
}

bool prefix_has_cycle(oracle_model model, const col_program *program, const candidate *c,
                      uint64_t performed) {
    view v = {.model = model, .c = c};
    oracle_kept kept;
    graph g = {0};
    uint32_t sources[ORACLE_OPERATIONS];
    oracle_shape_of(program, &v.shape);
    const uint64_t known = known_reads(&v, performed);
    for (uint32_t i = 0; i < v.shape.count; i++)
        sources[i] = has(known, i) ? c->source[i] : COL_INITIAL;
    oracle_kept_order(model, program, sources, NULL, &kept);
    for (uint32_t i = 0; i < v.shape.count; i++) {
        g.after_read[i] = kept.after_read[i];
        g.after_write[i] = kept.after_write[i];
    }
    note_replaced(&v, performed);
    note_seen(&v, performed, known);
    close_writes(&v, v.seen_later);
    add_communication(&v, performed, known, &g);
    merge(&v, &g);
    close_graph(&v, &g);
    return is_cyclic(&v, &g) || is_absurd(&v, performed, known);
}
