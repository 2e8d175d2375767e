/* SPDX-License-Identifier: MIT */
/*
 * Reading a plan: the shape of the file. Everything in it is read and tried, scales that were not
 * asked for too, so that a mistake is reported before the first trial runs.
 */
#include "results/plan/plan.h"

#include "base/file.h"
#include "base/names.h"
#include "base/text.h"
#include "design/simulator_options.h"
#include "results/plan/plan_parts.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 16 << 20 };

/* ---- For all parts. */

void *cam_take(cam_reader *reader, base_arena *arena, size_t count, size_t size) {
    void *piece = count > SIZE_MAX / 4 / size ? NULL : base_arena_take(arena, count * size);
    if (piece == NULL)
        (void)base_out_of_memory(reader->yaml.problem);
    return piece;
}

col_status cam_keep(cam_reader *reader, base_arena *arena, const char *text, const char **kept) {
    *kept = base_arena_text(arena, text, strlen(text));
    return *kept == NULL ? base_out_of_memory(reader->yaml.problem) : COL_OK;
}

col_status cam_node_keep(const base_entry *entry, void *node) {
    *(const base_yaml_node **)node = entry->value;
    return COL_OK;
}

size_t cam_node_size(const base_yaml_node *node) {
    return node->type == YAML_SEQUENCE_NODE
               ? (size_t)(node->data.sequence.items.top - node->data.sequence.items.start)
           : node->type == YAML_MAPPING_NODE
               ? (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start)
               : 0;
}

static col_status add_entry(const base_entry *entry, void *target) {
    cam_entries *entries = target;
    entries->items[entries->count++] =
        (cam_entry){base_entry_name(entry), entry->key, entry->value};
    return COL_OK;
}

col_status cam_entries_read(cam_reader *reader, const base_yaml_node *map, const char *what,
                            cam_entries *entries) {
    *entries = (cam_entries){
        .items = cam_take(reader, &reader->scratch, cam_node_size(map) + 1, sizeof(cam_entry))};
    if (entries->items == NULL)
        return COL_FAILURE;
    return base_yaml_each(&reader->yaml, map, what, add_entry, entries);
}

const cam_entry *cam_entries_find(const cam_entries *entries, const char *name) {
    for (uint32_t i = 0; i < entries->count; i++)
        if (strcmp(entries->items[i].name, name) == 0)
            return &entries->items[i];
    return NULL;
}

/* Settings of one kind, or, with CAM_KIND_COUNT, of any: then some kind must take each. */
static col_status check_entries(cam_reader *reader, const cam_entries *entries, cam_kind kind) {
    col_status status = COL_OK;
    for (uint32_t i = 0; i < entries->count && status == COL_OK; i++) {
        const cam_entry *entry = &entries->items[i];
        cam_values unused;
        double seconds = 0;
        if (strcmp(entry->name, "kind") == 0)
            return base_yaml_refuse(&reader->yaml, entry->key, "each grid says its own kind");
        if (strcmp(entry->name, "shrink") == 0 && (kind == CAM_EPISODE || kind == CAM_KIND_COUNT))
            status = cam_shrink_read(reader, entry, &seconds);
        else
            status = kind == CAM_KIND_COUNT ? cam_values_read_any(reader, entry, &unused)
                                            : cam_values_read(reader, kind, entry, &unused);
    }
    return status;
}

/* ---- The parts of the file. */

typedef struct parts {
    const base_yaml_node *plan, *title, *defaults, *grids, *without, *scales, *published;
} parts;

#define PART(word)                                                                                 \
    { BASE_FIELD(#word, BASE_OWN, parts, word), .read = cam_node_keep }

static const base_field part_fields[] = {
    PART(plan),    PART(title),  PART(defaults),  PART(grids),
    PART(without), PART(scales), PART(published), BASE_LAST_FIELD,
};

/* The name is also that of the store's file. */
static col_status read_name(cam_reader *reader, const base_yaml_node *node) {
    enum { LONGEST = 80 };
    const char *text = base_yaml_scalar(node);
    const size_t length = text == NULL ? 0 : strlen(text);
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    if (length == 0 || length > LONGEST || strspn(text, letters) != length || text[0] == '.' ||
        text[0] == '-')
        return base_yaml_refuse(&reader->yaml, node,
                                "plan is a word of up to %d letters, digits, '-', '_' and '.'",
                                LONGEST);
    return cam_keep(reader, &reader->plan->arena, text, &reader->plan->name);
}

static col_status read_title(cam_reader *reader, const base_yaml_node *node) {
    cam_plan *plan = reader->plan;
    const char *text = node == NULL ? plan->name : base_yaml_scalar(node);
    if (text == NULL || text[0] == '\0')
        return base_yaml_refuse(&reader->yaml, node, "title is a text");
    return cam_keep(reader, &plan->arena, text, &plan->title);
}

static col_status read_defaults(cam_reader *reader, const base_yaml_node *node) {
    if (node == NULL)
        return COL_OK;
    const col_status status = cam_entries_read(reader, node, "defaults", &reader->defaults);
    return status == COL_OK ? check_entries(reader, &reader->defaults, CAM_KIND_COUNT) : status;
}

/* ---- Grids, and what is left out of them. */

/* Takes `kind` out of the entries. */
static col_status take_kind(cam_reader *reader, cam_grid *grid) {
    static const base_field kind = {BASE_FIELD("kind", BASE_WORD, cam_grid, kind),
                                    .words = cam_kinds};
    cam_entries *entries = &grid->entries;
    for (uint32_t i = 0; i < entries->count; i++) {
        const cam_entry *entry = &entries->items[i];
        if (strcmp(entry->name, kind.name) != 0)
            continue;
        const col_status status =
            base_yaml_value(&(base_entry){&reader->yaml, entry->key, entry->value}, &kind, grid);
        entries->count--;
        memmove(&entries->items[i], &entries->items[i + 1],
                (entries->count - i) * sizeof *entries->items);
        return status;
    }
    return COL_OK;
}

static col_status read_grid(const base_entry *entry, void *target) {
    cam_reader *reader = target;
    cam_grid *grid = &reader->grids[reader->grid_count++];
    grid->node = entry->value;
    BASE_TRY(cam_entries_read(reader, entry->value, "a grid", &grid->entries));
    BASE_TRY(take_kind(reader, grid));
    return check_entries(reader, &grid->entries, grid->kind);
}

static col_status read_rule(const base_entry *entry, void *target) {
    cam_reader *reader = target;
    cam_entries *rule = &reader->without[reader->without_count++];
    col_status status = cam_entries_read(reader, entry->value, "an item of without", rule);
    if (status == COL_OK && rule->count == 0)
        return base_refuse_value(entry, "this leaves out everything");
    for (uint32_t i = 0; i < rule->count && status == COL_OK; i++) {
        cam_values unused;
        status = cam_values_read_any(reader, &rule->items[i], &unused);
    }
    return status;
}

static col_status read_list(cam_reader *reader, const char *name, const base_yaml_node *list,
                            base_yaml_reader read) {
    if (list == NULL)
        return COL_OK;
    if (list->type != YAML_SEQUENCE_NODE)
        return base_yaml_refuse(&reader->yaml, list, "%s is a list of maps, each behind a '-'",
                                name);
    return base_yaml_items(&(base_entry){&reader->yaml, NULL, list}, read, reader);
}

static col_status read_grids(cam_reader *reader, const base_yaml_node *grids,
                             const base_yaml_node *without) {
    const size_t rules = without == NULL ? 0 : cam_node_size(without);
    reader->grids = cam_take(reader, &reader->scratch, cam_node_size(grids) + 1, sizeof(cam_grid));
    reader->without = cam_take(reader, &reader->scratch, rules + 1, sizeof(cam_entries));
    if (reader->grids == NULL || reader->without == NULL)
        return COL_FAILURE;
    BASE_TRY(read_list(reader, "grids", grids, read_grid));
    if (reader->grid_count == 0)
        return base_yaml_refuse(&reader->yaml, grids, "there is no grid in it");
    return read_list(reader, "without", without, read_rule);
}

/* ---- Scales. */

typedef struct scale_search {
    cam_reader *reader;
    const char *wanted;
    bool is_found;
    base_text names;
} scale_search;

static col_status read_scale(const base_entry *entry, void *target) {
    scale_search *search = target;
    cam_entries entries;
    const char *name = base_entry_name(entry);
    base_text_print(&search->names, "%s%s", search->names.length == 0 ? "" : ", ", name);
    col_status status = cam_entries_read(search->reader, entry->value, "a scale", &entries);
    BASE_THEN(status, check_entries(search->reader, &entries, CAM_KIND_COUNT));
    if (search->wanted != NULL && strcmp(search->wanted, name) == 0) {
        search->is_found = true;
        search->reader->scale = entries;
    }
    return status;
}

static col_status read_scales(cam_reader *reader, const base_yaml_node *node, const char *wanted) {
    scale_search search = {.reader = reader, .wanted = wanted};
    col_status status = COL_OK;
    if (node != NULL)
        status = base_yaml_each(&reader->yaml, node, "scales", read_scale, &search);
    if (status == COL_OK && wanted != NULL && !search.is_found)
        status = base_yaml_refuse(
            &reader->yaml, node == NULL ? base_yaml_root(&reader->yaml) : node,
            "the plan has no scale '%.60s'%s%.200s", wanted,
            search.names.length > 0 ? "; it has " : "; it has none",
            search.names.length > 0 && !search.names.failed ? search.names.data : "");
    base_text_free(&search.names);
    return status == COL_OK && wanted != NULL
               ? cam_keep(reader, &reader->plan->arena, wanted, &reader->plan->scale)
               : status;
}

/* ---- The plan. */

static col_status read_parts(cam_reader *reader, const char *scale) {
    const base_yaml_node *root = base_yaml_root(&reader->yaml);
    parts nodes = {.plan = NULL};
    BASE_TRY(base_yaml_map(&reader->yaml, root, "a plan", part_fields, &nodes));
    if (nodes.plan == NULL || nodes.grids == NULL)
        return base_yaml_refuse(&reader->yaml, root, "a plan has a name and grids: %s is missing",
                                nodes.plan == NULL ? "plan" : "grids");
    col_status status = read_name(reader, nodes.plan);
    BASE_THEN(status, read_title(reader, nodes.title));
    BASE_THEN(status, read_defaults(reader, nodes.defaults));
    BASE_THEN(status, read_grids(reader, nodes.grids, nodes.without));
    BASE_THEN(status, read_scales(reader, nodes.scales, scale));
    reader->values = &reader->plan->arena;
    if (status == COL_OK && !reader->plan->omits_trials)
        status = cam_grids_expand(reader);
    if (status == COL_OK && nodes.published != NULL)
        status = cam_published_read(reader, nodes.published);
    return status;
}

col_status cam_plan_read(cam_plan *plan, const char *text, size_t length, const char *file,
                         const char *scale, col_problem *problem) {
    cam_reader reader = {.plan = plan};
    if (length > MOST_BYTES)
        return base_refuse_at(problem, file, 1, 1, "a plan has at most %d Mi bytes",
                              MOST_BYTES >> 20);
    reader.values = &reader.scratch;
    plan->text = base_arena_text(&plan->arena, text, length);
    plan->text_length = length;
    plan->file = base_arena_text(&plan->arena, file, strlen(file));
    if (plan->text == NULL || plan->file == NULL)
        return base_out_of_memory(problem);
    BASE_TRY(base_yaml_read(&reader.yaml, text, length, file, problem));
    col_status status = read_parts(&reader, scale);
    base_arena_free(&reader.scratch);
    base_yaml_free(&reader.yaml);
    return status;
}

col_status cam_plan_read_file(cam_plan *plan, const char *path, const char *scale,
                              col_problem *problem) {
    base_text text = {0};
    col_status status = base_file_read(path, &text, problem);
    BASE_THEN(status, cam_plan_read(plan, text.data == NULL ? "" : text.data, text.length, path,
                                    scale, problem));
    base_text_free(&text);
    return status;
}

void cam_plan_free(cam_plan *plan) {
    base_arena_free(&plan->arena);
    *plan = (cam_plan){0};
}

/* Plans by name. */

static bool is_path(const char *what) {
    return strchr(what, '/') != NULL || base_path_ends(what, ".yaml") ||
           base_path_ends(what, ".yml") || access(what, F_OK) == 0;
}

static col_status make_list(base_library *list, col_problem *problem) {
    static const base_library_place place = {
        .variable = "COLLIDER_PLANS", .source = COLLIDER_SOURCE_PLANS, .kind = "plans"};
    const col_status status = base_library_add_files(list, &place, problem);
    base_library_sort(list);
    base_library_keep_first(list);
    return status;
}

static col_status refuse_name(const base_library *list, const char *what, col_problem *problem) {
    base_nearest nearest = {.text = what};
    for (size_t i = 0; i < list->count; i++)
        base_nearest_try(&nearest, list->entries[i].name);
    if (nearest.word != NULL)
        return base_refuse(problem, "there is no plan '%.100s'; did you mean '%s'?", what,
                           nearest.word);
    base_text names = {0};
    for (size_t i = 0; i < list->count; i++)
        base_text_print(&names, "%s%s", i == 0 ? ", or one of " : ", ", list->entries[i].name);
    const col_status status =
        base_refuse(problem, "there is no plan '%.100s'; give a plan file (.yaml)%.600s", what,
                    names.length == 0 ? "" : names.data);
    base_text_free(&names);
    return status;
}

static col_status copy(char path[PATH_MAX], const char *from, col_problem *problem) {
    const int length = snprintf(path, PATH_MAX, "%s", from);
    return length >= 0 && length < PATH_MAX
               ? COL_OK
               : base_refuse(problem, "the path of the plan is too long");
}

col_status cam_plan_find(char path[PATH_MAX], const char *what, col_problem *problem) {
    if (is_path(what))
        return copy(path, what, problem);
    base_library list = {0};
    col_status status = make_list(&list, problem);
    const base_library_file *file = base_library_find(&list, what);
    BASE_THEN(status,
              file == NULL ? refuse_name(&list, what, problem) : copy(path, file->path, problem));
    base_library_free(&list);
    return status;
}

/* What the pairs of a trial say as they are, without the settings that they stand for. */

const char *const cam_kinds[CAM_KIND_COUNT + 1] = {"episode", "tour", "locations", NULL};

const char *cam_pair_value(const cam_pair *pairs, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++) /* a million trials are asked often */
        if (pairs[i].name[0] == name[0] && strcmp(pairs[i].name, name) == 0)
            return pairs[i].value;
    return NULL;
}

const char *cam_trial_value(const cam_trial *trial, const char *name) {
    return cam_pair_value(trial->pairs, trial->pair_count, name);
}

/* A mechanism that cores are told to do without is an error, too. */
bool cam_trial_hunts(const cam_trial *trial) {
    const char *design = cam_trial_value(trial, "design");
    return cam_trial_value(trial, "error") != NULL || cam_trial_value(trial, "mutant") != NULL ||
           (design != NULL && duv_options_inject(design, cam_trial_value(trial, "options")));
}

bool cam_selects(const cam_selector *selector, cam_kind kind, const cam_pair *pairs,
                 uint32_t count) {
    for (uint32_t i = 0; i < selector->count; i++) {
        const cam_pair *wanted = &selector->pairs[i];
        const char *value = strcmp(wanted->name, "kind") == 0
                                ? cam_kinds[kind]
                                : cam_pair_value(pairs, count, wanted->name);
        if (strcmp(value == NULL ? CAM_NONE : value, wanted->value) != 0)
            return false;
    }
    return true;
}
