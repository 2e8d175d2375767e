/* SPDX-License-Identifier: MIT */
/*
 * What all instances of a test showed: the union of their execution witnesses by core, and
 * McVerSi's non-determinism of events and test with the fit addresses that follow from it. All of
 * it is read off the lists of conflicts, when it is asked for.
 */
#include "witness/witness.h"

#include <stdlib.h>
#include <string.h>

/* Does the operation's e-th event read? An atomic's first one does. */
static inline uint32_t observations_of(const wit_record *record, uint32_t e) {
    const bool reads = record->kind == COL_LOAD_PERFORMED || (record->is_atomic && e == 0);
    return reads ? WIT_SEEN_BY_READ : 0;
}

/* The i-th write before an event, and who saw its value in some instance. */
static inline wit_sighting sighting_of(const wit_conflicts *conflicts, uint32_t i,
                                       uint32_t observations) {
    const uint32_t is_external = conflicts->external >> i & 1U;
    return (wit_sighting){conflicts->writes[i],
                          observations | (WIT_SEEN_FROM_OUTSIDE & (0 - is_external))};
}

/* ---- Signatures, non-determinism and fit addresses. */

static col_signature *signatures_of(const col_witness *w, col_witness_scope scope,
                                    col_observation observation) {
    return &w->signatures[((size_t)scope * COL_OBSERVATION_COUNT + observation) * w->cores];
}

static void set_signatures(const col_witness *w, col_witness_scope scope, uint32_t core,
                           const col_signature signatures[COL_OBSERVATION_COUNT]) {
    for (uint32_t o = 0; o < COL_OBSERVATION_COUNT; o++)
        signatures_of(w, scope, (col_observation)o)[core] = signatures[o];
}

/* Returns how many writes came before the event. */
static uint32_t sum_event(col_witness *w, uint32_t event, uint32_t observations,
                          col_signature signatures[COL_OBSERVATION_COUNT]) {
    uint32_t count = 0;
    for (uint32_t place = event; place != WIT_NONE; place = w->conflicts[place].more) {
        const wit_conflicts *conflicts = &w->conflicts[place];
        for (uint32_t i = 0; i < conflicts->count; i++)
            wit_sign(w, sighting_of(conflicts, i, observations), signatures);
        count += conflicts->count;
    }
    return count;
}

/* Returns how many came before its event, or before that of two which has more. */
static uint32_t sum_operation(col_witness *w, const wit_record *record, uint32_t event,
                              col_signature signatures[COL_OBSERVATION_COUNT]) {
    uint32_t most = 0;
    for (uint32_t e = 0; e < wit_events_of(record); e++) {
        const uint32_t count = sum_event(w, event + e, observations_of(record, e), signatures);
        w->results.events += count > 0;
        w->results.conflicts += count;
        most = count > most ? count : most;
    }
    return most;
}

static void sum_threads(col_witness *w) {
    const uint32_t *start = w->program->thread_start;
    uint32_t event = 0;
    w->results.events = 0;
    w->results.conflicts = 0;
    for (uint32_t t = 0; t < w->program->thread_count; t++) {
        col_signature signatures[COL_OBSERVATION_COUNT] = {{0, 0}};
        wit_collect(w);
        for (uint32_t i = start[t]; i < start[t + 1]; i++) {
            w->nondeterminism[i] = sum_operation(w, &w->records[i], event, signatures);
            event += wit_events_of(&w->records[i]);
        }
        set_signatures(w, COL_ALL_INSTANCES, t, signatures);
    }
}

/* To the nearest integer, halves upward. */
static uint64_t rounded_average(uint64_t sum, uint64_t count) {
    return count == 0 ? 0 : (2 * sum + count) / (2 * count);
}

static void find_fit_locations(col_witness *w) {
    const uint64_t average = rounded_average(w->results.conflicts, w->results.events);
    memset(w->is_fit, 0, w->program->location_count * sizeof *w->is_fit);
    for (uint32_t i = 0; i < w->operation_count; i++)
        if (w->records[i].kind != WIT_NO_ACCESS)
            w->is_fit[w->program->operations[i].location] |= w->nondeterminism[i] > average;
    w->results.fit_count = 0;
    for (uint32_t l = 0; l < w->program->location_count; l++)
        if (w->is_fit[l])
            w->fit_locations[w->results.fit_count++] = l;
}

static void sum_test(col_witness *w) {
    col_witness_results *r = &w->results;
    sum_threads(w);
    find_fit_locations(w);
    for (uint32_t o = 0; o < COL_OBSERVATION_COUNT; o++) {
        r->distinct[o] = w->known[o].count;
        r->signatures[o] = signatures_of(w, COL_ALL_INSTANCES, (col_observation)o);
    }
    r->outcomes = w->known[COL_OBSERVATION_COUNT].count;
    r->nondeterminism = r->events == 0 ? 0 : (double)r->conflicts / r->events;
    r->event_nondeterminism = w->nondeterminism;
    r->fit_locations = w->fit_locations;
    r->is_fit = w->is_fit;
}

const col_witness_results *col_witness_results_of(col_witness *witness) {
    if (!witness->is_summed && witness->program != NULL)
        sum_test(witness);
    witness->is_summed = true;
    return &witness->results;
}

static void sign_last(col_witness *w, uint32_t thread) {
    col_signature signatures[COL_OBSERVATION_COUNT] = {{0, 0}};
    const uint32_t *start = w->program->thread_start;
    wit_collect(w);
    for (uint32_t i = start[thread]; i < start[thread + 1]; i++) {
        if (!wit_performed(w, &w->records[i]))
            continue;
        if (w->records[i].is_atomic)
            wit_sign(w, wit_look_at_read(w, i), signatures);
        wit_sign(w, wit_look(w, i, thread), signatures);
    }
    set_signatures(w, COL_LAST_INSTANCE, thread, signatures);
}

const col_signature *col_witness_signatures(col_witness *witness, col_witness_scope scope,
                                            col_observation observation) {
    if (witness->program == NULL)
        return NULL;
    if (scope == COL_ALL_INSTANCES)
        (void)col_witness_results_of(witness);
    else
        for (uint32_t t = 0; t < witness->program->thread_count; t++)
            sign_last(witness, t);
    return signatures_of(witness, scope, observation);
}

/* ---- Witnesses as sets. */

typedef struct collection {
    col_witness *witness;
    uint32_t observations; /* a set of one */
    uint64_t *values;
    uint32_t count, capacity;
} collection;

static void collect(collection *c, wit_sighting seen) {
    const wit_writes *writes = &c->witness->writes;
    seen.observations &= c->observations;
    if (wit_put(c->witness, seen) == 0)
        return;
    if (c->count < c->capacity)
        c->values[c->count] =
            seen.write == wit_nobody(writes) ? COL_NO_VALUE : writes->table[seen.write].value;
    c->count++;
}

static void collect_all(collection *c, uint32_t operation, uint32_t event) {
    const col_witness *w = c->witness;
    const wit_record *record = &w->records[operation];
    for (uint32_t e = 0; e < wit_events_of(record); e++)
        for (uint32_t p = event + e; p != WIT_NONE; p = w->conflicts[p].more)
            for (uint32_t i = 0; i < w->conflicts[p].count; i++)
                collect(c, sighting_of(&w->conflicts[p], i, observations_of(record, e)));
}

static void collect_last(collection *c, uint32_t operation, uint32_t thread) {
    const col_witness *w = c->witness;
    if (!wit_performed(w, &w->records[operation]))
        return;
    if (w->records[operation].is_atomic)
        collect(c, wit_look_at_read(w, operation));
    collect(c, wit_look(w, operation, thread));
}

static int compare(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

uint32_t col_witness_values(col_witness *witness, col_witness_scope scope,
                            col_observation observation, uint32_t core, uint64_t *values,
                            uint32_t capacity) {
    collection c = {witness, 1U << observation, values, 0, capacity};
    if (witness->program == NULL || core >= witness->program->thread_count)
        return 0;
    const uint32_t *start = witness->program->thread_start;
    uint32_t event = 0;
    wit_collect(witness);
    for (uint32_t i = 0; i < start[core + 1]; i++) {
        if (i >= start[core] && scope == COL_ALL_INSTANCES)
            collect_all(&c, i, event);
        else if (i >= start[core] && witness->results.instances > 0)
            collect_last(&c, i, core);
        event += wit_events_of(&witness->records[i]);
    }
    const uint32_t filled = c.count < capacity ? c.count : capacity;
    if (filled > 0)
        qsort(values, filled, sizeof *values, compare);
    return c.count;
}
