/* SPDX-License-Identifier: MIT */
/*
 * The ring of steps and the sum tree over their priorities: see learning_agent.h. Leaves of the
 * tree are the slots of the ring; a node is the sum of its two children, so a draw and a change are
 * one way from the root or to it. Steps of a saved ring begin at slot 0: a draw goes by age, not by
 * slot, so it is the same draw.
 */

#include "base/memory.h"
#include "engine/learn/elementary.h"
#include "engine/learn/learning_agent.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* An error of 1 is this priority. The most is above any error's; 2^20 of it are below 2^64. */
#define ONE (1 << 24)
#define MOST_PRIORITY (UINT64_C(1) << 42)
/* Added to errors, so that what was learned well is still drawn now and then. */
#define LEAST_ERROR 1e-3F
#define MOST_ERROR 1e5F

struct lrn_replay {
    uint32_t capacity, inputs, count;
    uint32_t oldest; /* slot */
    uint32_t leaves; /* a power of two, at least the capacity */
    float exponent;
    uint64_t highest; /* priority */
    uint64_t *sums;   /* node i has children 2i and 2i+1; the leaves come last */
    float *seen, *rewards;
    uint32_t *before, *actions;
    uint64_t *allowed;
    bool *ended;
    base_arena arena; /* of all arrays */
};

void lrn_replay_free(lrn_replay *replay) {
    if (replay == NULL)
        return;
    base_arena_free(&replay->arena);
    free(replay);
}

col_status lrn_replay_new(lrn_replay **replay, uint32_t capacity, uint32_t inputs, float priority,
                          col_problem *problem) {
    lrn_replay *r = NULL;
    BASE_TRY(base_new(&r, 1, sizeof *r, problem));
    r->capacity = capacity;
    r->inputs = inputs;
    r->exponent = priority;
    r->highest = ONE;
    r->leaves = 1;
    while (r->leaves < capacity)
        r->leaves *= 2;
    const base_part parts[] = {BASE_PART(r->sums, (size_t)2 * r->leaves),
                               BASE_PART(r->seen, (size_t)capacity * inputs),
                               BASE_PART(r->rewards, capacity),
                               BASE_PART(r->before, capacity),
                               BASE_PART(r->actions, capacity),
                               BASE_PART(r->allowed, capacity),
                               BASE_PART(r->ended, capacity),
                               {0}};
    const col_status status = base_arena_divide(&r->arena, parts, problem);
    if (status == COL_OK)
        *replay = r;
    else
        lrn_replay_free(r);
    return status;
}

/* ---- The sum tree. */

static void set_priority(lrn_replay *r, uint32_t slot, uint64_t priority) {
    uint32_t node = r->leaves + slot;
    const uint64_t change = priority - r->sums[node]; /* modulo 2^64 */
    for (; node > 0; node /= 2)
        r->sums[node] += change;
}

/* The sum of the slots before one; all of them if there is no such slot. */
static uint64_t sum_before(const lrn_replay *r, uint32_t slot) {
    uint64_t sum = 0;
    if (slot >= r->leaves)
        return r->sums[1];
    for (uint32_t node = r->leaves + slot; node > 1; node /= 2)
        if (node % 2 == 1)
            sum += r->sums[node - 1];
    return sum;
}

/* ---- Steps. */

static uint32_t slot_of(const lrn_replay *r, uint32_t age) {
    const uint32_t slot = r->oldest + age;
    return slot < r->capacity ? slot : slot - r->capacity;
}

void lrn_replay_add(lrn_replay *replay, const lrn_step *step) {
    const uint32_t slot = slot_of(replay, replay->count % replay->capacity);
    if (replay->count < replay->capacity)
        replay->count++;
    else
        replay->oldest = slot_of(replay, 1 % replay->capacity);
    memcpy(&replay->seen[(size_t)slot * replay->inputs], step->seen,
           replay->inputs * sizeof *replay->seen);
    replay->before[slot] = step->before;
    replay->actions[slot] = step->action;
    replay->allowed[slot] = step->allowed;
    replay->rewards[slot] = step->reward;
    replay->ended[slot] = step->ended;
    set_priority(replay, slot, replay->highest);
}

uint32_t lrn_replay_count(const lrn_replay *replay) {
    return replay->count;
}

bool lrn_replay_is_full(const lrn_replay *replay) {
    return replay->count == replay->capacity;
}

lrn_step lrn_replay_step(const lrn_replay *replay, uint32_t age) {
    assert(age < replay->count);
    const uint32_t slot = slot_of(replay, age);
    return (lrn_step){
        .seen = &replay->seen[(size_t)slot * replay->inputs],
        .before = replay->before[slot],
        .action = replay->actions[slot],
        .allowed = replay->allowed[slot],
        .reward = replay->rewards[slot],
        .ended = replay->ended[slot],
    };
}

/* ---- Drawing. */

uint32_t lrn_replay_draw(const lrn_replay *replay, base_rng *rng, uint32_t first, uint32_t last,
                         uint64_t *priority) {
    assert(first <= last && last < replay->count);
    const uint32_t from = slot_of(replay, first), to = slot_of(replay, last);
    const uint64_t all = replay->sums[1], start = sum_before(replay, from);
    const uint64_t end = sum_before(replay, to + 1);
    const uint64_t width = from <= to ? end - start : all - start + end;
    uint64_t place = start + base_rng_below(rng, width);
    if (place >= all) /* around the ring */
        place -= all;
    /* The slot that covers a place of 0 to the sum of all. */
    uint32_t node = 1;
    while (node < replay->leaves) {
        node *= 2;
        if (place >= replay->sums[node])
            place -= replay->sums[node++];
    }
    const uint32_t slot = node - replay->leaves;
    *priority = replay->sums[replay->leaves + slot];
    return slot >= replay->oldest ? slot - replay->oldest
                                  : slot + replay->capacity - replay->oldest;
}

void lrn_replay_judge(lrn_replay *replay, uint32_t age, float error) {
    assert(age < replay->count);
    const float bounded = error < MOST_ERROR ? error : MOST_ERROR; /* no number is the most, too */
    const float power = lrn_power(bounded + LEAST_ERROR, replay->exponent);
    const uint64_t priority = (uint64_t)((double)power * ONE); /* above 0, by the least error */
    if (priority > replay->highest)
        replay->highest = priority;
    set_priority(replay, slot_of(replay, age), priority);
}

/* ---- Saving and restoring, from the oldest to the newest. */

/* An array of the ring with this many items of a step. */
static json_t *save_array(const lrn_replay *r, const void *items, size_t per_step, size_t size) {
    const size_t to_end = r->capacity - r->oldest, step = per_step * size;
    const size_t first = to_end < r->count ? to_end : r->count;
    unsigned char *row = malloc(r->count * step + 1);
    if (row == NULL)
        return NULL;
    memcpy(row, (const unsigned char *)items + r->oldest * step, first * step);
    memcpy(row + first * step, items, (r->count - first) * step);
    json_t *value = lrn_save_items(row, r->count * per_step, size);
    free(row);
    return value;
}

json_t *lrn_replay_save(const lrn_replay *replay) {
    const lrn_replay *r = replay;
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "count", (json_int_t)r->count,
                     "highest", (json_int_t)r->highest, "seen",
                     save_array(r, r->seen, r->inputs, sizeof *r->seen), "before",
                     save_array(r, r->before, 1, sizeof *r->before), "actions",
                     save_array(r, r->actions, 1, sizeof *r->actions), "allowed",
                     save_array(r, r->allowed, 1, sizeof *r->allowed), "rewards",
                     save_array(r, r->rewards, 1, sizeof *r->rewards), "ended",
                     save_array(r, r->ended, 1, sizeof *r->ended), "priorities",
                     save_array(r, &r->sums[r->leaves], 1, sizeof *r->sums));
}

/* Bytes go by way of the sums, which have room for more and are restored afterwards. */
static bool restore_ends(lrn_replay *r, const json_t *saved) {
    unsigned char *bytes = (unsigned char *)r->sums;
    if (!lrn_restore_items(saved, r->count, 1, bytes))
        return false;
    for (uint32_t i = 0; i < r->count; i++) {
        if (bytes[i] > 1)
            return false;
        r->ended[i] = bytes[i] == 1;
    }
    return true;
}

/* The leaves are read into their places; the sums follow from them. */
static bool restore_priorities(lrn_replay *r, const json_t *saved) {
    memset(r->sums, 0, 2 * (size_t)r->leaves * sizeof *r->sums);
    if (!lrn_restore_items(saved, r->count, sizeof *r->sums, &r->sums[r->leaves]))
        return false;
    for (uint32_t i = 0; i < r->count; i++)
        if (r->sums[r->leaves + i] == 0 || r->sums[r->leaves + i] > r->highest)
            return false;
    for (size_t node = r->leaves; node-- > 1;)
        r->sums[node] = r->sums[2 * node] + r->sums[2 * node + 1];
    return true;
}

static bool restore_arrays(lrn_replay *r, const json_t *saved) {
    const uint32_t count = r->count;
    return lrn_restore_floats(json_object_get(saved, "seen"), (size_t)count * r->inputs, r->seen) &&
           lrn_restore_floats(json_object_get(saved, "rewards"), count, r->rewards) &&
           lrn_restore_items(json_object_get(saved, "before"), count, sizeof *r->before,
                             r->before) &&
           lrn_restore_items(json_object_get(saved, "actions"), count, sizeof *r->actions,
                             r->actions) &&
           lrn_restore_items(json_object_get(saved, "allowed"), count, sizeof *r->allowed,
                             r->allowed) &&
           restore_ends(r, json_object_get(saved, "ended")) &&
           restore_priorities(r, json_object_get(saved, "priorities"));
}

/* What was done could be done, and the action before is that of the step before. */
static bool is_possible(const lrn_replay *r, uint32_t i, uint32_t actions) {
    const uint32_t before = r->before[i];
    if (r->actions[i] >= actions || (r->allowed[i] >> r->actions[i] & 1) == 0 ||
        (actions < 64 && r->allowed[i] >> actions != 0))
        return false;
    if (i == 0)
        return before < actions || before == LRN_NO_ACTION;
    return before == (r->ended[i - 1] ? LRN_NO_ACTION : r->actions[i - 1]);
}

static bool restore_steps(lrn_replay *r, uint32_t actions, const json_t *saved) {
    if (!restore_arrays(r, saved))
        return false;
    for (uint32_t i = 0; i < r->count; i++)
        if (!is_possible(r, i, actions))
            return false;
    return true;
}

col_status lrn_replay_restore(lrn_replay *replay, uint32_t actions, const json_t *saved,
                              col_problem *problem) {
    uint64_t count = 0, highest = 0;
    replay->count = replay->oldest = 0;
    memset(replay->sums, 0, 2 * (size_t)replay->leaves * sizeof *replay->sums);
    if (!lrn_restore_number(saved, "count", replay->capacity, &count))
        return base_refuse(problem, "the saved replay does not fit one of %u steps",
                           replay->capacity);
    if (!lrn_restore_number(saved, "highest", MOST_PRIORITY, &highest) || highest == 0)
        return base_refuse(problem, "the saved replay has no valid highest priority");
    replay->count = (uint32_t)count;
    replay->highest = highest;
    if (restore_steps(replay, actions, saved))
        return COL_OK;
    replay->count = 0;
    memset(replay->sums, 0, 2 * (size_t)replay->leaves * sizeof *replay->sums);
    return base_refuse(problem, "the saved replay has no valid steps");
}
