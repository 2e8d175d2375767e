/* SPDX-License-Identifier: MIT */
/*
 * The models as axioms: a complete outcome is allowed if atomics are atomic, each location by
 * itself is coherent, and there is no cycle in what the model says must come before what. Events
 * are the reads and the writes of operations; an atomic has one of each. They are one in the end,
 * but for those of ARMv8, and those of pairs.
 *
 * Sources: x86-TSO (Owens, Sarkar, Sewell); the Axe manual for PSO and WMO; the Arm Architecture
 * Reference Manual, B2.3; the RISC-V manual, chapter RVWMO, whose rules of preserved program order
 * are named r1 to r13 here.
 */
#include "oracle_parts.h"

enum { NO_SOURCE = ORACLE_OPERATIONS };

typedef oracle_events events;

typedef struct execution {
    oracle_shape shape;
    uint64_t pairs; /* atomics of two instructions: conditionals that have stored */
    uint64_t earlier[ORACLE_OPERATIONS], later[ORACLE_OPERATIONS]; /* in program order */
    uint64_t word[ORACLE_OPERATIONS];                              /* that a write leaves */
    /* In the order of the writes to its location, from 1: a write, and the write (0: the initial
     * word) from which a read takes its word. */
    uint32_t write_place[ORACLE_OPERATIONS], read_place[ORACLE_OPERATIONS];
    uint32_t source[ORACLE_OPERATIONS];  /* of each read: a write, or NO_SOURCE */
    uint64_t readers[ORACLE_OPERATIONS]; /* of each write */
    events read_before[ORACLE_OPERATIONS], write_before[ORACLE_OPERATIONS];
} execution;

static uint32_t take_lowest(uint64_t *set) {
    const uint32_t lowest = (uint32_t)__builtin_ctzll(*set);
    *set &= *set - 1;
    return lowest;
}

static bool is_in(uint64_t set, uint32_t operation) {
    return (set & oracle_bit(operation)) != 0;
}

static void start(execution *x, const col_program *program) {
    oracle_shape_of(program, &x->shape);
    x->pairs = 0;
    for (uint32_t i = 0; i < x->shape.count; i++) {
        x->pairs |= program->operations[i].kind == COL_CONDITIONAL ? oracle_bit(i) : 0;
        x->earlier[i] = x->shape.same_thread[i] & (oracle_bit(i) - 1);
        x->later[i] = x->shape.same_thread[i] & ~x->earlier[i] & ~oracle_bit(i);
        x->readers[i] = 0;
        x->read_before[i] = x->write_before[i] = (events){0, 0};
    }
}

/* The writes to one location follow each other: each replaces the word that another one left. */
static bool order_writes(execution *x, const outcome *seen, uint64_t writes) {
    uint64_t word = 0;
    for (uint32_t place = 1; writes != 0; place++) {
        uint64_t candidates = writes;
        uint32_t next = take_lowest(&candidates);
        while (seen->replaced[next] != word) {
            if (candidates == 0)
                return false;
            next = take_lowest(&candidates);
        }
        word = oracle_word_after(x->shape.program, next, word);
        x->word[next] = word;
        x->write_place[next] = place;
        writes &= ~oracle_bit(next);
    }
    return true;
}

static bool order_all_writes(execution *x, const outcome *seen) {
    uint64_t writes = x->shape.writes;
    while (writes != 0) {
        const uint64_t here = writes & x->shape.same_location[__builtin_ctzll(writes)];
        if (!order_writes(x, seen, here))
            return false;
        writes &= ~here;
    }
    return true;
}

static bool find_source(execution *x, uint32_t read, uint64_t word) {
    uint64_t writes = x->shape.writes & x->shape.same_location[read];
    x->read_place[read] = 0;
    x->source[read] = NO_SOURCE;
    if (word == 0)
        return true;
    while (writes != 0) {
        const uint32_t write = take_lowest(&writes);
        if (x->word[write] == word) {
            x->read_place[read] = x->write_place[write];
            x->source[read] = write;
            x->readers[write] |= oracle_bit(read);
            return true;
        }
    }
    return false;
}

/* Atomics read what they replace, awaits what they wait for. */
static bool find_sources(execution *x, const outcome *seen) {
    uint64_t reads = x->shape.reads;
    while (reads != 0) {
        const uint32_t read = take_lowest(&reads);
        const col_operation *operation = &x->shape.program->operations[read];
        if ((is_in(x->shape.writes, read) && seen->read[read] != seen->replaced[read]) ||
            (operation->kind == COL_AWAIT && seen->read[read] != operation->value) ||
            !find_source(x, read, seen->read[read]))
            return false;
    }
    return true;
}

/* In each thread, the operations on one location go forward in the order of its writes. */
static bool is_coherent(const execution *x) {
    for (uint32_t i = 0; i < x->shape.count; i++) {
        const uint32_t reached = is_in(x->shape.writes, i) ? x->write_place[i] : x->read_place[i];
        uint64_t later = x->later[i] & x->shape.same_location[i];
        while (later != 0) {
            const uint32_t j = take_lowest(&later);
            if (is_in(x->shape.reads, j) ? x->read_place[j] < reached
                                         : x->write_place[j] <= reached)
                return false;
        }
    }
    return true;
}

/* Both events of an operation come before these, as far as they exist. */
static void put_before(execution *x, uint32_t operation, events after) {
    if (is_in(x->shape.reads, operation)) {
        x->read_before[operation].reads |= after.reads & x->shape.reads;
        x->read_before[operation].writes |= after.writes & x->shape.writes;
    }
    if (is_in(x->shape.writes, operation)) {
        x->write_before[operation].reads |= after.reads & x->shape.reads;
        x->write_before[operation].writes |= after.writes & x->shape.writes;
    }
}

/* Reads-from, the order of writes, and from-reads: a read comes before the write that replaces its
 * word. A thread may read its own write before others do. In a coherent execution this contains r1,
 * an operation and a later write to its location, and r2, two reads of a location that take their
 * words from different writes: the first comes before the write that the second one reads. */
static void add_communication(execution *x, bool own_reads) {
    for (uint32_t i = 0; i < x->shape.count; i++) {
        uint64_t writes = x->shape.same_location[i] & x->shape.writes & ~oracle_bit(i);
        while (writes != 0) {
            const uint32_t write = take_lowest(&writes);
            if (is_in(x->shape.writes, i) && x->write_place[write] > x->write_place[i])
                x->write_before[i].writes |= oracle_bit(write);
            if (is_in(x->shape.reads, i) && x->write_place[write] > x->read_place[i])
                x->read_before[i].writes |= oracle_bit(write);
        }
        x->write_before[i].reads |=
            x->readers[i] & (own_reads ? x->shape.all : ~x->shape.same_thread[i]);
    }
}

static void add_fence(execution *x, uint32_t fence) {
    const uint8_t pairs = x->shape.program->operations[fence].fence;
    const uint64_t later = x->later[fence];
    const events after_reads = {(pairs & COL_READ_READ) != 0 ? later & x->shape.reads : 0,
                                (pairs & COL_READ_WRITE) != 0 ? later & x->shape.writes : 0};
    const events after_writes = {(pairs & COL_WRITE_READ) != 0 ? later & x->shape.reads : 0,
                                 (pairs & COL_WRITE_WRITE) != 0 ? later & x->shape.writes : 0};
    uint64_t earlier = x->earlier[fence];
    while (earlier != 0) {
        const uint32_t i = take_lowest(&earlier);
        if (is_in(x->shape.reads, i)) {
            x->read_before[i].reads |= after_reads.reads;
            x->read_before[i].writes |= after_reads.writes;
        }
        if (is_in(x->shape.writes, i)) {
            x->write_before[i].reads |= after_writes.reads;
            x->write_before[i].writes |= after_writes.writes;
        }
    }
}

static void add_fences(execution *x) {
    for (uint32_t i = 0; i < x->shape.count; i++) {
        if (x->shape.program->operations[i].kind == COL_FENCE)
            add_fence(x, i);
    }
}

/* What comes after a read because operation `i` depends on it (r9 to r13; Arm's
 * dependency-ordered-before). */
static events depending(const execution *x, uint32_t i, col_dependency dependency) {
    const uint64_t self = oracle_bit(i);
    const uint64_t forwarded = x->readers[i] & x->shape.same_thread[i];
    const bool on_memory = ((x->shape.reads | x->shape.writes) & self) != 0;
    if (dependency == COL_CONTROL)
        return (events){0, (self | x->later[i]) & x->shape.writes};
    if (dependency == COL_ADDRESS && on_memory)
        return (events){(self & x->shape.reads) | forwarded,
                        (self | x->later[i]) & x->shape.writes};
    if (dependency == COL_DATA)
        return (events){forwarded, self};
    return (events){0, 0}; /* a flush depends, but orders nothing */
}

/* Dependencies go on through memory: what depends on a read of the word of an own add depends on
 * the add. (This is Arm's; on RVWMO it follows, because such a read itself is ordered, r3.) */
static void add_dependency(execution *x, uint32_t read, events after) {
    while (true) {
        x->read_before[read].reads |= after.reads;
        x->read_before[read].writes |= after.writes;
        const uint32_t source = x->source[read];
        if (source == NO_SOURCE || !is_in(x->shape.same_thread[read], source) ||
            x->shape.program->operations[source].kind != COL_ADD)
            return;
        read = source;
    }
}

static void add_dependencies(execution *x, uint32_t i) {
    const col_operation *operation = &x->shape.program->operations[i];
    if (operation->dependency != COL_NO_DEPENDENCY)
        add_dependency(x, i - operation->distance,
                       depending(x, i, (col_dependency)operation->dependency));
    if (operation->kind == COL_AWAIT)
        add_dependency(x, i, (events){0, x->later[i] & x->shape.writes});
}

/* Acquires come before what follows, releases after what precedes, and an acquire after earlier
 * releases (r5 to r7). */
static void add_attributes(execution *x, uint32_t i) {
    const uint8_t order = x->shape.program->operations[i].order;
    uint64_t earlier = x->earlier[i];
    if ((order & COL_ACQUIRE) != 0) {
        x->read_before[i].reads |= x->later[i] & x->shape.reads;
        x->read_before[i].writes |= x->later[i] & x->shape.writes;
    }
    while (order != 0 && earlier != 0) {
        const uint32_t before = take_lowest(&earlier);
        if ((order & COL_RELEASE) != 0)
            put_before(x, before, (events){0, oracle_bit(i)});
        if ((order & COL_ACQUIRE) != 0 &&
            (x->shape.program->operations[before].order & COL_RELEASE) != 0)
            x->write_before[before].reads |= oracle_bit(i);
    }
}

/* What ARMv8 and RVWMO have in common. */
static void add_weak_order(execution *x) {
    for (uint32_t i = 0; i < x->shape.count; i++) {
        add_dependencies(x, i);
        add_attributes(x, i);
    }
}

static void add_armv8_atomics(execution *x) {
    uint64_t atomics = x->shape.reads & x->shape.writes;
    while (atomics != 0) {
        const uint32_t i = take_lowest(&atomics);
        uint64_t own_readers = x->readers[i] & x->shape.same_thread[i];
        x->read_before[i].writes |= oracle_bit(i);
        while (own_readers != 0) {
            const uint32_t reader = take_lowest(&own_readers);
            if ((x->shape.program->operations[reader].order & COL_ACQUIRE) != 0)
                x->read_before[i].reads |= oracle_bit(reader);
        }
        if (x->shape.program->operations[i].order == (COL_ACQUIRE | COL_RELEASE) &&
            !is_in(x->pairs, i))
            put_before(x, i, (events){x->later[i], x->later[i]});
    }
}

/* r3: a read of the own atomic's word. */
static void add_rvwmo_atomics(execution *x) {
    uint64_t atomics = x->shape.reads & x->shape.writes;
    while (atomics != 0) {
        const uint32_t i = take_lowest(&atomics);
        x->write_before[i].reads |= x->readers[i];
    }
}

static void add_after_read(execution *x, uint32_t read, events after) {
    x->read_before[read].reads |= after.reads & x->shape.reads;
    x->read_before[read].writes |= after.writes & x->shape.writes;
}

/* What a model keeps whatever stands between: SC all, TSO and PSO all that follows a read, TSO also
 * two writes. Two writes to one location are in order by coherence. */
static void add_program_order(execution *x, oracle_model model) {
    for (uint32_t i = 0; i < x->shape.count; i++) {
        const uint64_t later = x->later[i];
        if (is_in(x->shape.reads, i))
            add_after_read(x, i, (events){later, later});
        if (is_in(x->shape.writes, i) && model != ORACLE_PSO)
            x->write_before[i].writes |= later & x->shape.writes;
        if (is_in(x->shape.writes, i) && model == ORACLE_SC)
            x->write_before[i].reads |= later & x->shape.reads;
    }
}

/* WMO: a read comes before later accesses to its location, and before what begins after its end. */
static void add_wmo_order(execution *x, const oracle_times *times) {
    for (uint32_t i = 0; i < x->shape.count; i++) {
        const uint64_t here = x->later[i] & x->shape.same_location[i];
        uint64_t ended = oracle_ended(&x->shape, times, i);
        if (is_in(x->shape.reads, i))
            add_after_read(x, i, (events){here, here});
        while (ended != 0)
            add_after_read(x, take_lowest(&ended), (events){oracle_bit(i), oracle_bit(i)});
    }
}

/* No cycle: events that nothing left comes after can be taken away until none are left. The two of
 * an operation are one event unless it is one of `split`. */
static bool is_ordered(const execution *x, uint64_t split) {
    events left = {x->shape.reads, x->shape.writes};
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = x->shape.count; i-- > 0;) {
            const uint64_t self = oracle_bit(i);
            const events own = is_in(split, i) ? (events){0, 0} : (events){self, self};
            const events *read = &x->read_before[i], *write = &x->write_before[i];
            bool is_read_last = ((read->reads & left.reads & ~own.reads) |
                                 (read->writes & left.writes & ~own.writes)) == 0;
            bool is_write_last = ((write->reads & left.reads & ~own.reads) |
                                  (write->writes & left.writes & ~own.writes)) == 0;
            if (!is_in(split, i))
                is_read_last = is_write_last = is_read_last && is_write_last;
            const events taken = {is_read_last ? left.reads & self : 0,
                                  is_write_last ? left.writes & self : 0};
            left.reads &= ~taken.reads;
            left.writes &= ~taken.writes;
            moved = moved || (taken.reads | taken.writes) != 0;
        }
    }
    return (left.reads | left.writes) == 0;
}

static void add_model_order(execution *x, oracle_model model, const oracle_times *times) {
    add_fences(x);
    for (uint32_t i = 0; i < x->shape.count; i++) /* the write of a pair follows its read */
        x->read_before[i].writes |= oracle_bit(i) & x->pairs;
    if (model <= ORACLE_PSO)
        add_program_order(x, model);
    else if (model == ORACLE_WMO)
        add_wmo_order(x, times);
    else
        add_weak_order(x);
    if (model == ORACLE_RVWMO)
        add_rvwmo_atomics(x);
    if (model == ORACLE_ARMV8)
        add_armv8_atomics(x);
}

bool oracle_axioms_allow(oracle_model model, const col_program *program, const outcome *seen,
                         const oracle_times *times) {
    execution x;
    start(&x, program);
    if (!order_all_writes(&x, seen) || !find_sources(&x, seen) || !is_coherent(&x))
        return false;
    add_communication(&x, model == ORACLE_SC);
    add_model_order(&x, model, times);
    return is_ordered(&x, model == ORACLE_ARMV8 ? x.shape.all : x.pairs);
}

bool oracle_is_coherent(const col_program *program, const outcome *seen) {
    execution x;
    start(&x, program);
    return order_all_writes(&x, seen) && find_sources(&x, seen) && is_coherent(&x);
}

void oracle_kept_order(oracle_model model, const col_program *program, const uint32_t *source,
                       const oracle_times *times, oracle_kept *kept) {
    execution x;
    start(&x, program);
    for (uint32_t i = 0; i < x.shape.count; i++) {
        const bool known = is_in(x.shape.reads, i) && source[i] < x.shape.count &&
                           !is_in(x.later[i] | oracle_bit(i), source[i]);
        x.source[i] = known ? source[i] : NO_SOURCE;
        if (known)
            x.readers[source[i]] |= oracle_bit(i);
    }
    add_model_order(&x, model, times);
    for (uint32_t i = 0; i < x.shape.count; i++) {
        const uint64_t own = x.shape.same_thread[i];
        kept->after_read[i] =
            (oracle_events){x.read_before[i].reads & own, x.read_before[i].writes & own};
        kept->after_write[i] =
            (oracle_events){x.write_before[i].reads & own, x.write_before[i].writes & own};
    }
}
