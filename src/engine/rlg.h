/* SPDX-License-Identifier: MIT */
/*
 * The engine that learns by reinforcement to steer random test generation, RLG, inside: its state,
 * and the steps of a decision that tests look at.
 */
#pragma once

#include "engine/learner.h"
#include "engine/rtg.h"

/* In the paper's order, a1 to a6; engines without biased addresses have the first four. */
typedef enum dir_rlg_action {
    DIR_RLG_MORE_OPERATIONS,
    DIR_RLG_FEWER_OPERATIONS,
    DIR_RLG_MORE_LOCATIONS,
    DIR_RLG_FEWER_LOCATIONS,
    DIR_RLG_MORE_SETS,
    DIR_RLG_FEWER_SETS,
    DIR_RLG_ACTION_COUNT
} dir_rlg_action;

enum { DIR_RLG_STATE_INPUTS = 2, DIR_RLG_POINT_INPUTS = 5 };

/* Words of parameters, by place. */
enum { DIR_RLG_CYCLES, DIR_RLG_CLOCK };
enum { DIR_RLG_LEAST, DIR_RLG_RANDOM };
enum { DIR_RLG_RATE, DIR_RLG_LOGARITHM };
enum { DIR_RLG_LEARNED, DIR_RLG_DRAWN };
enum { DIR_RLG_STATE, DIR_RLG_POINT };

typedef struct dir_rlg_parameters {
    uint64_t time, start, reward, policy, observe; /* words */
    double horizon;                                /* cycles or seconds; 0: the episode's budget */
    double charge, price;
    uint64_t coverage_levels, time_levels; /* C and T */
    lrn_settings learning;
    char agent[BASE_MOST_PAIR];
    dir_rtg_parameters rtg;
} dir_rlg_parameters;

typedef struct rlg {
    dir_rlg_parameters parameters;
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
uint32_t dir_rlg_move(const dir_rtg *rtg, uint32_t point, dir_rlg_action action);
uint64_t dir_rlg_allowed(const dir_rtg *rtg, uint32_t point, uint32_t action_count);

/* The nearest of the levels 1 to `levels` of a fraction. */
uint64_t dir_rlg_level(double fraction, uint64_t levels);

/* Coverage gained in the time of a test, both as fractions of all there is. */
double dir_rlg_reward(const rlg *r, const col_feedback *feedback);

/* What the agent sees. */
void dir_rlg_observe(const rlg *r, const col_feedback *feedback,
                     float inputs[DIR_RLG_POINT_INPUTS]);
