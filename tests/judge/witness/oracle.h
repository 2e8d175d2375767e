/* SPDX-License-Identifier: MIT */
/*
 * Witnesses and non-determinism by their definitions: lists of all that was seen, searched from end
 * to end for every question. Slow, and obviously right.
 */
#pragma once

#include "collider/witness.h"

enum { ORACLE_MOST_SIGHTINGS = 2048, ORACLE_MOST_VALUES = 512 };

/* One read or write that performed: which value came just before it, and who saw that value. */
typedef struct oracle_sighting {
    uint32_t instance, core, operation;
    bool is_write; /* of a swap or add: its write */
    uint64_t value;
    bool is_read, is_external; /* seen by the monitor of reads, by that of replies to misses */
} oracle_sighting;

typedef struct oracle {
    const col_program *program;
    oracle_sighting list[ORACLE_MOST_SIGHTINGS];
    uint32_t count, instances;
} oracle;

typedef struct oracle_values { /* in ascending order */
    uint32_t count;
    uint64_t list[ORACLE_MOST_VALUES];
} oracle_values;

void oracle_load(oracle *known, const col_program *program);

/* All events of an instance, in any order. */
void oracle_add_instance(oracle *known, const col_event *events, uint32_t count);

/* Of one instance, or of all with instance ORACLE_ALL. */
enum { ORACLE_ALL = UINT32_MAX };
void oracle_witness(const oracle *known, uint32_t instance, col_observation observation,
                    uint32_t core, oracle_values *values);

/* How many instances differ in some core's witness; in some read or write. */
uint32_t oracle_distinct(const oracle *known, col_observation observation);
uint32_t oracle_outcomes(const oracle *known);

/* Distinct values before an operation's read or write, whichever has more. */
uint32_t oracle_predecessors(const oracle *known, uint32_t operation);
uint64_t oracle_conflicts(const oracle *known);
uint32_t oracle_events(const oracle *known);
