/* SPDX-License-Identifier: MIT */
/* Failures of designs, found and written to a folder, and their events once more: recorded without
 * the code under test. */
#pragma once

#include "episode/failure/failure.h"
#include "episode/worker_pool.h"

typedef struct failing {
    const char *design, *options, *error;
    bool own_process;
} failing;

typedef struct events {
    col_event *list;
    size_t count, capacity;
    const volatile int *ended;
    uint64_t cycle; /* of the last one; after the end, only transitions of it are kept */
    col_outcome outcome;
    char reason[512];
    char *violation; /* as the folder has it; NULL: the memory model was not broken */
    epi_worker worker;
    epi_recorded recorded;
} events;

void find_failure(const failing *f, const char *out, col_failure *failure);
/* A file of a folder; from malloc. */
char *read_text(const char *where, const char *name);
/* Runs the recorded instance with nothing but our own observer. */
void record(const char *where, events *e);
void release(events *e);
