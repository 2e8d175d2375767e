/* SPDX-License-Identifier: MIT */
/*
 * The parameter space that directing engines move in: points (n, s, k) of operations, locations and
 * cache sets, with k dividing s. The values of n and s lie within bounds on one of the papers'
 * grids: powers of two for both (CTG, HTG), or steps of a factor of about sqrt(2) for n (RLG).
 */
#ifndef GENERATE_SPACE_H
#define GENERATE_SPACE_H

#include "base/error.h"

#include <stdbool.h>

enum { COL_SPACE_MOST = 64 };

typedef enum col_grid {
    COL_GRID_POWERS,     /* n = 2^i */
    COL_GRID_HALF_POWERS /* n = ceil(2^(i/2)) */
} col_grid;

typedef struct col_range {
    uint32_t least, most; /* equal: this value alone, on the grid or not */
} col_range;

typedef struct col_point {
    uint32_t operations, locations, sets;
} col_point;

/* N and S, in rising order. */
typedef struct col_space {
    uint32_t operations[COL_SPACE_MOST], locations[COL_SPACE_MOST];
    uint32_t operation_count, location_count;
} col_space;

/* The six moves of both papers, along one parameter each. */
typedef enum col_move {
    COL_MORE_OPERATIONS,
    COL_FEWER_OPERATIONS,
    COL_MORE_LOCATIONS,
    COL_FEWER_LOCATIONS,
    COL_MORE_SETS,
    COL_FEWER_SETS,
    COL_MOVE_COUNT
} col_move;

col_status col_space_build(col_space *space, col_grid grid, col_range operations,
                           col_range locations, col_error *error);
bool col_space_has(const col_space *space, const col_point *point);

/* The point one step away, if it lies in the space. */
bool col_space_step(const col_space *space, const col_point *from, col_move move, col_point *to);

/* All points one step away, in the order of the moves; returns how many. */
uint32_t col_space_neighbours(const col_space *space, const col_point *point,
                              col_point neighbours[COL_MOVE_COUNT]);

/* K for one s: the next divisor of `locations` after `sets`; 0 if there is none. From 0: 1. */
uint32_t col_next_divisor(uint32_t locations, uint32_t sets);

#endif
