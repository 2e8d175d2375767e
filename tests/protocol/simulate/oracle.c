/* SPDX-License-Identifier: MIT */
/* What the models have in common: the shape of a program, the candidates among which the axioms
 * choose, and who answers for which model. */
#include "oracle_parts.h"
#include "program/program.h"

#include <assert.h>

const char *const oracle_model_names[ORACLE_MODEL_COUNT] = {"sc",  "tso",   "pso",
                                                            "wmo", "armv8", "rvwmo"};

static void add_operation(oracle_shape *shape, uint32_t index) {
    const col_operation *operation = &shape->program->operations[index];
    const uint64_t bit = oracle_bit(index);
    shape->reads |= col_kinds[operation->kind].reads ? bit : 0;
    shape->writes |= col_kinds[operation->kind].writes ? bit : 0;
    shape->location[index] = index;
    shape->same_location[index] = 0;
    if (((shape->reads | shape->writes) & bit) == 0)
        return;
    shape->same_location[index] = bit;
    for (uint32_t i = 0; i < index; i++) {
        if ((shape->same_location[i] & oracle_bit(i)) == 0 ||
            shape->program->operations[i].location != operation->location)
            continue;
        if (shape->location[index] == index)
            shape->location[index] = i;
        shape->same_location[i] |= bit;
        shape->same_location[index] |= oracle_bit(i);
    }
}

void oracle_shape_of(const col_program *program, oracle_shape *shape) {
    shape->program = program;
    shape->count = col_program_operations(program);
    assert(shape->count <= ORACLE_OPERATIONS);
    shape->all = shape->count == 0 ? 0 : UINT64_MAX >> (ORACLE_OPERATIONS - shape->count);
    shape->reads = shape->writes = 0;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const uint32_t start = program->thread_start[t], end = program->thread_start[t + 1];
        for (uint32_t i = start; i < end; i++) {
            const uint64_t up_to_end = UINT64_MAX >> (ORACLE_OPERATIONS - end);
            shape->same_thread[i] = up_to_end & (UINT64_MAX << start);
            add_operation(shape, i);
        }
    }
}

uint64_t oracle_word_after(const col_program *program, uint32_t operation, uint64_t replaced) {
    const col_operation *writer = &program->operations[operation];
    const uint64_t operand = col_program_operand(program, writer);
    return writer->kind == COL_ADD ? replaced + operand : operand;
}

static int64_t began(const oracle_shape *shape, const oracle_times *times, uint32_t operation) {
    int64_t begin = -1;
    for (uint32_t i = 0; i <= operation; i++) {
        if ((shape->same_thread[operation] & oracle_bit(i)) != 0 && shape->same_location[i] != 0 &&
            times->begin[i] >= 0)
            begin = times->begin[i];
    }
    return begin;
}

uint64_t oracle_ended(const oracle_shape *shape, const oracle_times *times, uint32_t operation) {
    uint64_t ended = 0;
    for (uint32_t i = 0; times != NULL && i < operation; i++) {
        if ((shape->same_thread[operation] & shape->reads & oracle_bit(i)) == 0 ||
            times->end[i] < 0)
            continue;
        for (uint32_t k = i + 1; k <= operation; k++) {
            if (shape->same_location[k] != 0 && began(shape, times, k) > times->end[i])
                ended |= oracle_bit(i);
        }
    }
    return ended;
}

/* Candidates are built by choosing one write after the other to be the next one at its location,
 * and then a word for one load after the other. */
typedef struct candidates {
    oracle_shape shape;
    const condition *conditions;
    uint32_t condition_count;
    oracle_notice *notice;
    void *context;
    outcome made;
    uint64_t word[ORACLE_OPERATIONS]; /* that each write leaves */
    uint64_t last[ORACLE_OPERATIONS]; /* by location */
} candidates;

static bool may_see(const candidates *c, uint32_t operation, bool replaced, uint64_t word) {
    const col_operation *reader = &c->shape.program->operations[operation];
    if (!replaced && reader->kind == COL_AWAIT && word != reader->value)
        return false;
    for (uint32_t i = 0; i < c->condition_count; i++) {
        const condition *wanted = &c->conditions[i];
        if (wanted->operation == operation && wanted->replaced == replaced && wanted->word != word)
            return false;
    }
    return true;
}

static bool choose_words(candidates *c, uint64_t loads);

static bool choose_word(candidates *c, uint64_t loads, uint32_t load, uint64_t word) {
    if (!may_see(c, load, false, word))
        return true;
    c->made.read[load] = word;
    return choose_words(c, loads & ~oracle_bit(load));
}

static bool choose_words(candidates *c, uint64_t loads) {
    if (loads == 0)
        return c->notice(c->context, &c->made);
    const uint32_t load = (uint32_t)__builtin_ctzll(loads);
    uint64_t sources = c->shape.writes & c->shape.same_location[load];
    if (!choose_word(c, loads, load, 0))
        return false;
    for (; sources != 0; sources &= sources - 1) {
        if (!choose_word(c, loads, load, c->word[__builtin_ctzll(sources)]))
            return false;
    }
    return true;
}

static bool choose_orders(candidates *c, uint64_t writes);

static bool choose_next(candidates *c, uint64_t writes, uint32_t write) {
    uint64_t *last = &c->last[c->shape.location[write]];
    const uint64_t old = *last;
    const bool reads = (c->shape.reads & oracle_bit(write)) != 0;
    if (!may_see(c, write, true, old) || (reads && !may_see(c, write, false, old)))
        return true;
    c->made.replaced[write] = old;
    c->made.read[write] = reads ? old : 0;
    c->word[write] = *last = oracle_word_after(c->shape.program, write, old);
    const bool go_on = choose_orders(c, writes & ~oracle_bit(write));
    *last = old;
    return go_on;
}

/* Location by location. */
static bool choose_orders(candidates *c, uint64_t writes) {
    if (writes == 0)
        return choose_words(c, c->shape.reads & ~c->shape.writes);
    uint64_t here = writes & c->shape.same_location[__builtin_ctzll(writes)];
    for (; here != 0; here &= here - 1) {
        if (!choose_next(c, writes, (uint32_t)__builtin_ctzll(here)))
            return false;
    }
    return true;
}

void oracle_each_candidate(const col_program *program, const condition *conditions, uint32_t count,
                           oracle_notice *notice, void *context) {
    candidates c = {
        .conditions = conditions, .condition_count = count, .notice = notice, .context = context};
    oracle_shape_of(program, &c.shape);
    choose_orders(&c, c.shape.writes);
}

typedef struct filter {
    oracle_model model;
    const col_program *program;
    oracle_notice *notice;
    void *context;
} filter;

static bool pass_allowed(void *context, const outcome *candidate) {
    const filter *f = context;
    return !oracle_axioms_allow(f->model, f->program, candidate, NULL) ||
           f->notice(f->context, candidate);
}

static void each(oracle_model model, const col_program *program, const condition *conditions,
                 uint32_t count, oracle_notice *notice, void *context) {
    filter f = {.model = model, .program = program, .notice = notice, .context = context};
    if (model <= ORACLE_WMO)
        oracle_machine_each(model, program, conditions, count, notice, context);
    else
        oracle_each_candidate(program, conditions, count, pass_allowed, &f);
}

void oracle_each(oracle_model model, const col_program *program, oracle_notice *notice,
                 void *context) {
    each(model, program, NULL, 0, notice, context);
}

static bool note_one(void *context, const outcome *allowed) {
    *(bool *)context = true;
    return false;
}

bool oracle_reaches(oracle_model model, const col_program *program, const condition *conditions,
                    uint32_t count) {
    bool found = false;
    each(model, program, conditions, count, note_one, &found);
    return found;
}

static bool allows(oracle_model model, const col_program *program, const outcome *seen,
                   const oracle_times *times) {
    return model <= ORACLE_WMO && !prg_has_conditionals(program)
               ? oracle_machine_allows(model, program, seen, times)
               : oracle_axioms_allow(model, program, seen, times);
}

bool oracle_allows(oracle_model model, const col_program *program, const outcome *seen) {
    return allows(model, program, seen, NULL);
}

bool oracle_allows_timed(const col_program *program, const outcome *seen,
                         const oracle_times *times) {
    return allows(ORACLE_WMO, program, seen, times);
}
