/* SPDX-License-Identifier: MIT */
/* Random programs: small, and with everything in them that the models tell apart. */
#include "oracle_random.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

/* How far back a read of the thread is, by chance; 0: there is none there. */
static uint32_t distance_to_read(base_rng *rng, const col_program *program, uint32_t start,
                                 uint32_t index) {
    const uint32_t distance = index > start ? 1 + below(rng, index - start) : 0;
    return col_kinds[program->operations[index - distance].kind].reads ? distance : 0;
}

static uint8_t random_kind(base_rng *rng, const mixture *m) {
    static const uint8_t kinds[] = {COL_LOAD,  COL_LOAD,  COL_LOAD,  COL_LOAD, COL_STORE,
                                    COL_STORE, COL_STORE, COL_STORE, COL_SWAP, COL_ADD,
                                    COL_FENCE, COL_FENCE, COL_FLUSH, COL_DELAY};
    enum { PLAIN = 8, ATOMICS = 2 }; /* how many of them: loads and stores, then swap and add */
    const uint32_t count = (uint32_t)(sizeof kinds / sizeof kinds[0]);
    if (m->atomic && below(rng, 3) == 0)
        return kinds[PLAIN + below(rng, ATOMICS)];
    return kinds[below(rng, m->plain ? PLAIN : count)];
}

/* What an operation on a location has besides: its value, attributes, a dependency. */
static void complete(base_rng *rng, const mixture *m, col_program *program, uint32_t start,
                     uint32_t index) {
    static const uint8_t attributes[] = {0,           0,           0,
                                         COL_ACQUIRE, COL_RELEASE, COL_ACQUIRE | COL_RELEASE};
    static const uint8_t dependencies[] = {
        COL_ADDRESS, COL_CONTROL, COL_ADDRESS,
        COL_CONTROL, COL_DATA,    COL_DATA}; /* the last ones for writes only */
    col_operation *operation = &program->operations[index];
    const col_kind_traits *traits = &col_kinds[operation->kind];
    const uint32_t possible =
        (uint32_t)traits->reads * COL_ACQUIRE + (uint32_t)traits->writes * COL_RELEASE;
    const uint32_t chosen = attributes[m->attributed ? 5 : below(rng, sizeof attributes)];
    operation->location = below(rng, m->locations);
    operation->value = (uint32_t)traits->writes * (index + 1);
    operation->order = (uint8_t)(possible & chosen);
    operation->distance = distance_to_read(rng, program, start, index);
    if (operation->distance > 0)
        operation->dependency = dependencies[below(rng, traits->writes ? 6 : 4)];
}

static void random_operation(base_rng *rng, const mixture *m, col_program *program, uint32_t start,
                             uint32_t index) {
    col_operation *operation = &program->operations[index];
    *operation = (col_operation){.kind = random_kind(rng, m)};
    if (m->paired && operation->kind == COL_SWAP && below(rng, 2) == 0)
        operation->kind = COL_CONDITIONAL;
    if (m->fenced && index > start && program->operations[index - 1].kind != COL_FENCE)
        operation->kind = COL_FENCE;
    if (operation->kind == COL_FENCE)
        operation->fence = m->fenced ? COL_FULL_FENCE : (uint8_t)(1 + below(rng, COL_FULL_FENCE));
    if (operation->kind == COL_DELAY)
        operation->location = 1;
    if (col_kinds[operation->kind].located)
        complete(rng, m, program, start, index);
}

/* Turns a load into an await of a store of another thread. */
static void add_await(base_rng *rng, col_program *program) {
    const uint32_t count = col_program_operations(program);
    col_operation *load = &program->operations[below(rng, count)];
    const col_operation *store = &program->operations[below(rng, count)];
    if (load->kind != COL_LOAD || store->kind != COL_STORE || load->location != store->location ||
        col_program_thread_of(program, (uint32_t)(load - program->operations)) ==
            col_program_thread_of(program, (uint32_t)(store - program->operations)))
        return;
    load->kind = COL_AWAIT;
    load->value = store->value;
}

void random_program(base_rng *rng, const mixture *m, col_program *program) {
    uint32_t lengths[ORACLE_OPERATIONS];
    col_problem problem;
    const uint32_t threads =
        m->packed ? 2 + below(rng, m->threads - 1) : 1 + below(rng, m->threads);
    for (uint32_t t = 0; t < threads; t++) {
        const uint32_t most = m->operations / threads;
        lengths[t] = m->packed ? most - below(rng, most / 2) : 1 + below(rng, most);
    }
    assert_int_equal(col_program_shape(program, threads, lengths, m->locations, &problem), COL_OK);
    for (uint32_t i = 0; i < m->locations; i++)
        program->addresses[i] = (uint64_t)COL_WORD_BYTES * i;
    for (uint32_t t = 0; t < threads; t++) {
        for (uint32_t i = program->thread_start[t]; i < program->thread_start[t + 1]; i++)
            random_operation(rng, m, program, program->thread_start[t], i);
    }
    if (m->awaits)
        add_await(rng, program);
    if (col_program_check(program, &problem) != COL_OK)
        fail_msg("%s", problem.message);
}

/* Threads issue in order; an operation lasts from one to some issues. Where the begin is not known,
 * the end may be before the begin of an earlier operation, which is odd, but not impossible. */
void random_times_make(base_rng *rng, const col_program *program, random_times *times) {
    for (uint32_t t = 0; t < program->thread_count; t++) {
        int64_t now = below(rng, 10);
        for (uint32_t i = program->thread_start[t]; i < program->thread_start[t + 1]; i++) {
            const col_kind_traits *traits = &col_kinds[program->operations[i].kind];
            now += 1 + below(rng, 3);
            times->begin[i] = times->end[i] = -1;
            if ((traits->reads || traits->writes) && below(rng, 4) > 0)
                times->begin[i] = now;
            if (traits->reads && below(rng, 4) > 0)
                times->end[i] =
                    (times->begin[i] >= 0 || below(rng, 4) > 0 ? now : now / 2) + 1 + below(rng, 6);
        }
    }
}
