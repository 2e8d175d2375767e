/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the reader of plans share: plan.c reads the file's shape, plan_values.c the
 * values of a setting, plan_grid.c selects trials by their settings and makes trials of grids,
 * plan_published.c reads the papers' figures.
 */
#pragma once

#include "base/yaml.h"
#include "results/plan/plan.h"
#include "results/plan/trial.h"

enum { CAM_MOST_TRIALS = 1000000 };

/* One `name: value` of a map of settings, not read yet: how depends on the kind of trials. */
typedef struct cam_entry {
    const char *name;
    const base_yaml_node *key, *value;
} cam_entry;

typedef struct cam_entries {
    cam_entry *items;
    uint32_t count;
} cam_entries;

typedef struct cam_grid {
    const base_yaml_node *node;
    cam_kind kind;
    cam_entries entries;
} cam_grid;

typedef struct cam_reader {
    base_yaml yaml;
    cam_plan *plan;
    base_arena scratch; /* until the plan is read */
    base_arena *values; /* what values of settings are kept in: the plan's, once all are tried */
    cam_entries defaults, scale;
    cam_grid *grids;
    uint32_t grid_count;
    cam_entries *without;
    uint32_t without_count;
    bool is_choosing; /* among existing trials: files that values name are not opened */
} cam_reader;

/* A setting and the values that it takes one after the other; a value that is NULL: it is not
 * given. */
typedef struct cam_values {
    const char *name;
    uint32_t place; /* in the order of pairs */
    const char **values;
    const char **paths; /* of each value: cam_pair's; NULL: it names no file */
    uint32_t *at;       /* likewise; NULL: the plan does not have it */
    uint32_t count;
} cam_values;

/* NULL when out of memory, which is then said in the error. */
void *cam_take(cam_reader *reader, base_arena *arena, size_t count, size_t size);
/* A copy of the text, which may be `*kept`. */
col_status cam_keep(cam_reader *reader, base_arena *arena, const char *text, const char **kept);

/* Reads a value by keeping its node (base/yaml.h). */
col_status cam_node_keep(const base_entry *entry, void *node);

/* How many items a list, or pairs a map, has. */
size_t cam_node_size(const base_yaml_node *node);

/* A map of settings. `what` names it in errors. */
col_status cam_entries_read(cam_reader *reader, const base_yaml_node *map, const char *what,
                            cam_entries *entries);
const cam_entry *cam_entries_find(const cam_entries *entries, const char *name);

/* A value, a list of values, a..b. Refused unless the kind has the setting and takes all the
 * values. */
col_status cam_values_read(cam_reader *reader, cam_kind kind, const cam_entry *entry,
                           cam_values *axis);
/* Of the first kind that takes it: for settings that are not for one kind. The name `kind` is one,
 * too. */
col_status cam_values_read_any(cam_reader *reader, const cam_entry *entry, cam_values *axis);

/* Seconds of `shrink`. */
col_status cam_shrink_read(cam_reader *reader, const cam_entry *entry, double *seconds);

/* Fills in the plan's trials and its hash. */
col_status cam_grids_expand(cam_reader *reader);

/* A list of tables and figures. */
col_status cam_published_read(cam_reader *reader, const base_yaml_node *list);
