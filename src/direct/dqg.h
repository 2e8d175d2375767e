/* SPDX-License-Identifier: MIT */
/*
 * The parts of the engine whose agent transforms programs (DQG), and of its random baseline (RAG).
 * A program is the genes of the genetic engine, thread by thread, and where its locations lie; each
 * action makes another program of the same space from it. docs/engines/dqg.md lists the actions.
 */
#ifndef DIRECT_DQG_H
#define DIRECT_DQG_H

#include "direct/learner.h"
#include "direct/mtg.h"
#include "direct/parameters.h"
#include "direct/rtg.h"
#include "generate/assign.h"
#include "generate/chain.h"

/* ---- Programs and their space (dqg_program.c). */

typedef struct dqg_program {
    uint32_t size;   /* of N: its place */
    uint32_t pair;   /* of S x K: its place */
    uint64_t layout; /* which of the possible addresses: a stream of chance */
    mtg_gene *genes; /* thread by thread, threads of equal length; room for the largest program */
} dqg_program;

/* Templates by what they do. */
typedef enum dqg_kind { DQG_LOAD, DQG_STORE, DQG_OTHER, DQG_KIND_COUNT } dqg_kind;

/* A choice by the mix among templates of some kinds. */
typedef struct dqg_choice {
    col_chooser chooser;
    uint8_t templates[COL_MAX_TEMPLATES];
    uint32_t count; /* 0: the mix has none */
} dqg_choice;

typedef struct dqg_space {
    dir_rtg rtg; /* N, S x K, and what the caches want of addresses */
    mtg_space
        genes; /* what operations are drawn from; its sizes are those of the program at hand */
    dqg_choice load, store, plain, other; /* plain: loads and stores */
    uint8_t kind_of[COL_MAX_TEMPLATES];   /* dqg_kind, by template */
    bool has_chains;                      /* the mix has what they are made of */
    col_chain_settings chain_settings;
    uint8_t chain_templates[COL_KIND_COUNT]; /* by kind of operation */
    /* Memory kept between programs. */
    col_assigner assigner;
    col_chainer chainer;
    col_program chains;
    uint32_t *threads;        /* room for two numbers of each thread */
    uint32_t *locations;      /* ... for one of each location */
    mtg_gene *spare, *before; /* ... for the genes of the largest program */
} dqg_space;

/* On an error, and at the end, it is closed. */
col_status dqg_space_open(dqg_space *space, const dir_engine *kind,
                          const col_engine_settings *settings, col_error *error);
void dqg_space_close(dqg_space *space);

col_status dqg_program_new(dqg_program *program, const dqg_space *space, col_error *error);
void dqg_program_free(dqg_program *program);

col_point dqg_point(const dqg_space *space, const dqg_program *program);
/* Makes it the program at hand: the sizes of `space->genes` are its own. Returns them. */
col_point dqg_take_up(dqg_space *space, const dqg_program *program);
/* Where a thread begins among so many operations; the thread behind the last: where all end. */
static inline uint32_t dqg_start(const dqg_space *space, uint32_t operations, uint32_t thread) {
    return (uint32_t)((uint64_t)thread * operations / space->genes.threads);
}
/* Of the kind of each operation, how many there are. */
void dqg_count_kinds(const dqg_space *space, const dqg_program *program,
                     uint32_t counts[DQG_KIND_COUNT]);
/* The spare genes become the program's. */
void dqg_swap_genes(dqg_space *space, dqg_program *program);
/* A random operation of the program at hand. */
mtg_gene dqg_draw(const dqg_space *space, uint32_t thread, col_rng *rng);

/* The smallest size, any locations, sets and addresses, independent operations. */
void dqg_first(dqg_space *space, col_rng *rng, dqg_program *program);
col_status dqg_write(dqg_space *space, const dqg_program *program, col_program *written,
                     col_error *error);

/* ---- Actions (dqg_transform.c, dqg_threads.c). */

typedef enum dqg_action {
    DQG_GROW,
    DQG_SHRINK,
    DQG_MORE_LOCATIONS,
    DQG_FEWER_LOCATIONS,
    DQG_MORE_SETS,
    DQG_FEWER_SETS,
    DQG_REASSIGN,
    DQG_MORE_STORES,
    DQG_MORE_LOADS,
    DQG_MORE_OTHERS,
    DQG_FEWER_OTHERS,
    DQG_COLLIDE,
    DQG_GATHER,
    DQG_SPREAD,
    DQG_INSERT_CHAINS,
    DQG_REMOVE_CHAINS,
    DQG_SHUFFLE,
    DQG_PERMUTE_THREADS,
    DQG_COPY_THREAD,
    DQG_MUTATE,
    DQG_ACTION_COUNT
} dqg_action;

extern const char *const dqg_action_names[DQG_ACTION_COUNT];

/* The actions that can change the program, as a set; it is never empty. */
uint64_t dqg_allowed(dqg_space *space, const dqg_program *program);
/* An action that is allowed. The program that it makes follows from the one before it and chance.
 */
col_status dqg_transform(dqg_space *space, dqg_action action, col_rng *rng, dqg_program *program,
                         col_error *error);

/* Those that move operations within threads and between them (dqg_threads.c); the program is at
 * hand. */
bool dqg_order_matters(const dqg_space *space, const mtg_gene *genes);
bool dqg_threads_differ(const dqg_space *space, const mtg_gene *genes);
void dqg_shuffle(dqg_space *space, col_rng *rng, mtg_gene *genes);
void dqg_permute_threads(dqg_space *space, col_rng *rng, dqg_program *program);
void dqg_copy_thread(const dqg_space *space, col_rng *rng, mtg_gene *genes);

/* The same part of each thread, at the same place relative to its length. */
typedef struct dqg_section {
    uint32_t divisor; /* a thread's length divided by this, but not below `least`, if it has that */
    uint32_t least;
    uint32_t place; /* of 2^32 */
} dqg_section;

/* Where it begins and how long it is in a thread. */
uint32_t dqg_section_of(const dqg_space *space, dqg_section section, uint32_t thread,
                        uint32_t *length);
bool dqg_is_same(const mtg_gene *a, const mtg_gene *b);

/* ---- Observations (dqg_observe.c). */

enum {
    DQG_BINS = 16,
    DQG_SIGNATURE_INPUTS = DQG_BINS + 5,
    DQG_PROGRAM_INPUTS = 5,
    DQG_MOST_BITS = 64,
    DQG_MOST_INPUTS = DQG_SIGNATURE_INPUTS + DQG_MOST_BITS + DQG_PROGRAM_INPUTS
};

typedef struct dqg_view {
    uint64_t bits;        /* of the identity of all signatures together */
    uint64_t has_program; /* the program's sizes and kinds, too */
} dqg_view;

uint32_t dqg_inputs(const dqg_view *view);
/* Of the last test's instances. `scratch` has room for a number of each core. */
void dqg_observe(const dqg_view *view, const dqg_space *space, const dqg_program *program,
                 const col_witness_results *witness, col_observation observation, double *scratch,
                 float *inputs);

/* ---- The engine (dqg.c) and its state (dqg_state.c). */

typedef struct dqg_parameters {
    lrn_settings agent;
    dqg_view view;
    uint64_t reward; /* which of its words */
    double most_reward;
    char trained[DIR_MOST_TEXT];
} dqg_parameters;

typedef struct dqg_engine {
    dqg_parameters parameters;
    col_observation observation;
    bool learns;
    dqg_space space;
    dqg_program program;
    dir_learner learner;
    col_rng rng;
    bool has_program; /* the program is the last test that was handed out, */
    uint64_t told;    /* when so many tests had been run */
    double *core_scratch;
} dqg_engine;

json_t *dqg_save(const void *state);
col_status dqg_restore(void *state, const json_t *saved, col_error *error);

#endif
