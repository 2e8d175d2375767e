/* SPDX-License-Identifier: MIT */
/* Witnesses and non-determinism by their definitions: see oracle.h. */
#include "oracle.h"

#include "harness.h" /* after the rest: cmocka makes `fail` a macro */

#include <string.h>

void oracle_load(oracle *known, const col_program *program) {
    known->program = program;
    known->count = known->instances = 0;
}

/* ---- What events say. */

/* The thread of the write with this value; UINT32_MAX if there is none. */
static uint32_t writer_of(const col_program *program, uint64_t value) {
    for (uint32_t i = 0; i < col_program_operations(program); i++)
        if (col_kinds[program->operations[i].kind].writes && program->operations[i].value == value)
            return col_program_thread_of(program, i);
    return UINT32_MAX;
}

static uint64_t value_of(const col_program *program, const col_event *events, uint32_t count,
                         uint32_t location, uint64_t word) {
    if (word == 0)
        return 0;
    if (word <= UINT32_MAX)
        return writer_of(program, word) == UINT32_MAX ? COL_NO_VALUE : word;
    for (uint32_t i = 0; i < count; i++) {
        const col_operation *o = &program->operations[events[i].operation];
        if (o->kind == COL_ADD && o->location == location && events[i].word == word)
            return o->value;
    }
    return COL_NO_VALUE;
}

static bool is_external(const oracle *known, const col_event *event, uint64_t value) {
    const uint32_t writer = value == 0 ? UINT32_MAX : writer_of(known->program, value);
    return event->source == COL_FROM_OTHER_CORE || event->source == COL_FROM_SHARED_LEVEL ||
           event->source == COL_FROM_MEMORY ||
           (writer != UINT32_MAX &&
            writer != col_program_thread_of(known->program, event->operation));
}

static void add(oracle *known, oracle_sighting seen) {
    assert_true(known->count < ORACLE_MOST_SIGHTINGS);
    known->list[known->count++] = seen;
}

void oracle_add_instance(oracle *known, const col_event *events, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const col_event *e = &events[i];
        const col_operation *o = &known->program->operations[e->operation];
        const col_kind_traits *traits = &col_kinds[o->kind];
        oracle_sighting seen = {.instance = known->instances,
                                .core = col_program_thread_of(known->program, e->operation),
                                .operation = e->operation};
        if (traits->reads) {
            seen.is_read = true;
            seen.value = value_of(known->program, events, count, o->location,
                                  traits->writes ? e->read : e->word);
            seen.is_external = !traits->writes && is_external(known, e, seen.value);
            add(known, seen);
        }
        if (traits->writes) {
            seen.is_write = true;
            seen.is_read = false;
            seen.value = value_of(known->program, events, count, o->location, e->overwritten);
            seen.is_external = is_external(known, e, seen.value);
            add(known, seen);
        }
    }
    known->instances++;
}

/* ---- Witnesses. */

static bool observes(col_observation observation, const oracle_sighting *seen) {
    switch (observation) {
    case COL_OBSERVE_RF:
        return seen->is_read;
    case COL_OBSERVE_CO:
        return seen->is_external;
    default:
        return seen->is_read || seen->is_external;
    }
}

static void insert(oracle_values *values, uint64_t value) {
    uint32_t place = 0;
    while (place < values->count && values->list[place] < value)
        place++;
    if (place < values->count && values->list[place] == value)
        return;
    assert_true(values->count < ORACLE_MOST_VALUES);
    for (uint32_t i = values->count++; i > place; i--)
        values->list[i] = values->list[i - 1];
    values->list[place] = value;
}

void oracle_witness(const oracle *known, uint32_t instance, col_observation observation,
                    uint32_t core, oracle_values *values) {
    values->count = 0;
    for (uint32_t i = 0; i < known->count; i++) {
        const oracle_sighting *seen = &known->list[i];
        if ((instance == ORACLE_ALL || seen->instance == instance) && seen->core == core &&
            observes(observation, seen))
            insert(values, seen->value);
    }
}

static bool same_witnesses(const oracle *known, col_observation observation, uint32_t first,
                           uint32_t second) {
    oracle_values a, b;
    for (uint32_t core = 0; core < known->program->thread_count; core++) {
        oracle_witness(known, first, observation, core, &a);
        oracle_witness(known, second, observation, core, &b);
        if (a.count != b.count || memcmp(a.list, b.list, a.count * sizeof *a.list) != 0)
            return false;
    }
    return true;
}

uint32_t oracle_distinct(const oracle *known, col_observation observation) {
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < known->instances; i++) {
        bool is_new = true;
        for (uint32_t earlier = 0; earlier < i && is_new; earlier++)
            is_new = !same_witnesses(known, observation, i, earlier);
        distinct += is_new;
    }
    return distinct;
}

/* ---- Conflict orders. */

static bool is_same_event(const oracle_sighting *a, const oracle_sighting *b) {
    return a->operation == b->operation && a->is_write == b->is_write;
}

/* Is every event of the first instance in the second one, after the same write? */
static bool is_part(const oracle *known, uint32_t first, uint32_t second) {
    for (uint32_t i = 0; i < known->count; i++) {
        const oracle_sighting *a = &known->list[i];
        bool found = a->instance != first;
        for (uint32_t j = 0; j < known->count && !found; j++) {
            const oracle_sighting *b = &known->list[j];
            found = b->instance == second && is_same_event(a, b) && a->value == b->value;
        }
        if (!found)
            return false;
    }
    return true;
}

uint32_t oracle_outcomes(const oracle *known) {
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < known->instances; i++) {
        bool is_new = true;
        for (uint32_t earlier = 0; earlier < i && is_new; earlier++)
            is_new = !is_part(known, i, earlier) || !is_part(known, earlier, i);
        distinct += is_new;
    }
    return distinct;
}

/* Distinct values before a read or write. */
static uint32_t count_before(const oracle *known, uint32_t operation, bool is_write) {
    oracle_values values = {0};
    for (uint32_t i = 0; i < known->count; i++)
        if (known->list[i].operation == operation && known->list[i].is_write == is_write)
            insert(&values, known->list[i].value);
    return values.count;
}

uint32_t oracle_predecessors(const oracle *known, uint32_t operation) {
    const uint32_t reads = count_before(known, operation, false);
    const uint32_t writes = count_before(known, operation, true);
    return reads > writes ? reads : writes;
}

uint64_t oracle_conflicts(const oracle *known) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < col_program_operations(known->program); i++)
        sum += (uint64_t)count_before(known, i, false) + count_before(known, i, true);
    return sum;
}

uint32_t oracle_events(const oracle *known) {
    uint32_t events = 0;
    for (uint32_t i = 0; i < col_program_operations(known->program); i++)
        events +=
            (uint32_t)(count_before(known, i, false) > 0) + (count_before(known, i, true) > 0);
    return events;
}
