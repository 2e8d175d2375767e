/* SPDX-License-Identifier: MIT */
/*
 * What words hold, by the commits of their writes. For each location the last few values are
 * remembered; of what is older nobody judges.
 */
#pragma once

#include "base/random.h"
#include "collider/agent.h"
#include "collider/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct agt_word agt_word;

typedef struct agt_words {
    agt_word *words; /* by location */
    size_t capacity;
} agt_words;

/* Start from {0}; all words are 0 from now on. */
col_status agt_words_clear(agt_words *words, uint32_t locations, col_problem *problem);
void agt_words_free(agt_words *words);

void agt_words_write(agt_words *words, uint32_t location, uint64_t word, uint64_t cycle);
/* Did the location hold the word in this cycle or later? */
bool agt_words_held(const agt_words *words, uint32_t location, uint64_t word, uint64_t since);

/* Inside the cores at the ports of a memory system: see collider/agent.h. */

/* How far an operation in the window of its core is. */
typedef enum agt_state {
    AGT_WAITING,
    AGT_OFFERED,
    AGT_ASKED,    /* accepted, not answered */
    AGT_ANSWERED, /* a load that ran ahead: it may yet lose its value */
    AGT_DONE
} agt_state;

typedef struct agt_slot {
    agt_state state;
    bool is_lost; /* the block was lost while its load ran ahead: the answer may be old */
    bool is_committed, is_answered;
    uint64_t word;     /* that it read */
    uint64_t replaced; /* of a write that is committed */
    uint64_t since;    /* the cycle in which it was offered, then in which it was accepted */
} agt_slot;

/* What a load was answered in this cycle. */
typedef struct agt_answer {
    bool is_new, is_own; /* it is what the core itself is writing */
    uint32_t operation;
    uint64_t word, since;
} agt_answer;

/* The core of a port. Operations from `first` up to `next` are in its window. */
typedef struct agt_core {
    uint32_t first, next, end; /* operations of the program */
    agt_slot *slots;           /* by operation, modulo the window */
    base_rng choices;          /* of a weak core: what it asks for next */
    uint64_t resumes;          /* the cycle up to which it does nothing */
    bool is_quiet, is_deaf;    /* in this cycle: it offers nothing, takes nothing */
    agt_answer answer;
    uint32_t quiet_left, deaf_left; /* cycles until that is decided again */
} agt_core;

struct col_agents {
    col_agent_settings settings;
    const col_program *program;
    const col_observer *observer;
    base_rng rng; /* of stalls: they depend on the cycle, and on nothing that cores do */
    agt_core *cores;
    agt_slot *slots;
    agt_words words; /* if loads are to return current values */
    uint32_t burst;  /* binary orders of magnitude that the lengths of stalls are drawn from */
    uint64_t cycle, performed, last_answer;
    bool is_stuck;
    char trouble[256]; /* empty: there is none */
};

static inline agt_slot *agt_slot_of(const col_agents *a, const agt_core *core, uint32_t operation) {
    return &core->slots[operation % a->settings.window];
}

/* May the operation ask the memory system now? Only of one that is waiting. */
bool agt_may_ask(const col_agents *agents, const agt_core *core, uint32_t operation);

/* The store of its own core that a load gets its value from before it has performed; UINT32_MAX:
 * there is none. */
uint32_t agt_supplier(const col_agents *agents, const agt_core *core, uint32_t load);

/* Must what was answered wait for others before it counts? */
bool agt_is_ahead(const col_agents *agents, const agt_core *core, uint32_t operation);

/* To the observer, once nothing is answered any more. */
void agt_tell_waits(const col_agents *agents);

/* ---- Do loads return current values? */

void agt_current_answer(col_agents *agents, uint32_t port, uint32_t operation,
                        const agt_slot *slot);
void agt_current_judge(col_agents *agents);
