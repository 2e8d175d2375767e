/* SPDX-License-Identifier: MIT */
/*
 * Sleep sets (Godefroid, Partial-Order Methods): of two steps that do not touch the same things,
 * either order leads to the same state, so one order is enough. A new state has two bits for each
 * choice: the step need not be taken, because what it leads to is found anyway; or it is idle: it
 * changes nothing. All states are found nevertheless, at the same depth: docs/exploration.md has
 * the proof.
 */
#ifndef PROTOCOL_EXPLORE_SLEEP_SETS_H
#define PROTOCOL_EXPLORE_SLEEP_SETS_H

#include "protocol/explore/search_step.h"

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

/* Bytes of the bits of the state that was reached: sleeping ones, then idle ones. */
uint32_t exp_sleep_bytes(const stepper *steps);
typedef enum exp_rest { EXP_AWAKE, EXP_ASLEEP, EXP_IDLE } exp_rest;
exp_rest exp_sleep_find(const uint8_t *bits, size_t bytes, uint32_t choice);

/* Writes the bits of all new states among the trials, all those of a state. */
void exp_sleep_write(const stepper *steps, const exp_trial *trials, uint32_t count,
                     uint8_t *output);

#endif
