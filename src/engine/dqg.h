/* SPDX-License-Identifier: MIT */
/*
 * The parts of the engine whose agent transforms programs (DQG), and of its random baseline (RAG).
 * A program is the genes of the genetic engine, thread by thread, and where its locations lie; each
 * action makes another program of the same space from it. docs/engines/dqg.md lists the actions.
 */
#pragma once

#include "engine/learner.h"
#include "engine/mtg.h"
#include "engine/rtg.h"
#include "program/generate/generator.h"

/* ---- Programs and their space (dqg_program.c). */

typedef struct dir_dqg_program {
    uint32_t size;   /* of N: its place */
    uint32_t pair;   /* of S x K: its place */
    uint64_t layout; /* which of the possible addresses: a stream of chance */
    dir_mtg_gene
        *genes; /* thread by thread, threads of equal length; room for the largest program */
} dir_dqg_program;

/* Templates by what they do. */
typedef enum dir_dqg_kind {
    DIR_DQG_LOAD,
    DIR_DQG_STORE,
    DIR_DQG_OTHER,
    DIR_DQG_KIND_COUNT
} dir_dqg_kind;

/* A choice by the mix among templates of some kinds. */
typedef struct dir_dqg_choice {
    base_chooser chooser;
    uint8_t templates[COL_MAX_TEMPLATES];
    uint32_t count; /* 0: the mix has none */
} dir_dqg_choice;

typedef struct dir_dqg_space {
    dir_rtg rtg; /* N, S x K, and what the caches want of addresses */
    dir_mtg_space
        genes; /* what operations are drawn from; its sizes are those of the program at hand */
    dir_dqg_choice load, store, plain, other; /* plain: loads and stores */
    uint8_t kind_of[COL_MAX_TEMPLATES];       /* dir_dqg_kind, by template */
    bool has_chains;                          /* the mix has what they are made of */
    gen_chain_settings chain_settings;
    uint8_t chain_templates[COL_KIND_COUNT]; /* by kind of operation */
    /* Memory kept between programs. */
    gen_assigner assigner;
    gen_chainer chainer;
    col_program chains;
    uint32_t *threads;            /* room for two numbers of each thread */
    uint32_t *locations;          /* ... for one of each location */
    dir_mtg_gene *spare, *before; /* ... for the genes of the largest program */
} dir_dqg_space;

/* On failure, and at the end, it is closed. */
col_status dir_dqg_space_open(dir_dqg_space *space, const dir_engine *kind,
                              const col_engine_settings *settings, col_problem *problem);
void dir_dqg_space_close(dir_dqg_space *space);

col_status dir_dqg_program_new(dir_dqg_program *program, const dir_dqg_space *space,
                               col_problem *problem);
void dir_dqg_program_free(dir_dqg_program *program);

col_point dir_dqg_point(const dir_dqg_space *space, const dir_dqg_program *program);
/* Makes it the program at hand: the sizes of `space->genes` are its own. Returns them. */
col_point dir_dqg_take_up(dir_dqg_space *space, const dir_dqg_program *program);
/* Where a thread begins among this many operations; the thread behind the last: where all end. */
static inline uint32_t dir_dqg_start(const dir_dqg_space *space, uint32_t operations,
                                     uint32_t thread) {
    return (uint32_t)((uint64_t)thread * operations / space->genes.threads);
}
/* Of the kind of each operation, how many there are. */
void dir_dqg_count_kinds(const dir_dqg_space *space, const dir_dqg_program *program,
                         uint32_t counts[DIR_DQG_KIND_COUNT]);
/* The spare genes become the program's. */
void dir_dqg_swap_genes(dir_dqg_space *space, dir_dqg_program *program);
/* A random operation of the program at hand. */
dir_mtg_gene dir_dqg_draw(const dir_dqg_space *space, uint32_t thread, base_rng *rng);

/* The smallest size, any locations, sets and addresses, independent operations. */
void dir_dqg_first(dir_dqg_space *space, base_rng *rng, dir_dqg_program *program);
col_status dir_dqg_write(dir_dqg_space *space, const dir_dqg_program *program, col_program *written,
                         col_problem *problem);

/* ---- Actions (dqg_transform.c). */

typedef enum dir_dqg_action {
    DIR_DQG_GROW,
    DIR_DQG_SHRINK,
    DIR_DQG_MORE_LOCATIONS,
    DIR_DQG_FEWER_LOCATIONS,
    DIR_DQG_MORE_SETS,
    DIR_DQG_FEWER_SETS,
    DIR_DQG_REASSIGN,
    DIR_DQG_MORE_STORES,
    DIR_DQG_MORE_LOADS,
    DIR_DQG_MORE_OTHERS,
    DIR_DQG_FEWER_OTHERS,
    DIR_DQG_COLLIDE,
    DIR_DQG_GATHER,
    DIR_DQG_SPREAD,
    DIR_DQG_INSERT_CHAINS,
    DIR_DQG_REMOVE_CHAINS,
    DIR_DQG_SHUFFLE,
    DIR_DQG_PERMUTE_THREADS,
    DIR_DQG_COPY_THREAD,
    DIR_DQG_MUTATE,
    DIR_DQG_ACTION_COUNT
} dir_dqg_action;

extern const char *const dir_dqg_action_names[DIR_DQG_ACTION_COUNT];

/* The actions that can change the program, as a set; it is never empty. */
uint64_t dir_dqg_allowed(dir_dqg_space *space, const dir_dqg_program *program);
/* An action that is allowed. The program that it makes follows from the one before it and chance.
 */
col_status dir_dqg_transform(dir_dqg_space *space, dir_dqg_action action, base_rng *rng,
                             dir_dqg_program *program, col_problem *problem);

/* ---- Observations (dqg.c). */

enum {
    DIR_DQG_BINS = 16,
    DIR_DQG_SIGNATURE_INPUTS = DIR_DQG_BINS + 5,
    DIR_DQG_PROGRAM_INPUTS = 5,
    DIR_DQG_MOST_BITS = 64,
    DIR_DQG_MOST_INPUTS = DIR_DQG_SIGNATURE_INPUTS + DIR_DQG_MOST_BITS + DIR_DQG_PROGRAM_INPUTS
};

typedef struct dir_dqg_view {
    uint64_t bits;        /* of the identity of all signatures together */
    uint64_t has_program; /* the program's sizes and kinds, too */
} dir_dqg_view;

uint32_t dir_dqg_inputs(const dir_dqg_view *view);
/* Of the last test's instances. `scratch` has room for a number of each core. */
void dir_dqg_observe(const dir_dqg_view *view, const dir_dqg_space *space,
                     const dir_dqg_program *program, const col_witness_results *witness,
                     col_observation observation, double *scratch, float *inputs);

/* ---- The engine (dqg.c). */

typedef struct dir_dqg_parameters {
    lrn_settings agent;
    dir_dqg_view view;
    uint64_t reward; /* which of its words */
    double most_reward;
    char trained[BASE_MOST_PAIR];
} dir_dqg_parameters;

typedef struct dir_dqg_engine {
    dir_dqg_parameters parameters;
    col_observation observation;
    bool learns;
    dir_dqg_space space;
    dir_dqg_program program;
    dir_learner learner;
    base_rng rng;
    bool has_program; /* the program is the last test that was handed out, */
    uint64_t told;    /* when this many tests had been run */
    double *core_scratch;
} dir_dqg_engine;
