/* SPDX-License-Identifier: MIT */
/* Rules that trials match by their settings: what a plan leaves out, and what a user chooses of it.
 */
#include "campaign/plan_parts.h"

#include <stdlib.h>
#include <string.h>

/* ---- One rule. */

static int compare(const void *a, const void *b) {
    const char *const *first = a, *const *second = b;
    if (*first == NULL || *second == NULL)
        return (*first != NULL) - (*second != NULL);
    return strcmp(*first, *second);
}

col_status cam_rule_read(cam_reader *reader, cam_kind kind, const cam_entries *entries,
                         cam_rule *rule) {
    *rule = (cam_rule){
        .axes = cam_take(reader, &reader->scratch, entries->count + 1, sizeof(cam_axis))};
    if (rule->axes == NULL)
        return COL_FAILURE;
    for (uint32_t i = 0; i < entries->count && !rule->never; i++) {
        col_problem unused, *problem = reader->yaml.problem;
        const cam_entry *entry = &entries->items[i];
        uint32_t place = 0;
        const bool is_any = cam_field_find(kind, entry->name, &place) == NULL;
        reader->yaml.problem = &unused; /* another kind has taken it */
        const col_status status =
            is_any ? cam_axis_read_any(reader, entry, &rule->axes[rule->count++])
                   : cam_axis_read(reader, kind, entry, &rule->axes[rule->count++]);
        reader->yaml.problem = problem;
        if (status == COL_FAILURE)
            return base_out_of_memory(problem);
        rule->never = status != COL_OK;
        cam_axis *axis = &rule->axes[rule->count - 1];
        if (status == COL_OK) /* their order does not matter */
            qsort(axis->values, axis->count, sizeof *axis->values, compare);
    }
    return COL_OK;
}

static bool is_value_of(const cam_axis *axis, const char *value) {
    return bsearch(&value, axis->values, axis->count, sizeof *axis->values, compare) != NULL;
}

bool cam_rule_matches(const cam_rule *rule, const cam_trial *trial) {
    bool matches = !rule->never;
    for (uint32_t i = 0; i < rule->count && matches; i++) {
        const cam_axis *axis = &rule->axes[i];
        matches =
            is_value_of(axis, strcmp(axis->name, "kind") == 0 ? cam_kinds[trial->kind]
                                                              : cam_trial_value(trial, axis->name));
    }
    return matches;
}

/* ---- Many. */

static const char any[] = "";

static int compare_texts(const char *a, const char *b) {
    return compare(&a, &b);
}

static int compare_keys(const void *a, const void *b) {
    const cam_rule_key *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : compare_texts(x->value, y->value);
}

/* The setting with the fewest values. NULL: none, or one that a trial need not have. A rule that
 * never matches has not been read to its end. */
static const cam_axis *key_of(const cam_rule *rule) {
    const cam_axis *fewest = NULL;
    for (uint32_t i = 0; i < rule->count; i++)
        if (fewest == NULL || rule->axes[i].count < fewest->count)
            fewest = &rule->axes[i];
    return fewest == NULL || fewest->count == 0 || is_value_of(fewest, NULL) ? NULL : fewest;
}

col_status cam_rules_sort(cam_reader *reader, cam_rules *rules) {
    size_t room = 0;
    for (uint32_t r = 0; r < rules->count; r++) {
        const cam_axis *axis = rules->list[r].never ? NULL : key_of(&rules->list[r]);
        room += axis == NULL ? 1 : axis->count;
    }
    rules->key_count = 0;
    rules->keys = cam_take(reader, &reader->scratch, room + 1, sizeof *rules->keys);
    if (rules->keys == NULL)
        return COL_FAILURE;
    for (uint32_t r = 0; r < rules->count; r++) {
        const cam_rule *rule = &rules->list[r];
        const cam_axis *axis = rule->never ? NULL : key_of(rule);
        if (axis == NULL && !rule->never)
            rules->keys[rules->key_count++] = (cam_rule_key){any, NULL, rule};
        for (uint32_t i = 0; axis != NULL && i < axis->count; i++)
            rules->keys[rules->key_count++] = (cam_rule_key){axis->name, axis->values[i], rule};
    }
    qsort(rules->keys, rules->key_count, sizeof *rules->keys, compare_keys);
    return COL_OK;
}

static bool match_key(const cam_rules *rules, const cam_rule_key *key, const cam_trial *trial) {
    size_t from = 0, to = rules->key_count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (compare_keys(&rules->keys[middle], key) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    for (; from < rules->key_count && compare_keys(&rules->keys[from], key) == 0; from++)
        if (cam_rule_matches(rules->keys[from].rule, trial))
            return true;
    return false;
}

bool cam_rules_match(const cam_rules *rules, const cam_trial *trial) {
    const cam_rule_key anything = {.name = any},
                       kind = {.name = "kind", .value = cam_kinds[trial->kind]};
    bool matches = match_key(rules, &anything, trial) || match_key(rules, &kind, trial);
    for (uint32_t i = 0; i < trial->pair_count && !matches; i++) {
        const cam_rule_key key = {.name = trial->pairs[i].name, .value = trial->pairs[i].value};
        matches = match_key(rules, &key, trial);
    }
    return matches;
}

/* ---- What a user chooses. */

static const char option[] = "--where";

static col_status choose(cam_reader *reader, bool *chosen) {
    const cam_plan *plan = reader->plan;
    const base_yaml_node *root = base_yaml_root(&reader->yaml);
    cam_entries entries;
    cam_axis unused;
    cam_rule rules[CAM_KIND_COUNT];
    bool is_any = false;
    col_status status = cam_entries_read(reader, root, option, &entries);
    if (status == COL_OK && entries.count == 0)
        return base_yaml_refuse(&reader->yaml, root, "%s names no setting", option);
    for (uint32_t i = 0; status == COL_OK && i < entries.count; i++)
        status = cam_axis_read_any(reader, &entries.items[i], &unused);
    for (int kind = 0; status == COL_OK && kind < CAM_KIND_COUNT; kind++)
        status = cam_rule_read(reader, (cam_kind)kind, &entries, &rules[kind]);
    if (status != COL_OK)
        return status;
    for (size_t i = 0; i < plan->trial_count; i++) {
        chosen[i] = chosen[i] && cam_rule_matches(&rules[plan->trials[i].kind], &plan->trials[i]);
        is_any = is_any || chosen[i];
    }
    return is_any ? COL_OK : base_yaml_refuse(&reader->yaml, root, "no trial of the plan matches");
}

col_status cam_plan_choose(cam_plan *plan, const char *text, bool *chosen, col_problem *problem) {
    cam_reader reader = {.plan = plan, .is_choosing = true};
    reader.values = &reader.scratch;
    if (text[0] == '\0')
        return base_refuse(problem, "%s is followed by settings, such as 'engine: htg'", option);
    col_status status = base_yaml_read(&reader.yaml, text, strlen(text), option, problem);
    if (status != COL_OK)
        return status;
    status = choose(&reader, chosen);
    base_arena_free(&reader.scratch);
    base_yaml_free(&reader.yaml);
    return status;
}
