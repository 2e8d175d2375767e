/* SPDX-License-Identifier: MIT */
/*
 * A maze of one corridor that ends in a junction. At its beginning, and nowhere else, one sees on
 * which side of the junction the reward will be. Corridors have several lengths, and all places in
 * them look the same. What can be had at best, with memory and without, is worked out by trying
 * everything.
 */
#pragma once

#include "engine/learn/learning_agent.h"

enum {
    MAZE_SHORTEST = 2,
    MAZE_LONGEST = 5,
    MAZE_COUNT = 2 * (MAZE_LONGEST - MAZE_SHORTEST + 1), /* by length and side */
    MAZE_STEPS = 10,                                     /* of a life */
    MAZE_INPUTS = 4
};

#define MAZE_DISCOUNT 0.97

typedef enum maze_action { MAZE_ON, MAZE_LEFT, MAZE_RIGHT, MAZE_ACTIONS } maze_action;
typedef enum maze_view { MAZE_SIGN_LEFT, MAZE_SIGN_RIGHT, MAZE_CORRIDOR, MAZE_JUNCTION } maze_view;

typedef struct maze {
    uint32_t length, place, steps;
    bool is_right; /* the reward is */
} maze;

/* With the number 0 to MAZE_COUNT - 1. */
void maze_start(maze *m, uint32_t number);
maze_view maze_look(const maze *m);
/* True: it is over. */
bool maze_move(maze *m, maze_action action, double *reward);

/* The most discounted return, on average over all mazes: of those who remember everything, and of
 * those who act by what they see. */
double maze_best(void);
double maze_best_without_memory(void);

/* An agent for it that has all parts of Rainbow, and a recurrent layer. */
extern const lrn_settings maze_settings;
/* The agent plays one life in a maze; returns its discounted return. */
double maze_live(lrn_agent *agent, uint32_t number);
/* The mean over all mazes of a frozen agent. */
double maze_measure(lrn_agent *agent);
