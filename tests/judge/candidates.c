/* SPDX-License-Identifier: MIT */
/* Random executions: see candidates.h. */
#include "candidates.h"

#include "collider/generate.h"
#include "program/reshape.h"
#include "protocol/simulate/oracle_parts.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <string.h>

const char *const rare_programs[] = {
    /* A fence that orders writes, then an atomic and a read of its word, then a fence that orders
     * reads: on WMO only the order of reads of one location, the atomic being the first, makes this
     * a chain. */
    "collider program 1\nlocation a0 0x40\nlocation a1 0x80\nlocation a2 0xc0\n"
    "thread 0\n  store a2 1\n  fence ww\n  swap a0 2\n  load a0\n  fence rr\n  load a1\n"
    "thread 1\n  store a1 3\n  fence\n  load a2\nend\n",
    /* Dependencies through an add and a read of its word, to a read and to a write. */
    "collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
    "thread 0\n  add a0 1\n  load a0\n  load a1 address@-1\n"
    "thread 1\n  store a1 2\n  fence\n  store a0 3\nend\n",
    "collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
    "thread 0\n  add a0 1\n  load a0\n  store a1 2 data@-1\n  load a1 acquire\n"
    "thread 1\n  load a1\n  store a0 3 address@-1\nend\n",
    /* The same, and the add's own read takes its word from another add. */
    "collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
    "thread 0\n  load a0\n  add a1 1 control@-1\n"
    "thread 1\n  add a1 2\n  load a1\n  load a0 address@-1\n"
    "thread 2\n  store a0 3\nend\n",
    "collider program 1\nlocation a0 0x40\nlocation a1 0x80\n"
    "thread 0\n  add a0 1\n  add a0 2\n  load a0\n  load a1 address@-1\n"
    "thread 1\n  store a1 3\n  fence\n  store a0 4\nend\n",
    /* An acquire and release atomic between a write and a read. */
    "collider program 1\nlocation a0 0x40\nlocation a1 0x80\nlocation a2 0xc0\n"
    "thread 0\n  store a0 1\n  swap a2 2 acquire release\n  load a1\n"
    "thread 1\n  store a1 3\n  add a2 4 acquire release\n  load a0\nend\n",
    NULL,
};

static bool reads(const col_program *program, uint32_t i) {
    return col_kinds[program->operations[i].kind].reads;
}

static bool writes(const col_program *program, uint32_t i) {
    return col_kinds[program->operations[i].kind].writes;
}

static bool is_access(const col_program *program, uint32_t i) {
    return reads(program, i) || writes(program, i);
}

static bool meet(const col_program *program, uint32_t i, uint32_t j) {
    return is_access(program, i) && is_access(program, j) &&
           program->operations[i].location == program->operations[j].location;
}

/* ---- A run: operations take effect one by one. */

typedef struct walk {
    const col_program *program;
    candidate *made;
    uint64_t done;
    uint32_t last[ORACLE_OPERATIONS];  /* write by location, or COL_INITIAL */
    uint32_t count[ORACLE_OPERATIONS]; /* of its writes */
    uint32_t laxness;                  /* 0: in program order; to 3: anything coherent */
} walk;

/* The store of the own thread that a load may read before others can, or COL_INITIAL. */
static uint32_t own_store(const walk *w, uint32_t start, uint32_t load) {
    for (uint32_t i = load; i-- > start;)
        if ((w->done & oracle_bit(i)) == 0 && meet(w->program, i, load))
            return w->program->operations[i].kind == COL_STORE ? i : COL_INITIAL;
    return COL_INITIAL;
}

static bool waits(const walk *w, uint32_t start, uint32_t operation) {
    const col_program *program = w->program;
    const bool forwarded = w->laxness > 0 && program->operations[operation].kind == COL_LOAD &&
                           own_store(w, start, operation) != COL_INITIAL;
    for (uint32_t i = start; i < operation; i++) {
        if ((w->done & oracle_bit(i)) != 0 || !is_access(program, i))
            continue;
        const bool is_store = program->operations[i].kind == COL_STORE;
        if (w->laxness == 0 || (w->laxness == 1 && !is_store) ||
            (meet(program, i, operation) && !(forwarded && is_store)))
            return true;
    }
    return false;
}

static uint32_t writer_of(const col_program *program, uint32_t await) {
    for (uint32_t i = 0; i < col_program_operations(program); i++)
        if (writes(program, i) && program->operations[i].value == program->operations[await].value)
            return i;
    return COL_INITIAL;
}

/* Returns false if the operation cannot take effect now. */
static bool take_effect(walk *w, uint32_t start, uint32_t operation) {
    const col_operation *o = &w->program->operations[operation];
    const uint32_t forwarded = own_store(w, start, operation);
    if (!is_access(w->program, operation))
        return true;
    if (o->kind == COL_AWAIT && w->last[o->location] != writer_of(w->program, operation))
        return false;
    if (reads(w->program, operation))
        w->made->source[operation] =
            o->kind == COL_LOAD && forwarded != COL_INITIAL ? forwarded : w->last[o->location];
    if (writes(w->program, operation)) {
        w->made->place[operation] = ++w->count[o->location];
        w->last[o->location] = operation;
    }
    return true;
}

/* Returns false when awaits have come too late. */
static bool run(base_rng *rng, const col_program *program, uint32_t laxness, candidate *made) {
    walk w = {.program = program, .made = made, .laxness = laxness};
    uint32_t left = col_program_operations(program), failures = 0;
    for (uint32_t l = 0; l < ORACLE_OPERATIONS; l++)
        w.last[l] = COL_INITIAL;
    while (left > 0 && failures < 1000) {
        const uint32_t i = below(rng, col_program_operations(program));
        const uint32_t start = program->thread_start[col_program_thread_of(program, i)];
        failures++;
        if ((w.done & oracle_bit(i)) != 0 || waits(&w, start, i) || !take_effect(&w, start, i))
            continue;
        w.done |= oracle_bit(i);
        left--;
        failures = 0;
    }
    return left == 0;
}

/* ---- Nonsense, in small doses and large. */

static uint32_t random_source(base_rng *rng, const col_program *program, uint32_t read) {
    uint32_t sources[ORACLE_OPERATIONS], count = 0;
    for (uint32_t i = 0; i < col_program_operations(program); i++)
        if (writes(program, i) && meet(program, i, read) && i != read)
            sources[count++] = i;
    const uint32_t choice = below(rng, count + 1);
    return choice < count ? sources[choice] : COL_INITIAL;
}

static void place_at_random(base_rng *rng, const col_program *program, candidate *made) {
    uint32_t order[ORACLE_OPERATIONS], count[ORACLE_OPERATIONS] = {0};
    const uint32_t operations = col_program_operations(program);
    for (uint32_t i = 0; i < operations; i++)
        order[i] = i;
    base_rng_shuffle(rng, order, operations);
    for (uint32_t k = 0; k < operations; k++) {
        const uint32_t i = order[k];
        if (writes(program, i))
            made->place[i] = ++count[program->operations[i].location];
        if (reads(program, i))
            made->source[i] = program->operations[i].kind == COL_AWAIT
                                  ? writer_of(program, i)
                                  : random_source(rng, program, i);
    }
}

/* Another source for a load, or two neighbours in the order of writes change places. */
static void change(base_rng *rng, const col_program *program, candidate *made) {
    const uint32_t operations = col_program_operations(program);
    const uint32_t i = below(rng, operations);
    if (program->operations[i].kind == COL_LOAD)
        made->source[i] = random_source(rng, program, i);
    for (uint32_t j = 0; writes(program, i) && j < operations; j++) {
        if (!writes(program, j) || !meet(program, i, j) || made->place[j] != made->place[i] + 1)
            continue;
        made->place[j]--;
        made->place[i]++;
        return;
    }
}

/* Atomics read what they replace. */
static void join_atomics(const col_program *program, candidate *made) {
    const uint32_t operations = col_program_operations(program);
    for (uint32_t i = 0; i < operations; i++) {
        if (!reads(program, i) || !writes(program, i))
            continue;
        made->source[i] = COL_INITIAL;
        for (uint32_t j = 0; j < operations; j++)
            if (writes(program, j) && meet(program, i, j) && made->place[j] + 1 == made->place[i])
                made->source[i] = j;
    }
}

void show_operation(const col_program *program, uint32_t operation) {
    const col_operation *o = &program->operations[operation];
    print_error("  %u: thread %u %s a%u %u order %u dep %u@-%u fence %u", operation,
                col_program_thread_of(program, operation), col_kinds[o->kind].name, o->location,
                o->value, o->order, o->dependency, o->distance, o->fence);
}

void show_violation(const col_violation *violation) {
    if (violation == NULL)
        return;
    print_error("  %s\n", violation->reason);
    for (uint32_t s = 0; s < violation->step_count; s++) {
        const col_step *step = &violation->steps[s];
        print_error("  %u --%s--> %u note %d\n", violation->mentions[step->from].operation,
                    col_relations[step->relation], violation->mentions[step->to].operation,
                    step->note == COL_NO_MENTION ? -1
                                                 : (int)violation->mentions[step->note].operation);
    }
}

void candidate_make(base_rng *rng, const col_program *program, candidate *made) {
    *made = (candidate){0};
    if (below(rng, 8) == 0 || !run(rng, program, below(rng, 4), made))
        place_at_random(rng, program, made);
    for (uint32_t changes = below(rng, 4); changes > 0; changes--)
        change(rng, program, made);
    join_atomics(program, made);
}

/* ---- As outcomes and events. */

static uint32_t at_place(const col_program *program, const candidate *c, uint32_t member,
                         uint32_t place) {
    for (uint32_t i = 0; i < col_program_operations(program); i++)
        if (writes(program, i) && meet(program, i, member) && c->place[i] == place)
            return i;
    return COL_INITIAL;
}

void candidate_outcome(const col_program *program, const candidate *c, outcome *seen) {
    const uint32_t operations = col_program_operations(program);
    uint64_t word[ORACLE_OPERATIONS] = {0};
    *seen = (outcome){0};
    for (uint32_t place = 1; place <= operations; place++) {
        for (uint32_t i = 0; i < operations; i++) {
            if (!writes(program, i) || c->place[i] != place)
                continue;
            const uint32_t before = at_place(program, c, i, place - 1);
            seen->replaced[i] = before == COL_INITIAL ? 0 : word[before];
            word[i] = oracle_word_after(program, i, seen->replaced[i]);
        }
    }
    for (uint32_t i = 0; i < operations; i++)
        if (reads(program, i))
            seen->read[i] = writes(program, i)            ? seen->replaced[i]
                            : c->source[i] == COL_INITIAL ? 0
                                                          : word[c->source[i]];
}

bool candidate_make_subtle(base_rng *rng, const col_program *program, candidate *made) {
    for (uint32_t attempts = 0; attempts < 12; attempts++) {
        outcome seen;
        candidate_make(rng, program, made);
        candidate_outcome(program, made, &seen);
        if (oracle_is_coherent(program, &seen) &&
            !oracle_axioms_allow(ORACLE_SC, program, &seen, NULL))
            return true;
    }
    return false;
}

static uint32_t writer_of_word(const col_program *program, const outcome *seen, uint32_t member,
                               uint64_t word) {
    for (uint32_t i = 0; i < col_program_operations(program); i++)
        if (writes(program, i) && meet(program, i, member) &&
            oracle_word_after(program, i, seen->replaced[i]) == word)
            return i;
    return COL_INITIAL;
}

void candidate_of(const col_program *program, const outcome *seen, candidate *c) {
    const uint32_t operations = col_program_operations(program);
    *c = (candidate){0};
    for (uint32_t i = 0; i < operations; i++) {
        if (reads(program, i))
            c->source[i] = writer_of_word(program, seen, i, seen->read[i]);
        uint32_t before = i;
        while (writes(program, i) && before != COL_INITIAL && c->place[i] <= operations) {
            c->place[i]++;
            before = writer_of_word(program, seen, i, seen->replaced[before]);
        }
    }
}

col_event event_of(const col_program *program, const outcome *seen, uint32_t operation) {
    const uint64_t replaced = seen->replaced[operation], read = seen->read[operation];
    const bool store = writes(program, operation);
    return (col_event){
        .kind = store ? COL_STORE_PERFORMED : COL_LOAD_PERFORMED,
        .core = col_program_thread_of(program, operation),
        .operation = operation,
        .word = store ? oracle_word_after(program, operation, replaced) : read,
        .overwritten = store ? replaced : 0,
        .read = store && reads(program, operation) ? read : 0,
    };
}

/* May it come next, if what was seen is to happen in this order? */
static bool is_due(const col_program *program, const candidate *c, uint64_t left, uint32_t i) {
    if (reads(program, i) && c->source[i] != COL_INITIAL && (left & oracle_bit(c->source[i])) != 0)
        return false;
    if (!writes(program, i))
        return true;
    for (uint32_t j = 0; j < col_program_operations(program); j++) {
        if ((left & oracle_bit(j)) == 0 || j == i || !meet(program, i, j))
            continue;
        if (writes(program, j) && c->place[j] < c->place[i])
            return false;
        const uint32_t source = c->source[j];
        if (reads(program, j) && (source == COL_INITIAL || c->place[source] < c->place[i]))
            return false;
    }
    return true;
}

static uint32_t order_as_seen(base_rng *rng, const col_program *program, const candidate *c,
                              uint64_t left, uint32_t *operations) {
    uint32_t count = 0, failures = 0;
    while (left != 0) {
        const uint32_t i = below(rng, col_program_operations(program));
        if ((left & oracle_bit(i)) == 0 || (!is_due(program, c, left, i) && failures++ < 200))
            continue;
        operations[count++] = i;
        left &= ~oracle_bit(i);
        failures = 0;
    }
    return count;
}

uint32_t events_order(base_rng *rng, const col_program *program, const candidate *c,
                      event_order order, uint32_t *operations) {
    uint32_t threads[ORACLE_OPERATIONS], next[ORACLE_OPERATIONS], count = 0;
    uint64_t all = 0;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        next[t] = program->thread_start[t];
        for (uint32_t i = next[t]; i < program->thread_start[t + 1]; i++) {
            if (!is_access(program, i))
                continue;
            threads[count] = t;
            operations[count++] = i;
            all |= oracle_bit(i);
        }
    }
    if (order == AS_SEEN)
        return order_as_seen(rng, program, c, all, operations);
    if (order == ANY_ORDER)
        base_rng_shuffle(rng, operations, count);
    if (order != ANY_INTERLEAVING)
        return count;
    base_rng_shuffle(rng, threads, count);
    for (uint32_t k = 0; k < count; k++) {
        while (!is_access(program, next[threads[k]]))
            next[threads[k]]++;
        operations[k] = next[threads[k]]++;
    }
    return count;
}

/* ---- As traces. */

static void copy_program(const col_program *from, col_program *to) {
    uint32_t values[ORACLE_OPERATIONS + 1] = {0}, value = 0;
    col_problem problem;
    assert_int_equal(prg_copy(from, to, &problem), COL_OK);
    for (uint32_t l = 0; l < from->location_count; l++)
        to->addresses[l] = UINT64_C(64) * (l + 1);
    for (uint32_t i = 0; i < col_program_operations(from); i++) {
        assert_true(from->operations[i].value <= ORACLE_OPERATIONS);
        if (writes(from, i))
            values[from->operations[i].value] = ++value;
    }
    for (uint32_t i = 0; i < col_program_operations(from); i++)
        to->operations[i].value = values[from->operations[i].value];
}

void small_trace_make(small_trace *t, const col_program *program, const candidate *c) {
    col_trace *trace = &t->trace;
    copy_program(program, &trace->program);
    trace->source = t->source;
    trace->read = t->read;
    trace->written = t->written;
    trace->line = t->line;
    trace->thread_names = t->thread_names;
    trace->location_names = t->location_names;
    trace->begin = trace->end = NULL;
    trace->final = trace->replaced = NULL;
    trace->replaced_value = t->replaced_value;
    for (uint32_t i = 0; i < col_program_operations(program); i++) {
        t->source[i] = c->source[i];
        t->line[i] = i + 1;
        t->written[i] = writes(program, i) ? trace->program.operations[i].value : 0;
    }
    for (uint32_t i = 0; i < col_program_operations(program); i++)
        t->read[i] =
            !reads(program, i) || t->source[i] == COL_INITIAL ? 0 : t->written[t->source[i]];
    for (uint32_t i = 0; i < program->thread_count; i++)
        t->thread_names[i] = i;
    for (uint32_t l = 0; l < program->location_count; l++)
        t->location_names[l] = l;
}

uint32_t small_trace_replaced(const small_trace *t, uint32_t i) {
    const col_program *program = &t->trace.program;
    if (!writes(program, i))
        return COL_NOT_SAID;
    if (reads(program, i))
        return t->source[i];
    return t->trace.replaced == NULL ? COL_NOT_SAID : t->replaced[i];
}

void small_trace_confuse(base_rng *rng, small_trace *t) {
    const uint32_t count = col_program_operations(&t->trace.program);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t other = below(rng, count);
        if (!reads(&t->trace.program, i) || !writes(&t->trace.program, i) ||
            !writes(&t->trace.program, other) || i == other ||
            t->trace.program.operations[i].location != t->trace.program.operations[other].location)
            continue;
        t->source[i] = other;
        t->read[i] = t->written[other];
    }
}

void small_trace_add_final(base_rng *rng, small_trace *t, const candidate *c) {
    const uint32_t count = col_program_operations(&t->trace.program);
    const bool as_seen = below(rng, 2) == 0;
    t->trace.final = t->final;
    for (uint32_t l = 0; l < t->trace.program.location_count; l++) {
        uint32_t last = 0;
        t->final[l] = below(rng, 4) == 0 ? COL_INITIAL : COL_NOT_SAID;
        for (uint32_t i = 0; i < count; i++) {
            if (!writes(&t->trace.program, i) || t->trace.program.operations[i].location != l)
                continue;
            if (as_seen ? c->place[i] > last : below(rng, 3) == 0) {
                t->final[l] = i;
                last = c->place[i];
            }
        }
    }
}

void small_trace_vary(base_rng *rng, small_trace *t, const candidate *c) {
    random_times_make(rng, &t->trace.program, &t->times);
    if (below(rng, 8) == 0)
        small_trace_confuse(rng, t);
    if (below(rng, 4) == 0)
        small_trace_add_final(rng, t, c);
    if (below(rng, 2) == 0) {
        t->trace.begin = t->times.begin;
        t->trace.end = t->times.end;
    }
}

void small_trace_free(small_trace *t) {
    col_program_free(&t->trace.program);
}

/* ---- Which of them are allowed. */

typedef struct completion {
    oracle_model model;
    const small_trace *t;
    candidate chosen;
    uint64_t before[ORACLE_OPERATIONS]; /* writes that a thread saw before each write */
    uint32_t count[ORACLE_OPERATIONS];  /* of writes placed, by location */
} completion;

/* Coherence demands it: what a thread sees at one location, reading or writing, never goes back. */
static bool note_what_threads_saw(completion *c) {
    const col_program *program = &c->t->trace.program;
    for (uint32_t i = 0; i < col_program_operations(program); i++) {
        const uint32_t thread = col_program_thread_of(program, i);
        const uint32_t left = writes(program, i) ? i : c->t->source[i];
        if (!is_access(program, i))
            continue;
        const uint32_t replaced = small_trace_replaced(c->t, i);
        if (replaced < COL_NOT_SAID)
            c->before[i] |= oracle_bit(replaced);
        for (uint32_t j = i + 1; j < program->thread_start[thread + 1]; j++) {
            const uint32_t right = reads(program, j) ? c->t->source[j] : j;
            if (!meet(program, i, j) || left == right || left == COL_INITIAL)
                continue;
            if (right == COL_INITIAL)
                return false;
            c->before[right] |= oracle_bit(left);
        }
    }
    return true;
}

static bool is_complete(const completion *c) {
    const small_trace *t = c->t;
    const col_program *program = &t->trace.program;
    outcome seen;
    for (uint32_t l = 0; t->trace.final != NULL && l < program->location_count; l++) {
        const uint32_t last = t->trace.final[l];
        if (last == COL_NOT_SAID)
            continue;
        if (last == COL_INITIAL ? c->count[l] > 0 : c->chosen.place[last] != c->count[l])
            return false;
    }
    candidate_outcome(program, &c->chosen, &seen);
    const oracle_times times = {t->times.begin, t->times.end};
    return c->model == ORACLE_WMO && t->trace.begin != NULL
               ? oracle_allows_timed(program, &seen, &times)
               : oracle_allows(c->model, program, &seen);
}

/* Every order of the writes that agrees with what threads saw and in which atomics are atomic. */
static bool place_rest(completion *c, uint64_t left) {
    const col_program *program = &c->t->trace.program;
    if (left == 0)
        return is_complete(c);
    const uint32_t first = (uint32_t)__builtin_ctzll(left);
    for (uint64_t choices = left; choices != 0; choices &= choices - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(choices);
        uint32_t *count = &c->count[program->operations[i].location];
        if (!meet(program, first, i) || (c->before[i] & left) != 0)
            continue;
        const uint32_t replaced = small_trace_replaced(c->t, i);
        if (replaced != COL_NOT_SAID &&
            (replaced == COL_INITIAL ? *count != 0 : c->chosen.place[replaced] != *count))
            continue;
        c->chosen.place[i] = ++*count;
        if (place_rest(c, left & ~oracle_bit(i)))
            return true;
        --*count;
    }
    return false;
}

bool small_trace_allowed(oracle_model model, const small_trace *t) {
    const col_program *program = &t->trace.program;
    completion c = {.model = model, .t = t};
    uint64_t all = 0;
    memcpy(c.chosen.source, t->source, sizeof c.chosen.source);
    for (uint32_t i = 0; i < col_program_operations(program); i++)
        all |= writes(program, i) ? oracle_bit(i) : 0;
    for (uint32_t i = 0; i < col_program_operations(program) && t->trace.replaced != NULL; i++)
        if (reads(program, i) && writes(program, i) && t->replaced[i] != COL_NOT_SAID &&
            t->replaced[i] != t->source[i])
            return false; /* it was not atomic */
    return note_what_threads_saw(&c) && place_rest(&c, all);
}

/* ---- Small programs, and executions of them in one memory. */

enum { SMALL_LOCATIONS = 3 };

void draw_small_program(const char *mix, uint64_t seed, col_program *program) {
    col_generator *generator = col_generator_new();
    col_generation settings;
    col_problem problem;
    col_generation_default(&settings);
    settings.threads = 3;
    settings.operations = 10;
    settings.locations = SMALL_LOCATIONS;
    assert_int_equal(col_instruction_mix_parse(mix, &settings.instructions, &problem), COL_OK);
    assert_int_equal(col_generate(generator, &settings, seed, 0, program, &problem), COL_OK);
    assert_true(col_program_operations(program) <= MOST_SMALL_OPERATIONS);
    col_generator_free(generator);
}

uint32_t execute_nearly_in_order(const col_program *program, base_rng *rng, col_event *events) {
    const uint32_t count = col_program_operations(program);
    uint64_t memory[SMALL_LOCATIONS] = {0};
    bool is_done[MOST_SMALL_OPERATIONS] = {false};
    uint32_t event_count = 0;
    for (uint32_t left = count; left > 0; left--) {
        uint32_t o = (uint32_t)base_rng_below(rng, count), step = (uint32_t)base_rng_below(rng, 2);
        const uint32_t thread = col_program_thread_of(program, o);
        for (o = program->thread_start[thread];
             o < program->thread_start[thread + 1] && (is_done[o] || step-- > 0);)
            o++;
        for (o = o < count ? o : 0; is_done[o];)
            o = (o + 1) % count;
        is_done[o] = true;
        const col_operation *operation = &program->operations[o];
        const col_kind_traits *traits = &col_kinds[operation->kind];
        const bool writes =
            traits->writes && (operation->kind != COL_CONDITIONAL || base_rng_below(rng, 2) == 0);
        if (!traits->reads && !traits->writes)
            continue;
        uint64_t *word = &memory[operation->location];
        col_event event = {.kind = writes ? COL_STORE_PERFORMED : COL_LOAD_PERFORMED,
                           .operation = o,
                           .word = *word};
        if (writes) {
            event.overwritten = event.read = *word;
            *word =
                (operation->kind == COL_ADD ? *word : 0) + col_program_operand(program, operation);
            event.word = *word;
        }
        events[event_count++] = event;
    }
    return event_count;
}
