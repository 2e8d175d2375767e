/* SPDX-License-Identifier: MIT */
/*
 * The hybrid engine's inside, for its own files and tests: the sets of points that the thesis calls
 * V (visited), G (the solution) and Q (its neighbour), and what the test at each point covered.
 */
#pragma once

#include "base/memory.h"
#include "base/random.h"
#include "engine/rtg.h"

typedef struct dir_htg_parameters {
    double selection;           /* the probability that a neighbouring point is selected */
    char start[BASE_MOST_PAIR]; /* a file with a starting solution */
    dir_rtg_parameters rtg;
} dir_htg_parameters;

enum { DIR_HTG_MOVES = 6 };

typedef struct htg {
    dir_rtg rtg;
    dir_htg_parameters parameters;
    bool repeat, through;
    bool exploring;       /* Q is under way; else G is, for the first time */
    uint64_t test, draws; /* how many there were so far */
    uint32_t count;       /* points of the space, |G| in blackboard bold */
    uint32_t *moves;      /* of each pair, DIR_HTG_MOVES - 2 of them: the pairs next to it */
    bool *visited, *solution, *neighbour;
    uint64_t *cycles; /* of each point's test: the second objective */
    /* The Driver's order. Tests at the points from `queue_told` to `queue_next` are under way. */
    uint32_t *queue, queue_told, queue_next, queue_count;
    uint64_t total, *hits; /* of the coverage points, as they were before these tests */
    uint64_t *covered;     /* of each point a row of bits: what its tests covered */
    size_t words;          /* of a row */
    /* For work in progress. */
    bool *wanted, *left, *kept;
    uint64_t *sum;
    struct dir_htg_cost *costs;
    uint32_t *order;
    base_arena arena; /* of all arrays */
} htg;

/* Memory for what tests cover, once the number of coverage points is known. */
col_status dir_htg_expect(htg *h, uint64_t total, col_problem *problem);

/* Definition 5, the perturbation function: the point one move away, or the count. */
uint32_t dir_htg_perturb(const htg *h, uint32_t number, uint32_t move);

/* Algorithm 5: the neighbour of a solution. */
void dir_htg_generate_neighbour(htg *h, const bool *solution, bool *neighbour);

/* Algorithm 4: of G and Q, points that cover as much, the cheapest first, into h->kept. */
void dir_htg_reduce(const htg *h);

/* Algorithm 7 on all points of a set: h->order, and their number. */
uint32_t dir_htg_drive(const htg *h, const bool *points);
