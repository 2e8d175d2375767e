/* SPDX-License-Identifier: MIT */
/*
 * SC, TSO, PSO and WMO once more, from the axioms of the Axe manual, by trying all total orders of
 * a program's operations: a memory order keeps the pairs of a thread that the model's local axioms
 * name, and a read returns the word of the latest store, in memory order, among those that come
 * before it in memory order or in its thread (the value axiom).
 */
#include "oracle_parts.h"

typedef struct orders {
    oracle_shape shape;
    oracle_notice *notice;
    void *context;
    uint64_t before[ORACLE_OPERATIONS];   /* what must come before each operation */
    uint32_t position[ORACLE_OPERATIONS]; /* in memory order */
    uint32_t sequence[ORACLE_OPERATIONS];
    uint32_t placed;
} orders;

static bool has(uint64_t set, uint32_t operation) {
    return (set & oracle_bit(operation)) != 0;
}

/* The local axioms for i before j in one thread. */
static bool model_keeps(oracle_model model, const oracle_shape *shape, uint32_t i, uint32_t j) {
    const bool load = has(shape->reads, i);
    const bool stores = has(shape->writes, i) && has(shape->writes, j);
    const bool here = has(shape->same_location[i], j);
    switch (model) {
    case ORACLE_SC:
        return true;
    case ORACLE_TSO:
        return load || stores;
    case ORACLE_PSO:
        return load || (stores && here);
    default:
        return (load || stores) && here;
    }
}

static bool fence_keeps(const oracle_shape *shape, uint32_t i, uint32_t j) {
    const uint32_t pairs = (has(shape->reads, i) && has(shape->reads, j) ? COL_READ_READ : 0U) |
                           (has(shape->reads, i) && has(shape->writes, j) ? COL_READ_WRITE : 0U) |
                           (has(shape->writes, i) && has(shape->reads, j) ? COL_WRITE_READ : 0U) |
                           (has(shape->writes, i) && has(shape->writes, j) ? COL_WRITE_WRITE : 0U);
    for (uint32_t f = i + 1; f < j; f++) {
        if ((shape->program->operations[f].fence & pairs) != 0)
            return true;
    }
    return false;
}

static uint64_t kept_before(oracle_model model, const oracle_shape *shape,
                            const oracle_times *times, uint32_t j) {
    uint64_t before = model == ORACLE_WMO ? oracle_ended(shape, times, j) : 0;
    for (uint32_t i = 0; i < j; i++) {
        if (has(shape->same_thread[j] & (shape->reads | shape->writes), i) &&
            (model_keeps(model, shape, i, j) || fence_keeps(shape, i, j)))
            before |= oracle_bit(i);
    }
    return before;
}

/* The value axiom; NULL: the initial word. */
static const uint64_t *latest_word(const orders *o, const uint64_t *words, uint32_t read) {
    uint64_t stores = o->shape.writes & o->shape.same_location[read] & ~oracle_bit(read);
    const uint64_t *latest = NULL;
    uint32_t reached = 0;
    for (; stores != 0; stores &= stores - 1) {
        const uint32_t store = (uint32_t)__builtin_ctzll(stores);
        const bool local = has(o->shape.same_thread[read], store) && store < read;
        const bool global = o->position[store] < o->position[read];
        if ((local || global) && o->position[store] >= reached) {
            latest = &words[store];
            reached = o->position[store];
        }
    }
    return latest;
}

static bool show(const orders *o) {
    outcome made = {0};
    uint64_t words[ORACLE_OPERATIONS] = {0}, memory[ORACLE_OPERATIONS] = {0};
    for (uint32_t k = 0; k < o->placed; k++) {
        const uint32_t i = o->sequence[k];
        uint64_t *word = &memory[o->shape.location[i]];
        if (!has(o->shape.writes, i))
            continue;
        made.replaced[i] = *word;
        *word = words[i] = oracle_word_after(o->shape.program, i, *word);
    }
    for (uint32_t i = 0; i < o->shape.count; i++) {
        if (!has(o->shape.reads, i))
            continue;
        const uint64_t *word = latest_word(o, words, i);
        made.read[i] = word != NULL ? *word : 0;
        const col_operation *operation = &o->shape.program->operations[i];
        if (operation->kind == COL_AWAIT && made.read[i] != operation->value)
            return true;
    }
    return o->notice(o->context, &made);
}

static bool place_rest(orders *o, uint64_t left) {
    if (left == 0)
        return show(o);
    for (uint64_t choices = left; choices != 0; choices &= choices - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(choices);
        if ((o->before[i] & left) != 0)
            continue;
        o->position[i] = o->placed;
        o->sequence[o->placed++] = i;
        const bool go_on = place_rest(o, left & ~oracle_bit(i));
        o->placed--;
        if (!go_on)
            return false;
    }
    return true;
}

void oracle_orders_each(oracle_model model, const col_program *program, const oracle_times *times,
                        oracle_notice *notice, void *context) {
    orders o = {.notice = notice, .context = context};
    oracle_shape_of(program, &o.shape);
    for (uint32_t j = 0; j < o.shape.count; j++)
        o.before[j] = kept_before(model, &o.shape, times, j);
    place_rest(&o, o.shape.reads | o.shape.writes);
}
