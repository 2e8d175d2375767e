/* SPDX-License-Identifier: MIT */
/* Combinations of settings that occur in a plan: see plan_distinct.h. There may be a million
 * trials. */
#include "campaign/plan_distinct.h"

#include "base/hash.h"
#include "base/problem.h"

#include <stdlib.h>
#include <string.h>

const char *const cam_all_settings[] = {NULL};
const char *const cam_all_but_seed[] = {"seed", NULL};

static uint64_t feed(uint64_t hash, const char *text) {
    return XXH3_64bits_withSeed(text, strlen(text) + 1, hash);
}

static bool is_left_out(const cam_distinct *d, const char *name) {
    return d->names == cam_all_but_seed && strcmp(name, "seed") == 0;
}

static bool takes_all(const cam_distinct *d) {
    return d->names == cam_all_settings || d->names == cam_all_but_seed;
}

static uint64_t hash_of(const cam_distinct *d, const cam_trial *trial) {
    uint64_t hash = trial->kind;
    if (takes_all(d)) {
        for (uint32_t i = 0; i < trial->pair_count; i++)
            if (!is_left_out(d, trial->pairs[i].name))
                hash = feed(feed(hash, trial->pairs[i].name), trial->pairs[i].value);
        return hash;
    }
    for (const char *const *name = d->names; *name != NULL; name++) {
        const char *value = cam_trial_value(trial, *name);
        hash = value == NULL ? hash + 1 : feed(hash, value);
    }
    return hash;
}

static bool has_same(const cam_trial *a, const cam_trial *b, const char *name) {
    const char *first = cam_trial_value(a, name), *second = cam_trial_value(b, name);
    return first == NULL || second == NULL ? first == second : strcmp(first, second) == 0;
}

static bool is_same(const cam_distinct *d, const cam_trial *a, const cam_trial *b) {
    bool same = a->kind == b->kind;
    if (!takes_all(d)) {
        for (const char *const *name = d->names; *name != NULL && same; name++)
            same = has_same(a, b, *name);
        return same;
    }
    same = same && a->pair_count == b->pair_count; /* in the order of the table of settings */
    for (uint32_t i = 0; i < a->pair_count && same; i++)
        same =
            strcmp(a->pairs[i].name, b->pairs[i].name) == 0 &&
            (is_left_out(d, a->pairs[i].name) || strcmp(a->pairs[i].value, b->pairs[i].value) == 0);
    return same;
}

static bool is_wanted(const void *distinct, uint32_t number, const void *trial) {
    const cam_distinct *d = distinct;
    return is_same(d, &d->plan->trials[d->positions[number]], trial);
}

static col_status add(cam_distinct *d, size_t position, col_problem *problem) {
    const cam_trial *trial = &d->plan->trials[position];
    const uint64_t hash = hash_of(d, trial);
    uint32_t place = base_index_find(&d->index, hash, is_wanted, d, trial);
    if (place == BASE_NO_NUMBER) {
        const col_status status = base_index_put(&d->index, hash, problem);
        if (status != COL_OK)
            return status;
        place = (uint32_t)d->count++;
        d->positions[place] = position;
    }
    d->trials[place]++;
    return COL_OK;
}

col_status cam_distinct_find(cam_distinct *distinct, const cam_plan *plan, const char *const *names,
                             col_problem *problem) {
    col_status status = COL_OK;
    *distinct = (cam_distinct){.plan = plan,
                               .names = names,
                               .positions = calloc(plan->trial_count + 1, sizeof(size_t)),
                               .trials = calloc(plan->trial_count + 1, sizeof(size_t))};
    if (distinct->positions == NULL || distinct->trials == NULL)
        return base_out_of_memory(problem);
    for (size_t i = 0; i < plan->trial_count && status == COL_OK; i++)
        status = add(distinct, i, problem);
    return status;
}

void cam_distinct_free(cam_distinct *distinct) {
    free(distinct->positions);
    free(distinct->trials);
    base_index_free(&distinct->index);
    *distinct = (cam_distinct){0};
}

size_t cam_distinct_place(const cam_distinct *d, const cam_trial *trial) {
    const uint32_t place = base_index_find(&d->index, hash_of(d, trial), is_wanted, d, trial);
    return place == BASE_NO_NUMBER ? SIZE_MAX : place;
}
