/* SPDX-License-Identifier: MIT */
/*
 * Exhaustive search of a small system (docs/exploration.md): every state that its controllers can
 * get into, whatever the order and timing of messages and of the cores' accesses, over the same
 * compiled tables that the simulator runs. Checks in every state: single writer, data value, that
 * cores are notified of blocks they lose, no undefined transition, no deadlock.
 */
#pragma once

#include "base/text.h"
#include "protocol/simulate/system.h"

enum { EXP_MOST_BLOCKS = 4, EXP_MOST_CORES = 8, EXP_MOST_WORKERS = 64 };

enum { EXP_REASON_BYTES = 160, EXP_MOST_BUFFERS = 250, EXP_MOST_DRAWN = 5000 };

/* What the search may rename. */
typedef struct exp_symmetry {
    bool cores, blocks;
    char no_cores[EXP_REASON_BYTES], no_blocks[EXP_REASON_BYTES]; /* why not */
} exp_symmetry;

/* Where the blocks of a search are. */
sl_address exp_block_address(uint32_t block);

/* A cell of a machine's table: a transition. */
typedef struct exp_cell {
    uint32_t machine, state, event;
} exp_cell;

/* All cells of a protocol, in the order of machines, states and events: how many there are, which
 * one it is, and the next; false: there is none. */
size_t exp_cell_count(const sl_protocol *p);
size_t exp_cell_place(const sl_protocol *p, const exp_cell *cell);
bool exp_cell_next(const sl_protocol *p, exp_cell *cell);

/* A step on the way to a state. Names are the protocol's. */
typedef enum exp_step_kind { EXP_ACCESS, EXP_MESSAGE, EXP_TIME } exp_step_kind;
enum { EXP_NOT_ENDED = UINT32_MAX };

typedef struct exp_path_step {
    exp_step_kind kind;
    /* Of an access. */
    uint32_t core;
    int32_t request;  /* RubyRequestType */
    uint32_t ends;    /* the step of the path that completes it; EXP_NOT_ENDED: none */
    sl_address block; /* of a time that comes, too */
    /* Of a message, and of a time that comes: who gets it. */
    const char *machine;
    uint32_t number; /* of an access, too: of the controller next to the core */
    const char *queue, *message;
    exp_cell cell;   /* the first transition that the step takes */
    bool takes;      /* it takes one */
    bool is_refused; /* the protocol does not take the access yet, but makes room for it, say */
} exp_path_step;

/* A shortest way to a transition: its last step takes it. */
typedef struct exp_witness {
    exp_cell cell;
    exp_path_step *steps;
    uint32_t count;
} exp_witness;

typedef struct exp_witnesses {
    exp_witness *list;
    uint32_t count;
} exp_witnesses;

/* The most messages that are ever in a queue of any controller of a machine or under way to it. */
typedef struct exp_bound {
    uint32_t machine;
    const char *queue;
    uint32_t most;
} exp_bound;

typedef struct exp_exploration_progress {
    uint64_t states, waiting; /* found so far; of these not yet looked at */
    uint64_t bytes;
    uint32_t depth;
    double seconds;
} exp_exploration_progress;

typedef struct exp_exploration_settings {
    uint32_t blocks;      /* that the cores access; all fall into one set of every cache */
    uint32_t outstanding; /* accesses of a core under way */
    uint32_t accesses;    /* kinds that cores make (exp_accesses_parse); 0: all */
    uint32_t slots;       /* of each queue, for messages in it and under way to it; 0: no limit */
    uint64_t most_states; /* 0: no limit */
    uint64_t most_bytes;  /* of states that wait to be looked at, and what is known; 0: no limit */
    uint32_t most_step_bytes; /* of steps that a worker knows by numbers; 0: the usual */
    double most_seconds;      /* 0: no limit */
    uint32_t workers;         /* threads; 0: one */
    bool is_exact;            /* compare states, not hashes of them; one worker */
    bool use_symmetry;        /* of states that differ in names alone keep one */
    bool takes_any; /* member of a set where the protocol takes the smallest: more can happen than
                     * in the design, and cores may be alike */
    bool takes_all_steps; /* also those that lead to states that are found anyway (sleep_sets.c) */
    bool remembers; /* a core repeats a request that the protocol has begun with and not taken, and
                     * makes no other before; else it may forget it */
    bool finds_livelocks; /* keep all steps, and look for them at the end of the search */
    bool draws;           /* a complete search of at most EXP_MOST_DRAWN states, as DOT */
    bool wants_witnesses; /* of every transition that is reached */
    const exp_cell *goal; /* stop when it is reached, with its witness; NULL: go on */
    /* Between two batches the search can be saved and another one can go on from there. NULL: it
     * is not. What `identity` says must be the same: the design, and all that the search is of. */
    const char *identity, *save, *resume;
    double save_every;        /* seconds; 0: at the end alone */
    const char *folder;       /* of a temporary file for states that wait; NULL: there is none */
    const volatile int *stop; /* not 0: end the search. May be NULL */
    /* Called now and then; may be NULL. */
    void (*progress)(void *context, const struct exp_exploration_progress *progress);
    void *context;
} exp_exploration_settings;

typedef struct exp_exploration {
    uint64_t states, steps; /* steps: edges between states */
    uint64_t asleep;     /* of these: that were not taken (sleep_sets.c), since a search goes on */
    uint64_t bytes;      /* that it took at most */
    uint64_t disk_bytes; /* of the temporary file */
    bool saved;          /* it can be resumed */
    uint32_t depth;      /* of the farthest state */
    bool complete;       /* every reachable state was looked at */
    double omission;     /* bound of the probability that a state was missed: hashes collide */
    bool remembered;     /* what cores had begun, although it was not asked for: it was needed */
    exp_symmetry symmetry; /* what was renamed: nothing unless it was asked for */
    const char *limit;     /* what stopped the search before that; NULL: nothing did */
    exp_bound bounds[EXP_MOST_BUFFERS];
    uint32_t bound_count;
    exp_witnesses witnesses; /* as many as were wanted; free them with exp_witnesses_free */
    base_text drawing;       /* free it */
    bool broken;             /* something is wrong: `trace` tells how to get there */
    base_text trace;
} exp_exploration;

/* The system is the caller's, made for this, with few cores and tiny caches. Its counts tell which
 * cells were reached. Free `trace` at the end. */
col_status exp_explore(sim_system *system, const exp_exploration_settings *settings,
                       exp_exploration *result, col_problem *problem);

/* Kinds of accesses, such as load,store, as bits. False: a word is none of them. */
enum { EXP_LOADS = 1, EXP_STORES = 2, EXP_FLUSHES = 4, EXP_ATOMICS = 8, EXP_ACQUIRES = 16 };
bool exp_accesses_parse(const char *text, uint32_t *accesses);
#define EXP_ACCESS_WORDS "load, store, flush, atomic or acquire"

void exp_witnesses_free(exp_witnesses *witnesses);
