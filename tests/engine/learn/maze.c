/* SPDX-License-Identifier: MIT */
/* The maze: see maze.h. */
#include "engine/learn/maze.h"
#include "engine/learn/neural_network.h"

void maze_start(maze *m, uint32_t number) {
    *m = (maze){.length = MAZE_SHORTEST + number / 2, .is_right = number % 2 == 1};
}

maze_view maze_look(const maze *m) {
    if (m->place == 0)
        return m->is_right ? MAZE_SIGN_RIGHT : MAZE_SIGN_LEFT;
    return m->place == m->length ? MAZE_JUNCTION : MAZE_CORRIDOR;
}

bool maze_move(maze *m, maze_action action, double *reward) {
    *reward = -0.05; /* a step, or a wall */
    m->steps++;
    if (m->place < m->length) {
        if (action == MAZE_ON)
            m->place++;
    } else if (action != MAZE_ON) {
        *reward = (action == MAZE_RIGHT) == m->is_right ? 1 : -1;
        return true;
    }
    return m->steps == MAZE_STEPS;
}

/* ---- With memory: all histories. Those mazes that have looked the same so far are one group. */

typedef struct group {
    maze mazes[MAZE_COUNT];
    uint32_t count;
} group;

/* The sum over its mazes of the best that can be had from now on. */
static double value_of(const group *g);

static double split(const group *moved) {
    double sum = 0;
    for (int view = MAZE_SIGN_LEFT; view <= MAZE_JUNCTION; view++) {
        group part = {.count = 0};
        for (uint32_t i = 0; i < moved->count; i++)
            if ((int)maze_look(&moved->mazes[i]) == view)
                part.mazes[part.count++] = moved->mazes[i];
        if (part.count > 0)
            sum += value_of(&part);
    }
    return sum;
}

static double value_of(const group *g) {
    double best = -1e9;
    for (int action = 0; action < MAZE_ACTIONS; action++) {
        group going_on = {.count = 0};
        double sum = 0;
        for (uint32_t i = 0; i < g->count; i++) {
            maze moved = g->mazes[i];
            double reward = 0;
            const bool is_over = maze_move(&moved, (maze_action)action, &reward);
            sum += reward;
            if (!is_over)
                going_on.mazes[going_on.count++] = moved;
        }
        sum += MAZE_DISCOUNT * split(&going_on);
        best = sum > best ? sum : best;
    }
    return best;
}

double maze_best(void) {
    group all = {.count = MAZE_COUNT};
    for (uint32_t i = 0; i < MAZE_COUNT; i++)
        maze_start(&all.mazes[i], i);
    return split(&all) / MAZE_COUNT;
}

/* ---- Without memory: an action for each view. */

static double follow(const maze_action *by_view) {
    double sum = 0;
    for (uint32_t i = 0; i < MAZE_COUNT; i++) {
        maze m;
        double factor = 1, reward = 0;
        bool is_over = false;
        for (maze_start(&m, i); !is_over; factor *= MAZE_DISCOUNT) {
            is_over = maze_move(&m, by_view[maze_look(&m)], &reward);
            sum += factor * reward;
        }
    }
    return sum / MAZE_COUNT;
}

double maze_best_without_memory(void) {
    double best = -1e9;
    for (uint32_t code = 0; code < 81; code++) {
        const maze_action by_view[4] = {(maze_action)(code % 3), (maze_action)(code / 3 % 3),
                                        (maze_action)(code / 9 % 3), (maze_action)(code / 27)};
        const double value = follow(by_view);
        best = value > best ? value : best;
    }
    return best;
}

/* ---- Agents. */

const lrn_settings maze_settings = {
    .inputs = MAZE_INPUTS,
    .actions = MAZE_ACTIONS,
    .history = 8,
    .neurons = 16,
    .recurrent = 16,
    .atoms = 21,
    .least = -1.5,
    .most = 1.5,
    .dueling = 1,
    .noisy = 1,
    .twice = 1,
    .ahead = 2,
    .discount = MAZE_DISCOUNT,
    .method = LRN_ADAM,
    .rate = 0.004,
    .longest = 10,
    .batch = 16,
    .replay = 4000,
    .warm_up = 100,
    .train_every = 1,
    .target_every = 50,
    .priority = 0.5,
    .importance = 0.4,
    .importance_steps = 5000,
    .epsilon = 0.2,
    .last_epsilon = 0.2,
};

double maze_live(lrn_agent *agent, uint32_t number) {
    maze m;
    bool is_over = false;
    double factor = 1, sum = 0;
    for (maze_start(&m, number); !is_over; factor *= MAZE_DISCOUNT) {
        float seen[MAZE_INPUTS] = {0};
        double loss = 0, reward = 0;
        seen[maze_look(&m)] = 1;
        is_over = maze_move(&m, (maze_action)lrn_agent_act(agent, seen, 7).action, &reward);
        (void)lrn_agent_learn(agent, reward, is_over, &loss);
        sum += factor * reward;
    }
    return sum;
}

double maze_measure(lrn_agent *agent) {
    double sum = 0;
    lrn_agent_freeze(agent, true);
    for (uint32_t i = 0; i < MAZE_COUNT; i++)
        sum += maze_live(agent, i);
    lrn_agent_freeze(agent, false);
    return sum / MAZE_COUNT;
}
