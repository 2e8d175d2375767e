/* SPDX-License-Identifier: MIT */
/* Litmus tests as programs, and their runs on designs: see litmus_run.h. */
#include "judge/litmus/litmus_run.h"

#include "judge/litmus/litmus_assembler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds count in the upper half of a word, each a bit of its own: a word tells which it contains. */
enum { MOST_ADDS = 31, NO_OPERATION = UINT32_MAX };

/* Each thread begins with this many loads of any locations, or delays. */
enum { BLOCK = 64, MOST_STRIDE = 8, WARM_UPS = 2 };

typedef struct maker {
    lit_program *made;
    lit_test *test;
    const lit_path *path;
    uint32_t thread, count; /* operations so far */
    uint32_t adds, next_value;
    uint32_t by_memory[LIT_MOST_MEMORY_EVENTS]; /* the operation of an event of memory */
    uint64_t control;                           /* what operations so far depend on */
    col_operation *operations;                  /* NULL: they are counted */
    col_problem *problem;
} maker;

static col_status refuse(const maker *m, const char *what) {
    return base_refuse(m->problem, "%s cannot be run on a design: thread %u %s", m->test->file,
                       m->thread, what);
}

/* ---- Threads that do the same whatever they read. */

static bool is_same_event(const lit_event *a, const lit_event *b) {
    return a->kind == b->kind && a->place == b->place && a->memory == b->memory &&
           a->reads == b->reads && memcmp(a->sets, b->sets, sizeof a->sets) == 0 &&
           a->address_from == b->address_from && a->data_from == b->data_from &&
           a->control_from == b->control_from;
}

/* Branches may make instances differ, which is nothing that others see. */
static bool is_same_path(const lit_path *a, const lit_path *b) {
    if (a->event_count != b->event_count)
        return false;
    for (size_t i = 0; i < a->event_count; i++)
        if (!is_same_event(&a->events[i], &b->events[i]))
            return false;
    return true;
}

static col_status check_paths(const maker *m, const lit_paths *paths) {
    if (paths->is_cut)
        return refuse(m, "has a loop");
    if (paths->count == 0)
        return refuse(m, "never ends");
    for (size_t i = 1; i < paths->count; i++)
        if (!is_same_path(&paths->paths[0], &paths->paths[i]))
            return refuse(m, "may do different things");
    return COL_OK;
}

/* ---- What events are. */

/* What is added to the word that `found` is: found, or found + a number; false: it is none. Bits
 * beyond those of the word do not matter. */
static bool find_added(const lit_path *p, lit_value value, lit_value found, uint64_t bits,
                       uint64_t *added) {
    const lit_node *n = &p->nodes.nodes[value];
    if (value == found) {
        *added = 0;
        return true;
    }
    if (n->kind != LIT_COMPUTED)
        return false;
    const lit_node *a = &p->nodes.nodes[n->a], *b = &p->nodes.nodes[n->b];
    if (n->operator_ == LIT_TRUNCATE || n->operator_ == LIT_SIGN_EXTEND)
        return b->constant >= bits && find_added(p, n->a, found, bits, added);
    if (n->operator_ != LIT_ADD || (a->kind != LIT_KNOWN && b->kind != LIT_KNOWN))
        return false;
    if (!find_added(p, a->kind == LIT_KNOWN ? n->b : n->a, found, bits, added))
        return false;
    *added += a->kind == LIT_KNOWN ? a->constant : b->constant;
    return true;
}

/* ---- Dependencies. */

static uint32_t only_bit(uint64_t set) {
    uint32_t bit = 0;
    while ((set >> bit & 1) == 0)
        bit++;
    return bit;
}

/* An operation depends on one earlier read, in one way. What control depends on stays so: only what
 * is new counts. */
static col_status add_dependency(maker *m, const lit_event *e, col_operation *o) {
    const uint64_t control = e->control_from & ~m->control;
    const uint64_t sets[] = {e->address_from, e->data_from, control};
    static const uint8_t ways[] = {COL_ADDRESS, COL_DATA, COL_CONTROL};
    m->control |= control;
    for (uint32_t i = 0; i < 3; i++) {
        if (sets[i] == 0)
            continue;
        if ((sets[i] & (sets[i] - 1)) != 0 || o->dependency != COL_NO_DEPENDENCY)
            return refuse(m, "has an operation with more than one dependency");
        o->dependency = ways[i];
        o->distance = m->count - m->by_memory[only_bit(sets[i])];
    }
    return COL_OK;
}

/* ---- Operations. */

static col_status describe_write(maker *m, const lit_event *e, const lit_event *read,
                                 col_operation *o, lit_origin *origin) {
    const lit_node *value = &m->path->nodes.nodes[e->value];
    uint64_t added = 0;
    if (value->kind == LIT_KNOWN) {
        o->kind = read != NULL ? COL_SWAP : COL_STORE;
        do /* powers of two are the adds' */
            m->next_value++;
        while ((m->next_value & (m->next_value - 1)) == 0);
        o->value = m->next_value;
        origin->operand = value->constant;
        return COL_OK;
    }
    if (read == NULL)
        return refuse(m, "stores a value that depends on what was read");
    if (!find_added(m->path, e->value, read->found, UINT64_C(8) * m->test->cells[e->place].bytes,
                    &added))
        return refuse(m, "has an atomic that is neither an exchange nor an addition");
    if (m->adds == MOST_ADDS)
        return refuse(m, "has too many additions");
    o->kind = COL_ADD;
    o->value = UINT32_C(1) << m->adds++;
    origin->operand = added;
    return COL_OK;
}

/* Before each access: see vary_program. */
static void add_delay(maker *m) {
    if (m->operations != NULL)
        m->operations[m->count] = (col_operation){.kind = COL_DELAY, .location = 1};
    m->count++;
}

/* The write that makes an atomic of a read, or NULL: the other half of the instruction, or a
 * store-conditional with nothing in between. Goes to its place. */
static const lit_event *find_write(maker *m, size_t *place) {
    const lit_event *e = &m->path->events[*place];
    const bool is_exclusive = lit_has_set(e, CAT_EX);
    size_t next = *place + 1;
    while (is_exclusive && next < m->path->event_count && m->path->events[next].kind == CAT_BRANCH)
        next++;
    if (next == m->path->event_count || (!is_exclusive && !lit_has_set(e, CAT_X)))
        return NULL;
    const lit_event *write = &m->path->events[next];
    if (write->kind != CAT_WRITE || write->place != e->place ||
        !lit_has_set(write, is_exclusive ? CAT_EX : CAT_X))
        return NULL;
    *place = next;
    m->made->pairs += is_exclusive && m->operations != NULL;
    return write;
}

static col_status add_access(maker *m, size_t *place) {
    const lit_event *e = &m->path->events[*place], *read = e->reads ? e : NULL, *write = NULL;
    add_delay(m);
    col_operation o = {
        .kind = COL_LOAD, .location = e->place, .order = lit_order_of(e, m->test->isa)};
    lit_origin origin = {.thread = m->thread, .event = (uint32_t)*place};
    m->by_memory[e->memory] = m->count;
    if (e->kind == CAT_WRITE)
        write = e;
    else
        write = find_write(m, place);
    if (write != NULL && write != e) {
        o.order |= lit_order_of(write, m->test->isa);
        m->by_memory[write->memory] = m->count;
    }
    col_status status = COL_OK;
    if (write == e && lit_has_set(e, CAT_EX))
        return refuse(m, "has a store-conditional apart from its load: only pairs that exchange or "
                         "add, with nothing in between, can be run");
    if (write == NULL && (o.order & COL_RELEASE) != 0)
        return refuse(m, "has a load that releases");
    if (read == NULL && (o.order & COL_ACQUIRE) != 0)
        return refuse(m, "has a store that acquires");
    if (write != NULL)
        status = describe_write(m, write, read, &o, &origin);
    if (status == COL_OK && m->operations != NULL) {
        lit_event whole = write != NULL ? *write : *e;
        whole.address_from |= e->address_from;
        whole.data_from &= ~(e->reads ? UINT64_C(1) << e->memory : 0);
        status = add_dependency(m, &whole, &o);
        m->operations[m->count] = o;
        m->made->origins[m->count] = origin;
    }
    m->count++;
    return status;
}

static col_status add_event(maker *m, size_t *place) {
    const lit_event *e = &m->path->events[*place];
    if (e->memory != NO_OPERATION)
        return add_access(m, place);
    if (e->kind != CAT_FENCE_EVENT)
        return COL_OK;
    uint8_t pairs = 0;
    if (e->sets[0] != LIT_NO_SET && !lit_fence_pairs(e->sets[0], &pairs))
        return refuse(m, "has a fence for instructions");
    if (pairs == 0) /* of input and output alone, for instructions, or for the own thread */
        return COL_OK;
    if (m->operations != NULL)
        m->operations[m->count] = (col_operation){.kind = COL_FENCE, .fence = pairs};
    m->count++;
    return COL_OK;
}

/* All operations; `lengths` gets those of each thread. */
static col_status add_all(maker *m, uint32_t *lengths) {
    m->count = m->adds = 0;
    m->next_value = 0;
    for (m->thread = 0; m->thread < m->test->thread_count; m->thread++) {
        const uint32_t start = m->count;
        m->path = &m->made->paths[m->thread].paths[0];
        m->control = 0;
        for (uint32_t i = 0; i < WARM_UPS; i++)
            add_delay(m);
        for (size_t i = 0; i < m->path->event_count; i++) {
            const col_status status = add_event(m, &i);
            if (status != COL_OK)
                return status;
        }
        lengths[m->thread] = m->count - start;
    }
    return COL_OK;
}

static col_status shape(maker *m, uint32_t *lengths) {
    lit_program *made = m->made;
    const uint32_t cells = m->test->cell_count;
    const size_t count = (size_t)m->count + 1;
    col_status status =
        col_program_shape(&made->program, m->test->thread_count, lengths, cells, m->problem);
    const base_part parts[] = {BASE_PART(made->origins, count),
                               BASE_PART(made->read_words, count),
                               BASE_PART(made->cell_words, (size_t)cells + 1),
                               {0}};
    if (status == COL_OK)
        status = base_block_divide(&made->block, parts, m->problem);
    if (status != COL_OK)
        return status;
    memset(made->origins, 0, count * sizeof *made->origins);
    for (uint32_t i = 0; i < cells; i++)
        made->program.addresses[i] = BLOCK * ((uint64_t)i + 1);
    m->operations = made->program.operations;
    return COL_OK;
}

static col_status make(maker *m) {
    lit_test *test = m->test;
    uint32_t lengths[LIT_MOST_THREADS] = {0};
    col_status status = COL_OK;
    for (m->thread = 0; status == COL_OK && m->thread < test->thread_count; m->thread++) {
        lit_paths *paths = &m->made->paths[m->thread];
        status = lit_paths_make(paths, test, m->thread, (lit_path_settings){0}, m->problem);
        lit_paths_drop_failed(paths);
        if (status == COL_OK)
            status = check_paths(m, paths);
    }
    if (status == COL_OK)
        status = add_all(m, lengths);
    if (status == COL_OK)
        status = shape(m, lengths);
    if (status == COL_OK)
        status = add_all(m, lengths);
    return status == COL_OK ? col_program_check(&m->made->program, m->problem) : status;
}

col_status lit_program_make(lit_program *made, lit_test *test, col_problem *problem) {
    lit_program_free(made);
    maker m = {.made = made, .test = test, .problem = problem};
    if (test->granule > 0)
        return base_refuse(problem, "%s cannot be run on a design: it accesses parts of locations",
                           test->file);
    made->test = test;
    made->thread_count = test->thread_count;
    made->paths = calloc((size_t)test->thread_count + 1, sizeof *made->paths);
    if (made->paths == NULL)
        return base_out_of_memory(problem);
    return make(&m);
}

void lit_program_free(lit_program *made) {
    for (uint32_t t = 0; made->paths != NULL && t < made->thread_count; t++)
        lit_paths_free(&made->paths[t]);
    free(made->paths);
    free(made->block.memory);
    col_program_free(&made->program);
    *made = (lit_program){0};
}

static void vary_delays(col_program *program, base_rng *rng) {
    static const uint32_t delays[] = {1, 16, 64, 256, 1024};
    const uint64_t kinds = 1 + base_rng_below(rng, sizeof delays / sizeof delays[0]);
    const bool only_first = base_rng_below(rng, 2) == 0;
    for (uint32_t t = 0; t < program->thread_count; t++) {
        const uint32_t first = program->thread_start[t] + WARM_UPS;
        for (uint32_t i = first; i < program->thread_start[t + 1]; i++) {
            const uint64_t most =
                !only_first || i == first ? delays[base_rng_below(rng, kinds)] : 1;
            if (program->operations[i].kind == COL_DELAY)
                program->operations[i].location = 1 + (uint32_t)base_rng_below(rng, most);
        }
    }
}

/* Blocks that are in caches already: else all stores of a thread miss, and none overtakes. */
static void vary_warm_ups(col_program *program, base_rng *rng) {
    const bool is_cold = program->location_count == 0 || base_rng_below(rng, 2) == 0;
    for (uint32_t t = 0; t < program->thread_count; t++)
        for (uint32_t i = 0; i < WARM_UPS; i++) {
            const bool loads = !is_cold && base_rng_below(rng, 2) == 0;
            col_operation *o = &program->operations[program->thread_start[t] + i];
            *o = (col_operation){.kind = loads ? COL_LOAD : COL_DELAY, .location = 1};
            if (loads)
                o->location = (uint32_t)base_rng_below(rng, program->location_count);
        }
}

/* Other delays, other blocks in caches at the start, and other blocks for locations: chance has
 * more to show. The program must be loaded again. */
static void vary_program(lit_program *made, base_rng *rng) {
    const uint64_t first = 1 + base_rng_below(rng, MOST_STRIDE);
    const uint64_t stride = 1 + base_rng_below(rng, MOST_STRIDE);
    for (uint32_t i = 0; i < made->program.location_count; i++)
        made->program.addresses[i] = BLOCK * (first + i * stride);
    vary_delays(&made->program, rng);
    vary_warm_ups(&made->program, rng);
}

/* ---- Instances. */

static void begin_instance(lit_program *made) {
    memset(made->cell_words, 0, made->test->cell_count * sizeof *made->cell_words);
    for (uint32_t i = 0; i < col_program_operations(&made->program); i++)
        made->read_words[i] = UINT64_MAX;
}

static void notice_event(lit_program *made, const col_event *event) {
    if (event->kind == COL_FINAL_VALUE && event->location < made->program.location_count)
        made->cell_words[event->location] = event->word;
    if (event->kind == COL_FINAL_VALUE ||
        event->operation >= col_program_operations(&made->program))
        return;
    const col_operation *o = &made->program.operations[event->operation];
    if (event->kind == COL_LOAD_PERFORMED || event->kind == COL_VALUE_RETURNED)
        made->read_words[event->operation] = event->word;
    if (event->kind != COL_STORE_PERFORMED)
        return;
    made->read_words[event->operation] = event->read;
    made->cell_words[o->location] = event->word;
}

/* The test's value for a word at a cell. */
static bool find_value(const lit_program *made, uint32_t cell, uint64_t word, uint64_t *value) {
    const uint64_t low = word & UINT32_MAX, adds = word >> 32;
    const lit_cell *c = &made->test->cells[cell];
    bool found = low == 0;
    uint64_t sum = 0;
    *value = c->initial; /* NOLINT(clang-analyzer-core.NullDereference) -- a row has its cells */
    for (uint32_t i = 0; i < col_program_operations(&made->program); i++) {
        const col_operation *o = &made->program.operations[i];
        if (!col_kinds[o->kind].writes || o->location != cell)
            continue;
        if (o->kind == COL_ADD) {
            sum += (adds & o->value) != 0 ? made->origins[i].operand : 0;
        } else if (o->value == low) {
            found = true;
            *value = made->origins[i].operand;
        }
    }
    *value = lit_typed(*value + sum, (lit_type){c->bytes, false});
    return found;
}

/* The values of a path's nodes, from what its reads returned. */
static bool compute(const lit_program *made, const lit_path *p, const uint64_t *found,
                    uint64_t *values) {
    (void)made;
    for (size_t i = 0; i < p->nodes.count; i++) {
        const lit_node *n = &p->nodes.nodes[i];
        values[i] = n->kind == LIT_KNOWN ? n->constant
                    : n->kind == LIT_FROM_READ
                        ? found[n->event]
                        : lit_compute_known((lit_operator)n->operator_, values[n->a], values[n->b]);
    }
    for (size_t i = 0; i < p->demand_count; i++)
        if ((values[p->demands[i].value] == 0) != p->demands[i].is_zero)
            return false;
    return true;
}

/* What each event of the thread's paths found in memory. */
static bool find_reads(const lit_program *made, uint32_t thread, uint64_t *found) {
    for (uint32_t i = made->program.thread_start[thread] + WARM_UPS;
         i < made->program.thread_start[thread + 1]; i++) {
        const col_operation *o = &made->program.operations[i];
        if (col_kinds[o->kind].reads &&
            (made->read_words[i] == UINT64_MAX ||
             !find_value(made, o->location, made->read_words[i], &found[made->origins[i].event])))
            return false;
    }
    return true;
}

static bool find_registers(const lit_program *made, uint32_t thread, uint64_t *values,
                           uint64_t *found, uint64_t *state) {
    const lit_paths *paths = &made->paths[thread];
    if (!find_reads(made, thread, found))
        return false;
    size_t which = 0;
    while (which < paths->count && !compute(made, &paths->paths[which], found, values))
        which++;
    if (which == paths->count)
        return false;
    for (uint32_t i = 0; i < made->test->item_count; i++) {
        const lit_item *item = made->test->items[i];
        if (item->is_register && item->thread == thread)
            state[i] = values[paths->paths[which].registers[item->register_]];
    }
    return true;
}

/* Of lit_test.items. False: a word is none of the test's, or not everything was performed. */
static bool find_state(const lit_program *made, uint64_t *values, col_status *status,
                       col_problem *problem) {
    size_t room = 1;
    for (uint32_t t = 0; t < made->test->thread_count; t++)
        for (size_t i = 0; i < made->paths[t].count; i++) {
            const lit_path *p = &made->paths[t].paths[i];
            room = p->nodes.count > room ? p->nodes.count : room;
            room = p->event_count > room ? p->event_count : room;
        }
    uint64_t *memory = calloc(2 * room, sizeof *memory);
    bool is_good = memory != NULL;
    *status = memory != NULL ? COL_OK : base_out_of_memory(problem);
    for (uint32_t t = 0; is_good && t < made->test->thread_count; t++)
        is_good = find_registers(made, t, memory, memory + room, values);
    for (uint32_t i = 0; is_good && i < made->test->item_count; i++) {
        const uint32_t cell = made->test->items[i]->cell;
        if (!made->test->items[i]->is_register)
            is_good = find_value(made, cell, made->cell_words[cell], &values[i]);
    }
    free(memory);
    return is_good;
}

/* ---- Runs. */

/* Loading a program takes long where the rest is quick. */
enum { RUNS_OF_A_LAYOUT = 2, RUNS_OF_A_LAYOUT_OF_CODE = 1000, BUDGET = 10 };

typedef struct instance {
    lit_runs *runs;
    lit_program *program;
    bool is_allowed;
    uint32_t finals; /* locations whose final value is known */
} instance;

static void notice(void *context, const col_event *event) {
    instance *i = context;
    notice_event(i->program, event);
    i->finals += event->kind == COL_FINAL_VALUE;
    if (i->runs->sees_reads)
        chk_returned_notice(&i->runs->box.returned, event);
    else if (i->is_allowed)
        i->is_allowed = col_checker_notice(i->runs->checker, event);
}

static void remember(lit_runs *runs, const char *reason) {
    if (runs->forbidden + runs->failures == 0)
        (void)snprintf(runs->reason, sizeof runs->reason, "%s", reason);
}

/* A design that shows reads alone may say nothing of memory, or too little of adds. */
static col_status check_sight(const instance *i, col_problem *problem) {
    const lit_runs *runs = i->runs;
    const lit_test *test = i->program->test;
    const col_duv_description *design = col_duv_describe(runs->duv);
    for (uint32_t item = 0; runs->sees_reads && item < test->item_count; item++)
        if (!test->items[item]->is_register && i->finals < i->program->program.location_count)
            return base_refuse(problem,
                               "%s asks for the final value of a location, and the design %.100s "
                               "does not tell it",
                               test->name, design->name);
    for (uint32_t o = 0; design->is_narrow && o < col_program_operations(&i->program->program); o++)
        if (i->program->program.operations[o].kind == COL_ADD)
            return base_refuse(problem,
                               "%s has adds, which cannot be told apart in words of %d bytes",
                               test->name, COL_NARROW_BYTES);
    return COL_OK;
}

static col_status end_judging(instance *i, bool is_complete, const char **reason,
                              col_problem *problem) {
    lit_runs *runs = i->runs;
    if (!runs->sees_reads) {
        i->is_allowed = i->is_allowed && col_checker_finish(runs->checker, is_complete);
        if (!i->is_allowed)
            *reason = col_checker_violation(runs->checker)->reason;
        return COL_OK;
    }
    col_verdict verdict;
    bool is_strange;
    const col_status status =
        chk_black_box_finish(&runs->box, is_complete, NULL, NULL, &verdict, &is_strange, problem);
    i->is_allowed = verdict != COL_FORBIDDEN;
    runs->undecided += verdict == COL_UNDECIDED;
    *reason = runs->box.violation.reason;
    return status;
}

/* A run that the model forbids goes on to its outcome. */
static const volatile int *stop_of(const lit_runs *runs) {
    return runs->timer != NULL ? base_timer_stop(runs->timer) : NULL;
}

static col_status run_once(lit_runs *runs, lit_program *program, uint64_t seed,
                           lit_outcomes *outcomes, uint64_t *state, col_problem *problem) {
    instance i = {.runs = runs, .program = program, .is_allowed = true};
    const col_observer observer = {&i, notice,
                                   1U << COL_LOAD_PERFORMED | 1U << COL_STORE_PERFORMED |
                                       1U << COL_VALUE_RETURNED | 1U << COL_FINAL_VALUE};
    col_run run = {0};
    size_t number = 0;
    begin_instance(program);
    if (runs->sees_reads)
        chk_returned_restart(&runs->box.returned);
    else
        col_checker_restart(runs->checker);
    col_status status = col_duv_run(runs->duv, seed, &observer, stop_of(runs), &run, problem);
    if (status != COL_OK || (run.end != COL_RUN_COMPLETE && base_is_stopped(stop_of(runs))))
        return status;
    runs->done++;
    const bool is_complete = run.end == COL_RUN_COMPLETE;
    status = is_complete ? check_sight(&i, problem) : COL_OK;
    if (status != COL_OK)
        return status;
    const char *reason = "";
    status = end_judging(&i, is_complete, &reason, problem);
    if (status != COL_OK)
        return status;
    if (!is_complete || !find_state(program, state, &status, problem)) {
        remember(runs, !is_complete ? run.message : "a value was read that no thread had written");
        runs->failures++;
        return status;
    }
    status = lit_outcomes_add(outcomes, program->test, state, 1, &number, problem);
    if (status != COL_OK || i.is_allowed)
        return status;
    remember(runs, reason);
    runs->forbidden++;
    if (number < outcomes->count)
        outcomes->states[number].is_forbidden = true;
    return COL_OK;
}

static col_status load_again(lit_runs *runs, lit_program *program, base_rng *rng,
                             col_problem *problem) {
    vary_program(program, rng);
    program->program.is_narrow = col_duv_describe(runs->duv)->is_narrow;
    const col_status status = runs->sees_reads
                                  ? chk_black_box_load(&runs->box, &program->program, problem)
                                  : col_checker_load(runs->checker, &program->program, problem);
    return status == COL_OK ? col_duv_load(runs->duv, &program->program, problem) : status;
}

col_status lit_run(lit_runs *runs, lit_program *program, lit_outcomes *outcomes,
                   col_problem *problem) {
    uint64_t *state = calloc((size_t)program->test->item_count + 1, sizeof *state);
    col_status status = state != NULL ? COL_OK : base_out_of_memory(problem);
    const col_duv_description *design = col_duv_describe(runs->duv);
    const uint64_t layout = design->varies ? RUNS_OF_A_LAYOUT_OF_CODE : RUNS_OF_A_LAYOUT;
    runs->forbidden = runs->failures = runs->undecided = runs->done = 0;
    runs->sees_reads = design->shows == COL_SHOWS_READS;
    runs->box.model = design->model;
    runs->box.budget = BUDGET;
    runs->box.stop = stop_of(runs);
    col_duv_interrupt(runs->duv, stop_of(runs));
    runs->pairs = program->pairs;
    lit_outcomes_begin(outcomes);
    for (uint64_t i = 0; status == COL_OK && i < runs->count && !base_is_stopped(stop_of(runs));
         i++) {
        base_rng rng;
        base_rng_seed(&rng, runs->seed, i);
        if (i % layout == 0)
            status = load_again(runs, program, &rng, problem);
        if (status == COL_OK)
            status = run_once(runs, program, base_rng_next(&rng), outcomes, state, problem);
    }
    lit_outcomes_sort(outcomes);
    free(state);
    return status;
}

col_status lit_compare(lit_runs *runs, lit_test *test, const lit_outcomes *outcomes,
                       col_problem *problem) {
    lit_outcomes allowed = {0};
    const col_status status =
        lit_judge_test(runs->allows, test, runs->budget, &allowed, &runs->is_complete, problem);
    runs->allowed = allowed.count;
    runs->seen = status == COL_OK ? lit_outcomes_shared(outcomes, &allowed) : 0;
    lit_outcomes_free(&allowed);
    return status;
}
