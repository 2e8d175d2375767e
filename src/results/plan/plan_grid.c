/* SPDX-License-Identifier: MIT */
/*
 * From grids to trials. A grid's axes are the defaults that it does not name itself, then its own,
 * the last one varying fastest; a scale puts other values in their places. Every combination is a
 * trial unless it is left out or was there before.
 */
#include "base/hash.h"
#include "results/plan/plan_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rules that trials match by their settings: what a plan leaves out, and what a user chooses of it.
 */

/* Trials that have, of each setting, one of the values, in the words of one kind. */
typedef struct rule {
    cam_values *axes;
    uint32_t count;
    bool never; /* it cannot be of this kind */
} rule;

/* Rules by what a trial must have for them, so that a trial is compared with few. */
typedef struct rule_key {
    const char *name, *value; /* NULL: any trial may match */
    const rule *rule;
} rule_key;

typedef struct rule_list {
    rule *list;
    uint32_t count;
    rule_key *keys; /* by name and value */
    size_t key_count;
} rule_list;

static int compare(const void *a, const void *b) {
    const char *const *first = a, *const *second = b;
    if (*first == NULL || *second == NULL)
        return (*first != NULL) - (*second != NULL);
    return strcmp(*first, *second);
}

/* Of settings that some kind takes. */
static col_status read_rule(cam_reader *reader, cam_kind kind, const cam_entries *entries,
                            rule *r) {
    *r = (rule){.axes = cam_take(reader, &reader->scratch, entries->count + 1, sizeof(cam_values))};
    if (r->axes == NULL)
        return COL_FAILURE;
    for (uint32_t i = 0; i < entries->count && !r->never; i++) {
        col_problem unused, *problem = reader->yaml.problem;
        const cam_entry *entry = &entries->items[i];
        uint32_t place = 0;
        const bool is_any = cam_field_find(kind, entry->name, &place) == NULL;
        reader->yaml.problem = &unused; /* another kind has taken it */
        const col_status status = is_any
                                      ? cam_values_read_any(reader, entry, &r->axes[r->count++])
                                      : cam_values_read(reader, kind, entry, &r->axes[r->count++]);
        reader->yaml.problem = problem;
        if (status == COL_FAILURE)
            return base_out_of_memory(problem);
        r->never = status != COL_OK;
        cam_values *axis = &r->axes[r->count - 1];
        if (status == COL_OK) /* their order does not matter */
            qsort(axis->values, axis->count, sizeof *axis->values, compare);
    }
    return COL_OK;
}

static bool is_value_of(const cam_values *axis, const char *value) {
    return bsearch(&value, axis->values, axis->count, sizeof *axis->values, compare) != NULL;
}

static bool matches_rule(const rule *r, const cam_trial *trial) {
    bool matches = !r->never;
    for (uint32_t i = 0; i < r->count && matches; i++) {
        const cam_values *axis = &r->axes[i];
        matches =
            is_value_of(axis, strcmp(axis->name, "kind") == 0 ? cam_kinds[trial->kind]
                                                              : cam_trial_value(trial, axis->name));
    }
    return matches;
}

static const char any[] = "";

static int compare_keys(const void *a, const void *b) {
    const rule_key *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : compare(&x->value, &y->value);
}

/* The setting with the fewest values. NULL: none, or one that a trial need not have. A rule that
 * never matches has not been read to its end. */
static const cam_values *key_of(const rule *r) {
    const cam_values *fewest = NULL;
    for (uint32_t i = 0; i < r->count; i++)
        if (fewest == NULL || r->axes[i].count < fewest->count)
            fewest = &r->axes[i];
    return r->never || fewest == NULL || fewest->count == 0 || is_value_of(fewest, NULL) ? NULL
                                                                                         : fewest;
}

static col_status sort_rules(cam_reader *reader, rule_list *rules) {
    size_t room = 0;
    for (const rule *r = rules->list; r < rules->list + rules->count; r++) {
        const cam_values *axis = key_of(r);
        room += axis == NULL ? 1 : axis->count;
    }
    rules->keys = cam_take(reader, &reader->scratch, room + 1, sizeof *rules->keys);
    if (rules->keys == NULL)
        return COL_FAILURE;
    for (const rule *r = rules->list; r < rules->list + rules->count; r++) {
        const cam_values *axis = key_of(r);
        if (axis == NULL && !r->never)
            rules->keys[rules->key_count++] = (rule_key){any, NULL, r};
        for (uint32_t i = 0; axis != NULL && i < axis->count; i++)
            rules->keys[rules->key_count++] = (rule_key){axis->name, axis->values[i], r};
    }
    qsort(rules->keys, rules->key_count, sizeof *rules->keys, compare_keys);
    return COL_OK;
}

static bool match_key(const rule_list *rules, const rule_key *key, const cam_trial *trial) {
    size_t from = 0, to = rules->key_count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (compare_keys(&rules->keys[middle], key) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    for (; from < rules->key_count && compare_keys(&rules->keys[from], key) == 0; from++)
        if (matches_rule(rules->keys[from].rule, trial))
            return true;
    return false;
}

static bool matches_any(const rule_list *rules, const cam_trial *trial) {
    const rule_key anything = {.name = any},
                   kind = {.name = "kind", .value = cam_kinds[trial->kind]};
    bool matches = match_key(rules, &anything, trial) || match_key(rules, &kind, trial);
    for (uint32_t i = 0; i < trial->pair_count && !matches; i++) {
        const rule_key key = {.name = trial->pairs[i].name, .value = trial->pairs[i].value};
        matches = match_key(rules, &key, trial);
    }
    return matches;
}

/* ---- From grids to trials. */

/* The axes of one grid. */
typedef struct space {
    cam_kind kind;
    cam_values *axes;
    uint32_t count;
    uint32_t *order; /* axes in the order of pairs */
    const cam_values *seed, *method;
    double shrink;
    uint64_t size; /* combinations */
} space;

typedef struct expansion {
    cam_reader *reader;
    rule_list rules[CAM_KIND_COUNT]; /* what is left out, in the words of each kind */
    base_index index;                /* of trials */
} expansion;

/* ---- Axes. */

static col_status add_axis(cam_reader *reader, space *s, const cam_entry *entry) {
    const cam_entry *scaled = cam_entries_find(&reader->scale, entry->name);
    uint32_t place = 0;
    if (strcmp(entry->name, "shrink") == 0 || cam_field_find(s->kind, entry->name, &place) == NULL)
        return COL_OK;
    return cam_values_read(reader, s->kind, scaled != NULL ? scaled : entry, &s->axes[s->count++]);
}

/* A seed is an axis of every grid. */
static col_status add_seed(cam_reader *reader, space *s) {
    static const char *one[] = {"1"};
    const cam_entry *scaled = cam_entries_find(&reader->scale, "seed");
    if (scaled != NULL)
        return add_axis(reader, s, scaled);
    cam_values *axis = &s->axes[s->count++];
    *axis = (cam_values){.name = "seed", .values = one, .count = 1};
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
        bool is_in_a_grid = false;
        for (uint32_t g = 0; g < reader->grid_count; g++)
            is_in_a_grid |= cam_entries_find(&reader->grids[g].entries, name) != NULL;
        if (cam_entries_find(defaults, name) == NULL && !is_in_a_grid && strcmp(name, "seed") != 0)
            status = add_axis(reader, s, &scale->items[i]);
    }
    for (uint32_t i = 0; i < grid->entries.count && status == COL_OK; i++)
        status = add_axis(reader, s, &grid->entries.items[i]);
    if (status == COL_OK && cam_entries_find(defaults, "seed") == NULL &&
        cam_entries_find(&grid->entries, "seed") == NULL)
        status = add_seed(reader, s);
    return status;
}

static const cam_values *find_axis(const space *s, const char *name) {
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
        const cam_values *axis = find_axis(s, needed[s->kind][n]);
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

static col_status make_space(cam_reader *reader, const cam_grid *grid, space *s) {
    const size_t most =
        (size_t)reader->defaults.count + reader->scale.count + grid->entries.count + 1;
    *s = (space){.kind = grid->kind,
                 .axes = cam_take(reader, &reader->scratch, most, sizeof(cam_values)),
                 .order = cam_take(reader, &reader->scratch, most, sizeof(uint32_t)),
                 .size = 1};
    if (s->axes == NULL || s->order == NULL)
        return COL_FAILURE;
    col_status status = add_axes(reader, grid, s);
    BASE_THEN(status, check_needed(reader, grid, s));
    BASE_THEN(status, read_shrink(reader, grid, s));
    if (status != COL_OK)
        return status;
    for (uint32_t i = 0; i < s->count; i++) { /* in the order of pairs */
        uint32_t at = i;
        for (; at > 0 && s->axes[s->order[at - 1]].place > s->axes[i].place; at--)
            s->order[at] = s->order[at - 1];
        s->order[at] = i;
    }
    s->seed = find_axis(s, "seed");
    s->method = find_axis(s, "method");
    for (uint32_t i = 0; i < s->count && s->size <= CAM_MOST_TRIALS; i++)
        s->size *= s->axes[i].count; /* neither is above a million */
    return COL_OK;
}

static col_status read_rules(expansion *x, cam_kind kind) {
    cam_reader *reader = x->reader;
    col_status status = COL_OK;
    rule_list *rules = &x->rules[kind];
    rules->list = cam_take(reader, &reader->scratch, reader->without_count + 1, sizeof(rule));
    if (rules->list == NULL)
        return COL_FAILURE;
    for (uint32_t r = 0; r < reader->without_count && status == COL_OK; r++)
        status = read_rule(reader, kind, &reader->without[r], &rules->list[r]);
    rules->count = reader->without_count;
    return status == COL_OK ? sort_rules(reader, rules) : status;
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

static bool is_same(const void *plan, uint32_t number, const void *trial) {
    const cam_trial *a = &((const cam_plan *)plan)->trials[number], *b = trial;
    bool same = a->kind == b->kind && a->pair_count == b->pair_count;
    for (uint32_t i = 0; i < a->pair_count && same; i++)
        same = strcmp(a->pairs[i].name, b->pairs[i].name) == 0 &&
               strcmp(a->pairs[i].value, b->pairs[i].value) == 0;
    return same;
}

static uint64_t hash_of(const cam_trial *trial) {
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    feed_trial(&state, trial);
    return XXH3_128bits_digest(&state).low64;
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
        const cam_values *axis = &s->axes[s->order[i]];
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
    if (matches_any(&x->rules[trial.kind], &trial))
        return COL_OK;
    const double shrink = at[s->seed - s->axes] == 0 ? s->shrink : 0;
    const uint64_t hash = hash_of(&trial);
    const uint32_t number = base_index_find(&x->index, hash, is_same, plan, &trial);
    if (number != BASE_NO_NUMBER) { /* another grid may want more of it */
        cam_trial *same = &plan->trials[number];
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
    return base_index_put(&x->index, hash, x->reader->yaml.problem);
}

static col_status expand(expansion *x, const space *s) {
    uint32_t *at = cam_take(x->reader, &x->reader->scratch, s->count, sizeof *at);
    if (at == NULL)
        return COL_FAILURE;
    for (uint64_t i = 0; i < s->size; i++) {
        BASE_TRY(add_trial(x, s, at));
        for (uint32_t axis = s->count; axis-- > 0;) { /* the last one varies fastest */
            if (++at[axis] < s->axes[axis].count)
                break;
            at[axis] = 0;
        }
    }
    return COL_OK;
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
    cam_hash_print(XXH3_128bits_digest(&state), plan->hash);
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

col_status cam_grids_expand(cam_reader *reader) {
    expansion x = {.reader = reader};
    uint64_t total = 0;
    space *spaces = cam_take(reader, &reader->scratch, reader->grid_count, sizeof *spaces);
    if (spaces == NULL)
        return COL_FAILURE;
    col_status status = make_spaces(reader, spaces, &total);
    for (int kind = 0; kind < CAM_KIND_COUNT && status == COL_OK; kind++)
        status = read_rules(&x, (cam_kind)kind);
    BASE_THEN(status, base_index_reserve(&x.index, total, reader->yaml.problem));
    if (status == COL_OK) {
        reader->plan->trials = cam_take(reader, &reader->plan->arena, total, sizeof(cam_trial));
        status = reader->plan->trials == NULL ? COL_FAILURE : COL_OK;
    }
    for (uint32_t g = 0; g < reader->grid_count && status == COL_OK; g++)
        status = expand(&x, &spaces[g]);
    base_index_free(&x.index);
    if (status == COL_OK && reader->plan->trial_count == 0)
        status = base_yaml_refuse(&reader->yaml, base_yaml_root(&reader->yaml),
                                  "all trials of the plan are left out");
    hash_plan(reader->plan);
    return status;
}

/* ---- What a user chooses. */

static const char option[] = "--where";

static col_status choose(cam_reader *reader, bool *chosen) {
    const cam_plan *plan = reader->plan;
    const base_yaml_node *root = base_yaml_root(&reader->yaml);
    cam_entries entries;
    cam_values unused;
    rule rules[CAM_KIND_COUNT];
    bool is_any = false;
    col_status status = cam_entries_read(reader, root, option, &entries);
    if (status == COL_OK && entries.count == 0)
        return base_yaml_refuse(&reader->yaml, root, "%s names no setting", option);
    for (uint32_t i = 0; status == COL_OK && i < entries.count; i++)
        status = cam_values_read_any(reader, &entries.items[i], &unused);
    for (int kind = 0; status == COL_OK && kind < CAM_KIND_COUNT; kind++)
        status = read_rule(reader, (cam_kind)kind, &entries, &rules[kind]);
    if (status != COL_OK)
        return status;
    for (size_t i = 0; i < plan->trial_count; i++) {
        chosen[i] = chosen[i] && matches_rule(&rules[plan->trials[i].kind], &plan->trials[i]);
        is_any = is_any || chosen[i];
    }
    return is_any ? COL_OK : base_yaml_refuse(&reader->yaml, root, "no trial of the plan matches");
}

col_status cam_plan_choose(cam_plan *plan, const char *text, bool *chosen, col_problem *problem) {
    cam_reader reader = {.plan = plan, .is_choosing = true};
    reader.values = &reader.scratch;
    if (text[0] == '\0')
        return base_refuse(problem, "%s is followed by settings, such as 'engine: htg'", option);
    BASE_TRY(base_yaml_read(&reader.yaml, text, strlen(text), option, problem));
    col_status status = choose(&reader, chosen);
    base_arena_free(&reader.scratch);
    base_yaml_free(&reader.yaml);
    return status;
}
