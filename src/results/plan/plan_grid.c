/* SPDX-License-Identifier: MIT */
/*
 * From grids to trials. A grid's axes are the defaults that it does not name itself, then its own,
 * the last one varying fastest; a scale puts other values in their places. Every combination is a
 * trial unless it is left out or was there before.
 */
#include "base/hash.h"
#include "campaign/plan_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The axes of one grid. */
typedef struct space {
    cam_kind kind;
    cam_axis *axes;
    uint32_t count;
    uint32_t *order; /* axes in the order of pairs */
    const cam_axis *seed, *method;
    double shrink;
    uint64_t size; /* combinations */
} space;

typedef struct expansion {
    cam_reader *reader;
    cam_rules rules[CAM_KIND_COUNT]; /* what is left out, in the words of each kind */
    uint32_t *table;                 /* of trials by hash: their place from 1 */
    size_t table_size;
} expansion;

/* ---- Axes. */

static bool occurs_in_a_grid(const cam_reader *reader, const char *name) {
    for (uint32_t g = 0; g < reader->grid_count; g++)
        if (cam_entries_find(&reader->grids[g].entries, name) != NULL)
            return true;
    return false;
}

static col_status add_axis(cam_reader *reader, space *s, const cam_entry *entry) {
    const cam_entry *scaled = cam_entries_find(&reader->scale, entry->name);
    uint32_t place = 0;
    if (strcmp(entry->name, "shrink") == 0 || cam_field_find(s->kind, entry->name, &place) == NULL)
        return COL_OK;
    return cam_axis_read(reader, s->kind, scaled != NULL ? scaled : entry, &s->axes[s->count++]);
}

/* A seed is an axis of every grid. */
static col_status add_seed(cam_reader *reader, space *s) {
    static const char *one[] = {"1"};
    const cam_entry *scaled = cam_entries_find(&reader->scale, "seed");
    if (scaled != NULL)
        return add_axis(reader, s, scaled);
    cam_axis *axis = &s->axes[s->count++];
    *axis = (cam_axis){.name = "seed", .values = one, .count = 1};
    (void)cam_field_find(s->kind, "seed", &axis->place);
    return COL_OK;
}

static col_status add_axes(cam_reader *reader, const cam_grid *grid, space *s) {
    const cam_entries *defaults = &reader->defaults, *scale = &reader->scale;
    col_status status = COL_OK;
    for (uint32_t i = 0; i < defaults->count && status == COL_OK; i++)
        if (cam_entries_find(&grid->entries, defaults->items[i].name) == NULL)
            status = add_axis(reader, s, &defaults->items[i]);
    for (uint32_t i = 0; i < scale->count && status == COL_OK; i++) {
        const char *name = scale->items[i].name; /* nothing to replace: one more default */
        if (cam_entries_find(defaults, name) == NULL && !occurs_in_a_grid(reader, name) &&
            strcmp(name, "seed") != 0)
            status = add_axis(reader, s, &scale->items[i]);
    }
    for (uint32_t i = 0; i < grid->entries.count && status == COL_OK; i++)
        status = add_axis(reader, s, &grid->entries.items[i]);
    if (status == COL_OK && cam_entries_find(defaults, "seed") == NULL &&
        cam_entries_find(&grid->entries, "seed") == NULL)
        status = add_seed(reader, s);
    return status;
}

static const cam_axis *find_axis(const space *s, const char *name) {
    for (uint32_t i = 0; i < s->count; i++)
        if (strcmp(s->axes[i].name, name) == 0)
            return &s->axes[i];
    return NULL;
}

static col_status check_needed(cam_reader *reader, const cam_grid *grid, const space *s) {
    static const char *const needed[CAM_KIND_COUNT][3] = {
        [CAM_EPISODE] = {"design", "seed"},
        [CAM_TOUR] = {"seed"},
        [CAM_LOCATIONS] = {"design", "tests", "seed"},
    };
    for (uint32_t n = 0; n < 3 && needed[s->kind][n] != NULL; n++) {
        const cam_axis *axis = find_axis(s, needed[s->kind][n]);
        for (uint32_t i = 0; axis != NULL && i < axis->count; i++)
            if (axis->values[i] == NULL)
                axis = NULL;
        if (axis == NULL)
            return base_yaml_refuse(&reader->yaml, grid->node, "this grid does not say its %s",
                                    needed[s->kind][n]);
    }
    return COL_OK;
}

static col_status read_shrink(cam_reader *reader, const cam_grid *grid, space *s) {
    const cam_entry *entry = cam_entries_find(&reader->scale, "shrink");
    if (entry == NULL)
        entry = cam_entries_find(&grid->entries, "shrink");
    if (entry == NULL)
        entry = cam_entries_find(&reader->defaults, "shrink");
    return entry == NULL || s->kind != CAM_EPISODE ? COL_OK
                                                   : cam_shrink_read(reader, entry, &s->shrink);
}

static void sort_axes(space *s) {
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t at = i;
        for (; at > 0 && s->axes[s->order[at - 1]].place > s->axes[i].place; at--)
            s->order[at] = s->order[at - 1];
        s->order[at] = i;
    }
}

static col_status make_space(cam_reader *reader, const cam_grid *grid, space *s) {
    const size_t most =
        (size_t)reader->defaults.count + reader->scale.count + grid->entries.count + 1;
    *s = (space){.kind = grid->kind,
                 .axes = cam_take(reader, &reader->scratch, most, sizeof(cam_axis)),
                 .order = cam_take(reader, &reader->scratch, most, sizeof(uint32_t)),
                 .size = 1};
    if (s->axes == NULL || s->order == NULL)
        return COL_FAILURE;
    col_status status = add_axes(reader, grid, s);
    if (status == COL_OK)
        status = check_needed(reader, grid, s);
    if (status == COL_OK)
        status = read_shrink(reader, grid, s);
    if (status != COL_OK)
        return status;
    sort_axes(s);
    s->seed = find_axis(s, "seed");
    s->method = find_axis(s, "method");
    for (uint32_t i = 0; i < s->count && s->size <= CAM_MOST_TRIALS; i++)
        s->size *= s->axes[i].count; /* neither is above a million */
    return COL_OK;
}

/* ---- What is left out. */

static col_status read_rules(expansion *x, cam_kind kind) {
    cam_reader *reader = x->reader;
    col_status status = COL_OK;
    cam_rules *rules = &x->rules[kind];
    rules->list = cam_take(reader, &reader->scratch, reader->without_count + 1, sizeof(cam_rule));
    if (rules->list == NULL)
        return COL_FAILURE;
    for (uint32_t r = 0; r < reader->without_count && status == COL_OK; r++)
        status = cam_rule_read(reader, kind, &reader->without[r], &rules->list[r]);
    rules->count = reader->without_count;
    return status == COL_OK ? cam_rules_sort(reader, rules) : status;
}

/* ---- Trials. */

/* Bytes that no two different trials have in common: 0 ends texts, and 255 is in no UTF-8. */
static void feed_trial(XXH3_state_t *state, const cam_trial *trial) {
    const uint8_t kind = (uint8_t)trial->kind, end = UINT8_MAX;
    (void)XXH3_128bits_update(state, &kind, 1);
    for (uint32_t i = 0; i < trial->pair_count; i++) {
        const cam_pair *pair = &trial->pairs[i];
        (void)XXH3_128bits_update(state, pair->name, strlen(pair->name) + 1);
        (void)XXH3_128bits_update(state, pair->value, strlen(pair->value) + 1);
    }
    (void)XXH3_128bits_update(state, &end, 1);
}

static bool is_same(const cam_trial *a, const cam_trial *b) {
    bool same = a->kind == b->kind && a->pair_count == b->pair_count;
    for (uint32_t i = 0; i < a->pair_count && same; i++)
        same = strcmp(a->pairs[i].name, b->pairs[i].name) == 0 &&
               strcmp(a->pairs[i].value, b->pairs[i].value) == 0;
    return same;
}

/* Its slot in the table: empty, or that of the trial that is the same. */
static uint32_t *slot_of(const expansion *x, const cam_trial *trial) {
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    feed_trial(&state, trial);
    size_t slot = XXH3_128bits_digest(&state).low64 & (x->table_size - 1);
    while (x->table[slot] != 0 && !is_same(&x->reader->plan->trials[x->table[slot] - 1], trial))
        slot = (slot + 1) & (x->table_size - 1);
    return &x->table[slot];
}

/* Chance plays no part in tours by other methods: one seed stands for all, and they end by
 * themselves. */
static bool is_by_chance(const space *s, const uint32_t *at) {
    const char *method = s->method == NULL ? NULL : s->method->values[at[s->method - s->axes]];
    return s->kind != CAM_TOUR ||
           (method != NULL && (strcmp(method, col_tour_methods[COL_TOUR_RANDOM]) == 0 ||
                               strcmp(method, col_tour_methods[COL_TOUR_JAMMER]) == 0));
}

static uint32_t make_pairs(const space *s, const uint32_t *at, cam_pair *pairs) {
    const bool has_chance = is_by_chance(s, at);
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const cam_axis *axis = &s->axes[s->order[i]];
        const uint32_t choice = at[s->order[i]];
        const char *value = axis->values[choice];
        if (!has_chance && axis == s->seed)
            value = "1";
        if (!has_chance && strcmp(axis->name, "most-operations") == 0)
            value = NULL;
        if (value != NULL)
            pairs[count++] = (cam_pair){.name = axis->name,
                                        .value = value,
                                        .path = axis->paths == NULL ? NULL : axis->paths[choice],
                                        .at = axis->at == NULL ? 0 : axis->at[choice]};
    }
    return count;
}

static col_status add_trial(expansion *x, const space *s, const uint32_t *at) {
    cam_plan *plan = x->reader->plan;
    cam_pair pairs[64];
    const uint32_t count = make_pairs(s, at, pairs);
    cam_trial trial = {.kind = s->kind, .pairs = pairs, .pair_count = count};
    if (cam_rules_match(&x->rules[trial.kind], &trial))
        return COL_OK;
    const double shrink = at[s->seed - s->axes] == 0 ? s->shrink : 0;
    uint32_t *slot = slot_of(x, &trial);
    if (*slot != 0) { /* another grid may want more of it */
        cam_trial *same = &plan->trials[*slot - 1];
        same->shrink = same->shrink > shrink ? same->shrink : shrink;
        return COL_OK;
    }
    cam_pair *kept = cam_take(x->reader, &plan->arena, count, sizeof *kept);
    if (kept == NULL)
        return COL_FAILURE;
    memcpy(kept, pairs, count * sizeof *kept);
    trial.pairs = kept;
    trial.shrink = shrink;
    plan->trials[plan->trial_count++] = trial;
    *slot = (uint32_t)plan->trial_count;
    return COL_OK;
}

static bool advance(const space *s, uint32_t *at) {
    for (uint32_t i = s->count; i-- > 0;) {
        if (++at[i] < s->axes[i].count)
            return true;
        at[i] = 0;
    }
    return false;
}

static col_status expand(expansion *x, const space *s) {
    uint32_t *at = cam_take(x->reader, &x->reader->scratch, s->count, sizeof *at);
    col_status status = at == NULL ? COL_FAILURE : COL_OK;
    while (status == COL_OK) {
        status = add_trial(x, s, at);
        if (!advance(s, at))
            break;
    }
    return status;
}

/* ---- The whole. */

static void hash_plan(cam_plan *plan) {
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    const char *scale = plan->scale == NULL ? "" : plan->scale;
    (void)XXH3_128bits_update(&state, plan->name, strlen(plan->name) + 1);
    (void)XXH3_128bits_update(&state, scale, strlen(scale) + 1);
    for (size_t i = 0; i < plan->trial_count; i++)
        feed_trial(&state, &plan->trials[i]);
    const XXH128_hash_t digest = XXH3_128bits_digest(&state);
    (void)snprintf(plan->hash, sizeof plan->hash, "%016llx%016llx",
                   (unsigned long long)digest.high64, (unsigned long long)digest.low64);
}

static col_status make_spaces(cam_reader *reader, space *spaces, uint64_t *total) {
    col_status status = COL_OK;
    *total = 0;
    for (uint32_t g = 0; g < reader->grid_count && status == COL_OK; g++) {
        status = make_space(reader, &reader->grids[g], &spaces[g]);
        *total += spaces[g].size;
        if (status == COL_OK && *total > CAM_MOST_TRIALS)
            status = base_yaml_refuse(&reader->yaml, reader->grids[g].node,
                                      "with this grid the plan has more than %d trials",
                                      CAM_MOST_TRIALS);
    }
    return status;
}

static col_status make_table(expansion *x, uint64_t total) {
    x->table_size = 16;
    while (x->table_size < 2 * total)
        x->table_size *= 2;
    x->table = calloc(x->table_size, sizeof *x->table);
    x->reader->plan->trials =
        cam_take(x->reader, &x->reader->plan->arena, total, sizeof(cam_trial));
    return x->table == NULL || x->reader->plan->trials == NULL
               ? base_out_of_memory(x->reader->yaml.problem)
               : COL_OK;
}

col_status cam_grids_expand(cam_reader *reader) {
    expansion x = {.reader = reader};
    uint64_t total = 0;
    space *spaces = cam_take(reader, &reader->scratch, reader->grid_count, sizeof *spaces);
    if (spaces == NULL)
        return COL_FAILURE;
    col_status status = make_spaces(reader, spaces, &total);
    for (int kind = 0; kind < CAM_KIND_COUNT && status == COL_OK; kind++)
        status = read_rules(&x, (cam_kind)kind);
    if (status == COL_OK)
        status = make_table(&x, total);
    for (uint32_t g = 0; g < reader->grid_count && status == COL_OK; g++)
        status = expand(&x, &spaces[g]);
    free(x.table);
    if (status == COL_OK && reader->plan->trial_count == 0)
        status = base_yaml_refuse(&reader->yaml, base_yaml_root(&reader->yaml),
                                  "all trials of the plan are left out");
    hash_plan(reader->plan);
    return status;
}
