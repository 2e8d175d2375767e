/* SPDX-License-Identifier: MIT */
/*
 * Reading a plan: the shape of the file. Everything in it is read and tried, scales that were not
 * asked for too, so that a mistake is reported before the first trial runs.
 */
#include "campaign/plan.h"

#include "base/file.h"
#include "campaign/plan_parts.h"

#include <string.h>

enum { MOST_BYTES = 16 << 20 };

/* ---- For all parts. */

void *cam_take(cam_reader *reader, base_arena *arena, size_t count, size_t size) {
    void *piece = count > SIZE_MAX / 4 / size ? NULL : base_arena_take(arena, count * size);
    if (piece == NULL)
        (void)base_out_of_memory(reader->yaml.problem);
    return piece;
}

size_t cam_node_size(const base_yaml_node *node) {
    return node->type == YAML_SEQUENCE_NODE
               ? (size_t)(node->data.sequence.items.top - node->data.sequence.items.start)
           : node->type == YAML_MAPPING_NODE
               ? (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start)
               : 0;
}

static col_status add_entry(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    cam_entries *entries = target;
    (void)yaml;
    entries->items[entries->count++] = (cam_entry){base_yaml_scalar(key), key, value};
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

/* Settings that are not for one kind of trials: some kind must take each. */
static col_status check_entries(cam_reader *reader, const cam_entries *entries) {
    col_status status = COL_OK;
    for (uint32_t i = 0; i < entries->count && status == COL_OK; i++) {
        const cam_entry *entry = &entries->items[i];
        cam_axis unused;
        double seconds = 0;
        if (strcmp(entry->name, "kind") == 0)
            return base_yaml_refuse(&reader->yaml, entry->key, "each grid says its own kind");
        status = strcmp(entry->name, "shrink") == 0 ? cam_shrink_read(reader, entry, &seconds)
                                                    : cam_axis_read_any(reader, entry, &unused);
    }
    return status;
}

/* ---- The parts of the file. */

enum { PLAN, TITLE, DEFAULTS, GRIDS, WITHOUT, SCALES, PUBLISHED, PARTS };

static col_status note_part(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target);

static const base_yaml_field parts[] = {
    {.name = "plan", .read = note_part, .item = PLAN},
    {.name = "title", .read = note_part, .item = TITLE},
    {.name = "defaults", .read = note_part, .item = DEFAULTS},
    {.name = "grids", .read = note_part, .item = GRIDS},
    {.name = "without", .read = note_part, .item = WITHOUT},
    {.name = "scales", .read = note_part, .item = SCALES},
    {.name = "published", .read = note_part, .item = PUBLISHED},
    {.name = NULL},
};

static col_status note_part(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    const base_yaml_node **nodes = target;
    (void)yaml;
    nodes[base_yaml_field_of(parts, key)->item] = value;
    return COL_OK;
}

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
    reader->plan->name = base_arena_text(&reader->plan->arena, text, length);
    return reader->plan->name == NULL ? base_out_of_memory(reader->yaml.problem) : COL_OK;
}

static col_status read_title(cam_reader *reader, const base_yaml_node *node) {
    cam_plan *plan = reader->plan;
    const char *text = node == NULL ? plan->name : base_yaml_scalar(node);
    if (text == NULL || text[0] == '\0')
        return base_yaml_refuse(&reader->yaml, node, "title is a text");
    plan->title = base_arena_text(&plan->arena, text, strlen(text));
    return plan->title == NULL ? base_out_of_memory(reader->yaml.problem) : COL_OK;
}

static col_status read_defaults(cam_reader *reader, const base_yaml_node *node) {
    if (node == NULL)
        return COL_OK;
    const col_status status = cam_entries_read(reader, node, "defaults", &reader->defaults);
    return status == COL_OK ? check_entries(reader, &reader->defaults) : status;
}

/* ---- Grids, and what is left out of them. */

/* Takes `kind` out of the entries. */
static col_status take_kind(cam_reader *reader, cam_grid *grid) {
    cam_entries *entries = &grid->entries;
    for (uint32_t i = 0; i < entries->count; i++) {
        const cam_entry *entry = &entries->items[i];
        uint64_t kind = 0;
        if (strcmp(entry->name, "kind") != 0)
            continue;
        const col_status status =
            base_yaml_choice(&reader->yaml, entry->key, entry->value, cam_kinds, &kind);
        grid->kind = (cam_kind)kind;
        entries->count--;
        memmove(&entries->items[i], &entries->items[i + 1],
                (entries->count - i) * sizeof *entries->items);
        return status;
    }
    return COL_OK;
}

static col_status read_grid(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    cam_reader *reader = target;
    cam_grid *grid = &reader->grids[reader->grid_count++];
    (void)yaml;
    (void)key;
    grid->node = value;
    col_status status = cam_entries_read(reader, value, "a grid", &grid->entries);
    if (status == COL_OK)
        status = take_kind(reader, grid);
    for (uint32_t i = 0; i < grid->entries.count && status == COL_OK; i++) {
        const cam_entry *entry = &grid->entries.items[i];
        cam_axis unused;
        double seconds = 0;
        status = strcmp(entry->name, "shrink") == 0 && grid->kind == CAM_EPISODE
                     ? cam_shrink_read(reader, entry, &seconds)
                     : cam_axis_read(reader, grid->kind, entry, &unused);
    }
    return status;
}

static col_status read_rule(base_yaml *yaml, const base_yaml_node *key, const base_yaml_node *value,
                            void *target) {
    cam_reader *reader = target;
    cam_entries *rule = &reader->without[reader->without_count++];
    (void)key;
    col_status status = cam_entries_read(reader, value, "an item of without", rule);
    if (status == COL_OK && rule->count == 0)
        return base_yaml_refuse(yaml, value, "this leaves out everything");
    for (uint32_t i = 0; i < rule->count && status == COL_OK; i++) {
        cam_axis unused;
        status = cam_axis_read_any(reader, &rule->items[i], &unused);
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
    return base_yaml_items(&reader->yaml, NULL, list, read, reader);
}

static col_status read_grids(cam_reader *reader, const base_yaml_node *grids,
                             const base_yaml_node *without) {
    const size_t rules = without == NULL ? 0 : cam_node_size(without);
    reader->grids = cam_take(reader, &reader->scratch, cam_node_size(grids) + 1, sizeof(cam_grid));
    reader->without = cam_take(reader, &reader->scratch, rules + 1, sizeof(cam_entries));
    if (reader->grids == NULL || reader->without == NULL)
        return COL_FAILURE;
    col_status status = read_list(reader, "grids", grids, read_grid);
    if (status == COL_OK && reader->grid_count == 0)
        status = base_yaml_refuse(&reader->yaml, grids, "there is no grid in it");
    return status == COL_OK ? read_list(reader, "without", without, read_rule) : status;
}

/* ---- Scales. */

typedef struct scale_search {
    cam_reader *reader;
    const char *wanted;
    bool is_found;
    base_text names;
} scale_search;

static col_status read_scale(base_yaml *yaml, const base_yaml_node *key,
                             const base_yaml_node *value, void *target) {
    scale_search *search = target;
    cam_entries entries;
    const char *name = base_yaml_scalar(key);
    (void)yaml;
    base_text_print(&search->names, "%s%s", search->names.length == 0 ? "" : ", ", name);
    col_status status = cam_entries_read(search->reader, value, "a scale", &entries);
    if (status == COL_OK)
        status = check_entries(search->reader, &entries);
    if (search->wanted != NULL && strcmp(search->wanted, name) == 0) {
        search->is_found = true;
        search->reader->scale = entries;
    }
    return status;
}

static col_status read_scales(cam_reader *reader, const base_yaml_node *node, const char *wanted) {
    cam_plan *plan = reader->plan;
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
    if (status == COL_OK && wanted != NULL) {
        plan->scale = base_arena_text(&plan->arena, wanted, strlen(wanted));
        status = plan->scale == NULL ? base_out_of_memory(reader->yaml.problem) : COL_OK;
    }
    return status;
}

/* ---- The plan. */

static col_status read_parts(cam_reader *reader, const char *scale) {
    const base_yaml_node *root = base_yaml_root(&reader->yaml);
    const base_yaml_node *nodes[PARTS] = {NULL};
    col_status status = base_yaml_fields(&reader->yaml, root, "a plan", parts, nodes);
    if (status != COL_OK)
        return status;
    if (nodes[PLAN] == NULL || nodes[GRIDS] == NULL)
        return base_yaml_refuse(&reader->yaml, root, "a plan has a name and grids: %s is missing",
                                nodes[PLAN] == NULL ? "plan" : "grids");
    status = read_name(reader, nodes[PLAN]);
    if (status == COL_OK)
        status = read_title(reader, nodes[TITLE]);
    if (status == COL_OK)
        status = read_defaults(reader, nodes[DEFAULTS]);
    if (status == COL_OK)
        status = read_grids(reader, nodes[GRIDS], nodes[WITHOUT]);
    if (status == COL_OK)
        status = read_scales(reader, nodes[SCALES], scale);
    reader->values = &reader->plan->arena;
    if (status == COL_OK && !reader->plan->omits_trials)
        status = cam_grids_expand(reader);
    if (status == COL_OK && nodes[PUBLISHED] != NULL)
        status = cam_published_read(reader, nodes[PUBLISHED]);
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
    col_status status = base_yaml_read(&reader.yaml, text, length, file, problem);
    if (status != COL_OK)
        return status;
    status = read_parts(&reader, scale);
    base_arena_free(&reader.scratch);
    base_yaml_free(&reader.yaml);
    return status;
}

col_status cam_plan_read_file(cam_plan *plan, const char *path, const char *scale,
                              col_problem *problem) {
    base_text text = {0};
    col_status status = base_file_read(path, &text, problem);
    if (status == COL_OK)
        status = cam_plan_read(plan, text.data == NULL ? "" : text.data, text.length, path, scale,
                               problem);
    base_text_free(&text);
    return status;
}

void cam_plan_free(cam_plan *plan) {
    base_arena_free(&plan->arena);
    *plan = (cam_plan){0};
}
