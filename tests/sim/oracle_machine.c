/* SPDX-License-Identifier: MIT */
/*
 * The machines of SC and TSO, searched through all interleavings. SC is one memory. TSO adds a
 * first-in first-out store buffer to each thread: loads take the youngest buffered word of their
 * location, if there is one; atomics, and fences with write->read, wait until the buffer is empty.
 *
 * The state is which operations have been issued by their threads and which writes have been
 * performed in memory. Either the outcome is given, and steps that differ from it are not taken, or
 * it is collected on the way.
 */
#include "oracle_parts.h"

typedef struct search {
    oracle_shape shape;
    bool buffered;        /* TSO */
    const outcome *given; /* or NULL: */
    const condition *conditions;
    uint32_t condition_count;
    oracle_notice *notice;
    void *context;

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

static uint64_t buffer_of(const search *s, uint64_t issued, uint64_t performed,
                          uint32_t thread_of) {
    return issued & ~performed & s->shape.writes & s->shape.same_thread[thread_of];
}

/* What a load would return now. */
static uint64_t loaded(const search *s, uint64_t issued, uint64_t performed, uint32_t load) {
    const uint64_t own = buffer_of(s, issued, performed, load) & s->shape.same_location[load];
    return own != 0 ? col_operation_operand(operation_at(s, highest(own)))
                    : s->memory[s->shape.location[load]];
}

/* May the operation be issued at once, without trying the other steps? Nobody else sees that it was
 * issued, and it would do the same later: in any run from here, it can be put first. */
static bool commutes(const search *s, uint64_t issued, uint64_t performed, uint32_t next) {
    const col_operation *operation = operation_at(s, next);
    switch ((col_kind)operation->kind) {
    case COL_FENCE:
        return (operation->fence & COL_WRITE_READ) == 0 ||
               buffer_of(s, issued, performed, next) == 0;
    case COL_FLUSH:
    case COL_DELAY:
        return true;
    case COL_STORE:
        return s->buffered;
    case COL_LOAD:
    case COL_AWAIT:
        return s->given != NULL && agrees(s, next, false, loaded(s, issued, performed, next));
    default:
        return false;
    }
}

static uint64_t run_ahead(const search *s, uint64_t issued, uint64_t performed) {
    uint64_t waiting = s->shape.all & ~issued;
    while (waiting != 0) {
        const uint32_t next = lowest(waiting); /* of its thread */
        if (commutes(s, issued, performed, next)) {
            issued |= oracle_bit(next);
            waiting &= ~oracle_bit(next);
        } else
            waiting &= ~s->shape.same_thread[next];
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
    while (buffered != 0) {
        const uint32_t oldest = lowest(buffered); /* of its thread */
        if (!try_write(s, issued, performed, oldest))
            return false;
        buffered &= ~s->shape.same_thread[oldest];
    }
    return true;
}

static bool try_threads(search *s, uint64_t issued, uint64_t performed) {
    uint64_t waiting = s->shape.all & ~issued;
    while (waiting != 0) {
        const uint32_t next = lowest(waiting); /* of its thread */
        const bool writes = (s->shape.writes & oracle_bit(next)) != 0;
        const bool reads = (s->shape.reads & oracle_bit(next)) != 0;
        if (writes && buffer_of(s, issued, performed, next) == 0 &&
            !try_write(s, issued, performed, next))
            return false;
        if (reads && !writes && !try_load(s, issued, performed, next))
            return false;
        waiting &= ~s->shape.same_thread[next];
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
    (void)allowed;
    *(bool *)context = true;
    return false;
}

bool oracle_machine_allows(oracle_model model, const col_program *program, const outcome *seen) {
    static oracle_set visited; /* kept from call to call */
    static search s;           /* its memory is all 0 again after each search */
    bool found = false;
    oracle_shape_of(program, &s.shape);
    s.buffered = model == ORACLE_TSO;
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
    search s = {.buffered = model == ORACLE_TSO,
                .conditions = conditions,
                .condition_count = count,
                .notice = notice,
                .context = context,
                .visited = &visited};
    oracle_shape_of(program, &s.shape);
    oracle_set_empty(&visited, 2 + 2 * s.shape.count);
    explore(&s, 0, 0);
    oracle_set_free(&visited);
}
