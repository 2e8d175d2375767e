/* SPDX-License-Identifier: MIT */
/*
 * Random executions of small programs, legal and illegal: which write each read took its word from,
 * and the order of the writes to each location. They become outcomes for the oracles, events for
 * the runtime checker and traces for the trace checker.
 */
#pragma once

#include "collider/check.h"
#include "protocol/simulate/oracle_random.h"

/* By operation; what does not apply is 0. */
typedef struct candidate {
    uint32_t source[ORACLE_OPERATIONS]; /* of what reads: a write or COL_INITIAL */
    uint32_t place[ORACLE_OPERATIONS];  /* of what writes: from 1, in the order at its location */
} candidate;

/* Programs whose outcomes tell what chance hardly ever finds; ended by NULL. */
extern const char *const rare_programs[];

/* Somewhere between a legal execution and nonsense. */
void candidate_make(base_rng *rng, const col_program *program, candidate *made);

/* Every location is coherent, but there is no sequential order: where the models differ. Returns
 * false if chance did not bring it about. */
bool candidate_make_subtle(base_rng *rng, const col_program *program, candidate *made);

/* Atomics read what they replace, whatever the candidate says. */
void candidate_outcome(const col_program *program, const candidate *c, outcome *seen);
void candidate_of(const col_program *program, const outcome *seen, candidate *c);

/* For whoever has to find out what is wrong: one operation, without an end of the line; and the
 * steps of a violation, which may be NULL. */
void show_operation(const col_program *program, uint32_t operation);
void show_violation(const col_violation *violation);

/* What a monitor would tell of an operation that reads or writes. */
col_event event_of(const col_program *program, const outcome *seen, uint32_t operation);

/* The operations that read or write, in an order of events: any at all, each thread in its order,
 * thread by thread, or as near as can be to what the candidate says. Returns their number. */
typedef enum event_order {
    ANY_ORDER,
    ANY_INTERLEAVING,
    BY_THREAD,
    AS_SEEN,
    EVENT_ORDERS
} event_order;
uint32_t events_order(base_rng *rng, const col_program *program, const candidate *c,
                      event_order order, uint32_t *operations);

/* A trace that shows the sources of a candidate and nothing of its order of writes. */
typedef struct small_trace {
    col_trace trace;
    uint32_t source[ORACLE_OPERATIONS], line[ORACLE_OPERATIONS], final[ORACLE_OPERATIONS];
    uint32_t replaced[ORACLE_OPERATIONS];
    uint64_t read[ORACLE_OPERATIONS], written[ORACLE_OPERATIONS];
    uint64_t replaced_value[ORACLE_OPERATIONS];
    uint64_t thread_names[ORACLE_OPERATIONS], location_names[ORACLE_OPERATIONS];
    random_times times;
} small_trace;

void small_trace_make(small_trace *t, const col_program *program, const candidate *c);

/* The write that operation `i` is said to have directly replaced, COL_INITIAL, or COL_NOT_SAID:
 * what an atomic read, or what the trace says. */
uint32_t small_trace_replaced(const small_trace *t, uint32_t i);
/* Atomics that read any other write; last writes, as they were or any. */
void small_trace_confuse(base_rng *rng, small_trace *t);
void small_trace_add_final(base_rng *rng, small_trace *t, const candidate *c);
/* Any of these, with times or without. */
void small_trace_vary(base_rng *rng, small_trace *t, const candidate *c);
void small_trace_free(small_trace *t);

/* Is there an order of the writes with which the oracle allows it? */
bool small_trace_allowed(oracle_model model, const small_trace *t);

/* ---- Executions of which some are allowed and some are not, whatever the oracles can take. */

enum { MOST_SMALL_OPERATIONS = 24 };

/* 3 threads, 10 operations and 3 locations. */
void draw_small_program(const char *mix, uint64_t seed, col_program *program);

/* Operations nearly in the order of the program, one after the other in one memory; conditionals
 * fail by chance. Returns the number of events. */
uint32_t execute_nearly_in_order(const col_program *program, base_rng *rng, col_event *events);
