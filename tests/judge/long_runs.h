/* SPDX-License-Identifier: MIT */
/* Long executions, taken down from designs that run in the simulator, and ways to damage them. */
#pragma once

#include "base/random.h"
#include "collider/check.h"

typedef struct run_settings {
    const char *design;
    uint32_t cores, operations, locations;
    const char *mix; /* of instructions */
} run_settings;

enum { NO_WRITE = UINT32_MAX };

/* What happened, by operation: which writes each one met. Initial words are COL_INITIAL. */
typedef struct long_run {
    col_program program;
    uint32_t count;
    uint32_t *order; /* operations as they performed */
    uint32_t order_count;
    uint32_t *source;   /* of what reads */
    uint32_t *replaced; /* of what writes */
    uint32_t *next;     /* of each write, and behind these of each initial word: the write that
                         * replaced it, or NO_WRITE */
    uint64_t *word;     /* that each write leaves */
    uint32_t *thread;
    col_trace trace; /* with the same sources; its arrays are of this struct */
} long_run;

/* A system, kept from run to run. */
typedef struct workshop workshop;
workshop *workshop_open(const run_settings *settings);
void workshop_close(workshop *w);

/* Runs the test of that seed. Fails the test when the design fails. */
void long_run_make(workshop *w, uint64_t seed, long_run *run);
void long_run_free(long_run *run);

/* The event of an operation, by what the run says of it now. */
col_event long_run_event(const long_run *run, uint32_t operation);

/* Verdicts of the two checkers. */
bool runtime_accepts(col_checker *checker, const long_run *run);
bool trace_is_accepted(col_model model, long_run *run);

/* ---- Damage. Each returns false, and does nothing, if the run has no place for it near a random
 * one. What was changed can be taken back. */
typedef struct damaged {
    uint32_t first, second; /* operations */
    uint32_t old_source;
    bool swapped;
} damaged;

/* A thread meets one word, another one, and then the first again. */
bool damage_goes_back(base_rng *rng, long_run *run, damaged *d);
/* A load returns the word of a later store of its thread. */
bool damage_knows_the_future(base_rng *rng, long_run *run, damaged *d);
/* A load returns the initial word when its thread has met a later one. */
bool damage_forgets(base_rng *rng, long_run *run, damaged *d);
/* Two stores of a thread to one location, one behind the other, change places; some thread can
 * tell. */
bool damage_swaps_stores(base_rng *rng, long_run *run, damaged *d);
/* A load has seen a store of another thread, and a later one misses an earlier store of that
 * thread; both pairs stand in an order that all models from SC to TSO keep, and if `fenced` all
 * others too. */
bool damage_misses_message(base_rng *rng, long_run *run, bool fenced, damaged *d);
/* Any load returns any word that its location ever held: it may be allowed. */
bool damage_at_random(base_rng *rng, long_run *run, damaged *d);

void damage_undo(long_run *run, const damaged *d);
