/* SPDX-License-Identifier: MIT */
/* The order in which points are visited: see rtg_order.h. */
#include "direct/rtg_order.h"

/* P*: of the pairs that are left, those with as many sets at least. */
typedef struct choice {
    const dir_pair *pairs;
    const bool *left;
    uint32_t count, least_sets;
} choice;

static bool is_better(dir_turn turn, dir_pair a, dir_pair b) {
    if (turn == DIR_REPLACEMENTS)
        return a.sets != b.sets ? a.sets < b.sets : a.locations > b.locations;
    return a.locations != b.locations ? a.locations < b.locations : a.sets > b.sets;
}

/* (s*, k*), or the count if there is none. */
static uint32_t choose(const choice *c, dir_turn turn) {
    uint32_t best = c->count;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->left[i] && c->pairs[i].sets >= c->least_sets &&
            (best == c->count || is_better(turn, c->pairs[i], c->pairs[best])))
            best = i;
    return best;
}

/* The sub-range of k that a variant adopts for s. */
static bool is_adopted(uint32_t variant, dir_pair pair) {
    return variant == 1 || pair.sets == 1 || (variant == 2 && pair.sets == pair.locations);
}

uint32_t dir_order_plane(const dir_pair *pairs, uint32_t count, uint32_t variant, bool *left,
                         dir_turn *turn, uint32_t *order) {
    /* A single set never favours collisions. */
    const choice all = {pairs, left, count, .least_sets = 0};
    const choice colliding = {pairs, left, count, .least_sets = 2};
    uint32_t adopted = 0;
    for (uint32_t i = 0; i < count; i++) {
        left[i] = left[i] && is_adopted(variant, pairs[i]);
        adopted += left[i];
    }
    for (uint32_t done = 0; done < adopted; done++) {
        uint32_t chosen = *turn == DIR_COLLISIONS ? choose(&colliding, DIR_COLLISIONS) : count;
        const bool collides = chosen != count;
        /* The thesis's spaces have enough pairs for collisions. Where one has not, what is left are
         * tests for replacements. */
        if (!collides)
            chosen = choose(&all, DIR_REPLACEMENTS);
        *turn = collides || variant == 3 ? DIR_REPLACEMENTS : DIR_COLLISIONS;
        left[chosen] = false;
        order[done] = chosen;
    }
    return adopted;
}

/* The smallest test of a pair that is wanted, or the count of the points. */
static uint32_t smallest(const dir_rtg *rtg, const bool *wanted, uint32_t pair) {
    uint32_t number = pair;
    while (number < dir_rtg_count(rtg) && !wanted[number])
        number += rtg->pair_count;
    return number < dir_rtg_count(rtg) ? number : dir_rtg_count(rtg);
}

uint32_t dir_order_points(const dir_rtg *rtg, bool *wanted, bool *left, uint32_t *order) {
    const choice all = {rtg->pairs, left, rtg->pair_count, .least_sets = 0};
    const uint32_t none = dir_rtg_count(rtg);
    dir_turn turn = DIR_REPLACEMENTS;
    uint32_t done = 0;
    for (uint32_t before = none; before != done;) {
        before = done;
        for (uint32_t i = 0; i < rtg->pair_count; i++)
            left[i] = smallest(rtg, wanted, i) != none;
        for (uint32_t pair; (pair = choose(&all, turn)) != rtg->pair_count;) {
            const uint32_t number = smallest(rtg, wanted, pair);
            left[pair] = false;
            wanted[number] = false;
            order[done++] = number;
            turn = turn == DIR_REPLACEMENTS ? DIR_COLLISIONS : DIR_REPLACEMENTS;
        }
    }
    return done;
}
