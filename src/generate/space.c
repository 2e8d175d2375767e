/* SPDX-License-Identifier: MIT */
/* The parameter space of directing engines: see space.h. */
#include "generate/space.h"

/* ceil(sqrt(number)), exactly. */
static uint64_t root_above(uint64_t number) {
    uint64_t low = 0, high = UINT64_C(1) << 32; /* low^2 < number <= high^2 */
    if (number == 0)
        return 0;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (middle * middle < number)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static uint64_t grid_value(col_grid grid, uint32_t i) {
    return grid == COL_GRID_POWERS ? UINT64_C(1) << i : root_above(UINT64_C(1) << i);
}

static col_status fill(col_grid grid, col_range range, const char *what, uint32_t *values,
                       uint32_t *count, col_error *error) {
    if (range.least == 0 || range.least > range.most)
        return col_refuse(error, "the range of %s must rise from 1 or more, not %u:%u", what,
                          range.least, range.most);
    *count = 0;
    if (range.least == range.most) {
        values[(*count)++] = range.least;
        return COL_OK;
    }
    const uint32_t steps = grid == COL_GRID_POWERS ? 32 : 64;
    for (uint32_t i = 0; i < steps; i++) {
        const uint64_t value = grid_value(grid, i);
        const bool repeated = *count > 0 && values[*count - 1] == value;
        if (value >= range.least && value <= range.most && !repeated)
            values[(*count)++] = (uint32_t)value;
    }
    if (*count == 0)
        return col_refuse(error, "no %s lies in the range of %s, %u:%u",
                          grid == COL_GRID_POWERS ? "power of two" : "power of the root of two",
                          what, range.least, range.most);
    return COL_OK;
}

col_status col_space_build(col_space *space, col_grid grid, col_range operations,
                           col_range locations, col_error *error) {
    const col_status status =
        fill(grid, operations, "operations", space->operations, &space->operation_count, error);
    if (status != COL_OK)
        return status;
    return fill(COL_GRID_POWERS, locations, "locations", space->locations, &space->location_count,
                error);
}

/* The place of a value, or the count if it is not there. */
static uint32_t place_of(const uint32_t *values, uint32_t count, uint32_t value) {
    uint32_t place = 0;
    while (place < count && values[place] != value)
        place++;
    return place;
}

bool col_space_has(const col_space *space, const col_point *point) {
    return place_of(space->operations, space->operation_count, point->operations) <
               space->operation_count &&
           place_of(space->locations, space->location_count, point->locations) <
               space->location_count &&
           point->sets > 0 && point->locations % point->sets == 0;
}

/* The next value of a rising list, upwards or downwards; false at its ends. */
static bool move_along(const uint32_t *values, uint32_t count, bool up, uint32_t *value) {
    const uint32_t place = place_of(values, count, *value);
    if (place == count || (up ? place + 1 == count : place == 0))
        return false;
    *value = values[up ? place + 1 : place - 1];
    return true;
}

uint32_t col_next_divisor(uint32_t locations, uint32_t sets) {
    for (uint32_t divisor = sets + 1; divisor <= locations; divisor++)
        if (locations % divisor == 0)
            return divisor;
    return 0;
}

static uint32_t previous_divisor(uint32_t locations, uint32_t sets) {
    for (uint32_t divisor = sets - 1; divisor >= 1; divisor--)
        if (locations % divisor == 0)
            return divisor;
    return 0;
}

bool col_space_step(const col_space *space, const col_point *from, col_move move, col_point *to) {
    if (!col_space_has(space, from))
        return false;
    *to = *from;
    switch (move) {
    case COL_MORE_OPERATIONS:
    case COL_FEWER_OPERATIONS:
        return move_along(space->operations, space->operation_count, move == COL_MORE_OPERATIONS,
                          &to->operations);
    case COL_MORE_LOCATIONS:
    case COL_FEWER_LOCATIONS:
        return move_along(space->locations, space->location_count, move == COL_MORE_LOCATIONS,
                          &to->locations) &&
               to->locations % to->sets == 0;
    case COL_MORE_SETS:
        to->sets = col_next_divisor(from->locations, from->sets);
        return to->sets != 0;
    case COL_FEWER_SETS:
        to->sets = previous_divisor(from->locations, from->sets);
        return to->sets != 0;
    default:
        return false;
    }
}

uint32_t col_space_neighbours(const col_space *space, const col_point *point,
                              col_point neighbours[COL_MOVE_COUNT]) {
    uint32_t count = 0;
    for (uint32_t move = 0; move < COL_MOVE_COUNT; move++)
        count += col_space_step(space, point, (col_move)move, &neighbours[count]);
    return count;
}
