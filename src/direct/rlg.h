/* SPDX-License-Identifier: MIT */
/*
 * The engine that learns by reinforcement to steer random test generation, RLG, inside: its state,
 * and the steps of a decision that tests look at.
 */
#ifndef DIRECT_RLG_H
#define DIRECT_RLG_H

#include "direct/learner.h"
#include "direct/parameters.h"
#include "direct/rtg.h"

/* In the paper's order, a1 to a6; engines without biased addresses have the first four. */
typedef enum rlg_action {
    RLG_MORE_OPERATIONS,
    RLG_FEWER_OPERATIONS,
    RLG_MORE_LOCATIONS,
    RLG_FEWER_LOCATIONS,
    RLG_MORE_SETS,
    RLG_FEWER_SETS,
    RLG_ACTION_COUNT
} rlg_action;

enum { RLG_STATE_INPUTS = 2, RLG_POINT_INPUTS = 5 };

/* Words of parameters, by place. */
enum { RLG_CYCLES, RLG_CLOCK };
enum { RLG_LEAST, RLG_RANDOM };
enum { RLG_RATE, RLG_LOGARITHM };
enum { RLG_LEARNED, RLG_DRAWN };
enum { RLG_STATE, RLG_POINT };

typedef struct rlg_parameters {
    uint64_t time, start, reward, policy, observe; /* words */
    double horizon;                                /* cycles or seconds; 0: the episode's budget */
    uint64_t coverage_levels, time_levels;         /* C and T */
    lrn_settings learning;
    char agent[DIR_MOST_TEXT];
} rlg_parameters;

typedef struct rlg {
    rlg_parameters parameters;
    dir_rtg rtg;
    dir_learner learner;
    uint32_t action_count;
    double horizon;       /* the available time */
    double elapsed;       /* of it, by tests whose feedback came */
    uint32_t point;       /* of the last test; of the first one to come */
    uint64_t tests, told; /* made; how many had been run when the last one was made */
    bool is_out;          /* the last one was made, and its feedback has not come */
} rlg;

/* The point that an action leads to, or the count of points if it leaves the space; and the set of
 * actions that do not. */
uint32_t rlg_move(const dir_rtg *rtg, uint32_t point, rlg_action action);
uint64_t rlg_allowed(const dir_rtg *rtg, uint32_t point, uint32_t action_count);

/* The nearest of the levels 1 to `levels` of a fraction. */
uint64_t rlg_level(double fraction, uint64_t levels);

/* Coverage gained in the time of a test, both as fractions of all there is. */
double rlg_reward(const rlg *r, const col_feedback *feedback);

/* What the agent sees. */
void rlg_observe(const rlg *r, const col_feedback *feedback, float inputs[RLG_POINT_INPUTS]);

#endif
