/* SPDX-License-Identifier: MIT */
/*
 * Random test generation as engines steer it: the generation space, points (n, s, k) of operations,
 * locations and sets, and the program at a point. Only those points are in the space that the
 * caches of the design allow: sets divide the locations, and caches and addresses have their sizes.
 */
#pragma once

#include "collider/generate.h"
#include "engine/engine.h"
#include "program/generate/generator.h"

enum { DIR_DOUBLINGS = 32 };

/* (s, k): a point of a plane. */
typedef struct dir_pair {
    uint32_t locations, sets; /* sets 0: addresses are unconstrained */
} dir_pair;

typedef struct dir_rtg {
    col_generation generation;
    col_generator *generator;
    uint64_t seed;
    bool packs; /* every other test has false sharing, where that is possible */
    /* N, rising. Each value is twice the one before, if not in half-doublings. */
    uint32_t sizes[2 * DIR_DOUBLINGS], size_count;
    /* S x K, by locations, then by sets; each number of locations has a run of pairs. */
    dir_pair *pairs;
    size_t pair_capacity;
    uint32_t pair_count;
    uint32_t location_steps; /* of S, between a number and its double */
    uint32_t *runs;          /* where each begins, and where all end */
    size_t run_capacity;
    uint32_t location_count;
} dir_rtg;

/* What an engine's parameters say about random test generation. */
typedef struct dir_rtg_parameters {
    /* The biasing constraints sbc and abc. */
    col_sharing sharing;
    bool says_sharing;       /* else true, if addresses are biased, or mixed */
    uint64_t align;          /* bytes; 0: whole blocks for true sharing, else words */
    uint64_t location_steps; /* 1: the papers' doublings */
    double loads;            /* of all loads and stores; DIR_LOADS_OF_MIX: as the mix has them */
} dir_rtg_parameters;
enum { DIR_LOADS_OF_MIX = -1 };
#define DIR_RTG_UNASKED ((dir_rtg_parameters){.location_steps = 1, .loads = DIR_LOADS_OF_MIX})

/* The rows of an engine's parameters for it, which is `member` of their `type`. */
/* NOLINTBEGIN(bugprone-macro-parentheses) -- members of members take none */
#define DIR_RTG_ROWS(type, member)                                                                 \
    {BASE_FIELD("sharing", BASE_WORD, type, member.sharing),                                       \
     .is_said = offsetof(type, member.says_sharing), .words = gen_sharings,                        \
     .help = "how many locations a block holds: one, any, several"},                               \
        {BASE_FIELD("align", BASE_NUMBER, type, member.align), .least = COL_WORD_BYTES,            \
         .most = 1 << 25, .help = "addresses are multiples of N bytes"},                           \
        {BASE_FIELD("location-steps", BASE_NUMBER, type, member.location_steps), .initial = "1",   \
         .least = 1, .most = 32, .help = "steps in which the number of locations doubles"},        \
    {                                                                                              \
        BASE_FIELD("loads", BASE_REAL, type, member.loads),                                        \
            .initial = "-1", .high = 1, .help = "how many of the loads and stores are loads"       \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

/* Of an engine that is `chained` and `biased` or not. On failure it is closed. */
col_status dir_rtg_open(dir_rtg *rtg, const dir_engine *kind, dir_rtg_parameters parameters,
                        const col_engine_settings *settings, col_problem *problem);
/* Of one that has no other parameters, as its options say. */
col_status dir_rtg_open_alone(dir_rtg *rtg, const dir_engine *kind,
                              const col_engine_settings *settings, col_problem *problem);
void dir_rtg_close(dir_rtg *rtg);

/* N in half-doublings: the least number of operations times powers of the square root of two,
 * rounded up. */
void dir_rtg_halve_doublings(dir_rtg *rtg, col_range operations);

/* The program of test number `test` at a point of the space. */
col_status dir_rtg_make(dir_rtg *rtg, const col_point *point, uint64_t test, col_program *program,
                        col_problem *problem);

/* The program of a chosen test (engine.h) at its point, by its number. */
typedef struct dir_rtg_plan {
    uint64_t test;
} dir_rtg_plan;
col_status dir_rtg_make_chosen(dir_rtg *rtg, dir_test *test, col_problem *problem);

/* Points are numbered, by operations, then as the pairs. */
uint32_t dir_rtg_count(const dir_rtg *rtg);
col_point dir_rtg_point(const dir_rtg *rtg, uint32_t number);
/* The count, if it is not in the space. */
uint32_t dir_rtg_number(const dir_rtg *rtg, col_point point);

/* The pair that is one step away from another, or the count of pairs. The papers double and halve
 * a number; where S has finer steps, a step is to the next number that the pair allows. */
typedef enum dir_move {
    DIR_MORE_LOCATIONS,
    DIR_FEWER_LOCATIONS,
    DIR_MORE_SETS,
    DIR_FEWER_SETS,
    DIR_MOVE_COUNT
} dir_move;
uint32_t dir_rtg_move(const dir_rtg *rtg, uint32_t pair, dir_move move);

/* Of S, the place of a pair's locations; and place i of `count` as a fraction. */
uint32_t dir_rtg_run(const dir_rtg *rtg, uint32_t pair);
float dir_fraction(uint32_t place, uint32_t count);

/*
 * Steep coverage ascent: the order in which the points of a plane (CTG) or of any part of the
 * generation space (HTG's Driver) are visited. Tests that favour replacements (few sets, then many
 * locations) and tests that favour collisions (few locations, then many sets) take turns.
 */

typedef enum dir_turn { DIR_REPLACEMENTS, DIR_COLLISIONS } dir_turn; /* the thesis's x */

/* Algorithm 1, lines 6 to 19: one plane. The engine's variant is 1, 2 or 3; `turn` goes on from one
 * plane to the next. Takes those out of `left` that are in `order`, and returns their number. */
uint32_t dir_order_plane(const dir_pair *pairs, uint32_t count, uint32_t variant, bool *left,
                         dir_turn *turn, uint32_t *order);

/* Algorithm 7, the Driver: `wanted` and `order` are of all points of the space, `left` of its
 * pairs; both are used up. Returns how many points there are in `order`. */
uint32_t dir_order_points(const dir_rtg *rtg, bool *wanted, bool *left, uint32_t *order);
