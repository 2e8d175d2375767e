/* SPDX-License-Identifier: MIT */
/*
 * Single changes of a transition table, tried in a built system and taken back: another next state,
 * one action more or less, a cell that was missing. And of the cores: a mechanism that they lack. A
 * change that makes a failure disappear says which cell is wrong, and how (episode/triage/).
 */
#pragma once

#include "base/text.h"
#include "protocol/simulate/system.h"

typedef enum sim_change_kind {
    SIM_CHANGE_NEXT, /* it leads to another state */
    SIM_CHANGE_ADD,  /* one more action */
    SIM_CHANGE_DROP, /* one action less */
    SIM_CHANGE_LIKE, /* it was not defined: it does what the event's cell of another state does */
    SIM_CHANGE_CORE, /* the cores have a mechanism, `event`, that they lack; of no machine */
} sim_change_kind;

typedef struct sim_change {
    uint32_t machine, state, event;
    sim_change_kind kind;
    uint32_t next;   /* where it leads; and */
    uint32_t was;    /* led; of a cell that was defined */
    uint32_t action; /* to add: of the machine */
    uint32_t place;  /* of the action that is added or dropped, in the cell's list */
    uint32_t like;   /* the other state */
} sim_change;

/* How many changes of the cell there are, and the one of a number below that. */
uint32_t sim_change_count(const sim_system *system, uint32_t machine, uint32_t state,
                          uint32_t event);
sim_change sim_change_find(const sim_system *system, uint32_t machine, uint32_t state,
                           uint32_t event, uint32_t number);

/* The core's of that number; false: it lacks no more. */
bool sim_core_change(const sim_system *system, uint32_t number, sim_change *change);

/* A system in which changes are made. Start from {.system = …}; free it before the system. */
enum { SIM_MOST_CHANGES = 32 };
typedef struct sim_bench {
    sim_system *system;
    uint32_t count; /* changes that are made */
    struct {
        sl_cell *cell, before; /* NULL: a change of the cores */
        uint32_t without;      /* what they lacked before */
    } made[SIM_MOST_CHANGES];
    /* Of each machine: its actions as they were, and the same with those of changed cells behind
     * them. */
    const uint16_t *lists[SIM_MOST_MACHINES];
    uint16_t *longer[SIM_MOST_MACHINES];
    size_t lengths[SIM_MOST_MACHINES], capacities[SIM_MOST_MACHINES];
} sim_bench;

/* Makes the change, beside those that are made. */
col_status sim_change_make(sim_bench *bench, const sim_change *change, col_problem *problem);
/* Takes the last changes back until only so many are left. */
void sim_change_undo(sim_bench *bench, uint32_t left);
void sim_bench_free(sim_bench *bench);

/* In words, "L0Cache E Store needs mark_dirty", and as an edit of an error file, "{ at:
 * L0Cache/E/Store, plus: [mark_dirty] }". */
void sim_change_say(const sim_system *system, const sim_change *change, base_text *text);
void sim_change_write(const sim_system *system, const sim_change *change, base_text *text);
