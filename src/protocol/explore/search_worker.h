/* SPDX-License-Identifier: MIT */
/*
 * A worker of the search: a system of its own, which it puts into one state after the other to take
 * all steps from there. Workers share the table of known states, and look at the states of one
 * depth together, a batch at a time (state_batch.c): first they take all steps, and claim states
 * that are not known yet; then they make those known whose claims stand. A worker that is alone
 * makes states known as it finds them, and finds the same.
 */
#pragma once

#include "protocol/explore/search_step.h"
#include "protocol/explore/state_symmetry.h"
#include "protocol/explore/state_table.h"
#include "protocol/explore/step_table.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Sleep sets (Godefroid, Partial-Order Methods): of two steps that do not touch the same things,
 * either order leads to the same state, so one order is enough. A new state has two bits for each
 * choice: the step need not be taken, because what it leads to is found anyway; or it is idle: it
 * changes nothing. All states are found nevertheless, at the same depth: README.md has
 * the proof.
 */

/* A step from the state at hand: what it touched, and what it leads to. */
typedef struct exp_trial {
    uint64_t hash;   /* of the state that it leads to */
    uint64_t orders; /* queues that keep the order of all messages, and get one: bits, by number */
    uint32_t choice;
    uint32_t controller, core; /* of no core: a large number */
    uint8_t reads, writes;     /* blocks whose last word counts, or changes */
    bool touches_core, touches_memory;
    bool may_sleep, is_idle;
    /* Of a new state. */
    bool is_new;
    size_t bits; /* where its bits are in the worker's output */
    uint32_t bit_bytes;
    uint32_t renaming;            /* of cores and blocks, from here to there */
    uint8_t places[MOST_FLIGHTS]; /* of the messages of the state at hand, there */
} exp_trial;

/* The step that was taken last; `is_taken`: the protocol took it. */
void exp_trial_note(exp_trial *trial, const stepper *steps, uint32_t choice, bool is_taken);
/* A step that was not taken because it is idle. */
void exp_trial_note_idle(exp_trial *trial, const stepper *steps, uint32_t choice);

/* Bytes of the bits of a state with so many messages: sleeping ones, then idle ones. */
uint32_t exp_sleep_bytes(const stepper *steps, uint32_t messages);
typedef enum exp_rest { EXP_AWAKE, EXP_ASLEEP, EXP_IDLE } exp_rest;
exp_rest exp_sleep_find(const uint8_t *bits, size_t bytes, uint32_t choice);

/* Writes the bits of all new states among the trials, all those of a state. */
void exp_sleep_write(const stepper *steps, const exp_trial *trials, uint32_t count,
                     uint8_t *output);

/* ---- Workers. */

enum {
    EXP_TASK_STATES = 64,       /* that a worker takes at a time */
    EXP_MOST_TASKS = 256,       /* of a batch */
    EXP_APART = 128,            /* bytes: two lines of a processor's cache */
    EXP_NO_CHOICE = UINT16_MAX, /* the state itself is wrong, not a step from it */
    /* In the place of a choice, records of the graph: a step; a state whose steps are all there. */
    EXP_GRAPH_STEP = UINT16_MAX - 1,
    EXP_GRAPH_STATE = UINT16_MAX - 2,
    EXP_DROPPED = UINT16_MAX - 3 /* another worker's claim to the state stands */
};

/* What a worker found in one task: a part of its output. */
typedef struct task_output {
    struct worker *worker;
    size_t start, end;
} task_output;

/* The states that are looked at together. */
typedef struct batch {
    known_states *known;
    claim_table *claims; /* NULL: one worker is alone */
    image_span states[EXP_TASK_STATES * EXP_MOST_TASKS];
    uint32_t count;
    uint64_t first_number; /* of its states, in the order in which they were found */
    const exp_cell *goal;  /* that ends the search; NULL: none */
    bool wants_graph;
    task_output outputs[EXP_MOST_TASKS];
    uint8_t apart[EXP_APART];
    _Atomic uint32_t next_task; /* that nobody has taken */
    _Atomic uint32_t last_task; /* nobody takes one from here on */
} batch;

/* State and choice in one number, and back. */
static inline uint64_t exp_first(uint64_t number, uint32_t choice) {
    return (number << 16 | choice) + 1;
}

static inline uint64_t exp_first_state(uint64_t first) {
    return (first - 1) >> 16;
}

static inline uint32_t exp_first_choice(uint64_t first) {
    return (uint32_t)((first - 1) & 0xffff);
}

/* What ended a worker's part of a batch. */
typedef struct worker_end {
    bool is_broken, is_limited, is_reached, out_of_memory;
    bool is_crowded; /* there is no room for more claims */
    bool is_refusal; /* a request was not taken though nothing was under way */
    uint32_t state;  /* of the batch */
    uint32_t choice;
} worker_end;

/* A state that a step leads to, and that is looked for when the next one is at hand: the places
 * where it may be are far away in memory, and on their way meanwhile. */
typedef struct exp_arrival {
    bool is_waiting;
    uint64_t hash;
    const uint8_t *image;
    uint32_t bytes, sleep_bytes, length_bytes;
    uint32_t parent, choice, place; /* of the step */
    uint8_t *lengths;
    exp_trial *trial; /* NULL: it is not noted */
} exp_arrival;

typedef struct worker {
    stepper steps;
    exp_renamer renamer;
    exp_step_table table;
    bool is_numbered; /* the table took the last step, not the system */
    exp_arrival arrival;
    uint8_t *spare_image; /* for the next state, while one waits */
    bool renames;         /* of states that are alike one is kept */
    exp_trial *trials;    /* of the state at hand; NULL: all steps are taken */
    uint32_t trial_count;
    bool is_taken; /* the protocol took the last step */
    uint64_t hash; /* of the state that it led to */
    sim_system *system;
    batch *batch;
    uint8_t *output; /* records: see exp_worker_read */
    size_t used, capacity;
    uint64_t records;        /* of states, in the output */
    uint64_t found, edges;   /* states that were new; steps between states */
    uint64_t asleep;         /* of these: that were not taken */
    uint64_t done;           /* accesses that steps of the state complete, as marks */
    uint32_t plain_renaming; /* nothing */
    uint8_t *bounds;         /* the most messages under way to each buffer */
    worker_end end;
    uint64_t *firsts;       /* of each cell, if witnesses are wanted: how it was reached first
                             * (exp_first);       0: not */
    uint8_t *checkpoint;    /* what it had counted before the batch; NULL: it is always alone */
    uint32_t state, choice; /* at work */
    uint32_t place;         /* of the choice, among those of the state */
    bool is_torn;           /* it ended within a step */
    bool strays;            /* steps that were taken before cannot be taken again: they come from a
                             * file, and are not the design's */
    uint8_t
        apart[EXP_APART]; /* what it writes all the time is not beside what the next one reads */
} worker;

/* What a record of a step has in the place of an image. */
typedef struct graph_step {
    uint64_t target;
    uint32_t renaming;
} graph_step;

typedef struct found_state {
    uint32_t parent; /* of the batch */
    uint16_t choice;
    image_span image;
} found_state;

/* NULL: nothing is renamed. */
void exp_worker_open(worker *w, sim_system *system, const exp_exploration_settings *settings,
                     const exp_symmetry *symmetry);
void exp_worker_close(worker *w);

/* A batch begins: there is no output. */
void exp_worker_begin(worker *w);
/* Takes tasks until none is left or something is wrong. */
void exp_worker_run(worker *w);
/* Takes tasks, by anybody, until none is left: makes the states known whose claims stand, and drops
 * the other records. There must be room. */
void exp_worker_resolve(worker *w);
/* What was counted is noted, and counts again: the batch has not been looked at. */
void exp_worker_checkpoint(worker *w);
void exp_worker_roll_back(worker *w);

/* Takes a step and writes the image of what it leads to: is it another state? If nothing was under
 * way before, requests must be taken. */
bool exp_worker_step(worker *w, uint32_t choice, bool is_quiet);
/* To the first state, whose image is written. */
void exp_worker_start(worker *w);
/* Renames the state whose image was written; its hash then. */
void exp_worker_rename(worker *w);
uint64_t exp_worker_hash(worker *w);
/* Ends the image that was written, of a state that will wait; how many bytes it takes then. */
uint32_t exp_worker_end_image(worker *w);
/* Notes the state whose image was written. */
known_result exp_worker_note(worker *w, uint32_t parent, uint32_t choice);

/* A record of an output; returns the next. */
const uint8_t *exp_worker_read(const uint8_t *at, found_state *found);

/*
 * Threads that stay for a whole search and do one thing after the other together: a thread that is
 * made for a few milliseconds of work often gets no processor of its own before it ends.
 */

typedef struct thread_team thread_team;

/* The calling thread, and others up to `count`; fewer, if no more can be had. NULL: no memory. */
thread_team *exp_team_new(uint32_t count);
void exp_team_free(thread_team *team);

/* Every thread calls `task` with a number of its own, the caller with 0; returns when all have
 * returned. */
void exp_team_run(thread_team *team, void (*task)(void *context, uint32_t number), void *context);
