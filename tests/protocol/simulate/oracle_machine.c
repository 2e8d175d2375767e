/* SPDX-License-Identifier: MIT */
/*
 * The machines of SC, TSO, PSO and WMO, searched through all interleavings; the last two as the Axe
 * manual has them. SC is one memory. TSO adds a first-in first-out store buffer to each thread:
 * loads take the youngest buffered word of their location, if there is one; atomics wait until it
 * is empty. On PSO the buffer is first-in first-out for each location only, and atomics wait for
 * stores to their location. On WMO the operations themselves, too, are in order for each location
 * only, but what begins after a read has ended waits for it.
 *
 * A fence never waits itself, as it would on the machines of the books, since it may order less
 * than everything: what follows it waits for what it is to be ordered after. And the manual's WMO
 * has atomics wait for all earlier stores, its axioms only for those to their location. This makes
 * a difference only between a load of the own store and an atomic that begins after the load has
 * ended; here the axioms count, as they do in Axe.
 *
 * The state is which operations have been issued by their threads and which writes have been
 * performed in memory. Either the outcome is given, and steps that differ from it are not taken, or
 * it is collected on the way.
 */
#include "oracle_parts.h"

typedef struct search {
    oracle_shape shape;
    bool in_order;        /* threads issue in program order; else for each location */
    bool buffered;        /* stores wait in a buffer */
    bool one_queue;       /* which is in order; else for each location */
    const outcome *given; /* or NULL: */
    const condition *conditions;
    uint32_t condition_count;
    oracle_notice *notice;
    void *context;

    uint64_t waits_for[ORACLE_OPERATIONS]; /* what must have taken effect before each operation */
    outcome collected;
    uint64_t memory[ORACLE_OPERATIONS]; /* by location */
    oracle_set *visited;
} search;

static uint32_t lowest(uint64_t operations) {
    return (uint32_t)__builtin_ctzll(operations);
}

static uint32_t highest(uint64_t operations) {
    return 63 - (uint32_t)__builtin_clzll(operations);
}

static const col_operation *operation_at(const search *s, uint32_t index) {
    return &s->shape.program->operations[index];
}

/* Does the operation see what it should, if it sees this word? */
static bool agrees(const search *s, uint32_t operation, bool replaced, uint64_t word) {
    if (!replaced && operation_at(s, operation)->kind == COL_AWAIT &&
        word != operation_at(s, operation)->value)
        return false;
    if (s->given != NULL)
        return word == (replaced ? s->given->replaced : s->given->read)[operation];
    for (uint32_t i = 0; i < s->condition_count; i++) {
        const condition *c = &s->conditions[i];
        if (c->operation == operation && c->replaced == replaced && c->word != word)
            return false;
    }
    return true;
}

/* Buffered stores of the thread of an operation. */
static uint64_t buffer_of(const search *s, uint64_t issued, uint64_t performed, uint32_t member) {
    return issued & ~performed & s->shape.writes & s->shape.same_thread[member];
}

/* The same, but only the stores that its write must not overtake. */
static uint64_t queue_of(const search *s, uint64_t issued, uint64_t performed, uint32_t write) {
    return buffer_of(s, issued, performed, write) &
           (s->one_queue ? s->shape.all : s->shape.same_location[write]);
}

/* May it be issued, as far as the order of issue goes? */
static bool is_next(const search *s, uint64_t issued, uint32_t operation) {
    const uint64_t before = s->shape.same_thread[operation] & (oracle_bit(operation) - 1);
    return (before & ~issued & (s->in_order ? s->shape.all : s->shape.same_location[operation])) ==
           0;
}

/* May it take effect, as far as fences and times go? */
static bool is_ready(const search *s, uint64_t issued, uint64_t performed, uint32_t operation) {
    const uint64_t done = (issued & ~s->shape.writes) | performed;
    return (s->waits_for[operation] & ~done) == 0;
}

/* What a load would return now. */
static uint64_t loaded(const search *s, uint64_t issued, uint64_t performed, uint32_t load) {
    const uint64_t own = buffer_of(s, issued, performed, load) & s->shape.same_location[load];
    return own != 0 ? col_program_operand(s->shape.program, operation_at(s, highest(own)))
                    : s->memory[s->shape.location[load]];
}

/* May the operation be issued at once, without trying the other steps? Nobody else sees that it was
 * issued, and it would do the same later: in any run from here, it can be put first. */
static bool commutes(const search *s, uint64_t issued, uint64_t performed, uint32_t next) {
    switch ((col_kind)operation_at(s, next)->kind) {
    case COL_FENCE:
    case COL_FLUSH:
    case COL_DELAY:
        return true;
    case COL_STORE:
        return s->buffered;
    case COL_LOAD:
    case COL_AWAIT:
        return s->given != NULL && is_ready(s, issued, performed, next) &&
               agrees(s, next, false, loaded(s, issued, performed, next));
    default:
        return false;
    }
}

static uint64_t run_ahead(const search *s, uint64_t issued, uint64_t performed) {
    uint64_t waiting = s->shape.all & ~issued;
    for (; waiting != 0; waiting &= waiting - 1) {
        const uint32_t next = lowest(waiting);
        if (is_next(s, issued, next) && commutes(s, issued, performed, next))
            issued |= oracle_bit(next);
    }
    return issued;
}

static bool is_new(search *s, uint64_t issued, uint64_t performed) {
    uint64_t key[2 + 2 * ORACLE_OPERATIONS] = {issued, performed};
    for (uint32_t i = 0; s->given == NULL && i < s->shape.count; i++) {
        key[2 + i] = s->collected.read[i];
        key[2 + s->shape.count + i] = s->collected.replaced[i];
    }
    return oracle_set_add(s->visited, key);
}

static bool explore(search *s, uint64_t issued, uint64_t performed);

static bool try_load(search *s, uint64_t issued, uint64_t performed, uint32_t load) {
    const uint64_t word = loaded(s, issued, performed, load);
    if (!agrees(s, load, false, word))
        return true;
    s->collected.read[load] = word;
    const bool go_on = explore(s, issued | oracle_bit(load), performed);
    s->collected.read[load] = 0;
    return go_on;
}

/* A store, out of the buffer or at once, or an atomic. */
static bool try_write(search *s, uint64_t issued, uint64_t performed, uint32_t write) {
    uint64_t *place = &s->memory[s->shape.location[write]];
    const uint64_t old = *place;
    const bool reads = (s->shape.reads & oracle_bit(write)) != 0;
    if (!agrees(s, write, true, old) || (reads && !agrees(s, write, false, old)))
        return true;
    *place = oracle_word_after(s->shape.program, write, old);
    s->collected.replaced[write] = old;
    s->collected.read[write] = reads ? old : 0;
    const bool go_on = explore(s, issued | oracle_bit(write), performed | oracle_bit(write));
    s->collected.replaced[write] = 0;
    s->collected.read[write] = 0;
    *place = old;
    return go_on;
}

static bool try_drains(search *s, uint64_t issued, uint64_t performed) {
    uint64_t buffered = issued & ~performed & s->shape.writes;
    for (; buffered != 0; buffered &= buffered - 1) {
        const uint32_t store = lowest(buffered);
        const uint64_t queue = queue_of(s, issued, performed, store);
        if (store == lowest(queue) && is_ready(s, issued, performed, store) &&
            !try_write(s, issued, performed, store))
            return false;
    }
    return true;
}

static bool try_threads(search *s, uint64_t issued, uint64_t performed) {
    uint64_t waiting = s->shape.all & ~issued;
    for (; waiting != 0; waiting &= waiting - 1) {
        const uint32_t next = lowest(waiting);
        if (!is_next(s, issued, next) || !is_ready(s, issued, performed, next))
            continue;
        const bool writes = (s->shape.writes & oracle_bit(next)) != 0;
        if (writes && queue_of(s, issued, performed, next) == 0 &&
            !try_write(s, issued, performed, next))
            return false;
        if (!writes && !try_load(s, issued, performed, next))
            return false;
    }
    return true;
}

/* Takes every step that is possible; false if the notice wants no more. */
static bool explore(search *s, uint64_t issued, uint64_t performed) {
    issued = run_ahead(s, issued, performed);
    if (!is_new(s, issued, performed))
        return true;
    if (issued == s->shape.all && performed == s->shape.writes)
        return s->notice(s->context, s->given != NULL ? s->given : &s->collected);
    return try_drains(s, issued, performed) && try_threads(s, issued, performed);
}

static bool note_one(void *context, const outcome *allowed) {
    *(bool *)context = true;
    return false;
}

/* What an operation waits for because of fences. */
static uint64_t fenced_before(const oracle_shape *shape, uint32_t operation) {
    const uint64_t before = shape->same_thread[operation] & (oracle_bit(operation) - 1);
    const bool reads = (shape->reads & oracle_bit(operation)) != 0;
    const bool writes = (shape->writes & oracle_bit(operation)) != 0;
    uint64_t fenced = 0;
    for (uint64_t fences = before & ~shape->reads & ~shape->writes; fences != 0;
         fences &= fences - 1) {
        const uint32_t fence = lowest(fences);
        const uint8_t pairs = shape->program->operations[fence].fence; /* 0 if it is none */
        const uint64_t earlier = before & (oracle_bit(fence) - 1);
        if ((reads && (pairs & COL_READ_READ) != 0) || (writes && (pairs & COL_READ_WRITE) != 0))
            fenced |= earlier & shape->reads;
        if ((reads && (pairs & COL_WRITE_READ) != 0) || (writes && (pairs & COL_WRITE_WRITE) != 0))
            fenced |= earlier & shape->writes;
    }
    return fenced;
}

static void set_up(search *s, oracle_model model, const col_program *program,
                   const oracle_times *times) {
    oracle_shape_of(program, &s->shape);
    s->in_order = model != ORACLE_WMO;
    s->buffered = model != ORACLE_SC;
    s->one_queue = model == ORACLE_SC || model == ORACLE_TSO;
    for (uint32_t i = 0; i < s->shape.count; i++) {
        s->waits_for[i] = fenced_before(&s->shape, i);
        if (model == ORACLE_WMO)
            s->waits_for[i] |= oracle_ended(&s->shape, times, i);
    }
}

bool oracle_machine_allows(oracle_model model, const col_program *program, const outcome *seen,
                           const oracle_times *times) {
    static oracle_set visited; /* kept from call to call */
    static search s;           /* its memory is all 0 again after each search */
    bool found = false;
    set_up(&s, model, program, times);
    s.given = seen;
    s.notice = note_one;
    s.context = &found;
    s.visited = &visited;
    oracle_set_empty(&visited, 2);
    explore(&s, 0, 0);
    return found;
}

void oracle_machine_each(oracle_model model, const col_program *program,
                         const condition *conditions, uint32_t count, oracle_notice *notice,
                         void *context) {
    oracle_set visited = {0};
    search s = {.conditions = conditions,
                .condition_count = count,
                .notice = notice,
                .context = context,
                .visited = &visited};
    set_up(&s, model, program, NULL);
    oracle_set_empty(&visited, 2 + 2 * s.shape.count);
    explore(&s, 0, 0);
    oracle_set_free(&visited);
}
